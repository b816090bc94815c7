package value

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/txrobust/robust/ir"
)

// zonedTime is a time with time zone: microseconds of the day and the seconds that
// the zone is ahead of UTC.
type zonedTime struct{ clock, zone int64 }

// zonedTimeOf reads a value of type timetz.
func zonedTimeOf(v ir.Value) (zonedTime, bool) {
	us, rest, ok := splitClock(v.S)
	zone, known := zoneOf(rest)
	return zonedTime{us, zone / second}, ok && known && us >= 0
}

// value is the value of the IR.
func (z zonedTime) value() ir.Value {
	sign, zone := "+", z.zone*second
	if zone < 0 {
		sign, zone = "-", -zone
	}
	name := strings.TrimSuffix(strings.TrimSuffix(clockText(zone), ":00"), ":00")
	return ir.Opaque(clockText(z.clock) + sign + name)
}

// byZonedTime compares times, and those that are one point in time by their zones.
func byZonedTime(a, b ir.Value) (int, error) {
	x, ok := zonedTimeOf(a)
	y, ok2 := zonedTimeOf(b)
	if !ok || !ok2 {
		return 0, ir.ErrNotKnown
	}
	if c := ir.Compare(ir.Int(x.clock-x.zone*second), ir.Int(y.clock-y.zone*second)); c != 0 {
		return c, nil
	}
	return ir.Compare(ir.Int(y.zone), ir.Int(x.zone)), nil
}

// withZonedTime is a function whose argument n is a timetz.
func withZonedTime(n int, f func(z zonedTime, a []ir.Value) (ir.Value, error)) evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		z, ok := zonedTimeOf(a[n])
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
	i, ok := IntervalOf(v)
	switch {
	case !ok:
		return 0, ir.ErrNotKnown
	case i.Months != 0 || i.Days != 0:
		return 0, failure("22023", "interval time zone must not include months or days")
	}
	if s := i.Micros / second; s <= maxZone && s >= -maxZone {
		return s, nil
	}
	return 0, ir.ErrNotKnown
}

// maxZone bounds the distance of a zone from UTC, in seconds.
const maxZone = 16*3600 - 1

// inZone shifts a time to another zone.
func (z zonedTime) inZone(zone int64) zonedTime {
	_, clock := floorDiv(z.clock+(zone-z.zone)*second, day)
	return zonedTime{clock, zone}
}

func init() {
	comparisons("timetz_", "(timetz,timetz)", byZonedTime)
	plus := func(time, interval int, sign int64) evaluator {
		return withZonedTime(time, func(z zonedTime, a []ir.Value) (ir.Value, error) {
			clock, err := strictly(clockPlus(0, 1, sign), ir.Time(z.clock), a[interval])
			return zonedTime{clock.I, z.zone}.value(), err
		})
	}
	onDate := func(date, time int) evaluator {
		return withZonedTime(time, func(z zonedTime, a []ir.Value) (ir.Value, error) {
			return atTime(a[date].I, z.clock-z.zone*second)
		})
	}
	define(map[string]evaluator{
		"timetz_larger(timetz,timetz)":        pick(1, byZonedTime),
		"timetz_smaller(timetz,timetz)":       pick(-1, byZonedTime),
		"timetz_pl_interval(timetz,interval)": plus(0, 1, 1),
		"timetz_mi_interval(timetz,interval)": plus(0, 1, -1),
		"interval_pl_timetz(interval,timetz)": plus(1, 0, 1),
		"datetimetz_pl(date,timetz)":          onDate(0, 1),
		"timetzdate_pl(timetz,date)":          onDate(1, 0),
		"timestamptz(date,timetz)":            onDate(0, 1),
		"time(timetz)":                        withZonedTime(0, func(z zonedTime, _ []ir.Value) (ir.Value, error) { return ir.Time(z.clock), nil }),
		"timetz(time)":                        pure(func(a []ir.Value) ir.Value { return zonedTime{a[0].I, 0}.value() }),
		"timetz(timestamptz)": pure(func(a []ir.Value) ir.Value {
			if infinite(a[0].I) {
				return ir.Null
			}
			_, clock := floorDiv(a[0].I, day)
			return zonedTime{clock, 0}.value()
		}),
		"overlaps(timetz,timetz,timetz,timetz)": func(a []ir.Value) (ir.Value, error) {
			return overlap(a[0], a[1], a[2], a[3], byZonedTime)
		},
		"make_timestamptz(int4,int4,int4,int4,int4,float8,text)": func(a []ir.Value) (ir.Value, error) {
			if zone, known := zoneNamed(a[6].S); !known || zone != 0 {
				return ir.Null, ir.ErrNotKnown // an offset counts to the east here
			}
			return makeTimestamp(a)
		},
	})
	for _, t := range []string{"text", "interval"} {
		shift := func(sign int64) evaluator {
			return func(a []ir.Value) (ir.Value, error) {
				zone, err := zoneArgument(t, a[0])
				if infinite(a[1].I) && (err == nil || t == "interval") {
					return a[1], nil
				}
				if err != nil {
					return ir.Null, err
				}
				days, clock := floorDiv(a[1].I, day)
				return stampValue(stamp(days, clock+sign*zone*second))
			}
		}
		define(map[string]evaluator{
			"timezone(" + t + ",timestamp)":   shift(-1),
			"timezone(" + t + ",timestamptz)": shift(1),
			"timezone(" + t + ",timetz)": withZonedTime(1, func(z zonedTime, a []ir.Value) (ir.Value, error) {
				zone, err := zoneArgument(t, a[0])
				if err != nil {
					return ir.Null, err
				}
				return z.inZone(zone).value(), nil
			}),
		})
	}
}
