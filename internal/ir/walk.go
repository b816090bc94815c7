package ir

import (
	"fmt"
	"slices"
)

// Children gives the statement lists inside a compound statement.
func Children(s Stmt) [][]Stmt {
	switch s := s.(type) {
	case *If:
		return [][]Stmt{s.Then, s.Else}
	case *Block:
		return [][]Stmt{s.Body}
	case *While:
		return [][]Stmt{s.Body}
	case *ForRange:
		return [][]Stmt{s.Body}
	case *Foreach:
		return [][]Stmt{s.Body}
	}
	return nil
}

// MapChildren gives a copy of a compound statement with f applied to the lists
// inside it, and any other statement itself.
func MapChildren(s Stmt, f func([]Stmt) []Stmt) Stmt {
	switch s := s.(type) {
	case *If:
		c := *s
		c.Then, c.Else = f(s.Then), f(s.Else)
		return &c
	case *Block:
		c := *s
		c.Body = f(s.Body)
		return &c
	case *While:
		c := *s
		c.Body = f(s.Body)
		return &c
	case *ForRange:
		c := *s
		c.Body = f(s.Body)
		return &c
	case *Foreach:
		c := *s
		c.Body = f(s.Body)
		return &c
	}
	return s
}

// EditChildren puts what f makes of them in the place of the lists inside a
// compound statement.
func EditChildren(s Stmt, f func([]Stmt) []Stmt) {
	switch s := s.(type) {
	case *If:
		s.Then, s.Else = f(s.Then), f(s.Else)
	case *Block:
		s.Body = f(s.Body)
	case *While:
		s.Body = f(s.Body)
	case *ForRange:
		s.Body = f(s.Body)
	case *Foreach:
		s.Body = f(s.Body)
	}
}

// Walk calls f for every statement of list, outer ones first.
func Walk(list []Stmt, f func(Stmt)) {
	for _, s := range list {
		f(s)
		for _, c := range Children(s) {
			Walk(c, f)
		}
	}
}

// WalkExprs calls f for every expression of the statements of list, those inside of others
// and of queries included.
func WalkExprs(list []Stmt, f func(Expr)) {
	Walk(list, func(s Stmt) {
		for _, e := range Exprs(s) {
			WalkExpr(e, f)
		}
	})
}

// Exprs gives the expressions that stand directly in a statement (not those
// of statements inside it). Row variables of its query are in scope in some. What a
// Dropped is about is none: it computes nothing.
func Exprs(s Stmt) []Expr {
	var out []Expr
	add := func(es ...Expr) {
		for _, e := range es {
			if e != nil {
				out = append(out, e)
			}
		}
	}
	sets := func(ss []Set) {
		for _, x := range ss {
			add(x.Expr)
		}
	}
	order := func(os []Order) {
		for _, o := range os {
			add(o.Expr)
		}
	}
	switch s := s.(type) {
	case *Assign:
		add(s.Expr)
	case *Select:
		add(s.Cols...)
		for _, a := range s.Aggs {
			add(a.Arg)
		}
		add(s.Query.Where)
		order(s.Order)
	case *Emit:
		add(s.Exprs...)
	case *EmitRows:
		add(s.Cols...)
		add(s.Query.Where, s.Limit)
		order(s.Order)
	case *Insert:
		add(s.Values...)
		if s.Conflict != nil {
			sets(s.Conflict.Sets)
			add(s.Conflict.Where)
		}
	case *Update:
		sets(s.Sets)
		add(s.Where)
	case *Delete:
		add(s.Where)
	case *Cascade:
		add(s.Values...)
	case *If:
		add(s.Cond)
	case *While:
		add(s.Cond)
	case *ForRange:
		add(s.From, s.To)
	case *Foreach:
		add(s.Cols...)
		add(s.Query.Where)
		order(s.Order)
	case *LockRows:
		add(s.Query.Where, s.Limit)
		order(s.Order)
	case *Assume:
		add(s.Cond)
	case *Havoc, *Block, *LockTable, *Dropped, *Send, *Break, *Continue, *Return, *Abort, *Savepoint, *RollbackTo, *Unmodelled, *CopyTable, *Fail:
	default:
		panic(fmt.Sprintf("ir: walk: unknown statement %T", s))
	}
	return out
}

// WalkExpr calls f for e and every expression inside it, outer ones first.
func WalkExpr(e Expr, f func(Expr)) {
	walkIn(e, nil, func(e Expr, _ []Source) { f(e) })
}

// walkIn is WalkExpr with the row variables that are in scope, inner ones last.
// rows are those of the whole.
func walkIn(e Expr, rows []Source, f func(Expr, []Source)) {
	if e == nil {
		return
	}
	f(e, rows)
	switch e := e.(type) {
	case *Const, *Var, *Col:
	case *Unary:
		walkIn(e.X, rows, f)
	case *Binary:
		walkIn(e.X, rows, f)
		walkIn(e.Y, rows, f)
	case *Cond:
		walkIn(e.If, rows, f)
		walkIn(e.Then, rows, f)
		walkIn(e.Else, rows, f)
	case *Call:
		for _, a := range e.Args {
			walkIn(a, rows, f)
		}
	case *Exists:
		walkIn(e.Query.Where, slices.Concat(rows, e.Query.From), f)
	default:
		panic(fmt.Sprintf("ir: walk: unknown expression %T", e))
	}
}

// MapExpr rebuilds e from the inside out, with f applied to every node.
func MapExpr(e Expr, f func(Expr) Expr) Expr {
	if e == nil {
		return nil
	}
	switch x := e.(type) {
	case *Const, *Var, *Col:
		return f(e)
	case *Unary:
		return f(&Unary{x.Op, MapExpr(x.X, f)})
	case *Binary:
		return f(&Binary{x.Op, MapExpr(x.X, f), MapExpr(x.Y, f), x.Within})
	case *Cond:
		return f(&Cond{MapExpr(x.If, f), MapExpr(x.Then, f), MapExpr(x.Else, f)})
	case *Call:
		args := make([]Expr, len(x.Args))
		for i, a := range x.Args {
			args[i] = MapExpr(a, f)
		}
		return f(&Call{x.Name, args, x.Type, x.Def, x.Fn})
	case *Exists:
		q := Query{append([]Source{}, x.Query.From...), MapExpr(x.Query.Where, f)}
		return f(&Exists{q})
	}
	panic(fmt.Sprintf("ir: map: unknown expression %T", e))
}

// Assigned gives the locals that statement s itself sets.
func Assigned(s Stmt) []string {
	named := func(list []string, more ...string) []string {
		out := append([]string{}, list...)
		for _, m := range more {
			if m != "" {
				out = append(out, m)
			}
		}
		return out
	}
	switch s := s.(type) {
	case *Assign:
		return []string{s.Var}
	case *Havoc:
		return []string{s.Var}
	case *Select:
		return named(s.Into, s.Found)
	case *Insert:
		return named(nil, s.Done)
	case *ForRange:
		return []string{s.Var}
	case *Foreach:
		return named(s.Into, s.Found)
	}
	return nil
}

// Reads gives the sources that statement s itself reads, those of EXISTS
// inside its expressions included.
func Reads(s Stmt) []Source {
	out := ownSources(s)
	for _, e := range Exprs(s) {
		WalkExpr(e, func(e Expr) {
			if x, ok := e.(*Exists); ok {
				out = append(out, x.Query.From...)
			}
		})
	}
	return out
}

// HasExists reports whether an expression has a query inside.
func HasExists(e Expr) bool {
	found := false
	WalkExpr(e, func(e Expr) {
		_, is := e.(*Exists)
		found = found || is
	})
	return found
}

// ReadColumns calls f for each column that statement s itself looks at, as often
// as its expressions name it. A row variable is the innermost one of its name. The
// row that an INSERT proposed is no row of a table, and left out.
func ReadColumns(s Stmt, f func(t *Table, col string)) {
	own := ownSources(s)
	for _, e := range Exprs(s) {
		walkIn(e, own, func(e Expr, rows []Source) {
			c, ok := e.(*Col)
			for i := len(rows) - 1; ok && i >= 0; i-- {
				if rows[i].Row == c.Row {
					f(rows[i].Table, c.Col)
					return
				}
			}
		})
	}
}

// ownSources gives the sources of statement s, without those of EXISTS.
func ownSources(s Stmt) []Source {
	var out []Source
	switch s := s.(type) {
	case *Select:
		out = append(out, s.Query.From...)
	case *EmitRows:
		out = append(out, s.Query.From...)
	case *LockRows:
		out = append(out, s.Query.From...)
	case *Foreach:
		out = append(out, s.Query.From...)
	case *Update:
		out = append(out, Source{Table: s.Table, Row: s.Row})
	case *Delete:
		out = append(out, Source{Table: s.Table, Row: s.Row})
	case *Cascade:
		out = append(out, Source{Table: s.Table, Row: s.Table.Name}, Source{Table: s.ForeignKey().Ref, Row: s.ForeignKey().Ref.Name})
	case *Insert:
		if s.Conflict != nil {
			out = append(out, Source{Table: s.Table, Row: s.Conflict.Row})
		}
	}
	return out
}

// Written gives the table that statement s itself writes, or nil.
func Written(s Stmt) *Table {
	switch s := s.(type) {
	case *Insert:
		return s.Table
	case *Update:
		return s.Table
	case *Delete:
		return s.Table
	case *Cascade:
		return s.Table
	}
	return nil
}

// TakesSnapshot reports whether statement s itself fixes what the transaction
// sees, if none before it has: what reads no row does not.
func TakesSnapshot(s Stmt) bool {
	switch s := s.(type) {
	case *Send:
		return false
	case *Emit:
		return !s.Setting
	case *LockTable, *Dropped, *Assign, *Havoc, *If, *Block, *While, *ForRange, *Assume, *Savepoint, *Return, *Break, *Continue:
		return len(Reads(s)) > 0
	}
	return true
}

// ReplaceExpr rebuilds e from the outside in: where f gives an expression it
// takes the place of the one that f was given, and is not looked into.
func ReplaceExpr(e Expr, f func(Expr) Expr) Expr {
	if e == nil {
		return nil
	}
	if n := f(e); n != nil {
		return n
	}
	switch x := e.(type) {
	case *Const, *Var, *Col:
		return e
	case *Unary:
		return &Unary{x.Op, ReplaceExpr(x.X, f)}
	case *Binary:
		return &Binary{x.Op, ReplaceExpr(x.X, f), ReplaceExpr(x.Y, f), x.Within}
	case *Cond:
		return &Cond{ReplaceExpr(x.If, f), ReplaceExpr(x.Then, f), ReplaceExpr(x.Else, f)}
	case *Call:
		args := make([]Expr, len(x.Args))
		for i, a := range x.Args {
			args[i] = ReplaceExpr(a, f)
		}
		return &Call{x.Name, args, x.Type, x.Def, x.Fn}
	case *Exists:
		return &Exists{Query{append([]Source{}, x.Query.From...), ReplaceExpr(x.Query.Where, f)}}
	}
	panic(fmt.Sprintf("ir: replace: unknown expression %T", e))
}

// LocksConflict reports whether two row locks keep each other out (PostgreSQL manual, table 13.3).
func LocksConflict(a, b LockMode) bool {
	if a > b {
		a, b = b, a
	}
	switch a {
	case NoLock:
		return false
	case ForKeyShare:
		return b == ForUpdate
	case ForShare:
		return b >= ForNoKeyUpdate
	}
	return true
}

// Queries gives the queries of a statement: its own, what it writes, and those of EXISTS.
func Queries(s Stmt) []Query {
	var out []Query
	if _, q := LocksOf(s); q != nil {
		out = append(out, *q)
	}
	switch s := s.(type) {
	case *Update:
		out = append(out, Query{From: []Source{{Table: s.Table, Row: s.Row}}, Where: s.Where})
	case *Delete:
		out = append(out, Query{From: []Source{{Table: s.Table, Row: s.Row}}, Where: s.Where})
	default: // it writes no rows that it looks for
	}
	for _, e := range Exprs(s) {
		WalkExpr(e, func(e Expr) {
			if x, ok := e.(*Exists); ok {
				out = append(out, x.Query)
			}
		})
	}
	return out
}
