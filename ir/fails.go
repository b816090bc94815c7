package ir

import (
	"errors"
	"slices"
)

// fails reports whether the call may end in an error. One of range is none: values fit.
func (c *Call) fails() bool {
	f := c.Function()
	return f != nil && slices.ContainsFunc(f.FailsOn, func(i int) bool {
		return i < len(c.Args) && !isConst(c.Args[i])
	})
}

func isConst(e Expr) bool {
	_, is := e.(*Const)
	return is
}

// failureOf is the function that tells whether another one gives an error.
func failureOf(f *Function) *Function {
	if f.Eval == nil || !f.Strict {
		return nil
	}
	return &Function{Name: "failure of " + f.Name, Params: f.Params, Result: KindBool, Strict: true, Settings: f.Settings,
		Eval: func(args []Value, t Type) (Value, error) {
			_, err := f.Eval(args, t)
			if errors.Is(err, ErrNotKnown) {
				return Null, err
			}
			return Bool(err != nil), nil
		}}
}

// Failure is the condition that a node of an expression itself ends in an error, nil if it
// does not. That of a call is a call with the same arguments.
func Failure(e Expr) Expr {
	switch e := e.(type) {
	case *Binary:
		if e.Op != Div && e.Op != Mod {
			return nil
		}
		if c, constant := e.Y.(*Const); constant {
			if c.Value.IsNull() || c.Value.Rat().Sign() != 0 {
				return nil
			}
			return C(Bool(true))
		}
		return &Binary{Op: Eq, X: e.Y, Y: C(Int(0))}
	case *Call:
		if e.fails() {
			return &Call{Name: "failure of " + e.Name, Args: e.Args, Type: BoolType, Fn: failureOf(e.Function())}
		}
	}
	return nil
}

// Failures gives queries of which each has a row where computing statement s for a row of
// a table may end in an error.
func Failures(s Stmt) []Query {
	q := queryOf(s)
	x := &failures{}
	if q != nil {
		x.query(*q, nil)
	}
	for _, e := range Exprs(s) {
		if q != nil && e == q.Where {
			continue
		}
		var own Query
		if q != nil {
			own = *q
		}
		x.expr(e, own.From, own.Where)
	}
	return x.out
}

// queryOf is the query for the rows that the expressions of a statement are about, or nil.
func queryOf(s Stmt) *Query {
	switch s := s.(type) {
	case *Select:
		return &s.Query
	case *EmitRows:
		return &s.Query
	case *LockRows:
		return &s.Query
	case *Foreach:
		return &s.Query
	case *Update:
		return &Query{From: []Source{{s.Table, s.Row}}, Where: s.Where}
	case *Delete:
		return &Query{From: []Source{{s.Table, s.Row}}, Where: s.Where}
	case *Insert:
		if s.Conflict != nil {
			return &Query{From: []Source{{s.Table, s.Conflict.Row}}, Where: inConflict(s)}
		}
	}
	return nil
}

// inConflict is the condition that a row has the key that an INSERT proposes, nil if it is
// any of several keys.
func inConflict(s *Insert) Expr {
	var out Expr
	for _, k := range s.Conflict.Target {
		if i := slices.Index(s.Cols, k); i >= 0 {
			out = AndE(out, &Binary{Op: Eq, X: &Col{Row: s.Conflict.Row, Col: s.Table.Columns[k].Name}, Y: s.Values[i]})
		}
	}
	return out
}

type failures struct{ out []Query }

// query looks at the conditions of a query inside of others with these rows.
func (x *failures) query(q Query, outer []Source) {
	rows := slices.Concat(outer, q.From)
	cheap, others := ByCost(q.Where)
	var first Expr
	for _, c := range cheap {
		first = AndE(first, c)
	}
	for _, c := range others {
		x.expr(c, rows, first)
	}
}

// ByCost gives the conjuncts of a condition that cost a server one operator, and the
// others. PostgreSQL computes the first kind first; of the others, which are in their
// order here, it does not say.
func ByCost(where Expr) (cheap, others []Expr) {
	for _, c := range Conjuncts(where) {
		if isCheap(c) {
			cheap = append(cheap, c)
		} else {
			others = append(others, c)
		}
	}
	return cheap, others
}

func isCheap(c Expr) bool {
	switch c := c.(type) {
	case *Binary:
		return isLeaf(c.X) && isLeaf(c.Y) && c.Op != And && c.Op != Or
	case *Unary:
		return isLeaf(c.X)
	}
	return isLeaf(c)
}

func isLeaf(e Expr) bool {
	switch e.(type) {
	case *Col, *Const, *Var:
		return true
	}
	return false
}

// expr looks at an expression over rows that satisfy a condition.
func (x *failures) expr(e Expr, rows []Source, where Expr) {
	switch e := e.(type) {
	case *Cond:
		x.expr(e.If, rows, where)
		x.expr(e.Then, rows, AndE(where, e.If))
		x.expr(e.Else, rows, AndE(where, &Cond{If: e.If, Then: C(Bool(false)), Else: C(Bool(true))}))
	case *Exists:
		x.query(e.Query, rows)
	default:
		for _, part := range Operands(e) {
			x.expr(part, rows, where)
		}
	}
	if f := Failure(e); f != nil && !stored(e, rows) {
		x.add(f, rows, where)
	}
}

// stored reports whether a generated column, or the index on an expression that is one
// here, computes the expression: then no row is there for which that fails.
func stored(e Expr, rows []Source) bool {
	c, is := e.(*Call)
	for _, r := range rows {
		if !is || !within(c, []Source{r}) || !names(c, r.Row) {
			continue
		}
		text := ExprString(MapExpr(c, func(e Expr) Expr {
			if col, ok := e.(*Col); ok {
				return &Col{Row: r.Table.Name, Col: col.Col}
			}
			return e
		}))
		for _, col := range r.Table.Columns {
			if always(col.Generated, text) {
				return true
			}
		}
	}
	return false
}

// always reports whether computing an expression computes a part with this text.
func always(e Expr, text string) bool {
	if e == nil {
		return false
	}
	if _, is := e.(*Call); is && ExprString(e) == text {
		return true
	}
	if _, branches := e.(*Cond); branches {
		return false
	}
	return slices.ContainsFunc(Operands(e), func(part Expr) bool { return always(part, text) })
}

// add adds that a condition is true of rows, those that it is about.
func (x *failures) add(failed Expr, rows []Source, where Expr) {
	var from []Source
	for i, r := range rows {
		hidden := slices.ContainsFunc(rows[i+1:], func(s Source) bool { return s.Row == r.Row })
		if !hidden && (isConst(failed) || names(failed, r.Row)) {
			from = append(from, r)
		}
	}
	switch {
	case len(rows) == 0:
		return // it depends on what was read before
	case len(from) == 0: // and on whether there is a row to compute it for
		from = rows
	case !within(failed, from): // on the row that an INSERT proposes, too
		failed = C(Bool(true))
	}
	q := Query{From: from, Where: failed}
	for _, c := range Conjuncts(where) {
		if within(c, from) {
			q.Where = AndE(c, q.Where)
		}
	}
	x.out = append(x.out, q)
}

// names reports whether an expression is about the row of a variable.
func names(e Expr, row string) bool {
	found := false
	WalkExpr(e, func(e Expr) {
		c, ok := e.(*Col)
		found = found || ok && c.Row == row
	})
	return found
}

// within reports whether an expression is about no other rows than those of sources, and
// has no query inside.
func within(e Expr, from []Source) bool {
	ok := true
	WalkExpr(e, func(e Expr) {
		switch e := e.(type) {
		case *Col:
			ok = ok && slices.ContainsFunc(from, func(s Source) bool { return s.Row == e.Row })
		case *Exists:
			ok = false
		}
	})
	return ok
}

// MayFail reports whether computing an expression may end in an error that is none of
// range.
func MayFail(e Expr) bool {
	found := false
	WalkExpr(e, func(e Expr) { found = found || Failure(e) != nil })
	return found
}

// RowFree reports whether an expression is about no row.
func RowFree(e Expr) bool {
	free := true
	WalkExpr(e, func(e Expr) {
		switch e.(type) {
		case *Col, *Exists:
			free = false
		}
	})
	return free
}

// Operands gives the expressions that an expression is put together of, without queries.
func Operands(e Expr) []Expr {
	switch e := e.(type) {
	case *Unary:
		return []Expr{e.X}
	case *Binary:
		return []Expr{e.X, e.Y}
	case *Cond:
		return []Expr{e.If, e.Then, e.Else}
	case *Call:
		return e.Args
	}
	return nil
}
