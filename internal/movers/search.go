package movers

import (
	"context"
	"slices"

	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/internal/walk"
)

// directions gives the directions of the search: to prove that there is no
// walk, either is enough. Chains of processes grow forwards only, since what
// may follow depends on what is before.
func (p *attempt) directions() []bool {
	if len(p.nodes) > 0 && p.nodes[0].process != nil {
		return []bool{false}
	}
	return []bool{false, true}
}

// allAtomic reports whether all elements of a chain are atomic.
func allAtomic(chain []elem) bool {
	return !slices.ContainsFunc(chain, func(e elem) bool { return e.kind == walk.Issued })
}

// mayClose reports whether a chain may end a walk, or with back begin it, with
// its newest element.
func (p *attempt) mayClose(t0 int, newest elem, back bool) bool {
	if back {
		return newest.kind == walk.Atomic && slices.Contains(p.near.affecting[t0], newest.node)
	}
	return slices.Contains(p.near.meeting[t0], newest.node)
}

// search goes breadth-first through chains of which only the last window
// elements are remembered, and collects chains that close. If back, chains grow
// from the end of walks, and the first elements are remembered. It goes on in
// steps, so that searches from both ends take turns: often one of them ends soon.
type search struct {
	p          *prover
	t0, window int
	back       bool

	starts []elem // that were not looked at
	seen   map[string]bool
	fresh  []state // that may close; all of one length come before longer ones
	queue  []state // that may be made longer
	at     state   // the state that is looked at,
	follow []elem  // and what may make its chain longer
	closed [][]elem
	// done says that the search is over, and complete that there are no more
	// chains than those closed.
	done, complete bool
}

// state is where a search is.
type state struct {
	chain []elem // the whole chain, for the report
	known int    // how many of its newest elements are remembered
	whole bool   // these are the chain
}

func (p *prover) search(t0, window int, back bool) *search {
	s := &search{p: p, t0: t0, window: window, back: back, seen: map[string]bool{}}
	ends := p.near.affecting[t0]
	if back {
		ends = p.near.meeting[t0]
	}
	for _, v := range ends {
		for _, kind := range kinds {
			if kind == walk.Issued && (!back || p.opt.naive) || !p.possible(t0, nil, elem{v, kind}) {
				continue // an issued one commutes with the snapshot
			}
			s.starts = append(s.starts, elem{v, kind})
		}
	}
	return s
}

var kinds = []walk.Kind{walk.Atomic, walk.Issued}

// newest gives the n newest elements of a chain, and join makes it one longer.
func (s *search) newest(chain []elem, n int) []elem {
	if s.back {
		return chain[:n]
	}
	return chain[len(chain)-n:]
}

func (s *search) join(chain []elem, e elem) []elem {
	if s.back {
		return append([]elem{e}, chain...)
	}
	return append(slices.Clone(chain), e)
}

// part is a piece that starts where the search does if whole, and ends at the
// other end of the walk if closes.
func (s *search) part(elems []elem, whole, closes bool) piece {
	if s.back {
		return piece{s.t0, elems, closes, whole}
	}
	return piece{s.t0, elems, whole, closes}
}

func (s *search) push(st state) {
	k := s.part(s.newest(st.chain, st.known), st.whole, false).key() + s.p.ran(st.chain)
	if !s.seen[k] {
		s.seen[k] = true
		s.fresh = append(s.fresh, st)
	}
}

// advance goes on until the solver was asked once, or the end.
func (s *search) advance(ctx context.Context) {
	for left := s.p.left; !s.done && s.p.left == left; {
		switch {
		case s.p.exhausted() || ctx.Err() != nil:
			s.done = true
		case len(s.fresh) > 0:
			st := s.fresh[0]
			s.fresh = s.fresh[1:]
			s.queue = append(s.queue, st)
			s.close(ctx, st)
		case len(s.starts) > 0:
			e := s.starts[0]
			s.starts = s.starts[1:]
			if s.p.ask(ctx, s.part([]elem{e}, true, false)).res != smt.Unsat {
				s.push(state{[]elem{e}, 1, true})
			}
		case len(s.follow) > 0:
			e := s.follow[0]
			s.follow = s.follow[1:]
			s.extend(ctx, e)
		case len(s.queue) > 0:
			s.at = s.queue[0]
			s.queue = s.queue[1:]
			s.follow = s.followers(s.at.chain)
		default:
			s.done, s.complete = true, true
		}
	}
}

// close finds out whether a chain closes.
func (s *search) close(ctx context.Context, st state) {
	p := s.p
	if p.mayClose(s.t0, s.newest(st.chain, 1)[0], s.back) && p.ask(ctx, s.part(s.newest(st.chain, st.known), st.whole, true)).res != smt.Unsat {
		s.closed = append(s.closed, st.chain)
		s.done = p.suspect(ctx, s.t0, st.chain) || s.window == 1 && p.doubled(ctx, s.t0, st.chain) || len(s.closed) == p.opt.MaxWalks
	}
}

// followers gives what may make a chain longer.
func (s *search) followers(chain []elem) (out []elem) {
	p := s.p
	end := s.newest(chain, 1)[0]
	for _, v := range p.near.meeting[end.node] {
		for _, kind := range kinds {
			e := elem{v, kind}
			if kind == walk.Issued && (end.kind == walk.Issued || p.opt.naive) {
				continue
			}
			if s.back && p.possible(s.t0, nil, e) || !s.back && p.possible(s.t0, chain, e) {
				out = append(out, e)
			}
		}
	}
	return out
}

// extend makes the chain longer by an element, if it can be.
func (s *search) extend(ctx context.Context, e elem) {
	p, st := s.p, s.at
	end := s.newest(st.chain, 1)[0]
	// Cheap questions first: the edge alone, then with what is remembered.
	if p.ask(ctx, piece{s.t0, s.join([]elem{end}, e), false, false}).res == smt.Unsat {
		return
	}
	if p.ask(ctx, s.part(s.join(s.newest(st.chain, st.known), e), st.whole, false)).res == smt.Unsat {
		return
	}
	longer := state{s.join(st.chain, e), st.known + 1, st.whole}
	if longer.known > s.window {
		longer.known, longer.whole = s.window, false
	}
	s.push(longer)
}
