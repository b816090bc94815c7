package gogen

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// function makes the i-th function; other is what of it is in package help.
func function(r *rand.Rand, i, stmts int) (f *Func, own, other string) {
	g := &gen{r: r, n: i, out: &strings.Builder{}, left: stmts, pgx: r.IntN(3) == 0, tx: "tx"}
	f = &Func{Name: fmt.Sprintf("F%d", i), Params: []Param{{"p", "int"}, {"q", "int"}}}
	f.Params = append(f.Params, []Param{{"s", "string"}, {"o", "*int"}, {"ok", "bool"}}[g.r.IntN(3)])
	var params []string
	for _, p := range f.Params {
		g.bring(variable{name: p.Name, kind: kind(p.Kind)})
		params = append(params, p.Name+" "+p.Kind)
	}
	g.bring(variable{name: "res", kind: tInt})
	db := "*sql.DB"
	if g.pgx {
		db = "*pgx.Conn"
	}
	g.line("\nfunc %s(ctx context.Context, db %s, %s) (res int, err error) {", f.Name, db, strings.Join(params, ", "))
	if g.pgx {
		[]func(){g.pgDeferred, g.pgFunc, g.pgHelper, g.pgNamed}[g.r.IntN(4)]()
	} else {
		[]func(){g.deferred, g.explicit, g.named, g.inHelper, g.inGeneric, g.service, g.finisher}[g.r.IntN(7)]()
	}
	own, other = g.own.String()+g.out.String(), g.other.String()
	f.Text = other + own
	return f, own, other
}

// top writes the statements of the transaction.
func (g *gen) top() {
	for g.left > 0 {
		g.body(3)
	}
	if g.chance(60) {
		g.line("res = %s", g.int(1))
	}
}

func (g *gen) deferred() {
	g.fail = func(e string) string { return "return res, " + e }
	g.succeed = func(string) string { return "return res, tx.Commit()" }
	g.line("tx, err := db.BeginTx(ctx, %s)", g.oneOf("nil", "&sql.TxOptions{Isolation: sql.LevelRepeatableRead}"))
	g.line("if err != nil {\nreturn 0, err\n}")
	g.line("%s", g.oneOf("defer tx.Rollback()", "defer func() { _ = tx.Rollback() }()"))
	g.top()
	g.line("if err := tx.Commit(); err != nil {\nreturn 0, err\n}\nreturn res, nil\n}")
}

func (g *gen) pgDeferred() {
	g.fail = func(e string) string { return "return res, " + e }
	g.succeed = func(string) string { return "return res, tx.Commit(ctx)" }
	g.line("tx, err := db.Begin(ctx)")
	g.line("if err != nil {\nreturn 0, err\n}")
	g.line("defer tx.Rollback(ctx)")
	g.top()
	g.line("return res, tx.Commit(ctx)\n}")
}

func (g *gen) explicit() {
	g.fail = func(e string) string {
		return g.oneOf("tx.Rollback()\nreturn res, "+e, "if rb := tx.Rollback(); rb != nil {\nreturn res, rb\n}\nreturn res, "+e)
	}
	g.succeed = func(string) string {
		return g.oneOf("return res, tx.Commit()", "if err := tx.Commit(); err != nil {\nreturn 0, err\n}\nreturn res, nil")
	}
	g.line("tx, err := db.Begin()")
	g.line("if err != nil {\nreturn 0, err\n}")
	g.line("defer func() {\nif p := recover(); p != nil {\ntx.Rollback()\n%s\n}\n}()", g.oneOf("panic(p)", `err = fmt.Errorf("panic: %v", p)`))
	g.top()
	g.line("err = tx.Commit()\nreturn res, err\n}")
}

// naming gives how a body with a named result err leaves.
func (g *gen) naming() {
	g.fail = func(e string) string {
		return g.oneOf("return res, "+e, "return 0, "+e)
	}
	g.succeed = func(string) string { return "return res, nil" }
}

func (g *gen) named() {
	g.naming()
	g.line("tx, err := db.BeginTx(ctx, nil)")
	g.line("if err != nil {\nreturn 0, err\n}")
	g.line("defer func() {\nif p := recover(); p != nil {\ntx.Rollback()\npanic(p)\n}")
	g.line("%s\n}()", g.oneOf("if err != nil {\ntx.Rollback()\nreturn\n}\nerr = tx.Commit()",
		"if err == nil {\nerr = tx.Commit()\n} else {\n_ = tx.Rollback()\n}",
		"switch {\ncase errors.Is(err, ErrSkip):\nerr = tx.Commit()\ncase err != nil:\ntx.Rollback()\ndefault:\nerr = tx.Commit()\n}",
		"if err != nil {\nif rb := tx.Rollback(); rb != nil {\nerr = errors.Join(err, rb)\n}\nreturn\n}\nif cerr := tx.Commit(); cerr != nil {\nerr = cerr\n}"))
	g.top()
	g.line("return res, nil\n}")
}

func (g *gen) pgNamed() {
	g.naming()
	g.line("tx, err := db.BeginTx(ctx, pgx.TxOptions{})")
	g.line("if err != nil {\nreturn 0, err\n}")
	g.line("committed := false")
	g.line("defer func() {\nif !committed {\ntx.Rollback(ctx)\n}\n}()")
	g.succeed = func(string) string {
		return "if err = tx.Commit(ctx); err == nil {\ncommitted = true\n}\nreturn res, err"
	}
	g.top()
	g.line("if err := tx.Commit(ctx); err != nil {\nreturn 0, err\n}\ncommitted = true\nreturn res, nil\n}")
}

// inside gives how a function literal that returns an error leaves.
func (g *gen) inside() {
	g.fail = func(e string) string { return "return " + e }
	g.succeed = func(string) string { return "return nil" }
}

func (g *gen) inHelper() {
	g.inside()
	h := g.oneOf("inTx", "inTxPlain")
	g.line("err = %s(ctx, db, func(tx *sql.Tx) error {", h)
	g.top()
	g.line("return nil\n})\nreturn res, err\n}")
}

func (g *gen) pgHelper() {
	g.inside()
	g.line("if err := inPgTx(ctx, db, func(tx pgx.Tx) error {")
	g.top()
	g.line("return nil\n}); err != nil {\nreturn 0, err\n}\nreturn res, nil\n}")
}

func (g *gen) pgFunc() {
	g.inside()
	g.line("err = pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {")
	g.top()
	g.line("return nil\n})\nreturn res, err\n}")
}

func (g *gen) inGeneric() {
	g.fail = func(e string) string { return "return res, " + e }
	g.succeed = func(string) string { return "return res, nil" }
	g.line("return inTxOf(ctx, db, func(tx *sql.Tx) (int, error) {")
	g.top()
	g.line("return res, nil\n})\n}")
}

func (g *gen) finisher() {
	g.naming()
	g.line("tx, finish, err := begin(ctx, db)")
	g.line("if err != nil {\nreturn 0, err\n}")
	g.line("defer func() {\nif p := recover(); p != nil {\n_ = finish(ErrStop)\npanic(p)\n}\nerr = finish(err)\n}()")
	g.top()
	g.line("return res, nil\n}")
}

// service keeps the transaction in a field.
func (g *gen) service() {
	t := fmt.Sprintf("service%d", g.n)
	params := g.vars
	head := g.out
	var fields, names []string
	for _, v := range params {
		fields = append(fields, v.name+" "+string(v.kind))
		names = append(names, v.name)
	}
	value := g.chance(30)
	star := "*"
	if value {
		star = ""
	}
	g.out = &strings.Builder{}
	g.iface = g.chance(50)
	g.line("\ntype %s struct {\ntx %s\nbase int\n}", t, pickText(g.iface, "Sender", "*sql.Tx"))
	g.line("\nfunc (sv %s%s) work(ctx context.Context, %s) (int, error) {", star, t, strings.Join(fields, ", "))
	g.fail = func(e string) string { return "return res, " + e }
	g.succeed = func(string) string { return "return res, nil" }
	g.tx = "sv.tx"
	g.line("res += sv.base")
	g.top()
	g.line("return res, nil\n}")
	g.own.WriteString(g.out.String())
	g.out = head
	g.line("tx, err := db.Begin()\nif err != nil {\nreturn 0, err\n}\ndefer tx.Rollback()")
	amp := "&"
	if value {
		amp = ""
	}
	g.line("sv := %s%s{tx: tx, base: %s}", amp, t, g.oneOf("0", "p", "2"))
	g.line("res, err = sv.work(ctx, %s)", strings.Join(names, ", "))
	g.line("if err != nil {\nreturn 0, err\n}\nreturn res, tx.Commit()\n}")
}

// callHelper makes a function that gets the transaction, and calls it.
func (g *gen) callHelper() {
	h := &gen{r: g.r, n: g.n, out: &strings.Builder{}, left: 2 + g.r.IntN(3), pgx: g.pgx, tx: "tx", helper: true, abroad: g.chance(30), names: g.names}
	name := fmt.Sprintf("H%dx%d", g.n, g.names)
	h.names++
	h.iface = g.iface || h.chance(50)
	t := pickText(h.iface, "Sender", "*sql.Tx")
	if g.pgx {
		t = pickText(h.iface, "PgSender", "pgx.Tx")
	}
	h.vars = []variable{{name: "v", kind: tInt}, {name: "t", kind: tText}}
	gives := g.chance(65)
	result := "(err error)"
	if gives {
		result = "(out int, err error)"
		h.vars = append(h.vars, variable{name: "out", kind: tInt})
	}
	h.line("\nfunc %s(ctx context.Context, tx %s, v int, t string) %s {", name, t, result)
	h.inside()
	if gives {
		h.fail = func(e string) string { return h.oneOf("return out, "+e, "return 0, "+e) }
		h.succeed = func(string) string { return "return " + h.intVar() + ", nil" }
	}
	h.top2()
	if gives {
		h.line("return %s, nil\n}", h.int(1))
	} else {
		h.line("return nil\n}")
	}
	g.names = h.names
	g.own.WriteString(h.own.String())
	if h.abroad {
		g.other.WriteString(h.out.String())
		name = "help." + name
	} else {
		g.own.WriteString(h.out.String())
	}
	call := fmt.Sprintf("%s(ctx, %s, %s, %s)", name, g.tx, g.int(1), g.text(1))
	g.result(call, gives)
}

// result handles what a helper gives.
func (g *gen) result(call string, gives bool) {
	e := g.name("err")
	n := g.name("n")
	if gives {
		g.line("%s, %s := %s", n, e, call)
		g.declare(n, tInt)
	} else {
		g.line("%s := %s", e, call)
	}
	g.declare(e, tErr)
	stop := g.oneOf("ErrStop", "ErrSkip", "help.ErrStop", "help.ErrSkip", g.noRows())
	switch g.r.IntN(6) {
	case 5:
		g.line("if %s == %s {", e, stop)
		g.scope(func() { g.body(2) })
		g.line("} else if %s != nil {\n%s\n}", e, g.fail(e))
	case 0:
		g.line("if errors.Is(%s, %s) {", e, stop)
		g.scope(func() { g.body(2) })
		g.line("} else if %s != nil {\n%s\n}", e, g.fail(e))
	case 1:
		g.line("if %s != nil && !errors.Is(%s, %s) {\n%s\n}", e, e, stop, g.fail(e))
	case 2:
		g.line("switch {\ncase %s == nil:", e)
		g.scope(func() { g.body(1) })
		g.line("case errors.Is(%s, %s):", e, stop)
		g.scope(func() { g.body(1) })
		g.line("default:\n%s\n}", g.fail(e))
	default:
		g.line("if %s != nil {\n%s\n}", e, g.fail(g.oneOf(e, fmt.Sprintf("fmt.Errorf(\"h: %%w\", %s)", e))))
	}
}

// top2 is top of a helper.
func (g *gen) top2() {
	for g.left > 0 {
		g.body(2)
	}
}

func pickText(c bool, a, b string) string {
	if c {
		return a
	}
	return b
}
