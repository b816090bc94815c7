package rows

import (
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
)

// OneEach reports whether at most one row of a FROM list matches each row of
// the table that is written: conditions fix a key of it.
func (d *Set) OneEach(from ir.From, where ir.Expr, target string) bool {
	return d.OneRow(from, ir.Conjuncts(where), map[string]bool{target: true})
}

// OneRow reports whether conditions leave one row of a FROM list at most, for
// each choice of the rows that are known.
func (d *Set) OneRow(from ir.From, where []ir.Expr, known map[string]bool) bool {
	var open []leafOf
	if !gather(from, where, &open) {
		return false
	}
	all := map[string]bool{}
	for row := range known {
		all[row] = true
	}
	for len(open) > 0 { // a row that is fixed may fix others
		var rest []leafOf
		for _, l := range open {
			fixed := expr.FixedColumns(l.leaf.Row, ir.AndE(l.conds...), all)
			if d.oneOf(l.leaf.Rel, fixed, all) {
				all[l.leaf.Row] = true
			} else {
				rest = append(rest, l)
			}
		}
		if len(rest) == len(open) {
			return false
		}
		open = rest
	}
	return true
}

// leafOf is a relation of a FROM list, with the conditions that its rows meet
// where it has any.
type leafOf struct {
	leaf  *ir.Leaf
	conds []ir.Expr
}

// gather finds the relations of a FROM list. A LEFT JOIN has one row without a
// partner at most, so that its condition counts on the right.
func gather(from ir.From, conds []ir.Expr, out *[]leafOf) bool {
	switch f := from.(type) {
	case *ir.Leaf:
		*out = append(*out, leafOf{f, conds})
	case *ir.Join:
		both := append(append([]ir.Expr{}, conds...), ir.Conjuncts(f.On)...)
		switch f.Kind {
		case ir.Inner:
			return gather(f.L, both, out) && gather(f.R, both, out)
		case ir.Left:
			return gather(f.L, conds, out) && gather(f.R, both, out)
		case ir.Right, ir.Full:
			return false
		}
	}
	return true
}

// oneOf reports whether a relation has one row at most with each choice of
// values of the columns that are fixed.
func (d *Set) oneOf(r ir.Rel, fixed, known map[string]bool) bool {
	switch r := r.(type) {
	case *ir.Given:
		t := d.entryOf(r)
		if t == nil {
			return false
		}
		for _, k := range t.table.IR.Key {
			if !fixed[t.table.IR.Columns[k].Name] {
				return false
			}
		}
		return true
	case *ir.Elems:
		return fixed["ordinality"] || r.Array == nil && fixed["elem"]
	case *ir.Project:
		if r.Distinct && len(fixedItems(r.Cols, fixed)) == len(r.Cols) {
			return true
		}
		return d.OneRow(r.From, append(ir.Conjuncts(r.Where), fixedItems(r.Cols, fixed)...), known)
	case *ir.Group:
		keys := fixedItems(r.Keys, fixed)
		return len(keys) == len(r.Keys) || d.OneRow(r.From, append(ir.Conjuncts(r.Where), keys...), known)
	case *ir.SetOp:
		return r.Op != ir.Union && d.oneOf(r.L, fixed, known)
	}
	return false
}

// fixedItems gives the output columns that are fixed, as equalities with a value.
func fixedItems(items []ir.Item, fixed map[string]bool) []ir.Expr {
	var out []ir.Expr
	for _, i := range items {
		if fixed[i.Name] {
			out = append(out, ir.Op(ir.Eq, i.Expr, ir.V("")))
		}
	}
	return out
}
