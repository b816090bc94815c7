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

// taken chooses the method that a trace follows where a call through an interface may reach several. It assumes that a
// decorator calls another method than itself.
func taken(in *interp, impl []*ssa.Function) []*ssa.Function {
	if len(impl) < 2 || len(impl) > maxImplementers {
		return impl
	}
	others := slices.DeleteFunc(slices.Clone(impl), func(f *ssa.Function) bool { _, n := in.nested(f); return n > 0 })
	if len(others) == 0 {
		return impl
	}
	in.Methods = max(in.Methods, len(others))
	return others[min(in.Taken, len(others)-1):][:1]
}

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
	return in.EitherCall("method", len(impl), inv.T, which, func(i int) memory.Value {
		f, inner := impl[i], *inv
		inner.Args = append([]memory.Value{in.Fresh(f.Params[0].Type(), "it", memory.Unknown)}, inv.Args[1:]...)
		return in.Control.CallFunction(&inner, &memory.Closure{Fn: f})
	})
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
