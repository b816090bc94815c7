package brute

import (
	"slices"

	"github.com/txrobust/robust/history"
)

// cell is the state of a key.
type cell struct {
	written        bool // after the initial transaction
	value, version history.Value
	list           []history.Value // also of a set, in any order
	sum            int64
}

// write gives the cell after a write.
func (c cell) write(h *history.History, o history.Op) cell {
	c.written = true
	switch h.Kind(o) {
	case history.Write, history.Insert, history.Delete:
		c.value, c.version = h.Value(o), h.Version(o)
	case history.Append:
		c.list = append(slices.Clip(c.list), h.Value(o))
	case history.Add:
		if !slices.Contains(c.list, h.Value(o)) {
			c.list = append(slices.Clip(c.list), h.Value(o))
		}
	case history.Increment:
		n, _ := h.Amount(h.Value(o))
		c.sum += n
	}
	return c
}

func (s *search) initialCell(k history.Key) cell {
	h := s.h
	c := cell{value: h.Value(history.Op(k)), version: h.Version(history.Op(k))}
	if v, free := s.initial[k]; free {
		c.value = v
	}
	if h.Type(k) == history.Counter {
		c.sum, _ = h.Amount(c.value)
	}
	return c
}

// after gives the cell after all writes of a transaction to the key.
func (s *search) after(c cell, t history.Txn, k history.Key) cell {
	for o, end := s.h.Ops(t); o < end; o++ {
		if s.h.Kind(o).Writes() && s.h.Key(o) == k {
			c = c.write(s.h, o)
		}
	}
	return c
}

// writes tells whether a transaction writes a key.
func (s *search) writes(t history.Txn, k history.Key) bool {
	if t == history.InitialTxn {
		return true
	}
	for o, end := s.h.Ops(t); o < end; o++ {
		if s.h.Kind(o).Writes() && s.h.Key(o) == k {
			return true
		}
	}
	return false
}

// observation is what one read says about one key: that the state which the
// reader found, with its own writes before, is what it read.
type observation struct {
	op   history.Op
	key  history.Key
	own  []history.Op // writes of the key before the read
	fits func(c cell) bool
	// unlisted: it is of a key that a range does not list. That is a read of the
	// predicate, and not of an item.
	unlisted bool
}

// matches tells whether the state that the reader found may have been c.
func (o observation) matches(h *history.History, c cell) bool {
	for _, w := range o.own {
		c = c.write(h, w)
	}
	return o.fits(c)
}

// observe collects what the transactions that took effect read. It fails if a read is
// wrong whatever the others did: it is of a register that the transaction wrote
// before.
func (s *search) observe() bool {
	h := s.h
	s.reads = map[history.Txn][]observation{}
	for _, t := range s.txns {
		first, end := h.Ops(t)
		for o := first; o < end; o++ {
			for _, r := range s.observations(o) {
				for w := first; w < o; w++ {
					if h.Kind(w).Writes() && h.Key(w) == r.key {
						r.own = append(r.own, w)
					}
				}
				if len(r.own) > 0 && h.Type(r.key) == history.Register {
					if !r.matches(h, cell{}) {
						return false
					}
					continue
				}
				s.reads[t] = append(s.reads[t], r)
			}
		}
	}
	return true
}

// observations gives what an operation says, without its own writes.
func (s *search) observations(o history.Op) []observation {
	h := s.h
	if !h.Kind(o).Reads() || !h.Known(o) {
		return nil
	}
	one := func(fits func(c cell) bool) []observation {
		return []observation{{op: o, key: h.Key(o), fits: fits}}
	}
	switch h.Kind(o) {
	case history.Read:
		if id := h.Version(o); id != history.NoValue {
			return one(func(c cell) bool { return c.version == id })
		}
		return one(func(c cell) bool { return c.value == h.Value(o) })
	case history.ReadList:
		return one(func(c cell) bool { return slices.Equal(c.list, h.List(o)) })
	case history.ReadSet:
		return one(func(c cell) bool { return sameSet(c.list, h.List(o)) })
	case history.ReadCounter:
		n, _ := h.Amount(h.Value(o))
		return one(func(c cell) bool { return c.sum == n })
	}
	r := h.Range(o)
	var out []observation
	seen := map[history.Key]bool{}
	row := func(k history.Key, v history.Value) {
		seen[k] = true
		out = append(out, observation{op: o, key: k, fits: func(c cell) bool { return c.value == v }})
	}
	for i, k := range r.LiveKeys {
		row(k, r.LiveValues[i])
	}
	for i, k := range r.DeadKeys {
		row(k, r.DeadRows[i])
	}
	for k := range history.Key(h.NumKeys()) {
		if !seen[k] && h.Type(k) == history.Register && h.Between(k, r) {
			out = append(out, observation{op: o, key: k, fits: func(c cell) bool { return !c.written }, unlisted: true})
		}
	}
	return out
}

func sameSet(a, b []history.Value) bool {
	for _, v := range a {
		if !slices.Contains(b, v) {
			return false
		}
	}
	for _, v := range b {
		if !slices.Contains(a, v) {
			return false
		}
	}
	return len(a) == len(b) // no element twice
}
