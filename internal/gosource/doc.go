// Package gosource finds in Go source where the text of an SQL statement stands and where a
// transaction begins, and says how to change either.
//
// A text is a constant string: a literal, or literals and constants with + between them. It is
// found by its value, which the analyzer knows of each statement that is sent, and by how near it
// stands to the call that sends it. Each byte of the value has a place in the source, so that an
// insertion into the statement is one into the literal, in the literal's own syntax.
//
// Only syntax is read, no types: whether a change compiles, and what the program does then, is
// found out by reading the changed program.
package gosource
