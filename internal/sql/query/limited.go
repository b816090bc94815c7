package query

import (
	"slices"

	"github.com/txrobust/robust/internal/failure"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/trace"
	"github.com/txrobust/robust/internal/wellformed"
)

// chosen translates a query with LIMIT or OFFSET that is run once, before the statement: its condition says which of its
// rows are chosen.
func (x *Place) chosen(s *pg.SelectStmt, pos ir.Pos) (*Query, picked) {
	if x.Draft == nil || x.Deriver != nil || len(s.FromClause) == 0 {
		panic(schema.Unmodelled{Reason: "LIMIT in this place"})
	}
	count, offset := s.LimitCount, s.LimitOffset
	s.LimitCount, s.LimitOffset = nil, nil
	defer func() { s.LimitCount, s.LimitOffset = count, offset }()
	q := x.uncorrelated(s)
	if len(q.Aggs) > 0 || len(q.From) == 0 {
		x.Unmodelled("LIMIT of aggregates")
	}
	outer := x.Copy()
	outer.Levels = nil // no column is visible in LIMIT
	number := func(n *pg.Node, what string) ir.Expr {
		e := outer.number(n, what)
		if e == nil {
			return nil
		}
		return x.Shared(e, schema.TInt)
	}
	kept := Kept(x.Draft, q, number(count, "LIMIT"), number(offset, "OFFSET"), pos)
	if kept != nil {
		q.Where = ir.AndE(q.Where, kept(q.From))
	}
	return q, kept
}

// tie lets the instance decide which rows of a derivation LIMIT, OFFSET or DISTINCT ON leave where its order does not: two
// transactions that see the same rows may have different ones.
func (x *Place) tie(p *ir.Project, targets []expr.Column) {
	shown := func(c expr.Column) bool { // by the order: rows that agree in all columns are as good as each other
		return slices.ContainsFunc(p.Order, func(o ir.Order) bool { return o.Expr.String() == c.Expr.String() })
	}
	if p.Limit == nil && p.Offset == nil && p.On == nil || x.Deriver.total(p) || !slices.ContainsFunc(targets, func(c expr.Column) bool { return !shown(c) }) {
		return
	}
	p.Order = append(p.Order, ir.Order{Expr: &ir.Call{Name: anyOrder, Args: []ir.Expr{x.Draft.Seed("any_order", x.Draft.Cur)}, Type: ir.NumType}})
}

// anyOrder names the function that stands for an order which the server chooses.
const anyOrder = "any order"

// total reports whether the order of a query tells any two of its rows apart: it has the keys of a grouping or of a
// table.
func (d *deriver) total(p *ir.Project) bool {
	leaf, ok := p.From.(*ir.Leaf)
	if !ok {
		return p.From == nil
	}
	var keys []string
	if t := d.TableOf(leaf); t != nil {
		keys = keyNames(t.IR)
	} else if g, ok := leaf.Rel.(*ir.Group); ok {
		for _, k := range g.Keys {
			keys = append(keys, k.Name)
		}
	} else {
		return false
	}
	return ordersAll(leaf.Row, keys, p.Order)
}

// chosenFrom is chosen for a query of a FROM list or of WITH, where its rows are those of a statement that writes. Elsewhere a
// derivation says which ones they are.
func (x *Place) chosenFrom(s *pg.SelectStmt, pos ir.Pos) picked {
	q, kept := x.ofTid().chosen(s, pos)
	if kept == nil && q.AtMost != 1 {
		x.Unmodelled("LIMIT in FROM")
	}
	if kept == nil {
		return func([]ir.Source) ir.Expr { return nil }
	}
	return kept
}

// Kept chooses the rows of q that LIMIT and OFFSET leave, nil for all. What it gives does not imply the condition of q.
func Kept(b *expr.Draft, q *Query, limit, offset ir.Expr, pos ir.Pos) picked {
	if c, ok := offset.(*ir.Const); ok && c.Value == ir.Int(0) {
		offset = nil
	}
	c, constant := limit.(*ir.Const)
	single := b.SingleRow(q.IR())
	switch {
	case limit == nil && offset == nil:
		return nil
	case constant && offset == nil && single && c.Value.I >= 1:
		q.AtMost = 1
		return nil
	case constant && c.Value.I == 0:
		q.AtMost = 0
		return func([]ir.Source) ir.Expr { return ir.C(ir.Bool(false)) }
	}
	for _, o := range q.Order {
		if failure.MayFail(o.Expr) {
			b.Unmodelled("LIMIT in an order that may fail")
		}
	}
	b.Applied(trace.ChooseCut, pos)
	if constant && c.Value.I == 1 {
		q.AtMost = 1
	}
	if q.AtMost == 1 && offset == nil {
		return FirstOf(b, q, pos)
	}
	if offset != nil { // NULL is none
		offset = orNumber(offset, ir.C(ir.Int(0)))
	}
	var taken, passed picked
	if limit != nil {
		last := limit
		if offset != nil {
			last = ir.Op(ir.Add, limit, offset)
		}
		taken = firstRows(b, q, last, pos)
	}
	if offset == nil {
		return taken
	}
	passed = firstRows(b, q, offset, pos)
	if taken == nil {
		return func(from []ir.Source) ir.Expr { return ir.NotE(passed(from)) }
	}
	b.Emit(&ir.Assume{At: expr.At(pos), Cond: ir.NotE(&ir.Exists{Query: ir.Query{From: q.From, Where: ir.AndE(q.Where, passed(q.From), ir.NotE(taken(q.From)))}})})
	return func(from []ir.Source) ir.Expr { return ir.AndE(taken(from), ir.NotE(passed(from))) }
}

// orNumber is a number that counts as another one where it is NULL.
func orNumber(e, other ir.Expr) ir.Expr {
	if c, ok := e.(*ir.Const); ok && !c.Value.IsNull() {
		return e
	}
	return &ir.Cond{If: &ir.Unary{Op: ir.IsNull, X: e}, Then: other, Else: e}
}

// FirstOf chooses the first row of q in its order, any if it has none.
func FirstOf(b *expr.Draft, q *Query, pos ir.Pos) picked {
	s := &ir.Select{At: expr.At(pos), Query: q.IR(), Order: q.Order, Found: b.Local("was_found", schema.TBool)}
	key := intoKeys(b, s, ir.V(s.Found))
	b.Emit(s)
	return key
}

// intoKeys lets s read the keys of its rows into locals. It gives what says of other rows that they
// are those, under a condition that may be nil.
func intoKeys(b *expr.Draft, s *ir.Select, cond ir.Expr) picked {
	for _, src := range s.Query.From {
		for _, k := range src.Table.Key {
			c := src.Table.Columns[k]
			s.Into = append(s.Into, b.IRLocal(c.Name, c.Type))
		}
	}
	s.Cols = expr.KeysOf(s.Query.From)
	return func(from []ir.Source) ir.Expr {
		same := []ir.Expr{cond}
		for i, c := range expr.KeysOf(from) {
			same = append(same, ir.Op(ir.Eq, c, ir.V(s.Into[i])))
		}
		return ir.AndE(same...)
	}
}

// firstRows chooses the first n rows of q in its order, all of them if n is NULL.
func firstRows(b *expr.Draft, q *Query, n ir.Expr, pos ir.Pos) picked {
	among, count := someRows(b, q, pos, ir.NoLock)
	left := func(also ir.Expr) ir.Expr {
		return &ir.Exists{Query: ir.Query{From: q.From, Where: ir.AndE(q.Where, ir.NotE(among(q.From)), also)}}
	}
	few := ir.Op(ir.Lt, ir.V(count), n)
	full := ir.Op(ir.Eq, ir.V(count), n)
	if _, constant := n.(*ir.Const); !constant {
		all := &ir.Unary{Op: ir.IsNull, X: n}
		few, full = ir.OrE(all, few), ir.AndE(ir.NotE(all), full)
	}
	b.Emit(&ir.Assume{At: expr.At(pos), Cond: ir.OrE(full, ir.AndE(few, ir.NotE(left(nil))))})
	if len(q.Order) == 0 {
		return among
	}
	// No row that is left comes before the last one that is taken. A statement about each two rows would have too many
	// instances for the solver.
	last := &ir.Select{At: expr.At(pos), Found: b.Local("was_found", schema.TBool)}
	last.Query = ir.Query{From: q.From, Where: ir.AndE(q.Where, among(q.From))}
	for _, o := range q.Order {
		t, err := wellformed.TypeOf(o.Expr, b.Txn, q.From...)
		if err != nil {
			b.Unmodelled("LIMIT in an order whose type is not known")
		}
		last.Into, last.Cols = append(last.Into, b.IRLocal("last", t)), append(last.Cols, o.Expr)
		last.Order = append(last.Order, ir.Order{Expr: o.Expr, Desc: !o.Desc})
	}
	b.Emit(last)
	b.Emit(&ir.Assume{At: expr.At(pos), Cond: ir.NotE(ir.AndE(ir.V(last.Found), left(comesBefore(q.Order, last.Into))))})
	return among
}

// comesBefore says that a row comes before another one in an order, of which locals have the values.
func comesBefore(order []ir.Order, other []string) ir.Expr {
	var out, same ir.Expr
	for i, o := range order {
		a, b := o.Expr, ir.V(other[i])
		if o.Desc {
			a, b = b, a
		}
		isNull := func(e ir.Expr) ir.Expr { return &ir.Unary{Op: ir.IsNull, X: e} }
		less := ir.OrE(ir.Op(ir.Is, ir.Op(ir.Lt, a, b), ir.C(ir.Bool(true))), ir.AndE(ir.NotE(isNull(a)), isNull(b))) // NULL is the greatest
		out = ir.OrE(out, ir.AndE(same, less))
		same = ir.AndE(same, ir.Op(ir.Is, o.Expr, ir.V(other[i])))
	}
	return out
}

// isKeyOf reports whether x and y are both the same key column of a row.
func isKeyOf(s *expr.RowSource, x, y ir.Expr) bool {
	a, ok1 := x.(*ir.Col)
	b, ok2 := y.(*ir.Col)
	t := s.Table.IR
	return ok1 && ok2 && *a == *b && a.Row == s.Row && t.IsKey(t.Column(a.Col))
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
		if failure.MayFail(o.Expr) {
			b.Unmodelled("SKIP LOCKED in an order that may fail")
		}
	}
	b.Applied(trace.ChooseFree, pos)
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

// skipping is the mode in which q locks the rows of its one table.
func (q *Query) skipping() ir.LockMode {
	if len(q.From) != 1 {
		return ir.NoLock
	}
	return q.Locks.Of(q.From[0].Row)
}

// pickOne chooses one row of q, or none, whose key locals get.
func pickOne(b *expr.Draft, q *Query, pos ir.Pos) picked {
	taken, found := b.Local("taken", schema.TBool), b.Local("was_found", schema.TBool)
	s := &ir.Select{At: expr.At(pos), Query: ir.Query{From: q.From, Where: ir.AndE(q.Where, ir.V(taken))}, Found: found, Skips: q.skipping()}
	key := intoKeys(b, s, nil)
	b.Emit(&ir.Havoc{At: expr.At(pos), Var: taken, NotNull: true, Of: whichRows})
	b.Emit(s)
	b.Emit(&ir.Assume{At: expr.At(pos), Cond: ir.Op(ir.Eq, ir.V(found), ir.V(taken))})
	return key
}

// pickSome chooses some rows of q, as many as its LIMIT allows.
func pickSome(b *expr.Draft, q *Query, pos ir.Pos) picked {
	among, n := someRows(b, q, pos, q.skipping())
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
// many they are. skips is that of ir.Select.
func someRows(b *expr.Draft, q *Query, pos ir.Pos, skips ir.LockMode) (kept picked, count string) {
	_, elem := keyOf(q.From)
	array := b.IRLocal("kept", ir.ArrayType(elem))
	among := func(from []ir.Source) ir.Expr {
		key, _ := keyOf(from)
		return &ir.Call{Name: "= any", Args: []ir.Expr{key, ir.V(array)}, Type: ir.BoolType}
	}
	n := b.Local("count", schema.TInt)
	b.Emit(&ir.Havoc{At: expr.At(pos), Var: array, NotNull: true, Of: whichRows})
	b.Emit(&ir.Select{At: expr.At(pos), Into: []string{n}, Aggs: []ir.Agg{{Fn: "count", Type: ir.IntType}}, Skips: skips,
		Query: ir.Query{From: q.From, Where: ir.AndE(q.Where, among(q.From))}})
	b.Emit(&ir.Assume{At: expr.At(pos), Cond: ir.Op(ir.Eq, ir.V(n), &ir.Call{Name: "len", Args: []ir.Expr{ir.V(array)}, Type: ir.IntType})})
	if q.Where != nil { // the solver does not see that from the number
		others := ir.Query{From: q.From, Where: ir.AndE(among(q.From), ir.NotE(ir.Op(ir.Is, q.Where, ir.C(ir.Bool(true)))))}
		b.Emit(&ir.Assume{At: expr.At(pos), Cond: ir.NotE(&ir.Exists{Query: others})})
	}
	return among, n
}

// keyOf is what tells rows of tables apart, as one value, and its kind.
func keyOf(from []ir.Source) (ir.Expr, ir.Kind) {
	keys, t := expr.KeysOf(from), from[0].Table
	if len(keys) == 1 {
		return keys[0], t.Columns[t.Key[0]].Type.Kind
	}
	return &ir.Call{Name: irnames.RowFn, Args: keys, Type: ir.OpaqueType}, ir.KindOpaque
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
	cols := x.members(v, q.Targets, loc)
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
