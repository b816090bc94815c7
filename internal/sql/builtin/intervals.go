package builtin

import (
	"math"
	"math/big"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/scalars"
	"github.com/txrobust/robust/internal/sql/value"
)

// withInterval is a function whose argument n is an interval.
func withInterval(n int, f func(i value.Interval, a []ir.Value) (ir.Value, error)) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		i, ok := value.IntervalOf(a[n])
		if !ok {
			return ir.Null, ir.ErrNotKnown
		}
		return f(i, a)
	}
}

func init() {
	scalars.Comparisons("interval_", "(interval,interval)", value.ByTotal)
	sum := func(sign int64) value.Evaluator {
		return withInterval(0, func(x value.Interval, a []ir.Value) (ir.Value, error) {
			y, ok := value.IntervalOf(a[1])
			if !ok {
				return ir.Null, ir.ErrNotKnown
			}
			return addIntervals(x, y, sign)
		})
	}
	value.Define(map[string]value.Evaluator{
		"interval_larger(interval,interval)":  scalars.Pick(1, value.ByTotal),
		"interval_smaller(interval,interval)": scalars.Pick(-1, value.ByTotal),
		"interval_pl(interval,interval)":      sum(1),
		"interval_mi(interval,interval)":      sum(-1),
		"interval_um(interval)": withInterval(0, func(i value.Interval, _ []ir.Value) (ir.Value, error) {
			out, ok := i.Negated()
			if !ok {
				return ir.Null, value.IntervalOutOfRange()
			}
			return out.Value(), nil
		}),
		"interval_mul(interval,float8)":   scaledInterval(0, 1, func(x, f float64) float64 { return x * f }),
		"mul_d_interval(float8,interval)": scaledInterval(1, 0, func(x, f float64) float64 { return x * f }),
		"interval_div(interval,float8)": func(a []ir.Value) (ir.Value, error) {
			if value.Double(a[1]) == 0 {
				return ir.Null, scalars.DivisionByZero()
			}
			return scaledInterval(0, 1, func(x, f float64) float64 { return x / f })(a)
		},
		"justify_hours(interval)":                             withInterval(0, func(i value.Interval, _ []ir.Value) (ir.Value, error) { return i.JustifyHours().Checked() }),
		"justify_days(interval)":                              withInterval(0, func(i value.Interval, _ []ir.Value) (ir.Value, error) { return i.JustifyDays().Checked() }),
		"justify_interval(interval)":                          withInterval(0, func(i value.Interval, _ []ir.Value) (ir.Value, error) { return i.Justified().Checked() }),
		"isfinite(interval)":                                  scalars.Predicate(func([]ir.Value) bool { return true }),
		"make_interval(int4,int4,int4,int4,int4,int4,float8)": makeInterval,
		"interval_total(interval)": withInterval(0, func(i value.Interval, _ []ir.Value) (ir.Value, error) {
			return ir.Num(new(big.Rat).SetInt(i.Total())), nil
		}),
	})
}

// addIntervals adds or subtracts (sign -1) the parts of intervals.
func addIntervals(x, y value.Interval, sign int64) (ir.Value, error) {
	us := new(big.Int).Mul(big.NewInt(y.Micros), big.NewInt(sign))
	if us.Add(us, big.NewInt(x.Micros)); !us.IsInt64() {
		return ir.Null, value.IntervalOutOfRange()
	}
	return value.Interval{Months: x.Months + sign*y.Months, Days: x.Days + sign*y.Days, Micros: us.Int64()}.Checked()
}

// microsecond rounds seconds or days as the server does (TSROUND).
func microsecond(x float64) float64 { return math.RoundToEven(x*1e6) / 1e6 }

// scaledInterval multiplies or divides the parts of an interval by a number. What is
// left of months becomes days, and of days time.
func scaledInterval(interval, factor int, op func(x, f float64) float64) value.Evaluator {
	return withInterval(interval, func(i value.Interval, a []ir.Value) (ir.Value, error) {
		f := value.Double(a[factor])
		scale := func(x int64) float64 { return op(float64(x), f) }
		months, days := math.Trunc(scale(i.Months)), math.Trunc(scale(i.Days))
		if math.Abs(months) > math.MaxInt32 || math.Abs(days) > math.MaxInt32 {
			return ir.Null, ir.ErrNotKnown // an error, or since some version
		}
		moreDays := microsecond((scale(i.Months) - months) * value.DaysOfMonth)
		seconds := microsecond((scale(i.Days) - days + moreDays - math.Trunc(moreDays)) * 86400)
		out := value.Interval{Months: int64(months), Days: int64(days)}
		if math.Abs(seconds) >= 86400 {
			whole := math.Trunc(seconds / 86400)
			out.Days += int64(whole)
			seconds -= float64(whole * 86400)
		}
		out.Days += int64(moreDays)
		us := math.RoundToEven(scale(i.Micros) + float64(seconds*1e6))
		if math.IsNaN(us) || math.Abs(us) >= 1<<63 || !value.Fits32(out.Days) {
			return ir.Null, ir.ErrNotKnown
		}
		out.Micros = int64(us)
		return out.Value(), nil
	})
}

func makeInterval(a []ir.Value) (ir.Value, error) {
	// The last arguments have defaults.
	part := func(n int) int64 {
		if n < len(a) {
			return a[n].I
		}
		return 0
	}
	us := 0.0
	if len(a) > 6 {
		us = math.RoundToEven(value.Double(a[6]) * 1e6)
	}
	i := value.Interval{Months: part(0)*value.MonthsOfYear + part(1), Days: part(2)*7 + part(3)}
	if math.Abs(us) >= 1<<62 || !value.Fits32(i.Months, i.Days) {
		return ir.Null, ir.ErrNotKnown // versions of the server differ
	}
	clock := (part(4)*60 + part(5)) * 60 * value.Second
	total, ok := value.CheckedAdd(clock, int64(us))
	if !ok {
		return ir.Null, ir.ErrNotKnown
	}
	i.Micros = total
	return i.Value(), nil
}
