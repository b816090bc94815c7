package absint

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

func (in *interp) call(c *ssa.CallCommon, v ssa.Value) memory.Value {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		return in.builtin(b, c, v)
	}
	inv := in.invocation(c)
	inv.T, inv.Site = v.Type(), v
	return in.invoke(inv)
}

func (in *interp) invocation(c *ssa.CallCommon) *session.Invocation {
	inv := &session.Invocation{C: c, At: c.Pos(), T: session.ResultType(c.Signature())}
	if c.IsInvoke() {
		inv.Args = append(inv.Args, in.value(c.Value))
	} else {
		inv.Fn = in.value(c.Value)
	}
	for _, a := range c.Args {
		inv.Args = append(inv.Args, in.value(a))
	}
	return inv
}

func (in *interp) deferCall(d *ssa.Defer) {
	if _, ok := d.Call.Value.(*ssa.Builtin); ok {
		return
	}
	inv := in.invocation(&d.Call)
	in.St.Defers[in.Fr] = append(slices.Clone(in.St.Defers[in.Fr]), memory.Deferred{Call: d, Fn: inv.Fn, Args: inv.Args})
}

// runList runs deferred calls, the last one first.
func (in *interp) runList(list []memory.Deferred) {
	for i := len(list) - 1; i >= 0 && in.St != nil; i-- {
		d := list[i]
		inv := &session.Invocation{C: &d.Call.Call, Fn: d.Fn, Args: d.Args, At: d.Call.Call.Pos(), T: session.ResultType(d.Call.Call.Signature())}
		switch {
		case d.Rounds:
			runRounds(in, d, inv, func() { in.invoke(inv) })
		case d.Perhaps:
			in.Choose(func() { in.invoke(inv) })
		default:
			in.invoke(inv)
		}
	}
}

func (in *interp) builtin(b *ssa.Builtin, c *ssa.CallCommon, v ssa.Value) memory.Value {
	var args []memory.Value
	for _, a := range c.Args {
		args = append(args, in.value(a))
	}
	switch b.Name() {
	case "append":
		return in.appended(args, v.Type())
	case "len", "cap":
		switch x := memory.Unbox(args[0]).(type) {
		case *memory.List:
			return memory.Of(memory.ConstInt(int64(len(x.Elems))), client.Int)
		case memory.Span:
			return memory.Of(memory.ConstInt(int64(x.N)), client.Int)
		case *memory.Grown:
			return memory.Of(x.N, client.Int)
		case *memory.Dict:
			if n, ok := in.MapLen(x); ok {
				return memory.Of(n, client.Int)
			}
		case memory.Scalar:
			if s, ok := memory.ConstOf(x); ok && s.Kind == ir.KindText {
				return memory.Of(memory.ConstInt(int64(len(s.S))), client.Int)
			}
			if ok := memory.IsNilValue(x); ok {
				return memory.Of(memory.ConstInt(0), client.Int)
			}
			if s, ok := c.Args[0].Type().Underlying().(*types.Slice); ok && gotypes.IsByte(s.Elem()) {
				// Nothing is known of bytes but where they came from: there may be any
				// number of them.
				in.EmitValue(x)
				return in.Fresh(v.Type(), "len", memory.Unknown)
			}
		}
		return memory.Of(&client.Call{Name: b.Name(), Args: in.Exprs(args[:1]), Kind: client.Int}, client.Int)
	case "panic":
		in.Panics()
		return memory.Of(client.C(ir.Null), client.Any)
	case "recover":
		if in.panicking {
			in.recovered = true
			return &memory.Failure{Other: client.True} // something
		}
		return memory.Of(client.C(ir.Null), client.Any)
	case "ssa:wrapnilchk":
		return args[0]
	case "delete":
		if !in.MapUpdate(args[0], args[1], nil) {
			memory.ShareList(in.Memory, args[0])
		}
	case "copy", "clear", "close", "print", "println":
		if len(args) == 0 { // println()
			return nil
		}
		if d, ok := memory.Unbox(args[0]).(*memory.Dict); ok { // clear
			in.St.Mem[d.C] = &memory.Entries{}
		}
		for _, a := range args {
			in.EmitValue(a)
		}
		in.Overwrite(args[0])
	case "min", "max":
		k := gotypes.KindOf(v.Type())
		if k == client.Int {
			return in.extreme(b.Name(), args)
		}
		return memory.Of(&client.Call{Name: b.Name(), Args: in.Exprs(args), Kind: k}, k)
	default:
		for _, a := range args {
			in.EmitValue(a)
		}
	}
	if v == nil {
		return nil
	}
	return in.Fresh(v.Type(), b.Name(), memory.Unknown)
}

// extreme gives the smallest or the largest of integers.
func (in *interp) extreme(name string, args []memory.Value) memory.Value {
	comes := map[string]token.Token{"min": token.LSS, "max": token.GTR}[name]
	least := in.ScalarOf(args[0]).E
	v := ""
	for _, a := range args[1:] {
		e := in.ScalarOf(a).E
		if w, known := memory.Fold(comes, e, least); known {
			if memory.IsTrue(w) {
				least = e
			}
			continue
		}
		if v == "" {
			v = in.Temp(name, client.Int, false)
		}
		in.Set(v, least)
		in.Emit(&client.If{At: in.At(), Cond: memory.Op(comes.String(), e, client.V(v)), Then: []client.Stmt{&client.Assign{At: in.At(), Var: v, Expr: e}}})
		least = client.V(v)
	}
	return memory.Of(least, client.Int)
}

func (in *interp) appended(args []memory.Value, t types.Type) memory.Value {
	x, ok := in.ListOf(args[0])
	if len(args) == 1 {
		return args[0]
	}
	y, also := in.ListOf(args[1])
	if s, isSlice := t.Underlying().(*types.Slice); isSlice && also {
		for _, v := range y {
			memory.KeepElement(in.Memory, t, "", s.Elem(), v)
		}
	}
	if ok && also && len(x)+len(y) <= gotypes.MaxArray {
		return in.NewList(append(slices.Clone(x), y...))
	}
	if _, isSlice := t.Underlying().(*types.Slice); isSlice && gotypes.KindOf(t) == client.Any {
		if !ok && holdsOpen(in, args[1]) { // it is one of several, which are not known
			in.Unknown("a list that is not known, which gets the transaction")
		} else if in.Holds(args[1], memory.IsHandle) || in.Holds(args[0], memory.IsHandle) {
			return in.NewList(append(slices.Clone(x), y...))
		}
		e := &client.Call{Name: "append", Args: in.Exprs(args)}
		if also {
			memory.Appends(in.Memory, e, e.Args[0], y)
		}
		if x, isVar := e.Args[0].(*client.VarExpr); isVar && !in.Variable(x.Name).Input {
			memory.ChangesElements(in.Memory, x)
		} else if !isVar { // a part of a list: what stands behind it is overwritten
			memory.ShareList(in.Memory, memory.Of(e.Args[0], client.Any))
		}
		if g, ok := in.Growing(args[0]); ok {
			if h, ok := in.Growing(args[1]); ok {
				n := memory.Op("+", g.N, h.N)
				if c, folded := memory.Fold(token.ADD, g.N, h.N); folded {
					n = c
				}
				return &memory.Grown{E: e, N: n}
			}
		}
		return memory.Of(e, client.Any)
	}
	return in.Derive(t, "append", args...)
}

// invoke carries out a call.
func (in *interp) invoke(inv *session.Invocation) memory.Value {
	if inv.At.IsValid() {
		in.Pos = inv.At
	}
	callsBack(in, inv)
	if inv.C.IsInvoke() {
		return in.method(inv, inv.C.Method)
	}
	switch fn := memory.Unbox(inv.Fn).(type) {
	case *memory.Closure:
		return in.CallFunction(inv, fn)
	case *memory.OneOf:
		return in.CallOneOf(inv, fn)
	case *memory.Asked:
		if f := in.meant(inv, fn); f != nil {
			v := in.CallFunction(inv, f)
			if t := session.ResultType(f.Fn.Signature); in.St != nil && types.IsInterface(inv.T) && !types.IsInterface(t) {
				return memory.Box{V: v, T: t} // its methods are those of its own type
			}
			return v
		}
		in.asks(inv, fn)
	}
	for _, f := range in.P.Values(inv.C.Signature()) {
		in.Result.Missed[f] = true
		calledWithin(in, f, inv.Args)
	}
	if in.Trace == nil && in.IsOpen() && !madeElsewhere(inv.C.Value) && in.P.HoldersOf(false).Captured(inv.C.Signature()) {
		in.Unknown("a call of a function that is not known, which may use the transaction")
	}
	in.CallAgain(inv)
	return computing(in, inv, nil, func() memory.Value {
		return in.UnknownCall("a call of a function that is not known", append([]memory.Value{inv.Fn}, in.Uncalled(inv.Args)...), inv.T)
	})
}

// madeElsewhere reports whether a call without source made a function, such as the cancel function of a context.
func madeElsewhere(f ssa.Value) bool {
	if x, ok := f.(*ssa.Extract); ok {
		f = x.Tuple
	}
	c, ok := f.(*ssa.Call)
	return ok && c.Call.StaticCallee() != nil && len(c.Call.StaticCallee().Blocks) == 0
}

// meant gives the function that a value of unknown origin must be, where it gets a
// transaction: the only one of its type that the program has.
func (in *interp) meant(inv *session.Invocation, fn *memory.Asked) *memory.Closure {
	if !fn.Lost || !slices.ContainsFunc(inv.Args, func(v memory.Value) bool { return in.Holds(v, memory.IsLive) }) {
		return nil
	}
	f := in.P.Only(inv.C.Signature())
	if f == nil {
		return in.wrapper(inv)
	}
	in.Result.Notes = append(in.Result.Notes, ir.Note{Pos: in.P.Position(inv.At),
		Text: "the function called here is taken to be " + session.FunctionName(f) + ", which is the only one of its type in the packages that were read"})
	c := &memory.Closure{Fn: f}
	for _, v := range f.FreeVars {
		c.Free = append(c.Free, in.Fresh(v.Type(), v.Name(), memory.Unknown))
	}
	return c
}

// wrapper gives the function that a value of unknown origin must do the work of,
// where it gets a transaction and gives what only one function of the program makes
// of one, such as the New of code that sqlc wrote.
func (in *interp) wrapper(inv *session.Invocation) *memory.Closure {
	if len(inv.Args) != 1 || inv.T == nil || !types.IsInterface(inv.T) || in.P.HandleType(inv.T) != "" {
		return nil
	}
	i := inv.T.Underlying().(*types.Interface)
	var found *ssa.Function
	for _, f := range in.P.Funcs {
		s := f.Signature
		if f.Parent() != nil || s.Recv() != nil || s.Params().Len() != 1 || s.Results().Len() != 1 || i.NumMethods() == 0 ||
			in.P.HandleType(s.Params().At(0).Type()) == "" || !types.Implements(s.Results().At(0).Type(), i) {
			continue
		}
		if found != nil {
			return nil
		}
		found = f
	}
	if found == nil || gotypes.NamedOf(found.Signature.Results().At(0).Type()) == nil || in.P.OtherImplementer(i, found.Signature.Results().At(0).Type()) {
		return nil
	}
	in.Result.Notes = append(in.Result.Notes, ir.Note{Pos: in.P.Position(inv.At),
		Text: "the function called here, which is not known, is taken to do what " + session.FunctionName(found) + " does: only that makes a value of its type of a transaction in the packages that were read"})
	return &memory.Closure{Fn: found}
}

// asks is a call of a function that the caller of the root gives. With a
// transaction, only callers know what it does.
func (in *interp) asks(inv *session.Invocation, fn *memory.Asked) {
	if in.St.Phase == memory.Open || slices.ContainsFunc(inv.Args, func(v memory.Value) bool { return in.Holds(v, memory.IsHandle) }) {
		in.Callers("the function " + fn.Name + " comes from its caller")
	}
}

// CallFunction calls a function that is known, or a method of an interface that is bound to a value.
func (in *interp) CallFunction(inv *session.Invocation, fn *memory.Closure) memory.Value {
	if fn.Bound != nil {
		inner := *inv
		inner.Args = append([]memory.Value{fn.Free[0]}, inv.Args...)
		return in.method(&inner, fn.Bound)
	}
	f := fn.Fn
	if o := f.Origin(); o != nil && f.Blocks == nil {
		f = o
	}
	name := gotypes.FullName(f)
	if v, ok := in.modelled(inv, name); ok {
		return v
	}
	if v, ok := callGenerated(in, inv, f); ok {
		return v
	}
	if recv := f.Signature.Recv(); recv != nil && len(inv.Args) > 0 {
		if v, ok := in.OnHandle(inv, f.Name(), f.Signature); ok {
			return v
		}
	}
	if f.Pkg != nil && in.P.Know.IsIdle(f.Pkg.Pkg.Path()) || f.Pkg == nil && f.Object() != nil && f.Object().Pkg() != nil && in.P.Know.IsIdle(f.Object().Pkg().Path()) {
		return computing(in, inv, packageOf(f), func() memory.Value { return in.Quiet(inv.T) })
	}
	return in.EnterFunction(inv, f, fn.Free)
}

// modelled is a call of a function or method that a library models by its full name.
func (in *interp) modelled(inv *session.Invocation, name string) (memory.Value, bool) {
	f := in.Shared.Functions[name]
	if f == nil {
		return nil, false
	}
	named := *inv
	named.Name = name
	return byModel(in, inv, func() (memory.Value, bool) { return f(in.Session, &named) })
}

// callGenerated is a call of a function of the program that a library generated, and models.
func callGenerated(in *interp, inv *session.Invocation, f *ssa.Function) (memory.Value, bool) {
	for _, l := range in.Shared.Libs {
		if l.Generated == nil {
			continue
		}
		if v, ok := byModel(in, inv, func() (memory.Value, bool) { return l.Generated(in.Session, inv, f) }); ok {
			return v, true
		}
	}
	return nil, false
}

// byModel carries out a call that a library models, which may fail if it is given a handle.
func byModel(in *interp, inv *session.Invocation, call func() (memory.Value, bool)) (memory.Value, bool) {
	if slices.ContainsFunc(inv.Args, func(v memory.Value) bool { return in.Holds(v, memory.IsHandle) }) {
		return in.Attempting(inv, call)
	}
	return call()
}

// EnterFunction interprets the body of a function if that tells more than the
// call itself.
func (in *interp) EnterFunction(inv *session.Invocation, f *ssa.Function, free []memory.Value) memory.Value {
	in.called(f, inv.Args, free)
	args := inv.Args
	if !in.P.Matters(f) {
		args = blind(f.Signature, len(f.Blocks) > 0, args)
	}
	known := in.constants(f, inv.Args)
	if v, ok := in.SendForeign(inv, program.ObjectOf(f), f.Name()); ok {
		return in.computed(f, known, v)
	}
	if in.worth(f, args, free) && len(args) == len(f.Params) {
		over := nextAttempt(in, f)
		v := in.run(f, inv.Args, free, inv.At)
		over()
		return in.computed(f, known, v)
	}
	in.Result.Apart[f] = true
	switch given, how := in.recurs(f, slices.Concat(inv.Args, free)); how {
	case anew:
		return in.computed(f, known, in.run(f, given[:len(f.Params)], given[len(f.Params):], inv.At))
	case likewise:
		return in.computed(f, known, memory.Inherit(inv.T, in.SomeCall("a call of "+f.Name(), append(slices.Clone(free), args...), inv.T), inv.Args))
	}
	in.CallAgain(inv)
	result := computing(in, inv, packageOf(f), func() memory.Value {
		return in.UnknownCall("a call of "+f.Name(), append(slices.Clone(free), in.Uncalled(args)...), inv.T)
	})
	return in.computed(f, known, memory.Inherit(inv.T, in.FromContext(inv, result), inv.Args))
}

// blind takes contexts out of the arguments of a function that does not get at what they hold, since it has
// nothing to do with the database. A method that is not read may keep a request, or a context that is all
// it gets; others may look into a context that they get as something else.
func blind(sig *types.Signature, read bool, args []memory.Value) []memory.Value {
	params, own := sig.Params(), len(args)-sig.Params().Len()
	keeps := !read && sig.Recv() != nil && sig.Results().Len() == 0
	out := memory.Blind(args)
	for i := range params.Len() {
		t := params.At(i).Type()
		isRequest := gotypes.TypeName(t) == "net/http.Request"
		if own+i >= 0 && (!isRequest && !gotypes.IsContext(t) || keeps && (isRequest || params.Len() == 1)) {
			out[own+i] = args[own+i]
		}
	}
	return out
}

// worth reports whether a function is interpreted where it is called.
func (in *interp) worth(f *ssa.Function, args, free []memory.Value) bool {
	if !in.readable(f) {
		return false
	}
	_, within := in.nested(f)
	// What a function calls that it is given may call it again, and a trace has a function that calls itself
	// twice: the inner call may write what the outer one has read.
	again := in.Wide && within == 1 && in.P.Matters(f)
	if within > 2 || within > 0 && !again && !slices.ContainsFunc(args, func(v memory.Value) bool { _, ok := memory.Unbox(v).(*memory.Closure); return ok }) {
		return false
	}
	if f.Parent() != nil || f.Synthetic != "" && f.Pkg == nil {
		return true
	}
	for _, v := range slices.Concat(args, free) {
		if in.Holds(v, memory.IsLive) || in.Holds(v, func(w memory.Value) bool {
			switch w := w.(type) {
			case *memory.Closure:
				return in.P.Matters(w.Fn)
			case *memory.Rows, *memory.Prepared:
				return true
			case *memory.Pointer:
				return w.To.GivenOutside() && in.P.HoldersOf(false).Holds(w.To.T)
			case memory.Object:
				return w.Sends()
			}
			return false
		}) {
			return true
		}
	}
	return in.P.Parametric[f] != "" || in.P.Small(f) || program.GivesOptions(f) || in.P.Places.GivesStatement(f) || in.Trace != nil && in.P.Matters(f)
}

// method is a call through an interface.
func (in *interp) method(inv *session.Invocation, m *types.Func) memory.Value {
	if v, ok := in.modelled(inv, m.FullName()); ok {
		return v
	}
	recv := inv.Args[0]
	if b, ok := recv.(memory.Box); ok {
		if f := in.P.MethodOf(b.T, m); f != nil {
			inner := *inv
			inner.Args = append([]memory.Value{b.V}, inv.Args[1:]...)
			return in.CallFunction(&inner, &memory.Closure{Fn: f})
		}
	}
	sig := m.Type().(*types.Signature)
	if v, ok := in.OnHandle(inv, m.Name(), sig); ok {
		return v
	}
	if _, isFailure := memory.Unbox(recv).(*memory.Failure); isFailure && m.Name() == "Error" {
		return memory.Of(client.V(in.NewVar("message", client.Text, false, memory.Unknown)), client.Text)
	}
	if m.Pkg() != nil && in.P.Know.IsIdle(m.Pkg().Path()) {
		return in.Quiet(inv.T)
	}
	impl := in.P.Implementers(m)
	if in.Trace != nil { // what does not use the database stands in for what does, in tests
		impl = taken(in, slices.DeleteFunc(impl, func(f *ssa.Function) bool { return !in.P.Matters(f) }))
	}
	if len(impl) == 1 && in.P.Matters(impl[0]) {
		f := impl[0]
		inner := *inv
		inner.Args = append([]memory.Value{in.Fresh(f.Params[0].Type(), "it", memory.Unknown)}, inv.Args[1:]...)
		in.EmitValue(recv)
		return in.CallFunction(&inner, &memory.Closure{Fn: f})
	}
	if in.P.OnlyBegins(m) {
		return in.beginsSome(inv, m, impl)
	}
	if in.dispatches(inv, m, impl) {
		return in.callOne(inv, impl)
	}
	if v, ok := in.SendForeign(inv, m, m.Name()); ok {
		return v
	}
	args := inv.Args
	if !in.P.Unimplemented(m) {
		args = blind(sig, false, inv.Args)
	}
	for _, f := range in.P.Values(sig) { // an adapter such as http.HandlerFunc makes a method of a function
		if in.P.Matters(f) {
			in.Result.Missed[f] = true
			args = inv.Args
		}
		calledWithin(in, f, inv.Args)
	}
	for _, f := range impl {
		in.called(f, inv.Args, nil)
		if in.P.Matters(f) {
			in.Result.Missed[f] = true
			args = inv.Args
		}
	}
	what := "a call of " + m.Name() + " through an interface"
	if in.Trace == nil && in.Site != "" && in.St.Phase == memory.Open && !in.Holds(recv, memory.IsLive) && slices.ContainsFunc(impl, in.MayHoldTx) {
		in.Unknown(what + " whose value may hold the transaction")
	}
	result := computing(in, inv, m.Pkg(), func() memory.Value { return in.UnknownCall(what, args, inv.T) })
	if h, ok := result.(*memory.Handle); ok && in.P.Unimplemented(m) {
		memory.MayBeUntraced(in.Memory, h)
	}
	return memory.Inherit(inv.T, in.FromContext(inv, result), inv.Args)
}

// called records a call between functions of the program.
func (in *interp) called(f *ssa.Function, args, free []memory.Value) {
	how := program.Plainly
	for _, v := range slices.Concat(args, free) {
		if in.Holds(v, memory.IsLive) {
			how = program.Within
			break
		}
		if in.Holds(v, func(w memory.Value) bool {
			h, ok := w.(*memory.Handle)
			return ok && (h.Kind == memory.Either || h.Kind == memory.Transaction)
		}) {
			how = program.Passing
		}
		if pt, ok := memory.Unbox(v).(*memory.Pointer); ok && pt.To.Start == memory.Given && how == program.Plainly {
			how = program.Passing
		}
	}
	if in.Site == "" {
		in.P.Calls[program.Call{From: in.Root, To: f, How: how}] = true
	}
}

// calledWithin records that a function may be called with a transaction, if one is among the arguments.
func calledWithin(in *interp, f *ssa.Function, args []memory.Value) {
	if in.Site != "" || !slices.ContainsFunc(args, func(v memory.Value) bool { return in.Holds(v, memory.IsLive) }) {
		return
	}
	in.P.Calls[program.Call{From: in.Root, To: program.Unwrapped(f), How: program.Within}] = true
}
