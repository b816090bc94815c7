package memory

import (
	"cmp"
	"go/types"
	"slices"

	"github.com/txrobust/robust/analyzer/internal/hole"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// joinEntries joins what a map holds on several paths. An entry that is not on
// all of them gets a condition.
func (in *Memory) joinEntries(edges []*Edge, vals []Value) (Value, bool) {
	if !AllOf[*Entries](vals) {
		return nil, false
	}
	var keys []string
	for _, v := range vals {
		for _, e := range v.(*Entries).list {
			if !slices.Contains(keys, e.Key) {
				keys = append(keys, e.Key)
			}
		}
	}
	slices.Sort(keys)
	out := &Entries{}
	for _, k := range keys {
		var has []*entry
		var list []Value
		for _, v := range vals {
			l := v.(*Entries).list
			at := slices.IndexFunc(l, func(e entry) bool { return e.Key == k })
			if at < 0 {
				has, list = append(has, nil), append(list, Scalar{client.C(ir.Null), client.Any})
				continue
			}
			has, list = append(has, &l[at]), append(list, l[at].V)
		}
		e := entry{Key: k, When: in.JoinWhen(edges, func(i int) client.Expr {
			if has[i] == nil {
				return client.False
			}
			return has[i].When
		})}
		e.V = in.joinEntry(k, edges, has, list)
		out.list = append(out.list, e)
	}
	return out, true
}

// joinEntry joins the values of an entry on the paths that have it, with the type
// that they have in the map.
func (in *Memory) joinEntry(name string, edges []*Edge, has []*entry, list []Value) Value {
	var t types.Type
	var some []*Edge
	var vals []Value
	for i, h := range has {
		if h == nil {
			continue
		}
		if b, ok := list[i].(Box); ok {
			if t == nil {
				t = b.T
			} else if !types.Identical(t, b.T) {
				t = types.NewInterfaceType(nil, nil)
			}
		}
		some, vals = append(some, edges[i]), append(vals, list[i])
	}
	v := vals[0]
	if len(some) > 1 {
		v = in.Join(name, nil, some, vals)
	}
	if t != nil && !types.IsInterface(t) {
		return Box{Unbox(v), t}
	}
	return v
}

// JoinWhen makes a condition of those on several paths; nil stands for one that
// always holds.
func (in *Memory) JoinWhen(edges []*Edge, of func(i int) client.Expr) client.Expr {
	first := of(0)
	equal := true
	for i := range edges {
		equal = equal && sameWhen(of(i), first)
	}
	if equal {
		if IsTrue(first) {
			return nil
		}
		return first
	}
	v := in.Temp("has", client.Bool, false)
	for i, e := range edges {
		in.Ahead(e, func() {
			w := of(i)
			if w == nil {
				w = client.True
			}
			in.Set(v, w)
		})
	}
	return client.V(v)
}

func sameWhen(a, b client.Expr) bool {
	if a == nil {
		a = client.True
	}
	if b == nil {
		b = client.True
	}
	return SameExpr(a, b)
}

// joinDicts joins several maps: the result is a new one.
func (in *Memory) joinDicts(edges []*Edge, vals []Value) (Value, bool) {
	if !AllOf[*Dict](vals) {
		return nil, false
	}
	list := make([]Value, len(vals))
	d := &Dict{in.NewCell(HiddenType, "map", Zeroed)}
	for i, v := range vals {
		c := v.(*Dict).C
		d.C.Alias = append(d.C.Alias, c)
		list[i] = edges[i].St.Mem[c]
	}
	joined, ok := in.joinEntries(edges, list)
	if !ok {
		for i, e := range edges {
			in.Ahead(e, func() { in.EmitValue(vals[i]) })
		}
		joined = Scalar{client.C(ir.Null), client.Any}
	}
	in.Joined[d.C] = joined
	return d, true
}

func KindAndNull(v Value) (client.Kind, bool) {
	switch v := v.(type) {
	case Scalar:
		if c, ok := v.E.(*client.Const); ok && c.Value.IsNull() {
			return v.Kind, true
		}
		return v.Kind, false
	case *Failure:
		return client.Int, false
	}
	return client.Any, true
}

// alternatives gives the texts that a variable may hold if all are known.
func (in *Memory) alternatives(vals []Value) []string {
	var out []string
	for _, v := range vals {
		s, ok := v.(Scalar)
		if !ok || s.Kind != client.Text {
			return nil
		}
		for _, t := range in.TextsOf(s.E) {
			if !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	if len(out) > hole.MaxTexts {
		return nil
	}
	return out
}

// joinGrown joins slices whose lengths are known.
func (in *Memory) joinGrown(name string, edges []*Edge, vals []Value) (Value, bool) {
	for _, v := range vals {
		switch v.(type) {
		case *Grown, *List, Span:
		default:
			return nil, false
		}
	}
	g := &Grown{}
	e, n := in.Temp(name, client.Any, true), in.Temp(name+".len", client.Int, false)
	g.E, g.N = client.V(e), client.V(n)
	for i, ed := range edges {
		in.Ahead(ed, func() {
			w, _ := in.Growing(vals[i])
			in.Set(e, w.E)
			in.Set(n, w.N)
		})
	}
	return g, true
}

// joinLists joins slices with the same elements, to which nothing was written.
func (in *Memory) joinLists(edges []*Edge, vals []Value) (Value, bool) {
	if !AllOf[*List](vals) {
		return nil, false
	}
	first := vals[0].(*List)
	out := in.NewList(first.Elems)
	for i, v := range vals {
		l := v.(*List)
		if !sameAll(l.Elems, first.Elems) {
			return nil, false
		}
		if l.c != nil {
			if _, written := edges[i].St.Mem[l.c]; written {
				return nil, false
			}
			out.c.Alias = append(out.c.Alias, l.c)
		}
	}
	return out, true
}

func (in *Memory) joinAggregates(name string, edges []*Edge, vals []Value) (Value, bool) {
	if !AllOf[*Aggregate](vals) {
		return nil, false
	}
	first := vals[0].(*Aggregate)
	out := &Aggregate{T: first.T}
	ts, names := in.P.Know.Layout.Parts(first.T)
	for k := range first.Parts {
		list := make([]Value, len(vals))
		for i, v := range vals {
			a := v.(*Aggregate)
			if len(a.Parts) != len(first.Parts) {
				return nil, false
			}
			list[i] = a.Parts[k]
		}
		out.Parts = append(out.Parts, in.Join(name+"."+names[k], ts[k], edges, list))
	}
	return out, true
}

// joinPointers joins pointers to one cell, and nil; or else to several cells,
// for which a new one stands.
func (in *Memory) joinPointers(name string, edges []*Edge, vals []Value) (Value, bool) {
	if !AllOf[*Pointer](vals) {
		return nil, false
	}
	var cells []*Cell
	for _, v := range vals {
		p := v.(*Pointer)
		if is, known := client.Truth(p.Nil()); known && is {
			continue
		}
		if !slices.Contains(cells, p.To) {
			cells = append(cells, p.To)
		}
	}
	isNil := in.Temp(name+".nil", client.Bool, false)
	for i, e := range edges {
		in.Ahead(e, func() { in.Set(isNil, vals[i].(*Pointer).Nil()) })
	}
	if len(cells) == 1 {
		return &Pointer{To: cells[0], IsNil: client.V(isNil)}, true
	}
	c := in.NewCell(cells[0].T, name, Unknown)
	c.Alias = cells
	for _, d := range cells {
		if !types.Identical(d.T, c.T) {
			return &Pointer{To: c, IsNil: client.V(isNil)}, true
		}
	}
	return &Pointer{To: c, IsNil: client.V(isNil)}, true
}

// joinLive joins values that have a transaction in them, and cannot be joined as
// what they are: nothing else is known of what comes of them.
func (in *Memory) joinLive(edges []*Edge, vals []Value) (Value, bool) {
	out := &Handle{Kind: Either}
	live := false
	for i, v := range vals {
		in.Ahead(edges[i], func() {
			in.Holds(v, func(w Value) bool {
				if r, ok := w.(*Rows); ok {
					r.Query.Returned = true
					in.Execute(r)
					return false
				}
				if h := HandleIn(w); h != nil && IsLive(w) {
					out.Site, out.T = cmp.Or(out.Site, h.Site), h.T
				}
				live = live || IsLive(w)
				return false
			})
		})
	}
	if !live {
		return nil, false
	}
	if out.Site == "" {
		out.Site, out.Lost = in.Site, true
	}
	return out, true
}
