package symbolic

import (
	"context"
	"slices"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/internal/smt"
)

// Impossible gives the tables of which what is declared and stated contradicts itself: no row can be there.
func Impossible(ctx context.Context, c *prepare.Code, solver *smt.Solver, e *engine.Profile) []*ir.Table {
	var out []*ir.Table
	for i, t := range c.Program.Tables {
		if t.Var || len(t.Checks) == 0 && !slices.ContainsFunc(c.Program.Invariants, t.Stated) {
			continue
		}
		w := NewWorld(c, smt.NewBuilder(), e)
		s := w.Base("s")
		some := w.Exists([]domain{tableDomain(i)}, func(tuple []Key) *smt.Term { return s.Alive(i, tuple[0]) })
		if w.Ask(ctx, solver, some).Result == smt.Unsat {
			out = append(out, t)
		}
		solver.Forget()
	}
	return out
}
