package gotypes

import (
	"go/types"
	"reflect"
	"strconv"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
	"golang.org/x/tools/go/ssa"
)

// FullName is the name of a function with its package and receiver, and without
// type arguments.
func FullName(f *ssa.Function) string {
	if o := f.Origin(); o != nil {
		f = o
	}
	if m, ok := f.Object().(*types.Func); ok {
		return m.FullName()
	}
	return f.String()
}

// Deref gives what a pointer points to, and other types as they are.
func Deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// IsSliceOf reports whether a type is a slice, or a pointer to one.
func IsSliceOf(t types.Type) bool {
	t = Deref(t)
	_, ok := t.Underlying().(*types.Slice)
	return ok
}

// IsText reports whether a type is one of texts.
func IsText(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// IsList reports whether a value of a type stands for several values in a
// statement.
func IsList(t types.Type) bool {
	if Storable(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return !IsByte(u.Elem())
	case *types.Array:
		return !IsByte(u.Elem())
	}
	return false
}

// IsByte reports whether a type is byte.
func IsByte(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Uint8
}

// TypeName gives the full name of a named type, or of what it points to.
func TypeName(t types.Type) string {
	n := NamedOf(t)
	if n == nil || n.Obj().Pkg() == nil {
		return ""
	}
	return n.Obj().Pkg().Path() + "." + n.Obj().Name()
}

// IsBuilder reports whether a type builds a text.
func IsBuilder(t types.Type) bool {
	return IsNamed(t, "strings", "Builder") || IsNamed(t, "bytes", "Buffer")
}

// IsPointer reports whether a type is a pointer.
func IsPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// IsFunction reports whether a type is one of functions.
func IsFunction(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// EachInstr calls f for the instructions of a function and of those in it.
func EachInstr(fn *ssa.Function, f func(ssa.Instruction)) {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			f(instr)
		}
	}
	for _, g := range fn.AnonFuncs {
		EachInstr(g, f)
	}
}

// StructTag reads a tag of a struct's field.
func StructTag(tag, key string) string { return reflect.StructTag(tag).Get(key) }

// KindOf gives the kind of values of a Go type.
func KindOf(t types.Type) client.Kind {
	switch {
	case IsTime(t):
		return client.Time
	case IsBuilder(t):
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
		if IsError(t) {
			return client.Int
		}
	}
	return client.Any
}

// Nullable reports whether a value of a Go type may stand for NULL.
func Nullable(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface, *types.Slice, *types.Map:
		return true
	}
	return false
}

// BoolType is the type bool.
var BoolType = types.Typ[types.Bool]

// ErrorType is the type error.
var ErrorType = types.Universe.Lookup("error").Type()

// IsError reports whether t is the type error.
func IsError(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && types.Identical(i, ErrorType.Underlying())
}

// IsTime reports whether t is time.Time.
func IsTime(t types.Type) bool { return IsNamed(t, "time", "Time") }

// IsContext reports whether t is context.Context.
func IsContext(t types.Type) bool { return IsNamed(t, "context", "Context") }

// IsRequest reports whether t is a request that a server of HTTP gets, or points to one.
func IsRequest(t types.Type) bool { return IsNamed(t, "net/http", "Request") }

// IsNamed reports whether t is, or points to, the type path.name.
func IsNamed(t types.Type, path, name string) bool {
	n := NamedOf(t)
	return n != nil && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == path
}

// NamedOf gives the named type that t is or points to.
func NamedOf(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}

// ZeroOf gives the constant that is the zero value of a Go type, NULL where it
// has none in SQL.
func ZeroOf(t types.Type) ir.Value {
	switch KindOf(t) {
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

// Layout tells which structs have parts whose values are kept apart. It has the names
// of those that are whole, and, as false, those of structs with methods that drivers call, but with a database inside.
type Layout map[string]bool

// Parts gives the types of the parts of a type whose values are kept apart:
// fields of a struct. Structs that the driver knows how to store are whole.
func (l Layout) Parts(t types.Type) ([]types.Type, []string) {
	if IsTime(t) || IsBuilder(t) || l[TypeName(t)] && !IsPointer(t) {
		return nil, nil
	}
	if s, ok := t.Underlying().(*types.Struct); ok {
		if _, apart := l[TypeName(t)]; !apart && Storable(t) && !Optional(t) {
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
	if a, ok := t.Underlying().(*types.Array); ok && a.Len() <= MaxArray && (KindOf(a.Elem()) == client.Any || a.Len() <= maxScalars && !IsByte(a.Elem())) {
		var out []types.Type
		var names []string
		for i := range a.Len() {
			out = append(out, a.Elem())
			names = append(names, strconv.Itoa(int(i)))
		}
		return out, names
	}
	return nil, nil
}

// MaxArray bounds the arrays whose elements are kept apart.
const MaxArray = 64

// maxScalars is maxArray for arrays of numbers and texts.
const maxScalars = 16

// Optional reports whether a struct is a value that may be absent, such as
// sql.NullString: it has a field Valid, and the value in another one.
func Optional(t types.Type) bool {
	_, ok := OptionalValue(t)
	return ok
}

// OptionalValue gives the indexes of the fields value and Valid.
func OptionalValue(t types.Type) (at [2]int, ok bool) {
	s, isStruct := t.Underlying().(*types.Struct)
	if !isStruct || s.NumFields() < 2 || s.NumFields() > 3 {
		return at, false
	}
	at = [2]int{-1, -1}
	for i := range s.NumFields() {
		switch f := s.Field(i); {
		case f.Name() == "Valid" && KindOf(f.Type()) == client.Bool:
			at[1] = i
		case at[0] < 0:
			at[0] = i
		}
	}
	return at, at[0] >= 0 && at[1] >= 0 && Storable(t)
}

// stores reports whether drivers call a method, by its signature (driver.Valuer, sql.Scanner): the Value of a
// context gets a key, that of a counter gives a number, the Scan of GORM's DB, which structs embed, gives another DB.
func stores(m *types.Func) bool {
	switch in, out := m.Signature().Params(), m.Signature().Results(); m.Name() {
	case "Value":
		return in.Len() == 0 && out.Len() == 2 && IsNamed(out.At(0).Type(), "database/sql/driver", "Value")
	case "Scan":
		return in.Len() == 1 && types.Identical(in.At(0).Type(), types.NewInterfaceType(nil, nil)) && out.Len() == 1 && IsError(out.At(0).Type())
	}
	return true
}

// Storable reports whether a type says itself how it is stored: it has a method
// Value, as driver.Valuer wants it, or one of pgtype's.
func Storable(t types.Type) bool {
	n := NamedOf(t)
	if n == nil {
		return false
	}
	for _, name := range []string{"Value", "Scan", "EncodeText", "TextValue", "Int64Value", "UUIDValue", "TimestamptzValue"} {
		if o, _, _ := types.LookupFieldOrMethod(types.NewPointer(n), true, n.Obj().Pkg(), name); o != nil {
			if m, isFunc := o.(*types.Func); isFunc && stores(m) {
				return true
			}
		}
	}
	return false
}
