package polysi

import (
	"slices"

	"github.com/txrobust/robust/internal/checker/acyclic"
)

const (
	// smallTests bounds how often pairs are left out to see if there is still no
	// way, and smallConflicts how long that may take each time.
	smallTests     = 300
	smallConflicts = 2000
)

// smallest leaves out pairs, of those whose orders leave no way, as long as there is
// still none.
func (p *polygraph) smallest(all []pair, part []acyclic.Var) []pair {
	var pairs []pair
	for _, v := range part {
		pairs = append(pairs, all[v])
	}
	component := p.only(p.edges, pairs).Components()
	var known []edge
	for _, x := range p.edges {
		if component[x.from] == component[x.to] {
			known = append(known, x)
		}
	}
	tests := 0
	for size := (len(pairs) + 1) / 2; size > 0; {
		smaller := false
		for at := 0; at < len(pairs) && tests < smallTests && p.ctx.Err() == nil; {
			rest := slices.Concat(pairs[:at], pairs[min(at+size, len(pairs)):])
			a, err := p.only(known, rest).Solve(p.ctx, acyclic.Options{Conflicts: smallConflicts})
			if tests++; err == nil && a.Verdict == acyclic.Cyclic {
				pairs, smaller = rest, true
			} else {
				at += size
			}
		}
		if tests >= smallTests || p.ctx.Err() != nil || size == 1 && !smaller {
			break
		}
		if size > 1 || !smaller {
			size = max(size/2, 1)
		}
	}
	return pairs
}

// only makes a problem of some edges and pairs alone.
func (p *polygraph) only(known []edge, pairs []pair) *acyclic.Problem {
	problem := acyclic.NewProblem(len(p.txnOf))
	for _, x := range known {
		problem.Edge(x.from, x.to)
	}
	for _, x := range pairs {
		v := problem.Var(true)
		p.eachOrder(x.x, x.y, func(from, to int32) { problem.When(v.True(), from, to) })
		p.eachOrder(x.y, x.x, func(from, to int32) { problem.When(v.False(), from, to) })
	}
	return problem
}
