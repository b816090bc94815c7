package irtext

import (
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irwords"
)

// derive reads a call of a derivation, after "derive".
func (p *parser) derive() *ir.Call {
	c := &ir.Call{Type: p.typ(), Def: &ir.Derivation{}}
	d := c.Def
	w := p.oneOf(irwords.Wants[:])
	if w < 0 {
		p.fail(p.tok().pos, "%s is nothing that can be derived: there is %s", p.tok(), strings.Join(irwords.Wants[:], ", "))
	}
	d.Want = ir.Want(w)
	p.list("(", ")", func() {
		name := p.name("a parameter")
		d.Params = append(d.Params, ir.Param{Name: name, Type: p.typ()})
	})
	txn, rows, derived := p.txn, p.rows, p.derived
	p.txn, p.rows, p.derived = &ir.Txn{Params: d.Params}, nil, true
	d.Rel = p.rel()
	p.txn, p.rows, p.derived = txn, rows, derived
	p.expect("of")
	c.Args = p.args()
	c.Name = d.Name(c.Type)
	return c
}

func (p *parser) rel() ir.Rel {
	pos := p.tok().pos
	switch {
	case p.accept("given"):
		g := &ir.Given{Param: p.name("a parameter")}
		p.list("(", ")", func() {
			name := p.name("a column")
			g.Cols = append(g.Cols, ir.Column{Name: name, Type: p.typ()})
		})
		return g
	case p.accept("elems"):
		r := &ir.Elems{Type: p.typ()}
		p.expect("(")
		r.Array = p.expr()
		p.expect(")")
		return r
	case p.accept("series"):
		r := &ir.Elems{Type: ir.IntType}
		p.expect("(")
		r.Lo = p.expr()
		p.expect(",")
		r.Hi = p.expr()
		p.expect(")")
		return r
	case p.accept("project"):
		r := &ir.Project{Distinct: p.accept("distinct")}
		outer := p.rows
		p.expect("from")
		r.From = p.from()
		r.Where = p.optWhere()
		p.expect("cols")
		r.Cols = p.items()
		if p.accept("first", "of") {
			r.On = p.args()
		}
		r.Order = p.order()
		p.rows = outer
		if p.accept("limit") {
			r.Limit = p.expr()
		}
		if p.accept("offset") {
			r.Offset = p.expr()
		}
		return r
	case p.accept("group"):
		r := &ir.Group{}
		outer := p.rows
		p.expect("from")
		r.From = p.from()
		r.Where = p.optWhere()
		p.expect("cols")
		r.Keys = p.items()
		p.expect("aggs")
		p.list("(", ")", func() {
			a := ir.NamedAgg{Name: p.name("a column")}
			var arg func() ir.Expr
			a.Agg, arg = p.aggregate()
			if arg != nil {
				a.Arg = arg()
			}
			r.Aggs = append(r.Aggs, a)
		})
		p.rows = outer
		return r
	}
	if k := p.oneOf(irwords.SetOps[:]); k >= 0 {
		r := &ir.SetOp{Op: ir.SetOpKind(k), All: p.accept("all")}
		if p.accept("again") {
			r.Again = p.name("the rows of the round before")
		}
		p.expect("(")
		r.L = p.rel()
		p.expect(")")
		p.expect("(")
		r.R = p.rel()
		p.expect(")")
		return r
	}
	p.fail(pos, "expected a relation, found %s", p.tok())
	return nil
}

// oneOf reads one of some words and gives its number, -1 if none is there.
func (p *parser) oneOf(words []string) int {
	for i, w := range words {
		if p.accept(w) {
			return i
		}
	}
	return -1
}

func (p *parser) items() []ir.Item {
	var out []ir.Item
	p.list("(", ")", func() {
		i := ir.Item{Name: p.name("a column"), Type: p.typ()}
		p.expect("=")
		i.Expr = p.expr()
		out = append(out, i)
	})
	return out
}

// from reads a FROM list, whose row variables it leaves in scope.
func (p *parser) from() ir.From {
	pos := p.tok().pos
	switch {
	case p.accept("none"):
		return nil
	case p.accept("("):
		l := &ir.Leaf{Rel: p.rel()}
		p.expect(")")
		l.Row = p.name("a row variable")
		p.rows = append(append([]ir.Source{}, p.rows...), ir.Sources(l)...)
		return l
	case p.accept("join"):
		j := &ir.Join{}
		k := p.oneOf(irwords.Joins[:])
		if k < 0 {
			p.fail(pos, "%s is no kind of join: there is %s", p.tok(), strings.Join(irwords.Joins[:], ", "))
		}
		j.Kind = ir.JoinKind(k)
		j.L = p.from()
		j.R = p.from()
		if p.accept("on") {
			p.expect("(")
			j.On = p.expr()
			p.expect(")")
		}
		return j
	}
	p.fail(pos, "expected a FROM list, found %s", p.tok())
	return nil
}
