package session

import (
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/ir"
)

// EarlierRound writes, in a trace, an attempt that may fail anywhere. Its transactions are none of those
// that the same calls begin later.
func (in *Session) EarlierRound(attempt func()) {
	in.Rounds++
	failing, round := in.Failing, in.Round
	in.Failing, in.Round = true, round+"#"+strconv.Itoa(in.Rounds)
	attempt()
	in.Failing, in.Round = failing, round
}

// CallAgain writes, in a trace, what an unknown function does that calls the functions which it gets. Where it
// gives an error as one of these does, it makes attempts: two calls.
func (in *Session) CallAgain(inv *Invocation) {
	if in.Trace == nil {
		return
	}
	for _, a := range inv.Args {
		c, ok := in.called(a)
		if !ok || in.St == nil {
			continue
		}
		attempts := mayGiveError(inv.T) && mayGiveError(ResultType(c.Fn.Signature))
		if !attempts && !in.Wide {
			continue
		}
		call := &Invocation{C: inv.C, Fn: c, At: inv.At, T: ResultType(c.Fn.Signature)}
		for _, p := range c.Fn.Params {
			call.Args = append(call.Args, in.givenTo(c.Fn, p, inv))
		}
		once := func() { in.Choose(func() { in.Control.CallFunction(call, c) }) }
		if attempts && !in.Failing {
			in.EarlierRound(once)
		}
		once()
	}
}

// givenTo gives what a function that is not read gives to a function that it gets. A context is one of the call: what gets
// a context may have begun a transaction, and put it there.
func (in *Session) givenTo(f *ssa.Function, p *ssa.Parameter, inv *Invocation) memory.Value {
	isContext := gotypes.IsContext(p.Type())
	if isContext {
		if ctx := contextAmong(inv); ctx != nil {
			return &memory.ContextValue{Parent: ctx, Call: in.Path()}
		}
	}
	if (isContext || gotypes.IsRequest(p.Type())) && in.P.Callable(f) {
		return in.Fresh(p.Type(), p.Name(), memory.Given)
	}
	return in.Fresh(p.Type(), p.Name(), memory.Unknown)
}

// contextAmong gives the context among the arguments of a call, nil if there is none.
func contextAmong(inv *Invocation) memory.Value {
	params := inv.C.Signature().Params()
	args := inv.Args[max(len(inv.Args)-params.Len(), 0):]
	for i, a := range args {
		if gotypes.IsContext(params.At(i).Type()) {
			return a
		}
	}
	return nil
}

// Keeps records that a context keeps a value under a key, if that holds a transaction.
func (in *Session) Keeps(key, v memory.Value) {
	holds := in.Holds(v, func(w memory.Value) bool {
		h := memory.HandleIn(w)
		return h != nil && h.Kind != memory.Database
	})
	if holds && in.Trace == nil && !in.Shared.keeps(key) {
		in.Shared.keys = append(in.Shared.keys, key)
	}
}

// keeps reports whether contexts keep transactions under a key.
func (a *Analysis) keeps(key memory.Value) bool {
	return slices.ContainsFunc(a.keys, func(k memory.Value) bool {
		equal, known := memory.SameKey(k, key)
		return equal && known
	})
}

// NotGiven reports whether a value that was looked for in a context of the caller is not there: under the key the program
// keeps transactions, and, in a trace, nobody calls its root with one.
func (in *Session) NotGiven(v, ctx, key memory.Value) bool {
	if in.Trace == nil {
		none := noneGiven(in, ctx, key)
		in.Result.NoneGiven = in.Result.NoneGiven || none
		return none
	}
	return in.Alone && memory.HeldBy(in.Memory, v) == memory.HeldByCaller && in.Shared.keeps(key)
}

// noneGiven reports whether a context of the root holds no transaction under a key. Where its caller gives it one, the root
// is read as a part of the caller, or may do anything there.
func noneGiven(in *Session, ctx, key memory.Value) bool {
	for {
		c, ok := memory.Unbox(ctx).(*memory.ContextValue)
		if !ok {
			break
		}
		if c.Key != nil {
			if equal, known := memory.SameKey(c.Key, key); equal || !known {
				return false // what it holds is known
			}
		}
		ctx = c.Parent
	}
	s, ok := memory.Unbox(ctx).(memory.Scalar)
	k, boxed := key.(memory.Box)
	if !ok || !boxed || !slices.ContainsFunc(in.Root.Params, func(p *ssa.Parameter) bool {
		return gotypes.IsContext(p.Type()) && in.GivenBy(s.E, p.Name())
	}) {
		return false
	}
	text := ""
	if c, ok := memory.ConstOf(k.V); ok {
		switch c.Kind {
		case ir.KindInt:
			text = strconv.FormatInt(c.I, 10)
		case ir.KindText:
			text = strconv.Quote(c.S)
		}
	}
	return in.P.KeepsInContext(k.T, text)
}

// FromContext makes handles in the result of a call what a transaction manager gives that is not read: those of the
// context among the arguments, in a trace.
func (in *Session) FromContext(inv *Invocation, result memory.Value) memory.Value {
	if ctx := contextAmong(inv); ctx != nil && in.Trace != nil && result != nil {
		memory.HeldIn(in.Memory, result, ctx)
	}
	return result
}

// called gives the function that a value is, if an unknown function that gets it does something to the
// database by calling it.
func (in *Session) called(v memory.Value) (*memory.Closure, bool) {
	c, ok := memory.Unbox(v).(*memory.Closure)
	return c, ok && c.Fn != nil && in.P.Matters(c.Fn)
}

// Uncalled gives the arguments of an unknown function without those that CallAgain calls: the variables which
// these capture are as the calls leave them.
func (in *Session) Uncalled(args []memory.Value) []memory.Value {
	if !in.Wide {
		return args
	}
	return slices.DeleteFunc(slices.Clone(args), func(v memory.Value) bool { _, ok := in.called(v); return ok })
}

// mayGiveError reports whether the last result of a call is an error.
func mayGiveError(t types.Type) bool {
	if list, ok := t.(*types.Tuple); ok {
		return list.Len() > 0 && gotypes.IsError(list.At(list.Len()-1).Type())
	}
	return t != nil && gotypes.IsError(t)
}
