package gorm

import (
	"go/types"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
)

// A chain, and the statement that it builds, come by several paths, or out of a loop.

func (c *chain) Live() bool  { return c.h.Kind == memory.Transaction }
func (c *chain) Sends() bool { return true }

func (c *chain) Same(o memory.Value) bool {
	d, ok := o.(*chain)
	return ok && (c == d || *c == *d)
}

func (c *chain) Depends() ([]memory.Value, bool) { return nil, false }

func (c *chain) Join(in *memory.Memory, name string, edges []*memory.Edge, vals []memory.Value) (memory.Value, bool) {
	return joinChains(in, name, edges, vals)
}

func (c *chain) InLoop(in *memory.Memory) memory.Value {
	r := newChain(in, c.h, draftOf(in, c).without())
	r.mode, r.owns = c.mode, c.owns
	return r
}

func (c *chain) Stays(in *memory.Memory, v memory.Value) bool {
	switch w := v.(type) {
	case *chain:
		return memory.SameHandle(w.h, c.h) && (w.s == nil || draftOf(in, c).Stays(in, draftOf(in, w)))
	case *memory.Handle:
		return memory.SameHandle(w, c.h)
	}
	return false
}

func (d *draft) Live() bool               { return false }
func (d *draft) Sends() bool              { return false }
func (d *draft) Same(o memory.Value) bool { return o == memory.Value(d) }

func (d *draft) Depends() ([]memory.Value, bool) {
	var out []memory.Value
	for _, list := range [][]sqltext.Cond{d.where, d.having} {
		for _, c := range list {
			out = append(append(out, c.F.Values()...), memory.Depending(c.When)...)
		}
	}
	return out, false
}

func (d *draft) Join(in *memory.Memory, _ string, edges []*memory.Edge, vals []memory.Value) (memory.Value, bool) {
	if !memory.AllOf[*draft](vals) {
		return nil, false
	}
	return joinDrafts(in, edges, vals), true
}

func (d *draft) InLoop(*memory.Memory) memory.Value { return d.without() }

func (d *draft) Stays(_ *memory.Memory, v memory.Value) bool {
	w, is := v.(*draft)
	return is && w.table == d.table && w.badTable == d.badTable && w.raw == nil && (w.model == d.model || w.model != nil && d.model != nil &&
		w.model.T != nil && d.model.T != nil && types.Identical(w.model.T, d.model.T))
}

func (a *assignments) Live() bool                      { return false }
func (a *assignments) Sends() bool                     { return false }
func (a *assignments) Same(o memory.Value) bool        { return o == memory.Value(a) }
func (a *assignments) Depends() ([]memory.Value, bool) { return nil, true }

// loopHandle gives what is known of a statement on a database that a loop begins.
func loopHandle(in *memory.Memory, h *memory.Handle) (memory.Value, bool) {
	if !isGorm(h) {
		return nil, false
	}
	return newChain(in, h, (&draft{}).without()), true
}
