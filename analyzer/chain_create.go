package analyzer

import (
	"go/types"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/gormmodel"
	"github.com/txrobust/robust/ir"
)

// create is Create: of a struct, a map, or several structs.
func (in *interp) create(r *chain, v value) {
	d := in.draftOf(r)
	s := in.subjectOf(d, v)
	from, _, ok := s.from()
	if !ok || s.m != nil && s.m.Odd != "" || d.lost != "" || d.conflict != nil && d.conflict.lost {
		in.lostWrite(r, s, "a Create that is not modelled", []value{v})
		return
	}
	if isDict(unbox(v)) {
		in.createMap(r, s, from, v)
		return
	}
	if s.m == nil || s.destModel != s.m {
		in.lostWrite(r, s, "a Create of values that are not known", []value{v})
		return
	}
	if s.dest == nil || isSliceOf(s.destType) {
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
func (in *interp) insert(r *chain, s *subject, from fragment) {
	d := s.d
	type column struct {
		f *gormmodel.Field
		v value
	}
	var cols []column
	var maybe *column
	var back []*gormmodel.Field
	for _, f := range s.m.Fields {
		chosen, known := d.chosen(f)
		if !f.Create || known && !chosen && !(f.AutoCreate || f.AutoUpdate) || d.omitted(f) {
			continue
		}
		c := partAt(s.dest, f.Path)
		if c == nil {
			in.lostWrite(r, s, "a Create of values that are not known", nil)
			return
		}
		v := in.load(c)
		nz := in.nonZero(v, f.Type)
		is, sure := in.known(nz)
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
				in.lostWrite(r, s, "a Create in which several columns may have defaults", []value{&pointer{to: s.dest}})
				return
			}
			continue
		case f.HasDefault:
			v = in.orElse(nz, v, constantDefault(f))
		case f.AutoCreate || f.AutoUpdate:
			if !sure || !is {
				v = in.orElse(nz, v, in.now(f.Type))
			}
		}
		if !same(unbox(v), in.load(c)) {
			in.storeField(s.dest, f, v)
		}
		cols = append(cols, column{f, v})
	}
	send := func(cols []column) {
		var names []string
		var vals []fragment
		for _, c := range cols {
			names = append(names, gormmodel.Quote(c.f.Column))
			vals = append(vals, in.paramOf(box{c.v, c.f.Type}))
		}
		f := frag("INSERT INTO ").plus(from, frag(" ("+strings.Join(names, ", ")+") VALUES ("), joinFragments(vals, ", "), frag(")"))
		if len(cols) == 0 {
			f = frag("INSERT INTO ").plus(from, frag(" DEFAULT VALUES"))
		}
		f = f.plus(in.conflictText(s, names))
		switch {
		case d.all:
			f.text += " RETURNING *"
		case d.returning:
			f.text += " RETURNING " + client.Hole
		case len(back) > 0:
			var list []string
			for _, b := range back {
				list = append(list, gormmodel.Quote(b.Column))
			}
			f.text += " RETURNING " + strings.Join(list, ", ")
		}
		rs := in.sendText(r.h, f.named(s.marks()))
		count := in.counted(rs)
		switch {
		case d.all || d.returning:
			in.finishReturning(rs, s)
		default:
			in.takeBack(rs, s, back)
		}
		in.setResult(r, &failure{}, count)
	}
	if maybe == nil {
		send(cols)
		return
	}
	with := append([]column{*maybe}, cols...)
	in.either(in.nonZero(maybe.v, maybe.f.Type), func() { send(with) }, func() { send(cols) })
}

// takeBack stores the columns that an INSERT gives back.
func (in *interp) takeBack(rs *rows, s *subject, back []*gormmodel.Field) {
	rs.one = s.d.conflict != nil
	in.execute(rs)
	for _, f := range back {
		c := partAt(s.dest, f.Path)
		if !rs.mine {
			in.forget(c)
			continue
		}
		k, null := destination(c.t)
		v := in.temp(c.name, k, null)
		rs.query.Into = append(rs.query.Into, v)
		if f.Key {
			in.keys[v] = client.True
			if rs.one {
				in.keys[v] = in.found(rs)
			}
		}
		in.arrive(rs, c, v)
	}
}

// orElse is v where a condition holds, and w elsewhere.
func (in *interp) orElse(cond client.Expr, v, w value) value {
	if is, known := in.known(cond); known {
		if is {
			return v
		}
		return w
	}
	a, b := in.scalarOf(v), in.scalarOf(w)
	return in.choice(cond, a, b)
}

// constantDefault gives the default that the tag of a field has.
func constantDefault(f *gormmodel.Field) value {
	t := deref(f.Type)
	k := kindOf(t)
	switch k {
	case client.Text:
		return scalar{client.C(ir.Text(f.Default)), k}
	case client.Bool:
		return scalar{client.C(ir.Bool(strings.EqualFold(f.Default, "true") || f.Default == "1" || strings.EqualFold(f.Default, "t"))), k}
	case client.Int:
		if n, ok := parseInt(f.Default); ok {
			return scalar{constInt(n), k}
		}
	}
	return scalar{&client.Call{Name: "default " + f.Default, Kind: k}, k}
}

// createMap inserts the entries of a map.
func (in *interp) createMap(r *chain, s *subject, from fragment, v value) {
	list, known := in.entriesOf(unbox(v))
	var names []string
	var vals []fragment
	for _, e := range list {
		known = known && e.when == nil
		name := e.key
		if f := s.field(name); f != "" {
			name = f
		}
		names = append(names, gormmodel.Quote(name))
		vals = append(vals, in.paramOf(e.v))
	}
	if !known || len(list) == 0 {
		in.lostWrite(r, s, "a Create with a map that is not known", []value{v})
		return
	}
	f := frag("INSERT INTO ").plus(from, frag(" ("+strings.Join(names, ", ")+") VALUES ("), joinFragments(vals, ", "), frag(")"), in.conflictText(s, names))
	rs := in.sendText(r.h, f.named(s.marks()))
	count := in.counted(rs)
	in.execute(rs)
	in.setResult(r, &failure{}, count)
}

// createMany inserts several structs: those of a list that is known one after the
// other, else any number of any rows.
func (in *interp) createMany(r *chain, s *subject, from fragment, v value) {
	var list []value
	ok := false
	if p, isPointer := unbox(v).(*pointer); isPointer && isSliceOf(s.destType) {
		list, ok = in.listOf(in.load(p.to))
	} else {
		list, ok = in.listOf(v)
	}
	elem := s.destType
	for elem != nil && isSliceOf(elem) {
		elem = deref(elem).Underlying().(*types.Slice).Elem()
	}
	if !ok || len(list) == 0 || s.dest != nil {
		in.emitValue(v)
		in.lostWrite(r, s, "a Create of several rows", []value{v})
		return
	}
	for _, e := range list {
		if in.st == nil {
			return
		}
		p, isPointer := unbox(e).(*pointer)
		if !isPointer { // a copy: what comes back is lost
			c := in.newCell(s.m.Type, "row", zeroed)
			in.store(c, e)
			p = &pointer{to: c}
		}
		d := *s.d
		one := in.newChain(r.h, &d)
		in.create(one, box{p, types.NewPointer(s.m.Type)})
		in.copyResult(one, r)
	}
	if p, isPointer := unbox(v).(*pointer); isPointer && in.st != nil {
		in.expose(p)
	}
	if in.st != nil {
		in.st.mem[r.count] = in.someCount()
	}
}

// save is Save: an update of all columns of a row that has a key, else an
// insertion. A row that is not there is inserted, too.
func (in *interp) save(r *chain, v value) {
	d := in.draftOf(r)
	s := in.subjectOf(d, v)
	from, _, ok := s.from()
	if !ok || s.m == nil || s.dest == nil || s.destModel != s.m || s.m.Odd != "" || d.lost != "" || isSliceOf(s.destType) || len(s.m.Keys) == 0 ||
		d.conflict != nil {
		in.lostWrite(r, s, "a Save that is not modelled", []value{v})
		return
	}
	saved := client.Expr(client.True)
	for _, k := range s.m.Keys {
		c := partAt(s.dest, k.Path)
		if c == nil {
			in.lostWrite(r, s, "a Save of values that are not known", []value{v})
			return
		}
		saved = client.And(saved, in.nonZero(in.load(c), k.Type))
	}
	in.either(in.settled(saved), func() { in.saveAll(r, s, from, v) }, func() { in.create(r, v) })
}

// saveAll updates all columns of a row.
func (in *interp) saveAll(r *chain, s *subject, from fragment, v value) {
	d := s.d
	in.write(r, s, []string{"BeforeSave", "BeforeUpdate"}, []string{"AfterUpdate", "AfterSave"}, true, func() {
		in.saveRelations(r, s, true)
		var texts []fragment
		for _, f := range s.m.Fields {
			chosen, known := d.chosen(f)
			if f.Key || !f.Update || known && !chosen {
				continue
			}
			w := in.load(partAt(s.dest, f.Path))
			if f.AutoUpdate && !d.skipHooks {
				w = in.now(f.Type)
				in.storeField(s.dest, f, w)
			}
			texts = append(texts, frag(gormmodel.Quote(f.Column)+" = ").plus(in.paramOf(box{w, f.Type})))
		}
		if len(texts) == 0 {
			in.setResult(r, &failure{}, scalar{constInt(0), client.Int})
			return
		}
		var keys []cond
		for _, k := range s.m.Keys {
			f, _ := in.equalTo(prefixMark+gormmodel.Quote(k.Column), box{in.load(partAt(s.dest, k.Path)), k.Type})
			keys = append(keys, newCond(f))
		}
		where := s.softDeleteFirst(d.where)
		where = in.deletedLast(s, append(where[:len(where):len(where)], keys...))
		w, _, _ := whereOf(where)
		f := frag("UPDATE ").plus(from, frag(" SET "), joinFragments(texts, ", "), frag(" WHERE "), w)
		rs := in.sendText(r.h, f.named(s.marks()))
		count := in.counted(rs)
		in.execute(rs)
		in.setResult(r, &failure{}, count)
		in.saveRelated(r, s)
		if len(d.selects) > 0 || in.st == nil {
			return
		}
		none := op("==", in.scalarOf(count).e, constInt(0))
		in.either(none, func() {
			c := in.newChain(r.h, &draft{where: d.where, table: d.table, tableArg: d.tableArg, alias: d.alias, unscoped: d.unscoped, omits: d.omits,
				skipHooks: true, conflict: &conflict{all: true}})
			in.create(c, v)
			in.copyResult(c, r)
		}, func() {})
	})
}
