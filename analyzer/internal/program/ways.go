package program

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
)

// Ways counts the places in a function that may lead to the database. Where there
// is one, what it leads to has a trace of its own, with all that there is to see. A function or a
// value of an interface that is given to such a place is another one: the trace of what gets it does
// not know what it is.
func (p *Program) Ways(f *ssa.Function) int {
	n := 0
	gotypes.EachInstr(f, func(instr ssa.Instruction) {
		if c, ok := instr.(ssa.CallInstruction); ok {
			uses := p.MayUse(c.Common())
			if uses || callsValue(c.Common()) {
				n++
			}
			if callee := c.Common().StaticCallee(); (uses || callee != nil && p.Matters(callee)) && slices.ContainsFunc(c.Common().Args, p.tells) {
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

// tells reports whether an argument is a function, or a value of the program in an interface, of which the function that
// gets it knows less than its type.
func (p *Program) tells(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.MakeClosure, *ssa.Function:
		return true
	case *ssa.ChangeType:
		return p.tells(v.X)
	case *ssa.MakeInterface:
		n := gotypes.NamedOf(v.X.Type())
		return n != nil && p.HandleType(v.X.Type()) == "" && slices.ContainsFunc(p.Pkgs, func(pkg *ssa.Package) bool { return pkg.Pkg == n.Obj().Pkg() })
	}
	return false
}

// LeadsTo reports whether a function is another one, is around it, or mentions it, also by way of others.
func (p *Program) LeadsTo(f, to *ssa.Function) bool {
	seen := map[*ssa.Function]bool{}
	var back func(w *ssa.Function) bool
	back = func(w *ssa.Function) bool {
		if w == f {
			return true
		}
		if seen[w] {
			return false
		}
		seen[w] = true
		return w.Parent() != nil && back(w.Parent()) || slices.ContainsFunc(p.Users[w], back)
	}
	return back(to)
}

// CallsItself reports whether a function may call itself, also by way of others.
func (p *Program) CallsItself(f *ssa.Function) bool {
	leads := func(u *ssa.Function) bool { return p.LeadsTo(f, u) }
	return namesItself(f) || f.Parent() != nil && leads(f.Parent()) || slices.ContainsFunc(p.Users[f], leads)
}

// namesItself reports whether an instruction of a function has the function as an operand: Users lists no
// function for itself.
func namesItself(f *ssa.Function) bool {
	found := false
	gotypes.EachInstr(f, func(instr ssa.Instruction) {
		found = found || slices.ContainsFunc(instr.Operands(nil), func(o *ssa.Value) bool { return *o == f })
	})
	return found
}

// callsValue reports whether a call is one of a function that is a value, other than a literal that is called
// where it stands.
func callsValue(c *ssa.CallCommon) bool {
	_, isBuiltin := c.Value.(*ssa.Builtin)
	return !c.IsInvoke() && !isBuiltin && c.StaticCallee() == nil
}
