package c4

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
)

// choose decides a level of a history with reads of duplicate values, or of keys of
// which it is not known what they held initially. It looks
// for an assignment of writers to these reads under which the level holds: every
// assignment that fails gives violations, and what these need of the assignment
// is excluded from then on.
//
// base leaves the reads in question out, plain lets no key have been initially
// what others wrote.
func (c *check) choose(base, plain *finding, level int, answer *checker.Answer) error {
	rounds := min(max(roundWork/max(c.h.NumOps(), 1), minRounds), maxRounds)
	s := newAssignments(c.h, base.open)
	last := plain
	for range rounds {
		found, tried := s.next()
		if !tried {
			answer.Why = fmt.Sprintf("%d reads may come from several writes, which are too many to try.", len(s.open))
			return nil
		}
		if !found {
			answer.Verdict = checker.Violated
			answer.Why = fmt.Sprintf("%d reads may come from several writes; all choices fail, and the violations shown are those of one.", len(s.open))
			c.addChosen(last, level)
			return nil
		}
		assigned := map[site]history.Txn{}
		for i, o := range s.open {
			assigned[site{o.op, o.key}] = o.from[s.pick[i]]
		}
		f, err := c.run(assigned, base.free, level, false, roundLimit)
		if err != nil {
			return err
		}
		if !f.broken[level] {
			answer.Verdict, answer.Order = checker.Satisfied, f.order[level]
			return nil
		}
		last = f
		for _, v := range f.violations {
			s.exclude(s.needs(base, f, v))
		}
	}
	answer.Why = fmt.Sprintf("%d reads may come from several writes; %d ways to choose failed, and others remain.", len(s.open), rounds)
	return nil
}

const (
	// roundWork bounds how many operations are looked at in all rounds.
	roundWork = 4_000_000
	// roundLimit is how many violations of each kind a round learns from.
	roundLimit = 5
	minRounds  = 16
	maxRounds  = 20000
	// searchWork bounds how often something that is excluded is compared with an
	// assignment, in all rounds.
	searchWork = 10_000_000
)

// addChosen adds the violation of the last assignment, where all fail. It
// violates the level, although another assignment may satisfy a weaker one that this
// one does not.
func (c *check) addChosen(f *finding, level int) {
	for _, v := range f.violations {
		if !Levels()[level].Implies(v.Level) {
			continue
		}
		v.Level, v.OneChoice = Levels()[level], true
		c.violations = append(c.violations, v)
		c.counts[v.Anomaly]++
	}
}

// nogood are picks that do not go together, by ascending reads.
type nogood []literal

// literal is a pick of an open read.
type literal struct{ read, pick int }

// assignments searches for picks that are not excluded: by backtracking that
// learns, so that what failed for the same reason is not tried again.
type assignments struct {
	h      *history.History
	open   []choice
	pick   []int
	byLast [][]nogood // by their last read
	empty  bool       // everything is excluded
	work   int
}

func newAssignments(h *history.History, open []choice) *assignments {
	s := &assignments{h: h, pick: make([]int, len(open)), byLast: make([][]nogood, len(open))}
	for _, o := range open {
		// Sessions proceed about evenly: try the latest write before the read
		// first.
		at := s.progress(h.TxnOf(o.op))
		distance := func(t history.Txn) float64 {
			if d := at - s.progress(t); d > 0 {
				return d
			} else {
				return 2 - d
			}
		}
		o.from = slices.Clone(o.from)
		slices.SortStableFunc(o.from, func(t, u history.Txn) int { return cmp.Compare(distance(t), distance(u)) })
		s.open = append(s.open, o)
	}
	s.oneInitial()
	return s
}

// oneInitial excludes that two values of a key are both what it held initially.
func (s *assignments) oneInitial() {
	first := map[history.Key][]int{}
	for j, o := range s.open {
		pick := slices.Index(o.from, history.InitialTxn)
		if pick < 0 {
			continue
		}
		for _, i := range first[o.key] {
			if p := s.open[i]; p.value != o.value {
				s.exclude(nogood{{i, slices.Index(p.from, history.InitialTxn)}, {j, pick}})
			}
		}
		first[o.key] = append(first[o.key], j)
	}
}

// progress says how far in its session a transaction is, from 0 to 1.
func (s *assignments) progress(t history.Txn) float64 {
	if t == history.InitialTxn {
		return 0
	}
	first, end := s.h.Txns(s.h.SessionOf(t))
	return float64(t-first+1) / float64(end-first+1)
}

// next finds picks that are not excluded, as far as possible those of the last
// time. Not tried: there were too many steps.
func (s *assignments) next() (found, tried bool) {
	for i := 0; i < len(s.open); {
		if s.empty || s.work > searchWork {
			return false, s.empty
		}
		old := s.pick[i]
		var learned nogood
		ok := false
		for n := range s.open[i].from {
			s.pick[i] = (old + n) % len(s.open[i].from)
			blocked := s.blocked(i)
			if ok = blocked == nil; ok {
				break
			}
			for _, l := range blocked[:len(blocked)-1] {
				if !slices.Contains(learned, l) {
					learned = append(learned, l)
				}
			}
		}
		if ok {
			i++
			continue
		}
		s.pick[i] = old
		slices.SortFunc(learned, func(a, b literal) int { return a.read - b.read })
		s.exclude(learned)
		if len(learned) > 0 {
			i = learned[len(learned)-1].read
		}
	}
	return !s.empty, true
}

// blocked gives what excludes the pick of read i, together with those before.
func (s *assignments) blocked(i int) nogood {
	for j, n := range s.byLast[i] {
		if !slices.ContainsFunc(n, func(l literal) bool { return s.pick[l.read] != l.pick }) {
			s.work += j + 1
			return n
		}
	}
	s.work += len(s.byLast[i]) + 1
	return nil
}

// exclude notes picks that do not go together.
func (s *assignments) exclude(n nogood) {
	if len(n) == 0 {
		s.empty = true
		return
	}
	last := n[len(n)-1].read
	s.byLast[last] = append(s.byLast[last], n)
}

// needs gives the picks that a violation depends on: those of the reads in it,
// and those that make an unknown transaction in it take effect.
func (s *assignments) needs(base, f *finding, v checker.Violation) nogood {
	at := map[site]int{}
	for i, o := range s.open {
		at[site{o.op, o.key}] = i
	}
	need := map[int]bool{}
	var walk func(es []checker.Edge)
	walk = func(es []checker.Edge) {
		for _, e := range es {
			if i, ok := at[site{e.Read, e.Key}]; ok && e.Read >= 0 {
				need[i] = true
			}
			walk(e.Because)
		}
	}
	walk(v.Cycle)
	for _, t := range v.Txns(f.h) {
		if base.live[t] || !f.live[t] || f.h.Status(t) != history.Unknown {
			continue
		}
		for i, o := range s.open {
			if o.from[s.pick[i]] == t {
				need[i] = true
				break
			}
		}
	}
	var out nogood
	for i := range s.open {
		if need[i] {
			out = append(out, literal{i, s.pick[i]})
		}
	}
	if out == nil { // to be safe, exclude just this assignment
		for i := range s.open {
			out = append(out, literal{i, s.pick[i]})
		}
	}
	return out
}
