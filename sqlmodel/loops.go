package sqlmodel

import (
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// loopBody translates the body of a loop that is labelled l.
func (b *builder) loopBody(f *frame, l *loopLabel, list []plpgsql.Stmt) []ir.Stmt {
	f.loops = append(f.loops, l)
	b.loopDepth++
	body := b.collect(func() { b.stmts(f, list) })
	b.loopDepth--
	f.loops = f.loops[:len(f.loops)-1]
	if l.wantNext && l.next != "" {
		return []ir.Stmt{&ir.Block{At: at(b.cur), Label: l.next, Body: body}}
	}
	return body
}

// enter opens a scope for a loop's own variable.
func (f *frame) enter() (leave func()) {
	outer := f.scope
	f.scope = &scope{vars: map[string]*variable{}, parent: outer}
	return func() { f.scope = outer }
}

// loop is LOOP and WHILE.
func (b *builder) loop(f *frame, s *plpgsql.Loop, pos ir.Pos) {
	l := &loopLabel{name: s.Label, loop: true}
	w := &ir.While{At: at(pos), Cond: ir.C(ir.Bool(true))}
	var test []ir.Stmt
	if !s.Cond.Empty() {
		var cond ir.Expr
		test = b.collect(func() { cond = b.conditionOrChoice(f, s.Cond) })
		if len(test) == 0 {
			w.Cond = cond
		} else { // what the condition needs is computed in each round
			test = append(test, &ir.If{At: at(pos), Cond: cond, Else: []ir.Stmt{&ir.Break{At: at(pos)}}})
		}
	}
	w.Body = append(test, b.loopBody(f, l, s.Body)...)
	w.Label = l.label
	b.emit(w)
}

// startFor makes the local that says whether a FOR loop had a round.
func (b *builder) startFor(f *frame, pos ir.Pos) (iterated string) {
	if f.found == "" {
		return ""
	}
	iterated = b.local("iterated", schema.TBool)
	b.emitWeak(&ir.Assign{At: at(pos), Var: iterated, Expr: ir.C(ir.Bool(false))})
	return iterated
}

// inRound marks that there was a round.
func (b *builder) inRound(iterated string, pos ir.Pos, body []ir.Stmt) []ir.Stmt {
	if iterated == "" {
		return body
	}
	s := &ir.Assign{At: at(pos), Var: iterated, Expr: ir.C(ir.Bool(true))}
	b.weak[s] = true
	return append([]ir.Stmt{s}, body...)
}

// endFor sets FOUND after a FOR loop.
func (b *builder) endFor(f *frame, iterated string, pos ir.Pos) {
	if iterated != "" {
		b.emitWeak(&ir.Assign{At: at(pos), Var: f.found, Expr: ir.V(iterated)})
	}
}

// forRange is FOR i IN a..b.
func (b *builder) forRange(f *frame, s *plpgsql.ForRange, pos ir.Pos) {
	bound := func(span plpgsql.Span) ir.Expr {
		v := b.value(f, span)
		if v.record {
			b.unmodelled("a row as a bound")
		}
		return b.ex(f, f.text).cast(v, schema.TInt, 0).e
	}
	from, to := bound(s.From), bound(s.To)
	step := ir.C(ir.Int(1))
	if !s.By.Empty() {
		step = bound(s.By)
	}
	defer f.enter()()
	v := b.declare(f, s.Var, schema.TInt)
	l := &loopLabel{name: s.Label, loop: true, counts: true}
	iterated := b.startFor(f, pos)
	if isInt(step, 1) {
		loop := &ir.ForRange{At: at(pos), Var: v.local, From: from, To: to, Reverse: s.Reverse}
		if f.fn.Assigns(s.Var) { // the body's own changes do not count
			loop.Var = b.local(s.Var, schema.TInt)
		}
		loop.Body = b.loopBody(f, l, s.Body)
		if loop.Var != v.local {
			loop.Body = append([]ir.Stmt{&ir.Assign{At: at(pos), Var: v.local, Expr: ir.V(loop.Var)}}, loop.Body...)
		}
		loop.Body = b.inRound(iterated, pos, loop.Body)
		loop.Label = l.label
		b.emit(loop)
		b.endFor(f, iterated, pos)
		return
	}
	// Another step: a loop with a counter.
	n, last, by := b.local(s.Var, schema.TInt), b.local("last", schema.TInt), b.local("step", schema.TInt)
	b.assign(pos, n, from)
	b.assign(pos, last, to)
	b.assign(pos, by, step)
	null := ir.OrE(&ir.Unary{Op: ir.IsNull, X: ir.V(n)}, &ir.Unary{Op: ir.IsNull, X: ir.V(last)}, &ir.Unary{Op: ir.IsNull, X: ir.V(by)})
	b.emit(&ir.If{At: at(pos), Cond: null, Then: b.collect(func() { b.fails(pos, "22004") })})
	b.emit(&ir.If{At: at(pos), Cond: ir.Op(ir.Le, ir.V(by), ir.C(ir.Int(0))), Then: b.collect(func() { b.fails(pos, "22023") })})
	cmp, op := ir.Le, ir.Add
	if s.Reverse {
		cmp, op = ir.Ge, ir.Sub
	}
	l.next = b.newLabel("round")
	w := &ir.While{At: at(pos), Cond: ir.Op(cmp, ir.V(n), ir.V(last))}
	w.Body = []ir.Stmt{&ir.Assign{At: at(pos), Var: v.local, Expr: ir.V(n)}}
	w.Body = append(w.Body, b.loopBody(f, l, s.Body)...)
	w.Body = append(w.Body, &ir.Assign{At: at(pos), Var: n, Expr: ir.Op(op, ir.V(n), ir.V(by))})
	w.Body = b.inRound(iterated, pos, w.Body)
	w.Label = l.label
	b.emit(w)
	b.endFor(f, iterated, pos)
}

// forQuery is FOR r IN query. fetched, if not "", is the cursor of a LOOP with
// FETCH.
func (b *builder) forQuery(f *frame, s *plpgsql.ForQuery, fetched string, pos ir.Pos) {
	var x *ex
	var tree any
	var cur *cursor
	scope := f.scope
	switch s.Kind {
	case plpgsql.Dynamic:
		g, dyn, t := b.dynamic(f, s.Query, s.Using)
		x, tree = b.ex(g, t), dyn
	case plpgsql.OfCursor:
		cur = b.opened(f, s, fetched)
		f.scope = cur.scope
		stat, t := b.parseCommand(f, cur.query)
		x, tree = b.ex(f, t), stat
	default:
		stat, t := b.parseCommand(f, s.Query)
		x, tree = b.ex(f, t), stat
	}
	sel, ok := tree.(*pg.SelectStmt)
	if !ok {
		b.unmodelled("FOR over %s", syntax.CommandName(tree))
	}
	b.apart(sel, nil)
	q := x.asLoop(sel, ir.WantList, pos, !leavesLoop(s.Body, s.Label, 0))
	if cur != nil {
		q.fetch = fetchEach
	}
	b.skipRows(q, pos, false)
	f.scope = scope
	if cur != nil && fetched == "" { // the loop has a record of its own
		defer f.enter()()
		b.declare(f, s.Targets[0].Parts[0], schema.TRecord)
	}
	list, rest := b.destsFor(f, s.Targets, pos)(q.targets)
	if cur != nil {
		list = b.keysInto(cur, q, list)
		defer func() { cur.at = nil }()
	}
	l := &loopLabel{name: s.Label, loop: true, counts: fetched == ""}
	iterated := f.found // which each FETCH sets
	if fetched == "" {
		iterated = b.startFor(f, pos)
	}
	// Without a row the variables become NULL.
	all := append(append([]dest{}, list...), rest...)
	for _, d := range all {
		if d.local == "" {
			continue
		}
		if mentions(q, d.local) {
			b.unmodelled("a FOR loop whose query reads the variable that it sets")
		}
		if len(b.demands[d.local]) > 0 {
			b.unmodelled(demandingLoop)
		}
		b.emitWeak(&ir.Assign{At: at(pos), Var: d.local, Expr: ir.C(ir.Null)})
	}
	round := func() []ir.Stmt { return b.loopBody(f, l, s.Body) }
	single := len(q.loops) == 0 && (q.atMost == 1 || len(q.aggs) > 0 || len(q.from) == 0)
	switch {
	case q.atMost == 0:
	case single:
		b.oneRound(f, x, q, round, l, iterated, pos, list)
	case len(q.loops) > 0:
		b.overSets(x, q, round, l, iterated, pos, list)
	default:
		b.overRows(x, q, round, l, iterated, pos, list)
		if cur != nil && !cur.staysAway(q, b.out[len(b.out)-1].(*ir.Foreach).Body) {
			b.unmodelled("a cursor with a lock, in a loop that changes other rows of the table")
		}
	}
	if fetched == "" {
		b.endFor(f, iterated, pos)
		return
	}
	for _, d := range all { // the last FETCH finds no row
		if d.local != "" {
			b.emitWeak(&ir.Assign{At: at(pos), Var: d.local, Expr: ir.C(ir.Null)})
		}
	}
	b.setFound(f, pos, ir.C(ir.Bool(false)), nil)
}

// mentions reports whether a query reads a local.
func mentions(q *query, local string) bool {
	found := uses(q.after, map[string]bool{local: true})
	look := func(e ir.Expr) {
		ir.WalkExpr(e, func(e ir.Expr) {
			if v, ok := e.(*ir.Var); ok && v.Name == local {
				found = true
			}
		})
	}
	look(q.where)
	look(q.limit)
	for _, c := range q.targets {
		look(c.e)
	}
	for _, o := range q.order {
		look(o.Expr)
	}
	for _, l := range q.loops {
		look(l.array)
		look(l.from)
		look(l.to)
	}
	return found
}

// overRows is a loop over the rows of tables. round translates its body, which
// l labels.
func (b *builder) overRows(x *ex, q *query, round func() []ir.Stmt, l *loopLabel, iterated string, pos ir.Pos, list []dest) {
	loop := &ir.Foreach{At: at(pos), Query: q.ir(), Order: q.order, Locks: q.locks}
	seen := map[string]bool{}
	for i, d := range list {
		if d.local == "" || seen[d.local] {
			continue
		}
		seen[d.local] = true
		loop.Into, loop.Cols = append(loop.Into, d.local), append(loop.Cols, x.assigned(q.targets[i].val(), d.t, 0).e)
	}
	if len(loop.Into) == 0 {
		loop.Into, loop.Cols = []string{b.local("hit", schema.TBool)}, []ir.Expr{ir.C(ir.Bool(true))}
	}
	var count string
	var lock []ir.Stmt
	if q.limit != nil {
		lock = b.lockInRound(loop)
		count = b.local("n", schema.TInt)
		b.assign(pos, count, ir.C(ir.Int(0)))
	}
	loop.Body = append(lock, b.inRound(iterated, pos, round())...)
	if len(q.loops) == 0 {
		loop.Label = l.label
	}
	leaves := mayLeave(loop.Body, loop.Label)
	if count != "" { // the rows beyond the limit do not come
		loop.Body = append(b.collect(func() {
			for i, local := range loop.Into {
				loop.Into[i] = b.irLocal(local, b.typeOfLocal(local))
				b.fields[loop.Into[i]] = true
				b.emitWeak(&ir.Assign{At: at(pos), Var: local, Expr: ir.V(loop.Into[i])})
			}
		}), loop.Body...)
		loop.Body = append([]ir.Stmt{
			&ir.If{At: at(pos), Cond: ir.Op(ir.Ge, ir.V(count), q.limit), Then: []ir.Stmt{&ir.Break{At: at(pos)}}},
			&ir.Assign{At: at(pos), Var: count, Expr: ir.Op(ir.Add, ir.V(count), ir.C(ir.Int(1)))},
		}, loop.Body...)
	}
	if q.some && leaves {
		b.unmodelled("SKIP LOCKED in a loop that may end before its last row")
	}
	b.lockAhead(q, loop, leaves)
	b.emit(loop)
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

// oneRound is a loop over a query with one row at most.
func (b *builder) oneRound(f *frame, x *ex, q *query, round func() []ir.Stmt, l *loopLabel, iterated string, pos ir.Pos, list []dest) {
	l.once = true
	l.label = b.newLabel("loop")
	found := b.local("was_found", schema.TBool)
	b.selectInto(&frame{fn: f.fn, found: found}, x, q, pos, sink{kind: intoLocals, dests: func([]colDef) ([]dest, []dest) { return list, nil }})
	body := b.inRound(iterated, pos, round())
	body = dropLast(body, func(s ir.Stmt) bool {
		k, ok := s.(*ir.Break)
		return ok && k.Label == l.label
	})
	if leaves(body, l.label) {
		body = []ir.Stmt{&ir.Block{At: at(pos), Label: l.label, Body: body}}
	}
	b.emit(&ir.If{At: at(pos), Cond: ir.V(found), Then: body})
}

// overSets is a loop over a set-returning function, and perhaps tables.
func (b *builder) overSets(x *ex, q *query, round func() []ir.Stmt, l *loopLabel, iterated string, pos ir.Pos, list []dest) {
	if q.limit != nil || len(q.order) > 0 || len(q.aggs) > 0 {
		b.unmodelled("ORDER BY, LIMIT or aggregates over a set-returning function")
	}
	// Several loops of the IR may be one here: EXIT and CONTINUE name theirs.
	l.label, l.next = b.newLabel("loop"), b.newLabel("round")
	b.each(q, pos, l.label, "", func() {
		if len(q.from) > 0 {
			b.overRows(x, q, round, l, iterated, pos, list)
			return
		}
		b.assignAll(x, pos, list, q.targets)
		for _, st := range b.inRound(iterated, pos, round()) {
			b.emit(st)
		}
	})
}

// foreach is FOREACH x IN ARRAY a.
func (b *builder) foreach(f *frame, s *plpgsql.Foreach, pos ir.Pos) {
	if s.Slice {
		b.unmodelled("FOREACH … SLICE")
	}
	a := b.value(f, s.Expr)
	if a.t.Name == schema.NUnknown {
		a = b.ex(f, f.text).literal(a, schema.ArrayOf(schema.TText), 0)
	}
	if a.record || a.t.Name != schema.NArray {
		b.l.Fail(f.text.Pos(s.Expr.Start), "FOREACH needs an array, but this has type %s", a.t)
	}
	array := a.e
	v, isVar := array.(*ir.Var)
	if !isVar || f.changes(s.Body, v.Name) {
		local := b.local("array", a.t)
		b.assign(pos, local, array)
		array = ir.V(local)
	}
	l := &loopLabel{name: s.Label, loop: true, counts: true}
	iterated := b.startFor(f, pos)
	loop := &ir.ForRange{At: at(pos), Var: b.local("i", schema.TInt), From: ir.C(ir.Int(1)),
		To: &ir.Call{Name: "len", Args: []ir.Expr{array}, Type: ir.IntType}}
	t := a.t.Element()
	elem := val{e: &ir.Call{Name: "elem", Args: []ir.Expr{array, ir.V(loop.Var)}, Type: t.IR}, t: t}
	first := b.collect(func() {
		if len(s.Targets) != 1 {
			b.unmodelled("FOREACH with several variables")
		}
		w, fd := b.targetOf(f, s.Targets[0])
		if fd != nil {
			b.assign(pos, fd.local, b.ex(f, f.text).assigned(elem, fd.t, 0).e)
			return
		}
		if w.isRecord { // the fields are taken out of one element
			local := b.local("element", t)
			b.assign(pos, local, elem.e)
			elem.e = ir.V(local)
		}
		b.store(f, w, elem, pos)
	})
	loop.Body = append(first, b.loopBody(f, l, s.Body)...)
	loop.Body = b.inRound(iterated, pos, loop.Body)
	loop.Label = l.label
	b.emit(loop)
	b.endFor(f, iterated, pos)
}

// changes reports whether statements may set the variable with a local.
func (f *frame) changes(list []plpgsql.Stmt, local string) bool {
	found := false
	plpgsql.Walk(list, func(s plpgsql.Stmt) {
		for _, n := range schema.Assigned(s) {
			v, fd := f.scope.find(n.Parts)
			if n.Parts[0][0] == '$' {
				v = f.numbered(n.Parts[0])
			}
			found = found || v != nil && v.local == local || fd != nil && fd.local == local
		}
	})
	return found
}

// exit is EXIT and CONTINUE.
func (b *builder) exit(f *frame, s *plpgsql.Exit, pos ir.Pos) {
	jump := func() { b.jump(f, s.Label, s.Continue, f.text.Pos(s.Place()), pos) }
	if s.When.Empty() {
		jump()
		return
	}
	cond := b.conditionOrChoice(f, s.When)
	b.emit(&ir.If{At: at(pos), Cond: cond, Then: b.collect(jump)})
}

// jump leaves or continues a loop.
func (b *builder) jump(f *frame, label string, next bool, errPos, pos ir.Pos) {
	word := "EXIT"
	if next {
		word = "CONTINUE"
	}
	i := len(f.loops) - 1
	for ; i >= 0; i-- {
		l := f.loops[i]
		if label == "" && l.loop || label != "" && l.name == label {
			break
		}
	}
	switch {
	case i < 0 && label == "":
		b.l.Fail(errPos, "%s stands in no loop", word)
	case i < 0:
		b.l.Fail(errPos, "there is no loop or block %s around this %s", label, word)
	case next && !f.loops[i].loop:
		b.l.Fail(errPos, "%s is a block: CONTINUE needs a loop", label)
	}
	target := f.loops[i]
	innermost := true
	for _, l := range f.loops[i+1:] {
		innermost = innermost && (!l.loop || l.once)
		if l.counts && f.found != "" { // a FOR loop that is left sets FOUND
			b.emitWeak(&ir.Assign{At: at(pos), Var: f.found, Expr: ir.C(ir.Bool(true))})
		}
	}
	switch {
	case target.once:
		b.emit(&ir.Break{At: at(pos), Label: target.label})
	case next && target.next != "":
		target.wantNext = true
		b.emit(&ir.Break{At: at(pos), Label: target.next})
	case next && innermost:
		b.emit(&ir.Continue{At: at(pos)})
	case next:
		b.emit(&ir.Continue{At: at(pos), Label: b.labelOf(target)})
	case innermost && target.loop && target.label == "":
		b.emit(&ir.Break{At: at(pos)})
	default:
		b.emit(&ir.Break{At: at(pos), Label: b.labelOf(target)})
	}
}

// labelOf gives the label of a loop or block, which gets one if it has none.
func (b *builder) labelOf(l *loopLabel) string {
	if l.label == "" {
		l.label = b.newLabel(syntax.NameOr(l.name, "loop"))
	}
	return l.label
}
