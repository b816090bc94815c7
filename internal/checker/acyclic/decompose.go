package acyclic

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// Solve looks for choices that leave no cycle. The error is that of the context.
func (p *Problem) Solve(ctx context.Context, o Options) (Answer, error) {
	if o.Memory == 0 {
		o.Memory = defaultMemory
	}
	if need := p.bytes(); need > o.Memory {
		return Answer{Why: "The choices would take more memory than the search may use."}, nil
	}
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}
	groups, ok := p.decompose()
	if !ok {
		return Answer{Verdict: Cyclic}, nil
	}
	answers := make([]groupAnswer, len(groups))
	solve(ctx, groups, answers, o)
	out := Answer{Verdict: Acyclic, Values: slices.Clone(p.first)}
	for i, a := range answers {
		out.Conflicts += a.conflicts
		switch a.verdict {
		case Cyclic:
			if a.known {
				return Answer{Verdict: Cyclic, Conflicts: out.Conflicts}, nil
			}
			return Answer{Verdict: Cyclic, Part: groups[i].vars, Conflicts: out.Conflicts}, nil
		case Unknown:
			out.Verdict, out.Why = Unknown, a.why
		case Acyclic:
			for j, v := range groups[i].vars {
				out.Values[v] = a.values[j]
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}
	if out.Verdict == Unknown {
		out.Values = nil
	}
	return out, nil
}

// bytes is about what the search needs.
func (p *Problem) bytes() int64 {
	lits := 0
	for _, c := range p.clauses {
		lits += len(c)
	}
	return 60*int64(p.nodes) + 16*int64(len(p.known)) + 40*int64(len(p.edges)) + 160*int64(len(p.first)) + 100*int64(len(p.clauses)) + 8*int64(lits)
}

type groupAnswer struct {
	verdict   Verdict
	known     bool // Cyclic without any choice
	why       string
	values    []bool
	conflicts int
}

// solve solves groups, some at a time. Those after a Cyclic one are left out, so that
// the first Cyclic one does not depend on who is faster.
func solve(ctx context.Context, groups []*group, answers []groupAnswer, o Options) {
	var next, end atomic.Int64
	end.Store(int64(len(groups)))
	work := func() {
		for {
			i := next.Add(1) - 1
			if i >= end.Load() || ctx.Err() != nil {
				return
			}
			if answers[i] = groups[i].search(o).run(ctx); answers[i].verdict != Cyclic {
				continue
			}
			for e := end.Load(); i < e && !end.CompareAndSwap(e, i); e = end.Load() {
			}
		}
	}
	var wg sync.WaitGroup
	for range min(o.Workers, len(groups)) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
}

// group is components that share variables, with nodes and variables of its own.
type group struct {
	Problem
	vars []Var // in the whole problem
}

// decompose splits a problem by the strongly connected components of all edges that
// may be there. It is not ok if a clause is empty or edges that are there in any
// case loop.
func (p *Problem) decompose() (groups []*group, ok bool) {
	for _, a := range p.known {
		if a.from == a.to {
			return nil, false
		}
	}
	for _, c := range p.clauses {
		if len(c) == 0 {
			return nil, false
		}
	}
	s := newSplitter(p)
	for v, used := range s.used {
		if used {
			g := s.group(int32(v))
			s.vars[v] = g.Var(p.first[v])
			g.vars = append(g.vars, Var(v))
		}
	}
	// Edges that are there in any case may make a cycle by themselves.
	for _, a := range p.known {
		if s.inner(a) {
			g := s.group(s.component(a))
			g.Edge(s.node(g, a.from), s.node(g, a.to))
		}
	}
	for _, e := range p.edges {
		if s.inner(e.arc) {
			g := s.group(int32(e.when.Var()))
			g.When(s.lit(e.when), s.node(g, e.from), s.node(g, e.to))
		}
	}
	for _, c := range p.clauses {
		mapped := make([]Lit, len(c))
		for i, l := range c {
			mapped[i] = s.lit(l)
		}
		s.group(int32(c[0].Var())).Clause(mapped...)
	}
	return s.groups, true
}

// splitter gives the parts of a problem to groups.
type splitter struct {
	of     []int32 // of nodes: their component
	sets   sets    // of variables, and components after them
	used   []bool  // of variables: they matter
	byRoot map[int32]*group
	groups []*group
	// In their groups:
	vars  []Var
	nodes []int32 // -1 if it has no number yet
}

// newSplitter finds what belongs together: components by the variables of the edges
// in them, and variables by clauses.
func newSplitter(p *Problem) *splitter {
	n := len(p.first)
	s := &splitter{
		of: p.Components(), sets: newSets(n + p.nodes), used: make([]bool, n), byRoot: map[int32]*group{},
		vars: make([]Var, n), nodes: make([]int32, p.nodes),
	}
	for i := range s.nodes {
		s.nodes[i] = -1
	}
	for _, e := range p.edges {
		if v := e.when.Var(); s.inner(e.arc) {
			s.sets.join(int32(v), s.component(e.arc))
			s.used[v] = true
		}
	}
	for _, c := range p.clauses {
		for _, l := range c {
			s.sets.join(int32(l.Var()), int32(c[0].Var()))
			s.used[l.Var()] = true
		}
	}
	return s
}

// inner tells whether an edge is within a component.
func (s *splitter) inner(a arc) bool { return s.of[a.from] == s.of[a.to] }

// component is the member of the sets that stands for the component of an edge.
func (s *splitter) component(a arc) int32 { return int32(len(s.used)) + s.of[a.from] }

// group gives the group of a member of the sets.
func (s *splitter) group(member int32) *group {
	root := s.sets.find(member)
	g := s.byRoot[root]
	if g == nil {
		g = &group{}
		s.byRoot[root] = g
		s.groups = append(s.groups, g)
	}
	return g
}

// node gives the number of a node in its group.
func (s *splitter) node(g *group, n int32) int32 {
	if s.nodes[n] < 0 {
		s.nodes[n] = int32(g.nodes)
		g.nodes++
	}
	return s.nodes[n]
}

func (s *splitter) lit(l Lit) Lit { return s.vars[l.Var()].True() | l&1 }

// Components gives every node the number of its strongly connected component in the
// graph of all edges that may be there, by Tarjan's algorithm without recursion. Other
// edges than those within a component are on no cycle.
func (p *Problem) Components() []int32 {
	first, to := p.successors()
	of := make([]int32, p.nodes)
	low := make([]int32, p.nodes) // 0 is not visited
	at := slices.Clone(first[:p.nodes])
	var stack, path []int32
	visited, number := int32(0), int32(0)
	for i := range of {
		of[i] = -1
	}
	index := make([]int32, p.nodes)
	for root := range int32(p.nodes) {
		if low[root] != 0 {
			continue
		}
		path = append(path[:0], root)
		for len(path) > 0 {
			n := path[len(path)-1]
			if low[n] == 0 {
				visited++
				low[n], index[n] = visited, visited
				stack = append(stack, n)
			}
			if at[n] < first[n+1] {
				m := to[at[n]]
				at[n]++
				switch {
				case low[m] == 0:
					path = append(path, m)
				case of[m] < 0:
					low[n] = min(low[n], index[m])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				parent := path[len(path)-1]
				low[parent] = min(low[parent], low[n])
			}
			if low[n] == index[n] {
				for {
					m := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					of[m] = number
					if m == n {
						break
					}
				}
				number++
			}
		}
	}
	return of
}

// successors gives the nodes after each, by any edge: those of n are to[first[n]]
// up to to[first[n+1]].
func (p *Problem) successors() (first, to []int32) {
	first = make([]int32, p.nodes+1)
	for _, a := range p.known {
		first[a.from+1]++
	}
	for _, e := range p.edges {
		first[e.from+1]++
	}
	for n := range p.nodes {
		first[n+1] += first[n]
	}
	to = make([]int32, first[p.nodes])
	at := slices.Clone(first[:p.nodes])
	put := func(a arc) { to[at[a.from]] = a.to; at[a.from]++ }
	for _, a := range p.known {
		put(a)
	}
	for _, e := range p.edges {
		put(e.arc)
	}
	return first, to
}

// sets are disjoint sets of numbers.
type sets []int32

func newSets(n int) sets {
	s := make(sets, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

func (s sets) find(x int32) int32 {
	for s[x] != x {
		s[x] = s[s[x]]
		x = s[x]
	}
	return x
}

func (s sets) join(x, y int32) { s[s.find(x)] = s.find(y) }
