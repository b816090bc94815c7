package client

import "slices"

// Clone copies statements, so that what is changed in the copies stays as it is in
// list. Expressions are shared: they are replaced, never changed.
func Clone(list []Stmt) []Stmt {
	var out []Stmt
	for _, s := range list {
		out = append(out, clone(s))
	}
	return out
}

func clone(s Stmt) Stmt {
	switch s := s.(type) {
	case *Query:
		return CloneQuery(s)
	case *ForRows:
		return &ForRows{s.At, s.Label, CloneQuery(s.Query), Clone(s.Body)}
	case *If:
		return &If{s.At, s.Cond, Clone(s.Then), Clone(s.Else)}
	case *Loop:
		return &Loop{s.At, s.Label, Clone(s.Body)}
	case *Block:
		return &Block{s.At, s.Label, Clone(s.Body)}
	case *Emit:
		return &Emit{s.At, slices.Clone(s.Exprs)}
	case *Assign:
		return copyOf(s)
	case *Havoc:
		return copyOf(s)
	case *Break:
		return copyOf(s)
	case *Continue:
		return copyOf(s)
	case *Commit:
		return copyOf(s)
	case *Rollback:
		return copyOf(s)
	case *Savepoint:
		return copyOf(s)
	case *RollbackTo:
		return copyOf(s)
	case *Unknown:
		return copyOf(s)
	}
	panic("client: unknown statement")
}

func copyOf[T any](s *T) *T {
	out := *s
	return &out
}

// CloneQuery copies a query in the same way.
func CloneQuery(q *Query) *Query {
	out := *q
	out.Args, out.Into = slices.Clone(q.Args), slices.Clone(q.Into)
	out.Named, out.ByName = slices.Clone(q.Named), slices.Clone(q.ByName)
	for i, a := range out.ByName {
		out.ByName[i].Expr = V(a.Expr.(*VarExpr).Name)
	}
	return &out
}
