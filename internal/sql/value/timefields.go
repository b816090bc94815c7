package value

import (
	"math/big"
	"strings"

	"github.com/txrobust/robust/ir"
)

// unitWords are the words for the parts of times, by their names. The server looks
// at their first 10 characters.
var unitWords = map[string]string{}

const unitLength = 10

func init() {
	for name, words := range map[string]string{
		"millennium": "mil mils millennia millennium", "century": "c cent centuries century", "decade": "dec decs decade decades",
		"year": "y yr yrs year years", "quarter": "qtr quarter", "month": "mon mons month months", "week": "w week weeks",
		"day": "d day days", "hour": "h hr hrs hour hours", "minute": "m min mins minute minutes", "second": "s sec secs second seconds",
		"milliseconds": "ms msec msecs msecond mseconds millisecond", "microseconds": "us usec usecs usecond useconds microsecond",
		"timezone": "timezone", "timezone_hour": "timezone_hour", "timezone_minute": "timezone_minute",
		"epoch": "epoch", "dow": "dow", "doy": "doy", "isodow": "isodow", "isoyear": "isoyear", "julian": "julian j jd",
	} {
		for _, w := range strings.Fields(words) {
			unitWords[w[:min(len(w), unitLength)]] = name
		}
	}
}

// unitOf gives the name of a unit. The error is that of a word that is none.
func unitOf(word string) (string, error) {
	s := strings.ToLower(word)
	if u := unitWords[s[:min(len(s), unitLength)]]; u != "" {
		return u, nil
	}
	return "", failure("", "unit %q not recognized", word)
}

// noSuchUnit is the error of a unit that a type does not have.
func noSuchUnit(unit string) error { return failure("0A000", "unit %q not supported", unit) }

// truncatedUnit is unitOf for date_trunc, which does not know some units.
func truncatedUnit(word string) (string, error) {
	unit, err := unitOf(word)
	switch unit {
	case "epoch", "dow", "doy", "isodow", "isoyear", "julian":
		return "", failure("22023", "unit %q not recognized", word)
	}
	return unit, err
}

// part is a part of a time: its exact value, and what the server's arithmetic of
// floats makes of it.
type part struct {
	exact *big.Rat
	float float64
}

func whole(n int64) part { return part{big.NewRat(n, 1), float64(n)} }

// clockPart gives a part of hours, minutes and seconds; false if the unit is none.
func clockPart(unit string, us int64) (part, bool) {
	sec, rest := us/second%60, us%second
	inMinute := sec*second + rest
	switch unit {
	case "microseconds":
		return whole(inMinute), true
	case "milliseconds":
		return part{big.NewRat(inMinute, 1000), float64(float64(sec)*1000) + float64(rest)/1000}, true
	case "second":
		return part{big.NewRat(inMinute, second), float64(sec) + float64(rest)/1e6}, true
	case "minute":
		return whole(us / (60 * second) % 60), true
	case "hour":
		return whole(us / (3600 * second)), true
	}
	return part{}, false
}

// seconds is a number of microseconds as seconds.
func seconds(us int64) part { return part{big.NewRat(us, second), float64(us) / 1e6} }

// stampPart gives a part of a finite timestamp. The time zone is UTC.
func stampPart(unit string, us int64, zoned bool) (part, error) {
	m := momentOf(us)
	if p, ok := clockPart(unit, m.clock); ok {
		return p, nil
	}
	switch unit {
	case "epoch":
		return seconds(us), nil
	case "julian":
		ofDay := quotient(new(big.Rat).SetInt64(m.clock), new(big.Rat).SetInt64(day), 0)
		clock := m.clock / second
		return part{ofDay.Add(ofDay, new(big.Rat).SetInt64(m.julian())),
			float64(m.julian()) + (float64(clock)+float64(m.clock%second)/1e6)/86400}, nil
	case "timezone", "timezone_hour", "timezone_minute":
		if zoned {
			return whole(0), nil
		}
	}
	return datePart(unit, m)
}

// datePart gives a part that dates have.
func datePart(unit string, m moment) (part, error) {
	isoYear, week := m.isoWeek()
	switch unit {
	case "day":
		return whole(m.day), nil
	case "month":
		return whole(m.month), nil
	case "quarter":
		return whole((m.month-1)/quarterMonths + 1), nil
	case "week":
		return whole(week), nil
	case "isoyear":
		return whole(commonYear(isoYear)), nil
	case "year":
		return whole(commonYear(m.year)), nil
	case "decade":
		return whole(decade(m.year)), nil
	case "century":
		return whole(period(m.year, 100)), nil
	case "millennium":
		return whole(period(m.year, 1000)), nil
	case "dow":
		return whole(isoDay(m.days()) % 7), nil
	case "isodow":
		return whole(isoDay(m.days())), nil
	case "doy":
		return whole(m.dayOfYear()), nil
	case "julian":
		return whole(m.julian()), nil
	case "epoch":
		return whole(m.days() * 86400), nil
	}
	return part{}, noSuchUnit(unit)
}

// timePart gives a part of a time of day with its distance from UTC in seconds.
func timePart(unit string, clock int64, zone int64, zoned bool) (part, error) {
	if p, ok := clockPart(unit, clock); ok {
		return p, nil
	}
	switch {
	case unit == "epoch":
		return seconds(clock - zone*second), nil
	case unit == "timezone" && zoned:
		return whole(zone), nil
	case unit == "timezone_hour" && zoned:
		return whole(zone / 3600), nil
	case unit == "timezone_minute" && zoned:
		return whole(zone / 60 % 60), nil
	}
	return part{}, noSuchUnit(unit)
}

// part gives a part of an interval, of which days are no months.
func (i Interval) part(unit string) (part, error) {
	if p, ok := clockPart(unit, i.Micros); ok {
		return p, nil
	}
	years, months := i.Months/monthsOfYear, i.Months%monthsOfYear
	switch unit {
	case "day":
		return whole(i.Days), nil
	case "month":
		return whole(months), nil
	case "quarter":
		return whole(months/quarterMonths + 1), nil
	case "year":
		return whole(years), nil
	case "decade":
		return whole(years / 10), nil
	case "century":
		return whole(years / 100), nil
	case "millennium":
		return whole(years / 1000), nil
	case "epoch": // a year has 365.25 days here
		exact := big.NewRat((years*1461+months*4*daysOfMonth+i.Days*4)*(86400/4), 1)
		f := float64(i.Micros) / 1e6
		f += float64(365.25 * 86400 * float64(years))
		f += float64(daysOfMonth * 86400 * float64(months))
		f += float64(86400 * float64(i.Days))
		return part{exact.Add(exact, big.NewRat(i.Micros, second)), f}, nil
	}
	return part{}, noSuchUnit(unit)
}

// endless are the units whose part of an infinite time is infinite; that of others
// is NULL.
var endless = map[string]bool{"year": true, "decade": true, "century": true, "millennium": true, "julian": true, "isoyear": true, "epoch": true}

// ofStamp gives a part of a time that may be infinite.
func ofStamp(f func(unit string, us int64) (part, error)) func(unit string, v ir.Value) (part, error) {
	return func(unit string, v ir.Value) (part, error) {
		if !infinite(v.I) {
			return f(unit, v.I)
		}
		if _, err := f(unit, 0); err != nil || endless[unit] {
			return part{}, ir.ErrNotKnown
		}
		return part{}, nil
	}
}

// parts are the functions that give a part of a value, by its type.
var parts = map[string]func(unit string, v ir.Value) (part, error){
	"date":        ofStamp(func(unit string, us int64) (part, error) { return datePart(unit, momentOf(us)) }),
	"timestamp":   ofStamp(func(unit string, us int64) (part, error) { return stampPart(unit, us, false) }),
	"timestamptz": ofStamp(func(unit string, us int64) (part, error) { return stampPart(unit, us, true) }),
	"time":        func(unit string, v ir.Value) (part, error) { return timePart(unit, v.I, 0, false) },
	"timetz": func(unit string, v ir.Value) (part, error) {
		z, ok := zonedTimeOf(v)
		if !ok {
			return part{}, ir.ErrNotKnown
		}
		return timePart(unit, z.clock, z.zone, true)
	},
	"interval": func(unit string, v ir.Value) (part, error) {
		i, ok := IntervalOf(v)
		if !ok {
			return part{}, ir.ErrNotKnown
		}
		return i.part(unit)
	},
}

func init() {
	field := func(get func(unit string, v ir.Value) (part, error), result func(p part) ir.Value) evaluator {
		return func(a []ir.Value) (ir.Value, error) {
			unit, err := unitOf(a[0].S)
			if err != nil {
				return ir.Null, err
			}
			p, err := get(unit, a[1])
			if err != nil || p.exact == nil {
				return ir.Null, err
			}
			return result(p), nil
		}
	}
	for t, get := range parts {
		define(map[string]evaluator{"extract(text," + t + ")": field(get, func(p part) ir.Value { return ir.Num(p.exact) })})
		if t == "date" {
			get = parts["timestamp"]
		}
		define(map[string]evaluator{"date_part(text," + t + ")": field(get, func(p part) ir.Value { return Float(p.float) })})
	}
	truncate := func(a []ir.Value) (ir.Value, error) {
		unit, err := truncatedUnit(a[0].S)
		switch {
		case infinite(a[1].I) && err != nil:
			return ir.Null, ir.ErrNotKnown // some versions do not look at the unit
		case err != nil:
			return ir.Null, err
		case infinite(a[1].I):
			return a[1], nil
		}
		m, ok := momentOf(a[1].I).truncated(unit)
		if !ok {
			return ir.Null, noSuchUnit(unit)
		}
		return stampValue(stamp(m.days(), m.clock))
	}
	define(map[string]evaluator{
		"date_trunc(text,timestamp)":   truncate,
		"date_trunc(text,timestamptz)": truncate,
		"date_trunc(text,timestamptz,text)": func(a []ir.Value) (ir.Value, error) {
			if zone, known := zoneNamed(a[2].S); !known || zone != 0 {
				return ir.Null, ir.ErrNotKnown
			}
			return truncate(a)
		},
		"date_trunc(text,interval)": func(a []ir.Value) (ir.Value, error) {
			unit, err := truncatedUnit(a[0].S)
			if err != nil {
				return ir.Null, err
			}
			i, ok := IntervalOf(a[1])
			if !ok {
				return ir.Null, ir.ErrNotKnown
			}
			if i, ok = i.truncated(unit); !ok {
				return ir.Null, noSuchUnit(unit)
			}
			return i.Value(), nil
		},
	})
}

// truncated cuts the parts below a unit; false if the unit is none of intervals.
func (i Interval) truncated(unit string) (Interval, bool) {
	for name, months := range map[string]int64{"millennium": 12000, "century": 1200, "decade": 120, "year": 12, "quarter": 3, "month": 1} {
		if unit == name {
			return Interval{Months: i.Months - i.Months%months}, true
		}
	}
	for name, us := range map[string]int64{"day": 0, "hour": 3600 * second, "minute": 60 * second, "second": second, "milliseconds": 1000, "microseconds": 1} {
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
