package prefixes

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/txrobust/robust/history"
)

// execution is a guessed one: its transactions happen one after the other.
type execution struct {
	*problem
	r       *rand.Rand
	try     int
	order   [][]history.Op  // the writes of each key
	sums    []int64         // of counters
	ends    []map[int64]int // how many writes of a counter there were when it had a sum, the last time
	lengths map[history.Op]int
	at      []int // by lane
	sizes   []int // how many writes of each key there are
}

// find finds an execution: of counters that grow by a search, otherwise step by step.
func (e *execution) find(ctx context.Context) (bool, error) {
	if !e.counters || !e.grows {
		return e.run(ctx)
	}
	sums, sizes := slices.Clone(e.sums), slices.Clone(e.sizes)
	s, err := e.search(ctx)
	e.sums, e.sizes = sums, sizes
	return s != nil && e.replay(s), err
}

// replay executes what a search found.
func (e *execution) replay(s *state) bool {
	var steps []*state
	for ; s.before != nil; s = s.before {
		steps = append(steps, s)
	}
	for _, s := range slices.Backward(steps) {
		if t := e.lanes[s.lane][s.at[s.lane]-1]; s.did && !e.do(t) {
			return false
		}
	}
	return true
}

// run executes all transactions. Where none can, one of unknown outcome does, or the first by its rank.
func (e *execution) run(ctx context.Context) (bool, error) {
	e.at = make([]int, len(e.lanes))
	var skipped []*txn
	for steps := 0; ; steps++ {
		if steps%256 == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		lane, left := e.next()
		switch {
		case lane >= 0:
			t := e.lanes[lane][e.at[lane]]
			e.at[lane]++
			if t.optional {
				skipped = append(skipped, t)
			} else if !e.do(t) {
				return false, nil
			}
		case !left:
			return true, nil
		default:
			i := slices.IndexFunc(skipped, func(t *txn) bool { return e.ready(t) })
			if i >= 0 {
				e.do(skipped[i])
				skipped = slices.Delete(skipped, i, i+1)
				continue
			}
			if lane := e.first(); !e.do(e.lanes[lane][e.at[lane]]) {
				return false, nil
			} else {
				e.at[lane]++
			}
		}
	}
}

// next is the lane whose transaction comes next; -1 if none can. left tells whether there is one.
func (e *execution) next() (lane int, left bool) {
	lane = -1
	var best [3]float64
	for i, txns := range e.lanes {
		if e.at[i] == len(txns) {
			continue
		}
		left = true
		t := txns[e.at[i]]
		if !t.optional && !e.ready(t) {
			continue
		}
		if t.optional || len(t.writes) == 0 {
			return i, true
		}
		if c := e.cost(t, txns[e.at[i]+1:]); lane < 0 || slices.Compare(c[:], best[:]) < 0 {
			lane, best = i, c
		}
	}
	return lane, left
}

// cost says how late a transaction should come: those first whose sessions read soon, or that write much.
func (e *execution) cost(t *txn, later []*txn) [3]float64 {
	slack := 1e18
	for _, w := range t.writes {
		if e.h.Type(w.key) == history.Counter {
			slack = min(slack, e.slack(w.key, later))
		}
	}
	switch e.try % 4 {
	case 0:
		return [3]float64{slack, t.rank}
	case 1:
		return [3]float64{slack, -float64(len(t.writes)), t.rank}
	case 2:
		return [3]float64{t.rank, slack}
	}
	return [3]float64{slack, e.r.Float64()}
}

// near is how many transactions of a session slack looks at.
const near = 32

// slack is how far a counter is from what the session reads next.
func (e *execution) slack(k history.Key, later []*txn) float64 {
	for _, t := range later[:min(len(later), near)] {
		for _, n := range t.needs {
			if n.key == k {
				return float64(n.sum - e.sums[k])
			}
		}
	}
	return 1e18
}

// ready tells whether what a transaction reads is there, or was, and whether what it adds may come now.
func (e *execution) ready(t *txn) bool {
	for _, n := range t.needs {
		if e.h.Type(n.key) == history.Set {
			if n.size < 0 || e.sizes[n.key] < n.size {
				return false
			}
		} else if !e.had(n.key, n.sum) {
			return false
		}
	}
	for i, w := range t.writes {
		switch {
		case e.h.Type(w.key) == history.Counter:
			if !slices.ContainsFunc(t.writes[:i], func(v write) bool { return v.key == w.key }) && e.passes(t, w.key) {
				return false
			}
		case e.h.Type(w.key) == history.Set && e.sizes[w.key] < w.after && !e.adds(t, w):
			return false
		}
	}
	return true
}

// had tells whether a counter had a sum. One that grows, and passes no sum that was read, had
// all of those up to what it has.
func (e *execution) had(k history.Key, sum int64) bool {
	if e.grows {
		return sum <= e.sums[k]
	}
	_, was := e.ends[k][sum]
	return was
}

// passes tells whether a transaction would let a counter pass a sum that somebody read.
func (e *execution) passes(t *txn, k history.Key) bool {
	sum := e.sums[k]
	for _, w := range t.writes {
		if w.key == k {
			sum += w.amount
		}
	}
	low, high := min(sum, e.sums[k]), max(sum, e.sums[k])
	i, _ := slices.BinarySearch(e.read[k], low+1)
	for ; i < len(e.read[k]) && e.read[k][i] < high; i++ {
		if !e.had(k, e.read[k][i]) {
			return true
		}
	}
	return false
}

// adds tells whether a transaction adds something else to a set of a write that has to come before it.
func (e *execution) adds(t *txn, w write) bool {
	n := e.sizes[w.key]
	for _, v := range t.writes {
		if v.key == w.key && v.after < w.after {
			n++
		}
	}
	return n >= w.after
}

// first is the lane of the transaction with the least rank.
func (e *execution) first() int {
	best := -1
	for i, txns := range e.lanes {
		if e.at[i] < len(txns) && (best < 0 || cmp.Less(txns[e.at[i]].rank, e.lanes[best][e.at[best]].rank)) {
			best = i
		}
	}
	return best
}

// do executes a transaction. It fails if a counter never had what it read.
func (e *execution) do(t *txn) bool {
	for _, n := range t.needs {
		if e.h.Type(n.key) == history.Set {
			e.lengths[n.op] = n.size
			continue
		}
		length, was := e.ends[n.key][n.sum]
		if !was {
			return false
		}
		e.lengths[n.op] = length
	}
	for _, w := range t.writes {
		e.order[w.key] = append(e.order[w.key], w.op)
		e.sums[w.key] += w.amount
		e.sizes[w.key]++
	}
	for _, w := range t.writes {
		if e.h.Type(w.key) == history.Counter {
			e.ends[w.key][e.sums[w.key]] = len(e.order[w.key])
		}
	}
	return true
}
