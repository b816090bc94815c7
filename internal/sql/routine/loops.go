package routine

import (
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/proc"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// loopBody translates the body of a loop that is labelled l.
func (b *Builder) loopBody(f *expr.Frame, l *expr.LoopLabel, list []plpgsql.Stmt) []ir.Stmt {
	return b.Round(f, l, func() { b.stmts(f, list) })
}

// loop is LOOP and WHILE.
func (b *Builder) loop(f *expr.Frame, s *plpgsql.Loop, pos ir.Pos) {
	l := &expr.LoopLabel{Name: s.Label, Loop: true}
	var test func() ir.Expr
	if !s.Cond.Empty() {
		test = func() ir.Expr { return b.conditionOrChoice(f, s.Cond) }
	}
	b.Loop(f, l, pos, test, func() { b.stmts(f, s.Body) })
}

// startFor makes the local that says whether a FOR loop had a round.
func (b *Builder) startFor(f *expr.Frame, pos ir.Pos) (iterated string) {
	if f.Found == "" {
		return ""
	}
	iterated = b.Local("iterated", schema.TBool)
	b.EmitWeak(&ir.Assign{At: expr.At(pos), Var: iterated, Expr: ir.C(ir.Bool(false))})
	return iterated
}

// endFor sets FOUND after a FOR loop.
func (b *Builder) endFor(f *expr.Frame, iterated string, pos ir.Pos) {
	if iterated != "" {
		b.EmitWeak(&ir.Assign{At: expr.At(pos), Var: f.Found, Expr: ir.V(iterated)})
	}
}

// forRange is FOR i IN a..b.
func (b *Builder) forRange(f *expr.Frame, s *plpgsql.ForRange, pos ir.Pos) {
	bound := func(span plpgsql.Span) ir.Expr {
		v := b.value(f, span)
		if v.Record {
			b.Unmodelled("a row as a bound")
		}
		return b.Ex(f, f.Text).Cast(v, schema.TInt, 0).Expr
	}
	from, to := bound(s.From), bound(s.To)
	step := ir.C(ir.Int(1))
	if !s.By.Empty() {
		step = bound(s.By)
	}
	defer f.Enter()()
	v := b.declare(f, s.Var, schema.TInt)
	l := &expr.LoopLabel{Name: s.Label, Loop: true, Counts: true}
	iterated := b.startFor(f, pos)
	if expr.IsInt(step, 1) {
		loop := &ir.ForRange{At: expr.At(pos), Var: v.Local, From: from, To: to, Reverse: s.Reverse}
		if f.Func.Assigns(s.Var) { // the body's own changes do not count
			loop.Var = b.Local(s.Var, schema.TInt)
		}
		loop.Body = b.loopBody(f, l, s.Body)
		if loop.Var != v.Local {
			loop.Body = append([]ir.Stmt{&ir.Assign{At: expr.At(pos), Var: v.Local, Expr: ir.V(loop.Var)}}, loop.Body...)
		}
		loop.Body = b.InRound(iterated, pos, loop.Body)
		loop.Label = l.Label
		b.Emit(loop)
		b.endFor(f, iterated, pos)
		return
	}
	// Another step: a loop with a counter.
	n, last, by := b.Local(s.Var, schema.TInt), b.Local("last", schema.TInt), b.Local("step", schema.TInt)
	b.Assign(pos, n, from)
	b.Assign(pos, last, to)
	b.Assign(pos, by, step)
	null := ir.OrE(&ir.Unary{Op: ir.IsNull, X: ir.V(n)}, &ir.Unary{Op: ir.IsNull, X: ir.V(last)}, &ir.Unary{Op: ir.IsNull, X: ir.V(by)})
	b.Emit(&ir.If{At: expr.At(pos), Cond: null, Then: b.Collect(func() { b.Fails(pos, "22004") })})
	b.Emit(&ir.If{At: expr.At(pos), Cond: ir.Op(ir.Le, ir.V(by), ir.C(ir.Int(0))), Then: b.Collect(func() { b.Fails(pos, "22023") })})
	cmp, op := ir.Le, ir.Add
	if s.Reverse {
		cmp, op = ir.Ge, ir.Sub
	}
	l.Next = b.NewLabel("round")
	w := &ir.While{At: expr.At(pos), Cond: ir.Op(cmp, ir.V(n), ir.V(last))}
	w.Body = []ir.Stmt{&ir.Assign{At: expr.At(pos), Var: v.Local, Expr: ir.V(n)}}
	w.Body = append(w.Body, b.loopBody(f, l, s.Body)...)
	w.Body = append(w.Body, &ir.Assign{At: expr.At(pos), Var: n, Expr: ir.Op(op, ir.V(n), ir.V(by))})
	w.Body = b.InRound(iterated, pos, w.Body)
	w.Label = l.Label
	b.Emit(w)
	b.endFor(f, iterated, pos)
}

// forQuery is FOR r IN query. fetched, if not "", is the cursor of a LOOP with
// FETCH.
func (b *Builder) forQuery(f *expr.Frame, s *plpgsql.ForQuery, fetched string, pos ir.Pos) {
	var x *query.Place
	var tree any
	var cur *expr.Cursor
	scope := f.Scope
	switch s.Kind {
	case plpgsql.Dynamic:
		g, dyn, t := b.dynamic(f, s.Query, s.Using)
		x, tree = b.Ex(g, t), dyn
	case plpgsql.OfCursor:
		cur = b.opened(f, s, fetched)
		f.Scope = cur.Scope
		stat, t := b.parseCommand(f, cur.Query)
		x, tree = b.Ex(f, t), stat
	default:
		stat, t := b.parseCommand(f, s.Query)
		x, tree = b.Ex(f, t), stat
	}
	sel, ok := tree.(*pg.SelectStmt)
	if !ok {
		b.Unmodelled("FOR over %s", syntax.CommandName(tree))
	}
	b.Apart(sel, nil)
	q := x.AsLoop(sel, ir.WantList, pos, !leavesLoop(s.Body, s.Label, 0))
	if cur != nil {
		q.Fetch = proc.FetchEach
	}
	query.SkipRows(b.Draft, q, pos, false)
	f.Scope = scope
	if cur != nil && fetched == "" { // the loop has a record of its own
		defer f.Enter()()
		b.declare(f, s.Targets[0].Parts[0], schema.TRecord)
	}
	list, rest := b.destsFor(f, s.Targets, pos)(q.Targets)
	if cur != nil {
		list = b.keysInto(cur, q, list)
		defer func() { cur.At = nil }()
	}
	l := &expr.LoopLabel{Name: s.Label, Loop: true, Counts: fetched == ""}
	iterated := f.Found // which each FETCH sets
	if fetched == "" {
		iterated = b.startFor(f, pos)
	}
	// Without a row the variables become NULL.
	all := append(append([]expr.Dest{}, list...), rest...)
	for _, d := range all {
		if d.Local == "" {
			continue
		}
		if proc.Mentions(q, d.Local) {
			b.Unmodelled("a FOR loop whose query reads the variable that it sets")
		}
		if len(b.Demands[d.Local]) > 0 {
			b.Unmodelled(expr.DemandingLoop)
		}
		b.EmitWeak(&ir.Assign{At: expr.At(pos), Var: d.Local, Expr: ir.C(ir.Null)})
	}
	b.Over(f, x, q, func() []ir.Stmt { return b.loopBody(f, l, s.Body) }, l, iterated, pos, list)
	if cur != nil && q.AtMost != 0 && len(q.Loops) == 0 && !proc.OneRow(q) && !staysAway(cur, q, b.Out[len(b.Out)-1].(*ir.Foreach).Body) {
		b.Unmodelled("a cursor with a lock, in a loop that changes other rows of the table")
	}
	if fetched == "" {
		b.endFor(f, iterated, pos)
		return
	}
	for _, d := range all { // the last FETCH finds no row
		if d.Local != "" {
			b.EmitWeak(&ir.Assign{At: expr.At(pos), Var: d.Local, Expr: ir.C(ir.Null)})
		}
	}
	b.SetFound(f, pos, ir.C(ir.Bool(false)), nil)
}

// foreach is FOREACH x IN ARRAY a.
func (b *Builder) foreach(f *expr.Frame, s *plpgsql.Foreach, pos ir.Pos) {
	if s.Slice {
		b.Unmodelled("FOREACH … SLICE")
	}
	a := b.value(f, s.Expr)
	if a.Type.Name == schema.NUnknown {
		a = b.Ex(f, f.Text).Literal(a, schema.ArrayOf(schema.TText), 0)
	}
	if a.Record || a.Type.Name != schema.NArray {
		b.App.Fail(f.Text.Pos(s.Expr.Start), "FOREACH needs an array, but this has type %s", a.Type)
	}
	array := a.Expr
	v, isVar := array.(*ir.Var)
	if !isVar || f.Changes(s.Body, v.Name) {
		local := b.Local("array", a.Type)
		b.Assign(pos, local, array)
		array = ir.V(local)
	}
	l := &expr.LoopLabel{Name: s.Label, Loop: true, Counts: true}
	iterated := b.startFor(f, pos)
	loop := &ir.ForRange{At: expr.At(pos), Var: b.Local("i", schema.TInt), From: ir.C(ir.Int(1)),
		To: &ir.Call{Name: "len", Args: []ir.Expr{array}, Type: ir.IntType}}
	t := a.Type.Element()
	elem := expr.Val{Expr: &ir.Call{Name: "elem", Args: []ir.Expr{array, ir.V(loop.Var)}, Type: t.IR}, Type: t}
	first := b.Collect(func() {
		if len(s.Targets) != 1 {
			b.Unmodelled("FOREACH with several variables")
		}
		w, fd := b.targetOf(f, s.Targets[0])
		if fd != nil {
			b.Assign(pos, fd.Local, b.Ex(f, f.Text).Assigned(elem, fd.Type, 0).Expr)
			return
		}
		if w.IsRecord { // the fields are taken out of one element
			local := b.Local("element", t)
			b.Assign(pos, local, elem.Expr)
			elem.Expr = ir.V(local)
		}
		b.store(f, w, elem, pos)
	})
	loop.Body = append(first, b.loopBody(f, l, s.Body)...)
	loop.Body = b.InRound(iterated, pos, loop.Body)
	loop.Label = l.Label
	b.Emit(loop)
	b.endFor(f, iterated, pos)
}

// exit is EXIT and CONTINUE.
func (b *Builder) exit(f *expr.Frame, s *plpgsql.Exit, pos ir.Pos) {
	jump := func() { b.Jump(f, s.Label, s.Continue, f.Text.Pos(s.Place()), pos) }
	if s.When.Empty() {
		jump()
		return
	}
	cond := b.conditionOrChoice(f, s.When)
	b.Emit(&ir.If{At: expr.At(pos), Cond: cond, Then: b.Collect(jump)})
}
