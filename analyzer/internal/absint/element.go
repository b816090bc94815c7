package absint

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

func (in *interp) indexAddr(v *ssa.IndexAddr) memory.Value {
	x := memory.Unbox(in.value(v.X))
	i, known := memory.ConstOf(in.value(v.Index))
	elem := v.Type().(*types.Pointer).Elem()
	if elems, ok := in.elementsOf(x); ok && !known && in.choosable(elems) && !gotypes.IsText(elem) && loadedAtOnce(v) {
		return &memory.Pointer{To: in.chosen(in.value(v.Index), elems, elem)}
	}
	some := &memory.Pointer{To: in.NewCell(elem, "element", memory.Unknown)}
	switch x := x.(type) {
	case *memory.Pointer:
		if known {
			if p := x.To.Part(int(i.I)); p != nil {
				return &memory.Pointer{To: p}
			}
		}
		some.To.Alias = x.To.Elements()
		x.To.EachLeaf(func(c *memory.Cell) {
			if w, ok := in.St.Mem[c]; ok {
				in.EmitValue(w)
			}
		})
	case memory.Span:
		if known && i.I < int64(x.N) {
			if p := x.Array.Part(int(i.I)); p != nil {
				return &memory.Pointer{To: p}
			}
		}
		some.To.Alias = x.Array.Elements()
		in.EmitValue(x)
		in.lead(elem, x)
	case *memory.List:
		memory.Element(in.Memory, some.To, x, v.X.Type())
		if !onlyRead(v) {
			in.EmitValue(x)
			in.Overwrite(x)
			in.lead(elem, x)
			break
		}
		if known && !in.Written(x) && i.I >= 0 && i.I < int64(len(x.Elems)) {
			c := in.NewCell(elem, "element", memory.Zeroed)
			in.Store(c, x.Elems[i.I])
			return &memory.Pointer{To: c}
		}
		in.EmitValue(x)
		in.lead(elem, x)
	default:
		if onlyRead(v) {
			if w, ok := memory.ElementAt(in.Memory, x, in.ScalarOf(in.value(v.Index)).E, elem); ok {
				c := in.NewCell(elem, "element", memory.Zeroed)
				in.Store(c, w)
				return &memory.Pointer{To: c}
			}
		}
		memory.Element(in.Memory, some.To, x, v.X.Type())
		in.EmitValue(x)
		if !onlyRead(v) {
			memory.ChangesElements(in.Memory, in.ScalarOf(x).E)
		}
		if s, ok := x.(memory.Scalar); ok && in.Given(s.E) { // what the caller gives is not what was collected
			if onlyRead(v) {
				some.To = memory.SameElement(in.Memory, x, in.ScalarOf(in.value(v.Index)).E, some.To)
			}
			break
		}
		if w, ok := memory.ElementOf(in.Memory, v.X.Type(), "", elem); ok {
			c := in.NewCell(elem, "element", memory.Zeroed)
			in.Store(c, w)
			return &memory.Pointer{To: c}
		}
	}
	return some
}

// lead makes unknown what the elements of a slice point to, one of which is taken.
func (in *interp) lead(elem types.Type, x memory.Value) {
	if gotypes.IsPointer(elem) {
		in.Expose(x)
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

// maxFunctions bounds the functions of a list of which one is chosen.
const maxFunctions = 8

// elementsOf gives the elements of a slice that are known.
func (in *interp) elementsOf(x memory.Value) ([]memory.Value, bool) {
	if s, ok := x.(memory.Span); ok {
		for i := range s.N {
			if s.Array.Part(i) == nil {
				return nil, false
			}
		}
	}
	return in.ListOf(x)
}

// choosable reports whether one of some elements can be chosen: there is just one, or they
// are functions, scalars, or structs of scalars. Texts are chosen where they are used (textAt).
func (in *interp) choosable(elems []memory.Value) bool {
	var plain func(v memory.Value) bool
	plain = func(v memory.Value) bool {
		switch v := memory.Unbox(v).(type) {
		case memory.Scalar:
			return true
		case *memory.Aggregate:
			return !slices.ContainsFunc(v.Parts, func(p memory.Value) bool { return !plain(p) })
		}
		return false
	}
	if memory.AllOf[*memory.Closure](unboxed(elems)) {
		return len(elems) > 0 && len(elems) <= maxFunctions
	}
	return len(elems) == 1 || len(elems) > 0 && len(elems) <= maxChosen && !slices.ContainsFunc(elems, func(v memory.Value) bool { return !plain(v) })
}

// unboxed gives values without the interfaces around them.
func unboxed(list []memory.Value) []memory.Value {
	var out []memory.Value
	for _, v := range list {
		out = append(out, memory.Unbox(v))
	}
	return out
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
func (in *interp) chosen(index memory.Value, elems []memory.Value, t types.Type) *memory.Cell {
	c := in.NewCell(t, "element", memory.Zeroed)
	i := in.ScalarOf(index).E
	var from func(k int)
	from = func(k int) {
		if k+1 == len(elems) {
			in.Store(c, elems[k])
			return
		}
		in.Either(memory.Op("==", i, memory.ConstInt(int64(k))), func() { in.Store(c, elems[k]) }, func() { from(k + 1) })
	}
	from(0)
	return c
}

func (in *interp) lookup(v *ssa.Lookup) memory.Value {
	x, k := in.value(v.X), in.value(v.Index)
	if m, isMap := v.X.Type().Underlying().(*types.Map); isMap {
		if w, has, ok := in.MapLookup(x, k, m.Elem()); ok {
			if v.CommaOk {
				return memory.Tuple{w, memory.Of(has, client.Bool)}
			}
			return w
		}
	}
	if w, ok := chosenEntry(in, v, x, k); ok {
		return w
	}
	if s, ok := in.KeptIn(in.P.Places.PlaceFrom(v.X), k); ok {
		in.EmitValue(k)
		if v.CommaOk {
			return memory.Tuple{s, memory.Of(client.V(in.NewVar("ok", client.Bool, false, memory.Unknown)), client.Bool)}
		}
		return s
	}
	in.EmitValue(x)
	in.EmitValue(k)
	if m, isMap := v.X.Type().Underlying().(*types.Map); isMap {
		if w, ok := memory.ElementOf(in.Memory, v.X.Type(), "", m.Elem()); ok {
			if v.CommaOk {
				return memory.Tuple{w, memory.Of(client.V(in.NewVar("ok", client.Bool, false, memory.Unknown)), client.Bool)}
			}
			return w
		}
	}
	if m, isMap := v.X.Type().Underlying().(*types.Map); isMap {
		if w, ok := givenEntry(in, v, m, memory.Unbox(x), k); ok {
			return w
		}
	}
	var item memory.Value
	memory.OfElement(in.Memory, x, v.X.Type(), func() {
		memory.Computed(in.Memory, []memory.Value{k}, nil, func() { item = in.Fresh(v.Type(), "item", memory.Unknown) })
	})
	return item
}

// chosenEntry gives the entry of a map that is known, by a key that is not: the one with this key, or none. A text is chosen
// where it is used.
func chosenEntry(in *interp, v *ssa.Lookup, x, k memory.Value) (memory.Value, bool) {
	m, isMap := v.X.Type().Underlying().(*types.Map)
	list, known := in.EntriesOf(x)
	if _, isDict := memory.Unbox(x).(*memory.Dict); !isMap || !isDict || !known || len(list) == 0 || len(list) > maxFunctions || gotypes.IsText(m.Elem()) {
		return nil, false
	}
	if slices.ContainsFunc(list, func(e memory.Entry) bool { return e.When != nil || !isChoice(e.V) }) {
		return nil, false
	}
	item, has := in.NewCell(m.Elem(), "item", memory.Zeroed), in.NewCell(gotypes.BoolType, "has", memory.Zeroed)
	key := in.ScalarOf(k).E
	var from func(i int)
	from = func(i int) {
		if i == len(list) {
			in.Store(item, in.Zero(m.Elem()))
			in.Store(has, memory.Of(client.False, client.Bool))
			return
		}
		in.Either(memory.Op("==", key, client.C(ir.Text(list[i].Key))), func() {
			in.Store(item, list[i].V)
			in.Store(has, memory.Of(client.True, client.Bool))
		}, func() { from(i + 1) })
	}
	from(0)
	if v.CommaOk {
		return memory.Tuple{in.Load(item), in.Load(has)}, true
	}
	return in.Load(item), true
}

// isChoice reports whether a value can be chosen: it is a function, a scalar, or a struct of these.
func isChoice(v memory.Value) bool {
	switch v := memory.Unbox(v).(type) {
	case memory.Scalar, *memory.Closure:
		return true
	case *memory.Aggregate:
		return !slices.ContainsFunc(v.Parts, func(p memory.Value) bool { return !isChoice(p) })
	}
	return false
}

// givenEntry gives the entry of a map that the caller gives.
func givenEntry(in *interp, v *ssa.Lookup, m *types.Map, x, k memory.Value) (memory.Value, bool) {
	s, ok := x.(memory.Scalar)
	if !ok || !in.Given(s.E) {
		return nil, false
	}
	at := func(t types.Type) memory.Value {
		c := in.NewCell(t, "item", memory.Unknown)
		memory.Element(in.Memory, c, x, m)
		return in.Load(memory.SameElement(in.Memory, x, in.ScalarOf(k).E, c))
	}
	if !v.CommaOk {
		return at(m.Elem()), true
	}
	if types.Identical(m.Elem(), gotypes.BoolType) {
		return nil, false
	}
	return memory.Tuple{at(m.Elem()), at(gotypes.BoolType)}, true
}

func (in *interp) slice(v *ssa.Slice) memory.Value {
	x := memory.Unbox(in.value(v.X))
	if v.Low == nil && v.High == nil {
		if p, ok := x.(*memory.Pointer); ok {
			if a, isArray := p.To.T.Underlying().(*types.Array); isArray {
				if p.To.Part(0) != nil || a.Len() == 0 {
					return memory.Span{Array: p.To, N: int(a.Len())}
				}
				return in.arrayList(p, int(a.Len()))
			}
		}
		return x
	}
	if _, isList := x.(*memory.List); isList {
		if hi, ok := memory.ConstOf(in.orNil(v.High)); ok && hi.Kind == ir.KindInt && hi.I == 0 {
			return &memory.List{}
		}
	}
	if p, ok := x.(*memory.Pointer); ok && v.Low == nil {
		if hi, known := memory.ConstOf(in.orNil(v.High)); known && hi.Kind == ir.KindInt && hi.I == 0 { // make([]T, 0, n)
			_ = p
			return &memory.List{}
		}
	}
	return in.Derive(v.Type(), "slice", x, in.orNil(v.Low), in.orNil(v.High))
}

// arrayList gives the elements of an array whose parts are not kept apart.
func (in *interp) arrayList(p *memory.Pointer, n int) memory.Value {
	return in.Derive(types.NewSlice(p.To.T.Underlying().(*types.Array).Elem()), "array", in.Load(p.To))
}

func (in *interp) orNil(v ssa.Value) memory.Value {
	if v == nil {
		return memory.Of(client.C(ir.Null), client.Any)
	}
	return in.value(v)
}

// keptAt gives the statement that is kept in an element of a place. Nothing is known of it
// where the element may have several.
func (in *interp) keptAt(addr ssa.Value) (*memory.Prepared, bool) {
	list, index := in.P.Places.ElementPlaces(addr)
	if len(list) != 1 {
		return nil, false
	}
	key := session.IndexText(in.ScalarOf(in.value(index)).E)
	s, ok := in.KeptIn(list[0], memory.Of(client.C(ir.Text(key)), client.Text))
	if !ok || len(in.TextsOf(s.SQL.(memory.Scalar).E)) > 1 && in.Vague(list[0], key) {
		return nil, false
	}
	return s, true
}
