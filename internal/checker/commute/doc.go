// Package commute accepts levels of recorded histories of sets and counters, by a search for an
// order of the transactions that fits what was read.
//
// # Method
//
// Adds to sets and increments of counters commute: what is there after some transactions does not
// depend on their order. So the search (after Wing and Gong, and Lowe) goes from one set of
// transactions to a larger one, and forgets those sets that led nowhere. Next is a transaction before which
// all others have happened that ended before it began, and those of its session; earlier ends are
// tried first. One that only reads happens as soon as it fits, for that excludes nothing.
//
// For levels of snapshots a transaction that writes begins, when it reads, and commits later.
// Between both no other one that writes the same keys may begin.
//
// Transactions of unknown outcome happen or do not.
//
// # What it decides
//
// An order of SSER accepts that level and all that it implies, and so does one of StrongSI.
// Nothing is rejected: another method finds anomalies. Where no order fits in real time the
// weaker levels may hold all the same.
//
// # Limits
//
// A number of steps; lists, registers and ranges; initial values that are not known.
//
// # Source
//
// Wing and Gong, "Testing and Verifying Concurrent Objects" (JPDC 1993); Lowe, "Testing for
// linearizability" (CCPE 2017).
package commute
