package sqlmodel

import (
	"strings"

	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/write"
	"github.com/txrobust/robust/ir"
)

func (b *Routine) TriggerBody(t *schema.Table, g *schema.Trigger, r *query.RowTrigger, fn *schema.Function, pos ir.Pos) {
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
			local := b.FieldLocal(name, c.Name, c.T)
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
func (b *Routine) triggerReturn(f *query.Frame, s *plpgsql.Return, pos ir.Pos) {
	r := f.Trigger
	what := strings.ToLower(strings.TrimSpace(s.Expr.Text(f.Text.SQL)))
	switch {
	case !r.Before: // the result is dropped
	case what == "new" && r.New != nil, what == "old" && r.New == nil && r.Old != nil:
	case r.Skip != "" && (what == "null" || what == "new" || what == "old" && r.Old == nil):
		b.Emit(&ir.Assign{At: query.At(pos), Var: r.Skip, Expr: ir.C(ir.Bool(true))})
	case what == "old" && r.Old != nil:
		for i, fd := range r.New.Fields {
			b.Assign(pos, fd.Local, ir.V(r.Old.Fields[i].Local))
		}
	default:
		panic(write.NoTrigger{Reason: "a trigger that returns " + what})
	}
	b.Emit(&ir.Break{At: query.At(pos), Label: f.Result.Label})
}
