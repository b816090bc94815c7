package viper

import (
	"context"
	"fmt"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/acyclic"
	"github.com/txrobust/robust/internal/checker/explain"
	"github.com/txrobust/robust/isolation"
)

// explain adds a violation of each of the weakest levels that are violated.
func (c *check) explain(ctx context.Context) error {
	var violated []isolation.Level
	for _, l := range Levels() {
		asked := slices.ContainsFunc(c.o.Levels, func(m isolation.Level) bool { return m.Implies(l) })
		if c.answers[l].Verdict == checker.Violated && asked {
			violated = append(violated, l)
		}
	}
	for _, l := range isolation.Weakest(violated) {
		v, err := c.violation(ctx, l)
		if err != nil {
			return err
		}
		if v != nil {
			c.add(*v)
		}
	}
	return ctx.Err()
}

// violation explains why a level is violated. If that needs the choice of the sources
// of reads, it explains one of them.
func (c *check) violation(ctx context.Context, l isolation.Level) (*checker.Violation, error) {
	s := c.searches[l]
	cycle, err := s.refute(ctx)
	if err != nil {
		return nil, err
	}
	if cycle != nil {
		v := named(c.h, l, cycle)
		return &v, nil
	}
	fixed := map[place]source{}
	for i := range c.facts.reads {
		if r := &c.facts.reads[i]; r.choice >= 0 {
			fixed[place{r.txn, r.key}] = c.facts.choices[r.choice][0]
		}
	}
	c.because(l, fmt.Sprintf("%d reads may come from several writes; all choices fail, and the violation shown is that of one.", len(fixed)))
	f, err := collect(ctx, c.h, fixed)
	if err != nil {
		return nil, err
	}
	one := newSearch(f, l, s.o)
	one.o.Conflicts = s.o.atMost(quickConflicts)
	out, err := one.run(ctx)
	if err != nil || out.verdict != checker.Violated {
		return nil, err
	}
	one.core = out.core
	if cycle, err = one.refute(ctx); err != nil || cycle == nil {
		return nil, err
	}
	return &checker.Violation{Anomaly: explain.General(l), Level: l, Read: -1, Key: -1, Source: -1, Cycle: cycle}, nil
}

// because says something about the verdict of a level, and of those that imply it.
func (c *check) because(l isolation.Level, why string) {
	for m, a := range c.answers {
		if a.Verdict == checker.Violated && m.Implies(l) && a.Why == "" {
			a.Why = why
			c.answers[m] = a
		}
	}
}

const (
	// proofSolves bounds how often the core is tried with fewer pairs, and proofSteps
	// how many cycles are looked for.
	proofSolves = 300
	proofSteps  = 20000
)

// proof shows that the pairs of a core leave no way: which order of which pair would
// close a cycle, one after the other.
type proof struct {
	*polygraph
	ctx   context.Context
	edges []edge // those that may be on a cycle
	core  []pair
	out   map[int32][]int32 // edges by their first node
	truth map[acyclic.Lit]bool
	// cycles are, for literals that were concluded, the cycles of their negations.
	cycles map[acyclic.Lit][]checker.Edge
	trail  []acyclic.Lit
	steps  int
}

// refute gives a cycle that there is whatever is chosen, with the reasons of the
// orders on it; nil if the core does not suffice without the choices of the sources
// of reads, or the proof is too long.
func (s *search) refute(ctx context.Context) ([]checker.Edge, error) {
	q := &proof{polygraph: s.polygraph, ctx: ctx, truth: map[acyclic.Lit]bool{}, cycles: map[acyclic.Lit][]checker.Edge{}}
	for _, i := range s.core {
		q.core = append(q.core, s.pairs[i])
	}
	if !q.minimize(s.o.Seed) {
		return nil, ctx.Err()
	}
	q.out = map[int32][]int32{}
	for i, e := range q.edges {
		q.out[e.from] = append(q.out[e.from], int32(i))
	}
	if len(q.core) == 0 {
		return q.known(), ctx.Err()
	}
	return q.refute(), ctx.Err()
}

// minimize leaves out pairs as long as there is still no way. It is false if there is
// one with all of them.
func (q *proof) minimize(seed uint64) bool {
	part, ok := q.cyclic(q.core, seed)
	if !ok {
		return false
	}
	q.core = part
	solves := 0
	for size := max(1, len(q.core)/2); ; size /= 2 {
		for i := 0; i < len(q.core) && solves < proofSolves; {
			solves++
			without := slices.Delete(slices.Clone(q.core), i, min(i+size, len(q.core)))
			if part, ok := q.cyclic(without, seed); ok {
				// Those before i were tried: the ones that are needed stay at their places.
				i = min(i, len(part))
				q.core = part
			} else {
				i += size
			}
		}
		if size <= 1 {
			return q.ctx.Err() == nil
		}
	}
}

// cyclic tells whether some pairs leave no way, and which of them suffice. It keeps
// the edges that may be on a cycle of theirs.
func (q *proof) cyclic(pairs []pair, seed uint64) (part []pair, ok bool) {
	vars := map[acyclic.Var]acyclic.Var{}
	p := acyclic.NewProblem(int(q.nodes))
	for _, x := range pairs {
		vars[x.v] = p.Var(q.first[x.v])
	}
	from := q.edges
	if from == nil {
		from = q.polygraph.edges
	}
	var taken []edge
	for _, e := range from {
		if e.when == always {
			p.Edge(e.from, e.to)
		} else if v, ok := vars[e.when.Var()]; ok {
			p.When(v.True()|e.when&1, e.from, e.to)
		} else {
			continue
		}
		taken = append(taken, e)
	}
	a, err := p.Solve(q.ctx, acyclic.Options{Conflicts: quickConflicts, Seed: seed})
	if err != nil || a.Verdict != acyclic.Cyclic {
		return nil, false
	}
	of := p.Components()
	q.edges = slices.DeleteFunc(taken, func(e edge) bool { return of[e.from] != of[e.to] })
	for _, x := range pairs {
		if _, needed := slices.BinarySearch(a.Part, vars[x.v]); needed {
			part = append(part, x)
		}
	}
	return part, true
}

// known gives a small cycle of edges that are there in any case.
func (q *proof) known() []checker.Edge {
	var best []int32
	for i, e := range q.edges {
		if q.steps > proofSteps/10 && best != nil || q.ctx.Err() != nil {
			break
		}
		if e.when == always {
			if c := q.around(int32(i), always); c != nil && (best == nil || len(c) < len(best)) {
				best = c
			}
		}
	}
	return q.typed(best)
}

// refute gives a cycle of what is there and what can be concluded.
func (q *proof) refute() []checker.Edge {
	for {
		if q.steps > proofSteps || q.ctx.Err() != nil {
			return nil
		}
		var best []int32
		var closed acyclic.Lit
		open := acyclic.Lit(-1)
		for _, x := range q.core {
			l := x.v.True()
			if q.truth[l] || q.truth[l.Not()] {
				continue
			}
			if open < 0 {
				open = l
			}
			yes, no := q.closing(l), q.closing(l.Not())
			if yes != nil && no != nil {
				if len(yes) > len(no) {
					yes, l = no, l.Not()
				}
				// The shorter one is the reason, the other one the cycle.
				q.conclude(l.Not(), q.supposed(l, yes))
				return q.typed(q.closing(l.Not()))
			}
			if no != nil {
				yes, l = no, l.Not()
			}
			if yes != nil && (best == nil || len(yes) < len(best)) {
				best, closed = yes, l
			}
		}
		switch {
		case best != nil:
			q.conclude(closed.Not(), q.supposed(closed, best))
		case open < 0:
			panic("viper: a core that leaves no way leaves one")
		default:
			n := len(q.trail)
			q.truth[open] = true
			q.trail = append(q.trail, open)
			cycle := q.refute()
			for _, l := range q.trail[n:] {
				delete(q.truth, l)
				delete(q.cycles, l)
			}
			if q.trail = q.trail[:n]; cycle == nil {
				return nil
			}
			q.conclude(open.Not(), cycle)
		}
	}
}

func (q *proof) conclude(l acyclic.Lit, cycle []checker.Edge) {
	q.truth[l], q.cycles[l] = true, cycle
	q.trail = append(q.trail, l)
}

// supposed gives the edges of a cycle that a literal closes.
func (q *proof) supposed(l acyclic.Lit, cycle []int32) []checker.Edge {
	q.truth[l] = true
	defer delete(q.truth, l)
	return q.typed(cycle)
}

// closing gives a shortest cycle that there is if a literal is true; nil if there is none.
func (q *proof) closing(l acyclic.Lit) []int32 {
	var best []int32
	for i, e := range q.edges {
		if e.when == l {
			if c := q.around(int32(i), l); c != nil && (best == nil || len(c) < len(best)) {
				best = c
			}
		}
	}
	return best
}

// around gives a shortest cycle through an edge, if a literal is true.
func (q *proof) around(first int32, l acyclic.Lit) []int32 {
	q.steps++
	start, goal := q.edges[first].to, q.edges[first].from
	by := map[int32]int32{start: -1}
	queue := []int32{start}
	for i := 0; i < len(queue); i++ {
		n := queue[i]
		if n == goal {
			cycle := []int32{first}
			for n != start {
				cycle = append(cycle, by[n])
				n = q.edges[by[n]].from
			}
			slices.Reverse(cycle[1:])
			return cycle
		}
		for _, j := range q.out[n] {
			e := &q.edges[j]
			if _, seen := by[e.to]; !seen && (e.when == always || e.when == l || q.truth[e.when]) {
				by[e.to] = j
				queue = append(queue, e.to)
			}
		}
	}
	return nil
}

// typed gives the dependencies of a cycle: one for each way from one transaction to
// another.
func (q *proof) typed(cycle []int32) []checker.Edge {
	// It begins where an edge leaves a transaction.
	at := slices.IndexFunc(cycle, func(i int32) bool { e := &q.edges[i]; return q.txnOf(e.from) >= 0 && !e.inside })
	if at < 0 {
		return nil
	}
	cycle = slices.Concat(cycle[at:], cycle[:at])
	var out []checker.Edge
	for i := 0; i < len(cycle); i++ {
		e := &q.edges[cycle[i]]
		if e.inside {
			continue // from begin to commit
		}
		from, to := q.txnOf(e.from), q.txnOf(e.to)
		for ; to < 0; i++ {
			to = q.txnOf(q.edges[cycle[i+1]].to)
		}
		out = append(out, q.dependency(e, from, to))
	}
	return out
}

// dependency is what an edge stands for.
func (q *proof) dependency(e *edge, from, to history.Txn) checker.Edge {
	d := checker.Edge{Dependency: e.dep, From: from, To: to, Key: e.key, Read: e.op}
	switch e.dep {
	case isolation.SO, isolation.RT, isolation.WR:
	case isolation.WW:
		d = q.order(e.key, from, to, e.when)
	case isolation.RW:
		if e.of != history.InitialTxn {
			d.Because = []checker.Edge{q.order(e.key, e.of, to, e.when)}
		}
	default:
		panic(fmt.Sprintf("viper: unknown dependency %d", uint8(e.dep)))
	}
	return d
}

// order is that a transaction wrote a key before another one, and why: the opposite would
// close a cycle, or the other one read it.
func (q *proof) order(k history.Key, from, to history.Txn, l acyclic.Lit) checker.Edge {
	d := checker.Edge{Dependency: isolation.WW, From: from, To: to, Key: k, Read: -1}
	if l == always {
		for i := q.firstRead[to]; i < q.firstRead[to+1]; i++ {
			if r := &q.reads[i]; r.key == k {
				d.Because = []checker.Edge{{Dependency: isolation.WR, From: from, To: to, Key: k, Read: r.op}}
			}
		}
		return d
	}
	cycle := q.cycles[l]
	if cycle == nil {
		return d // it is supposed
	}
	opposite := checker.Edge{Dependency: isolation.WW, From: to, To: from, Key: k, Read: -1}
	cycle = slices.Clone(cycle)
	on := slices.IndexFunc(cycle, func(e checker.Edge) bool {
		return e.Dependency == isolation.WW && e.From == to && e.To == from && e.Because == nil
	})
	if on >= 0 {
		d.Because = slices.Concat([]checker.Edge{opposite}, cycle[on+1:], cycle[:on])
		return d
	}
	if cycle[0].From == from { // it would look as if the opposite were on it
		cycle = slices.Concat(cycle[1:], cycle[:1])
	}
	d.Because = append([]checker.Edge{opposite}, cycle...)
	return d
}
