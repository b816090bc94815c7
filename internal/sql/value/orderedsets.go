package value

import (
	"math"

	"github.com/txrobust/robust/internal/ir"
)

// OrderedSets are the aggregates WITHIN GROUP, by signature.
var OrderedSets = map[string]Family{
	"mode(anyelement)":                    mode,
	"percentile_disc(float8,anyelement)":  func(args []*Type, _ *Type) Evaluator { return percentiles(nil, discrete1) },
	"percentile_disc(_float8,anyelement)": func(args []*Type, _ *Type) Evaluator { return percentiles(args[0], discrete1) },
	"percentile_cont(float8,float8)":      func(args []*Type, _ *Type) Evaluator { return percentiles(nil, continuous(betweenFloats)) },
	"percentile_cont(_float8,float8)":     func(args []*Type, _ *Type) Evaluator { return percentiles(args[0], continuous(betweenFloats)) },
	"percentile_cont(float8,interval)":    func(args []*Type, _ *Type) Evaluator { return percentiles(nil, continuous(betweenIntervals)) },
	"percentile_cont(_float8,interval)":   func(args []*Type, _ *Type) Evaluator { return percentiles(args[0], continuous(betweenIntervals)) },
}

// mode gives the most frequent value, the first of several.
func mode(args []*Type, _ *Type) Evaluator {
	if args[0].Equality() != Identity {
		return nil
	}
	return Pure(func(a []ir.Value) ir.Value {
		best, most, run := ir.Null, 0, 0
		for i, v := range a {
			if run++; i > 0 && v != a[i-1] {
				run = 1
			}
			if run > most {
				best, most = v, run
			}
		}
		return best
	})
}

// percentiles applies a function of a fraction and the sorted values to the first
// argument, or to each of its elements if it is of an array type.
func percentiles(array *Type, f func(p float64, list []ir.Value) (ir.Value, error)) Evaluator {
	valid := func(p ir.Value) error {
		if !p.IsNull() && (Double(p) < 0 || Double(p) > 1) {
			return Failure("22003", "percentile value %v is not between 0 and 1", Double(p))
		}
		return nil
	}
	return func(a []ir.Value) (ir.Value, error) {
		list := a[1:]
		switch {
		case array != nil && (a[0].IsNull() || len(list) == 0):
			return ir.Null, nil
		case array != nil:
			for _, p := range array.Elems(a[0]) {
				if err := valid(p); err != nil {
					return ir.Null, err
				}
			}
			return Mapped(array, a[0], func(p ir.Value) (ir.Value, error) { return f(Double(p), list) })
		}
		if err := valid(a[0]); err != nil || a[0].IsNull() || len(list) == 0 {
			return ir.Null, err
		}
		return f(Double(a[0]), list)
	}
}

// discrete1 gives the first value at or above a fraction of all.
func discrete1(p float64, list []ir.Value) (ir.Value, error) {
	return list[max(int(math.Ceil(p*float64(len(list)))), 1)-1], nil
}

// continuous gives a value between two neighbours.
func continuous(between func(low, high ir.Value, part float64) (ir.Value, error)) func(p float64, list []ir.Value) (ir.Value, error) {
	return func(p float64, list []ir.Value) (ir.Value, error) {
		at := p * float64(len(list)-1)
		low, high := math.Floor(at), math.Ceil(at)
		if low == high {
			return list[int(low)], nil
		}
		return between(list[int(low)], list[int(high)], at-low)
	}
}

func betweenFloats(low, high ir.Value, part float64) (ir.Value, error) {
	x, y := Double(low), Double(high)
	return Finite(x + float64(part*(y-x)))
}

func betweenIntervals(low, high ir.Value, part float64) (ir.Value, error) {
	diff, err := Evaluators["interval_mi(interval,interval)"]([]ir.Value{high, low})
	if err != nil {
		return ir.Null, err
	}
	step, err := Evaluators["interval_mul(interval,float8)"]([]ir.Value{diff, Float(part)})
	if err != nil {
		return ir.Null, err
	}
	return Evaluators["interval_pl(interval,interval)"]([]ir.Value{step, low})
}
