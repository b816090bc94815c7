package program

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
)

// Ways counts the places in a function that may lead to the database. Where there
// is one, what it leads to has a trace of its own, with all that there is to see.
func (p *Program) Ways(f *ssa.Function) int {
	n := 0
	gotypes.EachInstr(f, func(instr ssa.Instruction) {
		if c, ok := instr.(ssa.CallInstruction); ok {
			if p.MayUse(c.Common()) || callsValue(c.Common()) {
				n++
			}
		}
		for _, o := range instr.Operands(nil) {
			if g, ok := (*o).(*ssa.Function); ok && p.Matters(g) {
				n++
			}
		}
	})
	return n
}

// CallsItself reports whether a function may call itself, also by way of others.
func (p *Program) CallsItself(f *ssa.Function) bool {
	seen := map[*ssa.Function]bool{}
	var leads func(w *ssa.Function) bool
	leads = func(w *ssa.Function) bool {
		list := p.Users[w]
		if w.Parent() != nil {
			list = append(slices.Clone(list), w.Parent())
		}
		return slices.ContainsFunc(list, func(u *ssa.Function) bool {
			if u == f {
				return true
			}
			if seen[u] {
				return false
			}
			seen[u] = true
			return leads(u)
		})
	}
	return mentions(f, f) || leads(f)
}

// mentions reports whether an instruction of a function has another one as an operand.
func mentions(f, other *ssa.Function) bool {
	found := false
	gotypes.EachInstr(f, func(instr ssa.Instruction) {
		found = found || slices.ContainsFunc(instr.Operands(nil), func(o *ssa.Value) bool { return *o == other })
	})
	return found
}

// callsValue reports whether a call is one of a function that is a value, other than a literal that is called
// where it stands.
func callsValue(c *ssa.CallCommon) bool {
	_, isBuiltin := c.Value.(*ssa.Builtin)
	return !c.IsInvoke() && !isBuiltin && c.StaticCallee() == nil
}
