package analyzer

import (
	"go/constant"
	"go/token"
	"go/types"
	"math/big"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/client"
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
		if i, exact := constant.Int64Val(c.Value); exact {
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
			return &failure{noRows: constTrue, kind: codeNoRows}, true
		}
		return &failure{other: constTrue, kind: in.p.sentinel(name)}, true
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
	case *ssa.MapUpdate:
		k, v := in.value(instr.Key), in.value(instr.Value)
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
		in.unknownCall("a goroutine", in.operands(&instr.Call), nil)
	case *ssa.DebugRef:
	default:
		panic("analyzer: unknown instruction " + instr.String())
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

// compute gives the value of an instruction.
func (in *interp) compute(v ssa.Value) value {
	switch v := v.(type) {
	case *ssa.Alloc:
		name := v.Comment
		if name == "" || name == "new" || name == "complit" || name == "varargs" {
			name = "v"
		}
		return &pointer{to: in.newCell(v.Type().(*types.Pointer).Elem(), name, zeroed)}
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
				in.st.mem[c] = &handle{kind: h.kind, site: h.site, point: h.point, t: t}
				return &pointer{to: c}
			}
		}
		return in.inside(v.Type(), in.value(v.X))
	case *ssa.Field:
		x := unbox(in.value(v.X))
		if h, ok := x.(*handle); ok && in.p.handleType(v.Type()) != "" {
			return &handle{kind: h.kind, site: h.site, point: h.point, t: v.Type()}
		}
		if a, ok := x.(*aggregate); ok && v.Field < len(a.parts) {
			return a.parts[v.Field]
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
		return in.derive(v.Type(), "index", x, in.value(v.Index))
	case *ssa.Lookup:
		return in.lookup(v)
	case *ssa.Slice:
		return in.slice(v)
	case *ssa.MakeInterface:
		x := in.value(v.X)
		if _, known := unbox(x).(*failure); isError(v.Type()) && !known { // an error of a type of its own is never nil
			in.emitValue(x)
			return &failure{other: constTrue}
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

func (in *interp) unary(v *ssa.UnOp) value {
	switch v.Op {
	case token.MUL:
		if g, ok := v.X.(*ssa.Global); ok {
			if known, ok := in.loadGlobal(g); ok {
				return known
			}
		}
		if p, ok := unbox(in.value(v.X)).(*pointer); ok {
			w := in.load(p.to)
			if s, isScalar := w.(scalar); isScalar && s.kind == client.Any && kindOf(v.Type()) != client.Any {
				s.kind = kindOf(v.Type())
				return s
			}
			return w
		}
		in.emitValue(in.value(v.X))
		return in.fresh(v.Type(), "v", unknown)
	case token.NOT:
		return scalar{not(in.condition(v.X)), client.Bool}
	case token.SUB:
		s := in.scalarOf(in.value(v.X))
		if c, ok := s.e.(*client.Const); ok && c.Value.Kind == ir.KindInt {
			return scalar{constInt(-c.Value.I), s.kind}
		}
		return scalar{op("-", s.e), s.kind}
	case token.ARROW:
		return in.fresh(v.Type(), "received", unknown)
	}
	return in.derive(v.Type(), v.Op.String(), in.value(v.X))
}

func (in *interp) binary(v *ssa.BinOp) value {
	x, y := in.value(v.X), in.value(v.Y)
	switch v.Op {
	case token.EQL, token.NEQ:
		e := in.equal(x, y, v.X.Type())
		if v.Op == token.NEQ {
			e = not(e)
		}
		return scalar{e, client.Bool}
	}
	a, b := in.scalarOf(x), in.scalarOf(y)
	k := kindOf(v.Type())
	if w, ok := fold(v.Op, a.e, b.e); ok {
		return scalar{w, k}
	}
	switch v.Op {
	case token.ADD:
		if k == client.Text {
			return scalar{concat(a.e, b.e), k}
		}
		return scalar{op("+", a.e, b.e), k}
	case token.SUB, token.MUL, token.QUO, token.REM:
		return scalar{op(v.Op.String(), a.e, b.e), k}
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		return scalar{op(v.Op.String(), a.e, b.e), client.Bool}
	}
	return scalar{&client.Call{Name: v.Op.String(), Args: []client.Expr{a.e, b.e}, Kind: k}, k}
}

// fold computes an operator on constant integers.
func fold(o token.Token, a, b client.Expr) (client.Expr, bool) {
	x, ok := a.(*client.Const)
	y, also := b.(*client.Const)
	if !ok || !also || x.Value.Kind != ir.KindInt || y.Value.Kind != ir.KindInt {
		return nil, false
	}
	i, j := x.Value.I, y.Value.I
	switch o {
	case token.ADD:
		return constInt(i + j), true
	case token.SUB:
		return constInt(i - j), true
	case token.MUL:
		return constInt(i * j), true
	case token.LSS:
		return client.C(ir.Bool(i < j)), true
	case token.LEQ:
		return client.C(ir.Bool(i <= j)), true
	case token.GTR:
		return client.C(ir.Bool(i > j)), true
	case token.GEQ:
		return client.C(ir.Bool(i >= j)), true
	}
	return nil, false
}

// concat joins texts.
func concat(a, b client.Expr) client.Expr {
	x, ok := a.(*client.Const)
	y, also := b.(*client.Const)
	if ok && also {
		return client.C(ir.Text(x.Value.S + y.Value.S))
	}
	if o, isOp := a.(*client.Op); isOp && also && o.Op == "+" {
		if last, isConst := o.Args[1].(*client.Const); isConst {
			return op("+", o.Args[0], client.C(ir.Text(last.Value.S+y.Value.S)))
		}
	}
	return op("+", a, b)
}

// equal says when two values of a type are equal.
func (in *interp) equal(x, y value, t types.Type) client.Expr {
	x, y = unbox(x), unbox(y)
	f, xFails := x.(*failure)
	g, yFails := y.(*failure)
	if xFails && yFails {
		return in.sameFailure(f, g)
	}
	p, xPoints := x.(*pointer)
	q, yPoints := y.(*pointer)
	if xPoints && yPoints {
		switch {
		case isTrue(q.nil()):
			return p.nil()
		case isTrue(p.nil()):
			return q.nil()
		case p.to == q.to:
			return constTrue
		}
		return client.V(in.newVar("same", client.Bool, false, unknown))
	}
	if isNilValue(y) && !xPoints {
		return in.isNil(x)
	}
	if isNilValue(x) && !yPoints {
		return in.isNil(y)
	}
	a, xParts := x.(*aggregate)
	b, yParts := y.(*aggregate)
	if xParts && yParts && len(a.parts) == len(b.parts) {
		var all []client.Expr
		ts, _ := parts(a.t)
		for i := range a.parts {
			all = append(all, in.equal(a.parts[i], b.parts[i], ts[i]))
		}
		return and(all...)
	}
	u, v := in.scalarOf(x), in.scalarOf(y)
	if c, ok := u.e.(*client.Const); ok {
		if d, ok := v.e.(*client.Const); ok {
			return client.C(ir.Bool(c.Value == d.Value))
		}
	}
	if sameExpr(u.e, v.e) {
		return constTrue
	}
	if kindOf(t) == client.Bool {
		if isTrue(v.e) {
			return u.e
		}
		if is, known := truth(v.e); known && !is {
			return not(u.e)
		}
	}
	if c, ok := v.e.(*client.Const); ok && c.Value.IsNull() {
		return op("null", u.e)
	}
	if c, ok := u.e.(*client.Const); ok && c.Value.IsNull() {
		return op("null", v.e)
	}
	return op("==", u.e, v.e)
}

// isNilValue reports whether a value is nil of an interface, slice or map.
func isNilValue(v value) bool {
	switch v := v.(type) {
	case scalar:
		c, ok := v.e.(*client.Const)
		return ok && c.Value.IsNull()
	case *list:
		return len(v.elems) == 0
	}
	return false
}

// isNil says when a value is nil.
func (in *interp) isNil(v value) client.Expr {
	switch v := v.(type) {
	case *handle, *rows, *prepared, *closure, *aggregate, *outcome, *chain, *batch, *dict, *sqlBuilder, *foreign, span:
		return constFalse
	case *list:
		return client.C(ir.Bool(len(v.elems) == 0))
	case *grown:
		return op("==", v.n, constInt(0))
	case *failure:
		return not(in.failed(v))
	case scalar:
		if c, ok := v.e.(*client.Const); ok {
			return client.C(ir.Bool(c.Value.IsNull()))
		}
		return op("null", v.e)
	}
	return client.V(in.newVar("nil", client.Bool, false, unknown))
}

// failed says when an error is not nil.
func (in *interp) failed(f *failure) client.Expr { return or(f.noRows, f.other) }

// sameFailure says when two errors are the same.
func (in *interp) sameFailure(f, g *failure) client.Expr {
	if isTrue(in.failed(f)) && f.kind > 0 {
		f, g = g, f
	}
	if is, known := truth(in.failed(g)); known && !is {
		return not(in.failed(f))
	}
	if is, known := truth(in.failed(f)); known && !is {
		return not(in.failed(g))
	}
	return in.isError(f, g)
}

// isError says when an error is a sentinel.
func (in *interp) isError(f, sentinel *failure) client.Expr {
	switch {
	case sentinel.kind == codeNoRows:
		return or(f.noRows)
	case sentinel.kind > 0 && f.kind > 0:
		if f.kind == sentinel.kind {
			return or(f.other)
		}
		return constFalse
	case sentinel.kind > 0 && f.code != nil:
		return op("==", f.code, constInt(int64(sentinel.kind)))
	}
	if is, known := truth(or(f.other)); known && !is {
		return constFalse
	}
	return and(or(f.other), client.V(in.newVar("is", client.Bool, false, unknown)))
}

func (in *interp) convert(v *ssa.Convert) value {
	x := in.value(v.X)
	from, to := kindOf(v.X.Type()), kindOf(v.Type())
	s, ok := unbox(x).(scalar)
	if !ok {
		s = in.scalarOf(x)
	}
	if c, isConst := s.e.(*client.Const); isConst && from == to {
		return scalar{c, to}
	}
	switch {
	case from == to:
		return scalar{s.e, to}
	case from == client.Int && to == client.Float:
		return scalar{s.e, to}
	}
	return in.derive(v.Type(), "convert to "+types.TypeString(v.Type().Underlying(), nil), s)
}

func (in *interp) typeAssert(v *ssa.TypeAssert) value {
	x := in.value(v.X)
	var out value
	sure := false
	if b, ok := x.(box); ok {
		switch {
		case types.Identical(b.t, v.AssertedType):
			out, sure = b.v, true
		case types.IsInterface(v.AssertedType) && types.AssignableTo(b.t, v.AssertedType):
			out, sure = b, true
		}
	}
	if out == nil {
		switch u := unbox(x).(type) {
		case *handle:
			out, sure = u, !v.CommaOk
		case *failure:
			if types.IsInterface(v.AssertedType) {
				out = u
			}
		}
	}
	if out == nil {
		out = in.derive(v.AssertedType, "assert", x)
	}
	if !v.CommaOk {
		return out
	}
	ok := client.Expr(constTrue)
	if !sure {
		in.emitValue(x)
		ok = client.V(in.newVar("ok", client.Bool, false, unknown))
	}
	return tuple{out, scalar{ok, client.Bool}}
}

func (in *interp) indexAddr(v *ssa.IndexAddr) value {
	x := unbox(in.value(v.X))
	i, known := constOf(in.value(v.Index))
	elem := v.Type().(*types.Pointer).Elem()
	some := &pointer{to: in.newCell(elem, "element", unknown)}
	switch x := x.(type) {
	case *pointer:
		if known {
			if p := x.to.part(int(i.I)); p != nil {
				return &pointer{to: p}
			}
		}
		some.to.alias = x.to.elements()
		x.to.eachLeaf(func(c *cell) {
			if w, ok := in.st.mem[c]; ok {
				in.emitValue(w)
			}
		})
	case span:
		if known && i.I < int64(x.n) {
			if p := x.array.part(int(i.I)); p != nil {
				return &pointer{to: p}
			}
		}
		some.to.alias = x.array.elements()
		in.emitValue(x)
	case *list:
		if known && i.I >= 0 && i.I < int64(len(x.elems)) {
			c := in.newCell(elem, "element", zeroed)
			in.store(c, x.elems[i.I])
			return &pointer{to: c}
		}
		in.emitValue(x)
	default:
		in.emitValue(x)
	}
	return some
}

func (in *interp) lookup(v *ssa.Lookup) value {
	x, k := in.value(v.X), in.value(v.Index)
	if m, isMap := v.X.Type().Underlying().(*types.Map); isMap {
		if w, has, ok := in.mapLookup(x, k, m.Elem()); ok {
			if v.CommaOk {
				return tuple{w, scalar{has, client.Bool}}
			}
			return w
		}
	}
	in.emitValue(x)
	in.emitValue(k)
	t := v.Type()
	if v.CommaOk {
		return in.fresh(t, "item", unknown)
	}
	return in.fresh(t, "item", unknown)
}

func (in *interp) slice(v *ssa.Slice) value {
	x := unbox(in.value(v.X))
	if v.Low == nil && v.High == nil {
		if p, ok := x.(*pointer); ok {
			if a, isArray := p.to.t.Underlying().(*types.Array); isArray {
				if p.to.part(0) != nil || a.Len() == 0 {
					return span{p.to, int(a.Len())}
				}
				return in.arrayList(p, int(a.Len()))
			}
		}
		return x
	}
	if _, isList := x.(*list); isList {
		if hi, ok := constOf(in.orNil(v.High)); ok && hi.Kind == ir.KindInt && hi.I == 0 {
			return &list{}
		}
	}
	if p, ok := x.(*pointer); ok && v.Low == nil {
		if hi, known := constOf(in.orNil(v.High)); known && hi.Kind == ir.KindInt && hi.I == 0 { // make([]T, 0, n)
			_ = p
			return &list{}
		}
	}
	return in.derive(v.Type(), "slice", x, in.orNil(v.Low), in.orNil(v.High))
}

// arrayList gives the elements of an array whose parts are not kept apart.
func (in *interp) arrayList(p *pointer, n int) value {
	return in.derive(types.NewSlice(p.to.t.Underlying().(*types.Array).Elem()), "array", in.load(p.to))
}

func (in *interp) orNil(v ssa.Value) value {
	if v == nil {
		return scalar{client.C(ir.Null), client.Any}
	}
	return in.value(v)
}

// emitValue says that something which is not known may depend on a value.
func (in *interp) emitValue(v value) { in.emitAll(v, map[*cell]bool{}, 0) }

func (in *interp) emitAll(v value, seen map[*cell]bool, depth int) {
	if in.st == nil || in.site == "" || depth > 6 {
		return
	}
	switch v := unbox(v).(type) {
	case scalar:
		in.emitExpr(v.e)
	case *failure:
		if v.code != nil {
			in.emitExpr(v.code)
			return
		}
		in.emitExpr(or(v.noRows))
		in.emitExpr(or(v.other))
	case *aggregate:
		for _, p := range v.parts {
			in.emitAll(p, seen, depth+1)
		}
	case *pointer:
		in.emitExpr(v.nil())
		if seen[v.to] {
			return
		}
		seen[v.to] = true
		v.to.eachLeaf(func(c *cell) {
			if w, ok := in.st.mem[c]; ok {
				in.emitAll(w, seen, depth+1)
			}
		})
	case *list:
		for _, p := range v.elems {
			in.emitAll(p, seen, depth+1)
		}
	case span:
		for _, p := range in.elements(v) {
			in.emitAll(p, seen, depth+1)
		}
	case *closure:
		for _, p := range v.free {
			in.emitAll(p, seen, depth+1)
		}
	case tuple:
		for _, p := range v {
			in.emitAll(p, seen, depth+1)
		}
	case *grown:
		in.emitExpr(v.e)
		in.emitExpr(v.n)
	case *rows:
		v.query.Returned = true
		in.execute(v)
	case *dict:
		if seen[v.c] {
			return
		}
		seen[v.c] = true
		if w, ok := in.st.mem[v.c]; ok {
			in.emitAll(w, seen, depth+1)
		}
	case *entries:
		for _, e := range v.list {
			if e.when != nil {
				in.emitExpr(e.when)
			}
			in.emitAll(e.v, seen, depth+1)
		}
	case *rawSQL:
		for _, a := range v.f.args {
			in.emitExpr(a.e)
		}
	case *sqlBuilder:
		for _, a := range v.builderArgs() {
			in.emitExpr(a.e)
		}
		for _, s := range v.sets {
			in.emitAll(s.v, seen, depth+1)
		}
	case *draft:
		for _, c := range append(slices.Clone(v.where), v.having...) {
			in.emitAll(&rawSQL{c.f}, seen, depth+1)
			if c.when != nil {
				in.emitExpr(c.when)
			}
		}
	}
}

// emitExpr is emitValue for an expression.
func (in *interp) emitExpr(e client.Expr) {
	any := false
	walkExpr(e, func(string) { any = true })
	if !any {
		return
	}
	if in.st.phase == done {
		if !in.st.rolled {
			in.show(e)
		}
		return
	}
	in.emit(&client.Emit{At: in.at(), Exprs: []client.Expr{e}})
}

// show takes note that the program looks at e when the transaction is over.
func (in *interp) show(e client.Expr) {
	walkExpr(e, func(name string) { in.shown[name] = true })
}
