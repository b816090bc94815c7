package instrument

import (
	"fmt"
	"slices"

	"github.com/txrobust/robust/internal/ir"
)

// Constraints between rows. Engines check them against the committed state
// when the attacker writes or commits, which is after the helpers: a helper may
// take a unique value or a parent that the attacker needs, and it may free
// them (semantics S3).

// excludes is whether the attacker's write of a row, which the flags in row
// tell, excludes writes of helpers.
func (s *shadow) excludes(row string) ir.Expr {
	out := s.touched(s.eventA, row)
	if s.freed != "" {
		out = and(out, ir.NotE(is(&ir.Col{Row: row, Col: s.freed}, boolean(true))))
	}
	return out
}

// parents makes sure that the attacker sees the parents of the rows that it
// updates.
func (w *writer) parents(x *write) []ir.Stmt {
	var out []ir.Stmt
	for _, fk := range x.s.table.ForeignKeys {
		touched := false
		for _, set := range x.sets {
			touched = touched || slices.Contains(fk.Columns, set.Col)
		}
		if touched {
			orphan := w.orphan(x.s, &fk, x.after)
			out = append(out, &ir.Assume{At: x.at, Cond: ir.NotE(existsIn(and(x.where, orphan), x.source(x.s.prime)))})
		}
	}
	return out
}

// orphan is whether a row, whose columns value gives, names a parent that the
// role does not see.
func (w *writer) orphan(s *shadow, fk *ir.ForeignKey, value func(string) ir.Expr) ir.Expr {
	var given, same ir.Expr
	for i, c := range fk.Columns {
		v := value(s.table.Columns[c].Name)
		given = and(given, ir.NotE(isNull(v)))
		same = and(same, ir.Op(ir.Eq, col(w.rw.q, fk.Ref, fk.RefColumns[i]), v))
	}
	return and(given, ir.NotE(existsIn(same, src(w.table(fk.Ref), w.rw.q))))
}

// insertable makes sure that the attacker can insert a row: it sees the
// parents, and no key is in the way. Where the engine looks at the committed
// state instead of the snapshot, a key may be in the way, if the row is not
// the attacker's own: a helper has to delete it.
func (w *writer) insertable(at ir.At, s *shadow, keys []ir.Expr, value func(string) ir.Expr) []ir.Stmt {
	rw := w.rw
	var out []ir.Stmt
	for i := range s.table.ForeignKeys {
		out = append(out, &ir.Assume{At: at, Cond: ir.NotE(w.orphan(s, &s.table.ForeignKeys[i], value))})
	}
	for _, u := range s.table.PairConstraints() {
		if rw.conflicts(s.table, u) {
			continue
		}
		taken := rivals(s.table, u, rw.p, value)
		from := []ir.Source{src(s.prime, rw.p)}
		if !rw.opt.Engine.KeyFromSnapshot {
			taken = and(taken, keysEqual(s.base, rw.e, rw.p), s.touched(s.eventA, rw.e))
			from = append(from, src(s.eventA, rw.e))
		}
		out = append(out, &ir.Assume{At: at, Cond: ir.NotE(existsIn(taken, from...))})
	}
	if s.freed != "" {
		out = append(out, &ir.If{At: at, Cond: w.foreignRow(s, keys), Then: w.free(at, s, keys)})
	}
	return out
}

// foreignRow is whether the attacker sees a row with the key that it has not
// written itself.
func (w *writer) foreignRow(s *shadow, keys []ir.Expr) ir.Expr {
	own := existsIn(and(keysEqual(s.base, w.rw.e, w.rw.p), s.touched(s.eventA, w.rw.e)), src(s.eventA, w.rw.e))
	return existsIn(and(keyIs(s.prime, w.rw.p, keys), ir.NotE(own)), src(s.prime, w.rw.p))
}

// keyIs is whether a row has the given key.
func keyIs(t *ir.Table, row string, keys []ir.Expr) ir.Expr {
	var out ir.Expr
	for i, k := range t.Key {
		out = and(out, ir.Op(ir.Eq, col(row, t, k), keys[i]))
	}
	return out
}

// free takes a row out of the attacker's way, which a helper has to delete.
func (w *writer) free(at ir.At, s *shadow, keys []ir.Expr) []ir.Stmt {
	return []ir.Stmt{
		&ir.Delete{At: at, Table: s.prime, Row: w.rw.p, Where: keyIs(s.prime, w.rw.p, keys)},
		w.upsert(at, s.eventA, keys, map[string]func(ir.Expr) ir.Expr{s.freed: constant(boolean(true))}),
	}
}

// freedConflict is for ON CONFLICT of the attacker: the row in the way may have
// been deleted by then.
func (w *writer) freedConflict(i *ir.Insert, s *shadow, value func(string) ir.Expr) []ir.Stmt {
	if w.role != attacker || s.freed == "" {
		return nil
	}
	var keys []ir.Expr
	for _, k := range s.base.Key {
		keys = append(keys, value(s.base.Columns[k].Name))
	}
	gone := w.local("gone", ir.BoolType)
	return []ir.Stmt{
		&ir.Havoc{At: i.At, Var: gone, NotNull: true},
		&ir.If{At: i.At, Cond: and(ir.V(gone), w.foreignRow(s, keys)), Then: w.free(i.At, s, keys)},
	}
}

// frees is how an update or deletion of a helper closes the cycle by values
// without a read: had it come after the attacker's commit, that would have
// failed.
func (w *writer) frees(x *write) []ir.Stmt {
	rw, s := w.rw, x.s
	if rw.opt.Classic {
		return nil
	}
	var out []ir.Stmt
	closes := func(cond ir.Expr, from ...ir.Source) {
		out = append(out, w.flag(x.at, w.cycle, existsIn(and(x.where, cond), append([]ir.Source{x.source(s.base)}, from...)...)))
	}
	if s.freed != "" && x.sets == nil {
		closes(and(keysEqual(s.base, rw.e, x.row), is(&ir.Col{Row: rw.e, Col: s.freed}, boolean(true))), src(s.eventA, rw.e))
	}
	// leaves is whether the row gives up its values of some columns.
	leaves := func(cols []int) (ir.Expr, bool) {
		if x.sets == nil {
			return nil, true
		}
		e := x.changes(func(c int) bool { return slices.Contains(cols, c) })
		return e, e != nil
	}
	for _, u := range s.table.PairConstraints() {
		given, ok := leaves(claimed(s.table, u))
		if !ok {
			continue
		}
		same := rivals(s.base, u, x.row, func(c string) ir.Expr { return &ir.Col{Row: rw.p, Col: c} })
		closes(and(given, s.touched(s.eventA, rw.e), keysEqual(s.base, rw.e, rw.p), ir.NotE(keysEqual(s.base, rw.p, x.row)), same),
			src(s.eventA, rw.e), src(s.prime, rw.p))
	}
	for _, fk := range s.table.ForeignKeys {
		given, ok := leaves(fk.Columns)
		parent := rw.shadows[fk.Ref]
		if !ok || parent == nil {
			continue
		}
		var same ir.Expr
		for i, c := range fk.Columns {
			same = and(same, ir.Op(ir.Eq, col(x.row, s.base, c), col(rw.c, parent.base, fk.RefColumns[i])))
		}
		deleted := ir.NotE(existsIn(keysEqual(parent.base, rw.e, rw.p), src(parent.prime, rw.p)))
		closes(and(given, same, keysEqual(parent.base, rw.e, rw.c), parent.touched(parent.eventA, rw.e), deleted),
			src(parent.base, rw.c), src(parent.eventA, rw.e))
	}
	return out
}

// claimed are the columns whose values a row may give up for another row.
func claimed(t *ir.Table, u ir.PairConstraint) []int {
	switch u := u.(type) {
	case *ir.Unique:
		return u.Columns
	case *ir.Exclusion:
		return ir.ExclusionColumns(u, t)
	default:
		panic(fmt.Sprintf("instrument: unknown constraint %T", u))
	}
}

// commitAttacker is the commit of the delayed transaction, just before the
// error state. In the paper it is always possible and left out; where tables
// have constraints between rows it has to be carried out.
func (rw *rewriter) commitAttacker(w *writer) []ir.Stmt {
	constrained := map[*ir.Table]bool{}
	for _, t := range rw.in.Tables {
		if len(t.PairConstraints()) > 0 || len(t.ForeignKeys) > 0 {
			constrained[t] = true
		}
		for _, fk := range t.ForeignKeys {
			constrained[fk.Ref] = true
		}
	}
	var out []ir.Stmt
	for _, s := range rw.order {
		if s.freed != "" {
			out = append(out, &ir.Assume{At: w.at, Cond: ir.NotE(existsIn(
				and(keysEqual(s.base, rw.e, rw.c), is(&ir.Col{Row: rw.e, Col: s.freed}, boolean(true))), src(s.eventA, rw.e), src(s.base, rw.c)))})
		}
	}
	for i := len(rw.order) - 1; i >= 0; i-- { // children first
		if s := rw.order[i]; constrained[s.table] {
			out = append(out, rw.commitDeletes(w, s)...)
		}
	}
	for _, s := range rw.order {
		if constrained[s.table] {
			out = append(out, rw.commitRows(w, s)...)
		}
	}
	return out
}

// commitDeletes removes the rows that the attacker has deleted.
func (rw *rewriter) commitDeletes(w *writer, s *shadow) []ir.Stmt {
	gone := and(s.touched(s.eventA, rw.e), ir.NotE(existsIn(keysEqual(s.base, rw.e, rw.p), src(s.prime, rw.p))))
	return []ir.Stmt{&ir.Delete{At: w.at, Table: s.base, Row: rw.c,
		Where: existsIn(and(keysEqual(s.base, rw.e, rw.c), gone), src(s.eventA, rw.e))}}
}

// commitRows writes the rows that the attacker has written.
func (rw *rewriter) commitRows(w *writer, s *shadow) []ir.Stmt {
	f := &ir.Foreach{At: w.at, Query: ir.Query{From: []ir.Source{src(s.eventA, rw.e), src(s.prime, rw.p)},
		Where: and(keysEqual(s.base, rw.e, rw.p), s.touched(s.eventA, rw.e))}}
	ins := &ir.Insert{At: w.at, Table: s.base, Conflict: &ir.Conflict{Target: s.base.Key, Row: rw.c}}
	for i, c := range s.base.Columns {
		v := w.local(s.base.Name+"."+c.Name, c.Type)
		f.Into, f.Cols = append(f.Into, v), append(f.Cols, col(rw.p, s.base, i))
		ins.Cols, ins.Values = append(ins.Cols, i), append(ins.Values, ir.V(v))
		if s.base.IsKey(i) {
			f.Order = append(f.Order, ir.Order{Expr: col(rw.p, s.base, i)})
		} else {
			ins.Conflict.Sets = append(ins.Conflict.Sets, ir.Set{Col: i, Expr: ir.V(v)})
		}
	}
	f.Body = []ir.Stmt{ins}
	return []ir.Stmt{f}
}
