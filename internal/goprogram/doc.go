// Package goprogram makes a program to check of what package analyzer found in
// Go code: it adds the schema, and reads the SQL. The command and the analyzer
// for go vet both use it, so that they say the same.
//
// # The schema
//
// One that is named is read by package schemafind, so that the parts of
// migrations that undo them are left out. Files are read in full: what cannot be
// read is an error. With a directory, which may hold years of migrations, it is a
// note, and nothing is known of the tables that it names. Where initial rows are
// wanted, directories are read in full, too, and without a named schema that is
// an error: what is found by convention declares tables, and its rows are those
// of no database in particular.
//
// Without a named schema it is looked for by the conventions of package
// schemafind. Notes say where it was found, or that it was not.
//
// Without any schema, the tables of GORM's models are taken to be as AutoMigrate
// makes them. With one, this holds for the tables that the program passes to
// AutoMigrate and that no word of the schema names: what the schema says of a
// table comes first, even where it is not read.
//
// # The dialect
//
// It is that of PostgreSQL, unless the program is taken to run on MySQL: its only
// driver is one of MySQL, or it imports none and the schema is in MySQL's dialect.
// Package sqlmodel reads that as PostgreSQL would run it.
package goprogram
