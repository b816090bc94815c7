// Package value knows the values of PostgreSQL's types: which texts mean a value
// and which value that is (Type.Parse), how the server prints it (Type.Print), which
// values fit a type with a modifier, and what the built-in functions compute.
//
// Two texts mean one value exactly where Parse gives equal ir.Values, for types
// whose equality is Identity. A type of class Keyed has values that differ and are
// equal all the same, such as the intervals '1 day' and '24:00:00': Key names the
// function that maps equal values to one. Of the values of a Closed type nothing is
// known but their texts; Parse then gives nothing.
//
// Numerics are rational numbers: the digits that a numeric shows after its last
// digit that is not 0 are no part of its value, also inside jsonb.
//
// The functions of Function are those whose value is known for concrete arguments.
// To a solver they are functions of which only the strictness is known. They are
// compared with a server (functions_test.go).
//
// Source: the PostgreSQL manual, chapters 8 and 9, and what a server does.
package value
