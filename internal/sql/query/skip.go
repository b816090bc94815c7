package query

import (
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// skipsLocked reports whether a query has SKIP LOCKED.
func skipsLocked(s *pg.SelectStmt) bool {
	for _, n := range s.LockingClause {
		if pg.Inner(n).(*pg.LockingClause).WaitPolicy == pg.LockWaitSkip {
			return true
		}
	}
	return false
}

// arrayQuery gives the query of v = ANY (ARRAY(SELECT …)), nil for something
// else.
func arrayQuery(e *pg.A_Expr) *pg.SelectStmt {
	l, ok := pg.Inner(e.Rexpr).(*pg.SubLink)
	if op := syntax.Names(e.Name); e.Kind != pg.ExprOpAny || !ok || l.SubLinkType != pg.SubArray || op[len(op)-1] != "=" {
		return nil
	}
	s, _ := pg.Inner(l.Subselect).(*pg.SelectStmt)
	return s
}

// picked says of rows, one of each source, that they are not skipped.
type picked func(from []ir.Source) ir.Expr

// SkipRows leaves the rows of q that are not skipped. first says that no row
// after the first one is looked at.
func SkipRows(b *expr.Draft, q *Query, pos ir.Pos, first bool) {
	if !q.skip || q.AtMost == 0 {
		q.skip = false
		return
	}
	if first && q.Limit != nil && q.AtMost < 0 {
		b.Unmodelled("LIMIT of an expression, with SKIP LOCKED")
	}
	kept := pick(b, q, pos, first)(q.From)
	if q.AtMost != 1 {
		kept = ir.AndE(q.Where, kept)
	}
	q.Where = kept
}

// pick chooses rows of q, as many as its LIMIT allows. What it gives implies the
// condition of q where it is one row.
func pick(b *expr.Draft, q *Query, pos ir.Pos, first bool) picked {
	for _, o := range q.Order {
		if ir.MayFail(o.Expr) {
			b.Unmodelled("SKIP LOCKED in an order that may fail")
		}
	}
	b.App.Note(b.Cur, "SKIP LOCKED: any row may be skipped, in serial executions too")
	q.skip = false
	if first || q.AtMost == 1 || b.SingleRow(q.IR()) && q.Limit == nil {
		q.Order, q.Limit, q.AtMost = nil, nil, 1
		return pickOne(b, q, pos)
	}
	out := pickSome(b, q, pos)
	q.Limit, q.AtMost, q.Some = nil, -1, true
	return out
}

// whichRows is what the database chooses where a statement may pass over rows.
const whichRows = "which rows SKIP LOCKED or LIMIT leaves"

// pickOne chooses one row of q, or none, whose key locals get.
func pickOne(b *expr.Draft, q *Query, pos ir.Pos) picked {
	taken, found := b.Local("taken", schema.TBool), b.Local("was_found", schema.TBool)
	s := &ir.Select{At: expr.At(pos), Query: ir.Query{From: q.From, Where: ir.AndE(q.Where, ir.V(taken))}, Found: found}
	for _, src := range q.From {
		for _, k := range src.Table.Key {
			c := src.Table.Columns[k]
			s.Into = append(s.Into, b.IrLocal(c.Name, c.Type))
		}
	}
	s.Cols = expr.KeysOf(q.From)
	b.Emit(&ir.Havoc{At: expr.At(pos), Var: taken, NotNull: true, Of: whichRows})
	b.Emit(s)
	b.Emit(&ir.Assume{At: expr.At(pos), Cond: ir.Op(ir.Eq, ir.V(found), ir.V(taken))})
	return func(from []ir.Source) ir.Expr {
		var same ir.Expr
		for i, c := range expr.KeysOf(from) {
			same = ir.AndE(same, ir.Op(ir.Eq, c, ir.V(s.Into[i])))
		}
		return same
	}
}

// pickSome chooses some rows of q, as many as its LIMIT allows.
func pickSome(b *expr.Draft, q *Query, pos ir.Pos) picked {
	among, n := someRows(b, q, pos)
	if q.Limit != nil {
		within := ir.Op(ir.Le, ir.V(n), q.Limit)
		if q.AtMost < 0 {
			within = ir.OrE(&ir.Unary{Op: ir.IsNull, X: q.Limit}, within)
		}
		b.Emit(&ir.Assume{At: expr.At(pos), Cond: within})
	}
	return among
}

// someRows chooses rows of q: an array gets their keys, and the local count how
// many they are.
func someRows(b *expr.Draft, q *Query, pos ir.Pos) (kept picked, count string) {
	elem := ir.KindOpaque
	if keys := expr.KeysOf(q.From); len(keys) == 1 {
		t := q.From[0].Table
		elem = t.Columns[t.Key[0]].Type.Kind
	}
	array := b.IrLocal("kept", ir.ArrayType(elem))
	among := func(from []ir.Source) ir.Expr {
		keys := expr.KeysOf(from)
		key := keys[0]
		if len(keys) > 1 {
			key = &ir.Call{Name: ir.RowFn, Args: keys, Type: ir.OpaqueType}
		}
		return &ir.Call{Name: "= any", Args: []ir.Expr{key, ir.V(array)}, Type: ir.BoolType}
	}
	n := b.Local("count", schema.TInt)
	b.Emit(&ir.Havoc{At: expr.At(pos), Var: array, NotNull: true, Of: whichRows})
	b.Emit(&ir.Select{At: expr.At(pos), Into: []string{n}, Aggs: []ir.Agg{{Fn: "count", Type: ir.IntType}},
		Query: ir.Query{From: q.From, Where: ir.AndE(q.Where, among(q.From))}})
	b.Emit(&ir.Assume{At: expr.At(pos), Cond: ir.Op(ir.Eq, ir.V(n), &ir.Call{Name: "len", Args: []ir.Expr{ir.V(array)}, Type: ir.IntType})})
	if q.Where != nil { // the solver does not see that from the number
		others := ir.Query{From: q.From, Where: ir.AndE(among(q.From), ir.NotE(ir.Op(ir.Is, q.Where, ir.C(ir.Bool(true)))))}
		b.Emit(&ir.Assume{At: expr.At(pos), Cond: ir.NotE(&ir.Exists{Query: others})})
	}
	return among, n
}

// pickAgain chooses rows of a query in FROM or USING of a write. It may be read
// for each row that is written, so that LIMIT bounds each time, but not the rows
// that come together.
func (q *Query) pickAgain(in *Place, s *pg.SelectStmt, loc int32) picked {
	sub := in.Locking(s, false) // flat sees to its locks
	if sub.AtMost == 0 {
		in.Unmodelled("LIMIT 0 with SKIP LOCKED in FROM")
	}
	sub.Limit, sub.AtMost = nil, -1
	return pick(in.Draft, sub, in.Pos(loc), false)
}

// sameRow reports whether a condition says that rows a and b of t have the same
// key.
func sameRow(t *ir.Table, a, b string, where ir.Expr) bool {
	same := map[string]bool{}
	for _, c := range ir.Conjuncts(where) {
		if eq, ok := c.(*ir.Binary); ok && eq.Op == ir.Eq {
			x, ok1 := eq.X.(*ir.Col)
			y, ok2 := eq.Y.(*ir.Col)
			if ok1 && ok2 && x.Col == y.Col && (x.Row == a && y.Row == b || x.Row == b && y.Row == a) {
				same[x.Col] = true
			}
		}
	}
	for _, k := range t.Key {
		if !same[t.Columns[k].Name] {
			return false
		}
	}
	return true
}

// RenameRow puts the row variable b in the place of a.
func RenameRow(e ir.Expr, a, b string) ir.Expr {
	return ir.MapExpr(e, func(e ir.Expr) ir.Expr {
		if c, ok := e.(*ir.Col); ok && c.Row == a {
			return &ir.Col{Row: b, Col: c.Col}
		}
		return e
	})
}

// anySkipping is v = ANY (s), where s skips rows: only for rows of a query
// around it that are those of s themselves. once says that s runs once; where it
// does not, LIMIT bounds each time, but not the rows that come together.
func (x *Place) anySkipping(v expr.Val, s *pg.SelectStmt, loc int32, m expr.Mode, once bool) ir.Expr {
	q := x.uncorrelated(s)
	if len(q.From) != 1 || len(q.Targets) == 0 || len(x.Levels) == 0 {
		x.Unmodelled("SKIP LOCKED in this form of IN")
	}
	cols := expr.Val{Type: schema.TRecord, Record: true, Fields: q.Targets}
	if len(q.Targets) == 1 && !v.Record {
		cols = q.Targets[0].Val()
	}
	c := q.Place.Binary("=", v, cols, loc)
	if q.AtMost == 0 {
		return ir.C(ir.Bool(false))
	}
	outer := x.Levels[len(x.Levels)-1].Sources
	if !once {
		if len(x.Levels) > 1 || len(outer) > 1 {
			x.Unmodelled("SKIP LOCKED in IN, in a join or in another subquery")
		}
		q.Limit, q.AtMost = nil, -1
	}
	src := q.From[0]
	for _, o := range outer {
		if o.Table == nil || o.Table.IR != src.Table || !sameRow(src.Table, o.Row, src.Row, c.Expr) {
			continue
		}
		kept := pick(x.Draft, q, x.Pos(loc), false)(q.From)
		chosen := *q
		chosen.Where = ir.AndE(q.Where, kept)
		LooseLocks(x.Draft, &chosen, x.Pos(loc), "which may not run")
		if q.AtMost != 1 {
			kept = ir.AndE(q.Where, kept)
		}
		if len(cols.Fields) > len(src.Table.Key) {
			kept = ir.AndE(kept, c.Expr)
		}
		kept = RenameRow(kept, src.Row, o.Row)
		if m != expr.Truth {
			kept = ir.Op(ir.Is, kept, ir.C(ir.Bool(true)))
		}
		return kept
	}
	x.Unmodelled("SKIP LOCKED in IN, for other rows than those of the subquery")
	return nil
}
