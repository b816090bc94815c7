// Package stale finds writes that rest on what another transaction has read: code
// that reads in one transaction and, in a later one, writes to the same table what
// follows from it, and does not look again. What was read may have changed in
// between, at every isolation level.
//
// # How
//
// Each function of a program is a template that has the statements of all of its
// transactions one after the other (analyzer.Trace, which package sqlmodel turns
// into the IR). Package stale runs over it once and keeps, for every local, from
// which columns of which query its value comes, and which queries decided that
// control is where it is: a return that depends on what was read decides about all
// that follows it.
//
// A write is reported if
//
//   - an UPDATE sets a column to what was computed from this column of the same row,
//     or from an aggregate over the table (RB4001),
//   - an UPDATE sets a column, or a DELETE removes a row, because of what this
//     column of the row had been (RB4002),
//   - an INSERT adds a row because there was no such row, or with a value that was
//     computed from all rows or the last one (RB4003),
//
// and the read is of another transaction. Columns that no statement of the program
// changes do not count.
//
// # What is taken to look again
//
// A condition of the UPDATE or DELETE on the column, or on another column that the
// same query had read and that the program changes, such as a version; ON CONFLICT
// of a key that another row may have; a unique key over the columns by which the row was looked for; a second read of
// the column in the transaction of the write; a DELETE there of the rows that an
// INSERT was decided about. Where the transaction that decides writes the table
// itself, what it has decided is taken to stand there. Expressions over the current
// value need no look.
//
// # Limits
//
// This is a search for mistakes, not a proof that there are none. Tables other than
// the one that is written do not count, though they may matter as much. Statements
// that are not modelled are passed over. Attempts are the rounds of a loop in which a transaction begins, the
// calls of a function literal by an unknown function, and the calls of a function within itself, of which there
// are two. Where two
// statements may be in one transaction, they are taken to be. Rows are the same if
// they are named by the same value, on some path, by a key that the read gave, or by a value by
// which it had looked for the column. A mutex or a
// single instance of a job may make a note wrong; an advisory lock of the session
// in the function turns the notes of this function off, and so does a mutex that a
// comment declares.
package stale
