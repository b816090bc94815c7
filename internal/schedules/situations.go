package schedules

import (
	"context"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
)

// Situations draws rows and parameters for the sessions of a query at random, as Find does
// first, for whoever executes them in another way. It gives each situation to try, until that
// reports that it has found what it looks for. Options.Tries bounds how many there are.
func Situations(ctx context.Context, q Query, try func(rows [][][]ir.Value, sessions []interp.Session) (found bool)) (Stats, error) {
	s, err := newSearch(ctx, q)
	if err != nil {
		return Stats{}, err
	}
	defer s.close()
	if s.hopeless() || len(s.calls) > MaxCalls {
		return s.stats, nil
	}
	var f *found
	for _, s.mends = range []bool{s.opt.Init == AnyRows, false} { // rows and parameters that refer to each other come first
		if f == nil {
			f, _ = s.situations((s.opt.Tries+1)/2, maxMisses*s.opt.Tries, func(sit *situation) *found {
				if try(sit.rows, bySession(sit.calls, s.instances(sit.calls))) {
					return &found{sit: sit, by: "random"}
				}
				return nil
			})
		}
	}
	return s.stats, ctx.Err()
}
