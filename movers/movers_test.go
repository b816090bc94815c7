package movers

import (
	"context"
	"flag"
	"math/rand"
	"testing"
	"time"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/progen"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/ir/interp"
)

var (
	seedFlag = flag.Int64("seed", 0, "seed of the random programs (0: from the clock)")
	runsFlag = flag.Int("runs", 400, "number of random programs")
)

func seed(t testing.TB) int64 {
	s := *seedFlag
	if s == 0 {
		s = time.Now().UnixNano()
	}
	t.Logf("seed %d", s)
	return s
}

func parse(t testing.TB, src string) *ir.Program {
	t.Helper()
	p, err := ir.Parse("test", src)
	if err != nil {
		t.Fatal(err)
	}
	ir.Structure(p)
	return p
}

func mustProve(t testing.TB, p *ir.Program, opt Options) *Result {
	t.Helper()
	res, err := Prove(context.Background(), p, opt)
	if err != nil {
		t.Fatalf("%v\n%s", err, p)
	}
	return res
}

// holds evaluates a fact on concrete rows, by a transaction that assumes it.
func holds(p *ir.Program, eng *engine.Profile, rows [][][]ir.Value, facts []*ir.Invariant) bool {
	for _, f := range facts {
		q := *p
		probe := &ir.Txn{Name: "probe", Body: []ir.Stmt{&ir.Assume{Cond: ir.NotE(&ir.Exists{
			Query: ir.Query{From: f.From, Where: ir.NotE(f.Expr)}})}}}
		q.Txns = []*ir.Txn{probe}
		m := interp.NewMachine(&q, eng)
		if m.Run(&interp.Instance{Txn: probe}, interp.NewDB(&q, rows), nil).Blocked != "" {
			return false
		}
	}
	return true
}

// instances picks n random instances of the templates.
func instances(r *rand.Rand, p *ir.Program, n int) []interp.Session {
	var out []interp.Session
	for i := 0; i < n; i++ {
		in := &interp.Instance{Txn: p.Txns[r.Intn(len(p.Txns))], ID: i}
		for _, q := range in.Txn.Params {
			v := ir.Int(int64(r.Intn(3)))
			if !q.NotNull && r.Intn(6) == 0 {
				v = ir.Null
			}
			in.Params = append(in.Params, v)
		}
		out = append(out, interp.Session{in})
	}
	return out
}

// TestAgainstExploration proves random programs, and looks for anomalies of
// those that are robust by exhaustive interpretation.
func TestAgainstExploration(t *testing.T) {
	r := rand.New(rand.NewSource(seed(t)))
	ctx := context.Background()
	counts := map[Verdict]int{}
	falseAlarms, anomalies := 0, 0
	var proving, exploring time.Duration
	for n := 0; n < *runsFlag; n++ {
		p := progen.Program(r, progen.All)
		eng := engine.ByName([]string{"postgres", "si"}[r.Intn(2)])
		start := time.Now()
		res := mustProve(t, p, Options{Engine: eng, MaxQuestions: 150, Limit: 300000})
		proving += time.Since(start)
		start = time.Now()
		counts[res.Verdict]++
		m := interp.NewMachine(p, eng)
		m.MaxSteps = 200
		found := false
		for k := 0; k < 30 && !found; k++ {
			rows := progen.Rows(r, p, 2)
			if !holds(p, eng, rows, res.Facts) {
				continue
			}
			sessions := instances(r, p, 2+r.Intn(2))
			x := m.Explore(ctx, sessions, interp.NewDB(p, rows), interp.Options{MaxExecutions: 3000})
			if x.Verdict != interp.Anomalous {
				continue
			}
			found = true
			if res.Verdict == Robust {
				for _, c := range x.Anomaly.Txns {
					t.Logf("%s on version %d", c.Run.Inst, c.Snapshot)
				}
				t.Fatalf("robust (%s, mode %d, facts %v) on %s, but with rows %v there is an anomaly\n%s",
					res.Certificate, res.Mode, res.Facts, eng.Name, rows, p)
			}
		}
		exploring += time.Since(start)
		if found {
			anomalies++
		} else if res.Verdict != Robust {
			falseAlarms++
		}
	}
	t.Logf("%d programs: %d robust, %d suspicious, %d unknown; %d with an anomaly; %d suspicious or unknown without one found (proving %v, exploring %v)",
		*runsFlag, counts[Robust], counts[Suspicious], counts[Unknown], anomalies, falseAlarms, proving, exploring)
	if counts[Robust] == 0 || anomalies == 0 {
		t.Error("one of the verdicts never came up: the test says little")
	}
}
