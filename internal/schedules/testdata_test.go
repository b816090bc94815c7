package schedules

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/testprog"
)

// query is about the cycle of a line.
func query(t testing.TB, a testprog.App, p *ir.Program) Query {
	return Query{Program: p, Engine: engine.Postgres(), Sessions: sessions(t, p, strings.Split(a.Cycle, ",")...),
		Expected: []Order{OneDelayed(strings.Count(a.Cycle, ",") + 1)}}
}

// part reports whether the line is about a part of one of the large programs.
func part(a testprog.App) bool { return strings.HasPrefix(a.Folder, "tpcc") && !a.Whole() }

// TestCycles finds an anomaly for every cycle of the applications and traps.
func TestCycles(t *testing.T) {
	for _, l := range testprog.Apps(t) {
		if l.Robust() || part(l) && !*fullFlag {
			continue
		}
		t.Run(l.String(), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			q := query(t, l, l.Load(t))
			a, stats, err := Find(ctx, q)
			t.Logf("%s", describeStats(stats))
			if err != nil {
				t.Fatal(err)
			}
			if a == nil && strings.Contains(stats.Bounded, "not modelled") {
				t.Skipf("nothing can be confirmed: %s", stats.Bounded)
			}
			if a == nil {
				t.Fatalf("no anomaly is found (%s)", stats.Bounded)
			}
			t.Logf("\n%s", describe(q.Program, a))
		})
	}
}

// TestRobust searches pairs and triples of the transactions of robust programs,
// of which none may have an anomaly.
func TestRobust(t *testing.T) {
	for _, l := range testprog.Apps(t) {
		if !l.Robust() || part(l) && !*fullFlag {
			continue
		}
		t.Run(l.String(), func(t *testing.T) {
			p := l.Load(t)
			n := 0
			for i, a := range p.Txns {
				for k, b := range p.Txns[i:] {
					q := Query{Program: p, Engine: engine.Postgres(), Sessions: alone([]*ir.Txn{a, b}),
						Options: Options{Tries: 20, Orders: 4, Effort: 10000}}
					if len(p.Txns) <= 4 {
						q.Sessions = append(q.Sessions, []*ir.Txn{p.Txns[(i+k)%len(p.Txns)]})
					}
					n++
					if a, _ := mustFind(t, q); a != nil {
						t.Errorf("an anomaly is claimed:\n%s", describe(p, a))
					}
				}
			}
			t.Logf("%d queries", n)
		})
	}
}

func describeStats(s Stats) string {
	return fmt.Sprintf("found by %q in %v and %v: %d tries, %d questions, %d orders, %d terms, %d candidates, %d unconfirmed, %d shrinks, solver %v %s",
		s.Found, s.Search.Round(time.Millisecond), s.Shrink.Round(time.Millisecond), s.Tries, s.Questions, s.Orders, s.Terms, s.Candidates, s.Unconfirmed, s.Shrinks,
		s.Solver.Time.Round(time.Millisecond), s.Bounded)
}

// describe prints an anomaly for the log.
func describe(p *ir.Program, a *Anomaly) string {
	var b strings.Builder
	for i, t := range p.Tables {
		for _, r := range a.Rows[i] {
			fmt.Fprintf(&b, "%s%v\n", t.Name, r)
		}
	}
	for i, t := range a.Execution.Txns {
		fmt.Fprintf(&b, "%d: %s session %d.%d snapshot %d havocs", i, t.Run.Inst, t.Session, t.Index, t.Snapshot)
		for site, vals := range a.Calls[i].Havocs {
			fmt.Fprintf(&b, " %s=%v", site.Var, vals)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestLitmus searches the sessions of the litmus programs.
func TestLitmus(t *testing.T) {
	for _, l := range testprog.LitmusPrograms(t) {
		for _, c := range []struct {
			mode   string
			engine *engine.Profile
		}{{"default", engine.SI()}, {"postgres", engine.Postgres()}} {
			t.Run(l.File+"/"+c.engine.Name, func(t *testing.T) {
				p := l.Program(t)
				ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
				defer cancel()
				a, stats, err := Find(ctx, Query{Program: p, Engine: c.engine, Sessions: Processes(p, 2), Options: Options{Init: FileRows}})
				t.Logf("%s", describeStats(stats))
				if err != nil {
					t.Fatal(err)
				}
				got := "robust"
				if a != nil {
					got = "not-robust"
					t.Logf("\n%s", describe(p, a))
				}
				if got != l.Want[c.mode] {
					t.Errorf("%s, expected %s", got, l.Want[c.mode])
				}
			})
		}
	}
}
