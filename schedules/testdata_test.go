package schedules

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/sqlmodel"
)

const testdata = "../testdata"

// line is a line of a VERDICTS.tsv about an application.
type line struct{ folder, txns, verdict, kind, cycle, note string }

func table(t testing.TB, dir string, columns int) [][]string {
	t.Helper()
	path := filepath.Join(testdata, dir, "VERDICTS.tsv")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for i, l := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		f := strings.Split(l, "\t")
		if len(f) != columns {
			t.Fatalf("%s:%d: a line has %d columns", path, i+1, columns)
		}
		if i > 0 {
			out = append(out, f)
		}
	}
	return out
}

func lines(t testing.TB, dir string) []line {
	var out []line
	for _, f := range table(t, dir, 6) {
		out = append(out, line{f[0], f[1], f[2], f[3], f[4], f[5]})
	}
	return out
}

func load(t testing.TB, dir string, l line) *ir.Program {
	t.Helper()
	var opt sqlmodel.Options
	if l.txns != "*" {
		opt.Txns = strings.Split(l.txns, ",")
	}
	p, err := sqlmodel.Load(context.Background(), []string{filepath.Join(testdata, dir, l.folder)}, opt)
	if err != nil {
		t.Fatal(err)
	}
	ir.Structure(p)
	return p
}

// cycle gives the query of a line's cycle.
func (l line) query(t testing.TB, p *ir.Program) Query {
	q := Query{Program: p, Engine: engine.Postgres()}
	for _, name := range strings.Split(l.cycle, ",") {
		txn := p.Txn(name)
		if txn == nil {
			t.Fatalf("there is no transaction %s", name)
		}
		q.Sessions = append(q.Sessions, []*ir.Txn{txn})
	}
	q.Expected = []Order{OneDelayed(len(q.Sessions))}
	return q
}

// part reports whether the line is about a part of one of the large programs.
func (l line) part() bool { return strings.HasPrefix(l.folder, "tpcc") && l.txns != "*" }

// TestCycles finds an anomaly for every cycle of the applications and traps.
func TestCycles(t *testing.T) {
	for _, dir := range []string{"apps", "traps"} {
		for _, l := range lines(t, dir) {
			if l.verdict != "not-robust" || l.part() && !*fullFlag {
				continue
			}
			t.Run(dir+"/"+l.folder+"/"+l.txns, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
				defer cancel()
				q := l.query(t, load(t, dir, l))
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
}

// TestRobust searches pairs and triples of the transactions of robust programs,
// of which none may have an anomaly.
func TestRobust(t *testing.T) {
	for _, dir := range []string{"apps", "traps"} {
		for _, l := range lines(t, dir) {
			if l.verdict != "robust" || l.part() && !*fullFlag {
				continue
			}
			t.Run(dir+"/"+l.folder+"/"+l.txns, func(t *testing.T) {
				p := load(t, dir, l)
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
