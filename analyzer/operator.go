package analyzer

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

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
			if _, isField := v.X.(*ssa.FieldAddr); isField {
				w = in.present(w, v.Type())
			}
			if s, isStmt := w.(*prepared); isStmt && s.unknown() {
				if kept, ok := in.keptIn(placeAt(v.X), nil); ok {
					return kept
				}
				if kept, ok := in.keptAt(v.X); ok {
					return kept
				}
			}
			if s, isScalar := w.(scalar); isScalar && s.kind == client.Any && kindOf(v.Type()) != client.Any {
				s.kind = kindOf(v.Type())
				w = s
			}
			if isText(v.Type()) {
				w = in.textAt(v.X, w)
			}
			return w
		}
		in.emitValue(in.value(v.X))
		return in.fresh(v.Type(), "v", unknown)
	case token.NOT:
		return scalar{client.Not(in.condition(v.X)), client.Bool}
	case token.SUB:
		s := in.scalarOf(in.value(v.X))
		if c, ok := s.e.(*client.Const); ok && c.Value.Kind == ir.KindInt {
			return in.computedInt(scalar{constInt(-c.Value.I), s.kind}, v.Op, v.Type())
		}
		return in.computedInt(scalar{op("-", s.e), s.kind}, v.Op, v.Type())
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
			e = client.Not(e)
		}
		return scalar{e, client.Bool}
	}
	a, b := in.scalarOf(x), in.scalarOf(y)
	k := kindOf(v.Type())
	if (v.Op == token.QUO || v.Op == token.REM) && k == client.Int {
		if in.divides(b.e); in.st == nil {
			return scalar{constInt(0), k}
		}
	}
	if w, ok := fold(v.Op, a.e, b.e); ok {
		return in.computedInt(scalar{w, k}, v.Op, v.Type())
	}
	if isFloat32(v.Type()) {
		return scalar{&client.Call{Name: "float32 " + v.Op.String(), Args: []client.Expr{a.e, b.e}, Kind: k}, k}
	}
	switch v.Op {
	case token.ADD:
		if k == client.Text {
			return scalar{concat(a.e, b.e), k}
		}
		return in.computedInt(scalar{op("+", a.e, b.e), k}, v.Op, v.Type())
	case token.SUB, token.MUL, token.QUO, token.REM:
		return in.computedInt(scalar{op(v.Op.String(), a.e, b.e), k}, v.Op, v.Type())
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		return scalar{op(v.Op.String(), a.e, b.e), client.Bool}
	}
	return scalar{&client.Call{Name: v.Op.String(), Args: []client.Expr{a.e, b.e}, Kind: k}, k}
}

// divides goes on where a divisor is not zero. Where it is there is a panic, which
// matters if somebody recovers from it.
func (in *interp) divides(by client.Expr) {
	if c, ok := by.(*client.Const); ok && c.Value.I != 0 || !in.recovers() {
		return
	}
	in.either(op("==", by, constInt(0)), in.panics, func() {})
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
	if a, ok := x.(box); ok {
		if b, ok := y.(box); ok && !types.Identical(a.t, b.t) {
			return client.False
		}
	}
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
			return client.True
		}
		return client.V(in.newVar("same", client.Bool, false, unknown))
	}
	if xPoints && isNilValue(y) && in.boxed[p.to] {
		return p.nil()
	}
	if !xPoints && (isNilValue(y) || yPoints && isTrue(q.nil())) {
		return in.isNil(x)
	}
	if !yPoints && (isNilValue(x) || xPoints && isTrue(p.nil())) {
		return in.isNil(y)
	}
	if isHandle(x) || isHandle(y) {
		return client.V(in.newVar("same", client.Bool, false, unknown))
	}
	a, xParts := x.(*aggregate)
	b, yParts := y.(*aggregate)
	if xParts && yParts && len(a.parts) == len(b.parts) {
		var all []client.Expr
		ts, _ := parts(a.t)
		for i := range a.parts {
			all = append(all, in.equal(in.present(a.parts[i], ts[i]), in.present(b.parts[i], ts[i]), ts[i]))
		}
		return client.And(all...)
	}
	u, v := in.scalarOf(x), in.scalarOf(y)
	if c, ok := u.e.(*client.Const); ok {
		if d, ok := v.e.(*client.Const); ok {
			return client.C(ir.Bool(c.Value == d.Value))
		}
	}
	if sameExpr(u.e, v.e) {
		return client.True
	}
	if kindOf(t) == client.Bool {
		if isTrue(v.e) {
			return u.e
		}
		if is, known := client.Truth(v.e); known && !is {
			return client.Not(u.e)
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
	case *handle:
		if v.kind == transaction && v.site != "" || in.trace != nil && v.kind == database {
			return client.False
		} // else it may be nil: where there is no transaction, or another database is used instead
	case *prepared:
		if v.h.kind == either {
			break
		}
		return client.False
	case *rows, *closure, *aggregate, *outcome, *chain, *batch, *dict, *sqlBuilder, *foreign, span:
		return client.False
	case *list:
		return client.C(ir.Bool(len(v.elems) == 0))
	case *grown:
		return op("==", v.n, constInt(0))
	case *failure:
		return client.Not(in.failed(v))
	case scalar:
		if c, ok := v.e.(*client.Const); ok {
			return client.C(ir.Bool(c.Value.IsNull()))
		}
		return op("null", v.e)
	}
	return client.V(in.newVar("nil", client.Bool, false, unknown))
}

// isFloat32 reports whether arithmetic on a type rounds to 32 bits.
func isFloat32(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Float32
}

func (in *interp) convert(v *ssa.Convert) value {
	x := in.value(v.X)
	from, to := kindOf(v.X.Type()), kindOf(v.Type())
	s, ok := unbox(x).(scalar)
	if !ok {
		s = in.scalarOf(x)
	}
	if from == client.Int && to == client.Int {
		return in.convertInt(scalar{s.e, to}, v.X.Type(), v.Type())
	}
	if c, isConst := s.e.(*client.Const); isConst && from == to {
		return scalar{c, to}
	}
	switch {
	case isFloat32(v.Type()) && !isFloat32(v.X.Type()):
		return scalar{&client.Call{Name: "float32", Args: []client.Expr{s.e}, Kind: to}, to}
	case from == to:
		return scalar{s.e, to}
	case from == client.Int && to == client.Float:
		if c, isConst := s.e.(*client.Const); isConst {
			return scalar{client.C(c.Value.Convert(ir.NumType)), to}
		}
		return scalar{&client.Call{Name: client.Float64, Args: []client.Expr{s.e}, Kind: to}, to}
	case from == client.Float && to == client.Int:
		return scalar{&client.Call{Name: client.Truncated, Args: []client.Expr{s.e}, Kind: to}, to}
	}
	return in.derive(v.Type(), "convert to "+types.TypeString(v.Type().Underlying(), nil), s)
}

func (in *interp) typeAssert(v *ssa.TypeAssert) value {
	x := in.value(v.X)
	if c, ok := constOf(unbox(x)); ok && c.IsNull() && v.CommaOk {
		return tuple{in.zero(v.AssertedType), scalar{client.False, client.Bool}}
	}
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
	if p, isPointer := unbox(out).(*pointer); isPointer && in.boxed[p.to] {
		return tuple{out, scalar{client.Not(p.nil()), client.Bool}}
	}
	ok := client.Expr(client.True)
	if !sure {
		in.emitValue(x)
		ok = client.V(in.newVar("ok", client.Bool, false, unknown))
	}
	return tuple{out, scalar{ok, client.Bool}}
}
