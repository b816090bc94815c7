package readcommitted

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
)

// MaxHelpers is how many transactions run at most where one is interrupted.
const MaxHelpers = 3

// maxChains bounds the chains that are tried.
const maxChains = 40

// chain is a template that is interrupted at one place, and those that run there one after the other.
type chain struct {
	a      *ir.Txn
	others []*ir.Txn
}

// chains are the candidates for executions in which several transactions run where one is interrupted, as the split schedules
// of Vandevoort, Ketsman and Neven (VLDB 2021, section 4): the first of them changes what the interrupted one has read, each depends
// on the one before, and the interrupted one goes on with what depends on the last. The first ones are given, so many at most.
func (s *searcher) chains(pairs []chain, n, most int) []chain {
	var out []chain
	for _, p := range pairs {
		if s.within(p) {
			continue
		}
		spots := s.spotsOf(p.a)
		first, _ := reach(spots, s.uses[p.others[0]])
		closes := map[*ir.Txn]bool{} // templates on which something depends that is to come
		for t, uses := range s.uses {
			if _, end := reach(spots, uses); first < end {
				closes[t] = true
			}
		}
		if len(closes) == 0 {
			continue
		}
		var extend func(list []*ir.Txn)
		extend = func(list []*ir.Txn) {
			if len(out) == most {
				return
			}
			last := list[len(list)-1]
			if len(list) == n {
				if closes[last] {
					out = append(out, chain{p.a, slices.Clone(list)})
				}
				return
			}
			for _, next := range s.q.Program.Txns {
				if s.uses[next] == nil || !s.together(p.a, next) || !s.uses[last].meets(s.uses[next]) {
					continue
				}
				extend(append(slices.Clone(list), next))
			}
		}
		extend(p.others)
	}
	return out
}

// spot is a statement of a template: what it has to do with, and from where to where in the order of the text it may run. In a loop that is all of
// the loop.
type spot struct {
	stmt     ir.Stmt
	uses     *footprint
	from, to int
}

// maxPlaces bounds the places of a template that the solver is asked about.
const maxPlaces = 6

// places are the statements of the interrupted template with which a command begins, after a read of what the others change, and with
// something to come that depends on them.
func (s *searcher) places(c chain) []ir.Stmt {
	spots := s.spotsOf(c.a)
	first, end := len(spots)+1, 0
	for _, t := range c.others {
		from, to := reach(spots, s.uses[t])
		first, end = min(first, from), max(end, to)
	}
	var out []ir.Stmt
	last := 0
	for i, sp := range spots {
		cmd := sp.stmt.Command()
		if cmd == 0 { // it has nothing to do with the database, or it is not known of what it is part
			continue
		}
		if last != 0 && cmd != last && first <= i && i < end && len(out) < maxPlaces {
			out = append(out, sp.stmt)
		}
		last = cmd
	}
	return out
}

// spotsOf are the spots of a template in the order of the text, numbered from 1.
func (s *searcher) spotsOf(t *ir.Txn) []spot {
	if out, known := s.spots[t]; known {
		return out
	}
	var out []spot
	n := 0
	var list func(body []ir.Stmt)
	list = func(body []ir.Stmt) {
		for _, st := range body {
			n++
			start, at := n, len(out)
			f := newFootprint()
			f.add(st)
			out = append(out, spot{st, f, n, n})
			for _, b := range ir.Children(st) {
				list(b)
			}
			for i := at; i < len(out) && isLoop(st); i++ {
				out[i].from, out[i].to = start, n
			}
		}
	}
	list(t.Body)
	s.spots[t] = out
	return out
}

// reach gives the first place at which another template changes what was read, and the last one of something
// that depends on it.
func reach(spots []spot, o *footprint) (first, last int) {
	first = len(spots) + 1
	for _, sp := range spots {
		if o.changes(sp.uses) {
			first = min(first, sp.from)
		}
		if o.meets(sp.uses) {
			last = max(last, sp.to)
		}
	}
	return first, last
}

// meets reports whether the order of two transactions may matter.
func (f *footprint) meets(o *footprint) bool { return f.changes(o) || o.changes(f) || f.overwrites(o) }

// overwrites reports whether both may write a column, or change which rows there are.
func (f *footprint) overwrites(o *footprint) bool {
	for t, cols := range f.writes {
		for c := range cols {
			if o.writes[t][c] {
				return true
			}
		}
		if o.rows[t] {
			return true
		}
	}
	for t := range f.rows {
		if o.rows[t] || len(o.writes[t]) > 0 {
			return true
		}
	}
	return false
}
