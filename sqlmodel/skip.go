package sqlmodel

import (
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// SKIP LOCKED passes over the rows that somebody else has locked. Who writes it
// does not mind which those are: any row that matches may be passed over, in
// serial executions too. Of one row it is open which, and whether there is one;
// of several, which of them: the instance chooses. It chooses among the rows
// that match, or else the transaction does not go on, so that a choice is the
// same as what comes of it.

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

// skipRows leaves the rows of q that are not skipped. first says that no row
// after the first one is looked at.
func (b *Draft) skipRows(q *query, pos ir.Pos, first bool) {
	if !q.skip || q.atMost == 0 {
		q.skip = false
		return
	}
	if first && q.limit != nil && q.atMost < 0 {
		b.unmodelled("LIMIT of an expression, with SKIP LOCKED")
	}
	kept := b.pick(q, pos, first)(q.from)
	if q.atMost != 1 {
		kept = ir.AndE(q.where, kept)
	}
	q.where = kept
}

// pick chooses rows of q, as many as its LIMIT allows. What it gives implies the
// condition of q where it is one row.
func (b *Draft) pick(q *query, pos ir.Pos, first bool) picked {
	for _, o := range q.order {
		if ir.MayFail(o.Expr) {
			b.unmodelled("SKIP LOCKED in an order that may fail")
		}
	}
	b.l.Note(b.cur, "SKIP LOCKED: any row may be skipped, in serial executions too")
	q.skip = false
	if first || q.atMost == 1 || b.singleRow(q.ir()) && q.limit == nil {
		q.order, q.limit, q.atMost = nil, nil, 1
		return b.pickOne(q, pos)
	}
	out := b.pickSome(q, pos)
	q.limit, q.atMost, q.some = nil, -1, true
	return out
}

// whichRows is what the database chooses where a statement may pass over rows.
const whichRows = "which rows SKIP LOCKED or LIMIT leaves"

// pickOne chooses one row of q, or none, whose key locals get.
func (b *Draft) pickOne(q *query, pos ir.Pos) picked {
	taken, found := b.local("taken", schema.TBool), b.local("was_found", schema.TBool)
	s := &ir.Select{At: at(pos), Query: ir.Query{From: q.from, Where: ir.AndE(q.where, ir.V(taken))}, Found: found}
	for _, src := range q.from {
		for _, k := range src.Table.Key {
			c := src.Table.Columns[k]
			s.Into = append(s.Into, b.irLocal(c.Name, c.Type))
		}
	}
	s.Cols = keysOf(q.from)
	b.emit(&ir.Havoc{At: at(pos), Var: taken, NotNull: true, Of: whichRows})
	b.emit(s)
	b.emit(&ir.Assume{At: at(pos), Cond: ir.Op(ir.Eq, ir.V(found), ir.V(taken))})
	return func(from []ir.Source) ir.Expr {
		var same ir.Expr
		for i, c := range keysOf(from) {
			same = ir.AndE(same, ir.Op(ir.Eq, c, ir.V(s.Into[i])))
		}
		return same
	}
}

// pickSome chooses some rows of q, as many as its LIMIT allows.
func (b *Draft) pickSome(q *query, pos ir.Pos) picked {
	among, n := b.someRows(q, pos)
	if q.limit != nil {
		within := ir.Op(ir.Le, ir.V(n), q.limit)
		if q.atMost < 0 {
			within = ir.OrE(&ir.Unary{Op: ir.IsNull, X: q.limit}, within)
		}
		b.emit(&ir.Assume{At: at(pos), Cond: within})
	}
	return among
}

// someRows chooses rows of q: an array gets their keys, and the local count how
// many they are.
func (b *Draft) someRows(q *query, pos ir.Pos) (kept picked, count string) {
	elem := ir.KindOpaque
	if keys := keysOf(q.from); len(keys) == 1 {
		t := q.from[0].Table
		elem = t.Columns[t.Key[0]].Type.Kind
	}
	array := b.irLocal("kept", ir.ArrayType(elem))
	among := func(from []ir.Source) ir.Expr {
		keys := keysOf(from)
		key := keys[0]
		if len(keys) > 1 {
			key = &ir.Call{Name: ir.RowFn, Args: keys, Type: ir.OpaqueType}
		}
		return &ir.Call{Name: "= any", Args: []ir.Expr{key, ir.V(array)}, Type: ir.BoolType}
	}
	n := b.local("count", schema.TInt)
	b.emit(&ir.Havoc{At: at(pos), Var: array, NotNull: true, Of: whichRows})
	b.emit(&ir.Select{At: at(pos), Into: []string{n}, Aggs: []ir.Agg{{Fn: "count", Type: ir.IntType}},
		Query: ir.Query{From: q.from, Where: ir.AndE(q.where, among(q.from))}})
	b.emit(&ir.Assume{At: at(pos), Cond: ir.Op(ir.Eq, ir.V(n), &ir.Call{Name: "len", Args: []ir.Expr{ir.V(array)}, Type: ir.IntType})})
	if q.where != nil { // the solver does not see that from the number
		others := ir.Query{From: q.from, Where: ir.AndE(among(q.from), ir.NotE(ir.Op(ir.Is, q.where, ir.C(ir.Bool(true)))))}
		b.emit(&ir.Assume{At: at(pos), Cond: ir.NotE(&ir.Exists{Query: others})})
	}
	return among, n
}

// pickAgain chooses rows of a query in FROM or USING of a write. It may be read
// for each row that is written, so that LIMIT bounds each time, but not the rows
// that come together.
func (q *query) pickAgain(in *ex, s *pg.SelectStmt, loc int32) picked {
	sub := in.locking(s, false) // flat sees to its locks
	if sub.atMost == 0 {
		in.unmodelled("LIMIT 0 with SKIP LOCKED in FROM")
	}
	sub.limit, sub.atMost = nil, -1
	return in.b.pick(sub, in.pos(loc), false)
}

// keysOf gives the key columns of the rows of some sources.
func keysOf(from []ir.Source) []ir.Expr {
	var out []ir.Expr
	for _, src := range from {
		for _, k := range src.Table.Key {
			out = append(out, &ir.Col{Row: src.Row, Col: src.Table.Columns[k].Name})
		}
	}
	return out
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

// renameRow puts the row variable b in the place of a.
func renameRow(e ir.Expr, a, b string) ir.Expr {
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
func (x *ex) anySkipping(v val, s *pg.SelectStmt, loc int32, m mode, once bool) ir.Expr {
	q := x.uncorrelated(s)
	if len(q.from) != 1 || len(q.targets) == 0 || len(x.levels) == 0 {
		x.unmodelled("SKIP LOCKED in this form of IN")
	}
	cols := val{t: schema.TRecord, record: true, fields: q.targets}
	if len(q.targets) == 1 && !v.record {
		cols = q.targets[0].val()
	}
	c := q.in.binary("=", v, cols, loc)
	if q.atMost == 0 {
		return ir.C(ir.Bool(false))
	}
	outer := x.levels[len(x.levels)-1].sources
	if !once {
		if len(x.levels) > 1 || len(outer) > 1 {
			x.unmodelled("SKIP LOCKED in IN, in a join or in another subquery")
		}
		q.limit, q.atMost = nil, -1
	}
	src := q.from[0]
	for _, o := range outer {
		if o.table == nil || o.table.IR != src.Table || !sameRow(src.Table, o.row, src.Row, c.e) {
			continue
		}
		kept := x.b.pick(q, x.pos(loc), false)(q.from)
		chosen := *q
		chosen.where = ir.AndE(q.where, kept)
		x.b.looseLocks(&chosen, x.pos(loc), "which may not run")
		if q.atMost != 1 {
			kept = ir.AndE(q.where, kept)
		}
		if len(cols.fields) > len(src.Table.Key) {
			kept = ir.AndE(kept, c.e)
		}
		kept = renameRow(kept, src.Row, o.row)
		if m != truth {
			kept = ir.Op(ir.Is, kept, ir.C(ir.Bool(true)))
		}
		return kept
	}
	x.unmodelled("SKIP LOCKED in IN, for other rows than those of the subquery")
	return nil
}
