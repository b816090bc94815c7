package builtin

import (
	"encoding/json"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/scalars"
	"github.com/txrobust/robust/internal/sql/value"
)

// A number of jsonb has no zeros at its end here. The server shows those that it was written
// with: a value that has some is not known.

// ofJSON is a function whose first argument is a jsonb.
func ofJSON(f func(j value.JSON, a []ir.Value) (ir.Value, error)) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		j, err := value.JSONOf(a[0])
		if err != nil {
			return ir.Null, err
		}
		return f(j, a)
	}
}

// ofJSONs is a function of two.
func ofJSONs(f func(x, y value.JSON) (ir.Value, error)) value.Evaluator {
	return ofJSON(func(x value.JSON, a []ir.Value) (ir.Value, error) {
		y, err := value.JSONOf(a[1])
		if err != nil {
			return ir.Null, err
		}
		return f(x, y)
	})
}

// found gives a part of a value, as text or not; nil is NULL.
func found(j *value.JSON, text bool) ir.Value {
	switch {
	case j == nil:
		return ir.Null
	case text:
		return j.AsText()
	}
	return j.Value()
}

// pathOf gives the path of a call: an array, or texts one by one.
func pathOf(a []ir.Value) []string {
	if len(a) == 1 && a[0].Kind == ir.KindArray {
		a = a[0].Elems(ir.KindText)
	}
	out := make([]string, len(a))
	for i, v := range a {
		out[i] = v.S
	}
	return out
}

func init() {
	typedJSON()
	field := func(text bool) value.Evaluator {
		return ofJSON(func(j value.JSON, a []ir.Value) (ir.Value, error) { return found(j.Field(a[1].S), text), nil })
	}
	element := func(text bool) value.Evaluator {
		return ofJSON(func(j value.JSON, a []ir.Value) (ir.Value, error) { return found(j.Index(a[1].I), text), nil })
	}
	path := func(text bool) value.Evaluator {
		return ofJSON(func(j value.JSON, a []ir.Value) (ir.Value, error) {
			if value.AnyNull(a) {
				return ir.Null, nil
			}
			return found(j.At(pathOf(a[1:])), text), nil
		})
	}
	keys := func(all bool) value.Evaluator {
		return ofJSON(func(j value.JSON, a []ir.Value) (ir.Value, error) {
			for _, k := range a[1].Elems(ir.KindText) {
				if j.Has(k.S) != all {
					return ir.Bool(!all), nil
				}
			}
			return ir.Bool(all), nil
		})
	}
	value.Define(map[string]value.Evaluator{
		"jsonb_object_field(jsonb,text)":       field(false),
		"jsonb_object_field_text(jsonb,text)":  field(true),
		"jsonb_array_element(jsonb,int4)":      element(false),
		"jsonb_array_element_text(jsonb,int4)": element(true),
		"jsonb_extract_path(jsonb,_text)":      path(false),
		"jsonb_extract_path_text(jsonb,_text)": path(true),
		"jsonb_contains(jsonb,jsonb)":          ofJSONs(func(x, y value.JSON) (ir.Value, error) { return ir.Bool(x.Contains(y, true)), nil }),
		"jsonb_contained(jsonb,jsonb)":         ofJSONs(func(x, y value.JSON) (ir.Value, error) { return ir.Bool(y.Contains(x, true)), nil }),
		"jsonb_exists(jsonb,text)":             ofJSON(func(j value.JSON, a []ir.Value) (ir.Value, error) { return ir.Bool(j.Has(a[1].S)), nil }),
		"jsonb_exists_any(jsonb,_text)":        keys(false),
		"jsonb_exists_all(jsonb,_text)":        keys(true),
		"jsonb_concat(jsonb,jsonb)":            ofJSONs(func(x, y value.JSON) (ir.Value, error) { return x.Concat(y).Value(), nil }),
		"jsonb_typeof(jsonb)":                  ofJSON(func(j value.JSON, _ []ir.Value) (ir.Value, error) { return ir.Text(j.TypeName()), nil }),
		"jsonb_strip_nulls(jsonb)":             ofJSON(func(j value.JSON, _ []ir.Value) (ir.Value, error) { return j.WithoutNulls().Value(), nil }),
		"jsonb_array_length(jsonb)": ofJSON(func(j value.JSON, _ []ir.Value) (ir.Value, error) {
			l, ok := j.V.([]value.JSON)
			if !ok {
				return ir.Null, value.Failure("22023", "cannot get array length of a %s", j.TypeName())
			}
			return ir.Int(int64(len(l))), nil
		}),
		"jsonb_pretty(jsonb)": ofJSON(func(j value.JSON, _ []ir.Value) (ir.Value, error) {
			var b strings.Builder
			j.Pretty(&b, 0)
			return value.NewText(b.String())
		}),
	})
	scalars.Comparisons("jsonb_", "(jsonb,jsonb)", value.ByJSON)
	jsonbCasts()
}

// jsonbCasts adds the casts of jsonb to numbers and bool.
func jsonbCasts() {
	cast := func(f func(j value.JSON) (ir.Value, error)) value.Evaluator {
		return ofJSON(func(j value.JSON, _ []ir.Value) (ir.Value, error) {
			if j.V == nil {
				return ir.Null, ir.ErrNotKnown // an error, or NULL since PostgreSQL 18
			}
			return f(j)
		})
	}
	wrong := func(j value.JSON) (ir.Value, error) {
		return ir.Null, value.Failure("22023", "cannot cast jsonb %s to this type", j.TypeName())
	}
	ofNumber := func(f value.Evaluator) value.Evaluator {
		return cast(func(j value.JSON) (ir.Value, error) {
			if _, ok := j.V.(json.Number); !ok {
				return wrong(j)
			}
			return f([]ir.Value{ir.Num(j.Rational())})
		})
	}
	value.Define(map[string]value.Evaluator{
		"bool(jsonb)": cast(func(j value.JSON) (ir.Value, error) {
			b, ok := j.V.(bool)
			if !ok {
				return wrong(j)
			}
			return ir.Bool(b), nil
		}),
		"numeric(jsonb)": ofNumber(value.Pure(func(a []ir.Value) ir.Value { return a[0] })),
		"float4(jsonb)":  ofNumber(scalars.Float4.OfNumeric),
		"float8(jsonb)":  ofNumber(scalars.Float8.OfNumeric),
	})
	for _, x := range scalars.Integers {
		value.Define(map[string]value.Evaluator{x.Name + "(jsonb)": ofNumber(func(a []ir.Value) (ir.Value, error) {
			return scalars.IntResult(value.RoundTo(a[0].Rat(), 0).Num(), x.Bits)
		})})
	}
}
