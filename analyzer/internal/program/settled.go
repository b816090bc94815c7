package program

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
)

// settled is what the initializer of a package stores in a variable of it, by the path of
// fields. changed says that somebody else changes the variable, as far as its name shows.
type settled struct {
	stores  map[string]ssa.Value
	changed bool
	// passed says that some call gets the address of these options.
	passed bool
}

// FieldsOf gives the package variable of which an address is a field, with the path of
// fields to it, "" for the variable itself; nil for other addresses.
func FieldsOf(addr ssa.Value) (g *ssa.Global, path string) {
	switch a := addr.(type) {
	case *ssa.Global:
		return a, ""
	case *ssa.FieldAddr:
		if g, path = FieldsOf(a.X); g != nil {
			return g, FieldPath(path, a.Field)
		}
	}
	return nil, ""
}

// FieldPath is the path of a field in what a path leads to.
func FieldPath(path string, field int) string { return path + "." + strconv.Itoa(field) }

// settles looks at what an instruction does with package variables, and with structs through pointers.
func (p *Program) settles(f *ssa.Function, instr ssa.Instruction) {
	p.alters(instr)
	for _, o := range instr.Operands(nil) {
		g, ok := (*o).(*ssa.Global)
		if !ok {
			continue
		}
		s := p.settled[g]
		if s == nil {
			s = &settled{stores: map[string]ssa.Value{}}
			p.settled[g] = s
		}
		s.uses(f, instr, g)
	}
}

// uses looks at an instruction that has the address of a variable, or of a field of it.
func (s *settled) uses(f *ssa.Function, instr ssa.Instruction, addr ssa.Value) {
	switch i := instr.(type) {
	case *ssa.DebugRef:
	case *ssa.UnOp:
		s.changed = s.changed || i.Op != token.MUL || !onlyLookedUp(i)
	case *ssa.FieldAddr:
		for _, r := range *i.Referrers() {
			s.uses(f, r, i)
		}
	case *ssa.Store:
		g, path := FieldsOf(addr)
		if i.Addr != addr || g == nil || f.Pkg != g.Pkg || f.Synthetic != "package initializer" || !s.store(path, i.Val) {
			s.changed = true
		}
	case ssa.CallInstruction:
		s.passed, s.changed = true, s.changed || !IsOptions(gotypes.Deref(addr.Type()))
	default:
		s.changed = true
	}
}

// onlyLookedUp reports whether a value that was loaded is no map, or one of which entries are looked up and nothing else.
func onlyLookedUp(v *ssa.UnOp) bool {
	if _, isMap := v.Type().Underlying().(*types.Map); !isMap {
		return true
	}
	return !slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.DebugRef, *ssa.Lookup, *ssa.Range, *ssa.BinOp:
			return false
		case *ssa.Call:
			b, isBuiltin := r.Call.Value.(*ssa.Builtin)
			return !isBuiltin || b.Name() != "len"
		}
		return true
	})
}

// LiteralIn gives what the fields of a literal hold that is loaded once, by their paths; ok is false for other values.
func LiteralIn(load *ssa.UnOp) (stores map[string]ssa.Value, ok bool) {
	literal, isVar := load.X.(*ssa.Alloc)
	if !isVar || load.Op != token.MUL {
		return nil, false
	}
	s := &settled{stores: map[string]ssa.Value{}}
	return s.stores, s.storeLiteral("", literal, load)
}

// alters records the types of structs that an instruction changes, or lets others change, where a pointer
// leads. Variables of a function, and of a package, are seen where they are named.
func (p *Program) alters(instr ssa.Instruction) {
	switch i := instr.(type) {
	case *ssa.Store:
		p.alter(i.Addr)
	case *ssa.FieldAddr:
		for _, r := range *i.Referrers() {
			switch r := r.(type) {
			case *ssa.DebugRef, *ssa.FieldAddr:
			case *ssa.UnOp:
			case *ssa.Store:
				if r.Val == i {
					p.alter(i)
				}
			default:
				p.alter(i)
			}
		}
	}
}

// alter records the types of the structs that an address leads into.
func (p *Program) alter(addr ssa.Value) {
	list := []types.Type{gotypes.Deref(addr.Type())}
	for {
		a, ok := addr.(*ssa.FieldAddr)
		if !ok {
			break
		}
		addr = a.X
		list = append(list, gotypes.Deref(addr.Type()))
	}
	switch addr.(type) {
	case *ssa.Alloc, *ssa.Global:
		return
	}
	for _, t := range list {
		p.altered[gotypes.TypeName(t)] = true
	}
}

// store records a value, a literal of a struct by its fields. It reports whether it is the
// only one at its path.
func (s *settled) store(path string, v ssa.Value) bool {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		if literal, ok := load.X.(*ssa.Alloc); ok {
			return s.storeLiteral(path, literal, load)
		}
	}
	_, again := s.stores[path]
	s.stores[path] = v
	return !again
}

// storeLiteral records the fields that are set in a variable which is loaded once.
func (s *settled) storeLiteral(path string, literal ssa.Value, load ssa.Instruction) bool {
	for _, r := range *literal.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.FieldAddr:
			if !s.storeLiteral(FieldPath(path, r.Field), r, load) {
				return false
			}
		case *ssa.Store:
			if r.Addr != literal || !s.store(path, r.Val) {
				return false
			}
		default:
			if r != load {
				return false
			}
		}
	}
	return true
}

// Settled gives what the initializer of a package stores in a variable of it that nobody
// changes, by the path of fields; known is false where somebody may change it.
func (p *Program) Settled(g *ssa.Global) (stores map[string]ssa.Value, known bool) {
	s := p.settled[g]
	if s == nil || s.changed || s.passed && p.altered[gotypes.TypeName(gotypes.Deref(g.Type()))] || len(s.stores) == 0 || p.namedElsewhere(g) {
		return nil, false
	}
	return s.stores, true
}

// namedElsewhere reports whether code that is not read may name an exported package variable.
func (p *Program) namedElsewhere(g *ssa.Global) bool {
	if p.Places.Whole || !token.IsExported(g.Name()) {
		return false
	}
	return p.Places.Left == nil || slices.ContainsFunc(p.Places.Left, func(left *types.Package) bool {
		return left.Path() == g.Pkg.Pkg.Path() || slices.ContainsFunc(left.Imports(), func(i *types.Package) bool { return i.Path() == g.Pkg.Pkg.Path() })
	})
}

// LiteralOf gives what options hold whose address an initializer keeps in a package variable, by the
// path of fields; known is false where somebody may change one of its type.
func (p *Program) LiteralOf(a *ssa.Alloc) (stores map[string]ssa.Value, known bool) {
	name := gotypes.TypeName(gotypes.Deref(a.Type()))
	if a.Parent().Synthetic != "package initializer" || !IsOptions(gotypes.Deref(a.Type())) || p.altered[name] {
		return nil, false
	}
	s, kept := &settled{stores: map[string]ssa.Value{}}, 0
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.FieldAddr:
			if !s.storeLiteral(FieldPath("", r.Field), r, nil) {
				return nil, false
			}
		case *ssa.Store:
			g, _ := FieldsOf(r.Addr)
			if r.Val != a || g == nil {
				return nil, false
			}
			kept++
		default:
			return nil, false
		}
	}
	return s.stores, kept == 1
}
