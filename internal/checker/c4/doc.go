// Package c4 decides read committed, read atomicity and (transactional) causal
// consistency of recorded histories by their anomalous patterns, in time that
// grows almost linearly with the history, and says what is wrong.
//
// # Method
//
// The patterns are the fourteen of Liu et al., "Complete and Efficient Checking of
// Transactional Causal Consistency in Database Engines" (C4, published as Plume),
// section 3. First every read is judged by itself: values out of thin air, aborted
// and intermediate reads, reads of the own future, and reads that miss the own
// writes. The others give the relation WR. A cycle of session order and WR violates
// all levels.
//
// The other patterns are cycles of the commit order. If t3 reads a key from t1, and
// t2 wrote it as well and is visible to t3, then t2 is before t1 (a WW edge).
// Visible is for RC who was read from before, for RA who was read from or precedes
// in the session, for CC the whole causal past. The level holds if session order,
// WR and these edges have no cycle: Biswas and Enea, "On the Complexity of Checking
// Transactional Consistency" (OOPSLA 2019). Only few of the edges are needed, as
// AWDIT ("Optimal Weak Isolation Testing", PLDI 2025) shows: for RC the next read
// of each key, for RA the last writer in the session, for CC the last visible
// writer of each session, and of these only those that are not in the causal past of
// t1 anyway. Readers of one version are taken together: for each session, the one
// that sees most counts.
//
// The causal past of a transaction is a vector clock with an entry per session that
// writes. The clocks are columns, so that several goroutines can compute them at
// the same time; where they do not fit into Options.Memory they are computed some
// columns at a time. Tree clocks, which C4 uses, save nothing there.
//
// CC is checked first, if it is asked for: a history that satisfies it satisfies RC
// and RA. Otherwise every concluded edge on a cycle is a violation, of the weakest
// level whose edges close the cycle. A pattern is the -CO variant if t1 is causally
// before t2, and else the -AO variant. Edges of CC are reported once per session and
// version, not for every transaction that could have been seen.
//
// # Lists, ranges, duplicate values, unknown outcomes
//
// The longest list that was read of a key gives an order of its versions, and all
// other appends come later; reads that do not fit into that order violate RC. A
// read of a range is one of all its keys at the same time.
//
// A read whose value several transactions wrote has no WR edge at first: a violation
// without it is one for all choices. Otherwise assignments are tried, and from
// each that fails the picks that its violation needs are excluded. That is complete,
// but may take too long; then the verdict is Unknown. An Unknown transaction takes
// effect if something was read from it. Where the recording does not say what a
// register held initially, a value that nobody wrote is that, if there is just one;
// if there is none, reads of the key may come from the initial transaction, too.
//
// # Limits
//
// Reads of sets and counters, and of lists with elements that were appended twice,
// are left out, so that a history with such reads may get the verdict Violated, but
// not Satisfied. A cycle is a smallest one for the edge that it explains; for
// cycles of session order and WR, and for those with the order of list elements, it is
// the smallest of those through the first edges of the component. Time and memory
// grow with transactions times sessions that write: with a session per transaction
// they are quadratic. Every read of a range looks at all keys, and every source of a
// transaction at all reads of a key that it overwrote there.
package c4
