package builtin

import (
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/value"
)

// each converts arguments.
func each[T any](types []*value.Type, a []ir.Value, f func(t *value.Type, v ir.Value) (T, error)) ([]T, error) {
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
func pairs[T any](types []*value.Type, a []ir.Value, f func(t *value.Type, v ir.Value) (T, error)) (keys []string, values []T, err error) {
	if len(a)%2 != 0 {
		return nil, nil, value.Failure("22023", "argument list must have even number of elements")
	}
	for i := 0; i < len(a); i += 2 {
		k, err := types[i].JSONKey(a[i])
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
func objectOf(keys []string, values []value.JSON) value.JSON {
	members := map[string]value.JSON{}
	for i, k := range keys {
		members[k] = values[i]
	}
	return value.Object(members)
}

// objectText writes an object as the functions of json do.
func objectText(keys, values []string) string {
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = value.QuoteJSON(k) + " : " + values[i]
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// typedJSON adds the functions that make JSON of values of any type.
func typedJSON() {
	toText := func(f func(types []*value.Type, a []ir.Value) (string, error)) value.Family {
		return func(types []*value.Type, _ *value.Type) value.Evaluator {
			return func(a []ir.Value) (ir.Value, error) {
				s, err := f(types, a)
				if err != nil {
					return ir.Null, err
				}
				return value.NewText(s)
			}
		}
	}
	toValue := func(f func(types []*value.Type, a []ir.Value) (value.JSON, error)) value.Family {
		return func(types []*value.Type, _ *value.Type) value.Evaluator {
			return func(a []ir.Value) (ir.Value, error) {
				j, err := f(types, a)
				if err != nil {
					return ir.Null, err
				}
				return j.Value(), nil
			}
		}
	}
	buildArray := toText(func(types []*value.Type, a []ir.Value) (string, error) {
		parts, err := each(types, a, (*value.Type).JSONText)
		return "[" + strings.Join(parts, ", ") + "]", err
	})
	buildObject := toText(func(types []*value.Type, a []ir.Value) (string, error) {
		keys, values, err := pairs(types, a, (*value.Type).JSONText)
		return objectText(keys, values), err
	})
	buildArrayB := toValue(func(types []*value.Type, a []ir.Value) (value.JSON, error) {
		list, err := each(types, a, (*value.Type).ToJSON)
		return value.JSON{V: list}, err
	})
	buildObjectB := toValue(func(types []*value.Type, a []ir.Value) (value.JSON, error) {
		keys, values, err := pairs(types, a, (*value.Type).ToJSON)
		return objectOf(keys, values), err
	})
	arrayToJSON := toText(func(types []*value.Type, a []ir.Value) (string, error) {
		if types[0].Elem == nil {
			return "", ir.ErrNotKnown
		}
		parts, err := types[0].JSONElements(a[0])
		sep := ","
		if optional(a, 1, false) {
			sep = ",\n "
		}
		return "[" + strings.Join(parts, sep) + "]", err
	})
	value.DefineFamilies(map[string]value.Family{
		"to_json(anyelement)":  toText(func(types []*value.Type, a []ir.Value) (string, error) { return types[0].JSONText(a[0]) }),
		"to_jsonb(anyelement)": toValue(func(types []*value.Type, a []ir.Value) (value.JSON, error) { return types[0].ToJSON(a[0]) }),
		"json_build_array()":   buildArray, "json_build_array(any)": buildArray,
		"json_build_object()": buildObject, "json_build_object(any)": buildObject,
		"jsonb_build_array()": buildArrayB, "jsonb_build_array(any)": buildArrayB,
		"jsonb_build_object()": buildObjectB, "jsonb_build_object(any)": buildObjectB,
		"array_to_json(anyarray)": arrayToJSON, "array_to_json(anyarray,bool)": arrayToJSON,
	})
	fromTexts := func(result func(keys []string, values []ir.Value) ir.Value) value.Evaluator {
		return func(a []ir.Value) (ir.Value, error) {
			keys := a[0].Elems(ir.KindText)
			var values []ir.Value
			if len(a) > 1 {
				values = a[1].Elems(ir.KindText)
				if len(keys) != len(values) {
					return ir.Null, value.Failure("2202E", "mismatched array dimensions")
				}
			} else {
				if len(keys)%2 != 0 {
					return ir.Null, value.Failure("2202E", "array must have even number of elements")
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
			texts[i] = value.QuoteJSON(v.S)
		}
		return ir.Text(objectText(keys, texts))
	})
	objectB := fromTexts(func(keys []string, values []ir.Value) ir.Value {
		list := make([]value.JSON, len(values))
		for i, v := range values {
			list[i] = value.JSON{V: v.S}
		}
		return objectOf(keys, list).Value()
	})
	value.Define(map[string]value.Evaluator{
		"json_object(_text)": object, "json_object(_text,_text)": object,
		"jsonb_object(_text)": objectB, "jsonb_object(_text,_text)": objectB,
	})
}

// ofJSONText is a function whose first argument is a json.
func ofJSONText(f func(n value.JSONNode, a []ir.Value) (ir.Value, error)) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		n, err := value.ReadJSON(a[0].S)
		if err != nil {
			return ir.Null, ir.ErrNotKnown
		}
		if _, err := n.JSONB(); err != nil { // the server fails at some of these strings
			return ir.Null, ir.ErrNotKnown
		}
		return f(n, a)
	}
}

// foundText gives a part of a json; nil is NULL.
func foundText(n *value.JSONNode, asText bool) (ir.Value, error) {
	if n == nil {
		return ir.Null, nil
	}
	if !asText {
		return ir.Text(n.Text), nil
	}
	s, ok, err := n.AsText()
	if err != nil || !ok {
		return ir.Null, err
	}
	return ir.Text(s), nil
}

func init() {
	field := func(text bool) value.Evaluator {
		return ofJSONText(func(n value.JSONNode, a []ir.Value) (ir.Value, error) {
			v, err := n.Field(a[1].S)
			if err != nil {
				return ir.Null, err
			}
			return foundText(v, text)
		})
	}
	element := func(text bool) value.Evaluator {
		return ofJSONText(func(n value.JSONNode, a []ir.Value) (ir.Value, error) { return foundText(n.Index(a[1].I), text) })
	}
	path := func(text bool) value.Evaluator {
		return ofJSONText(func(n value.JSONNode, a []ir.Value) (ir.Value, error) {
			if value.AnyNull(a) {
				return ir.Null, nil
			}
			v, err := n.At(pathOf(a[1:]))
			if err != nil {
				return ir.Null, err
			}
			return foundText(v, text)
		})
	}
	value.Define(map[string]value.Evaluator{
		"json_object_field(json,text)":       field(false),
		"json_object_field_text(json,text)":  field(true),
		"json_array_element(json,int4)":      element(false),
		"json_array_element_text(json,int4)": element(true),
		"json_extract_path(json,_text)":      path(false),
		"json_extract_path_text(json,_text)": path(true),
		"json_typeof(json)": ofJSONText(func(n value.JSONNode, _ []ir.Value) (ir.Value, error) {
			j, err := n.JSONB()
			return ir.Text(j.TypeName()), err
		}),
		"json_array_length(json)": ofJSONText(func(n value.JSONNode, _ []ir.Value) (ir.Value, error) {
			if n.Kind != '[' {
				return ir.Null, value.Failure("22023", "cannot get array length of a non-array")
			}
			return ir.Int(int64(len(n.Items))), nil
		}),
		"json_strip_nulls(json)": ofJSONText(func(n value.JSONNode, _ []ir.Value) (ir.Value, error) {
			var b strings.Builder
			if err := n.WithoutNulls(&b); err != nil {
				return ir.Null, ir.ErrNotKnown
			}
			return ir.Text(b.String()), nil
		}),
	})
}
