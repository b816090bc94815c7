// Package boogie prints a program for Boogie, a verifier of sequential programs
// (the Debian package boogie). Together with package instrument this lets an
// engine that shares no code with package reach answer the same question: is
// ir.Fail reachable under serializability?
//
// # The program
//
// Procedure main sets the initial rows and then repeats: choose a transaction,
// with any parameters, and run it to its end. A transaction is an inlined
// procedure; ir.Fail is "assert false". Boogie's option -loopUnroll:N bounds the
// rounds of all loops in an execution together. Loops inside of transactions are
// written out where the rounds are few for certain; without others N bounds the
// transactions, as reach.Options.MaxTxns does. Boogie's "1 verified" means that
// no such execution reaches the error state, "0 verified" that one does, mostly
// with an error whose trace names the transactions.
//
// A transaction that aborts, or whose assumption does not hold, leaves no trace:
// that path ends ("assume false"), which reaches what not having run it reaches.
// Rolling back to a savepoint restores copies of the tables. Constraints are
// checked at the end of the statement, since nobody else runs meanwhile.
//
// # Data
//
// A table is a map from its keys to whether there is a row (T.alive) and, for
// each other column, a map to its value (T.c) and to whether that is NULL
// (T.c.null). A shared variable is a variable. Texts, times and opaque values are
// integers: constants of the program keep their order, other values are any
// integers. Opaque functions are functions of Boogie. Integers do not overflow.
//
// A query whose condition gives the key looks at that row. Others go through
// the rows: over all keys where these are few (a domain); else, with
// Options.Rows, over that many keys that the verifier chooses freely before the
// first transaction, so that each table has as many different keys at most in
// an execution, and everything is exact; else, with quantifiers, over all keys.
// Boogie may then report an error that is none, since Z3 gives up on some
// formulas. Counts and sums need one of the former two.
//
// # What is not exported
//
// An error with its position: aggregates without a bound on the rows, unknown
// aggregates, an update whose new values look into the table that it changes, a
// division inside EXISTS or a query over several tables, keys that may be NULL.
//
// Known functions of texts and arrays (lower, concat, elem and so on) are
// functions about which Boogie knows nothing but that NULL gives NULL: the error
// state may be reachable here only. What an ir.Unmodelled does is not explored:
// the transaction ends there, as in package reach; the text names each in its
// head.
package boogie
