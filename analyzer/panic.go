package analyzer

import (
	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/internal/client"
)

// panics is a panic: it rolls the transaction back, unless a deferred function around
// it recovers. Then the function that deferred that one returns.
func (in *interp) panics() {
	if in.st == nil {
		return
	}
	if !in.recovers() {
		in.abort()
		return
	}
	fr, panicking, recovered := in.fr, in.panicking, in.recovered
	defer func() { in.fr, in.panicking, in.recovered, in.st = fr, panicking, recovered, nil }()
	for f := fr; f != nil; f = f.caller {
		in.fr, in.panicking, in.recovered = f, true, false
		list := in.st.defers[f]
		delete(in.st.defers, f) // they run once, also where one of them panics
		in.runList(list)
		in.panicking = false
		switch {
		case in.st == nil:
			return
		case !in.recovered:
		case f.fn.Recover != nil:
			in.block(f.fn.Recover)
			return
		case f.caller == nil:
			in.finish(nil)
			return
		default:
			var vals []value
			for v := range f.fn.Signature.Results().Variables() {
				vals = append(vals, in.zero(v.Type()))
			}
			in.jump(f.exit, vals, &client.Break{At: in.at(), Label: f.exit.label})
			return
		}
	}
	in.abort()
}

// recovers reports whether a deferred call around may end a panic.
func (in *interp) recovers() bool {
	for f := in.fr; f != nil; f = f.caller {
		for _, d := range in.st.defers[f] {
			if c, ok := unbox(d.fn).(*closure); ok && c.fn != nil && callsRecover(c.fn) {
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
