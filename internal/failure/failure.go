// Package failure says which expressions may end in an error, and where: on what arguments, and
// for which rows.
package failure

import (
	"errors"
	"slices"

	"github.com/txrobust/robust/internal/ir"
)

// callFails reports whether a call may end in an error. One of range is none: values fit.
func callFails(c *ir.Call) bool {
	f := c.Function()
	return f != nil && slices.ContainsFunc(f.FailsOn, func(i int) bool {
		return i < len(c.Args) && !isConst(c.Args[i])
	})
}

func isConst(e ir.Expr) bool {
	_, is := e.(*ir.Const)
	return is
}

// failureOf is the function that tells whether another one gives an error.
func failureOf(f *ir.Function) *ir.Function {
	if f.Eval == nil || !f.Strict {
		return nil
	}
	return &ir.Function{Name: "failure of " + f.Name, Params: f.Params, Result: ir.KindBool, Strict: true, Settings: f.Settings,
		Eval: func(args []ir.Value, t ir.Type) (ir.Value, error) {
			_, err := f.Eval(args, t)
			if errors.Is(err, ir.ErrNotKnown) {
				return ir.Null, err
			}
			return ir.Bool(err != nil), nil
		}}
}

// Of is the condition that a node of an expression itself ends in an error, nil if it
// does not. That of a call is a call with the same arguments.
func Of(e ir.Expr) ir.Expr {
	switch e := e.(type) {
	case *ir.Binary:
		if e.Op != ir.Div && e.Op != ir.Mod {
			return nil
		}
		if c, constant := e.Y.(*ir.Const); constant {
			if c.Value.IsNull() || c.Value.Rat().Sign() != 0 {
				return nil
			}
			return ir.C(ir.Bool(true))
		}
		return &ir.Binary{Op: ir.Eq, X: e.Y, Y: ir.C(ir.Int(0))}
	case *ir.Call:
		if callFails(e) {
			return &ir.Call{Name: "failure of " + e.Name, Args: e.Args, Type: ir.BoolType, Fn: failureOf(e.Function())}
		}
	}
	return nil
}

// Queries gives queries of which each has a row where computing statement s for a row of
// a table may end in an error.
func Queries(s ir.Stmt) []ir.Query {
	q := queryOf(s)
	x := &failures{}
	if q != nil {
		x.query(*q, nil)
	}
	for _, e := range ir.Exprs(s) {
		if q != nil && e == q.Where {
			continue
		}
		var own ir.Query
		if q != nil {
			own = *q
		}
		x.expr(e, own.From, own.Where)
	}
	return x.out
}

// queryOf is the query for the rows that the expressions of a statement are about, or nil.
func queryOf(s ir.Stmt) *ir.Query {
	switch s := s.(type) {
	case *ir.Select:
		return &s.Query
	case *ir.EmitRows:
		return &s.Query
	case *ir.LockRows:
		return &s.Query
	case *ir.Foreach:
		return &s.Query
	case *ir.Update:
		return &ir.Query{From: []ir.Source{{Table: s.Table, Row: s.Row}}, Where: s.Where}
	case *ir.Delete:
		return &ir.Query{From: []ir.Source{{Table: s.Table, Row: s.Row}}, Where: s.Where}
	case *ir.Insert:
		if s.Conflict != nil {
			return &ir.Query{From: []ir.Source{{Table: s.Table, Row: s.Conflict.Row}}, Where: inConflict(s)}
		}
	}
	return nil
}

// inConflict is the condition that a row has the key that an INSERT proposes, nil if it is
// any of several keys.
func inConflict(s *ir.Insert) ir.Expr {
	var out ir.Expr
	for _, k := range s.Conflict.Target {
		if i := slices.Index(s.Cols, k); i >= 0 {
			out = ir.AndE(out, &ir.Binary{Op: ir.Eq, X: &ir.Col{Row: s.Conflict.Row, Col: s.Table.Columns[k].Name}, Y: s.Values[i]})
		}
	}
	return out
}

type failures struct{ out []ir.Query }

// query looks at the conditions of a query inside of others with these rows.
func (x *failures) query(q ir.Query, outer []ir.Source) {
	rows := slices.Concat(outer, q.From)
	cheap, others := ByCost(q.Where)
	var first ir.Expr
	for _, c := range cheap {
		first = ir.AndE(first, c)
	}
	for _, c := range others {
		x.expr(c, rows, first)
	}
}

// ByCost gives the conjuncts of a condition that cost a server one operator, and the
// others. PostgreSQL computes the first kind first; of the others, which are in their
// order here, it does not say.
func ByCost(where ir.Expr) (cheap, others []ir.Expr) {
	for _, c := range ir.Conjuncts(where) {
		if isCheap(c) {
			cheap = append(cheap, c)
		} else {
			others = append(others, c)
		}
	}
	return cheap, others
}

func isCheap(c ir.Expr) bool {
	switch c := c.(type) {
	case *ir.Binary:
		return isLeaf(c.X) && isLeaf(c.Y) && c.Op != ir.And && c.Op != ir.Or
	case *ir.Unary:
		return isLeaf(c.X)
	}
	return isLeaf(c)
}

func isLeaf(e ir.Expr) bool {
	switch e.(type) {
	case *ir.Col, *ir.Const, *ir.Var:
		return true
	}
	return false
}

// expr looks at an expression over rows that satisfy a condition.
func (x *failures) expr(e ir.Expr, rows []ir.Source, where ir.Expr) {
	switch e := e.(type) {
	case *ir.Cond:
		x.expr(e.If, rows, where)
		x.expr(e.Then, rows, ir.AndE(where, e.If))
		x.expr(e.Else, rows, ir.AndE(where, &ir.Cond{If: e.If, Then: ir.C(ir.Bool(false)), Else: ir.C(ir.Bool(true))}))
	case *ir.Exists:
		x.query(e.Query, rows)
	default:
		for _, part := range Operands(e) {
			x.expr(part, rows, where)
		}
	}
	if f := Of(e); f != nil && !stored(e, rows) {
		x.add(f, rows, where)
	}
}

// stored reports whether a generated column, or the index on an expression that is one
// here, computes the expression: then no row is there for which that fails.
func stored(e ir.Expr, rows []ir.Source) bool {
	c, is := e.(*ir.Call)
	for _, r := range rows {
		if !is || !within(c, []ir.Source{r}) || !names(c, r.Row) {
			continue
		}
		text := (ir.MapExpr(c, func(e ir.Expr) ir.Expr {
			if col, ok := e.(*ir.Col); ok {
				return &ir.Col{Row: r.Table.Name, Col: col.Col}
			}
			return e
		})).String()
		for _, col := range r.Table.Columns {
			if always(col.Generated, text) {
				return true
			}
		}
	}
	return false
}

// always reports whether computing an expression computes a part with this text.
func always(e ir.Expr, text string) bool {
	if e == nil {
		return false
	}
	if _, is := e.(*ir.Call); is && e.String() == text {
		return true
	}
	if _, branches := e.(*ir.Cond); branches {
		return false
	}
	return slices.ContainsFunc(Operands(e), func(part ir.Expr) bool { return always(part, text) })
}

// add adds that a condition is true of rows, those that it is about.
func (x *failures) add(failed ir.Expr, rows []ir.Source, where ir.Expr) {
	var from []ir.Source
	for i, r := range rows {
		hidden := slices.ContainsFunc(rows[i+1:], func(s ir.Source) bool { return s.Row == r.Row })
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
		failed = ir.C(ir.Bool(true))
	}
	q := ir.Query{From: from, Where: failed}
	for _, c := range ir.Conjuncts(where) {
		if within(c, from) {
			q.Where = ir.AndE(c, q.Where)
		}
	}
	x.out = append(x.out, q)
}

// names reports whether an expression is about the row of a variable.
func names(e ir.Expr, row string) bool {
	found := false
	ir.WalkExpr(e, func(e ir.Expr) {
		c, ok := e.(*ir.Col)
		found = found || ok && c.Row == row
	})
	return found
}

// within reports whether an expression is about no other rows than those of sources, and
// has no query inside.
func within(e ir.Expr, from []ir.Source) bool {
	ok := true
	ir.WalkExpr(e, func(e ir.Expr) {
		switch e := e.(type) {
		case *ir.Col:
			ok = ok && slices.ContainsFunc(from, func(s ir.Source) bool { return s.Row == e.Row })
		case *ir.Exists:
			ok = false
		}
	})
	return ok
}

// MayFail reports whether computing an expression may end in an error that is none of
// range.
func MayFail(e ir.Expr) bool {
	found := false
	ir.WalkExpr(e, func(e ir.Expr) { found = found || Of(e) != nil })
	return found
}

// RowFree reports whether an expression is about no row.
func RowFree(e ir.Expr) bool {
	free := true
	ir.WalkExpr(e, func(e ir.Expr) {
		switch e.(type) {
		case *ir.Col, *ir.Exists:
			free = false
		}
	})
	return free
}

// Operands gives the expressions that an expression is put together of, without queries.
func Operands(e ir.Expr) []ir.Expr {
	switch e := e.(type) {
	case *ir.Unary:
		return []ir.Expr{e.X}
	case *ir.Binary:
		return []ir.Expr{e.X, e.Y}
	case *ir.Cond:
		return []ir.Expr{e.If, e.Then, e.Else}
	case *ir.Call:
		return e.Args
	}
	return nil
}
