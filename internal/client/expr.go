package client

import "github.com/txrobust/robust/ir"

// Expr is an expression. The kinds are VarExpr, Const, Op and Call.
type Expr interface{ isExpr() }

// VarExpr is the value of a variable.
type VarExpr struct{ Name string }

// Const is a constant: an integer, a number, a text, a truth value or NULL.
type Const struct{ Value ir.Value }

// Op applies an operator with the meaning that it has in Go, integers being
// unbounded: + - * / % on numbers and + on texts; == != < <= > >=; && || !; "-"
// with one operand; "null" of one operand says whether it is NULL.
type Op struct {
	Op   string
	Args []Expr
}

// Call applies a function of which nothing is known, but that equal arguments
// give equal values.
type Call struct {
	Name string
	Args []Expr
	Kind Kind
}

func (*VarExpr) isExpr() {}
func (*Const) isExpr()   {}
func (*Op) isExpr()      {}
func (*Call) isExpr()    {}

// V is the value of a variable.
func V(name string) *VarExpr { return &VarExpr{name} }

// C is a constant.
func C(v ir.Value) *Const { return &Const{v} }

// True and False are the constant conditions.
var (
	True  Expr = C(ir.Bool(true))
	False Expr = C(ir.Bool(false))
)

// Truth gives the constant that a condition is.
func Truth(e Expr) (is, known bool) {
	c, ok := e.(*Const)
	if !ok || c.Value.Kind != ir.KindBool {
		return false, false
	}
	return c.Value.IsTrue(), true
}

// Not negates a condition.
func Not(e Expr) Expr {
	switch e := e.(type) {
	case *Const:
		if is, known := Truth(e); known {
			return C(ir.Bool(!is))
		}
	case *Op:
		if e.Op == "!" {
			return e.Args[0]
		}
	}
	return &Op{Op: "!", Args: []Expr{e}}
}

// Or holds where one of the conditions of list does; nil is one that never does.
func Or(list ...Expr) Expr { return join("||", False, True, list) }

// And holds where all conditions of list do; nil is one that always does.
func And(list ...Expr) Expr { return join("&&", True, False, list) }

// join joins conditions by an operator. unit leaves the others as they are, zero
// decides.
func join(op string, unit, zero Expr, list []Expr) Expr {
	out := unit
	for _, e := range list {
		is, known := Truth(e)
		switch wanted, _ := Truth(zero); {
		case e == nil || known && is != wanted:
		case known:
			return zero
		case out == unit:
			out = e
		default:
			out = &Op{Op: op, Args: []Expr{out, e}}
		}
	}
	return out
}
