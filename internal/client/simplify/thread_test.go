package simplify

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// TestThread: an error that a function returns, and that its caller tests, ends the transaction
// where the function returns.
func TestThread(t *testing.T) {
	is := func(v string, n int64) client.Expr {
		return &client.Op{Op: "==", Args: []client.Expr{client.V(v), client.C(ir.Int(n))}}
	}
	set := func(v string, n int64) client.Stmt { return &client.Assign{Var: v, Expr: client.C(ir.Int(n))} }
	query := func(text, found string) client.Stmt { return &client.Query{SQL: text, Found: found} }
	ends := &client.If{Cond: &client.Op{Op: "!", Args: []client.Expr{is("err", 0)}}, Then: []client.Stmt{&client.Rollback{}}, Else: []client.Stmt{&client.Commit{}}}
	vars := []client.Var{{Name: "err", Kind: client.Int}, {Name: "found", Kind: client.Bool}, {Name: "n", Kind: client.Int}}
	for _, c := range []struct {
		name string
		body []client.Stmt
		want string
	}{
		{"an early return", []client.Stmt{query("A", "found"),
			&client.If{Cond: client.V("found"), Then: []client.Stmt{query("B", ""), set("err", 0)}, Else: []client.Stmt{set("err", 1)}}, ends},
			"txn f()\n  var found bool\n  query \"A\" found found\n  if found\n    query \"B\"\n    commit\n  else\n    rollback\n"},
		{"a return from a block", []client.Stmt{&client.Block{Label: "k", Body: []client.Stmt{query("A", "found"),
			&client.If{Cond: client.V("found"), Then: []client.Stmt{set("err", 1), &client.Break{Label: "k"}}}, query("B", ""), set("err", 0)}}, ends},
			"txn f()\n  var found bool\n  query \"A\" found found\n  if found\n    rollback\n  query \"B\"\n  commit\n"},
		{"a return from a loop over rows", []client.Stmt{set("err", 0), &client.ForRows{Label: "r", Query: &client.Query{SQL: "A", Into: []string{"n"}},
			Body: []client.Stmt{&client.If{Cond: is("n", 7), Then: []client.Stmt{set("err", 1), &client.Break{Label: "r"}}}, query("B", "")}}, ends},
			"txn f()\n  var n int\n  rows r of \"A\" into n\n    if n == 7\n      rollback\n    query \"B\"\n  commit\n"},
		{"a branch that sends something stays where it is", []client.Stmt{query("A", "found"),
			&client.If{Cond: client.V("found"), Then: []client.Stmt{query("B", ""), set("err", 0)}, Else: []client.Stmt{set("err", 1)}},
			&client.If{Cond: is("err", 0), Then: []client.Stmt{query("C", "")}}, &client.Commit{}},
			"txn f()\n  var err int\n  var found bool\n  query \"A\" found found\n  if found\n    query \"B\"\n    err = 0\n  else\n    err = 1\n  if err == 0\n    query \"C\"\n  commit\n"},
		{"a variable that may be set again decides nothing", []client.Stmt{query("A", "found"),
			&client.If{Cond: client.V("found"), Then: []client.Stmt{set("err", 0)}, Else: []client.Stmt{set("err", 1)}}, &client.Havoc{Var: "err"}, ends},
			"txn f()\n  var err int\n  var found bool\n  query \"A\" found found\n  if found\n    err = 0\n  else\n    err = 1\n  err = *\n  if !(err == 0)\n    rollback\n  else\n    commit\n"},
		{"an error that the caller passes on ends the transaction in the caller's caller", []client.Stmt{query("A", "found"),
			&client.If{Cond: client.V("found"), Then: []client.Stmt{set("n", 0)}, Else: []client.Stmt{set("n", 1)}},
			&client.If{Cond: is("n", 0), Then: []client.Stmt{query("B", ""), set("err", 0)}, Else: []client.Stmt{&client.Assign{Var: "err", Expr: client.V("n")}}}, ends},
			"txn f()\n  var found bool\n  query \"A\" found found\n  if !found\n    rollback\n  query \"B\"\n  commit\n"},
		{"what was tested of another value decides nothing", []client.Stmt{query("A", "found"), &client.Havoc{Var: "n"},
			&client.If{Cond: is("n", 0), Then: []client.Stmt{query("B", ""), set("err", 0)}, Else: []client.Stmt{&client.Havoc{Var: "n"}, &client.Assign{Var: "err", Expr: client.V("n")}}}, ends},
			"txn f()\n  var err int\n  var n int\n  query \"A\"\n  n = *\n  if n == 0\n    query \"B\"\n    err = 0\n    commit\n  else\n    n = *\n    err = n\n" +
				"  if !(err == 0)\n    rollback\n  else\n    commit\n"},
		{"what only computes waits for the rollback", []client.Stmt{query("A", "found"), &client.If{Cond: is("n", 0), Then: []client.Stmt{set("err", 5)}, Else: []client.Stmt{set("err", 6)}},
			&client.If{Cond: client.V("found"), Then: []client.Stmt{&client.Rollback{}}}, &client.Emit{Exprs: []client.Expr{client.V("err")}}, &client.Commit{}},
			"txn f()\n  var err int\n  var found bool\n  var n int\n  query \"A\" found found\n  if found\n    rollback\n  else\n    if n == 0\n      err = 5\n    else\n      err = 6\n  emit err\n  commit\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			txn := &client.Txn{Name: "f", Vars: slices.Clone(vars), Body: client.Clone(c.body)}
			Txn(txn, func(base string) string { return base + "_1" })
			if got := txn.String(); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestThreadKeepsRuns compares random transactions with what becomes of them, run by run: they send the
// same, end in the same way, and show the same before they commit.
func TestThreadKeepsRuns(t *testing.T) {
	const seed = 20261128
	rng := rand.New(rand.NewSource(seed))
	moved := 0
	for n := range 3000 {
		g := &bodies{rng: rng}
		txn := &client.Txn{Name: "f", Vars: []client.Var{{Name: "a", Kind: client.Int}, {Name: "b", Kind: client.Int}, {Name: "c", Kind: client.Bool}},
			Body: append(g.list(4, nil, false), &client.Commit{})}
		before := txn.String()
		after := &client.Txn{Name: "f", Vars: txn.Vars, Body: client.Clone(txn.Body)}
		for range maxRounds {
			if !thread(after) {
				break
			}
			moved++
			after.Body = client.Rewrite(after.Body, tidyList)
		}
		for r := range 12 {
			want, got := runOf(txn, int64(r)), runOf(after, int64(r))
			if want != got {
				t.Fatalf("seed %d, transaction %d, run %d:\n%s\nbecame\n%s\nand its run\n%s\nbecame\n%s", seed, n, r, before, after, want, got)
			}
		}
	}
	if moved < 1000 {
		t.Errorf("only %d times a branch was moved", moved)
	}
}

// bodies makes random statements.
type bodies struct {
	rng    *rand.Rand
	labels int
}

func (g *bodies) list(depth int, labels []string, loop bool) []client.Stmt {
	var out []client.Stmt
	for range 1 + g.rng.Intn(4) {
		out = append(out, g.stmt(depth, labels, loop))
	}
	return out
}

func (g *bodies) stmt(depth int, labels []string, loop bool) client.Stmt {
	v := []string{"a", "b"}[g.rng.Intn(2)]
	g.labels++
	label := fmt.Sprint("l", g.labels)
	if depth == 0 {
		return &client.Assign{Var: v, Expr: client.C(ir.Int(int64(g.rng.Intn(3))))}
	}
	switch g.rng.Intn(13) {
	case 12:
		return &client.Assign{Var: v, Expr: client.V([]string{"a", "b"}[g.rng.Intn(2)])}
	case 0:
		return &client.Query{SQL: label, Found: "c", Into: []string{v}}
	case 1:
		return &client.Emit{Exprs: []client.Expr{client.V(v)}}
	case 2:
		return &client.Havoc{Var: v}
	case 3, 4, 5, 6:
		return &client.If{Cond: g.cond(2), Then: g.list(depth-1, labels, loop), Else: g.list(depth-1, labels, loop)}
	case 7:
		return &client.Block{Label: label, Body: g.list(depth-1, append(slices.Clip(labels), label), loop)}
	case 8:
		if !loop {
			return &client.ForRows{Label: label, Query: &client.Query{SQL: label, Into: []string{v}}, Body: g.list(depth-1, append(slices.Clip(labels), label), true)}
		}
		return &client.If{Cond: g.cond(1), Then: []client.Stmt{&client.Commit{}}}
	case 9:
		return &client.If{Cond: g.cond(1), Then: []client.Stmt{&client.Rollback{}}}
	case 10:
		if len(labels) > 0 {
			return &client.If{Cond: g.cond(1), Then: []client.Stmt{&client.Break{Label: labels[g.rng.Intn(len(labels))]}}}
		}
	}
	return &client.Assign{Var: v, Expr: client.C(ir.Int(int64(g.rng.Intn(3))))}
}

func (g *bodies) cond(depth int) client.Expr {
	v := client.V([]string{"a", "b"}[g.rng.Intn(2)])
	switch n := g.rng.Intn(6); {
	case n == 0 && depth > 0:
		return client.Not(g.cond(depth - 1))
	case n == 1 && depth > 0:
		return client.Or(g.cond(depth-1), g.cond(depth-1))
	case n == 2 && depth > 0:
		return client.And(g.cond(depth-1), g.cond(depth-1))
	case n == 3:
		return client.V("c")
	case n == 4:
		return &client.Op{Op: ">", Args: []client.Expr{v, client.C(ir.Int(int64(g.rng.Intn(3))))}}
	}
	return &client.Op{Op: "==", Args: []client.Expr{v, client.C(ir.Int(int64(g.rng.Intn(3))))}}
}

// run executes a transaction. What the database answers depends on the seed and on what was sent.
type run struct {
	seed              int64
	vars              map[string]client.Expr
	sent, shown, jump string
}

func runOf(t *client.Txn, seed int64) string {
	r := &run{seed: seed, vars: map[string]client.Expr{"a": client.C(ir.Int(0)), "b": client.C(ir.Int(0)), "c": client.False}}
	r.list(t.Body)
	if r.jump == "rollback" {
		r.shown = ""
	}
	return r.sent + r.shown + r.jump
}

func (r *run) answer(what string) int64 {
	h := r.seed
	for _, c := range what {
		h = (h*31 + int64(c)) % 1_000_003
	}
	return h
}

func (r *run) list(list []client.Stmt) {
	for _, s := range list {
		if r.jump == "" {
			r.stmt(s)
		}
	}
}

func (r *run) stmt(s client.Stmt) {
	value := func(e client.Expr) client.Expr { return substitute(e, func(v string) client.Expr { return r.vars[v] }) }
	switch s := s.(type) {
	case *client.Query:
		r.sent += s.SQL + " "
		r.vars["c"] = client.C(ir.Bool(r.answer(r.sent)%2 == 0))
		r.vars[s.Into[0]] = client.C(ir.Int(r.answer(r.sent) % 3))
	case *client.Assign:
		r.vars[s.Var] = value(s.Expr)
	case *client.Havoc:
		r.vars[s.Var] = client.C(ir.Int(r.answer(r.sent+s.Var) % 3))
	case *client.Emit:
		r.shown += fmt.Sprint("shows ", value(s.Exprs[0]).(*client.Const).Value, " ")
	case *client.If:
		if is, known := client.Truth(value(s.Cond)); !known {
			panic("a condition is not known")
		} else if is {
			r.list(s.Then)
		} else {
			r.list(s.Else)
		}
	case *client.Block:
		r.list(s.Body)
		r.leave(s.Label)
	case *client.ForRows:
		r.sent += s.Query.SQL + " "
		for n := range r.answer(r.sent) % 3 {
			if r.jump != "" {
				break
			}
			r.vars[s.Query.Into[0]] = client.C(ir.Int((n + r.answer(r.sent)) % 3))
			r.list(s.Body)
		}
		r.leave(s.Label)
	case *client.Break:
		r.jump = s.Label
	case *client.Commit:
		r.jump = "commit"
	case *client.Rollback:
		r.jump = "rollback"
	}
}

func (r *run) leave(label string) {
	if r.jump == label {
		r.jump = ""
	}
}
