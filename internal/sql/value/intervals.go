package value

import (
	"math"
	"math/big"

	"github.com/txrobust/robust/ir"
)

// withInterval is a function whose argument n is an interval.
func withInterval(n int, f func(i Interval, a []ir.Value) (ir.Value, error)) evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		i, ok := IntervalOf(a[n])
		if !ok {
			return ir.Null, ir.ErrNotKnown
		}
		return f(i, a)
	}
}

// intervalOutOfRange is the error of an interval that the server cannot hold.
func intervalOutOfRange() error { return failure("22008", "interval out of range") }

// fits32 reports whether numbers are of type int4, as the months and days of an
// interval are.
func fits32(numbers ...int64) bool {
	for _, n := range numbers {
		if n != int64(int32(n)) {
			return false
		}
	}
	return true
}

// checked gives an interval that the server can hold.
func (i Interval) checked() (ir.Value, error) {
	if !fits32(i.Months, i.Days) {
		return ir.Null, intervalOutOfRange()
	}
	return i.Value(), nil
}

// negated changes the sign; false if the result is too large.
func (i Interval) negated() (Interval, bool) {
	out := Interval{-i.Months, -i.Days, -i.Micros}
	return out, fits32(out.Months, out.Days) && i.Micros != math.MinInt64
}

// byTotal compares intervals.
func byTotal(a, b ir.Value) (int, error) {
	x, ok := IntervalOf(a)
	y, ok2 := IntervalOf(b)
	if !ok || !ok2 {
		return 0, ir.ErrNotKnown
	}
	return x.Total().Cmp(y.Total()), nil
}

func init() {
	comparisons("interval_", "(interval,interval)", byTotal)
	sum := func(sign int64) evaluator {
		return withInterval(0, func(x Interval, a []ir.Value) (ir.Value, error) {
			y, ok := IntervalOf(a[1])
			if !ok {
				return ir.Null, ir.ErrNotKnown
			}
			return addIntervals(x, y, sign)
		})
	}
	define(map[string]evaluator{
		"interval_larger(interval,interval)":  pick(1, byTotal),
		"interval_smaller(interval,interval)": pick(-1, byTotal),
		"interval_pl(interval,interval)":      sum(1),
		"interval_mi(interval,interval)":      sum(-1),
		"interval_um(interval)": withInterval(0, func(i Interval, _ []ir.Value) (ir.Value, error) {
			out, ok := i.negated()
			if !ok {
				return ir.Null, intervalOutOfRange()
			}
			return out.Value(), nil
		}),
		"interval_mul(interval,float8)":   scaledInterval(0, 1, func(x, f float64) float64 { return x * f }),
		"mul_d_interval(float8,interval)": scaledInterval(1, 0, func(x, f float64) float64 { return x * f }),
		"interval_div(interval,float8)": func(a []ir.Value) (ir.Value, error) {
			if double(a[1]) == 0 {
				return ir.Null, divisionByZero()
			}
			return scaledInterval(0, 1, func(x, f float64) float64 { return x / f })(a)
		},
		"justify_hours(interval)":                             withInterval(0, func(i Interval, _ []ir.Value) (ir.Value, error) { return i.justifyHours().checked() }),
		"justify_days(interval)":                              withInterval(0, func(i Interval, _ []ir.Value) (ir.Value, error) { return i.justifyDays().checked() }),
		"justify_interval(interval)":                          withInterval(0, func(i Interval, _ []ir.Value) (ir.Value, error) { return i.justified().checked() }),
		"isfinite(interval)":                                  predicate(func([]ir.Value) bool { return true }),
		"make_interval(int4,int4,int4,int4,int4,int4,float8)": makeInterval,
		"interval_total(interval)": withInterval(0, func(i Interval, _ []ir.Value) (ir.Value, error) {
			return ir.Num(new(big.Rat).SetInt(i.Total())), nil
		}),
	})
}

// addIntervals adds or subtracts (sign -1) the parts of intervals.
func addIntervals(x, y Interval, sign int64) (ir.Value, error) {
	us := new(big.Int).Mul(big.NewInt(y.Micros), big.NewInt(sign))
	if us.Add(us, big.NewInt(x.Micros)); !us.IsInt64() {
		return ir.Null, intervalOutOfRange()
	}
	return Interval{x.Months + sign*y.Months, x.Days + sign*y.Days, us.Int64()}.checked()
}

// microsecond rounds seconds or days as the server does (TSROUND).
func microsecond(x float64) float64 { return math.RoundToEven(x*1e6) / 1e6 }

// scaledInterval multiplies or divides the parts of an interval by a number. What is
// left of months becomes days, and of days time.
func scaledInterval(interval, factor int, op func(x, f float64) float64) evaluator {
	return withInterval(interval, func(i Interval, a []ir.Value) (ir.Value, error) {
		f := double(a[factor])
		scale := func(x int64) float64 { return op(float64(x), f) }
		months, days := math.Trunc(scale(i.Months)), math.Trunc(scale(i.Days))
		if math.Abs(months) > math.MaxInt32 || math.Abs(days) > math.MaxInt32 {
			return ir.Null, ir.ErrNotKnown // an error, or since some version
		}
		moreDays := microsecond((scale(i.Months) - months) * daysOfMonth)
		seconds := microsecond((scale(i.Days) - days + moreDays - math.Trunc(moreDays)) * 86400)
		out := Interval{Months: int64(months), Days: int64(days)}
		if math.Abs(seconds) >= 86400 {
			whole := math.Trunc(seconds / 86400)
			out.Days += int64(whole)
			seconds -= float64(whole * 86400)
		}
		out.Days += int64(moreDays)
		us := math.RoundToEven(scale(i.Micros) + float64(seconds*1e6))
		if math.IsNaN(us) || math.Abs(us) >= 1<<63 || !fits32(out.Days) {
			return ir.Null, ir.ErrNotKnown
		}
		out.Micros = int64(us)
		return out.Value(), nil
	})
}

// balance moves one unit from the higher to the lower part where their signs differ.
func balance(high, low *int64, unit int64) {
	switch {
	case *high > 0 && *low < 0:
		*high, *low = *high-1, *low+unit
	case *high < 0 && *low > 0:
		*high, *low = *high+1, *low-unit
	}
}

// justifyHours makes days of 24 hours.
func (i Interval) justifyHours() Interval {
	i.Days += i.Micros / day
	i.Micros %= day
	balance(&i.Days, &i.Micros, day)
	return i
}

// justifyDays makes months of 30 days.
func (i Interval) justifyDays() Interval {
	i.Months += i.Days / daysOfMonth
	i.Days %= daysOfMonth
	balance(&i.Months, &i.Days, daysOfMonth)
	return i
}

// justified makes months and days, and gives all parts one sign.
func (i Interval) justified() Interval {
	i.Days += i.Micros / day
	i.Micros %= day
	i.Months += i.Days / daysOfMonth
	i.Days %= daysOfMonth
	switch {
	case i.Months > 0 && (i.Days < 0 || i.Days == 0 && i.Micros < 0):
		i.Months, i.Days = i.Months-1, i.Days+daysOfMonth
	case i.Months < 0 && (i.Days > 0 || i.Days == 0 && i.Micros > 0):
		i.Months, i.Days = i.Months+1, i.Days-daysOfMonth
	}
	balance(&i.Days, &i.Micros, day)
	return i
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
		us = math.RoundToEven(double(a[6]) * 1e6)
	}
	i := Interval{Months: part(0)*monthsOfYear + part(1), Days: part(2)*7 + part(3)}
	if math.Abs(us) >= 1<<62 || !fits32(i.Months, i.Days) {
		return ir.Null, ir.ErrNotKnown // versions of the server differ
	}
	clock := (part(4)*60 + part(5)) * 60 * second
	total, ok := checkedAdd(clock, int64(us))
	if !ok {
		return ir.Null, ir.ErrNotKnown
	}
	i.Micros = total
	return i.Value(), nil
}
