package stale

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
)

// rows is the rows that a write is about.
type rows struct {
	table *ir.Table
	units units
	// about are the columns that its condition is about, equal those that it compares
	// with values, from what the values for a column depend on.
	about map[string]bool
	equal map[string]local
	from  map[string]origins
	// sets are the columns that it changes.
	sets map[string]bool
}

func (f *finder) rowsOf(st ir.Stmt, t *ir.Table, row string, where ir.Expr, s *state) *rows {
	r := &rows{table: t, units: f.of(f.txn, st.Position()), sets: map[string]bool{}}
	r.about, r.equal, r.from = f.condition(row, where, s, st)
	return r
}

// apart reports whether a reading is of the table of a write, in another
// transaction than this.
func (r *rows) apart(o *reading) bool {
	return o.table.Name == r.table.Name && r.units.apart(o.units)
}

// same reports whether the rows of a write are those of a reading, on some path: a column has the
// value by which the reading looked for it, or which the reading gave.
func (r *rows) same(o *reading) bool {
	for c, v := range r.equal {
		if v.keys[origin{o, c}] {
			return true
		}
		w, ok := o.equal[c]
		if ok && slices.ContainsFunc(v.names(), func(name string) bool { return slices.Contains(w.names(), name) }) {
			return true
		}
	}
	for _, c := range r.table.Key {
		if r.from[r.table.Columns[c].Name][origin{o, r.table.Columns[c].Name}] {
			return true
		}
	}
	return false
}

// named gives that there were the rows whose keys readings gave and which are written: that they were found decides about
// the write.
func (r *rows) named() origins {
	var out origins
	for _, c := range r.table.Key {
		col := r.table.Columns[c].Name
		for o := range r.from[col] {
			if o.col == col && o.read.table.Name == r.table.Name && !o.read.many {
				out = out.add(origins{{o.read, oneRow}: true})
			}
		}
	}
	return out
}

// guarded reports whether the condition of a write looks again at a column of a
// reading, or at another one that changes, which the reading gave.
func (f *finder) guarded(r *rows, o origin) bool {
	if r.about[o.col] {
		return true
	}
	for c, from := range r.from {
		if !f.changing(r.table, c) {
			continue
		}
		for p := range from {
			if p.read == o.read && p.col == c {
				return true
			}
		}
	}
	return false
}

// again reports whether the transaction of a write has read a column again, of what
// decides about it.
func again(r *rows, o origin, decided origins) bool {
	for p := range decided {
		if p.read.units.meets(r.units) && p.read.table.Name == r.table.Name && (p.col == o.col || p.read.where[o.col] || noColumn(p.col) && noColumn(o.col)) {
			return true
		}
	}
	return false
}

// noColumn reports whether the column of an origin says that there are rows.
func noColumn(col string) bool { return col == "" || col == oneRow }

// update looks at an UPDATE.
func (f *finder) update(st *ir.Update, s *state) {
	r := f.rowsOf(st, st.Table, st.Row, st.Where, s)
	for _, x := range st.Sets {
		r.sets[st.Table.Columns[x.Col].Name] = true
	}
	for _, x := range st.Sets {
		col := st.Table.Columns[x.Col].Name
		for _, o := range sorted(f.value(x.Expr, s, st).from) {
			if !r.apart(o.read) || !o.read.many && (o.col != col || !f.changing(r.table, col) || !r.same(o.read)) || f.guarded(r, o) {
				continue
			}
			f.note(Value, st, o)
		}
	}
	f.checked(st, r, s)
	f.writes(r)
}

// remove looks at a DELETE.
func (f *finder) remove(st *ir.Delete, s *state) {
	if st.Moved {
		return
	}
	r := f.rowsOf(st, st.Table, st.Row, st.Where, s)
	f.deleted = append(f.deleted, r)
	f.checked(st, r, s)
	f.writes(r)
}

// settled reports whether the transaction of a reading has written the table, too:
// what it has decided stands there, such as a reservation.
func (f *finder) settled(o *reading) bool {
	return slices.ContainsFunc(f.wrote, func(w written) bool { return w.table == o.table.Name && w.units.meets(o.units) })
}

// replaced reports whether the transaction of an INSERT has deleted the rows that a
// reading had looked for, or all rows: then it does not rest on it that there were
// none.
func (f *finder) replaced(r *rows, o *reading) bool {
	return slices.ContainsFunc(f.deleted, func(d *rows) bool {
		if !d.units.meets(r.units) || d.table.Name != r.table.Name {
			return false
		}
		for c := range d.about {
			v, ok := d.equal[c]
			if w, also := o.equal[c]; !ok || !also || v.name != w.name {
				return false
			}
		}
		return true
	})
}

// checked looks for what decides about an UPDATE or DELETE.
func (f *finder) checked(st ir.Stmt, r *rows, s *state) {
	_, deletes := st.(*ir.Delete)
	matters := func(col string) bool { return f.changing(r.table, col) && (deletes || r.sets[col]) }
	decided := s.all().add(r.named())
	for _, o := range sorted(decided) {
		if !r.apart(o.read) || f.settled(o.read) {
			continue
		}
		switch {
		case o.read.many && o.col == "": // how many rows there are
			if deletes || slices.ContainsFunc(sortedKeys(o.read.where), matters) {
				if !again(r, o, decided) {
					f.note(Check, st, o)
				}
			}
		case o.col == "", o.col == oneRow: // that there was such a row
			for _, c := range sortedKeys(o.read.where) {
				if p := (origin{o.read, c}); matters(c) && (o.col == oneRow || r.same(o.read)) && !f.guarded(r, p) && !again(r, p, decided) {
					f.note(Check, st, p)
				}
			}
		case matters(o.col) && (o.read.many || r.same(o.read)) && !f.guarded(r, o) && !again(r, o, decided):
			f.note(Check, st, o)
		}
	}
}

// insert looks at an INSERT.
func (f *finder) insert(st *ir.Insert, s *state) {
	r := &rows{table: st.Table, units: f.of(f.txn, st.Position())}
	if f.meets(st) || len(st.Moved) > 0 {
		f.writes(r)
		return
	}
	for i, e := range st.Values {
		col := st.Table.Columns[st.Cols[i]].Name
		for _, o := range sorted(f.value(e, s, st).from) {
			// A key that has the column makes one of two such rows fail.
			if r.apart(o.read) && o.read.many && o.col == col && !inKey(st.Table, st.Cols[i]) {
				f.note(Insert, st, o)
			}
		}
	}
	decided := s.all().add(f.chosen(st, s))
	for _, o := range sorted(decided) {
		if r.apart(o.read) && !f.settled(o.read) && !o.read.loop && !kept(o.read, st) && !f.replaced(r, o.read) && (o.col == "" || o.read.many && f.changing(r.table, o.col)) && !again(r, o, decided) {
			f.note(Insert, st, o)
		}
	}
	f.writes(r)
}

// chosen gives the readings that looked at a column, and decided which value an INSERT gives it, such as the first name
// that was not found.
func (f *finder) chosen(st *ir.Insert, s *state) origins {
	var out origins
	for i, e := range st.Values {
		col := st.Table.Columns[st.Cols[i]].Name
		for o := range f.value(e, s, st).implied {
			if _, looked := o.read.equal[col]; looked && o.col == "" && o.read.table.Name == st.Table.Name {
				out = out.add(origins{o: true})
			}
		}
	}
	return out
}

// meets reports whether an INSERT has ON CONFLICT for a key that another row may have already: one of whose
// columns none is left out, or gets a value that no other row has.
func (f *finder) meets(st *ir.Insert) bool {
	if st.Conflict == nil {
		return false
	}
	given := func(c int) bool {
		i := slices.Index(st.Cols, c)
		if i < 0 {
			return false
		}
		v, ok := st.Values[i].(*ir.Var)
		return !ok || !f.fresh(v.Name)
	}
	may := func(key []int) bool {
		return len(key) > 0 && !slices.ContainsFunc(key, func(c int) bool { return !given(c) })
	}
	if st.Conflict.Target != nil {
		return may(st.Conflict.Target)
	}
	return may(st.Table.Key) && !st.Table.Rowid || slices.ContainsFunc(st.Table.Uniques, func(u ir.Unique) bool { return may(u.Columns) })
}

// fresh reports whether a variable has a value that nothing else has.
func (f *finder) fresh(name string) bool {
	found := slices.ContainsFunc(f.txn.Params, func(p ir.Param) bool { return p.Name == name && p.Fresh })
	ir.Walk(f.txn.Body, func(s ir.Stmt) {
		h, ok := s.(*ir.Havoc)
		found = found || ok && h.Var == name && h.Fresh
	})
	return found
}

// inKey reports whether a column belongs to some key of its table.
func inKey(t *ir.Table, c int) bool {
	return t.IsKey(c) || slices.ContainsFunc(t.Uniques, func(u ir.Unique) bool { return slices.Contains(u.Columns, c) })
}

func sortedKeys(set map[string]bool) []string {
	var out []string
	for c := range set {
		out = append(out, c)
	}
	slices.Sort(out)
	return out
}
