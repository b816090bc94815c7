package value

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

// OutOfRange is the error of a number that its type cannot hold.
func OutOfRange() error { return Failure("22003", "the number is out of range") }

// ByteOf is the byte of a "char"; the empty one is 0.
func ByteOf(v ir.Value) byte {
	if b, ok := octal(v.S); ok {
		return b
	}
	return (v.S + "\x00")[0]
}

// ByteValue is the "char" of a byte, which is shown in octal if it is no character.
func ByteValue(b byte) ir.Value {
	switch {
	case b == 0:
		return ir.Text("")
	case b >= 128:
		return ir.Text(fmt.Sprintf(`\%03o`, b))
	}
	return ir.Text(string(rune(b)))
}

// octal reads a byte of the form \ooo.
func octal(s string) (byte, bool) {
	if len(s) != 4 || s[0] != '\\' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[1:], 8, 16)
	return byte(n), err == nil
}

// Double is the float64 of a number that is one.
func Double(v ir.Value) float64 {
	f, _ := v.Rat().Float64()
	return f
}

// Finite gives a float where the server would not complain about an infinite one.
func Finite(f float64) (ir.Value, error) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return ir.Null, ir.ErrNotKnown
	}
	return Float(f), nil
}

// ParseBytes reads a bytea in its hexadecimal or escape form.
func ParseBytes(t *Type, text string) (ir.Value, error) {
	if body, ok := strings.CutPrefix(text, `\x`); ok {
		if strings.ContainsAny(body, Space) {
			return ir.Null, ir.ErrNotKnown
		}
		b, err := hex.DecodeString(body)
		if err != nil {
			return ir.Null, invalid(t, text)
		}
		return Bytes(b), nil
	}
	var out []byte
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			out = append(out, text[i])
			continue
		}
		if i+1 < len(text) && text[i+1] == '\\' {
			out = append(out, '\\')
			i++
			continue
		}
		if i+3 >= len(text) {
			return ir.Null, invalid(t, text)
		}
		n, err := strconv.ParseUint(text[i+1:i+4], 8, 8)
		if err != nil {
			return ir.Null, invalid(t, text)
		}
		out = append(out, byte(n))
		i += 3
	}
	return Bytes(out), nil
}

// Bytes is the value of some bytes.
func Bytes(b []byte) ir.Value { return ir.Opaque(`\x` + hex.EncodeToString(b)) }

// BytesOf gives the bytes of a bytea.
func BytesOf(v ir.Value) ([]byte, bool) {
	body, ok := strings.CutPrefix(v.S, `\x`)
	b, err := hex.DecodeString(body)
	return b, ok && err == nil
}

// parseInet reads an inet or cidr address.
func parseInet(t *Type, text string) (ir.Value, error) {
	addr, bits, has := strings.Cut(text, "/")
	a, err := netip.ParseAddr(addr)
	if err != nil || a.Zone() != "" {
		if strings.ContainsAny(addr, "0123456789:") {
			return ir.Null, ir.ErrNotKnown // parts may be left out, or start with zeros
		}
		return ir.Null, invalid(t, text)
	}
	n := a.BitLen()
	if has {
		if n, err = strconv.Atoi(bits); err != nil || n < 0 || n > a.BitLen() || strconv.Itoa(n) != bits {
			return ir.Null, invalid(t, text)
		}
	}
	if t.Name == "cidr" {
		if netip.PrefixFrom(a, n).Masked().Addr() != a {
			return ir.Null, invalid(t, text)
		}
		return ir.Opaque(a.String() + "/" + strconv.Itoa(n)), nil
	}
	return ir.Opaque(a.String() + "/" + strconv.Itoa(n)), nil
}

// PrintInet leaves out the length of a whole address.
func PrintInet(_ *Type, v ir.Value) string {
	addr, bits, _ := strings.Cut(v.S, "/")
	if bits == "128" || bits == "32" && !strings.Contains(addr, ":") {
		return addr
	}
	return v.S
}

// macaddr is the forms with all digits.
var macaddr = regexp.MustCompile(`^(?:[0-9a-f]{2}(?::[0-9a-f]{2})+|[0-9a-f]{2}(?:-[0-9a-f]{2})+|[0-9a-f]{12}|[0-9a-f]{6}[:-][0-9a-f]{6}|[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4})$`)

// ParseMAC reads a macaddr or macaddr8.
func ParseMAC(t *Type, text string) (ir.Value, error) {
	digits := 12
	if t.Name == "macaddr8" {
		digits = 16
	}
	s := strings.ToLower(strings.Trim(text, Space))
	if !strings.ContainsAny(s, "0123456789abcdef") {
		return ir.Null, invalid(t, text)
	}
	if !macaddr.MatchString(s) {
		return ir.Null, ir.ErrNotKnown // digits may be left out
	}
	d := strings.NewReplacer(":", "", "-", "", ".", "").Replace(s)
	b, err := hex.DecodeString(d)
	if err != nil || len(d) != digits {
		return ir.Null, ir.ErrNotKnown
	}
	parts := make([]string, len(b))
	for i := range b {
		parts[i] = d[2*i : 2*i+2]
	}
	return ir.Opaque(strings.Join(parts, ":")), nil
}

// parseBits reads a bit string; an explicit cast to bit(n) cuts it or fills it up.
func parseBits(t *Type, text string) (ir.Value, error) {
	s := text
	if strings.HasPrefix(s, "x") || strings.HasPrefix(s, "X") {
		return ir.Null, ir.ErrNotKnown
	}
	s = strings.TrimPrefix(strings.TrimPrefix(s, "b"), "B")
	if strings.Trim(s, "01") != "" {
		return ir.Null, invalid(t, text)
	}
	n := t.Length
	if t.Name == "bit" && n > len(s) {
		s += strings.Repeat("0", n-len(s))
	}
	if n > 0 && len(s) > n {
		s = s[:n]
	}
	return ir.Opaque(s), nil
}

var label = regexp.MustCompile(`^[A-Za-z0-9_]{1,255}$`)

// ParseLtree reads a label path.
func ParseLtree(t *Type, text string) (ir.Value, error) {
	if text != "" {
		for _, l := range strings.Split(text, ".") {
			if !label.MatchString(l) {
				return ir.Null, invalid(t, text)
			}
		}
	}
	return ir.Opaque(text), nil
}

// RangeElems are the types of the bounds of range types.
var RangeElems = map[string]string{"int4range": "int4", "int8range": "int8", "numrange": "numeric", "daterange": "date",
	"tsrange": "timestamp", "tstzrange": "timestamptz"}

// parseRange reads a range; those over integers and days are brought into the form [).
func parseRange(t *Type, text string) (ir.Value, error) {
	r, err := t.readRange(text)
	if err != nil {
		return ir.Null, err
	}
	v, err := r.Value()
	if err != nil && !NotKnown(err) {
		return ir.Null, invalid(t, text)
	}
	return v, err
}

// readRange reads a range.
func (t *Type) readRange(text string) (Range, error) {
	r := Range{Elem: Of(RangeElems[t.Name])}
	s := strings.Trim(text, Space)
	if strings.EqualFold(s, "empty") {
		r.Empty = true
		return r, nil
	}
	if len(s) < 3 || !strings.ContainsRune("[(", rune(s[0])) || !strings.ContainsRune("])", rune(s[len(s)-1])) {
		return r, invalid(t, text)
	}
	bounds, ok := splitBounds(s[1 : len(s)-1])
	if !ok {
		return r, invalid(t, text)
	}
	for i, b := range bounds {
		if b == nil {
			continue
		}
		v, err := r.Elem.Parse(*b)
		switch {
		case NotKnown(err):
			return r, err
		case err != nil:
			return r, invalid(t, text)
		case i == 0:
			r.Low, r.LowIn = v, s[0] == '['
		default:
			r.High, r.HighIn = v, s[len(s)-1] == ']'
		}
	}
	if !r.Low.IsNull() && !r.High.IsNull() && ir.Compare(r.Low, r.High) > 0 {
		return r, invalid(t, text)
	}
	return r, nil
}

// splitBounds splits at the comma between two bounds; nil is none. A bound may
// stand in double quotes.
func splitBounds(s string) ([2]*string, bool) {
	var out [2]*string
	n := 0
	var cur strings.Builder
	given, quoted := false, false
	end := func() {
		if given {
			b := cur.String()
			out[n] = &b
		}
		cur.Reset()
		given = false
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			i++
			cur.WriteByte(s[i])
			given = true
		case c == '"':
			if quoted && i+1 < len(s) && s[i+1] == '"' {
				i++
				cur.WriteByte('"')
			} else {
				quoted = !quoted
			}
			given = true
		case c == ',' && !quoted:
			if n == 1 {
				return out, false
			}
			end()
			n = 1
		case !quoted && (c == ')' || c == ']'):
			return out, false
		default:
			cur.WriteByte(c)
			given = true
		}
	}
	end()
	return out, n == 1 && !quoted
}

// bound prints one end of a range.
func (r Range) bound(v ir.Value) string {
	if v.IsNull() {
		return ""
	}
	s := r.Elem.Print(v)
	if strings.ContainsAny(s, ` ,"\()[]`) {
		s = `"` + strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), `"`, `""`) + `"`
	}
	return s
}

// parseArray reads an array of one dimension without NULLs.
func parseArray(t *Type, text string) (ir.Value, error) {
	s := strings.Trim(text, Space)
	if len(s) < 2 || s[0] != '{' || s[len(s)-1] != '}' {
		if strings.HasPrefix(s, "[") {
			return ir.Null, ir.ErrNotKnown // bounds
		}
		return ir.Null, invalid(t, text)
	}
	elems := []ir.Value{}
	body := s[1 : len(s)-1]
	if strings.Trim(body, Space) == "" {
		return ir.Array(elems), nil
	}
	for {
		elem, quoted, rest, ok := splitElem(body)
		if !ok {
			return ir.Null, invalid(t, text)
		}
		if !quoted && (strings.EqualFold(elem, "null") || strings.ContainsAny(elem, "{}")) {
			return ir.Null, ir.ErrNotKnown
		}
		if !quoted && elem == "" {
			return ir.Null, invalid(t, text)
		}
		v, err := t.Elem.Parse(elem)
		if err != nil {
			return ir.Null, err
		}
		elems = append(elems, v)
		if rest == "" {
			return ir.Array(elems), nil
		}
		body = rest[1:]
	}
}

// splitElem takes one element off; rest begins with a comma or is empty.
func splitElem(s string) (elem string, quoted bool, rest string, ok bool) {
	i := len(s) - len(strings.TrimLeft(s, Space))
	var b strings.Builder
	if i < len(s) && s[i] == '"' {
		for i++; i < len(s) && s[i] != '"'; i++ {
			if s[i] == '\\' {
				i++
			}
			if i < len(s) {
				b.WriteByte(s[i])
			}
		}
		if i >= len(s) {
			return "", true, "", false
		}
		rest = strings.TrimLeft(s[i+1:], Space)
		return b.String(), true, rest, rest == "" || rest[0] == ','
	}
	depth := 0
	for ; i < len(s) && (s[i] != ',' || depth > 0); i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			depth--
		case '"':
			if depth == 0 {
				return "", false, "", false
			}
		case '\\':
			i++
		}
		if i < len(s) {
			b.WriteByte(s[i])
		}
	}
	rest = s[min(i, len(s)):]
	if strings.Contains(s[:len(s)-len(rest)], `\`) {
		return "{", false, rest, true // an escaped blank stays: this is read as not known
	}
	return strings.Trim(b.String(), Space), false, rest, true
}

func printArray(t *Type, v ir.Value) string {
	var parts []string
	for _, e := range v.Elems(elementKind(t.Elem)) {
		s := t.Elem.Print(e)
		if t.Elem.Name == "bool" {
			s = s[:1]
		}
		if s == "" || strings.EqualFold(s, "null") || strings.ContainsAny(s, "{},\"\\"+Space) {
			s = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
		}
		parts = append(parts, s)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// number prints a rational with as many digits as it needs.
func number(r *big.Rat) string { return printNumeric(Of("numeric"), ir.Num(r)) }
