package movers

import (
	"context"
	"testing"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/testprog"
)

// TestScope: constraints of tables that a question is not about change no
// verdict. What is proved without them has to be proved with them, and the
// litmus programs the other way around, too.
func TestScope(t *testing.T) {
	both := func(p *ir.Program, m mode) (lazy, eager Verdict) {
		opt := Options{Engine: m.engine, Classic: m.classic, MaxWindow: 2, MaxQuestions: 12, MaxWalks: 1, Limit: 60000}
		ask := func() Verdict {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			res, err := Prove(ctx, p, opt)
			if err != nil {
				t.Fatalf("%v\n%s", err, p)
			}
			return res.Verdict
		}
		lazy = ask()
		opt.eager = true
		return lazy, ask()
	}
	for _, l := range testprog.LitmusPrograms(t) {
		p := l.Program(t)
		if lazy, eager := both(p, modes[2]); lazy != eager && lazy != Unknown && eager != Unknown {
			t.Errorf("%s: %v, with all constraints %v", l.File, lazy, eager)
		}
	}
	r := random.Source(t)
	all := sources(t)
	verdicts := map[[2]Verdict]int{}
	for i := range random.Runs() / 150 {
		p := all[1+i%3].make(r)
		m := modes[1+r.Intn(2)]
		lazy, eager := both(p, m)
		verdicts[[2]Verdict{lazy, eager}]++
		if lazy == Robust && eager == Suspicious {
			t.Errorf("%s: %v, with all constraints %v\n%s", m.name, lazy, eager, p)
		}
	}
	t.Logf("without and with all constraints: %v", verdicts)
}
