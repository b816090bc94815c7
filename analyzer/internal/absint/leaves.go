package absint

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/analyzer/internal/session"
)

// LeavesAfterError reports whether the functions around a call that fails return, up to the one that
// begins the transaction, and give errors.
func (in *interp) LeavesAfterError(inv *session.Invocation) bool {
	call, ok := inv.Site.(*ssa.Call)
	if !ok {
		return false
	}
	for f := in.act; in.returnsError(call); f = f.outer {
		if f.outer == nil || in.BeginsIn(f.Frame) {
			return true
		}
		if call = callAt(f.outer.Fn, f.At); call == nil {
			return false
		}
	}
	return false
}

// callAt gives the call at a place in a function, nil if there is none.
func callAt(f *ssa.Function, at token.Pos) *ssa.Call {
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			if c, ok := instr.(*ssa.Call); ok && c.Pos() == at {
				return c
			}
		}
	}
	return nil
}

// returnsError reports whether a function returns right after an error of a call, and gives an error.
func (in *interp) returnsError(call *ssa.Call) bool {
	if in.P.Know.Results[gotypes.TypeName(call.Type())] == program.QueryRowRole { // of which a method gives the error
		refs := *call.Referrers()
		if len(refs) != 1 {
			return false
		}
		scan, ok := refs[0].(*ssa.Call)
		return ok && scan.Block() == call.Block() && in.returnsError(scan)
	}
	if slices.ContainsFunc(call.Parent().AnonFuncs, setsError) {
		return false
	}
	for _, r := range usesOfError(call) {
		if r.Block() != call.Block() {
			continue
		}
		switch r := r.(type) {
		case *ssa.Return:
			return true
		case *ssa.BinOp:
			if failed := failedBranch(r); failed != nil && in.passesOn(failed) {
				return true
			}
		}
	}
	return false
}

// setsError reports whether a function literal sets an error of the function around it.
func setsError(f *ssa.Function) bool {
	sets := false
	gotypes.EachInstr(f, func(instr ssa.Instruction) {
		if s, ok := instr.(*ssa.Store); ok {
			_, captured := s.Addr.(*ssa.FreeVar)
			sets = sets || captured && gotypes.IsError(s.Val.Type())
		}
	})
	return sets
}

// usesOfError gives the instructions that use the error of a call, also what is loaded from the variable
// that it is stored in.
func usesOfError(call *ssa.Call) (uses []ssa.Instruction) {
	err := call.Referrers()
	if !gotypes.IsError(call.Type()) {
		err = &[]ssa.Instruction{}
		for _, r := range *call.Referrers() {
			if x, ok := r.(*ssa.Extract); ok && gotypes.IsError(x.Type()) {
				err = x.Referrers()
			}
		}
	}
	for _, r := range *err {
		uses = append(uses, r)
		if s, ok := r.(*ssa.Store); ok {
			uses = append(uses, usesOfStored(s)...)
		}
	}
	return uses
}

// usesOfStored gives the instructions that use what a store puts into a variable, as long as the block
// goes on and stores nothing else there.
func usesOfStored(s *ssa.Store) (uses []ssa.Instruction) {
	list := s.Block().Instrs
	for _, instr := range list[slices.Index(list, ssa.Instruction(s))+1:] {
		switch i := instr.(type) {
		case *ssa.Store:
			if load, ok := i.Val.(*ssa.UnOp); i.Addr == s.Addr && !(ok && load.X == s.Addr) {
				return uses
			}
		case *ssa.UnOp:
			if i.X == s.Addr {
				uses = append(uses, *i.Referrers()...)
			}
		}
	}
	return uses
}

// failedBranch gives where a comparison of an error with nil leads if there is one, nil where it leads
// nowhere.
func failedBranch(op *ssa.BinOp) *ssa.BasicBlock {
	if !program.IsNilConst(op.X) && !program.IsNilConst(op.Y) || len(*op.Referrers()) != 1 {
		return nil
	}
	branch, ok := (*op.Referrers())[0].(*ssa.If)
	switch {
	case !ok || branch.Block() != op.Block():
		return nil
	case op.Op == token.NEQ:
		return branch.Block().Succs[0]
	case op.Op == token.EQL:
		return branch.Block().Succs[1]
	}
	return nil
}
