package prefixes

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
)

// width is how many states a search keeps after so many transactions.
const width = 64

// state is an execution up to some point: how far the sessions came, and what counters and sets have.
type state struct {
	before *state
	lane   int // of the last transaction, and whether that happened
	did    bool
	at     []int
	sums   []int64
	sizes  []int
	score  float64
}

func (s *state) key() string {
	var out []byte
	for _, n := range s.at {
		out = binary.AppendUvarint(out, uint64(n))
	}
	for _, n := range s.sums {
		out = binary.AppendVarint(out, n)
	}
	return string(out)
}

// search looks for an execution in which every counter comes to what was read of it. It keeps the states in
// which the transactions were early by their ranks. nil if there was none.
func (e *execution) search(ctx context.Context) (*state, error) {
	noise := func() float64 { return 1 + 0.2*float64(e.try)*e.r.Float64() }
	start := &state{at: make([]int, len(e.lanes)), sums: slices.Clone(e.sums), sizes: make([]int, len(e.sums))}
	for all := []*state{start}; len(all) > 0; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		seen := map[string]bool{}
		var next []*state
		end := true
		for _, s := range all {
			for lane, txns := range e.lanes {
				if s.at[lane] == len(txns) {
					continue
				}
				end = false
				t := txns[s.at[lane]]
				if t.optional {
					next = e.keep(next, seen, s.skip(lane))
				}
				if e.possible(s, t) {
					next = e.keep(next, seen, s.with(e, lane, t, noise()))
				}
			}
		}
		if end {
			return all[0], nil
		}
		slices.SortStableFunc(next, func(a, b *state) int { return cmp.Compare(a.score, b.score) })
		all = next[:min(len(next), width)]
	}
	return nil, nil
}

func (e *execution) keep(all []*state, seen map[string]bool, s *state) []*state {
	if k := s.key(); !seen[k] {
		seen[k] = true
		all = append(all, s)
	}
	return all
}

// skip is the state after a transaction that took no effect.
func (s *state) skip(lane int) *state {
	out := *s
	out.before, out.lane, out.did, out.at = s, lane, false, slices.Clone(s.at)
	out.at[lane]++
	return &out
}

// with is the state after a transaction.
func (s *state) with(e *execution, lane int, t *txn, noise float64) *state {
	out := s.skip(lane)
	out.did, out.score = true, s.score+t.rank*noise
	if len(t.writes) > 0 {
		out.sums, out.sizes = slices.Clone(s.sums), slices.Clone(s.sizes)
	} else {
		out.score = s.score - 1 // takes nothing away
	}
	for _, w := range t.writes {
		out.sums[w.key] += w.amount
		out.sizes[w.key]++
	}
	return out
}

// possible tells whether a transaction finds what it read, and lets no counter pass what was read of it.
func (e *execution) possible(s *state, t *txn) bool {
	e.sums, e.sizes = s.sums, s.sizes
	return e.ready(t)
}
