package routine

import (
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/write"
	"github.com/txrobust/robust/ir"
)

// loopBody translates the body of a loop that is labelled l.
func (b *Builder) loopBody(f *expr.Frame, l *expr.LoopLabel, list []plpgsql.Stmt) []ir.Stmt {
	f.Loops = append(f.Loops, l)
	b.LoopDepth++
	body := b.Collect(func() { b.stmts(f, list) })
	b.LoopDepth--
	f.Loops = f.Loops[:len(f.Loops)-1]
	if l.WantNext && l.Next != "" {
		return []ir.Stmt{&ir.Block{At: expr.At(b.Cur), Label: l.Next, Body: body}}
	}
	return body
}

// loop is LOOP and WHILE.
func (b *Builder) loop(f *expr.Frame, s *plpgsql.Loop, pos ir.Pos) {
	l := &expr.LoopLabel{Name: s.Label, Loop: true}
	w := &ir.While{At: expr.At(pos), Cond: ir.C(ir.Bool(true))}
	var test []ir.Stmt
	if !s.Cond.Empty() {
		var cond ir.Expr
		test = b.Collect(func() { cond = b.conditionOrChoice(f, s.Cond) })
		if len(test) == 0 {
			w.Cond = cond
		} else { // what the condition needs is computed in each round
			test = append(test, &ir.If{At: expr.At(pos), Cond: cond, Else: []ir.Stmt{&ir.Break{At: expr.At(pos)}}})
		}
	}
	w.Body = append(test, b.loopBody(f, l, s.Body)...)
	w.Label = l.Label
	b.Emit(w)
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

// inRound marks that there was a round.
func (b *Builder) inRound(iterated string, pos ir.Pos, body []ir.Stmt) []ir.Stmt {
	if iterated == "" {
		return body
	}
	s := &ir.Assign{At: expr.At(pos), Var: iterated, Expr: ir.C(ir.Bool(true))}
	b.Weak[s] = true
	return append([]ir.Stmt{s}, body...)
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
		loop.Body = b.inRound(iterated, pos, loop.Body)
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
	w.Body = b.inRound(iterated, pos, w.Body)
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
		q.Fetch = fetchEach
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
		if Mentions(q, d.Local) {
			b.Unmodelled("a FOR loop whose query reads the variable that it sets")
		}
		if len(b.Demands[d.Local]) > 0 {
			b.Unmodelled(expr.DemandingLoop)
		}
		b.EmitWeak(&ir.Assign{At: expr.At(pos), Var: d.Local, Expr: ir.C(ir.Null)})
	}
	round := func() []ir.Stmt { return b.loopBody(f, l, s.Body) }
	single := len(q.Loops) == 0 && (q.AtMost == 1 || len(q.Aggs) > 0 || len(q.From) == 0)
	switch {
	case q.AtMost == 0:
	case single:
		b.OneRound(f, x, q, round, l, iterated, pos, list)
	case len(q.Loops) > 0:
		b.OverSets(x, q, round, l, iterated, pos, list)
	default:
		b.OverRows(x, q, round, l, iterated, pos, list)
		if cur != nil && !staysAway(cur, q, b.Out[len(b.Out)-1].(*ir.Foreach).Body) {
			b.Unmodelled("a cursor with a lock, in a loop that changes other rows of the table")
		}
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

// Mentions reports whether a query reads a local.
func Mentions(q *query.Query, local string) bool {
	found := write.Uses(q.After, map[string]bool{local: true})
	look := func(e ir.Expr) {
		ir.WalkExpr(e, func(e ir.Expr) {
			if v, ok := e.(*ir.Var); ok && v.Name == local {
				found = true
			}
		})
	}
	look(q.Where)
	look(q.Limit)
	for _, c := range q.Targets {
		look(c.Expr)
	}
	for _, o := range q.Order {
		look(o.Expr)
	}
	for _, l := range q.Loops {
		look(l.Array)
		look(l.From)
		look(l.To)
	}
	return found
}

// OverRows is a loop over the rows of tables. round translates its body, which
// l labels.
func (b *Builder) OverRows(x *query.Place, q *query.Query, round func() []ir.Stmt, l *expr.LoopLabel, iterated string, pos ir.Pos, list []expr.Dest) {
	loop := &ir.Foreach{At: expr.At(pos), Query: q.IR(), Order: q.Order, Locks: q.Locks}
	seen := map[string]bool{}
	for i, d := range list {
		if d.Local == "" || seen[d.Local] {
			continue
		}
		seen[d.Local] = true
		loop.Into, loop.Cols = append(loop.Into, d.Local), append(loop.Cols, x.Assigned(q.Targets[i].Val(), d.T, 0).Expr)
	}
	if len(loop.Into) == 0 {
		loop.Into, loop.Cols = []string{b.Local("hit", schema.TBool)}, []ir.Expr{ir.C(ir.Bool(true))}
	}
	var count string
	var lock []ir.Stmt
	if q.Limit != nil {
		lock = b.LockInRound(loop)
		count = b.Local("n", schema.TInt)
		b.Assign(pos, count, ir.C(ir.Int(0)))
	}
	loop.Body = append(lock, b.inRound(iterated, pos, round())...)
	if len(q.Loops) == 0 {
		loop.Label = l.Label
	}
	leaves := mayLeave(loop.Body, loop.Label)
	if count != "" { // the rows beyond the limit do not come
		loop.Body = append(b.Collect(func() {
			for i, local := range loop.Into {
				loop.Into[i] = b.IRLocal(local, b.TypeOfLocal(local))
				b.Fields[loop.Into[i]] = true
				b.EmitWeak(&ir.Assign{At: expr.At(pos), Var: local, Expr: ir.V(loop.Into[i])})
			}
		}), loop.Body...)
		loop.Body = append([]ir.Stmt{
			&ir.If{At: expr.At(pos), Cond: ir.Op(ir.Ge, ir.V(count), q.Limit), Then: []ir.Stmt{&ir.Break{At: expr.At(pos)}}},
			&ir.Assign{At: expr.At(pos), Var: count, Expr: ir.Op(ir.Add, ir.V(count), ir.C(ir.Int(1)))},
		}, loop.Body...)
	}
	if q.Some && leaves {
		b.Unmodelled("SKIP LOCKED in a loop that may end before its last row")
	}
	b.lockAhead(q, loop, leaves)
	b.Emit(loop)
}

// mayLeave reports whether the body of a loop may end it before its last row.
func mayLeave(body []ir.Stmt, label string) bool {
	return anyInside(body, 0, func(s ir.Stmt, depth int) bool {
		switch s := s.(type) {
		case *ir.Return:
			return true
		case *ir.Break:
			return s.Label == "" && depth == 0 || s.Label != ""
		case *ir.Continue:
			return s.Label != "" && s.Label != label
		}
		return false
	})
}

// OneRound is a loop over a query with one row at most.
func (b *Builder) OneRound(f *expr.Frame, x *query.Place, q *query.Query, round func() []ir.Stmt, l *expr.LoopLabel, iterated string, pos ir.Pos, list []expr.Dest) {
	l.Once = true
	l.Label = b.NewLabel("loop")
	found := b.Local("was_found", schema.TBool)
	b.SelectInto(&expr.Frame{Func: f.Func, Found: found}, x, q, pos, expr.Sink{Kind: expr.IntoLocals, Dests: func([]expr.Column) ([]expr.Dest, []expr.Dest) { return list, nil }})
	body := b.inRound(iterated, pos, round())
	body = dropLast(body, func(s ir.Stmt) bool {
		k, ok := s.(*ir.Break)
		return ok && k.Label == l.Label
	})
	if leaves(body, l.Label) {
		body = []ir.Stmt{&ir.Block{At: expr.At(pos), Label: l.Label, Body: body}}
	}
	b.Emit(&ir.If{At: expr.At(pos), Cond: ir.V(found), Then: body})
}

// OverSets is a loop over a set-returning function, and perhaps tables.
func (b *Builder) OverSets(x *query.Place, q *query.Query, round func() []ir.Stmt, l *expr.LoopLabel, iterated string, pos ir.Pos, list []expr.Dest) {
	if q.Limit != nil || len(q.Order) > 0 || len(q.Aggs) > 0 {
		b.Unmodelled("ORDER BY, LIMIT or aggregates over a set-returning function")
	}
	// Several loops of the IR may be one here: EXIT and CONTINUE name theirs.
	l.Label, l.Next = b.NewLabel("loop"), b.NewLabel("round")
	b.Each(q, pos, l.Label, "", func() {
		if len(q.From) > 0 {
			b.OverRows(x, q, round, l, iterated, pos, list)
			return
		}
		b.AssignAll(x, pos, list, q.Targets)
		for _, st := range b.inRound(iterated, pos, round()) {
			b.Emit(st)
		}
	})
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
	loop.Body = b.inRound(iterated, pos, loop.Body)
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

// Jump leaves or continues a loop.
func (b *Builder) Jump(f *expr.Frame, label string, next bool, errPos, pos ir.Pos) {
	word := "EXIT"
	if next {
		word = "CONTINUE"
	}
	i := len(f.Loops) - 1
	for ; i >= 0; i-- {
		l := f.Loops[i]
		if label == "" && l.Loop || label != "" && l.Name == label {
			break
		}
	}
	switch {
	case i < 0 && label == "":
		b.App.Fail(errPos, "%s stands in no loop", word)
	case i < 0:
		b.App.Fail(errPos, "there is no loop or block %s around this %s", label, word)
	case next && !f.Loops[i].Loop:
		b.App.Fail(errPos, "%s is a block: CONTINUE needs a loop", label)
	}
	target := f.Loops[i]
	innermost := true
	for _, l := range f.Loops[i+1:] {
		innermost = innermost && (!l.Loop || l.Once)
		if l.Counts && f.Found != "" { // a FOR loop that is left sets FOUND
			b.EmitWeak(&ir.Assign{At: expr.At(pos), Var: f.Found, Expr: ir.C(ir.Bool(true))})
		}
	}
	switch {
	case target.Once:
		b.Emit(&ir.Break{At: expr.At(pos), Label: target.Label})
	case next && target.Next != "":
		target.WantNext = true
		b.Emit(&ir.Break{At: expr.At(pos), Label: target.Next})
	case next && innermost:
		b.Emit(&ir.Continue{At: expr.At(pos)})
	case next:
		b.Emit(&ir.Continue{At: expr.At(pos), Label: b.labelOf(target)})
	case innermost && target.Loop && target.Label == "":
		b.Emit(&ir.Break{At: expr.At(pos)})
	default:
		b.Emit(&ir.Break{At: expr.At(pos), Label: b.labelOf(target)})
	}
}

// labelOf gives the label of a loop or block, which gets one if it has none.
func (b *Builder) labelOf(l *expr.LoopLabel) string {
	if l.Label == "" {
		l.Label = b.NewLabel(syntax.NameOr(l.Name, "loop"))
	}
	return l.Label
}
