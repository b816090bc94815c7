// Package robust tells whether a transactional program stays correct when its
// database runs at snapshot isolation (PostgreSQL's REPEATABLE READ) instead of
// SERIALIZABLE.
//
//	prog, err := sqlmodel.Load(ctx, []string{"schema.sql", "functions.sql"}, sqlmodel.Options{})
//	rep, err := robust.Check(ctx, prog, robust.Options{Engine: engine.Postgres()})
//	if rep.Verdict != robust.Robust { t.Error(rep.Findings) }
//
// A program is robust when every execution that it has at snapshot isolation
// has the results and the final state of a serial one. Check proves that, for
// any number of sessions, rows and values (package movers), or finds an
// execution that is none (package schedules), replays it, compares it with every
// serial order (package witness) and describes it; or it says that it found
// neither, and what stands in the way. A program of finitely many sessions is
// decided by interpreting all of its executions.
//
// Source: Beillahi, Bouajjani, Enea, "Checking Robustness Against Snapshot
// Isolation" (CAV 2019), with the corrections of docs/soundness.md.
package robust
