package value

import (
	"encoding/json"
	"strings"

	"github.com/txrobust/robust/ir"
)

// jsonText is a value as JSON, as to_json gives it.
func (t *Type) jsonText(v ir.Value) (string, error) {
	if v.IsNull() {
		return "null", nil
	}
	s, known := t.output(v)
	switch {
	case t.Elem != nil:
		parts, err := t.jsonElements(v)
		return "[" + strings.Join(parts, ",") + "]", err
	case !known:
		return "", ir.ErrNotKnown
	}
	switch t.Name {
	case "bool":
		return printBool(nil, v), nil
	case "int2", "int4", "int8", "numeric", "float4", "float8", "json", "jsonb":
		return s, nil
	case "timestamp", "timestamptz":
		s = isoStamp(s)
	}
	return quoteJSON(s), nil
}

// isoStamp writes a timestamp as XML Schema has it.
func isoStamp(s string) string {
	date, clock, ok := strings.Cut(s, " ")
	if !ok {
		return s // infinity
	}
	clock, era, christ := strings.Cut(clock, " ")
	if strings.HasSuffix(clock, "+00") {
		clock += ":00"
	}
	if christ {
		clock += " " + era
	}
	return date + "T" + clock
}

// jsonElements gives the elements of an array as JSON.
func (t *Type) jsonElements(v ir.Value) ([]string, error) {
	var parts []string
	for _, e := range t.elems(v) {
		s, err := t.Elem.jsonText(e)
		if err != nil {
			return nil, err
		}
		parts = append(parts, s)
	}
	return parts, nil
}

// toJSON is a value as jsonb.
func (t *Type) toJSON(v ir.Value) (JSON, error) {
	switch {
	case v.IsNull():
		return JSON{}, nil
	case t.Elem != nil:
		list := []JSON{}
		for _, e := range t.elems(v) {
			j, err := t.Elem.toJSON(e)
			if err != nil {
				return JSON{}, err
			}
			list = append(list, j)
		}
		return JSON{list}, nil
	case t.Name == "numeric":
		return JSON{json.Number(number(v.Rat()))}, nil
	}
	s, err := t.jsonText(v)
	if err != nil {
		return JSON{}, err
	}
	return ParseJSON(s)
}

// jsonKey is a value as the key of an object.
func (t *Type) jsonKey(v ir.Value) (string, error) {
	switch {
	case v.IsNull():
		return "", failure("22023", "a key must not be null")
	case t.Elem != nil || t.Name == "json" || t.Name == "jsonb":
		return "", failure("22023", "key value must be scalar, not array, composite, or json")
	}
	s, err := t.jsonText(v)
	if err != nil {
		return "", err
	}
	if s[0] == '"' {
		return unquoteJSON(s)
	}
	return s, nil
}

// each converts arguments.
func each[T any](types []*Type, a []ir.Value, f func(t *Type, v ir.Value) (T, error)) ([]T, error) {
	out := []T{}
	for i, v := range a {
		x, err := f(types[i], v)
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
}

// pairs splits arguments into keys and values.
func pairs[T any](types []*Type, a []ir.Value, f func(t *Type, v ir.Value) (T, error)) (keys []string, values []T, err error) {
	if len(a)%2 != 0 {
		return nil, nil, failure("22023", "argument list must have even number of elements")
	}
	for i := 0; i < len(a); i += 2 {
		k, err := types[i].jsonKey(a[i])
		if err != nil {
			return nil, nil, err
		}
		v, err := f(types[i+1], a[i+1])
		if err != nil {
			return nil, nil, err
		}
		keys, values = append(keys, k), append(values, v)
	}
	return keys, values, nil
}

// objectOf makes an object, of which the last of equal keys counts.
func objectOf(keys []string, values []JSON) JSON {
	members := map[string]JSON{}
	for i, k := range keys {
		members[k] = values[i]
	}
	return Object(members)
}

// objectText writes an object as the functions of json do.
func objectText(keys, values []string) string {
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = quoteJSON(k) + " : " + values[i]
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// typedJSON adds the functions that make JSON of values of any type.
func typedJSON() {
	toText := func(f func(types []*Type, a []ir.Value) (string, error)) family {
		return func(types []*Type, _ *Type) evaluator {
			return func(a []ir.Value) (ir.Value, error) {
				s, err := f(types, a)
				if err != nil {
					return ir.Null, err
				}
				return newText(s)
			}
		}
	}
	toValue := func(f func(types []*Type, a []ir.Value) (JSON, error)) family {
		return func(types []*Type, _ *Type) evaluator {
			return func(a []ir.Value) (ir.Value, error) {
				j, err := f(types, a)
				if err != nil {
					return ir.Null, err
				}
				return j.Value(), nil
			}
		}
	}
	buildArray := toText(func(types []*Type, a []ir.Value) (string, error) {
		parts, err := each(types, a, (*Type).jsonText)
		return "[" + strings.Join(parts, ", ") + "]", err
	})
	buildObject := toText(func(types []*Type, a []ir.Value) (string, error) {
		keys, values, err := pairs(types, a, (*Type).jsonText)
		return objectText(keys, values), err
	})
	buildArrayB := toValue(func(types []*Type, a []ir.Value) (JSON, error) {
		list, err := each(types, a, (*Type).toJSON)
		return JSON{list}, err
	})
	buildObjectB := toValue(func(types []*Type, a []ir.Value) (JSON, error) {
		keys, values, err := pairs(types, a, (*Type).toJSON)
		return objectOf(keys, values), err
	})
	arrayToJSON := toText(func(types []*Type, a []ir.Value) (string, error) {
		if types[0].Elem == nil {
			return "", ir.ErrNotKnown
		}
		parts, err := types[0].jsonElements(a[0])
		sep := ","
		if optional(a, 1, false) {
			sep = ",\n "
		}
		return "[" + strings.Join(parts, sep) + "]", err
	})
	defineFamilies(map[string]family{
		"to_json(anyelement)":  toText(func(types []*Type, a []ir.Value) (string, error) { return types[0].jsonText(a[0]) }),
		"to_jsonb(anyelement)": toValue(func(types []*Type, a []ir.Value) (JSON, error) { return types[0].toJSON(a[0]) }),
		"json_build_array()":   buildArray, "json_build_array(any)": buildArray,
		"json_build_object()": buildObject, "json_build_object(any)": buildObject,
		"jsonb_build_array()": buildArrayB, "jsonb_build_array(any)": buildArrayB,
		"jsonb_build_object()": buildObjectB, "jsonb_build_object(any)": buildObjectB,
		"array_to_json(anyarray)": arrayToJSON, "array_to_json(anyarray,bool)": arrayToJSON,
	})
	fromTexts := func(result func(keys []string, values []ir.Value) ir.Value) evaluator {
		return func(a []ir.Value) (ir.Value, error) {
			keys := a[0].Elems(ir.KindText)
			var values []ir.Value
			if len(a) > 1 {
				values = a[1].Elems(ir.KindText)
				if len(keys) != len(values) {
					return ir.Null, failure("2202E", "mismatched array dimensions")
				}
			} else {
				if len(keys)%2 != 0 {
					return ir.Null, failure("2202E", "array must have even number of elements")
				}
				var odd []ir.Value
				for i := 0; i < len(keys); i += 2 {
					odd, values = append(odd, keys[i]), append(values, keys[i+1])
				}
				keys = odd
			}
			return result(pathOf(keys), values), nil
		}
	}
	object := fromTexts(func(keys []string, values []ir.Value) ir.Value {
		texts := make([]string, len(values))
		for i, v := range values {
			texts[i] = quoteJSON(v.S)
		}
		return ir.Text(objectText(keys, texts))
	})
	objectB := fromTexts(func(keys []string, values []ir.Value) ir.Value {
		list := make([]JSON, len(values))
		for i, v := range values {
			list[i] = JSON{v.S}
		}
		return objectOf(keys, list).Value()
	})
	define(map[string]evaluator{
		"json_object(_text)": object, "json_object(_text,_text)": object,
		"jsonb_object(_text)": objectB, "jsonb_object(_text,_text)": objectB,
	})
}

// ofJSONText is a function whose first argument is a json.
func ofJSONText(f func(n jsonNode, a []ir.Value) (ir.Value, error)) evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		n, err := readJSON(a[0].S)
		if err != nil {
			return ir.Null, ir.ErrNotKnown
		}
		if _, err := n.jsonb(); err != nil { // the server fails at some of these strings
			return ir.Null, ir.ErrNotKnown
		}
		return f(n, a)
	}
}

// foundText gives a part of a json; nil is NULL.
func foundText(n *jsonNode, asText bool) (ir.Value, error) {
	if n == nil {
		return ir.Null, nil
	}
	if !asText {
		return ir.Text(n.text), nil
	}
	s, ok, err := n.asText()
	if err != nil || !ok {
		return ir.Null, err
	}
	return ir.Text(s), nil
}

// at follows a path.
func (n jsonNode) at(path []string) (*jsonNode, error) {
	here := &n
	for depth, step := range path {
		var err error
		switch i, ok := arrayIndex(step); {
		case here.kind == '[' && ok && i < 0 && depth > 0:
			return nil, ir.ErrNotKnown // the server counts in another array
		case here.kind == '{' && len(path) > 1 && here.doubled():
			return nil, ir.ErrNotKnown // the server may find a part of the first value
		case here.kind == '{':
			here, err = here.field(step)
		case here.kind == '[' && ok:
			here = here.index(i)
		default:
			here = nil
		}
		if here == nil {
			return nil, err
		}
	}
	return here, nil
}

// doubled reports whether two keys of an object are equal.
func (n jsonNode) doubled() bool {
	seen := map[string]bool{}
	for _, k := range n.keys {
		key, err := unquoteJSON(k)
		if err != nil || seen[key] {
			return true
		}
		seen[key] = true
	}
	return false
}

// withoutNulls writes a json without the members that are null.
func (n jsonNode) withoutNulls(b *strings.Builder) error {
	switch n.kind {
	case '{', '[':
		b.WriteByte(n.kind)
		some := false
		for i, item := range n.items {
			if n.kind == '{' && item.kind == 'n' {
				continue
			}
			if some {
				b.WriteByte(',')
			}
			some = true
			if n.kind == '{' {
				key, err := unquoteJSON(n.keys[i])
				if err != nil {
					return err
				}
				writeString(b, key)
				b.WriteByte(':')
			}
			if err := item.withoutNulls(b); err != nil {
				return err
			}
		}
		b.WriteByte(map[byte]byte{'{': '}', '[': ']'}[n.kind])
	case '"':
		s, err := unquoteJSON(n.text)
		if err != nil {
			return err
		}
		writeString(b, s)
	default:
		b.WriteString(n.text)
	}
	return nil
}

func init() {
	field := func(text bool) evaluator {
		return ofJSONText(func(n jsonNode, a []ir.Value) (ir.Value, error) {
			v, err := n.field(a[1].S)
			if err != nil {
				return ir.Null, err
			}
			return foundText(v, text)
		})
	}
	element := func(text bool) evaluator {
		return ofJSONText(func(n jsonNode, a []ir.Value) (ir.Value, error) { return foundText(n.index(a[1].I), text) })
	}
	path := func(text bool) evaluator {
		return ofJSONText(func(n jsonNode, a []ir.Value) (ir.Value, error) {
			if anyNull(a) {
				return ir.Null, nil
			}
			v, err := n.at(pathOf(a[1:]))
			if err != nil {
				return ir.Null, err
			}
			return foundText(v, text)
		})
	}
	define(map[string]evaluator{
		"json_object_field(json,text)":       field(false),
		"json_object_field_text(json,text)":  field(true),
		"json_array_element(json,int4)":      element(false),
		"json_array_element_text(json,int4)": element(true),
		"json_extract_path(json,_text)":      path(false),
		"json_extract_path_text(json,_text)": path(true),
		"json_typeof(json)": ofJSONText(func(n jsonNode, _ []ir.Value) (ir.Value, error) {
			j, err := n.jsonb()
			return ir.Text(j.typeName()), err
		}),
		"json_array_length(json)": ofJSONText(func(n jsonNode, _ []ir.Value) (ir.Value, error) {
			if n.kind != '[' {
				return ir.Null, failure("22023", "cannot get array length of a non-array")
			}
			return ir.Int(int64(len(n.items))), nil
		}),
		"json_strip_nulls(json)": ofJSONText(func(n jsonNode, _ []ir.Value) (ir.Value, error) {
			var b strings.Builder
			if err := n.withoutNulls(&b); err != nil {
				return ir.Null, ir.ErrNotKnown
			}
			return ir.Text(b.String()), nil
		}),
	})
}
