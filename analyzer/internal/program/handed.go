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

// neverBoxed reports whether no interface of a program holds a value of a type of it, such as a double that only tests use:
// nothing that was read puts such a value into an interface, alone or as a part of another one, or gives its type to generic code.
func (p *Program) neverBoxed(t types.Type) bool {
	n := gotypes.NamedOf(t)
	if n == nil || n.TypeParams().Len() > 0 || !p.IsProgram() {
		return false
	}
	if p.boxed == nil {
		b := &boxed{h: &handed{p: p}, out: map[*types.TypeName]bool{}, seen: map[types.Type]bool{}}
		for _, f := range p.outermostFuncs() {
			b.arguments(f.Signature)
			gotypes.EachInstr(f, b.instr)
		}
		for _, pkg := range p.Pkgs {
			for _, m := range pkg.Members {
				b.arguments(m.Type())
			}
		}
		p.boxed = b.out
	}
	return !p.boxed[n.Obj()]
}

// boxed finds the types of which an interface may hold values.
type boxed struct {
	h    *handed
	out  map[*types.TypeName]bool
	seen map[types.Type]bool
}

func (b *boxed) instr(instr ssa.Instruction) {
	if v, ok := instr.(ssa.Value); ok {
		b.arguments(v.Type())
	}
	if v, ok := instr.(*ssa.MakeInterface); ok {
		b.holds(v.X.Type())
		b.arguments(v.X.Type())
	}
	for _, op := range instr.Operands(nil) {
		if f, ok := (*op).(*ssa.Function); ok {
			for _, t := range f.TypeArgs() {
				b.holds(t)
			}
		}
	}
}

// holds records that an interface holds a value of a type: whoever has it gets at its parts, and what its methods give.
func (b *boxed) holds(t types.Type) {
	b.h.eachNamed(t, func(n *types.TypeName) {
		if b.out[n] {
			return
		}
		b.out[n] = true
		named, ok := n.Type().(*types.Named)
		if !ok {
			return
		}
		for m := range named.Methods() {
			for v := range m.Signature().Results().Variables() {
				b.holds(v.Type())
			}
		}
	})
}

// arguments records the arguments of generic types.
func (b *boxed) arguments(t types.Type) {
	if t = types.Unalias(t); b.seen[t] {
		return
	}
	b.seen[t] = true
	switch t := t.(type) {
	case *types.Named:
		for a := range t.TypeArgs().Types() {
			b.holds(a)
			b.arguments(a)
		}
		if b.h.declares(t.Obj().Pkg()) {
			b.arguments(t.Underlying())
		}
	case *types.Pointer:
		b.arguments(t.Elem())
	case *types.Slice:
		b.arguments(t.Elem())
	case *types.Array:
		b.arguments(t.Elem())
	case *types.Map:
		b.arguments(t.Key())
		b.arguments(t.Elem())
	case *types.Chan:
		b.arguments(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			b.arguments(f.Type())
		}
	case *types.Tuple:
		for v := range t.Variables() {
			b.arguments(v.Type())
		}
	case *types.Signature:
		b.arguments(t.Params())
		b.arguments(t.Results())
	}
}
