package sqlmodel

import (
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// refuseTriggersOfGenerated refuses a MERGE or an upsert of a table with a trigger on a generated
// column: they set all of these.
func (b *builder) refuseTriggersOfGenerated(t *schema.Table) {
	for _, g := range t.Triggers {
		if g.Events&schema.OnUpdate != 0 && g.OfGenerated(t) {
			b.unmodelled("a MERGE or ON CONFLICT DO UPDATE, with trigger %s of a generated column", g.Name)
		}
	}
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
func (b *builder) record(name string, t *schema.Table, row *rowSource, pos ir.Pos) *variable {
	v := &variable{name: name, t: schema.Opaque(t.RowType), isRecord: true, fixed: true}
	for _, c := range t.Columns {
		local := b.fieldLocal(name, c.Name, c.T)
		set := &ir.Assign{At: at(pos), Var: local, Expr: row.col(c.Name).e}
		b.weak[set] = !ir.MayFail(set.Expr)
		b.emit(set)
		v.fields = append(v.fields, field{name: c.Name, local: local, t: c.T, domain: c.Domain, within: c.Within})
	}
	return v
}

// source gives the fields of a row variable as columns.
func (v *variable) source(t *schema.Table) *rowSource {
	src := &rowSource{alias: v.name, table: t}
	for i, f := range v.fields {
		src.cols = append(src.cols, colDef{name: f.name, e: ir.V(f.local), t: f.t, nn: t.Columns[i].NotNull && v.name == "old"})
	}
	return src
}

// fire inlines the function of a trigger. Where that cannot be done, nothing of
// it stays, and the reason is given.
func (b *builder) fire(t *schema.Table, g *schema.Trigger, r *rowTrigger, pos ir.Pos) (why string, ok bool) {
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
		if g.Odd != "" {
			b.unmodelled("trigger %s, which %s", g.Name, g.Odd)
		}
		fns := g.Functions()
		if len(fns) == 0 {
			b.unmodelled("trigger %s, whose function is not declared here", g.Name)
		}
		if len(fns) != 1 || fns[0].Body == nil {
			b.unmodelled("trigger %s, whose function is not in PL/pgSQL", g.Name)
		}
		fn := fns[0]
		if b.active(fn) {
			b.unmodelled("trigger %s, which fires itself", g.Name)
		}
		if len(b.calls) > maxInline {
			b.unmodelled("calls that are nested more than %d deep", maxInline)
		}
		body := func() { b.triggerBody(t, g, r, fn, pos) }
		if g.When == nil {
			body()
			return
		}
		cond := b.triggerCondition(t, g, r)
		b.emit(&ir.If{At: at(pos), Cond: cond, Then: b.collect(body)})
	})
}

// triggerCondition is WHEN.
func (b *builder) triggerCondition(t *schema.Table, g *schema.Trigger, r *rowTrigger) ir.Expr {
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
	y := &ex{l: b.l, b: b.Draft, text: g.When.Text, levels: []*level{lv}}
	return y.boolean(g.When.Node, truth)
}

func (b *builder) triggerBody(t *schema.Table, g *schema.Trigger, r *rowTrigger, fn *schema.Function, pos ir.Pos) {
	b.calls = append(b.calls, fn)
	f := b.newFrame(fn)
	f.trigger = r
	constant := func(name, value string) {
		f.scope.vars[name] = &variable{name: name, bound: ir.C(ir.Text(value)), t: schema.TText, nn: true}
	}
	when, level := "AFTER", "STATEMENT"
	if g.Before {
		when = "BEFORE"
	}
	if g.Row {
		level = "ROW"
	}
	constant("tg_op", r.op)
	constant("tg_name", g.Name)
	constant("tg_when", when)
	constant("tg_level", level)
	constant("tg_table_name", t.Rel.Own())
	constant("tg_relname", t.Rel.Own())
	constant("tg_table_schema", t.Rel.Schema())
	var args []ir.Value
	for _, a := range g.Args {
		args = append(args, ir.Text(a))
	}
	f.scope.vars[triggerArgs] = &variable{name: triggerArgs, bound: ir.C(ir.Array(args)), t: schema.ArrayOf(schema.TText), nn: true}
	f.scope.vars["tg_nargs"] = &variable{name: "tg_nargs", bound: ir.C(ir.Int(int64(len(args)))), t: schema.TInt, nn: true}
	for name, v := range map[string]*variable{"old": r.old, "new": r.new} {
		if v != nil {
			f.scope.vars[name] = v
			continue
		}
		null := &variable{name: name, t: schema.Opaque(t.RowType), isRecord: true, fixed: true} // all its fields are NULL
		for _, c := range t.Columns {
			local := b.fieldLocal(name, c.Name, c.T)
			b.emitWeak(&ir.Assign{At: at(pos), Var: local, Expr: ir.C(ir.Null)})
			null.fields = append(null.fields, field{name: c.Name, local: local, t: c.T, domain: c.Domain, within: c.Within})
		}
		f.scope.vars[name] = null
	}
	f.result = &result{label: b.newLabel(f.scope.label)}
	body := &ir.Block{At: at(pos), Label: f.result.label}
	leave := b.enter(fn)
	body.Body = b.collect(func() { b.stmt(f, fn.Body.Block) })
	leave()
	body.Body = dropLast(body.Body, func(s ir.Stmt) bool {
		k, ok := s.(*ir.Break)
		return ok && k.Label == body.Label
	})
	if !endsInJump(body.Body) && !leaves(body.Body, body.Label) && !fn.Returns() {
		b.unmodelled("trigger %s, which ends without RETURN", g.Name)
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
	k := x.convert(x.expr(i.Uidx), schema.TInt, x.at(i.Uidx), "a subscript")
	args := x.expr(array)
	if n, ok := k.(*ir.Const); ok && n.Value.Kind == ir.KindInt {
		if list := args.e.(*ir.Const).Value.Elems(ir.KindText); n.Value.I >= 0 && n.Value.I < int64(len(list)) {
			return val{e: ir.C(list[n.Value.I]), t: schema.TText, nn: true}, true
		}
		return val{e: ir.C(ir.Null), t: schema.TText}, true
	}
	e := &ir.Call{Name: "elem", Args: []ir.Expr{args.e, ir.Op(ir.Add, k, ir.C(ir.Int(1)))}, Type: ir.TextType}
	return val{e: e, t: schema.TText}, true
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
func (b *builder) changedByTriggers(t *schema.Table, list []*schema.Trigger) map[string]bool {
	out := map[string]bool{}
	for _, g := range list {
		for _, fn := range g.Functions() {
			if fn.Body == nil {
				continue
			}
			plpgsql.Walk([]plpgsql.Stmt{fn.Body.Block}, func(s plpgsql.Stmt) {
				for _, n := range schema.Assigned(s) {
					if n.Parts[0] != "new" {
						continue
					}
					for _, c := range t.Columns {
						if len(n.Parts) == 1 || c.Name == n.Parts[1] {
							out[c.Name] = true
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
func (b *builder) before(t *schema.Table, list []*schema.Trigger, r *rowTrigger, pos ir.Pos, several bool, write, other func()) {
	r.before = true
	for _, g := range list {
		for _, fn := range g.Functions() {
			if r.skip == "" && fn.Body != nil && fn.ReturnsNull(r.op) {
				r.skip = b.local("is_skipped", schema.TBool)
				b.emit(&ir.Assign{At: at(pos), Var: r.skip, Expr: ir.C(ir.Bool(false))})
			}
		}
	}
	wrote := b.l.Tracer() // by the triggers before, and the statement
	for _, g := range t.Triggers {
		if g.Before && !g.Row {
			wrote.Add(g.Refs())
		}
	}
	for i, g := range list {
		if several || wrote.Writes {
			if s := b.l.SightOf(g.Refs()); g.Stable() && (s.Before.Meets(wrote.Tables) || several && s.Before.Meets(b.l.ChangedBy(t, schema.ChangesRows).Tables)) {
				b.unmodelled("trigger %s (BEFORE), whose function is not VOLATILE, %s", g.Name, hidden)
			}
		}
		wrote.Add(g.Refs())
		if own := b.l.Tracer(); r.op != "INSERT" {
			if own.Add(g.Refs()); own.Wrote[t] == schema.ChangesRows {
				b.mayDepend(pos, "the error if trigger "+g.Name+" changes the row that is written", t.IR)
			}
		}
		fire := func() {
			if why, ok := b.fire(t, g, r, pos); !ok {
				b.unmodelled("trigger %s (BEFORE): %s", g.Name, why)
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
func (b *builder) after(t *schema.Table, list []*schema.Trigger, r *rowTrigger, pos ir.Pos, several bool) {
	r.before = false
	for _, g := range list {
		touched := t.FiredBy(g)
		if len(b.catches) > 0 && g.Name < "RI_" && len(t.Foreign)+len(b.l.KeysTo(t)) > 0 {
			b.giveUp(pos, touched, "trigger "+g.Name+", which runs before foreign keys are checked, in a block with EXCEPTION")
			continue
		}
		if b.runsBefore(t, g, several) {
			continue // it has run
		}
		if several {
			e := b.l.EffectOf(g.Refs())
			switch {
			case e.All || e.Tables[t.Name]:
				b.giveUp(pos, touched, "trigger "+g.Name+", which looks at the table, after a statement that writes several rows")
				continue
			case b.l.MeetsEarlier(t, g, e):
				b.giveUp(pos, touched, "trigger "+g.Name+", which looks at what a trigger of a later row writes")
				continue
			}
		}
		if why, ok := b.fire(t, g, r, pos); !ok {
			b.giveUp(pos, touched, "trigger "+g.Name+": "+why)
		}
	}
}

// atStatement runs the triggers FOR EACH STATEMENT.
func (b *builder) atStatement(t *schema.Table, events int32, op string, before bool, set []assignment, pos ir.Pos) {
	run := func(g *schema.Trigger, before bool) {
		r := &rowTrigger{op: op}
		if why, ok := b.fire(t, g, r, pos); !ok {
			if before {
				b.unmodelled("trigger %s (BEFORE): %s", g.Name, why)
			}
			b.giveUp(pos, t.FiredBy(g), "trigger "+g.Name+": "+why)
		}
	}
	// Those that are not VOLATILE see the tables as they were before the statement, and change nothing.
	if before {
		for _, g := range append(t.Firing(events, true, false, columnsOf(set)), t.Firing(events, false, false, columnsOf(set))...) {
			if g.Stable() {
				run(g, g.Before)
			}
		}
	}
	for _, g := range t.Firing(events, before, false, columnsOf(set)) {
		if !g.Stable() {
			run(g, before)
		}
	}
}

// runsBefore reports whether an AFTER trigger of a row of t ran before the row was written: it sees the tables as they were before the
// statement.
func (b *builder) runsBefore(t *schema.Table, g *schema.Trigger, several bool) bool {
	return !several && g.Stable() && b.l.SightOf(g.Refs()).Before.Meets(b.l.ChangedBy(t, schema.ChangesRows).Tables)
}

// stableAfter runs the AFTER triggers of a row that see the tables as they were before the statement; no other trigger may have
// written what they look at.
func (b *builder) stableAfter(t *schema.Table, events int32, set []assignment, r *rowTrigger, pos ir.Pos, several bool) {
	wrote := b.l.Tracer()
	for _, g := range t.Triggers {
		if g.Before && g.Events&events != 0 {
			wrote.Add(g.Refs())
		}
	}
	for _, g := range t.Firing(events, false, true, columnsOf(set)) {
		if !b.runsBefore(t, g, several) {
			continue
		}
		if wrote.Writes && b.l.SightOf(g.Refs()).Before.Meets(wrote.Tables) {
			b.giveUp(pos, t.FiredBy(g), "trigger "+g.Name+", whose function is not VOLATILE, after triggers that write what it looks at")
			continue
		}
		if why, ok := b.fire(t, g, r, pos); !ok {
			b.giveUp(pos, t.FiredBy(g), "trigger "+g.Name+": "+why)
		}
	}
}
