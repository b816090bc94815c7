// Package quote puts names and values of an input into texts of other languages,
// one function for each language. A name in an input may be anything: it may end
// a comment, close a string, be a command of psql, or steer a terminal.
//
// Line is for people, on a terminal, in a log, or in a comment: what cannot be
// printed, or changes the direction of writing, is shown as an escape of Go. The other functions are for programs, which read the same name again.
//
// What HTML, SMT-LIB and Boogie need is in packages page, smt and instrument/boogie.
package quote
