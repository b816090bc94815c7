package session

import (
	"go/types"
	"slices"
	"strconv"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
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
			call.Args = append(call.Args, in.Fresh(p.Type(), p.Name(), memory.Unknown))
		}
		once := func() { in.Choose(func() { in.Control.CallFunction(call, c) }) }
		if attempts && !in.Failing {
			in.EarlierRound(once)
		}
		once()
	}
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
