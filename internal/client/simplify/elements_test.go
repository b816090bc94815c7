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
	type parts struct {
		round, between, body, after []client.Stmt
		// start is the index in front of the loop, index that of the element, and length what the loop counts to, if they are given.
		start         int64
		index, length client.Expr
	}
	program := func(p parts) *client.Txn {
		if p.index == nil {
			p.index = op("+", v("i"), n(1))
		}
		if p.length == nil {
			p.length = length
		}
		element := &client.Havoc{Var: "e", Lost: "an element of a list", Element: client.Element{List: v("ids"), Index: p.index, Len: length, From: v("id")}}
		if p.body == nil {
			p.body = []client.Stmt{&client.Query{SQL: "DELETE FROM t WHERE id = $1", Args: []client.Expr{v("e")}}}
		}
		body := append([]client.Stmt{element}, append(p.body, set("i", op("+", v("i"), n(1))))...)
		l := &client.Loop{Label: "over", Body: []client.Stmt{&client.If{Cond: op("<", op("+", v("i"), n(1)), p.length), Then: body, Else: []client.Stmt{&client.Commit{}}}}}
		if p.round == nil {
			p.round = []client.Stmt{appended("ids", v("id"))}
		}
		rows := &client.ForRows{Label: "rows", Query: &client.Query{SQL: "SELECT id FROM t", Into: []string{"id"}}, Body: p.round}
		list := append([]client.Stmt{set("ids", &client.Call{Name: "list"}), rows}, p.between...)
		list = append(list, append([]client.Stmt{set("i", n(p.start-1)), l}, p.after...)...)
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
		{"a loop from the second element", parts{start: 1}, false},
		{"the element behind that of the round", parts{index: op("+", v("i"), n(2))}, false},
		{"a loop that ends before the list does", parts{length: n(3)}, false},
		{"an index that is set between", parts{between: []client.Stmt{set("i", n(5))}}, false},
		{"a value computed of an element", parts{start: 1, body: []client.Stmt{set("x", op("+", v("e"), n(1))), writes(v("x"))}}, false},
		{"a branch that an element decides", parts{start: 1, body: []client.Stmt{&client.If{Cond: op("<", v("e"), n(3)), Then: []client.Stmt{writes(n(1))}}}}, false},
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

// TestElements says of elements whether they are those of a list that depends on the database, and of which rows.
func TestElements(t *testing.T) {
	v := client.V
	element := func(name, list string) *client.Havoc {
		return &client.Havoc{Var: name, Lost: "an element of a list", Element: client.Element{List: v(list), Len: v("n"), Index: v("i"), From: v("id")}}
	}
	read, given, copied, changed := element("a", "ids"), element("b", "given"), element("c", "copy"), element("d", "ids")
	x := &client.Txn{Name: "f", Body: []client.Stmt{&client.Query{SQL: "SELECT id FROM t", Into: []string{"id"}},
		&client.Assign{Var: "ids", Expr: &client.Call{Name: "list", Args: []client.Expr{v("id")}}}, &client.Assign{Var: "copy", Expr: v("ids")}, read, given, copied, changed}}
	Elements(x, map[string]bool{"d": true})
	for _, c := range []struct {
		h          *client.Havoc
		lost, rows bool
	}{{read, true, true}, {given, false, true}, {copied, true, true}, {changed, true, false}} {
		if (c.h.Lost != "") != c.lost || (c.h.Element.From != nil) != c.rows {
			t.Errorf("%s: lost is %q and it is the element %v, want lost %t and of rows %t", c.h.Var, c.h.Lost, c.h.Element.From, c.lost, c.rows)
		}
	}
}
