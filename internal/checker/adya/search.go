package adya

import (
	"cmp"
	"context"
	"iter"
	"math/bits"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/isolation"
)

// set is a set of transactions.
type set []uint64

func newSet(n int) set               { return make(set, (n+63)/64) }
func (s set) has(t history.Txn) bool { return s[t>>6]>>(t&63)&1 != 0 }
func (s set) add(t history.Txn)      { s[t>>6] |= 1 << (t & 63) }
func (s set) addAll(u set) (new bool) {
	for i, w := range u {
		new = new || w&^s[i] != 0
		s[i] |= w
	}
	return new
}

// size is the number of transactions.
func (s set) size() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// open is the source of a read that is not chosen.
const open history.Txn = -1

// state is what is known or guessed.
type state struct {
	*facts
	present set           // that took effect
	source  []history.Txn // of reads
	// paths are those of read and write dependencies. Writers of one key are ordered by
	// them.
	paths []set
	// broken: they go round.
	broken bool
}

func (s *state) clone() *state {
	c := &state{facts: s.facts, present: slices.Clone(s.present), source: slices.Clone(s.source), paths: make([]set, len(s.paths)), broken: s.broken}
	for t, p := range s.paths {
		c.paths[t] = slices.Clone(p)
	}
	return c
}

// follow adds a dependency: u comes after t.
func (s *state) follow(t, u history.Txn) {
	if t == u || s.paths[u].has(t) {
		s.broken = true
		return
	}
	if s.paths[t].has(u) {
		return
	}
	for x := range history.Txn(len(s.paths)) {
		if x == t || s.paths[x].has(t) {
			s.paths[x].add(u)
			s.paths[x].addAll(s.paths[u])
		}
	}
}

// assign chooses what a read comes from. That took effect.
func (s *state) assign(i int, t history.Txn) {
	s.source[i] = t
	s.present.add(t)
	s.follow(t, s.reads[i].txn)
}

// reaches tells whether a path of no or more dependencies leads from t to u.
func (s *state) reaches(t, u history.Txn) bool { return t == u || s.paths[t].has(u) }

// order gives the transactions that took effect in an order of the dependencies.
func (s *state) order() []history.Txn {
	var out []history.Txn
	for t := history.Txn(1); int(t) < len(s.paths); t++ {
		if s.present.has(t) {
			out = append(out, t)
		}
	}
	slices.SortStableFunc(out, func(t, u history.Txn) int { return s.paths[u].size() - s.paths[t].size() })
	return out
}

// search looks for orders of the versions.
type search struct {
	ctx   context.Context
	facts *facts
	level isolation.Level
	left  int // guesses
}

// try completes a state. It gives nil if there is no way, or no more guesses.
func (s *search) try(g *state) *state {
	if !s.conclude(g) {
		return nil
	}
	if out := s.dive(g); out != nil {
		return out
	}
	next := s.probe(g)
	for _, c := range next {
		if out := s.try(c); out != nil || s.left < 0 {
			return out
		}
	}
	return nil
}

// guess gives a state with one more guess, nil if it fails.
func (s *search) guess(g *state, guess func(*state)) *state {
	if s.left--; s.left < 0 {
		return nil
	}
	c := g.clone()
	guess(c)
	if !s.conclude(c) {
		return nil
	}
	return c
}

// probe makes every guess alone, and adds to the state the answers without which a question
// has none that fits. It gives the ways to go on: none if a question has no answer,
// and otherwise those of the first question.
func (s *search) probe(g *state) []*state {
	for {
		var first []*state
		changed := false
		for q := range s.questions(g) {
			var ways []*state
			for _, guess := range q {
				if c := s.guess(g, guess); c != nil {
					ways = append(ways, c)
				}
			}
			switch {
			case s.left < 0 || len(ways) == 0:
				return nil
			case len(ways) == 1:
				*g, changed = *ways[0], true
			case first == nil:
				first = ways
			}
		}
		if first == nil {
			return []*state{g} // all is known
		}
		if !changed {
			return first
		}
	}
}

// dive guesses all orders at once, those of one order of the transactions. It gives nil
// if they do not fit, or the source of a read is open.
func (s *search) dive(g *state) *state {
	if slices.ContainsFunc(g.source, func(t history.Txn) bool { return t == open }) {
		return nil
	}
	c := g.clone()
	for _, writers := range g.writers {
		rank := c.rank()
		sorted := slices.DeleteFunc(slices.Clone(writers), func(t history.Txn) bool { return !g.present.has(t) })
		slices.SortFunc(sorted, rank)
		for i := 1; i < len(sorted); i++ {
			c.follow(sorted[i-1], sorted[i])
		}
		if !s.conclude(c) {
			return nil
		}
	}
	return c
}

// rank compares transactions by an order that contains all dependencies, and where they
// do not go round the anti-dependencies. It is a guess of the order of versions.
func (s *state) rank() func(t, u history.Txn) int {
	all := s.antiPaths()
	before, depth := make([]int, len(all)), make([]int, len(all))
	for t := range all {
		before[t], depth[t] = all[t].size(), s.paths[t].size()
	}
	return func(t, u history.Txn) int {
		return cmp.Or(cmp.Compare(before[u], before[t]), cmp.Compare(depth[u], depth[t]), cmp.Compare(s.h.End(t), s.h.End(u)), cmp.Compare(t, u))
	}
}

// questions gives what is open in a state, each with its possible answers: where reads come
// from, and in which order two transactions wrote a key.
func (s *search) questions(g *state) iter.Seq[[]func(*state)] {
	return func(yield func([]func(*state)) bool) {
		for i, r := range g.reads {
			if g.source[i] != open {
				continue
			}
			var answers []func(*state)
			for _, t := range r.from {
				answers = append(answers, func(c *state) { c.assign(i, t) })
			}
			if !yield(answers) {
				return
			}
		}
		rank := g.rank()
		for _, writers := range g.writers {
			for i, t := range writers {
				for _, u := range writers[:i] {
					if !g.present.has(t) || !g.present.has(u) || g.paths[t].has(u) || g.paths[u].has(t) {
						continue
					}
					first, second := t, u
					if rank(u, t) < 0 {
						first, second = u, t
					}
					if !yield([]func(*state){func(c *state) { c.follow(first, second) }, func(c *state) { c.follow(second, first) }}) {
						return
					}
				}
			}
		}
	}
}

// conclude adds what follows from the level, until nothing new does. It fails if the
// level is violated.
func (s *search) conclude(g *state) bool {
	for again := true; again; {
		if g.broken || s.ctx.Err() != nil {
			return false
		}
		again = false
		var missing []set
		if s.level == isolation.PL299 {
			missing = g.antiPaths()
		}
		for i, r := range g.reads {
			from := g.source[i]
			if from == open {
				continue
			}
			for _, w := range g.writers[r.key] {
				if w == r.txn || w == from || !g.present.has(w) || g.paths[w].has(from) || !s.excluded(g, missing, r, w) {
					continue
				}
				// A later version must not have been missed: so it is earlier.
				g.follow(w, from)
				if g.broken {
					return false
				}
				again = true
			}
		}
	}
	return true
}

// excluded tells whether the level excludes that w wrote a later version than the one a
// transaction read.
func (s *search) excluded(g *state, missing []set, r read, w history.Txn) bool {
	switch s.level {
	case isolation.PL2L:
		return g.dependedBefore(r, w)
	case isolation.PL2Plus:
		return g.paths[w].has(r.txn)
	case isolation.PL299:
		if g.overwrites(r) && !g.paths[w].has(r.txn) {
			return false // a version later than its own it does not miss
		}
		return !r.predicate && missing[w].has(r.txn)
	}
	return false
}

// dependedBefore tells whether what a transaction read or wrote up to a read depends on w.
func (s *state) dependedBefore(r read, w history.Txn) bool {
	for _, i := range s.of[r.txn] {
		if q := s.reads[i]; q.op <= r.op && s.source[i] != open && s.reaches(w, s.source[i]) {
			return true
		}
	}
	h := s.h
	for o, _ := h.Ops(r.txn); o < r.op; o++ {
		if !h.Kind(o).Writes() || !h.Writers().Final(o) {
			continue
		}
		for _, p := range s.writers[h.Key(o)] {
			if p != r.txn && s.present.has(p) && s.paths[p].has(r.txn) && s.reaches(w, p) {
				return true
			}
		}
	}
	return false
}

// overwrites tells whether a transaction writes the key of a read.
func (s *state) overwrites(r read) bool { return slices.Contains(s.writers[r.key], r.txn) }

// antiPaths gives the paths of all dependencies, anti-dependencies included.
func (s *state) antiPaths() []set {
	all := make([]set, len(s.paths))
	for t, p := range s.paths {
		all[t] = slices.Clone(p)
	}
	for i, r := range s.reads {
		from := s.source[i]
		if from == open {
			continue
		}
		for _, w := range s.writers[r.key] {
			if w != r.txn && s.present.has(w) && s.paths[from].has(w) {
				all[r.txn].add(w)
			}
		}
	}
	for via := range history.Txn(len(all)) {
		for t := range all {
			if all[t].has(via) {
				all[t].addAll(all[via])
			}
		}
	}
	return all
}
