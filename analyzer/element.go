package analyzer

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

func (in *interp) indexAddr(v *ssa.IndexAddr) value {
	x := unbox(in.value(v.X))
	i, known := constOf(in.value(v.Index))
	elem := v.Type().(*types.Pointer).Elem()
	if elems, ok := in.elementsOf(x); ok && !known && in.choosable(elems) && !isText(elem) && loadedAtOnce(v) {
		return &pointer{to: in.chosen(in.value(v.Index), elems, elem)}
	}
	some := &pointer{to: in.newCell(elem, "element", unknown)}
	switch x := x.(type) {
	case *pointer:
		if known {
			if p := x.to.part(int(i.I)); p != nil {
				return &pointer{to: p}
			}
		}
		some.to.alias = x.to.elements()
		x.to.eachLeaf(func(c *cell) {
			if w, ok := in.st.mem[c]; ok {
				in.emitValue(w)
			}
		})
	case span:
		if known && i.I < int64(x.n) {
			if p := x.array.part(int(i.I)); p != nil {
				return &pointer{to: p}
			}
		}
		some.to.alias = x.array.elements()
		in.emitValue(x)
		in.lead(elem, x)
	case *list:
		if !onlyRead(v) {
			in.emitValue(x)
			in.overwrite(x)
			in.lead(elem, x)
			break
		}
		if known && !in.written(x) && i.I >= 0 && i.I < int64(len(x.elems)) {
			c := in.newCell(elem, "element", zeroed)
			in.store(c, x.elems[i.I])
			return &pointer{to: c}
		}
		in.emitValue(x)
		in.lead(elem, x)
	default:
		in.emitValue(x)
	}
	return some
}

// lead makes unknown what the elements of a slice point to, one of which is taken.
func (in *interp) lead(elem types.Type, x value) {
	if isPointer(elem) {
		in.expose(x)
	}
}

// onlyRead reports whether nothing is written through an address.
func onlyRead(v ssa.Value) bool {
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.FieldAddr:
			if !onlyRead(r) {
				return false
			}
		case *ssa.IndexAddr:
			if !onlyRead(r) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// maxChosen bounds the elements of a list of which one is chosen by its index.
const maxChosen = 4

// elementsOf gives the elements of a slice that are known.
func (in *interp) elementsOf(x value) ([]value, bool) {
	if s, ok := x.(span); ok {
		for i := range s.n {
			if s.array.part(i) == nil {
				return nil, false
			}
		}
	}
	return in.listOf(x)
}

// choosable reports whether one of some elements can be chosen: there is just one, or they
// are scalars, or structs of scalars. Texts are chosen where they are used (textAt).
func (in *interp) choosable(elems []value) bool {
	var plain func(v value) bool
	plain = func(v value) bool {
		switch v := unbox(v).(type) {
		case scalar:
			return true
		case *aggregate:
			return !slices.ContainsFunc(v.parts, func(p value) bool { return !plain(p) })
		}
		return false
	}
	return len(elems) == 1 || len(elems) > 0 && len(elems) <= maxChosen && !slices.ContainsFunc(elems, func(v value) bool { return !plain(v) })
}

// loadedAtOnce reports whether an element is only loaded, before anything else happens.
func loadedAtOnce(v *ssa.IndexAddr) bool {
	list := v.Block().Instrs
	at := slices.Index(list, ssa.Instruction(v))
	for _, r := range *v.Referrers() {
		if _, isDebug := r.(*ssa.DebugRef); isDebug {
			continue
		}
		if load, ok := r.(*ssa.UnOp); !ok || load.Op != token.MUL || at+1 >= len(list) || list[at+1] != r {
			return false
		}
	}
	return true
}

// chosen gives a copy of the element with an index, which is that of one of them, or
// the program panics.
func (in *interp) chosen(index value, elems []value, t types.Type) *cell {
	c := in.newCell(t, "element", zeroed)
	i := in.scalarOf(index).e
	var from func(k int)
	from = func(k int) {
		if k+1 == len(elems) {
			in.store(c, elems[k])
			return
		}
		in.either(op("==", i, constInt(int64(k))), func() { in.store(c, elems[k]) }, func() { from(k + 1) })
	}
	from(0)
	return c
}

func (in *interp) lookup(v *ssa.Lookup) value {
	x, k := in.value(v.X), in.value(v.Index)
	if m, isMap := v.X.Type().Underlying().(*types.Map); isMap {
		if w, has, ok := in.mapLookup(x, k, m.Elem()); ok {
			if v.CommaOk {
				return tuple{w, scalar{has, client.Bool}}
			}
			return w
		}
	}
	if s, ok := in.keptIn(placeFrom(v.X), k); ok {
		in.emitValue(k)
		if v.CommaOk {
			return tuple{s, scalar{client.V(in.newVar("ok", client.Bool, false, unknown)), client.Bool}}
		}
		return s
	}
	in.emitValue(x)
	in.emitValue(k)
	return in.fresh(v.Type(), "item", unknown)
}

func (in *interp) slice(v *ssa.Slice) value {
	x := unbox(in.value(v.X))
	if v.Low == nil && v.High == nil {
		if p, ok := x.(*pointer); ok {
			if a, isArray := p.to.t.Underlying().(*types.Array); isArray {
				if p.to.part(0) != nil || a.Len() == 0 {
					return span{p.to, int(a.Len())}
				}
				return in.arrayList(p, int(a.Len()))
			}
		}
		return x
	}
	if _, isList := x.(*list); isList {
		if hi, ok := constOf(in.orNil(v.High)); ok && hi.Kind == ir.KindInt && hi.I == 0 {
			return &list{}
		}
	}
	if p, ok := x.(*pointer); ok && v.Low == nil {
		if hi, known := constOf(in.orNil(v.High)); known && hi.Kind == ir.KindInt && hi.I == 0 { // make([]T, 0, n)
			_ = p
			return &list{}
		}
	}
	return in.derive(v.Type(), "slice", x, in.orNil(v.Low), in.orNil(v.High))
}

// arrayList gives the elements of an array whose parts are not kept apart.
func (in *interp) arrayList(p *pointer, n int) value {
	return in.derive(types.NewSlice(p.to.t.Underlying().(*types.Array).Elem()), "array", in.load(p.to))
}

func (in *interp) orNil(v ssa.Value) value {
	if v == nil {
		return scalar{client.C(ir.Null), client.Any}
	}
	return in.value(v)
}
