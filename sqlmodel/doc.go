// Package sqlmodel translates the SQL text of a PostgreSQL application into an
// ir.Program: its schema, and a transaction template for each function or
// procedure in PL/pgSQL or SQL.
//
//	prog, err := sqlmodel.Load(ctx, []string{"schema.sql", "functions/"}, sqlmodel.Options{})
//
// # What it reads
//
// All files together are one application. DDL makes the tables, in the order
// of the statements, so that migrations work: CREATE and ALTER TABLE with
// keys, unique constraints and indexes (partial ones too), foreign keys,
// checks, defaults, serial, identity and generated columns, enums, domains and
// composite types. INSERT … VALUES outside of functions makes initial rows.
//
// Each function is a template: its parameters are those of the template, what
// a client sees of it is what it returns. Functions that others call are
// inlined and are no templates, unless Options.Txns names them.
//
// Comments that matter:
//
//	-- robust: helper                    the next function is no template
//	-- fresh: name, name                 these parameters are unique per call
//	-- invariant: [for table alias, …:] condition over rows
//
// # How it translates
//
// NULL has SQL's three-valued logic throughout. IN and NOT IN of a subquery
// become EXISTS where the difference between NULL and false cannot be seen,
// and a conditional over two EXISTS elsewhere. A subquery that is used as a
// value runs before the statement. FOUND and ROW_COUNT are computed where the
// function looks at them: before an UPDATE or DELETE, from its condition.
// RETURNING reads the rows before the write, with the new values put in.
// ON DELETE CASCADE, SET NULL and SET DEFAULT become statements on the
// children.
//
// Arithmetic on integers is exact, and so are sums and products of numerics;
// floats, divisions of numerics and all arithmetic on times are opaque
// functions, and so are the other built-in functions and operators: equal
// arguments give equal results, and nothing else is known. now() is one value
// per transaction; nextval and UUIDs are FRESH; random() is any value, a
// different one for each row of a query.
//
// # What it does not model
//
// Nothing is skipped in silence. A statement that cannot be modelled becomes
// an ir.Unmodelled with its position, a reason and the tables that it, the
// functions it calls, its triggers and its cascades name (all tables where
// that cannot be told), followed by a havoc of the variables that it may set
// and a choice of the ways in which it may leave the blocks around it. So
// become, for now: outer joins, subqueries and user functions with several
// rows in FROM, LATERAL, DISTINCT, GROUP BY, HAVING, windows, UNION and the
// like, WITH, OFFSET, correlated subqueries used as values, SKIP LOCKED,
// changes of key columns, ON UPDATE actions, MERGE, TRUNCATE, EXECUTE, cursors,
// blocks with EXCEPTION, transaction control, writes that fire triggers,
// views, inheritance, row level security and rules.
//
// What is left out of a schema is a note of the program: EXCLUDE, unique
// indexes over expressions, deferred and unvalidated foreign keys, checks that
// call functions of the program. Leaving out a constraint allows more
// executions, never fewer. So does ignoring an error that a statement might
// raise; only those that say that they raise one (RAISE, ASSERT, STRICT, a
// CASE without a branch, a loop over NULL) end the transaction.
//
// Values are taken to fit their columns: lengths of text, scales of numerics
// and ranges of integers are not checked or rounded to. Text is compared by
// one collation; the time zone of sessions is one and the same. Elements of
// arrays are not NULL, and arrays have one dimension that starts at 1.
//
// Source: the PostgreSQL manual, chapters 4 to 9, 38 and 43, and what a real
// server does: the tests run the same functions on both.
package sqlmodel
