package program

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/internal/client"
	"golang.org/x/tools/go/ssa"
)

// A place is where prepared statements are kept: a field of a struct (*types.Var),
// whichever struct it is, or a package variable (*ssa.Global), of a type like
// *sql.Stmt, map[string]*sql.Stmt or []*sql.Stmt. What is kept there is the sum of all that the
// program ever stores there, if every use of the place is seen.
type Place any

// Places are those of a program.
type Places struct {
	p *Program
	// Open are the places of which not every use is seen, writers the functions
	// that store in places, with these.
	Open    map[Place]bool
	Writers map[*ssa.Function][]Place
	// Whole says that all of the program is read.
	Whole bool
	// Left are the packages of which not all is read, where only these are not; nil if it is not known which.
	Left []*types.Package
}

// isPlace reports whether a type is that of a place: a statement, or a map or list of
// them.
func (pl *Places) isPlace(t types.Type) bool {
	return pl.IsStmtPointer(t) || pl.IsStmtMap(t) || pl.isStmtList(t)
}

// IsStmtPointer reports whether a type is a pointer to a prepared statement.
func (pl *Places) IsStmtPointer(t types.Type) bool {
	return gotypes.IsPointer(t) && pl.p.Know.IsPrepared(t)
}

// IsStmtMap reports whether a type is a map of texts to prepared statements.
func (pl *Places) IsStmtMap(t types.Type) bool {
	m, ok := t.Underlying().(*types.Map)
	return ok && gotypes.KindOf(m.Key()) == client.Text && pl.IsStmtPointer(m.Elem())
}

// GivesStatement reports whether a function gives a prepared statement, or a map or
// list of them.
func (pl *Places) GivesStatement(f *ssa.Function) bool {
	r := f.Signature.Results()
	for i := range r.Len() {
		if pl.isPlace(r.At(i).Type()) {
			return true
		}
	}
	return false
}

// PlaceAt gives the place with an address, nil if it is none.
func (pl *Places) PlaceAt(addr ssa.Value) Place {
	switch a := addr.(type) {
	case *ssa.FieldAddr:
		s := a.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
		if f := s.Field(a.Field).Origin(); pl.isPlace(f.Type()) {
			return f
		}
	case *ssa.Global:
		if pl.isPlace(a.Type().(*types.Pointer).Elem()) {
			return a
		}
	}
	return nil
}

// PlaceFrom gives the place from which a value is loaded, nil if it is none.
func (pl *Places) PlaceFrom(v ssa.Value) Place {
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return pl.PlaceAt(v.X)
		}
	case *ssa.Field:
		s := v.X.Type().Underlying().(*types.Struct)
		if f := s.Field(v.Field).Origin(); pl.isPlace(f.Type()) {
			return f
		}
	}
	return nil
}

// PlacesOfMap gives the places that a map is kept in: the one that it is loaded
// from, or those in which a new one is stored.
func (pl *Places) PlacesOfMap(m ssa.Value) []Place {
	if at := pl.PlaceFrom(m); at != nil {
		return []Place{at}
	}
	made, ok := m.(*ssa.MakeMap)
	if !ok {
		return nil
	}
	var out []Place
	for _, r := range *made.Referrers() {
		if s, ok := r.(*ssa.Store); ok && s.Val == made {
			if at := pl.PlaceAt(s.Addr); at != nil {
				out = append(out, at)
			}
		}
	}
	return out
}

func (pl *Places) placeUses(f *ssa.Function, instr ssa.Instruction) {
	open := func(at Place) {
		if at != nil {
			pl.Open[at] = true
		}
	}
	for _, o := range instr.Operands(nil) {
		if g, ok := (*o).(*ssa.Global); ok && !loadsOrStores(instr, g) && !usesArray(instr, g) {
			open(pl.PlaceAt(g))
		}
	}
	switch v := instr.(type) {
	case *ssa.FieldAddr:
		if at := pl.PlaceAt(v); at != nil && !pl.ownField(at) {
			open(at)
		} else if at != nil && slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool { return !loadsOrStores(r, v) && !usesArray(r, v) }) {
			open(at)
		}
	case *ssa.ChangeType: // the fields of one struct become those of another one
		if s, ok := v.Type().Underlying().(*types.Struct); ok {
			for i := range s.NumFields() {
				open(s.Field(i).Origin())
			}
		}
	case *ssa.Store:
		if at := pl.PlaceAt(v.Addr); at != nil {
			pl.storesIn(f, at, v)
		}
		if list, _ := pl.ElementPlaces(v.Addr); len(list) > 0 {
			pl.writesIn(f, list)
		}
	case *ssa.MapUpdate:
		if len(pl.PlacesOfMap(v.Map)) > 0 {
			pl.writes(f, v.Map)
		}
	}
	if v, ok := instr.(ssa.Value); ok {
		if at := pl.PlaceFrom(v); at != nil && (pl.IsStmtMap(v.Type()) && !pl.harmless(v, at, 0) || pl.isStmtList(v.Type()) && !pl.harmlessList(v, at, 0)) {
			open(at)
		}
	}
}

// loadsOrStores reports whether an instruction does nothing with an address but
// that.
func loadsOrStores(instr ssa.Instruction, addr ssa.Value) bool {
	switch i := instr.(type) {
	case *ssa.UnOp:
		return i.Op == token.MUL
	case *ssa.Store:
		return i.Addr == addr && i.Val != addr
	case *ssa.DebugRef:
		return true
	}
	return false
}

// storesIn looks at what is stored in a place.
func (pl *Places) storesIn(f *ssa.Function, at Place, s *ssa.Store) {
	if pl.PlaceFrom(s.Val) == at || IsNilConst(s.Val) {
		return
	}
	if pl.isStmtList(s.Val.Type()) {
		if !pl.newList(s.Val, at) {
			pl.Open[at] = true
		}
		return
	}
	if !pl.IsStmtMap(s.Val.Type()) {
		pl.writes(f, s.Addr)
		return
	}
	m, ok := s.Val.(*ssa.MakeMap)
	if !ok || !pl.harmless(m, at, 0) {
		pl.Open[at] = true
	}
}

// IsNilConst reports whether a value is the constant nil.
func IsNilConst(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value == nil
}

// writes records that a function stores statements in a place, or in a map that
// is kept in some.
func (pl *Places) writes(f *ssa.Function, where ssa.Value) {
	list := pl.PlacesOfMap(where)
	if at := pl.PlaceAt(where); at != nil {
		list = append(list, at)
	}
	pl.writesIn(f, list)
}

// writesIn records that a function stores statements in places.
func (pl *Places) writesIn(f *ssa.Function, list []Place) {
	pl.Writers[f] = append(pl.Writers[f], list...)
	for _, at := range list {
		if f.Synthetic != "" || f.Parent() != nil && !pl.p.Relevant[f] { // it is not read
			pl.Open[at] = true
		}
	}
}

// harmless reports whether a map that is kept in a place is used there only: looked
// up, changed, and gone through.
func (pl *Places) harmless(m ssa.Value, at Place, depth int) bool {
	return !slices.ContainsFunc(*m.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.MapUpdate:
			return r.Map != m
		case *ssa.Lookup, *ssa.Range, *ssa.DebugRef, *ssa.BinOp:
			return false
		case *ssa.Store:
			return r.Val != m || pl.PlaceAt(r.Addr) != at
		case *ssa.Call:
			if _, ok := r.Call.Value.(*ssa.Builtin); ok {
				return false
			}
			return !gives(&r.Call, m, depth, func(param *ssa.Parameter) bool { return pl.readOnly(param, at, depth+1) })
		}
		return true
	})
}

// gives reports whether a call gives a value only to parameters of a function that is
// read, and fine.
func gives(c *ssa.CallCommon, v ssa.Value, depth int, fine func(p *ssa.Parameter) bool) bool {
	f := c.StaticCallee()
	if f == nil || len(f.Blocks) == 0 || depth > 2 {
		return false
	}
	for i, a := range c.Args {
		if a == v && (i >= len(f.Params) || !fine(f.Params[i])) {
			return false
		}
	}
	return true
}

// readOnly reports whether a parameter that gets a map is not changed.
func (pl *Places) readOnly(m ssa.Value, at Place, depth int) bool {
	for _, r := range *m.Referrers() {
		if _, changes := r.(*ssa.MapUpdate); changes {
			return false
		}
	}
	return pl.harmless(m, at, depth)
}

// ownField reports whether all that use a field are read.
func (pl *Places) ownField(at Place) bool {
	f, ok := at.(*types.Var)
	return !ok || slices.ContainsFunc(pl.p.Pkgs, func(pkg *ssa.Package) bool { return pkg.Pkg == f.Pkg() })
}

// Only gives the one function of a type that the program uses as a value, nil if
// there are none or several.
func (p *Program) Only(sig *types.Signature) *ssa.Function {
	if list := p.Values(sig); len(list) == 1 {
		return list[0]
	}
	return nil
}

// Values gives the functions of a type that the program uses as values. For the value of a method
// the list has the function that calls it.
func (p *Program) Values(sig *types.Signature) (list []*ssa.Function) {
	for _, f := range p.values {
		if types.Identical(f.Signature, sig) && !slices.Contains(list, f) {
			list = append(list, f)
		}
	}
	return list
}

// OnlyCalled reports whether every use of a function is a call of it by its name,
// which is interpreted with its caller.
func (p *Program) OnlyCalled(f *ssa.Function) bool {
	if slices.Contains(p.values, f) {
		return false
	}
	for _, u := range p.Users[f] {
		calls := false
		for _, b := range u.Blocks {
			for _, instr := range b.Instrs {
				c, ok := instr.(ssa.CallInstruction)
				if !ok || c.Common().StaticCallee() != f {
					continue
				}
				if _, isGo := instr.(*ssa.Go); isGo {
					return false
				}
				calls = true
			}
		}
		if !calls { // through an interface
			return false
		}
	}
	return true
}

// ReadElsewhere reports whether a function reads a package variable that is not called as a part of f alone.
func (p *Program) ReadElsewhere(g *ssa.Global, f *ssa.Function) bool {
	found := g.Object() != nil && g.Object().Exported() && !p.Places.Whole
	for _, r := range p.Funcs {
		if found || r == f || r.Parent() != nil {
			continue
		}
		if p.reads(r, g) && !(p.OnlyCalled(r) && p.LeadsTo(f, r)) {
			found = true
		}
	}
	return found
}

// reads reports whether a function, or one in it, reads a package variable.
func (p *Program) reads(f *ssa.Function, g *ssa.Global) bool {
	found := false
	gotypes.EachInstr(f, func(instr ssa.Instruction) {
		s, isStore := instr.(*ssa.Store)
		for _, o := range instr.Operands(nil) {
			found = found || *o == g && !(isStore && o == &s.Addr)
		}
	})
	return found
}

// SetsField reports whether a function that was read sets a field.
func (p *Program) SetsField(field *types.Var) bool {
	if p.fields == nil {
		p.fields = map[*types.Var]bool{}
		for _, f := range p.outermostFuncs() {
			gotypes.EachInstr(f, func(instr ssa.Instruction) {
				if s, ok := instr.(*ssa.Store); ok {
					if at, ok := s.Addr.(*ssa.FieldAddr); ok {
						p.fields[gotypes.Deref(at.X.Type()).Underlying().(*types.Struct).Field(at.Field).Origin()] = true
					}
				}
			})
		}
	}
	return p.fields[field.Origin()]
}

// Exported reports whether other packages may use a place.
func Exported(at Place) bool {
	switch at := at.(type) {
	case *types.Var:
		return at.Exported()
	case *ssa.Global:
		return token.IsExported(at.Name())
	}
	panic("analyzer: unknown place")
}
