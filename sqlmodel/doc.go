// Package sqlmodel translates the SQL text of a PostgreSQL application into an
// ir.Program: its schema, and a transaction template for each function or
// procedure in PL/pgSQL or SQL, for each transaction of a psql or pgbench script,
// for each query with parameters, and for each transaction of a client program.
//
//	prog, err := sqlmodel.Load(ctx, []string{"schema.sql", "functions/"}, sqlmodel.Options{})
//
// # What it reads
//
// All files together are one application. DDL makes the tables, in the order
// of the statements, so that migrations work: what undoes one (a section after -- +goose Down and the like, or the
// file 1_x.down.sql beside 1_x.up.sql) is left out, and files that all begin with a number come in that order. CREATE and ALTER TABLE with
// keys, unique constraints and indexes (partial ones and NULLS NOT DISTINCT too),
// EXCLUDE constraints, foreign keys, checks, defaults, serial, identity and generated columns, enums, domains and
// composite types. INSERT … VALUES outside of functions makes initial rows; the
// rows of COPY are passed over, with a note, so that dumps can be read. What undoes
// migrations is left out: the part of a file behind a mark, such as -- +goose Down, and
// files named x.down.sql, x_rollback.sql or U1__x.sql beside what they undo.
//
// A table that no file declares is an error, as it is on the server. Three kinds are not, and a note tells of each: a table
// in a schema that no CREATE SCHEMA makes, which an extension or a platform may have (auth.users), one that the
// body of a function in PL/pgSQL names, which the server looks up when it runs, and the parent of a foreign key, which a file that is not given
// may declare. A statement on one may do anything. A foreign key to one refers to a table with this key. What is declared of one is left out,
// triggers included.
//
// Each function is a template: its parameters are those of the template, what
// a client sees of it is what it returns. Functions that others or scripts call
// are inlined there, and are templates of their own, since clients may call them, too,
// unless a comment makes them helpers or EXECUTE is revoked.
//
// # Scripts
//
// Each BEGIN … COMMIT (or END) outside of functions is a template, and so is
// each statement outside of them that has parameters or a name: it commits by
// itself. $1, ?, @v, :v, sqlc.arg(v) and sqlc.narg(v) are parameters; one name
// in a template is one parameter. Their types are those of the places where they
// stand, which are numeric for sums of unknown parts and text where nothing
// tells; a cast decides. A parameter stands for a value, not for SQL text.
//
// A transaction without a name or parameters that declares something is a
// migration, and one that only inserts constants makes initial rows (with a
// note), like INSERT … VALUES outside of transactions. What ends by ROLLBACK has
// no outcome and is left out. What a SELECT or RETURNING gives is returned to the
// client; the number of rows that a command reports is not, unless a comment of
// sqlc asks for it (:execrows, :execresult). The snapshot is taken by the first
// statement that is no LOCK TABLE or SET.
//
// Variables of psql and pgbench: \set with a text puts that text in the place of
// the variable; \set with an expression, as in pgbench, computes a value, of
// which + - * / % and comparisons are modelled and functions are opaque; random
// numbers are any values. \gset and \aset keep the row of a query in variables:
// it is no result, but counts where it reaches another statement or an \if.
// Where there is not exactly one row, psql goes on with the variables as they
// were, and the server refuses a statement with one that has no value; pgbench
// and psql with ON_ERROR_STOP end the script. A file with commands or
// functions that only pgbench has is read as pgbench does, others as psql does. \if, \elif and \else are
// branches, which may end the transaction if all of them do; \if :{?n} is true after
// \set n, or after a \gset whose row has a value for n, and whoever runs the script decides where nothing has set n. \i and \ir include
// files, which are then not read by themselves. Variables that an earlier
// transaction of the script set have any value. A pipeline of pgbench without
// BEGIN is one transaction. Commands that neither change rows nor variables are
// passed over; what cannot be read is an error.
//
// Comments that matter:
//
//	-- name: x                           the next transaction or query is called x
//	-- robust: helper                    the next function or transaction is no template
//	-- robust: ignore RB1001 reason      findings about it are accepted (ir.Ignore);
//	                                     without a code, all of them
//	-- fresh: name, name                 these parameters are unique per call
//	-- invariant: [for table alias, …:] condition over rows
//
// A schema that was found and not named (Options.Schema) may have statements that
// cannot be read: they give notes, and no statement is modelled on a table that
// they name anywhere, not even in a string. It is DDL alone: its functions are no
// templates, and what changes rows in it is passed over.
//
// # Client programs
//
// Client makes a template of each client.Txn, which a front end for a programming
// language has read: statements of SQL, what goes from one into another, and the
// conditions and loops around them. The files are the schema then, with the
// functions that the statements call. Parameters ($1, ?, :x, @x) are values of the
// program: numbers, truth values and times have their types, and texts those of
// the places where they stand, like the parameters of scripts. Where the type is
// another one than the place wants, an opaque function converts it. What the
// program computes itself is exact for integers and truth values; the order of
// texts is not that of the database, and opaque.
//
// The first row of a result goes into variables; without one they keep their
// values, and so they do where a NULL does not fit one of them. A loop goes through
// the rows as they were when it began.
//
// A statement that cannot be read, does not fit the schema, or has a part that is
// only known when the program runs, is not modelled, and the variables that it sets
// have any value; a note says so. Its tables are those that its words name. The
// part that is not known is taken to name no other tables, unless it stands where a
// table or the statement itself would begin. Where a loop cannot be modelled, there
// are any number of rounds.
//
// Tables that no file declares have the columns that the statements name, and no
// keys but those of ON CONFLICT: that there are no constraints and triggers is
// taken for granted, and noted. A column that may belong to several of them makes a
// statement that is not modelled. CREATE TABLE in the program declares a table that
// no file does. Transactions that only declare things are left out, and so is what
// statements read of the system.
//
// With Options.MySQL the statements are in MySQL's dialect (internal/sql/mysql). LIMIT of an UPDATE or DELETE is a choice of as
// many rows, or the first row in its order; ON DUPLICATE KEY UPDATE is ON CONFLICT on
// the only key that can be met.
//
// COMMIT and ROLLBACK as text end a transaction where nothing follows, and are not
// modelled elsewhere; a rollback to a savepoint whose name was released is not
// either.
//
// # How it translates
//
// NULL has SQL's three-valued logic throughout. IN and NOT IN of a subquery
// become EXISTS where the difference between NULL and false cannot be seen,
// and a conditional over two EXISTS elsewhere. A subquery that is used as a
// value runs before the statement. FOUND and ROW_COUNT are computed where the
// function looks at them: before an UPDATE or DELETE, from its condition.
// RETURNING reads the rows before the write, with the new values put in.
// Subqueries used as values, STRICT and RETURNING … INTO end the transaction
// where there are several rows, as far as a key does not exclude that.
//
// Types, functions, operators and casts are found as PostgreSQL finds them, in its
// catalog (package catalog): which function a call means, what it gives, and whether it
// may change or read anything. Arithmetic on integers is exact, within the ranges of
// their types, and so are sums and products of numerics, and dates plus days. Storing a
// value rounds it to the modifier of the column, variable or field. Other functions,
// those of floats, times and intervals too, are functions to a proof: equal arguments
// give equal results, and what constants give is computed. An execution computes what
// package value knows of them. Equality is that of the type: uuid, inet, char(n), enums
// and jsonb have one form per value; citext, interval and texts with a nondeterministic
// collation are compared by a key. now() is one value per transaction; nextval and UUIDs
// are FRESH; random() is any value, a different one for each row of a query.
//
// A SELECT that only joins, filters and sorts rows is a query of the IR, also
// where it names views, subqueries and WITH queries of that kind. Any other one
// is an ir.Derivation: the rows of its tables are read before the statement, as
// far as its conditions tell which ones matter, in the columns that it uses, and
// the result is computed from them. Grouping, outer joins, DISTINCT, set
// operations, OFFSET, LATERAL, correlated subqueries and functions in FROM are
// computed exactly; a window function is an opaque function of all rows of its
// query. WITH queries that
// write run first, where no other part of the statement has to do with their
// tables.
//
// FOR UPDATE and the like lock the rows that are fetched: those of the statement
// itself, of views and subqueries in FROM that the clause reaches, and of subqueries,
// views, WITH queries and functions that have a clause of their own. Where it is not
// known which of their rows are fetched, an ir.Dropped has all that may be, and so have
// checks and other errors that are left out (docs/soundness.md, 4.8). What PostgreSQL
// refuses beside a lock, such as GROUP BY, is an error here. In MySQL a clause does not
// reach subqueries, and may stand beside GROUP BY.
//
// SKIP LOCKED means that any row may be passed over, in serial executions too: a
// note says so. LIMIT 1 gives any row that matches, or none, and otherwise the
// result is any part of the rows that match, as large as LIMIT allows; ORDER BY
// only sorts it. The instance chooses, and what it chooses must match. In IN and
// FROM, whose queries PostgreSQL may run again for each row, LIMIT bounds
// nothing; in WITH and ARRAY(SELECT …) it does.
//
// A bound cursor without parameters is a loop over its rows as they were when it
// was opened: FOR r IN c, or OPEN c; LOOP FETCH c INTO v; EXIT WHEN NOT FOUND; …
// END LOOP; CLOSE c. WHERE CURRENT OF c in such a loop is the row with the key of
// the loop's row.
//
// MERGE sees what matches before it writes: rows that match are updated and
// deleted first, and the rows of the source that match none are inserted then.
// The transaction ends where a row would be written twice. The source is one row
// of values, or one table with conditions.
//
// A write of a view of one table is one of its table: the statement sees the columns
// of the view, and the rows that its condition chooses. ON CONFLICT DO UPDATE of a table with
// row triggers is an insertion where no row is in the way, and else an update, each with
// its triggers. Where a WITH query writes one row, an UPDATE or DELETE can join what it
// returns. A function in PL/pgSQL that only computes is an opaque function where it is called
// for each row of a query.
//
// An UPDATE that changes the primary key of one row is a deletion and an
// insertion that belong together, with the actions of ON UPDATE after them. A
// foreign key that only declares ON UPDATE costs nothing.
//
// The functions of triggers are inlined where they fire, in the order of their
// names. An UPDATE or DELETE of a table with row triggers reads its rows first
// and writes them one by one. Triggers that are turned off do not run; where
// DISABLE TRIGGER ALL turns off the checks of foreign keys, writes that they would
// check are not modelled. An expression that a unique index is over is a hidden
// column.
//
// EXCLUDE becomes a condition that no two rows satisfy together: = and <> are
// exact, and && is where both sides are ranges that a function makes of two ends
// (with bounds [) or []), in queries too; on other values it is an opaque function
// whose operands may change places.
//
// A block with EXCEPTION is a savepoint, and an error in it a jump to the
// handler after a rollback to it, where the transaction itself can tell that the
// error occurs: RAISE, STRICT, ASSERT, CASE without ELSE, a second row of a
// subquery that is a value, divisions by zero that are always computed, and
// constraints that an inserted row itself breaks. Handlers that always end in an
// error again are as good as none. Where a handler goes on after an error that only
// transactions which commit meanwhile cause, the block has two branches: in one there
// is no such error, and the other is not modelled. Such errors are a
// serialization_failure, a deadlock, a lock that cannot be had, and the
// unique_violation of an INSERT whose key the snapshot does not show as taken; where it
// does, the handler runs. Where a handler goes on after any other error that the block
// may raise, such as an exclusion_violation or a foreign_key_violation, the whole block
// is not modelled. OTHERS catches all of them, so that it needs a block which does not
// compute what may be an error. That memory, disks and the like suffice is taken for granted. The
// text of an error must reach nothing but messages.
//
// # What it does not model
//
// Nothing is skipped in silence. A statement that cannot be modelled becomes
// an ir.Unmodelled with its position, a reason and the tables that it, the
// functions it calls, its triggers and its cascades name (all tables where
// that cannot be told), followed by a havoc of the variables that it may set
// and a choice of the ways in which it may leave the blocks around it. So
// become, for now: actions of foreign keys in a loop, beside triggers of the
// tables concerned, where their tables are reached in several ways or where the
// transaction has to do with them afterwards (the action, not the DELETE),
// defaults of SET DEFAULT that are no constants, actions of ON UPDATE that change a
// key or refer to no primary key, ON CONFLICT on a key with NULLS NOT DISTINCT or on an
// EXCLUDE constraint by name, SKIP LOCKED in EXISTS, in a loop that may end
// early, and in IN or FROM for other rows than those of its own query, changes of
// the key columns of several rows, by MERGE or ON CONFLICT, with FROM or beside row
// triggers, MERGE with other sources or into tables with triggers, or that
// deletes some rows and inserts others, TRUNCATE, WITH RECURSIVE with grouping, outer joins to
// itself, SEARCH, CYCLE or several names of itself, GROUPING SETS,
// WITH TIES, EXECUTE of a command that is put together when it runs, cursors used
// in other ways, transaction control but for what a procedure that no other one calls does
// last, writes of views that do more than choose rows and
// columns of one table or that have triggers, rules, CHECK OPTION or defaults, triggers that run at
// commit, read transition tables or are not in PL/pgSQL, inheritance, rules and row
// level security, unless a function is SECURITY DEFINER: its owner is taken for one whom that does not bind.
//
// Where a row r of a query has no column f, r.f is the call f(r), as (r).f is of any row: a
// function in SQL that only computes something of the row becomes an expression.
//
// TRUNCATE takes rows away from older snapshots, too, which no statement of the
// IR does. So whatever reads the table in another transaction is not modelled
// either, unless that locks the table before it takes its snapshot. DELETE has no
// such effect.
//
// Constraints that the IR does not have are shown where writes are checked
// against them, as an ir.Unmodelled of what the check reads, and noted:
// unique keys and EXCLUDE constraints that are checked at commit, EXCLUDE with an
// operator that is declared here or whose condition may fail, foreign keys that
// are checked at commit where some transaction may mend what it has broken before (in
// all others the end of the statement is as good), unvalidated foreign keys,
// checks that call functions which read tables. To leave one out would be wrong,
// since it says who has to come before whom: the one that frees a key, or deletes
// the last child. A check of the written row alone may be left out, and so may an error
// that depends on nothing but the values that the transaction uses: the same
// values give the same outcome.
//
// An INSERT of several rows whose ON CONFLICT DO UPDATE meets a row that it has written
// itself ends the transaction, except where DO UPDATE has a condition or a set-returning
// function makes the rows: there the model goes on.
//
// Keys are checked at the end of a statement. The server checks those that are not
// deferrable row by row, in an order that nobody tells, so that an UPDATE of several
// rows may fail there that passes a value from one row to another.
//
// Messages (RAISE NOTICE and the like) are no results that a client depends on.
// Parameters and results of functions have no modifiers, since CREATE FUNCTION discards
// them, but those of domains. What does not fit a column or variable otherwise, or is too large, ends an
// execution and is unknown to a proof; the checks of domains count for columns, parameters, variables and casts of single
// values. A variable of PL/pgSQL that is NOT NULL refuses NULL.
// Text is compared by
// one collation; the time zone of sessions is one and the same. Elements of
// arrays are not NULL, and arrays have one dimension that starts at 1.
//
// Source: the PostgreSQL manual, chapters 4 to 9, 38 and 43 and the pages of psql
// and pgbench, and what a real server does: the tests run the same functions and
// scripts on both.
package sqlmodel
