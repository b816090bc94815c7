package consteval

import (
	"cmp"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/internal/client"
)

// binary computes an operator of two operands.
func (r *run) binary(f *frame, v *ssa.BinOp) Value {
	x, y := r.value(f, v.X), r.value(f, v.Y)
	switch v.Op {
	case token.EQL:
		return same(x, y)
	case token.NEQ:
		if is, ok := same(x, y).(bool); ok {
			return !is
		}
		return Unknown{}
	}
	switch a := x.(type) {
	case string:
		b, ok := y.(string)
		if v.Op == token.ADD {
			return join(a, textOf(y))
		}
		if ok && !holed(a) && !holed(b) {
			return ordered(v.Op, strings.Compare(a, b))
		}
	case int64:
		if b, ok := y.(int64); ok {
			return onInts(v, a, b)
		}
	}
	if s, ok := y.(string); ok && v.Op == token.ADD {
		return join(client.Hole, s)
	}
	return Unknown{}
}

// same tells whether two values are equal.
func same(x, y Value) Value {
	_, xNil := x.(Nil)
	_, yNil := y.(Nil)
	if a, ok := x.(Boxed); ok {
		b, also := y.(Boxed)
		switch {
		case also && types.Identical(a.T, b.T):
			return same(a.V, b.V)
		case also || yNil:
			return false
		}
		return Unknown{}
	}
	if _, ok := y.(Boxed); ok && xNil {
		return false
	}
	switch a := x.(type) {
	case string:
		b, ok := y.(string)
		if !ok {
			return Unknown{}
		}
		if holed(a) || holed(b) {
			p, q := cutHole(a), cutHole(b)
			n := min(len(p), len(q))
			if p[:n] != q[:n] {
				return false
			}
			return Unknown{}
		}
		return a == b
	case int64:
		if b, ok := y.(int64); ok {
			return a == b
		}
	case bool:
		if b, ok := y.(bool); ok {
			return a == b
		}
	case pointer:
		if b, ok := y.(pointer); ok {
			return a.to == b.to
		}
		if yNil {
			return false
		}
	case *slice:
		if yNil {
			return Unknown{} // of a length of 0, it may be nil
		}
	case Nil:
		if yNil {
			return true
		}
	}
	if _, ok := y.(pointer); ok && xNil {
		return false
	}
	return Unknown{}
}

func ordered(op token.Token, c int) Value {
	switch op {
	case token.LSS:
		return c < 0
	case token.LEQ:
		return c <= 0
	case token.GTR:
		return c > 0
	case token.GEQ:
		return c >= 0
	}
	return Unknown{}
}

func onInts(v *ssa.BinOp, a, b int64) Value {
	switch v.Op {
	case token.ADD:
		return wrap(a+b, v.Type())
	case token.SUB:
		return wrap(a-b, v.Type())
	case token.MUL:
		if a > 1<<31 || a < -1<<31 || b > 1<<31 || b < -1<<31 {
			return Unknown{}
		}
		return wrap(a*b, v.Type())
	case token.QUO, token.REM:
		if b == 0 {
			panic(dead{})
		}
		if v.Op == token.QUO {
			return wrap(a/b, v.Type())
		}
		return wrap(a%b, v.Type())
	}
	return ordered(v.Op, cmp.Compare(a, b))
}
