package symbolic

import (
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/smt"
)

// What follows gives the terms that a model of the closed world is read from.

// SlotKeys gives the keys of the row slots of a table in the base state with
// this name, in order. A shared variable has none.
func (w *World) SlotKeys(base string, t int) []Key {
	table := w.Program.Tables[t]
	if table.Var {
		return nil
	}
	keys := make([]Key, w.Slots)
	for r := range keys {
		keys[r] = Key{}
		for _, c := range table.Key {
			keys[r] = append(keys[r], w.B.Var(base+"."+table.Name+"."+table.Columns[c].Name+"#"+itoa(r), sortOf(table.Columns[c].Type)))
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
		suffix += "_" + itoa(r)
	}
	place := itoa(in.w.code.info[in.Txn].number[site]) + suffix
	t, _ := in.Txn.LocalType(site.Var)
	v := Val{in.w.B.False(), in.choose("havoc "+place, sortOf(t), nil), t}
	if !site.NotNull {
		v.Null = in.choose("havoc ?"+place, smt.Bool, nil)
	}
	return v
}

// Register is the value that a Kept local has when the instance begins.
func (in *Instance) Register(l ir.Local) Val {
	return Val{in.w.B.False(), in.choose("reg "+l.Name, sortOf(l.Type), nil), l.Type}
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
// holds in positive positions only; in the closed world it is exact but for
// results of queries, which are compared row by row of the tables.
func (r *Run) OutputsDiffer(o *Run) *smt.Term {
	w := r.Inst.w
	out := w.B.False()
	for i := range r.obs {
		out = w.B.Or(out, w.differ(r.obs[i], o.obs[i]))
	}
	return out
}

// ColumnClass and LocalClass identify the sort of values that a column or a
// local holds, such as numbers of customers: equal for two when a value is
// copied between them or they are compared.
func (c *Code) ColumnClass(t *ir.Table, col int) any { return c.classes.of(column{t, col}) }

// LocalClass is ColumnClass for a parameter or local.
func (c *Code) LocalClass(t *ir.Txn, name string) any { return c.localClass(t, name) }
