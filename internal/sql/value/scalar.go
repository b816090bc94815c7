package value

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

// invalid says that a text is no value of a type (SQLSTATE 22P02 and its like).
func invalid(t *Type, text string) error {
	if len(text) > 60 {
		text = text[:60] + "…"
	}
	return Failure("", "%s is no value of type %s", strconv.Quote(text), t)
}

// IntRange gives the values of an integer type.
func IntRange(name string) (lo, hi int64, ok bool) {
	switch name {
	case "int2":
		return math.MinInt16, math.MaxInt16, true
	case "int4":
		return math.MinInt32, math.MaxInt32, true
	case "int8":
		return math.MinInt64, math.MaxInt64, true
	case "oid":
		return 0, math.MaxUint32, true
	}
	return 0, 0, false
}

// Space is what the server takes for space around values.
const Space = " \t\n\v\f\r"

func parseInt(t *Type, text string) (ir.Value, error) {
	s := strings.Trim(text, Space)
	i, err := strconv.ParseInt(s, 10, 64)
	if err != nil && strings.ContainsAny(s, "xXoObB_") { // since PostgreSQL 16
		if _, err = strconv.ParseInt(s, 0, 64); err == nil {
			return ir.Null, ir.ErrNotKnown
		}
	}
	lo, hi, _ := IntRange(t.Name)
	if err == nil && t.Name == "oid" && i < 0 && i >= math.MinInt32 {
		return ir.Null, ir.ErrNotKnown // it wraps
	}
	if err != nil || i < lo || i > hi {
		return ir.Null, invalid(t, text)
	}
	return ir.Int(i), nil
}

func printInt(_ *Type, v ir.Value) string { return strconv.FormatInt(v.I, 10) }

// MaxNumber bounds the characters and the exponent of a number that is read.
const MaxNumber = 5000

// Rational reads a decimal number: digits, a point, an exponent.
func Rational(s string) (*big.Rat, bool) {
	s = strings.ReplaceAll(strings.Trim(s, Space), "_", "")
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		if e, err := strconv.Atoi(s[i+1:]); err != nil || e > MaxNumber || e < -MaxNumber {
			return nil, false
		}
	}
	if strings.ContainsAny(s, "/pPxXoObBiInN") || len(s) > MaxNumber {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// special reports whether a text is one of the numbers that are not finite.
func special(s string) bool {
	switch strings.ToLower(strings.Trim(strings.Trim(s, Space), "+-")) {
	case "nan", "inf", "infinity":
		return true
	}
	return false
}

// spacedExponent matches an exponent with space before its digits.
var spacedExponent = regexp.MustCompile(`[eE]\s`)

func parseNumeric(t *Type, text string) (ir.Value, error) {
	if special(text) {
		return ir.Null, ir.ErrNotKnown
	}
	r, ok := Rational(text)
	switch {
	case ok && strings.Contains(text, "_"): // since PostgreSQL 16, within digits
		return ir.Null, ir.ErrNotKnown
	case !ok && spacedExponent.MatchString(text): // which some versions read
		return ir.Null, ir.ErrNotKnown
	case !ok:
		return ir.Null, invalid(t, text)
	}
	return t.Round(r)
}

// Round gives the value that storing a number as numeric(p,s) leaves: rounded to the
// scale, halves away from zero. The error says that it has too many digits.
func (t *Type) Round(r *big.Rat) (ir.Value, error) {
	if t.Precision > 0 {
		r = RoundTo(r, t.Scale)
		if !fitsNumeric(t, r) {
			return ir.Null, Failure("22003", "%s does not fit %s", r.RatString(), t)
		}
	}
	return ir.Num(r), nil
}

// RoundTo rounds to a number of digits after the point, which may be negative;
// halves go away from zero.
func RoundTo(r *big.Rat, digits int) *big.Rat {
	unit := Power10(digits)
	x := new(big.Rat).Mul(r, unit)
	half := big.NewRat(1, 2)
	if x.Sign() < 0 {
		half.Neg(half)
	}
	x.Add(x, half)
	q := new(big.Int).Quo(x.Num(), x.Denom())
	return x.Quo(new(big.Rat).SetInt(q), unit)
}

// Power10 is 10 to the n.
func Power10(n int) *big.Rat {
	p := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(n, -n))), nil))
	if n < 0 {
		p.Inv(p)
	}
	return p
}

// fitsNumeric reports whether a number has at most the digits of numeric(p,s).
func fitsNumeric(t *Type, r *big.Rat) bool {
	if RoundTo(r, t.Scale).Cmp(r) != 0 {
		return false
	}
	return new(big.Rat).Abs(r).Cmp(Power10(t.Precision-t.Scale)) < 0
}

func printNumeric(t *Type, v ir.Value) string {
	r := v.Rat()
	if t.Precision > 0 && t.Scale >= 0 {
		return r.FloatString(t.Scale)
	}
	n, exact := r.FloatPrec()
	if !exact {
		n = 20
	}
	return r.FloatString(n)
}

func parseFloat(t *Type, text string) (ir.Value, error) {
	if special(text) {
		return ir.Null, ir.ErrNotKnown
	}
	bits := 64
	if t.Name == "float4" {
		bits = 32
	}
	s := strings.Trim(text, Space)
	if strings.ContainsAny(s, "xX") {
		return ir.Null, ir.ErrNotKnown
	}
	f, err := strconv.ParseFloat(s, bits)
	if err != nil || strings.ContainsAny(s, "pP_") || math.IsInf(f, 0) || f == 0 && underflows(s) {
		return ir.Null, invalid(t, text)
	}
	return Float(f), nil
}

// underflows reports whether some digit before the exponent is not 0.
func underflows(s string) bool {
	mantissa, _, _ := strings.Cut(strings.ToLower(s), "e")
	return strings.ContainsAny(mantissa, "123456789")
}

// Float is the value of a finite float.
func Float(f float64) ir.Value { return ir.Num(new(big.Rat).SetFloat64(f)) }

// printFloat prints the shortest digits that are nearer to a float than to all others.
func printFloat(t *Type, v ir.Value) string {
	f, _ := v.Rat().Float64()
	bits, limit := 64, 15
	if t.Name == "float4" {
		bits, limit = 32, 6
	}
	if f == 0 {
		return "0"
	}
	s := strconv.FormatFloat(f, 'e', -1, bits)
	digits, _, _ := strings.Cut(strings.TrimLeft(s, "-"), "e")
	for after := max(len(digits)-1, 1); midway(s, f, bits); after++ { // as near to a neighbour: more digits
		s = strconv.FormatFloat(f, 'e', after, bits)
	}
	mantissa, exponent, _ := strings.Cut(s, "e")
	if e, _ := strconv.Atoi(exponent); e >= -4 && e < limit {
		_, after, _ := strings.Cut(mantissa, ".")
		return strconv.FormatFloat(f, 'f', max(len(after)-e, 0), bits)
	}
	return s
}

// midway reports whether the number of a text lies in the middle between a float and
// a neighbour of it.
func midway(s string, f float64, bits int) bool {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return false
	}
	exact := new(big.Rat).SetFloat64(f)
	gap := new(big.Rat).Sub(r, exact)
	toward := math.Inf(gap.Sign())
	next := math.Nextafter(f, toward)
	if bits == 32 {
		next = float64(math.Nextafter32(float32(f), float32(toward)))
	}
	if gap.Sign() == 0 || math.IsInf(next, 0) {
		return false
	}
	other := new(big.Rat).SetFloat64(next)
	return gap.Add(gap, gap).Cmp(other.Sub(other, exact)) == 0
}

func parseBool(t *Type, text string) (ir.Value, error) {
	s := strings.ToLower(strings.Trim(text, Space))
	is := func(word string, least int) bool { return len(s) >= least && strings.HasPrefix(word, s) }
	switch {
	case is("true", 1), is("yes", 1), s == "on", s == "1":
		return ir.Bool(true), nil
	case is("false", 1), is("no", 1), is("off", 2), s == "0":
		return ir.Bool(false), nil
	}
	return ir.Null, invalid(t, text)
}

// PrintBool prints a truth value.
func PrintBool(_ *Type, v ir.Value) string {
	if v.IsTrue() {
		return "true"
	}
	return "false"
}

// texts are the samples of texts.
var texts = strings.Split("abcdefgh", "")

// parseText cuts a text as an explicit cast to varchar(n) does.
func parseText(t *Type, text string) (ir.Value, error) {
	if r := []rune(text); t.Length > 0 && len(r) > t.Length {
		text = string(r[:t.Length])
	}
	return ir.Text(text), nil
}

func printText(_ *Type, v ir.Value) string { return v.S }

// ParsePadded is for char(n), in which blanks at the end are padding.
func ParsePadded(t *Type, text string) (ir.Value, error) {
	v, err := parseText(t, text)
	v.S = strings.TrimRight(v.S, " ")
	return v, err
}

func printPadded(t *Type, v ir.Value) string {
	return v.S + strings.Repeat(" ", max(0, t.Length-len([]rune(v.S))))
}

// nameLength is the number of bytes of a name.
const nameLength = 63

// ParseName reads a name, which is cut.
func ParseName(_ *Type, text string) (ir.Value, error) {
	if len(text) > nameLength {
		text = strings.ToValidUTF8(text[:nameLength], "")
	}
	return ir.Text(text), nil
}

func parseLabel(t *Type, text string) (ir.Value, error) {
	for _, l := range t.Labels {
		if l == text {
			return ir.Text(l), nil
		}
	}
	return ir.Null, Failure("22P02", "%s is no label of the enum %s", strconv.Quote(text), t)
}

// ParseUUID reads 32 hexadecimal digits, with a hyphen or not behind each group of
// four, and braces around them or not.
func ParseUUID(t *Type, text string) (ir.Value, error) {
	s := text
	if strings.HasPrefix(s, "{") {
		if !strings.HasSuffix(s, "}") {
			return ir.Null, invalid(t, text)
		}
		s = s[1 : len(s)-1]
	}
	var digits strings.Builder
	for i, c := range strings.ToLower(s) {
		n := digits.Len()
		switch {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'f':
			digits.WriteRune(c)
		case c != '-' || n == 0 || n%4 != 0 || n == 32 || s[i-1] == '-':
			return ir.Null, invalid(t, text)
		}
	}
	d := digits.String()
	if len(d) != 32 {
		return ir.Null, invalid(t, text)
	}
	return ir.Text(d[:8] + "-" + d[8:12] + "-" + d[12:16] + "-" + d[16:20] + "-" + d[20:]), nil
}
