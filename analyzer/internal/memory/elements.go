package memory

import (
	"go/types"
	"slices"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/internal/client"
)

// Elements of a trace. The elements of slices, maps and channels of which it is not known which one is meant are taken
// to be one for each type of these: variables, which are set where an element comes in, and read where one is taken
// out. So it is known of each field from where it may come.

// KeepElement records, in a trace, that something of a type, which has many elements, gets one. role tells the keys of
// maps from their values.
func KeepElement(in *Memory, of types.Type, role string, t types.Type, v Value) {
	if in.Tracing && v != nil {
		keepElement(in, elementPath(of, role), t, v, 0)
	}
}

// ElementOf gives, in a trace, an element of something of a type; ok is false where none was recorded.
func ElementOf(in *Memory, of types.Type, role string, t types.Type) (v Value, ok bool) {
	path := elementPath(of, role)
	if !in.Tracing || !in.kept[path].some {
		return nil, false
	}
	return elementFrom(in, path, t, 0), true
}

// ElementsOf gives the variables for the elements of what has many, of types that are given.
func ElementsOf(in *Memory, ts []types.Type) (list []client.Expr) {
	for path, k := range in.kept {
		if k.name != "" && slices.ContainsFunc(ts, func(t types.Type) bool { return strings.HasPrefix(path, elementPath(t, "")) }) {
			list = append(list, client.V(k.name))
		}
	}
	slices.SortFunc(list, func(a, b client.Expr) int { return strings.Compare(client.ExprString(a), client.ExprString(b)) })
	return list
}

// keptElement is the variable of an element or a field of one; some says that one was recorded.
type keptElement struct {
	name string
	some bool
}

// maxElementDepth bounds how deep the fields of elements are recorded.
const maxElementDepth = 4

func elementPath(of types.Type, role string) string {
	return types.TypeString(of.Underlying(), nil) + "." + role
}

// keepElement sets the variables for what is below a path.
func keepElement(in *Memory, path string, t types.Type, v Value, depth int) {
	v = Unbox(v)
	if depth > maxElementDepth || IsHandle(v) || in.P.HandleType(t) != "" {
		return
	}
	k := in.kept[path]
	k.some = true
	in.kept[path] = k
	pt, isPointer := pointerToStruct(in, t)
	p, ok := v.(*Pointer)
	if isPointer && ok {
		if !IsTrue(p.Nil()) {
			keepElement(in, path, pt.Elem(), in.Load(p.To), depth)
		}
		return
	}
	if a, ok := v.(*Aggregate); ok && !gotypes.Optional(a.T) {
		ts, names := in.P.Know.Layout.Parts(a.T)
		for i, part := range a.Parts[:min(len(ts), len(a.Parts))] {
			keepElement(in, path+"."+names[i], ts[i], part, depth+1)
		}
		return
	}
	kind, ok := elementKind(t)
	s, isScalar := v.(Scalar)
	if _, isPointer := v.(*Pointer); isPointer || gotypes.Optional(t) {
		s, isScalar = in.ScalarOf(v), true
	}
	if ok && isScalar {
		in.Emit(&client.Assign{At: in.At(), Var: elementVar(in, path, kind, elementNull(t, kind)), Expr: s.E})
	}
}

// elementFrom gives a value that has what the variables below a path hold.
func elementFrom(in *Memory, path string, t types.Type, depth int) Value {
	if !in.kept[path].some || depth > maxElementDepth {
		return in.Fresh(t, "element", Unknown)
	}
	cell := func(t types.Type, v Value) *Cell {
		c := in.NewCell(t, "element", Zeroed)
		in.Store(c, v)
		return c
	}
	kind, scalar := elementKind(t)
	pt, isPointer := pointerToStruct(in, t)
	switch ts, names := in.P.Know.Layout.Parts(t); {
	case ts != nil && gotypes.Optional(t):
		at, ok := gotypes.OptionalValue(t)
		if !ok {
			return in.Fresh(t, "element", Unknown)
		}
		return in.OptionalOf(t, at, elementVar(in, path, kind, elementNull(t, kind)))
	case ts != nil:
		a := &Aggregate{T: t}
		for i, part := range ts {
			a.Parts = append(a.Parts, elementFrom(in, path+"."+names[i], part, depth+1))
		}
		return a
	case isPointer:
		return &Pointer{To: cell(pt.Elem(), elementFrom(in, path, pt.Elem(), depth))}
	case scalar && gotypes.IsPointer(t):
		v := elementVar(in, path, kind, elementNull(t, kind))
		return &Pointer{To: cell(t.Underlying().(*types.Pointer).Elem(), Of(client.V(v), kind)), IsNil: Op("null", client.V(v))}
	case scalar:
		return Of(client.V(elementVar(in, path, kind, elementNull(t, kind))), kind)
	}
	return in.Fresh(t, "element", Unknown)
}

// pointerToStruct reports whether a type is one of pointers to structs whose fields are kept apart.
func pointerToStruct(in *Memory, t types.Type) (*types.Pointer, bool) {
	p, ok := t.Underlying().(*types.Pointer)
	if !ok || gotypes.Optional(p.Elem()) {
		return nil, false
	}
	ts, _ := in.P.Know.Layout.Parts(p.Elem())
	return p, ts != nil
}

// elementKind gives the kind of the variable for an element of a type; ok is false for types of which none is kept.
func elementKind(t types.Type) (k client.Kind, ok bool) {
	if at, isOptional := gotypes.OptionalValue(t); isOptional {
		return gotypes.KindOf(t.Underlying().(*types.Struct).Field(at[0]).Type()), true
	}
	if p, isPointer := t.Underlying().(*types.Pointer); isPointer {
		return gotypes.KindOf(p.Elem()), true
	}
	switch t.Underlying().(type) {
	case *types.Interface, *types.Signature, *types.Map, *types.Chan, *types.Slice:
		return gotypes.KindOf(t), gotypes.KindOf(t) != client.Any
	}
	return gotypes.KindOf(t), true
}

// elementNull reports whether an element may be NULL.
func elementNull(t types.Type, kind client.Kind) bool {
	return kind == client.Any || gotypes.Optional(t) || gotypes.IsPointer(t)
}

// elementVar gives the variable for what is at a path. What was written for a loop may have been given up, with its
// variables.
func elementVar(in *Memory, path string, kind client.Kind, null bool) string {
	k := in.kept[path]
	if k.name == "" {
		k.name = in.Temp("each", kind, null)
		in.kept[path] = k
	}
	if !slices.ContainsFunc(in.Vars, func(v client.Var) bool { return v.Name == k.name }) {
		in.Vars = append(in.Vars, client.Var{Name: k.name, Kind: kind, Nullable: null})
	}
	return k.name
}
