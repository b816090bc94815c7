package value

import (
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/ir"
)

// A number of jsonb has no zeros at its end here: the server shows those that it was
// written with.

// ofJSON is a function whose first argument is a jsonb.
func ofJSON(f func(j JSON, a []ir.Value) (ir.Value, error)) evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		j, err := jsonOf(a[0])
		if err != nil {
			return ir.Null, err
		}
		return f(j, a)
	}
}

// ofJSONs is a function of two.
func ofJSONs(f func(x, y JSON) (ir.Value, error)) evaluator {
	return ofJSON(func(x JSON, a []ir.Value) (ir.Value, error) {
		y, err := jsonOf(a[1])
		if err != nil {
			return ir.Null, err
		}
		return f(x, y)
	})
}

// isScalar reports whether the value has no parts.
func (j JSON) isScalar() bool {
	switch j.V.(type) {
	case []JSON, JSONObject:
		return false
	}
	return true
}

// typeName is what jsonb_typeof says.
func (j JSON) typeName() string {
	switch j.V.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case string:
		return "string"
	case []JSON:
		return "array"
	}
	return "object"
}

// rank orders the types of values.
func (j JSON) rank() int {
	return slices.Index([]string{"null", "string", "number", "boolean", "array", "object"}, j.typeName())
}

// asText gives the value as ->> does.
func (j JSON) asText() ir.Value {
	switch x := j.V.(type) {
	case nil:
		return ir.Null
	case string:
		return ir.Text(x)
	}
	return ir.Text(j.String())
}

// found gives a part of a value, as text or not; nil is NULL.
func found(j *JSON, text bool) ir.Value {
	switch {
	case j == nil:
		return ir.Null
	case text:
		return j.asText()
	}
	return j.Value()
}

// field gives the value of a key.
func (j JSON) field(key string) *JSON {
	o, _ := j.V.(JSONObject)
	for i := range o {
		if o[i].Key == key {
			return &o[i].Value
		}
	}
	return nil
}

// index gives an element, from the end if i is negative. A scalar is its own element.
func (j JSON) index(i int64) *JSON {
	list, ok := j.V.([]JSON)
	if !ok && j.isScalar() {
		list = []JSON{j}
	}
	if i < 0 {
		i += int64(len(list))
	}
	if i < 0 || i >= int64(len(list)) {
		return nil
	}
	return &list[i]
}

// arrayIndex reads an element of a path as an index.
func arrayIndex(s string) (int64, bool) {
	i, err := strconv.ParseInt(strings.TrimLeft(s, space), 10, 32)
	return i, err == nil
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

// at follows a path.
func (j JSON) at(path []string) *JSON {
	here := &j
	for _, step := range path {
		switch here.V.(type) {
		case JSONObject:
			here = here.field(step)
		case []JSON:
			i, ok := arrayIndex(step)
			if !ok {
				return nil
			}
			here = here.index(i)
		default:
			return nil
		}
		if here == nil {
			return nil
		}
	}
	return here
}

// contains is @>. At the top, an array contains a scalar that is an element.
func (j JSON) contains(k JSON, top bool) bool {
	switch x := j.V.(type) {
	case JSONObject:
		other, ok := k.V.(JSONObject)
		if !ok {
			return false
		}
		for _, m := range other {
			if v := j.field(m.Key); v == nil || !v.contains(m.Value, false) {
				return false
			}
		}
		return true
	case []JSON:
		other, ok := k.V.([]JSON)
		if !ok {
			if !top || !k.isScalar() {
				return false
			}
			other = []JSON{k}
		}
		for _, e := range other {
			if !slices.ContainsFunc(x, func(o JSON) bool { return o.contains(e, false) }) {
				return false
			}
		}
		return true
	}
	return k.isScalar() && j.String() == k.String()
}

// has is the operator ?.
func (j JSON) has(key string) bool {
	switch x := j.V.(type) {
	case JSONObject:
		return j.field(key) != nil
	case []JSON:
		return slices.ContainsFunc(x, func(e JSON) bool { return e.V == any(key) })
	}
	return j.V == any(key)
}

// concat is ||.
func (j JSON) concat(k JSON) JSON {
	x, ok := j.V.(JSONObject)
	y, ok2 := k.V.(JSONObject)
	if ok && ok2 {
		members := x.members()
		for _, m := range y {
			members[m.Key] = m.Value
		}
		return Object(members)
	}
	list := func(j JSON) []JSON {
		if l, ok := j.V.([]JSON); ok {
			return l
		}
		return []JSON{j}
	}
	return JSON{append(slices.Clone(list(j)), list(k)...)}
}

// byJSON compares values of jsonb.
func byJSON(a, b ir.Value) (int, error) {
	x, err := jsonOf(a)
	if err != nil {
		return 0, err
	}
	y, err := jsonOf(b)
	if err != nil {
		return 0, err
	}
	return x.compare(y, true), nil
}

// compare orders by type, then by the number of parts, then by the parts. At the top
// an empty array comes before all scalars.
func (j JSON) compare(k JSON, top bool) int {
	if x, ok := j.V.([]JSON); top && ok && len(x) == 0 && k.isScalar() {
		return -1
	}
	if y, ok := k.V.([]JSON); top && ok && len(y) == 0 && j.isScalar() {
		return 1
	}
	if c := j.rank() - k.rank(); c != 0 {
		return c
	}
	switch x := j.V.(type) {
	case bool:
		return ir.Compare(ir.Bool(x), ir.Bool(k.V.(bool)))
	case string:
		return strings.Compare(x, k.V.(string))
	case json.Number:
		return j.rational().Cmp(k.rational())
	case []JSON:
		y := k.V.([]JSON)
		if len(x) != len(y) {
			return len(x) - len(y)
		}
		for i := range x {
			if c := x[i].compare(y[i], false); c != 0 {
				return c
			}
		}
	case JSONObject:
		y := k.V.(JSONObject)
		if len(x) != len(y) {
			return len(x) - len(y)
		}
		for i := range x {
			if c := strings.Compare(x[i].Key, y[i].Key); c != 0 {
				return c
			}
			if c := x[i].Value.compare(y[i].Value, false); c != 0 {
				return c
			}
		}
	}
	return 0
}

// rational is the value of a number.
func (j JSON) rational() *big.Rat {
	n, _ := j.V.(json.Number)
	r, ok := Rational(n.String())
	if !ok {
		return new(big.Rat)
	}
	return r
}

// withoutNulls takes the members of objects away that are null.
func (j JSON) withoutNulls() JSON {
	switch x := j.V.(type) {
	case []JSON:
		out := []JSON{}
		for _, e := range x {
			out = append(out, e.withoutNulls())
		}
		return JSON{out}
	case JSONObject:
		out := JSONObject{}
		for _, m := range x {
			if m.Value.V != nil {
				out = append(out, JSONMember{m.Key, m.Value.withoutNulls()})
			}
		}
		return JSON{out}
	}
	return j
}

// pretty is jsonb_pretty.
func (j JSON) pretty(b *strings.Builder, indent int) {
	line := func(n int) {
		b.WriteByte('\n')
		b.WriteString(strings.Repeat("    ", n))
	}
	switch x := j.V.(type) {
	case []JSON:
		b.WriteByte('[')
		for i, e := range x {
			if i > 0 {
				b.WriteByte(',')
			}
			line(indent + 1)
			e.pretty(b, indent+1)
		}
		line(indent)
		b.WriteByte(']')
	case JSONObject:
		b.WriteByte('{')
		for i, m := range x {
			if i > 0 {
				b.WriteByte(',')
			}
			line(indent + 1)
			writeString(b, m.Key)
			b.WriteString(": ")
			m.Value.pretty(b, indent+1)
		}
		line(indent)
		b.WriteByte('}')
	default:
		j.write(b)
	}
}

func init() {
	typedJSON()
	field := func(text bool) evaluator {
		return ofJSON(func(j JSON, a []ir.Value) (ir.Value, error) { return found(j.field(a[1].S), text), nil })
	}
	element := func(text bool) evaluator {
		return ofJSON(func(j JSON, a []ir.Value) (ir.Value, error) { return found(j.index(a[1].I), text), nil })
	}
	path := func(text bool) evaluator {
		return ofJSON(func(j JSON, a []ir.Value) (ir.Value, error) {
			if anyNull(a) {
				return ir.Null, nil
			}
			return found(j.at(pathOf(a[1:])), text), nil
		})
	}
	keys := func(all bool) evaluator {
		return ofJSON(func(j JSON, a []ir.Value) (ir.Value, error) {
			for _, k := range a[1].Elems(ir.KindText) {
				if j.has(k.S) != all {
					return ir.Bool(!all), nil
				}
			}
			return ir.Bool(all), nil
		})
	}
	define(map[string]evaluator{
		"jsonb_object_field(jsonb,text)":       field(false),
		"jsonb_object_field_text(jsonb,text)":  field(true),
		"jsonb_array_element(jsonb,int4)":      element(false),
		"jsonb_array_element_text(jsonb,int4)": element(true),
		"jsonb_extract_path(jsonb,_text)":      path(false),
		"jsonb_extract_path_text(jsonb,_text)": path(true),
		"jsonb_contains(jsonb,jsonb)":          ofJSONs(func(x, y JSON) (ir.Value, error) { return ir.Bool(x.contains(y, true)), nil }),
		"jsonb_contained(jsonb,jsonb)":         ofJSONs(func(x, y JSON) (ir.Value, error) { return ir.Bool(y.contains(x, true)), nil }),
		"jsonb_exists(jsonb,text)":             ofJSON(func(j JSON, a []ir.Value) (ir.Value, error) { return ir.Bool(j.has(a[1].S)), nil }),
		"jsonb_exists_any(jsonb,_text)":        keys(false),
		"jsonb_exists_all(jsonb,_text)":        keys(true),
		"jsonb_concat(jsonb,jsonb)":            ofJSONs(func(x, y JSON) (ir.Value, error) { return x.concat(y).Value(), nil }),
		"jsonb_typeof(jsonb)":                  ofJSON(func(j JSON, _ []ir.Value) (ir.Value, error) { return ir.Text(j.typeName()), nil }),
		"jsonb_strip_nulls(jsonb)":             ofJSON(func(j JSON, _ []ir.Value) (ir.Value, error) { return j.withoutNulls().Value(), nil }),
		"jsonb_array_length(jsonb)": ofJSON(func(j JSON, _ []ir.Value) (ir.Value, error) {
			l, ok := j.V.([]JSON)
			if !ok {
				return ir.Null, failure("22023", "cannot get array length of a %s", j.typeName())
			}
			return ir.Int(int64(len(l))), nil
		}),
		"jsonb_pretty(jsonb)": ofJSON(func(j JSON, _ []ir.Value) (ir.Value, error) {
			var b strings.Builder
			j.pretty(&b, 0)
			return newText(b.String())
		}),
	})
	comparisons("jsonb_", "(jsonb,jsonb)", byJSON)
	jsonbCasts()
}

// jsonbCasts adds the casts of jsonb to numbers and bool.
func jsonbCasts() {
	cast := func(f func(j JSON) (ir.Value, error)) evaluator {
		return ofJSON(func(j JSON, _ []ir.Value) (ir.Value, error) {
			if j.V == nil {
				return ir.Null, ir.ErrNotKnown // an error, or NULL since PostgreSQL 18
			}
			return f(j)
		})
	}
	wrong := func(j JSON) (ir.Value, error) {
		return ir.Null, failure("22023", "cannot cast jsonb %s to this type", j.typeName())
	}
	ofNumber := func(f evaluator) evaluator {
		return cast(func(j JSON) (ir.Value, error) {
			if _, ok := j.V.(json.Number); !ok {
				return wrong(j)
			}
			return f([]ir.Value{ir.Num(j.rational())})
		})
	}
	define(map[string]evaluator{
		"bool(jsonb)": cast(func(j JSON) (ir.Value, error) {
			b, ok := j.V.(bool)
			if !ok {
				return wrong(j)
			}
			return ir.Bool(b), nil
		}),
		"numeric(jsonb)": ofNumber(pure(func(a []ir.Value) ir.Value { return a[0] })),
		"float4(jsonb)":  ofNumber(float4.ofNumeric),
		"float8(jsonb)":  ofNumber(float8.ofNumeric),
	})
	for _, x := range integers {
		define(map[string]evaluator{x.name + "(jsonb)": ofNumber(func(a []ir.Value) (ir.Value, error) {
			return intResult(RoundTo(a[0].Rat(), 0).Num(), x.bits)
		})})
	}
}
