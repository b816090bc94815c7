package memory

import (
	"go/types"
	"slices"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// Holds reports whether is holds for v or what it refers to.
func (in *Memory) Holds(v Value, is func(Value) bool) bool {
	return in.search(v, is, map[*Cell]bool{}, 0)
}

func (in *Memory) search(v Value, is func(Value) bool, seen map[*Cell]bool, depth int) bool {
	if v == nil || depth > 8 {
		return false
	}
	v = Unbox(v)
	if is(v) {
		return true
	}
	any := func(list []Value) bool {
		return slices.ContainsFunc(list, func(w Value) bool { return in.search(w, is, seen, depth+1) })
	}
	switch v := v.(type) {
	case *Aggregate:
		return any(v.Parts)
	case *Pointer:
		if seen[v.To] {
			return false
		}
		seen[v.To] = true
		found := false
		v.To.EachLeaf(func(c *Cell) {
			if w, ok := in.St.Mem[c]; ok && !found {
				found = in.search(w, is, seen, depth+1)
			}
		})
		return found
	case *List:
		return any(v.Elems)
	case Span:
		return any(in.elements(v))
	case *Closure:
		return any(v.Free)
	case Tuple:
		return any(v)
	case *ContextValue:
		return any([]Value{v.Parent, v.V})
	case *Dict:
		list, _ := in.EntriesOf(v)
		return slices.ContainsFunc(list, func(e entry) bool { return in.search(e.V, is, seen, depth+1) })
	}
	return false
}

// HandleOf gives the value of a type of the database, nil for other types.
func (in *Memory) HandleOf(t types.Type) Value {
	if v := in.Domain.Fresh(t); v != nil {
		return v
	}
	if in.P.Know.IsPrepared(t) && gotypes.IsPointer(t) {
		return &Prepared{H: &Handle{Kind: Either, T: t}, Sql: Scalar{client.C(ir.Text(client.Hole)), client.Text}}
	}
	switch in.P.HandleType(t) {
	case "db":
		return &Handle{Kind: Database, T: t}
	case "tx":
		return &Handle{Kind: Transaction, T: t}
	case "either":
		return &Handle{Kind: Either, T: t}
	}
	return nil
}
