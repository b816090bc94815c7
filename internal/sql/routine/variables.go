package routine

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/proc"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// declaration declares a variable of DECLARE and gives it its first value.
func (b *Builder) declaration(f *expr.Frame, d plpgsql.Decl) {
	pos := f.Text.Pos(d.At)
	if f.Scope.Vars[d.Name] != nil {
		b.App.Fail(pos, "variable %s is declared twice", d.Name)
	}
	switch {
	case d.Alias != "":
		v, _ := f.Scope.Find([]string{d.Alias})
		if d.Alias[0] == '$' {
			v = f.Numbered(d.Alias)
		}
		if v == nil {
			b.App.Fail(pos, "there is no variable %s for %s to be an alias of", d.Alias, d.Name)
		}
		f.Scope.Vars[d.Name] = v
		return
	case d.Cursor:
		v := &expr.Variable{Name: d.Name, Type: schema.Opaque("refcursor"), Local: b.Local(d.Name, schema.TAny)}
		if !d.Args && !d.Query.Empty() {
			v.Cursor = &expr.Cursor{Query: d.Query, Scope: f.Scope.Copy()}
		}
		f.Scope.Vars[d.Name] = v
		return
	}
	t, domain := b.declaredType(f, d)
	// A default sees the variables before it, and not the variable itself, which
	// is declared after.
	var v *expr.Val
	if !d.Default.Empty() {
		why, ok := b.Attempt(func() { x := b.value(f, d.Default); v = &x })
		if !ok {
			s, _ := b.expression(f, d.Default)
			b.GiveUp(pos, b.RefsOf(s), why)
		}
	}
	w := b.declare(f, d.Name, t)
	switch w.Domain = domain; {
	case !w.IsRecord && t.Name != schema.NArray:
		b.Demand(domain, t, w.Local, pos)
	case domain.Demanding():
		b.MayBreak(domain, domain.Refusal(), pos)
	}
	if d.NotNull {
		b.demandNotNull(w)
	}
	switch {
	case v != nil:
		b.store(f, w, *v, pos)
	case !d.Default.Empty():
		for _, x := range w.Dests() {
			b.Havoc(pos, x.Local)
		}
	default:
		b.startNull(w, pos)
	}
	w.NotNull = d.NotNull
}

// startNull sets a variable to NULL where its declaration may be reached
// several times.
func (b *Builder) startNull(v *expr.Variable, pos ir.Pos) {
	for _, d := range v.Dests() {
		if b.LoopDepth == 0 && len(b.Calls) == 1 && b.Demands[d.Local] == nil {
			continue
		}
		b.EmitWeak(&ir.Assign{At: expr.At(pos), Var: d.Local, Expr: ir.C(ir.Null)})
	}
}

// declaredType reads the type of a declaration, %TYPE and %ROWTYPE included, and its domain, nil
// if it is none.
func (b *Builder) declaredType(f *expr.Frame, d plpgsql.Decl) (schema.Type, *schema.UserType) {
	src := d.Type.Text(f.Text.SQL)
	lower := strings.ToLower(strings.Join(strings.Fields(src), ""))
	pos := f.Text.Pos(d.Type.Start)
	if name, ok := strings.CutSuffix(lower, "%rowtype"); ok {
		t := b.App.NamedType(name, f.Text, int32(d.Type.Start))
		if len(b.App.FieldsOf(t.Name)) == 0 && b.App.Outside(name) {
			return schema.TRecord, nil
		}
		if len(b.App.FieldsOf(t.Name)) == 0 {
			b.App.Fail(pos, "there is no table %s", name)
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
	t := f.Text.Part("SELECT NULL::", d.Type)
	stmts, err := t.Parse()
	if err != nil {
		panic(err)
	}
	if s, ok := pg.Inner(stmts[0].Stmt).(*pg.SelectStmt); ok && len(s.TargetList) == 1 {
		if c, ok := pg.Inner(pg.TargetValue(s.TargetList[0])).(*pg.TypeCast); ok {
			name := c.TypeName
			return b.App.TypeOf(name, t), b.App.DomainOf(&pg.TypeName{Names: name.Names, PctType: name.PctType}, f.Text) // of an array, that of its elements
		}
	}
	b.App.Fail(pos, "%s is no type", src)
	return schema.Type{}, nil
}

// typeOfName is x%TYPE: of a variable, a field or a column, with its domain, nil if it is none.
func (b *Builder) typeOfName(f *expr.Frame, parts []string, pos ir.Pos) (schema.Type, *schema.UserType) {
	if v, fd := f.Scope.Find(parts); fd != nil {
		return fd.Type, fd.Domain
	} else if v != nil {
		return v.Type, v.Domain
	}
	if len(parts) > 1 {
		of, name := syntax.Qualified(parts[:len(parts)-1]), parts[len(parts)-1]
		if tab := b.App.Sees(f.Text).Table(of); tab != nil {
			if c := tab.Column(name); c != nil {
				return c.T, c.Domain
			}
			if tab.OddAll && b.App.Outside(of) {
				return schema.Opaque(syntax.Qualified(parts)), nil
			}
			b.App.Fail(pos, "table %s has no column %s", tab.Name, name)
		}
		if fields := b.App.FieldsOf(b.App.RowTypeOf(b.App.Sees(f.Text), of, pos)); fields != nil {
			for _, fd := range fields {
				if fd.Name == name {
					return fd.T, fd.Domain
				}
			}
			b.App.Fail(pos, "view %s has no column %s", of, name)
		}
		if b.App.Outside(of) {
			return schema.Opaque(syntax.Qualified(parts)), nil
		}
	}
	b.App.Fail(pos, "there is no column or variable %s", strings.Join(parts, "."))
	return schema.Type{}, nil
}

// store assigns a value to a variable.
func (b *Builder) store(f *expr.Frame, v *expr.Variable, e expr.Val, pos ir.Pos) {
	x := query.NewPlace(expr.Spot{App: b.App, Draft: b.Draft, Frame: f, Text: f.Text})
	if !v.IsRecord {
		if e.Record {
			if len(e.Fields) != 1 {
				b.Unmodelled("a row in the variable %s", v.Name)
			}
			e = e.Fields[0].Val()
		}
		b.Assign(pos, v.Local, x.Assigned(e, v.Type, 0).Expr)
		return
	}
	switch {
	case e.Record:
		list, rest := b.recordDests(v, e.Fields, pos)
		b.AssignAll(x, pos, list, e.Fields)
		b.SetNull(pos, rest)
	case e.IsNull():
		b.SetNull(pos, v.Dests())
	default: // a value of a composite type
		fields := b.App.FieldsOf(e.Type.Name)
		if len(fields) == 0 {
			b.Unmodelled("a value of unknown shape in the record %s", v.Name)
		}
		var cols []expr.Column
		for _, fd := range fields {
			cols = append(cols, expr.Column{Name: fd.Name, Expr: expr.Accessor(e, fd), Type: fd.T})
		}
		list, rest := b.recordDests(v, cols, pos)
		b.AssignAll(x, pos, list, cols)
		b.SetNull(pos, rest)
	}
}

// recordDests gives the locals that take the columns of a row. A variable of
// type record takes their names and types; all that it ever held keep their
// locals, so that a field is found after either branch of an IF.
func (b *Builder) recordDests(v *expr.Variable, cols []expr.Column, pos ir.Pos) (list, rest []expr.Dest) {
	if v.Fixed {
		b.demandParts(v.Fields, cols, pos)
		all := v.Dests()
		return firstOf(all, len(cols)), all[min(len(cols), len(all)):]
	}
	v.Fields = nil
	for _, c := range cols {
		t := c.Type
		if t.Name == schema.NUnknown {
			t = schema.TText
		}
		old := v.Held(c.Name)
		switch {
		case old == nil:
			v.All = append(v.All, expr.Field{Name: c.Name, Local: b.FieldLocal(v.Name, c.Name, t), Type: t})
			old = &v.All[len(v.All)-1]
		case expr.LocalType(old.Type) != expr.LocalType(t):
			if !(old.Type.Numeric() && t.Numeric()) {
				b.App.Fail(pos, "the record %s holds rows of different shapes (its field %s is %s and %s); declare two records", v.Name, c.Name, old.Type, t)
			}
			if old.Type.Name == schema.NInt { // the wider type holds both
				b.RetypeLocal(old.Local, t)
				old.Type = t
			}
		}
		v.Fields = append(v.Fields, *old)
		list = append(list, expr.Dest{Local: old.Local, T: old.Type})
	}
	return list, nil
}

// RetypeLocal widens the type of a local.
func (b *Builder) RetypeLocal(name string, t schema.Type) {
	for i := range b.Txn.Locals {
		if b.Txn.Locals[i].Name == name {
			b.Txn.Locals[i].Type, b.Txn.Locals[i].Domain = expr.LocalType(t), t.Domain()
		}
	}
}

// assignment translates target := expr.
func (b *Builder) assignment(f *expr.Frame, s *plpgsql.Assign, pos ir.Pos) {
	e := b.value(f, s.Expr)
	v, fd := b.targetOf(f, s.Target)
	if s.Slice {
		b.Unmodelled("an assignment to a slice of an array")
	}
	if s.Deep {
		b.Unmodelled("an assignment to a field of an element")
	}
	d := destOf(v, fd)
	x := b.Ex(f, f.Text)
	switch {
	case len(s.Subscripts) > 0:
		if d.T.Name != schema.NArray {
			if fd == nil && v.IsRecord || d.T.Name != schema.NJSON {
				b.App.Fail(f.Text.Pos(s.Target.At), "only arrays have subscripts, but this has type %s", d.T)
			}
		}
		x.NoRow(e)
		args := []ir.Expr{ir.V(d.Local)}
		for _, sub := range s.Subscripts {
			i := b.value(f, sub)
			x.NoRow(i)
			args = append(args, x.DefaultType(i).Expr)
			if !i.NotNull {
				b.Require(pos, expr.IsNotNull(x.DefaultType(i).Expr), expr.NullVariable)
			}
		}
		if d.T.Name == schema.NArray && len(s.Subscripts) == 1 {
			e = x.Assigned(e, d.T.Element(), 0)
		}
		args = append(args, x.DefaultType(e).Expr)
		b.Assign(pos, d.Local, &ir.Call{Name: "set", Args: args, Type: expr.LocalType(d.T)})
	case fd != nil:
		if e.Record {
			b.Unmodelled("a row in a field")
		}
		if !v.Fixed {
			b.demandOfRecord(fd.Type, pos)
		}
		b.MayRefuseAny(fd.Within, fd.Domain, pos)
		b.Assign(pos, d.Local, x.Becomes(fd.Domain, x.Assigned(e, d.T, 0)).Expr)
	default:
		b.store(f, v, e, pos)
	}
}

// destOf gives the local of a variable, or of a field of it, "" for a record.
func destOf(v *expr.Variable, fd *expr.Field) expr.Dest {
	if fd != nil {
		return expr.Dest{Local: fd.Local, T: fd.Type}
	}
	return expr.Dest{Local: v.Local, T: v.Type}
}

// firstOf gives the first n of list, with locals that drop values where it has fewer.
func firstOf(list []expr.Dest, n int) []expr.Dest {
	out := make([]expr.Dest, n)
	copy(out, list)
	return out
}

// TargetOf finds the variable that is to be set.
func (b *Builder) targetOf(f *expr.Frame, n plpgsql.Name) (*expr.Variable, *expr.Field) {
	if n.Parts[0][0] == '$' {
		if v := f.Numbered(n.Parts[0]); v != nil {
			return v, nil
		}
		b.App.Fail(f.Text.Pos(n.At), "there is no parameter %s", n.Parts[0])
	}
	v, fd := f.Scope.Find(n.Parts)
	name := strings.Join(n.Parts, ".")
	switch {
	case v == nil:
		b.App.Fail(f.Text.Pos(n.At), "there is no variable %s; declare it", name)
	case fd == nil && v.IsRecord && len(n.Parts) > 1 && n.Parts[len(n.Parts)-1] != v.Name:
		if !v.Fixed {
			b.Unmodelled("a field of the record %s that is not known here", v.Name)
		}
		b.App.Fail(f.Text.Pos(n.At), "record %s has no field %s", v.Name, n.Parts[len(n.Parts)-1])
	}
	return v, fd
}

// into gives the sink for an INTO clause, and what is to follow the command:
// where a handler catches what STRICT refuses, the targets are set last, since
// they keep their values then.
func (b *Builder) into(f *expr.Frame, in *plpgsql.Into, pos ir.Pos) (to expr.Sink, store func()) {
	dests := b.destsFor(f, in.Targets, pos)
	to = expr.Sink{Kind: expr.IntoLocals, Strict: in.Strict, Dests: dests}
	if !in.Strict || !b.Caught(expr.NoData, expr.TooManyRows) {
		return to, func() {}
	}
	if f.Rowcount != "" {
		b.Unmodelled("ROW_COUNT, with STRICT in a block with EXCEPTION")
	}
	var list, rest []expr.Dest
	first := map[string]string{} // where the value of a target goes
	to.Dests = func(cols []expr.Column) ([]expr.Dest, []expr.Dest) {
		list, rest = dests(cols)
		from := make([]expr.Dest, len(list))
		for i, d := range list {
			if d.Local != "" && first[d.Local] == "" {
				first[d.Local] = b.Local(d.Local, d.T)
			}
			from[i] = expr.Dest{Local: first[d.Local], T: d.T}
		}
		return from, nil
	}
	return to, func() {
		for _, d := range list {
			if d.Local != "" {
				b.Assign(pos, d.Local, ir.V(first[d.Local]))
			}
		}
		b.SetNull(pos, rest)
	}
}

// destsFor gives the locals of a list of targets: one record, or variables.
func (b *Builder) destsFor(f *expr.Frame, targets []plpgsql.Name, pos ir.Pos) func([]expr.Column) ([]expr.Dest, []expr.Dest) {
	return func(cols []expr.Column) (list, rest []expr.Dest) {
		if len(targets) == 1 {
			if v, fd := b.targetOf(f, targets[0]); v.IsRecord && fd == nil {
				return b.recordDests(v, cols, pos)
			}
		}
		var all []expr.Dest
		for _, n := range targets {
			v, fd := b.targetOf(f, n)
			if fd == nil && v.IsRecord {
				b.App.Fail(f.Text.Pos(n.At), "%s is a record: it must be the only target of INTO", v.Name)
			}
			all = append(all, destOf(v, fd))
		}
		list = firstOf(all, len(cols))
		for i, d := range all {
			if len(b.Demands[d.Local]) > 0 && slices.ContainsFunc(all[:i], func(o expr.Dest) bool { return o.Local == d.Local }) {
				b.Unmodelled("INTO that sets a variable twice which is NOT NULL or of a domain")
			}
		}
		rest = all[min(len(cols), len(all)):]
		return proc.LastOnes(list, rest), rest
	}
}
