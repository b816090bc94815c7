// Package schema holds what an application declares: its tables, types, functions,
// triggers and search paths, as a Schema.
//
// Every object has the names that it was called by and the moment since when it was,
// so that a Resolver says what a name means at any place: in a declaration at the
// moment of that, in a transaction when it runs. Refs and Effects say what a
// declaration, a function or a statement touches: the tables that it may read and
// write, the functions that it calls, the paths and settings that it changes. They
// never say less than that.
//
// Package ddl runs declarations on it, package load reads files and programs, and
// package sqlmodel translates transactions.
package schema
