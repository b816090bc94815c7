package gorm

import (
	"go/types"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/gormmodel"
	"github.com/txrobust/robust/ir"
)

// create is Create: of a struct, a map, or several structs.
func (in *run) create(r *chain, v memory.Value) {
	d := draftOf(in.Memory, r)
	s := in.subjectOf(d, v)
	from, _, ok := s.from()
	if !ok || s.m != nil && s.m.Odd != "" || d.lost != "" || d.conflict != nil && d.conflict.lost {
		in.lostWrite(r, s, "a Create that is not modelled", []memory.Value{v})
		return
	}
	if isDict(memory.Unbox(v)) {
		in.createMap(r, s, from, v)
		return
	}
	if s.m == nil || s.destModel != s.m {
		in.lostWrite(r, s, "a Create of values that are not known", []memory.Value{v})
		return
	}
	if s.dest == nil || gotypes.IsSliceOf(s.destType) {
		in.createMany(r, s, from, v)
		return
	}
	in.write(r, s, []string{"BeforeSave", "BeforeCreate"}, []string{"AfterCreate", "AfterSave"}, true, func() {
		in.saveRelations(r, s, false)
		in.insert(r, s, from)
		in.saveRelated(r, s)
	})
}

// inserted is a column of an INSERT with its value.
type inserted struct {
	f *gormmodel.Field
	v memory.Value
}

// insertion are the columns of an INSERT: maybe, if not nil, is one that is there if its
// value is not zero, and back are those that the database gives back.
type insertion struct {
	cols  []inserted
	maybe *inserted
	back  []*gormmodel.Field
}

// insert sends INSERT for a struct. Columns for which the database has a default
// are left out where the field is zero.
func (in *run) insert(r *chain, s *subject, from sqltext.Fragment) {
	var x insertion
	for _, f := range s.m.Fields {
		chosen, known := s.d.chosen(f)
		if !f.Create || known && !chosen && !(f.AutoCreate || f.AutoUpdate) || s.d.omitted(f) {
			continue
		}
		c := memory.PartAt(s.dest, f.Path)
		if c == nil {
			in.lostWrite(r, s, "a Create of values that are not known", nil)
			return
		}
		if !in.insertField(s, f, in.Load(c), &x) {
			in.lostWrite(r, s, "a Create in which several columns may have defaults", []memory.Value{&memory.Pointer{To: s.dest}})
			return
		}
	}
	if x.maybe == nil {
		in.sendInsert(r, s, from, x.cols, x.back)
		return
	}
	with := append([]inserted{*x.maybe}, x.cols...)
	in.Either(in.NonZero(x.maybe.v, x.maybe.f.Type), func() { in.sendInsert(r, s, from, with, x.back) }, func() { in.sendInsert(r, s, from, x.cols, x.back) })
}

// insertField adds the column of a field with the value v. It reports whether that is
// possible: one column at most may be there or not.
func (in *run) insertField(s *subject, f *gormmodel.Field, v memory.Value, x *insertion) bool {
	held := v
	nz := in.NonZero(v, f.Type)
	is, sure := in.Known(nz)
	switch {
	case f.HasDefault && !f.Constant:
		x.back = append(x.back, f)
		switch {
		case sure && !is:
		case sure:
			x.cols = append(x.cols, inserted{f, v})
		case x.maybe == nil:
			x.maybe = &inserted{f, v}
		default:
			return false
		}
		return true
	case f.HasDefault:
		v = in.OrElse(nz, v, constantDefault(f))
	case f.AutoCreate || f.AutoUpdate:
		if !sure || !is {
			v = in.OrElse(nz, v, in.now(f.Type))
		}
	}
	if !memory.Same(memory.Unbox(v), held) {
		in.storeField(s.dest, f, v)
	}
	x.cols = append(x.cols, inserted{f, v})
	return true
}

// sendInsert sends INSERT with some columns, and takes those that come back.
func (in *run) sendInsert(r *chain, s *subject, from sqltext.Fragment, cols []inserted, back []*gormmodel.Field) {
	var names []string
	var vals []sqltext.Fragment
	for _, c := range cols {
		names = append(names, gormmodel.Quote(c.f.Column))
		vals = append(vals, in.ParamOf(memory.Box{V: c.v, T: c.f.Type}))
	}
	f := sqltext.Frag("INSERT INTO ").Plus(from, sqltext.Frag(" ("+strings.Join(names, ", ")+") VALUES ("), sqltext.Join(vals, ", "), sqltext.Frag(")"))
	if len(cols) == 0 {
		f = sqltext.Frag("INSERT INTO ").Plus(from, sqltext.Frag(" DEFAULT VALUES"))
	}
	f = f.Plus(in.conflictText(s, names))
	switch {
	case s.d.all:
		f.Text += " RETURNING *"
	case s.d.returning:
		f.Text += " RETURNING " + client.Hole
	case len(back) > 0:
		var list []string
		for _, b := range back {
			list = append(list, gormmodel.Quote(b.Column))
		}
		f.Text += " RETURNING " + strings.Join(list, ", ")
	}
	rs := in.SendText(r.h, f.Named(s.marks()))
	count := in.Counted(rs)
	switch {
	case s.d.all || s.d.returning:
		in.finishReturning(rs, s)
	default:
		in.takeBack(rs, s, back)
	}
	in.setResult(r, &memory.Failure{}, count)
}

// takeBack stores the columns that an INSERT gives back.
func (in *run) takeBack(rs *memory.Rows, s *subject, back []*gormmodel.Field) {
	rs.One = s.d.conflict != nil
	in.Execute(rs)
	for _, f := range back {
		c := memory.PartAt(s.dest, f.Path)
		if !rs.Mine {
			in.Forget(c)
			continue
		}
		k, null := session.Destination(c.T)
		v := in.Temp(c.Name, k, null)
		rs.Query.Into = append(rs.Query.Into, v)
		if f.Key {
			in.IsKey(v, client.True)
			if rs.One {
				in.IsKey(v, in.Found(rs))
			}
		}
		in.Arrive(rs, c, v)
	}
}

// constantDefault gives the default that the tag of a field has.
func constantDefault(f *gormmodel.Field) memory.Value {
	t := gotypes.Deref(f.Type)
	k := gotypes.KindOf(t)
	switch k {
	case client.Text:
		return memory.Of(client.C(ir.Text(f.Default)), k)
	case client.Bool:
		return memory.Of(client.C(ir.Bool(strings.EqualFold(f.Default, "true") || f.Default == "1" || strings.EqualFold(f.Default, "t"))), k)
	case client.Int:
		if n, ok := parseInt(f.Default); ok {
			return memory.Of(memory.ConstInt(n), k)
		}
	}
	return memory.Of(&client.Call{Name: "default " + f.Default, Kind: k}, k)
}

// createMap inserts the entries of a map.
func (in *run) createMap(r *chain, s *subject, from sqltext.Fragment, v memory.Value) {
	list, known := in.EntriesOf(memory.Unbox(v))
	var names []string
	var vals []sqltext.Fragment
	for _, e := range list {
		known = known && e.When == nil
		name := e.Key
		if f := s.field(name); f != "" {
			name = f
		}
		names = append(names, gormmodel.Quote(name))
		vals = append(vals, in.ParamOf(e.V))
	}
	if !known || len(list) == 0 {
		in.lostWrite(r, s, "a Create with a map that is not known", []memory.Value{v})
		return
	}
	f := sqltext.Frag("INSERT INTO ").Plus(from, sqltext.Frag(" ("+strings.Join(names, ", ")+") VALUES ("), sqltext.Join(vals, ", "), sqltext.Frag(")"), in.conflictText(s, names))
	rs := in.SendText(r.h, f.Named(s.marks()))
	count := in.Counted(rs)
	in.Execute(rs)
	in.setResult(r, &memory.Failure{}, count)
}

// createMany inserts several structs: those of a list that is known one after the
// other, else any number of any rows.
func (in *run) createMany(r *chain, s *subject, from sqltext.Fragment, v memory.Value) {
	var list []memory.Value
	ok := false
	if p, isPointer := memory.Unbox(v).(*memory.Pointer); isPointer && gotypes.IsSliceOf(s.destType) {
		list, ok = in.ListOf(in.Load(p.To))
	} else {
		list, ok = in.ListOf(v)
	}
	elem := s.destType
	for elem != nil && gotypes.IsSliceOf(elem) {
		elem = gotypes.Deref(elem).Underlying().(*types.Slice).Elem()
	}
	if !ok || len(list) == 0 || s.dest != nil {
		in.EmitValue(v)
		in.lostWrite(r, s, "a Create of several rows", []memory.Value{v})
		return
	}
	for _, e := range list {
		if !in.Reached() {
			return
		}
		p, isPointer := memory.Unbox(e).(*memory.Pointer)
		if !isPointer { // a copy: what comes back is lost
			c := in.NewCell(s.m.Type, "row", memory.Zeroed)
			in.Store(c, e)
			p = &memory.Pointer{To: c}
		}
		d := *s.d
		one := newChain(in.Memory, r.h, &d)
		in.create(one, memory.Box{V: p, T: types.NewPointer(s.m.Type)})
		in.copyResult(one, r)
	}
	if p, isPointer := memory.Unbox(v).(*memory.Pointer); isPointer && in.Reached() {
		in.Expose(p)
	}
	if in.Reached() {
		in.Put(r.count, in.SomeCount())
	}
}

// save is Save: an update of all columns of a row that has a key, else an
// insertion. A row that is not there is inserted, too.
func (in *run) save(r *chain, v memory.Value) {
	d := draftOf(in.Memory, r)
	s := in.subjectOf(d, v)
	from, _, ok := s.from()
	if !ok || s.m == nil || s.dest == nil || s.destModel != s.m || s.m.Odd != "" || d.lost != "" || gotypes.IsSliceOf(s.destType) || len(s.m.Keys) == 0 ||
		d.conflict != nil {
		in.lostWrite(r, s, "a Save that is not modelled", []memory.Value{v})
		return
	}
	saved := client.Expr(client.True)
	for _, k := range s.m.Keys {
		c := memory.PartAt(s.dest, k.Path)
		if c == nil {
			in.lostWrite(r, s, "a Save of values that are not known", []memory.Value{v})
			return
		}
		saved = client.And(saved, in.NonZero(in.Load(c), k.Type))
	}
	in.Either(in.Settled(saved), func() { in.saveAll(r, s, from, v) }, func() { in.create(r, v) })
}

// saveAll updates all columns of a row.
func (in *run) saveAll(r *chain, s *subject, from sqltext.Fragment, v memory.Value) {
	d := s.d
	in.write(r, s, []string{"BeforeSave", "BeforeUpdate"}, []string{"AfterUpdate", "AfterSave"}, true, func() {
		in.saveRelations(r, s, true)
		var texts []sqltext.Fragment
		for _, f := range s.m.Fields {
			chosen, known := d.chosen(f)
			if f.Key || !f.Update || known && !chosen {
				continue
			}
			w := in.Load(memory.PartAt(s.dest, f.Path))
			if f.AutoUpdate && !d.skipHooks {
				w = in.now(f.Type)
				in.storeField(s.dest, f, w)
			}
			texts = append(texts, sqltext.Frag(gormmodel.Quote(f.Column)+" = ").Plus(in.ParamOf(memory.Box{V: w, T: f.Type})))
		}
		if len(texts) == 0 {
			in.setResult(r, &memory.Failure{}, memory.Of(memory.ConstInt(0), client.Int))
			return
		}
		var keys []sqltext.Cond
		for _, k := range s.m.Keys {
			f, _ := in.EqualTo(sqltext.PrefixMark+gormmodel.Quote(k.Column), memory.Box{V: in.Load(memory.PartAt(s.dest, k.Path)), T: k.Type})
			keys = append(keys, sqltext.NewCond(f))
		}
		where := s.softDeleteFirst(d.where)
		where = in.deletedLast(s, append(where[:len(where):len(where)], keys...))
		w, _, _ := sqltext.WhereOf(where)
		f := sqltext.Frag("UPDATE ").Plus(from, sqltext.Frag(" SET "), sqltext.Join(texts, ", "), sqltext.Frag(" WHERE "), w)
		rs := in.SendText(r.h, f.Named(s.marks()))
		count := in.Counted(rs)
		in.Execute(rs)
		in.setResult(r, &memory.Failure{}, count)
		in.saveRelated(r, s)
		if len(d.selects) > 0 || !in.Reached() {
			return
		}
		none := memory.Op("==", in.ScalarOf(count).E, memory.ConstInt(0))
		in.Either(none, func() {
			c := newChain(in.Memory, r.h, &draft{where: d.where, table: d.table, tableArg: d.tableArg, alias: d.alias, unscoped: d.unscoped, omits: d.omits,
				skipHooks: true, conflict: &conflict{all: true}})
			in.create(c, v)
			in.copyResult(c, r)
		}, func() {})
	})
}

// firstOr is FirstOrCreate or FirstOrInit.
func (in *run) firstOr(r *chain, args []memory.Value, create bool) {
	d := *draftOf(in.Memory, r)
	if list, ok := in.ListOf(args[1]); !ok || len(list) > 0 {
		if w, has := in.conditionList(args[1]); has {
			d.where = append(d.where[:len(d.where):len(d.where)], w)
		}
	}
	s := in.subjectOf(&d, args[0])
	if s.dest == nil || s.m == nil || s.destModel != s.m || d.lost != "" || d.raw != nil {
		in.lostWrite(r, s, "FirstOrCreate of what is not known", args)
		return
	}
	q := newChain(in.Memory, r.h, &d)
	in.read(q, args[0], reading{one: true, byKey: true})
	n, ok := in.Load(q.count).(memory.Scalar)
	if !ok {
		return
	}
	found := memory.Op("==", n.E, memory.ConstInt(1))
	if v, isVar := in.ChosenBy(n.E); isVar {
		found = v
	}
	assign := func(list []memory.Value) []sqltext.Setting {
		var out []sqltext.Setting
		for _, v := range list {
			if w, ok := in.valueConds([]memory.Value{v}); ok {
				out = append(out, w.Sets...)
			}
		}
		return out
	}
	in.Either(in.Settled(found), func() {
		sets := assign(d.assigns)
		if len(d.assigns) == 0 {
			in.setResult(r, &memory.Failure{}, memory.Of(memory.ConstInt(0), client.Int))
			return
		}
		if create {
			u := newChain(in.Memory, r.h, &draft{model: memory.RefTo(args[0])})
			in.update(u, nil, fixedSets(sets), false)
			in.copyResult(u, r)
			return
		}
		for _, x := range sets {
			in.setField(s, x)
		}
	}, func() {
		for _, w := range d.where {
			for _, x := range w.Sets {
				if w.When != nil {
					x.When = w.When
				}
				in.setField(s, x)
			}
		}
		for _, x := range append(assign(d.attrs), assign(d.assigns)...) {
			in.setField(s, x)
		}
		if create {
			c := newChain(in.Memory, r.h, &draft{})
			in.create(c, args[0])
			in.copyResult(c, r)
		}
	})
}

func (in *run) copyResult(from, to *chain) {
	if !in.Reached() {
		return
	}
	in.Put(to.err, in.Load(from.err))
	in.Put(to.count, in.Load(from.count))
}

// setField stores a value in the field of the struct that a statement is about.
func (in *run) setField(s *subject, x sqltext.Setting) {
	if !in.Reached() || s.dest == nil {
		return
	}
	f := s.m.Field(x.Name[strings.LastIndexByte(x.Name, '.')+1:])
	if f == nil {
		return
	}
	if x.When == nil {
		in.storeField(s.dest, f, x.Value)
		return
	}
	in.Either(in.Settled(x.When), func() { in.storeField(s.dest, f, x.Value) }, func() {})
}
