package analyzer

import (
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// Slices and arrays of prepared statements are places whose keys are the indexes of
// their elements. They are followed as long as elements are set by index: one that
// grows with append is not.

// isStmtList reports whether a type is a slice or array of prepared statements.
func isStmtList(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return isStmtPointer(u.Elem())
	case *types.Array:
		return isStmtPointer(u.Elem())
	}
	return false
}

// elementPlaces gives the places of whose elements an address is one.
func elementPlaces(addr ssa.Value) (list []place, index ssa.Value) {
	a, ok := addr.(*ssa.IndexAddr)
	if !ok {
		return nil, nil
	}
	if at := placeFrom(a.X); at != nil && isStmtList(a.X.Type()) {
		return []place{at}, a.Index
	}
	if at := placeAt(a.X); at != nil { // an array
		return []place{at}, a.Index
	}
	return placesOfNew(a.X), a.Index
}

// placesOfNew gives the places in which a new list is stored; of a literal, and of one
// with a constant length, x is the address of its array.
func placesOfNew(x ssa.Value) (out []place) {
	switch x := x.(type) {
	case *ssa.Alloc:
		for _, r := range *x.Referrers() {
			if s, ok := r.(*ssa.Slice); ok {
				out = append(out, placesOfNew(s)...)
			}
		}
	case *ssa.MakeSlice, *ssa.Slice:
		for _, r := range *x.Referrers() {
			if s, ok := r.(*ssa.Store); ok && s.Val == x {
				if at := placeAt(s.Addr); at != nil {
					out = append(out, at)
				}
			}
		}
	}
	return out
}

// newList reports whether a list that is stored in a place is a new one that only this
// place has.
func newList(v ssa.Value, at place) bool {
	switch v := v.(type) {
	case *ssa.MakeSlice:
		return harmlessList(v, at, 0)
	case *ssa.Slice:
		array, ok := v.X.(*ssa.Alloc)
		return ok && harmlessList(v, at, 0) && !slices.ContainsFunc(*array.Referrers(), func(r ssa.Instruction) bool {
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
func harmlessList(list ssa.Value, at place, depth int) bool {
	return !slices.ContainsFunc(*list.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.IndexAddr:
			return !usesElement(r, list)
		case *ssa.Index, *ssa.DebugRef, *ssa.BinOp:
			return false
		case *ssa.Store:
			return r.Val != list || placeAt(r.Addr) != at
		case *ssa.Call:
			if b, ok := r.Call.Value.(*ssa.Builtin); ok {
				return b.Name() != "len" && b.Name() != "cap"
			}
			return !gives(&r.Call, list, depth, func(p *ssa.Parameter) bool { return looksOnly(p, at, depth+1) })
		}
		return true
	})
}

// looksOnly reports whether no element of a parameter that gets a list is set.
func looksOnly(list ssa.Value, at place, depth int) bool {
	for _, r := range *list.Referrers() {
		if a, ok := r.(*ssa.IndexAddr); ok && slices.ContainsFunc(*a.Referrers(), isStore) {
			return false
		}
	}
	return harmlessList(list, at, depth)
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

// pairIndex takes note that a text is that of a list with an index that is not
// constant: which one belongs to which index.
func (in *interp) pairIndex(index value, texts []string, out value) {
	s, ok := unbox(out).(scalar)
	x, isVar := s.e.(*client.VarExpr)
	if !ok || !isVar {
		return
	}
	p := pair{indexKey(in.scalarOf(index).e), map[string][]string{}}
	for i, t := range texts {
		p.by[itoa(i)] = []string{t}
	}
	in.indexes[x.Name] = p
}

// byIndex gives the texts that a statement has by the index of the list of which its
// text is an element, or is computed from one; nil if there is no such list.
func (in *interp) byIndex(sql, index client.Expr) map[string][]string {
	x, ok := sql.(*client.VarExpr)
	if !ok {
		return nil
	}
	if p, ok := in.indexes[x.Name]; ok && p.of == indexKey(index) {
		return p.by
	}
	from := in.pairs[x.Name]
	p, ok := in.indexes[from.of]
	if !ok || p.of != indexKey(index) {
		return nil
	}
	out := map[string][]string{}
	for i, list := range p.by {
		for _, t := range list {
			if from.by[t] == nil {
				return nil
			}
			out[i] = append(out[i], from.by[t]...)
		}
	}
	return out
}

// indexKey names an index as what a text is computed from.
func indexKey(e client.Expr) string { return "index " + client.ExprString(e) }

// keepAt takes note that a statement is stored in elements of places.
func (in *interp) keepAt(list []place, index, v value) {
	if len(list) == 0 {
		return
	}
	e := in.scalarOf(index).e
	if s, ok := unbox(v).(*prepared); ok && !s.byName && in.trace == nil && in.site == "" {
		if by := in.byIndex(in.scalarOf(s.sql).e, e); by != nil {
			for _, i := range slices.Sorted(maps.Keys(by)) {
				for _, at := range list {
					in.result.kept = append(in.result.kept, keptStmt{at: at, keys: []string{i}, stmt: s, texts: by[i]})
				}
			}
			return
		}
	}
	before := len(in.result.kept)
	in.keep(list, scalar{client.C(ir.Text(indexText(e))), client.Text}, v)
	if !in.given(e) {
		return
	}
	for i := before; i < len(in.result.kept); i++ {
		in.result.kept[i].partial = true
		in.result.fromCaller("the index of a statement that is kept comes from its caller", in.pos)
	}
}

// indexText gives the key of an element.
func indexText(e client.Expr) string {
	if c, ok := e.(*client.Const); ok && c.Value.Kind == ir.KindInt {
		return itoa(int(c.Value.I))
	}
	return client.Hole
}

// keptAt gives the statement that is kept in an element of a place. Where it may be one
// of several, nothing is known of it: not each of them is one that is meant.
func (in *interp) keptAt(addr ssa.Value) (*prepared, bool) {
	list, index := elementPlaces(addr)
	if len(list) != 1 {
		return nil, false
	}
	key := indexText(in.scalarOf(in.value(index)).e)
	s, ok := in.keptIn(list[0], scalar{client.C(ir.Text(key)), client.Text})
	if !ok || len(in.textsOf(s.sql.(scalar).e)) > 1 && in.vague(list[0], key) {
		return nil, false
	}
	return s, true
}

// vague reports whether it is not certain which elements of a list have a key.
func (in *interp) vague(at place, key string) bool {
	return key == client.Hole || slices.ContainsFunc(in.p.places.kept[at], func(k keptStmt) bool { return !slices.Equal(k.keys, []string{key}) && mayMeet(k.keys, []string{key}) })
}
