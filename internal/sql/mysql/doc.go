// Package mysql translates the SQL text of a MySQL or MariaDB application into
// an ir.Program: its schema, and a transaction template for each transaction
// of a script and for each query with parameters.
//
//	prog, err := mysql.Load(ctx, []string{"schema.sql", "transactions.sql"}, mysql.Options{})
//
// # What it reads
//
// All files together are one application. CREATE TABLE (columns, PRIMARY KEY,
// UNIQUE, FOREIGN KEY, AUTO_INCREMENT, defaults that are constants or the time),
// CREATE UNIQUE INDEX and ALTER TABLE … ADD and MODIFY make the tables. Each START
// TRANSACTION or BEGIN … COMMIT is a template, and so is each statement outside
// of them that has parameters or a name. ?, :v and @v are parameters; a @v that
// the transaction has set by SET or SELECT … INTO is a variable of it. The types
// of parameters are those of the places where they stand. INSERT … VALUES of
// constants outside of transactions makes initial rows. A transaction that
// ends by ROLLBACK is left out, with a note. What a SELECT gives is returned to
// the client; the number of rows that a command reports is not.
//
// Comments that matter:
//
//	-- name: x                       the next transaction or query is called x
//	-- fresh: name, name             these parameters are unique per call
//	-- robust: ignore RB1001 reason  findings about it are accepted (ir.Ignore);
//	                                 without a code, all of them
//
// # How it translates
//
// Texts are compared by their collation. Equality of texts is that of what an
// unknown function makes of them: one function for each collation. A column of
// texts has a hidden column with what it makes of the column's values, and keys
// are over that one. So 'a' and 'A' may be equal, and are still different values
// for a client that reads them. Constants of ASCII letters, digits and blanks
// are told apart by the usual collations (general, unicode, 0900_ai_ci, and
// where none is written) except for their case. Values of VARBINARY and BLOB
// are compared by their bytes.
//
// In an UPDATE an assignment sees those before it. NULLs are ordered first. A
// condition as a value is 0 or 1. NOW() is a value per statement;
// AUTO_INCREMENT and UUID() are FRESH; LAST_INSERT_ID() is the key of the last
// INSERT of the transaction, any value before that. SELECT … INTO without a row
// leaves the variables alone; where several rows may come, it is not modelled.
//
// Arithmetic on integers and decimals is exact. Divisions and the built-in
// functions are opaque: equal arguments give equal results, and nothing else
// is known.
//
// # What it does not model
//
// Nothing is skipped in silence. A statement that cannot be modelled becomes an
// ir.Unmodelled with its position, a reason and the tables that it names, and
// those that foreign keys join to them (all tables where that cannot be told).
// So become, for now: what the parser does not know (WITH, windows, RETURNING,
// SKIP LOCKED and the like), outer joins, subqueries in FROM, GROUP BY, HAVING,
// DISTINCT, UNION, OFFSET, correlated subqueries as values, REPLACE, INSERT
// IGNORE, INSERT of a query, ON DUPLICATE KEY UPDATE where more than one key can
// be met, writes to several tables or with LIMIT, changes of key columns, of
// columns that foreign keys refer to, and of unique columns in several rows
// (uniqueness is checked row by row), deletions that cascade, writes where
// there are triggers, conversions between numbers and texts, order of ENUMs,
// floating-point numbers in expressions, CALL, LOCK TABLES. Procedures and events
// are templates of which nothing is known. Tables with generated columns,
// expressions as defaults, keys over parts of columns, or an engine other than
// InnoDB are not modelled.
//
// The server is in strict mode. A column makes of a value what the server does: decimals
// are rounded, values of an ENUM are written as declared, and CHAR loses the blanks at the
// end. Which of MySQL and MariaDB rounds the digits of seconds is not said. A parameter has a
// value of its column. CHECK and UNSIGNED are checks of the table, and a difference of which
// an operand is UNSIGNED fails where it is negative. A CHECK that cannot be translated is
// some condition on the columns that it names: it may order transactions that write
// different ones of them. The interpreter stops at a value beyond the range or length of its
// column, a solver takes values to be inside: such an error depends on the value that is
// written alone, and is the same wherever that is written. A column that is assigned twice
// is modelled where the first value surely fits, which all integers of 32 bits and more are
// taken to do. A statement that fails ends its transaction by ROLLBACK.
//
// # For client programs
//
// Postgres and Schema write statements and DDL in the dialect of PostgreSQL, for
// package sqlmodel, which reads what client programs send. They look at words
// only, not at tables.
//
// Source: the MySQL and MariaDB manuals, and what a real server does: the tests
// run the same transactions on MariaDB and in the interpreter.
package mysql
