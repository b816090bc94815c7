package program

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
)

// handed finds the types whose methods code outside of the program may call. A value of such a type
// becomes an interface that another package declares or that has no name, or the type is an argument of a
// generic function elsewhere. The same holds for a type that is part of such a type.
type handed struct {
	p *Program
	// own are the interfaces of the program that values of a type become.
	own map[*types.TypeName][]*types.TypeName
	// out are the types, interfaces of the program among them, that go outside.
	out map[*types.TypeName]bool
}

// handedTypes gives these types.
func (p *Program) handedTypes() map[*types.TypeName]bool {
	h := &handed{p: p, own: map[*types.TypeName][]*types.TypeName{}, out: map[*types.TypeName]bool{}}
	for _, f := range p.outermostFuncs() {
		gotypes.EachInstr(f, h.instr)
	}
	for more := true; more; {
		more = false
		for t, list := range h.own {
			for _, i := range list {
				if h.out[i] && !h.out[t] {
					h.out[t], more = true, true
				}
			}
		}
	}
	return h.out
}

func (h *handed) instr(instr ssa.Instruction) {
	switch v := instr.(type) {
	case *ssa.MakeInterface:
		h.becomes(v.X.Type(), v.Type())
	case *ssa.ChangeInterface:
		h.becomes(v.X.Type(), v.Type())
	case *ssa.TypeAssert:
		if types.IsInterface(v.AssertedType) {
			h.becomes(v.X.Type(), v.AssertedType)
		}
	case ssa.CallInstruction:
		f := v.Common().StaticCallee()
		if f == nil || f.Origin() != nil && f.Origin().Pkg != nil && h.declares(f.Origin().Pkg.Pkg) {
			return
		}
		for _, t := range f.TypeArgs() {
			h.eachNamed(t, func(n *types.TypeName) { h.out[n] = true })
		}
	}
}

// becomes records that a value of one type becomes an interface.
func (h *handed) becomes(from, to types.Type) {
	i := gotypes.NamedOf(to)
	outside := i == nil || !h.declares(i.Obj().Pkg())
	h.eachNamed(from, func(n *types.TypeName) {
		if outside {
			h.out[n] = true
		} else {
			h.own[n] = append(h.own[n], i.Obj())
		}
	})
}

// declares reports whether a package is one of those that were read.
func (h *handed) declares(pkg *types.Package) bool {
	return slices.ContainsFunc(h.p.Pkgs, func(p *ssa.Package) bool { return p.Pkg == pkg })
}

// eachNamed calls f for the types with a name that a type is made of.
func (h *handed) eachNamed(t types.Type, f func(*types.TypeName)) {
	seen := map[types.Type]bool{}
	var visit func(t types.Type)
	visit = func(t types.Type) {
		if t = types.Unalias(t); seen[t] {
			return
		}
		seen[t] = true
		switch t := t.(type) {
		case *types.Named:
			if !h.declares(t.Obj().Pkg()) {
				break
			}
			f(t.Obj())
			visit(t.Underlying())
		case *types.Pointer:
			visit(t.Elem())
		case *types.Slice:
			visit(t.Elem())
		case *types.Array:
			visit(t.Elem())
		case *types.Map:
			visit(t.Key())
			visit(t.Elem())
		case *types.Chan:
			visit(t.Elem())
		case *types.Struct:
			for i := range t.NumFields() {
				visit(t.Field(i).Type())
			}
		default: // it has no parts
		}
	}
	visit(t)
}
