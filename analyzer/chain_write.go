package analyzer

import (
	"go/types"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/gormmodel"
)

// sendCall is a call that sends a statement.
func (in *interp) sendCall(inv *invocation, c *chain, role chainRole, name string, args []value) value {
	r := in.instance(c)
	before, ok := in.load(r.err).(*failure)
	if !ok {
		before = &failure{other: in.truthOf(scalar{client.V(in.newVar("failed", client.Bool, false, unknown)), client.Bool})}
	}
	var out value = r
	// After an error, calls on the same chain do nothing.
	in.either(in.settled(in.failed(before)), func() {}, func() { out = in.dispatch(inv, c, r, role, name, args) })
	if in.st == nil {
		return in.quietDead(inv.t)
	}
	return out
}

// dispatch sends the statement of r; c is what the call is made on.
func (in *interp) dispatch(inv *invocation, c, r *chain, role chainRole, name string, args []value) value {
	conds := func(from int) {
		if len(args) > from {
			if list, ok := in.listOf(args[from]); ok && len(list) == 0 {
				return
			}
			if w, ok := in.conditionList(args[from]); ok {
				d := *in.draftOf(r)
				d.where = append(d.where[:len(d.where):len(d.where)], w)
				in.st.mem[r.s] = &d
			}
		}
	}
	skip := strings.HasPrefix(name, "UpdateColumn")
	switch role {
	case firstCall:
		conds(1)
		in.read(r, args[0], reading{one: true, must: true, byKey: true, last: name == "Last"})
	case takeCall:
		conds(1)
		in.read(r, args[0], reading{one: true, must: true})
	case findCall:
		conds(1)
		in.read(r, args[0], reading{})
	case scanCall:
		in.read(r, args[0], reading{noKeys: true, reset: true})
	case pluckCall:
		f := frag(client.Hole)
		if s, ok := constText(args[0]); ok {
			f = frag(columnName(s))
			if m := in.subjectOf(in.draftOf(r), nil).m; m != nil && m.Field(s) != nil {
				f = frag(gormmodel.Quote(m.Field(s).Column))
			}
		}
		in.read(r, args[1], reading{column: f, noKeys: true})
	case countCall:
		in.countCall(r, args[0])
	case rowCall, rowsCall:
		return in.rowsCall(inv, r, role == rowCall)
	case createCall:
		in.create(r, args[0])
	case saveCall:
		in.save(r, args[0])
	case updateCall:
		if s, ok := constText(args[0]); ok {
			in.update(r, nil, fixedSets([]setting{{name: s, v: args[1]}}), skip)
		} else {
			in.lostWrite(r, in.subjectOf(in.draftOf(r), nil), "an update of a column that is not known", args)
		}
	case updatesCall:
		in.updates(r, args[0], skip)
	case deleteCall:
		conds(1)
		in.remove(r, args[0])
	case firstOrCall:
		in.firstOr(r, args, name == "FirstOrCreate")
	case execCall:
		rs := in.sendText(r.h, in.rawText(args))
		rs.query.Standard = false
		count := in.counted(rs)
		in.execute(rs)
		in.setResult(r, &failure{}, count)
	case batchesCall:
		s := in.subjectOf(in.draftOf(r), args[0])
		in.lostWrite(r, s, "FindInBatches", args)
	default:
		panic("analyzer: unknown role of the call of " + name)
	}
	return r
}

// conditionList is conditions for the arguments of a variadic parameter.
func (in *interp) conditionList(v value) (cond, bool) {
	all, ok := in.listOf(v)
	if !ok {
		in.emitValue(v)
		return lostCond(), true
	}
	return in.conditions([]value{all[0], &list{elems: all[1:]}})
}

// countCall counts the rows.
func (in *interp) countCall(r *chain, dest value) {
	d := *in.draftOf(r)
	s := in.subjectOf(&d, nil)
	column := "count(*)"
	switch {
	case len(d.selects) == 1 && strings.HasPrefix(strings.ToLower(strings.TrimSpace(d.selects[0])), "count("):
		column = d.selects[0]
	case len(d.selects) == 1 && isIdentifier(d.selects[0]):
		name := columnName(d.selects[0])
		if f := s.field(d.selects[0]); f != "" {
			name = gormmodel.Quote(f)
		}
		column = "count(" + name + ")"
		if d.distinct {
			column = "count(DISTINCT " + name + ")"
		}
	}
	d.selects, d.columns, d.distinct = nil, nil, false
	s.d = &d
	f, ok := in.selectText(s, reading{column: frag(column), plain: true, noKeys: true})
	if !ok || s.m != nil && s.m.Odd != "" {
		in.lostRead(r, s, dest, "a count of GORM whose table is not known")
		return
	}
	rs := in.sendText(r.h, f)
	p, isPointer := unbox(dest).(*pointer)
	if d.group != "" || !isPointer {
		rs.query.Returned = true
		in.execute(rs)
		in.expose(dest)
		in.setResult(r, &failure{}, nil)
		return
	}
	rs.one = true
	in.execute(rs)
	if rs.mine {
		// There always is a row.
		v := in.temp("count", client.Int, false)
		rs.query.Into = []string{v}
		in.emitShown(p.to, client.V(v))
		in.store(p.to, scalar{client.V(v), client.Int})
	} else {
		in.forget(p.to)
	}
	in.setResult(r, &failure{}, scalar{constInt(1), client.Int})
}

// emitShown says that others see what is stored in a cell that is not new.
func (in *interp) emitShown(c *cell, e client.Expr) {
	if c.start != zeroed {
		in.emitExpr(e)
	}
}

// rowsCall is Row or Rows.
func (in *interp) rowsCall(inv *invocation, r *chain, one bool) value {
	s := in.subjectOf(in.draftOf(r), nil)
	f, ok := in.selectText(s, reading{noKeys: true})
	if !ok {
		in.anything(r.h, nil, true, "a query of GORM whose table is not known")
		return in.fresh(inv.t, "rows", unknown)
	}
	rs := in.sendText(r.h, f)
	if one {
		rs.one = true
		in.execute(rs)
		return rs
	}
	return in.answer(inv.t, rs)
}

// lostWrite is a statement that is not modelled.
func (in *interp) lostWrite(r *chain, s *subject, why string, args []value) {
	for _, a := range args {
		in.emitValue(a)
	}
	in.anything(r.h, s.tables(), false, why)
	for _, a := range args {
		in.expose(a)
	}
	in.setResult(r, in.someError(), in.someCount())
}

// now is a time of a statement.
func (in *interp) now(t types.Type) value {
	k := kindOf(deref(t))
	if k == client.Any {
		k = client.Time
	}
	return scalar{client.V(in.newVar("now", k, false, unknown)), k}
}

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// storeField stores a value in a field of a struct, as what its type wants.
func (in *interp) storeField(c *cell, f *gormmodel.Field, v value) {
	fc := partAt(c, f.Path)
	if fc == nil {
		return
	}
	x := unbox(v)
	switch u := fc.t.Underlying().(type) {
	case *types.Pointer:
		if _, isPointer := x.(*pointer); !isPointer {
			to := in.newCell(u.Elem(), f.Name, zeroed)
			in.st.mem[to] = x
			x = &pointer{to: to}
			if isNilValue(unbox(v)) {
				x = in.zero(fc.t)
			}
		}
	default:
		switch y := x.(type) {
		case *pointer:
			if isTrue(y.nil()) {
				x = in.zero(fc.t)
			} else {
				x = in.scalarOf(y)
			}
		case scalar:
			if _, isOptional := optionalValue(fc.t); isOptional || y.kind != kindOf(fc.t) && !isConstScalar(y) {
				in.emitShown(fc, y.e)
				in.forget(fc)
				return
			}
		case *rawSQL, *chain:
			in.forget(fc)
			return
		}
	}
	if s, ok := x.(scalar); ok {
		in.emitShown(fc, s.e)
	}
	in.store(fc, x)
}

func isConstScalar(s scalar) bool {
	_, ok := s.e.(*client.Const)
	return ok
}

// remove is Delete.
func (in *interp) remove(r *chain, dest value) {
	d := in.draftOf(r)
	s := in.subjectOf(d, dest)
	from, _, ok := s.from()
	if !ok || s.m == nil || s.m.Odd != "" || d.lost != "" || d.returning {
		in.lostWrite(r, s, "a Delete that is not modelled", []value{dest})
		return
	}
	if s.destType != nil && isSliceOf(s.destType) {
		if p, isPointer := unbox(dest).(*pointer); !isPointer || !isNilValue(unbox(in.load(p.to))) {
			in.lostWrite(r, s, "a Delete of several rows", []value{dest})
			return
		}
	}
	in.write(r, s, []string{"BeforeDelete"}, []string{"AfterDelete"}, false, func() {
		where := d.where
		for _, part := range []value{dest, modelValue(d)} {
			where = in.keyConds(s, part, where)
			if d.model == nil {
				break
			}
		}
		if s.m.Deleted != nil && !d.unscoped {
			where = s.softDelete(where)
		}
		f := frag("DELETE FROM ").plus(from)
		if s.m.Deleted != nil && !d.unscoped {
			f = frag("UPDATE ").plus(from, frag(" SET "+gormmodel.Quote(s.m.Deleted.Column)+" = "+paramMark, in.now(types.Typ[types.UnsafePointer]).(scalar)))
		}
		in.guarded(r, s, where, func(w fragment) {
			rs := in.sendText(r.h, f.plus(frag(" WHERE "), w).named(s.marks()))
			count := in.counted(rs)
			in.execute(rs)
			in.setResult(r, &failure{}, count)
		})
	})
}

func isSliceOf(t types.Type) bool {
	t = deref(t)
	_, ok := t.Underlying().(*types.Slice)
	return ok
}

func modelValue(d *draft) value {
	if d.model == nil {
		return nil
	}
	return box{d.model.v, d.model.t}
}

// keyConds adds conditions for the keys of a struct that are not zero.
func (in *interp) keyConds(s *subject, v value, where []cond) []cond {
	if v == nil || s.m == nil {
		return where
	}
	p, ok := unbox(v).(*pointer)
	if !ok {
		return where
	}
	c, ok := in.structCell(p)
	if !ok || in.p.models().Model(c.t) != s.m {
		return where
	}
	inner := *s
	inner.dest = c
	return in.withKeys(&inner, where)
}

// guarded sends a statement with conditions. Without any, GORM refuses to.
func (in *interp) guarded(r *chain, s *subject, where []cond, send func(w fragment)) {
	plain := where
	if s.m != nil && s.m.Deleted != nil && !s.d.unscoped && len(plain) > 0 {
		plain = plain[:len(plain)-1] // that of soft deletion does not count
	}
	refuse := func() { in.setResult(r, &failure{other: client.True}, scalar{constInt(0), client.Int}) }
	global := s.d.global || in.p.config.global
	if len(plain) == 0 && !global {
		refuse()
		return
	}
	w, _, ok := whereOf(where)
	if !ok {
		w = frag("TRUE")
	}
	some := client.Expr(client.False)
	for _, c := range plain {
		switch {
		case c.when != nil:
			some = client.Or(some, c.when)
		case c.perhaps: // what it has is not looked at here
			some = client.Or(some, client.V(in.newVar("some", client.Bool, false, unknown)))
		default:
			some = client.True
		}
	}
	if global {
		some = client.True
	}
	if is, known := in.known(some); len(plain) == 1 && plain[0].when != nil && (!known || is) {
		// The condition holds where the statement is sent.
		one := slices.Clone(where)
		for i := range one {
			one[i].when = nil
		}
		w, _, _ = whereOf(one)
	}
	in.either(in.settled(some), func() { send(w) }, refuse)
}

// migrate takes note of the models that AutoMigrate makes tables for.
func (in *interp) migrate(args []value) {
	list, ok := in.listOf(args[len(args)-1])
	if !ok {
		return
	}
	for _, v := range list {
		if m := in.modelOf(v); m != nil {
			in.p.noteModel(m, in.p.position(in.pos), true)
		}
	}
}
