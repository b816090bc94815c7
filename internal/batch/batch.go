// Package batch knows how programs say that a statement takes some of the rows that it
// finds, as LIMIT and SKIP LOCKED let it: an array is chosen freely, and what follows demands that its
// elements are keys of such rows, and which ones (internal/sql/query).
//
// It tells which arrays come into question in a state, so that an interpreter need not guess.
package batch

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
)

// Choice is what an array is chosen from: the values of Key in the rows of Query, which come in the
// reverse of Order where the first ones of an order are taken.
type Choice struct {
	Query ir.Query
	Key   ir.Expr
	Order []ir.Order
}

// Of gives what the array of a havoc is chosen from, by the statements after it, or nil.
func Of(h *ir.Havoc, rest []ir.Stmt) *Choice {
	var out *Choice
	for _, s := range rest {
		sel, ok := s.(*ir.Select)
		if !ok {
			continue
		}
		key, where := among(sel.Query.Where, h.Var)
		switch {
		case key == nil:
		case out == nil && len(sel.Aggs) == 1 && sel.Aggs[0].Fn == "count":
			out = &Choice{Query: ir.Query{From: sel.Query.From, Where: where}, Key: key}
		case out != nil && len(sel.Order) > 0 && slices.Equal(sel.Query.From, out.Query.From):
			out.Order = sel.Order
			return out
		}
	}
	return out
}

// among finds the condition that the key of a row is in an array, and gives the key and the other conditions.
func among(where ir.Expr, array string) (key, others ir.Expr) {
	for _, c := range ir.Conjuncts(where) {
		if call, ok := c.(*ir.Call); ok && call.Name == "= any" {
			if v, ok := call.Args[1].(*ir.Var); ok && v.Name == array {
				key = call.Args[0]
				continue
			}
		}
		others = ir.AndE(others, c)
	}
	return key, others
}

// maxSubsets bounds the keys of which all subsets are tried.
const maxSubsets = 6

// Arrays gives the arrays that may be chosen from keys. If ordered, the keys come from the last one to the
// first one, no two at the same place, and the first ones are taken. It is false where there are too many.
func Arrays(keys []ir.Value, ordered bool) (out []ir.Value, ok bool) {
	if ordered {
		for i := range len(keys) + 1 {
			out = append(out, array(keys[i:]))
		}
		return out, true
	}
	if len(keys) > maxSubsets {
		return nil, false
	}
	for set := range 1 << len(keys) {
		var some []ir.Value
		for i, k := range keys {
			if set>>i&1 == 1 {
				some = append(some, k)
			}
		}
		out = append(out, array(some))
	}
	return out, true
}

func array(keys []ir.Value) ir.Value {
	keys = slices.Clone(keys)
	slices.SortFunc(keys, ir.Compare)
	return ir.Array(keys)
}
