// Package mysql writes the SQL text of MySQL and MariaDB in the dialect of PostgreSQL, for the one translation of package
// sqlmodel.
//
// A Schema writes declarations, and Schema.Postgres single statements, as far as they have a form there; what has none stays,
// and is not modelled. They look at words only, not at tables. What texts cannot say of the dialect the translation knows:
//
//   - Types of columns are value.Format: which values they hold and what they make of others when they store them. A type
//     stands in the text by a name that no SQL can spell (Schema.Type).
//
//   - Texts are compared by their collation, also by keys: equality is that of what one unknown function for each collation
//     makes of them. So 'a' and 'A' may be equal, and are still different values for a client that reads them.
//
//   - An assignment of an UPDATE sees those before it, NULLs are ordered first, a condition as a value is 0 or 1, NOW() is a
//     value per statement, AUTO_INCREMENT gives a new value for NULL and 0, and LAST_INSERT_ID() is the key of the last INSERT
//     of the transaction, any value before that.
//
//   - A sequence of MariaDB gives a new value each time. One that begins again is not read.
//
//   - Arithmetic on integers and decimals is exact, and an unsigned difference that is negative fails. Divisions and the
//     built-in functions are opaque: equal arguments give equal results, and nothing else is known.
//
//   - The rows of a table that refers to itself are checked one by one.
//
//   - A trigger becomes a function of PL/pgSQL, if its body writes rows, sets columns of the new row, branches and signals by values of its two rows.
//     Its rows do not count for LAST_INSERT_ID().
//
// Conversions between numbers and texts, the order of an ENUM, least and greatest texts, dynamic SQL whose text is not constant, and triggers with
// queries, variables, or beside others of the same event are not modelled.
//
// Source: the MySQL and MariaDB manuals, and what a real server does: random applications run on MariaDB and in the interpreter
// (package sqlgen).
package mysql
