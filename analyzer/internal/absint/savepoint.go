package absint

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
)

// Errors of the server are not followed: after one, a transaction commits nothing.
// Behind a savepoint it may, if the program rolls back to that and goes on. What it does
// then is not known, so that the transaction may do anything.

// goesOnAfterError is the reason.
const goesOnAfterError = "a statement that fails behind a savepoint, after which the program goes on"

// behindSavepoint reports whether the transaction that is written is open, and has a savepoint.
func (in *interp) behindSavepoint() bool {
	return in.Saves && in.Trace == nil && in.St != nil && in.St.Phase == memory.Open
}

// leaves looks at a branch that is not taken, as there is no error: dropped is where the
// program is after one.
func (in *interp) leaves(cond ssa.Value, dropped *ssa.BasicBlock) {
	if in.behindSavepoint() && aboutError(cond) && !in.passesOn(dropped) {
		in.Unknown(goesOnAfterError)
	}
}

// goesBothWays looks at a branch that is taken both ways, also where the error that it is about is one of the server.
func goesBothWays(in *interp, instr *ssa.If) {
	if !in.behindSavepoint() || !aboutError(instr.Cond) || !mayBeServers(in, instr.Cond, map[ssa.Value]bool{}) {
		return
	}
	cond, is := instr.Cond, true
	for {
		n, ok := cond.(*ssa.UnOp)
		if !ok || n.Op != token.NOT {
			break
		}
		cond, is = n.X, !is
	}
	c, ok := cond.(*ssa.BinOp)
	after := instr.Block().Succs
	if ok && (program.IsNilConst(c.X) || program.IsNilConst(c.Y)) {
		if (c.Op == token.NEQ) != is {
			after = after[1:]
		}
		after = after[:1]
	}
	if slices.ContainsFunc(after, func(b *ssa.BasicBlock) bool { return !in.passesOn(b) }) {
		in.Unknown(goesOnAfterError)
	}
}

// mayBeServers reports whether a value may be an error of the server, or is about one: what a call gives that may send a
// statement.
func mayBeServers(in *interp, v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return false
	}
	seen[v] = true
	some := func(list ...ssa.Value) bool {
		return slices.ContainsFunc(list, func(v ssa.Value) bool { return mayBeServers(in, v, seen) })
	}
	switch v := v.(type) {
	case *ssa.Const, *ssa.Global:
		return false
	case *ssa.BinOp:
		return some(v.X, v.Y)
	case *ssa.Phi:
		return some(v.Edges...)
	case *ssa.Extract:
		return some(v.Tuple)
	case *ssa.TypeAssert:
		return some(v.X)
	case *ssa.MakeInterface:
		return some(v.X)
	case *ssa.ChangeInterface:
		return some(v.X)
	case *ssa.Call:
		return in.sends(v.Common()) || some(v.Common().Args...)
	case *ssa.UnOp:
		if g, ok := v.X.(*ssa.Global); ok && v.Op == token.MUL { // a sentinel
			return some(g)
		}
		return v.Op == token.MUL || some(v.X)
	}
	return true
}

// ignores looks at a call whose error nobody looks at.
func (in *interp) ignores(instr ssa.Instruction) {
	call, ok := instr.(*ssa.Call)
	if !ok || !in.behindSavepoint() || !in.sends(call.Common()) || ends[calledName(call.Common())] {
		return
	}
	if !in.errorUsed(call) {
		in.Unknown(goesOnAfterError)
	}
}

// ends are the methods that end something, whose errors change nothing.
var ends = map[string]bool{"Rollback": true, "SavePoint": true, "RollbackTo": true, "Close": true, "Release": true, "Next": true}

func calledName(c *ssa.CallCommon) string {
	switch f := c.StaticCallee(); {
	case c.IsInvoke():
		return c.Method.Name()
	case f != nil:
		return f.Name()
	}
	return ""
}

// sends reports whether a call may send a statement.
func (in *interp) sends(c *ssa.CallCommon) bool {
	f := c.StaticCallee()
	return in.P.MayUse(c) || f != nil && in.P.Matters(f)
}

// errorUsed reports whether the program looks at the error that a call gives, if it gives
// one, or a value that has one.
func (in *interp) errorUsed(call *ssa.Call) bool {
	if gotypes.IsError(call.Type()) || in.P.Know.Failing[gotypes.TypeName(call.Type())] {
		return lookedAt(call)
	}
	results, ok := call.Type().(*types.Tuple)
	if !ok || results.Len() == 0 || !gotypes.IsError(results.At(results.Len()-1).Type()) {
		return true
	}
	return slices.ContainsFunc(*call.Referrers(), func(r ssa.Instruction) bool {
		x, ok := r.(*ssa.Extract)
		return !ok || x.Index == results.Len()-1 && lookedAt(x)
	})
}

// lookedAt reports whether the program does more with an error than to give it away as a value of any type, such as to a log.
func lookedAt(v ssa.Value) bool {
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.DebugRef:
			return false
		case *ssa.ChangeInterface:
			i, ok := r.Type().Underlying().(*types.Interface)
			return !ok || i.NumMethods() > 0 || !onlyListed(r)
		}
		return true
	})
}

// onlyListed reports whether a value is only one of the last arguments of calls that give no error, as fmt.Errorf does.
func onlyListed(v *ssa.ChangeInterface) bool {
	return !slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		s, ok := r.(*ssa.Store)
		if !ok {
			return true
		}
		at, ok := s.Addr.(*ssa.IndexAddr)
		return !ok || slices.ContainsFunc(*at.X.Referrers(), func(r ssa.Instruction) bool {
			list, ok := r.(*ssa.Slice)
			return ok && slices.ContainsFunc(*list.Referrers(), func(r ssa.Instruction) bool {
				c, ok := r.(*ssa.Call)
				return !ok || gotypes.IsError(c.Type())
			})
		})
	})
}

// aboutError reports whether a condition is about an error.
func aboutError(cond ssa.Value) bool {
	switch c := cond.(type) {
	case *ssa.BinOp:
		return (c.Op == token.EQL || c.Op == token.NEQ) && (gotypes.IsError(c.X.Type()) || gotypes.IsError(c.Y.Type()))
	case *ssa.UnOp:
		return c.Op == token.NOT && aboutError(c.X)
	case *ssa.Call:
		return slices.ContainsFunc(c.Common().Args, func(a ssa.Value) bool { return gotypes.IsError(a.Type()) })
	case *ssa.Extract:
		t, ok := c.Tuple.(*ssa.TypeAssert)
		return ok && gotypes.IsError(t.X.Type())
	}
	return false
}

// passesOn reports whether the function, from a block on, only gives an error to its caller:
// it sends nothing, and each result that it returns may be an error.
func (in *interp) passesOn(from *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{}
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		if !seen[b] {
			seen[b] = true
			for _, s := range b.Succs {
				visit(s)
			}
		}
	}
	visit(from)
	for b := range seen {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Return:
				if !in.givesError(instr, seen) {
					return false
				}
			case *ssa.Store:
				if program.IsNilConst(instr.Val) && gotypes.IsError(instr.Val.Type()) {
					return false
				}
			case *ssa.Call:
				if in.sends(instr.Common()) && !ends[calledName(instr.Common())] {
					return false
				}
			}
		}
	}
	return true
}

// givesError reports whether what a function returns after some blocks may be an error. A
// deferred function returns to where the error goes on.
func (in *interp) givesError(r *ssa.Return, after map[*ssa.BasicBlock]bool) bool {
	results := r.Parent().Signature.Results()
	if results.Len() == 0 || !gotypes.IsError(results.At(results.Len()-1).Type()) {
		return onlyDeferred(r.Parent())
	}
	v := r.Results[len(r.Results)-1]
	if phi, ok := v.(*ssa.Phi); ok && phi.Block() == r.Block() {
		for i, e := range phi.Edges {
			if after[phi.Block().Preds[i]] && program.IsNilConst(e) {
				return false
			}
		}
		return true
	}
	return !program.IsNilConst(v)
}

// onlyDeferred reports whether a function is a literal that is only deferred.
func onlyDeferred(f *ssa.Function) bool {
	if f.Parent() == nil || f.Referrers() == nil {
		return false
	}
	var only func(list []ssa.Instruction, v ssa.Value) bool
	only = func(list []ssa.Instruction, v ssa.Value) bool {
		return !slices.ContainsFunc(list, func(r ssa.Instruction) bool {
			switch r := r.(type) {
			case *ssa.Defer:
				return r.Call.Value != v
			case *ssa.MakeClosure:
				return !only(*r.Referrers(), r)
			case *ssa.DebugRef:
				return false
			}
			return true
		})
	}
	return only(*f.Referrers(), f)
}
