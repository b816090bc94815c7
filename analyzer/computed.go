package analyzer

import (
	"fmt"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/consteval"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// computed puts the texts that a function computes from what is known of its
// arguments into what is known of its results. args is what constants gave before the call.
func (in *interp) computed(f *ssa.Function, args *constantArgs, out value) value {
	if args == nil || in.st == nil {
		return out
	}
	t, ok := out.(tuple)
	if !ok {
		if in.unsettled(out) {
			out = in.withTexts(out, in.p.textsFor(f, args, 0))
			in.pair(f, args, out)
		}
		return out
	}
	t = slices.Clone(t)
	for i := range t {
		if isText(f.Signature.Results().At(i).Type()) && in.unsettled(t[i]) {
			t[i] = in.withTexts(t[i], in.p.textsFor(f, args, i))
		}
	}
	return t
}

// pair is a text that is computed from another one: by the text that the other one
// is, those that it may be.
type pair struct {
	of string // a variable, or an index (indexKey)
	by map[string][]string
}

// pair takes note of which texts belong to which of the texts of an argument.
func (in *interp) pair(f *ssa.Function, args *constantArgs, out value) {
	s, ok := unbox(out).(scalar)
	x, isVar := s.e.(*client.VarExpr)
	if !ok || !isVar || args.from == "" {
		return
	}
	p := pair{args.from, map[string][]string{}}
	for i, list := range args.lists {
		texts := in.p.textsFor(f, &constantArgs{lists: args.lists[i : i+1]}, 0)
		text, known := list[args.at].(string)
		if texts == nil || !known {
			return
		}
		p.by[text] = texts
	}
	in.pairs[x.Name] = in.through(p)
}

// through gives a pair that says the same about what its first text is computed
// from.
func (in *interp) through(p pair) pair {
	first, ok := in.pairs[p.of]
	if !ok {
		return p
	}
	out := pair{first.of, map[string][]string{}}
	for key, texts := range first.by {
		for _, t := range texts {
			out.by[key] = append(out.by[key], p.by[t]...)
		}
	}
	return out
}

// constantArgs are the arguments of a call as they are known: several lists where
// one is one of several texts. If just one is, from is its variable, and at where it
// stands.
type constantArgs struct {
	lists [][]consteval.Value
	from  string
	at    int
}

// constants gives what is known of the arguments of a function that may compute a
// text, nil for other functions.
func (in *interp) constants(f *ssa.Function, args []value) *constantArgs {
	if len(f.Blocks) == 0 || f.Parent() != nil || !givesText(f.Signature.Results()) || in.p.matters(f) {
		return nil
	}
	return in.constantArgs(args)
}

// givesText reports whether a text is among the results of a function.
func givesText(res *types.Tuple) bool {
	for i := range res.Len() {
		if isText(res.At(i).Type()) {
			return true
		}
	}
	return false
}

func isText(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// unsettled reports whether a part of a text is not known.
func (in *interp) unsettled(v value) bool {
	s, ok := unbox(v).(scalar)
	return ok && slices.ContainsFunc(in.textsOf(s.e), func(t string) bool { return strings.Contains(t, client.Hole) })
}

// textsFor gives the texts that a result of a function may be, nil if nothing is
// known of them.
func (p *program) textsFor(f *ssa.Function, args *constantArgs, result int) []string {
	var out []string
	for _, list := range args.lists {
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
	if out = withoutTwins(out); len(out) > maxTexts {
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
func (p *program) evaluate(f *ssa.Function, args []consteval.Value) ([][]consteval.Value, bool) {
	key := fmt.Sprintf("%p", f)
	for _, a := range args {
		key += " " + valueKey(a)
	}
	e, known := p.evaluations[key]
	if !known {
		eval := &consteval.Evaluator{Global: p.globalValue, Opaque: p.matters}
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

// withTexts gives v with the texts that it may be.
func (in *interp) withTexts(v value, texts []string) value {
	switch {
	case len(texts) == 0:
		return v
	case len(texts) == 1 && !strings.Contains(texts[0], client.Hole):
		return scalar{client.C(ir.Text(texts[0])), client.Text}
	}
	s := in.scalarOf(v)
	x, ok := s.e.(*client.VarExpr)
	if !ok {
		t := in.temp("text", client.Text, false)
		in.set(t, s.e)
		x = &client.VarExpr{Name: t}
	}
	in.texts[x.Name] = texts
	return scalar{x, client.Text}
}

// constantArgs gives the arguments of a call as they are known.
func (in *interp) constantArgs(args []value) *constantArgs {
	out := &constantArgs{lists: [][]consteval.Value{nil}}
	several := 0
	for i, a := range args {
		var some []consteval.Value
		s, ok := unbox(a).(scalar)
		if ok {
			for _, t := range in.textsOf(s.e) {
				some = append(some, textValue(t))
			}
		}
		if _, inInterface := a.(box); inInterface || len(some) < 2 || len(some)*len(out.lists) > maxTexts {
			some = []consteval.Value{in.constantArg(a)}
		} else if x, isVar := s.e.(*client.VarExpr); isVar {
			out.from, out.at = x.Name, i
		}
		if len(some) > 1 {
			several++
		}
		var longer [][]consteval.Value
		for _, l := range out.lists {
			for _, v := range some {
				longer = append(longer, append(slices.Clip(l), v))
			}
		}
		out.lists = longer
	}
	if several != 1 {
		out.from = ""
	}
	return out
}

// constantArg gives what is known of an argument.
func (in *interp) constantArg(v value) consteval.Value {
	switch v := v.(type) {
	case box:
		return consteval.Boxed{V: in.constantArg(v.v), T: v.t}
	case scalar:
		if texts := in.textsOf(v.e); len(texts) == 1 && texts[0] != client.Hole {
			return texts[0]
		} else if len(texts) > 1 {
			return textValue(commonText(texts))
		}
		c, ok := constOf(v)
		switch {
		case !ok:
		case c.Kind == ir.KindInt && v.kind == client.Int:
			return c.I
		case c.Kind == ir.KindBool:
			return c.IsTrue()
		}
	case *list, span:
		elems, _ := in.listOf(v)
		out := consteval.List{}
		for _, e := range elems {
			out = append(out, in.constantArg(e))
		}
		return out
	}
	return consteval.Unknown{}
}

// textValue gives a text as a value, of which nothing is known if it is a hole.
func textValue(s string) consteval.Value {
	if s == client.Hole {
		return consteval.Unknown{}
	}
	return s
}

// globalValue gives what a package variable holds that is set once, to a constant.
func (p *program) globalValue(g *ssa.Global) consteval.Value {
	if c := p.constantOf(g); c != nil {
		return constant.StringVal(c.Value)
	}
	return nil
}
