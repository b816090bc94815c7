package acyclic

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
)

// clause is literals of which one is true. The first two are watched. A clause that
// is only the reason of a literal has this one first.
type clause struct {
	lits     []Lit
	learnt   bool
	distance int32 // number of decision levels when it was learnt
	activity float32
}

type watcher struct {
	*clause
	other Lit // of the clause: if it is true there is nothing to do
}

// search is conflict-driven clause learning for one group.
type search struct {
	o        Options
	order    *order
	acyclic  bool
	edges    adjacency // by literal: node is the index of an arc
	arcs     []arc
	random   *rand.Rand
	value    []int8 // of literals: 1 true, -1 false, 0 undecided
	level    []int32
	reason   []*clause
	phase    []bool
	trail    []Lit
	limits   []int32 // of decision levels: the length of the trail before
	added    []int32 // and how many edges there were
	head     int     // of the trail: what was propagated by clauses
	edgeHead int     // and by edges
	watchers [][]watcher
	queue    queue
	bumped   []int32 // of the conflict that is analyzed
	learnt   []*clause
	literals int // of learnt clauses
	seen     []bool
	levels   []int32 // the last run that saw a level
	levelRun int32
	broken   bool // a clause is false without any decision
	ctx      context.Context
	looked   int  // at how much work of the order the context was looked at
	over     bool // the time

	conflicts int
}

// search prepares the search of a group.
func (g *group) search(o Options) *search {
	n := len(g.first)
	s := &search{
		o: o, random: rand.New(rand.NewPCG(o.Seed, 0)), value: make([]int8, 2*n), level: make([]int32, n), reason: make([]*clause, n),
		phase: slices.Clone(g.first), watchers: make([][]watcher, 2*n), seen: make([]bool, n), levels: make([]int32, n+1),
	}
	s.order, s.acyclic = newOrder(g)
	s.queue = newQueue(n)
	s.arcs = make([]arc, len(g.edges))
	index := int32(-1)
	for i, e := range g.edges {
		s.arcs[i] = e.arc
	}
	s.edges = adjacent(2*n, g.edges, func(e conditional) int32 { return int32(e.when) }, func(e conditional) labelled {
		index++
		return labelled{index, e.when}
	})
	for _, c := range g.clauses {
		s.require(c)
	}
	return s
}

// require adds a clause of the problem, before the search.
func (s *search) require(lits []Lit) {
	lits = slices.Clone(lits)
	slices.Sort(lits)
	lits = slices.Compact(lits)
	for i := 1; i < len(lits); i++ {
		if lits[i] == lits[i-1].Not() && lits[i].Var() == lits[i-1].Var() {
			return
		}
	}
	if len(lits) == 1 {
		switch s.value[lits[0]] {
		case 0:
			s.assign(lits[0], nil)
		case -1:
			s.broken = true
		}
		return
	}
	s.watch(&clause{lits: lits})
}

func (s *search) watch(c *clause) {
	s.watchers[c.lits[0]] = append(s.watchers[c.lits[0]], watcher{c, c.lits[1]})
	s.watchers[c.lits[1]] = append(s.watchers[c.lits[1]], watcher{c, c.lits[0]})
}

func (s *search) assign(l Lit, reason *clause) {
	s.value[l], s.value[l.Not()] = 1, -1
	s.level[l.Var()], s.reason[l.Var()] = int32(len(s.limits)), reason
	s.trail = append(s.trail, l)
}

// restartUnit is how many conflicts the shortest time between restarts has.
const restartUnit = 100

// run looks for values of the variables.
func (s *search) run(ctx context.Context) groupAnswer {
	if !s.acyclic {
		return groupAnswer{verdict: Cyclic, known: true}
	}
	if s.broken {
		return groupAnswer{verdict: Cyclic}
	}
	restart := restartUnit
	s.ctx = ctx
	for steps, restarts := 0, 1; ; steps++ {
		conflict := s.propagate()
		if s.over || steps&255 == 0 && ctx.Err() != nil {
			return groupAnswer{why: "There was no more time.", conflicts: s.conflicts}
		}
		if conflict != nil {
			if s.conflicts++; !s.learn(conflict) {
				return groupAnswer{verdict: Cyclic, conflicts: s.conflicts}
			}
			if s.o.Conflicts > 0 && s.conflicts >= s.o.Conflicts {
				return groupAnswer{why: fmt.Sprintf("The search gave up after %d conflicts.", s.conflicts), conflicts: s.conflicts}
			}
			restart--
			continue
		}
		if restart <= 0 {
			restarts++
			restart = restartUnit * luby(restarts)
			s.restart()
			continue
		}
		if !s.decide() {
			return groupAnswer{verdict: Acyclic, values: s.values(), conflicts: s.conflicts}
		}
	}
}

// restart goes back to where the next decision would have been another one, or to the
// start if learnt clauses have to be forgotten.
func (s *search) restart() {
	if s.tooMany() {
		s.back(0)
		s.forget()
		return
	}
	next := s.queue.next(s.undecided)
	if next < 0 {
		return
	}
	for level, n := range s.limits {
		if s.queue.moved[s.trail[n].Var()] < s.queue.moved[next] {
			s.back(level)
			return
		}
	}
}

func (s *search) undecided(v int32) bool { return s.value[Var(v).True()] == 0 }

func (s *search) values() []bool {
	out := make([]bool, len(s.level))
	for v := range out {
		out[v] = s.value[Var(v).True()] > 0
	}
	return out
}

// decide takes the undecided variable that had to do with a conflict last. It is
// false if there is none.
func (s *search) decide() bool {
	v := s.queue.next(s.undecided)
	if v < 0 {
		return false
	}
	s.limits = append(s.limits, int32(len(s.trail)))
	s.added = append(s.added, int32(len(s.order.stack)))
	phase := s.phase[v]
	// A little chance helps out of places where the search goes on too long.
	if s.conflicts > 1000 && s.random.IntN(500) == 0 {
		phase = !phase
	}
	l := Var(v).False()
	if phase {
		l = Var(v).True()
	}
	s.assign(l, nil)
	return true
}

// back undoes all decisions above a level.
func (s *search) back(level int) {
	if len(s.limits) <= level {
		return
	}
	n := int(s.limits[level])
	for i := len(s.trail) - 1; i >= n; i-- {
		l := s.trail[i]
		v := l.Var()
		s.value[l], s.value[l.Not()] = 0, 0
		s.reason[v] = nil
		s.phase[v] = l == v.True()
		s.queue.undecide(int32(v))
	}
	s.trail = s.trail[:n]
	s.order.undo(int(s.added[level]))
	s.limits, s.added = s.limits[:level], s.added[:level]
	s.head, s.edgeHead = n, n
}

// propagate concludes what the decisions imply, by clauses and by edges. It gives
// a clause that is false, if there is one.
func (s *search) propagate() *clause {
	for {
		if c := s.propagateClauses(); c != nil {
			return c
		}
		if s.edgeHead == len(s.trail) {
			return nil
		}
		// Long work is interrupted.
		if s.order.work-s.looked > 1<<16 {
			s.looked = s.order.work
			if s.over = s.ctx.Err() != nil; s.over {
				return nil
			}
		}
		l := s.trail[s.edgeHead]
		s.edgeHead++
		if c := s.addEdges(l); c != nil {
			return c
		}
	}
}

// addEdges adds the edges of a literal that became true.
func (s *search) addEdges(l Lit) *clause {
	for _, e := range s.edges.at(int32(l)) {
		a := s.arcs[e.node]
		cycle, searched := s.order.add(a, l)
		if cycle != nil {
			return &clause{lits: negated(cycle)}
		}
		if searched {
			s.order.closing(a, l, func(l Lit) bool { return s.value[l] == 0 }, func(l Lit, path []Lit) {
				s.assign(l.Not(), &clause{lits: append([]Lit{l.Not()}, negated(path)...)})
			})
		}
	}
	return nil
}

func negated(lits []Lit) []Lit {
	out := make([]Lit, len(lits))
	for i, l := range lits {
		out[i] = l.Not()
	}
	return out
}

func (s *search) propagateClauses() *clause {
	for s.head < len(s.trail) {
		f := s.trail[s.head].Not() // became false
		s.head++
		list := s.watchers[f]
		kept := list[:0]
		for i, w := range list {
			if s.value[w.other] > 0 {
				kept = append(kept, w)
				continue
			}
			lits := w.lits
			if lits[0] == f {
				lits[0], lits[1] = lits[1], f
			}
			if s.value[lits[0]] > 0 {
				kept = append(kept, watcher{w.clause, lits[0]})
				continue
			}
			if s.rewatch(w.clause) {
				continue
			}
			kept = append(kept, watcher{w.clause, lits[0]})
			if s.value[lits[0]] < 0 {
				kept = append(kept, list[i+1:]...)
				s.watchers[f] = kept
				return w.clause
			}
			s.assign(lits[0], w.clause)
		}
		clear(list[len(kept):])
		s.watchers[f] = kept
	}
	return nil
}

// rewatch replaces the second literal of a clause, which is false, by another one
// that is not.
func (s *search) rewatch(c *clause) bool {
	for i := 2; i < len(c.lits); i++ {
		if s.value[c.lits[i]] >= 0 {
			c.lits[1], c.lits[i] = c.lits[i], c.lits[1]
			s.watchers[c.lits[1]] = append(s.watchers[c.lits[1]], watcher{c, c.lits[0]})
			return true
		}
	}
	return false
}

// luby is the sequence 1, 1, 2, 1, 1, 2, 4, …, from 1.
func luby(i int) int {
	for k := 1; ; k++ {
		switch n := 1<<k - 1; {
		case i == n:
			return 1 << (k - 1)
		case i < n:
			return luby(i - (1<<(k-1) - 1))
		}
	}
}
