package movers

import (
	"cmp"
	"context"
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/symbolic"
)

// Keeping is what was found of facts that somebody guessed: those that all templates keep
// together, with all constraints and the program's own invariants.
type Keeping struct {
	Facts []*ir.Invariant
	// needs has for each of Facts those that some template needs to keep it.
	needs [][]int
}

// Keep finds out which of guesses all templates of p keep. Those of which opt.Initially says no are
// left out.
func Keep(ctx context.Context, p *ir.Program, opt Options, guesses []*ir.Invariant) (*Keeping, error) {
	lanes := newLanes(opt)
	defer func() {
		for _, l := range lanes {
			l.close()
		}
	}()
	opt.Limit, opt.maxSteps = cmp.Or(opt.Limit, 2000000), cmp.Or(opt.maxSteps, symbolic.MaxSteps)
	facts, kept, err := induct(ctx, p, opt, lanes, guesses)
	if err != nil {
		return nil, err
	}
	k := &Keeping{Facts: facts, needs: make([][]int, len(facts))}
	stated := len(p.Invariants)
	for _, x := range kept {
		for _, u := range x.Refuted.Uses {
			if i := x.Fact - stated; i >= 0 && u >= stated && u != x.Fact {
				k.needs[i] = append(k.needs[i], u-stated)
			}
		}
	}
	return k, nil
}

// Closed gives those of Facts for which is reports true, and what is needed to keep them.
func (k *Keeping) Closed(is func(*ir.Invariant) bool) []*ir.Invariant {
	in := make([]bool, len(k.Facts))
	var todo []int
	for i, f := range k.Facts {
		if is(f) {
			todo = append(todo, i)
		}
	}
	for len(todo) > 0 {
		i := todo[0]
		todo = todo[1:]
		if !in[i] {
			in[i] = true
			todo = append(todo, k.needs[i]...)
		}
	}
	var out []*ir.Invariant
	for i, f := range k.Facts {
		if in[i] {
			out = append(out, f)
		}
	}
	return slices.Clip(out)
}
