// Package evalorder gives SSA form the order of evaluation that the Go compiler has.
//
// The language orders calls, but not the reading of variables beside them ("Order of
// evaluation" of the specification): in
//
//	return n, row.Scan(&n)
//
// golang.org/x/tools/go/ssa reads n first. The compiler (cmd/compile/internal/walk, order.go) makes the calls of
// a statement first, keeps what they give, and reads variables where their values are needed: the function gives
// what Scan has put into n. Programs rely on that.
//
// Limits: calls and variables have to be in one basic block, and the value has to be used there.
package evalorder

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// Settle changes the functions of a program that has been built: what a statement reads of memory, beside calls
// that it makes, it reads after them.
func Settle(prog *ssa.Program) {
	for fn := range ssautil.AllFunctions(prog) {
		if fn.Syntax() == nil {
			continue
		}
		u := &units{fn: fn}
		for _, b := range fn.Blocks {
			settle(b, u)
		}
	}
}

// settle moves the loads of a block behind the calls of their statements.
func settle(b *ssa.BasicBlock, u *units) {
	for i := 0; i < len(b.Instrs)-1; i++ {
		if !isLoad(b.Instrs[i]) {
			continue
		}
		moved, at, stop := dependents(b.Instrs, i)
		unit := u.around(at)
		if stop < 0 || unit == nil {
			continue
		}
		stop = lastCall(b.Instrs[:stop], i, moved, unit) + 1
		if stop == 0 || !u.reads(b.Instrs[:stop], i, unit) {
			continue
		}
		var early, late []ssa.Instruction
		for _, instr := range b.Instrs[i:stop] {
			if moved[instr] {
				late = append(late, instr)
			} else {
				early = append(early, instr)
			}
		}
		copy(b.Instrs[i:stop], append(early, late...))
		i-- // another instruction is there now
	}
}

// isLoad reports whether an instruction reads memory, or an element of a map.
func isLoad(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.UnOp:
		return instr.Op == token.MUL
	case *ssa.Lookup:
		return !instr.CommaOk
	}
	return false
}

// dependents gives a load with what computes from it in its block, up to the first instruction that does more
// with it (-1 if there is none): a call, a return, a store. at is a place in the statement that does so.
func dependents(instrs []ssa.Instruction, load int) (moved map[ssa.Instruction]bool, at token.Pos, stop int) {
	place := func(instr ssa.Instruction) {
		if !at.IsValid() {
			at = instr.Pos()
		}
	}
	moved = map[ssa.Instruction]bool{instrs[load]: true}
	made := map[ssa.Value]bool{} // literals that are stored into
	for i := load + 1; i < len(instrs); i++ {
		instr := instrs[i]
		if !usesAny(instr, moved, made) {
			continue
		}
		switch instr := instr.(type) {
		case *ssa.FieldAddr, *ssa.IndexAddr:
			if v := instr.(ssa.Value); made[literal(v)] && !usesAny(instr, moved, nil) {
				if !onlySet(v) {
					return moved, at, i
				}
				continue // the address of another element
			}
		case *ssa.BinOp, *ssa.Convert, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MakeInterface, *ssa.Field, *ssa.Index, *ssa.Slice:
		case *ssa.UnOp, *ssa.Lookup:
			if u, ok := instr.(*ssa.UnOp); ok && u.Op == token.ARROW {
				place(instr)
				return moved, at, i
			}
		case *ssa.Store:
			into := literal(instr.Addr)
			if into == nil {
				place(instr)
				return moved, at, i
			}
			if !usesAny(instr, moved, nil) {
				continue // of another element
			}
			made[into] = true
			if into.Pos().IsValid() {
				at = into.Pos()
			}
		default:
			place(instr)
			return moved, at, i
		}
		moved[instr] = true
		place(instr)
	}
	if len(made) > 0 { // a literal that another block uses is made in this one
		return moved, at, len(instrs) - 1
	}
	return moved, at, -1
}

// literal gives the variable that a composite literal, or the arguments of a variadic call, are stored into, of
// the address of an element; nil of another one.
func literal(addr ssa.Value) ssa.Value {
	for {
		switch a := addr.(type) {
		case *ssa.FieldAddr:
			addr = a.X
		case *ssa.IndexAddr:
			addr = a.X
		case *ssa.Alloc:
			if a.Comment == "complit" || a.Comment == "slicelit" || a.Comment == "varargs" {
				return a
			}
			return nil
		default:
			return nil
		}
	}
}

// onlySet reports whether an address is of an element that is stored into, and not read.
func onlySet(addr ssa.Value) bool {
	for _, r := range *addr.Referrers() {
		if s, ok := r.(*ssa.Store); !ok || s.Addr != addr {
			return false
		}
	}
	return true
}

// usesAny reports whether an instruction has a value among its operands.
func usesAny(instr ssa.Instruction, values map[ssa.Instruction]bool, others map[ssa.Value]bool) bool {
	for _, op := range instr.Operands(nil) {
		if *op == nil {
			continue
		}
		if others[*op] {
			return true
		}
		if v, ok := (*op).(ssa.Instruction); ok && values[v] {
			return true
		}
	}
	return false
}

// lastCall gives the last instruction behind a load that calls a function in a part of the source, and does not move,
// -1 if there is none.
func lastCall(instrs []ssa.Instruction, load int, moved map[ssa.Instruction]bool, unit ast.Node) int {
	for i := len(instrs) - 1; i > load; i-- {
		if c, ok := instrs[i].(*ssa.Call); ok && !moved[c] && within(unit, c.Pos()) {
			return i
		}
	}
	return -1
}
