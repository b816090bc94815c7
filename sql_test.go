package robust_test

import (
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/movers"
	"github.com/txrobust/robust/sqlmodel"
)

// reportOf checks SQL text on PostgreSQL from any rows; only the transactions with these
// names, if there are some.
func reportOf(t *testing.T, text string, opt robust.Options, txns ...string) *robust.Report {
	t.Helper()
	p := programOf(t, text, txns...)
	opt.Engine, opt.Init = engine.Postgres(), robust.AnyRows
	rep, err := robust.Check(t.Context(), p, opt)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// provedOf reports whether a program is robust. It searches no execution where there is no proof, which
// takes most of the time of a check.
func provedOf(t *testing.T, text string, questions int, txns ...string) bool {
	t.Helper()
	r, err := movers.Prove(t.Context(), programOf(t, text, txns...), movers.Options{Engine: engine.Postgres(), Questions: questions})
	if err != nil {
		t.Fatal(err)
	}
	return r.Verdict == movers.Robust && reportOf(t, text, robust.Options{Budget: robust.Budget{Questions: questions}}, txns...).Verdict == robust.Robust
}

// programOf reads a program in SQL.
func programOf(t *testing.T, text string, txns ...string) *ir.Program {
	t.Helper()
	p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "t.sql", Text: text}}, sqlmodel.Options{Txns: txns})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
