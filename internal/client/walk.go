package client

// children gives the lists of statements inside s.
func children(s Stmt) []*[]Stmt {
	switch s := s.(type) {
	case *ForRows:
		return []*[]Stmt{&s.Body}
	case *If:
		return []*[]Stmt{&s.Then, &s.Else}
	case *Loop:
		return []*[]Stmt{&s.Body}
	case *Block:
		return []*[]Stmt{&s.Body}
	}
	return nil
}

// Walk calls f for every statement of list, outer ones first, but not for the
// Query of a ForRows.
func Walk(list []Stmt, f func(Stmt)) {
	for _, s := range list {
		f(s)
		for _, c := range children(s) {
			Walk(*c, f)
		}
	}
}

// QueryOf gives the statement of SQL that s sends, nil if it sends none.
func QueryOf(s Stmt) *Query {
	switch s := s.(type) {
	case *Query:
		return s
	case *ForRows:
		return s.Query
	}
	return nil
}

// EachQuery calls f for the statements of SQL.
func EachQuery(list []Stmt, f func(q *Query)) {
	Walk(list, func(s Stmt) {
		if q := QueryOf(s); q != nil {
			f(q)
		}
	})
}

// EachVar calls f for the variables in e, as often as they stand there.
func EachVar(e Expr, f func(name string)) {
	WalkExpr(e, func(e Expr) {
		if v, ok := e.(*VarExpr); ok {
			f(v.Name)
		}
	})
}

// WalkExpr calls f for e, if it is not nil, and every expression inside it,
// outer ones first.
func WalkExpr(e Expr, f func(Expr)) {
	if e == nil {
		return
	}
	f(e)
	switch e := e.(type) {
	case *Op:
		for _, a := range e.Args {
			WalkExpr(a, f)
		}
	case *Call:
		for _, a := range e.Args {
			WalkExpr(a, f)
		}
	}
}

// Rewrite calls f for the lists of statements in list, itself included, inner
// ones first, and puts what f gives in their places.
func Rewrite(list []Stmt, f func([]Stmt) []Stmt) []Stmt {
	for _, s := range list {
		for _, c := range children(s) {
			*c = Rewrite(*c, f)
		}
	}
	return f(list)
}

// Assigned gives the variables that list sets, in order.
func Assigned(list []Stmt) []string {
	var out []string
	seen := map[string]bool{"": true}
	add := func(v string) {
		if !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	EachSet(list, func(v *string) { add(*v) })
	return out
}

// EachSet calls f for the variables that statements set, as often as they do.
func EachSet(list []Stmt, f func(v *string)) {
	Walk(list, func(s Stmt) {
		switch s := s.(type) {
		case *Assign:
			f(&s.Var)
		case *Havoc:
			f(&s.Var)
		}
		if q := QueryOf(s); q != nil {
			EachResult(q, f)
		}
	})
}

// EachResult calls f for the variables that a query sets, "" for those that are not wanted.
func EachResult(q *Query, f func(v *string)) {
	EachColumn(q, f)
	f(&q.Found)
	f(&q.Null)
	f(&q.Count)
}

// EachColumn calls f for the variables that get columns of a query.
func EachColumn(q *Query, f func(v *string)) {
	for i := range q.Into {
		f(&q.Into[i])
	}
	for _, a := range q.ByName {
		f(&a.Expr.(*VarExpr).Name)
	}
}

// EachExpr calls f for the places of the expressions that statements use.
func EachExpr(list []Stmt, f func(e *Expr)) {
	Walk(list, func(s Stmt) {
		switch s := s.(type) {
		case *Assign:
			f(&s.Expr)
		case *Havoc:
			for _, e := range []*Expr{&s.Element.List, &s.Element.Index, &s.Element.Len, &s.Element.From} {
				if *e != nil {
					f(e)
				}
			}
		case *If:
			f(&s.Cond)
		case *Emit:
			for i := range s.Exprs {
				f(&s.Exprs[i])
			}
		}
		if q := QueryOf(s); q != nil {
			for i := range q.Args {
				f(&q.Args[i])
			}
			for i := range q.Named {
				f(&q.Named[i].Expr)
			}
		}
	})
}
