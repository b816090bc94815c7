package program

import (
	"go/token"
	"strconv"

	"golang.org/x/tools/go/ssa"
)

// settled is what the initializer of a package stores in a variable of it, by the path of
// fields. changed says that somebody else may change the variable.
type settled struct {
	stores  map[string]ssa.Value
	changed bool
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

// settles looks at what an instruction does with package variables.
func (p *Program) settles(f *ssa.Function, instr ssa.Instruction) {
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
		s.changed = s.changed || i.Op != token.MUL
	case *ssa.FieldAddr:
		for _, r := range *i.Referrers() {
			s.uses(f, r, i)
		}
	case *ssa.Store:
		g, path := FieldsOf(addr)
		if i.Addr != addr || g == nil || f.Pkg != g.Pkg || f.Synthetic != "package initializer" || !s.store(path, i.Val) {
			s.changed = true
		}
	default:
		s.changed = true
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
	if s == nil || s.changed || len(s.stores) == 0 || !p.Places.Whole && token.IsExported(g.Name()) {
		return nil, false
	}
	return s.stores, true
}
