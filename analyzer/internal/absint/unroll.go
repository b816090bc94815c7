package absint

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// maxUnrolled bounds the rounds that are written for one transaction. What is inside of
// a round is no loop to write so again.
const maxUnrolled = 32

// unroll interprets a loop over a short list of which the length is known round by
// round, if it is within the transaction: the elements of the list are known then. It
// reports whether it has. A loop around a transaction is none: one of its rounds, whichever, is
// the transaction.
func (in *interp) unroll(b *ssa.BasicBlock) bool {
	if in.Trace != nil || in.Site == "" || in.St.Phase != memory.Open || in.unrolling || in.unrolled > maxUnrolled || !in.shortRange(b) {
		return false
	}
	in.unrolling = true
	defer func() { in.unrolling = false }()
	outer := in.act.targets[b]
	for k := 0; in.St != nil; k++ {
		if k > maxChosen {
			panic(memory.TooMuch{Why: "a loop over a list that does not end"})
		}
		s := &client.Block{At: in.At(), Label: in.Label("round")}
		back := &memory.Target{Label: s.Label}
		in.act.targets[b] = &spot{head: &head{back: back, round: true}}
		in.Emit(s)
		in.unrolled++
		in.Into(&s.Body, func() { in.within(b, in.act.shape.After(b)) })
		in.St = nil
		if len(back.Edges) > 0 {
			in.enter(b, in.Merge(back.Edges))
		}
	}
	in.act.targets[b] = outer
	return true
}

// shortRange reports whether a block is the head of a loop over the indexes of a list with
// not more elements than maxChosen.
func (in *interp) shortRange(b *ssa.BasicBlock) bool {
	if b.Comment != "rangeindex.loop" || len(b.Instrs) == 0 {
		return false
	}
	cond, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	less, ok := cond.Cond.(*ssa.BinOp)
	if !ok || less.Op != token.LSS || less.Block() != b {
		return false
	}
	next, ok := less.X.(*ssa.BinOp)
	if !ok || next.Op != token.ADD || next.Block() != b {
		return false
	}
	phi, ok := next.X.(*ssa.Phi)
	if !ok || phi.Block() != b {
		return false
	}
	first, ok := memory.ConstOf(in.act.regs[phi])
	n, known := memory.ConstOf(in.value(less.Y))
	return ok && known && first.Kind == ir.KindInt && first.I == -1 && n.Kind == ir.KindInt && n.I <= maxChosen
}
