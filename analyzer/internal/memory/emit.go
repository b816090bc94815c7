package memory

import (
	"github.com/txrobust/robust/internal/client"
)

// EmitValue says that something which is not known may depend on a value.
func (in *Memory) EmitValue(v Value) { in.emitAll(v, map[*Cell]bool{}, 0) }

func (in *Memory) emitAll(v Value, seen map[*Cell]bool, depth int) {
	if in.St == nil || in.Site == "" || depth > 6 {
		return
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
		for _, p := range v.Parts {
			in.emitAll(p, seen, depth+1)
		}
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
		for _, p := range v.Elems {
			in.emitAll(p, seen, depth+1)
		}
	case Span:
		for _, p := range in.elements(v) {
			in.emitAll(p, seen, depth+1)
		}
	case *Closure:
		for _, p := range v.Free {
			in.emitAll(p, seen, depth+1)
		}
	case Tuple:
		for _, p := range v {
			in.emitAll(p, seen, depth+1)
		}
	case *ContextValue:
		if v.Parent != nil {
			in.emitAll(v.Parent, seen, depth+1)
			in.emitAll(v.V, seen, depth+1)
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
		return
	}
	any := false
	client.EachVar(e, func(string) { any = true })
	if !any {
		return
	}
	if in.St.Phase == Done {
		if !in.St.Rolled {
			in.Show(e)
		}
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

// Show takes note that the program looks at e when the transaction is over.
func (in *Memory) Show(e client.Expr) {
	client.EachVar(e, func(name string) { in.Shown[name] = true })
}
