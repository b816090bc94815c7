package builtin

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/scalars"
	"github.com/txrobust/robust/internal/sql/value"
)

// withZonedTime is a function whose argument n is a timetz.
func withZonedTime(n int, f func(z value.ZonedTime, a []ir.Value) (ir.Value, error)) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		z, ok := value.ZonedTimeOf(a[n])
		if !ok {
			return ir.Null, ir.ErrNotKnown
		}
		return f(z, a)
	}
}

// inUTC are names of the time zone UTC.
var inUTC = map[string]bool{"utc": true, "gmt": true, "z": true, "zulu": true, "uct": true, "etc/utc": true, "etc/gmt": true, "universal": true}

// posixZone is a zone that is an offset, which counts to the west.
var posixZone = regexp.MustCompile(`^([+-]?)(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?$`)

// zoneNamed gives the seconds that a zone is ahead of UTC, if it is fixed.
func zoneNamed(name string) (seconds int64, known bool) {
	if inUTC[strings.ToLower(name)] {
		return 0, true
	}
	p := posixZone.FindStringSubmatch(name)
	if p == nil {
		return 0, false
	}
	h, _ := strconv.ParseInt(p[2], 10, 64)
	m, _ := strconv.ParseInt("0"+p[3], 10, 64)
	s, _ := strconv.ParseInt("0"+p[4], 10, 64)
	if h > 15 || m > 59 || s > 59 {
		return 0, false
	}
	seconds = h*3600 + m*60 + s
	if p[1] != "-" {
		seconds = -seconds
	}
	return seconds, true
}

// zoneArgument gives the zone of a call: a name or an interval.
func zoneArgument(t string, v ir.Value) (seconds int64, err error) {
	if t == "text" {
		s, known := zoneNamed(v.S)
		if !known {
			return 0, ir.ErrNotKnown
		}
		return s, nil
	}
	i, ok := value.IntervalOf(v)
	switch {
	case !ok:
		return 0, ir.ErrNotKnown
	case i.Months != 0 || i.Days != 0:
		return 0, value.Failure("22023", "interval time zone must not include months or days")
	}
	if s := i.Micros / value.Second; s <= maxZone && s >= -maxZone {
		return s, nil
	}
	return 0, ir.ErrNotKnown
}

// maxZone bounds the distance of a zone from UTC, in seconds.
const maxZone = 16*3600 - 1

func init() {
	scalars.Comparisons("timetz_", "(timetz,timetz)", value.ByZonedTime)
	plus := func(time, interval int, sign int64) value.Evaluator {
		return withZonedTime(time, func(z value.ZonedTime, a []ir.Value) (ir.Value, error) {
			clock, err := strictly(clockPlus(0, 1, sign), ir.Time(z.Clock), a[interval])
			return value.ZonedTime{Clock: clock.I, Zone: z.Zone}.Value(), err
		})
	}
	onDate := func(date, time int) value.Evaluator {
		return withZonedTime(time, func(z value.ZonedTime, a []ir.Value) (ir.Value, error) {
			return atTime(a[date].I, z.Clock-z.Zone*value.Second)
		})
	}
	value.Define(map[string]value.Evaluator{
		"timetz_larger(timetz,timetz)":        scalars.Pick(1, value.ByZonedTime),
		"timetz_smaller(timetz,timetz)":       scalars.Pick(-1, value.ByZonedTime),
		"timetz_pl_interval(timetz,interval)": plus(0, 1, 1),
		"timetz_mi_interval(timetz,interval)": plus(0, 1, -1),
		"interval_pl_timetz(interval,timetz)": plus(1, 0, 1),
		"datetimetz_pl(date,timetz)":          onDate(0, 1),
		"timetzdate_pl(timetz,date)":          onDate(1, 0),
		"timestamptz(date,timetz)":            onDate(0, 1),
		"time(timetz)":                        withZonedTime(0, func(z value.ZonedTime, _ []ir.Value) (ir.Value, error) { return ir.Time(z.Clock), nil }),
		"timetz(time)":                        value.Pure(func(a []ir.Value) ir.Value { return value.ZonedTime{Clock: a[0].I, Zone: 0}.Value() }),
		"timetz(timestamptz)": value.Pure(func(a []ir.Value) ir.Value {
			if value.Infinite(a[0].I) {
				return ir.Null
			}
			_, clock := value.FloorDiv(a[0].I, value.Day)
			return value.ZonedTime{Clock: clock, Zone: 0}.Value()
		}),
		"overlaps(timetz,timetz,timetz,timetz)": func(a []ir.Value) (ir.Value, error) {
			return overlap(a[0], a[1], a[2], a[3], value.ByZonedTime)
		},
		"make_timestamptz(int4,int4,int4,int4,int4,float8,text)": func(a []ir.Value) (ir.Value, error) {
			if zone, known := zoneNamed(a[6].S); !known || zone != 0 {
				return ir.Null, ir.ErrNotKnown // an offset counts to the east here
			}
			return makeTimestamp(a)
		},
	})
	for _, t := range []string{"text", "interval"} {
		shift := func(sign int64) value.Evaluator {
			return func(a []ir.Value) (ir.Value, error) {
				zone, err := zoneArgument(t, a[0])
				if value.Infinite(a[1].I) && (err == nil || t == "interval") {
					return a[1], nil
				}
				if err != nil {
					return ir.Null, err
				}
				days, clock := value.FloorDiv(a[1].I, value.Day)
				return value.StampValue(value.Stamp(days, clock+sign*zone*value.Second))
			}
		}
		value.Define(map[string]value.Evaluator{
			"timezone(" + t + ",timestamp)":   shift(-1),
			"timezone(" + t + ",timestamptz)": shift(1),
			"timezone(" + t + ",timetz)": withZonedTime(1, func(z value.ZonedTime, a []ir.Value) (ir.Value, error) {
				zone, err := zoneArgument(t, a[0])
				if err != nil {
					return ir.Null, err
				}
				return z.InZone(zone).Value(), nil
			}),
		})
	}
}
