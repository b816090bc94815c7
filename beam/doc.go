// Package beam is the module that judges recorded histories beyond one machine. The command
// is cmd/robust-beam; what it is made of is below internal, and all verdicts about parts are those of
// the checkers of the main module. docs/beam.md says how it is used and what was measured.
//
// # The candidate order
//
// All transactions get a position: by the stamp of their end where the recording has stamps, or else
// by a topological merge of the sessions, which one worker makes from who reads from whom. A
// position is a guess. What the guess explains needs no checker, and what it does not explain is
// judged: no verdict depends on it.
//
// For each key by itself, and so on any number of workers, every read is compared with
// the guess. It comes from the last version before it in the order that has its value; for lists,
// from the versions whose elements it shows. Three things are suspicious, each an interval of
// positions:
//
//   - a read whose value no version before it has, among committed transactions and those of
//     unknown outcome that somebody read from: thin air, aborted, intermediate, from the future,
//     or a list that is not a prefix. The interval has the read and all writers of what it shows.
//   - a stale read, which another transaction overwrote before the reader came: from the first that
//     overwrote it to the reader. On snapshots that is no matter if the snapshot can have been taken
//     before that version and after all that it has to contain: what it read, what its session
//     committed, and the previous versions of what it writes. Then the interval must not be cut,
//     but it need not be judged.
//   - two transactions of a session in the wrong order, and a transaction that does not see
//     its own writes.
//
// The connected parts of the union of these intervals are the windows.
//
// # Why contraction keeps the verdict
//
// Let the positions be divided into pieces: intervals such that session order and reads do not lead
// from a later to an earlier piece, and a read from an earlier piece is of the last version
// before its own. Windows are such pieces, and so is each transaction outside of them, for whatever
// would break this is in one window.
//
// Accepting. The closed part of a piece is the history of its transactions with the versions
// before it as initial ones (lists lose the elements before it), and with closing transactions: one at the end
// of each session, and one after all of them, each of which reads, twice, every version of the
// piece that is read after it. If the closed part of every piece satisfies a level, with the commit orders
// τ1, τ2, …, the history satisfies it with the order τ1 τ2 …. All of the levels demand: if t reads x from
// t1, and another writer t2 of x is visible to t, then t2 comes before t1. What is visible depends
// on the level; always t2 is in the piece of t or before. If t1 is in the piece of t, so is every t2 that
// is not before it, and the closed part has the demand. If t1 is before the piece of t, it is the last writer before, which
// the closed part has as the initial version: so no t2 of the piece of t is visible to t. A t2 in a piece
// between them is none, and one in the piece of t1 comes before t1, because a closing transaction reads
// t1 and sees all that t may see of that piece: the one of the session of t, what is read from there
// (of RC: both reads in each order), and what came before these. SI also demands that no two writers of a
// key are concurrent; transactions of different pieces are not, for a snapshot contains all earlier pieces.
//
// Transactions outside of windows satisfy SER, or with windows of snapshots SI, by the guess itself.
//
// Rejecting. A history satisfies a level only if each part of it does, where reads of versions that others
// wrote say nothing: the order of the whole is one of the part, and less is visible there. So each
// window is asked about as an open part, too, and what violates a level there violates it in the whole. A list read
// says what is left of it at SI and SER; at weaker levels it says nothing without its last element, by
// which its writer is visible. That initial versions are those before the window is not known here and not used.
//
// Neither. Then the window grows to what it reads from and to twice its length at least, with
// the windows that it meets, and is asked again; at the end it is the whole history, about which both
// questions are the same as one machine's. That is bounded by -worker-ops, and the level is unknown beyond it.
//
// # Weak levels
//
// A history that only satisfies RC, RA or CC has stale reads everywhere, so that its windows are one. What these levels
// demand follows from who wrote and who read from whom, without keys and values. So a
// key tells the windows its links: who wrote it, and from whom each read comes; and a worker gets numbers of
// transactions, with their sessions. It concludes the arcs of the commit order as c4 does, and looks for a cycle. A window has the
// readers with all versions that they do not show, so that whoever reads a version from elsewhere sees
// the last one: that is one more arc from each other writer of the window. If no window has a cycle then, the level
// holds, by the argument above. A cycle without such an arc is given to the ordinary checkers: its transactions, and those
// through which they saw each other, as an open part. What they do not reject so, and what
// stays open in a window of everything (values that were written twice), is left to the windows above.
//
// Transactions of unknown outcome take effect in the guess if somebody read from them. If one did, and another of its
// writes was not read, all that the write would disturb is suspicious. Both choices are the checkers' in a window.
//
// Values that were written twice may come from either write: the guess takes the last one before the read, the
// checkers of a window choose as they always do, and open parts keep no read that somebody outside may have written.
//
// # Sources
//
// Contraction of an acyclic order to the intervals of its back edges is folklore: every cycle has such edges, and they cover
// it without a gap. The levels are those of Biswas and Enea (OOPSLA 2019), as package isolation has them.
// Prism and the model of pipelines are those of Apache Beam.
//
// # Limits
//
// Registers and lists. A single shard with sets, counters, ranges, inserts, deletes, write ids or
// unknown initial values is judged whole, by one worker; several shards with them are unknown. Levels are RC, RA,
// CC, SI and SER. The links of histories that only satisfy RC, RA or CC come to one worker, and vector clocks of it take
// time of transactions times sessions. The merge without stamps is made by one worker, in memory.
// A first transaction that a format takes for the initial one is taken so in each shard.
package beam
