package memory

import (
	"cmp"
	"go/types"
	"maps"
	"slices"

	"github.com/txrobust/robust/analyzer/internal/hole"
	"github.com/txrobust/robust/internal/client"
)

// Merge joins the edges into a place: in.st becomes the state there, and the
// result the values of the registers.
func (in *Memory) Merge(edges []*Edge) []Value {
	edges = begun(in, edges)
	first := edges[0]
	if len(edges) == 1 {
		in.St = first.St
		return first.Vals
	}
	st := newState()
	st.Phase, st.Rolled, st.Ended = Done, true, first.St.Ended
	st.Facts = commonFacts(edges)
	cells := map[*Cell]bool{}
	for _, e := range edges {
		st.Phase = max(st.Phase, e.St.Phase)
		st.Rolled = st.Rolled && e.St.Rolled
		if e.St.Ended != st.Ended {
			st.Ended = nil
		}
		for r, written := range e.St.Sent {
			st.Sent[r] = st.Sent[r] || written
		}
		for c := range e.St.Mem {
			cells[c] = true
		}
	}
	for _, e := range edges { // what is written on one path is so on all
		for _, r := range e.St.Pending() {
			if st.Sent[r] {
				in.Ahead(e, func() { in.Execute(r) })
			}
		}
	}
	joinDefers(in.Fr, st, edges, in.Join)
	in.Work += len(cells) * len(edges)
	joinCells(in, st, cells, edges)
	out := make([]Value, len(first.Vals))
	for k := range out {
		vals := make([]Value, len(edges))
		for i, e := range edges {
			vals[i] = e.Vals[k]
		}
		out[k] = in.Join("v", nil, edges, vals)
	}
	maps.Copy(st.Mem, in.Joined)
	clear(in.Joined)
	in.St = st
	return out
}

// joinCells puts what the edges have in cells into a state. What does not exist on some of them has what
// it has on the others.
func joinCells(in *Memory, st *State, cells map[*Cell]bool, edges []*Edge) {
	for _, c := range Ordered(cells) {
		var with []*Edge
		var vals []Value
		known := true
		for _, e := range edges {
			v, ok := e.St.Mem[c]
			if !ok {
				if c.made {
					continue
				}
				if c.Start == Unknown && !in.Tracing {
					known = false
					break
				}
				in.Ahead(e, func() { v = in.Load(c) })
			}
			with, vals = append(with, e), append(vals, v)
		}
		if known {
			st.Mem[c] = in.Join(c.Name, c.T, with, vals)
		}
	}
}

// begun gives the edges on which the transaction that is written has begun, if it is open on one of
// them: paths on which it has not, such as those on which another one has, end here.
func begun(in *Memory, edges []*Edge) []*Edge {
	if !slices.ContainsFunc(edges, func(e *Edge) bool { return e.St.Phase == Open }) {
		return edges
	}
	var out []*Edge
	for _, e := range edges {
		if e.St.Phase != Idle {
			out = append(out, e)
			continue
		}
		in.Ahead(e, func() { in.Emit(&client.Rollback{At: in.At()}) })
	}
	return out
}

// Ordered gives cells in the order in which they were made.
func Ordered(set map[*Cell]bool) []*Cell {
	list := slices.Collect(maps.Keys(set))
	slices.SortFunc(list, func(a, b *Cell) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), slices.Compare(a.path, b.path))
	})
	return list
}

// Join gives one value for those that come by several edges.
func (in *Memory) Join(name string, t types.Type, edges []*Edge, vals []Value) Value {
	if v, ok := joinKinds(in, name, edges, vals); ok {
		return v
	}
	if v, ok := joinBoxed(in, name, edges, vals); ok {
		return v
	}
	unboxAll(in, edges, vals)
	if allSame(vals) {
		return vals[0]
	}
	if v, ok := in.joinAggregates(name, edges, vals); ok {
		return v
	}
	if v, ok := in.joinPointers(name, edges, vals); ok {
		return v
	}
	if v, ok := JoinHandles(in, withoutNil(vals)); ok {
		return joinNone(in, v, edges, vals)
	}
	if v, ok := joinPrepared(in, name, edges, vals); ok {
		return v
	}
	if f, ok := joinFunctions(in, name, edges, vals); ok {
		return f
	}
	if l, ok := in.joinLists(edges, vals); ok {
		return l
	}
	if g, ok := in.joinGrown(name, edges, vals); ok {
		return g
	}
	if v, ok := in.joinEntries(edges, vals); ok {
		return v
	}
	if v, ok := in.joinDicts(edges, vals); ok {
		return v
	}
	if v, ok := in.joinObjects(name, edges, vals); ok {
		return v
	}
	if AllOf[*Failure](vals) {
		v := in.Temp(name, client.Int, false)
		var list []*Failure
		for i, e := range edges {
			list = append(list, vals[i].(*Failure))
			in.Ahead(e, func() { in.AssignFailure(v, list[i]) })
		}
		in.noteOrigins(v, edges, vals)
		return FailureOf(client.V(v), in.JoinWraps(list))
	}
	if v, ok := in.joinLive(edges, vals); ok {
		return v
	}
	for i, e := range edges {
		in.Ahead(e, func() { vals[i] = in.Present(vals[i], t) })
	}
	kind, null := client.Any, false
	for i, w := range vals {
		k, n := KindAndNull(w)
		if i == 0 {
			kind = k
		} else if kind != k {
			kind = client.Any
		}
		null = null || n
	}
	v := in.Temp(name, kind, null || kind == client.Any)
	setEach(in, v, edges, vals)
	if texts := in.alternatives(vals); texts != nil {
		in.Texts[v] = texts
	}
	noteValues(in, v, vals...)
	return Scalar{client.V(v), kind}
}

// setEach sets a variable to one of several values, which come by several edges.
func setEach(in *Memory, v string, edges []*Edge, vals []Value) {
	exprs := make([]client.Expr, len(edges))
	for i, e := range edges {
		in.Ahead(e, func() {
			exprs[i] = in.ScalarOf(vals[i]).E
			in.Set(v, exprs[i])
		})
	}
	joinGathered(in, v, exprs)
}

// Nil says when the pointer is nil.
func (p *Pointer) Nil() client.Expr {
	if p.IsNil == nil {
		return client.False
	}
	return p.IsNil
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
			if is, known := client.Truth(w); known {
				in.Assume(client.V(v), is)
			}
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

// KindAndNull gives the kind of the values that a value may be, and whether it may be NULL.
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

// alternatives gives the texts that a variable may hold if something is known of all. Of too many
// texts only what they begin with counts.
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
		out = []string{hole.Common(out)}
	}
	if len(out) == 1 && out[0] == client.Hole {
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
	lists := make([]client.Expr, len(edges))
	for i, ed := range edges {
		in.Ahead(ed, func() {
			w, _ := in.Growing(vals[i])
			lists[i] = w.E
			in.Set(e, w.E)
			in.Set(n, w.N)
		})
	}
	joinGathered(in, e, lists)
	return g, true
}

// joinLists joins slices with the same elements, to which nothing was written. Where some end earlier, the elements
// that they lack are there on some paths only.
func (in *Memory) joinLists(edges []*Edge, vals []Value) (Value, bool) {
	if !AllOf[*List](vals) {
		return joinPartial(in, edges, vals)
	}
	first := vals[0].(*List)
	out := in.NewList(first.Elems)
	for i, v := range vals {
		l := v.(*List)
		if !sameAll(l.Elems, first.Elems) {
			return joinPartial(in, edges, vals)
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
	out := &Pointer{}
	if slices.ContainsFunc(vals, func(v Value) bool { return v.(*Pointer).Nil() != client.Expr(client.False) }) {
		isNil := in.Temp(name+".nil", client.Bool, false)
		for i, e := range edges {
			in.Ahead(e, func() { in.Set(isNil, vals[i].(*Pointer).Nil()) })
		}
		out.IsNil = client.V(isNil)
	}
	if len(cells) == 1 {
		out.To = cells[0]
		return out, true
	}
	out.To = in.NewCell(cells[0].T, name, Unknown)
	out.To.Alias = cells
	return out, true
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
					out.Mixed = out.Mixed || h.Mixed || severalSites(out, h)
					out.Site, out.T = eitherSite(in, out.Site, h.Site), h.T
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

// AllOf reports whether all values are of a kind.
func AllOf[T any](vals []Value) bool {
	for _, v := range vals {
		if _, ok := v.(T); !ok {
			return false
		}
	}
	return true
}

func allSame(vals []Value) bool {
	for _, v := range vals[1:] {
		if !Same(v, vals[0]) {
			return false
		}
	}
	return true
}

// Same reports whether two values are the same one.
func Same(a, b Value) bool {
	a, b = Unbox(a), Unbox(b)
	switch a := a.(type) {
	case Scalar:
		b, ok := b.(Scalar)
		return ok && SameExpr(a.E, b.E)
	case *Aggregate:
		b, ok := b.(*Aggregate)
		return ok && sameAll(a.Parts, b.Parts)
	case *Pointer:
		b, ok := b.(*Pointer)
		if ok && a.IsNil == client.True && b.IsNil == client.True {
			return true
		}
		return ok && a.To == b.To && SameExpr(a.IsNil, b.IsNil)
	case *List:
		b, ok := b.(*List)
		return ok && a.c == b.c && sameAll(a.Elems, b.Elems)
	case *Grown:
		b, ok := b.(*Grown)
		return ok && SameExpr(a.E, b.E) && SameExpr(a.N, b.N)
	case *Closure:
		b, ok := b.(*Closure)
		return ok && a.Fn == b.Fn && a.Bound == b.Bound && sameAll(a.Free, b.Free)
	case *OneOf:
		b, ok := b.(*OneOf)
		return ok && SameExpr(a.Index, b.Index)
	case *Failure:
		b, ok := b.(*Failure)
		return ok && a.Kind == b.Kind && a.Wraps == b.Wraps && SameExpr(a.NoRows, b.NoRows) && SameExpr(a.Other, b.Other) && slices.EqualFunc(a.several, b.several, func(f, g *Failure) bool { return Same(f, g) })
	case Tuple:
		b, ok := b.(Tuple)
		return ok && sameAll(a, b)
	case Span:
		return a == b
	case *Entries:
		b, ok := b.(*Entries)
		return ok && sameEntries(a, b)
	case *Dict:
		b, ok := b.(*Dict)
		return ok && a.C == b.C && sameWhen(a.None, b.None)
	case *ContextValue:
		b, ok := b.(*ContextValue)
		return ok && (a == b || !a.Ends && !b.Ends && a.Call == b.Call && a.Lasts == b.Lasts && a.Parent != nil && b.Parent != nil && Same(a.Parent, b.Parent) && Same(a.Key, b.Key) && Same(a.V, b.V))
	}
	return SameHandle(a, b)
}

func sameAll(a, b []Value) bool {
	return slices.EqualFunc(a, b, Same)
}

// SameHandle reports whether two values of the database are the same.
func SameHandle(a, b Value) bool {
	x, ok := a.(*Handle)
	y, also := b.(*Handle)
	if ok && also {
		return x.Kind == y.Kind && x.Site == y.Site && x.Point == y.Point && x.Lost == y.Lost && x.Held == y.Held && x.Mixed == y.Mixed && SameExpr(x.None, y.None) && sameEnd(x, y)
	}
	if o, ok := a.(Object); ok {
		return o.Same(b)
	}
	return a == b
}

// sameEnd reports whether two handles have the same context.
func sameEnd(a, b *Handle) bool {
	return a.Ctx == nil && b.Ctx == nil || a.Ctx != nil && b.Ctx != nil && Same(a.Ctx, b.Ctx)
}

// JoinHandles joins handles. The result may be any of them. If they belong to several transactions,
// it may belong to each, and its site is that of the transaction that is written.
func JoinHandles(in *Memory, vals []Value) (Value, bool) {
	var first *Handle
	for _, v := range vals {
		h, ok := v.(*Handle)
		if !ok {
			return nil, false
		}
		switch {
		case first == nil:
			first = h
		case h.Kind != first.Kind || h.Site != first.Site || h.Point != first.Point:
			joined := &Handle{Kind: Either, Site: cmp.Or(eitherSite(in, first.Site, h.Site), joinedSite), T: first.T, Lost: first.Lost || h.Lost, Untraced: first.Untraced && !first.Ambient || h.Untraced && !h.Ambient}
			joined.Held, joined.Mixed = joinHeld(first.Held, h.Held), first.Mixed || h.Mixed || severalSites(first, h)
			if in.Site == "" && first.Kind == Transaction && h.Kind == Transaction {
				joined.Kind = Transaction // each has its statements where it is written
			}
			first = joined
		case h.Lost || h.Held != first.Held:
			first = first.As(first.T)
			first.Lost, first.Held, first.Untraced = first.Lost || h.Lost, joinHeld(first.Held, h.Held), first.Untraced || h.Untraced
		}
		if !sameEnd(first, h) {
			first = first.As(first.T)
			first.Ctx = &ContextValue{Ends: true, Parent: &ContextValue{}} // one or the other
		}
	}
	return first, first != nil
}

// eitherSite gives one of two sites. It prefers the site of the transaction that is written.
func eitherSite(in *Memory, a, b string) string {
	if b == in.Site {
		return cmp.Or(b, a)
	}
	return cmp.Or(a, b)
}

// joinNone says when a value of the database is nil that stands for several.
func joinNone(in *Memory, v Value, edges []*Edge, vals []Value) Value {
	never := func(v Value) bool {
		is, known := client.Truth(NoneOf(v))
		return known && !is
	}
	if !slices.ContainsFunc(vals, func(v Value) bool { return !never(v) }) {
		return v
	}
	none := in.JoinWhen(edges, func(i int) client.Expr { return NoneOf(vals[i]) })
	if none == nil {
		none = client.True
	}
	return Unless(none, v)
}

// joinPrepared joins prepared statements, of one handle or of several, and nil.
func joinPrepared(in *Memory, name string, edges []*Edge, vals []Value) (Value, bool) {
	var first *Prepared
	for _, v := range vals {
		if p, ok := v.(*Prepared); ok && first == nil {
			first = p
		} else if !ok && !IsTrue(NoneOf(v)) {
			return nil, false
		}
	}
	if first == nil {
		return nil, false
	}
	handles, texts := make([]Value, len(vals)), make([]Value, len(vals))
	for i, v := range vals {
		p, ok := v.(*Prepared)
		if !ok {
			p = first // nobody uses it there
		}
		if p.ByName != first.ByName || p.H.Conn != first.H.Conn {
			return nil, false
		}
		handles[i], texts[i] = p.H, p.SQL
	}
	h, ok := JoinHandles(in, handles)
	if !ok {
		return nil, false
	}
	return joinNone(in, &Prepared{H: h.(*Handle), SQL: in.Join(name, nil, edges, texts), ByName: first.ByName}, edges, vals), true
}
