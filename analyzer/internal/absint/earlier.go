package absint

import (
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/internal/client"
)

// A round of a loop may write what an earlier one has read, in another transaction: that of an attempt
// which failed, mostly. A trace has one earlier round, in which any call may fail.

// earlier writes a round of a loop of a trace, and then all others, if a transaction begins there. It
// reports whether it has.
func (in *interp) earlier(b *ssa.BasicBlock) bool {
	if in.Trace == nil || in.Failing {
		return false
	}
	begun, entry, start, labels, cells := in.Begins, in.St.Clone(), len(*in.Out), in.Labels, in.Cells
	declared, mark, sent := in.declared(), in.Result.Mark(), len(in.Trace.Sent)
	inside, behind := in.act.shape.AfterLoop(b)
	outer := in.act.targets[b]
	place, around := in.around(behind)
	in.Into(place, func() {
		s := &client.Block{At: in.At(), Label: in.Label("earlier")}
		back := &memory.Target{Label: s.Label}
		in.act.targets[b] = &spot{head: &head{back: back, round: true}}
		in.Emit(s)
		in.Into(&s.Body, func() { in.failing(func() { in.within(b, inside) }) })
		in.St = nil
		if len(back.Edges) == 0 || in.Begins == begun {
			return
		}
		in.enter(b, in.Merge(back.Edges))
		in.loop(b, inside, nil)
	})
	in.act.targets[b] = outer
	if in.Begins > begun {
		in.behind(behind, around)
		return true
	}
	in.St, *in.Out, in.Labels, in.Cells, in.Trace.Sent = entry, (*in.Out)[:start], labels, cells, in.Trace.Sent[:sent]
	in.undeclare(declared)
	in.Result.Reset(mark)
	return false
}

// failing writes what an attempt does that may fail anywhere. Its transactions are none of those that the
// same calls begin later.
func (in *interp) failing(attempt func()) {
	in.Rounds++
	in.Failing, in.Round = true, "#"+strconv.Itoa(in.Rounds)
	attempt()
	in.Failing, in.Round = false, ""
}

// againAndAgain writes, in a trace, two calls of a function literal that an unknown function gets, which
// gives an error as the literal does: it makes attempts.
func (in *interp) againAndAgain(inv *session.Invocation, args []memory.Value) {
	if in.Trace == nil || in.Failing || in.St == nil || !mayGiveError(inv.T) {
		return
	}
	for _, a := range args {
		c, ok := memory.Unbox(a).(*memory.Closure)
		if !ok || c.Fn == nil || !in.P.Matters(c.Fn) || !mayGiveError(session.ResultType(c.Fn.Signature)) {
			continue
		}
		call := &session.Invocation{C: inv.C, Fn: c, At: inv.At, T: session.ResultType(c.Fn.Signature)}
		for _, p := range c.Fn.Params {
			call.Args = append(call.Args, in.Fresh(p.Type(), p.Name(), memory.Unknown))
		}
		in.failing(func() { in.Choose(func() { in.again(call, c) }) })
		in.Choose(func() { in.again(call, c) })
	}
}

// mayGiveError reports whether the last result of a call is an error.
func mayGiveError(t types.Type) bool {
	if list, ok := t.(*types.Tuple); ok {
		return list.Len() > 0 && gotypes.IsError(list.At(list.Len()-1).Type())
	}
	return t != nil && gotypes.IsError(t)
}

// again calls a function literal. What it gives is dropped.
func (in *interp) again(inv *session.Invocation, c *memory.Closure) {
	if in.worth(c.Fn, inv.Args, c.Free) && len(inv.Args) == len(c.Fn.Params) {
		in.run(c.Fn, slices.Clone(inv.Args), c.Free, inv.At)
	}
}
