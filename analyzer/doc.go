// Package analyzer takes the transactions out of Go code: each becomes a
// client.Txn, which package sqlmodel turns into the IR when the schema is known.
//
// # How
//
// The work is that of packages which import one way:
//
//	program   the functions of the source, who calls whom, what names mean
//	memory    values, cells, what is joined where paths meet, texts, errors
//	session   statements and their rows, transactions, what is found
//	sqltext   texts of SQL with values in them
//	absint    control flow, loops, calls      libs/…   one package per library
//	analyzer  reads packages, and takes the transactions together
//
// An abstract interpreter (absint) runs a function in SSA form once and writes
// what it sends to the database, with the values, conditions and loops around it.
// Calls that have to do with a transaction are expanded. The control flow becomes
// structured by the dominator tree (flow). What is known of a value is
// kept as it is: structs by their fields, slices by their elements, functions by
// what they capture, errors by the two ways in which a query fails without
// ending the transaction. Where paths meet, what differs becomes a variable;
// a loop is interpreted again until what changes in it is known. Within a
// transaction, one over a short list of which the elements are known is written
// round by round.
//
// A transaction is interpreted from the function in which it begins, unless what
// it does, or where it ends, depends on what a caller gives: a closure that is run
// in a transaction, a transaction that is returned, the text of a statement. Then
// it is interpreted from the callers (extract.go). A function literal in the value
// of a package variable, such as a command or a migration that a library calls,
// is a function to begin with, too. Statements that are sent
// outside of any transaction are transactions of their own. Several transactions
// in one function are looked at one by one; what the others do may be anything.
//
// A library is a session.Library: what its names mean, and models of its functions,
// methods and fields. libraries.go lists them; absint and libs know nothing of each other.
//
// # Texts and prepared statements
//
// A function of the program that gives texts is evaluated on what is known of its
// arguments (consteval), and so are the initializers of packages for lists
// of texts in package variables. A statement that may have one of a
// few texts is a choice of statements. Two texts that differ only in how they write
// parameters (? or $1) are one.
//
// What is kept in a field of a struct or a package variable of the type *sql.Stmt,
// map[string]*sql.Stmt or []*sql.Stmt is the sum of all that the program ever stores there, by its
// keys, if every use of the field is seen. Indexes are keys where they are
// constants, or those by which the text was taken from a list. Whose field it is does not count. A statement
// that was prepared on one connection is taken to be part of the transaction of a connection that is open, with a note.
//
// A statement stands where its text is given: in the caller of a function that sends
// what it is told to.
//
// Functions that are registered as migrations, with gormigrate or goose, are left out, with a
// note.
//
// # Traces
//
// Result.Traces interprets functions in another way: with all that they send, in
// whichever transaction, and the values that go from one transaction to the next
// (Trace). Package stale looks there for what should have been one transaction.
// Every function that uses the database is expanded then, up to a number of
// instructions; a call through an interface goes to the one method of the program
// that uses the database, if there is one. Commits and rollbacks do not count.
//
// # Builders
//
// A *gorm.DB is a chain of calls: its statement is kept apart from its
// text until a call sends it, and then has the text that GORM's PostgreSQL driver
// would send. A condition that was added on some of the paths stands in it as (NOT
// $1 OR …). Tables and columns are those of package gormmodel; Result.Schema gives
// what AutoMigrate makes of them. What depends on whether a field is zero, as in
// Updates with a struct, is a condition over its value. The statements of hooks
// and relations belong to the transaction of the statement that GORM runs them
// for.
//
// A row whose primary key is zero is one that GORM takes for new: no such row is
// taken to be in the database. Of several rows that go to one variable, as with
// Pluck, any may be the one that stays there. A condition that is built in a loop
// is a hole. Association, FindInBatches, and lists of rows that are not known may
// do anything to their tables. Plugins, dialects other than that of PostgreSQL,
// and callbacks that the program registers are not looked at.
//
// Structs of gorp, and of borp, which is made of it, have the tables and keys that the
// program registers; those with hooks are unknown. Statements of squirrel
// are texts in the same way, and so are those of go-pg, whose queries calls change in
// place, and those of sqlboiler with the methods that it generates. Those of bun, and of what ent generates, are unknown
// ones of their tables.
//
// # What is not known
//
// A value that is computed in a way that is not understood may be anything, after
// everything that it may depend on has been shown (client.Emit): a serial order
// has to show the same, so that the value may be the same. A call of a function
// that is not read and gets the transaction may do anything (client.Unknown). A
// part of a statement that is not known is a hole in its text; it is taken to name
// no tables.
//
// Messages that are logged are no results. Integers of 64 bits do not overflow, nor do
// those that are converted to 32, but for unsigned ones that would be negative. Maps
// with keys that are not constant, and slices that are written by index, hold
// anything. A pointer that may point to
// several variables is a copy of them: a write through it makes them unknown. A
// batch of pgx that is filled while a transaction is open is taken to be sent with
// it at once. Transactions that are handed on through channels or global variables,
// prepared statements in slices that grow, and functions that are called by
// reflection are not followed: what is sent through a handle of unknown origin may
// be part of the transaction that is open, or not; if it is a transaction, the function has one
// that began elsewhere, with what it calls; and the text of a prepared
// statement that was made elsewhere is not known. A context holds what
// context.WithValue put there; packages that have nothing to do with the database
// do not get at it. A process-local mutex counts for nothing without a comment
// that says so. A call through an interface that is not followed may do anything in the
// transaction that is open, if a type that implements it may hold a
// transaction, or the connection of that one.
// What packages that are not read keep in their own values, such as a sync.Map, is not seen.
//
// Errors that the server reports end the transaction, as in PostgreSQL: code that
// goes on after one commits nothing. On MySQL that is not so. Behind a savepoint it is
// not so either: where the program goes on after an error, the transaction may do anything.
//
// A panic runs the deferred functions, and one that recovers lets its function return. A division by zero
// is a panic; other errors of the runtime, such as an index out of range, are taken not to occur.
//
// A function of unknown origin that gets a transaction is taken to be the only one
// of its type in the packages that were read, and a note says so.
//
// The interpretation of a function that takes too much work ends; what it sends
// may be anything then, and a note says so. Callers are interpreted without it. A panic
// is a fault of this program (Result.Faults), and ends the interpretation of one function.
// What does not type-check is left out, function by function.
//
// A function that nobody in a program calls is left out, if only the program can call
// it. So is a function that sends what its callers give, if it has no callers. Who else may call
// a method is found by what becomes of the values of its type (program.CalledOutside).
//
// A transaction has the isolation levels that the options of the call which begins it may have
// (session.levelsOf): that of each branch, what functions of a list set, and all of them where
// nothing is known. Where several calls begin the transaction of one body, each is a transaction.
package analyzer
