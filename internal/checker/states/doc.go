// Package states decides levels of recorded histories by a search over what the database
// may have held after so many transactions: PC, SI, SER, and SSSI, StrongSI and SSER in real time.
//
// # What it is for
//
// Histories in which few values are written over and over, and those of counters and sets. There
// a read does not tell which write it comes from, so that a method that looks for
// orders of writes has a choice at nearly every read. But such a database has few states. The future
// of an execution depends only on how far each session came and on what the keys hold, whatever the order was
// that led there.
//
// # Method
//
// It is that of Wing and Gong with the memory of Lowe, level by level: all executions go one step at a time,
// and those that reach the same state are one from there on. A step is a transaction of some session that finds
// what it read. At levels of snapshots a transaction may begin in one step, and commit in another. Between
// both nobody begins that writes one of its keys (first committer wins), except at PC. In real time nothing happens before
// all is done that had ended before it began.
//
// Some steps need no choice. Who only reads happens as soon as what it read is there, for
// that changes nothing for the others. Who reads nothing, or reads only what it
// overwrites, begins and commits in one step.
//
// A level of states has a bound. Those are kept that are nearest to a guess: that transactions happened in the order
// in which they ended, or that all sessions went on evenly. If nothing fits the bound grows.
//
// A level without real time is searched in real time first, by the times of the recording or, where a file without
// times has the sessions interleaved, by the order of its lines. Few orders are left then. An execution that is found is
// one of the level; if there is none, nothing follows, and the search begins again without times.
//
// # What it decides
//
// An execution that reaches the end is a witness: Satisfied. If nothing was left out and none reaches the
// end, no execution does: Violated. If something was left out it is Unknown.
//
// For a given number of sessions and keys the number of states is polynomial in that of transactions, so that two or three
// sessions are decided for good. With more sessions what is accepted depends on the guess.
//
// # Limits
//
// Lists, ranges, and recordings that identify versions, are left to others; so are sets to which an element is added
// twice. What is read of a set is compared by a hash of 64 bits, and states by one of 128 bits.
//
// # Source
//
// Wing and Gong, "Testing and Verifying Concurrent Objects" (JPDC 1993); Lowe, "Testing for
// linearizability" (CCPE 2017); Biswas and Enea, "On the Complexity of Checking Transactional
// Consistency" (OOPSLA 2019), which shows that a bounded number of sessions makes these levels polynomial.
package states
