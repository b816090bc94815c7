package value

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
	"github.com/txrobust/robust/internal/sql/catalog"
)

// Error is an error that the server reports for a call; it ends the statement.
type Error struct {
	// State is the SQLSTATE, or "" where it is not told.
	State   string
	Message string
}

func (e *Error) Error() string { return e.Message }

// Evaluator computes a function for concrete arguments. They are not NULL if the
// function is strict. The error is that of ir.Function.
type Evaluator func(a []ir.Value) (ir.Value, error)

// Family gives the evaluator of a function whose value depends on the types of its
// arguments and of its result; nil where it is not known for them.
type Family func(args []*Type, result *Type) Evaluator

var (
	Evaluators = map[string]Evaluator{}
	Families   = map[string]Family{}
)

// Define adds evaluators.
func Define(list map[string]Evaluator) {
	for name, f := range list {
		if Known(name) {
			panic("value: " + name + " is defined twice")
		}
		Evaluators[name] = f
	}
}

// DefineFamilies adds families.
func DefineFamilies(list map[string]Family) {
	for name, f := range list {
		if Known(name) {
			panic("value: " + name + " is defined twice")
		}
		Families[name] = f
	}
}

// Known reports whether the value of a function is known, at least for some types
// and arguments.
func Known(signature string) bool { return Evaluators[signature] != nil || Families[signature] != nil }

var functions sync.Map // string to *ir.Function

// Interned gives the function of a name, which make makes the first time.
func Interned(name string, make func() *ir.Function) *ir.Function {
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
	if fixed, ok := spread(params, args); ok && strict && Evaluators[signature] != nil {
		name := signature + " of each"
		return Interned(name, func() *ir.Function {
			return &ir.Function{Name: name, Eval: EvalOf(strictIn(fixed, Evaluators[signature]), params[:fixed]), Settings: settingsOf(signature, args), FailsOn: failsOn(signature, len(args))}
		})
	}
	f := Families[signature]
	if f == nil || result == nil {
		return Interned(signature, func() *ir.Function {
			return &ir.Function{Name: signature, Eval: EvalOf(Evaluators[signature], params), Strict: strict, Partial: !neverNull(signature), Settings: settingsOf(signature, params),
				FailsOn: failsOn(signature, len(params))}
		})
	}
	name := signature + " of (" + typeKeys(args) + ") " + result.Identifier()
	return Interned(name, func() *ir.Function {
		return &ir.Function{Name: name, Eval: EvalOf(f(args, result), args), Strict: strict, Partial: !neverNull(signature), Settings: settingsOf(signature, args),
			FailsOn: failsOn(signature, len(args))}
	})
}

// symmetric names a function as one whose arguments may change places.
func symmetric(f *ir.Function) *ir.Function {
	name := irnames.Symmetric + f.Name
	return Interned(name, func() *ir.Function {
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
func strictIn(fixed int, f Evaluator) Evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		if AnyNull(a[:fixed]) {
			return ir.Null, nil
		}
		return f(a)
	}
}

// EvalOf makes the Eval of an ir.Function whose arguments have some types. Nothing is
// known of arguments that are no values of them: those that stand for an unknown value.
func EvalOf(f Evaluator, types []*Type) func(a []ir.Value, t ir.Type) (ir.Value, error) {
	return guarded(f, func(i int) *Type {
		if i < len(types) {
			return types[i]
		}
		return nil
	})
}

// guarded is EvalOf where typeOf gives the type of an argument, or nil.
func guarded(f Evaluator, typeOf func(i int) *Type) func(a []ir.Value, t ir.Type) (ir.Value, error) {
	if f == nil {
		return nil
	}
	return func(a []ir.Value, _ ir.Type) (ir.Value, error) {
		for i, v := range a {
			t := typeOf(i)
			if v.IsNull() || t == nil || t.Class().Print == nil {
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

// Identifier tells a type from others by all that its values and their texts depend on.
func (t *Type) Identifier() string {
	if t.Elem != nil {
		return t.Elem.Identifier() + "[]"
	}
	return t.String() + strings.Join(t.Labels, "|")
}

func typeKeys(types []*Type) string {
	keys := make([]string, len(types))
	for i, t := range types {
		keys[i] = t.Identifier()
	}
	return strings.Join(keys, ",")
}

// Pure is the evaluator of a function that has a value for all arguments.
func Pure(f func(a []ir.Value) ir.Value) Evaluator {
	return func(a []ir.Value) (ir.Value, error) { return f(a), nil }
}

// NotKnown reports whether an error says that a value is not known.
func NotKnown(err error) bool { return errors.Is(err, ir.ErrNotKnown) }

// MaxSize bounds the bytes of texts that functions make.
const MaxSize = 1 << 20

// AnyNull reports whether some value is NULL.
func AnyNull(values []ir.Value) bool { return slices.ContainsFunc(values, ir.Value.IsNull) }

// Order compares two values that are not NULL: below, equal to, or above 0.
type Order func(a, b ir.Value) (int, error)

// Plain is the order of ir.Compare.
func Plain(a, b ir.Value) (int, error) { return ir.Compare(a, b), nil }
