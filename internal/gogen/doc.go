// Package gogen writes random Go programs with transactions, for tests that compare
// what package analyzer makes of Go code with what the code does on a real server.
//
// A module has a package txns with a number of functions, each of which runs one
// transaction over the tables of Schema, with database/sql or pgx, a package help with
// functions that some of them call, and a command. The command reads a list of Run as
// JSON, runs each on rows of its own, and writes a list of Outcome.
//
// The functions compile and come to an end. They may fail, panic and roll back.
// What they have: the usual ways to begin and to end a transaction, branches, loops,
// errors that are told apart, closures, helpers with results, structs, pointers,
// slices, maps, texts of statements that are put together, and conversions of
// integers. Equal states of the source of randomness give equal modules.
package gogen
