// Package program knows the source that is analysed, before any of it is interpreted: its
// functions, who calls them, which of them use the database, where prepared statements and
// lists of texts are kept, what comments say, and what the names of libraries mean (Names).
// It knows no values. Libraries tell it what they have by data and by functions over types
// and instructions; it names none of them.
package program
