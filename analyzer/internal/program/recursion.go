package program

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
)

// Recurs reports whether a function may call itself with other arguments than it got: by a call that
// changes one, by a function that it calls, or when it has changed what an argument leads to.
func (p *Program) Recurs(f *ssa.Function) bool {
	calls, changes := false, false
	for _, g := range withLiterals(f) {
		gotypes.EachInstr(g, func(instr ssa.Instruction) {
			switch instr := instr.(type) {
			case ssa.CallInstruction:
				c := instr.Common()
				if c.StaticCallee() != f {
					break
				}
				calls = true
				for i, a := range c.Args {
					changes = changes || !isContext(a.Type()) && p.HandleType(a.Type()) == "" && origin(a) != f.Params[i]
				}
			case *ssa.Store:
				changes = changes || !local(instr.Addr)
			case *ssa.MapUpdate:
				changes = true
			}
		})
	}
	return calls && changes || p.recursThroughOthers(f)
}

func isContext(t types.Type) bool { return gotypes.IsNamed(t, "context", "Context") }

// withLiterals gives a function, and the function literals in it.
func withLiterals(f *ssa.Function) []*ssa.Function {
	out := []*ssa.Function{f}
	for _, g := range f.AnonFuncs {
		out = append(out, withLiterals(g)...)
	}
	return out
}

// recursThroughOthers reports whether a function mentions others that mention it in the end.
func (p *Program) recursThroughOthers(f *ssa.Function) bool {
	seen := map[*ssa.Function]bool{}
	var reaches func(g *ssa.Function) bool
	reaches = func(g *ssa.Function) bool {
		for _, u := range p.Users[g] {
			u = outermost(u)
			if u == f && g != f {
				return true
			}
			if u != f && !seen[u] {
				if seen[u] = true; reaches(u) {
					return true
				}
			}
		}
		return false
	}
	return reaches(f)
}

// origin gives the parameter that a value is, or that the variable has which it is loaded from
// and that is set once; otherwise the value.
func origin(v ssa.Value) ssa.Value {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return v
	}
	a, ok := variable(load.X).(*ssa.Alloc)
	if !ok || slices.ContainsFunc(*a.Referrers(), escapes) {
		return v
	}
	var only ssa.Value
	for _, g := range withLiterals(a.Parent()) {
		gotypes.EachInstr(g, func(instr ssa.Instruction) {
			if s, ok := instr.(*ssa.Store); ok && variable(s.Addr) == a {
				if only == nil {
					only = s.Val
				} else {
					only = v
				}
			}
		})
	}
	return only
}

// escapes reports whether an instruction does more with the address of a variable than to load
// and store there, or to capture it.
func escapes(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.UnOp, *ssa.MakeClosure, *ssa.DebugRef:
		return false
	case *ssa.Store:
		_, stored := instr.Val.(*ssa.Alloc)
		return stored
	case *ssa.FieldAddr:
		return slices.ContainsFunc(*instr.Referrers(), escapes)
	}
	return true
}

// variable gives the variable that an address is of, from within a function literal, too. That
// of a part of a variable is one of the whole.
func variable(addr ssa.Value) ssa.Value {
	switch a := addr.(type) {
	case *ssa.FieldAddr:
		return variable(a.X)
	case *ssa.IndexAddr:
		return variable(a.X)
	case *ssa.FreeVar:
		bound := ssa.Value(a)
		gotypes.EachInstr(a.Parent().Parent(), func(instr ssa.Instruction) {
			m, ok := instr.(*ssa.MakeClosure)
			if !ok || m.Fn != a.Parent() {
				return
			}
			for i, v := range a.Parent().FreeVars {
				if v == a {
					bound = variable(m.Bindings[i])
				}
			}
		})
		return bound
	}
	return addr
}

// local reports whether an address is in a variable of the function itself.
func local(addr ssa.Value) bool {
	_, ok := variable(addr).(*ssa.Alloc)
	return ok
}
