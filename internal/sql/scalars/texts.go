package scalars

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/value"
)

// tooLong is the error of a text that the server could not hold.
func tooLong() error { return value.Failure("54000", "requested length too large") }

// maxServerText is the number of bytes of the longest text of the server.
const maxServerText = 0x3fffffff - 4

// Text1 is a function from one text to another one.
func Text1(f func(s string) string) value.Evaluator {
	return value.Pure(func(a []ir.Value) ir.Value { return ir.Text(f(a[0].S)) })
}

// Count is a function that counts something in a text.
func Count(f func(s string) int) value.Evaluator {
	return value.Pure(func(a []ir.Value) ir.Value { return ir.Int(int64(f(a[0].S))) })
}

func init() {
	textComparisons()
	textCasts()
	length, octets := Count(utf8.RuneCountInString), Count(func(s string) int { return len(s) })
	value.Define(map[string]value.Evaluator{
		"length(text)": length, "length(bpchar)": length, "textlen(text)": length,
		"char_length(text)": length, "char_length(bpchar)": length,
		"character_length(text)": length, "character_length(bpchar)": length,
		"octet_length(text)":         octets,
		"bit_length(text)":           Count(func(s string) int { return 8 * len(s) }),
		"lower(text)":                cased(strings.ToLower),
		"upper(text)":                cased(strings.ToUpper),
		"initcap(text)":              initcap,
		"btrim(text)":                Text1(func(s string) string { return strings.Trim(s, " ") }),
		"ltrim(text)":                Text1(func(s string) string { return strings.TrimLeft(s, " ") }),
		"rtrim(text)":                Text1(func(s string) string { return strings.TrimRight(s, " ") }),
		"btrim(text,text)":           value.Pure(func(a []ir.Value) ir.Value { return ir.Text(strings.Trim(a[0].S, a[1].S)) }),
		"ltrim(text,text)":           value.Pure(func(a []ir.Value) ir.Value { return ir.Text(strings.TrimLeft(a[0].S, a[1].S)) }),
		"rtrim(text,text)":           value.Pure(func(a []ir.Value) ir.Value { return ir.Text(strings.TrimRight(a[0].S, a[1].S)) }),
		"lpad(text,int4)":            pad(true),
		"lpad(text,int4,text)":       pad(true),
		"rpad(text,int4)":            pad(false),
		"rpad(text,int4,text)":       pad(false),
		"left(text,int4)":            value.Pure(func(a []ir.Value) ir.Value { return ir.Text(left(a[0].S, a[1].I)) }),
		"right(text,int4)":           value.Pure(func(a []ir.Value) ir.Value { return ir.Text(right(a[0].S, a[1].I)) }),
		"substr(text,int4)":          substring,
		"substr(text,int4,int4)":     substring,
		"substring(text,int4)":       substring,
		"substring(text,int4,int4)":  substring,
		"overlay(text,text,int4)":    overlay,
		"position(text,text)":        Position,
		"strpos(text,text)":          Position,
		"replace(text,text,text)":    replace,
		"translate(text,text,text)":  translate,
		"repeat(text,int4)":          repeat,
		"reverse(text)":              Text1(reverse),
		"split_part(text,text,int4)": splitPart,
		"starts_with(text,text)":     Predicate(func(a []ir.Value) bool { return strings.HasPrefix(a[0].S, a[1].S) }),
		"ascii(text)":                Count(func(s string) int { r, n := utf8.DecodeRuneInString(s); return int(r) * min(n, 1) }),
		"chr(int4)":                  chr,
		"textcat(text,text)":         func(a []ir.Value) (ir.Value, error) { return value.NewText(a[0].S + a[1].S) },

		"overlay(text,text,int4,int4)": overlay,
	})
	value.Define(map[string]value.Evaluator{
		"normalize(text,text)":     normalized(func(s string) ir.Value { return ir.Text(s) }),
		"is_normalized(text,text)": normalized(func(string) ir.Value { return ir.Bool(true) }),
	})
	value.DefineFamilies(map[string]value.Family{
		"octet_length(bpchar)": func(args []*value.Type, _ *value.Type) value.Evaluator {
			if args[0].Length == 0 {
				return nil // the blanks at the end are not known
			}
			return value.Pure(func(a []ir.Value) ir.Value { return ir.Int(int64(len(args[0].Print(a[0])))) })
		},
	})
}

// textComparisons adds the comparisons of text, bpchar, name and "char".
func textComparisons() {
	for op, name := range map[string]string{"eq": "texteq", "ne": "textne", "lt": "text_lt", "le": "text_le", "gt": "text_gt", "ge": "text_ge"} {
		value.Define(map[string]value.Evaluator{name + "(text,text)": Relation(Relations[op], value.Plain)})
		if op != "eq" && op != "ne" {
			value.Define(map[string]value.Evaluator{
				"text_pattern_" + op + "(text,text)":       Relation(Relations[op], value.Plain),
				"bpchar_pattern_" + op + "(bpchar,bpchar)": Relation(Relations[op], value.Plain),
			})
		}
	}
	Comparisons("bpchar", "(bpchar,bpchar)", value.Plain)
	Comparisons("name", "(name,name)", value.Plain)
	Comparisons("name", "text(name,text)", value.Plain)
	Comparisons("text", "name(text,name)", value.Plain)
	Comparisons("char", "(char,char)", func(a, b ir.Value) (int, error) { return int(value.ByteOf(a)) - int(value.ByteOf(b)), nil })
	value.Define(map[string]value.Evaluator{
		"text_larger(text,text)":        Pick(1, value.Plain),
		"text_smaller(text,text)":       Pick(-1, value.Plain),
		"bpchar_larger(bpchar,bpchar)":  Pick(1, value.Plain),
		"bpchar_smaller(bpchar,bpchar)": Pick(-1, value.Plain),
	})
}

// textCasts adds the casts between types of texts.
func textCasts() {
	same := value.Pure(func(a []ir.Value) ir.Value { return a[0] })
	asName := func(a []ir.Value) (ir.Value, error) { return value.ParseName(nil, a[0].S) }
	asByte := func(a []ir.Value) (ir.Value, error) {
		if a[0].S == "" {
			return a[0], nil
		}
		return value.ParseByte(nil, a[0].S)
	}
	trimmed := func(a []ir.Value) (ir.Value, error) { return value.ParsePadded(value.Of("bpchar"), a[0].S) }
	value.Define(map[string]value.Evaluator{
		"text(bpchar)": same, "text(name)": same, "text(char)": same, "varchar(name)": same,
		"bpchar(name)": trimmed, "bpchar(char)": trimmed,
		"name(text)": asName, "name(varchar)": asName, "name(bpchar)": asName,
		"char(text)": asByte,
		"text(bool)": value.Pure(func(a []ir.Value) ir.Value { return ir.Text(value.PrintBool(nil, a[0])) }),
	})
}

// Caseless reports whether no letter of a text but those of ASCII has a case.
func Caseless(s string) bool {
	for _, r := range s {
		if r >= utf8.RuneSelf && unicode.SimpleFold(r) != r {
			return false
		}
	}
	return true
}

// Ascii reports whether all characters are of ASCII.
func Ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// cased is a function that changes the case of letters.
func cased(f func(s string) string) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		if !Caseless(a[0].S) {
			return ir.Null, ir.ErrNotKnown
		}
		return ir.Text(f(a[0].S)), nil
	}
}

// initcap begins each word with an upper case letter.
func initcap(a []ir.Value) (ir.Value, error) {
	if !Ascii(a[0].S) {
		return ir.Null, ir.ErrNotKnown
	}
	b := []byte(strings.ToLower(a[0].S))
	inside := false
	for i, c := range b {
		letter := c >= 'a' && c <= 'z'
		if letter && !inside {
			b[i] = c - 'a' + 'A'
		}
		inside = letter || c >= '0' && c <= '9'
	}
	return ir.Text(string(b)), nil
}

// pad is lpad or rpad.
func pad(atLeft bool) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		s, fill := []rune(a[0].S), []rune(" ")
		if len(a) > 2 {
			fill = []rune(a[2].S)
		}
		n := max(a[1].I, 0)
		s = s[:min(int64(len(s)), n)]
		if len(fill) == 0 {
			n = int64(len(s))
		}
		if n > maxServerText/utf8.UTFMax {
			return ir.Null, tooLong()
		}
		if n > value.MaxSize {
			return ir.Null, ir.ErrNotKnown
		}
		padding := make([]rune, int(n)-len(s))
		for i := range padding {
			padding[i] = fill[i%len(fill)]
		}
		if atLeft {
			return value.NewText(string(padding) + string(s))
		}
		return value.NewText(string(s) + string(padding))
	}
}

// left gives the first n characters, or all but the last -n.
func left(s string, n int64) string {
	r := []rune(s)
	if n < 0 {
		n = max(0, int64(len(r))+n)
	}
	return string(r[:min(int64(len(r)), n)])
}

// right gives the last n characters, or all but the first -n.
func right(s string, n int64) string {
	r := []rune(s)
	skip := int64(len(r)) - n
	if n < 0 {
		skip = -n
	}
	if n == math.MinInt32 { // the server's negation overflows
		skip = 0
	}
	return string(r[max(0, min(int64(len(r)), skip)):])
}

// span gives the part of a list of n elements that begins at element start, which
// counts from 1, and has length elements. The error is that of the server.
func span(n int, a []ir.Value) (from, to int, err error) {
	start, end := a[0].I, int64(math.MaxInt32)
	if len(a) > 1 {
		if a[1].I < 0 {
			return 0, 0, value.Failure("22011", "negative substring length not allowed")
		}
		end = start + a[1].I
	}
	clip := func(x int64) int { return int(max(0, min(x-1, int64(n)))) }
	return clip(start), max(clip(start), clip(end)), nil
}

func substring(a []ir.Value) (ir.Value, error) {
	r := []rune(a[0].S)
	from, to, err := span(len(r), a[1:])
	if err != nil {
		return ir.Null, err
	}
	return ir.Text(string(r[from:to])), nil
}

// overlaid replaces a part of a list.
func overlaid[E any](list, by []E, a []ir.Value) ([]E, error) {
	start, length := a[0].I, int64(len(by))
	if len(a) > 1 {
		length = a[1].I
	}
	switch {
	case start <= 0:
		return nil, value.Failure("22011", "negative substring length not allowed")
	case start+length > math.MaxInt32 || start+length < math.MinInt32:
		return nil, value.OutOfRange()
	}
	n := int64(len(list))
	out := append([]E{}, list[:min(start-1, n)]...)
	out = append(out, by...)
	return append(out, list[max(0, min(start+length-1, n)):]...), nil
}

func overlay(a []ir.Value) (ir.Value, error) {
	r, err := overlaid([]rune(a[0].S), []rune(a[1].S), a[2:])
	if err != nil {
		return ir.Null, err
	}
	return value.NewText(string(r))
}

// Position is the evaluator of position.
func Position(a []ir.Value) (ir.Value, error) {
	i := strings.Index(a[0].S, a[1].S)
	if i < 0 {
		return ir.Int(0), nil
	}
	return ir.Int(int64(utf8.RuneCountInString(a[0].S[:i]) + 1)), nil
}

func replace(a []ir.Value) (ir.Value, error) {
	s, from, to := a[0].S, a[1].S, a[2].S
	if from == "" {
		return a[0], nil
	}
	if n := strings.Count(s, from); len(s)+n*len(to) > value.MaxSize {
		return ir.Null, ir.ErrNotKnown
	}
	return ir.Text(strings.ReplaceAll(s, from, to)), nil
}

func translate(a []ir.Value) (ir.Value, error) {
	to := []rune(a[2].S)
	by := map[rune]string{}
	for i, r := range []rune(a[1].S) {
		if _, twice := by[r]; twice {
			continue
		}
		by[r] = ""
		if i < len(to) {
			by[r] = string(to[i])
		}
	}
	var b strings.Builder
	for _, r := range a[0].S {
		if s, found := by[r]; found {
			b.WriteString(s)
		} else {
			b.WriteRune(r)
		}
	}
	return value.NewText(b.String())
}

func repeat(a []ir.Value) (ir.Value, error) {
	n := max(a[1].I, 0)
	switch size := n * int64(len(a[0].S)); {
	case size > maxServerText:
		return ir.Null, tooLong()
	case size > value.MaxSize:
		return ir.Null, ir.ErrNotKnown
	case size == 0:
		return ir.Text(""), nil
	}
	return ir.Text(strings.Repeat(a[0].S, int(n))), nil
}

func reverse(s string) string {
	r := []rune(s)
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	return string(r)
}

func splitPart(a []ir.Value) (ir.Value, error) {
	s, sep, n := a[0].S, a[1].S, a[2].I
	parts := []string{s}
	if sep != "" {
		parts = strings.Split(s, sep)
	}
	if n < 0 {
		n += int64(len(parts)) + 1
	}
	switch {
	case a[2].I == 0:
		return ir.Null, value.Failure("22023", "field position must not be zero")
	case n < 1 || n > int64(len(parts)):
		return ir.Text(""), nil
	}
	return ir.Text(parts[n-1]), nil
}

func chr(a []ir.Value) (ir.Value, error) {
	switch r := rune(a[0].I); {
	case r < 0:
		return ir.Null, value.Failure("22023", "character number must be positive")
	case r > 0 && utf8.ValidRune(r):
		return ir.Text(string(r)), nil
	}
	return ir.Null, value.Failure("54000", "requested character is not valid")
}

// normalized is a function of a text and a Unicode normal form, in which texts of
// ASCII are.
func normalized(f func(s string) ir.Value) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		switch strings.ToUpper(a[1].S) {
		case "NFC", "NFD", "NFKC", "NFKD":
		default:
			return ir.Null, value.Failure("22023", "invalid normalization form")
		}
		if !Ascii(a[0].S) {
			return ir.Null, ir.ErrNotKnown
		}
		return f(a[0].S), nil
	}
}
