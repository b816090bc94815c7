package absint

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/hole"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// loadTexts gives the list of constant texts that a package variable holds and nobody changes.
func loadTexts(in *interp, g *ssa.Global) (memory.Value, bool) {
	if _, isSlice := gotypes.Deref(g.Type()).Underlying().(*types.Slice); !isSlice {
		return nil, false
	}
	texts := in.P.TextsIn(g)
	if len(texts) == 0 || slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, client.Hole) }) {
		return nil, false
	}
	var elems []memory.Value
	for _, s := range texts {
		elems = append(elems, memory.Of(client.C(ir.Text(s)), client.Text))
	}
	return in.NewList(elems), true
}

// textAt gives the text at an address with all that it may be, if it is one of a
// list that is known.
func (in *interp) textAt(addr ssa.Value, v memory.Value) memory.Value {
	if i, ok := addr.(*ssa.IndexAddr); ok {
		return in.textIn(i.X, i.Index, v)
	}
	if at, ok := addr.(*ssa.FieldAddr); ok && in.Unsettled(v) {
		field := gotypes.Deref(at.X.Type()).Underlying().(*types.Struct).Field(at.Field)
		return in.WithTexts(v, in.Shared.StoredIn(field))
	}
	return v
}

// textIn gives an element of a list, or of the array at an address, in the same way.
func (in *interp) textIn(x, index ssa.Value, v memory.Value) memory.Value {
	if !in.Unsettled(v) {
		return v
	}
	key := elementOf{x, index}
	list := in.elementTexts(x)
	if g := program.GlobalOf(x); g != nil {
		list, key.list = in.P.TextsIn(g), g
		if known, ok := in.act.elements[key]; ok {
			return known
		}
	}
	if at, known := memory.ConstOf(in.value(index)); known && key.list != x && at.Kind == ir.KindInt && at.I >= 0 && at.I < int64(len(list)) {
		list = list[at.I : at.I+1]
	}
	var texts []string
	for _, s := range list {
		if s == client.Hole {
			return v
		}
		if !slices.Contains(texts, s) {
			texts = append(texts, s)
		}
	}
	if len(texts) > hole.MaxTexts {
		return v
	}
	if len(texts) > 1 {
		in.EmitValue(in.value(index))
	}
	out := in.WithTexts(v, texts)
	if elems, ok := in.ListOf(in.value(x)); key.list != x || ok && len(elems) == len(list) { // a text for each
		in.PairIndex(in.value(index), list, out)
	}
	if _, isGlobal := key.list.(*ssa.Global); isGlobal {
		in.act.elements[key] = out
	}
	return out
}

// elementOf is an element of a list.
type elementOf struct{ list, index ssa.Value }

// elementTexts gives what the elements of a list, or of the array at an address,
// may be now.
func (in *interp) elementTexts(x ssa.Value) []string {
	elems, ok := in.ListOf(in.value(x))
	if p, isPointer := memory.Unbox(in.value(x)).(*memory.Pointer); isPointer && !p.To.Whole() {
		elems, ok = nil, true
		for _, c := range p.To.Elements() {
			elems = append(elems, in.Load(c))
		}
	}
	if !ok {
		return nil
	}
	var out []string
	for _, e := range elems {
		s, isScalar := memory.Unbox(e).(memory.Scalar)
		if !isScalar {
			return nil
		}
		out = append(out, in.TextsOf(s.E)...)
	}
	return out
}
