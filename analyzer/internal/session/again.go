package session

import (
	"go/types"
	"strconv"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
)

// EarlierRound writes, in a trace, an attempt that may fail anywhere. Its transactions are none of those
// that the same calls begin later.
func (in *Session) EarlierRound(attempt func()) {
	in.Rounds++
	in.Failing, in.Round = true, "#"+strconv.Itoa(in.Rounds)
	attempt()
	in.Failing, in.Round = false, ""
}

// CallAgain writes, in a trace, two calls of each function literal that an unknown function gets, which
// gives an error as the literal does: it makes attempts.
func (in *Session) CallAgain(inv *Invocation) {
	if in.Trace == nil || in.Failing || !mayGiveError(inv.T) {
		return
	}
	for _, a := range inv.Args {
		c, ok := memory.Unbox(a).(*memory.Closure)
		if !ok || c.Fn == nil || !in.P.Matters(c.Fn) || !mayGiveError(ResultType(c.Fn.Signature)) {
			continue
		}
		call := &Invocation{C: inv.C, Fn: c, At: inv.At, T: ResultType(c.Fn.Signature)}
		for _, p := range c.Fn.Params {
			call.Args = append(call.Args, in.Fresh(p.Type(), p.Name(), memory.Unknown))
		}
		once := func() { in.Choose(func() { in.Control.CallFunction(call, c) }) }
		in.EarlierRound(once)
		once()
	}
}

// mayGiveError reports whether the last result of a call is an error.
func mayGiveError(t types.Type) bool {
	if list, ok := t.(*types.Tuple); ok {
		return list.Len() > 0 && gotypes.IsError(list.At(list.Len()-1).Type())
	}
	return t != nil && gotypes.IsError(t)
}
