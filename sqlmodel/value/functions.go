package value

import (
	"sync"

	"github.com/txrobust/robust/ir"
)

// evaluator computes a function for concrete arguments. They are not NULL if the
// function is strict. The error is that of ir.Function.
type evaluator func(a []ir.Value, t ir.Type) (ir.Value, error)

// evaluators are the functions whose value is known, by signature, such as
// "lower(text)".
var evaluators = map[string]evaluator{}

// define adds evaluators.
func define(list map[string]evaluator) {
	for name, f := range list {
		if evaluators[name] != nil {
			panic("value: " + name + " is defined twice")
		}
		evaluators[name] = f
	}
}

var functions sync.Map // string to *ir.Function

// Function gives what is known of the function with a signature of the catalog.
// Calls of one function have one *ir.Function.
func Function(signature string, strict bool) *ir.Function {
	if f, ok := functions.Load(signature); ok {
		return f.(*ir.Function)
	}
	fn := &ir.Function{Name: signature, Eval: evaluators[signature], Strict: strict}
	f, _ := functions.LoadOrStore(signature, fn)
	return f.(*ir.Function)
}

// Symmetric is Function for a strict condition whose arguments may change places.
func Symmetric(signature string) *ir.Function {
	f := *Function(signature, true)
	f.Name = ir.Symmetric + signature
	return &f
}

// Known reports whether the value of a function is known.
func Known(signature string) bool { return evaluators[signature] != nil }
