package value

import (
	"bytes"
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

// NewText makes a text of bounded size.
func NewText(s string) (ir.Value, error) {
	if len(s) > MaxSize {
		return ir.Null, ir.ErrNotKnown
	}
	return ir.Text(s), nil
}

// Content gives the bytes of a bytea.
func Content(v ir.Value) []byte {
	b, _ := BytesOf(v)
	return b
}

// ByBytes compares values of bytea.
func ByBytes(a, b ir.Value) (int, error) { return bytes.Compare(Content(a), Content(b)), nil }

// EndsWithEscape reports whether a text ends with a backslash that makes no character plain,
// which LIKE may refuse.
func EndsWithEscape(pattern string) bool {
	n := len(pattern) - len(strings.TrimRight(pattern, `\`))
	return n%2 == 1
}

// IsAlphanumeric reports whether c is a letter or digit of ASCII.
func IsAlphanumeric(c rune) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// Output is what the output function of a type gives, which differs from the cast to
// text for bool; false where it is not known.
func (t *Type) Output(v ir.Value) (string, bool) {
	switch c := t.Class(); {
	case c.Print == nil || t.unseen():
		return "", false
	case t.Name == "bool":
		return PrintBool(nil, v)[:1], true
	}
	return t.Print(v), true
}

// unseen reports whether the texts of values of the type have blanks or digits at
// their end that the values do not tell.
func (t *Type) unseen() bool {
	switch {
	case t.Elem != nil:
		return t.Elem.unseen()
	case t.Name == "bpchar":
		return t.Length == 0
	case t.Name == "numeric":
		return t.Precision == 0
	}
	return t.Name == "numrange"
}

// AsText is what the cast to text gives; false where it is not known.
func (t *Type) AsText(v ir.Value) (string, bool) {
	switch t.Name {
	case "bool":
		return PrintBool(nil, v), true
	case "bpchar":
		return v.S, true
	case "inet":
		return v.S, true
	}
	return t.Output(v)
}

// ParseByte reads a value of type "char".
func ParseByte(_ *Type, text string) (ir.Value, error) { return ByteValue(ByteOf(ir.Text(text))), nil }
