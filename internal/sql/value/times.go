package value

import (
	"math/big"
)

// DaysFrom counts the days to a date. A negative year is before Christ.
func DaysFrom(year, month, d int64) (int64, error) {
	if year < 0 {
		year++
	} else if year == 0 {
		return 0, OutOfTime()
	}
	if month < 1 || month > MonthsOfYear || d < 1 || d > DaysIn(year, month) {
		return 0, OutOfTime()
	}
	return DaysOf(year, month, d), nil
}

// NoSuchUnit is the error of a unit that a type does not have.
func NoSuchUnit(unit string) error { return Failure("0A000", "unit %q not supported", unit) }

// Part is a part of a time: its exact value, and what the server's arithmetic of
// floats makes of it.
type Part struct {
	Exact *big.Rat
	Float float64
}

// Whole is an integral part.
func Whole(n int64) Part { return Part{big.NewRat(n, 1), float64(n)} }

// ClockPart gives a part of hours, minutes and seconds; false if the unit is none.
func ClockPart(unit string, us int64) (Part, bool) {
	sec, rest := us/Second%60, us%Second
	inMinute := sec*Second + rest
	switch unit {
	case "microseconds":
		return Whole(inMinute), true
	case "milliseconds":
		return Part{big.NewRat(inMinute, 1000), float64(float64(sec)*1000) + float64(rest)/1000}, true
	case "second":
		return Part{big.NewRat(inMinute, Second), float64(sec) + float64(rest)/1e6}, true
	case "minute":
		return Whole(us / (60 * Second) % 60), true
	case "hour":
		return Whole(us / (3600 * Second)), true
	}
	return Part{}, false
}

// Part gives a part of an interval, of which days are no months.
func (i Interval) Part(unit string) (Part, error) {
	if p, ok := ClockPart(unit, i.Micros); ok {
		return p, nil
	}
	years, months := i.Months/MonthsOfYear, i.Months%MonthsOfYear
	switch unit {
	case "day":
		return Whole(i.Days), nil
	case "month":
		return Whole(months), nil
	case "quarter":
		return Whole(months/QuarterMonths + 1), nil
	case "year":
		return Whole(years), nil
	case "decade":
		return Whole(years / 10), nil
	case "century":
		return Whole(years / 100), nil
	case "millennium":
		return Whole(years / 1000), nil
	case "epoch": // a year has 365.25 days here
		exact := big.NewRat((years*1461+months*4*DaysOfMonth+i.Days*4)*(86400/4), 1)
		f := float64(i.Micros) / 1e6
		f += float64(365.25 * 86400 * float64(years))
		f += float64(DaysOfMonth * 86400 * float64(months))
		f += float64(86400 * float64(i.Days))
		return Part{exact.Add(exact, big.NewRat(i.Micros, Second)), f}, nil
	}
	return Part{}, NoSuchUnit(unit)
}

// Truncated cuts the parts below a unit; false if the unit is none of intervals.
func (i Interval) Truncated(unit string) (Interval, bool) {
	for name, months := range map[string]int64{"millennium": 12000, "century": 1200, "decade": 120, "year": 12, "quarter": 3, "month": 1} {
		if unit == name {
			return Interval{Months: i.Months - i.Months%months}, true
		}
	}
	for name, us := range map[string]int64{"day": 0, "hour": 3600 * Second, "minute": 60 * Second, "second": Second, "milliseconds": 1000, "microseconds": 1} {
		if unit == name {
			if us == 0 {
				i.Micros = 0
			} else {
				i.Micros -= i.Micros % us
			}
			return i, true
		}
	}
	return i, false
}
