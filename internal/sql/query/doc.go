// Package query translates expressions and queries into the IR.
//
// A Place is where an expression stands: the rows that it sees, the variables around
// it, and whether it is computed for each row. A Query is a SELECT over tables, which
// becomes one statement of the IR; what is more than that (groupings, outer joins,
// UNION, windows, queries in FROM) a Deriver makes a derivation of. Both go into a
// Draft: the transaction in the making, with its locals, its checks and its locks.
//
// What an expression runs, the function that it calls or a statement of WITH that
// writes, is translated by a Runner, which the statements give.
package query
