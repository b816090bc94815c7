package brute

import (
	"slices"

	"github.com/txrobust/robust/history"
)

// read is an observation whose source was chosen.
type read struct {
	observation
	reader, source history.Txn
}

// visibility tells which transactions the axiom of a level makes visible to a
// read: it gives those that have to be in its past.
type visibility func(s *search, reads []read, r read) []history.Txn

// readCommitted: those that the reader read from before.
func readCommitted(s *search, reads []read, r read) []history.Txn {
	var out []history.Txn
	for _, q := range reads {
		if q.reader == r.reader && q.op < r.op {
			out = append(out, q.source)
		}
	}
	return out
}

// readAtomic: those that the reader follows in its session or reads from.
func readAtomic(s *search, reads []read, r read) []history.Txn {
	return s.direct(reads, r.reader)
}

// causal: the transitive closure.
func causal(s *search, reads []read, r read) []history.Txn {
	past := s.direct(reads, r.reader)
	for i := 0; i < len(past); i++ {
		for _, t := range s.direct(reads, past[i]) {
			if place(past, t) < 0 {
				past = append(past, t)
			}
		}
	}
	return past
}

// direct gives the predecessors of a transaction in session order and WR.
func (s *search) direct(reads []read, t history.Txn) []history.Txn {
	var out []history.Txn
	for _, u := range s.txns {
		if s.inSession(u, t) {
			out = append(out, u)
		}
	}
	for _, q := range reads {
		if q.reader == t && place(out, q.source) < 0 {
			out = append(out, q.source)
		}
	}
	return out
}

// sources tries all choices of the writers that reads come from.
func (s *search) sources() ([]history.Txn, bool) {
	var open []read
	for _, t := range s.txns {
		for _, r := range s.reads[t] {
			open = append(open, read{observation: r, reader: t})
		}
	}
	return s.choose(nil, open)
}

func (s *search) choose(chosen, open []read) ([]history.Txn, bool) {
	// Reads only add demands: what fails without the open ones fails with them.
	order, ok := s.arrange(chosen)
	if !ok || len(open) == 0 {
		return order, ok
	}
	r := open[0]
	for _, r.source = range append([]history.Txn{history.InitialTxn}, s.txns...) {
		if r.source == r.reader || !s.writes(r.source, r.key) || !s.mayRead(r) {
			continue
		}
		if order, ok := s.choose(append(chosen, r), open[1:]); ok {
			return order, true
		}
	}
	return nil, false
}

// mayRead tells whether a read may come from its source, as far as that does not
// depend on the commit order.
func (s *search) mayRead(r read) bool {
	initial := s.initialCell(r.key)
	if r.source == history.InitialTxn {
		return r.matches(s.h, initial)
	}
	switch s.h.Type(r.key) {
	case history.Register:
		return r.matches(s.h, s.after(initial, r.source, r.key))
	case history.List: // ends with what the source appended
		end := s.after(cell{}, r.source, r.key)
		for _, w := range r.own {
			end = end.write(s.h, w)
		}
		list := s.h.List(r.op)
		n := len(list) - len(end.list)
		return n >= 0 && slices.Equal(list[n:], end.list)
	}
	return true
}

// arrange looks for a commit order that contains session order and WR and
// satisfies the axiom.
func (s *search) arrange(reads []read) ([]history.Txn, bool) {
	earlier := map[history.Txn][]history.Txn{} // what has to be before a transaction
	for _, t := range s.txns {
		earlier[t] = s.before(t)
	}
	states := map[history.Txn][]read{} // of lists, sets and counters, by their source
	for _, r := range reads {
		earlier[r.reader] = append(earlier[r.reader], r.source)
		for _, t := range s.axiom(s, reads, r) {
			if t != r.source && s.writes(t, r.key) {
				earlier[r.source] = append(earlier[r.source], t)
			}
		}
		if s.h.Type(r.key) != history.Register {
			states[r.source] = append(states[r.source], r)
		}
	}
	for _, t := range earlier[history.InitialTxn] {
		if t != history.InitialTxn {
			return nil, false // nothing is before the initial transaction
		}
	}
	initial := make([]cell, s.h.NumKeys())
	for k := range initial {
		initial[k] = s.initialCell(history.Key(k))
	}
	var extend func(order []history.Txn, state []cell) ([]history.Txn, bool)
	extend = func(order []history.Txn, state []cell) ([]history.Txn, bool) {
		if len(order) == len(s.txns) {
			return order, true
		}
		if s.ctx.Err() != nil {
			return nil, false
		}
	next:
		for _, t := range s.txns {
			if place(order, t) >= 0 || s.fixed != nil && s.fixed[len(order)] != t {
				continue
			}
			for _, u := range earlier[t] {
				if u != history.InitialTxn && place(order, u) < 0 {
					continue next
				}
			}
			after := append([]cell(nil), state...)
			for k := range after {
				after[k] = s.after(after[k], t, history.Key(k))
			}
			for _, r := range states[t] {
				if !r.matches(s.h, after[r.key]) {
					continue next
				}
			}
			full, ok := extend(append(order[:len(order):len(order)], t), after)
			if ok || len(states) == 0 {
				// What can follow does not depend on the order so far, unless
				// states do: another choice here would not help.
				return full, ok
			}
		}
		return nil, false
	}
	return extend(nil, initial)
}
