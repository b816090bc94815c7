package analyzer

import (
	"go/types"
	"slices"
	"strings"

	"github.com/txrobust/robust/client"
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
	return in.conditions([]value{all[0], &list{all[1:]}})
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
	out := in.quiet(inv.t).(tuple)
	out[0] = rs
	return out
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
	in.setResult(r, in.fresh(types.Universe.Lookup("error").Type(), "err", unknown).(*failure), in.fresh(types.Typ[types.Int64], "affected", unknown))
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
	refuse := func() { in.setResult(r, &failure{other: constTrue}, scalar{constInt(0), client.Int}) }
	global := s.d.global || in.p.config.global
	if len(plain) == 0 && !global {
		refuse()
		return
	}
	w, _, ok := whereOf(where)
	if !ok {
		w = frag("TRUE")
	}
	some := client.Expr(constFalse)
	for _, c := range plain {
		switch {
		case c.when != nil:
			some = or(some, c.when)
		case c.perhaps: // what it has is not looked at here
			some = or(some, client.V(in.newVar("some", client.Bool, false, unknown)))
		default:
			some = constTrue
		}
	}
	if global {
		some = constTrue
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

// updates is Updates: of a struct, or a map.
func (in *interp) updates(r *chain, v value, skip bool) {
	d := in.draftOf(r)
	x := unbox(v)
	switch {
	case isDict(x):
		list, known := in.entriesOf(x)
		if !known {
			in.lostWrite(r, in.subjectOf(d, nil), "Updates with a map that is not known", []value{v})
			return
		}
		var sets []setting
		for _, e := range list {
			sets = append(sets, setting{e.key, e.v, e.when})
		}
		in.update(r, nil, fixedSets(sets), skip)
	default:
		in.updateStruct(r, v, skip)
	}
}

func isDict(v value) bool {
	_, ok := v.(*dict)
	return ok
}

// updateStruct is an update of the fields of a struct that are not zero.
func (in *interp) updateStruct(r *chain, v value, skip bool) {
	d := in.draftOf(r)
	s := in.subjectOf(d, v)
	m := s.destModel
	if m == nil || s.m == nil || s.destType != nil && isSliceOf(s.destType) {
		in.lostWrite(r, s, "Updates with values that are not known", []value{v})
		return
	}
	var model value
	if d.model == nil {
		model = v
	}
	in.update(r, model, func() ([]setting, bool) { return in.fieldSets(s, v, skip) }, skip)
}

// fieldSets gives the columns that an update of the fields of a struct sets, apart
// from those that are set to the time. ok is false if they are not known.
func (in *interp) fieldSets(s *subject, v value, skip bool) (sets []setting, ok bool) {
	d, isModel := s.d, s.d.model == nil
	for _, f := range s.m.Fields {
		own := s.destModel.Field(f.Column)
		if own == nil || own.Key && isModel || !own.Update {
			continue
		}
		chosen, known := d.chosen(own)
		if known && !chosen || own.AutoUpdate && !skip && !d.skipHooks {
			continue
		}
		w, ok := in.fieldOf(v, own)
		if !ok {
			return nil, false
		}
		when := in.nonZero(w, own.Type)
		if len(d.selects) > 0 {
			when = constTrue
		}
		if is, known := in.known(when); known {
			if !is {
				continue
			}
			when = nil
		}
		sets = append(sets, setting{name: own.Column, v: box{w, own.Type}, when: when})
	}
	return sets, true
}

// fixedSets is what an update sets where that does not depend on hooks.
func fixedSets(sets []setting) func() ([]setting, bool) {
	return func() ([]setting, bool) { return sets, true }
}

// chosen reports whether a field is among those that Select and Omit leave; known
// is false where they name none.
func (d *draft) chosen(f *gormmodel.Field) (is, known bool) {
	if d.omitted(f) {
		return false, true
	}
	if len(d.selects) == 0 {
		return true, false
	}
	return slices.Contains(d.selects, "*") || slices.Contains(d.selects, f.Column) || slices.Contains(d.selects, f.Name), true
}

func (d *draft) omitted(f *gormmodel.Field) bool {
	return slices.Contains(d.omits, f.Column) || slices.Contains(d.omits, f.Name)
}

// update sends UPDATE. model is the struct that the statement is about, nil for
// the argument of Model; values gives what is set, when the hooks have run.
func (in *interp) update(r *chain, model value, values func() ([]setting, bool), skip bool) {
	d := in.draftOf(r)
	if model == nil {
		model = modelValue(d)
	}
	s := in.subjectOf(d, model)
	from, _, ok := s.from()
	many := s.destType != nil && isSliceOf(s.destType)
	if p, isPointer := unbox(model).(*pointer); many && isPointer && isNilValue(unbox(in.load(p.to))) {
		many = false
	}
	if !ok || s.m != nil && s.m.Odd != "" || d.lost != "" || many || d.columns != nil {
		var args []value
		sets, _ := values()
		for _, x := range sets {
			args = append(args, x.v)
		}
		in.lostWrite(r, s, "an update that is not modelled", append(args, model))
		return
	}
	before, after := []string{"BeforeSave", "BeforeUpdate"}, []string{"AfterUpdate", "AfterSave"}
	if skip {
		before, after = nil, nil
	}
	in.write(r, s, before, after, true, func() {
		in.saveRelations(r, s, true)
		sets, ok := values()
		if !ok {
			in.lostWrite(r, s, "an update with values that are not known", []value{model})
			return
		}
		in.sendUpdate(r, s, from, model, sets, skip)
	})
}

// sendUpdate sends the statement of an update.
func (in *interp) sendUpdate(r *chain, s *subject, from fragment, model value, sets []setting, skip bool) {
	d := s.d
	var texts []fragment
	some := client.Expr(constFalse)
	var stores []func()
	has := map[string]bool{}
	for _, x := range sets {
		name := x.name
		var f *gormmodel.Field
		if s.m != nil {
			if f = s.m.Field(name); f != nil {
				name = f.Column
				if chosen, _ := d.chosen(f); !chosen {
					continue
				}
			} else if s.m.Relation(name) != nil {
				in.lostWrite(r, s, "an update of a relation", []value{x.v})
				return
			}
		}
		has[name] = true
		g, _ := in.param(x.v, "=")
		text := gormmodel.Quote(name) + " = "
		if x.when != nil {
			g = frag("CASE WHEN "+paramMark+" THEN ", scalar{x.when, client.Bool}).plus(g, frag(" ELSE "+gormmodel.Quote(name)+" END"))
			some = or(some, x.when)
		} else {
			some = constTrue
		}
		texts = append(texts, frag(text).plus(g))
		if f != nil && s.dest != nil && s.destModel == s.m {
			stores = append(stores, func() {
				switch {
				case x.when == nil:
					in.storeField(s.dest, f, x.v)
				case d.model != nil:
					in.either(in.settled(x.when), func() { in.storeField(s.dest, f, x.v) }, func() {})
				}
			})
		}
	}
	if s.m != nil && !skip && !d.skipHooks {
		for _, f := range s.m.Fields {
			if !f.AutoUpdate || has[f.Column] || d.omitted(f) || !f.Update {
				continue
			}
			now := in.now(f.Type)
			texts = append(texts, frag(gormmodel.Quote(f.Column)+" = ").plus(in.paramOf(now)))
			some = constTrue
			if s.dest != nil && s.destModel == s.m {
				stores = append(stores, func() { in.storeField(s.dest, f, now) })
			}
		}
	}
	if len(texts) == 0 {
		in.setResult(r, &failure{}, scalar{constInt(0), client.Int})
		return
	}
	where := in.keyConds(s, model, s.softDeleteFirst(d.where))
	f := frag("UPDATE ").plus(from, frag(" SET "), joinFragments(texts, ", "))
	in.either(in.settled(some), func() {
		in.guarded(r, s, in.deletedLast(s, where), func(w fragment) {
			f = f.plus(frag(" WHERE "), w)
			rs := in.sendText(r.h, f.plus(frag(returningText(s))).named(s.marks()))
			count := in.counted(rs)
			in.finishReturning(rs, s)
			in.setResult(r, &failure{}, count)
		})
		for _, store := range stores {
			if in.st != nil {
				store()
			}
		}
	}, func() { in.setResult(r, &failure{}, scalar{constInt(0), client.Int}) })
}

// softDeleteFirst is softDelete for statements that add their keys later.
func (s *subject) softDeleteFirst(where []cond) []cond {
	if !slices.ContainsFunc(where, func(c cond) bool { return c.or }) {
		return where
	}
	list := s.softDelete(where)
	if len(list) == len(where) {
		return where
	}
	return list[:len(list)-1]
}

// deletedLast puts the condition of soft deletion behind the others.
func (in *interp) deletedLast(s *subject, where []cond) []cond {
	if s.m == nil {
		return where
	}
	return s.softDelete(where)
}

// returningText gives RETURNING, if the statement has it.
func returningText(s *subject) string {
	switch {
	case s.d.all:
		return " RETURNING *"
	case s.d.returning:
		return " RETURNING " + client.Hole
	}
	return ""
}

// finishReturning executes a write, and takes the row that it gives back to the
// struct that it is about.
func (in *interp) finishReturning(rs *rows, s *subject) {
	if !s.d.all && !s.d.returning {
		in.execute(rs)
		return
	}
	if s.dest == nil || s.d.returning {
		rs.query.Returned = true
		in.execute(rs)
		if s.dest != nil {
			in.forget(s.dest)
		}
		return
	}
	rs.one = true
	in.execute(rs)
	in.takeRow(rs, &pointer{to: s.dest}, nil)
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
