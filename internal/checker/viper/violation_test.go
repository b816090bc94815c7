package viper

import (
	"fmt"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/isolation"
)

// reader checks the proof that a violation is: that all edges of its cycle are there,
// whatever the order of writes, and that begins and commits are in no order then.
type reader struct {
	h      *history.History
	drift  int64
	d      demands
	assume []checker.Edge // the suppositions that hold now
}

func proves(h *history.History, v checker.Violation, drift int64) error {
	p := &reader{h: h, d: levels[v.Level], drift: drift}
	return p.cycle(v.Cycle)
}

// cycle checks a closed cycle.
func (p *reader) cycle(cycle []checker.Edge) error {
	if len(cycle) < 2 {
		return fmt.Errorf("a cycle of %d edges", len(cycle))
	}
	for i, e := range cycle {
		next := cycle[(i+1)%len(cycle)]
		if e.To != next.From {
			return fmt.Errorf("an edge ends at %d, and the next begins at %d", e.To, next.From)
		}
		// What ends at a commit does not go on from a begin.
		ends := e.Dependency == isolation.RW || e.Dependency == isolation.RT && !p.d.recent
		if !p.d.serial && ends && next.Dependency == isolation.RW {
			return fmt.Errorf("%s and %s of %d are no path", e.Dependency, next.Dependency, e.To)
		}
		if err := p.edge(e); err != nil {
			return fmt.Errorf("%s from %d to %d, key %d: %w", e.Dependency, e.From, e.To, e.Key, err)
		}
	}
	return nil
}

func (p *reader) edge(e checker.Edge) error {
	h := p.h
	switch e.Dependency {
	case isolation.SO:
		if !p.d.sessions || h.SessionOf(e.From) != h.SessionOf(e.To) || e.From >= e.To {
			return fmt.Errorf("it is no session order")
		}
	case isolation.RT:
		if !p.d.realTime || h.End(e.From)+p.drift >= h.Begin(e.To) {
			return fmt.Errorf("it is no real time")
		}
	case isolation.WR:
		if h.TxnOf(e.Read) != e.To || !slices.Contains(p.sources(e.Read, e.Key), e.From) {
			return fmt.Errorf("it is no read from a writer")
		}
	case isolation.RW:
		if h.TxnOf(e.Read) != e.From || !writes(h, e.To, e.Key) {
			return fmt.Errorf("it is no read and no write")
		}
		from := p.sources(e.Read, e.Key)
		if len(e.Because) == 0 {
			if !slices.Contains(from, history.InitialTxn) {
				return fmt.Errorf("what was read is not initial")
			}
			return nil
		}
		if w := e.Because[0]; len(e.Because) > 1 || w.Dependency != isolation.WW || w.To != e.To || w.Key != e.Key || !slices.Contains(from, w.From) {
			return fmt.Errorf("it has a strange reason")
		}
		return p.edge(e.Because[0])
	case isolation.WW:
		return p.order(e)
	}
	return nil
}

// order checks that a write is before another one: because the other one read it,
// or the opposite cannot be.
func (p *reader) order(e checker.Edge) error {
	if !writes(p.h, e.From, e.Key) || !writes(p.h, e.To, e.Key) {
		return fmt.Errorf("it is not of two writers")
	}
	if len(e.Because) == 0 {
		if slices.ContainsFunc(p.assume, func(s checker.Edge) bool { return s.From == e.From && s.To == e.To }) {
			return nil
		}
		return fmt.Errorf("nobody said so")
	}
	first := e.Because[0]
	if len(e.Because) == 1 {
		if first.Dependency != isolation.WR || first.From != e.From || first.To != e.To {
			return fmt.Errorf("it is no read of the other one")
		}
		return p.edge(first)
	}
	if first.Dependency != isolation.WW || first.From != e.To || first.To != e.From || first.Because != nil {
		return fmt.Errorf("it does not suppose the opposite")
	}
	p.assume = append(p.assume, first)
	defer func() { p.assume = p.assume[:len(p.assume)-1] }()
	if e.Because[1].From == first.To {
		return p.cycle(e.Because)
	}
	return p.cycle(e.Because[1:])
}

// sources gives the transactions that a read of a key may come from.
func (p *reader) sources(o history.Op, k history.Key) []history.Txn {
	h := p.h
	var ops []history.Op
	if h.Kind(o) == history.Read && h.Key(o) == k {
		ops = h.Sources().Of(o)
	}
	listed := false
	if h.Kind(o) == history.ReadRange {
		r := h.Range(o)
		for i, row := range slices.Concat(r.LiveKeys, r.DeadKeys) {
			if row == k {
				listed = true
				ops = h.Sources().Row(o, i)
			}
		}
	}
	var out []history.Txn
	for _, w := range ops {
		out = append(out, h.TxnOf(w))
	}
	if h.Kind(o) == history.ReadRange && !listed || h.Value(history.Op(k)) == history.NoValue {
		out = append(out, history.InitialTxn)
	}
	return out
}

func writes(h *history.History, t history.Txn, k history.Key) bool {
	for o, end := h.Ops(t); o < end; o++ {
		if h.Kind(o).Writes() && h.Key(o) == k {
			return true
		}
	}
	return false
}
