// Package record records histories in Go tests: each client of a database tells a
// Session what it does and sees, and History gives what the checkers judge.
//
// A transaction is begun before its first request is sent and ended after its
// last answer has arrived: only then do the stamps mean the real-time order. Its
// operations are told when they have succeeded, in the order of execution:
//
//	t := session.Begin("transfer")
//	… SELECT …
//	t.Read("x", x)
//	… UPDATE …
//	t.Write("x", y)
//	if err := tx.Commit(); err == nil {
//		t.Commit()
//	} else if aborted(err) { // the database says so, as PostgreSQL with 40001
//		t.Abort()
//	} else {
//		t.Unknown() // the connection broke: it may have committed
//	}
//
// Whether a commit whose answer was lost took effect, nobody knows: such a
// transaction must be Unknown, not aborted. One that is not ended is.
//
// For a verdict that means something, every write of a key should write another
// value, so that who reads it knows which write it was: values may come from a counter, or
// carry the number of the transaction. A retry is a transaction of its own.
//
// Stream writes the recording while it grows, for robust history check -follow.
//
// # Limits
//
// A session is used by one goroutine at a time, and so is a transaction; sessions
// are independent. Operations are kept in memory.
package record
