// Package elle looks for anomalies in recorded histories of lists, registers,
// sets and counters, and judges isolation levels by what it finds. Every anomaly
// comes with an explanation that a reader can check.
//
// # Method
//
// It is that of Elle: from what transactions read and wrote, Check infers in which
// order the versions of a key were made; from that, which transaction depends on
// which; and then it looks for cycles of dependencies. What is inferred is so in
// every execution that fits the history. Therefore an anomaly is a fact.
//
//   - Lists: a list that reads [1 2 3] was [1 2] before, so that the longest read
//     shows the order of all elements in it. Elements that nobody read come after.
//     Own appends at the end of a read say nothing about the order at levels that
//     allow lost updates; at the others they come right after what was read.
//   - Registers: the initial version comes first, and a transaction that reads one
//     version and writes another puts this one later. If the database claims that
//     keys are linearizable (Options.LinearizableKeys), real time orders versions,
//     too.
//   - Sets: an element that was read was added before, one that was not was added
//     after.
//   - Counters that only grow: who read less was earlier. Counters between which
//     transactions only move amounts: all reads of all of them have one sum.
//
// Edges are WW, WR and RW, the order of sessions, and real time. An RW edge
// leads to the next version; where several versions may be next it leads to
// all of them, for all of them come later.
//
// # Anomalies
//
// Some need no cycle: a read of what was never written, was aborted, is an
// intermediate version, or is written later by the reader itself; a read that
// contradicts the transaction's own writes or reads; lists with an element twice, or
// that contradict each other; versions that precede each other; writes on top of
// aborted ones; lost updates. Cycles are G0 (WW), G1c (WW, WR), G-single (one RW),
// G-nonadjacent (several RW, no two in a row) and G2-item (several RW), each also
// with the order of sessions (-process) or real time (-realtime). For every
// component the shortest cycle of each kind is reported; write skew and long fork
// are called so. Three kinds that Elle does not have are for levels that it does
// not have: non-monotonic reads (RC), fractured reads (RA) and
// CO-conflict-AO (CC).
//
// # Verdicts
//
// Violated means that an anomaly was found that no history of the level has.
// Satisfied needs a witness: an order of the transactions, or of their snapshots and
// commits, that is replayed, and must return every read. For levels without such a
// witness there are two more reasons, which Answer.Why gives: the order of all
// elements of all lists is known, so that the graph is the whole truth; or (PL-2)
// any order of versions that follows writes and reads will do. Everything else is
// Unknown: that nothing was found shows nothing.
//
// # Limits
//
// Where a value was written twice, reads of it say nothing about order. Registers
// whose writers do not read first have hardly any order: in the witness a write
// waits for the readers of the version before, but which one comes first is a guess
// by real time, and the verdict may be Unknown; the other checkers decide these. Predicates are not modelled: reads of ranges count as reads of the rows
// that they returned, and histories with them have no witness. Lists and sets begin
// empty. G-monotonic is found only where two transactions are involved, so that
// PL-2L is often Unknown (package adya decides it for registers). The search for cycles within a component of n
// transactions and m edges takes n·m steps in the worst case, and ends after
// Options.Steps.
//
// # Sources
//
// Kingsbury and Alvaro, "Elle: Inferring Isolation Anomalies from Experimental
// Observations" (VLDB 2020); Adya, "Weak Consistency" (PhD thesis, MIT, 1999);
// Cerone and Gotsman, "Analysing Snapshot Isolation" (JACM 2018), for
// G-nonadjacent; Biswas and Enea, "On the Complexity of Checking Transactional
// Consistency" (OOPSLA 2019), for RC, RA and CC.
package elle
