package program

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
)

// keepApart has the fields of those structs kept apart that say themselves how they are stored, and have a database or a
// transaction inside: their methods send statements.
func (p *Program) keepApart() {
	for _, pkg := range p.Pkgs {
		for _, m := range pkg.Members {
			if t, ok := m.(*ssa.Type); ok && gotypes.Storable(t.Type()) && p.sendsWithin(t.Type(), map[types.Type]bool{}) {
				p.Know.Layout[gotypes.TypeName(t.Type())] = false
			}
		}
	}
}

// sendsWithin reports whether a handle, or an interface or a function of the program's own, which may have one, is
// inside of a value of a type.
func (p *Program) sendsWithin(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	if p.HandleType(t) != "" {
		return true
	}
	n := gotypes.NamedOf(t)
	if n != nil && !p.isRead(n.Obj().Pkg()) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return p.sendsWithin(u.Elem(), seen)
	case *types.Slice:
		return p.sendsWithin(u.Elem(), seen)
	case *types.Array:
		return p.sendsWithin(u.Elem(), seen)
	case *types.Map:
		return p.sendsWithin(u.Elem(), seen)
	case *types.Signature:
		return true
	case *types.Interface:
		return u.NumMethods() > 0
	case *types.Struct:
		for f := range u.Fields() {
			if p.sendsWithin(f.Type(), seen) {
				return true
			}
		}
	}
	return false
}
