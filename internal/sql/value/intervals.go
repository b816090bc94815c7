package value

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

// IntervalOutOfRange is the error of an interval that the server cannot hold.
func IntervalOutOfRange() error { return Failure("22008", "interval out of range") }

// Fits32 reports whether numbers are of type int4, as the months and days of an
// interval are.
func Fits32(numbers ...int64) bool {
	for _, n := range numbers {
		if n != int64(int32(n)) {
			return false
		}
	}
	return true
}

// Checked gives an interval that the server can hold.
func (i Interval) Checked() (ir.Value, error) {
	if !Fits32(i.Months, i.Days) {
		return ir.Null, IntervalOutOfRange()
	}
	return i.Value(), nil
}

// Negated changes the sign; false if the result is too large.
func (i Interval) Negated() (Interval, bool) {
	out := Interval{-i.Months, -i.Days, -i.Micros}
	return out, Fits32(out.Months, out.Days) && i.Micros != math.MinInt64
}

// ByTotal compares intervals.
func ByTotal(a, b ir.Value) (int, error) {
	x, ok := IntervalOf(a)
	y, ok2 := IntervalOf(b)
	if !ok || !ok2 {
		return 0, ir.ErrNotKnown
	}
	return x.Total().Cmp(y.Total()), nil
}

// balance moves one unit from the higher to the lower part where their signs differ.
func balance(high, low *int64, unit int64) {
	switch {
	case *high > 0 && *low < 0:
		*high, *low = *high-1, *low+unit
	case *high < 0 && *low > 0:
		*high, *low = *high+1, *low-unit
	}
}

// JustifyHours makes days of 24 hours.
func (i Interval) JustifyHours() Interval {
	i.Days += i.Micros / Day
	i.Micros %= Day
	balance(&i.Days, &i.Micros, Day)
	return i
}

// JustifyDays makes months of 30 days.
func (i Interval) JustifyDays() Interval {
	i.Months += i.Days / DaysOfMonth
	i.Days %= DaysOfMonth
	balance(&i.Months, &i.Days, DaysOfMonth)
	return i
}

// Justified makes months and days, and gives all parts one sign.
func (i Interval) Justified() Interval {
	i.Days += i.Micros / Day
	i.Micros %= Day
	i.Months += i.Days / DaysOfMonth
	i.Days %= DaysOfMonth
	switch {
	case i.Months > 0 && (i.Days < 0 || i.Days == 0 && i.Micros < 0):
		i.Months, i.Days = i.Months-1, i.Days+DaysOfMonth
	case i.Months < 0 && (i.Days > 0 || i.Days == 0 && i.Micros > 0):
		i.Months, i.Days = i.Months+1, i.Days-DaysOfMonth
	}
	balance(&i.Days, &i.Micros, Day)
	return i
}

// Interval is the three parts of an interval, none of which is a number of another
// one.
type Interval struct {
	Months, Days int64
	Micros       int64
}

// Value is the value of the IR.
func (i Interval) Value() ir.Value { return ir.Opaque(i.String()) }

// String is what the server prints (IntervalStyle postgres).
func (i Interval) String() string {
	var parts []string
	negative := false
	add := func(n int64, unit string) {
		if n == 0 {
			return
		}
		sign := ""
		if n > 0 && negative {
			sign = "+"
		}
		negative = n < 0
		if n != 1 {
			unit += "s"
		}
		parts = append(parts, fmt.Sprintf("%s%d %s", sign, n, unit))
	}
	add(i.Months/12, "year")
	add(i.Months%12, "mon")
	add(i.Days, "day")
	if i.Micros != 0 || len(parts) == 0 {
		sign, us := "", i.Micros
		switch {
		case us < 0:
			sign, us = "-", -us
		case negative:
			sign = "+"
		}
		parts = append(parts, sign+clockText(us))
	}
	return strings.Join(parts, " ")
}

// Total is the number of microseconds that comparisons use: a month has 30 days, a
// day 24 hours.
func (i Interval) Total() *big.Int {
	days := new(big.Int).SetInt64(i.Months*30 + i.Days)
	return days.Add(days.Mul(days, big.NewInt(Day)), big.NewInt(i.Micros))
}

// IntervalOf reads a value that an Interval has made.
func IntervalOf(v ir.Value) (Interval, bool) {
	p, err := parseInterval(Of("interval"), v.S)
	if err != nil || p.S != v.S {
		return Interval{}, false
	}
	i, _ := readInterval(v.S)
	return i, true
}

func parseInterval(t *Type, text string) (ir.Value, error) {
	i, err := readInterval(text)
	switch {
	case err != nil && !strings.ContainsAny(text, "0123456789."):
		return ir.Null, invalid(t, text)
	case err != nil:
		return ir.Null, err
	case !Fits32(i.Months, i.Days):
		return ir.Null, invalid(t, text)
	}
	if t.Precision < 0 || t.Precision >= 6 {
		return i.Value(), nil
	}
	return i.rounded(t.Precision)
}

var (
	intervalPart = regexp.MustCompile(`^([+-]?\d+(?:\.\d+)?|\.\d+) *([a-z]+)`)
	intervalTime = regexp.MustCompile(`^([+-]?)(\d+):(\d{1,2})(?::(\d{1,2})(\.\d*)?)?`)
	yearMonth    = regexp.MustCompile(`^([+-]?)(\d+)-(\d+)(?: |$)`)
	bareNumber   = regexp.MustCompile(`^([+-]?\d+(?:\.\d*)?)$`)
	dayThenTime  = regexp.MustCompile(`^([+-]?\d+) +[+-]?\d+:`)
)

// maxHours is the number of hours that a number of microseconds can be.
const maxHours = math.MaxInt64 / (3600 * Second)

// readInterval reads the forms of the manual, section 8.5.4.
func readInterval(text string) (Interval, error) {
	s := strings.ToLower(strings.Trim(text, Space))
	var out Interval
	if s == "" {
		return out, ir.ErrNotKnown
	}
	if s[0] == 'p' || strings.HasPrefix(s, "-p") {
		return isoInterval(s)
	}
	s = strings.TrimSpace(strings.TrimPrefix(s, "@"))
	ago := strings.HasSuffix(s, " ago")
	s = strings.TrimSpace(strings.TrimSuffix(s, " ago"))
	seen := map[Interval]bool{} // each unit may come once
	once := func(unit string) bool {
		known := seen[units[unit]]
		seen[units[unit]] = true
		return !known
	}
	for s != "" {
		if p := dayThenTime.FindStringSubmatch(s); p != nil {
			n, err := strconv.ParseInt(p[1], 10, 32)
			if err != nil || !once("day") {
				return out, ir.ErrNotKnown
			}
			out.Days += n
			s = strings.TrimSpace(s[len(p[1]):])
			continue
		}
		if p := intervalTime.FindStringSubmatch(s); p != nil {
			h, err := strconv.ParseInt(p[2], 10, 64)
			m, _ := strconv.ParseInt(p[3], 10, 64)
			sec, _ := strconv.ParseInt(p[4], 10, 64)
			if err != nil || h > maxHours || m > 59 || sec > 59 || !once("hour") || !once("minute") || !once("second") {
				return out, ir.ErrNotKnown
			}
			us, ok := CheckedAdd(h*3600*Second, (m*60+sec)*Second+fraction(p[5]))
			if !ok {
				return out, ir.ErrNotKnown
			}
			if p[1] == "-" {
				us = -us
			}
			out.Micros += us
			s = strings.TrimSpace(s[len(p[0]):])
			continue
		}
		if p := yearMonth.FindStringSubmatch(s); p != nil {
			y, _ := strconv.ParseInt(p[2], 10, 32)
			m, _ := strconv.ParseInt(p[3], 10, 32)
			if m > 11 || !once("year") || !once("month") {
				return out, ir.ErrNotKnown
			}
			n := y*12 + m
			if p[1] == "-" {
				n = -n
			}
			out.Months += n
			s = strings.TrimSpace(s[len(p[0]):])
			continue
		}
		p := intervalPart.FindStringSubmatch(s)
		if p == nil {
			if !bareNumber.MatchString(s) {
				return out, ir.ErrNotKnown
			}
			p = []string{s, s, "second"}
		}
		if rest := s[len(p[0]):]; !out.add(p[1], p[2]) || !once(p[2]) || rest != "" && rest[0] != ' ' {
			return out, ir.ErrNotKnown
		}
		s = strings.TrimSpace(s[len(p[0]):])
	}
	if ago {
		out.Months, out.Days, out.Micros = -out.Months, -out.Days, -out.Micros
	}
	return out, nil
}

// units are the words for units: how many months, days or microseconds they are.
var units = map[string]Interval{}

func defineUnits() {
	for names, u := range map[string]Interval{
		"microsecond microseconds us usec usecs usecond useconds": {Micros: 1},
		"millisecond milliseconds ms msec msecs msecond mseconds": {Micros: 1000},
		"second seconds sec secs s":                               {Micros: Second},
		"minute minutes min mins m":                               {Micros: 60 * Second},
		"hour hours hr hrs h":                                     {Micros: 3600 * Second},
		"day days d":                                              {Days: 1},
		"week weeks w":                                            {Days: 7},
		"month months mon mons":                                   {Months: 1},
		"year years yr yrs y":                                     {Months: 12},
		"decade decades dec decs":                                 {Months: 120},
		"century centuries cent c":                                {Months: 1200},
		"millennium millennia mil mils":                           {Months: 12000},
	} {
		for _, n := range strings.Fields(names) {
			units[n] = u
		}
	}
}

// add adds so many of a unit. What is left of a part of a month is days, and of a
// part of a day time.
func (i *Interval) add(number, unit string) bool {
	u, ok := units[unit]
	r, isNumber := new(big.Rat).SetString(number)
	if !ok || !isNumber {
		return false
	}
	whole := new(big.Int).Quo(r.Num(), r.Denom())
	if !whole.IsInt64() || whole.Int64() > 1e15 || whole.Int64() < -1e15 {
		return false
	}
	n := whole.Int64()
	rest, _ := new(big.Rat).Sub(r, new(big.Rat).SetInt(whole)).Float64()
	i.Months += n * u.Months
	i.Days += n * u.Days
	i.Micros += n * u.Micros
	if rest == 0 {
		return true
	}
	switch {
	case u.Months > 1:
		i.Months += int64(math.RoundToEven(rest * float64(u.Months)))
	case u.Months == 1:
		i.addDays(rest * 30)
	case u.Days > 0:
		i.addDays(rest * float64(u.Days))
	default:
		i.Micros += int64(math.RoundToEven(rest * float64(u.Micros)))
	}
	return true
}

func (i *Interval) addDays(days float64) {
	whole := math.Trunc(days)
	i.Days += int64(whole)
	i.Micros += int64(math.RoundToEven((days - whole) * float64(Day)))
}

// isoInterval reads ISO 8601 with designators.
func isoInterval(s string) (Interval, error) {
	var out Interval
	body := strings.TrimPrefix(strings.TrimPrefix(s, "-"), "p")
	date, clock, hasTime := strings.Cut(body, "t")
	if date == "" && (!hasTime || clock == "") {
		return out, ir.ErrNotKnown
	}
	part := regexp.MustCompile(`^(-?\d+(?:\.\d+)?)([a-z])`)
	read := func(s string, words map[string]string) bool {
		for s != "" {
			p := part.FindStringSubmatch(s)
			if p == nil || words[p[2]] == "" || !out.add(p[1], words[p[2]]) {
				return false
			}
			s = s[len(p[0]):]
		}
		return true
	}
	if !read(date, map[string]string{"y": "year", "m": "month", "w": "week", "d": "day"}) ||
		!read(clock, map[string]string{"h": "hour", "m": "minute", "s": "second"}) {
		return out, ir.ErrNotKnown
	}
	if s[0] == '-' {
		out.Months, out.Days, out.Micros = -out.Months, -out.Days, -out.Micros
	}
	return out, nil
}
