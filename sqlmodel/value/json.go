package value

import (
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/txrobust/robust/ir"
)

// jsons are the samples of json.
var jsons = []string{`{"a": 1}`, `{"a": 2}`, `{"b": 1}`, `[]`, `"x"`}

// parseJSONText checks a json, whose value is its text.
func parseJSONText(t *Type, text string) (ir.Value, error) {
	if _, err := ParseJSON(text); err != nil {
		return ir.Null, invalid(t, text)
	}
	return ir.Text(text), nil
}

// parseJSON reads a jsonb: spaces, the order of keys and all but the last of equal
// keys are no part of the value.
func parseJSON(t *Type, text string) (ir.Value, error) {
	j, err := ParseJSON(text)
	if err != nil {
		return ir.Null, invalid(t, text)
	}
	return ir.Opaque(j.String()), nil
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

// ParseJSON reads a text as the type jsonb does.
func ParseJSON(text string) (JSON, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	j, err := readJSON(d, 0)
	if err != nil {
		return JSON{}, err
	}
	if _, err := d.Token(); err != io.EOF {
		return JSON{}, errNoJSON
	}
	return j, nil
}

type jsonError string

func (e jsonError) Error() string { return string(e) }

const errNoJSON = jsonError("no JSON")

// maxJSON bounds the nesting.
const maxJSON = 1000

func readJSON(d *json.Decoder, depth int) (JSON, error) {
	tok, err := d.Token()
	if err != nil || depth > maxJSON {
		return JSON{}, errNoJSON
	}
	switch x := tok.(type) {
	case json.Number:
		r, ok := Rational(x.String())
		if !ok {
			return JSON{}, errNoJSON
		}
		return JSON{json.Number(number(r))}, nil
	case string:
		if strings.ContainsRune(x, 0) {
			return JSON{}, errNoJSON
		}
		return JSON{x}, nil
	case json.Delim:
		if x == '[' {
			list := []JSON{}
			for d.More() {
				e, err := readJSON(d, depth+1)
				if err != nil {
					return e, err
				}
				list = append(list, e)
			}
			_, err := d.Token()
			return JSON{list}, err
		}
		if x == '{' {
			return readObject(d, depth)
		}
		return JSON{}, errNoJSON
	}
	return JSON{tok}, nil
}

func readObject(d *json.Decoder, depth int) (JSON, error) {
	members := map[string]JSON{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return JSON{}, err
		}
		v, err := readJSON(d, depth+1)
		if err != nil {
			return JSON{}, err
		}
		members[key.(string)] = v
	}
	_, err := d.Token()
	return Object(members), err
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
