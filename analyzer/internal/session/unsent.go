package session

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/internal/client"
)

// executeOrNot sends a statement, or not where a context of its own may have ended before and the
// program goes on after the error: the transaction is as before then. It gives that error.
func (in *Session) executeOrNot(inv *Invocation, rs *memory.Rows) *memory.Failure {
	call, ok := inv.Site.(*ssa.Call)
	if !ok || !rs.Mine || in.Trace != nil || !in.hasOwnContext(call) || !goesOn(call) {
		in.Execute(rs)
		return &memory.Failure{}
	}
	v := client.V(in.NewVar("sent", client.Bool, false, memory.Unknown))
	sent := &client.If{At: in.At(), Cond: v}
	in.Into(&sent.Then, func() { in.Execute(rs) })
	in.Emit(sent)
	return &memory.Failure{Other: client.Not(v)}
}

// contextOf gives the context that a call gets, nil if it gets none.
func contextOf(c *ssa.CallCommon) ssa.Value {
	for _, a := range c.Args {
		if gotypes.IsContext(a.Type()) {
			return a
		}
	}
	return nil
}

// hasOwnContext reports whether a statement has a context that no other call of the function for the
// database has, while others have another one. context.Background never ends.
func (in *Session) hasOwnContext(call *ssa.Call) bool {
	own := contextOf(&call.Call)
	if own == nil {
		return false
	}
	if c, ok := own.(*ssa.Call); ok {
		if f := c.Call.StaticCallee(); f != nil && f.Pkg != nil && f.Pkg.Pkg.Path() == "context" && len(f.Params) == 0 {
			return false
		}
	}
	shared, others := false, false
	gotypes.EachInstr(call.Parent(), func(instr ssa.Instruction) {
		c, ok := instr.(ssa.CallInstruction)
		if !ok || instr == ssa.Instruction(call) || !in.usesDatabase(c.Common()) {
			return
		}
		ctx := contextOf(c.Common())
		shared = shared || ctx == own
		others = others || ctx != nil && ctx != own
	})
	return others && !shared
}

// usesDatabase reports whether a call has a database or transaction as its receiver or an argument.
func (in *Session) usesDatabase(c *ssa.CallCommon) bool {
	return c.IsInvoke() && in.P.HandleType(c.Value.Type()) != "" ||
		slices.ContainsFunc(c.Args, func(a ssa.Value) bool { return in.P.HandleType(a.Type()) != "" })
}

// goesOn reports whether the program may go on after an error of a call: it drops the error, shows it, or
// compares it only where both ways meet again.
func goesOn(call *ssa.Call) bool {
	list := *call.Referrers()
	if _, isTuple := call.Type().(*types.Tuple); isTuple {
		var errors []ssa.Instruction
		for _, r := range list {
			if x, ok := r.(*ssa.Extract); ok && gotypes.IsError(x.Type()) {
				errors = append(errors, *x.Referrers()...)
			}
		}
		list = errors
	}
	for _, r := range list {
		op, compares := r.(*ssa.BinOp)
		if !compares {
			switch r.(type) {
			case *ssa.Return, *ssa.Store, *ssa.Phi:
				return false
			}
			continue
		}
		for _, use := range *op.Referrers() {
			branch, ok := use.(*ssa.If)
			if !ok || !meets(branch, op.Op) {
				return false
			}
		}
	}
	return true
}

// meets reports whether the way after an error leads to where the other way goes on.
func meets(branch *ssa.If, op token.Token) bool {
	failed, fine := branch.Block().Succs[0], branch.Block().Succs[1]
	if op == token.EQL {
		failed, fine = fine, failed
	}
	seen := map[*ssa.BasicBlock]bool{branch.Block(): true}
	var reach func(b *ssa.BasicBlock) bool
	reach = func(b *ssa.BasicBlock) bool {
		if b == fine {
			return true
		}
		if seen[b] {
			return false
		}
		seen[b] = true
		return slices.ContainsFunc(b.Succs, reach)
	}
	return reach(failed)
}
