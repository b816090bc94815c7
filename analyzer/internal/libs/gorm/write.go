package gorm

import (
	"go/types"
	"slices"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/gormmodel"
)

// sendCall is a call that sends a statement.
func (in *run) sendCall(inv *session.Invocation, c *chain, role chainRole, name string, args []memory.Value) memory.Value {
	r := in.instance(c)
	before, ok := in.Load(r.err).(*memory.Failure)
	if !ok {
		before = &memory.Failure{Other: in.TruthOf(memory.Of(client.V(in.NewVar("failed", client.Bool, false, memory.Unknown)), client.Bool))}
	}
	var out memory.Value = r
	// After an error, calls on the same chain do nothing.
	in.Either(in.Settled(in.Failed(before)), func() {}, func() { out = in.dispatch(inv, c, r, role, name, args) })
	if !in.Reached() {
		return in.QuietDead(inv.T)
	}
	return out
}

// dispatch sends the statement of r; c is what the call is made on.
func (in *run) dispatch(inv *session.Invocation, c, r *chain, role chainRole, name string, args []memory.Value) memory.Value {
	conds := func(from int) {
		if len(args) > from {
			if list, ok := in.ListOf(args[from]); ok && len(list) == 0 {
				return
			}
			if w, ok := in.conditionList(args[from]); ok {
				d := *draftOf(in.Memory, r)
				d.where = append(d.where[:len(d.where):len(d.where)], w)
				in.Put(r.s, &d)
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
		f := sqltext.Frag(client.Hole)
		if s, ok := memory.ConstText(args[0]); ok {
			f = sqltext.Frag(columnName(s))
			if m := in.subjectOf(draftOf(in.Memory, r), nil).m; m != nil && m.Field(s) != nil {
				f = sqltext.Frag(gormmodel.Quote(m.Field(s).Column))
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
		if s, ok := memory.ConstText(args[0]); ok {
			in.update(r, nil, fixedSets([]sqltext.Setting{{Name: s, Value: args[1]}}), skip)
		} else {
			in.lostWrite(r, in.subjectOf(draftOf(in.Memory, r), nil), "an update of a column that is not known", args)
		}
	case updatesCall:
		in.updates(r, args[0], skip)
	case deleteCall:
		conds(1)
		in.remove(r, args[0])
	case firstOrCall:
		in.firstOr(r, args, name == "FirstOrCreate")
	case execCall:
		rs := in.SendText(r.h, in.RawText(args))
		rs.Query.Standard = false
		count := in.Counted(rs)
		in.Execute(rs)
		in.setResult(r, &memory.Failure{}, count)
	case batchesCall:
		s := in.subjectOf(draftOf(in.Memory, r), args[0])
		in.lostWrite(r, s, "FindInBatches", args)
	default:
		panic("analyzer: unknown role of the call of " + name)
	}
	return r
}

// conditionList is conditions for the arguments of a variadic parameter.
func (in *run) conditionList(v memory.Value) (sqltext.Cond, bool) {
	all, ok := in.ListOf(v)
	if !ok {
		in.EmitValue(v)
		return lostCond(), true
	}
	return in.conditions([]memory.Value{all[0], &memory.List{Elems: all[1:]}})
}

// countCall counts the rows.
func (in *run) countCall(r *chain, dest memory.Value) {
	d := *draftOf(in.Memory, r)
	s := in.subjectOf(&d, nil)
	column := "count(*)"
	switch {
	case len(d.selects) == 1 && strings.HasPrefix(strings.ToLower(strings.TrimSpace(d.selects[0])), "count("):
		column = d.selects[0]
	case len(d.selects) == 1 && sqltext.IsIdentifier(d.selects[0]):
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
	f, ok := in.selectText(s, reading{column: sqltext.Frag(column), plain: true, noKeys: true})
	if !ok || s.m != nil && s.m.Odd != "" {
		in.lostRead(r, s, dest, "a count of GORM whose table is not known")
		return
	}
	rs := in.SendText(r.h, f)
	p, isPointer := memory.Unbox(dest).(*memory.Pointer)
	if d.group != "" || !isPointer {
		rs.Query.Returned = true
		in.Execute(rs)
		in.Expose(dest)
		in.setResult(r, &memory.Failure{}, nil)
		return
	}
	rs.One = true
	in.Execute(rs)
	if rs.Mine {
		// There always is a row.
		v := in.Temp("count", client.Int, false)
		rs.Query.Into = []string{v}
		in.EmitShown(p.To, client.V(v))
		in.Store(p.To, memory.Of(client.V(v), client.Int))
	} else {
		in.Forget(p.To)
	}
	in.setResult(r, &memory.Failure{}, memory.Of(memory.ConstInt(1), client.Int))
}

// rowsCall is Row or Rows.
func (in *run) rowsCall(inv *session.Invocation, r *chain, one bool) memory.Value {
	s := in.subjectOf(draftOf(in.Memory, r), nil)
	f, ok := in.selectText(s, reading{noKeys: true})
	if !ok {
		in.Anything(r.h, nil, true, "a query of GORM whose table is not known")
		return in.Fresh(inv.T, "rows", memory.Unknown)
	}
	rs := in.SendText(r.h, f)
	if one {
		rs.One = true
		in.Execute(rs)
		return rs
	}
	return in.Answer(inv.T, rs)
}

// lostWrite is a statement that is not modelled.
func (in *run) lostWrite(r *chain, s *subject, why string, args []memory.Value) {
	for _, a := range args {
		in.EmitValue(a)
	}
	in.Anything(r.h, s.tables(), false, why)
	for _, a := range args {
		in.Expose(a)
	}
	in.setResult(r, in.SomeError(), in.SomeCount())
}

// now is a time of a statement.
func (in *run) now(t types.Type) memory.Value {
	k := gotypes.KindOf(gotypes.Deref(t))
	if k == client.Any {
		k = client.Time
	}
	return memory.Of(client.V(in.NewVar("now", k, false, memory.Unknown)), k)
}

// storeField stores a value in a field of a struct, as what its type wants.
func (in *run) storeField(c *memory.Cell, f *gormmodel.Field, v memory.Value) {
	fc := memory.PartAt(c, f.Path)
	if fc == nil {
		return
	}
	x := memory.Unbox(v)
	switch u := fc.T.Underlying().(type) {
	case *types.Pointer:
		if _, isPointer := x.(*memory.Pointer); !isPointer {
			to := in.NewCell(u.Elem(), f.Name, memory.Zeroed)
			in.Put(to, x)
			x = &memory.Pointer{To: to}
			if memory.IsNilValue(memory.Unbox(v)) {
				x = in.Zero(fc.T)
			}
		}
	default:
		switch y := x.(type) {
		case *memory.Pointer:
			if memory.IsTrue(y.Nil()) {
				x = in.Zero(fc.T)
			} else {
				x = in.ScalarOf(y)
			}
		case memory.Scalar:
			if _, isOptional := gotypes.OptionalValue(fc.T); isOptional || y.Kind != gotypes.KindOf(fc.T) && !isConstScalar(y) {
				in.EmitShown(fc, y.E)
				in.Forget(fc)
				return
			}
		case *sqltext.Raw, *chain:
			in.Forget(fc)
			return
		}
	}
	if s, ok := x.(memory.Scalar); ok {
		in.EmitShown(fc, s.E)
	}
	in.Store(fc, x)
}

func isConstScalar(s memory.Scalar) bool {
	_, ok := s.E.(*client.Const)
	return ok
}

// remove is Delete.
func (in *run) remove(r *chain, dest memory.Value) {
	d := draftOf(in.Memory, r)
	s := in.subjectOf(d, dest)
	from, _, ok := s.from()
	if !ok || s.m == nil || s.m.Odd != "" || d.lost != "" || d.returning {
		in.lostWrite(r, s, "a Delete that is not modelled", []memory.Value{dest})
		return
	}
	if s.destType != nil && gotypes.IsSliceOf(s.destType) {
		if p, isPointer := memory.Unbox(dest).(*memory.Pointer); !isPointer || !memory.IsNilValue(memory.Unbox(in.Load(p.To))) {
			in.lostWrite(r, s, "a Delete of several rows", []memory.Value{dest})
			return
		}
	}
	in.write(r, s, []string{"BeforeDelete"}, []string{"AfterDelete"}, false, func() {
		where := d.where
		for _, part := range []memory.Value{dest, modelValue(d)} {
			where = in.keyConds(s, part, where)
			if d.model == nil {
				break
			}
		}
		if s.m.Deleted != nil && !d.unscoped {
			where = s.softDelete(where)
		}
		f := sqltext.Frag("DELETE FROM ").Plus(from)
		if s.m.Deleted != nil && !d.unscoped {
			f = sqltext.Frag("UPDATE ").Plus(from, sqltext.Frag(" SET "+gormmodel.Quote(s.m.Deleted.Column)+" = "+sqltext.ParamMark, in.now(types.Typ[types.UnsafePointer]).(memory.Scalar)))
		}
		in.guarded(r, s, where, func(w sqltext.Fragment) {
			rs := in.SendText(r.h, f.Plus(sqltext.Frag(" WHERE "), w).Named(s.marks()))
			count := in.Counted(rs)
			in.Execute(rs)
			in.setResult(r, &memory.Failure{}, count)
		})
	})
}

func modelValue(d *draft) memory.Value {
	if d.model == nil {
		return nil
	}
	return memory.Box{V: d.model.V, T: d.model.T}
}

// keyConds adds conditions for the keys of a struct that are not zero.
func (in *run) keyConds(s *subject, v memory.Value, where []sqltext.Cond) []sqltext.Cond {
	if v == nil || s.m == nil {
		return where
	}
	p, ok := memory.Unbox(v).(*memory.Pointer)
	if !ok {
		return where
	}
	c, ok := in.StructCell(p)
	if !ok || in.lib.models().Model(c.T) != s.m {
		return where
	}
	inner := *s
	inner.dest = c
	return in.withKeys(&inner, where)
}

// guarded sends a statement with conditions. Without any, GORM refuses to.
func (in *run) guarded(r *chain, s *subject, where []sqltext.Cond, send func(w sqltext.Fragment)) {
	plain := where
	if s.m != nil && s.m.Deleted != nil && !s.d.unscoped && len(plain) > 0 {
		plain = plain[:len(plain)-1] // that of soft deletion does not count
	}
	refuse := func() {
		in.setResult(r, &memory.Failure{Other: client.True}, memory.Of(memory.ConstInt(0), client.Int))
	}
	global := s.d.global || in.lib.config.global
	if len(plain) == 0 && !global {
		refuse()
		return
	}
	w, _, ok := sqltext.WhereOf(where)
	if !ok {
		w = sqltext.Frag("TRUE")
	}
	some := client.Expr(client.False)
	for _, c := range plain {
		switch {
		case c.When != nil:
			some = client.Or(some, c.When)
		case c.Perhaps: // what it has is not looked at here
			some = client.Or(some, client.V(in.NewVar("some", client.Bool, false, memory.Unknown)))
		default:
			some = client.True
		}
	}
	if global {
		some = client.True
	}
	if is, known := in.Known(some); len(plain) == 1 && plain[0].When != nil && (!known || is) {
		// The condition holds where the statement is sent.
		one := slices.Clone(where)
		for i := range one {
			one[i].When = nil
		}
		w, _, _ = sqltext.WhereOf(one)
	}
	in.Either(in.Settled(some), func() { send(w) }, refuse)
}

// migrate records the models that AutoMigrate makes tables for.
func (in *run) migrate(args []memory.Value) {
	list, ok := in.ListOf(args[len(args)-1])
	if !ok {
		return
	}
	for _, v := range list {
		if m := in.modelOf(v); m != nil {
			in.lib.noteModel(m, in.Here(), true)
		}
	}
}
