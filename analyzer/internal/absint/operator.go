package absint

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

func (in *interp) unary(v *ssa.UnOp) memory.Value {
	switch v.Op {
	case token.MUL:
		if g, ok := v.X.(*ssa.Global); ok {
			if known, ok := in.loadGlobal(g); ok {
				return known
			}
		}
		if known, ok := in.settledAt(v.X, 0); ok {
			return known
		}
		if p, ok := memory.Unbox(in.value(v.X)).(*memory.Pointer); ok {
			w := in.Load(p.To)
			if at, isField := v.X.(*ssa.FieldAddr); isField {
				w = unset(in, in.Present(w, v.Type()), at.X.Type(), at.Field)
			}
			if s, isStmt := w.(*memory.Prepared); isStmt && s.Unknown() {
				if kept, ok := in.KeptIn(in.P.Places.PlaceAt(v.X), nil); ok {
					return kept
				}
				if kept, ok := in.keptAt(v.X); ok {
					return kept
				}
			}
			if s, isScalar := w.(memory.Scalar); isScalar && s.Kind == client.Any && gotypes.KindOf(v.Type()) != client.Any {
				s.Kind = gotypes.KindOf(v.Type())
				w = s
			}
			if gotypes.IsText(v.Type()) {
				w = in.textAt(v.X, w)
			}
			return w
		}
		in.EmitValue(in.value(v.X))
		return in.Fresh(v.Type(), "v", memory.Unknown)
	case token.NOT:
		return memory.Of(client.Not(in.condition(v.X)), client.Bool)
	case token.SUB:
		s := in.ScalarOf(in.value(v.X))
		if c, ok := s.E.(*client.Const); ok && c.Value.Kind == ir.KindInt {
			return in.computedInt(memory.Of(memory.ConstInt(-c.Value.I), s.Kind), v.Op, v.Type())
		}
		return in.computedInt(memory.Of(memory.Op("-", s.E), s.Kind), v.Op, v.Type())
	case token.ARROW:
		return receive(in, v)
	}
	return in.Derive(v.Type(), v.Op.String(), in.value(v.X))
}

func (in *interp) binary(v *ssa.BinOp) memory.Value {
	x, y := in.value(v.X), in.value(v.Y)
	switch v.Op {
	case token.EQL, token.NEQ:
		e := in.equal(x, y, v.X.Type())
		if v.Op == token.NEQ {
			e = client.Not(e)
		}
		return memory.Of(e, client.Bool)
	}
	a, b := in.ScalarOf(x), in.ScalarOf(y)
	k := gotypes.KindOf(v.Type())
	if w, ok := memory.Fold(v.Op, a.E, b.E); ok {
		return in.computedInt(memory.Of(w, k), v.Op, v.Type())
	}
	if isFloat32(v.Type()) {
		return memory.Of(&client.Call{Name: "float32 " + v.Op.String(), Args: []client.Expr{a.E, b.E}, Kind: k}, k)
	}
	switch v.Op {
	case token.ADD:
		if k == client.Text {
			return memory.Of(memory.Concat(a.E, b.E), k)
		}
		return in.computedInt(memory.Of(memory.Op("+", a.E, b.E), k), v.Op, v.Type())
	case token.SUB, token.MUL, token.QUO, token.REM:
		return in.computedInt(memory.Of(memory.Op(v.Op.String(), a.E, b.E), k), v.Op, v.Type())
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		return memory.Of(memory.Op(v.Op.String(), a.E, b.E), client.Bool)
	}
	return memory.Of(&client.Call{Name: v.Op.String(), Args: []client.Expr{a.E, b.E}, Kind: k}, k)
}

// divides goes on where a divisor is not zero. Where it is there is a panic, which
// matters if somebody recovers from it.
func (in *interp) divides(by client.Expr) {
	if c, ok := by.(*client.Const); ok && c.Value.I != 0 || !in.recovers() {
		return
	}
	in.Either(memory.Op("==", by, memory.ConstInt(0)), in.Panics, func() {})
}

// equal says when two values of a type are equal.
func (in *interp) equal(x, y memory.Value, t types.Type) client.Expr {
	if a, ok := x.(memory.Box); ok {
		if b, ok := y.(memory.Box); ok && !types.Identical(a.T, b.T) {
			return client.False
		}
	}
	if holdsValue(in, x) && memory.IsNilValue(y) || holdsValue(in, y) && memory.IsNilValue(x) {
		return client.False
	}
	x, y = memory.Unbox(x), memory.Unbox(y)
	f, xFails := x.(*memory.Failure)
	g, yFails := y.(*memory.Failure)
	if xFails && yFails {
		return in.SameFailure(f, g)
	}
	p, xPoints := x.(*memory.Pointer)
	q, yPoints := y.(*memory.Pointer)
	if xPoints && yPoints {
		switch {
		case memory.IsTrue(q.Nil()):
			return p.Nil()
		case memory.IsTrue(p.Nil()):
			return q.Nil()
		case p.To == q.To:
			return client.True
		}
		return client.V(in.NewVar("same", client.Bool, false, memory.Unknown))
	}
	if xPoints && memory.IsNilValue(y) && in.Boxed[p.To] {
		return p.Nil()
	}
	if !xPoints && (memory.IsNilValue(y) || yPoints && memory.IsTrue(q.Nil())) {
		return in.isNil(x)
	}
	if !yPoints && (memory.IsNilValue(x) || xPoints && memory.IsTrue(p.Nil())) {
		return in.isNil(y)
	}
	if memory.IsHandle(x) || memory.IsHandle(y) {
		return client.V(in.NewVar("same", client.Bool, false, memory.Unknown))
	}
	a, xParts := x.(*memory.Aggregate)
	b, yParts := y.(*memory.Aggregate)
	if xParts && yParts && len(a.Parts) == len(b.Parts) {
		var all []client.Expr
		ts, _ := in.P.Know.Layout.Parts(a.T)
		for i := range a.Parts {
			all = append(all, in.equal(in.Present(a.Parts[i], ts[i]), in.Present(b.Parts[i], ts[i]), ts[i]))
		}
		return client.And(all...)
	}
	u, v := in.ScalarOf(x), in.ScalarOf(y)
	if c, ok := u.E.(*client.Const); ok {
		if d, ok := v.E.(*client.Const); ok {
			return client.C(ir.Bool(c.Value == d.Value))
		}
	}
	if memory.SameExpr(u.E, v.E) {
		return client.True
	}
	if gotypes.KindOf(t) == client.Bool {
		if memory.IsTrue(v.E) {
			return u.E
		}
		if is, known := client.Truth(v.E); known && !is {
			return client.Not(u.E)
		}
	}
	if c, ok := v.E.(*client.Const); ok && c.Value.IsNull() {
		return memory.Op("null", u.E)
	}
	if c, ok := u.E.(*client.Const); ok && c.Value.IsNull() {
		return memory.Op("null", v.E)
	}
	return memory.Op("==", u.E, v.E)
}

// holdsValue reports whether an interface is not nil since it has a value, be that nil itself. A handle in it stands for
// the interface, and so does an error.
func holdsValue(in *interp, v memory.Value) bool {
	b, ok := v.(memory.Box)
	if !ok || memory.IsHandle(b.V) {
		return false
	}
	switch w := b.V.(type) {
	case *memory.Failure:
		return false
	case *memory.Pointer:
		return !in.Boxed[w.To]
	}
	return true
}

// isNil says when a value is nil.
func (in *interp) isNil(v memory.Value) client.Expr {
	switch v := v.(type) {
	case *memory.Handle:
		if v.Kind == memory.Transaction && v.Site != "" || in.Trace != nil && v.Kind == memory.Database {
			return memory.NoneOf(v)
		} // else it may be nil: where there is no transaction, or another database is used instead
	case *memory.Prepared:
		if v.H.Kind == memory.Either {
			break
		}
		return memory.NoneOf(v)
	case *memory.Rows:
		if v.Mine || in.Trace != nil {
			return client.False
		}
	case *memory.OneOf:
		return v.Nil()
	case *memory.Closure, *memory.Aggregate, *memory.Outcome, memory.Span:
		return client.False
	case *memory.Dict:
		return memory.NoneOf(v)
	case memory.Object:
		if v.Sends() {
			return client.False
		}
	case *memory.List:
		return client.C(ir.Bool(len(v.Elems) == 0))
	case *memory.Grown:
		return memory.Op("==", v.N, memory.ConstInt(0))
	case *memory.Failure:
		return client.Not(in.Failed(v))
	case memory.Scalar:
		if c, ok := v.E.(*client.Const); ok {
			return client.C(ir.Bool(c.Value.IsNull()))
		}
		return memory.Op("null", v.E)
	}
	return client.V(in.NewVar("nil", client.Bool, false, memory.Unknown))
}

// isFloat32 reports whether arithmetic on a type rounds to 32 bits.
func isFloat32(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Float32
}

func (in *interp) convert(v *ssa.Convert) memory.Value {
	x := in.value(v.X)
	from, to := gotypes.KindOf(v.X.Type()), gotypes.KindOf(v.Type())
	s, ok := memory.Unbox(x).(memory.Scalar)
	if !ok {
		s = in.ScalarOf(x)
	}
	if from == client.Int && to == client.Int {
		return in.convertInt(memory.Of(s.E, to), v.X.Type(), v.Type())
	}
	if c, isConst := s.E.(*client.Const); isConst && from == to {
		return memory.Of(c, to)
	}
	switch {
	case isFloat32(v.Type()) && !isFloat32(v.X.Type()):
		return memory.Of(&client.Call{Name: "float32", Args: []client.Expr{s.E}, Kind: to}, to)
	case from == to:
		return memory.Of(s.E, to)
	case from == client.Int && to == client.Float:
		if c, isConst := s.E.(*client.Const); isConst {
			return memory.Of(client.C(c.Value.Convert(ir.NumType)), to)
		}
		return memory.Of(&client.Call{Name: client.Float64, Args: []client.Expr{s.E}, Kind: to}, to)
	case from == client.Float && to == client.Int:
		return memory.Of(&client.Call{Name: client.Truncated, Args: []client.Expr{s.E}, Kind: to}, to)
	}
	return in.Derive(v.Type(), "convert to "+types.TypeString(v.Type().Underlying(), nil), s)
}

// isOfContext reports whether a value is what a context holds for a key.
func isOfContext(v ssa.Value) bool {
	c, ok := v.(*ssa.Call)
	return ok && c.Call.IsInvoke() && c.Call.Method.Name() == "Value" && gotypes.IsContext(c.Call.Value.Type())
}

func (in *interp) typeAssert(v *ssa.TypeAssert) memory.Value {
	x := in.value(v.X)
	if c, ok := memory.ConstOf(x); ok && c.IsNull() && v.CommaOk {
		return memory.Tuple{in.Zero(v.AssertedType), memory.Of(client.False, client.Bool)}
	}
	var out memory.Value
	sure := false
	if b, ok := x.(memory.Box); ok {
		switch {
		case types.Identical(b.T, v.AssertedType):
			out, sure = b.V, true
		case types.IsInterface(v.AssertedType) && types.AssignableTo(b.T, v.AssertedType):
			out, sure = b, true
		}
	}
	if out == nil {
		switch u := memory.Unbox(x).(type) {
		case *memory.Handle:
			none, known := in.Known(memory.NoneOf(u))
			out, sure = u, !v.CommaOk || known && !none && u.Kind == memory.Transaction && isOfContext(v.X) && in.P.OnlyInContexts(v.AssertedType)
		case *memory.Failure:
			if types.IsInterface(v.AssertedType) {
				out = u
			}
		}
	}
	if out == nil {
		out = memory.FromHeld(in.Memory, in.Derive(v.AssertedType, "assert", x), x)
		if h, ok := out.(*memory.Handle); ok {
			switch fromContext := isOfContext(v.X); {
			case fromContext && in.P.PutsIntoContexts():
				h.Ambient = h.Untraced
			case fromContext && h.Kind == memory.Either:
				memory.MayBeUntraced(in.Memory, h)
			}
		}
	}
	if !v.CommaOk {
		return out
	}
	if p, isPointer := memory.Unbox(out).(*memory.Pointer); isPointer && in.Boxed[p.To] {
		return memory.Tuple{out, memory.Of(client.Not(p.Nil()), client.Bool)}
	}
	ok := client.Expr(client.True)
	if !sure {
		in.EmitValue(x)
		ok = client.V(in.NewVar("ok", client.Bool, false, memory.Unknown))
	}
	return memory.Tuple{out, memory.Of(ok, client.Bool)}
}
