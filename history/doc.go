// Package history holds recorded histories: what the clients of a database did
// and saw. It is the model on which the checkers of isolation levels work, and
// knows nothing about levels, nor about programs and proofs.
//
// # Model
//
// A History is sessions of transactions of operations. A transaction is
// Committed, Aborted or Unknown; it may have stamps of its begin and end. An
// operation reads or writes a register, a list, a set or a counter, inserts or
// deletes a row, or reads the rows of a range of keys. Every key has one data
// type. Keys and values are interned: checkers compare integers, and ask for
// names only to print.
//
// Transaction 0 is the initial one. It writes every key before everything else,
// also in the order that a checker searches for: operation k is the initial
// write of key k, with the value Initial unless the recording gives another one.
// So every version has an operation, and no checker needs a special case.
//
//	for s := range history.Session(h.NumSessions()) {
//		t, end := h.Txns(s)
//		for ; t < end; t++ { // in session order
//			o, end := h.Ops(t)
//			for ; o < end; o++ { // in the order of execution
//				switch h.Kind(o) { … h.Key(o), h.Value(o) … }
//			}
//		}
//	}
//
// Transactions are numbered session by session, so that t-1 comes before t in
// session order if both are of one session, and a vector clock needs no more
// than SessionOf and Position. Loops allocate nothing.
//
// # Which write a read comes from
//
// Sources gives for every read, element of a list and row of a range the writes
// that it may come from. Usually there is one, for collectors write unique
// values. There is none if the value came out of thin air. There are several if a
// value was written twice: then the edge is a choice that the checker has to make;
// an accepting checker needs one choice that works, a rejecting one needs all to
// fail. Where the recording identifies the versions themselves (the write ids of
// Cobra) the identity decides. Sources leaves the judgement to the checkers: it
// gives aborted writes, overwritten ones and those of the reader itself, too.
// Writers gives all writes of a key, and tells which are final.
//
// # Unknown outcomes
//
// An Unknown transaction either took effect as a whole, or did nothing. If it took
// effect, its writes happened, and its reads returned what was recorded: so a
// compare-and-set of unknown outcome found its expected value, or did not happen. It took
// effect if somebody read what it wrote, and if nobody did, then leaving
// the transaction out changes no verdict about histories of unique values. A client
// that leaves such transactions out (as Plume does) takes reads of their values
// for reads out of thin air. Reads whose result is not known (NoValue) say
// nothing. Settled makes transactions Committed of which the reads show that they were.
//
// # Real time
//
// Begin and End are stamps; Precedes compares them, and so means the real-time
// order if the clients took them. A transaction without an end precedes nothing,
// one without a begin follows nothing. Clock has the times of the clients' clocks
// apart from that: a Jepsen history is ordered by its lines, whatever the clocks say.
//
// # Memory
//
// One column per attribute: 1M transactions with 8M operations take about 150 MB,
// and twice that while they are built. Lists that are prefixes of a list read
// before share its elements.
//
// # Limits
//
// 2³¹ operations; 2³² elements of lists. Nested transactions, predicates other than
// ranges of keys, and operations on parts of a value are not modelled.
//
// # Sources
//
// The model follows Adya, "Weak Consistency: A Generalized Theory and Optimistic
// Implementations for Distributed Transactions" (PhD thesis, MIT, 1999); list, set and
// counter histories are those of Kingsbury and Alvaro, "Elle" (VLDB 2020);
// tombstones and ranges those of Zhang et al., "Viper" (EuroSys 2023). That the
// initial transaction comes first in every order is a decision of this
// project.
package history
