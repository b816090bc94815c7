package memory

import (
	"go/types"
	"slices"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// NewList makes a slice with elements in memory of its own. (What append gives may
// share the memory of what it was given; nobody is taken to make use of that.)
func (in *Memory) NewList(elems []Value) *List {
	return &List{elems, in.NewCell(HiddenType, "list", Zeroed)}
}

// Written reports whether something was written to the elements of a slice.
func (in *Memory) Written(l *List) bool {
	if l.c == nil {
		return false
	}
	_, is := in.St.Mem[l.c]
	return is
}

// Overwrite makes the elements of a slice unknown.
func (in *Memory) Overwrite(v Value) {
	switch v := Unbox(v).(type) {
	case *List:
		if v.c != nil {
			for _, c := range append([]*Cell{v.c}, v.c.Alias...) {
				in.St.Mem[c] = in.Fresh(HiddenType, "list", Unknown)
			}
		}
	case Span:
		in.Forget(v.Array)
	default:
		ShareList(in, v)
	}
}

// ListOf gives the elements of a slice if they are known.
func (in *Memory) ListOf(v Value) ([]Value, bool) {
	switch v := Unbox(v).(type) {
	case *List:
		return v.Elems, !in.Written(v)
	case Span:
		return in.elements(v), true
	case Scalar:
		if IsNilValue(v) {
			return nil, true
		}
	}
	return nil, false
}

// Expose makes unknown what a function that is not known may change.
func (in *Memory) Expose(v Value) {
	seen := map[*Cell]bool{}
	var visit func(v Value, depth int)
	visit = func(v Value, depth int) {
		if depth > 6 {
			return
		}
		switch v := Unbox(v).(type) {
		case *Pointer:
			if seen[v.To] || IsTrue(v.Nil()) {
				return
			}
			seen[v.To] = true
			v.To.EachLeaf(func(c *Cell) {
				w, ok := in.St.Mem[c]
				if ok {
					visit(w, depth+1)
				} else if given, has := in.inputs[c]; has {
					ShareList(in, given)
				}
				if ok && (c.Fixed || IsHandle(Unbox(w))) || !ok && c.Start == Unknown {
					return
				}
				in.St.Mem[c] = in.Fresh(c.T, c.Name, Unknown)
			})
		case *Aggregate:
			for _, p := range v.Parts {
				visit(p, depth+1)
			}
		case *List:
			for _, p := range v.Elems {
				visit(p, depth+1)
			}
			in.Overwrite(v)
		case Span:
			for _, p := range in.elements(v) {
				visit(p, depth+1)
			}
			v.Array.EachLeaf(func(c *Cell) {
				if gotypes.KindOf(c.T) != client.Any {
					in.St.Mem[c] = in.Fresh(c.T, c.Name, Unknown)
				}
			})
		case *Closure:
			for _, p := range v.Free {
				visit(p, depth+1)
			}
		case *OneOf:
			v.eachFunction(func(f *Closure) { visit(f, depth) })
		case *Dict:
			list, known := in.EntriesOf(v)
			for _, e := range list {
				visit(e.V, depth+1)
			}
			if known {
				in.St.Mem[v.C] = in.Fresh(HiddenType, "map", Unknown)
			}
		case Object:
			if list, made := v.Depends(); !made { // what it has of its own
				for _, p := range list {
					visit(p, depth+1)
				}
			}
		default:
			ShareList(in, v)
		}
	}
	visit(v, 0)
}

// StructCell gives the struct that a pointer, or a pointer to one, points to.
func (in *Memory) StructCell(p *Pointer) (*Cell, bool) {
	for range 3 {
		if _, ok := p.To.T.Underlying().(*types.Struct); ok {
			return p.To, true
		}
		q, ok := Unbox(in.Load(p.To)).(*Pointer)
		if !ok || IsTrue(q.Nil()) {
			return nil, false
		}
		p = q
	}
	return nil, false
}

// PartAt gives the cell of a field of an embedded struct, nil if it is not kept
// apart.
func PartAt(c *Cell, path []int) *Cell {
	for _, i := range path {
		if c = c.Part(i); c == nil {
			return nil
		}
	}
	return c
}

// FieldAt gives what a field of a struct, or of what a pointer points to, holds.
func (in *Memory) FieldAt(v Value, path []int) (Value, bool) {
	switch x := Unbox(v).(type) {
	case *Pointer:
		if inner, ok := in.StructCell(x); ok {
			if c := PartAt(inner, path); c != nil {
				return in.Load(c), true
			}
		}
	case *Aggregate:
		var w Value = x
		for _, i := range path {
			a, ok := w.(*Aggregate)
			if !ok || i >= len(a.Parts) {
				return nil, false
			}
			w = a.Parts[i]
		}
		return w, true
	}
	return nil, false
}

// StructOf gives the struct that a value is or points to, if it is known.
func (in *Memory) StructOf(v Value) (*Aggregate, bool) {
	v = Unbox(v)
	if p, ok := v.(*Pointer); ok && !IsTrue(p.Nil()) {
		v = in.Load(p.To)
	}
	a, ok := v.(*Aggregate)
	return a, ok
}

// StructsOf gives the structs one of which a value is or points to, if they are known; none says
// that it may be nil instead. A pointer to one of several variables points to what they
// hold, unless something was stored through it.
func (in *Memory) StructsOf(v Value) (some []*Aggregate, none, ok bool) {
	v = Unbox(v)
	p, isPointer := v.(*Pointer)
	if !isPointer {
		a, ok := v.(*Aggregate)
		return []*Aggregate{a}, false, ok
	}
	is, known := in.Known(p.Nil())
	if known && is {
		return nil, true, true
	}
	cells := []*Cell{p.To}
	if p.To.Start == Unknown && len(p.To.Alias) > 0 && !Touched(in, p.To) {
		cells = p.To.Alias
	}
	for _, c := range cells {
		a, ok := in.Load(c).(*Aggregate)
		if !ok {
			return nil, false, false
		}
		some = append(some, a)
	}
	return some, !known, true
}

// Touched reports whether something is known of what a cell holds: it was stored there, or
// loaded.
func Touched(in *Memory, c *Cell) bool {
	is := false
	c.EachLeaf(func(l *Cell) { _, has := in.St.Mem[l]; is = is || has })
	return is
}

// Growing gives a slice with its length, if that is known.
func (in *Memory) Growing(v Value) (*Grown, bool) {
	switch v := Unbox(v).(type) {
	case *Grown:
		return v, true
	case *List:
		return &Grown{in.ScalarOf(v).E, ConstInt(int64(len(v.Elems)))}, true
	case Span:
		return &Grown{in.ScalarOf(v).E, ConstInt(int64(v.N))}, true
	}
	return nil, false
}

// elements gives what an array holds.
func (in *Memory) elements(s Span) []Value {
	var out []Value
	for i := range s.N {
		if p := s.Array.Part(i); p != nil {
			out = append(out, in.Load(p))
		}
	}
	return out
}

// NonZero says when a value of a type is not the zero value.
func (in *Memory) NonZero(v Value, t types.Type) client.Expr {
	switch x := Unbox(v).(type) {
	case *Pointer:
		if x.IsNil == nil && x.To.Start == Given { // taken not to be nil elsewhere
			return client.V(in.NewVar("set", client.Bool, false, Unknown))
		}
		return in.Settled(client.Not(x.Nil()))
	case *Aggregate:
		if at, ok := gotypes.OptionalValue(x.T); ok {
			return in.Settled(in.TruthOf(x.Parts[at[1]]))
		}
		ts, _ := in.P.Know.Layout.Parts(x.T)
		var all []client.Expr
		for i, p := range x.Parts {
			all = append(all, in.NonZero(p, ts[i]))
		}
		return in.Settled(client.Or(all...))
	case Scalar:
		if c, ok := x.E.(*client.Const); ok {
			return client.C(ir.Bool(!c.Value.IsNull() && c.Value != gotypes.ZeroOf(t)))
		}
		if name, ok := x.E.(*client.VarExpr); ok {
			if found, isKey := in.Keys[name.Name]; isKey {
				return in.Settled(found)
			}
		}
		switch x.Kind {
		case client.Int, client.Float:
			return Op("!=", x.E, ConstInt(0))
		case client.Text:
			return Op("!=", x.E, client.C(ir.Text("")))
		case client.Bool:
			return in.Settled(x.E)
		}
		if in.Given(x.E) && !gotypes.Nullable(t) { // the zero time, or the zero UUID
			return client.V(in.NewVar("set", client.Bool, false, Unknown))
		}
		return client.Not(Op("null", x.E))
	case *List:
		return client.C(ir.Bool(len(x.Elems) > 0)) // an empty list that is not nil is rare
	case *OneOf:
		return in.Settled(client.Not(x.Nil()))
	case *Handle, *Dict, *Grown, Span, *Closure:
		return client.True
	case Object:
		if x.Sends() {
			return client.True
		}
	}
	return client.V(in.NewVar("set", client.Bool, false, Unknown))
}

// maxFunctions bounds the functions that are told apart of which a value is one.
const maxFunctions = 8

// joinFunctions joins functions: the result is one of them.
func joinFunctions(in *Memory, name string, edges []*Edge, vals []Value) (Value, bool) {
	var fns []*Closure
	var index []client.Expr
	for _, v := range vals {
		from := ConstInt(int64(len(fns)))
		switch v := v.(type) {
		case *Closure:
			fns, index = append(fns, v), append(index, from)
		case *OneOf:
			fns, index = append(fns, v.Fns...), append(index, Op("+", v.Index, from))
		default:
			if !IsNilValue(v) {
				return nil, false
			}
			if index = append(index, from); !in.Tracing { // there a call of it sends nothing
				fns = append(fns, nil)
			}
		}
	}
	if len(fns) > maxFunctions || !slices.ContainsFunc(fns, func(c *Closure) bool { return c != nil }) {
		return nil, false
	}
	v := in.Temp(name, client.Int, false)
	for i, e := range edges {
		in.Ahead(e, func() { in.Set(v, index[i]) })
	}
	return &OneOf{client.V(v), fns}, true
}

// Nil says when the function is nil.
func (f *OneOf) Nil() client.Expr {
	var list []client.Expr
	for i, c := range f.Fns {
		if c == nil {
			list = append(list, Op("==", f.Index, ConstInt(int64(i))))
		}
	}
	return client.Or(list...)
}

// eachFunction calls f for those that are not nil.
func (f *OneOf) eachFunction(do func(c *Closure)) {
	for _, c := range f.Fns {
		if c != nil {
			do(c)
		}
	}
}

// ShareList says that somebody may change the elements of a list.
func ShareList(in *Memory, v Value) {
	switch v := Unbox(v).(type) {
	case Scalar:
		if v.Kind == client.Any {
			ChangesElements(in, v.E)
		}
		shareList(in, v.E)
	case *Grown:
		ChangesElements(in, v.E)
		shareList(in, v.E)
	}
}

// SameElement gives the cell for the element with an index of a list, or with a key of a map, that the caller gives: as long as
// nobody may have changed any element, two looks at one give the same value. c is a new one, for other elements.
func SameElement(in *Memory, list Value, index client.Expr, c *Cell) *Cell {
	s, ok := Unbox(list).(Scalar)
	if !ok || in.Tracing || in.changed || !stays(in, c.T) {
		return c
	}
	if x, isVar := s.E.(*client.VarExpr); !isVar || !in.Variable(x.Name).Input {
		return c
	}
	key := client.ExprString(s.E) + "[" + client.ExprString(index) + "] " + types.TypeString(c.T, nil)
	if was := in.looked[key]; was != nil && Touched(in, was) {
		return was
	}
	in.looked[key] = c
	return c
}

// stays reports whether a value of a type has no part that is somewhere else.
func stays(in *Memory, t types.Type) bool {
	if in.HandleOf(t) != nil {
		return false
	}
	if ts, _ := in.P.Know.Layout.Parts(t); ts != nil {
		return !slices.ContainsFunc(ts, func(t types.Type) bool { return !stays(in, t) })
	}
	switch t.Underlying().(type) {
	case *types.Basic:
		return true
	case *types.Struct, *types.Array:
		return gotypes.Storable(t) || gotypes.IsTime(t)
	}
	return false
}

// ChangesElements records that somebody may change the elements of a list or map. Unless a loop has gathered the list, they
// may be elements of what the caller gives.
func ChangesElements(in *Memory, list client.Expr) {
	if _, mine := gatheredBy(in, list); mine || isEmpty(list) {
		return
	}
	in.changed = true
	for _, c := range in.looked {
		c.EachLeaf(func(l *Cell) {
			if _, has := in.St.Mem[l]; has {
				within(in, l.lost, func() { in.St.Mem[l] = in.Fresh(l.T, l.Name, Unknown) })
			}
		})
	}
}

// joinPartial joins slices that begin with the same elements, if what some have behind these may be there on some paths
// only. A store to one of them makes the result unknown.
func joinPartial(in *Memory, edges []*Edge, vals []Value) (Value, bool) {
	lists := make([][]Value, len(vals))
	longest, shortest := 0, 0
	for i, v := range vals {
		known := false
		in.Ahead(edges[i], func() { lists[i], known = in.ListOf(v) })
		if !known {
			return nil, false
		}
		if len(lists[i]) > len(lists[longest]) {
			longest = i
		}
		if len(lists[i]) < len(lists[shortest]) {
			shortest = i
		}
	}
	elems, least := slices.Clone(lists[longest]), len(lists[shortest])
	for _, l := range lists {
		if !sameAll(l, elems[:len(l)]) {
			return nil, false
		}
	}
	for k, v := range elems {
		p, ok := Unbox(v).(Partial)
		if !ok {
			return nil, false
		}
		if k < least {
			continue
		}
		elems[k] = p.Where(in.JoinWhen(edges, func(i int) client.Expr {
			if k < len(lists[i]) {
				return client.True
			}
			return client.False
		}))
	}
	if len(elems) == 0 {
		return nil, false
	}
	out := in.NewList(elems)
	for _, v := range vals {
		switch v := Unbox(v).(type) {
		case *List:
			if v.c != nil {
				out.c.Alias = append(out.c.Alias, v.c)
			}
		case Span:
			for _, c := range v.Array.Elements() {
				c.Alias = append(c.Alias, out.c)
			}
		}
	}
	return out, true
}
