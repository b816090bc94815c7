// Package movers proves programs robust with the theory of movers, or finds the
// walks through the commutativity dependency graph that stand in the way.
//
// Vertices are transactions as they run inside the window of a delayed one:
// atomic, or only issued (their writes come later). An edge says that two
// neighbours in some execution cannot be swapped. A program whose graph has no
// closed walk from the snapshot of a transaction to its commit is robust; a
// closed walk is a suspicion, to be confirmed or not by others.
//
// Each edge is one satisfiability question, asked in the context of the
// delayed transaction: with its writes, its locks and what its exclusions keep
// unchanged. Longer pieces of a walk are asked as one question where the
// pairwise ones leave a walk (windows). A transaction that would do the same if
// it began when it commits is not delayed at all.
//
// Sound: an answer Robust is a proof, for any number of sessions, rows and
// values (docs/soundness.md). Not complete: a walk may have no execution.
//
// Source: CAV'19, sections 6 and appendix E, with the corrections of
// docs/soundness.md.
package movers
