package value

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/ir"
)

// Error is an error that the server reports for a call; it ends the statement.
type Error struct {
	// State is the SQLSTATE, or "" where it is not told.
	State   string
	Message string
}

func (e *Error) Error() string { return e.Message }

// failure makes an Error.
func failure(state, format string, args ...any) error {
	return &Error{state, fmt.Sprintf(format, args...)}
}

// evaluator computes a function for concrete arguments. They are not NULL if the
// function is strict. The error is that of ir.Function.
type evaluator func(a []ir.Value) (ir.Value, error)

// family gives the evaluator of a function whose value depends on the types of its
// arguments and of its result; nil where it is not known for them.
type family func(args []*Type, result *Type) evaluator

// evaluators and families are the functions whose value is known, by signature, such
// as "lower(text)". A signature is in one of them.
var (
	evaluators = map[string]evaluator{}
	families   = map[string]family{}
)

// define adds evaluators.
func define(list map[string]evaluator) {
	for name, f := range list {
		if Known(name) {
			panic("value: " + name + " is defined twice")
		}
		evaluators[name] = f
	}
}

// defineFamilies adds families.
func defineFamilies(list map[string]family) {
	for name, f := range list {
		if Known(name) {
			panic("value: " + name + " is defined twice")
		}
		families[name] = f
	}
}

// Known reports whether the value of a function is known, at least for some types
// and arguments.
func Known(signature string) bool { return evaluators[signature] != nil || families[signature] != nil }

var functions sync.Map // string to *ir.Function

// interned gives the function of a name, which make makes the first time.
func interned(name string, make func() *ir.Function) *ir.Function {
	if f, ok := functions.Load(name); ok {
		return f.(*ir.Function)
	}
	f, _ := functions.LoadOrStore(name, make())
	return f.(*ir.Function)
}

// Function gives what is known of the function with a signature of the catalog.
// Calls of one function have one *ir.Function. The value of a polymorphic function
// is known only with types: see FunctionOf.
func Function(signature string, strict bool) *ir.Function {
	return FunctionOf(signature, strict, nil, nil)
}

// FunctionOf gives what is known of the function with a signature of the catalog in
// a call. The types are the declared ones of the arguments that are given, with
// polymorphic ones replaced and a variadic one repeated, and that of the result. An
// argument of type char(n) or numeric(p,s) has it as its type: some functions show
// its blanks or digits. Calls of one function that mean the same have one *ir.Function.
func FunctionOf(signature string, strict bool, args []*Type, result *Type) *ir.Function {
	params := parameters(signature)
	if fixed, ok := spread(params, args); ok && strict && evaluators[signature] != nil {
		name := signature + " of each"
		return interned(name, func() *ir.Function {
			return &ir.Function{Name: name, Eval: evalOf(strictIn(fixed, evaluators[signature]), params[:fixed]), Settings: settingsOf(signature, args), FailsOn: failsOn(signature, len(args))}
		})
	}
	f := families[signature]
	if f == nil || result == nil {
		return interned(signature, func() *ir.Function {
			return &ir.Function{Name: signature, Eval: evalOf(evaluators[signature], params), Strict: strict, Partial: !neverNull(signature), Settings: settingsOf(signature, params),
				FailsOn: failsOn(signature, len(params))}
		})
	}
	name := signature + " of (" + typeKeys(args) + ") " + result.key()
	return interned(name, func() *ir.Function {
		return &ir.Function{Name: name, Eval: evalOf(f(args, result), args), Strict: strict, Partial: !neverNull(signature), Settings: settingsOf(signature, args),
			FailsOn: failsOn(signature, len(args))}
	})
}

// symmetric names a function as one whose arguments may change places.
func symmetric(f *ir.Function) *ir.Function {
	name := ir.Symmetric + f.Name
	return interned(name, func() *ir.Function {
		out := *f
		out.Name = name
		return &out
	})
}

// Called gives what is known of a function of the catalog in a call: see FunctionOf.
func Called(f *catalog.Function, args []*Type, result *Type) *ir.Function {
	out := FunctionOf(f.Signature(), f.Strict, args, result)
	if f.Symmetric && f.Result == "bool" {
		return symmetric(out)
	}
	return out
}

// parameters gives the types in a signature.
func parameters(signature string) []*Type {
	_, list, _ := strings.Cut(strings.TrimSuffix(signature, ")"), "(")
	var out []*Type
	for name := range strings.SplitSeq(list, ",") {
		if name != "" {
			out = append(out, Of(name))
		}
	}
	return out
}

// spread reports whether the elements of the last argument, an array, are given one by
// one, and how many arguments come before it. An element that is NULL is no argument
// that is NULL.
func spread(params, args []*Type) (fixed int, ok bool) {
	fixed = len(params) - 1
	return fixed, fixed >= 0 && params[fixed].Elem != nil && len(args) > fixed && args[len(args)-1].Elem == nil
}

// strictIn gives NULL where one of the first arguments is NULL.
func strictIn(fixed int, f evaluator) evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		if anyNull(a[:fixed]) {
			return ir.Null, nil
		}
		return f(a)
	}
}

// evalOf makes the Eval of an ir.Function whose arguments have some types. Nothing is
// known of arguments that are no values of them: those that stand for an unknown value.
func evalOf(f evaluator, types []*Type) func(a []ir.Value, t ir.Type) (ir.Value, error) {
	return guarded(f, func(i int) *Type {
		if i < len(types) {
			return types[i]
		}
		return nil
	})
}

// guarded is evalOf where typeOf gives the type of an argument, or nil.
func guarded(f evaluator, typeOf func(i int) *Type) func(a []ir.Value, t ir.Type) (ir.Value, error) {
	if f == nil {
		return nil
	}
	return func(a []ir.Value, _ ir.Type) (ir.Value, error) {
		for i, v := range a {
			t := typeOf(i)
			if v.IsNull() || t == nil || t.class().print == nil {
				continue
			}
			if v.Kind == ir.KindInt && t.IR() == ir.NumType {
				a = slices.Clone(a)
				a[i] = v.Convert(ir.NumType)
			}
			if !t.Fits(a[i]) {
				return ir.Null, ir.ErrNotKnown
			}
		}
		return f(a)
	}
}

// key tells a type from others by all that its values and their texts depend on.
func (t *Type) key() string {
	if t.Elem != nil {
		return t.Elem.key() + "[]"
	}
	return t.String() + strings.Join(t.Labels, "|")
}

func typeKeys(types []*Type) string {
	keys := make([]string, len(types))
	for i, t := range types {
		keys[i] = t.key()
	}
	return strings.Join(keys, ",")
}

// pure is the evaluator of a function that has a value for all arguments.
func pure(f func(a []ir.Value) ir.Value) evaluator {
	return func(a []ir.Value) (ir.Value, error) { return f(a), nil }
}

// predicate is the evaluator of a function that gives a truth value.
func predicate(f func(a []ir.Value) bool) evaluator {
	return func(a []ir.Value) (ir.Value, error) { return ir.Bool(f(a)), nil }
}

// notKnown reports whether an error says that a value is not known.
func notKnown(err error) bool { return errors.Is(err, ir.ErrNotKnown) }

// maxSize bounds the bytes of texts that functions make.
const maxSize = 1 << 20

// anyNull reports whether some value is NULL.
func anyNull(values []ir.Value) bool { return slices.ContainsFunc(values, ir.Value.IsNull) }

// order compares two values that are not NULL: below, equal to, or above 0.
type order func(a, b ir.Value) (int, error)

// plain is the order of ir.Compare.
func plain(a, b ir.Value) (int, error) { return ir.Compare(a, b), nil }

// relations are the names that the functions of the comparison operators have.
var relations = map[string]func(c int) bool{
	"eq": func(c int) bool { return c == 0 },
	"ne": func(c int) bool { return c != 0 },
	"lt": func(c int) bool { return c < 0 },
	"le": func(c int) bool { return c <= 0 },
	"gt": func(c int) bool { return c > 0 },
	"ge": func(c int) bool { return c >= 0 },
}

// relation is the evaluator of a comparison operator.
func relation(holds func(c int) bool, compare order) evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		c, err := compare(a[0], a[1])
		if err != nil {
			return ir.Null, err
		}
		return ir.Bool(holds(c)), nil
	}
}

// comparisons adds the functions of the six comparison operators, which have the
// names of relations between prefix and suffix.
func comparisons(prefix, suffix string, compare order) {
	for name, holds := range relations {
		define(map[string]evaluator{prefix + name + suffix: relation(holds, compare)})
	}
}

// pick is the evaluator of a function that gives the larger (sign 1) or the smaller
// (sign -1) of two values.
func pick(sign int, compare order) evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		c, err := compare(a[0], a[1])
		if err != nil {
			return ir.Null, err
		}
		if c*sign > 0 {
			return a[0], nil
		}
		return a[1], nil
	}
}
