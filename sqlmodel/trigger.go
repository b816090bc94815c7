package sqlmodel

import (
	"strings"

	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/ir"
)

// refuseTriggersOfGenerated refuses a MERGE or an upsert of a table with a trigger on a generated
// column: they set all of these.
func (b *Writer) refuseTriggersOfGenerated(t *schema.Table) {
	for _, g := range t.Triggers {
		if g.Events&schema.OnUpdate != 0 && g.OfGenerated(t) {
			b.Unmodelled("a MERGE or ON CONFLICT DO UPDATE, with trigger %s of a generated column", g.Name)
		}
	}
}

// noTrigger stops the translation of a statement whose trigger cannot be
// inlined.
type noTrigger struct{ reason string }

// record declares a row variable for a row of t, with the given values.
func (b *Writer) record(name string, t *schema.Table, row *query.RowSource, pos ir.Pos) *query.Variable {
	v := &query.Variable{Name: name, Type: schema.Opaque(t.RowType), IsRecord: true, Fixed: true}
	for _, c := range t.Columns {
		local := b.fieldLocal(name, c.Name, c.T)
		set := &ir.Assign{At: query.At(pos), Var: local, Expr: row.Col(c.Name).Expr}
		b.Weak[set] = !ir.MayFail(set.Expr)
		b.Emit(set)
		v.Fields = append(v.Fields, query.Field{Name: c.Name, Local: local, Type: c.T, Domain: c.Domain, Within: c.Within})
	}
	return v
}

// fire inlines the function of a trigger. Where that cannot be done, nothing of
// it stays, and the reason is given.
func (b *Writer) fire(t *schema.Table, g *schema.Trigger, r *query.RowTrigger, pos ir.Pos) (why string, ok bool) {
	defer func() {
		if x := recover(); x != nil {
			n, is := x.(noTrigger)
			if !is {
				panic(x)
			}
			why, ok = n.reason, false
		}
	}()
	return b.Attempt(func() {
		if g.Odd != "" {
			b.Unmodelled("trigger %s, which %s", g.Name, g.Odd)
		}
		fns := g.Functions()
		if len(fns) == 0 {
			b.Unmodelled("trigger %s, whose function is not declared here", g.Name)
		}
		if len(fns) != 1 || fns[0].Body == nil {
			b.Unmodelled("trigger %s, whose function is not in PL/pgSQL", g.Name)
		}
		fn := fns[0]
		if b.Active(fn) {
			b.Unmodelled("trigger %s, which fires itself", g.Name)
		}
		if len(b.Calls) > maxInline {
			b.Unmodelled("calls that are nested more than %d deep", maxInline)
		}
		body := func() { b.bodies.TriggerBody(t, g, r, fn, pos) }
		if g.When == nil {
			body()
			return
		}
		cond := b.triggerCondition(t, g, r)
		b.Emit(&ir.If{At: query.At(pos), Cond: cond, Then: b.Collect(body)})
	})
}

// triggerCondition is WHEN.
func (b *Writer) triggerCondition(t *schema.Table, g *schema.Trigger, r *query.RowTrigger) ir.Expr {
	lv := &query.Level{}
	for _, v := range []*query.Variable{r.Old, r.New} {
		if v != nil {
			src := v.Source(t)
			src.Hidden = map[string]bool{}
			for _, c := range src.Cols {
				src.Hidden[c.Name] = true
			}
			lv.Sources = append(lv.Sources, src)
		}
	}
	y := &query.Place{App: b.App, Draft: b.Draft, Text: g.When.Text, Levels: []*query.Level{lv}}
	return y.Boolean(g.When.Node, query.Truth)
}

func (b *builder) TriggerBody(t *schema.Table, g *schema.Trigger, r *query.RowTrigger, fn *schema.Function, pos ir.Pos) {
	b.Calls = append(b.Calls, fn)
	f := b.newFrame(fn)
	f.Trigger = r
	constant := func(name, value string) {
		f.Scope.Vars[name] = &query.Variable{Name: name, Bound: ir.C(ir.Text(value)), Type: schema.TText, NotNull: true}
	}
	when, level := "AFTER", "STATEMENT"
	if g.Before {
		when = "BEFORE"
	}
	if g.Row {
		level = "ROW"
	}
	constant("tg_op", r.Op)
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
	f.Scope.Vars[query.TriggerArgs] = &query.Variable{Name: query.TriggerArgs, Bound: ir.C(ir.Array(args)), Type: schema.ArrayOf(schema.TText), NotNull: true}
	f.Scope.Vars["tg_nargs"] = &query.Variable{Name: "tg_nargs", Bound: ir.C(ir.Int(int64(len(args)))), Type: schema.TInt, NotNull: true}
	for name, v := range map[string]*query.Variable{"old": r.Old, "new": r.New} {
		if v != nil {
			f.Scope.Vars[name] = v
			continue
		}
		null := &query.Variable{Name: name, Type: schema.Opaque(t.RowType), IsRecord: true, Fixed: true} // all its fields are NULL
		for _, c := range t.Columns {
			local := b.fieldLocal(name, c.Name, c.T)
			b.EmitWeak(&ir.Assign{At: query.At(pos), Var: local, Expr: ir.C(ir.Null)})
			null.Fields = append(null.Fields, query.Field{Name: c.Name, Local: local, Type: c.T, Domain: c.Domain, Within: c.Within})
		}
		f.Scope.Vars[name] = null
	}
	f.Result = &query.Result{Label: b.NewLabel(f.Scope.Label)}
	body := &ir.Block{At: query.At(pos), Label: f.Result.Label}
	leave := b.Enter(fn)
	body.Body = b.Collect(func() { b.stmt(f, fn.Body.Block) })
	leave()
	body.Body = dropLast(body.Body, func(s ir.Stmt) bool {
		k, ok := s.(*ir.Break)
		return ok && k.Label == body.Label
	})
	if !endsInJump(body.Body) && !leaves(body.Body, body.Label) && !fn.Returns() {
		b.Unmodelled("trigger %s, which ends without RETURN", g.Name)
	}
	if leaves(body.Body, body.Label) {
		b.Emit(body)
	} else {
		for _, s := range body.Body {
			b.Emit(s)
		}
	}
	b.Calls = b.Calls[:len(b.Calls)-1]
}

// triggerReturn is RETURN in the function of a trigger.
func (b *builder) triggerReturn(f *query.Frame, s *plpgsql.Return, pos ir.Pos) {
	r := f.Trigger
	what := strings.ToLower(strings.TrimSpace(s.Expr.Text(f.Text.SQL)))
	switch {
	case !r.Before: // the result is dropped
	case what == "new" && r.New != nil, what == "old" && r.New == nil && r.Old != nil:
	case r.Skip != "" && (what == "null" || what == "new" || what == "old" && r.Old == nil):
		b.Emit(&ir.Assign{At: query.At(pos), Var: r.Skip, Expr: ir.C(ir.Bool(true))})
	case what == "old" && r.Old != nil:
		for i, fd := range r.New.Fields {
			b.assign(pos, fd.Local, ir.V(r.Old.Fields[i].Local))
		}
	default:
		panic(noTrigger{"a trigger that returns " + what})
	}
	b.Emit(&ir.Break{At: query.At(pos), Label: f.Result.Label})
}

// changedByTriggers gives the columns that BEFORE triggers may change.
func (b *Writer) changedByTriggers(t *schema.Table, list []*schema.Trigger) map[string]bool {
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
func (b *Writer) before(t *schema.Table, list []*schema.Trigger, r *query.RowTrigger, pos ir.Pos, several bool, write, other func()) {
	r.Before = true
	for _, g := range list {
		for _, fn := range g.Functions() {
			if r.Skip == "" && fn.Body != nil && fn.ReturnsNull(r.Op) {
				r.Skip = b.Local("is_skipped", schema.TBool)
				b.Emit(&ir.Assign{At: query.At(pos), Var: r.Skip, Expr: ir.C(ir.Bool(false))})
			}
		}
	}
	wrote := b.App.Tracer() // by the triggers before, and the statement
	for _, g := range t.Triggers {
		if g.Before && !g.Row {
			wrote.Add(g.Refs())
		}
	}
	for i, g := range list {
		if several || wrote.Writes {
			if s := b.App.SightOf(g.Refs()); g.Stable() && (s.Before.Meets(wrote.Tables) || several && s.Before.Meets(b.App.ChangedBy(t, schema.ChangesRows).Tables)) {
				b.Unmodelled("trigger %s (BEFORE), whose function is not VOLATILE, %s", g.Name, hidden)
			}
		}
		wrote.Add(g.Refs())
		if own := b.App.Tracer(); r.Op != "INSERT" {
			if own.Add(g.Refs()); own.Wrote[t] == schema.ChangesRows {
				b.MayDepend(pos, "the error if trigger "+g.Name+" changes the row that is written", t.IR)
			}
		}
		fire := func() {
			if why, ok := b.fire(t, g, r, pos); !ok {
				b.Unmodelled("trigger %s (BEFORE): %s", g.Name, why)
			}
		}
		if i == 0 || r.Skip == "" {
			fire()
			continue
		}
		b.Emit(&ir.If{At: query.At(pos), Cond: ir.NotE(ir.V(r.Skip)), Then: b.Collect(fire)})
	}
	if r.Skip == "" {
		write()
		return
	}
	b.Emit(&ir.If{At: query.At(pos), Cond: ir.NotE(ir.V(r.Skip)), Then: b.Collect(write), Else: b.Collect(other)})
}

// after runs the AFTER triggers of a row. several says that the statement may
// write further rows, before all of which it would run in fact.
func (b *Writer) after(t *schema.Table, list []*schema.Trigger, r *query.RowTrigger, pos ir.Pos, several bool) {
	r.Before = false
	for _, g := range list {
		touched := t.FiredBy(g)
		if len(b.Catches) > 0 && g.Name < "RI_" && len(t.Foreign)+len(b.App.KeysTo(t)) > 0 {
			b.GiveUp(pos, touched, "trigger "+g.Name+", which runs before foreign keys are checked, in a block with EXCEPTION")
			continue
		}
		if b.runsBefore(t, g, several) {
			continue // it has run
		}
		if several {
			e := b.App.EffectOf(g.Refs())
			switch {
			case e.All || e.Tables[t.Name]:
				b.GiveUp(pos, touched, "trigger "+g.Name+", which looks at the table, after a statement that writes several rows")
				continue
			case b.App.MeetsEarlier(t, g, e):
				b.GiveUp(pos, touched, "trigger "+g.Name+", which looks at what a trigger of a later row writes")
				continue
			}
		}
		if why, ok := b.fire(t, g, r, pos); !ok {
			b.GiveUp(pos, touched, "trigger "+g.Name+": "+why)
		}
	}
}

// atStatement runs the triggers FOR EACH STATEMENT.
func (b *Writer) atStatement(t *schema.Table, events int32, op string, before bool, set []assignment, pos ir.Pos) {
	run := func(g *schema.Trigger, before bool) {
		r := &query.RowTrigger{Op: op}
		if why, ok := b.fire(t, g, r, pos); !ok {
			if before {
				b.Unmodelled("trigger %s (BEFORE): %s", g.Name, why)
			}
			b.GiveUp(pos, t.FiredBy(g), "trigger "+g.Name+": "+why)
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
func (b *Writer) runsBefore(t *schema.Table, g *schema.Trigger, several bool) bool {
	return !several && g.Stable() && b.App.SightOf(g.Refs()).Before.Meets(b.App.ChangedBy(t, schema.ChangesRows).Tables)
}

// stableAfter runs the AFTER triggers of a row that see the tables as they were before the statement; no other trigger may have
// written what they look at.
func (b *Writer) stableAfter(t *schema.Table, events int32, set []assignment, r *query.RowTrigger, pos ir.Pos, several bool) {
	wrote := b.App.Tracer()
	for _, g := range t.Triggers {
		if g.Before && g.Events&events != 0 {
			wrote.Add(g.Refs())
		}
	}
	for _, g := range t.Firing(events, false, true, columnsOf(set)) {
		if !b.runsBefore(t, g, several) {
			continue
		}
		if wrote.Writes && b.App.SightOf(g.Refs()).Before.Meets(wrote.Tables) {
			b.GiveUp(pos, t.FiredBy(g), "trigger "+g.Name+", whose function is not VOLATILE, after triggers that write what it looks at")
			continue
		}
		if why, ok := b.fire(t, g, r, pos); !ok {
			b.GiveUp(pos, t.FiredBy(g), "trigger "+g.Name+": "+why)
		}
	}
}
