package simplify

import (
	"testing"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// TestAbandoned: a value that only transactions have that commit nothing is not followed.
func TestAbandoned(t *testing.T) {
	lock := &client.If{Cond: client.Not(client.V("ended")), Then: []client.Stmt{&client.Query{SQL: "LOCK t"}}}
	begin := func(list ...client.Stmt) []client.Stmt {
		return append([]client.Stmt{&client.Havoc{Var: "ended"}, client.Clone([]client.Stmt{lock})[0]}, list...)
	}
	set := func(v string, e client.Expr) client.Stmt { return &client.Assign{Var: v, Expr: e} }
	unless := func(e client.Expr) client.Stmt {
		return &client.If{Cond: e, Then: []client.Stmt{&client.Rollback{}}}
	}
	number := func(n int64) client.Expr { return client.C(ir.Int(n)) }
	op := func(o string, args ...client.Expr) client.Expr { return &client.Op{Op: o, Args: args} }
	attempts := func(last client.Stmt) []client.Stmt {
		return []client.Stmt{
			&client.Loop{Label: "l", Body: begin(
				set("err", client.V("ended")),
				&client.If{Cond: client.Not(client.V("err")), Then: []client.Stmt{&client.Break{Label: "l"}}},
				&client.Havoc{Var: "more"},
				&client.If{Cond: client.V("more"), Then: []client.Stmt{&client.Continue{Label: "l"}}},
				&client.Break{Label: "l"})},
			last, &client.Commit{},
		}
	}
	rows := func(e client.Expr) []client.Stmt {
		return begin(&client.ForRows{Label: "r", Query: &client.Query{SQL: "SELECT a FROM t", Into: []string{"a"}}, Body: []client.Stmt{
			&client.If{Cond: op("==", client.V("a"), number(1)), Then: []client.Stmt{&client.Break{Label: "r"}}}, set("a", number(2))}},
			unless(e), &client.Commit{})
	}
	for _, c := range []struct {
		name string
		body []client.Stmt
		gone bool
	}{
		{"left at once", begin(unless(client.V("ended")), &client.Commit{}), true},
		{"dropped", begin(&client.Commit{}), false},
		{"the end of the body commits", begin(), false},
		{"a flag", begin(set("ok", client.Not(client.V("ended"))), unless(client.Not(client.V("ok"))), &client.Commit{}), true},
		{"the wrong flag", begin(set("ok", client.Not(client.V("ended"))), unless(client.V("ok")), &client.Commit{}), false},
		{"a flag that is set again", begin(set("ok", client.Not(client.V("ended"))), &client.Query{SQL: "SELECT true", Into: []string{"ok"}},
			unless(client.Not(client.V("ok"))), &client.Commit{}), false},
		{"a code on one of two paths", begin(&client.If{Cond: client.V("ended"), Then: []client.Stmt{set("code", number(3))}, Else: []client.Stmt{set("code", number(0))}},
			unless(op(">", client.V("code"), number(0))), &client.Commit{}), true},
		{"another one of the paths", begin(&client.If{Cond: client.V("other"), Then: []client.Stmt{set("code", number(3))}, Else: []client.Stmt{set("code", number(0))}},
			unless(op(">", client.V("code"), number(0))), &client.Commit{}), false},
		{"a block that is left", begin(&client.Block{Label: "b", Body: []client.Stmt{
			&client.If{Cond: client.V("ended"), Then: []client.Stmt{&client.Break{Label: "b"}}}, &client.Commit{}}}, &client.Rollback{}), true},
		{"attempts", attempts(unless(client.V("err"))), true},
		{"attempts whose last error is dropped", attempts(&client.Emit{Exprs: []client.Expr{client.V("err")}}), false},
		{"behind rows", rows(client.V("ended")), true},
		{"what rows say", rows(op("==", client.V("a"), number(2))), false},
		{"set in another way, too", begin(set("ended", client.V("b")), unless(client.V("ended")), &client.Commit{}), false},
	} {
		txn := &client.Txn{Name: "f", Body: c.body}
		before := txn.String()
		Abandoned(txn, []string{"ended"})
		client.Walk(txn.Body, func(s client.Stmt) {
			if h, ok := s.(*client.Havoc); ok && h.Var == "ended" && c.gone {
				t.Errorf("%s: the value stays\n%s", c.name, txn)
			}
		})
		if !c.gone && txn.String() != before {
			t.Errorf("%s: the value is gone\n%s", c.name, txn)
		}
	}
}
