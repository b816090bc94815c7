package interp

import (
	"maps"
	"slices"

	"github.com/txrobust/robust/ir"
)

// maxRounds bounds the rounds of a recursion, which may go on for ever.
const maxRounds = 1000

// recursion computes the rows of a recursion, round by round.
func (s *scope) recursion(r *ir.Recursion) relation {
	base, step := s.rel(r.Base), s.rel(r.Step)
	cols := ir.Columns(r.Base)
	return func(f *frame) [][]ir.Value {
		outer := f.working
		defer func() { f.working = outer }()
		f.working = maps.Clone(outer)
		if f.working == nil {
			f.working = map[string][][]ir.Value{}
		}
		seen := map[string]bool{}
		fresh := func(rows [][]ir.Value) (out [][]ir.Value) {
			for _, vals := range rows {
				vals = slices.Clone(vals)
				for i := range vals {
					vals[i] = vals[i].Convert(cols[i].Type)
				}
				if !r.All {
					id := encodeAll(vals)
					if seen[id] {
						continue
					}
					seen[id] = true
				}
				out = append(out, vals)
			}
			return out
		}
		round := fresh(base(f))
		all := slices.Clone(round)
		for n := 0; len(round) > 0; n++ {
			if n == maxRounds || len(all) > maxSeries {
				panic(stop{reason: TooLong})
			}
			f.working[r.Name] = round
			round = fresh(step(f))
			all = append(all, round...)
		}
		sortRows(all)
		return all
	}
}
