// Package fault turns a panic in one part of the work into an error that has the stack,
// so that the other parts go on.
package fault

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// Fault is a panic in a part of the work. It is a fault of this program, not of its input.
type Fault struct {
	// Part says what was being done, such as "the proof".
	Part string `json:"part"`
	// Value is what the panic gave, Stack where it happened.
	Value string `json:"value"`
	Stack string `json:"stack"`
}

func (f *Fault) Error() string {
	if f.Part == "" {
		return "a fault of this program: " + f.Value
	}
	return "a fault of this program in " + f.Part + ": " + f.Value
}

// Of makes a Fault of what recover gives, which must not be nil. It is called by the
// deferred function, so that the stack is still that of the panic. A Fault that was
// handed from one goroutine to another stays as it is.
func Of(part string, recovered any) *Fault {
	if f, ok := recovered.(*Fault); ok {
		if f.Part == "" {
			f.Part = part
		}
		return f
	}
	return &Fault{Part: part, Value: fmt.Sprint(recovered), Stack: string(debug.Stack())}
}

// Guard does a part of the work, and gives the panic that ends it, or nil.
func Guard(part string, do func()) (f *Fault) {
	defer func() {
		if r := recover(); r != nil {
			f = Of(part, r)
		}
	}()
	do()
	return nil
}

// All gives the faults in an error, those that errors.Join put together included.
func All(err error) []*Fault {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var out []*Fault
		for _, e := range several.Unwrap() {
			out = append(out, All(e)...)
		}
		return out
	}
	if f, ok := errors.AsType[*Fault](err); ok {
		return []*Fault{f}
	}
	return nil
}
