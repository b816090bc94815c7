package acyclic

import (
	"cmp"
	"slices"
)

// learn concludes a clause from a conflict, up to the first literal of the last
// decision level on which it depends alone, and goes back to where that clause
// implies something. It is false if there is nothing to go back to.
func (s *search) learn(conflict *clause) bool {
	level := int32(0)
	for _, l := range conflict.lits {
		level = max(level, s.level[l.Var()])
	}
	if level == 0 {
		return false
	}
	s.back(int(level))
	lits := s.analyze(conflict, level)
	to := int32(0)
	for i, l := range lits[1:] {
		if s.level[l.Var()] > to {
			to = s.level[l.Var()]
			lits[1], lits[i+1] = lits[i+1], lits[1]
		}
	}
	distance := s.distance(lits)
	s.back(int(to))
	var c *clause
	if len(lits) > 1 {
		c = &clause{lits: lits, learnt: true, distance: distance, activity: float32(s.conflicts)}
		s.learnt = append(s.learnt, c)
		s.literals += len(lits)
		s.watch(c)
	}
	s.assign(lits[0], c)
	return true
}

// analyze resolves a conflict with the reasons of its literals.
func (s *search) analyze(conflict *clause, level int32) []Lit {
	lits := []Lit{0} // room for the first one
	s.bumped = s.bumped[:0]
	open := 0
	at := len(s.trail)
	for c, resolved := conflict, always; ; {
		c.activity = float32(s.conflicts)
		for _, l := range c.lits {
			v := l.Var()
			if l == resolved || s.seen[v] || s.level[v] == 0 {
				continue
			}
			s.seen[v] = true
			s.bumped = append(s.bumped, int32(v))
			if s.level[v] == level {
				open++
			} else {
				lits = append(lits, l)
			}
		}
		for at--; !s.seen[s.trail[at].Var()]; at-- {
		}
		resolved = s.trail[at]
		s.seen[resolved.Var()] = false
		if open--; open == 0 {
			lits[0] = resolved.Not()
			break
		}
		c = s.reason[resolved.Var()]
	}
	s.queue.bump(s.bumped)
	// What the others imply is left out.
	kept := lits[:1]
	all := slices.Clone(lits[1:])
	for _, l := range all {
		if !s.redundant(l) {
			kept = append(kept, l)
		}
	}
	for _, l := range all {
		s.seen[l.Var()] = false
	}
	return kept
}

// redundant tells whether a literal of the learnt clause follows from the others
// by its reason.
func (s *search) redundant(l Lit) bool {
	r := s.reason[l.Var()]
	if r == nil {
		return false
	}
	for _, m := range r.lits {
		if m != l.Not() && !s.seen[m.Var()] && s.level[m.Var()] > 0 {
			return false
		}
	}
	return true
}

// distance is how many decision levels the literals of a clause have.
func (s *search) distance(lits []Lit) int32 {
	s.levelRun++
	n := int32(0)
	for _, l := range lits {
		if v := s.level[l.Var()]; s.levels[v] != s.levelRun {
			s.levels[v] = s.levelRun
			n++
		}
	}
	return n
}

const (
	// keptClauses is how many learnt clauses are kept at least.
	keptClauses = 4000
	// literalBytes is about what a literal of a learnt clause takes, with its
	// share of the clause.
	literalBytes = 16
)

// tooMany tells whether there are many learnt clauses, or they take too much memory.
func (s *search) tooMany() bool {
	return len(s.learnt) >= keptClauses+s.conflicts/4 || s.tooLarge()
}

func (s *search) tooLarge() bool { return int64(s.literals)*literalBytes >= s.o.Memory/2 }

// forget drops the half of the learnt clauses that is of least use. No decision must
// be in force.
func (s *search) forget() {
	slices.SortStableFunc(s.learnt, func(a, b *clause) int {
		return cmp.Or(cmp.Compare(min(a.distance, 8), min(b.distance, 8)), cmp.Compare(b.activity, a.activity))
	})
	drop := map[*clause]bool{}
	n := len(s.learnt) / 2
	for _, c := range s.learnt[n:] {
		if c.distance > 2 || s.tooLarge() {
			drop[c] = true
		}
	}
	kept := s.learnt[:0]
	s.literals = 0
	for _, c := range s.learnt {
		if !drop[c] {
			kept = append(kept, c)
			s.literals += len(c.lits)
		}
	}
	clear(s.learnt[len(kept):])
	s.learnt = kept
	for i, list := range s.watchers {
		s.watchers[i] = slices.DeleteFunc(list, func(w watcher) bool { return w.learnt && drop[w.clause] })
	}
}
