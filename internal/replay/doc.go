// Package replay runs the executions that refute programs on real servers:
// PostgreSQL, and MariaDB or MySQL.
//
//	s, err := replay.Open(ctx, replay.Options{Dialect: witness.Postgres})
//	if err != nil { … }
//	defer s.Close()
//	r, err := s.Replay(ctx, w.Plan)
//	… r.Outcome == witness.AsShown …
//
// Without a connection string, Open starts a private server (package
// internal/dbserver). With one, the server is somebody else's: a database of our own
// is created for replays and dropped by Close at the latest, and nothing else is touched.
//
// A replay makes the schema and the rows of the witness, and takes the steps of the
// execution in their order, one command at a time, a connection per session. What is
// to happen is in the witness.Plan: the rows and row counts that come back, that
// nothing fails or waits, that all transactions commit, and the rows at the end. Values
// that the server chooses are compared up to renaming. Then the same transactions run
// in every serial order of the plan. They must do what the plan says of that order,
// which is something else than what the execution did; so the claim that no serial
// order explains it is tested and not only argued. At last, the execution runs at
// SERIALIZABLE.
//
// The package knows nothing of programs and of how executions are found.
package replay
