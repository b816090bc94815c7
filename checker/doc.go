// Package checker holds what the checkers of isolation levels have in common:
// verdicts, violations, the edges of a cycle and the words for them. Its
// subpackages are the checkers, one algorithm each; they do not know each other,
// so that they can judge each other.
//
// Every checker has a function
//
//	Check(ctx context.Context, h *history.History, o Options) (*checker.Result, error)
//
// The error is that of the context. All else is in the Result: for every level
// that was asked for a Verdict, which is Unknown, with a reason, where the method
// does not reach; for Satisfied a commit order as the witness, where the method
// finds one; and for Violated the violations that were found.
//
// # What the verdicts mean
//
// The levels are those of package isolation. Three decisions are shared by all
// checkers:
//
// An Unknown transaction either committed or it did not, whichever lets the
// history satisfy more; its reads say nothing. Reads of aborted transactions say
// nothing either.
//
// A value that was written twice may come from either write. The history
// satisfies a level if it does so for one choice of the writes that reads come
// from, and violates it if it does for none.
//
// A list has versions like a register: an append makes a new version that ends
// with its element, and the version of a transaction contains what all committed
// transactions up to it, in the commit order, appended. So a read of [1 2] says that
// 1 and 2 came first, in this order, at every level from RC on. That is how Elle
// understands lists. A database that merges concurrent appends in another way, so
// that the elements of a list change their places later, violates RC in this
// sense.
package checker
