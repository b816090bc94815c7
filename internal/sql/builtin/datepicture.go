package builtin

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/value"
)

// picture is a format of to_char, to_date and to_timestamp (manual, section 9.8).
type picture []pictureItem

// pictureItem is a pattern, or one character.
type pictureItem struct {
	pattern string // "" for a character
	char    string
	fill    bool   // FM
	local   bool   // TM
	ordinal string // th, TH or ""
}

// patterns are the patterns of dates, longer ones before those that they begin with.
var patterns = func() []string {
	list := strings.Fields(`A.D. A.M. AD AM B.C. BC CC D DAY DD DDD DY Day Dy FF1 FF2 FF3 FF4 FF5 FF6 FX HH HH12 HH24 I ID IDDD IW IY IYY
		IYYY J MI MM MON MONTH MS Mon Month OF P.M. PM Q RM SS SSSS SSSSS TZ TZH TZM US W WW Y Y,YYY YY YYY YYYY`)
	for _, p := range slices.Clone(list) {
		list = append(list, strings.ToLower(p))
	}
	slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(list)
}()

// parsePicture reads a format.
func parsePicture(s string) picture {
	var out picture
	for s != "" {
		var item pictureItem
		switch prefix := s[:min(2, len(s))]; prefix {
		case "FM", "fm":
			item.fill, s = true, s[2:]
		case "TM", "tm":
			item.local, s = true, s[2:]
		}
		if item.pattern = patternAt(s); item.pattern != "" {
			s = s[len(item.pattern):]
			if strings.HasPrefix(s, "TH") || strings.HasPrefix(s, "th") {
				item.ordinal, s = s[:2], s[2:]
			} else if strings.HasPrefix(s, "SP") {
				s = s[2:]
			}
			out = append(out, item)
			continue
		}
		var chars []string
		if chars, s = literalAt(s); chars == nil {
			continue
		}
		for _, c := range chars {
			out = append(out, pictureItem{char: c})
		}
	}
	return out
}

func patternAt(s string) string {
	for _, p := range patterns {
		if strings.HasPrefix(s, p) {
			return p
		}
	}
	return ""
}

// literalAt takes one character, or those between double quotes, off a format.
func literalAt(s string) (chars []string, rest string) {
	take := func() {
		_, n := utf8.DecodeRuneInString(s)
		chars, s = append(chars, s[:n]), s[n:]
	}
	switch {
	case s == "":
		return nil, ""
	case s[0] != '"':
		if strings.HasPrefix(s, `\"`) {
			s = s[1:]
		}
		take()
		return chars, s
	}
	for s = s[1:]; s != ""; {
		if s[0] == '"' {
			return chars, s[1:]
		}
		if s[0] == '\\' && len(s) > 1 {
			s = s[1:]
		}
		take()
	}
	return chars, s
}

// shown is what a format shows of a time or interval.
type shown struct {
	year, month, day       int64 // of an interval: its parts
	hour, min, sec, micros int64
	dayOfYear              int64
	moment                 value.Moment
	interval, zoned        bool
}

func shownStamp(us int64, zoned bool) shown {
	m := value.MomentOf(us)
	c := m.Clock
	return shown{year: m.Year, month: m.Month, day: m.Day, hour: c / (3600 * value.Second), min: c / (60 * value.Second) % 60, sec: c / value.Second % 60,
		micros: c % value.Second, dayOfYear: m.DayOfYear(), moment: m, zoned: zoned}
}

// shownInterval is an interval as a format shows it.
func shownInterval(i value.Interval) shown {
	c := i.Micros
	s := shown{year: i.Months / value.MonthsOfYear, month: i.Months % value.MonthsOfYear, day: i.Days, hour: c / (3600 * value.Second), min: c / (60 * value.Second) % 60,
		sec: c / value.Second % 60, micros: c % value.Second, interval: true}
	s.dayOfYear = i.Months*value.DaysOfMonth + i.Days
	return s
}

// notOfIntervals is the error of a pattern that intervals do not have.
func notOfIntervals() error {
	return value.Failure("22007", "invalid format specification for an interval value")
}

// write prints by a format.
func (s shown) write(p picture) (string, error) {
	var b strings.Builder
	for _, item := range p {
		if item.pattern == "" {
			b.WriteString(item.char)
			continue
		}
		text, numeric, err := s.item(item)
		if err != nil {
			return "", err
		}
		if item.ordinal != "" && numeric {
			if text, err = ordinal(text, item.ordinal); err != nil {
				return "", err
			}
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// ordinal adds the letters of an ordinal number.
func ordinal(s, form string) (string, error) {
	if s == "" || s[len(s)-1] < '0' || s[len(s)-1] > '9' {
		return "", value.Failure("22P02", "%q is not a number", s)
	}
	suffix := "th"
	if teen := len(s) > 1 && s[len(s)-2] == '1'; !teen {
		switch s[len(s)-1] {
		case '1':
			suffix = "st"
		case '2':
			suffix = "nd"
		case '3':
			suffix = "rd"
		}
	}
	if form == "TH" {
		suffix = strings.ToUpper(suffix)
	}
	return s + suffix, nil
}

// item prints one pattern, and says whether it is a number that may be an ordinal.
func (s shown) item(item pictureItem) (text string, numeric bool, err error) {
	if text, ok, err := s.name(item); ok || err != nil {
		return text, false, err
	}
	pattern := strings.ToUpper(item.pattern)
	n, width, known := s.number(pattern)
	switch {
	case !known || !value.Fits32(s.dayOfYear):
		return "", false, ir.ErrNotKnown
	case width == none:
		return "", false, nil
	case width < 0: // also with FM
		return fmt.Sprintf("%0*d", -width, n), true, nil
	case item.fill:
		width = 0
	case n < 0 && pattern != "DD" && pattern != "DDD" && pattern != "WW":
		width++ // for the sign
	}
	return fmt.Sprintf("%0*d", width, n), true, nil
}

// none is the width of a part that is not shown.
const none = 1 << 20

// number gives the number of a pattern and how many digits it has at least; a negative
// width holds with FM, too.
func (s shown) number(pattern string) (n int64, width int, known bool) {
	if digits, ok := strings.CutPrefix(pattern, "FF"); ok {
		return s.micros / int64(value.Power10(6-int(digits[0]-'0')).Num().Int64()), -int(digits[0] - '0'), true
	}
	year := s.year
	if !s.interval {
		year = max(year, 1-year)
	}
	switch pattern {
	case "HH", "HH12":
		n = s.hour % 12
		if n == 0 {
			n = 12
		}
		return n, s.hourWidth(n), true
	case "HH24":
		return s.hour, 2, true
	case "MI":
		return s.min, 2, true
	case "SS":
		return s.sec, 2, true
	case "MS":
		return s.micros / 1000, -3, true
	case "US":
		return s.micros, -6, true
	case "SSSS", "SSSSS":
		return s.hour*3600 + s.min*60 + s.sec, -1, true
	case "MM":
		return s.month, 2, true
	case "DD":
		return s.day, 2, true
	case "DDD":
		return s.dayOfYear, 3, true
	case "WW":
		return (s.dayOfYear-1)/7 + 1, 2, true
	case "W":
		return (s.day-1)/7 + 1, -1, true
	case "Q":
		if s.month == 0 {
			return 0, none, true
		}
		return (s.month-1)/value.QuarterMonths + 1, -1, true
	case "CC":
		return s.century(), 2, true
	case "YYYY":
		return year, 4, true
	case "YYY":
		return year % 1000, 3, true
	case "YY":
		return year % 100, 2, true
	case "Y":
		return year % 10, -1, true
	}
	if s.interval {
		return 0, 0, false
	}
	return s.isoNumber(pattern)
}

// hourWidth is the width of the hour on a clock of 12 hours, which depends on the
// sign of all hours.
func (s shown) hourWidth(n int64) int {
	switch {
	case s.hour < 0 && n >= 0:
		return 3
	}
	return 2
}

func (s shown) century() int64 {
	switch {
	case s.interval:
		return s.year / 100
	case s.year > 0:
		return (s.year-1)/100 + 1
	}
	return s.year/100 - 1
}

// isoNumber is number for patterns that intervals do not have.
func (s shown) isoNumber(pattern string) (n int64, width int, known bool) {
	m := s.moment
	isoYear, week := m.IsoWeek()
	shownYear := max(isoYear, 1-isoYear)
	switch pattern {
	case "IW":
		return week, 2, true
	case "IYYY":
		return shownYear, 4, true
	case "IYY":
		return shownYear % 1000, 3, true
	case "IY":
		return shownYear % 100, 2, true
	case "I":
		return shownYear % 10, -1, true
	case "IDDD":
		return (week-1)*7 + value.IsoDay(m.Days()), 3, true
	case "ID":
		return value.IsoDay(m.Days()), -1, true
	case "D":
		return value.IsoDay(m.Days())%7 + 1, -1, true
	case "J":
		return m.Julian(), -1, true
	}
	return 0, 0, false
}

var (
	dayNames = strings.Fields("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
	romans   = strings.Fields("I II III IV V VI VII VIII IX X XI XII")
)

// name prints the patterns that are words, and those with signs of their own; ok is
// false for others.
func (s shown) name(item pictureItem) (text string, ok bool, err error) {
	pad := func(text string, width int) (string, bool, error) {
		if item.local {
			return "", false, ir.ErrNotKnown
		}
		if item.fill {
			width = 0
		}
		return fmt.Sprintf("%-*s", width, text), true, nil
	}
	half := func(first, second string, isSecond bool) (string, bool, error) {
		text := first
		if isSecond {
			text = second
		}
		if strings.Contains(item.pattern, ".") {
			text = text[:1] + "." + text[1:] + "."
		}
		return likeCase(text, item.pattern), true, nil
	}
	switch pattern := strings.ToUpper(item.pattern); pattern {
	case "A.M.", "AM", "P.M.", "PM":
		return half("AM", "PM", s.hour%24 >= 12)
	case "A.D.", "AD", "B.C.", "BC":
		if s.interval {
			return "", false, notOfIntervals()
		}
		return half("AD", "BC", s.year <= 0)
	case "MONTH", "MON", "DAY", "DY":
		if s.interval {
			return "", false, notOfIntervals()
		}
		name := dayNames[value.IsoDay(s.moment.Days())-1]
		if pattern[0] == 'M' {
			name = strings.ToUpper(value.Months[s.month-1][:1]) + value.Months[s.month-1][1:]
		}
		if pattern == "MON" || pattern == "DY" {
			return pad(likeCase(name[:3], item.pattern), 3)
		}
		return pad(likeCase(name, item.pattern), 9)
	case "RM":
		if s.interval {
			return "", false, ir.ErrNotKnown
		}
		return pad(likeCase(romans[s.month-1], item.pattern), 4)
	case "Y,YYY":
		year := s.year
		if !s.interval {
			year = max(year, 1-year)
		}
		if year < 0 {
			return "", false, ir.ErrNotKnown
		}
		text = fmt.Sprintf("%d,%03d", year/1000, year%1000)
		if item.ordinal != "" {
			text, err = ordinal(text, item.ordinal)
		}
		return text, true, err
	case "TZ", "TZH", "TZM", "OF":
		return s.zone(pattern, item)
	case "D", "ID":
		if s.interval {
			return "", false, notOfIntervals()
		}
	case "FX":
		return "", true, nil
	}
	return "", false, nil
}

// zone prints the distance from UTC, which is 0.
func (s shown) zone(pattern string, item pictureItem) (string, bool, error) {
	switch {
	case s.interval:
		return "", false, notOfIntervals()
	case pattern == "TZ" && s.zoned:
		return likeCase("UTC", item.pattern), true, nil
	case pattern == "TZ":
		return "", true, nil
	case pattern == "TZM":
		return "00", true, nil
	case pattern == "OF" && item.fill:
		return "+0", true, nil
	}
	return "+00", true, nil
}

// likeCase gives a word the case of a pattern: DAY, Day or day.
func likeCase(s, pattern string) string {
	switch {
	case pattern == strings.ToUpper(pattern):
		return strings.ToUpper(s)
	case pattern == strings.ToLower(pattern):
		return strings.ToLower(s)
	}
	return s
}

func init() {
	stampChar := func(zoned bool) value.Evaluator {
		return func(a []ir.Value) (ir.Value, error) {
			if value.Infinite(a[0].I) || a[1].S == "" {
				return ir.Null, nil
			}
			return printed(shownStamp(a[0].I, zoned), a[1].S)
		}
	}
	value.Define(map[string]value.Evaluator{
		"to_char(timestamp,text)":   stampChar(false),
		"to_char(timestamptz,text)": stampChar(true),
		"to_char(interval,text)": withInterval(0, func(i value.Interval, a []ir.Value) (ir.Value, error) {
			if a[1].S == "" {
				return ir.Null, nil
			}
			return printed(shownInterval(i), a[1].S)
		}),
	})
}

// maxPicture bounds the length of formats.
const maxPicture = 1000

func printed(s shown, format string) (ir.Value, error) {
	if len(format) > maxPicture {
		return ir.Null, ir.ErrNotKnown
	}
	text, err := s.write(parsePicture(format))
	if err != nil {
		return ir.Null, err
	}
	return value.NewText(text)
}
