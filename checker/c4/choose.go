package c4

import (
	"fmt"
	"slices"

	"github.com/txrobust/robust/checker"
	"github.com/txrobust/robust/history"
)

// choose decides a level of a history with reads of duplicate values. It looks
// for an assignment of writers to these reads under which the level holds: every
// assignment that fails gives a violation, and what that needs of the assignment
// is excluded from then on.
func (c *check) choose(base *finding, level int, answer *checker.Answer) error {
	rounds := min(max(200_000_000/max(c.h.NumOps(), 1), minRounds), maxRounds)
	s := &assignments{open: base.open, pick: make([]int, len(base.open)), byLast: make([][]nogood, len(base.open))}
	var last *finding
	for range rounds {
		found, tried := s.next()
		if !tried {
			answer.Why = fmt.Sprintf("%d reads of duplicate values may come from several writes, which are too many to try.", len(s.open))
			return nil
		}
		if !found {
			answer.Verdict = checker.Violated
			answer.Why = fmt.Sprintf("%d reads of duplicate values may come from several writes; all choices fail, and the violation shown is that of one.", len(s.open))
			if last != nil {
				c.addChosen(last, level)
			}
			return nil
		}
		assigned := map[site]history.Txn{}
		for i, o := range s.open {
			assigned[site{o.op, o.key}] = o.from[s.pick[i]]
		}
		f, err := c.run(assigned, nil, level, true)
		if err != nil {
			return err
		}
		if !f.broken[level] {
			answer.Verdict, answer.Order = checker.Satisfied, f.order[level]
			return nil
		}
		last = f
		s.exclude(s.needs(base, f))
	}
	answer.Why = fmt.Sprintf("%d reads of duplicate values may come from several writes; %d ways to choose failed, and others remain.", len(s.open), rounds)
	return nil
}

const (
	minRounds = 16
	maxRounds = 20000
	// searchSteps bounds the search for an assignment that is not excluded.
	searchSteps = 1_000_000
)

// addChosen adds the violation of the last assignment, where all fail. It
// violates the level, although another assignment may satisfy a weaker one that this
// one does not.
func (c *check) addChosen(f *finding, level int) {
	for _, v := range f.violations {
		v.Level = Levels()[level]
		c.violations = append(c.violations, v)
		c.counts[v.Anomaly]++
	}
}

// nogood are picks that do not go together: pairs of an open read and a candidate.
type nogood []literal

type literal struct{ read, pick int }

// assignments goes over the assignments in lexicographic order.
type assignments struct {
	open   []choice
	pick   []int
	byLast [][]nogood // by their last read
}

// next goes to the first assignment, from the current one on, that is not
// excluded. Not tried: there were too many steps.
func (s *assignments) next() (found, tried bool) {
	for range searchSteps {
		at := s.conflict()
		if at < 0 {
			return true, true
		}
		if !s.increase(at) {
			return false, true
		}
	}
	return false, false
}

// conflict gives the first read at which the current assignment is excluded, -1
// if it is not.
func (s *assignments) conflict() int {
	for i := range s.open {
		for _, n := range s.byLast[i] {
			if !slices.ContainsFunc(n, func(l literal) bool { return s.pick[l.read] != l.pick }) {
				return i
			}
		}
	}
	return -1
}

// increase goes to the next assignment of the reads up to one, and to the first
// of the others.
func (s *assignments) increase(at int) bool {
	for i := at + 1; i < len(s.pick); i++ {
		s.pick[i] = 0
	}
	for i := at; i >= 0; i-- {
		if s.pick[i]++; s.pick[i] < len(s.open[i].from) {
			return true
		}
		s.pick[i] = 0
	}
	return false
}

func (s *assignments) exclude(n nogood) {
	last := 0
	for _, l := range n {
		last = max(last, l.read)
	}
	s.byLast[last] = append(s.byLast[last], n)
}

// needs gives the picks that a violation depends on: those of the reads in it,
// and those that make an unknown transaction in it take effect.
func (s *assignments) needs(base, f *finding) nogood {
	at := map[site]int{}
	for i, o := range s.open {
		at[site{o.op, o.key}] = i
	}
	need := map[int]bool{}
	v := f.violations[0]
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
	if out == nil { // exclude just this assignment
		for i := range s.open {
			out = append(out, literal{i, s.pick[i]})
		}
	}
	return out
}
