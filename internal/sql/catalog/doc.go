// Package catalog knows the types, functions, operators and casts that a
// PostgreSQL server has by itself, and which of several functions or operators
// of one name a call means.
//
// The data (builtin_data.go) is generated from a server, and a test compares it
// with one. It holds the functions of the extensions that applications use, too.
// What a server of a later version has besides is in later.go.
//
// Resolution follows the manual, chapter 10 ("Type Conversion"), and asks a
// Scope about the types, functions and casts that a program declares.
//
// What a function does beyond giving a value (Effect) is the catalog's
// volatility where nothing else is said: an IMMUTABLE or STABLE function writes
// nothing, a VOLATILE one gives any value. The functions for which this would be
// wrong are listed in effects.go, each with its reason.
package catalog
