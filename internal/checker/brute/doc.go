// Package brute decides isolation levels of small histories by their
// definitions: it tries all commit orders, all outcomes of unknown transactions
// and all writes that a read may come from. It is the reference by which the
// other checkers are tested, and shares with them neither code nor lemmas.
//
// # Definitions
//
// A commit order is a total order of the committed transactions. It contains the
// session order for RC, RA, CC, PC, SI, SER and what implies them, and the
// real-time order (Precedes of package history) for GSI and what implies it. The
// initial transaction is before all.
//
// RC, RA and CC are the axioms of Biswas and Enea (OOPSLA 2019, figure 2). Every
// read gets a writer of its key whose version fits: for a register the final write
// of the value; for a list, set or counter the state after the writer in the
// commit order. Writers are before their readers. If t3 reads key x from t1, and
// t2 writes x as well and is visible to t3, then t2 is before t1. Visible are for
// RC those that t3 read from before; for RA those that precede t3 in its session,
// or that it reads from; for CC those that are before t3 in the transitive closure
// of both.
//
// PC, SI, PL-SI, GSI, SSSI, StrongSI, SER, PL-3 and SSER are defined by states:
// every transaction has a snapshot, which is a prefix of the commit order before
// it, and reads return the state after the snapshot, with its own writes before.
// The snapshot contains for PC, SI and what implies them what is earlier in the
// session; for StrongSI all that precede in real time; for SER, PL-3 and SSER all
// that is before in the commit order. For PL-SI and what implies it, no transaction
// between the snapshot and the commit writes a key that the transaction writes. That the two styles fit together (SER within SI within PC
// within CC) is a test of both.
//
// PL-2, PL-2L, PL-2+ and PL-2.99 are Adya's (PhD thesis, MIT 1999): there are orders of
// the versions of each key, and versions that the reads come from, for which the direct
// serialization graph has no cycle of read and write dependencies, and none of a kind.
// For PL-2+ that is a cycle with exactly one anti-dependency (G-single), for PL-2.99 one
// with an anti-dependency on an item (G2-item), and for PL-2L one with an
// anti-dependency of a read whose transaction had depended before on what it missed
// (G-monotonic, on the unfolded graph). A range reads the rows that it lists as items, and of
// the other keys the predicate. The version of a list, set or counter contains
// those before it.
//
// In every level a transaction reads its own writes, the last of them. PL-1
// has no definition here: what reads show means nothing to it.
//
// # Limits
//
// MaxTxns transactions; time is exponential. Lists, sets and counters whose initial
// value is not known are not judged.
package brute
