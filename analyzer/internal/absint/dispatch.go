package absint

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/internal/client"
)

// maxImplementers bounds the methods that a call through an interface is taken to be.
const maxImplementers = 3

// dispatches reports whether a call of m through an interface is interpreted as one of
// each method that it may be: one of them uses the database, and it gets a function that
// does so, too, or may be given a transaction, or the transaction that is open, where no other
// package can have more of them.
func (in *interp) dispatches(inv *session.Invocation, m *types.Func, impl []*ssa.Function) bool {
	if in.Trace != nil || len(impl) < 2 || len(impl) > maxImplementers || !slices.ContainsFunc(impl, in.P.Matters) {
		return false
	}
	own := in.P.Declares(m)
	for i, v := range inv.Args[1:] {
		if own && in.Holds(v, memory.IsLive) || in.Holds(v, func(w memory.Value) bool {
			c, ok := w.(*memory.Closure)
			return ok && c.Fn != nil && in.P.Matters(c.Fn)
		}) {
			return true
		}
		sig, ok := impl[0].Signature.Params().At(i).Type().Underlying().(*types.Signature)
		if ok && in.P.HoldersOf(false).Takes(sig) {
			return true
		}
	}
	return false
}

// callOne is a call of one of several methods.
func (in *interp) callOne(inv *session.Invocation, impl []*ssa.Function) memory.Value {
	in.EmitValue(inv.Args[0])
	which := func(int) client.Expr { return client.V(in.NewVar("which", client.Bool, false, memory.Unknown)) }
	return in.eitherCall("method", len(impl), inv.T, which, func(i int) memory.Value {
		f, inner := impl[i], *inv
		inner.Args = append([]memory.Value{in.Fresh(f.Params[0].Type(), "it", memory.Unknown)}, inv.Args[1:]...)
		return in.Control.CallFunction(&inner, &memory.Closure{Fn: f})
	})
}

// CallOneOf calls one of several functions.
func (in *interp) CallOneOf(inv *session.Invocation, fn *memory.OneOf) memory.Value {
	is := func(i int) client.Expr { return memory.Op("==", fn.Index, memory.ConstInt(int64(i))) }
	return in.eitherCall("function", len(fn.Fns), inv.T, is, func(i int) memory.Value {
		inner := *inv
		inner.Fn = fn.Fns[i]
		return in.callClosure(&inner, fn.Fns[i])
	})
}

// eitherCall is one of n calls with a result of type t: is says which, but for the last one.
func (in *interp) eitherCall(label string, n int, t types.Type, is func(i int) client.Expr, call func(i int) memory.Value) memory.Value {
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

// beginsSome is a call of a method that begins a transaction of a value of which no more
// is known: a database, a connection, or one of several types of the program.
func (in *interp) beginsSome(inv *session.Invocation, m *types.Func, impl []*ssa.Function) memory.Value {
	h := &memory.Handle{Kind: memory.Either, T: m.Signature().Recv().Type()}
	in.EmitValue(inv.Args[0])
	tx := in.Begin(h, inv)
	if in.Trace == nil && in.Owns(tx) {
		if slices.ContainsFunc(impl, func(f *ssa.Function) bool { return !in.PassesOptions(f) }) {
			in.UnknownLevel()
		}
		if slices.ContainsFunc(impl, func(f *ssa.Function) bool { return !in.P.OnlyPassesOn(f) }) {
			in.Unknown("a call of " + m.Name() + " through an interface")
		}
	}
	return in.Answer(inv.T, tx)
}
