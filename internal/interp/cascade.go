package interp

import (
	"slices"

	"github.com/txrobust/robust/ir"
)

// cascade compiles the action of a foreign key.
func (s *scope) cascade(st *ir.Cascade) exec {
	t, fk := s.c.tableIndex(st.Table), st.ForeignKey()
	ref := s.c.tableIndex(fk.Ref)
	cols := st.Table.Mask(fk.Columns)
	values := s.exprs(st.Values)
	check := s.checkRow(st.Table)
	return func(f *frame) control {
		db := f.db
		parent := make([]ir.Value, len(fk.Columns)) // the new one, or NULLs
		for i, v := range values {
			parent[i] = v(f).Convert(st.Table.Columns[fk.Columns[i]].Type)
		}
		for _, r := range f.db.tabs[t].rows {
			if !orphan(db, ref, fk, r.vals) || f.gone[&r.vals[0]] {
				continue
			}
			op := Op{Kind: OpDelete, Table: t, Key: r.key, Old: r.vals, Action: fk}
			if !st.Deletes() {
				op.Kind, op.New, op.Cols = OpUpdate, withParent(fk, r.vals, parent), cols
				check(f, op.New)
				f.db = f.db.put(t, row{r.key, op.New})
			} else {
				f.db = f.db.remove(t, r.key)
			}
			f.log(op)
		}
		if f.m.Trace {
			f.run.Reads = append(f.run.Reads, Read{Stmt: st, Table: t, Keys: map[string]bool{}, Cols: cols, Tested: cols, Current: true,
				matches: func(vals []ir.Value) bool { return orphan(db, ref, fk, vals) }})
		}
		return control{}
	}
}

// orphan is whether a row names a parent that is not there.
func orphan(db *DB, ref int, fk *ir.ForeignKey, vals []ir.Value) bool {
	parent, ok := parentRow(db, ref, fk, vals)
	return ok && parent == nil
}

// withParent is a row with other values in the columns of a foreign key.
func withParent(fk *ir.ForeignKey, vals, parent []ir.Value) []ir.Value {
	out := slices.Clone(vals)
	for i, c := range fk.Columns {
		out[c] = parent[i]
	}
	return out
}

// parentLost says why a row cannot get a parent by an action: the lock on the
// parent cannot be had.
func (m *Machine) parentLost(db *DB, fk *ir.ForeignKey, vals []ir.Value, since []*Run) string {
	ref := m.index[fk.Ref]
	parent, _ := parentRow(db, ref, fk, vals)
	if parent == nil {
		return ""
	}
	key, class := keyOf(fk.Ref, parent), m.Engine.LockExcludes[m.Engine.ParentLock]
	if m.taken(ref, key, class, since) {
		return "locked row of " + fk.Ref.Name + " was written concurrently"
	}
	return ""
}
