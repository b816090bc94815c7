package movers

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/progen"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/internal/wellformed"
	"github.com/txrobust/robust/sqlmodel"
)

// renamed gives a copy of p in which tables, columns, transactions and
// processes have other names, in another alphabetical order.
func renamed(p *ir.Program) *ir.Program {
	return named(p, func(kind, name string, i int) string { return fmt.Sprintf("%s%d_%s", kind, 90-i, name) })
}

// hostile gives a copy of p with names that look like those which are made of
// other ones: t.c? is where the column c of t is NULL, and t.c#0 a row of it.
func hostile(p *ir.Program) *ir.Program {
	return named(p, func(kind, name string, i int) string {
		out := map[string]string{"t": "t", "x": "x", "c": "c", "txn": "t0", "p": "p"}[kind]
		for ; kind == "p" && i > 0; i-- {
			out += "\t0\n"
		}
		for ; i > 0; i /= 7 {
			out += []string{"", "?", ".c", "#0", " ", "^", "\n"}[i%7]
		}
		return out
	})
}

// named gives a copy of p with other names. i counts the names of a kind.
func named(p *ir.Program, other func(kind, name string, i int) string) *ir.Program {
	q := progen.Copy(p)
	q.Name = "renamed"
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
	return progen.Copy(wellformed.MustCheck("renaming", q))
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
		}{{"printed", progen.Copy}, {"renamed", renamed}, {"hostile names", hostile}, {"reordered", reordered}} {
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

// guarded is a write skew that happens where a is there and flag is true.
const guarded = `CREATE TABLE t (id int PRIMARY KEY, a int, flag boolean NOT NULL, b int NOT NULL);
CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$
DECLARE x int; y boolean; z int;
BEGIN
  SELECT a, flag INTO x, y FROM t WHERE id = 1;
  SELECT b INTO z FROM t WHERE id = 2;
  IF x IS NOT NULL AND y AND z = 1 THEN UPDATE t SET b = 0 WHERE id = 3; END IF;
END $$;
CREATE FUNCTION g() RETURNS void LANGUAGE plpgsql AS $$
DECLARE x int; y boolean; z int;
BEGIN
  SELECT a, flag INTO x, y FROM t WHERE id = 1;
  SELECT b INTO z FROM t WHERE id = 3;
  IF x IS NOT NULL AND y AND z = 1 THEN UPDATE t SET b = 0 WHERE id = 2; END IF;
END $$;`

// TestNames: a column that is called as another one's being NULL is another one, and
// texts that differ behind a NUL are different.
func TestNames(t *testing.T) {
	for _, flag := range []string{"flag", `"a?"`, `"a^3f^"`, `"t.a?"`, `" "`} {
		p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "guarded.sql", Text: strings.ReplaceAll(guarded, "flag", flag)}}, sqlmodel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		wellformed.Structure(p)
		if res := mustProve(t, p, Options{Engine: engine.Postgres()}); res.Verdict == Robust {
			t.Errorf("with a column %s it is proved", flag)
		}
	}
	for _, end := range []string{"", "\x00", "\x1b", "|", `\`} {
		p := testprog.Parse(t, fmt.Sprintf("program texts\nvar b text = 'z', d = 0, e = 0\n"+
			"process p1 { txn t1 { q := b; r := d; if q = 'x%[1]sa' or q = 'x%[1]sb' { e := r + 1 } } }\n"+
			"process p2 { txn t2 { q := b; r := e; if q = 'x%[1]sa' or q = 'x%[1]sb' { d := r + 1 } } }\n", end))
		if res := mustProve(t, p, Options{Engine: engine.SI()}); res.Verdict == Robust {
			t.Errorf("with texts that differ behind %q it is proved", end)
		}
	}
}
