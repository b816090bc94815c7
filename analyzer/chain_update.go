package analyzer

import (
	"slices"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/gormmodel"
)

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
			when = client.True
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
	some := client.Expr(client.False)
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
			some = client.Or(some, x.when)
		} else {
			some = client.True
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
			some = client.True
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
