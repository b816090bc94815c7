// Package dialect knows what expressions mean in dialects other than that of PostgreSQL (expr.Dialect).
//
// In the dialect of MySQL texts are compared by their collation, conditions are numbers, columns round, cut and refuse what
// they store as MySQL's types do, and built-in functions give equal results for equal arguments, of which nothing else is
// known. Conversions between numbers and texts are not modelled.
//
// Source: the MySQL and MariaDB manuals, and what a server does (package sqlgen).
package dialect

// MySQL is the dialect of MySQL and MariaDB.
type MySQL struct{}
