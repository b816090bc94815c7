package movers

import (
	"fmt"
	"slices"
	"testing"

	"github.com/txrobust/robust/internal/progen"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/ir"
)

// renamed gives a copy of p in which tables, columns, transactions and
// processes have other names, in another alphabetical order.
func renamed(p *ir.Program) *ir.Program {
	q := progen.Copy(p)
	q.Name = "renamed"
	other := func(kind, name string, i int) string { return fmt.Sprintf("%s%d_%s", kind, 90-i, name) }
	columns := map[string]string{} // the same name in two tables stays the same
	var tables []*ir.Table
	for i, t := range q.Tables {
		if t.Var {
			t.Name = other("x", t.Name, i)
			continue
		}
		tables = append(tables, t)
		for c := range t.Columns {
			name := t.Columns[c].Name
			if name == "v" {
				continue // the column of variables has this name, too
			}
			if columns[name] == "" {
				columns[name] = other("c", name, len(columns))
			}
			t.Columns[c].Name = columns[name]
		}
	}
	each := func(e ir.Expr) {
		ir.WalkExpr(e, func(e ir.Expr) {
			if c, ok := e.(*ir.Col); ok && columns[c.Col] != "" {
				c.Col = columns[c.Col]
			}
		})
	}
	for i, t := range tables {
		old := t.Name
		t.Name = other("t", t.Name, i)
		own := func(e ir.Expr) { // constraints call the row by the table's name
			ir.WalkExpr(e, func(e ir.Expr) {
				if c, ok := e.(*ir.Col); ok && c.Row == old {
					c.Row = t.Name
				}
			})
			each(e)
		}
		for _, k := range t.Checks {
			own(k.Expr)
		}
		for _, u := range t.Uniques {
			own(u.Where)
		}
		for _, x := range t.Exclusions {
			each(x.Expr)
		}
	}
	for i, t := range q.Txns {
		t.Name = other("txn", t.Name, i)
		ir.Walk(t.Body, func(s ir.Stmt) {
			for _, e := range ir.Exprs(s) {
				each(e)
			}
		})
	}
	for i, pr := range q.Processes {
		pr.Name = other("p", pr.Name, i)
	}
	return progen.Copy(ir.MustCheck("renaming", q))
}

// reordered gives a copy of p with its templates and processes in another order.
func reordered(p *ir.Program) *ir.Program {
	q := progen.Copy(p)
	slices.Reverse(q.Txns)
	slices.Reverse(q.Processes)
	return progen.Copy(q)
}

// sameAnomaly compares what interpretation says of the processes of p and q.
func sameAnomaly(t *testing.T, p, q *ir.Program, m mode) {
	if len(p.Processes) == 0 {
		return
	}
	a, b := explore(p, m), explore(q, m)
	if a.Verdict != b.Verdict {
		t.Errorf("%s: %v, but %v after\n%s\n%s", m.name, a.Verdict, b.Verdict, p, q)
	}
}

// provable tries several times to prove a program.
func provable(t *testing.T, p *ir.Program, m mode) bool {
	for range 12 {
		if attempts(t, p, m, false) == Robust {
			return true
		}
	}
	return false
}

// TestInvariance: names, the order of templates and processes, and the way a
// program is written do not change what it is.
func TestInvariance(t *testing.T) {
	r := random.Source(t)
	type program struct {
		p *ir.Program
		m mode
	}
	var list []program
	for _, l := range testprog.LitmusPrograms(t) {
		for _, m := range modes {
			list = append(list, program{l.Program(t), m})
		}
	}
	all := sources(t)
	for i := 0; i < random.Runs()/40; i++ {
		list = append(list, program{all[i%3].make(r), modes[r.Intn(len(modes))]})
	}
	verdicts := map[Verdict]int{}
	for _, x := range list {
		want := attempts(t, x.p, x.m, false)
		verdicts[want]++
		for _, change := range []struct {
			name string
			of   func(*ir.Program) *ir.Program
		}{{"printed", progen.Copy}, {"renamed", renamed}, {"reordered", reordered}} {
			q := change.of(x.p)
			sameAnomaly(t, x.p, q, x.m)
			// What is found first depends on the order, the bounds on what is
			// found, and models vary; a proof of one is a proof of the other.
			got := attempts(t, q, x.m, false)
			if want == Robust && got == Suspicious && !provable(t, q, x.m) || got == Robust && want == Suspicious && !provable(t, x.p, x.m) {
				t.Errorf("%s: %v, but %s %v\n%s\n%s", x.m.name, want, change.name, got, x.p, q)
			}
		}
	}
	t.Logf("%d programs: %v", len(list), verdicts)
	if verdicts[Robust] == 0 || verdicts[Suspicious] == 0 {
		t.Error("one of the verdicts never came up: the test says little")
	}
}
