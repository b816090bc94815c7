package memory

import (
	"slices"

	"github.com/txrobust/robust/internal/client"
)

// joinLists joins slices with the same elements, to which nothing was written. Where some end earlier, the elements
// that they lack are there on some paths only.
func (in *Memory) joinLists(edges []*Edge, vals []Value) (Value, bool) {
	if !AllOf[*List](vals) {
		return in.joinPartial(edges, vals)
	}
	first := vals[0].(*List)
	out := in.NewList(first.Elems)
	for i, v := range vals {
		l := v.(*List)
		if !sameAll(l.Elems, first.Elems) {
			return in.joinPartial(edges, vals)
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

// joinPartial joins slices that begin with the same elements, if what some have behind these may be there on some paths
// only. A store to one of them makes the result unknown.
func (in *Memory) joinPartial(edges []*Edge, vals []Value) (Value, bool) {
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
