package wellformed

import (
	"fmt"

	"github.com/txrobust/robust/internal/ir"
)

// Scope is what names mean inside an expression.
type Scope struct {
	Txn  *ir.Txn // nil outside of transactions
	Rows []ir.Source
}

// TypeOf gives the type of an expression of transaction t (nil: none), in
// which the row variables rows are in scope.
func TypeOf(e ir.Expr, t *ir.Txn, rows ...ir.Source) (ir.Type, error) {
	return Scope{t, rows}.TypeOf(e)
}

func numeric(t ir.Type) bool {
	return t.Kind == ir.KindInt || t.Kind == ir.KindNum || t.Kind == ir.KindNull
}

// unify gives the type that both fit, if there is one.
func unify(a, b ir.Type) (ir.Type, bool) {
	switch {
	case a.Accepts(b):
		return a, true
	case b.Accepts(a):
		return b, true
	}
	return ir.Type{}, false
}

// TypeOf gives the type of an expression.
func (s Scope) TypeOf(e ir.Expr) (ir.Type, error) {
	switch e := e.(type) {
	case *ir.Const:
		if e.Value.Kind == ir.KindArray {
			return ir.ArrayType(ir.KindNull), nil
		}
		return ir.Type{Kind: e.Value.Kind}, nil
	case *ir.Var:
		if s.Txn != nil {
			if t, ok := s.Txn.LocalType(e.Name); ok {
				return t, nil
			}
		}
		return ir.Type{}, fmt.Errorf("%s is not declared", e.Name)
	case *ir.Col:
		for i := len(s.Rows) - 1; i >= 0; i-- {
			if r := s.Rows[i]; r.Row == e.Row {
				if c := r.Table.Column(e.Col); c >= 0 {
					return r.Table.Columns[c].Type, nil
				}
				return ir.Type{}, fmt.Errorf("table %s has no column %s", r.Table.Name, e.Col)
			}
		}
		return ir.Type{}, fmt.Errorf("there is no row variable %s", e.Row)
	case *ir.Unary:
		t, err := s.TypeOf(e.X)
		if err != nil {
			return t, err
		}
		switch e.Op {
		case ir.Neg:
			if !numeric(t) {
				return t, fmt.Errorf("%s is no number but has type %s", e.X.String(), t)
			}
			return t, nil
		case ir.Not:
			if !ir.BoolType.Accepts(t) {
				return t, fmt.Errorf("%s is no condition but has type %s", e.X.String(), t)
			}
		}
		return ir.BoolType, nil
	case *ir.Binary:
		return s.binary(e)
	case *ir.Cond:
		c, err := s.TypeOf(e.If)
		if err != nil {
			return c, err
		}
		if !ir.BoolType.Accepts(c) {
			return c, fmt.Errorf("%s is no condition but has type %s", e.If.String(), c)
		}
		a, err := s.TypeOf(e.Then)
		if err != nil {
			return a, err
		}
		b, err := s.TypeOf(e.Else)
		if err != nil {
			return b, err
		}
		t, ok := unify(a, b)
		if !ok {
			return t, fmt.Errorf("%s has branches of types %s and %s", e.String(), a, b)
		}
		return t, nil
	case *ir.Call:
		for _, a := range e.Args {
			if _, err := s.TypeOf(a); err != nil {
				return ir.Type{}, err
			}
		}
		return e.Type, s.call(e)
	case *ir.Exists:
		inner := Scope{s.Txn, append(append([]ir.Source{}, s.Rows...), e.Query.From...)}
		if e.Query.Where != nil {
			t, err := inner.TypeOf(e.Query.Where)
			if err != nil {
				return t, err
			}
			if !ir.BoolType.Accepts(t) {
				return t, fmt.Errorf("%s is no condition but has type %s", e.Query.Where.String(), t)
			}
		}
		return ir.BoolType, nil
	}
	panic(fmt.Sprintf("ir: typing: unknown expression %T", e))
}

func (s Scope) binary(e *ir.Binary) (ir.Type, error) {
	a, err := s.TypeOf(e.X)
	if err != nil {
		return a, err
	}
	b, err := s.TypeOf(e.Y)
	if err != nil {
		return b, err
	}
	bad := func() (ir.Type, error) {
		return ir.Type{}, fmt.Errorf("%s does not work on %s and %s in %s", e.Op, a, b, e.String())
	}
	switch e.Op {
	case ir.Or, ir.And:
		if !ir.BoolType.Accepts(a) || !ir.BoolType.Accepts(b) {
			return bad()
		}
		return ir.BoolType, nil
	case ir.Eq, ir.Ne, ir.Is:
		if _, ok := unify(a, b); !ok {
			return bad()
		}
		return ir.BoolType, nil
	case ir.Lt, ir.Le, ir.Gt, ir.Ge:
		if _, ok := unify(a, b); !ok || a.Kind == ir.KindOpaque || a.Kind == ir.KindArray {
			return bad()
		}
		return ir.BoolType, nil
	}
	switch {
	case numeric(a) && numeric(b):
		t, _ := unify(a, b)
		return t, nil
	case e.Op == ir.Add && a.Kind == ir.KindTime && b.Kind == ir.KindInt,
		e.Op == ir.Sub && a.Kind == ir.KindTime && b.Kind == ir.KindInt:
		return ir.TimeType, nil
	case e.Op == ir.Sub && a.Kind == ir.KindTime && b.Kind == ir.KindTime:
		return ir.IntType, nil
	}
	return bad()
}

func (s Scope) call(e *ir.Call) error {
	if e.Def != nil {
		return s.derived(e)
	}
	f := ir.Functions[e.Name]
	if f == nil || e.Fn != nil {
		if e.Type.Kind == ir.KindNull {
			return fmt.Errorf("opaque function %s needs a type", e.Name)
		}
		return nil
	}
	if len(e.Args) != len(f.Params) {
		return fmt.Errorf("%s takes %d arguments, not %d", e.Name, len(f.Params), len(e.Args))
	}
	for i, a := range e.Args {
		t, _ := s.TypeOf(a)
		if k := f.Params[i]; k != ir.KindNull && t.Kind != k && t.Kind != ir.KindNull {
			return fmt.Errorf("argument %d of %s must have type %s, not %s", i+1, e.Name, k, t)
		}
	}
	if f.Result != ir.KindNull && e.Type.Kind != f.Result {
		return fmt.Errorf("%s gives %s, not %s", e.Name, f.Result, e.Type)
	}
	return nil
}
