package write

import (
	"github.com/txrobust/robust/internal/failure"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"slices"
	"strings"
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

// NoTrigger stops the translation of a statement whose trigger cannot be
// inlined.
type NoTrigger struct{ Reason string }

// record declares a row variable for a row of t, with the given values.
func (b *Writer) record(name string, t *schema.Table, row *expr.RowSource, pos ir.Pos) *expr.Variable {
	v := &expr.Variable{Name: name, Type: schema.Opaque(t.RowType), IsRecord: true, Fixed: true}
	for _, c := range t.Columns {
		local := b.FieldLocal(name, c.Name, c.T)
		set := &ir.Assign{At: expr.At(pos), Var: local, Expr: row.Col(c.Name).Expr}
		b.Weak[set] = !failure.MayFail(set.Expr)
		b.Emit(set)
		v.Fields = append(v.Fields, expr.Field{Name: c.Name, Local: local, Type: c.T, Domain: c.Domain, Within: c.Within})
	}
	return v
}

// fire inlines the function of a trigger. Where that cannot be done, nothing of
// it stays, and the reason is given.
func (b *Writer) fire(t *schema.Table, g *schema.Trigger, r *expr.RowTrigger, pos ir.Pos) (why string, ok bool) {
	defer func() {
		if x := recover(); x != nil {
			n, is := x.(NoTrigger)
			if !is {
				panic(x)
			}
			why, ok = n.Reason, false
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
		if len(b.Calls) > MaxInline {
			b.Unmodelled("calls that are nested more than %d deep", MaxInline)
		}
		body := func() {
			defer b.keepsInsertID(pos)()
			b.Bodies.TriggerBody(t, g, r, fn, pos)
		}
		if g.When == nil {
			body()
			return
		}
		cond := b.triggerCondition(t, g, r)
		b.Emit(&ir.If{At: expr.At(pos), Cond: cond, Then: b.Collect(body)})
	})
}

// triggerCondition is WHEN.
func (b *Writer) triggerCondition(t *schema.Table, g *schema.Trigger, r *expr.RowTrigger) ir.Expr {
	lv := &expr.Level{}
	for _, v := range []*expr.Variable{r.Old, r.New} {
		if v != nil {
			src := v.Source(t)
			src.Hidden = map[string]bool{}
			for _, c := range src.Cols {
				src.Hidden[c.Name] = true
			}
			lv.Sources = append(lv.Sources, src)
		}
	}
	y := query.NewPlace(expr.Spot{App: b.App, Draft: b.Draft, Text: g.When.Text, Levels: []*expr.Level{lv}})
	return y.Boolean(g.When.Node, expr.Truth)
}

// changedByTriggers gives the columns that BEFORE triggers may change.
func (b *Writer) changedByTriggers(t *schema.Table, list []*schema.Trigger) map[string]bool {
	out := map[string]bool{}
	for _, g := range list {
		for _, fn := range g.Functions() {
			if fn.Body == nil {
				continue
			}
			twin := Copy(fn)
			plpgsql.Walk([]plpgsql.Stmt{fn.Body.Block}, func(s plpgsql.Stmt) {
				for _, n := range schema.Assigned(s) {
					if n.Parts[0] != "new" && (n.Parts[0] != twin || len(n.Parts) == 1) {
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

// Copy gives the variable that the function of a trigger fills with NEW before all else, and of which it
// sets nothing but fields then, or NEW again; "" if there is none. RETURN of it is a row, never NULL.
func Copy(fn *schema.Function) string {
	b := fn.Body.Block
	isNew := func(x plpgsql.Span) bool { return strings.EqualFold(strings.TrimSpace(x.Text(fn.BodyText.SQL)), "new") }
	name := ""
	if len(b.Body) > 0 {
		if a, is := b.Body[0].(*plpgsql.Assign); is && len(a.Target.Parts) == 1 && isNew(a.Expr) {
			name = a.Target.Parts[0]
		}
	}
	for _, d := range b.Decls {
		if !d.Default.Empty() && isNew(d.Default) {
			name = d.Name
		}
	}
	plpgsql.Walk([]plpgsql.Stmt{b}, func(s plpgsql.Stmt) {
		whole := slices.ContainsFunc(schema.Assigned(s), func(n plpgsql.Name) bool { return len(n.Parts) == 1 && n.Parts[0] == name })
		if a, is := s.(*plpgsql.Assign); whole && !(is && len(a.Subscripts) == 0 && isNew(a.Expr)) {
			name = ""
		}
		switch s := s.(type) {
		case *plpgsql.Block: // of the same name, another variable
			if s != b && slices.ContainsFunc(s.Decls, func(d plpgsql.Decl) bool { return d.Name == name }) {
				name = ""
			}
		case *plpgsql.ForRange:
			if s.Var == name {
				name = ""
			}
		}
	})
	return name
}

// before runs the BEFORE triggers of a row, and then write, unless one of them
// prevents it; other runs otherwise. several says that the statement may write further rows.
func (b *Writer) before(t *schema.Table, list []*schema.Trigger, r *expr.RowTrigger, pos ir.Pos, several bool, write, other func()) {
	r.Before = true
	for _, g := range list {
		for _, fn := range g.Functions() {
			if r.Skip == "" && fn.Body != nil && fn.ReturnsNull(r.Op) {
				r.Skip = b.Local("is_skipped", schema.TBool)
				b.Emit(&ir.Assign{At: expr.At(pos), Var: r.Skip, Expr: ir.C(ir.Bool(false))})
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
		b.Emit(&ir.If{At: expr.At(pos), Cond: ir.NotE(ir.V(r.Skip)), Then: b.Collect(fire)})
	}
	if r.Skip == "" {
		write()
		return
	}
	b.Emit(&ir.If{At: expr.At(pos), Cond: ir.NotE(ir.V(r.Skip)), Then: b.Collect(write), Else: b.Collect(other)})
}

// after runs the AFTER triggers of a row. several says that the statement may
// write further rows, before all of which it would run in fact.
func (b *Writer) after(t *schema.Table, list []*schema.Trigger, r *expr.RowTrigger, pos ir.Pos, several bool) {
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
		r := &expr.RowTrigger{Op: op}
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
func (b *Writer) stableAfter(t *schema.Table, events int32, set []assignment, r *expr.RowTrigger, pos ir.Pos, several bool) {
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

// SightOf gives what trees of one statement look at.
func (b *Writer) sightOf(roots ...pg.Message) schema.Sight { return b.App.SightOf(b.RefsOf(roots...)) }

// hidden is why a part of a statement is not modelled that looks at what the statement writes.
const hidden = "which looks at rows that its statement writes"

// looksAhead ends the translation of a statement that writes t where parts of it, other than RETURNING, would see other rows than the
// statements of the IR do that stand for it. several says that it may write several rows.
func (b *Writer) looksAhead(t *schema.Table, do schema.Access, events int32, several bool, parts ...pg.Message) {
	s, w := b.sightOf(parts...), b.App.ChangedBy(t, do)
	switch {
	case s.Now.All && w.All:
		return // nothing is known of either
	case s.Undeclared != "":
		b.Unmodelled(expr.UndeclaredFunction, s.Undeclared)
	}
	if several && s.Now.Meets(w.Tables) {
		b.Unmodelled("a VOLATILE function %s", hidden)
	}
	first := b.App.Tracer() // triggers that run before the statement looks at anything
	for _, g := range t.Triggers {
		if g.Before && !g.Row && g.Events&events != 0 {
			first.Add(g.Refs())
		}
	}
	if first.Writes && (s.Before.Meets(first.Tables) || s.Now.Meets(first.Tables) || first.All || first.Tables[t.Name] && events != schema.OnInsert) {
		b.Unmodelled("a trigger BEFORE … FOR EACH STATEMENT that writes what the statement looks at")
	}
}

// partsOf lists parts of a statement that there are: trees and lists of them.
func partsOf(with *pg.WithClause, where *pg.Node, lists ...[]*pg.Node) []pg.Message {
	var out []pg.Message
	if with != nil {
		out = append(out, with)
	}
	if where != nil {
		out = append(out, where)
	}
	for _, list := range lists {
		for _, n := range list {
			out = append(out, n)
		}
	}
	return out
}

// returnsAhead ends the translation of an UPDATE or DELETE of t whose RETURNING calls functions that see its rows written: it is
// computed before.
func (b *Writer) returnsAhead(t *schema.Table, do schema.Access, ret *pg.ReturningClause) {
	if ret == nil {
		return
	}
	w := b.App.ChangedBy(t, do)
	s := b.sightOf(ret)
	if s.Now.Meets(w.Tables) {
		b.Unmodelled("a VOLATILE function in RETURNING, %s", hidden)
	}
	if s.Before.Meets(w.Tables) && b.fires(t, schema.OnUpdate|schema.OnDelete, nil) {
		b.Unmodelled("a subquery in RETURNING, %s, of a table with row triggers", hidden)
	}
}

// MaxInline bounds the nesting of inlined calls.
const MaxInline = 40
