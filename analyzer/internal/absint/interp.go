package absint

import (
	"context"
	"go/token"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/flow"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/internal/client"
)

// interp interprets a function once, and writes what it does in one transaction.
type interp struct {
	*session.Session
	act   *activation
	Steps int
	Limit int // of the steps
	ctx   context.Context
	// unrolling says that a round of a loop is being written by itself, unrolled how many
	// were.
	unrolling bool
	unrolled  int
	// panicking says that a panic runs deferred calls, recovered that one of them has
	// ended it.
	panicking, recovered bool
	// Methods is how many methods some call through an interface may be at the most, in a trace, which takes that with
	// the index Taken.
	Methods, Taken int
	// wider is what the call may find that begins, where that is not what it gets alone.
	wider *entry
}

// activation is what is known within a frame.
type activation struct {
	*memory.Frame
	outer *activation
	regs  map[ssa.Value]memory.Value
	shape *flow.Shape
	// targets are the places that the blocks around lead to.
	targets map[*ssa.BasicBlock]*spot
	exit    *memory.Target
	n       int // activations around
	entry   *entry
	// spawned are the goroutines that it has begun, in a trace.
	spawned []spawned
	// elements are the texts of lists that the block that runs has loaded.
	elements map[elementOf]memory.Value
}

// spot is a place that jumps lead to, with the state at the head of a loop.
type spot struct {
	*memory.Target
	head *head
}

// maxSteps bounds the instructions that are interpreted for one transaction, maxWork the
// work on them (memory.Memory.Work), and maxDepth the calls within each other. The context
// is looked at after every patience instructions.
const (
	maxSteps = 400_000
	maxWork  = 4_000_000
	maxDepth = 40
	patience = 64
)

// step counts an instruction, and stops where there are too many, or the time ran out.
func (in *interp) step() {
	in.Steps++
	in.Work++
	switch {
	case in.Steps > in.Limit:
		panic(memory.TooMuch{Why: "more than " + strconv.Itoa(in.Limit) + " instructions, with those of the functions that it calls"})
	case in.Work > maxWork:
		panic(memory.TooMuch{Why: "too many variables at too many places where paths meet, with those of the functions that it calls"})
	case in.Steps%patience == 0 && in.ctx.Err() != nil:
		panic(memory.TooMuch{Why: "the time ran out", Late: true})
	}
}

// run interprets a function with a body where it is called, and gives its result.
func (in *interp) run(fn *ssa.Function, args, free []memory.Value, at token.Pos) memory.Value {
	f := in.activate(fn, at)
	in.Result.Within[fn] = true
	for i, p := range fn.Params {
		f.regs[p] = args[i]
	}
	for i, v := range fn.FreeVars {
		f.regs[v] = free[i]
	}
	in.enterCall(f, slices.Concat(args, free))
	outer, pos := in.act, in.Pos
	in.enterFrame(f)
	s := &client.Block{At: in.At(), Label: in.Label("call")}
	f.exit = &memory.Target{Label: s.Label}
	in.Emit(s)
	in.Into(&s.Body, func() { in.tree(fn.Blocks[0]) })
	in.enterFrame(outer)
	in.Pos = pos
	in.St = nil
	if len(f.exit.Edges) == 0 {
		return in.DeadValue(fn.Signature.Results())
	}
	vals := in.Merge(f.exit.Edges)
	if in.St.Defers != nil {
		delete(in.St.Defers, f.Frame)
	}
	if len(vals) == 1 {
		return vals[0]
	}
	return memory.Tuple(vals)
}

// enterFrame goes on in an activation.
func (in *interp) enterFrame(a *activation) { in.act, in.Fr = a, a.Frame }

// activate makes the activation of a function that is called in the current one.
func (in *interp) activate(fn *ssa.Function, at token.Pos) *activation {
	if in.Trace == nil {
		in.P.Ran[fn] = true
	}
	f := &activation{Frame: &memory.Frame{Fn: fn, Caller: in.Fr, At: at}, outer: in.act, regs: map[ssa.Value]memory.Value{}, shape: in.P.Shape(fn),
		targets: map[*ssa.BasicBlock]*spot{}}
	if in.act != nil {
		f.n = in.act.n + 1
	}
	return f
}

// tree interprets a block and those that it dominates.
func (in *interp) tree(b *ssa.BasicBlock) {
	if in.St == nil {
		return
	}
	if in.act.shape.Heads[b] {
		if in.unroll(b) {
			return
		}
		inside, behind := in.act.shape.AfterLoop(b)
		round, others := func() { in.within(b, inside) }, func() { in.loop(b, inside, nil) }
		if lists, is := earlier(in, b, behind, round, others); is {
			in.behind(behind, lists)
		} else {
			in.loop(b, inside, behind)
		}
		return
	}
	in.within(b, in.act.shape.After(b))
}

// within interprets b in the blocks for the places behind it.
func (in *interp) within(b *ssa.BasicBlock, after []*ssa.BasicBlock) {
	if len(after) == 0 {
		in.block(b)
		return
	}
	y := after[0]
	s := &client.Block{At: in.At(), Label: in.Label("join")}
	t := &memory.Target{Label: s.Label}
	in.act.targets[y] = &spot{Target: t}
	in.Emit(s)
	in.Into(&s.Body, func() { in.within(b, after[1:]) })
	in.St = nil
	if len(t.Edges) == 0 {
		return
	}
	in.enter(y, in.Merge(t.Edges))
	in.tree(y)
}

// enter gives the phis of a block their values.
func (in *interp) enter(b *ssa.BasicBlock, vals []memory.Value) {
	for i, v := range vals {
		in.act.regs[b.Instrs[i].(*ssa.Phi)] = v
	}
}

// phis gives the values of the phis of to when control comes from from.
func (in *interp) phis(from, to *ssa.BasicBlock) []memory.Value {
	k := slices.Index(to.Preds, from)
	var out []memory.Value
	for _, instr := range to.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		out = append(out, in.value(phi.Edges[k]))
	}
	return out
}

// branch goes from one block to the next.
func (in *interp) branch(from, to *ssa.BasicBlock) {
	if in.St == nil {
		return
	}
	vals := in.phis(from, to)
	switch t := in.act.targets[to]; {
	case in.act.shape.Back(from, to) && t.head.round:
		in.Jump(t.head.back, vals, &client.Break{At: in.At(), Label: t.head.back.Label})
	case in.act.shape.Back(from, to):
		in.Jump(t.head.back, vals, &client.Continue{At: in.At(), Label: t.head.back.Label})
	case in.act.shape.Merges[to]:
		in.Jump(t.Target, vals, &client.Break{At: in.At(), Label: t.Label})
	default:
		in.enter(to, vals)
		in.tree(to)
	}
}

// block interprets the instructions of a block.
func (in *interp) block(b *ssa.BasicBlock) {
	in.act.elements = map[elementOf]memory.Value{}
	for _, instr := range b.Instrs {
		if in.St == nil {
			return
		}
		in.step()
		if p := instr.Pos(); p.IsValid() {
			in.Pos = p
		}
		switch instr := instr.(type) {
		case *ssa.Phi:
		case *ssa.If:
			in.ifInstr(b, instr)
		case *ssa.Jump:
			in.branch(b, b.Succs[0])
		case *ssa.Return:
			for _, s := range in.act.spawned { // they may have waited for what came in between
				if in.St != nil {
					in.Choose(func() { in.invoke(s.inv) })
				}
			}
			if in.St != nil {
				in.returns(instr)
			}
		case *ssa.Panic:
			in.Panics()
		default:
			in.instr(instr)
			in.ignores(instr)
		}
	}
}

func (in *interp) ifInstr(b *ssa.BasicBlock, instr *ssa.If) {
	if t := in.act.targets[b]; t != nil && t.head != nil && t.head.rows != nil && t.head.next == instr.Cond {
		// for rows.Next(): what follows the loop is written behind it.
		t.head.after = in.St.Clone()
		in.branch(b, b.Succs[0])
		return
	}
	cond := in.condition(instr.Cond)
	if is, known := in.Known(cond); known {
		taken, dropped := b.Succs[0], b.Succs[1]
		if !is {
			taken, dropped = dropped, taken
		}
		in.leaves(instr.Cond, dropped)
		in.branch(b, taken)
		return
	}
	goesBothWays(in, instr)
	s := &client.If{At: in.At(), Cond: cond}
	if in.St.Phase == memory.Done {
		in.Show(cond)
	}
	in.Emit(s)
	st := in.St
	in.Work += 2 * len(st.Mem)
	for i, list := range []*[]client.Stmt{&s.Then, &s.Else} {
		in.St = st.Clone()
		in.Assume(cond, i == 0)
		in.Into(list, func() { in.branch(b, b.Succs[i]) })
	}
	in.St = nil
}

// condition gives a truth value.
func (in *interp) condition(v ssa.Value) client.Expr { return in.TruthOf(in.value(v)) }

// returns leaves the function.
func (in *interp) returns(instr *ssa.Return) {
	var vals []memory.Value
	for _, v := range instr.Results {
		vals = append(vals, in.value(v))
	}
	if in.Fr.Caller == nil { // the end of all
		in.finish(vals)
		return
	}
	in.Jump(in.act.exit, vals, &client.Break{At: in.At(), Label: in.act.exit.Label})
}

// GoesOn says that a function gives a transaction that goes on, or keeps one for its callers.
const GoesOn = "its result goes on with a transaction"

// finish is the end of the function that is interpreted.
func (in *interp) finish(vals []memory.Value) {
	for _, v := range vals {
		if in.Holds(v, memory.IsLive) && in.Site == "" {
			in.Callers(GoesOn)
		}
	}
	if in.Site == "" && memory.KeepsLive(in.Memory) {
		in.Callers(GoesOn)
	}
	if in.St.Phase != memory.Done {
		keptForCallers(in)
		in.RolledBack()
	}
	in.NoteResults(vals)
	for _, v := range vals {
		in.EmitValue(v)
	}
	in.St = nil
}
