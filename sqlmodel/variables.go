package sqlmodel

import (
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// declaration declares a variable of DECLARE and gives it its first value.
func (b *builder) declaration(f *frame, d plpgsql.Decl) {
	pos := f.text.Pos(d.At)
	if f.scope.vars[d.Name] != nil {
		b.l.Fail(pos, "variable %s is declared twice", d.Name)
	}
	switch {
	case d.Alias != "":
		v, _ := f.scope.find([]string{d.Alias})
		if d.Alias[0] == '$' {
			v = f.numbered(d.Alias)
		}
		if v == nil {
			b.l.Fail(pos, "there is no variable %s for %s to be an alias of", d.Alias, d.Name)
		}
		f.scope.vars[d.Name] = v
		return
	case d.Cursor:
		v := &variable{name: d.Name, t: schema.Opaque("refcursor"), local: b.local(d.Name, schema.TAny)}
		if !d.Args && !d.Query.Empty() {
			v.cursor = &cursor{query: d.Query, scope: f.scope.copy()}
		}
		f.scope.vars[d.Name] = v
		return
	}
	t, domain := b.declaredType(f, d)
	// A default sees the variables before it, and not the variable itself, which
	// is declared after.
	var v *val
	if !d.Default.Empty() {
		why, ok := b.attempt(func() { x := b.value(f, d.Default); v = &x })
		if !ok {
			s, _ := b.expression(f, d.Default)
			b.giveUp(pos, b.refsOf(s), why)
		}
	}
	w := b.declare(f, d.Name, t)
	switch w.domain = domain; {
	case !w.isRecord && t.Name != schema.NArray:
		b.demand(domain, t, w.local, pos)
	case domain.Demanding():
		b.mayBreak(domain, domain.Refusal(), pos)
	}
	if d.NotNull {
		b.demandNotNull(w)
	}
	switch {
	case v != nil:
		b.store(f, w, *v, pos)
	case !d.Default.Empty():
		for _, x := range w.dests() {
			b.havoc(pos, x.local)
		}
	default:
		b.startNull(w, pos)
	}
	w.nn = d.NotNull
}

// startNull sets a variable to NULL where its declaration may be reached
// several times.
func (b *builder) startNull(v *variable, pos ir.Pos) {
	for _, d := range v.dests() {
		if b.loopDepth == 0 && len(b.calls) == 1 && b.demands[d.local] == nil {
			continue
		}
		b.emitWeak(&ir.Assign{At: at(pos), Var: d.local, Expr: ir.C(ir.Null)})
	}
}

// numbered gives the parameter $n.
func (f *frame) numbered(dollar string) *variable {
	for i, v := range f.inputs {
		if dollar == "$"+strconv.Itoa(i+1) {
			return v
		}
	}
	return nil
}

// declaredType reads the type of a declaration, %TYPE and %ROWTYPE included, and its domain, nil
// if it is none.
func (b *builder) declaredType(f *frame, d plpgsql.Decl) (schema.Type, *schema.UserType) {
	src := d.Type.Text(f.text.SQL)
	lower := strings.ToLower(strings.Join(strings.Fields(src), ""))
	pos := f.text.Pos(d.Type.Start)
	if name, ok := strings.CutSuffix(lower, "%rowtype"); ok {
		t := b.l.NamedType(name, f.text, int32(d.Type.Start))
		if len(b.l.FieldsOf(t.Name)) == 0 {
			b.l.Fail(pos, "there is no table %s", name)
		}
		return t, nil
	}
	base, array := strings.CutSuffix(lower, "[]")
	if name, ok := strings.CutSuffix(base, "%type"); ok {
		t, domain := b.typeOfName(f, quote.Parts(name), pos)
		if array {
			return schema.ArrayOf(t), nil
		}
		return t, domain
	}
	if lower == "record" {
		return schema.TRecord, nil
	}
	t := f.text.Part("SELECT NULL::", d.Type)
	stmts, err := t.Parse()
	if err != nil {
		panic(err)
	}
	if s, ok := pg.Inner(stmts[0].Stmt).(*pg.SelectStmt); ok && len(s.TargetList) == 1 {
		if c, ok := pg.Inner(pg.TargetValue(s.TargetList[0])).(*pg.TypeCast); ok {
			name := c.TypeName
			return b.l.TypeOf(name, t), b.l.DomainOf(&pg.TypeName{Names: name.Names, PctType: name.PctType}, f.text) // of an array, that of its elements
		}
	}
	b.l.Fail(pos, "%s is no type", src)
	return schema.Type{}, nil
}

// typeOfName is x%TYPE: of a variable, a field or a column, with its domain, nil if it is none.
func (b *builder) typeOfName(f *frame, parts []string, pos ir.Pos) (schema.Type, *schema.UserType) {
	if v, fd := f.scope.find(parts); fd != nil {
		return fd.t, fd.domain
	} else if v != nil {
		return v.t, v.domain
	}
	if len(parts) > 1 {
		of, name := syntax.Qualified(parts[:len(parts)-1]), parts[len(parts)-1]
		if tab := b.l.Sees(f.text).Table(of); tab != nil {
			if c := tab.Column(name); c != nil {
				return c.T, c.Domain
			}
			b.l.Fail(pos, "table %s has no column %s", tab.Name, name)
		}
		if fields := b.l.FieldsOf(b.l.RowTypeOf(b.l.Sees(f.text), of, pos)); fields != nil {
			for _, fd := range fields {
				if fd.Name == name {
					return fd.T, fd.Domain
				}
			}
			b.l.Fail(pos, "view %s has no column %s", of, name)
		}
	}
	b.l.Fail(pos, "there is no column or variable %s", strings.Join(parts, "."))
	return schema.Type{}, nil
}

// store assigns a value to a variable.
func (b *builder) store(f *frame, v *variable, e val, pos ir.Pos) {
	x := &ex{l: b.l, b: b.Draft, f: f, text: f.text}
	if !v.isRecord {
		if e.record {
			if len(e.fields) != 1 {
				b.unmodelled("a row in the variable %s", v.name)
			}
			e = e.fields[0].val()
		}
		b.assign(pos, v.local, x.assigned(e, v.t, 0).e)
		return
	}
	switch {
	case e.record:
		list, rest := b.recordDests(v, e.fields, pos)
		b.assignAll(x, pos, list, e.fields)
		b.setNull(pos, rest)
	case e.isNull():
		b.setNull(pos, v.dests())
	default: // a value of a composite type
		fields := b.l.FieldsOf(e.t.Name)
		if len(fields) == 0 {
			b.unmodelled("a value of unknown shape in the record %s", v.name)
		}
		var cols []colDef
		for _, fd := range fields {
			cols = append(cols, colDef{name: fd.Name, e: accessor(e, fd), t: fd.T})
		}
		list, rest := b.recordDests(v, cols, pos)
		b.assignAll(x, pos, list, cols)
		b.setNull(pos, rest)
	}
}

// recordDests gives the locals that take the columns of a row. A variable of
// type record takes their names and types; all that it ever held keep their
// locals, so that a field is found after either branch of an IF.
func (b *builder) recordDests(v *variable, cols []colDef, pos ir.Pos) (list, rest []dest) {
	if v.fixed {
		b.demandParts(v.fields, cols, pos)
		for i := range cols {
			if i < len(v.fields) {
				list = append(list, dest{v.fields[i].local, v.fields[i].t})
			} else {
				list = append(list, dest{})
			}
		}
		for _, fd := range v.fields[min(len(cols), len(v.fields)):] {
			rest = append(rest, dest{fd.local, fd.t})
		}
		return list, rest
	}
	v.fields = nil
	for _, c := range cols {
		t := c.t
		if t.Name == schema.NUnknown {
			t = schema.TText
		}
		old := v.held(c.name)
		switch {
		case old == nil:
			v.all = append(v.all, field{name: c.name, local: b.fieldLocal(v.name, c.name, t), t: t})
			old = &v.all[len(v.all)-1]
		case localType(old.t) != localType(t):
			if !(old.t.Numeric() && t.Numeric()) {
				b.l.Fail(pos, "the record %s holds rows of different shapes (its field %s is %s and %s); declare two records", v.name, c.name, old.t, t)
			}
			if old.t.Name == schema.NInt { // the wider type holds both
				b.retypeLocal(old.local, t)
				old.t = t
			}
		}
		v.fields = append(v.fields, *old)
		list = append(list, dest{old.local, old.t})
	}
	return list, nil
}

// retypeLocal widens the type of a local.
func (b *builder) retypeLocal(name string, t schema.Type) {
	for i := range b.txn.Locals {
		if b.txn.Locals[i].Name == name {
			b.txn.Locals[i].Type, b.txn.Locals[i].Domain = localType(t), t.Domain()
		}
	}
}

// assignment translates target := expr.
func (b *builder) assignment(f *frame, s *plpgsql.Assign, pos ir.Pos) {
	e := b.value(f, s.Expr)
	v, fd := b.targetOf(f, s.Target)
	if s.Slice {
		b.unmodelled("an assignment to a slice of an array")
	}
	if s.Deep {
		b.unmodelled("an assignment to a field of an element")
	}
	d := dest{v.local, v.t}
	if fd != nil {
		d = dest{fd.local, fd.t}
	}
	x := b.ex(f, f.text)
	switch {
	case len(s.Subscripts) > 0:
		if d.t.Name != schema.NArray {
			if fd == nil && v.isRecord || d.t.Name != schema.NJSON {
				b.l.Fail(f.text.Pos(s.Target.At), "only arrays have subscripts, but this has type %s", d.t)
			}
		}
		x.noRow(e)
		args := []ir.Expr{ir.V(d.local)}
		for _, sub := range s.Subscripts {
			i := b.value(f, sub)
			x.noRow(i)
			args = append(args, x.defaultType(i).e)
			if !i.nn {
				b.require(pos, isNotNull(x.defaultType(i).e), nullVariable)
			}
		}
		if d.t.Name == schema.NArray && len(s.Subscripts) == 1 {
			e = x.assigned(e, d.t.Element(), 0)
		}
		args = append(args, x.defaultType(e).e)
		b.assign(pos, d.local, &ir.Call{Name: "set", Args: args, Type: localType(d.t)})
	case fd != nil:
		if e.record {
			b.unmodelled("a row in a field")
		}
		if !v.fixed {
			b.demandOfRecord(fd.t, pos)
		}
		b.mayRefuseAny(fd.within, fd.domain, pos)
		b.assign(pos, d.local, x.becomes(fd.domain, x.assigned(e, d.t, 0)).e)
	default:
		b.store(f, v, e, pos)
	}
}

// TargetOf finds the variable that is to be set.
func (b *builder) targetOf(f *frame, n plpgsql.Name) (*variable, *field) {
	if n.Parts[0][0] == '$' {
		if v := f.numbered(n.Parts[0]); v != nil {
			return v, nil
		}
		b.l.Fail(f.text.Pos(n.At), "there is no parameter %s", n.Parts[0])
	}
	v, fd := f.scope.find(n.Parts)
	name := strings.Join(n.Parts, ".")
	switch {
	case v == nil:
		b.l.Fail(f.text.Pos(n.At), "there is no variable %s; declare it", name)
	case fd == nil && v.isRecord && len(n.Parts) > 1 && n.Parts[len(n.Parts)-1] != v.name:
		if !v.fixed {
			b.unmodelled("a field of the record %s that is not known here", v.name)
		}
		b.l.Fail(f.text.Pos(n.At), "record %s has no field %s", v.name, n.Parts[len(n.Parts)-1])
	}
	return v, fd
}

// into gives the sink for an INTO clause, and what is to follow the command:
// where a handler catches what STRICT refuses, the targets are set last, since
// they keep their values then.
func (b *builder) into(f *frame, in *plpgsql.Into, pos ir.Pos) (to sink, store func()) {
	dests := b.destsFor(f, in.Targets, pos)
	to = sink{kind: intoLocals, strict: in.Strict, dests: dests}
	if !in.Strict || !b.caught(noData, tooManyRows) {
		return to, func() {}
	}
	if f.rowcount != "" {
		b.unmodelled("ROW_COUNT, with STRICT in a block with EXCEPTION")
	}
	var list, rest []dest
	first := map[string]string{} // where the value of a target goes
	to.dests = func(cols []colDef) ([]dest, []dest) {
		list, rest = dests(cols)
		from := make([]dest, len(list))
		for i, d := range list {
			if d.local != "" && first[d.local] == "" {
				first[d.local] = b.local(d.local, d.t)
			}
			from[i] = dest{first[d.local], d.t}
		}
		return from, nil
	}
	return to, func() {
		for _, d := range list {
			if d.local != "" {
				b.assign(pos, d.local, ir.V(first[d.local]))
			}
		}
		b.setNull(pos, rest)
	}
}

// destsFor gives the locals of a list of targets: one record, or variables.
func (b *builder) destsFor(f *frame, targets []plpgsql.Name, pos ir.Pos) func([]colDef) ([]dest, []dest) {
	return func(cols []colDef) (list, rest []dest) {
		if len(targets) == 1 {
			if v, fd := b.targetOf(f, targets[0]); v.isRecord && fd == nil {
				return b.recordDests(v, cols, pos)
			}
		}
		var all []dest
		for _, n := range targets {
			v, fd := b.targetOf(f, n)
			switch {
			case fd != nil:
				all = append(all, dest{fd.local, fd.t})
			case v.isRecord:
				b.l.Fail(f.text.Pos(n.At), "%s is a record: it must be the only target of INTO", v.name)
			default:
				all = append(all, dest{v.local, v.t})
			}
		}
		for i := range cols {
			if i < len(all) {
				list = append(list, all[i])
			} else {
				list = append(list, dest{})
			}
		}
		for i, d := range all {
			if len(b.demands[d.local]) > 0 && slices.ContainsFunc(all[:i], func(o dest) bool { return o.local == d.local }) {
				b.unmodelled("INTO that sets a variable twice which is NOT NULL or of a domain")
			}
		}
		rest = all[min(len(cols), len(all)):]
		return lastOnes(list, rest), rest
	}
}

// lastOnes leaves out of list the locals that come again in it or in rest: they are
// set in this order, and keep the last value.
func lastOnes(list, rest []dest) []dest {
	again := map[string]bool{}
	for _, d := range rest {
		again[d.local] = true
	}
	out := slices.Clone(list)
	for i, d := range slices.Backward(list) {
		if d.local != "" && again[d.local] {
			out[i] = dest{}
		}
		again[d.local] = true
	}
	return out
}
