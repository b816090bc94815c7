package write

import (
	"strconv"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/rows"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/trace"
)

// derivedFrom is FROM or USING of an UPDATE or DELETE where that is more than
// tables that are joined, or where RETURNING may name them: whether a row is written,
// the values that it gets and those of RETURNING are derivations, in which the row
// that is written is free. Each row must match one row of FROM at most.
func (b *Writer) derivedFrom(y *query.Place, row *expr.RowSource, from []*pg.Node, where *pg.Node, set []*pg.Node, ret *pg.ReturningClause) (*writeQuery, []assignment) {
	if len(from) == 0 {
		b.Unmodelled("an expression in a write")
	}
	z := y.Copy()
	z.Deriver, z.PerRow, z.Fetched, z.Sure = y.NewDeriver(), true, query.FetchedSome, nil
	z.Deriver.Rows[row.Row] = true
	q := query.NewDerived(z.Inner())
	tree := q.Items(from).Tree
	var inside, own ir.Expr // conditions with the rows of FROM, and without
	if row.Through != nil {
		own = row.Through.Where
	}
	for _, c := range q.Place.Conditions(where) {
		if rows.About(c, row.Row) {
			own = ir.AndE(own, c)
		} else {
			inside = ir.AndE(inside, c)
		}
	}
	list := b.sets(q.Place, row, set)
	returned := b.targetsOf(q, withValues(row, list), q.Level.Sources, ret)
	if len(list)+len(returned) > 0 && !z.Deriver.OneEach(tree, inside, row.Row) {
		b.Unmodelled("an UPDATE or RETURNING of rows that may match several rows of FROM or USING")
	}
	z.Deriver.Restrict(tree, inside)
	for _, n := range q.Nested {
		n.Settle(z, tree, &ir.Project{Where: inside})
	}
	all := &ir.Project{From: tree, Where: inside}
	for i, a := range list {
		all.Cols = append(all.Cols, ir.Item{Name: strconv.Itoa(i), Type: expr.LocalType(a.v.Type), Expr: a.v.Expr})
	}
	for i, c := range returned {
		all.Cols = append(all.Cols, ir.Item{Name: strconv.Itoa(len(list) + i), Type: expr.LocalType(c.Type), Expr: c.Expr})
	}
	b.Applied(trace.Derive, b.Cur)
	z.Deriver.Read(all)
	typeOf := func(e ir.Expr) ir.Type { return z.Deriver.TypeOf(y, e) }
	match := &query.Derived{Rel: &ir.Project{From: tree, Where: inside}, TypeOf: typeOf}
	y.Succeeds(&query.Derived{Rel: all, Single: true, TypeOf: typeOf}, false)
	value := func(i int, e ir.Expr, t schema.Type) ir.Expr {
		if expr.RowFree(e, map[string]bool{row.Row: true}) {
			return e
		}
		one := &query.Derived{Rel: &ir.Project{From: tree, Where: inside, Cols: all.Cols[i : i+1]}, TypeOf: typeOf}
		return one.Call(ir.WantValue, expr.LocalType(t))
	}
	for i, a := range list {
		list[i].v.Expr = value(i, a.v.Expr, a.v.Type)
	}
	for i, c := range returned {
		returned[i].Expr = value(len(list)+i, c.Expr, c.Type)
	}
	return &writeQuery{in: y, where: ir.AndE(own, match.Call(ir.WantAny, ir.BoolType)), returned: returned}, list
}

// targetsOf translates RETURNING over a row as a write leaves it and over the rows of
// FROM or USING, which x sees; nil is no RETURNING.
func (b *Writer) targetsOf(q *query.Query, after *expr.RowSource, from []*expr.RowSource, ret *pg.ReturningClause) []expr.Column {
	if ret == nil {
		return nil
	}
	if len(ret.Options) > 0 {
		b.Unmodelled("RETURNING WITH")
	}
	x := q.Place.Copy()
	x.Levels = append(append([]*expr.Level{}, x.Levels[:len(x.Levels)-1]...), &expr.Level{Sources: append([]*expr.RowSource{after.Seen()}, from...)})
	rq := query.NewQuery(x)
	for _, n := range ret.Exprs {
		rq.AddTarget(pg.Inner(n).(*pg.ResTarget))
	}
	for i, c := range rq.Targets {
		if c.Type.Name == schema.NUnknown {
			rq.Targets[i].Type = schema.TText
		}
	}
	return rq.Targets
}

// BoundCursor finds the cursor of a name.
func (b *Writer) BoundCursor(f *expr.Frame, name string) *expr.Cursor {
	v, _ := f.Scope.Find([]string{name})
	if v == nil || v.Cursor == nil {
		b.Unmodelled("a cursor that is not bound, or has parameters")
	}
	return v.Cursor
}

// currentOf translates WHERE CURRENT OF for a write of row; ok is false where n
// is something else.
func (b *Writer) currentOf(f *expr.Frame, row *expr.RowSource, n *pg.Node) (where ir.Expr, ok bool) {
	e, ok := pg.Inner(n).(*pg.CurrentOfExpr)
	if !ok {
		return nil, false
	}
	c := b.BoundCursor(f, e.CursorName)
	p := c.At[row.Table.IR]
	if p == nil {
		b.Unmodelled("WHERE CURRENT OF outside of a simple loop over the cursor")
	}
	for i, k := range row.Table.IR.Key {
		where = ir.AndE(where, ir.Op(ir.Eq, &ir.Col{Row: row.Row, Col: row.Table.IR.Columns[k].Name}, ir.V(p.Key[i][0])))
	}
	return where, true
}

// limit restricts a write to as many rows as its LIMIT allows, the first ones in
// its order, or any. A key that the condition fixes makes it one row at most.
func (b *Writer) limit(w *writeQuery, row *expr.RowSource, tree any, pos ir.Pos) {
	s := b.App.Limited[tree]
	if s == nil {
		return
	}
	if len(w.other) > 0 {
		b.Unmodelled("LIMIT in a write of several tables")
	}
	q := query.NewQuery(w.in)
	q.From, q.Where = []ir.Source{row.IRSource()}, w.where
	outer := w.in.Copy()
	outer.Levels = outer.Levels[:len(outer.Levels)-1]
	q.Limits(outer, s)
	switch {
	case q.Limit == nil || q.AtMost > 0 && b.SingleRow(q.IR()):
		return
	case q.AtMost == 1:
		q.Sort(s)
		w.where = query.FirstOf(b.Draft, q, pos)(q.From)
		return
	}
	q.Sort(s)
	w.where = ir.AndE(q.Where, query.Kept(b.Draft, q, q.Limit, nil, pos)(q.From))
}

// LockFirst leaves in q the locks for a statement that takes its first row, where whole
// says that all rows are fetched.
func (b *Writer) LockFirst(q *query.Query, pos ir.Pos, whole bool) {
	switch {
	case b.SingleRow(q.IR()) && q.Limit == nil:
		query.FetchAll(b.Draft, q)
	case whole && q.AtMost != 1:
		query.LockRows(b.Draft, q, pos)
	default:
		query.LooseInner(b.Draft, q)
	}
}

// LockInRound takes the locks of a loop away and gives statements for its rounds that
// take them: for rows beyond a LIMIT there is no round.
func (b *Writer) LockInRound(loop *ir.Foreach) []ir.Stmt {
	locks := loop.Locks
	loop.Locks = nil
	var out []ir.Stmt
	for _, src := range loop.Query.From {
		mode := locks.Of(src.Row)
		if mode == ir.NoLock {
			continue
		}
		var same ir.Expr
		for _, k := range src.Table.Key {
			c := src.Table.Columns[k]
			local := b.IRLocal("locked", c.Type)
			col := &ir.Col{Row: src.Row, Col: c.Name}
			loop.Into, loop.Cols = append(loop.Into, local), append(loop.Cols, col)
			same = ir.AndE(same, ir.Op(ir.Eq, col, ir.V(local)))
		}
		out = append(out, &ir.LockRows{At: loop.At, Query: ir.Query{From: []ir.Source{src}, Where: same}, Locks: ir.Locks{{Mode: mode}}})
	}
	return out
}

// Each runs body inside the loops of the set-returning functions of q; it is
// for body to go over the tables of q, if there are any. exit and next are the
// labels of the outermost and of the innermost loop, "" where none is needed.
func (b *Writer) Each(q *query.Query, pos ir.Pos, exit, next string, body func()) {
	b.eachLoop(q, pos, 0, exit, next, body)
}

func (b *Writer) eachLoop(q *query.Query, pos ir.Pos, i int, exit, next string, body func()) {
	if i == len(q.Loops) {
		b.Out = append(b.Out, q.Body...)
		if q.Where != nil && len(q.From) == 0 {
			b.Emit(&ir.If{At: expr.At(pos), Cond: q.Where, Then: b.Collect(body)})
			return
		}
		body()
		return
	}
	l := q.Loops[i]
	label := ""
	if i == 0 {
		label = exit
	}
	if i == len(q.Loops)-1 && next != "" {
		label = next
	}
	loop := &ir.ForRange{At: expr.At(pos), Label: label, Var: l.Elem, From: l.From, To: l.To}
	if l.Array != nil {
		loop.Var = b.Local("i", schema.TInt)
		loop.From = ir.C(ir.Int(1))
		n := &ir.Call{Name: "len", Args: []ir.Expr{l.Array}, Type: ir.IntType}
		loop.To = &ir.Cond{If: &ir.Unary{Op: ir.IsNull, X: l.Array}, Then: ir.C(ir.Int(0)), Else: n}
	}
	loop.Body = b.Collect(func() {
		if l.Array != nil {
			t := b.TypeOfLocal(l.Elem)
			b.Emit(&ir.Assign{At: expr.At(pos), Var: l.Elem, Expr: &ir.Call{Name: "elem", Args: []ir.Expr{l.Array, ir.V(loop.Var)}, Type: t}})
		}
		if l.Ordinal != "" {
			e := ir.V(loop.Var)
			if l.Array == nil {
				e = ir.Op(ir.Add, ir.Op(ir.Sub, e, l.From), ir.C(ir.Int(1)))
			}
			b.Emit(&ir.Assign{At: expr.At(pos), Var: l.Ordinal, Expr: e})
		}
		b.eachLoop(q, pos, i+1, exit, next, body)
	})
	b.Emit(loop)
}
