// Package query translates queries into the IR.
//
// A Query is a SELECT over tables, which becomes one statement of the IR; what is
// more than that (groupings, outer joins, UNION, windows, queries in FROM) a Deriver
// makes a derivation of. Form tells which of these a SELECT is, and why. A Place is where an expression stands, together with the
// queries around it; it translates the queries in the expression. The locks of a
// query are taken where it is known which rows it fetches, and left to be taken or not
// where it is not.
package query
