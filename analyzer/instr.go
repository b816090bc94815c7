package analyzer

import (
	"go/constant"
	"go/types"
	"math/big"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// value gives what an operand is.
func (in *interp) value(v ssa.Value) value {
	if w, ok := in.fr.regs[v]; ok {
		return w
	}
	switch v := v.(type) {
	case *ssa.Const:
		return in.constant(v)
	case *ssa.Function:
		in.made(v)
		return &closure{fn: v}
	case *ssa.Global:
		return in.global(v)
	case *ssa.Builtin:
		return scalar{client.C(ir.Null), client.Any}
	}
	// It is defined on a path that was not followed.
	return in.fresh(v.Type(), v.Name(), unknown)
}

func (in *interp) constant(c *ssa.Const) value {
	if c.Value == nil {
		return in.zero(c.Type())
	}
	k := kindOf(c.Type())
	switch c.Value.Kind() {
	case constant.Bool:
		return scalar{client.C(ir.Bool(constant.BoolVal(c.Value))), k}
	case constant.String:
		return scalar{client.C(ir.Text(constant.StringVal(c.Value))), k}
	case constant.Int:
		if i, exact := constant.Int64Val(c.Value); exact && k != client.Float {
			return scalar{client.C(ir.Int(i)), k}
		}
	}
	if r, ok := new(big.Rat).SetString(c.Value.ExactString()); ok {
		return scalar{client.C(ir.Num(r)), k}
	}
	return scalar{&client.Call{Name: "const " + c.Value.ExactString(), Kind: k}, k}
}

// global gives the address of a package's variable. One that only its package
// sets, once, is what it is set to.
func (in *interp) global(g *ssa.Global) value {
	if c, ok := in.p.globals[g]; ok {
		return &pointer{to: c}
	}
	t := g.Type().(*types.Pointer).Elem()
	c := in.newCell(t, g.Name(), unknown)
	in.p.globals[g] = c
	return &pointer{to: c}
}

// loadGlobal gives what a package's variable holds, if that is known.
func (in *interp) loadGlobal(g *ssa.Global) (value, bool) {
	t := g.Type().(*types.Pointer).Elem()
	if isError(t) {
		name := g.Pkg.Pkg.Path() + "." + g.Name()
		switch name {
		case "database/sql.ErrNoRows", "github.com/jackc/pgx/v5.ErrNoRows", "github.com/jackc/pgx/v4.ErrNoRows", "gorm.io/gorm.ErrRecordNotFound":
			return &failure{noRows: client.True, kind: codeNoRows}, true
		}
		return &failure{other: client.True, kind: in.p.sentinel(name)}, true
	}
	if c := in.p.constantOf(g); c != nil {
		return in.constant(c), true
	}
	return nil, false
}

// instr interprets an instruction that does not end its block.
func (in *interp) instr(instr ssa.Instruction) {
	if v, ok := instr.(ssa.Value); ok {
		if call, isCall := instr.(*ssa.Call); isCall {
			r := in.call(&call.Call, call)
			if in.st != nil {
				in.fr.regs[v] = r
			}
			return
		}
		w := in.compute(v)
		if s, isScalar := w.(scalar); isScalar {
			w = in.compact(s)
		}
		in.fr.regs[v] = w
		return
	}
	switch instr := instr.(type) {
	case *ssa.Store:
		in.storeTo(in.value(instr.Addr), in.value(instr.Val))
		if at := placeAt(instr.Addr); at != nil && isStmtPointer(instr.Val.Type()) && placeFrom(instr.Val) != at {
			in.keep([]place{at}, nil, in.value(instr.Val))
		}
		if isStmtPointer(instr.Val.Type()) {
			if list, index := elementPlaces(instr.Addr); len(list) > 0 {
				in.keepAt(list, in.value(index), in.value(instr.Val))
			}
		}
	case *ssa.MapUpdate:
		k, v := in.value(instr.Key), in.value(instr.Value)
		if isStmtMap(instr.Map.Type()) {
			in.keep(placesOfMap(instr.Map), k, v)
		}
		if !in.mapUpdate(in.value(instr.Map), k, v) {
			in.emitValue(k)
			in.emitValue(v)
		}
	case *ssa.Send:
		in.emitValue(in.value(instr.X))
	case *ssa.Defer:
		in.deferCall(instr)
	case *ssa.RunDefers:
		in.runDefers()
	case *ssa.Go:
		in.spawn(instr)
	case *ssa.DebugRef:
	default:
		panic("analyzer: unknown instruction " + instr.String())
	}
}

// spawn begins a goroutine. What it does with transactions of its own is as in a call of the
// function, which may come to nothing before the program ends; what it does in the one that is open,
// and to memory, nobody knows.
func (in *interp) spawn(g *ssa.Go) {
	inv := in.invocation(&g.Call)
	operands := in.operands(&g.Call)
	live := slices.ContainsFunc(operands, func(v value) bool { return in.holds(v, isLive) })
	if _, isBuiltin := g.Call.Value.(*ssa.Builtin); !isBuiltin && !live && in.trace == nil {
		in.choose(func() { in.invoke(inv) })
	}
	if in.st != nil {
		in.unknownCall("a goroutine", operands, nil)
	}
}

func (in *interp) operands(c *ssa.CallCommon) []value {
	var out []value
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
func (in *interp) storeTo(addr, v value) {
	p, ok := unbox(addr).(*pointer)
	if !ok { // somewhere in memory
		in.emitValue(v)
		return
	}
	if p.to.start != zeroed { // others may see it
		in.emitValue(v)
	}
	in.store(p.to, v)
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
func (in *interp) compute(v ssa.Value) value {
	switch v := v.(type) {
	case *ssa.Alloc:
		name := v.Comment
		if name == "" || name == "new" || name == "complit" || name == "varargs" {
			name = "v"
		}
		c := in.newCell(v.Type().(*types.Pointer).Elem(), name, zeroed)
		c.fixed = setOnce(v)
		return &pointer{to: c}
	case *ssa.UnOp:
		return in.unary(v)
	case *ssa.BinOp:
		return in.binary(v)
	case *ssa.FieldAddr:
		if p, ok := in.chainField(v); ok {
			return p
		}
		if p, ok := unbox(in.value(v.X)).(*pointer); ok {
			if f := p.to.part(v.Field); f != nil {
				return &pointer{to: f}
			}
			return in.inside(v.Type(), in.value(v.X))
		}
		if h, ok := unbox(in.value(v.X)).(*handle); ok { // the handle that is embedded
			t := v.Type().(*types.Pointer).Elem()
			if in.p.handleType(t) != "" {
				c := in.newCell(t, "embedded", zeroed)
				in.st.mem[c] = h.as(t)
				return &pointer{to: c}
			}
		}
		return in.inside(v.Type(), in.value(v.X))
	case *ssa.Field:
		x := unbox(in.value(v.X))
		if h, ok := x.(*handle); ok && in.p.handleType(v.Type()) != "" {
			return h.as(v.Type())
		}
		if a, ok := x.(*aggregate); ok && v.Field < len(a.parts) {
			return in.present(a.parts[v.Field], v.Type())
		}
		return in.derive(v.Type(), "field "+itoa(v.Field), x)
	case *ssa.IndexAddr:
		return in.indexAddr(v)
	case *ssa.Index:
		x := unbox(in.value(v.X))
		if i, ok := constOf(in.value(v.Index)); ok {
			if a, isArray := x.(*aggregate); isArray && i.I < int64(len(a.parts)) {
				return a.parts[i.I]
			}
		}
		w := in.derive(v.Type(), "index", x, in.value(v.Index))
		if isText(v.Type()) {
			w = in.textIn(v.X, v.Index, w)
		}
		return w
	case *ssa.Lookup:
		return in.lookup(v)
	case *ssa.Slice:
		return in.slice(v)
	case *ssa.MakeInterface:
		x := in.value(v.X)
		if _, known := unbox(x).(*failure); isError(v.Type()) && !known { // an error of a type of its own is never nil
			in.emitValue(x)
			return &failure{other: client.True}
		}
		return box{x, v.X.Type()}
	case *ssa.ChangeInterface:
		return in.value(v.X)
	case *ssa.ChangeType:
		x := in.value(v.X)
		if a, ok := unbox(x).(*aggregate); ok {
			return &aggregate{t: v.Type(), parts: a.parts}
		}
		return x
	case *ssa.Convert:
		return in.convert(v)
	case *ssa.MultiConvert:
		return in.derive(v.Type(), "convert", in.value(v.X))
	case *ssa.SliceToArrayPointer:
		return in.inside(v.Type(), in.value(v.X))
	case *ssa.TypeAssert:
		return in.typeAssert(v)
	case *ssa.Extract:
		if t, ok := in.value(v.Tuple).(tuple); ok && v.Index < len(t) {
			return t[v.Index]
		}
		return in.fresh(v.Type(), "v", unknown)
	case *ssa.MakeClosure:
		c := &closure{fn: v.Fn.(*ssa.Function)}
		in.made(c.fn)
		for _, b := range v.Bindings {
			c.free = append(c.free, in.value(b))
		}
		return c
	case *ssa.MakeSlice:
		if n, ok := constOf(in.value(v.Len)); ok && n.I == 0 {
			return &list{}
		}
		return in.derive(v.Type(), "make", in.value(v.Len))
	case *ssa.MakeMap:
		if m, ok := in.makeMap(v); ok {
			return m
		}
		return scalar{client.V(in.newVar("made", client.Any, true, unknown)), client.Any}
	case *ssa.MakeChan:
		return scalar{client.V(in.newVar("made", client.Any, true, unknown)), client.Any}
	case *ssa.Range:
		return in.value(v.X)
	case *ssa.Next:
		x := in.value(v.Iter)
		if next, ok := in.nextEntry(x); ok {
			return next
		}
		in.emitValue(x)
		t := v.Type().(*types.Tuple)
		out := make(tuple, t.Len())
		for i := range out {
			if b, ok := t.At(i).Type().(*types.Basic); ok && b.Kind() == types.Invalid {
				continue
			}
			out[i] = in.fresh(t.At(i).Type(), "item", unknown)
		}
		return out
	case *ssa.Select:
		for _, s := range v.States {
			if s.Send != nil {
				in.emitValue(in.value(s.Send))
			}
		}
		return in.fresh(v.Type(), "selected", unknown)
	}
	panic("analyzer: unknown instruction " + v.String())
}

// maxExpr bounds the size of expressions.
const maxExpr = 48

// compact puts a large expression in a variable.
func (in *interp) compact(s scalar) scalar {
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
		}
	}
	if count(s.e); n <= maxExpr {
		return s
	}
	v := in.temp("v", s.kind, s.kind == client.Any)
	in.set(v, s.e)
	if s.kind == client.Text {
		if list := in.textsOf(s.e); len(list) > 1 || list[0] != client.Hole {
			in.texts[v] = list
		}
	}
	return scalar{client.V(v), s.kind}
}

// inside is an address within something that is not known.
func (in *interp) inside(t types.Type, x value) value {
	in.emitValue(x)
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return in.fresh(t, "v", unknown)
	}
	return &pointer{to: in.newCell(p.Elem(), "v", unknown)}
}

// derive gives a value that is computed from others in a way that is not known.
func (in *interp) derive(t types.Type, how string, from ...value) value {
	if kindOf(t) != client.Any {
		k := kindOf(t)
		return scalar{&client.Call{Name: how, Args: in.exprs(from), Kind: k}, k}
	}
	for _, v := range from {
		in.emitValue(v)
	}
	return in.fresh(t, "v", unknown)
}
