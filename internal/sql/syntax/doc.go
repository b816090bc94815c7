// Package syntax reads the text of SQL files and scripts.
//
// A Source is a file, a Text a part of it that the parser reads, with the places of
// both. A Session reads what psql or pgbench does with a file and those that it
// includes: a Scanner takes the variables and commands out, and what remains is a
// list of Nodes, which are statements, commands and conditions. The other functions
// say what a syntax tree tells by itself: the names in it, its locks, and whether it
// has aggregates.
//
// The package knows no tables, types or functions of a program.
package syntax
