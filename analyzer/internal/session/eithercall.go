package session

import (
	"go/types"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/internal/client"
)

// CallOneOf calls one of several functions.
func (in *Session) CallOneOf(inv *Invocation, fn *memory.OneOf) memory.Value {
	is := func(i int) client.Expr { return memory.Op("==", fn.Index, memory.ConstInt(int64(i))) }
	return in.EitherCall("function", len(fn.Fns), inv.T, is, func(i int) memory.Value {
		if fn.Fns[i] == nil {
			in.Control.Panics()
			return in.QuietDead(inv.T)
		}
		inner := *inv
		inner.Fn = fn.Fns[i]
		return in.Control.CallFunction(&inner, fn.Fns[i])
	})
}

// EitherCall is one of n calls with a result of type t: is says which, but for the last one.
func (in *Session) EitherCall(label string, n int, t types.Type, is func(i int) client.Expr, call func(i int) memory.Value) memory.Value {
	b := &client.Block{At: in.At(), Label: in.Label(label)}
	end := &memory.Target{Label: b.Label}
	in.Emit(b)
	st, list := in.St, &b.Body
	for i := range n {
		in.St = st.Clone()
		body := list
		if i+1 < n {
			var cond client.Expr
			in.Into(list, func() { cond = is(i) })
			s := &client.If{At: in.At(), Cond: cond}
			*list = append(*list, s)
			body, list = &s.Then, &s.Else
		}
		in.Into(body, func() {
			v := call(i)
			if in.St != nil {
				in.Jump(end, results(v, t), &client.Break{At: in.At(), Label: end.Label})
			}
		})
	}
	in.St = nil
	if len(end.Edges) == 0 {
		return in.QuietDead(t)
	}
	vals := in.Merge(end.Edges)
	if _, several := t.(*types.Tuple); several {
		return memory.Tuple(vals)
	}
	if len(vals) == 0 {
		return nil
	}
	return vals[0]
}

// results gives the results of a call of type t one by one.
func results(v memory.Value, t types.Type) []memory.Value {
	if tt, several := t.(*types.Tuple); several {
		if list, ok := v.(memory.Tuple); ok && len(list) == tt.Len() {
			return list
		}
		return nil
	}
	return []memory.Value{v}
}
