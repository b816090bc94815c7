package robust_test

import (
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/sqlmodel"
)

// reportOf checks SQL text on PostgreSQL from any rows; only the transactions with these
// names, if there are some.
func reportOf(t *testing.T, text string, opt robust.Options, txns ...string) *robust.Report {
	t.Helper()
	p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "t.sql", Text: text}}, sqlmodel.Options{Txns: txns})
	if err != nil {
		t.Fatal(err)
	}
	opt.Engine, opt.Init = engine.Postgres(), robust.AnyRows
	rep, err := robust.Check(t.Context(), p, opt)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}
