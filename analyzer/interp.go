package analyzer

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/flow"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

func itoa(i int) string { return strconv.Itoa(i) }

// interp interprets a function once, and writes what it does in one transaction.
// in.st is nil where control does not come.
type interp struct {
	p    *program
	root *ssa.Function
	// site is the transaction that is written, by the path to where it begins; ""
	// only looks for transactions.
	site string
	st   *state
	out  *[]client.Stmt
	fr   *frame
	pos  token.Pos

	vars []client.Var
	varFacts
	cells  int
	labels int
	steps  int
	limit  int // of the steps
	// unrolling says that a round of a loop is being written by itself, unrolled how many
	// were.
	unrolling bool
	unrolled  int
	// trace, if not nil, is what is written instead of one transaction; alone says
	// that what is sent through a handle that may be a transaction is in none.
	trace *Trace
	alone bool
	// amid says that a transaction of the trace has begun, and none been committed since.
	amid bool
	// alternatives are the texts of statements that may have one of several.
	alternatives map[*client.Query]alternative
	result       *findings
	begun        bool // the transaction of the site has begun somewhere
	// onConn says that it begins on a connection that the program has.
	onConn bool
	level  string
	// anyLevel says that a level is asked for that is not known.
	anyLevel bool
	// readOnly says that the database lets it write nothing.
	readOnly bool
	points   int
	// saves says that a savepoint was set, connNoted that there is a note about the
	// connection of prepared statements.
	saves, connNoted bool
	// beginPos is where the transaction begins.
	beginPos ir.Pos
	// boxed are variables to which a pointer in an interface leads that is nil if the
	// pointer is.
	boxed  map[*cell]bool
	saving int // around the instruction, rows of relations that are saved
	// joined are what cells hold that were made where paths meet.
	joined map[*cell]value
	// panicking says that a panic runs deferred calls, recovered that one of them has
	// ended it.
	panicking, recovered bool
	// results are the constants that the function returns after each commit.
	results map[*client.Commit][]string
	// loops is the number of loops around.
	loops int
	// rewound are the queries that got variables, as they were before.
	rewound []earlier
	// rowsLoops are the loops that call Next.
	rowsLoops map[*client.Loop]*rows
}

// frame is an activation of a function.
type frame struct {
	fn     *ssa.Function
	caller *frame
	at     token.Pos // the call
	regs   map[ssa.Value]value
	shape  *flow.Shape
	// targets are the places that the blocks around lead to.
	targets map[*ssa.BasicBlock]*target
	exit    *target
	n       int // frames around
	// elements are the texts of lists that the block that runs has loaded.
	elements map[elementOf]value
}

// target is a place that jumps lead to.
type target struct {
	label string
	edges []*edge
	// head is the state at the head of a loop.
	head *head
}

// maxSteps bounds the instructions that are interpreted for one transaction, and
// maxDepth the calls within each other.
const (
	maxSteps = 400_000
	maxDepth = 40
)

// tooMuch stops an interpretation.
type tooMuch struct{ why string }

func (in *interp) at() client.At { return client.At{Pos: in.p.position(in.pos)} }

func (in *interp) emit(s client.Stmt) { *in.out = append(*in.out, s) }

// unknown writes that the transaction may do anything here.
func (in *interp) unknown(reason string) {
	in.emit(&client.Unknown{At: in.at(), ReadOnly: in.readOnly, Reason: reason})
}

// into runs f with the statements that it writes going to list.
func (in *interp) into(list *[]client.Stmt, f func()) {
	outer := in.out
	in.out = list
	f()
	in.out = outer
}

// declare makes a variable of a name like that of v.
func (in *interp) declare(v client.Var) string {
	base := strings.TrimLeft(strings.Map(func(r rune) rune {
		if r == '.' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return -1
	}, v.Name), ".")
	if base == "" {
		base = "v"
	}
	n := in.named[base]
	in.named[base]++
	v.Name = base
	if n > 0 {
		v.Name = base + "_" + itoa(n)
		for in.named[v.Name] > 0 {
			n++
			v.Name = base + "_" + itoa(n)
		}
		in.named[v.Name]++
	}
	in.vars = append(in.vars, v)
	return v.Name
}

func (in *interp) label(base string) string {
	in.labels++
	return base + itoa(in.labels)
}

// run interprets a function with a body where it is called, and gives its result.
func (in *interp) run(fn *ssa.Function, args, free []value, at token.Pos) value {
	f := in.newFrame(fn, at)
	for i, p := range fn.Params {
		f.regs[p] = args[i]
	}
	for i, v := range fn.FreeVars {
		f.regs[v] = free[i]
	}
	outer, pos := in.fr, in.pos
	in.fr = f
	s := &client.Block{At: in.at(), Label: in.label("call")}
	f.exit = &target{label: s.Label}
	in.emit(s)
	in.into(&s.Body, func() { in.tree(fn.Blocks[0]) })
	in.fr, in.pos = outer, pos
	in.st = nil
	if len(f.exit.edges) == 0 {
		return in.deadValue(fn.Signature.Results())
	}
	vals := in.merge(f.exit.edges)
	if in.st.defers != nil {
		delete(in.st.defers, f)
	}
	if len(vals) == 1 {
		return vals[0]
	}
	return tuple(vals)
}

// newFrame makes the frame of a call in the current one.
func (in *interp) newFrame(fn *ssa.Function, at token.Pos) *frame {
	if in.trace == nil {
		in.p.ran[fn] = true
	}
	f := &frame{fn: fn, caller: in.fr, at: at, regs: map[ssa.Value]value{}, shape: in.p.shape(fn), targets: map[*ssa.BasicBlock]*target{}}
	if in.fr != nil {
		f.n = in.fr.n + 1
	}
	return f
}

// deadValue stands for a result that never comes.
func (in *interp) deadValue(t *types.Tuple) value {
	vals := make(tuple, t.Len())
	in.aside(newState(), func() {
		for i := range vals {
			vals[i] = in.zero(t.At(i).Type())
		}
	})
	if len(vals) == 1 {
		return vals[0]
	}
	return vals
}

// tree interprets a block and those that it dominates.
func (in *interp) tree(b *ssa.BasicBlock) {
	if in.st == nil {
		return
	}
	if in.fr.shape.Heads[b] {
		if !in.unroll(b) {
			in.loop(b)
		}
		return
	}
	in.within(b, in.fr.shape.After(b))
}

// within interprets b in the blocks for the places behind it.
func (in *interp) within(b *ssa.BasicBlock, after []*ssa.BasicBlock) {
	if len(after) == 0 {
		in.block(b)
		return
	}
	y := after[0]
	s := &client.Block{At: in.at(), Label: in.label("join")}
	t := &target{label: s.Label}
	in.fr.targets[y] = t
	in.emit(s)
	in.into(&s.Body, func() { in.within(b, after[1:]) })
	in.st = nil
	if len(t.edges) == 0 {
		return
	}
	in.enter(y, in.merge(t.edges))
	in.tree(y)
}

// enter gives the phis of a block their values.
func (in *interp) enter(b *ssa.BasicBlock, vals []value) {
	for i, v := range vals {
		in.fr.regs[b.Instrs[i].(*ssa.Phi)] = v
	}
}

// phis gives the values of the phis of to when control comes from from.
func (in *interp) phis(from, to *ssa.BasicBlock) []value {
	k := slices.Index(to.Preds, from)
	var out []value
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
	if in.st == nil {
		return
	}
	vals := in.phis(from, to)
	switch t := in.fr.targets[to]; {
	case in.fr.shape.Back(from, to) && t.head.round:
		in.jump(t.head.back, vals, &client.Break{At: in.at(), Label: t.head.back.label})
	case in.fr.shape.Back(from, to):
		in.jump(t.head.back, vals, &client.Continue{At: in.at(), Label: t.head.back.label})
	case in.fr.shape.Merges[to]:
		in.jump(t, vals, &client.Break{At: in.at(), Label: t.label})
	default:
		in.enter(to, vals)
		in.tree(to)
	}
}

// jump ends a list of statements.
func (in *interp) jump(t *target, vals []value, s client.Stmt) {
	in.emit(s)
	t.edges = append(t.edges, &edge{st: in.st, vals: vals, out: in.out})
	in.st = nil
}

// block interprets the instructions of a block.
func (in *interp) block(b *ssa.BasicBlock) {
	in.fr.elements = map[elementOf]value{}
	for _, instr := range b.Instrs {
		if in.st == nil {
			return
		}
		if in.steps++; in.steps > in.limit {
			panic(tooMuch{"more than " + itoa(in.limit) + " instructions"})
		}
		if p := instr.Pos(); p.IsValid() {
			in.pos = p
		}
		switch instr := instr.(type) {
		case *ssa.Phi:
		case *ssa.If:
			in.ifInstr(b, instr)
		case *ssa.Jump:
			in.branch(b, b.Succs[0])
		case *ssa.Return:
			in.returns(instr)
		case *ssa.Panic:
			in.panics()
		default:
			in.instr(instr)
			in.ignores(instr)
		}
	}
}

// abort ends the path: the transaction is rolled back.
func (in *interp) abort() {
	if in.st == nil {
		return
	}
	if in.st.phase != done {
		in.emit(&client.Rollback{At: in.at()})
	}
	in.st = nil
}

func (in *interp) ifInstr(b *ssa.BasicBlock, instr *ssa.If) {
	if t := in.fr.targets[b]; t != nil && t.head != nil && t.head.rows != nil && t.head.next == instr.Cond {
		// for rows.Next(): what follows the loop is written behind it.
		t.head.after = in.st.clone()
		in.branch(b, b.Succs[0])
		return
	}
	cond := in.condition(instr.Cond)
	if is, known := in.known(cond); known {
		taken, dropped := b.Succs[0], b.Succs[1]
		if !is {
			taken, dropped = dropped, taken
		}
		in.leaves(instr.Cond, dropped)
		in.branch(b, taken)
		return
	}
	s := &client.If{At: in.at(), Cond: cond}
	if in.st.phase == done && !in.st.rolled {
		in.show(cond)
	}
	in.emit(s)
	st := in.st
	for i, list := range []*[]client.Stmt{&s.Then, &s.Else} {
		in.st = st.clone()
		in.assume(cond, i == 0)
		in.into(list, func() { in.branch(b, b.Succs[i]) })
	}
	in.st = nil
}

// condition gives a truth value.
func (in *interp) condition(v ssa.Value) client.Expr { return in.truthOf(in.value(v)) }

func (in *interp) truthOf(v value) client.Expr {
	s := in.scalarOf(v)
	if s.kind != client.Bool {
		if c, ok := s.e.(*client.Const); ok && c.Value.Kind == ir.KindBool {
			return s.e
		}
		t := in.temp("choice", client.Bool, false)
		in.emitValue(v)
		in.emit(&client.Havoc{At: in.at(), Var: t})
		return client.V(t)
	}
	return s.e
}

// returns leaves the function.
func (in *interp) returns(instr *ssa.Return) {
	var vals []value
	for _, v := range instr.Results {
		vals = append(vals, in.value(v))
	}
	if in.fr.caller == nil { // the end of all
		in.finish(vals)
		return
	}
	in.jump(in.fr.exit, vals, &client.Break{At: in.at(), Label: in.fr.exit.label})
}

// goesOn says that a function gives a transaction that goes on.
const goesOn = "its result goes on with a transaction"

// finish is the end of the function that is interpreted.
func (in *interp) finish(vals []value) {
	in.noteResults(vals)
	for _, v := range vals {
		if in.holds(v, isLive) && in.site == "" {
			in.callers(goesOn)
		}
		if in.st.phase == done && !in.st.rolled {
			in.emitValue(v)
		}
	}
	if in.st.phase != done {
		in.emit(&client.Rollback{At: in.at()})
	}
	in.st = nil
}

// aside runs f in another state, and drops what it writes.
func (in *interp) aside(st *state, f func()) {
	outer, out := in.st, in.out
	var nowhere []client.Stmt
	in.st, in.out = st, &nowhere
	f()
	in.st, in.out = outer, out
}

func isTrue(e client.Expr) bool {
	is, known := client.Truth(e)
	return known && is
}
