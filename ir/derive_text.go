package ir

import (
	"fmt"
	"strings"
)

// text is the text form without the arguments.
func (d *Derivation) text() string {
	parts := make([]string, len(d.Params))
	for i, p := range d.Params {
		parts[i] = ident(p.Name) + " " + p.Type.String()
	}
	return d.Want.String() + " (" + strings.Join(parts, ", ") + ") " + relString(d.Rel)
}

func relString(r Rel) string {
	switch r := r.(type) {
	case *Given:
		return "given " + ident(r.Param) + " (" + columnsString(r.Cols) + ")"
	case *Elems:
		if r.Array != nil {
			return "elems " + r.Type.String() + " (" + ExprString(r.Array) + ")"
		}
		return "series (" + ExprString(r.Lo) + ", " + ExprString(r.Hi) + ")"
	case *Project:
		out := "project"
		if r.Distinct {
			out += " distinct"
		}
		out += " from " + fromString(r.From) + where(r.Where) + " cols (" + itemsString(r.Cols) + ")"
		if r.On != nil {
			out += " first of (" + exprList(r.On) + ")"
		}
		out += orderString(r.Order)
		if r.Limit != nil {
			out += " limit " + ExprString(r.Limit)
		}
		if r.Offset != nil {
			out += " offset " + ExprString(r.Offset)
		}
		return out
	case *Group:
		aggs := make([]string, len(r.Aggs))
		for i, a := range r.Aggs {
			aggs[i] = ident(a.Name) + " " + aggString(a.Agg)
		}
		return "group from " + fromString(r.From) + where(r.Where) + " cols (" + itemsString(r.Keys) + ") aggs (" + strings.Join(aggs, ", ") + ")"
	case *SetOp:
		all := ""
		if r.All {
			all = " all"
		}
		return r.Op.String() + all + " (" + relString(r.L) + ") (" + relString(r.R) + ")"
	}
	panic(fmt.Sprintf("ir: print: unknown relation %T", r))
}

func columnsString(cols []Column) string {
	parts := make([]string, len(cols))
	for i, c := range cols {
		parts[i] = ident(c.Name) + " " + c.Type.String()
	}
	return strings.Join(parts, ", ")
}

func itemsString(items []Item) string {
	parts := make([]string, len(items))
	for i, c := range items {
		parts[i] = ident(c.Name) + " " + c.Type.String() + " = " + ExprString(c.Expr)
	}
	return strings.Join(parts, ", ")
}

func fromString(f From) string {
	switch f := f.(type) {
	case nil:
		return "none"
	case *Leaf:
		return "(" + relString(f.Rel) + ") " + ident(f.Row)
	case *Join:
		out := "join " + f.Kind.String() + " " + fromString(f.L) + " " + fromString(f.R)
		if f.On != nil {
			out += " on (" + ExprString(f.On) + ")"
		}
		return out
	}
	panic(fmt.Sprintf("ir: print: unknown FROM %T", f))
}

// derive reads a call of a derivation, after "derive".
func (p *parser) derive() *Call {
	c := &Call{Type: p.typ(), Def: &Derivation{}}
	d := c.Def
	w := p.oneOf(wantWords[:])
	if w < 0 {
		p.fail(p.tok().pos, "%s is nothing that can be derived: there is %s", p.tok(), strings.Join(wantWords[:], ", "))
	}
	d.Want = Want(w)
	p.list("(", ")", func() {
		name := p.name("a parameter")
		d.Params = append(d.Params, Param{Name: name, Type: p.typ()})
	})
	txn, rows, derived := p.txn, p.rows, p.derived
	p.txn, p.rows, p.derived = &Txn{Params: d.Params}, nil, true
	d.Rel = p.rel()
	p.txn, p.rows, p.derived = txn, rows, derived
	p.expect("of")
	c.Args = p.args()
	c.Name = d.name(c.Type)
	return c
}

func (p *parser) rel() Rel {
	pos := p.tok().pos
	switch {
	case p.accept("given"):
		g := &Given{Param: p.name("a parameter")}
		p.list("(", ")", func() {
			name := p.name("a column")
			g.Cols = append(g.Cols, Column{Name: name, Type: p.typ()})
		})
		return g
	case p.accept("elems"):
		r := &Elems{Type: p.typ()}
		p.expect("(")
		r.Array = p.expr()
		p.expect(")")
		return r
	case p.accept("series"):
		r := &Elems{Type: IntType}
		p.expect("(")
		r.Lo = p.expr()
		p.expect(",")
		r.Hi = p.expr()
		p.expect(")")
		return r
	case p.accept("project"):
		r := &Project{Distinct: p.accept("distinct")}
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
		r := &Group{}
		outer := p.rows
		p.expect("from")
		r.From = p.from()
		r.Where = p.optWhere()
		p.expect("cols")
		r.Keys = p.items()
		p.expect("aggs")
		p.list("(", ")", func() {
			a := NamedAgg{Name: p.name("a column")}
			var arg func() Expr
			a.Agg, arg = p.aggregate()
			if arg != nil {
				a.Arg = arg()
			}
			r.Aggs = append(r.Aggs, a)
		})
		p.rows = outer
		return r
	}
	if k := p.oneOf(setOpWords[:]); k >= 0 {
		r := &SetOp{Op: SetOpKind(k), All: p.accept("all")}
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

func (p *parser) items() []Item {
	var out []Item
	p.list("(", ")", func() {
		i := Item{Name: p.name("a column"), Type: p.typ()}
		p.expect("=")
		i.Expr = p.expr()
		out = append(out, i)
	})
	return out
}

// from reads a FROM list, whose row variables it leaves in scope.
func (p *parser) from() From {
	pos := p.tok().pos
	switch {
	case p.accept("none"):
		return nil
	case p.accept("("):
		l := &Leaf{Rel: p.rel()}
		p.expect(")")
		l.Row = p.name("a row variable")
		p.rows = append(append([]Source{}, p.rows...), Sources(l)...)
		return l
	case p.accept("join"):
		j := &Join{}
		k := p.oneOf(joinWords[:])
		if k < 0 {
			p.fail(pos, "%s is no kind of join: there is %s", p.tok(), strings.Join(joinWords[:], ", "))
		}
		j.Kind = JoinKind(k)
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
