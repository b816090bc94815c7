package schedules

import "github.com/txrobust/robust/internal/ir"

// executable gives the program for the symbolic search, in which control
// that comes to an unmodelled statement aborts, and its transactions by the
// original ones: no execution through such a statement could be confirmed. With
// certain, row locks that may be taken are. It leaves all other statements as they are.
func executable(p *ir.Program, certain bool) (*ir.Program, map[*ir.Txn]*ir.Txn) {
	q := *p
	q.Txns = nil
	twin := map[*ir.Txn]*ir.Txn{}
	x := &executor{p, certain}
	for _, t := range p.Txns {
		twin[t] = t
		if x.replaces(t) {
			u := *t
			u.Body = x.list(t.Body)
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

// executor makes the transactions of the symbolic search.
type executor struct {
	p       *ir.Program
	certain bool
}

// replaces reports whether statements of a transaction are replaced.
func (x *executor) replaces(t *ir.Txn) bool {
	found := false
	ir.Walk(t.Body, func(s ir.Stmt) {
		switch s.(type) {
		case *ir.Unmodelled:
			found = true
		case *ir.Dropped:
			found = found || x.certain
		}
	})
	return found
}

func (x *executor) list(list []ir.Stmt) []ir.Stmt {
	var out []ir.Stmt
	for _, s := range list {
		switch s := s.(type) {
		case *ir.Unmodelled:
			out = append(out, &ir.Abort{At: s.At})
		case *ir.Dropped:
			if x.certain {
				out = append(out, x.locks(s)...)
			}
		default:
			out = append(out, ir.MapChildren(s, x.list))
		}
	}
	return out
}

// locks gives the row locks that may be taken. Of other things that are dropped the
// interpreter finds out whether they matter.
func (x *executor) locks(d *ir.Dropped) []ir.Stmt {
	switch {
	case d.Kind == ir.ByError && len(d.Query.From) > 0:
		return []ir.Stmt{&ir.If{At: d.At, Cond: &ir.Exists{Query: d.Query}, Then: []ir.Stmt{&ir.Abort{At: d.At}}}}
	case d.Kind == ir.ByError || d.Kind == ir.ByValue:
		return []ir.Stmt{&ir.Abort{At: d.At}}
	case d.Kind != ir.ByRowLock:
		return nil
	case len(d.Query.From) > 0:
		return []ir.Stmt{&ir.LockRows{At: d.At, Query: d.Query, Locks: d.Locks}}
	}
	tables := d.Tables
	if tables == nil {
		tables = x.p.Tables
	}
	var out []ir.Stmt
	for _, t := range tables {
		q := ir.Query{From: []ir.Source{{Table: t, Row: t.Name}}}
		out = append(out, &ir.LockRows{At: d.At, Query: q, Locks: ir.Locks{{Mode: ir.ForUpdate}}})
	}
	return out
}
