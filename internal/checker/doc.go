// Package checker holds what the checkers of isolation levels have in common:
// verdicts, violations and the edges of a cycle. Its
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
// What the verdicts mean is said in package judge.
package checker
