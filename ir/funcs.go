package ir

import (
	"strings"
	"unicode/utf8"
)

// Function is a function whose meaning is known. Known functions are strict:
// a NULL argument gives NULL.
type Function struct {
	Name   string
	Params []Kind // KindNull stands for any kind
	Result Kind   // KindNull: the element kind of the first argument
	// Eval computes it for non-NULL arguments of the right kinds.
	Eval func(args []Value, result Type) Value
}

// Functions are the known functions by name.
var Functions = map[string]*Function{}

func init() {
	for _, f := range []*Function{
		{"elem", []Kind{KindArray, KindInt}, KindNull, func(a []Value, t Type) Value {
			elems := a[0].Elems(t.Kind)
			if i := a[1].I; i >= 1 && i <= int64(len(elems)) {
				return elems[i-1]
			}
			return Null
		}},
		{"len", []Kind{KindArray}, KindInt, func(a []Value, _ Type) Value {
			return Int(int64(len(a[0].Elems(KindText))))
		}},
		{"lower", []Kind{KindText}, KindText, func(a []Value, _ Type) Value { return Text(strings.ToLower(a[0].S)) }},
		{"upper", []Kind{KindText}, KindText, func(a []Value, _ Type) Value { return Text(strings.ToUpper(a[0].S)) }},
		{"concat", []Kind{KindText, KindText}, KindText, func(a []Value, _ Type) Value { return Text(a[0].S + a[1].S) }},
		{"length", []Kind{KindText}, KindInt, func(a []Value, _ Type) Value {
			return Int(int64(utf8.RuneCountInString(a[0].S)))
		}},
		{"left", []Kind{KindText, KindInt}, KindText, func(a []Value, _ Type) Value {
			r, n := []rune(a[0].S), int(a[1].I)
			if n < 0 {
				n = max(0, len(r)+n)
			}
			return Text(string(r[:min(n, len(r))]))
		}},
	} {
		Functions[f.Name] = f
	}
}

// Apply computes a call for concrete arguments. An opaque function gives a
// value that names the application, so that two applications are equal
// exactly when function and arguments are.
func (c *Call) Apply(args []Value) Value {
	if f := Functions[c.Name]; f != nil {
		for _, a := range args {
			if a.IsNull() {
				return Null
			}
		}
		return f.Eval(args, c.Type)
	}
	if v, ok := c.applyRows(args); ok {
		return v
	}
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = a.String()
	}
	return opaqueValue(c.Type, c.Name+"("+strings.Join(parts, ", ")+")")
}

// opaqueValue makes the value of type t that stands for an opaque term. For
// the types whose values are numbers it is a hash of the term, large enough
// not to meet other values by accident.
func opaqueValue(t Type, term string) Value {
	switch t.Kind {
	case KindInt, KindTime, KindNum:
		h := int64(1469598103934665603)
		for i := 0; i < len(term); i++ {
			h = (h ^ int64(term[i])) * 1099511628211
		}
		h = h&0x0fffffff | 0x10000000
		return Value{Kind: KindInt, I: h}.as(t.Kind)
	case KindBool:
		n := 0
		for i := 0; i < len(term); i++ {
			n += int(term[i])
		}
		return Bool(n%2 == 1)
	case KindArray:
		return Array([]Value{Text(term)})
	}
	return Value{Kind: t.Kind, S: term}
}

func (v Value) as(k Kind) Value {
	switch k {
	case KindNum:
		return Num(v.Rat())
	case KindTime:
		return Time(v.I)
	}
	return v
}
