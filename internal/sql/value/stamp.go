package value

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/txrobust/robust/internal/ir"
)

const (
	Second = int64(1_000_000)
	Day    = 24 * 3600 * Second
)

const (
	Infinity      = math.MaxInt64
	MinusInfinity = math.MinInt64
)

// SampleDay is 2024-01-01.
var SampleDay = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

var (
	isoDate   = regexp.MustCompile(`^(\d{4,6})(?:-(\d{1,2})-|/(\d{1,2})/)(\d{1,2})`)
	shortDate = regexp.MustCompile(`^(\d{4})(\d{2})(\d{2})`)
	usDate    = regexp.MustCompile(`^(\d{1,2})[-/](\d{1,2})[-/](\d{4})`)
	wordDate  = regexp.MustCompile(`^([a-z]{3,9})\.? +(\d{1,2}),? +(\d{4})`)
	dayFirst  = regexp.MustCompile(`^(\d{1,2})[- ]([a-z]{3,9})[- ](\d{4})`)
	yearWord  = regexp.MustCompile(`^(\d{4})-([a-z]{3,9})-(\d{1,2})`)
	clock     = regexp.MustCompile(`^(\d{1,2}):(\d{1,2})(?::(\d{1,2})(\.\d*)?)?(?: *([ap]m))?`)
	offset    = regexp.MustCompile(`^([+-])(\d{2}|\d$|\d:)(?::?(\d{2})(?::?(\d{2}))?)?$`)
)

// Months are the names of the months.
var Months = strings.Fields("january february march april may june july august september october november december")

func month(word string) int {
	for i, m := range Months {
		if strings.HasPrefix(m, word) && (len(word) == 3 || word == m) || word == "sept" && m == "september" {
			return i + 1
		}
	}
	return 0
}

// parseStamp reads a date, a timestamp or a timestamptz.
func parseStamp(t *Type, text string) (ir.Value, error) {
	s := strings.ToLower(strings.Join(strings.Fields(text), " "))
	switch s {
	case "infinity":
		return ir.Time(Infinity), nil
	case "-infinity":
		return ir.Time(MinusInfinity), nil
	case "epoch":
		return ir.Time(0), nil
	case "":
		return ir.Null, invalid(t, text)
	}
	s, christ := strings.CutSuffix(s, " bc")
	y, m, d, rest, ok := splitDate(s)
	if !ok {
		return ir.Null, notADate(t, text, s)
	}
	if christ {
		y = -y
	}
	days, err := DaysFrom(int64(y), int64(m), int64(d))
	if err != nil {
		return ir.Null, invalid(t, text)
	}
	at, err := Stamp(days, 0)
	if err != nil {
		return ir.Null, ir.ErrNotKnown
	}
	if rest = strings.TrimSpace(rest); rest == "" {
		return ir.Time(at), nil
	}
	rest = strings.TrimPrefix(rest, "t")
	us, rest, ok := splitClock(strings.TrimSpace(rest))
	zone, known := zoneOf(strings.TrimSpace(rest))
	switch {
	case !ok || !known:
		return ir.Null, ir.ErrNotKnown
	case us < 0:
		return ir.Null, invalid(t, text)
	case t.Name == "date":
		return ir.Time(at), nil
	case t.Name == "timestamptz":
		us -= zone
	}
	at, err = Stamp(FloorDiv(RoundFrom(DaysTo2000*Day, at+us, t.Precision), Day))
	if err != nil {
		return ir.Null, ir.ErrNotKnown
	}
	return ir.Time(at), nil
}

// notADate tells texts that have no digit, and so mean no point in time but for
// some words, from those that another form may explain.
func notADate(t *Type, text, s string) error {
	words := strings.Fields("now today tomorrow yesterday allballs infinity epoch")
	for _, w := range words {
		if strings.Contains(s, w) {
			return ir.ErrNotKnown
		}
	}
	if !strings.ContainsAny(s, "0123456789") {
		return invalid(t, text)
	}
	return ir.ErrNotKnown
}

func splitDate(s string) (y, m, d int, rest string, ok bool) {
	num := func(s string) int { n, _ := strconv.Atoi(s); return n }
	for _, f := range []struct {
		re      *regexp.Regexp
		y, m, d int
	}{{isoDate, 1, 2, 4}, {usDate, 3, 1, 2}, {shortDate, 1, 2, 3}, {wordDate, 3, 1, 2}, {dayFirst, 3, 2, 1}, {yearWord, 1, 2, 3}} {
		p := f.re.FindStringSubmatch(s)
		if p == nil {
			continue
		}
		rest = s[len(p[0]):]
		if rest != "" && rest[0] >= '0' && rest[0] <= '9' || strings.Contains(rest, "bc") {
			return 0, 0, 0, "", false
		}
		if p[f.m] == "" { // the other separator
			f.m++
		}
		if m = num(p[f.m]); m == 0 && p[f.m][0] >= 'a' {
			if m = month(p[f.m]); m == 0 {
				return 0, 0, 0, "", false
			}
		}
		return num(p[f.y]), m, num(p[f.d]), rest, true
	}
	return 0, 0, 0, "", false
}

// splitClock reads a time of day in microseconds, negative if there is no such
// time, and gives what follows.
func splitClock(s string) (us int64, rest string, ok bool) {
	p := clock.FindStringSubmatch(s)
	if p == nil {
		return 0, "", false
	}
	h, _ := strconv.Atoi(p[1])
	m, _ := strconv.Atoi(p[2])
	sec, _ := strconv.Atoi(p[3])
	micros := fraction(p[4])
	switch {
	case p[5] != "" && (h < 1 || h > 12):
		return -1, "", true
	case p[5] == "am" && h == 12:
		h = 0
	case p[5] == "pm" && h < 12:
		h += 12
	}
	us = (int64(h)*3600+int64(m)*60+int64(sec))*Second + micros
	if m > 59 || sec > 60 || us > Day {
		us = -1
	}
	return us, s[len(p[0]):], true
}

// fraction gives the microseconds of a decimal fraction such as ".5".
func fraction(s string) int64 {
	if len(s) < 2 {
		return 0
	}
	f, _ := strconv.ParseFloat("0"+s, 64)
	return int64(math.RoundToEven(f * 1e6))
}

// zoneOf gives the offset of a time zone from UTC, in microseconds.
func zoneOf(s string) (us int64, known bool) {
	switch s {
	case "", "z", "utc", "gmt", "zulu":
		return 0, true
	}
	p := offset.FindStringSubmatch(s)
	if p == nil {
		return 0, false
	}
	h, _ := strconv.Atoi(strings.TrimSuffix(p[2], ":"))
	m, _ := strconv.Atoi(p[3])
	sec, _ := strconv.Atoi(p[4])
	us = (int64(h)*3600 + int64(m)*60 + int64(sec)) * Second
	if p[1] == "-" {
		us = -us
	}
	return us, h < 16 && m < 60 && sec < 60
}

func printStamp(t *Type, v ir.Value) string {
	switch v.I {
	case Infinity:
		return "infinity"
	case MinusInfinity:
		return "-infinity"
	}
	m := MomentOf(v.I)
	suffix, year := "", m.Year
	if year < 1 { // there is no year 0
		suffix, year = " BC", 1-year
	}
	s := fmt.Sprintf("%04d-%02d-%02d", year, m.Month, m.Day)
	if t.Name == "date" {
		return s + suffix
	}
	s += " " + clockText(m.Clock)
	if t.Name == "timestamptz" {
		s += "+00"
	}
	return s + suffix
}

// parseTimeOfDay reads a time of day; the value counts from 1970-01-01.
func parseTimeOfDay(t *Type, text string) (ir.Value, error) {
	s := strings.ToLower(strings.Join(strings.Fields(text), " "))
	if _, _, _, rest, ok := splitDate(s); ok {
		s = strings.TrimPrefix(strings.TrimSpace(rest), "t")
	}
	us, rest, ok := splitClock(strings.TrimSpace(s))
	if !ok {
		return ir.Null, notADate(t, text, s)
	}
	if _, known := zoneOf(strings.TrimSpace(rest)); !known {
		return ir.Null, ir.ErrNotKnown
	}
	if us < 0 {
		return ir.Null, invalid(t, text)
	}
	return ir.Time(RoundFrom(0, us, t.Precision)), nil
}

func printTimeOfDay(_ *Type, v ir.Value) string { return clockText(v.I) }

// clockText is hours, minutes and seconds; there may be more than 24 hours.
func clockText(us int64) string {
	pad := func(n int64) string {
		if n < 10 {
			return "0" + strconv.FormatInt(n, 10)
		}
		return strconv.FormatInt(n, 10)
	}
	s := pad(us/(3600*Second)) + ":" + pad(us/(60*Second)%60) + ":" + pad(us/Second%60)
	if f := us % Second; f != 0 {
		s += strings.TrimRight("."+strconv.FormatInt(Second+f, 10)[1:], "0")
	}
	return s
}

// parseZonedTime reads a time with time zone. Times that differ in their zones
// differ, so that the text that the server prints is the value.
func parseZonedTime(t *Type, text string) (ir.Value, error) {
	s := strings.ToLower(strings.Join(strings.Fields(text), " "))
	us, rest, ok := splitClock(s)
	if !ok {
		return ir.Null, notADate(t, text, s)
	}
	zone, known := zoneOf(strings.TrimSpace(rest))
	if !known {
		return ir.Null, ir.ErrNotKnown
	}
	if us < 0 {
		return ir.Null, invalid(t, text)
	}
	return ZonedTime{RoundFrom(0, us, t.Precision), zone / Second}.Value(), nil
}

// RoundFrom rounds the distance from an origin to a number of digits of a second;
// halves go away from the origin, and -1 is all digits.
func RoundFrom(origin, us int64, digits int) int64 {
	if digits < 0 || digits >= 6 || Infinite(us) {
		return us
	}
	unit := int64(math.Pow10(6 - digits))
	if us >= origin {
		return origin + (us-origin+unit/2)/unit*unit
	}
	return origin - (origin-us+unit/2)/unit*unit
}
