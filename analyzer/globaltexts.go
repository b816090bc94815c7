package analyzer

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/consteval"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// textList is a package variable with a list of texts, which only initializers of
// its package set.
type textList struct {
	// changed says that others may set it; writers are the initializers that do.
	changed bool
	writers []*ssa.Function
	// texts are its elements, once done says that they were looked for; nil if they
	// are not known.
	done  bool
	texts []string
}

// isTextList reports whether a type is a slice or array of texts.
func isTextList(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return isText(u.Elem())
	case *types.Array:
		return isText(u.Elem())
	}
	return false
}

// listUses looks at what an instruction does with variables that are lists of texts.
func (p *program) listUses(f *ssa.Function, instr ssa.Instruction) {
	for _, o := range instr.Operands(nil) {
		g, ok := (*o).(*ssa.Global)
		if !ok || !isTextList(g.Type().(*types.Pointer).Elem()) {
			continue
		}
		l := p.lists[g]
		if l == nil {
			l = &textList{}
			p.lists[g] = l
		}
		switch {
		case reads(instr, g):
		case f.Pkg == g.Pkg && f.Parent() == nil && (f.Synthetic == "package initializer" || strings.HasPrefix(f.Name(), "init#")):
			if !slices.Contains(l.writers, f) {
				l.writers = append(l.writers, f)
			}
		default:
			l.changed = true
		}
	}
}

// reads reports whether an instruction only looks at the elements of a list, whose
// address or, once it is loaded, value is list.
func reads(instr ssa.Instruction, list ssa.Value) bool {
	only := func(v ssa.Value, is func(ssa.Instruction) bool) bool {
		return !slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool { return !is(r) })
	}
	switch i := instr.(type) {
	case *ssa.DebugRef, *ssa.BinOp:
		return true
	case *ssa.UnOp:
		if _, isArray := i.Type().Underlying().(*types.Array); isArray { // a copy
			return true
		}
		return i.Op == token.MUL && only(i, func(r ssa.Instruction) bool { return reads(r, i) })
	case *ssa.IndexAddr:
		return i.X == list && only(i, func(r ssa.Instruction) bool { return loadsOrStores(r, i) && !isStore(r) })
	case *ssa.Call:
		if b, ok := i.Call.Value.(*ssa.Builtin); ok {
			return b.Name() == "len" || b.Name() == "cap"
		}
		f := i.Call.StaticCallee()
		return f != nil && fullName(f) == "strings.Join"
	}
	return false
}

func isStore(i ssa.Instruction) bool {
	_, ok := i.(*ssa.Store)
	return ok
}

// textsIn gives the elements of a list of texts, nil if they are not known.
func (p *program) textsIn(g *ssa.Global) []string {
	l := p.lists[g]
	if l == nil || l.changed || !p.places.whole && token.IsExported(g.Name()) {
		return nil
	}
	if l.done {
		return l.texts
	}
	l.done = true
	slices.SortFunc(l.writers, p.byPlace)
	fns := l.writers
	if at := slices.IndexFunc(fns, func(f *ssa.Function) bool { return f.Synthetic != "" }); at >= 0 {
		fns = fns[at : at+1] // it calls the others
	}
	eval := &consteval.Evaluator{Global: p.globalValue, Opaque: func(f *ssa.Function) bool {
		return p.matters(f) || strings.HasPrefix(f.Name(), "init#") && !slices.Contains(l.writers, f)
	}}
	results, ok := eval.Final(g, fns)
	if !ok || len(results) != 1 {
		return nil
	}
	list, ok := results[0][0].(consteval.List)
	if !ok {
		return nil
	}
	for _, v := range list {
		s, isText := v.(string)
		if !isText {
			s = client.Hole
		}
		l.texts = append(l.texts, s)
	}
	return l.texts
}

// textAt gives the text at an address with all that it may be, if it is one of a
// list that is known.
func (in *interp) textAt(addr ssa.Value, v value) value {
	if i, ok := addr.(*ssa.IndexAddr); ok {
		return in.textIn(i.X, i.Index, v)
	}
	return v
}

// textIn gives an element of a list, or of the array at an address, in the same way.
func (in *interp) textIn(x, index ssa.Value, v value) value {
	if !in.unsettled(v) {
		return v
	}
	key := elementOf{x, index}
	list := in.elementTexts(x)
	if g := globalOf(x); g != nil {
		list, key.list = in.p.textsIn(g), g
		if known, ok := in.fr.elements[key]; ok {
			return known
		}
	}
	if at, known := constOf(in.value(index)); known && key.list != x && at.Kind == ir.KindInt && at.I >= 0 && at.I < int64(len(list)) {
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
	if len(texts) > maxTexts {
		return v
	}
	if len(texts) > 1 {
		in.emitValue(in.value(index))
	}
	out := in.withTexts(v, texts)
	if elems, ok := in.listOf(in.value(x)); key.list != x || ok && len(elems) == len(list) { // a text for each
		in.pairIndex(in.value(index), list, out)
	}
	if _, isGlobal := key.list.(*ssa.Global); isGlobal {
		in.fr.elements[key] = out
	}
	return out
}

// elementOf is an element of a list.
type elementOf struct{ list, index ssa.Value }

// globalOf gives the package variable that is a list, or its address, nil if it is
// something else.
func globalOf(list ssa.Value) *ssa.Global {
	if u, isLoad := list.(*ssa.UnOp); isLoad && u.Op == token.MUL {
		list = u.X
	}
	g, _ := list.(*ssa.Global)
	return g
}

// elementTexts gives what the elements of a list, or of the array at an address,
// may be now.
func (in *interp) elementTexts(x ssa.Value) []string {
	elems, ok := in.listOf(in.value(x))
	if p, isPointer := unbox(in.value(x)).(*pointer); isPointer && !p.to.whole() {
		elems, ok = nil, true
		for _, c := range p.to.elements() {
			elems = append(elems, in.load(c))
		}
	}
	if !ok {
		return nil
	}
	var out []string
	for _, e := range elems {
		s, isScalar := unbox(e).(scalar)
		if !isScalar {
			return nil
		}
		out = append(out, in.textsOf(s.e)...)
	}
	return out
}
