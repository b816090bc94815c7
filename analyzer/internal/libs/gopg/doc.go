// Package gopg models github.com/go-pg/pg/v10. It gives the statements that the library
// sends: those of queries that are built on structs (table.go has what go-pg makes of one)
// with values for what go-pg writes into their texts, and those that the program writes
// itself, with ? for values and names.
//
// A query is changed in place, as in go-pg. A transaction in a transaction is the same one.
// A field that is zero is NULL, or has its default in an INSERT: where it is not known
// whether one is, there is a statement for each case. Hooks, relations, several rows in one
// INSERT or UPDATE, and prepared statements may do anything to the tables that are known.
package gopg
