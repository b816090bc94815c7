package analyzer

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// A value is what is known of a value of the program at some point. The kinds
// are scalar, *aggregate, *pointer, *list, *closure, *failure, tuple, and those
// of the database in handle.go. Every kind can be made a scalar (scalarOf), with
// a loss.
type value any

// scalar is a value that is an expression over the variables of the transaction.
type scalar struct {
	e    client.Expr
	kind client.Kind
}

// aggregate is a struct or array with known parts.
type aggregate struct {
	t     types.Type
	parts []value
}

// pointer is the address of a cell. isNil, if not nil, says when it is the nil
// pointer instead.
type pointer struct {
	to    *cell
	isNil client.Expr
}

// list is a slice whose elements are known. What c, if not nil, holds in memory says
// that something was written to its elements: they are not known any more.
type list struct {
	elems []value
	c     *cell
}

// grown is a slice of which only the length is known as an expression: what a
// loop appends to.
type grown struct{ e, n client.Expr }

// span is a slice of an array in memory.
type span struct {
	array *cell
	n     int
}

// closure is a function with what it captures. A bound method has its receiver
// in free.
type closure struct {
	fn    *ssa.Function
	free  []value
	bound *types.Func // a method of an interface, bound to free[0]
}

// asked is a function value that comes from the caller or (lost) from somewhere
// that is not known.
type asked struct {
	name string
	lost bool
}

// tuple is what a call with several results gives.
type tuple []value

// failure is an error: nil unless noRows or other holds.
type failure struct {
	noRows, other client.Expr // truth values, nil for false
	// kind is the code of an error variable of some package, 0 if it is none that
	// is known; code, if not nil, is an expression that has the code.
	kind int
	code client.Expr
	// wraps says whether it is another error that wraps the one that it is said to be.
	wraps wrapping
	// several, if there are any, are the errors that it wraps.
	several []*failure
}

// wrapping says whether an error wraps another one.
type wrapping uint8

const (
	plain wrapping = iota
	wraps
	mayWrap
)

// The codes by which a variable tells errors apart. Sentinels have the ones from
// firstSentinel on.
const (
	codeNil = iota
	codeNoRows
	codeOther
	firstSentinel
)

func constInt(i int64) client.Expr { return client.C(ir.Int(i)) }

func op(name string, args ...client.Expr) client.Expr { return &client.Op{Op: name, Args: args} }

// constOf gives the constant that a value is.
func constOf(v value) (ir.Value, bool) {
	s, ok := v.(scalar)
	if !ok {
		return ir.Value{}, false
	}
	c, ok := s.e.(*client.Const)
	if !ok {
		return ir.Value{}, false
	}
	return c.Value, true
}

// kindOf gives the kind of values of a Go type.
func kindOf(t types.Type) client.Kind {
	switch {
	case isTime(t):
		return client.Time
	case isBuilder(t):
		return client.Text
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case t.Info()&types.IsInteger != 0:
			return client.Int
		case t.Info()&types.IsFloat != 0:
			return client.Float
		case t.Info()&types.IsString != 0:
			return client.Text
		case t.Info()&types.IsBoolean != 0:
			return client.Bool
		}
	case *types.Interface:
		if isError(t) {
			return client.Int
		}
	}
	return client.Any
}

// nullable reports whether a value of a Go type may stand for NULL.
func nullable(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface, *types.Slice, *types.Map:
		return true
	}
	return false
}

var errorType = types.Universe.Lookup("error").Type()

// isError reports whether t is the type error.
func isError(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && types.Identical(i, errorType.Underlying())
}

// isTime reports whether t is time.Time.
func isTime(t types.Type) bool { return isNamed(t, "time", "Time") }

// isNamed reports whether t is, or points to, the type path.name.
func isNamed(t types.Type, path, name string) bool {
	n := namedOf(t)
	return n != nil && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == path
}

// namedOf gives the named type that t is or points to.
func namedOf(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}

// zeroOf gives the constant that is the zero value of a Go type, NULL where it
// has none in SQL.
func zeroOf(t types.Type) ir.Value {
	switch kindOf(t) {
	case client.Int:
		return ir.Int(0)
	case client.Float:
		return ir.Int(0).Convert(ir.NumType)
	case client.Bool:
		return ir.Bool(false)
	case client.Text:
		return ir.Text("")
	}
	return ir.Null
}

// parts gives the types of the parts of a type whose values are kept apart:
// fields of a struct. Structs that the driver knows how to store are whole.
func parts(t types.Type) ([]types.Type, []string) {
	if isTime(t) || isBuilder(t) || isBatch(t) || isSQLBuilder(t) {
		return nil, nil
	}
	if s, ok := t.Underlying().(*types.Struct); ok {
		if storable(t) && !optional(t) {
			return nil, nil
		}
		var out []types.Type
		var names []string
		for i := range s.NumFields() {
			out = append(out, s.Field(i).Type())
			names = append(names, s.Field(i).Name())
		}
		return out, names
	}
	if a, ok := t.Underlying().(*types.Array); ok && a.Len() <= maxArray && (kindOf(a.Elem()) == client.Any || a.Len() <= maxScalars && !isByte(a.Elem())) {
		var out []types.Type
		var names []string
		for i := range a.Len() {
			out = append(out, a.Elem())
			names = append(names, itoa(int(i)))
		}
		return out, names
	}
	return nil, nil
}

// field gives a field of a struct by its name, nil if it has none.
func field(a *aggregate, name string) value {
	_, names := parts(a.t)
	if i := slices.Index(names, name); i >= 0 {
		return a.parts[i]
	}
	return nil
}

// maxArray bounds the arrays whose elements are kept apart.
const maxArray = 64

// maxScalars is maxArray for arrays of numbers and texts.
const maxScalars = 16

// optional reports whether a struct is a value that may be absent, such as
// sql.NullString: it has a field Valid, and the value in another one.
func optional(t types.Type) bool {
	_, ok := optionalValue(t)
	return ok
}

// optionalValue gives the indexes of the fields value and Valid.
func optionalValue(t types.Type) (at [2]int, ok bool) {
	s, isStruct := t.Underlying().(*types.Struct)
	if !isStruct || s.NumFields() < 2 || s.NumFields() > 3 {
		return at, false
	}
	at = [2]int{-1, -1}
	for i := range s.NumFields() {
		switch f := s.Field(i); {
		case f.Name() == "Valid" && kindOf(f.Type()) == client.Bool:
			at[1] = i
		case at[0] < 0:
			at[0] = i
		}
	}
	return at, at[0] >= 0 && at[1] >= 0 && storable(t)
}

// storable reports whether a type says itself how it is stored: it has a method
// Value, as driver.Valuer wants it, or one of pgtype's.
func storable(t types.Type) bool {
	n := namedOf(t)
	if n == nil {
		return false
	}
	for _, name := range []string{"Value", "Scan", "EncodeText", "TextValue", "Int64Value", "UUIDValue", "TimestamptzValue"} {
		if o, _, _ := types.LookupFieldOrMethod(types.NewPointer(n), true, n.Obj().Pkg(), name); o != nil {
			if _, isFunc := o.(*types.Func); isFunc {
				return true
			}
		}
	}
	return false
}
