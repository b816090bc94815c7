package consteval

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"unicode/utf8"

	"golang.org/x/tools/go/ssa"
)

// The bounds of an evaluation: the instructions of all runs, the decisions of one
// run about what is not known, the calls within each other, and the runs.
const (
	maxSteps     = 50_000
	maxDecisions = 10
	maxDepth     = 10
	maxRuns      = 64
	maxText      = 64 << 10 // bytes
)

// Evaluator evaluates functions.
type Evaluator struct {
	// Global gives what a global variable holds, nil if that is not known.
	Global func(*ssa.Global) Value
	// Opaque says of which functions the body does not count: their results are not
	// known. It may be nil.
	Opaque func(*ssa.Function) bool
	steps  int
}

// giveUp ends an evaluation, dead a run that panics.
type (
	giveUp struct{}
	dead   struct{}
)

// run is one execution of a function.
type run struct {
	*Evaluator
	// decisions are those about what is not known, in order; taken counts the ones
	// that this run has come by.
	decisions []bool
	taken     int
	depth     int
	// tracked is a global variable that is at a cell, nil for none.
	tracked *ssa.Global
	at      *cell
}

// Call gives what a function may return, one list of results for each run, with
// equal ones left out; ok is false if that is not known.
func (e *Evaluator) Call(fn *ssa.Function, args []Value) (results [][]Value, ok bool) {
	return e.explore(func(r *run) []Value {
		given := make([]Value, len(args))
		for i, a := range args {
			given[i] = enter(a)
		}
		return r.call(fn, given)
	})
}

// Final gives what a global variable may hold when functions without parameters,
// such as initializers of packages, have run one after the other, one list with one
// value for each run. They must be all that change it.
func (e *Evaluator) Final(g *ssa.Global, fns []*ssa.Function) (results [][]Value, ok bool) {
	return e.explore(func(r *run) []Value {
		r.tracked, r.at = g, newCell(g.Type().(*types.Pointer).Elem())
		for _, fn := range fns {
			r.call(fn, nil)
		}
		return []Value{r.at.load()}
	})
}

// explore runs f once for each way in which what is not known may be decided.
func (e *Evaluator) explore(f func(r *run) []Value) (results [][]Value, ok bool) {
	e.steps = 0
	var decisions []bool
	for range maxRuns {
		r := &run{Evaluator: e, decisions: decisions}
		out, lives, known := r.root(f)
		if !known {
			return nil, false
		}
		if lives && !slices.ContainsFunc(results, func(o []Value) bool { return slices.EqualFunc(o, out, equal) }) {
			results = append(results, out)
		}
		decisions = r.decisions
		for len(decisions) > 0 && decisions[len(decisions)-1] {
			decisions = decisions[:len(decisions)-1]
		}
		if len(decisions) == 0 {
			return results, true
		}
		decisions[len(decisions)-1] = true
	}
	return nil, false
}

// root is one run. lives is false where it panics.
func (r *run) root(f func(r *run) []Value) (out []Value, lives, ok bool) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case giveUp:
			out, lives, ok = nil, false, false
		case dead:
			out, lives, ok = nil, false, true
		default:
			panic(e)
		}
	}()
	for _, v := range f(r) {
		out = append(out, leave(v))
	}
	return out, true, true
}

// enter makes an argument a value of the run, leave the other way round.
func enter(v Value) Value {
	if b, ok := v.(Boxed); ok {
		return Boxed{enter(b.V), b.T}
	}
	l, ok := v.(List)
	if !ok {
		return v
	}
	a := &array{}
	for _, e := range l {
		a.elems = append(a.elems, &cell{v: enter(e)})
	}
	return &slice{a, len(l)}
}

func leave(v Value) Value {
	switch v := v.(type) {
	case string, int64, bool, Nil:
		return v
	case Boxed:
		return leave(v.V)
	case aggregate:
		out := List{}
		for _, p := range v {
			out = append(out, leave(p))
		}
		return out
	case *slice:
		out := List{}
		for _, c := range v.of.elems[:v.n] {
			out = append(out, leave(c.load()))
		}
		return out
	}
	return Unknown{}
}

func equal(a, b Value) bool {
	x, ok := a.(List)
	y, also := b.(List)
	if ok || also {
		return ok && also && slices.EqualFunc(x, y, equal)
	}
	return a == b
}

// decide goes one of two ways, where it is not known which.
func (r *run) decide() bool {
	if r.taken == len(r.decisions) {
		if r.taken == maxDecisions {
			panic(giveUp{})
		}
		r.decisions = append(slices.Clip(r.decisions), false)
	}
	r.taken++
	return r.decisions[r.taken-1]
}

// frame is an activation of a function.
type frame struct {
	fn   *ssa.Function
	regs map[ssa.Value]Value
}

// call runs a function.
func (r *run) call(fn *ssa.Function, args []Value) []Value {
	generic := fn.TypeParams().Len() > len(fn.TypeArgs())
	if len(fn.Blocks) == 0 || fn.Recover != nil || len(args) != len(fn.Params) || r.depth == maxDepth || generic {
		panic(giveUp{})
	}
	r.depth++
	defer func() { r.depth-- }()
	f := &frame{fn, map[ssa.Value]Value{}}
	for i, p := range fn.Params {
		f.regs[p] = args[i]
	}
	b, from := fn.Blocks[0], (*ssa.BasicBlock)(nil)
	for {
		next, results := r.block(f, b, from)
		if next == nil {
			return results
		}
		b, from = next, b
	}
}

// block runs a block, and gives the next one, or the results.
func (r *run) block(f *frame, b, from *ssa.BasicBlock) (*ssa.BasicBlock, []Value) {
	var phis []Value
	for _, instr := range b.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		phis = append(phis, r.value(f, phi.Edges[slices.Index(b.Preds, from)]))
	}
	for i, v := range phis {
		f.regs[b.Instrs[i].(*ssa.Phi)] = v
	}
	for _, instr := range b.Instrs[len(phis):] {
		if r.steps++; r.steps > maxSteps {
			panic(giveUp{})
		}
		switch instr := instr.(type) {
		case *ssa.If:
			if r.truth(r.value(f, instr.Cond)) {
				return b.Succs[0], nil
			}
			return b.Succs[1], nil
		case *ssa.Jump:
			return b.Succs[0], nil
		case *ssa.Return:
			var out []Value
			for _, v := range instr.Results {
				out = append(out, r.value(f, v))
			}
			return nil, out
		case *ssa.Panic:
			panic(dead{})
		case *ssa.Store:
			r.store(r.value(f, instr.Addr), r.value(f, instr.Val))
		case *ssa.DebugRef:
		case ssa.Value:
			v := r.compute(f, instr)
			if s, ok := v.(string); ok && len(s) > maxText {
				panic(giveUp{})
			}
			f.regs[instr] = v
		default: // defer, go, send, and the update of a map
			r.lose(f, instr)
		}
	}
	panic("consteval: a block without an end")
}

func (r *run) truth(v Value) bool {
	if b, ok := v.(bool); ok {
		return b
	}
	return r.decide()
}

// value gives what an operand is.
func (r *run) value(f *frame, v ssa.Value) Value {
	if w, ok := f.regs[v]; ok {
		return w
	}
	if g, ok := v.(*ssa.Global); ok && g == r.tracked {
		return pointer{r.at}
	}
	c, ok := v.(*ssa.Const)
	if !ok { // a function, a global variable, or one of a function around
		return Unknown{}
	}
	if c.Value == nil {
		return newCell(c.Type()).load()
	}
	switch c.Value.Kind() {
	case constant.String:
		return constant.StringVal(c.Value)
	case constant.Bool:
		return constant.BoolVal(c.Value)
	case constant.Int:
		if i, exact := constant.Int64Val(c.Value); exact && isInt(c.Type()) {
			return i
		}
	}
	return Unknown{}
}

func isInt(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// store changes the memory.
func (r *run) store(addr, v Value) {
	switch p := addr.(type) {
	case pointer:
		p.to.store(v)
	case Nil:
		panic(dead{})
	default:
		hide(v)
	}
}

// hide records that values get out of sight: what they lead to may change.
func hide(list ...Value) {
	for _, v := range list {
		switch v := v.(type) {
		case pointer:
			v.to.lose()
		case *slice:
			for _, c := range v.of.elems {
				c.lose()
			}
		case Boxed:
			hide(v.V)
		case aggregate:
			hide(v...)
		case tuple:
			hide(v...)
		}
	}
}

// lose hides the operands of an instruction that is not followed.
func (r *run) lose(f *frame, instr ssa.Instruction) {
	for _, op := range instr.Operands(nil) {
		if op != nil && *op != nil {
			hide(r.value(f, *op))
		}
	}
}

// compute gives the value of an instruction.
func (r *run) compute(f *frame, v ssa.Value) Value {
	switch v := v.(type) {
	case *ssa.Call:
		return r.invoke(f, v)
	case *ssa.Alloc:
		return pointer{newCell(v.Type().(*types.Pointer).Elem())}
	case *ssa.UnOp:
		return r.unary(f, v)
	case *ssa.BinOp:
		return r.binary(f, v)
	case *ssa.FieldAddr:
		return r.part(r.value(f, v.X), int64(v.Field))
	case *ssa.IndexAddr:
		return r.indexAddr(f, v)
	case *ssa.Field:
		return element(r.value(f, v.X), int64(v.Field))
	case *ssa.Index:
		return r.index(r.value(f, v.X), r.value(f, v.Index))
	case *ssa.Lookup:
		return r.index(r.value(f, v.X), r.value(f, v.Index))
	case *ssa.Slice:
		return r.slice(f, v)
	case *ssa.MakeSlice:
		n, ok := r.value(f, v.Len).(int64)
		if !ok || n < 0 || n > maxParts {
			return Unknown{}
		}
		a := &array{}
		for range n {
			a.elems = append(a.elems, newCell(v.Type().Underlying().(*types.Slice).Elem()))
		}
		return &slice{a, int(n)}
	case *ssa.MakeInterface:
		return Boxed{r.value(f, v.X), v.X.Type()}
	case *ssa.ChangeInterface:
		return r.value(f, v.X)
	case *ssa.ChangeType:
		return r.value(f, v.X)
	case *ssa.Convert:
		return convert(r.value(f, v.X), v)
	case *ssa.Extract:
		if t, ok := r.value(f, v.Tuple).(tuple); ok {
			return t[v.Index]
		}
		return Unknown{}
	case *ssa.Range:
		x := r.value(f, v.X)
		if s, ok := x.(string); ok && !holed(s) {
			return &walk{s: s}
		}
		return Unknown{}
	case *ssa.Next:
		return r.next(f, v)
	case *ssa.TypeAssert:
		return r.assert(f, v)
	}
	r.lose(f, v.(ssa.Instruction))
	return Unknown{}
}

// next goes on in a range loop over a text.
func (r *run) next(f *frame, v *ssa.Next) Value {
	w, ok := r.value(f, v.Iter).(*walk)
	if !ok {
		return Unknown{}
	}
	if w.at == len(w.s) {
		return tuple{false, int64(0), int64(0)}
	}
	at := w.at
	c, n := utf8.DecodeRuneInString(w.s[at:])
	w.at += n
	return tuple{true, int64(at), int64(c)}
}

func (r *run) assert(f *frame, v *ssa.TypeAssert) Value {
	x := r.value(f, v.X)
	if b, ok := x.(Boxed); ok && types.Identical(b.T, v.AssertedType) {
		if v.CommaOk {
			return tuple{b.V, true}
		}
		return b.V
	}
	hide(x)
	return Unknown{}
}

// unary computes an operator of one operand, or loads.
func (r *run) unary(f *frame, v *ssa.UnOp) Value {
	if g, ok := v.X.(*ssa.Global); ok && v.Op == token.MUL && g != r.tracked {
		if g.Name() == "init$guard" {
			return false
		}
		if r.Global != nil {
			if w := r.Global(g); w != nil {
				return enter(w)
			}
		}
		return Unknown{}
	}
	x := r.value(f, v.X)
	switch v.Op {
	case token.MUL:
		switch p := x.(type) {
		case pointer:
			return p.to.load()
		case Nil:
			panic(dead{})
		}
	case token.NOT:
		if b, ok := x.(bool); ok {
			return !b
		}
	case token.SUB:
		if i, ok := x.(int64); ok {
			return wrap(-i, v.Type())
		}
	}
	return Unknown{}
}
