package memory

import (
	"go/types"
	"slices"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// EmitValue says that something which is not known may depend on a value.
func (in *Memory) EmitValue(v Value) { in.emitAll(v, map[*Cell]bool{}, 0) }

func (in *Memory) emitAll(v Value, seen map[*Cell]bool, depth int) {
	if in.St == nil || in.Site == "" || depth > 6 {
		return
	}
	each := func(list []Value) {
		for _, w := range list {
			in.emitAll(w, seen, depth+1)
		}
	}
	switch v := Unbox(v).(type) {
	case Scalar:
		in.EmitExpr(v.E)
	case *Failure:
		if v.code != nil {
			in.EmitExpr(v.code)
			return
		}
		in.EmitExpr(client.Or(v.NoRows))
		in.EmitExpr(client.Or(v.Other))
		for _, p := range v.several {
			in.emitAll(p, seen, depth+1)
		}
	case *Aggregate:
		each(v.Parts)
	case *Pointer:
		in.EmitExpr(v.Nil())
		if seen[v.To] {
			return
		}
		seen[v.To] = true
		v.To.EachLeaf(func(c *Cell) {
			if w, ok := in.St.Mem[c]; ok {
				in.emitAll(w, seen, depth+1)
			}
		})
	case *List:
		each(v.Elems)
	case Span:
		each(in.elements(v))
	case *Closure:
		each(v.Free)
	case *OneOf:
		in.EmitExpr(v.Index)
		v.eachFunction(func(f *Closure) { each(f.Free) })
	case Tuple:
		each(v)
	case *ContextValue:
		if v.Parent != nil {
			each([]Value{v.Parent, v.V})
		}
	case *Grown:
		in.EmitExpr(v.E)
		in.EmitExpr(v.N)
	case *Rows:
		v.Query.Returned = true
		in.Execute(v)
	case *Dict:
		if seen[v.C] {
			return
		}
		seen[v.C] = true
		if w, ok := in.St.Mem[v.C]; ok {
			in.emitAll(w, seen, depth+1)
		}
	case *Entries:
		for _, e := range v.list {
			if e.When != nil {
				in.EmitExpr(e.When)
			}
			in.emitAll(e.V, seen, depth+1)
		}
	case Object:
		list, _ := v.Depends()
		for _, w := range list {
			in.emitAll(w, seen, depth)
		}
	}
}

// EmitExpr is emitValue for an expression.
func (in *Memory) EmitExpr(e client.Expr) {
	if in.Tracing {
		if in.gather != nil {
			client.EachVar(e, in.gather)
		}
		return
	}
	shareList(in, e)
	any := false
	client.EachVar(e, func(string) { any = true })
	if !any {
		return
	}
	if in.St.Phase == Done {
		in.Show(e)
		return
	}
	in.Emit(&client.Emit{At: in.At(), Exprs: []client.Expr{e}})
}

// Outside says that something happens outside of the transaction where control comes
// here, so that the conditions on the way matter. Constants would not be shown.
func (in *Memory) Outside() {
	if in.St != nil && in.Site != "" && !in.Tracing && in.St.Phase == Open {
		in.EmitExpr(client.V(in.NewVar("outside", client.Bool, false, Unknown)))
	}
}

// Show records that the program looks at e when the transaction is over.
func (in *Memory) Show(e client.Expr) {
	to := in.Shown
	if in.St.Rolled {
		to = in.Unkept
	}
	client.EachVar(e, func(name string) { to[name] = true })
}

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
	case *OneOf:
		return slices.ContainsFunc(v.Fns, func(f *Closure) bool { return f != nil && in.search(f, is, seen, depth+1) })
	case Tuple:
		return any(v)
	case *ContextValue:
		return any([]Value{v.Parent, v.V})
	case *Dict:
		list, _ := in.EntriesOf(v)
		return slices.ContainsFunc(list, func(e Entry) bool { return in.search(e.V, is, seen, depth+1) })
	}
	return false
}

// KeepsLive reports whether what the caller has given holds a transaction that began here: one that
// was put into a field of the receiver, such as of a unit of work.
func KeepsLive(in *Memory) bool {
	for c, v := range in.St.Mem {
		if c.Start == Given && in.Holds(v, IsLive) {
			return true
		}
	}
	return false
}

// HandleOf gives the value of a type of the database, nil for other types.
func (in *Memory) HandleOf(t types.Type) Value {
	if v := in.Domain.Fresh(t); v != nil {
		return v
	}
	if in.P.Know.IsPrepared(t) && gotypes.IsPointer(t) {
		return &Prepared{H: &Handle{Kind: Either, T: t}, SQL: Scalar{client.C(ir.Text(client.Hole)), client.Text}}
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
