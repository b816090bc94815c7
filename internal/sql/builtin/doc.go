// Package builtin computes the built-in functions of PostgreSQL for concrete
// arguments. It defines them in the table of package value, by their signatures: a
// function of the catalog that is not there is one of which nothing is known but
// what it takes and gives. All are compared with a server (functions_test.go).
//
// Package scalars has those of numbers, texts and bytes; these are the ones of times,
// formats, JSON, arrays, ranges and addresses, and the aggregates.
package builtin
