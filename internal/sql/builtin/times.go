package builtin

import (
	"math"
	"math/big"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/scalars"
	"github.com/txrobust/robust/internal/sql/value"
)

// The session's time zone is UTC, so that timestamp and timestamptz are one to these
// functions.

// stamps are the types of timestamps.
var stamps = []string{"timestamp", "timestamptz"}

func init() {
	timeComparisons()
	timeCasts()
	for _, t := range stamps {
		value.Define(map[string]value.Evaluator{
			t + "_pl_interval(" + t + ",interval)":      plusInterval(0, 1, 1),
			t + "_mi_interval(" + t + ",interval)":      plusInterval(0, 1, -1),
			"interval_pl_" + t + "(interval," + t + ")": plusInterval(1, 0, 1),
			t + "_mi(" + t + "," + t + ")":              difference,
			"age(" + t + "," + t + ")":                  age,
			"date_bin(interval," + t + "," + t + ")":    dateBin,
			"isfinite(" + t + ")":                       scalars.Predicate(func(a []ir.Value) bool { return !value.Infinite(a[0].I) }),
		})
	}
	datetime := func(d, c int) value.Evaluator {
		return func(a []ir.Value) (ir.Value, error) { return atTime(a[d].I, a[c].I) }
	}
	value.Define(map[string]value.Evaluator{
		"date_pli(date,int4)":             plusDays(0, 1, 1),
		"integer_pl_date(int4,date)":      plusDays(1, 0, 1),
		"date_mii(date,int4)":             plusDays(0, 1, -1),
		"date_mi(date,date)":              dateDifference,
		"date_pl_interval(date,interval)": plusInterval(0, 1, 1),
		"date_mi_interval(date,interval)": plusInterval(0, 1, -1),
		"interval_pl_date(interval,date)": plusInterval(1, 0, 1),
		"datetime_pl(date,time)":          datetime(0, 1),
		"timedate_pl(time,date)":          datetime(1, 0),
		"timestamp(date,time)":            datetime(0, 1),
		"timestamptz(date,time)":          datetime(0, 1),
		"isfinite(date)":                  scalars.Predicate(func(a []ir.Value) bool { return !value.Infinite(a[0].I) }),
		"time_pl_interval(time,interval)": clockPlus(0, 1, 1),
		"interval_pl_time(interval,time)": clockPlus(1, 0, 1),
		"time_mi_interval(time,interval)": clockPlus(0, 1, -1),
		"time_mi_time(time,time)":         value.Pure(func(a []ir.Value) ir.Value { return value.Interval{Micros: a[0].I - a[1].I}.Value() }),
		"to_timestamp(float8)":            toTimestamp,
		"make_date(int4,int4,int4)":       makeDate,
		"make_time(int4,int4,float8)": func(a []ir.Value) (ir.Value, error) {
			return value.StampValue(clockFrom(a[0].I, a[1].I, value.Double(a[2])))
		},
		"make_timestamp(int4,int4,int4,int4,int4,float8)":   makeTimestamp,
		"make_timestamptz(int4,int4,int4,int4,int4,float8)": makeTimestamp,
	})
	overlapFunctions()
}

// timeComparisons adds the comparisons of dates, times and timestamps, also with
// each other.
func timeComparisons() {
	types := []string{"date", "timestamp", "timestamptz"}
	for _, x := range types {
		for _, y := range types {
			suffix := "(" + x + "," + y + ")"
			if x != y {
				suffix = "_" + y + suffix
			}
			scalars.Comparisons(x+"_", suffix, value.Plain)
		}
	}
	scalars.Comparisons("time_", "(time,time)", value.Plain)
	for _, t := range append(types, "time") {
		two := "(" + t + "," + t + ")"
		value.Define(map[string]value.Evaluator{t + "_larger" + two: scalars.Pick(1, value.Plain), t + "_smaller" + two: scalars.Pick(-1, value.Plain)})
	}
}

// timeCasts adds the casts between dates, times and timestamps.
func timeCasts() {
	same := value.Pure(func(a []ir.Value) ir.Value { return a[0] })
	toDate := value.Pure(func(a []ir.Value) ir.Value { return ir.Time(floorTo(a[0].I, value.Day)) })
	toClock := value.Pure(func(a []ir.Value) ir.Value {
		if value.Infinite(a[0].I) {
			return ir.Null
		}
		_, clock := value.FloorDiv(a[0].I, value.Day)
		return ir.Time(clock)
	})
	value.Define(map[string]value.Evaluator{
		"timestamp(date)": same, "timestamptz(date)": same, "timestamp(timestamptz)": same, "timestamptz(timestamp)": same,
		"date(timestamp)": toDate, "date(timestamptz)": toDate,
		"time(timestamp)": toClock, "time(timestamptz)": toClock,
		"interval(time)": value.Pure(func(a []ir.Value) ir.Value { return value.Interval{Micros: a[0].I}.Value() }),
		"time(interval)": withInterval(0, func(i value.Interval, _ []ir.Value) (ir.Value, error) {
			_, clock := value.FloorDiv(i.Micros, value.Day)
			return ir.Time(clock), nil
		}),
	})
}

// floorTo cuts a time down to a multiple of a unit.
func floorTo(us, unit int64) int64 {
	if value.Infinite(us) {
		return us
	}
	_, rest := value.FloorDiv(us, unit)
	return us - rest
}

// plusInterval adds an interval to a time, or subtracts it (sign -1).
func plusInterval(at, interval int, sign int64) value.Evaluator {
	return withInterval(interval, func(i value.Interval, a []ir.Value) (ir.Value, error) {
		if sign < 0 {
			var ok bool
			if i, ok = i.Negated(); !ok {
				return ir.Null, ir.ErrNotKnown
			}
		}
		return value.StampValue(addInterval(a[at].I, i))
	})
}

// plusDays adds days to a date.
func plusDays(at, days int, sign int64) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		if value.Infinite(a[at].I) {
			return a[at], nil
		}
		return value.DateValue(a[at].I/value.Day + sign*a[days].I)
	}
}

func dateDifference(a []ir.Value) (ir.Value, error) {
	if value.Infinite(a[0].I) || value.Infinite(a[1].I) {
		return ir.Null, value.Failure("22008", "cannot subtract infinite dates")
	}
	return ir.Int((a[0].I - a[1].I) / value.Day), nil
}

// difference is the days and the time between two timestamps.
func difference(a []ir.Value) (ir.Value, error) {
	if value.Infinite(a[0].I) || value.Infinite(a[1].I) {
		return ir.Null, ir.ErrNotKnown // an error, or an interval since PostgreSQL 17
	}
	us, ok := value.CheckedAdd(a[0].I, -a[1].I)
	if !ok {
		return ir.Null, ir.ErrNotKnown
	}
	return value.Interval{Days: us / value.Day, Micros: us % value.Day}.Value(), nil
}

// atTime is a time of a day.
func atTime(date, clock int64) (ir.Value, error) {
	if value.Infinite(date) {
		return ir.Time(date), nil
	}
	return value.StampValue(value.Stamp(date/value.Day, clock))
}

// clockPlus adds an interval to a time of day, which ends at midnight.
func clockPlus(at, interval int, sign int64) value.Evaluator {
	return withInterval(interval, func(i value.Interval, a []ir.Value) (ir.Value, error) {
		sum, ok := value.CheckedAdd(a[at].I, sign*i.Micros)
		if !ok {
			return ir.Null, ir.ErrNotKnown
		}
		_, clock := value.FloorDiv(sum, value.Day)
		return ir.Time(clock), nil
	})
}

// age is the difference of two timestamps in years, months, days and time.
func age(a []ir.Value) (ir.Value, error) {
	if value.Infinite(a[0].I) || value.Infinite(a[1].I) {
		return ir.Null, ir.ErrNotKnown // an error, or an interval since PostgreSQL 17
	}
	later, earlier, sign := value.MomentOf(a[0].I), value.MomentOf(a[1].I), int64(1)
	borrow := earlier // the month whose days a negative number of days takes
	if a[0].I < a[1].I {
		later, earlier, sign = earlier, later, -1
		borrow = value.MomentOf(a[0].I)
	}
	months := (later.Year-earlier.Year)*value.MonthsOfYear + later.Month - earlier.Month
	days, clock := later.Day-earlier.Day, later.Clock-earlier.Clock
	if clock < 0 {
		clock, days = clock+value.Day, days-1
	}
	for days < 0 {
		days, months = days+value.DaysIn(borrow.Year, borrow.Month), months-1
	}
	return value.Interval{Months: sign * months, Days: sign * days, Micros: sign * clock}.Value(), nil
}

// dateBin begins the bin of a width that holds a timestamp.
func dateBin(a []ir.Value) (ir.Value, error) {
	width, ok := value.IntervalOf(a[0])
	at, origin := a[1].I, a[2].I
	switch {
	case !ok:
		return ir.Null, ir.ErrNotKnown
	case value.Infinite(at):
		return a[1], nil
	case value.Infinite(origin):
		return ir.Null, value.OutOfTime()
	case width.Months != 0:
		return ir.Null, value.Failure("0A000", "timestamps cannot be binned into intervals containing months or years")
	}
	days := new(big.Int).Mul(big.NewInt(width.Days), big.NewInt(value.Day))
	total := days.Add(days, big.NewInt(width.Micros))
	from, fits := value.CheckedAdd(at, -origin)
	if !total.IsInt64() || !fits {
		return ir.Null, ir.ErrNotKnown
	}
	if total.Sign() <= 0 {
		return ir.Null, value.Failure("22008", "stride must be greater than zero")
	}
	quotient, rest := value.FloorDiv(from, total.Int64())
	if rest == 0 && quotient < 0 {
		return ir.Null, ir.ErrNotKnown // some versions give the bin before
	}
	return value.StampValue(value.Stamp(value.FloorDiv(at-rest, value.Day)))
}

func toTimestamp(a []ir.Value) (ir.Value, error) {
	seconds := value.Double(a[0])
	if low := float64(-value.UnixToJulian) * 86400; seconds < low || seconds >= float64(value.DaysOf(value.EndOfStamps, 1, 1))*86400 {
		return ir.Null, value.OutOfTime()
	}
	// The server counts from 2000-01-01.
	us := math.RoundToEven((seconds - value.DaysTo2000*86400) * 1e6)
	days, clock := value.FloorDiv(int64(us), value.Day)
	return value.StampValue(value.Stamp(days+value.DaysTo2000, clock))
}

func makeDate(a []ir.Value) (ir.Value, error) {
	days, err := value.DaysFrom(a[0].I, a[1].I, a[2].I)
	if err != nil {
		return ir.Null, err
	}
	return value.DateValue(days)
}

// clockFrom makes a time of day.
func clockFrom(hour, minute int64, sec float64) (int64, error) {
	us := math.RoundToEven(sec * 1e6)
	if hour < 0 || hour > 24 || minute < 0 || minute > 59 || us < 0 || us > 60e6 {
		return 0, value.OutOfTime()
	}
	clock := (hour*60+minute)*60*value.Second + int64(us)
	if clock > value.Day {
		return 0, value.OutOfTime()
	}
	return clock, nil
}

func makeTimestamp(a []ir.Value) (ir.Value, error) {
	days, err := value.DaysFrom(a[0].I, a[1].I, a[2].I)
	if err != nil {
		return ir.Null, err
	}
	clock, err := clockFrom(a[3].I, a[4].I, value.Double(a[5]))
	if err != nil {
		return ir.Null, err
	}
	return value.StampValue(value.Stamp(days, clock))
}

// overlapFunctions adds OVERLAPS for all types of times. An end may be given by
// its distance from the beginning.
func overlapFunctions() {
	ends := map[string]func(start, end ir.Value) (ir.Value, error){
		"interval": func(start, length ir.Value) (ir.Value, error) {
			return strictly(plusInterval(0, 1, 1), start, length)
		},
		"": func(_, end ir.Value) (ir.Value, error) { return end, nil },
	}
	clock := func(start, length ir.Value) (ir.Value, error) { return strictly(clockPlus(0, 1, 1), start, length) }
	for _, t := range append([]string{"time"}, stamps...) {
		for _, first := range []string{"interval", ""} {
			for _, last := range []string{"interval", ""} {
				end := func(kind string) func(start, end ir.Value) (ir.Value, error) {
					if t == "time" && kind != "" {
						return clock
					}
					return ends[kind]
				}
				name := func(kind string) string {
					if kind == "" {
						return t
					}
					return kind
				}
				value.Define(map[string]value.Evaluator{"overlaps(" + t + "," + name(first) + "," + t + "," + name(last) + ")": func(a []ir.Value) (ir.Value, error) {
					end1, err := end(first)(a[0], a[1])
					if err != nil {
						return ir.Null, err
					}
					end2, err := end(last)(a[2], a[3])
					if err != nil {
						return ir.Null, err
					}
					return overlap(a[0], end1, a[2], end2, value.Plain)
				}})
			}
		}
	}
}

// strictly applies a function to arguments that may be NULL.
func strictly(f value.Evaluator, a ...ir.Value) (ir.Value, error) {
	if value.AnyNull(a) {
		return ir.Null, nil
	}
	return f(a)
}

// overlap is OVERLAPS of two periods, whose ends may be NULL or come first.
func overlap(start1, end1, start2, end2 ir.Value, compare value.Order) (ir.Value, error) {
	var failed error
	before := func(x, y ir.Value) bool {
		c, err := compare(x, y)
		if err != nil {
			failed = err
		}
		return c < 0
	}
	arrange := func(start, end *ir.Value) bool {
		if start.IsNull() || !end.IsNull() && before(*end, *start) {
			*start, *end = *end, *start
		}
		return !start.IsNull()
	}
	if !arrange(&start1, &end1) || !arrange(&start2, &end2) {
		return ir.Null, failed
	}
	if before(start1, start2) {
		start1, end1, start2, end2 = start2, end2, start1, end1
	}
	// The second period begins first, or both begin together.
	if !before(start2, start1) {
		if end1.IsNull() || end2.IsNull() {
			return ir.Null, failed
		}
		return ir.Bool(true), failed
	}
	switch {
	case end2.IsNull():
		return ir.Null, failed
	case before(start1, end2):
		return ir.Bool(true), failed
	case end1.IsNull():
		return ir.Null, failed
	}
	return ir.Bool(false), failed
}
