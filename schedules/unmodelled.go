package schedules

import "github.com/txrobust/robust/ir"

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
		if u, ok := s.(*ir.Unmodelled); ok {
			out[i] = &ir.Abort{At: u.At}
		} else {
			out[i] = ir.MapChildren(s, abortAtUnmodelled)
		}
	}
	return out
}
