package gorm

import (
	"slices"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/gormmodel"
)

// updates is Updates: of a struct, or a map.
func (in *run) updates(r *chain, v memory.Value, skip bool) {
	d := draftOf(in.Memory, r)
	x := memory.Unbox(v)
	switch {
	case isDict(x):
		list, known := in.EntriesOf(x)
		if !known {
			in.lostWrite(r, in.subjectOf(d, nil), "Updates with a map that is not known", []memory.Value{v})
			return
		}
		var sets []sqltext.Setting
		for _, e := range list {
			sets = append(sets, sqltext.Setting{Name: e.Key, Value: e.V, When: e.When})
		}
		in.update(r, nil, fixedSets(sets), skip)
	default:
		in.updateStruct(r, v, skip)
	}
}

func isDict(v memory.Value) bool {
	_, ok := v.(*memory.Dict)
	return ok
}

// updateStruct is an update of the fields of a struct that are not zero.
func (in *run) updateStruct(r *chain, v memory.Value, skip bool) {
	d := draftOf(in.Memory, r)
	s := in.subjectOf(d, v)
	m := s.destModel
	if m == nil || s.m == nil || s.destType != nil && gotypes.IsSliceOf(s.destType) {
		in.lostWrite(r, s, "Updates with values that are not known", []memory.Value{v})
		return
	}
	var model memory.Value
	if d.model == nil {
		model = v
	}
	in.update(r, model, func() ([]sqltext.Setting, bool) { return in.fieldSets(s, v, skip) }, skip)
}

// fieldSets gives the columns that an update of the fields of a struct sets, apart
// from those that are set to the time. ok is false if they are not known.
func (in *run) fieldSets(s *subject, v memory.Value, skip bool) (sets []sqltext.Setting, ok bool) {
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
		w, ok := in.FieldAt(v, own.Path)
		if !ok {
			return nil, false
		}
		when := in.NonZero(w, own.Type)
		if len(d.selects) > 0 {
			when = client.True
		}
		if is, known := in.Known(when); known {
			if !is {
				continue
			}
			when = nil
		}
		sets = append(sets, sqltext.Setting{Name: own.Column, Value: memory.Box{V: w, T: own.Type}, When: when})
	}
	return sets, true
}

// fixedSets is what an update sets where that does not depend on hooks.
func fixedSets(sets []sqltext.Setting) func() ([]sqltext.Setting, bool) {
	return func() ([]sqltext.Setting, bool) { return sets, true }
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
func (in *run) update(r *chain, model memory.Value, values func() ([]sqltext.Setting, bool), skip bool) {
	d := draftOf(in.Memory, r)
	if model == nil {
		model = modelValue(d)
	}
	s := in.subjectOf(d, model)
	from, _, ok := s.from()
	many := s.destType != nil && gotypes.IsSliceOf(s.destType)
	if p, isPointer := memory.Unbox(model).(*memory.Pointer); many && isPointer && memory.IsNilValue(memory.Unbox(in.Load(p.To))) {
		many = false
	}
	if !ok || s.m != nil && s.m.Odd != "" || d.lost != "" || many || d.columns != nil {
		var args []memory.Value
		sets, _ := values()
		for _, x := range sets {
			args = append(args, x.Value)
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
			in.lostWrite(r, s, "an update with values that are not known", []memory.Value{model})
			return
		}
		in.sendUpdate(r, s, from, model, sets, skip)
	})
}

// sendUpdate sends the statement of an update.
func (in *run) sendUpdate(r *chain, s *subject, from sqltext.Fragment, model memory.Value, sets []sqltext.Setting, skip bool) {
	d := s.d
	var texts []sqltext.Fragment
	some := client.Expr(client.False)
	var stores []func()
	has := map[string]bool{}
	for _, x := range sets {
		name := x.Name
		var f *gormmodel.Field
		if s.m != nil {
			if f = s.m.Field(name); f != nil {
				name = f.Column
				if chosen, _ := d.chosen(f); !chosen {
					continue
				}
			} else if s.m.Relation(name) != nil {
				in.lostWrite(r, s, "an update of a relation", []memory.Value{x.Value})
				return
			}
		}
		has[name] = true
		g, _ := in.Param(x.Value, "=")
		text := gormmodel.Quote(name) + " = "
		if x.When != nil {
			g = sqltext.Frag("CASE WHEN "+sqltext.ParamMark+" THEN ", memory.Of(x.When, client.Bool)).Plus(g, sqltext.Frag(" ELSE "+gormmodel.Quote(name)+" END"))
			some = client.Or(some, x.When)
		} else {
			some = client.True
		}
		texts = append(texts, sqltext.Frag(text).Plus(g))
		if f != nil && s.dest != nil && s.destModel == s.m {
			stores = append(stores, func() {
				switch {
				case x.When == nil:
					in.storeField(s.dest, f, x.Value)
				case d.model != nil:
					in.Either(in.Settled(x.When), func() { in.storeField(s.dest, f, x.Value) }, func() {})
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
			texts = append(texts, sqltext.Frag(gormmodel.Quote(f.Column)+" = ").Plus(in.ParamOf(now)))
			some = client.True
			if s.dest != nil && s.destModel == s.m {
				stores = append(stores, func() { in.storeField(s.dest, f, now) })
			}
		}
	}
	if len(texts) == 0 {
		in.setResult(r, &memory.Failure{}, memory.Of(memory.ConstInt(0), client.Int))
		return
	}
	where := in.keyConds(s, model, s.softDeleteFirst(d.where))
	f := sqltext.Frag("UPDATE ").Plus(from, sqltext.Frag(" SET "), sqltext.Join(texts, ", "))
	in.Either(in.Settled(some), func() {
		in.guarded(r, s, in.deletedLast(s, where), func(w sqltext.Fragment) {
			f = f.Plus(sqltext.Frag(" WHERE "), w)
			rs := in.SendText(r.h, f.Plus(sqltext.Frag(returningText(s))).Named(s.marks()))
			count := in.Counted(rs)
			in.finishReturning(rs, s)
			in.setResult(r, &memory.Failure{}, count)
		})
		for _, store := range stores {
			if in.Reached() {
				store()
			}
		}
	}, func() { in.setResult(r, &memory.Failure{}, memory.Of(memory.ConstInt(0), client.Int)) })
}

// softDeleteFirst is softDelete for statements that add their keys later.
func (s *subject) softDeleteFirst(where []sqltext.Cond) []sqltext.Cond {
	if !slices.ContainsFunc(where, func(c sqltext.Cond) bool { return c.Or }) {
		return where
	}
	list := s.softDelete(where)
	if len(list) == len(where) {
		return where
	}
	return list[:len(list)-1]
}

// deletedLast puts the condition of soft deletion behind the others.
func (in *run) deletedLast(s *subject, where []sqltext.Cond) []sqltext.Cond {
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
func (in *run) finishReturning(rs *memory.Rows, s *subject) {
	if !s.d.all && !s.d.returning {
		in.Execute(rs)
		return
	}
	if s.dest == nil || s.d.returning {
		rs.Query.Returned = true
		in.Execute(rs)
		if s.dest != nil {
			in.Forget(s.dest)
		}
		return
	}
	rs.One = true
	in.Execute(rs)
	in.takeRow(rs, &memory.Pointer{To: s.dest}, nil)
}
