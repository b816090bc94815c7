package client

import (
	"testing"

	"github.com/txrobust/robust/ir"
)

// TestClone: the copies are printed in the same way, and changes of all that a pass
// may change in them do not show in the original.
func TestClone(t *testing.T) {
	q := func() *Query {
		return &Query{SQL: "SELECT a FROM t", Args: []Expr{V("x")}, Named: []Arg{{"n", V("x")}}, ByName: []Arg{{"a", V("x")}}, Found: "x"}
	}
	body := []Stmt{
		&Assign{Var: "x", Expr: V("x")}, &Havoc{Var: "x"}, &Emit{Exprs: []Expr{V("x")}}, q(), &Savepoint{Name: "s"}, &RollbackTo{Name: "s"},
		&ForRows{Label: "l", Query: &Query{SQL: "SELECT b FROM t", Into: []string{"x"}}, Body: []Stmt{&Continue{Label: "l"}}},
		&Loop{Label: "m", Body: []Stmt{&Break{Label: "m"}}}, &Block{Label: "b", Body: []Stmt{q()}},
		&If{Cond: V("x"), Then: []Stmt{&Commit{}}, Else: []Stmt{&Rollback{}}}, &Unknown{Reason: "a call"},
	}
	text := func(list []Stmt) string { return (&Txn{Name: "t", Body: list}).String() }
	want := text(body)
	copies := Clone(body)
	if got := text(copies); got != want {
		t.Errorf("the copies are\n%s\nwant\n%s", got, want)
	}
	EachExpr(copies, func(e *Expr) { *e = C(ir.Int(1)) })
	Walk(copies, func(s Stmt) {
		switch s := s.(type) {
		case *Query:
			EachResult(s, func(v *string) { *v = "y" })
		case *ForRows:
			EachResult(s.Query, func(v *string) { *v = "y" })
		case *If:
			s.Then, s.Else = nil, nil
		}
	})
	if text(copies) == want {
		t.Error("nothing was changed in the copies")
	}
	if got := text(body); got != want {
		t.Errorf("the original became\n%s\nfrom\n%s", got, want)
	}
}
