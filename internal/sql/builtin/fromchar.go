package builtin

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/scalars"
	"github.com/txrobust/robust/internal/sql/value"
)

// to_date, to_timestamp and to_number read a text by a format. Known are the formats
// of patterns in numbers, months and halves of the day; others are not.

// stampReader reads a text by a format.
type stampReader struct {
	rest  string
	skip  int // characters skipped beyond those of the format
	parts map[string]int64
	read  map[string]bool
	pm    int // 1 for am, 2 for pm
	clock int // 12 where some pattern has a clock of 12 hours, else 24
}

// numberFields are the patterns of numbers with their width and the part they set.
var numberFields = map[string]struct {
	width int
	part  string
}{
	"YYYY": {4, "year"}, "YYY": {3, "year"}, "YY": {2, "year"}, "Y": {1, "year"}, "MM": {2, "month"}, "DD": {2, "day"}, "DDD": {3, "dayOfYear"},
	"HH24": {2, "hour"}, "HH12": {2, "hour"}, "HH": {2, "hour"}, "MI": {2, "min"}, "SS": {2, "sec"}, "MS": {3, "ms"}, "US": {6, "us"},
	"FF1": {1, "us"}, "FF2": {2, "us"}, "FF3": {3, "us"}, "FF4": {4, "us"}, "FF5": {5, "us"}, "FF6": {6, "us"}, "SSSS": {5, "seconds"}, "SSSSS": {5, "seconds"},
}

// badInput is the error of a text that does not fit its format.
func badInput() error { return value.Failure("22007", "the text does not fit the format") }

func isSpace(s string) bool { return s != "" && strings.IndexByte(value.Space, s[0]) >= 0 }

// isSeparator reports whether a text begins with a character of ASCII that is no
// letter and no digit.
func isSeparator(s string) bool {
	return s != "" && s[0] > ' ' && s[0] < 0x7f && !value.IsAlphanumeric(rune(s[0]))
}

// readStamp reads a text by a format, and gives days and microseconds from 1970-01-01.
func readStamp(text, format string) (days, clock int64, err error) {
	p := parsePicture(format)
	if len(format) > maxPicture || len(text) > maxPicture || !scalars.Ascii(text) || !scalars.Ascii(format) {
		return 0, 0, ir.ErrNotKnown
	}
	r := &stampReader{rest: text, parts: map[string]int64{}, read: map[string]bool{}}
	for i, item := range p {
		if r.rest == "" {
			break
		}
		if item.pattern != "" || i == 0 {
			r.spaces()
		}
		if err := r.item(p, i); err != nil {
			return 0, 0, err
		}
		if item.pattern != "" {
			r.skip = 0
			r.spaces()
		}
	}
	return r.result()
}

// spaces skips spaces, also where the format has none.
func (r *stampReader) spaces() {
	for isSpace(r.rest) {
		r.rest = r.rest[1:]
		r.skip++
	}
}

// item reads one item of a format.
func (r *stampReader) item(p picture, i int) error {
	item := p[i]
	switch {
	case item.pattern == "" && (isSpace(item.char) || isSeparator(item.char)):
		r.skip--
		if isSpace(r.rest) || isSeparator(r.rest) {
			r.rest = r.rest[1:]
			r.skip++
		}
		return nil
	case item.pattern == "" && r.skip > 0:
		r.skip--
		return nil
	case item.pattern == "":
		if r.rest != "" {
			r.rest = r.rest[1:]
		}
		return nil
	case item.local || item.ordinal != "":
		return ir.ErrNotKnown
	}
	switch pattern := strings.ToUpper(item.pattern); pattern {
	case "AM", "PM", "A.M.", "P.M.":
		r.clock = 12
		return r.half(pattern)
	case "MON", "MONTH":
		return r.monthName(pattern)
	default:
		return r.number(p, i, pattern)
	}
}

// half reads am or pm.
func (r *stampReader) half(pattern string) error {
	words := []string{"am", "pm"}
	if strings.Contains(pattern, ".") {
		words = []string{"a.m.", "p.m."}
	}
	for n, w := range words {
		if len(r.rest) >= len(w) && strings.EqualFold(r.rest[:len(w)], w) {
			if r.pm != 0 && r.pm != n+1 {
				return badInput()
			}
			r.pm, r.rest = n+1, r.rest[len(w):]
			return nil
		}
	}
	return badInput()
}

// monthName reads the name of a month.
func (r *stampReader) monthName(pattern string) error {
	for n, name := range value.Months {
		if pattern == "MON" {
			name = name[:3]
		}
		if len(r.rest) >= len(name) && strings.EqualFold(r.rest[:len(name)], name) {
			r.rest = r.rest[len(name):]
			return r.set("month", int64(n+1))
		}
	}
	return badInput()
}

// set sets a part, which may be set again to the same number alone.
func (r *stampReader) set(part string, n int64) error {
	if old := r.parts[part]; old != 0 && old != n {
		return badInput()
	}
	r.parts[part], r.read[part] = n, true
	return nil
}

// number reads a number: all digits where something else must follow, or else as
// many as the pattern has.
func (r *stampReader) number(p picture, i int, pattern string) error {
	field, ok := numberFields[pattern]
	if !ok {
		return ir.ErrNotKnown
	}
	r.rest = strings.TrimLeft(r.rest, value.Space)
	if r.rest == "" || r.rest[0] == '+' || r.rest[0] == '-' {
		return ir.ErrNotKnown
	}
	width := field.width
	n := 0
	for n < len(r.rest) && r.rest[n] >= '0' && r.rest[n] <= '9' {
		n++
	}
	if !p[i].fill && !followed(p, i) {
		if len(r.rest) < width || n > 0 && n < width {
			return badInput()
		}
		n = min(n, width)
	}
	if n == 0 {
		return badInput()
	}
	x, err := strconv.ParseInt(r.rest[:n], 10, 64)
	if err != nil || x > math.MaxInt32 {
		return value.OutOfTime()
	}
	r.rest = r.rest[n:]
	switch {
	case field.part == "ms" || field.part == "us":
		return r.fraction(field.part, pattern, x, n)
	case pattern == "HH" || pattern == "HH12":
		r.clock = 12
	}
	if err := r.set(field.part, x); err != nil {
		return err
	}
	if field.part == "year" && pattern != "YYYY" && n < 4 {
		r.parts["year"] = fullYear(x)
	}
	return nil
}

// fraction sets the part of a second that n digits are.
func (r *stampReader) fraction(part, pattern string, x int64, n int) error {
	digits := numberFields[pattern].width
	if part == "us" {
		digits = 6
	}
	if n > digits || pattern[:2] == "FF" && n > numberFields[pattern].width {
		return ir.ErrNotKnown
	}
	if err := r.set(part, x); err != nil {
		return err
	}
	r.parts[part] = x * int64(math.Pow10(digits-n))
	return nil
}

// fullYear gives a year with less than four digits the ones before them.
func fullYear(x int64) int64 {
	switch {
	case x < 70:
		return x + 2000
	case x < 100:
		return x + 1900
	case x < 520:
		return x + 2000
	case x < 1000:
		return x + 1000
	}
	return x
}

// followed reports whether something that is no digit follows a pattern.
func followed(p picture, i int) bool {
	if i+1 == len(p) {
		return true
	}
	next := p[i+1]
	if next.pattern == "" {
		return len(next.char) != 1 || next.char[0] < '0' || next.char[0] > '9'
	}
	switch pattern := strings.ToUpper(next.pattern); pattern {
	case "AM", "PM", "A.M.", "P.M.", "MON", "MONTH", "DAY", "DY", "AD", "BC", "A.D.", "B.C.", "TZ", "TZH", "TZM", "OF", "RM", "FX":
		return true
	}
	return false
}

// result makes a time of the parts.
func (r *stampReader) result() (days, clock int64, err error) {
	get := func(part string, otherwise int64) int64 {
		if n := r.parts[part]; n != 0 {
			return n
		}
		return otherwise
	}
	hour, min, sec := r.parts["hour"], r.parts["min"], r.parts["sec"]
	if r.parts["seconds"] != 0 {
		if r.read["hour"] || r.read["min"] || r.read["sec"] {
			return 0, 0, ir.ErrNotKnown
		}
		x := r.parts["seconds"]
		hour, min, sec = x/3600, x/60%60, x%60
	}
	if r.clock == 12 {
		if r.read["seconds"] {
			return 0, 0, ir.ErrNotKnown
		}
		if hour < 1 || hour > 12 {
			return 0, 0, badInput()
		}
		if hour %= 12; r.pm == 2 {
			hour += 12
		}
	}
	year, month, d := get("year", 0), get("month", 1), get("day", 1)
	if n := r.parts["dayOfYear"]; n != 0 {
		if r.read["month"] || r.read["day"] || year == 0 {
			return 0, 0, ir.ErrNotKnown
		}
		if n > value.DaysOf(year+1, 1, 1)-value.DaysOf(year, 1, 1) {
			return 0, 0, ir.ErrNotKnown
		}
		year, month, d = value.DateOf(value.DaysOf(year, 1, 1) + n - 1)
	}
	us := r.parts["ms"]*1000 + r.parts["us"]
	switch {
	case month > value.MonthsOfYear || d > 31 || r.parts["year"] != 0 && d > value.DaysIn(year, month):
		return 0, 0, value.OutOfTime()
	case d > value.DaysIn(year, month): // year 0
		return 0, 0, ir.ErrNotKnown
	case hour > 23 || min > 59 || sec > 59 || us >= value.Second:
		return 0, 0, value.OutOfTime()
	}
	return value.DaysOf(year, month, d), (hour*3600+min*60+sec)*value.Second + us, nil
}

func init() {
	value.Define(map[string]value.Evaluator{
		"to_date(text,text)": func(a []ir.Value) (ir.Value, error) {
			days, _, err := readStamp(a[0].S, a[1].S)
			if err != nil {
				return ir.Null, err
			}
			return value.DateValue(days)
		},
		"to_timestamp(text,text)": func(a []ir.Value) (ir.Value, error) {
			days, clock, err := readStamp(a[0].S, a[1].S)
			if err != nil {
				return ir.Null, err
			}
			return value.StampValue(value.Stamp(days, clock))
		},
		"to_number(text,text)": toNumber,
	})
}

// toNumber reads a number by a format of digits, commas and a point.
func toNumber(a []ir.Value) (ir.Value, error) {
	text, format := a[0].S, a[1].S
	if format == "" {
		return ir.Null, nil
	}
	p, err := parseNumberPicture(format)
	if err != nil || len(text) > maxPicture || utf8.RuneCountInString(text) != len(text) {
		return ir.Null, ir.ErrNotKnown
	}
	if strings.Trim(text, "0123456789,. +-") != "" || strings.LastIndexAny(text, "+-") > 0 && strings.TrimLeft(text, " ")[0] != '-' {
		return ir.Null, ir.ErrNotKnown
	}
	r := numberReader{p: p, text: text}
	for _, item := range p.items {
		if r.at >= len(text) {
			break
		}
		switch item.pattern {
		case "9", "0", ".", "D":
			if !r.position(item.pattern) {
				return ir.Null, ir.ErrNotKnown
			}
			r.at++
		case ",", "G":
			if !p.fill && text[r.at] == ',' {
				r.at++
			}
		case "FM":
		default:
			return ir.Null, ir.ErrNotKnown
		}
	}
	return r.result()
}

// numberReader reads a number by a format.
type numberReader struct {
	p     *numberPicture
	text  string
	at    int
	out   strings.Builder
	sign  bool // it was read
	minus bool
	point bool
	after int // digits behind the point
	some  bool
}

// position reads what a digit or the point of the format stands for; false if it is
// not known what the server does.
func (r *numberReader) position(pattern string) bool {
	if r.text[r.at] == ' ' {
		r.at++
	}
	if r.at < len(r.text) && !r.sign && !r.some && (pattern == "9" || pattern == "0") && (r.text[r.at] == '-' || r.text[r.at] == '+') {
		r.sign, r.minus = true, r.text[r.at] == '-'
		r.at++
	}
	if r.at >= len(r.text) {
		return true
	}
	switch c := r.text[r.at]; {
	case c >= '0' && c <= '9':
		if r.point && r.after == r.p.after {
			return true
		}
		r.out.WriteByte(c)
		r.some = true
		if r.point {
			r.after++
		}
	case c == '.' && r.p.point && !r.point:
		r.out.WriteByte(c)
		r.point = true
	case c == '-' || c == '+' || c == ' ' || c == '.':
		return false
	}
	return true
}

func (r *numberReader) result() (ir.Value, error) {
	precision := r.p.before + r.after
	if !r.some || precision == 0 || r.p.shift > 0 {
		return ir.Null, ir.ErrNotKnown
	}
	n, ok := new(big.Rat).SetString(strings.TrimSuffix(r.out.String(), "."))
	if !ok {
		return ir.Null, ir.ErrNotKnown
	}
	if r.minus {
		n.Neg(n)
	}
	return (&value.Type{Name: "numeric", Precision: precision, Scale: r.after}).Round(n)
}
