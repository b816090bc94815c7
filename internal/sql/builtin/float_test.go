package builtin

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/value"
)

// TestFloatsAgainstServer compares the texts of random floats, near powers of 2 and
// numbers with few digits.
func TestFloatsAgainstServer(t *testing.T) {
	conn := connect(t)
	rng := rand.New(rand.NewPCG(*seed, 13))
	for _, typ := range []*value.Type{value.Of("float8"), value.Of("float4")} {
		var exprs []string
		var values []ir.Value
		for range 10 * *cases {
			f := math.Float64frombits(rng.Uint64())
			switch rng.IntN(4) {
			case 0:
				f = math.Ldexp(float64(1+rng.IntN(64)), rng.IntN(200)-100)
			case 1:
				f = float64(rng.IntN(10000)) * math.Pow10(rng.IntN(40)-20)
			case 2:
				f = float64(rng.Uint64() >> rng.IntN(60))
			}
			if typ.Name == "float4" {
				f = float64(float32(f))
			}
			if math.IsNaN(f) || math.IsInf(f, 0) {
				continue
			}
			values = append(values, value.Float(f))
			exprs = append(exprs, "'"+typ.Print(value.Float(f))+"'::"+typ.Name)
		}
		for i, want := range ask(t, conn, exprs) {
			if got := typ.Print(values[i]); got != want {
				t.Errorf("%s: %v is printed as %s, the server prints %s", typ.Name, values[i], got, want)
			}
		}
	}
}
