package irtext

import (
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irwords"
	"github.com/txrobust/robust/internal/wellformed"
)

func (p *parser) acceptWords(s string) bool { return p.accept(strings.Fields(s)...) }

// deferredCols skips a list of expressions that come before the FROM that
// declares their row variables, and gives a function that reads them later.
func (p *parser) deferredCols() func() []ir.Expr {
	var parts []func() ir.Expr
	if p.is("from") {
		return func() []ir.Expr { return nil }
	}
	for {
		parts = append(parts, p.deferred())
		if !p.accept(",") {
			break
		}
	}
	return func() []ir.Expr {
		out := make([]ir.Expr, len(parts))
		for i, f := range parts {
			out[i] = f()
		}
		return out
	}
}

func (p *parser) deferred() func() ir.Expr {
	start := p.i
	for depth := 0; ; p.i++ {
		t := p.tok()
		switch {
		case t.kind == tokEOF:
			p.fail(t.pos, "expected from, found %s", t)
		case t.kind == tokPunct && (t.text == "(" || t.text == "{"):
			depth++
		case t.kind == tokPunct && (t.text == ")" || t.text == "}") && depth > 0:
			depth--
		case depth == 0 && (t.kind == tokPunct && (t.text == "," || t.text == ")") || t.kind == tokIdent && t.text == "from"):
			end := p.i
			return func() ir.Expr {
				back := p.i
				p.i = start
				e := p.expr()
				if p.i != end {
					p.fail(p.tok().pos, "unexpected %s", p.tok())
				}
				p.i = back
				return e
			}
		}
	}
}

func (p *parser) expr() ir.Expr { return p.exprAt(irwords.PrecOr) }

func (p *parser) binaryOp() (ir.BinaryOp, bool) {
	t := p.tok()
	if t.kind != tokIdent && t.kind != tokPunct {
		return 0, false
	}
	switch t.text {
	case "=":
		return ir.Eq, true
	case "<>":
		return ir.Ne, true
	}
	for op, b := range irwords.Operators {
		if b.Word == t.text {
			return ir.BinaryOp(op), true
		}
	}
	return 0, false
}

// exprAt reads an expression whose operators bind at least as strongly as
// prec.
func (p *parser) exprAt(prec int) ir.Expr {
	p.deeper()
	defer func() { p.depth-- }()
	var x ir.Expr
	if prec <= irwords.PrecNot && p.accept("not") {
		x = &ir.Unary{Op: ir.Not, X: p.exprAt(irwords.PrecNot)}
	} else {
		x = p.unary()
	}
	for n := 0; ; n++ {
		op, ok := p.binaryOp()
		b := irwords.Operators[op]
		if !ok || b.Prec < prec {
			return x
		}
		if n == wellformed.MaxChain {
			p.fail(p.tok().pos, "more than %d operators follow one another", wellformed.MaxChain)
		}
		p.i++
		if op == ir.Is && p.accept("null") {
			x = &ir.Unary{Op: ir.IsNull, X: x}
			continue
		}
		x = ir.Op(op, x, p.exprAt(b.Prec+1))
	}
}

func (p *parser) unary() ir.Expr {
	if p.is("-") {
		if v, ok := p.tryLiteral(); ok {
			return &ir.Const{Value: v}
		}
		p.expect("-")
		p.deeper()
		defer func() { p.depth-- }()
		return &ir.Unary{Op: ir.Neg, X: p.unary()}
	}
	return p.primary()
}

func (p *parser) primary() ir.Expr {
	t := p.tok()
	if t.kind == tokIdent && t.text == "opaque" && p.peekAt(1).kind == tokIdent {
		p.i++
		typ := p.typ()
		name := p.name("a function")
		return &ir.Call{Name: name, Args: p.args(), Type: typ}
	}
	if v, ok := p.tryLiteral(); ok {
		return &ir.Const{Value: v}
	}
	switch {
	case p.accept("("):
		if p.accept("derive") {
			c := p.derive()
			p.expect(")")
			return c
		}
		if p.accept("if") {
			c := &ir.Cond{If: p.expr()}
			p.expect("then")
			c.Then = p.expr()
			p.expect("else")
			c.Else = p.expr()
			p.expect(")")
			return c
		}
		e := p.expr()
		p.expect(")")
		return e
	case p.accept("exists"):
		p.expect("(")
		outer := p.rows
		e := &ir.Exists{Query: p.query()}
		p.rows = outer
		p.expect(")")
		return e
	}
	name := p.name("an expression")
	switch {
	case p.accept("."):
		return p.col(t, name)
	case p.is("("):
		f := ir.Functions[name]
		if f == nil {
			p.fail(t.pos, "%s is no known function: write opaque TYPE %s(…)", name, name)
		}
		c := &ir.Call{Name: name, Args: p.args(), Type: ir.Type{Kind: f.Result}}
		if f.Result == ir.KindNull && len(c.Args) > 0 {
			c.Type = ir.Type{Kind: p.typeOf(c.Args[0]).Elem}
		}
		return c
	}
	if p.derived { // no table can be named here
		if _, ok := p.txn.LocalType(name); ok {
			return &ir.Var{Name: name}
		}
		p.fail(t.pos, "%s is no parameter of the derivation", name)
	}
	if tab := p.prog.Table(name); tab != nil {
		return p.sharedVar(t.pos, tab)
	}
	if p.txn != nil {
		if _, ok := p.txn.LocalType(name); ok {
			return &ir.Var{Name: name}
		}
		if typ, ok := p.regs[name]; ok {
			p.txn.Locals = append(p.txn.Locals, ir.Local{Name: name, Type: typ, Kept: true})
			return &ir.Var{Name: name}
		}
	}
	p.fail(t.pos, "%s is not declared: it is neither a shared variable nor a local that was set before", name)
	return nil
}

func (p *parser) args() []ir.Expr {
	var out []ir.Expr
	p.list("(", ")", func() { out = append(out, p.expr()) })
	return out
}

func (p *parser) col(t token, row string) ir.Expr {
	for i := len(p.rows) - 1; i >= 0; i-- {
		if p.rows[i].Row == row {
			pos := p.tok().pos
			name := p.name("a column")
			if p.rows[i].Table.Column(name) < 0 {
				p.fail(pos, "table %s has no column %s", p.rows[i].Table.Name, name)
			}
			return &ir.Col{Row: row, Col: name}
		}
	}
	p.fail(t.pos, "there is no row variable %s here", row)
	return nil
}

// sharedVar reads a shared variable inside an expression: into a fresh local
// before the statement.
func (p *parser) sharedVar(pos ir.Pos, t *ir.Table) ir.Expr {
	switch {
	case !t.Var:
		p.fail(pos, "%s is a table: select from it", t.Name)
	case p.noVar != "":
		p.fail(pos, "the shared variable %s cannot be read %s", t.Name, p.noVar)
	}
	local := p.txn.AddLocal(t.Name+"'", t.Columns[0].Type)
	p.reads = append(p.reads, readVar(ir.At{Pos: pos}, local, t))
	return &ir.Var{Name: local}
}

// TypeOf types an expression in the current scope, or fails.
func (p *parser) typeOf(e ir.Expr) ir.Type {
	sc := wellformed.Scope{Txn: p.txn, Rows: p.rows}
	t, err := sc.TypeOf(e)
	if err != nil {
		p.fail(p.tok().pos, "%s", err)
	}
	return t
}
