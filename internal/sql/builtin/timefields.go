package builtin

import (
	"math/big"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/scalars"
	"github.com/txrobust/robust/internal/sql/value"
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
	return "", value.Failure("", "unit %q not recognized", word)
}

// truncatedUnit is unitOf for date_trunc, which does not know some units.
func truncatedUnit(word string) (string, error) {
	unit, err := unitOf(word)
	switch unit {
	case "epoch", "dow", "doy", "isodow", "isoyear", "julian":
		return "", value.Failure("22023", "unit %q not recognized", word)
	}
	return unit, err
}

// seconds is a number of microseconds as seconds.
func seconds(us int64) value.Part {
	return value.Part{Exact: big.NewRat(us, value.Second), Float: float64(us) / 1e6}
}

// stampPart gives a part of a finite timestamp. The time zone is UTC.
func stampPart(unit string, us int64, zoned bool) (value.Part, error) {
	m := value.MomentOf(us)
	if p, ok := value.ClockPart(unit, m.Clock); ok {
		return p, nil
	}
	switch unit {
	case "epoch":
		return seconds(us), nil
	case "julian":
		ofDay := scalars.Quotient(new(big.Rat).SetInt64(m.Clock), new(big.Rat).SetInt64(value.Day), 0)
		clock := m.Clock / value.Second
		return value.Part{Exact: ofDay.Add(ofDay, new(big.Rat).SetInt64(m.Julian())),
			Float: float64(m.Julian()) + (float64(clock)+float64(m.Clock%value.Second)/1e6)/86400}, nil
	case "timezone", "timezone_hour", "timezone_minute":
		if zoned {
			return value.Whole(0), nil
		}
	}
	return datePart(unit, m)
}

// datePart gives a part that dates have.
func datePart(unit string, m value.Moment) (value.Part, error) {
	isoYear, week := m.IsoWeek()
	switch unit {
	case "day":
		return value.Whole(m.Day), nil
	case "month":
		return value.Whole(m.Month), nil
	case "quarter":
		return value.Whole((m.Month-1)/value.QuarterMonths + 1), nil
	case "week":
		return value.Whole(week), nil
	case "isoyear":
		return value.Whole(commonYear(isoYear)), nil
	case "year":
		return value.Whole(commonYear(m.Year)), nil
	case "decade":
		return value.Whole(decade(m.Year)), nil
	case "century":
		return value.Whole(period(m.Year, 100)), nil
	case "millennium":
		return value.Whole(period(m.Year, 1000)), nil
	case "dow":
		return value.Whole(value.IsoDay(m.Days()) % 7), nil
	case "isodow":
		return value.Whole(value.IsoDay(m.Days())), nil
	case "doy":
		return value.Whole(m.DayOfYear()), nil
	case "julian":
		return value.Whole(m.Julian()), nil
	case "epoch":
		return value.Whole(m.Days() * 86400), nil
	}
	return value.Part{}, value.NoSuchUnit(unit)
}

// timePart gives a part of a time of day with its distance from UTC in seconds.
func timePart(unit string, clock int64, zone int64, zoned bool) (value.Part, error) {
	if p, ok := value.ClockPart(unit, clock); ok {
		return p, nil
	}
	switch {
	case unit == "epoch":
		return seconds(clock - zone*value.Second), nil
	case unit == "timezone" && zoned:
		return value.Whole(zone), nil
	case unit == "timezone_hour" && zoned:
		return value.Whole(zone / 3600), nil
	case unit == "timezone_minute" && zoned:
		return value.Whole(zone / 60 % 60), nil
	}
	return value.Part{}, value.NoSuchUnit(unit)
}

// endless are the units whose part of an infinite time is infinite; that of others
// is NULL.
var endless = map[string]bool{"year": true, "decade": true, "century": true, "millennium": true, "julian": true, "isoyear": true, "epoch": true}

// ofStamp gives a part of a time that may be infinite.
func ofStamp(f func(unit string, us int64) (value.Part, error)) func(unit string, v ir.Value) (value.Part, error) {
	return func(unit string, v ir.Value) (value.Part, error) {
		if !value.Infinite(v.I) {
			return f(unit, v.I)
		}
		if _, err := f(unit, 0); err != nil || endless[unit] {
			return value.Part{}, ir.ErrNotKnown
		}
		return value.Part{}, nil
	}
}

// parts are the functions that give a part of a value, by its type.
var parts = map[string]func(unit string, v ir.Value) (value.Part, error){
	"date":        ofStamp(func(unit string, us int64) (value.Part, error) { return datePart(unit, value.MomentOf(us)) }),
	"timestamp":   ofStamp(func(unit string, us int64) (value.Part, error) { return stampPart(unit, us, false) }),
	"timestamptz": ofStamp(func(unit string, us int64) (value.Part, error) { return stampPart(unit, us, true) }),
	"time":        func(unit string, v ir.Value) (value.Part, error) { return timePart(unit, v.I, 0, false) },
	"timetz": func(unit string, v ir.Value) (value.Part, error) {
		z, ok := value.ZonedTimeOf(v)
		if !ok {
			return value.Part{}, ir.ErrNotKnown
		}
		return timePart(unit, z.Clock, z.Zone, true)
	},
	"interval": func(unit string, v ir.Value) (value.Part, error) {
		i, ok := value.IntervalOf(v)
		if !ok {
			return value.Part{}, ir.ErrNotKnown
		}
		return i.Part(unit)
	},
}

func init() {
	field := func(get func(unit string, v ir.Value) (value.Part, error), result func(p value.Part) ir.Value) value.Evaluator {
		return func(a []ir.Value) (ir.Value, error) {
			unit, err := unitOf(a[0].S)
			if err != nil {
				return ir.Null, err
			}
			p, err := get(unit, a[1])
			if err != nil || p.Exact == nil {
				return ir.Null, err
			}
			return result(p), nil
		}
	}
	for t, get := range parts {
		value.Define(map[string]value.Evaluator{"extract(text," + t + ")": field(get, func(p value.Part) ir.Value { return ir.Num(p.Exact) })})
		if t == "date" {
			get = parts["timestamp"]
		}
		value.Define(map[string]value.Evaluator{"date_part(text," + t + ")": field(get, func(p value.Part) ir.Value { return value.Float(p.Float) })})
	}
	truncate := func(a []ir.Value) (ir.Value, error) {
		unit, err := truncatedUnit(a[0].S)
		switch {
		case value.Infinite(a[1].I) && err != nil:
			return ir.Null, ir.ErrNotKnown // some versions do not look at the unit
		case err != nil:
			return ir.Null, err
		case value.Infinite(a[1].I):
			return a[1], nil
		}
		m, ok := value.MomentOf(a[1].I).Truncated(unit)
		if !ok {
			return ir.Null, value.NoSuchUnit(unit)
		}
		return value.StampValue(value.Stamp(m.Days(), m.Clock))
	}
	value.Define(map[string]value.Evaluator{
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
			i, ok := value.IntervalOf(a[1])
			if !ok {
				return ir.Null, ir.ErrNotKnown
			}
			if i, ok = i.Truncated(unit); !ok {
				return ir.Null, value.NoSuchUnit(unit)
			}
			return i.Value(), nil
		},
	})
}
