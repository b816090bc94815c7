package simplify

import (
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// TestOverElements makes one loop of two where the second one goes through what the first one gathers, and leaves
// the others as they are.
func TestOverElements(t *testing.T) {
	v, n := client.V, func(i int64) client.Expr { return client.C(ir.Int(i)) }
	op := func(name string, args ...client.Expr) client.Expr { return &client.Op{Op: name, Args: args} }
	set := func(name string, e client.Expr) client.Stmt { return &client.Assign{Var: name, Expr: e} }
	appended := func(list string, e client.Expr) client.Stmt {
		return set(list, &client.Call{Name: "append", Args: []client.Expr{v(list), &client.Call{Name: "list", Args: []client.Expr{e}}}})
	}
	length := &client.Call{Name: "len", Args: []client.Expr{v("ids")}, Kind: client.Int}
	type parts struct{ round, between, body, after []client.Stmt }
	program := func(p parts) *client.Txn {
		element := &client.Havoc{Var: "e", Lost: "an element of a list", Element: client.Element{List: v("ids"), Index: op("+", v("i"), n(1)), Len: length, From: v("id")}}
		if p.body == nil {
			p.body = []client.Stmt{&client.Query{SQL: "DELETE FROM t WHERE id = $1", Args: []client.Expr{v("e")}}}
		}
		body := append([]client.Stmt{element}, append(p.body, set("i", op("+", v("i"), n(1))))...)
		l := &client.Loop{Label: "over", Body: []client.Stmt{&client.If{Cond: op("<", op("+", v("i"), n(1)), length), Then: body, Else: []client.Stmt{&client.Commit{}}}}}
		if p.round == nil {
			p.round = []client.Stmt{appended("ids", v("id"))}
		}
		rows := &client.ForRows{Label: "rows", Query: &client.Query{SQL: "SELECT id FROM t", Into: []string{"id"}}, Body: p.round}
		list := append([]client.Stmt{set("ids", &client.Call{Name: "list"}), rows}, p.between...)
		list = append(list, append([]client.Stmt{set("i", n(-1)), l}, p.after...)...)
		var vars []client.Var
		for _, name := range []string{"id", "e", "i", "x", "a"} {
			vars = append(vars, client.Var{Name: name, Kind: client.Int})
		}
		return &client.Txn{Name: "f", Vars: append(vars, client.Var{Name: "ids", Nullable: true}), Body: list}
	}
	writes := func(args ...client.Expr) client.Stmt { return &client.Query{SQL: "UPDATE t SET n = $1", Args: args} }
	for _, c := range []struct {
		name string
		p    parts
		one  bool
	}{
		{"an element that is written", parts{}, true},
		{"some of the rows", parts{round: []client.Stmt{&client.If{Cond: op("<", v("id"), n(7)), Then: []client.Stmt{appended("ids", v("id"))}}}}, true},
		{"a return where there are none", parts{between: []client.Stmt{&client.If{Cond: op("==", length, n(0)), Then: []client.Stmt{&client.Commit{}}}}}, true},
		{"a value that is known before", parts{between: []client.Stmt{set("x", n(4))}, body: []client.Stmt{writes(v("e"), v("x")), set("x", op("+", v("x"), n(1)))}}, true},
		{"a statement between", parts{between: []client.Stmt{writes(n(1))}}, false},
		{"a return that depends on something else", parts{between: []client.Stmt{&client.If{Cond: op("==", length, n(9)), Then: []client.Stmt{&client.Commit{}}}}}, false},
		{"two elements of a row", parts{round: []client.Stmt{appended("ids", v("id")), appended("ids", v("id"))}}, false},
		{"a sum over all rows", parts{round: []client.Stmt{set("a", op("+", v("a"), v("id"))), appended("ids", v("id"))}, body: []client.Stmt{writes(v("e"), v("a"))}}, false},
		{"a statement for each row", parts{round: []client.Stmt{writes(v("id")), appended("ids", v("id"))}}, false},
		{"a loop that is left", parts{body: []client.Stmt{writes(v("e")), &client.If{Cond: op("<", v("e"), n(3)), Then: []client.Stmt{&client.Commit{}}}}}, false},
		{"a round that stays at its element", parts{body: []client.Stmt{writes(v("e")), &client.If{Cond: op("<", v("e"), n(3)), Then: []client.Stmt{&client.Continue{Label: "over"}}}}}, false},
	} {
		x := program(c.p)
		i := 0
		Txn(x, func(base string) string { i++; return base + "_" + strings.Repeat("x", i) })
		text := x.String()
		if one := !strings.Contains(text, "lost"); one != c.one {
			t.Errorf("%s: one loop is %v:\n%s", c.name, one, text)
		}
		if !c.one && !strings.Contains(text, "guess a value that is not followed") {
			t.Errorf("%s: nothing is said of the elements:\n%s", c.name, text)
		}
	}
}
