package arith

import (
	"math"
	"math/big"
	"math/rand"
	"testing"

	"github.com/txrobust/robust/internal/ir"
)

// TestCompute compares integers with numbers of any size: the same value, and an error exactly where that leaves
// 64 bits.
func TestCompute(t *testing.T) {
	rnd := rand.New(rand.NewSource(71))
	edge := []int64{math.MinInt64, math.MinInt64 + 1, -2, -1, 0, 1, 2, math.MaxInt64 - 1, math.MaxInt64, 1 << 32, -1 << 31}
	draw := func() int64 {
		if rnd.Intn(2) == 0 {
			return edge[rnd.Intn(len(edge))]
		}
		return rnd.Int63n(2000) - 1000
	}
	for range 20000 {
		x, y := draw(), draw()
		a, b := big.NewInt(x), big.NewInt(y)
		for op, of := range map[ir.BinaryOp]func(z, x, y *big.Int) *big.Int{
			ir.Add: (*big.Int).Add, ir.Sub: (*big.Int).Sub, ir.Mul: (*big.Int).Mul, ir.Div: (*big.Int).Quo, ir.Mod: (*big.Int).Rem} {
			v, why := Compute(op, ir.Int(x), ir.Int(y))
			if y == 0 && (op == ir.Div || op == ir.Mod) {
				if why != "division by zero" {
					t.Errorf("%d %s 0 gives %s (%q), and should be a division by zero", x, op, v, why)
				}
				continue
			}
			want := of(new(big.Int), a, b)
			if (why != "") == want.IsInt64() || why == "" && v != ir.Int(want.Int64()) {
				t.Errorf("%d %s %d gives %s (%q), and should be %s", x, op, y, v, why, want)
			}
		}
		for op, want := range map[ir.BinaryOp]bool{ir.Eq: x == y, ir.Ne: x != y, ir.Lt: x < y, ir.Le: x <= y, ir.Gt: x > y, ir.Ge: x >= y} {
			if got := Compare(op, ir.Compare(ir.Int(x), ir.Int(y))); got != want {
				t.Errorf("%d %s %d = %v", x, op, y, got)
			}
		}
	}
	if v, why := Compute(ir.Add, ir.Int(1), ir.Null); !v.IsNull() || why != "" {
		t.Errorf("1 + NULL gives %s (%q), and should be NULL", v, why)
	}
	half := ir.Num(big.NewRat(1, 2))
	if v, _ := Compute(ir.Mod, ir.Num(big.NewRat(-7, 4)), half); v != ir.Num(big.NewRat(-1, 4)) {
		t.Errorf("-7/4 %% 1/2 gives %s, and should be -1/4", v)
	}
}
