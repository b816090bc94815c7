package sqlmodel

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/tidy"
	"github.com/txrobust/robust/internal/sql/write"
	"github.com/txrobust/robust/ir"
)

// template makes the transaction of an entry point.
func (l *loader) template(fn *schema.Function) *ir.Txn {
	defer l.ForTemplate(fn)()
	if fn.Script != nil || fn.Program != nil {
		return l.scriptTemplate(fn)
	}
	b := l.build(fn, false)
	if looksBack(b.Txn.Body) {
		b = l.build(fn, true)
	}
	tidy.Txn(b.Txn, b.Weak, b.Fields)
	b.stale()
	return b.Txn
}

// build translates a function as a template.
func (l *loader) build(fn *schema.Function, lookBack bool) *builder {
	b := l.newBuilder(fn)
	b.LookBack = lookBack
	f := b.newFrame(fn)
	for i, p := range fn.Inputs() {
		b.parameter(f, p, i)
	}
	checks := b.demandsOfInputs(f)
	b.Calls = []*schema.Function{fn}
	call := b.call(f)
	b.outputs(f)
	b.bounded(f)
	b.Txn.Body = append(b.Pre, b.Out...)
	if b.Locks {
		b.snapshotFirst()
	}
	b.Txn.Body = slices.Concat([]ir.Stmt{call}, checks, b.Txn.Body)
	return b
}

// demandsOfInputs says what the domains of the parameters want of them, and what computing their
// defaults looks at, for callers who leave them out. A check that is not
// modelled may refuse the call, and so may that of the result.
func (b *builder) demandsOfInputs(f *query.Frame) []ir.Stmt {
	var out []ir.Stmt
	for i, p := range f.Func.Inputs() {
		if r := b.App.DefaultRefs(f.Func, p); b.App.LooksAround(r) {
			out = append(out, b.Collect(func() { b.GiveUp(p.Pos, r, "the default of parameter "+p.Name+", which looks at tables") })...)
		}
		u, v := b.App.DomainOf(p.T, f.Func.Text), f.Inputs[i]
		if u == nil || v.IsRecord || v.Local == "" || p.Vari {
			continue
		}
		if u.NotNull() {
			out = append(out, &ir.Assume{At: query.At(p.Pos), Cond: query.IsNotNull(ir.V(v.Local))})
		}
		list, leftOut := b.App.Demands(u, v.Type, ir.V(v.Local))
		switch looks := slices.ContainsFunc(u.Checks(), func(c *schema.DomainCheck) bool { _, yes := b.App.Looks(c); return yes }); {
		case leftOut == "":
		case looks:
			out = append(out, b.Collect(func() { b.MayBreak(u, leftOut, p.Pos) })...)
		default: // it depends on the argument alone
			out = append(out, &ir.Dropped{At: query.At(p.Pos), Kind: ir.ByError, What: leftOut + ", of parameter " + p.Name})
		}
		for _, d := range list {
			out = append(out, &ir.Assume{At: query.At(p.Pos), Cond: d.Cond})
		}
		if p.Out || f.Func.Assigns(p.Name) {
			out = append(out, b.Collect(func() { b.demand(u, v.Type, v.Local, p.Pos) })...)
		}
	}
	if u := b.App.DomainOf(f.Func.Ret, f.Func.Text); u.Demanding() {
		out = append(out, b.Collect(func() { b.MayBreak(u, u.Refusal(), f.Func.Pos) })...)
	}
	return out
}

func (l *loader) newBuilder(fn *schema.Function) *builder {
	d := &query.Draft{
		App:       l.Application,
		Txn:       &ir.Txn{Pos: fn.Pos, Name: l.TemplateName(fn), SearchPath: l.SessionsOf(fn), CalledBy: fn.CalledBy},
		Weak:      map[ir.Stmt]bool{},
		Shown:     map[ir.Stmt]bool{},
		Fields:    map[string]bool{},
		Session:   map[string]string{},
		Sequences: map[string]string{},
		Demands:   map[string][]query.Demand{},
		Next:      map[string]int{},
	}
	b := &builder{&Routine{&write.Writer{Draft: d}}}
	b.Runs, b.Bodies = b.Routine, b.Routine
	return b
}

// bounded translates the body of a template. If it becomes too large, all of it
// is one statement that is not modelled.
func (b *builder) bounded(f *query.Frame) {
	late := b.App.Late
	defer func() {
		b.App.Late = late
		r := recover()
		if r == nil {
			return
		}
		if _, is := r.(query.TooLarge); !is {
			panic(r)
		}
		b.Size, b.Pre, b.Out, b.Locks = 0, nil, nil, false
		b.GiveUp(f.Func.Pos, f.Func.Refs, fmt.Sprintf("a transaction of more than %d statements", query.MaxSize))
	}()
	if why, ok := b.Attempt(func() { b.CheckVolatility(f.Func) }); !ok {
		b.GiveUp(f.Func.Pos, f.Func.Refs, why)
		return
	}
	switch {
	case f.Func.Script != nil:
		b.scriptBody(f)
	case f.Func.Program != nil:
		b.programBody(f)
	default:
		b.RunBody(f)
	}
}

// snapshotFirst puts a read before everything else: the query that calls a
// function takes the snapshot, so that a LOCK TABLE in its body comes too late
// to be taken before it.
func (b *builder) snapshotFirst() {
	var table *ir.Table
	ir.Walk(b.Txn.Body, func(s ir.Stmt) {
		if k, ok := s.(*ir.LockTable); ok && table == nil {
			table = k.Table
		}
	})
	if table == nil { // it is in a statement that is not modelled
		return
	}
	s := &ir.Select{At: query.At(b.Txn.Pos), Query: ir.Query{From: []ir.Source{{Table: table, Row: table.Name}}}}
	s.Into, s.Cols = []string{b.Local("snapshot", schema.TBool)}, []ir.Expr{ir.C(ir.Bool(true))}
	b.Txn.Body = append([]ir.Stmt{s}, b.Txn.Body...)
}

// newFrame makes the frame of a function, without its parameters.
func (b *Routine) newFrame(fn *schema.Function) *query.Frame {
	label := syntax.LastPart(fn.Name)
	f := &query.Frame{Func: fn, Text: fn.BodyText, Scope: &query.Scope{Label: label, Vars: map[string]*query.Variable{}}, SqlLang: fn.Body == nil}
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
		f.Scope.Vars["found"] = &query.Variable{Name: "found", Local: f.Found, Type: schema.TBool, NotNull: true}
		b.EmitWeak(&ir.Assign{At: query.At(fn.Pos), Var: f.Found, Expr: ir.C(ir.Bool(false))})
	}
	plpgsql.Walk([]plpgsql.Stmt{fn.Body.Block}, func(s plpgsql.Stmt) {
		if g, ok := s.(*plpgsql.GetDiagnostics); ok && f.Rowcount == "" {
			for _, it := range g.Items {
				if it.Item == "row_count" && f.Rowcount == "" {
					f.Rowcount = b.Local("row_count", schema.TInt)
					b.EmitWeak(&ir.Assign{At: query.At(fn.Pos), Var: f.Rowcount, Expr: ir.C(ir.Int(0))})
				}
			}
		}
	})
	return f
}

// parameter declares the i-th input of a template.
func (b *builder) parameter(f *query.Frame, p schema.Param, i int) {
	t := b.App.SignatureType(p.T, f.Func.Text)
	if p.Vari && t.Name != schema.NArray {
		t = schema.ArrayOf(t)
	}
	base := syntax.NameOr(p.Name, "p"+strconv.Itoa(i+1))
	v := &query.Variable{Name: p.Name, Type: t, NotNull: f.Func.Strict}
	add := func(name string, t schema.Type) string {
		for taken := true; taken; {
			_, taken = b.Txn.LocalType(name)
			if taken = taken || b.App.Prog.Table(name) != nil; taken {
				name += "_"
			}
		}
		q := ir.Param{Name: name, Type: query.LocalType(t), NotNull: f.Func.Strict, Domain: t.Domain()}
		for _, fresh := range f.Func.Fresh {
			q.Fresh = q.Fresh || fresh == p.Name
		}
		b.Txn.Params = append(b.Txn.Params, q)
		return name
	}
	if fields := b.App.FieldsOf(t.Name); len(fields) > 0 {
		v.IsRecord, v.Fixed = true, true
		for _, fd := range fields {
			v.Fields = append(v.Fields, query.Field{Name: fd.Name, Local: add(base+"."+fd.Name, fd.T), Type: fd.T, Domain: fd.Domain, Within: fd.Within})
		}
	} else {
		v.Local = add(base, t)
	}
	b.bindInput(f, p, v)
}

// bindInput makes a parameter known by its name and its number.
func (b *Routine) bindInput(f *query.Frame, p schema.Param, v *query.Variable) {
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

// outputs declares the OUT and TABLE parameters, and orders them.
func (b *Routine) outputs(f *query.Frame) {
	inout := f.Outs
	f.Outs = nil
	for i, p := range f.Func.Params {
		switch {
		case !p.Out:
		case p.In:
			f.Outs = append(f.Outs, inout[0])
			inout = inout[1:]
		case f.SqlLang:
			// The names of the columns, which the body cannot use.
			f.Outs = append(f.Outs, &query.Variable{Name: p.Name, Type: b.App.SignatureType(p.T, f.Func.Text)})
		default:
			name := syntax.NameOr(p.Name, "column"+strconv.Itoa(i+1))
			v := b.declare(f, name, b.App.SignatureType(p.T, f.Func.Text))
			b.startNull(v, f.Func.Pos)
			if !v.IsRecord {
				b.demand(b.App.DomainOf(p.T, f.Func.Text), v.Type, v.Local, p.Pos)
			}
			f.Outs = append(f.Outs, v)
		}
	}
}

// declare makes a variable with its locals, in the scope of f.
func (b *Routine) declare(f *query.Frame, name string, t schema.Type) *query.Variable {
	v := &query.Variable{Name: name, Type: t}
	fields := b.App.FieldsOf(t.Name)
	switch {
	case t.Name == schema.NRecord:
		v.IsRecord = true
	case len(fields) > 0:
		v.IsRecord, v.Fixed = true, true
		for _, fd := range fields {
			v.Fields = append(v.Fields, query.Field{Name: fd.Name, Local: b.FieldLocal(name, fd.Name, fd.T), Type: fd.T, Domain: fd.Domain, Within: fd.Within})
		}
	default:
		v.Local = b.Local(name, t)
	}
	f.Scope.Vars[name] = v
	return v
}

// RunBody translates the body of the function of f into b.out.
func (b *Routine) RunBody(f *query.Frame) {
	if f.Func.Body != nil {
		b.plBody(f)
		return
	}
	b.sqlBody(f)
}

// Inline writes the body of fn with the arguments args, and gives its result.
func (b *Routine) Inline(pos ir.Pos, fn *schema.Function, args []query.Val) query.Val {
	if b.Active(fn) {
		b.Unmodelled("the recursion of %s", fn.Name)
	}
	if len(b.Calls) > write.MaxInline {
		b.Unmodelled("calls that are nested more than %d deep", write.MaxInline)
	}
	b.Calls = append(b.Calls, fn)
	f := b.newFrame(fn)
	x := &query.Place{App: b.App, Draft: b.Draft, Frame: f, Text: fn.Text}
	var null ir.Expr
	for i, p := range fn.Inputs() {
		b.argument(f, x, p, args[i], pos)
		if fn.Strict && !args[i].NotNull && !args[i].Record {
			null = ir.OrE(null, &ir.Unary{Op: ir.IsNull, X: f.Inputs[i].Expr()})
		}
	}
	b.outputs(f)
	f.Result = &query.Result{Label: b.NewLabel(f.Scope.Label)}
	b.results(f)
	body := &ir.Block{At: query.At(pos), Label: f.Result.Label}
	leave := b.Enter(fn)
	body.Body = b.Collect(func() { b.RunBody(f) })
	leave()
	body.Body = dropLast(body.Body, func(s ir.Stmt) bool {
		k, ok := s.(*ir.Break)
		return ok && k.Label == body.Label
	})
	list := []ir.Stmt{body}
	if !leaves(body.Body, body.Label) {
		list = body.Body
	}
	if null != nil {
		b.Emit(&ir.If{At: query.At(pos), Cond: null, Then: b.Collect(func() { b.noResult(f, pos) }), Else: list})
	} else {
		for _, s := range list {
			b.Emit(s)
		}
	}
	b.Calls = b.Calls[:len(b.Calls)-1]
	return f.Result.Value(f)
}

// argument binds an argument: to a local of its own if the body assigns the
// parameter or the argument is no simple value.
func (b *Routine) argument(f *query.Frame, x *query.Place, p schema.Param, a query.Val, pos ir.Pos) {
	t := b.App.SignatureType(p.T, f.Func.Text)
	u := b.App.DomainOf(p.T, f.Func.Text)
	base := syntax.NameOr(p.Name, "arg")
	v := &query.Variable{Name: p.Name, Type: t, NotNull: a.NotNull}
	fields := b.App.FieldsOf(t.Name)
	switch {
	case a.Record && len(fields) == len(a.Fields):
		v.IsRecord, v.Fixed = true, true
		for i, fd := range fields {
			local := b.FieldLocal(base, fd.Name, fd.T)
			b.Assign(pos, local, x.Assigned(a.Fields[i].Val(), fd.T, 0).Expr)
			v.Fields = append(v.Fields, query.Field{Name: fd.Name, Local: local, Type: fd.T, Domain: fd.Domain, Within: fd.Within})
		}
	case a.Record:
		b.Unmodelled("a row as an argument of %s", f.Func.Name)
	case len(fields) > 0:
		v.IsRecord, v.Fixed = true, true
		for _, fd := range fields {
			local := b.FieldLocal(base, fd.Name, fd.T)
			e := query.Accessor(a, fd)
			if a.IsNull() {
				e = ir.C(ir.Null)
			}
			b.Assign(pos, local, e)
			v.Fields = append(v.Fields, query.Field{Name: fd.Name, Local: local, Type: fd.T, Domain: fd.Domain, Within: fd.Within})
		}
	default:
		e := x.Convert(a, t, 0, "parameter "+base+" of "+f.Func.Name)
		e = x.Becomes(u, query.Val{Expr: e, Type: t}).Expr
		_, isConst := e.(*ir.Const)
		_, isVar := e.(*ir.Var)
		if (isConst || isVar) && !p.Out && !f.Func.Assigns(p.Name) {
			v.Bound = e
			break
		}
		v.Local = b.Local(base, t)
		b.Assign(pos, v.Local, e)
		v.NotNull = false
		b.demand(u, t, v.Local, pos)
	}
	b.bindInput(f, p, v)
}

// results declares the locals that take what an inlined function returns.
func (b *Routine) results(f *query.Frame) {
	r := f.Result
	switch {
	case len(f.Func.Outputs()) > 0:
		for _, o := range f.Outs {
			if !f.SqlLang {
				break
			}
			o.Local = b.Local(syntax.NameOr(o.Name, "column"), o.Type)
		}
	case f.Func.Void():
	default:
		t := b.App.SignatureType(f.Func.Ret, f.Func.Text)
		if fields := b.App.FieldsOf(t.Name); len(fields) > 0 {
			for _, fd := range fields {
				r.Values = append(r.Values, query.Column{Name: fd.Name, Expr: ir.V(b.FieldLocal(f.Scope.Label, fd.Name, fd.T)), Type: fd.T})
			}
			return
		}
		if t.Name == schema.NRecord {
			b.Unmodelled("a function that returns a record")
		}
		local := b.Local(f.Scope.Label, t)
		r.Values = []query.Column{{Name: f.Scope.Label, Expr: ir.V(local), Type: t}}
		b.demand(b.App.DomainOf(f.Func.Ret, f.Func.Text), t, local, f.Func.Pos)
	}
}

// noResult sets the result of a STRICT function to NULL.
func (b *Routine) noResult(f *query.Frame, pos ir.Pos) {
	if len(f.Func.Outputs()) > 0 {
		for _, o := range f.Outs {
			for _, d := range o.Dests() {
				b.Assign(pos, d.Local, ir.C(ir.Null))
			}
		}
		return
	}
	for _, c := range f.Result.Values {
		b.Assign(pos, c.Expr.(*ir.Var).Name, ir.C(ir.Null))
	}
}

// dropLast removes the last statement if it is one that drop says.
func dropLast(list []ir.Stmt, drop func(ir.Stmt) bool) []ir.Stmt {
	if n := len(list); n > 0 && drop(list[n-1]) {
		return list[:n-1]
	}
	return list
}

// leaves reports whether a statement of list breaks label.
func leaves(list []ir.Stmt, label string) bool {
	found := false
	ir.Walk(list, func(s ir.Stmt) {
		if k, ok := s.(*ir.Break); ok && k.Label == label {
			found = true
		}
	})
	return found
}
