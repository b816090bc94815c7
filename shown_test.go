package robust_test

import (
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/report"
	"github.com/txrobust/robust/sqlmodel"
)

// TestShownWhole finds write skew behind a read: it is suspected where the read is not understood, so that all rows of its
// table are shown, and confirmed where it is understood. Without the write there is none.
func TestShownWhole(t *testing.T) {
	const tables = "CREATE TABLE duty (id int PRIMARY KEY, off boolean NOT NULL);"
	update := &client.Query{SQL: "UPDATE duty SET off = true WHERE id = $1", Args: []client.Expr{client.V("i")}}
	for _, c := range []struct {
		read    string
		verdict report.Verdict
		writes  bool
	}{
		{"SELECT off FROM duty WHERE id > 0 ORDER BY id", robust.NotRobust, true},
		{"SELECT array_agg(ROW(d, d)) FROM duty d GROUP BY off", robust.Unknown, true},
		{"SELECT array_agg(ROW(d, d)) FROM duty d GROUP BY off", robust.Robust, false},
	} {
		body := []client.Stmt{&client.Query{SQL: c.read, Returned: true}}
		if c.writes {
			body = append(body, update)
		}
		txn := &client.Txn{Name: "Leave", Vars: []client.Var{{Name: "i", Kind: client.Int, Input: true}}, Body: append(body, &client.Commit{})}
		p, err := sqlmodel.Client(t.Context(), []sqlmodel.File{{Name: "s.sql", Text: tables}}, []*client.Txn{txn}, sqlmodel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ir.Walk(p.Txns[0].Body, func(s ir.Stmt) {
			if u, is := s.(*ir.Unmodelled); is {
				t.Errorf("%s: not modelled: %s", c.read, u.Reason)
			}
		})
		rep, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: engine.Postgres()}})
		if err != nil {
			t.Fatal(err)
		}
		if rep.Verdict != c.verdict {
			t.Errorf("%s: the verdict is %s, but must be %s", c.read, rep.Verdict, c.verdict)
		}
		for _, f := range rep.Findings {
			if (f.Status == report.Confirmed) != (c.verdict == robust.NotRobust) {
				t.Errorf("%s: the finding is %s", c.read, f.Status)
			}
		}
		if c.writes && len(rep.Findings) == 0 {
			t.Errorf("%s: there is no finding", c.read)
		}
	}
}
