// Package mysql writes the SQL text of MySQL and MariaDB in the dialect of PostgreSQL, for the one translation of package
// sqlmodel.
//
// ReadScripts reads the files of an application: its declarations, and a transaction for each START TRANSACTION or BEGIN …
// COMMIT, and for each statement outside of them that has parameters or a name. These are transactions of a client
// (package client), which sends the statements one by one: ?, :v and @v are inputs, and a @v that the transaction sets by SET
// or SELECT … INTO is a variable. A @v that an earlier transaction has set is an input, too, with a note. What neither MySQL nor
// MariaDB takes, as far as that is known, is a fault of the input. Types of inputs are those of the places where they stand. INSERT … VALUES of constants
// outside of transactions makes initial rows. A transaction that ends by ROLLBACK is left out, with a note.
//
// Comments that matter:
//
//	-- name: x                       the next transaction or query is called x
//	-- fresh: name, name             these parameters are unique per call
//	-- robust: ignore RB1001 reason  findings about it are accepted (ir.Ignore);
//	                                 without a code, all of them
//
// A Schema writes declarations, and Schema.Postgres single statements, as far as they have a form there; what has none stays,
// and is not modelled. They look at words only, not at tables. What texts cannot say of the dialect the translation knows:
//
//   - Types of columns are value.Format: which values they hold and what they make of others when they store them. A type
//     stands in the text by a name that no SQL can spell (Schema.Type).
//   - Texts are compared by their collation, also by keys: equality is that of what one unknown function for each collation
//     makes of them. So 'a' and 'A' may be equal, and are still different values for a client that reads them.
//   - An assignment of an UPDATE sees those before it, NULLs are ordered first, a condition as a value is 0 or 1, NOW() is a
//     value per statement, AUTO_INCREMENT gives a new value for NULL and 0, and LAST_INSERT_ID() is the key of the last INSERT
//     of the transaction, any value before that.
//   - Arithmetic on integers and decimals is exact, and an unsigned difference that is negative fails. Divisions and the
//     built-in functions are opaque: equal arguments give equal results, and nothing else is known.
//   - The rows of a table that refers to itself are checked one by one.
//
// The body of a procedure is written as what a client would do (bodyWriter): DECLARE, SET, IF, CASE, LOOP, WHILE, REPEAT, LEAVE, ITERATE,
// SELECT … INTO, CALL, SIGNAL, ROW_COUNT() and FOUND_ROWS(). There is a transaction for each START TRANSACTION in it, up to COMMIT or ROLLBACK,
// and for each statement on tables outside of these; what such a statement reads into a variable is any value for the others. A procedure without START TRANSACTION is one
// transaction. Handlers for NOT FOUND stand where no row is found, and cursors are loops over rows where they are read in one of three usual forms.
// An error of a statement ends the transaction without effect, also where no handler rolls back: the caller is taken to do so. A handler
// after which the transaction may commit all the same is not modelled. Queries in the expressions of a body lock what they see and read the newest rows, as a
// MariaDB does it.
//
// Conversions between numbers and texts, the order of an ENUM, least and greatest texts, dynamic SQL, and the bodies of triggers
// and functions are not modelled.
//
// Source: the MySQL and MariaDB manuals, and what a real server does: random applications run on MariaDB and in the interpreter
// (package sqlgen), and so do random procedures (TestProcedures).
package mysql
