package simplify

import (
	"testing"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// TestTxn simplifies transactions as a front end writes them.
func TestTxn(t *testing.T) {
	query := func(found string, into ...string) *client.Query {
		return &client.Query{SQL: "SELECT n FROM t", Into: into, Found: found}
	}
	nulls := func(q *client.Query) *client.Query { q.Null = "bad"; return q }
	plus := func(v string, n int64) client.Expr {
		return &client.Op{Op: "+", Args: []client.Expr{client.V(v), client.C(ir.Int(n))}}
	}
	ints := func(names ...string) (out []client.Var) {
		for _, n := range names {
			out = append(out, client.Var{Name: n, Kind: client.Int})
		}
		return out
	}
	for _, c := range []struct {
		name string
		txn  client.Txn
		want string
	}{
		{"jumps to where control goes anyway, and what nobody uses",
			client.Txn{Vars: ints("a", "b"), Body: []client.Stmt{
				&client.Block{Label: "call1", Body: []client.Stmt{query("", "a"), &client.Assign{Var: "b", Expr: plus("a", 1)}, &client.Break{Label: "call1"}, query("")}},
				&client.Commit{},
			}},
			"txn f()\n  query \"SELECT n FROM t\" into _\n  commit\n"},
		{"a copy of a variable, and a condition that is constant with it",
			client.Txn{Vars: ints("a", "b", "c"), Body: []client.Stmt{
				query("", "a"), &client.Assign{Var: "b", Expr: client.V("a")}, &client.Assign{Var: "c", Expr: client.C(ir.Int(1))},
				&client.If{Cond: &client.Op{Op: "==", Args: []client.Expr{client.V("c"), client.C(ir.Int(1))}}, Then: []client.Stmt{&client.Emit{Exprs: []client.Expr{client.V("b")}}},
					Else: []client.Stmt{&client.Rollback{}}},
				&client.Commit{},
			}},
			"txn f()\n  var a int\n  query \"SELECT n FROM t\" into a\n  emit a\n  commit\n"},
		{"a block that is left early stays",
			client.Txn{Vars: ints("a"), Body: []client.Stmt{
				&client.Block{Label: "k", Body: []client.Stmt{query("a"), &client.If{Cond: client.V("a"), Then: []client.Stmt{&client.Break{Label: "k"}}}, query("")}},
				&client.Commit{},
			}},
			"txn f()\n  var a int\n  block k\n    query \"SELECT n FROM t\" found a\n    if a\n      break k\n    query \"SELECT n FROM t\"\n  commit\n"},
		{"a loop that only counts rows",
			client.Txn{Vars: ints("n", "x"), Body: []client.Stmt{
				&client.ForRows{Label: "loop1", Query: query("", "x"), Body: []client.Stmt{&client.Assign{Var: "n", Expr: plus("n", 1)}, &client.Continue{Label: "loop1"}}},
				&client.Emit{Exprs: []client.Expr{client.V("n")}},
				&client.Commit{},
			}},
			"txn f()\n  var n int\n  var rows_1 int\n  query \"SELECT n FROM t\" count rows_1\n  n = n + rows_1\n  emit n\n  commit\n"},
		{"a loop that always ends the transaction",
			client.Txn{Vars: ints("a"), Body: []client.Stmt{
				&client.Loop{Label: "loop1", Body: []client.Stmt{query("a"), &client.If{Cond: client.V("a"), Then: []client.Stmt{&client.Rollback{}}, Else: []client.Stmt{&client.Commit{}}}}},
			}},
			"txn f()\n  var a int\n  query \"SELECT n FROM t\" found a\n  if a\n    rollback\n  else\n    commit\n"},
		{"a loop that runs once, or is left early",
			client.Txn{Vars: ints("a"), Body: []client.Stmt{
				&client.Loop{Label: "loop1", Body: []client.Stmt{query("a"), &client.If{Cond: client.V("a"), Then: []client.Stmt{&client.Break{Label: "loop1"}}}, &client.Rollback{}}},
				query(""), &client.Commit{},
			}},
			"txn f()\n  var a int\n  block loop1\n    query \"SELECT n FROM t\" found a\n    if a\n      break loop1\n    rollback\n  query \"SELECT n FROM t\"\n  commit\n"},
		{"a loop that may go on stays",
			client.Txn{Vars: ints("a"), Body: []client.Stmt{
				&client.Loop{Label: "loop1", Body: []client.Stmt{query("a"), &client.If{Cond: client.V("a"), Then: []client.Stmt{&client.Continue{Label: "loop1"}}}, &client.Rollback{}}},
			}},
			"txn f()\n  var a int\n  loop loop1\n    query \"SELECT n FROM t\" found a\n    if a\n      continue loop1\n    rollback\n"},
		{"a loop that only counts rows, and ends where a NULL does not fit",
			client.Txn{Vars: append(ints("n", "x"), client.Var{Name: "y", Kind: client.Int, Nullable: true}, client.Var{Name: "bad", Kind: client.Bool}), Body: []client.Stmt{
				&client.ForRows{Label: "loop1", Query: nulls(query("", "x", "y")), Body: []client.Stmt{
					&client.If{Cond: client.V("bad"), Then: []client.Stmt{&client.Rollback{}}, Else: []client.Stmt{&client.Assign{Var: "n", Expr: plus("n", 1)}, &client.Continue{Label: "loop1"}}}}},
				&client.Emit{Exprs: []client.Expr{client.V("n")}},
				&client.Commit{},
			}},
			"txn f()\n  var n int\n  var bad bool\n  var x_1 int\n  var rows_1 int\n  query \"SELECT n FROM t\" into x_1, _ null bad of every row count rows_1\n  if bad\n    rollback\n  n = n + rows_1\n  emit n\n  commit\n"},
		{"one that leaves rows out where a NULL does not fit",
			client.Txn{Vars: append(ints("n", "x"), client.Var{Name: "bad", Kind: client.Bool}), Body: []client.Stmt{
				&client.ForRows{Label: "loop1", Query: nulls(query("", "x")), Body: []client.Stmt{
					&client.If{Cond: client.V("bad"), Then: []client.Stmt{&client.Continue{Label: "loop1"}}, Else: []client.Stmt{&client.Assign{Var: "n", Expr: plus("n", 1)}}}}},
				&client.Emit{Exprs: []client.Expr{client.V("n")}},
				&client.Commit{},
			}},
			"txn f()\n  var n int\n  query \"SELECT n FROM t\" returned\n  emit n\n  n = *\n  emit n\n  commit\n"},
		{"one after which the last row counts",
			client.Txn{Vars: ints("x"), Body: []client.Stmt{
				&client.ForRows{Label: "loop1", Query: query("", "x"), Body: []client.Stmt{&client.Continue{Label: "loop1"}}},
				&client.Emit{Exprs: []client.Expr{client.V("x")}},
				&client.Commit{},
			}},
			"txn f()\n  var x int\n  query \"SELECT n FROM t\" returned\n  emit x\n  x = *\n  emit x\n  commit\n"},
		{"a column that a NULL does not fit",
			client.Txn{Vars: append(ints("x"), client.Var{Name: "bad", Kind: client.Bool}), Body: []client.Stmt{
				nulls(query("", "x")), &client.If{Cond: client.V("bad"), Then: []client.Stmt{&client.Rollback{}}}, &client.Commit{}}},
			"txn f()\n  var x int\n  var bad bool\n  query \"SELECT n FROM t\" into x null bad\n  if bad\n    rollback\n  commit\n"},
		{"what comes behind a loop that is left",
			client.Txn{Vars: ints("a", "b"), Body: []client.Stmt{
				query("a"), &client.If{Cond: client.V("a"), Then: []client.Stmt{
					&client.Loop{Label: "loop1", Body: []client.Stmt{query("b"), &client.If{Cond: client.V("b"), Then: []client.Stmt{&client.Break{Label: "loop1"}}}}}},
					Else: []client.Stmt{&client.Rollback{}}},
				query(""), &client.Commit{},
			}},
			"txn f()\n  var a int\n  var b int\n  query \"SELECT n FROM t\" found a\n  if a\n    loop loop1\n      query \"SELECT n FROM t\" found b\n      if b\n        break loop1\n  else\n    rollback\n  query \"SELECT n FROM t\"\n  commit\n"},
		{"nothing comes behind a loop that is not",
			client.Txn{Vars: ints("a", "b"), Body: []client.Stmt{
				query("a"), &client.If{Cond: client.V("a"), Then: []client.Stmt{
					&client.Loop{Label: "loop1", Body: []client.Stmt{query("b"), &client.If{Cond: client.V("b"), Then: []client.Stmt{&client.Commit{}}}}}},
					Else: []client.Stmt{&client.Rollback{}}},
				query(""), &client.Commit{},
			}},
			"txn f()\n  var a int\n  var b int\n  query \"SELECT n FROM t\" found a\n  if a\n    loop loop1\n      query \"SELECT n FROM t\" found b\n      if b\n        commit\n  else\n    rollback\n"},
		{"a copy of a variable that is set again",
			client.Txn{Vars: ints("a", "b"), Body: []client.Stmt{
				query("", "a"), &client.Assign{Var: "b", Expr: client.V("a")}, query("", "a"), &client.Emit{Exprs: []client.Expr{client.V("a"), client.V("b")}}, &client.Commit{},
			}},
			"txn f()\n  var a int\n  var b int\n  query \"SELECT n FROM t\" into a\n  b = a\n  query \"SELECT n FROM t\" into a\n  emit a, b\n  commit\n"},
		{"a constant on one path only",
			client.Txn{Vars: ints("a", "b"), Body: []client.Stmt{
				query("b"), &client.If{Cond: client.V("b"), Then: []client.Stmt{query(""), &client.Assign{Var: "a", Expr: client.C(ir.Int(1))}}}, query(""),
				&client.If{Cond: &client.Op{Op: "==", Args: []client.Expr{client.V("a"), client.C(ir.Int(1))}}, Then: []client.Stmt{query("")}}, &client.Commit{},
			}},
			"txn f()\n  var a int\n  var b int\n  query \"SELECT n FROM t\" found b\n  if b\n    query \"SELECT n FROM t\"\n    a = 1\n  query \"SELECT n FROM t\"\n  if a == 1\n    query \"SELECT n FROM t\"\n  commit\n"},
		{"texts of which one is above the other in some order",
			client.Txn{Vars: []client.Var{{Name: "a", Kind: client.Text}}, Body: []client.Stmt{
				&client.Assign{Var: "a", Expr: client.C(ir.Text("b"))},
				&client.If{Cond: &client.Op{Op: ">", Args: []client.Expr{client.V("a"), client.C(ir.Text("a"))}}, Then: []client.Stmt{query("")}}, &client.Commit{},
			}},
			"txn f()\n  if 'b' > 'a'\n    query \"SELECT n FROM t\"\n  commit\n"},
		{"numbers of which one is above the other",
			client.Txn{Vars: ints("a"), Body: []client.Stmt{
				&client.Assign{Var: "a", Expr: client.C(ir.Int(2))},
				&client.If{Cond: &client.Op{Op: ">", Args: []client.Expr{client.V("a"), client.C(ir.Int(1))}}, Then: []client.Stmt{query("")}}, &client.Commit{},
			}},
			"txn f()\n  query \"SELECT n FROM t\"\n  commit\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			txn := c.txn
			txn.Name = "f"
			Txn(&txn, func(base string) string { return base + "_1" })
			if got := txn.String(); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
