// Package mysqlscript reads SQL files of MySQL and MariaDB as applications: declarations, the transactions of scripts, and what the bodies of
// stored procedures do.
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
//	-- robust: assume transaction    the callers of the next procedure, which begins no transaction, have begun one
//	-- robust: assume autocommit     they have not
//	-- robust: helper                no client calls the next procedure
//
// The body of a procedure is written as what a client would do (bodyWriter): DECLARE, SET, IF, CASE, LOOP, WHILE, REPEAT, FOR, LEAVE, ITERATE,
// SELECT … INTO, SELECT @v := x, CALL, SIGNAL, ROW_COUNT(), FOUND_ROWS() and LAST_INSERT_ID(x). PREPARE and EXECUTE of a constant text are its statement. A stored
// function stands before the statement that calls it, where its arguments do not depend on rows; one that looks at tables does so where the statement looks at none. There is a transaction for each START TRANSACTION in it, up to COMMIT or ROLLBACK,
// and for each statement on tables outside of these; what such a statement reads into a variable is any value for the others. A procedure without START TRANSACTION, of its own or in those that it calls, is one
// transaction, for callers that have begun one, and each of its statements on tables is one, for callers that have not (autocommit); what follows COMMIT or ROLLBACK in it is others. Handlers for NOT FOUND stand where no row is found. The query of a cursor runs at OPEN: cursors are modelled where right behind OPEN
// one row is fetched, or all of them in a loop of three usual forms. Outside of the transaction FETCH gives any values.
// An error of a statement ends the transaction without effect, also where no handler rolls back: the caller is taken to do so. What a handler does
// after ROLLBACK is transactions of their own. A handler after which the transaction may commit all the same is not modelled, but for one
// of error 1062 behind the INSERT of a row; nor is one after which another statement on tables may run before the next transaction begins: a deadlock rolls back, and then each statement
// is committed by itself. Queries in the expressions of a body lock what they see and read the newest rows, as a
// MariaDB does it.
//
// Source: the MySQL and MariaDB manuals, and what a real server does: random procedures run on MariaDB and in the interpreter
// (TestProcedures of package mysql).
package mysqlscript
