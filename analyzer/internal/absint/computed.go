package absint

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/consteval"
	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/hole"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// computed puts the texts that a function computes from what is known of its
// arguments into what is known of its results. args is what constants gave before the call.
func (in *interp) computed(f *ssa.Function, args *program.ConstantArgs, out memory.Value) memory.Value {
	if args == nil || in.St == nil {
		return out
	}
	t, ok := out.(memory.Tuple)
	if !ok {
		if in.Unsettled(out) {
			out = in.WithTexts(out, in.P.TextsFor(f, args, 0))
			in.pair(f, args, out)
		}
		return out
	}
	t = slices.Clone(t)
	for i := range t {
		if gotypes.IsText(f.Signature.Results().At(i).Type()) && in.Unsettled(t[i]) {
			t[i] = in.WithTexts(t[i], in.P.TextsFor(f, args, i))
		}
	}
	return t
}

// pair records which texts belong to which of the texts of an argument.
func (in *interp) pair(f *ssa.Function, args *program.ConstantArgs, out memory.Value) {
	s, ok := memory.Unbox(out).(memory.Scalar)
	x, isVar := s.E.(*client.VarExpr)
	if !ok || !isVar || args.From == "" {
		return
	}
	p := memory.Pair{Of: args.From, By: map[string][]string{}}
	for i, list := range args.Lists {
		texts := in.P.TextsFor(f, &program.ConstantArgs{Lists: args.Lists[i : i+1]}, 0)
		text, known := list[args.At].(string)
		if texts == nil || !known {
			return
		}
		p.By[text] = texts
	}
	in.Pairs[x.Name] = in.through(p)
}

// through gives a pair that says the same about what its first text is computed
// from.
func (in *interp) through(p memory.Pair) memory.Pair {
	first, ok := in.Pairs[p.Of]
	if !ok {
		return p
	}
	out := memory.Pair{Of: first.Of, By: map[string][]string{}}
	for key, texts := range first.By {
		for _, t := range texts {
			out.By[key] = append(out.By[key], p.By[t]...)
		}
	}
	return out
}

// constants gives what is known of the arguments of a function that may compute a
// text, nil for other functions.
func (in *interp) constants(f *ssa.Function, args []memory.Value) *program.ConstantArgs {
	if len(f.Blocks) == 0 || f.Parent() != nil || !program.GivesText(f.Signature.Results()) || in.P.Matters(f) {
		return nil
	}
	return in.constantArgs(args)
}

// constantArgs gives the arguments of a call as they are known.
func (in *interp) constantArgs(args []memory.Value) *program.ConstantArgs {
	out := &program.ConstantArgs{Lists: [][]consteval.Value{nil}}
	several := 0
	for i, a := range args {
		var some []consteval.Value
		s, ok := memory.Unbox(a).(memory.Scalar)
		if ok {
			for _, t := range in.TextsOf(s.E) {
				some = append(some, textValue(t))
			}
		}
		if _, inInterface := a.(memory.Box); inInterface || len(some) < 2 || len(some)*len(out.Lists) > hole.MaxTexts {
			some = []consteval.Value{in.constantArg(a)}
		} else if x, isVar := s.E.(*client.VarExpr); isVar {
			out.From, out.At = x.Name, i
		}
		if len(some) > 1 {
			several++
		}
		var longer [][]consteval.Value
		for _, l := range out.Lists {
			for _, v := range some {
				longer = append(longer, append(slices.Clip(l), v))
			}
		}
		out.Lists = longer
	}
	if several != 1 {
		out.From = ""
	}
	return out
}

// constantArg gives what is known of an argument.
func (in *interp) constantArg(v memory.Value) consteval.Value {
	switch v := v.(type) {
	case memory.Box:
		return consteval.Boxed{V: in.constantArg(v.V), T: v.T}
	case memory.Scalar:
		if texts := in.TextsOf(v.E); len(texts) == 1 && texts[0] != client.Hole {
			return texts[0]
		} else if len(texts) > 1 {
			return textValue(hole.Common(texts))
		}
		c, ok := memory.ConstOf(v)
		switch {
		case !ok:
		case c.Kind == ir.KindInt && v.Kind == client.Int:
			return c.I
		case c.Kind == ir.KindBool:
			return c.IsTrue()
		}
	case *memory.List, memory.Span:
		elems, _ := in.ListOf(v)
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
