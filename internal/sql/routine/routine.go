package routine

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/proc"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/trace"
	"github.com/txrobust/robust/internal/sql/write"
)

// NewFrame makes the frame of a function, without its parameters.
func (b *Builder) NewFrame(fn *schema.Function) *expr.Frame {
	label := syntax.LastPart(fn.Name)
	f := &expr.Frame{Func: fn, Text: fn.BodyText, Scope: &expr.Scope{Label: label, Vars: map[string]*expr.Variable{}}, SQLLang: fn.Body == nil}
	if fn.Unchecked {
		b.anything(fn.Pos)
	}
	if f.Text == nil {
		f.Text = fn.Text // the standard form stands in the statement itself
	}
	if fn.Body == nil {
		return f
	}
	f.Conflict = fn.Body.Conflict
	usesFound := false
	toks, _ := pg.Scan(fn.BodyText.SQL)
	for _, t := range toks {
		usesFound = usesFound || t.Kind == pg.Word && t.Text == "found"
	}
	if usesFound {
		f.Found = b.Local("was_found", schema.TBool)
		f.Scope.Vars["found"] = &expr.Variable{Name: "found", Local: f.Found, Type: schema.TBool, NotNull: true}
		b.EmitWeak(&ir.Assign{At: expr.At(fn.Pos), Var: f.Found, Expr: ir.C(ir.Bool(false))})
	}
	plpgsql.Walk([]plpgsql.Stmt{fn.Body.Block}, func(s plpgsql.Stmt) {
		if g, ok := s.(*plpgsql.GetDiagnostics); ok && f.Rowcount == "" {
			for _, it := range g.Items {
				if it.Item == "row_count" && f.Rowcount == "" {
					f.Rowcount = b.Local("row_count", schema.TInt)
					b.EmitWeak(&ir.Assign{At: expr.At(fn.Pos), Var: f.Rowcount, Expr: ir.C(ir.Int(0))})
				}
			}
		}
	})
	return f
}

// anything is a transaction without checks: the rows that it leaves may break what others rely on.
func (b *Builder) anything(pos ir.Pos) {
	b.Anything(pos, &schema.Effect{All: true, Writes: true}, syntax.ChecksDropped)
}

// BindInput makes a parameter known by its name and its number.
func (b *Builder) BindInput(f *expr.Frame, p schema.Param, v *expr.Variable) {
	f.Inputs = append(f.Inputs, v)
	if p.Name != "" {
		f.Scope.Vars[p.Name] = v
		if p.Out {
			f.Outs = append(f.Outs, v)
		}
		return
	}
	if p.Out {
		f.Outs = append(f.Outs, v)
	}
}

// Outputs declares the OUT and TABLE parameters, and orders them.
func (b *Builder) Outputs(f *expr.Frame) {
	inout := f.Outs
	f.Outs = nil
	for i, p := range f.Func.Params {
		switch {
		case !p.Out:
		case p.In:
			f.Outs = append(f.Outs, inout[0])
			inout = inout[1:]
		case f.SQLLang:
			// The names of the columns, which the body cannot use.
			f.Outs = append(f.Outs, &expr.Variable{Name: p.Name, Type: b.App.SignatureType(p.T, f.Func.Text)})
		default:
			name := syntax.NameOr(p.Name, "column"+strconv.Itoa(i+1))
			v := b.declare(f, name, b.App.SignatureType(p.T, f.Func.Text))
			b.startNull(v, f.Func.Pos)
			if !v.IsRecord {
				b.Demand(b.App.DomainOf(p.T, f.Func.Text), v.Type, v.Local, p.Pos)
			}
			f.Outs = append(f.Outs, v)
		}
	}
}

// declare makes a variable with its locals, in the scope of f.
func (b *Builder) declare(f *expr.Frame, name string, t schema.Type) *expr.Variable {
	v := &expr.Variable{Name: name, Type: t}
	fields := b.App.FieldsOf(t.Name)
	switch {
	case t.Name == schema.NRecord:
		v.IsRecord = true
	case len(fields) > 0:
		v.IsRecord, v.Fixed = true, true
		for _, fd := range fields {
			v.Fields = append(v.Fields, expr.Field{Name: fd.Name, Local: b.FieldLocal(name, fd.Name, fd.T), Type: fd.T, Domain: fd.Domain, Within: fd.Within})
		}
	default:
		v.Local = b.Local(name, t)
	}
	f.Scope.Vars[name] = v
	return v
}

// RunBody translates the body of the function of f into b.out.
func (b *Builder) RunBody(f *expr.Frame) {
	if f.Func.Body != nil {
		b.plBody(f)
		return
	}
	b.sqlBody(f)
}

// Inline writes the body of fn with the arguments args, and gives its result.
func (b *Builder) Inline(pos ir.Pos, fn *schema.Function, args []expr.Val) expr.Val {
	if b.Active(fn) {
		b.Unmodelled("the recursion of %s", fn.Name)
	}
	if len(b.Calls) > write.MaxInline {
		b.Unmodelled("calls that are nested more than %d deep", write.MaxInline)
	}
	b.Applied(trace.Inline, pos)
	b.Calls = append(b.Calls, fn)
	defer b.runs()()
	f := b.NewFrame(fn)
	x := query.NewPlace(expr.Spot{App: b.App, Draft: b.Draft, Frame: f, Text: fn.Text})
	var null ir.Expr
	for i, p := range fn.Inputs() {
		b.argument(f, x, p, args[i], pos)
		if fn.Strict && !args[i].NotNull && !args[i].Record {
			null = ir.OrE(null, &ir.Unary{Op: ir.IsNull, X: f.Inputs[i].Expr()})
		}
	}
	b.Outputs(f)
	f.Result = &expr.Result{Label: b.NewLabel(f.Scope.Label)}
	b.results(f)
	if b.TypesOnly {
		b.Calls = b.Calls[:len(b.Calls)-1]
		return f.Result.Value(f)
	}
	list := proc.Labelled(pos, f.Result.Label, b.bodyOf(f, func() { b.RunBody(f) }))
	if null != nil {
		b.Emit(&ir.If{At: expr.At(pos), Cond: null, Then: b.Collect(func() { b.noResult(f, pos) }), Else: list})
	} else {
		b.emitAll(list)
	}
	b.Calls = b.Calls[:len(b.Calls)-1]
	return f.Result.Value(f)
}

// bodyOf gives the body of the function of f, which translate writes.
func (b *Builder) bodyOf(f *expr.Frame, translate func()) []ir.Stmt {
	defer b.Enter(f.Func)()
	return b.Collect(translate)
}

func (b *Builder) emitAll(list []ir.Stmt) {
	for _, s := range list {
		b.Emit(s)
	}
}

// argument binds an argument: to a local of its own if the body assigns the
// parameter or the argument is no simple value.
func (b *Builder) argument(f *expr.Frame, x *query.Place, p schema.Param, a expr.Val, pos ir.Pos) {
	t := b.App.SignatureType(p.T, f.Func.Text)
	u := b.App.DomainOf(p.T, f.Func.Text)
	base := syntax.NameOr(p.Name, "arg")
	v := &expr.Variable{Name: p.Name, Type: t, NotNull: a.NotNull}
	fields := b.App.FieldsOf(t.Name)
	switch {
	case a.Record && len(fields) == len(a.Fields):
		v.IsRecord, v.Fixed = true, true
		for i, fd := range fields {
			local := b.FieldLocal(base, fd.Name, fd.T)
			b.Assign(pos, local, x.Assigned(a.Fields[i].Val(), fd.T, 0).Expr)
			v.Fields = append(v.Fields, expr.Field{Name: fd.Name, Local: local, Type: fd.T, Domain: fd.Domain, Within: fd.Within})
		}
	case a.Record:
		b.Unmodelled("a row as an argument of %s", f.Func.Name)
	case len(fields) > 0:
		v.IsRecord, v.Fixed = true, true
		for _, fd := range fields {
			local := b.FieldLocal(base, fd.Name, fd.T)
			e := expr.Accessor(a, fd)
			if a.IsNull() {
				e = ir.C(ir.Null)
			}
			b.Assign(pos, local, e)
			v.Fields = append(v.Fields, expr.Field{Name: fd.Name, Local: local, Type: fd.T, Domain: fd.Domain, Within: fd.Within})
		}
	default:
		e := x.Convert(a, t, 0, "parameter "+base+" of "+f.Func.Name)
		e = x.Becomes(u, expr.Val{Expr: e, Type: t}).Expr
		_, isConst := e.(*ir.Const)
		_, isVar := e.(*ir.Var)
		if (isConst || isVar) && !p.Out && !f.Func.Assigns(p.Name) {
			v.Bound = e
			break
		}
		v.Local = b.Local(base, t)
		b.Assign(pos, v.Local, e)
		v.NotNull = false
		b.Demand(u, t, v.Local, pos)
	}
	b.BindInput(f, p, v)
}

// results declares the locals that take what an inlined function returns.
func (b *Builder) results(f *expr.Frame) {
	r := f.Result
	switch {
	case len(f.Func.Outputs()) > 0:
		for _, o := range f.Outs {
			if !f.SQLLang {
				break
			}
			o.Local = b.Local(syntax.NameOr(o.Name, "column"), o.Type)
		}
	case f.Func.Void():
	default:
		t := b.App.SignatureType(f.Func.Ret, f.Func.Text)
		if fields := b.App.FieldsOf(t.Name); len(fields) > 0 {
			for _, fd := range fields {
				r.Values = append(r.Values, expr.Column{Name: fd.Name, Expr: ir.V(b.FieldLocal(f.Scope.Label, fd.Name, fd.T)), Type: fd.T})
			}
			return
		}
		if t.Name == schema.NRecord {
			b.Unmodelled("a function that returns a record")
		}
		local := b.Local(f.Scope.Label, t)
		r.Values = []expr.Column{{Name: f.Scope.Label, Expr: ir.V(local), Type: t}}
		b.Demand(b.App.DomainOf(f.Func.Ret, f.Func.Text), t, local, f.Func.Pos)
	}
}

// noResult sets the result of a STRICT function to NULL.
func (b *Builder) noResult(f *expr.Frame, pos ir.Pos) {
	for _, o := range f.Outs {
		b.SetNull(pos, o.Dests())
	}
	b.SetNull(pos, resultDests(f))
}

// Builder translates what functions, procedures and triggers run.
type Builder struct{ *proc.Core }

// Numbered translates a command of the template itself by f: one that the server
// runs with a snapshot of its own at READ COMMITTED. What is inlined is part of the
// Command that calls it. There, a query of a VOLATILE function has a snapshot of its own as
// well, and a function that is STABLE sees that of its caller: one that is the template itself is one
// command of the client.
func (b *Builder) Numbered(command func()) {
	f := func() { b.keepingFailures(command) }
	number, outer := b.Number, b.Snapshots
	if b.Calls[len(b.Calls)-1].Stable {
		if len(b.Calls) == 1 {
			b.Numbers = 1
			b.Number = b.Numbers
		}
		f()
		b.Number = number
		return
	}
	switch {
	case len(b.Calls) == 1:
		b.Numbers++
		b.Number, b.Snapshot = b.Numbers, 0
	case outer.Snapshot != schema.Mixed:
		b.Taken++
		b.Snapshot = b.Taken
		if b.Txn.Within == nil {
			b.Txn.Within = map[int][2]int{}
		}
		b.Txn.Within[b.Snapshot] = [2]int{b.Entry, outer.Snapshot}
	}
	b.Looked = false
	f()
	b.Number, b.Snapshot, b.Looked = number, outer.Snapshot, outer.Looked
}

// runs begins a run of a function, and gives what ends it.
func (b *Builder) runs() (end func()) {
	outer := b.Entry
	b.Entered++
	b.Entry = b.Entered
	return func() { b.Entry = outer }
}

// looks notes that a statement of PL/pgSQL runs a query or an expression that names what refs
// says. Each has a snapshot of its own in a VOLATILE function, and a statement may have several.
func (b *Builder) looks(refs *schema.Refs) {
	if b.Calls[len(b.Calls)-1].Stable || !b.App.EffectOf(refs).Looks() {
		return
	}
	if b.Looked {
		b.Snapshot = schema.Mixed
	}
	b.Looked = true
}

// Guard translates a statement by f. Where f meets something that cannot be
// modelled, all that it wrote is replaced by an ir.Unmodelled that touches
// what roots name, and by other.
func (b *Builder) Guard(pos ir.Pos, r *schema.Refs, f func(), other func()) {
	b.Cur = pos
	if why, ok := b.Attempt(f); !ok {
		b.GiveUp(pos, r, why)
		other()
	}
}

// TriggerBody implements write.Bodies.
func (b *Builder) TriggerBody(t *schema.Table, g *schema.Trigger, r *expr.RowTrigger, fn *schema.Function, pos ir.Pos) {
	b.Applied(trace.FireTrigger, pos)
	b.Calls = append(b.Calls, fn)
	defer b.runs()()
	f := b.NewFrame(fn)
	f.Trigger = r
	constant := func(name, value string) {
		f.Scope.Vars[name] = &expr.Variable{Name: name, Bound: ir.C(ir.Text(value)), Type: schema.TText, NotNull: true}
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
	f.Scope.Vars[expr.TriggerArgs] = &expr.Variable{Name: expr.TriggerArgs, Bound: ir.C(ir.Array(args)), Type: schema.ArrayOf(schema.TText), NotNull: true}
	f.Scope.Vars["tg_nargs"] = &expr.Variable{Name: "tg_nargs", Bound: ir.C(ir.Int(int64(len(args)))), Type: schema.TInt, NotNull: true}
	for name, v := range map[string]*expr.Variable{"old": r.Old, "new": r.New} {
		if v != nil {
			f.Scope.Vars[name] = v
			continue
		}
		null := &expr.Variable{Name: name, Type: schema.Opaque(t.RowType), IsRecord: true, Fixed: true} // all its fields are NULL
		for _, c := range t.Columns {
			local := b.FieldLocal(name, c.Name, c.T)
			b.EmitWeak(&ir.Assign{At: expr.At(pos), Var: local, Expr: ir.C(ir.Null)})
			null.Fields = append(null.Fields, expr.Field{Name: c.Name, Local: local, Type: c.T, Domain: c.Domain, Within: c.Within})
		}
		f.Scope.Vars[name] = null
	}
	f.Result = &expr.Result{Label: b.NewLabel(f.Scope.Label)}
	body := proc.Labelled(pos, f.Result.Label, b.bodyOf(f, func() { b.stmt(f, fn.Body.Block) }))
	if !proc.EndsInJump(body) && !proc.Leaves(body, f.Result.Label) && !fn.Returns() {
		b.Unmodelled("trigger %s, which ends without RETURN", g.Name)
	}
	b.emitAll(body)
	b.Calls = b.Calls[:len(b.Calls)-1]
}

// triggerReturn is RETURN in the function of a trigger.
func (b *Builder) triggerReturn(f *expr.Frame, s *plpgsql.Return, pos ir.Pos) {
	r := f.Trigger
	what := strings.ToLower(strings.Join(strings.Fields(s.Expr.Text(f.Text.SQL)), ""))
	if what == "coalesce(new,old)" {
		what = "new"
		if r.New == nil {
			what = "old"
		}
	}
	switch {
	case !r.Before: // the result is dropped
	case what == "new" && r.New != nil, what == "old" && r.New == nil && r.Old != nil:
	case r.Skip != "" && (what == "null" || what == "new" || what == "old" && r.Old == nil):
		b.Emit(&ir.Assign{At: expr.At(pos), Var: r.Skip, Expr: ir.C(ir.Bool(true))})
	case what == "old" && r.Old != nil:
		for i, fd := range r.New.Fields {
			b.Assign(pos, fd.Local, ir.V(r.Old.Fields[i].Local))
		}
	case r.New != nil && what != "" && what == write.Copy(f.Func):
		v, _ := f.Scope.Find([]string{what})
		b.copyBack(v, r, pos)
	default:
		panic(write.NoTrigger{Reason: "a trigger that returns " + what})
	}
	b.Emit(&ir.Break{At: expr.At(pos), Label: f.Result.Label})
}

// copyBack makes NEW what a copy of it has become.
func (b *Builder) copyBack(v *expr.Variable, r *expr.RowTrigger, pos ir.Pos) {
	if v == nil || !v.IsRecord || v.Lost || v.Fixed && v.Type.Name != r.New.Type.Name || len(v.Fields) != len(r.New.Fields) {
		panic(write.NoTrigger{Reason: "a trigger that returns a record whose fields are not known here"})
	}
	for i, fd := range r.New.Fields {
		if !v.Fixed && (fd.Domain != nil || len(fd.Within) > 0) {
			panic(write.NoTrigger{Reason: fmt.Sprintf("a trigger that returns %s, whose field %s has a domain", v.Name, fd.Name)})
		}
		b.Assign(pos, fd.Local, ir.V(v.Fields[i].Local))
	}
}

// Tracked translates a statement by f, and follows the search path: sets are those that it may set. A loop may come to
// it again; behind what has branches, the path may be any of them.
func (b *Builder) Tracked(sets syntax.PathSet, loops, branches bool, f func() (ok bool)) {
	l, before := b.App, b.App.Late
	if sets.Empty() {
		f()
		return
	}
	either := *before.With(before.Run.Or(sets))
	if loops {
		l.Late = either
	}
	if !f() || branches {
		l.Late = either
	}
}

// follow takes over what a statement that has no branches does to the search path.
func (b *Builder) follow(tree any) {
	l := b.App
	if !l.SetsPath {
		return
	}
	switch s := tree.(type) {
	case *pg.VariableSetStmt:
		if c, ok := syntax.PathSetting(s, l.Standard, l.Late.Run); ok {
			l.Late = *l.Late.With(c.To)
		}
	case pg.Message:
		if call := syntax.SoleCall(s); call != nil && syntax.PlainName(syntax.Qualified(syntax.Names(call.Funcname))) == "set_config" {
			if c, ok := syntax.ConfigSetting(call); ok {
				l.Late = *l.Late.With(c.To)
			}
			return
		}
		if p := l.SetBy(l.RefsIn(s), &l.Late); !p.Empty() {
			l.Late = *l.Late.With(l.Late.Run.Or(p))
		}
	}
}

// dynamic translates EXECUTE of a constant command: it sees no variables but
// those of USING, as $1, $2 and so on, and does not set FOUND.
func (b *Builder) dynamic(f *expr.Frame, queryName plpgsql.Span, using []plpgsql.Span) (g *expr.Frame, tree any, t *syntax.Text) {
	t, ok := schema.ConstantCommand(f.Text, queryName)
	if !ok {
		b.Unmodelled("EXECUTE of a command that is put together when it runs")
	}
	stmts, err := t.Parse()
	if err != nil { // only found when it runs
		b.Unmodelled("EXECUTE of a command that has a %s", err.(*ir.Error).Msg)
	}
	if len(stmts) != 1 {
		b.Unmodelled("EXECUTE of several commands")
	}
	g = &expr.Frame{Func: f.Func, Text: t, SQLLang: true, Scope: &expr.Scope{Vars: map[string]*expr.Variable{}}, Result: f.Result, Rowcount: f.Rowcount, Outs: f.Outs}
	x := b.Ex(f, f.Text)
	for _, span := range using {
		v := b.value(f, span)
		if v.Record {
			b.Unmodelled("a row in USING")
		}
		v = x.DefaultType(v)
		g.Inputs = append(g.Inputs, &expr.Variable{Bound: v.Expr, Type: v.Type, NotNull: v.NotNull})
	}
	b.looks(b.RefsOf(stmts[0].Stmt))
	return g, pg.Inner(stmts[0].Stmt), t
}

// executeStmt is EXECUTE as a statement.
func (b *Builder) executeStmt(f *expr.Frame, s *plpgsql.Execute, pos ir.Pos) {
	g, tree, t := b.dynamic(f, s.Query, s.Using)
	to, store := expr.Sink{}, func() {}
	if s.Into != nil {
		to, store = b.into(f, s.Into, pos)
		to.Whole = true
	}
	b.Command(g, t, tree, pos, to)
	store()
}

// refuses writes the error of a command that a function which is not VOLATILE may not run, and reports whether it is one.
func (b *Builder) refuses(f *expr.Frame, tree any, pos ir.Pos) bool {
	if f.Func == nil || !f.Func.Stable || f.Func.Script != nil || f.Func.Program != nil || readsOnly(tree) {
		return false
	}
	b.Fails(pos, "0A000")
	return true
}

// readsOnly reports whether a command neither writes nor locks rows.
func readsOnly(tree any) bool {
	s, ok := tree.(*pg.SelectStmt)
	if !ok {
		return false
	}
	reads := true
	pg.Walk(s, func(tree any) bool {
		switch tree := tree.(type) {
		case *pg.LockingClause, *pg.InsertStmt, *pg.UpdateStmt, *pg.DeleteStmt, *pg.MergeStmt:
			reads = false
		case *pg.SelectStmt:
			reads = reads && tree.IntoClause == nil
		}
		return reads
	})
	return reads
}
