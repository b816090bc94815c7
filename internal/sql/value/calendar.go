package value

import (
	"math"

	"github.com/txrobust/robust/ir"
)

// moment is a point in time in its parts. Year 0 is 1 BC.
type moment struct {
	year, month, day int64
	clock            int64 // microseconds of the day
}

// The server's timestamps begin with the day before 4713 BC and end before year
// 294277, its dates end before year 5874898. Those that an ir.Value cannot count in
// microseconds from 1970 are not known.
const (
	minYear       = -4713
	endOfStamps   = 294277
	endOfDates    = 5874898
	endOfKnown    = 294247
	unixToJulian  = 2440588 // the Julian day of 1970-01-01
	daysTo2000    = 10957
	monthsOfYear  = 12
	daysOfMonth   = 30 // of an interval
	quarterMonths = 3
)

// outOfTime is the error of a time that its type cannot hold.
func outOfTime() error { return failure("22008", "the date or time is out of range") }

// infinite reports whether a time is one of the infinities.
func infinite(us int64) bool { return us == Infinity || us == MinusInfinity }

// floorDiv divides rounding down.
func floorDiv(x, y int64) (quotient, remainder int64) {
	quotient, remainder = x/y, x%y
	if remainder < 0 {
		quotient, remainder = quotient-1, remainder+y
	}
	return quotient, remainder
}

// daysOf counts the days from 1970-01-01 to a date of the Gregorian calendar
// (Richards, Explanatory Supplement to the Astronomical Almanac, section 15.11).
func daysOf(year, month, day int64) int64 {
	y, m := year, month-3 // years that begin with March
	if m < 0 {
		y, m = y-1, m+monthsOfYear
	}
	era, ofEra := floorDiv(y, 400)
	ofYear := (153*m+2)/5 + day - 1
	return era*146097 + ofEra*365 + ofEra/4 - ofEra/100 + ofYear - 719468
}

// dateOf is the inverse of daysOf.
func dateOf(days int64) (year, month, day int64) {
	era, ofEra := floorDiv(days+719468, 146097)
	y := (ofEra - ofEra/1460 + ofEra/36524 - ofEra/146096) / 365
	ofYear := ofEra - (365*y + y/4 - y/100)
	m := (5*ofYear + 2) / 153
	day = ofYear - (153*m+2)/5 + 1
	year = y + era*400
	if m += 3; m > monthsOfYear {
		year, m = year+1, m-monthsOfYear
	}
	return year, m, day
}

// momentOf splits a finite time.
func momentOf(us int64) moment {
	days, clock := floorDiv(us, day)
	y, m, d := dateOf(days)
	return moment{y, m, d, clock}
}

// days counts the days from 1970-01-01.
func (m moment) days() int64 { return daysOf(m.year, m.month, m.day) }

// daysIn is the number of days of a month.
func daysIn(year, month int64) int64 {
	y, m := year, month+1
	if m > monthsOfYear {
		y, m = y+1, 1
	}
	return daysOf(y, m, 1) - daysOf(year, month, 1)
}

// stamp gives the timestamp of some days and microseconds from 1970-01-01.
func stamp(days, us int64) (int64, error) {
	more, clock := floorDiv(us, day)
	days += more
	switch year, _, _ := dateOf(days); {
	case days < -unixToJulian, year >= endOfStamps:
		return 0, outOfTime()
	case year >= endOfKnown:
		return 0, ir.ErrNotKnown
	}
	return days*day + clock, nil
}

// dateValue gives the date of some days from 1970-01-01.
func dateValue(days int64) (ir.Value, error) {
	switch year, _, _ := dateOf(days); {
	case days < -unixToJulian, year >= endOfDates:
		return ir.Null, outOfTime()
	case year >= endOfKnown:
		return ir.Null, ir.ErrNotKnown
	}
	return ir.Time(days * day), nil
}

// stampValue makes a value of a time that is known.
func stampValue(us int64, err error) (ir.Value, error) {
	if err != nil {
		return ir.Null, err
	}
	return ir.Time(us), nil
}

// add adds an interval to a timestamp: months first, then days, then time. A day
// that its month does not have becomes the last one.
func addInterval(us int64, i Interval) (int64, error) {
	if infinite(us) {
		return us, nil
	}
	var err error
	if i.Months != 0 {
		m := momentOf(us)
		years, month := floorDiv(m.month-1+i.Months, monthsOfYear)
		m.year, m.month = m.year+years, month+1
		m.day = min(m.day, daysIn(m.year, m.month))
		if us, err = stamp(m.days(), m.clock); err != nil {
			return 0, err
		}
	}
	days, clock := floorDiv(us, day)
	if days += i.Days; i.Days != 0 {
		if _, err = stamp(days, clock); err != nil {
			return 0, err
		}
	}
	more, rest := floorDiv(i.Micros, day)
	return stamp(days+more, clock+rest)
}

// isoWeek gives the week and its year of ISO 8601.
func (m moment) isoWeek() (year, week int64) {
	days := m.days()
	thursday := days - (isoDay(days) - 1) + 3
	year, _, _ = dateOf(thursday)
	return year, (thursday-daysOf(year, 1, 1))/7 + 1
}

// isoDay is the day of the week, from Monday, 1, to Sunday, 7.
func isoDay(days int64) int64 {
	_, d := floorDiv(days+3, 7) // 1970-01-01 was a Thursday
	return d + 1
}

// dayOfYear counts from 1.
func (m moment) dayOfYear() int64 { return m.days() - daysOf(m.year, 1, 1) + 1 }

// julian is the Julian day.
func (m moment) julian() int64 { return m.days() + unixToJulian }

// commonYear is the year as people count: there is no year 0.
func commonYear(year int64) int64 {
	if year <= 0 {
		return year - 1
	}
	return year
}

// century and its like count periods of n years from year 1.
func period(year, n int64) int64 {
	if year > 0 {
		return (year + n - 1) / n
	}
	return -((n - 1 - (year - 1)) / n)
}

// decade counts the decades; those before year 0 begin a year later.
func decade(year int64) int64 {
	if year >= 0 {
		return year / 10
	}
	return -((8 - (year - 1)) / 10)
}

// truncated begins the period of some unit that holds a time; false if the unit is
// none of timestamps.
func (m moment) truncated(unit string) (moment, bool) {
	first := func(year, month int64) (moment, bool) { return moment{year, month, 1, 0}, true }
	cut := func(unit int64) (moment, bool) {
		m.clock -= m.clock % unit
		return m, true
	}
	switch unit {
	case "millennium":
		return first(firstOfPeriod(m.year, 1000), 1)
	case "century":
		return first(firstOfPeriod(m.year, 100), 1)
	case "decade":
		if m.year > 0 {
			return first(m.year/10*10, 1)
		}
		return first(-((8-(m.year-1))/10)*10, 1)
	case "year":
		return first(m.year, 1)
	case "quarter":
		return first(m.year, (m.month-1)/quarterMonths*quarterMonths+1)
	case "month":
		return first(m.year, m.month)
	case "week":
		days := m.days()
		y, month, d := dateOf(days - isoDay(days) + 1)
		return moment{y, month, d, 0}, true
	case "day":
		return cut(day)
	case "hour":
		return cut(3600 * second)
	case "minute":
		return cut(60 * second)
	case "second":
		return cut(second)
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

// checkedAdd adds; false if the sum is no int64.
func checkedAdd(x, y int64) (int64, bool) {
	if y > 0 && x > math.MaxInt64-y || y < 0 && x < math.MinInt64-y {
		return 0, false
	}
	return x + y, true
}
