// Package robust tells whether a transactional program stays correct when its
// database runs at snapshot isolation (PostgreSQL's REPEATABLE READ) instead of
// SERIALIZABLE.
//
//	prog, err := sqlmodel.Load(ctx, []string{"schema.sql", "functions.sql"}, sqlmodel.Options{})
//	var opt robust.Options
//	opt.Engine = engine.Postgres()
//	rep, err := robust.Check(ctx, prog, opt)
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
// GoProgram makes a program of what package analyzer found in Go code.
//
// # What is stable
//
// Packages outside of internal keep their names and meanings within a major version: this
// one, sqlmodel, analyzer, engine, report, history with codec and record, isolation,
// checker/judge and lint. The intermediate representation (ir), and what the paper defines on
// it (instrument, reach, movers), grow with what programs need: statements and expressions
// are added. Everything else is below internal and changes without notice.
//
// Source: Beillahi, Bouajjani, Enea, "Checking Robustness Against Snapshot
// Isolation" (CAV 2019), with the corrections of docs/soundness.md.
package robust
