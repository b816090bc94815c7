package expr

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
)

// arrayOf is ARRAY[…]. The elements of an array of the IR are not NULL.
var arrayOf = &ir.Function{Name: "array", Result: ir.KindArray, Eval: func(args []ir.Value, _ ir.Type) (ir.Value, error) {
	if slices.ContainsFunc(args, ir.Value.IsNull) {
		return ir.Null, ir.ErrNotKnown
	}
	return ir.Array(args), nil
}}
