// Package symbolic executes a transaction on a symbolic database: the result is a formula for its outputs, writes, locks and next state.
//
// The database is functions from keys to rows: for every table, alive(key) and
// col(key). A transaction's effect is an if-then-else over them, so that a read
// after a write is again a formula. All paths are followed at once, under
// guards.
//
// In the open world the tables are uninterpreted functions, of any size; a
// statement about all rows is kept as a universal, which holds at the keys that
// the question mentions. Leaving out other keys makes the question weaker, so
// that an Unsat answer is a proof and a Sat answer only a suspicion. In the
// closed world a table has a fixed number of row slots, statements about all
// rows are written out, and a model is an execution.
//
// A loop whose number of rounds is not a constant is, in the open world, a
// block whose every input is observed (values of locals, all rows read) and
// whose behaviour is otherwise arbitrary, but the same wherever the inputs are
// the same. In the closed world it is unrolled.
//
// Source: CAV'19, section 6 and appendix F (a record is a flag and its columns).
package symbolic
