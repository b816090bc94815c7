package sqlmodel

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/tidy"
	"github.com/txrobust/robust/ir"
)

// template makes the transaction of an entry point.
func (l *loader) template(fn *schema.Function) *ir.Txn {
	defer l.ForTemplate(fn)()
	if fn.Script != nil || fn.Program != nil {
		return l.scriptTemplate(fn)
	}
	b := l.build(fn, false)
	if looksBack(b.txn.Body) {
		b = l.build(fn, true)
	}
	tidy.Txn(b.txn, b.weak, b.fields)
	b.stale()
	return b.txn
}

// build translates a function as a template.
func (l *loader) build(fn *schema.Function, lookBack bool) *builder {
	b := l.newBuilder(fn)
	b.lookBack = lookBack
	f := b.newFrame(fn)
	for i, p := range fn.Inputs() {
		b.parameter(f, p, i)
	}
	checks := b.demandsOfInputs(f)
	b.calls = []*schema.Function{fn}
	call := b.call(f)
	b.outputs(f)
	b.bounded(f)
	b.txn.Body = append(b.pre, b.out...)
	if b.locks {
		b.snapshotFirst()
	}
	b.txn.Body = slices.Concat([]ir.Stmt{call}, checks, b.txn.Body)
	return b
}

// demandsOfInputs says what the domains of the parameters want of them, and what computing their
// defaults looks at, for callers who leave them out. A check that is not
// modelled may refuse the call, and so may that of the result.
func (b *builder) demandsOfInputs(f *frame) []ir.Stmt {
	var out []ir.Stmt
	for i, p := range f.fn.Inputs() {
		if r := b.l.DefaultRefs(f.fn, p); b.l.LooksAround(r) {
			out = append(out, b.collect(func() { b.giveUp(p.Pos, r, "the default of parameter "+p.Name+", which looks at tables") })...)
		}
		u, v := b.l.DomainOf(p.T, f.fn.Text), f.inputs[i]
		if u == nil || v.isRecord || v.local == "" || p.Vari {
			continue
		}
		if u.NotNull() {
			out = append(out, &ir.Assume{At: at(p.Pos), Cond: isNotNull(ir.V(v.local))})
		}
		list, leftOut := b.l.demands(u, v.t, ir.V(v.local))
		switch looks := slices.ContainsFunc(u.Checks(), func(c *schema.DomainCheck) bool { _, yes := b.l.Looks(c); return yes }); {
		case leftOut == "":
		case looks:
			out = append(out, b.collect(func() { b.mayBreak(u, leftOut, p.Pos) })...)
		default: // it depends on the argument alone
			out = append(out, &ir.Dropped{At: at(p.Pos), Kind: ir.ByError, What: leftOut + ", of parameter " + p.Name})
		}
		for _, d := range list {
			out = append(out, &ir.Assume{At: at(p.Pos), Cond: d.cond})
		}
		if p.Out || f.fn.Assigns(p.Name) {
			out = append(out, b.collect(func() { b.demand(u, v.t, v.local, p.Pos) })...)
		}
	}
	if u := b.l.DomainOf(f.fn.Ret, f.fn.Text); u.Demanding() {
		out = append(out, b.collect(func() { b.mayBreak(u, u.Refusal(), f.fn.Pos) })...)
	}
	return out
}

func (l *loader) newBuilder(fn *schema.Function) *builder {
	b := &builder{&Draft{
		l:         l.Application,
		txn:       &ir.Txn{Pos: fn.Pos, Name: l.TemplateName(fn), SearchPath: l.SessionsOf(fn), CalledBy: fn.CalledBy},
		weak:      map[ir.Stmt]bool{},
		shown:     map[ir.Stmt]bool{},
		fields:    map[string]bool{},
		session:   map[string]string{},
		sequences: map[string]string{},
		demands:   map[string][]demand{},
		next:      map[string]int{},
	}}
	b.runs = b
	return b
}

// bounded translates the body of a template. If it becomes too large, all of it
// is one statement that is not modelled.
func (b *builder) bounded(f *frame) {
	late := b.l.Late
	defer func() {
		b.l.Late = late
		r := recover()
		if r == nil {
			return
		}
		if _, is := r.(tooLarge); !is {
			panic(r)
		}
		b.size, b.pre, b.out, b.locks = 0, nil, nil, false
		b.giveUp(f.fn.Pos, f.fn.Refs, fmt.Sprintf("a transaction of more than %d statements", maxSize))
	}()
	if why, ok := b.attempt(func() { b.checkVolatility(f.fn) }); !ok {
		b.giveUp(f.fn.Pos, f.fn.Refs, why)
		return
	}
	b.runBody(f)
}

// snapshotFirst puts a read before everything else: the query that calls a
// function takes the snapshot, so that a LOCK TABLE in its body comes too late
// to be taken before it.
func (b *builder) snapshotFirst() {
	var table *ir.Table
	ir.Walk(b.txn.Body, func(s ir.Stmt) {
		if k, ok := s.(*ir.LockTable); ok && table == nil {
			table = k.Table
		}
	})
	if table == nil { // it is in a statement that is not modelled
		return
	}
	s := &ir.Select{At: at(b.txn.Pos), Query: ir.Query{From: []ir.Source{{Table: table, Row: table.Name}}}}
	s.Into, s.Cols = []string{b.local("snapshot", schema.TBool)}, []ir.Expr{ir.C(ir.Bool(true))}
	b.txn.Body = append([]ir.Stmt{s}, b.txn.Body...)
}

// newFrame makes the frame of a function, without its parameters.
func (b *builder) newFrame(fn *schema.Function) *frame {
	label := syntax.LastPart(fn.Name)
	f := &frame{fn: fn, text: fn.BodyText, scope: &scope{label: label, vars: map[string]*variable{}}, sqlLang: fn.Body == nil}
	if f.text == nil {
		f.text = fn.Text // the standard form stands in the statement itself
	}
	if fn.Body == nil {
		return f
	}
	f.conflict = fn.Body.Conflict
	usesFound := false
	toks, _ := pg.Scan(fn.BodyText.SQL)
	for _, t := range toks {
		usesFound = usesFound || t.Kind == pg.Word && t.Text == "found"
	}
	if usesFound {
		f.found = b.local("was_found", schema.TBool)
		f.scope.vars["found"] = &variable{name: "found", local: f.found, t: schema.TBool, nn: true}
		b.emitWeak(&ir.Assign{At: at(fn.Pos), Var: f.found, Expr: ir.C(ir.Bool(false))})
	}
	plpgsql.Walk([]plpgsql.Stmt{fn.Body.Block}, func(s plpgsql.Stmt) {
		if g, ok := s.(*plpgsql.GetDiagnostics); ok && f.rowcount == "" {
			for _, it := range g.Items {
				if it.Item == "row_count" && f.rowcount == "" {
					f.rowcount = b.local("row_count", schema.TInt)
					b.emitWeak(&ir.Assign{At: at(fn.Pos), Var: f.rowcount, Expr: ir.C(ir.Int(0))})
				}
			}
		}
	})
	return f
}

// parameter declares the i-th input of a template.
func (b *builder) parameter(f *frame, p schema.Param, i int) {
	t := b.l.SignatureType(p.T, f.fn.Text)
	if p.Vari && t.Name != schema.NArray {
		t = schema.ArrayOf(t)
	}
	base := syntax.NameOr(p.Name, "p"+strconv.Itoa(i+1))
	v := &variable{name: p.Name, t: t, nn: f.fn.Strict}
	add := func(name string, t schema.Type) string {
		for taken := true; taken; {
			_, taken = b.txn.LocalType(name)
			if taken = taken || b.l.Prog.Table(name) != nil; taken {
				name += "_"
			}
		}
		q := ir.Param{Name: name, Type: localType(t), NotNull: f.fn.Strict, Domain: t.Domain()}
		for _, fresh := range f.fn.Fresh {
			q.Fresh = q.Fresh || fresh == p.Name
		}
		b.txn.Params = append(b.txn.Params, q)
		return name
	}
	if fields := b.l.FieldsOf(t.Name); len(fields) > 0 {
		v.isRecord, v.fixed = true, true
		for _, fd := range fields {
			v.fields = append(v.fields, field{name: fd.Name, local: add(base+"."+fd.Name, fd.T), t: fd.T, domain: fd.Domain, within: fd.Within})
		}
	} else {
		v.local = add(base, t)
	}
	b.bindInput(f, p, v)
}

// bindInput makes a parameter known by its name and its number.
func (b *builder) bindInput(f *frame, p schema.Param, v *variable) {
	f.inputs = append(f.inputs, v)
	if p.Name != "" {
		f.scope.vars[p.Name] = v
		if p.Out {
			f.outs = append(f.outs, v)
		}
		return
	}
	if p.Out {
		f.outs = append(f.outs, v)
	}
}

// outputs declares the OUT and TABLE parameters, and orders them.
func (b *builder) outputs(f *frame) {
	inout := f.outs
	f.outs = nil
	for i, p := range f.fn.Params {
		switch {
		case !p.Out:
		case p.In:
			f.outs = append(f.outs, inout[0])
			inout = inout[1:]
		case f.sqlLang:
			// The names of the columns, which the body cannot use.
			f.outs = append(f.outs, &variable{name: p.Name, t: b.l.SignatureType(p.T, f.fn.Text)})
		default:
			name := syntax.NameOr(p.Name, "column"+strconv.Itoa(i+1))
			v := b.declare(f, name, b.l.SignatureType(p.T, f.fn.Text))
			b.startNull(v, f.fn.Pos)
			if !v.isRecord {
				b.demand(b.l.DomainOf(p.T, f.fn.Text), v.t, v.local, p.Pos)
			}
			f.outs = append(f.outs, v)
		}
	}
}

// declare makes a variable with its locals, in the scope of f.
func (b *builder) declare(f *frame, name string, t schema.Type) *variable {
	v := &variable{name: name, t: t}
	fields := b.l.FieldsOf(t.Name)
	switch {
	case t.Name == schema.NRecord:
		v.isRecord = true
	case len(fields) > 0:
		v.isRecord, v.fixed = true, true
		for _, fd := range fields {
			v.fields = append(v.fields, field{name: fd.Name, local: b.fieldLocal(name, fd.Name, fd.T), t: fd.T, domain: fd.Domain, within: fd.Within})
		}
	default:
		v.local = b.local(name, t)
	}
	f.scope.vars[name] = v
	return v
}

// runBody translates the body of the function of f into b.out.
func (b *builder) runBody(f *frame) {
	switch {
	case f.fn.Body != nil:
		b.plBody(f)
	case f.fn.Script != nil:
		b.scriptBody(f)
	case f.fn.Program != nil:
		b.programBody(f)
	default:
		b.sqlBody(f)
	}
}

// inline writes the body of fn with the arguments args, and gives its result.
func (b *builder) inline(pos ir.Pos, fn *schema.Function, args []val) val {
	if b.active(fn) {
		b.unmodelled("the recursion of %s", fn.Name)
	}
	if len(b.calls) > maxInline {
		b.unmodelled("calls that are nested more than %d deep", maxInline)
	}
	b.calls = append(b.calls, fn)
	f := b.newFrame(fn)
	x := &ex{l: b.l, b: b.Draft, f: f, text: fn.Text}
	var null ir.Expr
	for i, p := range fn.Inputs() {
		b.argument(f, x, p, args[i], pos)
		if fn.Strict && !args[i].nn && !args[i].record {
			null = ir.OrE(null, &ir.Unary{Op: ir.IsNull, X: f.inputs[i].expr()})
		}
	}
	b.outputs(f)
	f.result = &result{label: b.newLabel(f.scope.label)}
	b.results(f)
	body := &ir.Block{At: at(pos), Label: f.result.label}
	leave := b.enter(fn)
	body.Body = b.collect(func() { b.runBody(f) })
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
		b.emit(&ir.If{At: at(pos), Cond: null, Then: b.collect(func() { b.noResult(f, pos) }), Else: list})
	} else {
		for _, s := range list {
			b.emit(s)
		}
	}
	b.calls = b.calls[:len(b.calls)-1]
	return f.result.value(f)
}

// maxInline bounds the nesting of inlined calls.
const maxInline = 40

// argument binds an argument: to a local of its own if the body assigns the
// parameter or the argument is no simple value.
func (b *builder) argument(f *frame, x *ex, p schema.Param, a val, pos ir.Pos) {
	t := b.l.SignatureType(p.T, f.fn.Text)
	u := b.l.DomainOf(p.T, f.fn.Text)
	base := syntax.NameOr(p.Name, "arg")
	v := &variable{name: p.Name, t: t, nn: a.nn}
	fields := b.l.FieldsOf(t.Name)
	switch {
	case a.record && len(fields) == len(a.fields):
		v.isRecord, v.fixed = true, true
		for i, fd := range fields {
			local := b.fieldLocal(base, fd.Name, fd.T)
			b.assign(pos, local, x.assigned(a.fields[i].val(), fd.T, 0).e)
			v.fields = append(v.fields, field{name: fd.Name, local: local, t: fd.T, domain: fd.Domain, within: fd.Within})
		}
	case a.record:
		b.unmodelled("a row as an argument of %s", f.fn.Name)
	case len(fields) > 0:
		v.isRecord, v.fixed = true, true
		for _, fd := range fields {
			local := b.fieldLocal(base, fd.Name, fd.T)
			e := accessor(a, fd)
			if a.isNull() {
				e = ir.C(ir.Null)
			}
			b.assign(pos, local, e)
			v.fields = append(v.fields, field{name: fd.Name, local: local, t: fd.T, domain: fd.Domain, within: fd.Within})
		}
	default:
		e := x.convert(a, t, 0, "parameter "+base+" of "+f.fn.Name)
		e = x.becomes(u, val{e: e, t: t}).e
		_, isConst := e.(*ir.Const)
		_, isVar := e.(*ir.Var)
		if (isConst || isVar) && !p.Out && !f.fn.Assigns(p.Name) {
			v.bound = e
			break
		}
		v.local = b.local(base, t)
		b.assign(pos, v.local, e)
		v.nn = false
		b.demand(u, t, v.local, pos)
	}
	b.bindInput(f, p, v)
}

// results declares the locals that take what an inlined function returns.
func (b *builder) results(f *frame) {
	r := f.result
	switch {
	case len(f.fn.Outputs()) > 0:
		for _, o := range f.outs {
			if !f.sqlLang {
				break
			}
			o.local = b.local(syntax.NameOr(o.name, "column"), o.t)
		}
	case f.fn.Void():
	default:
		t := b.l.SignatureType(f.fn.Ret, f.fn.Text)
		if fields := b.l.FieldsOf(t.Name); len(fields) > 0 {
			for _, fd := range fields {
				r.values = append(r.values, colDef{name: fd.Name, e: ir.V(b.fieldLocal(f.scope.label, fd.Name, fd.T)), t: fd.T})
			}
			return
		}
		if t.Name == schema.NRecord {
			b.unmodelled("a function that returns a record")
		}
		local := b.local(f.scope.label, t)
		r.values = []colDef{{name: f.scope.label, e: ir.V(local), t: t}}
		b.demand(b.l.DomainOf(f.fn.Ret, f.fn.Text), t, local, f.fn.Pos)
	}
}

// value is what the call of an inlined function gives.
func (r *result) value(f *frame) val {
	cols := r.values
	if len(f.fn.Outputs()) > 0 {
		cols = nil
		for i, o := range f.outs {
			cols = append(cols, o.columns(i)...)
		}
	}
	switch {
	case len(cols) == 0:
		return val{e: ir.C(ir.Null), t: schema.TVoid}
	case len(cols) == 1 && (f.fn.Ret == nil || len(r.values) == 1):
		return cols[0].val()
	}
	return val{t: schema.TRecord, record: true, fields: cols}
}

// columns gives an OUT parameter as columns.
func (v *variable) columns(i int) []colDef {
	if v.isRecord {
		return v.value().fields
	}
	return []colDef{{name: syntax.NameOr(v.name, "column"+strconv.Itoa(i+1)), e: v.expr(), t: v.t}}
}

// noResult sets the result of a STRICT function to NULL.
func (b *builder) noResult(f *frame, pos ir.Pos) {
	if len(f.fn.Outputs()) > 0 {
		for _, o := range f.outs {
			for _, d := range o.dests() {
				b.assign(pos, d.local, ir.C(ir.Null))
			}
		}
		return
	}
	for _, c := range f.result.values {
		b.assign(pos, c.e.(*ir.Var).Name, ir.C(ir.Null))
	}
}

// dests gives the locals of a variable.
func (v *variable) dests() []dest {
	if !v.isRecord {
		return []dest{{v.local, v.t}}
	}
	var out []dest
	for _, f := range v.fields {
		out = append(out, dest{f.local, f.t})
	}
	return out
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
