package client

// Walk calls f for every statement of list, outer ones first, but not for the
// Query of a ForRows.
func Walk(list []Stmt, f func(Stmt)) {
	for _, s := range list {
		f(s)
		switch s := s.(type) {
		case *ForRows:
			Walk(s.Body, f)
		case *If:
			Walk(s.Then, f)
			Walk(s.Else, f)
		case *Loop:
			Walk(s.Body, f)
		case *Block:
			Walk(s.Body, f)
		}
	}
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
		switch s := s.(type) {
		case *If:
			s.Then, s.Else = Rewrite(s.Then, f), Rewrite(s.Else, f)
		case *Loop:
			s.Body = Rewrite(s.Body, f)
		case *Block:
			s.Body = Rewrite(s.Body, f)
		case *ForRows:
			s.Body = Rewrite(s.Body, f)
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
	Walk(list, func(s Stmt) {
		switch s := s.(type) {
		case *Assign:
			add(s.Var)
		case *Havoc:
			add(s.Var)
		case *Query:
			EachSet(s, func(v *string) { add(*v) })
		case *ForRows:
			EachSet(s.Query, func(v *string) { add(*v) })
		}
	})
	return out
}

// EachSet calls f for the variables that a query sets.
func EachSet(q *Query, f func(v *string)) {
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
	query := func(q *Query) {
		for i := range q.Args {
			f(&q.Args[i])
		}
		for i := range q.Named {
			f(&q.Named[i].Expr)
		}
	}
	Walk(list, func(s Stmt) {
		switch s := s.(type) {
		case *Query:
			query(s)
		case *ForRows:
			query(s.Query)
		case *Assign:
			f(&s.Expr)
		case *If:
			f(&s.Cond)
		case *Emit:
			for i := range s.Exprs {
				f(&s.Exprs[i])
			}
		}
	})
}
