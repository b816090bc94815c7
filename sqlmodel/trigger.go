package sqlmodel

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// trigger is a trigger of a table. Its function is inlined where it fires.
type trigger struct {
	pos    ir.Pos
	name   string
	fn     string
	names  *resolver // of fn
	events int32     // bits as in pg_trigger.h
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
func (l *Schema) createTrigger(s *pg.CreateTrigStmt, t *syntax.Text, pos ir.Pos) {
	tab := l.changed(s.Relation, t, false)
	onPart := false
	if tab == nil {
		tab = l.partitioned(s.Relation, t)
		onPart = tab != nil
	}
	if tab == nil {
		l.note(pos, "trigger %s on a view is left out: writes of the view are not modelled", s.Trigname)
		return
	}
	g := &trigger{pos: pos, name: s.Trigname, fn: syntax.Qualified(syntax.Names(s.Funcname)), names: declaredNames(t), events: s.Events, before: s.Timing&beforeRow != 0, row: s.Row}
	if len(s.Columns) > 0 {
		g.columns = syntax.Names(s.Columns)
	}
	if s.WhenClause != nil {
		g.when = &sqlExpr{s.WhenClause, t}
	}
	g.args = syntax.Names(s.Args)
	switch {
	case onPart:
		g.odd = "is on one partition"
	case s.Initdeferred || s.Deferrable:
		g.odd = "runs at commit"
	case len(s.TransitionRels) > 0:
		g.odd = "reads transition tables"
	}
	tab.triggers = without(tab.triggers, func(o *trigger) bool { return s.Replace && o.name == s.Trigname })
	tab.triggers = append(tab.triggers, g)
	tab.sortTriggers()
}

// partitioned gives the table that a partition belongs to, nil if the name is that of none.
func (l *Schema) partitioned(r *pg.RangeVar, t *syntax.Text) *table {
	o := l.sees(t).relation(syntax.RangeName(r))
	for o != nil && o.view != nil && len(o.view.of) == 1 {
		if o = o.view.of[0]; o.table != nil && o.table.partitions != nil {
			return o.table
		}
	}
	return nil
}

// sortTriggers puts the triggers in the order in which they fire.
func (t *table) sortTriggers() {
	slices.SortStableFunc(t.triggers, func(a, b *trigger) int { return strings.Compare(a.name, b.name) })
}

// functions gives the function of the trigger, as a list; none if it is not declared.
func (g *trigger) functions() []*function {
	fns, _ := g.names.functions(g.fn)
	return without(fns, func(f *function) bool { return len(f.inputs()) > 0 })
}

// refs is what firing the trigger names.
func (g *trigger) refs() *refs {
	return &refs{calls: map[string]bool{g.fn: true}, names: g.names}
}

// firing gives the triggers that some writes fire, in the order in which they
// do; set is what an UPDATE sets.
func (t *table) firing(events int32, before, row bool, set []string) []*trigger {
	var out []*trigger
	for _, g := range t.triggers {
		if g.events&events == 0 || g.before != before || g.row != row {
			continue
		}
		hit := g.columns == nil || g.events&events&^onUpdate != 0
		for _, column := range set {
			hit = hit || slices.Contains(g.columns, column)
		}
		if hit || g.events&events != 0 && g.ofGenerated(t) && t.recomputes() {
			out = append(out, g)
		}
	}
	return out
}

// ofGenerated reports whether UPDATE OF of a trigger names a generated column of its table.
func (g *trigger) ofGenerated(t *table) bool {
	return slices.ContainsFunc(t.columns, func(c *column) bool { return c.generated != nil && slices.Contains(g.columns, c.name) })
}

// recomputes reports whether each UPDATE sets all generated columns, as PostgreSQL takes it
// where a trigger could change the row before (ExecInitStoredGenerated).
func (t *table) recomputes() bool {
	return slices.ContainsFunc(t.triggers, func(g *trigger) bool { return g.before && g.row && g.events&onUpdate != 0 })
}

// refuseTriggersOfGenerated refuses a MERGE or an upsert of a table with a trigger on a generated
// column: they set all of these.
func (b *builder) refuseTriggersOfGenerated(t *table) {
	for _, g := range t.triggers {
		if g.events&onUpdate != 0 && g.ofGenerated(t) {
			b.unmodelled("a MERGE or ON CONFLICT DO UPDATE, with trigger %s of a generated column", g.name)
		}
	}
}

// firedBy gives what a trigger of t may touch.
func (t *table) firedBy(g *trigger) *refs {
	r := g.refs()
	r.known, r.writes = []*table{t}, true
	return r
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
	v := &variable{name: name, t: opaque(t.rowType), isRecord: true, fixed: true}
	for _, c := range t.columns {
		local := b.fieldLocal(name, c.name, c.t)
		set := &ir.Assign{At: at(pos), Var: local, Expr: row.col(c.name).e}
		b.weak[set] = !ir.MayFail(set.Expr)
		b.emit(set)
		v.fields = append(v.fields, field{name: c.name, local: local, t: c.t, domain: c.domain, within: c.within})
	}
	return v
}

// source gives the fields of a row variable as columns.
func (v *variable) source(t *table) *rowSource {
	src := &rowSource{alias: v.name, table: t}
	for i, f := range v.fields {
		src.cols = append(src.cols, colDef{name: f.name, e: ir.V(f.local), t: f.t, nn: t.columns[i].notNull && v.name == "old"})
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
		fns := g.functions()
		if len(fns) == 0 {
			b.unmodelled("trigger %s, whose function is not declared here", g.name)
		}
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
	constant("tg_op", r.op)
	constant("tg_name", g.name)
	constant("tg_when", when)
	constant("tg_level", level)
	constant("tg_table_name", t.rel.own())
	constant("tg_relname", t.rel.own())
	constant("tg_table_schema", t.rel.schema())
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
		null := &variable{name: name, t: opaque(t.rowType), isRecord: true, fixed: true} // all its fields are NULL
		for _, c := range t.columns {
			local := b.fieldLocal(name, c.name, c.t)
			b.emitWeak(&ir.Assign{At: at(pos), Var: local, Expr: ir.C(ir.Null)})
			null.fields = append(null.fields, field{name: c.name, local: local, t: c.t, domain: c.domain, within: c.within})
		}
		f.scope.vars[name] = null
	}
	f.result = &result{label: b.newLabel(f.scope.label)}
	body := &ir.Block{At: at(pos), Label: f.result.label}
	leave := b.enter(fn)
	body.Body = b.collect(func() { b.stmt(f, fn.body.Block) })
	leave()
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
	if !ok || x.f == nil || x.f.trigger == nil || i.IsSlice || len(c.Fields) != 1 || syntax.Names(c.Fields)[0] != triggerArgs {
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
			switch strings.ToLower(strings.TrimSpace(r.Expr.Text(f.bodyText.SQL))) {
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
	what := strings.ToLower(strings.TrimSpace(s.Expr.Text(f.text.SQL)))
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
		for _, fn := range g.functions() {
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
// prevents it; other runs otherwise. several says that the statement may write further rows.
func (b *builder) before(t *table, list []*trigger, r *rowTrigger, pos ir.Pos, several bool, write, other func()) {
	r.before = true
	for _, g := range list {
		for _, fn := range g.functions() {
			if r.skip == "" && fn.body != nil && fn.returnsNull(r.op) {
				r.skip = b.local("is_skipped", tBool)
				b.emit(&ir.Assign{At: at(pos), Var: r.skip, Expr: ir.C(ir.Bool(false))})
			}
		}
	}
	wrote := b.l.tracer() // by the triggers before, and the statement
	for _, g := range t.triggers {
		if g.before && !g.row {
			wrote.add(g.refs())
		}
	}
	for i, g := range list {
		if several || wrote.writes {
			if s := b.l.sightOf(g.refs()); g.stable() && (s.before.meets(wrote.tables) || several && s.before.meets(b.l.changedBy(t, changesRows).tables)) {
				b.unmodelled("trigger %s (BEFORE), whose function is not VOLATILE, %s", g.name, hidden)
			}
		}
		wrote.add(g.refs())
		if own := b.l.tracer(); r.op != "INSERT" {
			if own.add(g.refs()); own.wrote[t] == changesRows {
				b.mayDepend(pos, "the error if trigger "+g.name+" changes the row that is written", t.ir)
			}
		}
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
		if b.runsBefore(t, g, several) {
			continue // it has run
		}
		if several {
			e := b.l.effectOf(g.refs())
			switch {
			case e.all || e.tables[t.name]:
				b.giveUp(pos, touched, "trigger "+g.name+", which looks at the table, after a statement that writes several rows")
				continue
			case b.l.meetsEarlier(t, g, e):
				b.giveUp(pos, touched, "trigger "+g.name+", which looks at what a trigger of a later row writes")
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
	run := func(g *trigger, before bool) {
		r := &rowTrigger{op: op}
		if why, ok := b.fire(t, g, r, pos); !ok {
			if before {
				b.unmodelled("trigger %s (BEFORE): %s", g.name, why)
			}
			b.giveUp(pos, t.firedBy(g), "trigger "+g.name+": "+why)
		}
	}
	// Those that are not VOLATILE see the tables as they were before the statement, and change nothing.
	if before {
		for _, g := range append(t.firing(events, true, false, columnsOf(set)), t.firing(events, false, false, columnsOf(set))...) {
			if g.stable() {
				run(g, g.before)
			}
		}
	}
	for _, g := range t.firing(events, before, false, columnsOf(set)) {
		if !g.stable() {
			run(g, before)
		}
	}
}

// stable reports whether the function of the trigger is not VOLATILE, and calls none that is and looks at tables: it sees the tables as
// they were before the statement.
func (g *trigger) stable() bool {
	fns := g.functions()
	if len(fns) != 1 || !fns[0].stable || g.odd != "" {
		return false
	}
	s := g.names.l.sightOf(g.refs())
	return !s.now.all && len(s.now.tables) == 0
}

// runsBefore reports whether an AFTER trigger of a row of t ran before the row was written: it sees the tables as they were before the
// statement.
func (b *builder) runsBefore(t *table, g *trigger, several bool) bool {
	return !several && g.stable() && b.l.sightOf(g.refs()).before.meets(b.l.changedBy(t, changesRows).tables)
}

// stableAfter runs the AFTER triggers of a row that see the tables as they were before the statement; no other trigger may have
// written what they look at.
func (b *builder) stableAfter(t *table, events int32, set []assignment, r *rowTrigger, pos ir.Pos, several bool) {
	wrote := b.l.tracer()
	for _, g := range t.triggers {
		if g.before && g.events&events != 0 {
			wrote.add(g.refs())
		}
	}
	for _, g := range t.firing(events, false, true, columnsOf(set)) {
		if !b.runsBefore(t, g, several) {
			continue
		}
		if wrote.writes && b.l.sightOf(g.refs()).before.meets(wrote.tables) {
			b.giveUp(pos, t.firedBy(g), "trigger "+g.name+", whose function is not VOLATILE, after triggers that write what it looks at")
			continue
		}
		if why, ok := b.fire(t, g, r, pos); !ok {
			b.giveUp(pos, t.firedBy(g), "trigger "+g.name+": "+why)
		}
	}
}

// meetsEarlier reports whether an AFTER trigger looks at what BEFORE triggers of rows write, which have all run by then.
func (l *Schema) meetsEarlier(t *table, g *trigger, e *effect) bool {
	tr := l.tracer()
	for _, o := range t.triggers {
		if o.before && o.row && o.events&g.events != 0 {
			tr.add(o.refs())
		}
	}
	return tr.writes && e.meets(tr.tables)
}
