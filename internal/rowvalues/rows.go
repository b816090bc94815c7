// Package rowvalues has lists of rows of values: how they are compared, converted, put into one value, and computed
// in rounds.
package rowvalues

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
)

// Compare compares rows as ORDER BY does, where desc says which columns are descending. NULL comes last, or first if descending.
func Compare(a, b []ir.Value, desc []bool) int {
	for i := range a {
		c := 0
		switch x, y := a[i], b[i]; {
		case x.IsNull() && y.IsNull():
		case x.IsNull():
			c = 1
		case y.IsNull():
			c = -1
		default:
			c = ir.Compare(x, y)
		}
		if desc[i] {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// Convert gives rows with the types of columns.
func Convert(list [][]ir.Value, cols []ir.Column) [][]ir.Value {
	out := make([][]ir.Value, len(list))
	for k, vals := range list {
		out[k] = make([]ir.Value, len(vals))
		for i := range vals {
			out[k][i] = vals[i].Convert(cols[i].Type)
		}
	}
	return out
}

// Array is an array of row values.
func Array(list [][]ir.Value) ir.Value {
	vals := make([]ir.Value, len(list))
	for i, r := range list {
		vals[i] = ir.Row(r)
	}
	return ir.Array(vals)
}

// In splits an array of row values.
func In(v ir.Value) [][]ir.Value {
	out := [][]ir.Value{}
	for _, e := range v.Elems(ir.KindOpaque) {
		fields, _ := ir.Fields(e)
		out = append(out, fields)
	}
	return out
}

// Most bounds the rounds, which may go on for ever.
const Most = 1000

// Rounds gives the rows of first and of all rounds. Where names, if not nil, gives rows the same name, one of them
// counts. ok is false where there are more than Most rounds, or more rows than most.
func Rounds[R any](first []R, next func(last []R) []R, name func(R) string, most int) (all []R, ok bool) {
	seen := map[string]bool{}
	fresh := func(rows []R) []R {
		if name == nil {
			return rows
		}
		return slices.DeleteFunc(slices.Clone(rows), func(r R) bool {
			id := name(r)
			again := seen[id]
			seen[id] = true
			return again
		})
	}
	last := fresh(first)
	all = slices.Clone(last)
	for n := 0; len(last) > 0; n++ {
		if n == Most || len(all) > most {
			return all, false
		}
		last = fresh(next(last))
		all = append(all, last...)
	}
	return all, true
}

// ArrayOf makes an array of a type. Arrays have no NULLs, no arrays and nothing of which only
// the name is known as elements, so that one with them is known by what it holds.
func ArrayOf(t ir.Type, elems []ir.Value) ir.Value {
	other := func(v ir.Value) bool {
		return v.IsNull() || v.Kind == ir.KindArray || v.Kind == ir.KindOpaque && t.Elem != ir.KindOpaque
	}
	if !slices.ContainsFunc(elems, other) {
		return ir.Array(elems)
	}
	v, _, _ := (&ir.Call{Name: irnames.ArrayAgg, Type: t}).Apply(elems)
	return v
}

// Combine computes a UNION, INTERSECT or EXCEPT of rows, in no order. name tells rows apart.
func Combine(o *ir.SetOp, l, r [][]ir.Value, name func([]ir.Value) string) [][]ir.Value {
	count := map[string][2]int{}
	row := map[string][]ir.Value{}
	for side, list := range [][][]ir.Value{l, r} {
		for _, vals := range list {
			k := name(vals)
			c := count[k]
			c[side]++
			count[k], row[k] = c, vals
		}
	}
	var out [][]ir.Value
	for k, c := range count {
		n := 0
		switch o.Op {
		case ir.Union:
			n = c[0] + c[1]
		case ir.Intersect:
			n = min(c[0], c[1])
		case ir.Except:
			if n = c[0] - c[1]; !o.All && c[1] > 0 {
				n = 0
			}
		}
		if !o.All {
			n = min(n, 1)
		}
		for ; n > 0; n-- {
			out = append(out, row[k])
		}
	}
	return out
}

// EqualOn reports whether two rows have the same values in some columns.
func EqualOn(a, b []ir.Value, cols []int) bool {
	for _, c := range cols {
		if a[c] != b[c] {
			return false
		}
	}
	return true
}
