package absint

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// maxUnrolled bounds the rounds that are written for one transaction. What is inside of
// a round is no loop to write so again.
const maxUnrolled = 32

// maxOptions bounds the functions of a list that are called one after the other outside of a
// transaction.
const maxOptions = 16

// unroll interprets a loop over a short list of which the length is known round by
// round, if it is within the transaction: the elements of the list are known then. It
// reports whether it has. A loop around a transaction is none: one of its rounds, whichever, is
// the transaction. Outside of one, such as in front of it, the list is one of functions or of values
// with methods, which are mostly options.
func (in *interp) unroll(b *ssa.BasicBlock) bool {
	if in.Trace != nil || in.unrolling || in.unrolled > maxUnrolled {
		return false
	}
	n, list := in.ranged(b)
	within, limit := in.Site != "" && in.St.Phase == memory.Open, int64(maxChosen)
	if !within {
		limit = maxOptions
	}
	if n < 0 || n > limit || !within && !in.options(b, list) {
		return false
	}
	if within {
		in.unrolling = true
		defer func() { in.unrolling = false }()
	}
	outer := in.act.targets[b]
	for k := int64(0); in.St != nil; k++ {
		if k > limit {
			panic(memory.TooMuch{Why: "a loop over a list that does not end"})
		}
		s := &client.Block{At: in.At(), Label: in.Label("round")}
		back := &memory.Target{Label: s.Label}
		in.act.targets[b] = &spot{head: &head{back: back, round: true}}
		in.Emit(s)
		if within {
			in.unrolled++
		}
		in.Into(&s.Body, func() { in.within(b, in.act.shape.After(b)) })
		in.St = nil
		if len(back.Edges) > 0 {
			in.enter(b, in.Merge(back.Edges))
		}
	}
	in.act.targets[b] = outer
	return true
}

// options reports whether a loop calls the functions of a list, or methods of its elements, and
// nothing in it has to do with the database.
func (in *interp) options(head *ssa.BasicBlock, list []memory.Value) bool {
	for _, v := range list {
		b, boxed := v.(memory.Box)
		c, isFunction := memory.Unbox(v).(*memory.Closure)
		if isFunction && c.Fn != nil && in.P.Matters(c.Fn) || !isFunction && !(boxed && gotypes.NamedOf(b.T) != nil) || in.Holds(v, memory.IsHandle) {
			return false
		}
	}
	for b := range in.act.shape.Loop(head) {
		for _, instr := range b.Instrs {
			if call, ok := instr.(ssa.CallInstruction); ok && !in.remote(call) {
				return false
			}
		}
	}
	return true
}

// remote reports whether a call has nothing to do with the database, if the function that it calls
// is known or one of its methods.
func (in *interp) remote(call ssa.CallInstruction) bool {
	c := call.Common()
	if _, plain := call.(*ssa.Call); !plain {
		return false
	}
	if f := c.StaticCallee(); f != nil && in.P.Matters(f) {
		return false
	}
	if c.IsInvoke() && slices.ContainsFunc(in.P.Implementers(c.Method), in.P.Matters) {
		return false
	}
	return !slices.ContainsFunc(append([]ssa.Value{c.Value}, c.Args...), func(v ssa.Value) bool { return in.P.HandleType(v.Type()) != "" })
}

// ranged gives the length of the list whose indexes a loop goes through from the first on, if a
// block is the head of one and the length is known, -1 otherwise, and the elements if they are
// known.
func (in *interp) ranged(b *ssa.BasicBlock) (n int64, list []memory.Value) {
	if len(b.Instrs) == 0 {
		return -1, nil
	}
	cond, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return -1, nil
	}
	less, ok := cond.Cond.(*ssa.BinOp)
	if !ok || less.Op != token.LSS || less.Block() != b {
		return -1, nil
	}
	index, from := less.X, int64(0)
	if b.Comment == "rangeindex.loop" {
		next, ok := less.X.(*ssa.BinOp)
		if !ok || next.Op != token.ADD || next.Block() != b {
			return -1, nil
		}
		index, from = next.X, -1
	}
	phi, ok := index.(*ssa.Phi)
	if !ok || phi.Block() != b {
		return -1, nil
	}
	first, ok := memory.ConstOf(in.act.regs[phi])
	if !ok || first.Kind != ir.KindInt || first.I != from {
		return -1, nil
	}
	length, isCall := less.Y.(*ssa.Call)
	if isCall && length.Block() == b { // of a list that may change: for i := 0; i < len(list); i++
		if b, ok := length.Call.Value.(*ssa.Builtin); !ok || b.Name() != "len" {
			return -1, nil
		}
		list, ok = in.ListOf(in.value(length.Call.Args[0]))
		if !ok {
			return -1, nil
		}
		return int64(len(list)), list
	}
	c, known := memory.ConstOf(in.value(less.Y))
	if !known || c.Kind != ir.KindInt {
		return -1, nil
	}
	if isCall && len(length.Call.Args) == 1 {
		list, _ = in.ListOf(in.value(length.Call.Args[0]))
	}
	return c.I, list
}
