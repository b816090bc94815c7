package stale

import (
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/ir"
)

// maxName bounds the names of values, in bytes.
const maxName = 200

// value gives what an expression depends on, and its name. Rows are those of st.
func (f *finder) value(e ir.Expr, s *state, st ir.Stmt) local {
	var from, implied, keys origins
	var perhaps []string
	exact := ir.ReplaceExpr(e, func(e ir.Expr) ir.Expr {
		switch e := e.(type) {
		case *ir.Var:
			v, ok := s.locals[e.Name]
			if !ok { // a parameter, or a local with its first value
				v = local{name: "=" + e.Name}
			}
			from, implied = from.add(v.from), implied.add(v.implied)
			perhaps, keys = v.perhaps, v.keys
			return ir.V(v.name)
		case *ir.Exists:
			for _, src := range e.Query.From {
				r := f.reading(e, src, e.Query.Where, s, st)
				from = from.add(origins{{r, ""}: true})
			}
			return e
		}
		return nil
	})
	if v, ok := exact.(*ir.Var); ok {
		return local{from: from, implied: implied, keys: keys, name: v.Name, perhaps: perhaps}
	}
	if exact == nil {
		return local{}
	}
	if name := exact.String(); len(name) <= maxName {
		return local{from: from, implied: implied, name: name}
	}
	return local{from: from, implied: implied, name: f.newName()}
}

// query runs a Select: its locals depend on what it reads.
func (f *finder) query(st *ir.Select, s *state) {
	readings := map[string]*reading{}
	var rows origins
	for _, src := range st.Query.From {
		r := f.reading(st, src, st.Query.Where, s, st)
		r.many = r.many || len(st.Aggs) > 0 || len(st.Order) > 0 && !unique(r)
		r.locked = r.locked || st.Locks.Of(src.Row) != ir.NoLock || st.Skips != ir.NoLock
		f.looked(r, src.Row, st.Query.Where, s)
		readings[src.Row] = r
		rows = rows.add(origins{{r, ""}: true})
	}
	columns := func(e ir.Expr) origins {
		out := f.value(e, s, st).from
		ir.WalkExpr(e, func(e ir.Expr) {
			if c, ok := e.(*ir.Col); ok && readings[c.Row] != nil {
				out = out.add(origins{{readings[c.Row], c.Col}: true})
			}
		})
		return out
	}
	var values []origins
	for _, e := range st.Cols {
		values = append(values, columns(e))
	}
	for _, a := range st.Aggs {
		o := rows
		if a.Arg != nil {
			o = o.add(columns(a.Arg))
		}
		values = append(values, o)
	}
	for i, name := range st.Into {
		if name != "" && i < len(values) {
			f.set(s, name, local{from: values[i]})
		}
	}
	if st.Found != "" {
		f.set(s, st.Found, local{from: rows})
	}
}

// rows sets the locals of a loop over rows, and gives what it depends on whether
// there are some.
func (f *finder) rows(st *ir.Foreach, s *state) origins {
	readings := map[string]*reading{}
	var rows origins
	for _, src := range st.Query.From {
		r := f.reading(st, src, st.Query.Where, s, st)
		r.loop = true
		f.looked(r, src.Row, st.Query.Where, s)
		readings[src.Row] = r
		rows = rows.add(origins{{r, ""}: true})
	}
	for i, name := range st.Into {
		if i >= len(st.Cols) {
			break
		}
		from := f.value(st.Cols[i], s, st).from
		ir.WalkExpr(st.Cols[i], func(e ir.Expr) {
			if c, ok := e.(*ir.Col); ok && readings[c.Row] != nil {
				from = from.add(origins{{readings[c.Row], c.Col}: true})
			}
		})
		f.set(s, name, local{from: from})
	}
	return rows
}

// reading gives the reading of a table by a statement or expression, which is the
// same one in each round of a loop.
func (f *finder) reading(of any, src ir.Source, where ir.Expr, s *state, st ir.Stmt) *reading {
	key := place{of, src.Row}
	r := f.readings[key]
	if r == nil {
		r = &reading{at: st.Position(), units: f.of(f.txn, st.Position()), table: src.Table}
		f.readings[key] = r
	}
	var from map[string]origins
	r.where, r.equal, from = f.condition(src.Row, where, s, st)
	for _, c := range r.table.Key { // a statement that finds rows, and looks at them by their keys again, as SKIP LOCKED does
		col := r.table.Columns[c].Name
		for o := range from[col] {
			if o.col == col && o.read != r && o.read.at == r.at && o.read.table.Name == r.table.Name {
				maps.Copy(r.where, o.read.where)
				r.locked = r.locked || o.read.locked
			}
		}
	}
	return r
}

// looked records of the locals that a condition compares columns of a row with that a reading looked for rows that have their
// values there.
func (f *finder) looked(r *reading, row string, where ir.Expr, s *state) {
	eachEqual(row, where, func(col string, e ir.Expr) {
		x, ok := e.(*ir.Var)
		if !ok {
			return
		}
		v, ok := s.locals[x.Name]
		if !ok {
			v.name = "=" + x.Name
		}
		v.keys = v.keys.add(origins{{r, col}: true})
		s.locals[x.Name] = v
	})
}

// place is where a table is read.
type place struct {
	of  any
	row string
}

// condition gives the columns of a row that a condition is about, those that it
// compares with values, and what the values that it compares it with depend on.
func (f *finder) condition(row string, where ir.Expr, s *state, st ir.Stmt) (about map[string]bool, equal map[string]local, from map[string]origins) {
	about, equal, from = map[string]bool{}, map[string]local{}, map[string]origins{}
	for _, c := range ir.Conjuncts(where) {
		v := f.value(c, s, st)
		ir.WalkExpr(c, func(e ir.Expr) {
			if col, ok := e.(*ir.Col); ok && col.Row == row {
				about[col.Col] = true
				from[col.Col] = from[col.Col].add(v.from)
			}
		})
	}
	eachEqual(row, where, func(col string, e ir.Expr) { equal[col] = f.value(e, s, st) })
	return about, equal, from
}

// eachEqual calls f for the columns of a row that a condition compares with values.
func eachEqual(row string, where ir.Expr, f func(col string, e ir.Expr)) {
	for _, c := range ir.Conjuncts(where) {
		b, ok := c.(*ir.Binary)
		if !ok || b.Op != ir.Eq && b.Op != ir.Is {
			continue
		}
		for _, side := range [][2]ir.Expr{{b.X, b.Y}, {b.Y, b.X}} {
			if col, isCol := side[0].(*ir.Col); isCol && col.Row == row && !hasColumn(side[1], row) {
				f(col.Col, side[1])
			}
		}
	}
}

// hasColumn reports whether an expression has a column of a row.
func hasColumn(e ir.Expr, row string) bool {
	found := false
	ir.WalkExpr(e, func(e ir.Expr) {
		c, ok := e.(*ir.Col)
		found = found || ok && c.Row == row
	})
	return found
}

// unique reports whether a reading is of one row at most: it compares all columns
// of some key with values.
func unique(r *reading) bool {
	return keyed(r.table, func(c string) bool { _, ok := r.equal[c]; return ok })
}

// kept reports whether a key keeps two rows of those that a reading looked for, and an
// INSERT adds, from being there: one of whose columns it compares with values, and whose rows, where it
// is of some rows only, are told by columns that the reading looks at, too.
func kept(r *reading, st *ir.Insert) bool {
	return unique(r) || slices.ContainsFunc(r.table.Uniques, func(u ir.Unique) bool {
		about := u.Where != nil && !leavesOut(u, st)
		ir.WalkExpr(u.Where, func(e ir.Expr) {
			if c, ok := e.(*ir.Col); ok {
				about = about && r.where[c.Col]
			}
		})
		return about && !slices.ContainsFunc(u.Columns, func(c int) bool { _, ok := r.equal[r.table.Columns[c].Name]; return !ok })
	})
}

// leavesOut reports whether a key that is of some rows only is not of the row of an INSERT: it wants
// another constant in a column.
func leavesOut(u ir.Unique, st *ir.Insert) bool {
	return slices.ContainsFunc(ir.Conjuncts(u.Where), func(e ir.Expr) bool {
		b, ok := e.(*ir.Binary)
		if !ok || b.Op != ir.Eq {
			return false
		}
		col, isCol := b.X.(*ir.Col)
		want, isConst := b.Y.(*ir.Const)
		if !isCol || !isConst {
			return false
		}
		i := slices.IndexFunc(st.Cols, func(c int) bool { return st.Table.Columns[c].Name == col.Col })
		if i < 0 {
			return false
		}
		v, isConst := st.Values[i].(*ir.Const)
		return isConst && v.String() != want.String()
	})
}

// keyed reports whether a set has all columns of some key of a table.
func keyed(t *ir.Table, has func(column string) bool) bool {
	all := func(cols []int) bool {
		for _, c := range cols {
			if !has(t.Columns[c].Name) {
				return false
			}
		}
		return len(cols) > 0
	}
	if all(t.Key) && !t.Rowid {
		return true
	}
	for _, u := range t.Uniques {
		if u.Where == nil && all(u.Columns) {
			return true
		}
	}
	return false
}
