package advice

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
)

// Without gives the program without its unmodelled statements for which is reports true, as if they did nothing. The
// templates that have none are the same.
func Without(p *ir.Program, is func(t *ir.Txn, s *ir.Unmodelled) bool) *ir.Program {
	q := *p
	q.Txns = nil
	for _, t := range p.Txns {
		t := t
		found := false
		ir.Walk(t.Body, func(s ir.Stmt) {
			if u, ok := s.(*ir.Unmodelled); ok {
				found = found || is(t, u)
			}
		})
		if found {
			c := *t
			c.Body = without(t.Body, func(u *ir.Unmodelled) bool { return is(t, u) })
			t = &c
		}
		q.Txns = append(q.Txns, t)
	}
	return &q
}

func without(list []ir.Stmt, is func(*ir.Unmodelled) bool) []ir.Stmt {
	out := []ir.Stmt{}
	for _, s := range list {
		if u, ok := s.(*ir.Unmodelled); ok && is(u) {
			continue
		}
		out = append(out, ir.MapChildren(s, func(inner []ir.Stmt) []ir.Stmt { return without(inner, is) }))
	}
	return out
}

// Only gives the program with some of its templates, and more facts.
func Only(p *ir.Program, txns []*ir.Txn, facts []*ir.Invariant) *ir.Program {
	q := *p
	q.Txns, q.Invariants = txns, slices.Concat(p.Invariants, facts)
	return &q
}
