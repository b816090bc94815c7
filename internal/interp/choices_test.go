package interp

import (
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
)

// TestChoiceOutsideOfRun: an expression over a row in which something is left open has no
// value, since nobody goes through the choices there. One in which nothing is left open has.
func TestChoiceOutsideOfRun(t *testing.T) {
	table := &ir.Table{Name: "t", Columns: []ir.Column{{Name: "n", Type: ir.IntType}}, Key: []int{0}}
	p := &ir.Program{Tables: []*ir.Table{table}}
	for last, known := range map[int64]bool{1: true, 3: false} { // one of the integers from 1 on, in no order
		for _, want := range []ir.Want{ir.WantValue, ir.WantFirst} {
			elems := &ir.Leaf{Row: "e", Rel: &ir.Elems{Lo: &ir.Const{Value: ir.Int(1)}, Hi: &ir.Const{Value: ir.Int(last)}, Type: ir.IntType}}
			d := &ir.Derivation{Want: want, Rel: &ir.Project{From: elems, Limit: &ir.Const{Value: ir.Int(1)},
				Cols: []ir.Item{{Name: "elem", Type: ir.IntType, Expr: &ir.Col{Row: "e", Col: "elem"}}}}}
			typ := ir.IntType
			if want == ir.WantFirst {
				typ = ir.OpaqueType
			}
			m := NewMachine(p, engine.SI())
			m.Trace = true
			value := m.RowValue(table, &ir.Call{Name: d.Name(typ), Def: d, Type: typ})
			if v, ok := value([]ir.Value{ir.Int(7)}); ok != known || ok && want == ir.WantValue && v != ir.Int(1) {
				t.Errorf("%v of %d rows: %v, %v", want, last, v, ok)
			}
		}
	}
}
