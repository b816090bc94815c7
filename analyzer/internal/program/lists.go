package program

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// isStmtList reports whether a type is a slice or array of prepared statements.
func (pl *Places) isStmtList(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return pl.IsStmtPointer(u.Elem())
	case *types.Array:
		return pl.IsStmtPointer(u.Elem())
	}
	return false
}

// ElementPlaces gives the places of whose elements an address is one.
func (pl *Places) ElementPlaces(addr ssa.Value) (list []Place, index ssa.Value) {
	a, ok := addr.(*ssa.IndexAddr)
	if !ok {
		return nil, nil
	}
	if at := pl.PlaceFrom(a.X); at != nil && pl.isStmtList(a.X.Type()) {
		return []Place{at}, a.Index
	}
	if at := pl.PlaceAt(a.X); at != nil { // an array
		return []Place{at}, a.Index
	}
	return pl.placesOfNew(a.X), a.Index
}

// placesOfNew gives the places in which a new list is stored; of a literal, and of one
// with a constant length, x is the address of its array.
func (pl *Places) placesOfNew(x ssa.Value) (out []Place) {
	switch x := x.(type) {
	case *ssa.Alloc:
		for _, r := range *x.Referrers() {
			if s, ok := r.(*ssa.Slice); ok {
				out = append(out, pl.placesOfNew(s)...)
			}
		}
	case *ssa.MakeSlice, *ssa.Slice:
		for _, r := range *x.Referrers() {
			if s, ok := r.(*ssa.Store); ok && s.Val == x {
				if at := pl.PlaceAt(s.Addr); at != nil {
					out = append(out, at)
				}
			}
		}
	}
	return out
}

// newList reports whether a list that is stored in a place is a new one that only this
// place has.
func (pl *Places) newList(v ssa.Value, at Place) bool {
	switch v := v.(type) {
	case *ssa.MakeSlice:
		return pl.harmlessList(v, at, 0)
	case *ssa.Slice:
		array, ok := v.X.(*ssa.Alloc)
		return ok && pl.harmlessList(v, at, 0) && !slices.ContainsFunc(*array.Referrers(), func(r ssa.Instruction) bool {
			_, isDebug := r.(*ssa.DebugRef)
			return r != ssa.Instruction(v) && !isDebug && !usesElement(r, array)
		})
	}
	return false
}

// usesElement reports whether an instruction gives the address of an element of a list,
// which is only loaded from and stored to.
func usesElement(instr ssa.Instruction, list ssa.Value) bool {
	a, ok := instr.(*ssa.IndexAddr)
	return ok && a.X == list && !slices.ContainsFunc(*a.Referrers(), func(r ssa.Instruction) bool { return !loadsOrStores(r, a) })
}

// harmlessList reports whether a list that is kept in a place is used there only: its
// elements are looked at and set.
func (pl *Places) harmlessList(list ssa.Value, at Place, depth int) bool {
	return !slices.ContainsFunc(*list.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.IndexAddr:
			return !usesElement(r, list)
		case *ssa.Index, *ssa.DebugRef, *ssa.BinOp:
			return false
		case *ssa.Store:
			return r.Val != list || pl.PlaceAt(r.Addr) != at
		case *ssa.Call:
			if b, ok := r.Call.Value.(*ssa.Builtin); ok {
				return b.Name() != "len" && b.Name() != "cap"
			}
			return !gives(&r.Call, list, depth, func(param *ssa.Parameter) bool { return pl.looksOnly(param, at, depth+1) })
		}
		return true
	})
}

// looksOnly reports whether no element of a parameter that gets a list is set.
func (pl *Places) looksOnly(list ssa.Value, at Place, depth int) bool {
	for _, r := range *list.Referrers() {
		if a, ok := r.(*ssa.IndexAddr); ok && slices.ContainsFunc(*a.Referrers(), isStore) {
			return false
		}
	}
	return pl.harmlessList(list, at, depth)
}

// usesArray reports whether an instruction looks at, or sets, elements of an array at
// an address.
func usesArray(instr ssa.Instruction, addr ssa.Value) bool {
	t, ok := addr.Type().Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	_, isArray := t.Elem().Underlying().(*types.Array)
	return isArray && usesElement(instr, addr)
}
