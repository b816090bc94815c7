package memory

import (
	"cmp"
	"go/types"
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/client"
)

// Merge joins the edges into a place: in.st becomes the state there, and the
// result the values of the registers.
func (in *Memory) Merge(edges []*Edge) []Value {
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
		for f, list := range e.St.Defers {
			if len(list) > len(st.Defers[f]) {
				st.Defers[f] = list
			}
		}
	}
	for _, e := range edges { // what is written on one path is so on all
		for _, r := range e.St.Pending() {
			if st.Sent[r] {
				in.Ahead(e, func() { in.Execute(r) })
			}
		}
	}
	for f, list := range st.Defers {
		list = slices.Clone(list)
		for i := range list {
			for _, e := range edges {
				if !slices.ContainsFunc(e.St.Defers[f], func(d Deferred) bool { return d.Call == list[i].Call }) {
					list[i].Perhaps = true
				}
			}
		}
		st.Defers[f] = list
	}
	for _, c := range Ordered(cells) {
		vals := make([]Value, len(edges))
		known := true
		for i, e := range edges {
			v, ok := e.St.Mem[c]
			if !ok {
				if c.Start == Unknown {
					known = false
					break
				}
				in.Ahead(e, func() { v = in.Load(c) })
			}
			vals[i] = v
		}
		if known {
			st.Mem[c] = in.Join(c.Name, c.T, edges, vals)
		}
	}
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
	for i := range vals {
		vals[i] = Unbox(vals[i])
	}
	if allSame(vals) {
		return vals[0]
	}
	if v, ok := in.joinAggregates(name, edges, vals); ok {
		return v
	}
	if v, ok := in.joinPointers(name, edges, vals); ok {
		return v
	}
	if v, ok := JoinHandles(vals); ok {
		return v
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
	for i, e := range edges {
		in.Ahead(e, func() { in.Set(v, in.ScalarOf(vals[i]).E) })
	}
	if texts := in.alternatives(vals); texts != nil {
		in.Texts[v] = texts
	}
	return Scalar{client.V(v), kind}
}

// Nil says when the pointer is nil.
func (p *Pointer) Nil() client.Expr {
	if p.IsNil == nil {
		return client.False
	}
	return p.IsNil
}
