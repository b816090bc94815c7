package polysi

import (
	"fmt"

	"github.com/txrobust/robust/checker"
	"github.com/txrobust/robust/checker/internal/acyclic"
	"github.com/txrobust/robust/history"
)

// refine looks for an execution with the scheduler. Where that gets the order of two writes
// wrong, their pair becomes part of the problem that the search solves, and what it finds is
// scheduled again, until there is an execution without a clash, or no way for the pairs so far.
func (p *polygraph) refine(a checker.Answer) (checker.Answer, *checker.Violation, error) {
	e := &encoder{polygraph: p, problem: acyclic.NewProblem(len(p.txnOf))}
	for i := range p.edges {
		e.problem.Edge(p.edges[i].from, p.edges[i].to)
	}
	known := map[[2]int32]bool{}
	plan := p.newPlan()
	var values []bool
	for round := 1; ; round++ {
		order, clashes, err := plan.schedule(e.chosen(values), maxClashes)
		if err != nil {
			return a, nil, err
		}
		p.stats.Rounds, p.stats.Pairs = round, len(e.pairs)
		if len(clashes) == 0 {
			a.Verdict = checker.Satisfied
			a.Order, a.Snapshots = p.witness(order)
			return a, nil, nil
		}
		before := len(e.pairs)
		for _, c := range clashes {
			x, y := p.chainOf(c.first), p.chainOf(c.second)
			if key := [2]int32{min(x.head, y.head), max(x.head, y.head)}; !known[key] {
				known[key] = true
				e.addPair(pair{x: x, y: y})
			}
		}
		if len(e.pairs) == before {
			panic("polysi: an order of two writes is not followed")
		}
		found, err := e.problem.Solve(p.ctx, acyclic.Options{Workers: p.o.Workers, Memory: p.o.Memory / 2, Conflicts: p.o.Conflicts, Seed: p.o.Seed})
		if err != nil {
			return a, nil, err
		}
		p.stats.Conflicts += found.Conflicts
		switch found.Verdict {
		case acyclic.Acyclic:
			values = found.Values
			for v, is := range values {
				e.problem.Prefer(acyclic.Var(v), is)
			}
		case acyclic.Cyclic:
			a.Verdict = checker.Violated
			return a, p.violation(e.smallest(found.Part)), nil
		case acyclic.Unknown:
			a.Why = found.Why
			return a, nil, nil
		default:
			panic(fmt.Sprintf("polysi: %s", found.Verdict))
		}
	}
}

// maxClashes is how many clashes end a schedule. Those that come later are often due to those before.
const maxClashes = 100

// addPair adds that one of two chains is before the other.
func (e *encoder) addPair(x pair) {
	v := e.problem.Var(true)
	e.pairs = append(e.pairs, x)
	e.pairVars = append(e.pairVars, v)
	e.order(v.True(), x.x, x.y)
	e.order(v.False(), x.y, x.x)
}

// chosen gives the edges of the pairs with some values.
func (e *encoder) chosen(values []bool) [][2]int32 {
	var out [][2]int32
	for i := range values {
		x, y := e.pairs[i].x, e.pairs[i].y
		if !values[i] {
			x, y = y, x
		}
		e.eachOrder(x, y, func(from, to int32) { out = append(out, [2]int32{from, to}) })
	}
	return out
}

// witness gives the commit order, and how many commits each transaction sees.
func (p *polygraph) witness(nodes []int32) (order []history.Txn, snapshots []int32) {
	began := make([]int32, p.h.NumTxns())
	for _, n := range nodes {
		t := p.txnOf[n]
		if t == history.InitialTxn {
			continue
		}
		if n == p.begin[t] {
			began[t] = int32(len(order))
		}
		if n == p.commit[t] {
			order = append(order, t)
			snapshots = append(snapshots, began[t])
		}
	}
	return order, snapshots
}

// times gives for each node a time when it may have been: the recorded one, or
// otherwise one as if all sessions went on evenly.
func (p *polygraph) times() []float64 {
	out := make([]float64, len(p.txnOf))
	timed := p.h.Order() != history.NoOrder
	for i, t := range p.txnOf {
		switch end := p.h.End(t); {
		case t == history.InitialTxn:
		case timed && end != history.NoEnd:
			out[i] = float64(end)
		case !timed:
			first, end := p.h.Txns(p.h.SessionOf(t))
			out[i] = (float64(t-first) + 0.5) / float64(end-first)
		}
	}
	return out
}
