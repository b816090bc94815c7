// Package load reads the files and the client program of an application into its
// Schema.
//
// A file is a list of declarations and of transactions that a script sends. A schema
// that was found, and not named, is read as far as it can be: what cannot be read
// leaves a gap that nothing is taken for granted about. Statements of a client
// program that cannot be parsed are read word by word, for the tables that they name.
// Tables that nobody declares are guessed from the statements about them.
package load
