package program

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
)

// callsValues finds which functions a function may call that are values, such as handlers in a map, with a context or a
// request, which may hold a transaction: it uses them.
func (p *Program) callsValues(f *ssa.Function) {
	gotypes.EachInstr(f, func(instr ssa.Instruction) {
		c, ok := instr.(ssa.CallInstruction)
		if !ok || c.Common().IsInvoke() || c.Common().StaticCallee() != nil {
			return
		}
		holds := func(v ssa.Value) bool { return gotypes.IsContext(v.Type()) || gotypes.IsRequest(v.Type()) }
		if _, builtin := c.Common().Value.(*ssa.Builtin); builtin || !slices.ContainsFunc(c.Common().Args, holds) {
			return
		}
		for _, v := range p.Values(c.Common().Signature()) {
			if v != instr.Parent() {
				p.Users[v] = append(p.Users[v], instr.Parent())
			}
		}
	})
}
