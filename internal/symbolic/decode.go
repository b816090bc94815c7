package symbolic

import (
	"slices"
	"strconv"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/smt"
)

// What follows gives the terms that a model of the closed world is read from.

// SlotKeys gives the keys of the row slots of a table in the base state with
// this name, in order. A shared variable has none.
func (w *World) SlotKeys(base string, t int) []Key {
	table := w.Program.Tables[t]
	if table.Var {
		return nil
	}
	keys := make([]Key, w.slotsOf(table))
	for r := range keys {
		keys[r] = Key{}
		for _, c := range table.Key {
			keys[r] = append(keys[r], w.B.Var(base+"."+smt.Word(table.Name)+"."+smt.Word(table.Columns[c].Name)+"#"+strconv.Itoa(r), sortOf(table.Columns[c].Type)))
		}
	}
	return keys
}

// Havoc is the value that the instance chooses at a Havoc that is not Fresh,
// outside of loops or in the given rounds of the loops around it, counted from
// zero.
func (in *Instance) Havoc(site *ir.Havoc, rounds ...int) Val {
	suffix := ""
	for _, r := range rounds {
		suffix += "_" + strconv.Itoa(r)
	}
	place := strconv.Itoa(in.w.code.InfoOf(in.Txn).Number[site]) + suffix
	t, _ := in.Txn.LocalType(site.Var)
	v := Val{in.w.B.False(), in.choose("havoc "+place, sortOf(t), nil), t}
	if !site.NotNull {
		v.Null = in.choose("havoc ?"+place, smt.Bool, nil)
	}
	return v
}

// Register is the value that a Kept local has when the instance begins.
func (in *Instance) Register(l ir.Local) Val {
	return Val{in.w.B.False(), in.choose("reg "+smt.Word(l.Name), sortOf(l.Type), nil), l.Type}
}

// Element is the length of an array, or its i-th element, counted from one.
func (w *World) Element(array Val, i int64) (length, elem Val) {
	t := ir.Type{Kind: array.Type.Elem}
	length = w.call(&ir.Call{Name: "len", Type: ir.IntType}, []Val{array})
	elem = w.call(&ir.Call{Name: "elem", Type: t}, []Val{array, w.Constant(ir.Int(i), ir.IntType)})
	return length, elem
}

// Same is: both values are NULL, or they are equal.
func (w *World) Same(a, b Val) *smt.Term { return w.same(a, b) }

// OutputsDiffer is: two runs of one instance differ in what is observed. It
// holds in positive positions only, in the closed world. It is exact but for
// results of queries, which are compared row by row of the tables.
func (r *Run) OutputsDiffer(o *Run) *smt.Term {
	w := r.Inst.w
	if !r.Comparable(o) || w.code.RowLoop(r.Inst.Txn) {
		return w.sequencesDiffer(r.obs, o.obs)
	}
	u := w.union()
	for i := range r.obs {
		u.differ(r.obs[i], o.obs[i])
	}
	return u.out
}

// Comparable reports whether two runs of one instance have the same shape, so
// that Differ can compare them. In the closed world a loop over rows has as many
// rounds as there are keys mentioned when it is executed.
func (r *Run) Comparable(o *Run) bool {
	if len(r.obs) != len(o.obs) || len(r.Writes) != len(o.Writes) || len(r.Locks) != len(o.Locks) || len(r.Uses) != len(o.Uses) {
		return false
	}
	for i, x := range r.Writes {
		if y := o.Writes[i]; x.Stmt != y.Stmt || x.Table != y.Table || x.Kind != y.Kind || x.scan != y.scan {
			return false
		}
	}
	for i, x := range r.Locks {
		if y := o.Locks[i]; x.Table != y.Table || x.Mode != y.Mode || x.scan != y.scan {
			return false
		}
	}
	for i := range r.obs {
		if !slices.Equal(r.obs[i].doms, o.obs[i].doms) {
			return false
		}
		if len(r.obs[i].doms) > 0 {
			continue
		}
		g, a := r.obs[i].at(nil)
		h, b := o.obs[i].at(nil)
		if !g.IsFalse() && !h.IsFalse() && !alikeVals(a, b) {
			return false
		}
	}
	return true
}

// alikeVals reports whether two lists of values can be compared.
func alikeVals(a, b []Val) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if (a[i].T.Sort() == smt.Bool) != (b[i].T.Sort() == smt.Bool) && !a[i].Null.IsTrue() && !b[i].Null.IsTrue() {
			return false
		}
	}
	return true
}

// sequencesDiffer compares observations as sequences: the n-th that is made in
// one with the n-th of the other. Results of queries are compared by their
// places in the text.
func (w *World) sequencesDiffer(a, b []item) *smt.Term {
	B := w.B
	type plain struct {
		guard, rank *smt.Term
		vals        []Val
	}
	split := func(list []item) (out []plain, queries []item, count *smt.Term) {
		count = B.IntConst(0)
		for _, it := range list {
			if len(it.doms) > 0 {
				queries = append(queries, it)
				continue
			}
			g, vals := it.at(nil)
			if g.IsFalse() {
				continue
			}
			out = append(out, plain{g, count, vals})
			count = B.Add(count, B.Ite(g, B.IntConst(1), B.IntConst(0)))
		}
		return
	}
	x, qx, nx := split(a)
	y, qy, ny := split(b)
	if len(qx) != len(qy) {
		return B.True()
	}
	u := w.union()
	for i := range qx {
		if !slices.Equal(qx[i].doms, qy[i].doms) {
			return B.True()
		}
		u.differ(qx[i], qy[i])
	}
	out := B.Or(B.Not(B.Eq(nx, ny)), u.out)
	for _, p := range x {
		for _, q := range y {
			same := B.False()
			if alikeVals(p.vals, q.vals) {
				same = w.allSame(p.vals, q.vals)
			}
			out = B.Or(out, B.And(p.guard, q.guard, B.Eq(p.rank, q.rank), B.Not(same)))
		}
	}
	return out
}
