package instrument

import "github.com/txrobust/robust/ir"

// commitAttacker is the commit of the delayed transaction, just before the
// error state. In the paper it is always possible and left out; where tables
// have constraints between rows it has to be carried out, since a helper may
// have taken a unique value, or a parent, that the attacker needs.
func (rw *rewriter) commitAttacker(w *writer) []ir.Stmt {
	constrained := map[*ir.Table]bool{}
	for _, s := range rw.order {
		t := s.table
		if len(t.Uniques) > 0 || len(t.ForeignKeys) > 0 {
			constrained[t] = true
		}
		for _, fk := range t.ForeignKeys {
			constrained[fk.Ref] = true
		}
	}
	for _, t := range rw.in.Tables {
		for _, fk := range t.ForeignKeys {
			constrained[fk.Ref] = true
		}
	}
	var out []ir.Stmt
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
