// Package crosscheck shows the history of a witness to the checkers of recorded
// histories, which know nothing of programs and of how it was found, and compares what
// they say with what a witness has to be: an execution of the level that it ran at,
// which no serial order explains. A checker that contradicts is a fault of this
// program, in the analysis or in the checker, and never a finding.
//
// # Versions
//
// NewTrace replays a witness and makes versions of its values: each write makes a new
// version, whatever the value. An object is a column of a row that somebody changes,
// or the presence of a row that somebody inserts or deletes. A row that is deleted and
// inserted again is another row, since engines let a DELETE and an INSERT of one key
// run beside each other (docs/soundness.md, S3). What never changes is no object.
//
// A query reads of every row that there ever was in its table, the absent ones
// included, what decides about its result: nothing, if no combination of the values
// that the row's columns ever have takes part in the query; otherwise its presence,
// and if it is there the columns that are returned, and those that are tested unless
// all combinations take part. Where it depends on other rows, too, whether a row takes
// part (joins, EXISTS), every row counts. Where an engine does not write equal values
// (engine.Profile.EqualWrites), an UPDATE reads what it writes over.
//
// Constraints look at the rows that exist when the transaction commits: those with the
// same key, those that are referred to and those that refer, and the columns of a
// CHECK. If what they saw is not what the snapshot had, the operation is Late: no
// snapshot shows it. Nothing is known of what was rolled back to a savepoint, and so
// such a transaction looked at every row of the tables that it may write, and their
// neighbours.
//
// The replay is compared with the versions on the way: a read has to have found the
// rows that the writes before it left, and each commit has to leave them.
//
// # Histories
//
// A trace becomes recorded histories of three forms. Registers is without late
// operations, Constraints with them. In Lists an object is the list of its versions, so
// that a reader shows their order: that is how Elle names cycles. A last transaction
// reads every object, because the rows at the end are part of an outcome.
//
// # What is expected
//
// At snapshot isolation: SI and CC accept Registers. At READ COMMITTED: RC accepts
// Registers. In both cases SER rejects Constraints (which is Registers where nothing is
// late), and Lists.
//
// SER has to reject because a witness has an outcome that no serial order has. Suppose
// that some order of the history's transactions explained every read. Run the program
// serially in that order: by induction each transaction finds what it found in the
// execution, satisfies its constraints, and so computes the same results and writes
// the same versions; the last transaction comes last, and the rows at the end are the
// same. So that order has the outcome of the execution, which it has not. The reverse
// does not hold: objects are read that would not have changed a result, and values may
// be equal by chance. So SER also rejects histories of outcomes that are serializable,
// and brute force (package witness) decides what is one.
//
// Of a classic witness, whose dependencies count whatever the values, the order of
// versions may be all that there is: only Lists show it, and Registers are not asked.
//
// # Limits
//
// package brute judges histories of at most 8 transactions here. Unknown contradicts
// nothing. The three forms come from one replay of the interpreter: what it does wrong
// in a way that is consistent with itself is for the real server to find.
package crosscheck
