package scalars

import (
	"testing"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/value"
)

// TestQuantified: ANY and ALL are OR and AND over the elements, which are false and true of none, whatever is compared.
func TestQuantified(t *testing.T) {
	integer, array := value.Of("int4"), value.Of("_int4")
	holds := map[string]func(x, e int64) bool{
		"=": func(x, e int64) bool { return x == e },
		"<": func(x, e int64) bool { return x < e }, "<=": func(x, e int64) bool { return x <= e },
		">": func(x, e int64) bool { return x > e }, ">=": func(x, e int64) bool { return x >= e },
	}
	lists := [][]int64{{}, {1}, {2}, {1, 2}, {2, 3}, {2, 2}}
	for op, holds := range holds {
		for _, all := range []bool{false, true} {
			f := quantified(op, all, integer, array, false)
			for _, list := range lists {
				var elems []ir.Value
				for _, e := range list {
					elems = append(elems, ir.Int(e))
				}
				for x := range int64(4) {
					want, v := ir.Bool(all), ir.Int(x)
					if x == 0 { // stands for NULL, of which a comparison is NULL
						if v = ir.Null; len(list) > 0 {
							want = ir.Null
						}
					}
					for _, e := range list {
						if x > 0 && holds(x, e) != all {
							want = ir.Bool(!all)
						}
					}
					got, err := f.Eval([]ir.Value{v, ir.Array(elems)}, ir.BoolType)
					if err != nil || got.IsNull() != want.IsNull() || !want.IsNull() && got != want {
						t.Errorf("%v %s all=%v %v: %v, %v, want %v", v, op, all, list, got, err, want)
					}
				}
			}
		}
	}
}
