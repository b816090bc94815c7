package memory

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// A value is what is known of a value of the program at some point. The kinds
// are scalar, *aggregate, *pointer, *list, *closure, *failure, tuple, and those
// of the database in handle.go. Every kind can be made a scalar (scalarOf), with
// a loss.
type Value any

// Scalar is a value that is an expression over the variables of the transaction.
type Scalar struct {
	E    client.Expr
	Kind client.Kind
}

// Aggregate is a struct or array with known parts.
type Aggregate struct {
	T     types.Type
	Parts []Value
}

// Pointer is the address of a cell. isNil, if not nil, says when it is the nil
// pointer instead.
type Pointer struct {
	To    *Cell
	IsNil client.Expr
}

// List is a slice whose elements are known. What c, if not nil, holds in memory says
// that something was written to its elements: they are not known any more.
type List struct {
	Elems []Value
	c     *Cell
}

// Grown is a slice of which only the length is known as an expression: what a
// loop appends to.
type Grown struct{ E, N client.Expr }

// Span is a slice of an array in memory.
type Span struct {
	Array *Cell
	N     int
}

// Closure is a function with what it captures. A bound method has its receiver
// in free.
type Closure struct {
	Fn    *ssa.Function
	Free  []Value
	Bound *types.Func // a method of an interface, bound to free[0]
}

// OneOf is one of several functions: the one whose index a variable has. A nil among them is a function that is nil.
type OneOf struct {
	Index client.Expr
	Fns   []*Closure
}

// Asked is a function value that comes from the caller or (lost) from somewhere
// that is not known.
type Asked struct {
	Name string
	Lost bool
}

// Tuple is what a call with several results gives.
type Tuple []Value

// Failure is an error: nil unless noRows or other holds.
type Failure struct {
	NoRows, Other client.Expr // truth values, nil for false
	// Kind is the code of an error variable of some package, 0 if it is none that
	// is known; code, if not nil, is an expression that has the code.
	Kind int
	code client.Expr
	// Wraps says whether it is another error that wraps the one that it is said to be.
	Wraps Wrapping
	// several, if there are any, are the errors that it wraps.
	several []*Failure
}

// Wrapping says whether an error wraps another one.
type Wrapping uint8

const (
	Plain Wrapping = iota
	wraps
	MayWrap
)

// The codes by which a variable tells errors apart. Sentinels have the ones from
// firstSentinel on.
const (
	CodeNil = iota
	CodeNoRows
	codeOther
	firstSentinel
)

// ConstOf gives the constant that a value is.
func ConstOf(v Value) (ir.Value, bool) {
	s, ok := v.(Scalar)
	if !ok {
		return ir.Value{}, false
	}
	c, ok := s.E.(*client.Const)
	if !ok {
		return ir.Value{}, false
	}
	return c.Value, true
}

// Names are those of the parts.
func (a *Aggregate) Names() []string {
	_, names := gotypes.Layout(nil).Parts(a.T)
	return names
}

// Field gives a field of a struct by its name, nil if it has none.
func Field(a *Aggregate, name string) Value {
	if i := slices.Index(a.Names(), name); i >= 0 {
		return a.Parts[i]
	}
	return nil
}

// ContextValue is a context.Context that is made of another one: it holds a value v for key, if it has a
// key, and what its parent holds. The one without a parent holds nothing, and never ends.
type ContextValue struct {
	Parent, Key, V Value
	// Call is, in a trace, the place of the call of a function that is not read and gives the context to a
	// function of the program; "" for other contexts.
	Call string
	// Ends says that it may end before its parent, Lasts that it does not end with it.
	Ends, Lasts bool
}

// ConstText gives the constant text that a value is.
func ConstText(v Value) (string, bool) {
	if v == nil {
		return "", false
	}
	c, ok := ConstOf(Unbox(v))
	if !ok || c.Kind != ir.KindText {
		return "", false
	}
	return c.S, true
}

// Box is a value in an interface, with its type.
type Box struct {
	V Value
	T types.Type
}

// Unbox gives what an interface has inside.
func Unbox(v Value) Value {
	for {
		b, ok := v.(Box)
		if !ok {
			return v
		}
		v = b.V
	}
}

// IsTrue reports whether a condition always holds.
func IsTrue(e client.Expr) bool {
	is, known := client.Truth(e)
	return known && is
}

// IsNilValue reports whether a value is nil of an interface, slice or map.
func IsNilValue(v Value) bool {
	switch v := v.(type) {
	case Scalar:
		c, ok := v.E.(*client.Const)
		return ok && c.Value.IsNull()
	case *List:
		return len(v.Elems) == 0
	}
	return false
}

// Of makes a scalar.
func Of(e client.Expr, kind client.Kind) Scalar { return Scalar{e, kind} }

// Ref is an argument of a call with the type that it has, nil if that is not known.
type Ref struct {
	V Value
	T types.Type
}

// RefTo gives an argument with its type.
func RefTo(v Value) *Ref {
	r := &Ref{V: Unbox(v)}
	if b, ok := v.(Box); ok {
		r.T = b.T
	} else if p, ok := r.V.(*Pointer); ok {
		r.T = types.NewPointer(p.To.T)
	}
	return r
}
