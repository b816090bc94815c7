package absint

import (
	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/internal/client"
)

// Panics is a panic: it rolls the transaction back, unless a deferred function around
// it recovers. Then the function that deferred that one returns.
func (in *interp) Panics() {
	if in.St == nil {
		return
	}
	if !in.recovers() {
		in.Abort()
		return
	}
	act, panicking, recovered := in.act, in.panicking, in.recovered
	defer func() {
		in.enterFrame(act)
		in.panicking, in.recovered, in.St = panicking, recovered, nil
	}()
	for f := act; f != nil; f = f.outer {
		in.enterFrame(f)
		in.panicking, in.recovered = true, false
		list := in.St.Defers[f.Frame]
		delete(in.St.Defers, f.Frame) // they run once, also where one of them panics
		in.runList(list)
		in.panicking = false
		switch {
		case in.St == nil:
			return
		case !in.recovered:
		case f.Fn.Recover != nil:
			in.block(f.Fn.Recover)
			return
		case f.outer == nil:
			in.finish(nil)
			return
		default:
			var vals []memory.Value
			for v := range f.Fn.Signature.Results().Variables() {
				vals = append(vals, in.Zero(v.Type()))
			}
			in.Jump(f.exit, vals, &client.Break{At: in.At(), Label: f.exit.Label})
			return
		}
	}
	in.Abort()
}

// recovers reports whether a deferred call around may end a panic.
func (in *interp) recovers() bool {
	for f := in.Fr; f != nil; f = f.Caller {
		for _, d := range in.St.Defers[f] {
			if c, ok := memory.Unbox(d.Fn).(*memory.Closure); ok && c.Fn != nil && callsRecover(c.Fn) {
				return true
			}
		}
	}
	return false
}

// callsRecover reports whether a function calls recover itself.
func callsRecover(f *ssa.Function) bool {
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			if c, ok := instr.(*ssa.Call); ok {
				if builtin, ok := c.Call.Value.(*ssa.Builtin); ok && builtin.Name() == "recover" {
					return true
				}
			}
		}
	}
	return false
}
