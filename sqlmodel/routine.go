package sqlmodel

import (
	"fmt"
	"slices"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/tidy"
	"github.com/txrobust/robust/ir"
)

// template makes the transaction of an entry point.
func (l *loader) template(fn *function) *ir.Txn {
	defer l.forTemplate(fn)()
	if fn.script != nil || fn.program != nil {
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
func (l *loader) build(fn *function, lookBack bool) *builder {
	b := l.newBuilder(fn)
	b.lookBack = lookBack
	f := b.newFrame(fn)
	for i, p := range fn.inputs() {
		b.parameter(f, p, i)
	}
	checks := b.demandsOfInputs(f)
	b.calls = []*function{fn}
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
	for i, p := range f.fn.inputs() {
		if r := b.l.defaultRefs(f.fn, p); b.l.looksAround(r) {
			out = append(out, b.collect(func() { b.giveUp(p.pos, r, "the default of parameter "+p.name+", which looks at tables") })...)
		}
		u, v := b.l.domainOf(p.t, f.fn.text), f.inputs[i]
		if u == nil || v.isRecord || v.local == "" || p.vari {
			continue
		}
		if u.notNull() {
			out = append(out, &ir.Assume{At: at(p.pos), Cond: isNotNull(ir.V(v.local))})
		}
		list, leftOut := b.l.demands(u, v.t, ir.V(v.local))
		switch looks := slices.ContainsFunc(u.checks(), func(c *domainCheck) bool { _, yes := b.l.looks(c); return yes }); {
		case leftOut == "":
		case looks:
			out = append(out, b.collect(func() { b.mayBreak(u, leftOut, p.pos) })...)
		default: // it depends on the argument alone
			out = append(out, &ir.Dropped{At: at(p.pos), Kind: ir.ByError, What: leftOut + ", of parameter " + p.name})
		}
		for _, d := range list {
			out = append(out, &ir.Assume{At: at(p.pos), Cond: d.cond})
		}
		if p.out || f.fn.assigns(p.name) {
			out = append(out, b.collect(func() { b.demand(u, v.t, v.local, p.pos) })...)
		}
	}
	if u := b.l.domainOf(f.fn.ret, f.fn.text); u.demanding() {
		out = append(out, b.collect(func() { b.mayBreak(u, u.refusal(), f.fn.pos) })...)
	}
	return out
}

func (l *loader) newBuilder(fn *function) *builder {
	return &builder{
		l:         l,
		txn:       &ir.Txn{Pos: fn.pos, Name: l.templateName(fn), SearchPath: l.sessionsOf(fn), CalledBy: fn.calledBy},
		weak:      map[ir.Stmt]bool{},
		shown:     map[ir.Stmt]bool{},
		fields:    map[string]bool{},
		session:   map[string]string{},
		sequences: map[string]string{},
		demands:   map[string][]demand{},
		next:      map[string]int{},
	}
}

// bounded translates the body of a template. If it becomes too large, all of it
// is one statement that is not modelled.
func (b *builder) bounded(f *frame) {
	late := b.l.late
	defer func() {
		b.l.late = late
		r := recover()
		if r == nil {
			return
		}
		if _, is := r.(tooLarge); !is {
			panic(r)
		}
		b.size, b.pre, b.out, b.locks = 0, nil, nil, false
		b.giveUp(f.fn.pos, f.fn.refs, fmt.Sprintf("a transaction of more than %d statements", maxSize))
	}()
	if why, ok := b.attempt(func() { b.checkVolatility(f.fn) }); !ok {
		b.giveUp(f.fn.pos, f.fn.refs, why)
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
	s.Into, s.Cols = []string{b.local("snapshot", tBool)}, []ir.Expr{ir.C(ir.Bool(true))}
	b.txn.Body = append([]ir.Stmt{s}, b.txn.Body...)
}

// newFrame makes the frame of a function, without its parameters.
func (b *builder) newFrame(fn *function) *frame {
	label := syntax.LastPart(fn.name)
	f := &frame{fn: fn, text: fn.bodyText, scope: &scope{label: label, vars: map[string]*variable{}}, sqlLang: fn.body == nil}
	if f.text == nil {
		f.text = fn.text // the standard form stands in the statement itself
	}
	if fn.body == nil {
		return f
	}
	f.conflict = fn.body.Conflict
	usesFound := false
	toks, _ := pg.Scan(fn.bodyText.SQL)
	for _, t := range toks {
		usesFound = usesFound || t.Kind == pg.Word && t.Text == "found"
	}
	if usesFound {
		f.found = b.local("was_found", tBool)
		f.scope.vars["found"] = &variable{name: "found", local: f.found, t: tBool, nn: true}
		b.emitWeak(&ir.Assign{At: at(fn.pos), Var: f.found, Expr: ir.C(ir.Bool(false))})
	}
	plpgsql.Walk([]plpgsql.Stmt{fn.body.Block}, func(s plpgsql.Stmt) {
		if g, ok := s.(*plpgsql.GetDiagnostics); ok && f.rowcount == "" {
			for _, it := range g.Items {
				if it.Item == "row_count" && f.rowcount == "" {
					f.rowcount = b.local("row_count", tInt)
					b.emitWeak(&ir.Assign{At: at(fn.pos), Var: f.rowcount, Expr: ir.C(ir.Int(0))})
				}
			}
		}
	})
	return f
}

// parameter declares the i-th input of a template.
func (b *builder) parameter(f *frame, p param, i int) {
	t := b.l.signatureType(p.t, f.fn.text)
	if p.vari && t.name != nArray {
		t = arrayOf(t)
	}
	base := syntax.NameOr(p.name, "p"+itoa(i+1))
	v := &variable{name: p.name, t: t, nn: f.fn.strict}
	add := func(name string, t typ) string {
		for taken := true; taken; {
			_, taken = b.txn.LocalType(name)
			if taken = taken || b.l.prog.Table(name) != nil; taken {
				name += "_"
			}
		}
		q := ir.Param{Name: name, Type: localType(t), NotNull: f.fn.strict, Domain: t.domain()}
		for _, fresh := range f.fn.fresh {
			q.Fresh = q.Fresh || fresh == p.name
		}
		b.txn.Params = append(b.txn.Params, q)
		return name
	}
	if fields := b.l.fieldsOf(t.name); len(fields) > 0 {
		v.isRecord, v.fixed = true, true
		for _, fd := range fields {
			v.fields = append(v.fields, field{name: fd.name, local: add(base+"."+fd.name, fd.t), t: fd.t, domain: fd.domain, within: fd.within})
		}
	} else {
		v.local = add(base, t)
	}
	b.bindInput(f, p, v)
}

// bindInput makes a parameter known by its name and its number.
func (b *builder) bindInput(f *frame, p param, v *variable) {
	f.inputs = append(f.inputs, v)
	if p.name != "" {
		f.scope.vars[p.name] = v
		if p.out {
			f.outs = append(f.outs, v)
		}
		return
	}
	if p.out {
		f.outs = append(f.outs, v)
	}
}

// outputs declares the OUT and TABLE parameters, and orders them.
func (b *builder) outputs(f *frame) {
	inout := f.outs
	f.outs = nil
	for i, p := range f.fn.params {
		switch {
		case !p.out:
		case p.in:
			f.outs = append(f.outs, inout[0])
			inout = inout[1:]
		case f.sqlLang:
			// The names of the columns, which the body cannot use.
			f.outs = append(f.outs, &variable{name: p.name, t: b.l.signatureType(p.t, f.fn.text)})
		default:
			name := syntax.NameOr(p.name, "column"+itoa(i+1))
			v := b.declare(f, name, b.l.signatureType(p.t, f.fn.text))
			b.startNull(v, f.fn.pos)
			if !v.isRecord {
				b.demand(b.l.domainOf(p.t, f.fn.text), v.t, v.local, p.pos)
			}
			f.outs = append(f.outs, v)
		}
	}
}

// declare makes a variable with its locals, in the scope of f.
func (b *builder) declare(f *frame, name string, t typ) *variable {
	v := &variable{name: name, t: t}
	fields := b.l.fieldsOf(t.name)
	switch {
	case t.name == nRecord:
		v.isRecord = true
	case len(fields) > 0:
		v.isRecord, v.fixed = true, true
		for _, fd := range fields {
			v.fields = append(v.fields, field{name: fd.name, local: b.fieldLocal(name, fd.name, fd.t), t: fd.t, domain: fd.domain, within: fd.within})
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
	case f.fn.body != nil:
		b.plBody(f)
	case f.fn.script != nil:
		b.scriptBody(f)
	case f.fn.program != nil:
		b.programBody(f)
	default:
		b.sqlBody(f)
	}
}

// inline writes the body of fn with the arguments args, and gives its result.
func (b *builder) inline(pos ir.Pos, fn *function, args []val) val {
	if b.active(fn) {
		b.unmodelled("the recursion of %s", fn.name)
	}
	if len(b.calls) > maxInline {
		b.unmodelled("calls that are nested more than %d deep", maxInline)
	}
	b.calls = append(b.calls, fn)
	f := b.newFrame(fn)
	x := &ex{l: b.l, b: b, f: f, text: fn.text}
	var null ir.Expr
	for i, p := range fn.inputs() {
		b.argument(f, x, p, args[i], pos)
		if fn.strict && !args[i].nn && !args[i].record {
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
func (b *builder) argument(f *frame, x *ex, p param, a val, pos ir.Pos) {
	t := b.l.signatureType(p.t, f.fn.text)
	u := b.l.domainOf(p.t, f.fn.text)
	base := syntax.NameOr(p.name, "arg")
	v := &variable{name: p.name, t: t, nn: a.nn}
	fields := b.l.fieldsOf(t.name)
	switch {
	case a.record && len(fields) == len(a.fields):
		v.isRecord, v.fixed = true, true
		for i, fd := range fields {
			local := b.fieldLocal(base, fd.name, fd.t)
			b.assign(pos, local, x.assigned(a.fields[i].val(), fd.t, 0).e)
			v.fields = append(v.fields, field{name: fd.name, local: local, t: fd.t, domain: fd.domain, within: fd.within})
		}
	case a.record:
		b.unmodelled("a row as an argument of %s", f.fn.name)
	case len(fields) > 0:
		v.isRecord, v.fixed = true, true
		for _, fd := range fields {
			local := b.fieldLocal(base, fd.name, fd.t)
			e := accessor(a, fd)
			if a.isNull() {
				e = ir.C(ir.Null)
			}
			b.assign(pos, local, e)
			v.fields = append(v.fields, field{name: fd.name, local: local, t: fd.t, domain: fd.domain, within: fd.within})
		}
	default:
		e := x.convert(a, t, 0, "parameter "+base+" of "+f.fn.name)
		e = x.becomes(u, val{e: e, t: t}).e
		_, isConst := e.(*ir.Const)
		_, isVar := e.(*ir.Var)
		if (isConst || isVar) && !p.out && !f.fn.assigns(p.name) {
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

// assigns reports whether the body may change the variable.
func (f *function) assigns(name string) bool {
	if f.body == nil || name == "" {
		return f.body != nil && name == ""
	}
	found := false
	hit := func(list ...plpgsql.Name) {
		for _, n := range list {
			for _, part := range n.Parts {
				found = found || part == name || part[0] == '$'
			}
		}
	}
	plpgsql.Walk([]plpgsql.Stmt{f.body.Block}, func(s plpgsql.Stmt) { hit(assigned(s)...) })
	return found
}

// assigned gives the variables that a statement itself sets.
func assigned(s plpgsql.Stmt) []plpgsql.Name {
	into := func(in *plpgsql.Into) []plpgsql.Name {
		if in == nil {
			return nil
		}
		return in.Targets
	}
	switch s := s.(type) {
	case *plpgsql.Assign:
		return []plpgsql.Name{s.Target}
	case *plpgsql.ForQuery:
		return s.Targets
	case *plpgsql.Foreach:
		return s.Targets
	case *plpgsql.SQL:
		return into(s.Into)
	case *plpgsql.Execute:
		return into(s.Into)
	case *plpgsql.Cursor:
		return into(s.Into)
	case *plpgsql.GetDiagnostics:
		var out []plpgsql.Name
		for _, it := range s.Items {
			out = append(out, it.Target)
		}
		return out
	}
	return nil
}

// results declares the locals that take what an inlined function returns.
func (b *builder) results(f *frame) {
	r := f.result
	switch {
	case len(f.fn.outputs()) > 0:
		for _, o := range f.outs {
			if !f.sqlLang {
				break
			}
			o.local = b.local(syntax.NameOr(o.name, "column"), o.t)
		}
	case f.fn.void():
	default:
		t := b.l.signatureType(f.fn.ret, f.fn.text)
		if fields := b.l.fieldsOf(t.name); len(fields) > 0 {
			for _, fd := range fields {
				r.values = append(r.values, colDef{name: fd.name, e: ir.V(b.fieldLocal(f.scope.label, fd.name, fd.t)), t: fd.t})
			}
			return
		}
		if t.name == nRecord {
			b.unmodelled("a function that returns a record")
		}
		local := b.local(f.scope.label, t)
		r.values = []colDef{{name: f.scope.label, e: ir.V(local), t: t}}
		b.demand(b.l.domainOf(f.fn.ret, f.fn.text), t, local, f.fn.pos)
	}
}

// value is what the call of an inlined function gives.
func (r *result) value(f *frame) val {
	cols := r.values
	if len(f.fn.outputs()) > 0 {
		cols = nil
		for i, o := range f.outs {
			cols = append(cols, o.columns(i)...)
		}
	}
	switch {
	case len(cols) == 0:
		return val{e: ir.C(ir.Null), t: tVoid}
	case len(cols) == 1 && (f.fn.ret == nil || len(r.values) == 1):
		return cols[0].val()
	}
	return val{t: tRecord, record: true, fields: cols}
}

// columns gives an OUT parameter as columns.
func (v *variable) columns(i int) []colDef {
	if v.isRecord {
		return v.value().fields
	}
	return []colDef{{name: syntax.NameOr(v.name, "column"+itoa(i+1)), e: v.expr(), t: v.t}}
}

// noResult sets the result of a STRICT function to NULL.
func (b *builder) noResult(f *frame, pos ir.Pos) {
	if len(f.fn.outputs()) > 0 {
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

// mayAbort reports whether f, or what it calls, can end the transaction.
func (l *Schema) mayAbort(f *function, seen map[*function]bool) bool {
	if seen[f] {
		return false
	}
	seen[f] = true
	aborts := false
	if f.body != nil {
		plpgsql.Walk([]plpgsql.Stmt{f.body.Block}, func(s plpgsql.Stmt) {
			switch s := s.(type) {
			case *plpgsql.Raise:
				aborts = aborts || s.Error
			case *plpgsql.Assert, *plpgsql.ForRange, *plpgsql.Foreach:
				aborts = true
			case *plpgsql.Case:
				aborts = aborts || !s.HasElse
			case *plpgsql.SQL:
				aborts = aborts || s.Into != nil && s.Into.Strict
			case *plpgsql.Block:
				for _, d := range s.Decls {
					aborts = aborts || d.NotNull
				}
			}
		})
		last := f.body.Block.Body
		if !f.void() && len(f.outputs()) == 0 && !f.setOf {
			if len(last) == 0 {
				return true
			}
			_, returns := last[len(last)-1].(*plpgsql.Return)
			aborts = aborts || !returns // control may reach the end
		}
	}
	if f.divides() {
		return true
	}
	for _, g := range l.callees(f) {
		aborts = aborts || l.mayAbort(g, seen)
	}
	return aborts
}

// divides reports whether the body may divide by zero.
func (f *function) divides() bool {
	if f.bodyText != nil {
		toks, _ := pg.Scan(f.bodyText.SQL)
		for _, t := range toks {
			if t.Kind == pg.Punct && (t.Text == "/" || t.Text == "%") || t.Kind == pg.Word && (t.Text == "mod" || t.Text == "div") {
				return true
			}
		}
		return false
	}
	return true
}
