package value

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

// jsons are the samples of json.
var jsons = []string{`{"a": 1}`, `{"a": 2}`, `{"b": 1}`, `[]`, `"x"`}

// parseJSONText checks a json, whose value is its text.
func parseJSONText(t *Type, text string) (ir.Value, error) {
	if _, err := ReadJSON(text); err != nil {
		return ir.Null, noJSON(t, text, err)
	}
	return ir.Text(text), nil
}

// parseJSON reads a jsonb: spaces, the order of keys and all but the last of equal
// keys are no part of the value.
func parseJSON(t *Type, text string) (ir.Value, error) {
	j, err := ParseJSON(text)
	if err != nil {
		return ir.Null, noJSON(t, text, err)
	}
	return j.Value(), nil
}

// noJSON is the error of a text that is no JSON, or not known to be.
func noJSON(t *Type, text string, err error) error {
	if NotKnown(err) {
		return err
	}
	return invalid(t, text)
}

// JSON is a value of type jsonb: nil, a bool, a json.Number in its shortest form, a
// string, a []JSON or a JSONObject.
type JSON struct{ V any }

// JSONObject has its keys in the order of jsonb: shorter ones first.
type JSONObject []JSONMember

// JSONMember is a key with its value.
type JSONMember struct {
	Key   string
	Value JSON
}

// ParseJSON reads a text as the type jsonb does. The error is ir.ErrNotKnown where
// the server may read it all the same.
func ParseJSON(text string) (JSON, error) {
	n, err := ReadJSON(text)
	if err != nil {
		return JSON{}, err
	}
	return n.JSONB()
}

// Value is the value of the IR.
func (j JSON) Value() ir.Value { return ir.Opaque(j.String()) }

// JSONOf reads a value of type jsonb.
func JSONOf(v ir.Value) (JSON, error) {
	j, err := ParseJSON(v.S)
	if err != nil {
		return j, ir.ErrNotKnown
	}
	return j, nil
}

// Object makes an object.
func Object(members map[string]JSON) JSON {
	out := JSONObject{}
	for k, v := range members {
		out = append(out, JSONMember{k, v})
	}
	slices.SortFunc(out, func(a, b JSONMember) int {
		if len(a.Key) != len(b.Key) {
			return len(a.Key) - len(b.Key)
		}
		return strings.Compare(a.Key, b.Key)
	})
	return JSON{out}
}

// members gives the members of an object as a map.
func (o JSONObject) members() map[string]JSON {
	out := map[string]JSON{}
	for _, m := range o {
		out[m.Key] = m.Value
	}
	return out
}

// String is what the server prints.
func (j JSON) String() string {
	var b strings.Builder
	j.write(&b)
	return b.String()
}

func (j JSON) write(b *strings.Builder) {
	switch x := j.V.(type) {
	case nil:
		b.WriteString("null")
	case bool:
		if x {
			b.WriteString("true")
		} else {
			b.WriteString("false")
		}
	case json.Number:
		b.WriteString(x.String())
	case string:
		writeString(b, x)
	case []JSON:
		b.WriteByte('[')
		for i, e := range x {
			if i > 0 {
				b.WriteString(", ")
			}
			e.write(b)
		}
		b.WriteByte(']')
	case JSONObject:
		b.WriteByte('{')
		for i, m := range x {
			if i > 0 {
				b.WriteString(", ")
			}
			writeString(b, m.Key)
			b.WriteString(": ")
			m.Value.write(b)
		}
		b.WriteByte('}')
	}
}

// QuoteJSON writes a string of JSON.
func QuoteJSON(s string) string {
	var b strings.Builder
	writeString(&b, s)
	return b.String()
}

// writeString writes a string of JSON as the server does.
func writeString(b *strings.Builder, s string) {
	b.WriteByte('"')
	for _, r := range s {
		switch r {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '\b':
			b.WriteString(`\b`)
		case '\f':
			b.WriteString(`\f`)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		default:
			if r < ' ' {
				const digits = "0123456789abcdef"
				b.WriteString(`\u00`)
				b.WriteByte(digits[r>>4])
				b.WriteByte(digits[r&15])
				continue
			}
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
}
