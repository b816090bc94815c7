package client_test

import (
	"testing"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// TestPrint prints every kind of statement and expression.
func TestPrint(t *testing.T) {
	op := func(o string, args ...client.Expr) client.Expr { return &client.Op{Op: o, Args: args} }
	txn := &client.Txn{Name: "T", Levels: []string{"repeatable read"}, Auto: true,
		Vars: []client.Var{{Name: "a", Kind: client.Int, Input: true}, {Name: "b", Kind: client.Text, Input: true, Fresh: true},
			{Name: "c", Kind: client.Any, Nullable: true}, {Name: "d", Kind: client.Float}, {Name: "e", Kind: client.Time}, {Name: "ok", Kind: client.Bool}},
		Body: []client.Stmt{
			&client.Query{SQL: "SELECT x,\n\ty FROM t WHERE k = $1 AND " + client.Hole, Args: []client.Expr{client.V("a")},
				Named: []client.Arg{{Name: "n", Expr: client.C(ir.Text("it's"))}}, Open: true, Into: []string{"c", ""}, Found: "ok", Null: "bad", Count: "n", Returned: true},
			&client.Query{SQL: "SELECT 1", ByName: []client.Arg{{Name: "x", Expr: client.V("c")}}},
			&client.ForRows{Label: "l", Query: &client.Query{SQL: "SELECT k FROM t", Into: []string{"a"}}, Body: []client.Stmt{&client.Continue{Label: "l"}}},
			&client.Loop{Body: []client.Stmt{&client.Break{}}},
			&client.Block{Label: "k", Body: []client.Stmt{&client.Break{Label: "k"}}},
			&client.Assign{Var: "a", Expr: op("+", client.V("a"), op("*", client.C(ir.Int(2)), op("-", client.V("a"))))},
			&client.Havoc{Var: "d"},
			&client.Havoc{Var: "b", Fresh: true},
			&client.If{Cond: op("&&", client.Not(op("null", client.V("c"))), op("==", client.V("b"), client.C(ir.Null))),
				Then: []client.Stmt{&client.Commit{}}, Else: []client.Stmt{&client.Rollback{}}},
			&client.Emit{Exprs: []client.Expr{client.V("a"), &client.Call{Name: "f", Args: []client.Expr{client.V("b")}}}},
			&client.Savepoint{Name: "s"},
			&client.RollbackTo{Name: "s"},
			&client.Unknown{Tables: []string{"t", "u"}, ReadOnly: true, Reason: "a call"},
			&client.Unknown{Reason: "another"},
		}}
	const want = `txn T(a int, b text fresh) at repeatable read auto
  var c any null
  var d float
  var e time
  var ok bool
  query "SELECT x, y FROM t WHERE k = $1 AND ⟨?⟩" (a, n: 'it''s', …) into c, _ found ok null bad count n returned
  query "SELECT 1" into x: c
  rows l of "SELECT k FROM t" into a
    continue l
  loop
    break
  block k
    break k
  a = a + (2 * -a)
  d = *
  b = * fresh
  if !(c is null) && (b == null)
    commit
  else
    rollback
  emit a, f(b)
  savepoint s
  rollback to s
  unknown read (t, u) "a call"
  unknown * "another"
`
	if got := txn.String(); got != want {
		t.Errorf("got\n%s", got)
	}
}
