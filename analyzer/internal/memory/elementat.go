package memory

import (
	"go/types"
	"slices"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/internal/client"
)

// Gathers says that a loop begins with the list first in a variable.
func Gathers(in *Memory, root string, t types.Type, first Value) {
	if _, isSlice := t.Underlying().(*types.Slice); !isSlice || in.Tracing {
		return
	}
	if list, known := in.ListOf(first); known && len(list) == 0 {
		in.lists[root] = gathered{root: root}
	}
}

// ElementAt gives the element with an index of a list that a loop has gathered; ok is false for other lists, and for
// elements of which not all parts are plain values.
func ElementAt(in *Memory, list Value, index client.Expr, t types.Type) (v Value, ok bool) {
	x, known := in.Growing(list)
	if s, isScalar := Unbox(list).(Scalar); isScalar {
		x, known = &Grown{s.E, &client.Call{Name: "len", Args: []client.Expr{s.E}, Kind: client.Int}}, true
	}
	if !known {
		return nil, false
	}
	g, ok := gatheredBy(in, x.E)
	if !ok || !g.done || in.Site == "" || in.shared[g.root] || !plain(in, g.elem, t) {
		return nil, false
	}
	return partAt(in, g.elem, t, client.Element{List: x.E, Index: index, Len: x.N}, g.root), true
}

// OfElement makes values of which nothing is known but that they are an element of a list, or one of the values that a
// map of a type got.
func OfElement(in *Memory, of Value, t types.Type, makes func()) {
	element := func(list client.Expr) { losing(in, lostElement, list, makes) }
	switch t.Underlying().(type) {
	case *types.Basic: // a text
		makes()
		return
	case *types.Map:
		losing(in, lostEntry, &client.Call{Name: "map", Args: in.entries[types.TypeString(t, nil)]}, makes)
		return
	}
	switch of := Unbox(of).(type) {
	case *Grown:
		element(of.E)
	case Scalar:
		element(of.E)
	case *List:
		element(&client.Call{Name: "list", Args: scalarsIn(in, of.Elems)})
	default:
		makes()
	}
}

// OfRows makes values of which nothing is known but that they are those of rows.
func OfRows(in *Memory, makes func()) { losing(in, lostRows, nil, makes) }

// Element makes what an address within something that is not known leads to an element of it.
func Element(in *Memory, c *Cell, of Value, t types.Type) {
	OfElement(in, of, t, func() { c.lost = in.lost })
}

// Enters says that a map of a type gets values.
func Enters(in *Memory, t types.Type, vals ...Value) {
	if !in.Tracing {
		key := types.TypeString(t, nil)
		in.entries[key] = append(slices.Clip(in.entries[key]), scalarsIn(in, vals)...)
	}
}

// plain reports whether a value of a type consists of values that nobody can change from elsewhere.
func plain(in *Memory, v Value, t types.Type) bool {
	switch v := Unbox(v).(type) {
	case Scalar:
		switch t.Underlying().(type) {
		case *types.Slice, *types.Map, *types.Pointer, *types.Interface, *types.Chan, *types.Signature:
			return false
		}
		return true
	case *Aggregate:
		ts, _ := in.P.Know.Layout.Parts(t)
		if at, ok := gotypes.OptionalValue(v.T); ok {
			return optionalVar(v, at) != nil
		}
		if len(ts) != len(v.Parts) {
			return false
		}
		for i, p := range v.Parts {
			if !plain(in, p, ts[i]) {
				return false
			}
		}
		return true
	}
	return false
}

// optionalVar gives the variable of a value that is absent where the variable is NULL, nil for other values.
func optionalVar(a *Aggregate, at [2]int) *client.VarExpr {
	s, ok := Unbox(a.Parts[at[0]]).(Scalar)
	is, also := Unbox(a.Parts[at[1]]).(Scalar)
	if !ok || !also {
		return nil
	}
	v, isVar := s.E.(*client.VarExpr)
	if !isVar || !SameExpr(is.E, client.Not(Op("null", v))) {
		return nil
	}
	return v
}

// partAt gives a value like v, a part of an element that a round has appended, with variables for what is in it.
func partAt(in *Memory, v Value, t types.Type, of client.Element, root string) Value {
	take := func(e client.Expr, k client.Kind, null bool) string {
		name := in.Temp("element", k, null)
		of.From = e
		in.Emit(&client.Havoc{At: in.At(), Var: name, Lost: lostElement, Element: of})
		in.taken[root] = append(slices.Clip(in.taken[root]), name)
		return name
	}
	switch v := Unbox(v).(type) {
	case *Aggregate:
		ts, _ := in.P.Know.Layout.Parts(t)
		if at, ok := gotypes.OptionalValue(v.T); ok {
			return in.OptionalOf(v.T, at, take(optionalVar(v, at), gotypes.KindOf(ts[at[0]]), true))
		}
		out := &Aggregate{T: v.T}
		for i, p := range v.Parts {
			out.Parts = append(out.Parts, partAt(in, p, ts[i], of, root))
		}
		return out
	case Scalar:
		if _, isConst := v.E.(*client.Const); isConst {
			return v
		}
		null := v.Kind == client.Any
		if x, ok := v.E.(*client.VarExpr); ok {
			null = null || in.Variable(x.Name).Nullable
		}
		return Scalar{client.V(take(v.E, v.Kind, null)), v.Kind}
	}
	panic("analyzer: a part of an element that is no plain value")
}

// NewGathered makes an empty list for the elements of a loop over rows.
func NewGathered(in *Memory) *Grown {
	v, n := in.Temp("rows", client.Any, true), in.Temp("rows.len", client.Int, false)
	in.Set(v, &client.Call{Name: "list"})
	in.Set(n, ConstInt(0))
	return &Grown{client.V(v), client.V(n)}
}

// Gather appends an element to a list, at the end of a round of the only loop that does.
func Gather(in *Memory, list *Grown, elem Value) {
	if in.St == nil {
		return
	}
	e := &client.Call{Name: "append", Args: []client.Expr{list.E, &client.Call{Name: "list", Args: in.Exprs([]Value{elem})}}}
	root := list.E.(*client.VarExpr).Name
	in.lists[root] = gathered{root: root, by: e, elem: elem, done: true}
	in.Set(root, e)
	in.Set(list.N.(*client.VarExpr).Name, Op("+", list.N, ConstInt(1)))
}
