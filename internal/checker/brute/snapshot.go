package brute

import "github.com/txrobust/robust/history"

// snapshots looks for a commit order in which every transaction reads from a
// prefix, transaction by transaction: whether one can be next depends only on
// those before it.
func (s *search) snapshots() ([]history.Txn, bool) {
	initial := make([]cell, s.h.NumKeys())
	for k := range initial {
		initial[k] = s.initialCell(history.Key(k))
	}
	return s.extend(nil, [][]cell{initial})
}

// extend completes a commit order; states[i] is the state after i transactions.
func (s *search) extend(order []history.Txn, states [][]cell) ([]history.Txn, bool) {
	if len(order) == len(s.txns) {
		return order, true
	}
	if s.ctx.Err() != nil {
		return nil, false
	}
	for _, t := range s.txns {
		if !s.next(order, t) || !s.snapshot(order, states, t) {
			continue
		}
		state := append([]cell(nil), states[len(order)]...)
		for o, end := s.h.Ops(t); o < end; o++ {
			if s.h.Kind(o).Writes() {
				k := s.h.Key(o)
				state[k] = state[k].write(s.h, o)
			}
		}
		if full, ok := s.extend(append(order[:len(order):len(order)], t), append(states[:len(order)+1:len(order)+1], state)); ok {
			return full, true
		}
	}
	return nil, false
}

// next tells whether t may be next: it is not there, and all that have to be
// before it are.
func (s *search) next(order []history.Txn, t history.Txn) bool {
	if place(order, t) >= 0 || s.fixed != nil && s.fixed[len(order)] != t {
		return false
	}
	for _, u := range s.before(t) {
		if place(order, u) < 0 {
			return false
		}
	}
	return true
}

func place(order []history.Txn, t history.Txn) int {
	for i, u := range order {
		if u == t {
			return i
		}
	}
	return -1
}

// snapshot tells whether t, committing after order, has a snapshot that its level
// allows and that fits its reads.
func (s *search) snapshot(order []history.Txn, states [][]cell, t history.Txn) bool {
	for n := len(order); n >= 0; n-- {
		if s.allowed(order, n, t) && s.fits(states[n], t) {
			return true
		}
	}
	return false
}

// allowed tells whether the first n transactions may be the snapshot of t.
func (s *search) allowed(order []history.Txn, n int, t history.Txn) bool {
	for _, u := range order[n:] {
		if s.serial || s.sessions && s.inSession(u, t) || s.recent && s.h.Precedes(u, t) || s.exclusive && s.conflict(u, t) {
			return false
		}
	}
	return true
}

// conflict tells whether two transactions write one key.
func (s *search) conflict(t, u history.Txn) bool {
	for o, end := s.h.Ops(t); o < end; o++ {
		if s.h.Kind(o).Writes() && s.writes(u, s.h.Key(o)) {
			return true
		}
	}
	return false
}

func (s *search) fits(state []cell, t history.Txn) bool {
	for _, r := range s.reads[t] {
		if !r.matches(s.h, state[r.key]) {
			return false
		}
	}
	return true
}
