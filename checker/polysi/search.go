package polysi

import (
	"container/heap"
	"fmt"
	"slices"

	"github.com/txrobust/robust/checker"
	"github.com/txrobust/robust/checker/internal/acyclic"
	"github.com/txrobust/robust/history"
)

// search decides what saturation left open.
func (p *polygraph) search(a checker.Answer) (checker.Answer, *checker.Violation, error) {
	if p.hopeless {
		a.Verdict = checker.Violated
		return a, nil, nil
	}
	if len(p.open) == 0 && len(p.initials) == 0 {
		return p.refine(a)
	}
	e := p.encode()
	if err := p.ctx.Err(); err != nil {
		return a, nil, err
	}
	if e == nil {
		a.Why = fmt.Sprintf("There are more pairs of writes in unknown order than fit into %d MB.", p.o.Memory>>20)
		return a, nil, nil
	}
	found, err := e.problem.Solve(p.ctx, acyclic.Options{Workers: p.o.Workers, Memory: p.o.Memory / 2, Conflicts: p.o.Conflicts, Seed: p.o.Seed})
	if err != nil {
		return a, nil, err
	}
	switch found.Verdict {
	case acyclic.Acyclic:
		a.Verdict = checker.Satisfied
		a.Order, a.Snapshots = e.witness(found.Values)
	case acyclic.Cyclic:
		a.Verdict = checker.Violated
		if len(p.open) > 0 || len(p.initials) > 0 {
			return a, nil, nil
		}
		return a, p.violation(e.smallest(found.Part)), nil
	case acyclic.Unknown:
		a.Why = found.Why
	default:
		panic("polysi: " + found.Verdict.String())
	}
	return a, nil, nil
}

// witness gives the commit order, and how many commits each transaction sees.
func (e *encoder) witness(values []bool) (order []history.Txn, snapshots []int32) {
	began := make([]int32, e.h.NumTxns())
	for _, n := range e.problem.Order(values) {
		t := e.txnOf[n]
		if v, ok := e.happened[t]; t == history.InitialTxn || e.reads.maybe[t] && !(ok && values[v]) {
			continue
		}
		if n == e.begin[t] {
			began[t] = int32(len(order))
		}
		if n == e.commit[t] {
			order = append(order, t)
			snapshots = append(snapshots, began[t])
		}
	}
	return order, snapshots
}

const (
	// smallTests bounds how often pairs are left out to see if there is still no
	// way, and smallConflicts how long that may take each time.
	smallTests     = 300
	smallConflicts = 2000
)

// smallest leaves out pairs, of those whose orders leave no way, as long as there is
// still none.
func (e *encoder) smallest(part []acyclic.Var) []pair {
	var pairs []pair
	for _, v := range part {
		pairs = append(pairs, e.pairs[v])
	}
	component := e.only(e.edges, pairs).Components()
	var known []edge
	for _, x := range e.edges {
		if component[x.from] == component[x.to] {
			known = append(known, x)
		}
	}
	tests := 0
	for size := (len(pairs) + 1) / 2; size > 0; {
		smaller := false
		for at := 0; at < len(pairs) && tests < smallTests; {
			rest := slices.Concat(pairs[:at], pairs[min(at+size, len(pairs)):])
			a, err := e.only(known, rest).Solve(e.ctx, acyclic.Options{Conflicts: smallConflicts})
			if tests++; err == nil && a.Verdict == acyclic.Cyclic {
				pairs, smaller = rest, true
			} else {
				at += size
			}
		}
		if tests >= smallTests || size == 1 && !smaller {
			break
		}
		if size > 1 || !smaller {
			size = max(size/2, 1)
		}
	}
	return pairs
}

// only makes a problem of some edges and pairs alone.
func (e *encoder) only(known []edge, pairs []pair) *acyclic.Problem {
	some := &encoder{polygraph: e.polygraph, problem: acyclic.NewProblem(len(e.txnOf))}
	for _, x := range known {
		some.problem.Edge(x.from, x.to)
	}
	for _, x := range pairs {
		v := some.problem.Var(true)
		some.order(v.True(), x.x, x.y)
		some.order(v.False(), x.y, x.x)
	}
	return some.problem
}

// guessOrder gives the places of the nodes in an order that all known edges follow,
// and that may be that of the database: by the time of the end where it is
// known, otherwise as if all sessions went on evenly.
func (p *polygraph) guessOrder() []int32 {
	n := len(p.txnOf)
	q := &guess{key: p.times()}
	missing := make([]int32, n)
	next := make([][]int32, n)
	for i := range p.edges {
		e := &p.edges[i]
		missing[e.to]++
		next[e.from] = append(next[e.from], e.to)
	}
	for i := range int32(n) {
		if missing[i] == 0 {
			q.nodes = append(q.nodes, i)
		}
	}
	heap.Init(q)
	place := make([]int32, n)
	for at := int32(0); q.Len() > 0; at++ {
		i := heap.Pop(q).(int32)
		place[i] = at
		for _, m := range next[i] {
			if missing[m]--; missing[m] == 0 {
				heap.Push(q, m)
			}
		}
	}
	return place
}

// guess is nodes that may come next, the one with the least key first.
type guess struct {
	nodes []int32
	key   []float64
}

func (g *guess) Len() int      { return len(g.nodes) }
func (g *guess) Swap(i, j int) { g.nodes[i], g.nodes[j] = g.nodes[j], g.nodes[i] }
func (g *guess) Push(x any)    { g.nodes = append(g.nodes, x.(int32)) }
func (g *guess) Less(i, j int) bool {
	a, b := g.nodes[i], g.nodes[j]
	return g.key[a] < g.key[b] || g.key[a] == g.key[b] && a < b
}

func (g *guess) Pop() any {
	x := g.nodes[len(g.nodes)-1]
	g.nodes = g.nodes[:len(g.nodes)-1]
	return x
}
