package program

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/consteval"
	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/hole"
	"github.com/txrobust/robust/internal/client"
	"golang.org/x/tools/go/ssa"
)

// ConstantArgs are the arguments of a call as they are known: several lists where
// one is one of several texts. If just one is, from is its variable, and at where it
// stands.
type ConstantArgs struct {
	Lists [][]consteval.Value
	From  string
	At    int
}

// GivesText reports whether a text is among the results of a function.
func GivesText(res *types.Tuple) bool {
	for i := range res.Len() {
		if gotypes.IsText(res.At(i).Type()) {
			return true
		}
	}
	return false
}

// TextsFor gives the texts that a result of a function may be, nil if nothing is
// known of them.
func (p *Program) TextsFor(f *ssa.Function, args *ConstantArgs, result int) []string {
	var out []string
	for _, list := range args.Lists {
		results, ok := p.evaluate(f, list)
		if !ok {
			return nil
		}
		for _, r := range results {
			s, isText := r[result].(string)
			if !isText || s == client.Hole {
				return nil
			}
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	if out = hole.WithoutTwins(out); len(out) > hole.MaxTexts {
		return nil
	}
	return out
}

// evaluation is what a function may return.
type evaluation struct {
	results [][]consteval.Value
	ok      bool
}

// evaluate gives what a function may return, once for equal arguments.
func (p *Program) evaluate(f *ssa.Function, args []consteval.Value) ([][]consteval.Value, bool) {
	key := fmt.Sprintf("%p", f)
	for _, a := range args {
		key += " " + valueKey(a)
	}
	e, known := p.evaluations[key]
	if !known {
		eval := &consteval.Evaluator{Global: p.globalValue, Opaque: p.Matters}
		e.results, e.ok = eval.Call(f, args)
		p.evaluations[key] = e
	}
	return e.results, e.ok
}

// valueKey gives texts that differ for values that differ.
func valueKey(v consteval.Value) string {
	switch v := v.(type) {
	case consteval.Boxed:
		return "(" + types.TypeString(v.T, nil) + " " + valueKey(v.V) + ")"
	case consteval.List:
		out := "["
		for _, e := range v {
			out += valueKey(e) + " "
		}
		return out + "]"
	}
	return fmt.Sprintf("%T%#v", v, v)
}

// globalValue gives what a package variable holds that is set once, to a constant.
func (p *Program) globalValue(g *ssa.Global) consteval.Value {
	if c := p.ConstantOf(g); c != nil {
		return constant.StringVal(c.Value)
	}
	return nil
}

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
		return gotypes.IsText(u.Elem())
	case *types.Array:
		return gotypes.IsText(u.Elem())
	}
	return false
}

// listUses looks at what an instruction does with variables that are lists of texts.
func (p *Program) listUses(f *ssa.Function, instr ssa.Instruction) {
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
		case p.readsList(instr, g, 0):
		case f.Pkg == g.Pkg && f.Parent() == nil && (f.Synthetic == "package initializer" || strings.HasPrefix(f.Name(), "init#")):
			if !slices.Contains(l.writers, f) {
				l.writers = append(l.writers, f)
			}
		default:
			l.changed = true
		}
	}
}

// readsList reports whether an instruction only looks at the elements of a list, whose
// address or, once it is loaded, value is list. depth is how many calls lead there.
func (p *Program) readsList(instr ssa.Instruction, list ssa.Value, depth int) bool {
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
		return i.Op == token.MUL && only(i, func(r ssa.Instruction) bool { return p.readsList(r, i, depth) })
	case *ssa.IndexAddr:
		return i.X == list && only(i, func(r ssa.Instruction) bool { return loadsOrStores(r, i) && !isStore(r) })
	case *ssa.Call:
		if b, ok := i.Call.Value.(*ssa.Builtin); ok {
			return b.Name() == "len" || b.Name() == "cap" || b.Name() == "append" && i.Call.Args[0] != list
		}
		f := i.Call.StaticCallee()
		if f != nil && f.Object() != nil && f.Object().Pkg() != nil && p.Know.reading[f.Object().Pkg().Path()] {
			return true
		}
		return gives(&i.Call, list, depth, func(param *ssa.Parameter) bool {
			return only(param, func(r ssa.Instruction) bool { return p.readsList(r, param, depth+1) })
		})
	}
	return false
}

func isStore(i ssa.Instruction) bool {
	_, ok := i.(*ssa.Store)
	return ok
}

// TextsIn gives the elements of a list of texts, nil if they are not known.
func (p *Program) TextsIn(g *ssa.Global) []string {
	l := p.lists[g]
	if l == nil || l.changed || p.namedElsewhere(g) {
		return nil
	}
	if l.done {
		return l.texts
	}
	l.done = true
	slices.SortFunc(l.writers, p.ByPlace)
	fns := l.writers
	if at := slices.IndexFunc(fns, func(f *ssa.Function) bool { return f.Synthetic != "" }); at >= 0 {
		fns = fns[at : at+1] // it calls the others
	}
	eval := &consteval.Evaluator{Global: p.globalValue, Opaque: func(f *ssa.Function) bool {
		return p.Matters(f) || strings.HasPrefix(f.Name(), "init#") && !slices.Contains(l.writers, f)
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

// GlobalOf gives the package variable that is a list, or its address, nil if it is
// something else.
func GlobalOf(list ssa.Value) *ssa.Global {
	if u, isLoad := list.(*ssa.UnOp); isLoad && u.Op == token.MUL {
		list = u.X
	}
	g, _ := list.(*ssa.Global)
	return g
}
