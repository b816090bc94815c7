package ir

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/txrobust/robust/internal/irnames"
)

// Function is a function of which something is known.
type Function struct {
	Name   string
	Params []Kind // KindNull stands for any kind
	Result Kind   // KindNull: the element kind of the first argument
	// Eval computes it for arguments of the right kinds, which are not NULL if it is
	// strict. An error is one that ends the transaction, such as a division by zero;
	// ErrNotKnown says that the value is not known for these arguments. A nil Eval
	// knows it for none.
	Eval func(args []Value, result Type) (Value, error)
	// Strict: a NULL argument gives NULL.
	Strict bool
	// Partial: arguments that are not NULL may give NULL, too.
	Partial bool
	// FailsOn are the arguments, from 0, on which it depends whether Eval or the server
	// gives an error. An error of range, such as an overflow, does not count.
	FailsOn []int
	// Canonical: what has the form of a result is left as it is. A search for an execution
	// looks at such arguments alone.
	Canonical bool
	// Settings: Eval takes usual settings of the server for granted, such as the time
	// zone UTC. Executions may use it; a proof, which holds for all settings, must not.
	Settings bool
}

// ErrNotKnown says that the meaning of a function is not known for some arguments.
var ErrNotKnown = errors.New("the value of the function is not known here")

// Function gives what is known of the function, or nil.
func (c *Call) Function() *Function {
	if c.Fn != nil {
		return c.Fn
	}
	return Functions[c.Name]
}

// strictly makes a function of values that are not NULL, which are of the right kinds.
func strictly(name string, params []Kind, result Kind, eval func(args []Value, result Type) Value) *Function {
	return &Function{Name: name, Params: params, Result: result, Strict: true,
		Eval: func(args []Value, t Type) (Value, error) { return eval(args, t), nil }}
}

// Functions are the known functions by name.
var Functions = map[string]*Function{}

func init() {
	for _, f := range []*Function{
		strictly("elem", []Kind{KindArray, KindInt}, KindNull, func(a []Value, t Type) Value {
			elems := a[0].Elems(t.Kind)
			if i := a[1].I; i >= 1 && i <= int64(len(elems)) {
				return elems[i-1]
			}
			return Null
		}),
		strictly("len", []Kind{KindArray}, KindInt, func(a []Value, _ Type) Value {
			return Int(int64(len(a[0].Elems(KindText))))
		}),
		strictly("lower", []Kind{KindText}, KindText, func(a []Value, _ Type) Value { return Text(strings.ToLower(a[0].S)) }),
		strictly("upper", []Kind{KindText}, KindText, func(a []Value, _ Type) Value { return Text(strings.ToUpper(a[0].S)) }),
		strictly("concat", []Kind{KindText, KindText}, KindText, func(a []Value, _ Type) Value { return Text(a[0].S + a[1].S) }),
		strictly("length", []Kind{KindText}, KindInt, func(a []Value, _ Type) Value {
			return Int(int64(utf8.RuneCountInString(a[0].S)))
		}),
		strictly("like", []Kind{KindText, KindText}, KindBool, func(a []Value, _ Type) Value { return Bool(like([]rune(a[0].S), []rune(a[1].S))) }),
		strictly("ilike", []Kind{KindText, KindText}, KindBool, func(a []Value, _ Type) Value {
			return Bool(like([]rune(strings.ToLower(a[0].S)), []rune(strings.ToLower(a[1].S))))
		}),
		strictly("text_of_int", []Kind{KindInt}, KindText, func(a []Value, _ Type) Value { return Text(strconv.FormatInt(a[0].I, 10)) }),
		strictly("text_of_bool", []Kind{KindBool}, KindText, func(a []Value, _ Type) Value { return Text(strconv.FormatBool(a[0].IsTrue())) }),
		strictly("= any", []Kind{KindNull, KindArray}, KindBool, func(a []Value, _ Type) Value {
			return Bool(slices.Contains(a[1].Elems(a[0].Kind), a[0]))
		}),
		strictly("left", []Kind{KindText, KindInt}, KindText, func(a []Value, _ Type) Value {
			r, n := []rune(a[0].S), int(a[1].I)
			if n < 0 {
				n = max(0, len(r)+n)
			}
			return Text(string(r[:min(n, len(r))]))
		}),
		strictly("octets of", []Kind{KindText}, KindInt, func(a []Value, _ Type) Value { return Int(int64(len(a[0].S))) }),
		// Those of Go, which may differ from lower and upper of the database.
		strictly("text lower", []Kind{KindText}, KindText, func(a []Value, _ Type) Value { return Text(strings.ToLower(a[0].S)) }),
		strictly("text upper", []Kind{KindText}, KindText, func(a []Value, _ Type) Value { return Text(strings.ToUpper(a[0].S)) }),
		strictly("text trimmed", []Kind{KindText}, KindText, func(a []Value, _ Type) Value { return Text(strings.TrimSpace(a[0].S)) }),
		strictly("text contains", []Kind{KindText, KindText}, KindBool, func(a []Value, _ Type) Value { return Bool(strings.Contains(a[0].S, a[1].S)) }),
		strictly("text begins", []Kind{KindText, KindText}, KindBool, func(a []Value, _ Type) Value { return Bool(strings.HasPrefix(a[0].S, a[1].S)) }),
		strictly("text ends", []Kind{KindText, KindText}, KindBool, func(a []Value, _ Type) Value { return Bool(strings.HasSuffix(a[0].S, a[1].S)) }),
		double("+", 2, func(x []float64) float64 { return x[0] + x[1] }),
		double("-", 2, func(x []float64) float64 { return x[0] - x[1] }),
		double("*", 2, func(x []float64) float64 { return x[0] * x[1] }),
		double("/", 2, func(x []float64) float64 { return x[0] / x[1] }),
		double("max", 2, func(x []float64) float64 { return math.Max(x[0], x[1]) }),
		double("min", 2, func(x []float64) float64 { return math.Min(x[0], x[1]) }),
		double("ceil", 1, func(x []float64) float64 { return math.Ceil(x[0]) }),
		double("floor", 1, func(x []float64) float64 { return math.Floor(x[0]) }),
		double("trunc", 1, func(x []float64) float64 { return math.Trunc(x[0]) }),
		double("abs", 1, func(x []float64) float64 { return math.Abs(x[0]) }),
		strictly("double int", []Kind{KindNull}, KindInt, func(a []Value, t Type) Value {
			f, _ := a[0].Rat().Float64()
			if math.Abs(f) >= 1<<63 {
				return opaqueValue(t, "double int("+a[0].String()+")")
			}
			return Int(int64(f))
		}),
	} {
		Functions[f.Name] = f
	}
}

// double is a function of numbers with 64 bits, which rounds as IEEE 754 says. An
// argument is rounded to such a number first. What is too large, or no number, is as
// the result of an opaque function.
func double(name string, params int, f func(x []float64) float64) *Function {
	name = "double " + name
	return strictly(name, slices.Repeat([]Kind{KindNull}, params), KindNum, func(a []Value, t Type) Value {
		x := make([]float64, params)
		term := name
		for i, v := range a {
			x[i], _ = v.Rat().Float64()
			term += " " + v.String()
		}
		r := new(big.Rat)
		if r.SetFloat64(f(x)) == nil {
			return opaqueValue(t, term)
		}
		return Num(r)
	})
}

// like matches a string with a pattern of LIKE, in which % stands for any
// string, _ for any character, and a backslash makes the next one plain.
func like(s, pattern []rune) bool {
	// states[j] says that the pattern up to j matches what was read so far.
	states := make([]bool, len(pattern)+1)
	states[0] = true
	follow := func() {
		for j, p := range pattern {
			if states[j] && p == '%' && !escaped(pattern, j) {
				states[j+1] = true
			}
		}
	}
	follow()
	for _, c := range s {
		next := make([]bool, len(pattern)+1)
		for j := range pattern {
			switch {
			case !states[j]:
			case pattern[j] == '%':
				next[j] = true
			case pattern[j] == '_' || pattern[j] != '\\' && pattern[j] == c:
				next[j+1] = true
			case pattern[j] == '\\' && j+1 < len(pattern) && pattern[j+1] == c:
				next[j+2] = true
			}
		}
		states = next
		follow()
	}
	return states[len(pattern)]
}

// escaped reports whether a backslash stands before pattern[j] and makes it
// plain.
func escaped(pattern []rune, j int) bool {
	n := 0
	for n < j && pattern[j-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// Symmetric reports whether the two arguments of a call may change places.
func (c *Call) Symmetric() bool {
	return c.Def == nil && strings.HasPrefix(c.Name, irnames.Symmetric) && len(c.Args) == 2 && c.Type == BoolType
}

// Apply computes a call for concrete arguments. An opaque function gives a
// value that names the application, so that two applications are equal
// exactly when function and arguments are. A long name is a hash of it: the names of
// what a loop makes of what it had would grow with each round, and their quotes double.
// It also reports whether the value is the one that the function really gives. The
// error is that of Function.Eval, but for ErrNotKnown.
func (c *Call) Apply(args []Value) (v Value, known bool, err error) {
	if f := c.Function(); f != nil {
		if f.Strict && slices.ContainsFunc(args, Value.IsNull) {
			return Null, true, nil
		}
		if f.Eval != nil {
			if v, err := f.Eval(args, c.Type); err != ErrNotKnown {
				return v, true, err
			}
		}
	} else if v, ok := c.applyRows(args); ok {
		return v, true, nil
	}
	return c.named(args), false, nil
}

// named is the value that names the application of an opaque function.
func (c *Call) named(args []Value) Value {
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = a.String()
	}
	if c.Symmetric() {
		slices.Sort(parts)
	}
	term := strings.Join(parts, ", ")
	if len(term) > irnames.MaxTerm {
		term = fmt.Sprintf("#%x", sha256.Sum256([]byte(term)))
	}
	return opaqueValue(c.Type, c.Name+"("+term+")")
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
		return as(Value{Kind: KindInt, I: h}, t.Kind)
	case KindBool:
		n := 0
		for i := 0; i < len(term); i++ {
			n += int(term[i])
		}
		return Bool(n%2 == 1)
	case KindArray:
		if t.Elem == KindNull {
			return Array([]Value{Text(term)})
		}
		return Array([]Value{opaqueValue(Type{Kind: t.Elem}, term)})
	}
	return Value{Kind: t.Kind, S: term}
}

func as(v Value, k Kind) Value {
	switch k {
	case KindNum:
		return Num(v.Rat())
	case KindTime:
		return Time(v.I)
	}
	return v
}
