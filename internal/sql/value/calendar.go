package value

import (
	"math"

	"github.com/txrobust/robust/internal/ir"
)

// Moment is a point in time in its parts. Year 0 is 1 BC.
type Moment struct {
	Year, Month, Day int64
	Clock            int64 // microseconds of the day
}

const (
	EndOfStamps   = 294277
	endOfDates    = 5874898
	endOfKnown    = 294247
	UnixToJulian  = 2440588 // the Julian day of 1970-01-01
	DaysTo2000    = 10957
	MonthsOfYear  = 12
	DaysOfMonth   = 30 // of an interval
	QuarterMonths = 3
)

// OutOfTime is the error of a time that its type cannot hold.
func OutOfTime() error { return Failure("22008", "the date or time is out of range") }

// Infinite reports whether a time is one of the infinities.
func Infinite(us int64) bool { return us == Infinity || us == MinusInfinity }

// FloorDiv divides rounding down.
func FloorDiv(x, y int64) (quotient, remainder int64) {
	quotient, remainder = x/y, x%y
	if remainder < 0 {
		quotient, remainder = quotient-1, remainder+y
	}
	return quotient, remainder
}

// DaysOf counts the days from 1970-01-01 to a date of the Gregorian calendar
// (Richards, Explanatory Supplement to the Astronomical Almanac, section 15.11).
func DaysOf(year, month, day int64) int64 {
	y, m := year, month-3 // years that begin with March
	if m < 0 {
		y, m = y-1, m+MonthsOfYear
	}
	era, ofEra := FloorDiv(y, 400)
	ofYear := (153*m+2)/5 + day - 1
	return era*146097 + ofEra*365 + ofEra/4 - ofEra/100 + ofYear - 719468
}

// DateOf is the inverse of DaysOf.
func DateOf(days int64) (year, month, day int64) {
	era, ofEra := FloorDiv(days+719468, 146097)
	y := (ofEra - ofEra/1460 + ofEra/36524 - ofEra/146096) / 365
	ofYear := ofEra - (365*y + y/4 - y/100)
	m := (5*ofYear + 2) / 153
	day = ofYear - (153*m+2)/5 + 1
	year = y + era*400
	if m += 3; m > MonthsOfYear {
		year, m = year+1, m-MonthsOfYear
	}
	return year, m, day
}

// MomentOf splits a finite time.
func MomentOf(us int64) Moment {
	days, clock := FloorDiv(us, Day)
	y, m, d := DateOf(days)
	return Moment{y, m, d, clock}
}

// Days counts the days from 1970-01-01.
func (m Moment) Days() int64 { return DaysOf(m.Year, m.Month, m.Day) }

// DaysIn is the number of days of a month.
func DaysIn(year, month int64) int64 {
	y, m := year, month+1
	if m > MonthsOfYear {
		y, m = y+1, 1
	}
	return DaysOf(y, m, 1) - DaysOf(year, month, 1)
}

// Stamp gives the timestamp of some days and microseconds from 1970-01-01.
func Stamp(days, us int64) (int64, error) {
	more, clock := FloorDiv(us, Day)
	days += more
	switch year, _, _ := DateOf(days); {
	case days < -UnixToJulian, year >= EndOfStamps:
		return 0, OutOfTime()
	case year >= endOfKnown:
		return 0, ir.ErrNotKnown
	}
	return days*Day + clock, nil
}

// DateValue gives the date of some days from 1970-01-01.
func DateValue(days int64) (ir.Value, error) {
	switch year, _, _ := DateOf(days); {
	case days < -UnixToJulian, year >= endOfDates:
		return ir.Null, OutOfTime()
	case year >= endOfKnown:
		return ir.Null, ir.ErrNotKnown
	}
	return ir.Time(days * Day), nil
}

// StampValue makes a value of a time that is known.
func StampValue(us int64, err error) (ir.Value, error) {
	if err != nil {
		return ir.Null, err
	}
	return ir.Time(us), nil
}

// IsoWeek gives the week and its year of ISO 8601.
func (m Moment) IsoWeek() (year, week int64) {
	days := m.Days()
	thursday := days - (IsoDay(days) - 1) + 3
	year, _, _ = DateOf(thursday)
	return year, (thursday-DaysOf(year, 1, 1))/7 + 1
}

// IsoDay is the day of the week, from Monday, 1, to Sunday, 7.
func IsoDay(days int64) int64 {
	_, d := FloorDiv(days+3, 7) // 1970-01-01 was a Thursday
	return d + 1
}

// DayOfYear counts from 1.
func (m Moment) DayOfYear() int64 { return m.Days() - DaysOf(m.Year, 1, 1) + 1 }

// Julian is the Julian day.
func (m Moment) Julian() int64 { return m.Days() + UnixToJulian }

// Truncated begins the period of some unit that holds a time; false if the unit is
// none of timestamps.
func (m Moment) Truncated(unit string) (Moment, bool) {
	first := func(year, month int64) (Moment, bool) { return Moment{year, month, 1, 0}, true }
	cut := func(unit int64) (Moment, bool) {
		m.Clock -= m.Clock % unit
		return m, true
	}
	switch unit {
	case "millennium":
		return first(firstOfPeriod(m.Year, 1000), 1)
	case "century":
		return first(firstOfPeriod(m.Year, 100), 1)
	case "decade":
		if m.Year > 0 {
			return first(m.Year/10*10, 1)
		}
		return first(-((8-(m.Year-1))/10)*10, 1)
	case "year":
		return first(m.Year, 1)
	case "quarter":
		return first(m.Year, (m.Month-1)/QuarterMonths*QuarterMonths+1)
	case "month":
		return first(m.Year, m.Month)
	case "week":
		days := m.Days()
		y, month, d := DateOf(days - IsoDay(days) + 1)
		return Moment{y, month, d, 0}, true
	case "day":
		return cut(Day)
	case "hour":
		return cut(3600 * Second)
	case "minute":
		return cut(60 * Second)
	case "second":
		return cut(Second)
	case "milliseconds":
		return cut(1000)
	case "microseconds":
		return m, true
	}
	return m, false
}

// firstOfPeriod is the first year of a century or millennium.
func firstOfPeriod(year, n int64) int64 {
	if year > 0 {
		return (year+n-1)/n*n - n + 1
	}
	return -((n-1-(year-1))/n)*n + 1
}

// CheckedAdd adds; false if the sum is no int64.
func CheckedAdd(x, y int64) (int64, bool) {
	if y > 0 && x > math.MaxInt64-y || y < 0 && x < math.MinInt64-y {
		return 0, false
	}
	return x + y, true
}
