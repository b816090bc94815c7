package movers

import (
	"cmp"
	"context"
	"slices"

	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/internal/walk"
)

const (
	// maxScouts bounds the chains that are tried for a delayed node before questions
	// about walks are asked, and maxScoutLength their elements.
	maxScouts      = 12
	maxScoutLength = 11
	// maxDoubled bounds those of which each comes twice in a chain, and maxPaths the
	// paths that are looked at for all.
	maxDoubled = 2
	maxPaths   = 4000
)

// scouted is a chain that is tried as an execution.
type scouted struct {
	t0    int
	chain []elem
}

// scout tries the likely walks of each open node as executions, short ones first. To
// find an anomaly takes less than the questions that end at its walk: asked in pieces,
// walks may go back and forth in many ways. It reports whether that ends the attempt.
func (a *attempt) scout(ctx context.Context) bool {
	if a.opt.Scout == nil {
		return false
	}
	var list []scouted
	for _, t0 := range a.open() {
		for _, chain := range a.likely(t0) {
			list = append(list, scouted{t0, chain})
		}
	}
	slices.SortStableFunc(list, func(x, y scouted) int { return cmp.Compare(len(x.chain), len(y.chain)) })
	for len(list) > 0 && ctx.Err() == nil {
		n := min(len(a.lanes), len(list))
		for i, p := range a.round(ctx, list[:n]) {
			t0 := list[i].t0
			if p == nil || p.anomaly == nil || a.known(t0) {
				continue
			}
			p.found = []*walk.Walk{p.anomaly}
			a.provers[t0] = p
			if !a.opt.All {
				return true
			}
		}
		list = slices.DeleteFunc(list[n:], func(s scouted) bool { return a.known(s.t0) })
	}
	return false
}

// known reports whether there is an anomaly around a delayed node.
func (a *attempt) known(t0 int) bool { return a.provers[t0] != nil && a.provers[t0].anomaly != nil }

// round tries chains that do not depend on each other. Those after an anomaly need not
// go on.
func (a *attempt) round(ctx context.Context, list []scouted) []*prover {
	out := make([]*prover, len(list))
	stop := make([]context.CancelFunc, len(list))
	first := len(list)
	parallel(ctx, len(list), a.lanes, func(ctx context.Context, i int, l *lane) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		a.mu.Lock()
		stop[i] = cancel
		skip := i > first
		p := a.prover(l)
		a.mu.Unlock()
		if skip {
			return
		}
		w := p.walk(list[i].t0, list[i].chain, answer{})
		p.progress(list[i].t0, w.String())
		if !a.opt.Scout(ctx, w, a.facts) {
			return
		}
		p.anomaly = w
		a.mu.Lock()
		defer a.mu.Unlock()
		out[i] = p
		if i < first && !a.opt.All {
			first = i
			for _, c := range stop[i+1:] {
				if c != nil {
					c()
				}
			}
		}
	})
	for i := first + 1; i < len(list); i++ {
		out[i] = nil
	}
	return out
}

// likely gives chains of different templates, from one that may change what the delayed
// node reads to one that meets it. Each touches what the next one does; from three on
// nothing else, so that no part of the cycle is one. Short ones come also with an
// element twice.
func (a *attempt) likely(t0 int) (out [][]elem) {
	if a.nodes[t0].process != nil {
		return nil
	}
	take := func(chain []elem) {
		if len(out) < maxScouts && !a.refuted(t0, chain) {
			out = append(out, chain)
		}
	}
	var queue, doubled [][]elem
	for _, v := range a.near.affecting[t0] {
		queue = append(queue, []elem{{v, walk.Atomic}})
	}
	if a.opt.All { // else what is found of others stands for what it does with itself
		if i := slices.IndexFunc(queue, func(c []elem) bool { return c[0].node == t0 }); i > 0 {
			queue = slices.Insert(slices.Delete(queue, i, i+1), 0, []elem{{t0, walk.Atomic}})
		}
	}
	for looked := 0; len(queue) > 0 && looked < maxPaths && len(out) < maxScouts; looked++ {
		chain := queue[0]
		queue = queue[1:]
		for len(doubled) > 0 && len(doubled[0]) < len(chain) {
			take(doubled[0])
			doubled = doubled[1:]
		}
		end := chain[len(chain)-1]
		if a.mayClose(t0, end, false) && a.chordless(t0, chain) {
			take(chain)
			for i, e := range chain[:min(len(chain), maxDoubled)] {
				doubled = append(doubled, slices.Insert(slices.Clone(chain), i, e))
			}
		}
		if len(chain) == maxScoutLength || end.node == t0 {
			continue
		}
		for _, v := range a.near.meeting[end.node] {
			e := elem{v, walk.Atomic}
			if longer := append(slices.Clone(chain), e); v != t0 && !slices.Contains(chain, e) && a.sparse(longer) {
				queue = append(queue, longer)
			}
		}
	}
	for _, chain := range doubled {
		take(chain)
	}
	return out
}

// sparse reports whether the newest element of a chain touches nothing in common with
// those before its neighbour.
func (a *attempt) sparse(chain []elem) bool {
	n := len(chain) - 1
	if n < 2 {
		return true
	}
	return !slices.ContainsFunc(chain[:n-1], func(e elem) bool { return slices.Contains(a.near.meeting[chain[n].node], e.node) })
}

// chordless reports whether the elements between the ends of a chain touch nothing in
// common with the delayed node.
func (a *attempt) chordless(t0 int, chain []elem) bool {
	if len(chain) < 3 {
		return true
	}
	return !slices.ContainsFunc(chain[1:len(chain)-1], func(e elem) bool { return slices.Contains(a.near.meeting[t0], e.node) })
}

// refuted reports whether a piece of a chain is known to be on no walk.
func (a *attempt) refuted(t0 int, chain []elem) bool {
	n := len(chain)
	pieces := []piece{{t0, chain, true, true}, {t0, chain[:1], true, false}, {t0, chain[n-1:], false, true}}
	for i := 0; i+1 < n; i++ {
		pieces = append(pieces, piece{t0, chain[i : i+2], false, false}, piece{t0, chain[i : i+2], i == 0, i+2 == n})
	}
	for b := a; b != nil; b = b.plain {
		for p := b.provers[t0]; p != nil; p = p.plain {
			if slices.ContainsFunc(pieces, func(q piece) bool { x, ok := p.memo[q.key()]; return ok && x.res == smt.Unsat }) {
				return true
			}
		}
	}
	return false
}
