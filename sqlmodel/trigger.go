package sqlmodel

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/sqlmodel/internal/pg"
	"github.com/txrobust/robust/sqlmodel/internal/plpgsql"
	"github.com/txrobust/robust/sqlmodel/internal/tidy"
)

// trigger is a trigger of a table. Its function is inlined where it fires.
type trigger struct {
	pos    ir.Pos
	name   string
	fn     string
	events int32 // bits as in pg_trigger.h
	// before says that it runs before the write, and may change it; row that it
	// runs for each row.
	before, row bool
	// columns, if not nil, are those of UPDATE OF.
	columns []string
	when    *sqlExpr
	args    []string
	// odd is what of it is not modelled, or "".
	odd string
}

// Bits of trigger.events, and of CreateTrigStmt.Timing.
const (
	beforeRow  = 1 << 1
	onInsert   = 1 << 2
	onDelete   = 1 << 3
	onUpdate   = 1 << 4
	onTruncate = 1 << 5
	insteadOf  = 1 << 6
)

// createTrigger records a trigger.
func (l *loader) createTrigger(s *pg.CreateTrigStmt, t *text, pos ir.Pos) {
	name := rangeName(s.Relation)
	tab := l.table(name)
	if tab == nil {
		if l.views[name] != nil {
			l.note(pos, "trigger %s on a view is left out: writes of the view are not modelled", s.Trigname)
			return
		}
		l.fail(t.pos(int(s.Relation.Location)), noTable+"%s", name)
	}
	g := &trigger{pos: pos, name: s.Trigname, fn: qualified(names(s.Funcname)), events: s.Events, before: s.Timing&beforeRow != 0, row: s.Row}
	if len(s.Columns) > 0 {
		g.columns = names(s.Columns)
	}
	if s.WhenClause != nil {
		g.when = &sqlExpr{s.WhenClause, t}
	}
	g.args = names(s.Args)
	switch {
	case s.Initdeferred || s.Deferrable:
		g.odd = "runs at commit"
	case len(s.TransitionRels) > 0:
		g.odd = "reads transition tables"
	}
	tab.triggers = without(tab.triggers, func(o *trigger) bool { return s.Replace && o.name == s.Trigname })
	tab.triggers = append(tab.triggers, g)
	slices.SortStableFunc(tab.triggers, func(a, b *trigger) int { return strings.Compare(a.name, b.name) })
}

// firing gives the triggers that some writes fire, in the order in which they
// do; set is what an UPDATE sets.
func (t *table) firing(events int32, before, row bool, set []assignment) []*trigger {
	var out []*trigger
	for _, g := range t.triggers {
		if g.events&events == 0 || g.before != before || g.row != row {
			continue
		}
		hit := g.columns == nil || g.events&events&^onUpdate != 0
		for _, a := range set {
			hit = hit || slices.Contains(g.columns, a.column)
		}
		if hit {
			out = append(out, g)
		}
	}
	return out
}

// firedBy gives what a trigger of t may touch.
func (t *table) firedBy(g *trigger) *refs {
	return &refs{tables: map[string]bool{t.name: true}, calls: map[string]bool{g.fn: true}, writes: true}
}

// noTrigger stops the translation of a statement whose trigger cannot be
// inlined.
type noTrigger struct{ reason string }

// rowTrigger is what a row trigger gets: the rows before and after, and where
// NULL as its result is noted.
type rowTrigger struct {
	op       string
	old, new *variable
	// skip is the local that says that the write does not take place, "" if no
	// trigger can prevent it.
	skip string
	// before says that the result counts.
	before bool
}

// record declares a row variable for a row of t, with the given values.
func (b *builder) record(name string, t *table, row *rowSource, pos ir.Pos) *variable {
	v := &variable{name: name, t: opaque(t.name), isRecord: true, fixed: true}
	for _, c := range t.columns {
		local := b.fieldLocal(name, c.name, c.t)
		set := &ir.Assign{At: at(pos), Var: local, Expr: row.col(c.name).e}
		b.weak[set] = !tidy.MayFail(set.Expr)
		b.emit(set)
		v.fields = append(v.fields, field{c.name, local, c.t})
	}
	return v
}

// source gives the fields of a row variable as columns.
func (v *variable) source(t *table) *rowSource {
	src := &rowSource{alias: v.name, table: t}
	for i, f := range v.fields {
		src.cols = append(src.cols, colDef{f.name, ir.V(f.local), f.t, t.columns[i].notNull && v.name == "old"})
	}
	return src
}

// fire inlines the function of a trigger. Where that cannot be done, nothing of
// it stays, and the reason is given.
func (b *builder) fire(t *table, g *trigger, r *rowTrigger, pos ir.Pos) (why string, ok bool) {
	defer func() {
		if x := recover(); x != nil {
			n, is := x.(noTrigger)
			if !is {
				panic(x)
			}
			why, ok = n.reason, false
		}
	}()
	return b.attempt(func() {
		if g.odd != "" {
			b.unmodelled("trigger %s, which %s", g.name, g.odd)
		}
		fns := b.l.lookup(g.fn)
		if len(fns) != 1 || fns[0].body == nil {
			b.unmodelled("trigger %s, whose function is not in PL/pgSQL", g.name)
		}
		fn := fns[0]
		if b.active(fn) {
			b.unmodelled("trigger %s, which fires itself", g.name)
		}
		if len(b.calls) > maxInline {
			b.unmodelled("calls that are nested more than %d deep", maxInline)
		}
		body := func() { b.triggerBody(t, g, r, fn, pos) }
		if g.when == nil {
			body()
			return
		}
		cond := b.triggerCondition(t, g, r)
		b.emit(&ir.If{At: at(pos), Cond: cond, Then: b.collect(body)})
	})
}

// triggerCondition is WHEN.
func (b *builder) triggerCondition(t *table, g *trigger, r *rowTrigger) ir.Expr {
	lv := &level{}
	for _, v := range []*variable{r.old, r.new} {
		if v != nil {
			src := v.source(t)
			src.hidden = map[string]bool{}
			for _, c := range src.cols {
				src.hidden[c.name] = true
			}
			lv.sources = append(lv.sources, src)
		}
	}
	y := &ex{l: b.l, b: b, text: g.when.text, levels: []*level{lv}}
	return y.boolean(g.when.node, truth)
}

func (b *builder) triggerBody(t *table, g *trigger, r *rowTrigger, fn *function, pos ir.Pos) {
	b.calls = append(b.calls, fn)
	f := b.newFrame(fn)
	f.trigger = r
	constant := func(name, value string) {
		f.scope.vars[name] = &variable{name: name, bound: ir.C(ir.Text(value)), t: tText, nn: true}
	}
	when, level := "AFTER", "STATEMENT"
	if g.before {
		when = "BEFORE"
	}
	if g.row {
		level = "ROW"
	}
	schema := "public"
	if i := strings.LastIndex(t.name, "."); i >= 0 {
		schema = t.name[:i]
	}
	constant("tg_op", r.op)
	constant("tg_name", g.name)
	constant("tg_when", when)
	constant("tg_level", level)
	constant("tg_table_name", lastPart(t.name))
	constant("tg_relname", lastPart(t.name))
	constant("tg_table_schema", schema)
	var args []ir.Value
	for _, a := range g.args {
		args = append(args, ir.Text(a))
	}
	f.scope.vars[triggerArgs] = &variable{name: triggerArgs, bound: ir.C(ir.Array(args)), t: arrayOf(tText), nn: true}
	f.scope.vars["tg_nargs"] = &variable{name: "tg_nargs", bound: ir.C(ir.Int(int64(len(args)))), t: tInt, nn: true}
	for name, v := range map[string]*variable{"old": r.old, "new": r.new} {
		if v != nil {
			f.scope.vars[name] = v
			continue
		}
		null := &variable{name: name, t: opaque(t.name), isRecord: true, fixed: true} // all its fields are NULL
		for _, c := range t.columns {
			local := b.fieldLocal(name, c.name, c.t)
			b.emitWeak(&ir.Assign{At: at(pos), Var: local, Expr: ir.C(ir.Null)})
			null.fields = append(null.fields, field{c.name, local, c.t})
		}
		f.scope.vars[name] = null
	}
	f.result = &result{label: b.newLabel(f.scope.label)}
	body := &ir.Block{At: at(pos), Label: f.result.label}
	body.Body = b.collect(func() { b.stmt(f, fn.body.Block) })
	body.Body = dropLast(body.Body, func(s ir.Stmt) bool {
		k, ok := s.(*ir.Break)
		return ok && k.Label == body.Label
	})
	if !endsInJump(body.Body) && !leaves(body.Body, body.Label) && !fn.returns() {
		b.unmodelled("trigger %s, which ends without RETURN", g.name)
	}
	if leaves(body.Body, body.Label) {
		b.emit(body)
	} else {
		for _, s := range body.Body {
			b.emit(s)
		}
	}
	b.calls = b.calls[:len(b.calls)-1]
}

// triggerArgs is the array of a trigger's arguments, the only one that starts
// at 0.
const triggerArgs = "tg_argv"

// triggerArgument is TG_ARGV[i].
func (x *ex) triggerArgument(array *pg.Node, i *pg.A_Indices) (val, bool) {
	c, ok := pg.Inner(array).(*pg.ColumnRef)
	if !ok || x.f == nil || x.f.trigger == nil || i.IsSlice || len(c.Fields) != 1 || names(c.Fields)[0] != triggerArgs {
		return val{}, false
	}
	k := x.convert(x.expr(i.Uidx), tInt, x.at(i.Uidx), "a subscript")
	args := x.expr(array)
	if n, ok := k.(*ir.Const); ok && n.Value.Kind == ir.KindInt {
		if list := args.e.(*ir.Const).Value.Elems(ir.KindText); n.Value.I >= 0 && n.Value.I < int64(len(list)) {
			return val{e: ir.C(list[n.Value.I]), t: tText, nn: true}, true
		}
		return val{e: ir.C(ir.Null), t: tText}, true
	}
	e := &ir.Call{Name: "elem", Args: []ir.Expr{args.e, ir.Op(ir.Add, k, ir.C(ir.Int(1)))}, Type: ir.TextType}
	return val{e: e, t: tText}, true
}

// returns reports whether the body has a RETURN.
func (f *function) returns() bool {
	found := false
	plpgsql.Walk([]plpgsql.Stmt{f.body.Block}, func(s plpgsql.Stmt) {
		_, is := s.(*plpgsql.Return)
		found = found || is
	})
	return found
}

// returnsNull reports whether some RETURN may give NULL; op is what fires.
func (f *function) returnsNull(op string) bool {
	found := false
	plpgsql.Walk([]plpgsql.Stmt{f.body.Block}, func(s plpgsql.Stmt) {
		if r, is := s.(*plpgsql.Return); is {
			switch strings.ToLower(strings.TrimSpace(r.Expr.Text(f.bodyText.s))) {
			case "null":
				found = true
			case "old":
				found = found || op == "INSERT"
			case "new":
				found = found || op == "DELETE"
			}
		}
	})
	return found
}

// triggerReturn is RETURN in the function of a trigger.
func (b *builder) triggerReturn(f *frame, s *plpgsql.Return, pos ir.Pos) {
	r := f.trigger
	what := strings.ToLower(strings.TrimSpace(s.Expr.Text(f.text.s)))
	switch {
	case !r.before: // the result is dropped
	case what == "new" && r.new != nil, what == "old" && r.new == nil && r.old != nil:
	case r.skip != "" && (what == "null" || what == "new" || what == "old" && r.old == nil):
		b.emit(&ir.Assign{At: at(pos), Var: r.skip, Expr: ir.C(ir.Bool(true))})
	case what == "old" && r.old != nil:
		for i, fd := range r.new.fields {
			b.assign(pos, fd.local, ir.V(r.old.fields[i].local))
		}
	default:
		panic(noTrigger{"a trigger that returns " + what})
	}
	b.emit(&ir.Break{At: at(pos), Label: f.result.label})
}

// changedByTriggers gives the columns that BEFORE triggers may change.
func (b *builder) changedByTriggers(t *table, list []*trigger) map[string]bool {
	out := map[string]bool{}
	for _, g := range list {
		for _, fn := range b.l.lookup(g.fn) {
			if fn.body == nil {
				continue
			}
			plpgsql.Walk([]plpgsql.Stmt{fn.body.Block}, func(s plpgsql.Stmt) {
				for _, n := range assigned(s) {
					if n.Parts[0] != "new" {
						continue
					}
					for _, c := range t.columns {
						if len(n.Parts) == 1 || c.name == n.Parts[1] {
							out[c.name] = true
						}
					}
				}
			})
		}
	}
	return out
}

// before runs the BEFORE triggers of a row, and then write, unless one of them
// prevents it; other runs otherwise.
func (b *builder) before(t *table, list []*trigger, r *rowTrigger, pos ir.Pos, write, other func()) {
	r.before = true
	for _, g := range list {
		for _, fn := range b.l.lookup(g.fn) {
			if r.skip == "" && fn.body != nil && fn.returnsNull(r.op) {
				r.skip = b.local("is_skipped", tBool)
				b.emit(&ir.Assign{At: at(pos), Var: r.skip, Expr: ir.C(ir.Bool(false))})
			}
		}
	}
	for i, g := range list {
		fire := func() {
			if why, ok := b.fire(t, g, r, pos); !ok {
				b.unmodelled("trigger %s (BEFORE): %s", g.name, why)
			}
		}
		if i == 0 || r.skip == "" {
			fire()
			continue
		}
		b.emit(&ir.If{At: at(pos), Cond: ir.NotE(ir.V(r.skip)), Then: b.collect(fire)})
	}
	if r.skip == "" {
		write()
		return
	}
	b.emit(&ir.If{At: at(pos), Cond: ir.NotE(ir.V(r.skip)), Then: b.collect(write), Else: b.collect(other)})
}

// after runs the AFTER triggers of a row. several says that the statement may
// write further rows, before all of which it would run in fact.
func (b *builder) after(t *table, list []*trigger, r *rowTrigger, pos ir.Pos, several bool) {
	r.before = false
	for _, g := range list {
		touched := t.firedBy(g)
		if len(b.catches) > 0 && g.name < "RI_" && len(t.foreign)+len(b.l.keysTo(t)) > 0 {
			b.giveUp(pos, touched, "trigger "+g.name+", which runs before foreign keys are checked, in a block with EXCEPTION")
			continue
		}
		if several {
			e := b.l.effectOf(&refs{tables: map[string]bool{}, calls: map[string]bool{g.fn: true}})
			if e.all || e.tables[t.name] {
				b.giveUp(pos, touched, "trigger "+g.name+", which looks at the table, after a statement that writes several rows")
				continue
			}
		}
		if why, ok := b.fire(t, g, r, pos); !ok {
			b.giveUp(pos, touched, "trigger "+g.name+": "+why)
		}
	}
}

// atStatement runs the triggers FOR EACH STATEMENT.
func (b *builder) atStatement(t *table, events int32, op string, before bool, set []assignment, pos ir.Pos) {
	for _, g := range t.firing(events, before, false, set) {
		r := &rowTrigger{op: op}
		if why, ok := b.fire(t, g, r, pos); !ok {
			if before {
				b.unmodelled("trigger %s (BEFORE): %s", g.name, why)
			}
			b.giveUp(pos, t.firedBy(g), "trigger "+g.name+": "+why)
		}
	}
}
