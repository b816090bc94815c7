// Package simplify makes transactions of client programs smaller without changing
// what they do: a front end writes them down as control flows, and leaves it to
// this package to drop blocks that nothing leaves early, jumps to where control
// goes anyway, copies of variables, and what nobody uses.
//
// A loop over the rows of a query that only collects them becomes the query, with
// the number of its rows. Savepoints and statements that are not known stay where
// they are.
package simplify
