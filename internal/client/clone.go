package client

import (
	"reflect"
	"slices"
)

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
	v := reflect.New(reflect.TypeOf(s).Elem())
	v.Elem().Set(reflect.ValueOf(s).Elem())
	out := v.Interface().(Stmt)
	for _, c := range children(out) {
		*c = Clone(*c)
	}
	switch s := out.(type) {
	case *Query:
		return CloneQuery(s)
	case *ForRows:
		s.Query = CloneQuery(s.Query)
	case *Emit:
		s.Exprs = slices.Clone(s.Exprs)
	}
	return out
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
