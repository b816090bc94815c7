package absint

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/internal/client"
)

// runRounds runs a call that rounds of a loop deferred, any number of them, with any values of theirs.
func runRounds(in *interp, d memory.Deferred, inv *session.Invocation, invoke func()) {
	changes := func() {
		in.Expose(d.Fn)
		for _, v := range d.Args {
			in.Expose(v)
		}
	}
	changes()
	in.Flush()
	start, entry, quiet := len(*in.Out), in.St.Clone(), false
	around := &client.Block{At: in.At(), Label: in.Label("deferred")}
	l := &client.Loop{At: in.At(), Label: in.Label("rounds")}
	behind, phase := &memory.Target{Label: around.Label}, in.St.Phase
	leave := func() { in.Jump(behind, nil, &client.Break{At: in.At(), Label: around.Label}) }
	in.Emit(around)
	in.Into(&around.Body, func() {
		in.Emit(l)
		in.Into(&l.Body, func() {
			in.Choose(leave)
			sent := len(l.Body)
			inv.Args, inv.Fn = nil, ofRound(in, d.Fn, nil, d.Before)
			for i, v := range d.Args {
				inv.Args = append(inv.Args, ofRound(in, v, argument(d.Call, i), d.Before))
			}
			invoke()
			if in.St != nil && in.St.Phase != phase {
				leave()
			}
			quiet = sent == len(l.Body)
		})
	})
	if quiet {
		*in.Out, in.St = (*in.Out)[:start], entry
		return
	}
	in.St = nil
	in.Merge(behind.Edges)
	changes()
}

// argument gives the type of an argument of a deferred call.
func argument(d *ssa.Defer, i int) types.Type {
	if d.Call.IsInvoke() {
		if i == 0 {
			return d.Call.Value.Type()
		}
		i--
	}
	return d.Call.Args[i].Type()
}

// ofRound gives a value as any round of a loop may have it, from that of one round: what is not known to be the same
// in all of them is any value of the type t. Cells with a number up to before are older than the loop.
func ofRound(in *interp, v memory.Value, t types.Type, before int) memory.Value {
	switch w := v.(type) {
	case nil, *memory.Handle, *memory.Asked:
		return v
	case memory.Scalar:
		if _, known := memory.ConstOf(w); known {
			return v
		}
	case memory.Box:
		return memory.Box{V: ofRound(in, w.V, w.T, before), T: w.T}
	case *memory.Pointer:
		if w.To.Seq <= before {
			return v
		}
	case *memory.Closure:
		if w.Fn == nil || len(w.Free) != len(w.Fn.FreeVars) {
			return v
		}
		c := *w
		c.Free = nil
		for i, f := range w.Free {
			c.Free = append(c.Free, ofRound(in, f, w.Fn.FreeVars[i].Type(), before))
		}
		return &c
	}
	if t == nil {
		return v
	}
	return in.Fresh(t, "earlier", memory.Unknown)
}
