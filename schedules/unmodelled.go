package schedules

import (
	"fmt"

	"github.com/txrobust/robust/ir"
)

// withoutUnmodelled gives the program for the symbolic search, in which control
// that comes to an unmodelled statement aborts, and its transactions by the
// original ones: no execution through such a statement could be confirmed. It
// leaves the statements themselves as they are.
func withoutUnmodelled(p *ir.Program) (*ir.Program, map[*ir.Txn]*ir.Txn) {
	q := *p
	q.Txns = nil
	twin := map[*ir.Txn]*ir.Txn{}
	for _, t := range p.Txns {
		twin[t] = t
		if unmodelled(t) != nil {
			u := *t
			u.Body = abortAtUnmodelled(t.Body)
			twin[t] = &u
		}
		q.Txns = append(q.Txns, twin[t])
	}
	return &q, twin
}

// unmodelled gives the first unmodelled statement of a transaction, or nil.
func unmodelled(t *ir.Txn) *ir.Unmodelled {
	var first *ir.Unmodelled
	ir.Walk(t.Body, func(s ir.Stmt) {
		if u, ok := s.(*ir.Unmodelled); ok && first == nil {
			first = u
		}
	})
	return first
}

func abortAtUnmodelled(list []ir.Stmt) []ir.Stmt {
	out := make([]ir.Stmt, len(list))
	for i, s := range list {
		out[i] = s
		switch s := s.(type) {
		case *ir.Unmodelled:
			out[i] = &ir.Abort{At: s.At}
		case *ir.If:
			c := *s
			c.Then, c.Else = abortAtUnmodelled(s.Then), abortAtUnmodelled(s.Else)
			out[i] = &c
		case *ir.Block:
			c := *s
			c.Body = abortAtUnmodelled(s.Body)
			out[i] = &c
		case *ir.While:
			c := *s
			c.Body = abortAtUnmodelled(s.Body)
			out[i] = &c
		case *ir.ForRange:
			c := *s
			c.Body = abortAtUnmodelled(s.Body)
			out[i] = &c
		case *ir.Foreach:
			c := *s
			c.Body = abortAtUnmodelled(s.Body)
			out[i] = &c
		default:
			if len(ir.Children(s)) > 0 {
				panic(fmt.Sprintf("schedules: unknown compound statement %T", s))
			}
		}
	}
	return out
}
