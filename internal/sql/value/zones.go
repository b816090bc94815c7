package value

import (
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

// ZonedTime is a time with time zone: microseconds of the day and the seconds that
// the zone is ahead of UTC.
type ZonedTime struct{ Clock, Zone int64 }

// ZonedTimeOf reads a value of type timetz.
func ZonedTimeOf(v ir.Value) (ZonedTime, bool) {
	us, rest, ok := splitClock(v.S)
	zone, known := zoneOf(rest)
	return ZonedTime{us, zone / Second}, ok && known && us >= 0
}

// Value is the value of the IR.
func (z ZonedTime) Value() ir.Value {
	sign, zone := "+", z.Zone*Second
	if zone < 0 {
		sign, zone = "-", -zone
	}
	name := strings.TrimSuffix(strings.TrimSuffix(clockText(zone), ":00"), ":00")
	return ir.Opaque(clockText(z.Clock) + sign + name)
}

// ByZonedTime compares times, and those that are one point in time by their zones.
func ByZonedTime(a, b ir.Value) (int, error) {
	x, ok := ZonedTimeOf(a)
	y, ok2 := ZonedTimeOf(b)
	if !ok || !ok2 {
		return 0, ir.ErrNotKnown
	}
	if c := ir.Compare(ir.Int(x.Clock-x.Zone*Second), ir.Int(y.Clock-y.Zone*Second)); c != 0 {
		return c, nil
	}
	return ir.Compare(ir.Int(y.Zone), ir.Int(x.Zone)), nil
}

// InZone shifts a time to another zone.
func (z ZonedTime) InZone(zone int64) ZonedTime {
	_, clock := FloorDiv(z.Clock+(zone-z.Zone)*Second, Day)
	return ZonedTime{clock, zone}
}
