package analyzer

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// deferred is a call that waits for the end of its function.
type deferred struct {
	call    *ssa.Defer
	fn      value
	args    []value
	perhaps bool // on some paths only
	often   bool // in a loop, by a function that changes variables around it
}

// invocation is a call whose operands are known.
type invocation struct {
	c    *ssa.CallCommon
	fn   value   // of calls that are no method calls through an interface
	args []value // the receiver first
	t    types.Type
	at   token.Pos
	site ssa.Value // the instruction, nil for deferred calls
}

func (in *interp) call(c *ssa.CallCommon, v ssa.Value) value {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		return in.builtin(b, c, v)
	}
	inv := in.invocation(c)
	inv.t, inv.site = v.Type(), v
	return in.invoke(inv)
}

func (in *interp) invocation(c *ssa.CallCommon) *invocation {
	inv := &invocation{c: c, at: c.Pos(), t: resultType(c.Signature())}
	if c.IsInvoke() {
		inv.args = append(inv.args, in.value(c.Value))
	} else {
		inv.fn = in.value(c.Value)
	}
	for _, a := range c.Args {
		inv.args = append(inv.args, in.value(a))
	}
	return inv
}

// resultType is the type of what a call gives: a tuple, unless there is one result.
func resultType(sig *types.Signature) types.Type {
	if sig.Results().Len() == 1 {
		return sig.Results().At(0).Type()
	}
	return sig.Results()
}

func (in *interp) deferCall(d *ssa.Defer) {
	if _, ok := d.Call.Value.(*ssa.Builtin); ok {
		return
	}
	inv := in.invocation(&d.Call)
	list := slices.Clone(in.st.defers[in.fr])
	c, ok := unbox(inv.fn).(*closure)
	often := ok && in.fr.shape.InLoop(d.Block()) && changesVariables(c.fn)
	in.st.defers[in.fr] = append(list, deferred{call: d, fn: inv.fn, args: inv.args, often: often})
}

// changesVariables reports whether a function literal stores in variables around it.
func changesVariables(f *ssa.Function) bool {
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			if s, ok := instr.(*ssa.Store); ok {
				if _, own := s.Addr.(*ssa.Alloc); !own {
					return true
				}
			}
		}
	}
	return false
}

func (in *interp) runDefers() {
	in.runList(in.st.defers[in.fr])
}

// runList runs deferred calls, the last one first.
func (in *interp) runList(list []deferred) {
	for i := len(list) - 1; i >= 0 && in.st != nil; i-- {
		d := list[i]
		if d.often {
			in.expose(d.fn)
		}
		inv := &invocation{c: &d.call.Call, fn: d.fn, args: d.args, at: d.call.Call.Pos(), t: resultType(d.call.Call.Signature())}
		if d.perhaps || d.often {
			in.choose(func() { in.invoke(inv) })
		} else {
			in.invoke(inv)
		}
		if d.often && in.st != nil {
			in.expose(d.fn)
		}
	}
}

// choose runs f on one of two paths.
func (in *interp) choose(f func()) {
	c := in.newVar("choice", client.Bool, false, unknown)
	in.either(client.V(c), f, func() {})
}

// either runs one of two parts, as a condition says, and joins what they leave.
func (in *interp) either(cond client.Expr, then, other func()) {
	if is, known := client.Truth(cond); known {
		if is {
			then()
		} else {
			other()
		}
		return
	}
	b := &client.Block{At: in.at(), Label: in.label("both")}
	t := &target{label: b.Label}
	in.emit(b)
	s := &client.If{At: in.at(), Cond: cond}
	b.Body = append(b.Body, s)
	st := in.st
	for i, f := range []func(){then, other} {
		in.st = st.clone()
		in.assume(cond, i == 0)
		list := &s.Then
		if i == 1 {
			list = &s.Else
		}
		in.into(list, func() {
			f()
			if in.st != nil {
				in.jump(t, nil, &client.Break{At: in.at(), Label: t.label})
			}
		})
	}
	in.st = nil
	if len(t.edges) > 0 {
		in.merge(t.edges)
	}
}

func (in *interp) builtin(b *ssa.Builtin, c *ssa.CallCommon, v ssa.Value) value {
	var args []value
	for _, a := range c.Args {
		args = append(args, in.value(a))
	}
	switch b.Name() {
	case "append":
		return in.appended(args, v.Type())
	case "len", "cap":
		switch x := unbox(args[0]).(type) {
		case *list:
			return scalar{constInt(int64(len(x.elems))), client.Int}
		case span:
			return scalar{constInt(int64(x.n)), client.Int}
		case *grown:
			return scalar{x.n, client.Int}
		case *dict:
			if n, ok := in.mapLen(x); ok {
				return scalar{n, client.Int}
			}
		case scalar:
			if s, ok := constOf(x); ok && s.Kind == ir.KindText {
				return scalar{constInt(int64(len(s.S))), client.Int}
			}
			if ok := isNilValue(x); ok {
				return scalar{constInt(0), client.Int}
			}
			if s, ok := c.Args[0].Type().Underlying().(*types.Slice); ok && isByte(s.Elem()) {
				// Of bytes no more is known than that they are those that were there:
				// they may be as many as the program wants.
				in.emitValue(x)
				return in.fresh(v.Type(), "len", unknown)
			}
		}
		return scalar{&client.Call{Name: b.Name(), Args: in.exprs(args[:1]), Kind: client.Int}, client.Int}
	case "panic":
		in.panics()
		return scalar{client.C(ir.Null), client.Any}
	case "recover":
		if in.panicking {
			in.recovered = true
			return &failure{other: client.True} // something
		}
		return scalar{client.C(ir.Null), client.Any}
	case "ssa:wrapnilchk":
		return args[0]
	case "delete":
		in.mapUpdate(args[0], args[1], nil)
	case "copy", "clear", "close", "print", "println":
		if d, ok := unbox(args[0]).(*dict); ok { // clear
			in.st.mem[d.c] = &entries{}
		}
		for _, a := range args {
			in.emitValue(a)
		}
		in.overwrite(args[0])
	case "min", "max":
		k := kindOf(v.Type())
		if k == client.Int {
			return in.extreme(b.Name(), args)
		}
		return scalar{&client.Call{Name: b.Name(), Args: in.exprs(args), Kind: k}, k}
	default:
		for _, a := range args {
			in.emitValue(a)
		}
	}
	if v == nil {
		return nil
	}
	return in.fresh(v.Type(), b.Name(), unknown)
}

// extreme gives the smallest or the largest of integers.
func (in *interp) extreme(name string, args []value) value {
	comes := map[string]token.Token{"min": token.LSS, "max": token.GTR}[name]
	least := in.scalarOf(args[0]).e
	v := ""
	for _, a := range args[1:] {
		e := in.scalarOf(a).e
		if w, known := fold(comes, e, least); known {
			if isTrue(w) {
				least = e
			}
			continue
		}
		if v == "" {
			v = in.temp(name, client.Int, false)
		}
		in.set(v, least)
		in.emit(&client.If{At: in.at(), Cond: op(comes.String(), e, client.V(v)), Then: []client.Stmt{&client.Assign{At: in.at(), Var: v, Expr: e}}})
		least = client.V(v)
	}
	return scalar{least, client.Int}
}

// newList makes a slice with elements in memory of its own. (What append gives may
// share the memory of what it was given; nobody is taken to make use of that.)
func (in *interp) newList(elems []value) *list {
	return &list{elems, in.newCell(hiddenType, "list", zeroed)}
}

// written reports whether something was written to the elements of a slice.
func (in *interp) written(l *list) bool {
	if l.c == nil {
		return false
	}
	_, is := in.st.mem[l.c]
	return is
}

// overwrite makes the elements of a slice unknown.
func (in *interp) overwrite(v value) {
	switch v := unbox(v).(type) {
	case *list:
		if v.c != nil {
			for _, c := range append([]*cell{v.c}, v.c.alias...) {
				in.st.mem[c] = in.fresh(hiddenType, "list", unknown)
			}
		}
	case span:
		in.forget(v.array)
	}
}

// listOf gives the elements of a slice if they are known.
func (in *interp) listOf(v value) ([]value, bool) {
	switch v := unbox(v).(type) {
	case *list:
		return v.elems, !in.written(v)
	case span:
		return in.elements(v), true
	case scalar:
		if isNilValue(v) {
			return nil, true
		}
	}
	return nil, false
}

func (in *interp) appended(args []value, t types.Type) value {
	x, ok := in.listOf(args[0])
	if len(args) == 1 {
		return args[0]
	}
	y, also := in.listOf(args[1])
	if ok && also && len(x)+len(y) <= maxArray {
		return in.newList(append(slices.Clone(x), y...))
	}
	if _, isSlice := t.Underlying().(*types.Slice); isSlice && kindOf(t) == client.Any {
		if in.holds(args[1], isHandle) || in.holds(args[0], isHandle) {
			return in.newList(append(slices.Clone(x), y...))
		}
		e := &client.Call{Name: "append", Args: in.exprs(args)}
		if g, ok := in.growing(args[0]); ok {
			if h, ok := in.growing(args[1]); ok {
				n := op("+", g.n, h.n)
				if c, folded := fold(token.ADD, g.n, h.n); folded {
					n = c
				}
				return &grown{e, n}
			}
		}
		return scalar{e, client.Any}
	}
	return in.derive(t, "append", args...)
}

// invoke carries out a call.
func (in *interp) invoke(inv *invocation) value {
	if inv.at.IsValid() {
		in.pos = inv.at
	}
	if inv.c.IsInvoke() {
		return in.method(inv, inv.c.Method)
	}
	switch fn := unbox(inv.fn).(type) {
	case *closure:
		if fn.bound != nil {
			inner := *inv
			inner.args = append([]value{fn.free[0]}, inv.args...)
			return in.method(&inner, fn.bound)
		}
		return in.callFunction(inv, fn)
	case *asked:
		if f := in.meant(inv, fn); f != nil {
			v := in.callFunction(inv, f)
			if t := resultType(f.fn.Signature); in.st != nil && types.IsInterface(inv.t) && !types.IsInterface(t) {
				return box{v, t} // its methods are those of its own type
			}
			return v
		}
		in.asks(inv, fn)
	}
	return in.unknownCall("a call of a function that is not known", append([]value{inv.fn}, inv.args...), inv.t)
}

// meant gives the function that a value of unknown origin must be, where it gets a
// transaction: the only one of its type that the program has.
func (in *interp) meant(inv *invocation, fn *asked) *closure {
	if !fn.lost || !slices.ContainsFunc(inv.args, func(v value) bool { return in.holds(v, isLive) }) {
		return nil
	}
	f := in.p.only(inv.c.Signature())
	if f == nil {
		return in.wrapper(inv)
	}
	in.result.notes = append(in.result.notes, ir.Note{Pos: in.p.position(inv.at),
		Text: "the function called here is taken to be " + functionName(f) + ", which is the only one of its type in the packages that were read"})
	c := &closure{fn: f}
	for _, v := range f.FreeVars {
		c.free = append(c.free, in.fresh(v.Type(), v.Name(), unknown))
	}
	return c
}

// wrapper gives the function that a value of unknown origin must do the work of,
// where it gets a transaction and gives what only one function of the program makes
// of one, such as the New of code that sqlc wrote.
func (in *interp) wrapper(inv *invocation) *closure {
	if len(inv.args) != 1 || inv.t == nil || !types.IsInterface(inv.t) || in.p.handleType(inv.t) != "" {
		return nil
	}
	i := inv.t.Underlying().(*types.Interface)
	var found *ssa.Function
	for _, f := range in.p.funcs {
		s := f.Signature
		if f.Parent() != nil || s.Recv() != nil || s.Params().Len() != 1 || s.Results().Len() != 1 || i.NumMethods() == 0 ||
			in.p.handleType(s.Params().At(0).Type()) == "" || !types.Implements(s.Results().At(0).Type(), i) {
			continue
		}
		if found != nil {
			return nil
		}
		found = f
	}
	if found == nil || namedOf(found.Signature.Results().At(0).Type()) == nil || in.p.otherImplementer(i, found.Signature.Results().At(0).Type()) {
		return nil
	}
	in.result.notes = append(in.result.notes, ir.Note{Pos: in.p.position(inv.at),
		Text: "the function called here, which is not known, is taken to do what " + functionName(found) + " does: only that makes a value of its type of a transaction in the packages that were read"})
	return &closure{fn: found}
}

// asks is a call of a function that the caller of the root gives. With a
// transaction, only callers know what it does.
func (in *interp) asks(inv *invocation, fn *asked) {
	if in.st.phase == open || slices.ContainsFunc(inv.args, func(v value) bool { return in.holds(v, isHandle) }) {
		in.callers("the function " + fn.name + " comes from its caller")
	}
}

// callFunction calls a function that is known.
func (in *interp) callFunction(inv *invocation, fn *closure) value {
	f := fn.fn
	if o := f.Origin(); o != nil && f.Blocks == nil {
		f = o
	}
	name := fullName(f)
	if r := functions[name]; r != unknownRole {
		if v, ok := in.library(inv, r, name); ok {
			return v
		}
	}
	if make := gormFunctions[name]; make != nil {
		if v, ok := make(in, inv.args, inv.t); ok {
			return v
		}
	}
	if v, ok := squirrelFunction(in, name, inv.args); ok {
		return v
	}
	if v, ok := in.rewritten(inv, name); ok {
		return v
	}
	if recv := f.Signature.Recv(); recv != nil && len(inv.args) > 0 {
		if v, ok := in.onHandle(inv, f.Name(), f.Signature); ok {
			return v
		}
	}
	if f.Pkg != nil && isIdle(f.Pkg.Pkg.Path()) || f.Pkg == nil && f.Object() != nil && f.Object().Pkg() != nil && isIdle(f.Object().Pkg().Path()) {
		return in.quiet(inv.t)
	}
	return in.enterFunction(inv, f, fn.free)
}

// enterFunction interprets the body of a function if that tells more than the
// call itself.
func (in *interp) enterFunction(inv *invocation, f *ssa.Function, free []value) value {
	in.p.called(in, f, inv.args, free)
	args := inv.args
	if !in.p.matters(f) {
		args = blind(args)
	}
	known := in.constants(f, inv.args)
	if in.worth(f, args, free) && len(args) == len(f.Params) {
		return in.computed(f, known, in.run(f, inv.args, free, inv.at))
	}
	in.result.apart[f] = true
	return in.computed(f, known, inherit(inv.t, in.unknownCall("a call of "+f.Name(), append(slices.Clone(free), args...), inv.t), inv.args))
}

// worth reports whether a function is interpreted where it is called.
func (in *interp) worth(f *ssa.Function, args, free []value) bool {
	if len(f.Blocks) == 0 || in.p.shape(f).Irreducible || in.fr.n >= maxDepth {
		return false
	}
	within := 0
	for fr := in.fr; fr != nil; fr = fr.caller {
		if fr.fn == f {
			within++
		}
	}
	// What a function calls that it is given may call it again.
	if within > 2 || within > 0 && !slices.ContainsFunc(args, func(v value) bool { _, ok := unbox(v).(*closure); return ok }) {
		return false
	}
	if f.Parent() != nil || f.Synthetic != "" && f.Pkg == nil {
		return true
	}
	for _, v := range slices.Concat(args, free) {
		if in.holds(v, isLive) || in.holds(v, func(w value) bool {
			switch w := w.(type) {
			case *closure:
				return in.p.matters(w.fn)
			case *rows, *prepared, *chain, *batch, *sqlBuilder, *foreign:
				return true
			}
			return false
		}) {
			return true
		}
	}
	return in.p.parametric[f] != "" || in.p.small(f) || givesStatement(f) || in.trace != nil && in.p.matters(f)
}

// method is a call through an interface.
func (in *interp) method(inv *invocation, m *types.Func) value {
	if r := functions[m.FullName()]; r != unknownRole {
		if v, ok := in.library(inv, r, m.FullName()); ok {
			return v
		}
	}
	recv := inv.args[0]
	if b, ok := recv.(box); ok {
		if f := in.p.methodOf(b.t, m); f != nil {
			inner := *inv
			inner.args = append([]value{b.v}, inv.args[1:]...)
			return in.callFunction(&inner, &closure{fn: f})
		}
	}
	sig := m.Type().(*types.Signature)
	if v, ok := in.onHandle(inv, m.Name(), sig); ok {
		return v
	}
	if _, isFailure := unbox(recv).(*failure); isFailure && m.Name() == "Error" {
		return scalar{client.V(in.newVar("message", client.Text, false, unknown)), client.Text}
	}
	if m.Pkg() != nil && isIdle(m.Pkg().Path()) {
		return in.quiet(inv.t)
	}
	impl := in.p.implementers(m)
	if in.trace != nil { // what does not use the database stands in for what does, in tests
		impl = slices.DeleteFunc(impl, func(f *ssa.Function) bool { return !in.p.matters(f) })
	}
	if len(impl) == 1 && in.p.matters(impl[0]) {
		f := impl[0]
		inner := *inv
		inner.args = append([]value{in.fresh(f.Params[0].Type(), "it", unknown)}, inv.args[1:]...)
		in.emitValue(recv)
		return in.callFunction(&inner, &closure{fn: f})
	}
	if in.p.onlyBegins(m) {
		return in.beginsSome(inv, m, impl)
	}
	if in.dispatches(inv, m, impl) {
		return in.callOne(inv, impl)
	}
	args := blind(inv.args)
	for _, f := range impl {
		in.p.called(in, f, inv.args, nil)
		if in.p.matters(f) {
			in.result.missed[f] = true
			args = inv.args
		}
	}
	what := "a call of " + m.Name() + " through an interface"
	if in.trace == nil && in.site != "" && in.st.phase == open && !in.holds(recv, isLive) && slices.ContainsFunc(impl, in.mayHoldTx) {
		in.unknown(what + " whose value may hold the transaction")
	}
	return inherit(inv.t, in.unknownCall(what, args, inv.t), inv.args)
}

// unknownCall is a call of which nothing is known.
func (in *interp) unknownCall(what string, args []value, t types.Type) value {
	live := false
	for _, v := range args {
		live = live || in.holds(v, func(w value) bool {
			h, ok := w.(*handle)
			return isLive(w) && (!ok || h.site == in.site)
		})
		in.escape(v)
		in.emitValue(v)
		in.expose(v)
	}
	if live && in.site != "" && in.st.phase == open {
		in.unknown(what)
	}
	if t == nil {
		return nil
	}
	return in.fresh(t, "result", unknown)
}

// expose makes unknown what a function that is not known may change.
func (in *interp) expose(v value) {
	seen := map[*cell]bool{}
	var visit func(v value, depth int)
	visit = func(v value, depth int) {
		if depth > 6 {
			return
		}
		switch v := unbox(v).(type) {
		case *pointer:
			if seen[v.to] || isTrue(v.nil()) {
				return
			}
			seen[v.to] = true
			v.to.eachLeaf(func(c *cell) {
				w, ok := in.st.mem[c]
				if ok {
					visit(w, depth+1)
				}
				if ok && (c.fixed || isHandle(unbox(w))) || !ok && c.start == unknown {
					return
				}
				in.st.mem[c] = in.fresh(c.t, c.name, unknown)
			})
		case *aggregate:
			for _, p := range v.parts {
				visit(p, depth+1)
			}
		case *list:
			for _, p := range v.elems {
				visit(p, depth+1)
			}
			in.overwrite(v)
		case span:
			for _, p := range in.elements(v) {
				visit(p, depth+1)
			}
			v.array.eachLeaf(func(c *cell) {
				if kindOf(c.t) != client.Any {
					in.st.mem[c] = in.fresh(c.t, c.name, unknown)
				}
			})
		case *closure:
			for _, p := range v.free {
				visit(p, depth+1)
			}
		case *dict:
			list, known := in.entriesOf(v)
			for _, e := range list {
				visit(e.v, depth+1)
			}
			if known {
				in.st.mem[v.c] = in.fresh(hiddenType, "map", unknown)
			}
		}
	}
	visit(v, 0)
}

// quiet gives the result of a call that changes nothing, such as one that only
// writes a message: no error.
func (in *interp) quiet(t types.Type) value {
	switch t := t.(type) {
	case *types.Tuple:
		out := make(tuple, t.Len())
		for i := range out {
			out[i] = in.quiet(t.At(i).Type())
		}
		return out
	case nil:
		return nil
	}
	if isError(t) {
		return &failure{}
	}
	return in.fresh(t, "v", unknown)
}

// answer gives v as the result of a call of type t: the first of several, of which
// the others are no errors.
func (in *interp) answer(t types.Type, v value) value {
	if _, ok := t.(*types.Tuple); !ok {
		return v
	}
	out := in.quiet(t).(tuple)
	out[0] = v
	return out
}

// fullName is the name of a function with its package and receiver, and without
// type arguments.
func fullName(f *ssa.Function) string {
	if o := f.Origin(); o != nil {
		f = o
	}
	if m, ok := f.Object().(*types.Func); ok {
		return m.FullName()
	}
	return f.String()
}
