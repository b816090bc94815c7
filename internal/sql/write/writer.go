package write

import (
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// Bodies translates what triggers run.
type Bodies interface {
	// TriggerBody writes the body of the function of a trigger, for the row of r.
	TriggerBody(t *schema.Table, g *schema.Trigger, r *expr.RowTrigger, fn *schema.Function, pos ir.Pos)
}

// Writer translates statements that write.
type Writer struct {
	*expr.Draft
	Bodies Bodies
}

// EmitRow adds that the transaction gives its client a row.
func (b *Writer) EmitRow(pos ir.Pos, cols []expr.Column) {
	e := &ir.Emit{At: expr.At(pos)}
	for _, c := range cols {
		e.Exprs = append(e.Exprs, c.Expr)
	}
	b.Emit(e)
}

// emitWeakIf adds an If around weak statements; it goes away when they do.
func (b *Writer) emitWeakIf(pos ir.Pos, cond ir.Expr, body func()) {
	s := &ir.If{At: expr.At(pos), Cond: cond, Then: b.Collect(body)}
	if len(s.Then) > 0 {
		b.EmitWeak(s)
	}
}

// Assign sets a local.
func (b *Writer) Assign(pos ir.Pos, local string, e ir.Expr) {
	if v, ok := e.(*ir.Var); ok && v.Name == local {
		return
	}
	b.Emit(&ir.Assign{At: expr.At(pos), Var: local, Expr: e})
}

// FieldLocal declares the local of a record's field.
func (b *Writer) FieldLocal(record, name string, t schema.Type) string {
	v := b.Local(record+"."+name, t)
	b.Fields[v] = true
	return v
}

// refsOfNodes is RefsOf for lists.
func (b *Writer) refsOfNodes(lists ...[]*pg.Node) *schema.Refs {
	r := schema.NewRefs()
	for _, l := range lists {
		for _, n := range l {
			r.Add(n)
		}
	}
	return r
}

// Ex is the place of an expression in the text t of a frame.
func (b *Writer) Ex(f *expr.Frame, t *syntax.Text) *query.Place {
	return query.PlaceIn(b.Draft, f, t)
}

// SetFound sets FOUND and ROW_COUNT where the function uses them. count may
// be nil: one row if found, none otherwise.
func (b *Writer) SetFound(f *expr.Frame, pos ir.Pos, found ir.Expr, count ir.Expr) {
	if f.Found != "" {
		b.EmitWeak(&ir.Assign{At: expr.At(pos), Var: f.Found, Expr: found})
	}
	b.SetCount(f, pos, found, count)
}

// SetCount sets FOUND and ROW_COUNT, as far as somebody looks at them.
func (b *Writer) SetCount(f *expr.Frame, pos ir.Pos, found, count ir.Expr) {
	if f.Rowcount == "" {
		return
	}
	if count == nil {
		count = &ir.Cond{If: found, Then: ir.C(ir.Int(1)), Else: ir.C(ir.Int(0))}
		if c, ok := found.(*ir.Const); ok {
			count = ir.C(ir.Int(c.Value.I))
		}
	}
	b.EmitWeak(&ir.Assign{At: expr.At(pos), Var: f.Rowcount, Expr: count})
}

// FoundLocal gives a local for whether there was a row, "" if nobody asks.
func (b *Writer) FoundLocal(f *expr.Frame) string {
	switch {
	case f.Found != "":
		return f.Found
	case f.Rowcount != "":
		return b.Local("was_found", schema.TBool)
	}
	return ""
}

// AssignAll sets several locals at once.
func (b *Writer) AssignAll(x *query.Place, pos ir.Pos, list []expr.Dest, cols []expr.Column) {
	exprs := make([]ir.Expr, len(list))
	for i, d := range list {
		if d.Local != "" {
			exprs[i] = x.Assigned(cols[i].Val(), d.T, 0).Expr
		}
	}
	set := map[string]bool{}
	clash := false
	for i, d := range list {
		if d.Local != "" {
			ir.WalkExpr(exprs[i], func(e ir.Expr) {
				if v, ok := e.(*ir.Var); ok {
					clash = clash || set[v.Name]
				}
			})
			set[d.Local] = true
		}
	}
	if clash {
		for i, d := range list {
			if d.Local != "" {
				tmp := b.Local("tmp", d.T)
				b.Emit(&ir.Assign{At: expr.At(pos), Var: tmp, Expr: exprs[i]})
				exprs[i] = ir.V(tmp)
			}
		}
	}
	for i, d := range list {
		if d.Local != "" {
			b.Assign(pos, d.Local, exprs[i])
		}
	}
}

// SetNull sets locals to NULL.
func (b *Writer) SetNull(pos ir.Pos, list []expr.Dest) {
	for _, d := range list {
		if d.Local != "" {
			b.Assign(pos, d.Local, ir.C(ir.Null))
		}
	}
}

// Strict is STRICT: without a row the transaction does not go on.
func (b *Writer) Strict(to expr.Sink, pos ir.Pos, found ir.Expr) {
	if to.Strict {
		b.Require(pos, found, expr.NoData)
	}
}

// AtLeastOne gives a Select a column, which its text form needs.
func (b *Writer) AtLeastOne(s *ir.Select) {
	if len(s.Into) == 0 {
		s.Into = []string{b.Local("hit", schema.TBool)}
		s.Cols = []ir.Expr{ir.C(ir.Bool(true))}
	}
}

// CountRows sets ROW_COUNT to the number of rows of a query.
func (b *Writer) CountRows(f *expr.Frame, q ir.Query, pos ir.Pos) {
	b.EmitWeak(&ir.Select{At: expr.At(pos), Into: []string{f.Rowcount}, Aggs: []ir.Agg{{Fn: "count", Type: ir.IntType}}, Query: q})
}

// CountOne sets FOUND and adds one to ROW_COUNT.
func (b *Writer) CountOne(f *expr.Frame, pos ir.Pos) {
	if f.Found != "" {
		b.EmitWeak(&ir.Assign{At: expr.At(pos), Var: f.Found, Expr: ir.C(ir.Bool(true))})
	}
	if f.Rowcount != "" {
		b.EmitWeak(&ir.Assign{At: expr.At(pos), Var: f.Rowcount, Expr: ir.Op(ir.Add, ir.V(f.Rowcount), ir.C(ir.Int(1)))})
	}
}

// Apart refuses a statement that reads tables and calls a function that writes
// some: its own reads do not see those writes, but the statements that take
// their place would. target is the table of an INSERT, which is not read.
func (b *Writer) Apart(root pg.Message, target *pg.RangeVar) {
	reads := false
	pg.Walk(root, func(tree any) bool {
		r, ok := tree.(*pg.RangeVar)
		reads = reads || ok && r != target
		return true
	})
	writer := ""
	for _, name := range slices.Sorted(maps.Keys(b.App.Calls(b.RefsOf(root)))) {
		fns := b.App.LateFunctions(name)
		if len(fns) == 0 {
			continue
		}
		e := b.App.EffectOfCall(fns)
		if e.Writes || e.All {
			writer = name
		}
		for _, f := range fns {
			reads = reads || f.Stable && len(e.Tables) > 0
		}
	}
	if reads && writer != "" {
		b.Unmodelled("a call of %s, which writes, in a statement that reads", writer)
	}
}

// Choice is a condition of which nothing is known.
func (b *Writer) Choice(pos ir.Pos) ir.Expr {
	v := b.Local("choice", schema.TBool)
	b.Out = append(b.Out, &ir.Havoc{At: expr.At(pos), Var: v, NotNull: true})
	return ir.V(v)
}

// ConstantTruth tells whether a condition is always or never true, such as a
// test of TG_OP.
func ConstantTruth(e ir.Expr) (value, known bool) {
	switch e := e.(type) {
	case *ir.Const:
		return e.Value.IsTrue(), true
	case *ir.Unary:
		if e.Op == ir.Not {
			if v, ok := ConstantTruth(e.X); ok && !mayBeNull(e.X) {
				return !v, true
			}
		}
	case *ir.Binary:
		x, xKnown := ConstantTruth(e.X)
		y, yKnown := ConstantTruth(e.Y)
		a, isA := e.X.(*ir.Const)
		b, isB := e.Y.(*ir.Const)
		switch {
		case e.Op == ir.And:
			return x && y, xKnown && yKnown || xKnown && !x || yKnown && !y
		case e.Op == ir.Or:
			return x || y, xKnown && yKnown || xKnown && x || yKnown && y
		case !isA || !isB || a.Value.IsNull() || b.Value.IsNull() || a.Value.Kind != b.Value.Kind:
		case e.Op == ir.Eq:
			return a.Value == b.Value, true
		case e.Op == ir.Ne:
			return a.Value != b.Value, true
		}
	}
	return false, false
}

// mayBeNull reports whether a condition of constants may be NULL.
func mayBeNull(e ir.Expr) bool {
	found := false
	ir.WalkExpr(e, func(e ir.Expr) {
		c, ok := e.(*ir.Const)
		found = found || ok && c.Value.IsNull()
	})
	return found
}

// uncheckedWrites marks that a write may fail for what is left out.
func (b *Writer) uncheckedWrites(pos ir.Pos, t *schema.Table, events int32, set []assignment) {
	if t.Partitions.Open() && events&schema.OnUpdate != 0 {
		columns := t.Partitions.Columns()
		if set == nil || columns == nil || slices.ContainsFunc(set, func(a assignment) bool { return slices.Contains(columns, a.column) }) {
			b.mayRefuse(pos, noPartition, t)
		}
	}
	for _, k := range t.Unchecked {
		hit := events&schema.OnInsert != 0 || events&schema.OnUpdate != 0 && (set == nil || k.Columns == nil)
		for _, a := range set {
			hit = hit || slices.Contains(k.Columns, a.column)
		}
		switch {
		case !hit:
		case events&schema.OnUpdate != 0 && len(k.Columns) != 1:
			b.MayDepend(pos, k.What, t.IR)
		default:
			b.mayRefuse(pos, k.What, t)
		}
	}
}

// mayRefuse marks that the database may refuse a statement with an error.
func (b *Writer) mayRefuse(pos ir.Pos, what string, t *schema.Table) {
	b.Emit(&ir.Dropped{At: expr.At(pos), Kind: ir.ByError, What: what, Tables: []*ir.Table{t.IR}})
}

// lockSurely takes locks where rows are written, and says that they may be taken where
// none are.
func (b *Writer) lockSurely(list []query.SureLocks, row *expr.RowSource, w *writeQuery) {
	if len(list) == 0 {
		return
	}
	s := &ir.If{At: expr.At(b.Cur), Cond: &ir.Exists{Query: ir.Query{From: append([]ir.Source{row.IRSource()}, w.other...), Where: w.where}}}
	for _, l := range list {
		s.Then = append(s.Then, b.Collect(func() { own := *l.Q; query.LockRows(b.Draft, &own, l.Pos) })...)
		s.Else = append(s.Else, b.Collect(func() { query.LooseLocks(b.Draft, l.Q, l.Pos, "which may not run") })...)
	}
	b.Emit(s)
}

// keepsFound refuses FOUND and ROW_COUNT where a handler may look at them after an
// error in the middle of a statement that writes t, since they are set before it:
// an error of a trigger, or (t nil) of a later row.
func (b *Writer) keepsFound(f *expr.Frame, t *schema.Table) {
	if len(b.Catches) > 0 && (f.Found != "" || f.Rowcount != "") && (t == nil || len(t.Triggers) > 0) {
		b.Unmodelled("FOUND or ROW_COUNT, in a block with EXCEPTION around a statement that may end in the middle")
	}
}

// oneByOne refuses a write of several rows of t where an error of a later row may
// be handled: foreign keys are checked, and AFTER triggers run, when all rows are
// written, and not one by one as in the translation.
func (b *Writer) oneByOne(t *schema.Table) {
	if len(b.Catches) > 0 && (len(t.Foreign)+len(b.App.KeysTo(t)) > 0 || slices.ContainsFunc(t.Triggers, func(g *schema.Trigger) bool { return g.Row && !g.Before })) {
		b.Unmodelled("a write of several rows of %s, with foreign keys or AFTER triggers, in a block with EXCEPTION", t.Name)
	}
}
