package absint

import (
	"go/constant"
	"go/token"
	"go/types"
	"math/big"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// value gives what an operand is.
func (in *interp) value(v ssa.Value) memory.Value {
	if w, ok := in.act.regs[v]; ok {
		return w
	}
	switch v := v.(type) {
	case *ssa.Const:
		return in.constant(v)
	case *ssa.Function:
		in.Made(v)
		return &memory.Closure{Fn: v}
	case *ssa.Global:
		return in.global(v)
	case *ssa.Builtin:
		return memory.Of(client.C(ir.Null), client.Any)
	}
	// It is defined on a path that was not followed.
	return in.Fresh(v.Type(), v.Name(), memory.Unknown)
}

func (in *interp) constant(c *ssa.Const) memory.Value {
	if c.Value == nil {
		return in.Zero(c.Type())
	}
	k := gotypes.KindOf(c.Type())
	switch c.Value.Kind() {
	case constant.Bool:
		return memory.Of(client.C(ir.Bool(constant.BoolVal(c.Value))), k)
	case constant.String:
		return memory.Of(client.C(ir.Text(constant.StringVal(c.Value))), k)
	case constant.Int:
		if i, exact := constant.Int64Val(c.Value); exact && k != client.Float {
			return memory.Of(client.C(ir.Int(i)), k)
		}
	}
	if r, ok := new(big.Rat).SetString(c.Value.ExactString()); ok {
		return memory.Of(client.C(ir.Num(r)), k)
	}
	return memory.Of(&client.Call{Name: "const " + c.Value.ExactString(), Kind: k}, k)
}

// global gives the address of a package's variable. A variable that its package sets
// once, and nobody else sets, has that value.
func (in *interp) global(g *ssa.Global) memory.Value {
	t := g.Type().(*types.Pointer).Elem()
	c, ok := in.Shared.Globals[g]
	if !ok {
		c = in.NewCell(t, g.Name(), memory.Unknown)
		in.Shared.Globals[g] = c
	}
	if session.AreOptions(t) {
		if v, ok := in.settledAt(g, 0); ok {
			in.Store(c, v)
		}
	}
	return &memory.Pointer{To: c}
}

// loadGlobal gives what a package's variable holds, if that is known.
func (in *interp) loadGlobal(g *ssa.Global) (memory.Value, bool) {
	name := g.Pkg.Pkg.Path() + "." + g.Name()
	if in.P.Know.NoRows[name] { // of the type error, or of one of its library
		return &memory.Failure{NoRows: client.True, Kind: memory.CodeNoRows}, true
	}
	if gotypes.IsError(g.Type().(*types.Pointer).Elem()) {
		return &memory.Failure{Other: client.True, Kind: in.Sentinel(name)}, true
	}
	if c := in.P.ConstantOf(g); c != nil {
		return in.constant(c), true
	}
	return loadTexts(in, g)
}

// instr interprets an instruction that does not end its block.
func (in *interp) instr(instr ssa.Instruction) {
	if v, ok := instr.(ssa.Value); ok {
		if call, isCall := instr.(*ssa.Call); isCall {
			r := in.call(&call.Call, call)
			if in.St != nil {
				in.act.regs[v] = r
			}
			return
		}
		if b, ok := instr.(*ssa.BinOp); ok && (b.Op == token.QUO || b.Op == token.REM) && gotypes.KindOf(b.Type()) == client.Int {
			if in.divides(in.ScalarOf(in.value(b.Y)).E); in.St == nil {
				return
			}
		}
		w := in.compute(v)
		if s, isScalar := w.(memory.Scalar); isScalar {
			w = in.compact(s)
		}
		in.act.regs[v] = w
		return
	}
	switch instr := instr.(type) {
	case *ssa.Store:
		was := wholeAround(in, instr.Addr, in.value)
		in.storeTo(in.value(instr.Addr), in.value(instr.Val))
		storeInWhole(in, was, in.value(instr.Val))
		storedAway(in, instr.Addr, in.value(instr.Addr), in.value(instr.Val))
		if at, ok := instr.Addr.(*ssa.IndexAddr); ok {
			memory.KeepElement(in.Memory, at.X.Type(), "", instr.Val.Type(), in.value(instr.Val))
		}
		if at := in.P.Places.PlaceAt(instr.Addr); at != nil && in.P.Places.IsStmtPointer(instr.Val.Type()) && in.P.Places.PlaceFrom(instr.Val) != at {
			in.Keep([]program.Place{at}, nil, in.value(instr.Val))
		}
		if in.P.Places.IsStmtPointer(instr.Val.Type()) {
			if list, index := in.P.Places.ElementPlaces(instr.Addr); len(list) > 0 {
				in.KeepAt(list, in.value(index), in.value(instr.Val))
			}
		}
	case *ssa.MapUpdate:
		k, v := in.value(instr.Key), in.value(instr.Value)
		if in.P.Places.IsStmtMap(instr.Map.Type()) {
			in.Keep(in.P.Places.PlacesOfMap(instr.Map), k, v)
		}
		if !in.MapUpdate(in.value(instr.Map), k, v) {
			memory.ShareList(in.Memory, in.value(instr.Map))
			in.EmitValue(k)
			in.EmitValue(v)
			away(in, v, "a map")
		}
		of := instr.Map.Type()
		memory.Enters(in.Memory, of, k, v)
		memory.KeepElement(in.Memory, of, "key", instr.Key.Type(), k)
		memory.KeepElement(in.Memory, of, "", instr.Value.Type(), v)
	case *ssa.Send:
		send(in, instr.Chan, instr.X)
	case *ssa.Defer:
		in.deferCall(instr)
	case *ssa.RunDefers:
		in.runList(in.St.Defers[in.Fr])
	case *ssa.Go:
		in.spawn(instr)
	case *ssa.DebugRef:
	default:
		panic("analyzer: unknown instruction " + instr.String())
	}
}

// newChannel makes a channel of a trace: it is a pointer to what was sent through it.
func newChannel(in *interp, v *ssa.MakeChan) memory.Value {
	return &memory.Pointer{To: in.NewCell(v.Type().Underlying().(*types.Chan).Elem(), "sent", memory.Zeroed)}
}

// channel gives what a channel of a trace holds, nil if that is not known.
func channel(in *interp, v ssa.Value) *memory.Cell {
	if p, ok := memory.Unbox(in.value(v)).(*memory.Pointer); ok && in.Trace != nil {
		return p.To
	}
	return nil
}

// send puts a value into a channel, which may hold another one already.
func send(in *interp, to, what ssa.Value) {
	v := in.value(what)
	in.EmitValue(v)
	memory.KeepElement(in.Memory, to.Type(), "", what.Type(), v)
	c := channel(in, to)
	if c == nil {
		away(in, v, "a channel")
		return
	}
	if memory.Touched(in.Memory, c) {
		in.Choose(func() { in.Store(c, v) })
		return
	}
	in.Store(c, v)
}

// receive gives what the operator <- gives: a value, perhaps with whether the channel is open.
func receive(in *interp, v *ssa.UnOp) memory.Value {
	t, ok := v.Type().(*types.Tuple)
	if !ok {
		return received(in, v.X, v.Type())
	}
	return memory.Tuple{received(in, v.X, t.At(0).Type()), in.Fresh(t.At(1).Type(), "open", memory.Unknown)}
}

// received gives a value that comes from a channel: in a trace what was sent, or else anything.
func received(in *interp, from ssa.Value, t types.Type) memory.Value {
	if c := channel(in, from); c != nil && memory.Touched(in.Memory, c) {
		return in.Load(c)
	}
	if v, ok := memory.ElementOf(in.Memory, from.Type(), "", t); ok {
		return v
	}
	return in.Fresh(t, "received", memory.Unknown)
}

// selects gives the result of a select statement, which may send through any of its channels.
func selects(in *interp, v *ssa.Select) memory.Value {
	t := v.Type().(*types.Tuple)
	out := memory.Tuple{in.Fresh(t.At(0).Type(), "selected", memory.Unknown), in.Fresh(t.At(1).Type(), "open", memory.Unknown)}
	for _, s := range v.States {
		if s.Send == nil {
			out = append(out, received(in, s.Chan, t.At(len(out)).Type()))
			continue
		}
		in.Choose(func() { send(in, s.Chan, s.Send) })
	}
	return out
}

// spawn begins a goroutine. Transactions of its own are those of a call of the function; the program
// may end before they run. What it does to the open transaction and to memory is not known. In a trace
// it runs here, and again where the function that spawns it ends: it may wait for what comes in between.
func (in *interp) spawn(g *ssa.Go) {
	inv := in.invocation(&g.Call)
	operands := in.operands(&g.Call)
	live := slices.ContainsFunc(operands, func(v memory.Value) bool { return in.Holds(v, memory.IsLive) })
	_, isBuiltin := g.Call.Value.(*ssa.Builtin)
	if !isBuiltin && !live && (in.Trace == nil || in.Wide) {
		in.Choose(func() { in.invoke(inv) })
		if in.Wide {
			in.act.spawned = append(slices.DeleteFunc(in.act.spawned, func(o spawned) bool { return o.by == g }), spawned{g, inv})
			return
		}
	}
	if in.St != nil {
		in.UnknownCall("a goroutine", operands, nil)
	}
}

// spawned is a goroutine that a function has begun, with what began it.
type spawned struct {
	by  *ssa.Go
	inv *session.Invocation
}

func (in *interp) operands(c *ssa.CallCommon) []memory.Value {
	var out []memory.Value
	if c.IsInvoke() {
		out = append(out, in.value(c.Value))
	} else if _, isFn := c.Value.(*ssa.Function); !isFn {
		if _, isBuiltin := c.Value.(*ssa.Builtin); !isBuiltin {
			out = append(out, in.value(c.Value))
		}
	}
	for _, a := range c.Args {
		out = append(out, in.value(a))
	}
	return out
}

// storeTo stores through a pointer.
func (in *interp) storeTo(addr, v memory.Value) {
	p, ok := memory.Unbox(addr).(*memory.Pointer)
	if !ok { // somewhere in memory
		in.EmitValue(v)
		return
	}
	if p.To.Start != memory.Zeroed { // others may see it
		in.EmitValue(v)
	}
	in.Store(p.To, v)
}

// setOnce reports whether a variable is set by one instruction, and otherwise only read, also
// in the functions that capture it: who else gets hold of these cannot change it.
func setOnce(v *ssa.Alloc) bool {
	stores := 0
	var only func(w ssa.Value) bool
	only = func(w ssa.Value) bool {
		return !slices.ContainsFunc(*w.Referrers(), func(r ssa.Instruction) bool {
			switch r := r.(type) {
			case *ssa.Store:
				stores++
				return r.Val == w || w != v
			case *ssa.UnOp, *ssa.DebugRef:
				return false
			case *ssa.MakeClosure:
				i := slices.Index(r.Bindings, w)
				return !only(r.Fn.(*ssa.Function).FreeVars[i])
			}
			return true
		})
	}
	return only(v) && stores == 1
}

// compute gives the value of an instruction.
func (in *interp) compute(v ssa.Value) memory.Value {
	switch v := v.(type) {
	case *ssa.UnOp:
		return in.unary(v)
	case *ssa.BinOp:
		return in.binary(v)
	case *ssa.Alloc, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.SliceToArrayPointer:
		return in.address(v)
	case *ssa.Field, *ssa.Index, *ssa.Lookup, *ssa.Slice, *ssa.Extract:
		return in.partOf(v)
	case *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.ChangeType, *ssa.Convert, *ssa.MultiConvert, *ssa.TypeAssert:
		return in.converted(v)
	case *ssa.MakeClosure, *ssa.MakeSlice, *ssa.MakeMap, *ssa.MakeChan:
		return in.makes(v)
	case *ssa.Range:
		return in.value(v.X)
	case *ssa.Next:
		return in.nextItem(v)
	case *ssa.Select:
		return selects(in, v)
	}
	panic("analyzer: unknown instruction " + v.String())
}

// hasHandle reports whether a type is a struct with a field that statements are sent through.
func (in *interp) hasHandle(t types.Type) bool {
	parts, _ := in.P.Know.Layout.Parts(t)
	return slices.ContainsFunc(parts, func(p types.Type) bool { return in.P.HandleType(p) != "" })
}

// address gives the address of a variable, or of a part of one.
func (in *interp) address(v ssa.Value) memory.Value {
	switch v := v.(type) {
	case *ssa.Alloc:
		name := v.Comment
		if name == "" || name == "new" || name == "complit" || name == "varargs" {
			name = "v"
		}
		c := in.NewCell(v.Type().(*types.Pointer).Elem(), name, memory.Zeroed)
		c.Fixed = setOnce(v)
		if session.AreOptions(c.T) || in.hasHandle(c.T) {
			memory.Make(in.Memory, c)
		}
		return &memory.Pointer{To: c}
	case *ssa.FieldAddr:
		if p, ok := in.fieldOf(v); ok {
			return p
		}
		if p, ok := memory.Unbox(in.value(v.X)).(*memory.Pointer); ok {
			if f := p.To.Part(v.Field); f != nil {
				return &memory.Pointer{To: f}
			}
			return memory.InWhole(in.Memory, v.Type(), p)
		}
		if h, ok := memory.Unbox(in.value(v.X)).(*memory.Handle); ok { // the handle that is embedded
			t := v.Type().(*types.Pointer).Elem()
			if in.P.HandleType(t) != "" {
				c := in.NewCell(t, "embedded", memory.Zeroed)
				in.St.Mem[c] = h.As(t)
				return &memory.Pointer{To: c}
			}
		}
		return in.Inside(v.Type(), in.value(v.X))
	case *ssa.IndexAddr:
		return in.indexAddr(v)
	case *ssa.SliceToArrayPointer:
		return in.Inside(v.Type(), in.value(v.X))
	}
	panic("analyzer: no address " + v.String())
}

// partOf gives a part of a value.
func (in *interp) partOf(v ssa.Value) memory.Value {
	switch v := v.(type) {
	case *ssa.Field:
		x := memory.Unbox(in.value(v.X))
		if h, ok := x.(*memory.Handle); ok && in.P.HandleType(v.Type()) != "" {
			return h.As(v.Type())
		}
		if a, ok := x.(*memory.Aggregate); ok && v.Field < len(a.Parts) {
			return unset(in, in.Present(a.Parts[v.Field], v.Type()), v.X.Type(), v.Field)
		}
		return in.Derive(v.Type(), "field "+strconv.Itoa(v.Field), x)
	case *ssa.Index:
		x := memory.Unbox(in.value(v.X))
		if i, ok := memory.ConstOf(in.value(v.Index)); ok {
			if a, isArray := x.(*memory.Aggregate); isArray && i.I < int64(len(a.Parts)) {
				return a.Parts[i.I]
			}
		}
		w := in.Derive(v.Type(), "index", x, in.value(v.Index))
		if gotypes.IsText(v.Type()) {
			w = in.textIn(v.X, v.Index, w)
		}
		return w
	case *ssa.Lookup:
		return in.lookup(v)
	case *ssa.Slice:
		return in.slice(v)
	case *ssa.Extract:
		if t, ok := in.value(v.Tuple).(memory.Tuple); ok && v.Index < len(t) {
			return t[v.Index]
		}
		return in.Fresh(v.Type(), "v", memory.Unknown)
	}
	panic("analyzer: no part " + v.String())
}

// converted gives a value as one of another type.
func (in *interp) converted(v ssa.Value) memory.Value {
	switch v := v.(type) {
	case *ssa.MakeInterface:
		x := in.value(v.X)
		if _, known := memory.Unbox(x).(*memory.Failure); gotypes.IsError(v.Type()) && !known { // an error of a type of its own is never nil
			in.EmitValue(x)
			return &memory.Failure{Other: client.True}
		}
		return memory.Box{V: x, T: v.X.Type()}
	case *ssa.ChangeInterface:
		return in.value(v.X)
	case *ssa.ChangeType:
		x := in.value(v.X)
		if a, ok := memory.Unbox(x).(*memory.Aggregate); ok {
			return &memory.Aggregate{T: v.Type(), Parts: a.Parts}
		}
		return x
	case *ssa.Convert:
		return in.convert(v)
	case *ssa.MultiConvert:
		return in.Derive(v.Type(), "convert", in.value(v.X))
	case *ssa.TypeAssert:
		return in.typeAssert(v)
	}
	panic("analyzer: no conversion " + v.String())
}

// makes gives a new function, slice, map or channel.
func (in *interp) makes(v ssa.Value) memory.Value {
	switch v := v.(type) {
	case *ssa.MakeClosure:
		c := &memory.Closure{Fn: v.Fn.(*ssa.Function)}
		in.Made(c.Fn)
		for _, b := range v.Bindings {
			c.Free = append(c.Free, in.value(b))
		}
		return c
	case *ssa.MakeSlice:
		if n, ok := memory.ConstOf(in.value(v.Len)); ok && n.I == 0 {
			return &memory.List{}
		}
		return in.Derive(v.Type(), "make", in.value(v.Len))
	case *ssa.MakeMap:
		if m, ok := in.MakeMap(v); ok {
			return m
		}
	case *ssa.MakeChan:
		if in.Trace != nil {
			return newChannel(in, v)
		}
	}
	return memory.Of(client.V(in.NewVar("made", client.Any, true, memory.Unknown)), client.Any)
}

// nextItem gives what a range loop has next.
func (in *interp) nextItem(v *ssa.Next) memory.Value {
	x := in.value(v.Iter)
	if next, ok := in.NextEntry(x); ok {
		return next
	}
	in.EmitValue(x)
	t := v.Type().(*types.Tuple)
	out := make(memory.Tuple, t.Len())
	for i := range out {
		if b, ok := t.At(i).Type().(*types.Basic); ok && b.Kind() == types.Invalid {
			continue
		}
		if r, ok := v.Iter.(*ssa.Range); ok && i > 0 {
			memory.OfElement(in.Memory, x, r.X.Type(), func() { out[i] = itemOf(in, v, i, t.At(i).Type()) })
			continue
		}
		out[i] = itemOf(in, v, i, t.At(i).Type())
	}
	return out
}

// itemOf gives what a range loop over a map has next: whether there is something, its key, or its value.
func itemOf(in *interp, v *ssa.Next, i int, t types.Type) memory.Value {
	if r, ok := v.Iter.(*ssa.Range); ok && i > 0 {
		if w, ok := memory.ElementOf(in.Memory, r.X.Type(), [3]string{1: "key"}[i], t); ok {
			return w
		}
	}
	return in.Fresh(t, "item", memory.Unknown)
}

// maxExpr bounds the size of expressions.
const maxExpr = 48

// compact puts a large expression in a variable.
func (in *interp) compact(s memory.Scalar) memory.Scalar {
	n := 0
	var count func(e client.Expr)
	count = func(e client.Expr) {
		if n++; n > maxExpr {
			return
		}
		switch e := e.(type) {
		case *client.Op:
			for _, a := range e.Args {
				count(a)
			}
		case *client.Call:
			for _, a := range e.Args {
				count(a)
			}
		case *client.Const, *client.VarExpr: // they have no parts
		}
	}
	if count(s.E); n <= maxExpr {
		return s
	}
	v := in.Temp("v", s.Kind, s.Kind == client.Any)
	in.Set(v, s.E)
	if s.Kind == client.Text {
		if list := in.TextsOf(s.E); len(list) > 1 || list[0] != client.Hole {
			in.Texts[v] = list
		}
	}
	return memory.Of(client.V(v), s.Kind)
}

// fieldOf is the address of a field of a value of the database: of rows and prepared
// statements that have others embedded, and of what a library knows.
func (in *interp) fieldOf(v *ssa.FieldAddr) (memory.Value, bool) {
	x := memory.Unbox(in.value(v.X))
	elem := v.Type().(*types.Pointer).Elem()
	if r := in.P.Know.Results[gotypes.TypeName(elem)]; r == program.QueryRole || r == program.QueryRowRole || r == program.PrepareRole {
		switch x.(type) {
		case *memory.Rows, *memory.Prepared:
			c := in.NewCell(elem, "embedded", memory.Zeroed)
			in.St.Mem[c] = x
			return &memory.Pointer{To: c}, true
		}
	}
	s, isStruct := gotypes.Deref(v.X.Type()).Underlying().(*types.Struct)
	if !isStruct {
		return nil, false
	}
	for _, l := range in.Shared.Libs {
		if l.Field == nil {
			continue
		}
		if p, ok := l.Field(in.Session, x, v.X.Type(), s.Field(v.Field)); ok {
			return p, true
		}
	}
	return nil, false
}
