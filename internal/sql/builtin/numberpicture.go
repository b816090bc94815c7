package builtin

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/scalars"
	"github.com/txrobust/robust/internal/sql/value"
)

// numberPicture is a format of to_char for numbers (manual, table 9.30).
type numberPicture struct {
	items []pictureItem // patterns in upper case but for th and rn
	// before and after count the digits before and behind the point.
	before, after int
	// firstZero is the position of the first 0 before the point, or -1; lastZero
	// counts the digits up to the last 0.
	firstZero, lastZero int
	shift               int // digits behind V
	point, fill, brackets, roman, scientific,
	plus, minus, multiply bool
	// sign is where S stands: 0 for nowhere, -1 before the number, 1 behind it; and
	// signAt is the number of digits before it.
	sign, signAt int
}

var numberPatterns = strings.Fields("EEEE FM MI PL PR RN SG SP TH , . 0 9 B C D G L S V eeee fm mi pl pr rn sg sp th b c d g l s v")

// parseNumberPicture reads a format. The error is that of one which is none.
func parseNumberPicture(s string) (*numberPicture, error) {
	p := &numberPicture{firstZero: -1}
	for s != "" {
		pattern := ""
		for _, x := range numberPatterns {
			if strings.HasPrefix(s, x) {
				pattern = x
				break
			}
		}
		if pattern == "" {
			var chars []string
			chars, s = literalAt(s)
			for _, c := range chars {
				p.items = append(p.items, pictureItem{char: c})
			}
			continue
		}
		s = s[len(pattern):]
		item := pictureItem{pattern: strings.ToUpper(pattern)}
		if pattern == "th" || pattern == "rn" {
			item.pattern = pattern
		}
		if err := p.add(item.pattern); err != nil {
			return nil, err
		}
		p.items = append(p.items, item)
	}
	return p, nil
}

// wrongPicture is the error of a format of numbers that is none.
func wrongPicture() error { return value.Failure("42601", "invalid format of a number") }

// add takes a pattern into account.
func (p *numberPicture) add(pattern string) error {
	signed := p.plus || p.minus || p.brackets
	if p.scientific && pattern != "EEEE" {
		return wrongPicture()
	}
	switch pattern {
	case "9", "0":
		return p.addDigit(pattern == "0")
	case ".", "D":
		if p.point || p.multiply {
			return wrongPicture()
		}
		p.point = true
	case "FM":
		p.fill = true
	case "S":
		if p.sign != 0 || signed {
			return wrongPicture()
		}
		p.sign, p.signAt = -1, p.before
		if p.point {
			p.sign = 1
		}
	case "MI", "PL", "SG":
		if p.sign != 0 {
			return wrongPicture()
		}
		p.minus = p.minus || pattern != "PL"
		p.plus = p.plus || pattern != "MI"
	case "PR":
		if p.sign != 0 || p.plus || p.minus {
			return wrongPicture()
		}
		p.brackets = true
	case "RN", "rn":
		p.roman = true
	case "V":
		if p.point {
			return wrongPicture()
		}
		p.multiply = true
	case "EEEE":
		if p.scientific || p.fill || p.sign != 0 || signed || p.roman || p.multiply {
			return wrongPicture()
		}
		p.scientific = true
	}
	return nil
}

func (p *numberPicture) addDigit(zero bool) error {
	switch {
	case p.brackets:
		return wrongPicture()
	case p.multiply && !zero:
		p.shift++
		return nil
	case zero && p.firstZero < 0 && !p.point:
		p.firstZero = p.before
	}
	if p.point {
		p.after++
	} else {
		p.before++
	}
	if zero {
		p.lastZero = p.before + p.after
	}
	return nil
}

// unsupported reports whether a format has patterns whose result depends on the
// locale, or that are seldom used together.
func (p *numberPicture) unsupported() bool {
	for _, item := range p.items {
		switch item.pattern {
		case "L", "SP", "B", "C":
			return true
		}
	}
	return len(p.items) > maxPicture
}

// render prints a number whose digits before the point and behind it are given; the
// latter are as many as the picture has, or fewer.
func (p *numberPicture) render(negative bool, whole, fraction string) (string, error) {
	before := p.before + p.shift
	text := whole
	if p.after > 0 && fraction != "" {
		text += "." + fraction
	}
	if len(whole) > before {
		text = strings.Repeat("#", before) + "." + strings.Repeat("#", p.after)
		whole = strings.Repeat("#", before)
	}
	w := &numberWriter{p: p, text: text, negative: negative, blanks: before - len(whole), significant: -1}
	w.last = before + p.after - 1
	w.prepare()
	for _, item := range p.items {
		if err := w.item(item); err != nil {
			return "", err
		}
	}
	shown, _, _ := strings.Cut(w.out.String(), "\x00")
	return shown, nil
}

// numberWriter prints one number.
type numberWriter struct {
	p        *numberPicture
	text     string // the number, without its sign
	negative bool
	blanks   int // positions before the number
	out      strings.Builder
	at       int // the position of the picture
	next     int // the next byte of text
	last     int // the last position
	// significant is the last byte of the number that FM shows, -1 for all.
	significant int
	signed      bool // the sign is written or needs not to be
	inside      bool // the last position showed a digit
	brackets    bool
	signBehind  bool
}

func (w *numberWriter) prepare() {
	p := w.p
	switch {
	case p.plus || p.minus:
		w.signed = !p.plus || p.minus
	default:
		w.brackets = p.brackets && (w.negative || !p.fill)
		w.signed = !w.negative && p.fill && p.sign == 0
	}
	w.signBehind = p.sign > 0 || p.sign < 0 && p.signAt == p.before+p.shift
	if point := strings.IndexByte(w.text, '.'); p.fill && p.point && point >= 0 {
		w.significant = point
		for i := point + 1; i < len(w.text); i++ {
			if w.text[i] != '0' {
				w.significant = i
			}
		}
		if p.lastZero > w.blanks {
			w.significant = max(w.significant, min(len(w.text)-1, p.lastZero-w.blanks))
		}
	}
	if !w.signed && w.blanks == 0 {
		w.last++
	}
}

// onlyPoint reports whether FM shows nothing behind the point.
func (w *numberWriter) onlyPoint() bool { return w.significant >= 0 && w.text[w.significant] == '.' }

// hidden reports whether the number is at a 0 before the point that is not shown.
func (w *numberWriter) hidden() bool {
	return w.p.firstZero < 0 && w.next == 0 && strings.HasPrefix(w.text, "0") && w.p.after != 0
}

func (w *numberWriter) blank() {
	if !w.p.fill {
		w.out.WriteByte(' ')
	}
}

func (w *numberWriter) item(item pictureItem) error {
	sign := "+"
	if w.negative {
		sign = "-"
	}
	switch item.pattern {
	case "":
		w.out.WriteString(item.char)
	case "9", "0", ".", "D":
		w.position(item.pattern)
	case ",", "G":
		if w.inside {
			w.out.WriteByte(',')
		} else {
			w.blank()
		}
	case "TH", "th":
		if strings.HasPrefix(w.text, "#") || w.negative || w.p.point {
			return nil
		}
		s, err := ordinal(w.text, item.pattern)
		if err != nil {
			return err
		}
		w.out.WriteString(s[len(w.text):])
	case "MI":
		w.mark("-", w.negative)
	case "PL":
		w.mark("+", !w.negative)
	case "SG":
		w.out.WriteString(sign)
	}
	return nil
}

// mark writes a sign if it holds.
func (w *numberWriter) mark(sign string, holds bool) {
	if holds {
		w.out.WriteString(sign)
	} else {
		w.blank()
	}
}

// position prints a digit or the point.
func (w *numberWriter) position(pattern string) {
	zeros := w.p.firstZero >= 0 && w.at >= w.p.firstZero
	w.inside = false
	if !w.signed && (w.at >= w.blanks || w.p.firstZero == w.at) && (!w.hidden() || w.onlyPoint()) {
		w.writeSign()
	}
	switch {
	case w.at < w.blanks && !zeros:
		w.blank()
	case w.at < w.blanks:
		w.out.WriteByte('0')
		w.inside = true
	default:
		w.digit(pattern)
	}
	w.closing()
	w.at++
}

// digit prints the next byte of the number.
func (w *numberWriter) digit(pattern string) {
	c := byte(0)
	if w.next < len(w.text) {
		c = w.text[w.next]
	}
	switch {
	case c == '.':
		if !w.onlyPoint() || w.p.fill {
			w.out.WriteByte('.')
		}
	case w.significant >= 0 && w.next > w.significant && pattern != "0":
	case w.hidden():
		if w.onlyPoint() && w.p.fill {
			w.out.WriteByte('0')
		} else {
			w.blank()
		}
	default:
		w.out.WriteByte(c) // behind the number it is 0, which ends the text
		w.inside = true
	}
	w.next++
}

// writeSign writes the sign before the number.
func (w *numberWriter) writeSign() {
	switch {
	case w.p.sign != 0:
		if w.signBehind {
			return
		}
		if w.negative {
			w.out.WriteByte('-')
		} else {
			w.out.WriteByte('+')
		}
	case w.brackets && w.negative:
		w.out.WriteByte('<')
	case w.brackets:
		w.out.WriteByte(' ')
	case w.negative:
		w.out.WriteByte('-')
	default:
		w.blank()
	}
	w.signed = true
}

// closing writes what stands behind the last digit.
func (w *numberWriter) closing() {
	end := w.last
	if w.blanks > 0 {
		end++
	}
	if w.p.point {
		end++
	}
	if w.significant >= 0 && w.significant == w.next {
		end = w.at
	}
	if w.at+1 != end {
		return
	}
	switch {
	case w.signed && w.brackets && w.negative:
		w.out.WriteByte('>')
	case w.signed && w.brackets:
		w.out.WriteByte(' ')
	case w.p.sign != 0 && w.signBehind && w.negative:
		w.out.WriteByte('-')
	case w.p.sign != 0 && w.signBehind:
		w.out.WriteByte('+')
	}
}

// roman writes a number with Roman digits.
func roman(n int64, fill, lower bool) string {
	s := strings.Repeat("#", 15)
	if n >= 1 && n <= 3999 {
		s = ""
		for _, d := range []struct {
			n int64
			s string
		}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}} {
			for n >= d.n {
				s, n = s+d.s, n-d.n
			}
		}
	}
	if lower {
		s = strings.ToLower(s)
	}
	if fill {
		return s
	}
	return strings.Repeat(" ", max(0, 15-len(s))) + s
}

// romanText prints a format that has Roman digits.
func (p *numberPicture) romanText(n int64) string {
	var b strings.Builder
	for _, item := range p.items {
		switch item.pattern {
		case "":
			b.WriteString(item.char)
		case "RN", "rn":
			b.WriteString(roman(n, p.fill, item.pattern == "rn"))
		}
	}
	return b.String()
}

// plainRoman reports whether a format has nothing but Roman digits, FM and characters.
func (p *numberPicture) plainRoman() bool {
	for _, item := range p.items {
		switch item.pattern {
		case "", "RN", "rn", "FM":
		default:
			return false
		}
	}
	return true
}

// picturable is a type of numbers with what to_char makes of its values.
type picturable struct {
	// digits gives the digits of a number, shifted by V.
	digits func(p *numberPicture, r *big.Rat) (whole, fraction string, err error)
	// integer rounds for Roman digits.
	integer func(r *big.Rat) *big.Int
	// zeroSign: a negative number that is rounded to 0 shows its sign.
	zeroSign bool
}

func (n picturable) toChar(a []ir.Value) (ir.Value, error) {
	if a[1].S == "" {
		return ir.Text(""), nil
	}
	p, err := parseNumberPicture(a[1].S)
	if err != nil {
		return ir.Null, err
	}
	r := a[0].Rat()
	switch {
	case p.unsupported() || p.scientific || p.roman && !p.plainRoman():
		return ir.Null, ir.ErrNotKnown
	case p.roman:
		i := n.integer(r)
		if !i.IsInt64() || i.Int64() != int64(int32(i.Int64())) {
			return ir.Null, ir.ErrNotKnown
		}
		return ir.Text(p.romanText(i.Int64())), nil
	}
	whole, fraction, err := n.digits(p, r)
	if err != nil {
		return ir.Null, err
	}
	negative := r.Sign() < 0 && (n.zeroSign || strings.Trim(whole, "0") != "" || strings.Trim(fraction, "0") != "")
	s, err := p.render(negative, whole, fraction)
	if err != nil {
		return ir.Null, err
	}
	return value.NewText(s)
}

// fixed gives the digits of a number rounded to some behind the point.
func fixed(r *big.Rat, after int) (whole, fraction string, err error) {
	s := new(big.Rat).Abs(value.RoundTo(r, after)).FloatString(after)
	whole, fraction, _ = strings.Cut(s, ".")
	if len(s) > value.MaxNumber {
		return "", "", ir.ErrNotKnown
	}
	return whole, fraction, nil
}

func init() {
	numeric := picturable{
		digits: func(p *numberPicture, r *big.Rat) (string, string, error) {
			return fixed(new(big.Rat).Mul(r, value.Power10(p.shift)), p.after)
		},
		integer: func(r *big.Rat) *big.Int { return value.RoundTo(r, 0).Num() },
	}
	value.Define(map[string]value.Evaluator{"to_char(numeric,text)": numeric.toChar})
	for _, x := range scalars.Integers[1:] {
		value.Define(map[string]value.Evaluator{"to_char(" + x.Name + ",text)": picturable{
			digits: func(p *numberPicture, r *big.Rat) (string, string, error) {
				r = new(big.Rat).Mul(r, value.Power10(p.shift))
				if _, err := scalars.IntResult(r.Num(), x.Bits); err != nil {
					return "", "", ir.ErrNotKnown
				}
				return fixed(r, p.after)
			},
			integer: func(r *big.Rat) *big.Int { return r.Num() },
		}.toChar})
	}
	for _, t := range []scalars.FloatType{scalars.Float4, scalars.Float8} {
		value.Define(map[string]value.Evaluator{"to_char(" + t.Name + ",text)": picturable{
			digits:   func(p *numberPicture, r *big.Rat) (string, string, error) { return pictureDigits(t, p, r) },
			integer:  func(r *big.Rat) *big.Int { return roundEven(r) },
			zeroSign: true,
		}.toChar})
	}
}

func roundEven(r *big.Rat) *big.Int {
	f, _ := r.Float64()
	i, _ := new(big.Float).SetFloat64(math.RoundToEven(f)).Int(nil)
	return i
}

// pictureDigits gives as many digits as a float has.
func pictureDigits(t scalars.FloatType, p *numberPicture, r *big.Rat) (string, string, error) {
	if p.shift > 0 {
		return "", "", ir.ErrNotKnown
	}
	f, _ := r.Float64()
	digits := 15
	if t.Bits == 32 {
		digits = 6
	}
	n := len(strconv.FormatFloat(math.Abs(f), 'f', 0, 64))
	after := p.after
	switch {
	case n >= digits:
		after = 0
	case n+after > digits:
		after = digits - n
	}
	if after != p.after { // the picture is shorter, too
		p.after = after
	}
	s := strconv.FormatFloat(math.Abs(f), 'f', after, 64)
	whole, fraction, _ := strings.Cut(s, ".")
	return whole, fraction, nil
}
