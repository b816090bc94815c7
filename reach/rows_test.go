package reach

import (
	"context"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/instrument"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/progen"
	"github.com/txrobust/robust/internal/wellformed"
	"github.com/txrobust/robust/ir/irtext"
)

// instances makes a program with a process for each of n instances of random
// templates of p, the parameters being constants, on random rows.
func instances(r *rand.Rand, p *ir.Program, n int) *ir.Program {
	out := &ir.Program{Name: p.Name, Domain: p.Domain, Tables: p.Tables}
	rows := progen.Rows(r, p, 3)
	for i, t := range p.Tables {
		t.Rows = rows[i]
	}
	for i := 0; i < n; i++ {
		t := p.Txns[r.Intn(len(p.Txns))]
		c := &ir.Txn{Name: fmt.Sprintf("i%d_%s", i, t.Name), Locals: append([]ir.Local(nil), t.Locals...)}
		for _, q := range t.Params {
			v := ir.Int(int64(r.Intn(3)))
			if !q.NotNull && r.Intn(4) == 0 {
				v = ir.Null
			}
			c.Locals = append(c.Locals, ir.Local{Name: q.Name, Type: q.Type})
			c.Body = append(c.Body, &ir.Assign{Var: q.Name, Expr: ir.C(v)})
		}
		// Locking a table counts only before everything else.
		at := 0
		for at < len(t.Body) {
			if _, ok := t.Body[at].(*ir.LockTable); !ok {
				break
			}
			at++
		}
		c.Body = append(append(append([]ir.Stmt(nil), t.Body[:at]...), c.Body...), t.Body[at:]...)
		out.Txns = append(out.Txns, c)
		out.Processes = append(out.Processes, &ir.Process{Name: fmt.Sprintf("p%d", i), Copies: 1, Txns: []*ir.Txn{c}})
	}
	return wellformed.MustCheck("instances", out)
}

// TestRandomRows counts how the instrumentation of programs over rows compares
// with exhaustive interpretation, in every mode.
func TestRandomRows(t *testing.T) {
	r := random.Source(t)
	compare(t, random.Runs()/4, func() *ir.Program {
		p := progen.Program(r, progen.Options{Loops: true, Locks: true, Keys: true, Exclusions: true, Nulls: true, Txns: 3, Stmts: 3})
		return instances(r, p, 2+r.Intn(2))
	})
}

// TestRandomRowAccesses is the same for programs many of which are not robust.
func TestRandomRowAccesses(t *testing.T) {
	r := random.Source(t)
	compare(t, random.Runs()/4, func() *ir.Program { return rowAccesses(t, r) })
}

// TestRandomAccessesByValue is the same for shared variables.
func TestRandomAccessesByValue(t *testing.T) {
	r := random.Source(t)
	compare(t, random.Runs(), func() *ir.Program { return accesses(t, r) })
}

// compare counts, for random programs, what the instrumentation finds of what
// interpretation finds. It must not find more: in the default modes, and with
// constraints between rows, a claim counts only when the execution that it
// stands for is an anomaly, and the search goes on otherwise.
func compare(t *testing.T, n int, program func() *ir.Program) {
	type tally struct{ robust, found, missed, rejected, undecided int }
	modes := []struct {
		name string
		opt  instrument.Options
	}{
		{"classic si", instrument.Options{Classic: true}},
		{"default si", instrument.Options{}},
		{"default postgres", instrument.Options{Engine: engine.Postgres()}},
	}
	tallies := make([]tally, len(modes))
	for i := 0; i < n; i++ {
		p := program()
		for k, mode := range modes {
			e := mode.opt.Engine
			if e == nil {
				e = engine.SI()
			}
			m := interp.NewMachine(p, e)
			want := m.Explore(context.Background(), interp.Sessions(p, 1), interp.InitialDB(p), interp.Options{Classic: mode.opt.Classic, MaxExecutions: 3000})
			opt := Options{MaxStates: 3000}
			inst := rewritten(t, p, mode.opt)
			if !mode.opt.Classic || constrained(p) {
				opt.Accept = func(trace []Step) bool { return confirmed(m, inst, p, trace, mode.opt.Classic) }
			}
			got := Explore(context.Background(), inst.Program, opt)
			c := &tallies[k]
			if mode.opt.Classic && got.Verdict == Reached && !confirmed(m, inst, p, got.Trace, true) {
				t.Errorf("%s: %v has no cycle:\n%s", mode.name, got.Trace, p)
			}
			if got.Rejected > 0 {
				c.rejected++
			}
			switch {
			case want.Verdict == interp.Undecided || got.Verdict == BoundHit:
				c.undecided++
			case want.Verdict == interp.Anomalous && got.Verdict == Reached:
				c.found++
			case want.Verdict == interp.Anomalous:
				c.missed++
				if *show == mode.name {
					t.Logf("%s missed %v:\n%s", mode.name, execution(want.Anomaly), p)
				}
			case got.Verdict == Reached:
				t.Errorf("%s: claimed %v, which is not real:\n%s", mode.name, got.Trace, p)
			default:
				c.robust++
			}
		}
	}
	for k, mode := range modes {
		t.Logf("%s: %+v", mode.name, tallies[k])
	}
}

// constrained reports whether rows of p can break a constraint together. The
// attacker's commit looks at those only at its end (instrument's doc.go).
func constrained(p *ir.Program) bool {
	for _, t := range p.Tables {
		if len(t.Uniques) > 0 || len(t.ForeignKeys) > 0 {
			return true
		}
	}
	return false
}

// TestBetweenStatements is about a parent that the attacker deletes and inserts
// again, while a helper adds a child: the commit fails in the middle, which the
// instrumentation does not see. Without the insertion it does.
func TestBetweenStatements(t *testing.T) {
	const text = `program between
table t (k int not null, a int not null, key (k))
table c (k int not null, p int, key (k), foreign c_p (p) references t (k))
row t (0, 0)
row t (1, 1)
process p1 { txn t1 { delete t r where r.a < 1; %s } }
process p2 { txn t2 { insert c (k, p) values (2, 0); update t r set a = 0 where r.a == 1; } }`
	for insert, claim := range map[string]Verdict{"insert t (k, a) values (0, 1);": Reached, "": Unreachable} {
		p, err := irtext.Parse("between", fmt.Sprintf(text, insert))
		if err != nil {
			t.Fatal(err)
		}
		m := interp.NewMachine(p, engine.SI())
		inst := rewritten(t, p, instrument.Options{Classic: true, Attacker: "t1"})
		accept := func(trace []Step) bool { return confirmed(m, inst, p, trace, true) }
		if got := Explore(context.Background(), inst.Program, Options{}); got.Verdict != claim {
			t.Errorf("%q: %v, want %v", insert, got.Verdict, claim)
		}
		if got := Explore(context.Background(), inst.Program, Options{Accept: accept}); got.Verdict != Unreachable {
			t.Errorf("%q: %v is no execution", insert, got.Trace)
		}
	}
}

// rowAccesses makes a program of short transactions that read some rows of a
// table and write others, many of which are not robust.
func rowAccesses(t *testing.T, r *rand.Rand) *ir.Program {
	var b strings.Builder
	unique, child := r.Intn(4) == 0, r.Intn(3) == 0
	b.WriteString("program rows\ndomain 0..3\ntable t (k int not null, a int not null, b int not null, key (k)")
	if unique {
		b.WriteString(", unique t_b (b)")
	}
	b.WriteString(")\nrow t (0, 0, 0)\nrow t (1, 0, 1)\n")
	if child {
		b.WriteString("table c (k int not null, p int, key (k), foreign c_p (p) references t (k))\nrow c (0, 1)\n")
	}
	if !unique && r.Intn(2) == 0 {
		b.WriteString("row t (2, 1, 1)\n")
	}
	n := 2 + r.Intn(2)
	if r.Intn(3) == 0 {
		n++
	}
	key := func() int { return r.Intn(4) }
	for i := 0; i < n; i++ {
		fmt.Fprintf(&b, "process p%d { txn t%d {\nlocal v int; local w bool; v := 0\n", i, i)
		for s := 2 + r.Intn(2); s > 0; s-- {
			value := []string{"v", "0", "1", "2"}[r.Intn(4)]
			c := []string{"a", "b"}[r.Intn(2)]
			where := fmt.Sprintf("r.k == %d", key())
			if r.Intn(3) == 0 {
				where = fmt.Sprintf("r.%s %s %d", []string{"a", "b"}[r.Intn(2)], []string{"==", "<", "!="}[r.Intn(3)], r.Intn(3))
			}
			lock := []string{"", "", "", " for update", " for key share"}[r.Intn(5)]
			if child && r.Intn(4) == 0 {
				switch r.Intn(4) {
				case 0:
					fmt.Fprintf(&b, "insert c (k, p) values (%d, %d);\n", key(), key())
				case 1:
					fmt.Fprintf(&b, "delete c x where x.p == %d;\n", key())
				case 2:
					fmt.Fprintf(&b, "update c x set p = %d where x.k == 0;\n", key())
				case 3:
					fmt.Fprintf(&b, "emit select x.k from c x, t r where x.p == r.k and r.a != %d;\n", r.Intn(2))
				}
				continue
			}
			switch r.Intn(13) {
			case 0, 1, 2:
				fmt.Fprintf(&b, "(v) := select r.%s from t r where %s order by r.k%s; emit v;\n", c, where, lock)
			case 3:
				fmt.Fprintf(&b, "(v) := select agg %s(r.%s) int from t r where %s; emit v;\n", []string{"sum", "min", "max", "count"}[r.Intn(4)], c, where)
			case 4:
				fmt.Fprintf(&b, "w := exists (from t r where %s); if w { update t r set %s = %s where r.k == %d };\n", where, c, value, key())
			case 5:
				fmt.Fprintf(&b, "(v) := select r.%s from t r where %s order by r.%s desc, r.k found w; emit v, w;\n", c, where, []string{"a", "b"}[r.Intn(2)])
			case 6:
				fmt.Fprintf(&b, "emit select r.%s from t r where %s;\n", c, where)
			case 7, 8, 9:
				fmt.Fprintf(&b, "update t r set %s = %s where %s;\n", c, value, where)
			case 10:
				fmt.Fprintf(&b, "insert t (k, a, b) values (%d, %s, %d);\n", key(), value, r.Intn(2))
			case 11:
				fmt.Fprintf(&b, "insert t (k, a, b) values (%d, %s, %d) on conflict (k) do update o set %s = %s;\n", key(), value, r.Intn(2), c, value)
			case 12:
				fmt.Fprintf(&b, "delete t r where %s;\n", where)
			}
		}
		b.WriteString("} }\n")
	}
	p, err := irtext.Parse("rows", b.String())
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	return p
}
