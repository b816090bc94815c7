package ir

import "fmt"

// Scope is what names mean inside an expression.
type Scope struct {
	Txn  *Txn // nil outside of transactions
	Rows []Source
}

// TypeOf gives the type of an expression of transaction t (nil: none), in
// which the row variables rows are in scope.
func TypeOf(e Expr, t *Txn, rows ...Source) (Type, error) {
	return Scope{t, rows}.TypeOf(e)
}

func numeric(t Type) bool { return t.Kind == KindInt || t.Kind == KindNum || t.Kind == KindNull }

// unify gives the type that both fit, if there is one.
func unify(a, b Type) (Type, bool) {
	switch {
	case a.Accepts(b):
		return a, true
	case b.Accepts(a):
		return b, true
	}
	return Type{}, false
}

// TypeOf gives the type of an expression.
func (s Scope) TypeOf(e Expr) (Type, error) {
	switch e := e.(type) {
	case *Const:
		if e.Value.Kind == KindArray {
			return ArrayType(KindNull), nil
		}
		return Type{Kind: e.Value.Kind}, nil
	case *Var:
		if s.Txn != nil {
			if t, ok := s.Txn.LocalType(e.Name); ok {
				return t, nil
			}
		}
		return Type{}, fmt.Errorf("%s is not declared", e.Name)
	case *Col:
		for i := len(s.Rows) - 1; i >= 0; i-- {
			if r := s.Rows[i]; r.Row == e.Row {
				if c := r.Table.Column(e.Col); c >= 0 {
					return r.Table.Columns[c].Type, nil
				}
				return Type{}, fmt.Errorf("table %s has no column %s", r.Table.Name, e.Col)
			}
		}
		return Type{}, fmt.Errorf("there is no row variable %s", e.Row)
	case *Unary:
		t, err := s.TypeOf(e.X)
		if err != nil {
			return t, err
		}
		switch e.Op {
		case Neg:
			if !numeric(t) {
				return t, fmt.Errorf("%s is no number but has type %s", ExprString(e.X), t)
			}
			return t, nil
		case Not:
			if !BoolType.Accepts(t) {
				return t, fmt.Errorf("%s is no condition but has type %s", ExprString(e.X), t)
			}
		}
		return BoolType, nil
	case *Binary:
		return s.binary(e)
	case *Cond:
		c, err := s.TypeOf(e.If)
		if err != nil {
			return c, err
		}
		if !BoolType.Accepts(c) {
			return c, fmt.Errorf("%s is no condition but has type %s", ExprString(e.If), c)
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
			return t, fmt.Errorf("%s has branches of types %s and %s", ExprString(e), a, b)
		}
		return t, nil
	case *Call:
		for _, a := range e.Args {
			if _, err := s.TypeOf(a); err != nil {
				return Type{}, err
			}
		}
		return e.Type, s.call(e)
	case *Exists:
		inner := Scope{s.Txn, append(append([]Source{}, s.Rows...), e.Query.From...)}
		if e.Query.Where != nil {
			t, err := inner.TypeOf(e.Query.Where)
			if err != nil {
				return t, err
			}
			if !BoolType.Accepts(t) {
				return t, fmt.Errorf("%s is no condition but has type %s", ExprString(e.Query.Where), t)
			}
		}
		return BoolType, nil
	}
	panic(fmt.Sprintf("ir: typing: unknown expression %T", e))
}

func (s Scope) binary(e *Binary) (Type, error) {
	a, err := s.TypeOf(e.X)
	if err != nil {
		return a, err
	}
	b, err := s.TypeOf(e.Y)
	if err != nil {
		return b, err
	}
	bad := func() (Type, error) {
		return Type{}, fmt.Errorf("%s does not work on %s and %s in %s", e.Op, a, b, ExprString(e))
	}
	switch e.Op {
	case Or, And:
		if !BoolType.Accepts(a) || !BoolType.Accepts(b) {
			return bad()
		}
		return BoolType, nil
	case Eq, Ne, Is:
		if _, ok := unify(a, b); !ok {
			return bad()
		}
		return BoolType, nil
	case Lt, Le, Gt, Ge:
		if _, ok := unify(a, b); !ok || a.Kind == KindOpaque || a.Kind == KindArray {
			return bad()
		}
		return BoolType, nil
	}
	switch {
	case numeric(a) && numeric(b):
		t, _ := unify(a, b)
		return t, nil
	case e.Op == Add && a.Kind == KindTime && b.Kind == KindInt,
		e.Op == Sub && a.Kind == KindTime && b.Kind == KindInt:
		return TimeType, nil
	case e.Op == Sub && a.Kind == KindTime && b.Kind == KindTime:
		return IntType, nil
	}
	return bad()
}

func (s Scope) call(e *Call) error {
	if e.Def != nil {
		return s.derived(e)
	}
	f := Functions[e.Name]
	if f == nil || e.Fn != nil {
		if e.Type.Kind == KindNull {
			return fmt.Errorf("opaque function %s needs a type", e.Name)
		}
		return nil
	}
	if len(e.Args) != len(f.Params) {
		return fmt.Errorf("%s takes %d arguments, not %d", e.Name, len(f.Params), len(e.Args))
	}
	for i, a := range e.Args {
		t, _ := s.TypeOf(a)
		if k := f.Params[i]; k != KindNull && t.Kind != k && t.Kind != KindNull {
			return fmt.Errorf("argument %d of %s must have type %s, not %s", i+1, e.Name, k, t)
		}
	}
	if f.Result != KindNull && e.Type.Kind != f.Result {
		return fmt.Errorf("%s gives %s, not %s", e.Name, f.Result, e.Type)
	}
	return nil
}
