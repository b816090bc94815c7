// Package client says what a client program does in its transactions: the
// statements that it sends, the values that go from one into another, and the
// conditions and loops around them. It is what a front end for a programming
// language writes, before the schema is known, and what sqlmodel.Client turns
// into the IR.
//
// A Txn is closed: calls are expanded, and what the front end did not understand
// is part of it. There are three ways to say so. A value that a pure function
// computes is a Call: equal arguments give equal values. A value about which
// nothing is known is set by Havoc, after an Emit of everything that it may
// depend on: what is observed has to be the same in a serial execution, so that
// the value may be. A statement whose text or tables are not known is an Unknown,
// or a Query with a Hole in its text.
//
// Errors need no values here. PostgreSQL ends a transaction at the first error of
// a statement, so that a path on which a statement has failed does not commit:
// a client that goes on is as good as one that rolls back. What remains is that
// there was no row (Query.Found), and that a NULL did not fit the variable that
// it was to go to (Query.Null).
//
// The package has data only, which encoding/gob can carry from package to
// package.
package client
