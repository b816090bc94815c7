package value

import (
	"fmt"
	"math"
	"math/big"

	"github.com/txrobust/robust/ir"
)

func init() {
	for _, to := range []string{"int2", "int4", "int8"} {
		define(map[string]evaluator{
			to + "(numeric)": func(a []ir.Value, _ ir.Type) (ir.Value, error) { return toInt(to, RoundTo(a[0].Rat(), 0)) },
			to + "(float4)":  func(a []ir.Value, _ ir.Type) (ir.Value, error) { return toInt(to, roundToEven(a[0].Rat())) },
			to + "(float8)":  func(a []ir.Value, _ ir.Type) (ir.Value, error) { return toInt(to, roundToEven(a[0].Rat())) },
		})
	}
	define(map[string]evaluator{
		"float8(numeric)": func(a []ir.Value, _ ir.Type) (ir.Value, error) { return parseFloat(Of("float8"), number(a[0].Rat())) },
		"float8(int8)":    func(a []ir.Value, _ ir.Type) (ir.Value, error) { return Float(float64(a[0].I)), nil },
		"float4(numeric)": func(a []ir.Value, _ ir.Type) (ir.Value, error) { return parseFloat(Of("float4"), number(a[0].Rat())) },
		"numeric(float8)": func(a []ir.Value, _ ir.Type) (ir.Value, error) { return digitsOf(a[0], "%.15g") },
		"numeric(float4)": func(a []ir.Value, _ ir.Type) (ir.Value, error) { return digitsOf(a[0], "%.6g") },
	})
}

// toInt makes an integer of a type of a whole number.
func toInt(name string, r *big.Rat) (ir.Value, error) {
	lo, hi, _ := IntRange(name)
	if !r.Num().IsInt64() || r.Num().Int64() < lo || r.Num().Int64() > hi {
		return ir.Null, fmt.Errorf("%s out of range", name)
	}
	return ir.Int(r.Num().Int64()), nil
}

// roundToEven rounds a float to a whole number, halves to the even one.
func roundToEven(r *big.Rat) *big.Rat {
	f, _ := r.Float64()
	return new(big.Rat).SetFloat64(math.RoundToEven(f))
}

// digitsOf is the decimal number that a float shows with a number of digits.
func digitsOf(v ir.Value, format string) (ir.Value, error) {
	f, _ := v.Rat().Float64()
	return parseNumeric(Of("numeric"), fmt.Sprintf(format, f))
}
