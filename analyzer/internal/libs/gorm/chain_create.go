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

// insert sends INSERT for a struct. Columns for which the database has a default
// are left out where the field is zero.
func (in *run) insert(r *chain, s *subject, from sqltext.Fragment) {
	d := s.d
	type column struct {
		f *gormmodel.Field
		v memory.Value
	}
	var cols []column
	var maybe *column
	var back []*gormmodel.Field
	for _, f := range s.m.Fields {
		chosen, known := d.chosen(f)
		if !f.Create || known && !chosen && !(f.AutoCreate || f.AutoUpdate) || d.omitted(f) {
			continue
		}
		c := memory.PartAt(s.dest, f.Path)
		if c == nil {
			in.lostWrite(r, s, "a Create of values that are not known", nil)
			return
		}
		v := in.Load(c)
		nz := in.nonZero(v, f.Type)
		is, sure := in.Known(nz)
		switch {
		case f.HasDefault && !f.Constant:
			back = append(back, f)
			switch {
			case sure && !is:
			case sure:
				cols = append(cols, column{f, v})
			case maybe == nil:
				maybe = &column{f, v}
			default:
				in.lostWrite(r, s, "a Create in which several columns may have defaults", []memory.Value{&memory.Pointer{To: s.dest}})
				return
			}
			continue
		case f.HasDefault:
			v = in.OrElse(nz, v, constantDefault(f))
		case f.AutoCreate || f.AutoUpdate:
			if !sure || !is {
				v = in.OrElse(nz, v, in.now(f.Type))
			}
		}
		if !memory.Same(memory.Unbox(v), in.Load(c)) {
			in.storeField(s.dest, f, v)
		}
		cols = append(cols, column{f, v})
	}
	send := func(cols []column) {
		var names []string
		var vals []sqltext.Fragment
		for _, c := range cols {
			names = append(names, gormmodel.Quote(c.f.Column))
			vals = append(vals, in.ParamOf(memory.Box{V: c.v, T: c.f.Type}))
		}
		f := sqltext.Frag("INSERT INTO ").Plus(from, sqltext.Frag(" ("+strings.Join(names, ", ")+") VALUES ("), sqltext.JoinFragments(vals, ", "), sqltext.Frag(")"))
		if len(cols) == 0 {
			f = sqltext.Frag("INSERT INTO ").Plus(from, sqltext.Frag(" DEFAULT VALUES"))
		}
		f = f.Plus(in.conflictText(s, names))
		switch {
		case d.all:
			f.Text += " RETURNING *"
		case d.returning:
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
		case d.all || d.returning:
			in.finishReturning(rs, s)
		default:
			in.takeBack(rs, s, back)
		}
		in.setResult(r, &memory.Failure{}, count)
	}
	if maybe == nil {
		send(cols)
		return
	}
	with := append([]column{*maybe}, cols...)
	in.Either(in.nonZero(maybe.v, maybe.f.Type), func() { send(with) }, func() { send(cols) })
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
			in.Keys[v] = client.True
			if rs.One {
				in.Keys[v] = in.Found(rs)
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
	f := sqltext.Frag("INSERT INTO ").Plus(from, sqltext.Frag(" ("+strings.Join(names, ", ")+") VALUES ("), sqltext.JoinFragments(vals, ", "), sqltext.Frag(")"), in.conflictText(s, names))
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
		if in.St == nil {
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
	if p, isPointer := memory.Unbox(v).(*memory.Pointer); isPointer && in.St != nil {
		in.Expose(p)
	}
	if in.St != nil {
		in.St.Mem[r.count] = in.SomeCount()
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
		saved = client.And(saved, in.nonZero(in.Load(c), k.Type))
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
		f := sqltext.Frag("UPDATE ").Plus(from, sqltext.Frag(" SET "), sqltext.JoinFragments(texts, ", "), sqltext.Frag(" WHERE "), w)
		rs := in.SendText(r.h, f.Named(s.marks()))
		count := in.Counted(rs)
		in.Execute(rs)
		in.setResult(r, &memory.Failure{}, count)
		in.saveRelated(r, s)
		if len(d.selects) > 0 || in.St == nil {
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
