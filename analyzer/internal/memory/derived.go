package memory

import (
	"go/types"
	"maps"
	"slices"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// Quiet gives the result of a call that changes nothing, such as one that only
// writes a message: no error.
func (in *Memory) Quiet(t types.Type) Value {
	switch t := t.(type) {
	case *types.Tuple:
		out := make(Tuple, t.Len())
		for i := range out {
			out[i] = in.Quiet(t.At(i).Type())
		}
		return out
	case nil:
		return nil
	}
	if gotypes.IsError(t) {
		return &Failure{}
	}
	return in.Fresh(t, "v", Unknown)
}

// Answer gives v as the result of a call of type t: the first of several, of which
// the others are no errors.
func (in *Memory) Answer(t types.Type, v Value) Value {
	if _, ok := t.(*types.Tuple); !ok {
		return v
	}
	out := in.Quiet(t).(Tuple)
	out[0] = v
	return out
}

// EmitShown says that others see what is stored in a cell that is not new.
func (in *Memory) EmitShown(c *Cell, e client.Expr) {
	if c.Start != Zeroed {
		in.EmitExpr(e)
	}
}

// Inside is an address within something that is not known.
func (in *Memory) Inside(t types.Type, x Value) Value {
	in.EmitValue(x)
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return in.Fresh(t, "v", Unknown)
	}
	return &Pointer{To: in.NewCell(p.Elem(), "v", Unknown)}
}

// InWhole is the address of a field of a struct that is one value here. If the struct has a method Value, a write to
// the field changes what is stored.
func InWhole(in *Memory, t types.Type, whole *Pointer) Value {
	v := in.Inside(t, whole)
	if p, ok := v.(*Pointer); ok && gotypes.Storable(whole.To.T) {
		p.To.Alias = append(p.To.Alias, whole.To)
	}
	return v
}

// Derive gives a value that is computed from others in a way that is not known.
func (in *Memory) Derive(t types.Type, how string, from ...Value) Value {
	if gotypes.KindOf(t) != client.Any {
		k := gotypes.KindOf(t)
		return Scalar{&client.Call{Name: how, Args: in.Exprs(from), Kind: k}, k}
	}
	for _, v := range from {
		in.EmitValue(v)
	}
	var out Value
	Computed(in, from, nil, func() { out = in.Fresh(t, "v", Unknown) })
	return out
}

// DeadValue stands for a result that never comes.
func (in *Memory) DeadValue(t *types.Tuple) Value {
	vals := make(Tuple, t.Len())
	in.Aside(newState(), func() {
		for i := range vals {
			vals[i] = in.Zero(t.At(i).Type())
		}
	})
	if len(vals) == 1 {
		return vals[0]
	}
	return vals
}

// TruthOf gives a value as a condition.
func (in *Memory) TruthOf(v Value) client.Expr {
	s := in.ScalarOf(v)
	if s.Kind != client.Bool {
		if c, ok := s.E.(*client.Const); ok && c.Value.Kind == ir.KindBool {
			return s.E
		}
		t := in.Temp("choice", client.Bool, false)
		in.EmitValue(v)
		in.Emit(&client.Havoc{At: in.At(), Var: t})
		return client.V(t)
	}
	return s.E
}

// QuietDead gives a value of a type where control does not come.
func (in *Memory) QuietDead(t types.Type) Value {
	if tt, ok := t.(*types.Tuple); ok {
		return in.DeadValue(tt)
	}
	return Scalar{client.C(ir.Null), client.Any}
}

// FreshValue gives a value that nobody used before, with no error.
func (in *Memory) FreshValue(t types.Type) Value {
	if tt, ok := t.(*types.Tuple); ok {
		return in.Answer(t, in.FreshValue(tt.At(0).Type()))
	}
	k := gotypes.KindOf(t)
	if k == client.Any {
		k = client.Text
	}
	v := in.Temp("fresh", k, false)
	in.Fresheds[v] = true
	in.Emit(&client.Havoc{At: in.At(), Var: v, Fresh: true})
	return Scalar{client.V(v), k}
}

// SomeError is an error that may be nil, someCount a number of rows.
func (in *Memory) SomeError() *Failure { return in.Fresh(gotypes.ErrorType, "err", Unknown).(*Failure) }

// SomeCount is a number of rows of which nothing is known.
func (in *Memory) SomeCount() Value { return in.Fresh(types.Typ[types.Int64], "affected", Unknown) }

// ScalarOf makes a value an expression.
func (in *Memory) ScalarOf(v Value) Scalar {
	switch v := Unbox(v).(type) {
	case Scalar:
		return v
	case *Pointer:
		n := v.Nil()
		if is, known := client.Truth(n); known && is {
			return Scalar{client.C(ir.Null), client.Any}
		}
		if !v.To.Whole() && !gotypes.Optional(v.To.T) { // a struct somewhere in memory, and all that it leads to
			in.EmitValue(v)
			var p Scalar
			losing(in, lostPointer, &client.Call{Name: "struct", Args: scalarsIn(in, []Value{v})}, func() {
				p = Scalar{client.V(in.NewVar("pointer", client.Any, true, Unknown)), client.Any}
			})
			return p
		}
		s := in.ScalarOf(in.Load(v.To))
		if is, known := client.Truth(n); known && !is {
			return s
		}
		if o, ok := n.(*client.Op); ok && o.Op == "null" && SameExpr(o.Args[0], s.E) {
			return s // a variable that is NULL where the pointer is nil
		}
		t := in.Temp("value", s.Kind, true)
		in.Emit(&client.If{At: in.At(), Cond: n, Then: []client.Stmt{&client.Assign{At: in.At(), Var: t, Expr: client.C(ir.Null)}},
			Else: []client.Stmt{&client.Assign{At: in.At(), Var: t, Expr: s.E}}})
		return Scalar{client.V(t), s.Kind}
	case *Aggregate:
		if at, ok := gotypes.OptionalValue(v.T); ok {
			return in.optionalScalar(v, at)
		}
		if gotypes.Storable(v.T) { // its method says what is stored
			in.EmitValue(v)
			return Scalar{client.V(in.NewVar("stored", client.Any, true, Unknown)), client.Any}
		}
		return Scalar{&client.Call{Name: "struct", Args: in.Exprs(v.Parts)}, client.Any}
	case *List:
		if in.Written(v) {
			in.EmitValue(v)
			return Scalar{client.V(in.NewVar("list", client.Any, true, Unknown)), client.Any}
		}
		return Scalar{&client.Call{Name: "list", Args: in.Exprs(v.Elems)}, client.Any}
	case Span:
		return in.ScalarOf(&List{Elems: in.elements(v)})
	case *Grown:
		return Scalar{v.E, client.Any}
	case *Failure:
		if v.code != nil {
			return Scalar{v.code, client.Int}
		}
		t := in.Temp("err", client.Int, false)
		in.AssignFailure(t, v)
		return Scalar{client.V(t), client.Int}
	case Tuple:
		return Scalar{&client.Call{Name: "struct", Args: in.Exprs(v)}, client.Any}
	case Object:
		if _, ok := v.Depends(); ok {
			in.EmitValue(v)
			return Scalar{client.V(in.NewVar("v", client.Any, true, Unknown)), client.Any}
		}
	case *Dict, *Entries, *ContextValue:
		in.EmitValue(v)
		return Scalar{client.V(in.NewVar("v", client.Any, true, Unknown)), client.Any}
	}
	return Scalar{client.C(ir.Null), client.Any}
}

// Exprs gives values as expressions.
func (in *Memory) Exprs(vals []Value) []client.Expr {
	var out []client.Expr
	for _, v := range vals {
		out = append(out, in.ScalarOf(v).E)
	}
	return out
}

// optionalScalar is the value of a struct such as sql.NullString.
func (in *Memory) optionalScalar(a *Aggregate, at [2]int) Scalar {
	s := in.ScalarOf(a.Parts[at[0]])
	valid := in.ScalarOf(a.Parts[at[1]]).E
	if is, known := client.Truth(valid); known {
		if is {
			return s
		}
		return Scalar{client.C(ir.Null), s.Kind}
	}
	if n, ok := client.Not(valid).(*client.Op); ok && n.Op == "null" && SameExpr(n.Args[0], s.E) {
		return s
	}
	t := in.Temp("value", s.Kind, true)
	in.Emit(&client.If{At: in.At(), Cond: valid, Then: []client.Stmt{&client.Assign{At: in.At(), Var: t, Expr: s.E}},
		Else: []client.Stmt{&client.Assign{At: in.At(), Var: t, Expr: client.C(ir.Null)}}})
	return Scalar{client.V(t), s.Kind}
}

// Computed does, in a trace, what makes values of which nothing is known but that they are computed from others.
func Computed(in *Memory, from []Value, more []client.Expr, makes func()) {
	if !in.Tracing {
		makes()
		return
	}
	was, names := in.sources, map[string]bool{}
	in.gather = func(name string) { names[name] = true }
	for _, v := range from {
		in.EmitValue(v)
	}
	in.gather, in.sources = nil, more
	for _, name := range slices.Sorted(maps.Keys(names)) {
		in.sources = append(in.sources, client.V(name))
	}
	makes()
	in.sources = was
}

// joinKinds joins, in a trace, values of several types in an interface: which type it is depends on the way.
func joinKinds(in *Memory, name string, edges []*Edge, vals []Value) (Value, bool) {
	if !in.Tracing || len(vals) < 2 {
		return nil, false
	}
	several := false
	for _, v := range vals {
		b, ok := v.(Box)
		if !ok {
			return nil, false
		}
		switch Unbox(b).(type) {
		case *Aggregate, Scalar:
		default:
			return nil, false
		}
		several = several || !types.Identical(b.T, vals[0].(Box).T)
	}
	if !several {
		return nil, false
	}
	v := in.Temp(name, client.Int, false)
	for i, e := range edges {
		in.Ahead(e, func() { in.Set(v, ConstInt(int64(i))) })
	}
	return Scalar{client.V(v), client.Any}, true
}

// joinBoxed joins values that are all of one type inside of interfaces: so is what they become.
func joinBoxed(in *Memory, name string, edges []*Edge, vals []Value) (Value, bool) {
	inner := make([]Value, len(vals))
	var t types.Type
	for i, v := range vals {
		b, ok := v.(Box)
		if !ok || t != nil && !types.Identical(b.T, t) {
			return nil, false
		}
		inner[i], t = b.V, b.T
	}
	return Box{in.Join(name, t, edges, inner), t}, true
}

// scalarsIn gives the scalars in values, and in the structs that they point to.
func scalarsIn(in *Memory, vals []Value) (out []client.Expr) {
	for _, v := range vals {
		switch v := Unbox(v).(type) {
		case Scalar:
			out = append(out, v.E)
		case *Grown:
			out = append(out, v.E)
		case *Aggregate:
			out = append(out, scalarsIn(in, v.Parts)...)
		case *List:
			out = append(out, scalarsIn(in, v.Elems)...)
		case *Pointer:
			v.To.EachLeaf(func(c *Cell) {
				if w, ok := Unbox(in.St.Mem[c]).(Scalar); ok {
					out = append(out, w.E)
				}
			})
		}
	}
	return out
}

// unboxAll takes values out of interfaces. What is nil there is another value then, since the interface is not nil.
func unboxAll(in *Memory, edges []*Edge, vals []Value) {
	mixed := slices.ContainsFunc(vals, IsNilValue)
	for i, v := range vals {
		vals[i] = Unbox(v)
		if _, boxed := v.(Box); !boxed {
			continue
		}
		p, points := vals[i].(*Pointer)
		switch {
		case IsNilValue(vals[i]):
			in.Ahead(edges[i], func() { vals[i] = Of(client.V(in.NewVar("some", client.Any, false, Unknown)), client.Any) })
		case mixed && points && !in.Boxed[p.To]:
			vals[i] = &Pointer{To: p.To}
		}
	}
}
