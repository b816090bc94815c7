// Package prepare says what the text of a program tells before it is run: which tables
// and columns transactions write, which keys they free, which columns are never
// NULL, and which columns and locals hold values of one kind.
package prepare
