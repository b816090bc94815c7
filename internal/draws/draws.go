// Package draws finds which values a program compares by order although transactions draw
// them without regard to commits: those of sequences, and the times at which transactions
// begin. Suppose a poller asks for rows with larger numbers than it has seen. It misses the
// rows of a transaction that drew its number early and commits late.
//
// Values are followed from where they are drawn through variables, columns, and the fields
// of rows, whatever the order of statements (unification, Steensgaard 1996).
package draws

import (
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
)

// Order tells where a program compares, by order, values of one source that
// transactions draw: those of a sequence, or the times at which they begin. Compared are
// places where both sides come from the database, so that the order of the draws matters
// to the program. Premises are about places where the order is taken not to matter:
// comparisons with a value that a client gives or with a transaction's own time, rows that
// are ordered by such values, the largest of them, and how far two of them are apart.
func Order(p *ir.Program) (compared, premises []ir.Note) {
	drawn := false
	for _, t := range p.Txns {
		each(t, func(*ir.Havoc) { drawn = true })
	}
	if !drawn {
		return nil, nil
	}
	o := &ordering{f: newFlow(p)}
	o.all(p) // joins what expressions put together
	for _, t := range p.Txns {
		each(t, func(h *ir.Havoc) { o.f.local(t, h.Var).root().source = h.Source() })
		for _, q := range t.Params {
			o.f.local(t, q.Name).root().given = true
		}
	}
	o.all(p)
	return o.compared, o.premises
}

func (o *ordering) all(p *ir.Program) {
	for _, t := range p.Txns {
		o.txn(t)
	}
}

// each calls f for the Havocs of a transaction that draw values of a source.
func each(t *ir.Txn, f func(*ir.Havoc)) {
	ir.Walk(t.Body, func(s ir.Stmt) {
		if h, ok := s.(*ir.Havoc); ok && h.Source() != "" {
			f(h)
		}
	})
}

// ordering looks for comparisons by order.
type ordering struct {
	f                  *flow
	own                map[string]bool // locals that hold what the transaction draws
	compared, premises []ir.Note
}

// side is what is known of one operand of a comparison.
type side struct {
	at     map[*place]bool // the roots of places whose values are drawn
	source string          // from which, or ""
	given  bool            // a client may give the value
	own    bool            // the transaction draws it itself
	used   bool            // it is no constant
}

func (o *ordering) side(sc *scope, e ir.Expr) side {
	out := side{at: map[*place]bool{}}
	for _, n := range sc.carried(e) {
		out.used = true
		for root := range n.origins() {
			if root.source != "" {
				out.at[root] = true
				if out.source == "" || out.source == irnames.Clock || root.source != irnames.Clock && root.source > out.source {
					out.source = root.source
				}
			}
			out.given = out.given || root.given
		}
	}
	ir.WalkExpr(e, func(e ir.Expr) {
		if v, ok := e.(*ir.Var); ok && sc.params == nil && o.own[v.Name] {
			out.own = true
		}
	})
	return out
}

// meets reports whether values of both sides may have been drawn for the same place.
func (x side) meets(y side) bool {
	for at := range x.at {
		if y.at[at] {
			return true
		}
	}
	return false
}

// txn looks at the comparisons of a transaction.
func (o *ordering) txn(t *ir.Txn) {
	o.own = map[string]bool{}
	each(t, func(h *ir.Havoc) { o.own[h.Var] = true })
	ir.Walk(t.Body, func(s ir.Stmt) {
		sc := o.f.scope(t, s)
		for _, e := range ir.Exprs(s) {
			o.expr(sc, s.Position(), e)
		}
		switch s := s.(type) {
		case *ir.Select:
			o.ordered(sc, s.Position(), s.Order)
			for _, a := range s.Aggs {
				o.extreme(sc, s.Position(), a)
			}
		case *ir.EmitRows:
			o.ordered(sc, s.Position(), s.Order)
		case *ir.Foreach:
			o.ordered(sc, s.Position(), s.Order)
		case *ir.LockRows:
			o.ordered(sc, s.Position(), s.Order)
		}
	})
}

// expr looks at an expression and at those inside of it, also in derivations.
func (o *ordering) expr(sc *scope, pos ir.Pos, e ir.Expr) {
	ir.WalkExpr(e, func(e ir.Expr) {
		switch e := e.(type) {
		case *ir.Binary:
			if e.Op <= ir.And {
				return
			}
			if inWindow(e.X) { // of a window, which orders rows
				o.ranked(pos, o.side(sc, e.X))
				return
			}
			switch x, y := o.side(sc, e.X), o.side(sc, e.Y); e.Op {
			case ir.Lt, ir.Le:
				o.compare(pos, y, x)
			case ir.Gt, ir.Ge:
				o.compare(pos, x, y)
			case ir.Sub:
				o.apart(pos, x, y)
			}
		case *ir.Call:
			if e.Def != nil {
				o.derivation(sc, pos, e)
				return
			}
			if e.Name == irnames.RowFn {
				return
			}
			if strings.HasPrefix(e.Name, irnames.WindowFn) {
				for _, a := range e.Args[1:] {
					o.ranked(pos, o.side(sc, a))
				}
				return
			}
			for i, x := range e.Args {
				for _, y := range e.Args[:i] {
					if x, y := o.side(sc, x), o.side(sc, y); e.Type.Kind == ir.KindBool {
						o.compare(pos, x, y)
					} else {
						o.apart(pos, x, y)
					}
				}
			}
		}
	})
}

// inWindow reports whether a value is that of another row in a window.
func inWindow(e ir.Expr) bool {
	found := false
	ir.WalkExpr(e, func(e ir.Expr) {
		c, ok := e.(*ir.Col)
		found = found || ok && strings.HasPrefix(c.Row, irnames.WindowRow)
	})
	return found
}

// derivation looks at the expressions of a derivation.
func (o *ordering) derivation(sc *scope, pos ir.Pos, c *ir.Call) {
	w := &relWalk{
		expr:    func(sc *scope, e ir.Expr) { o.expr(sc, pos, e) },
		ordered: func(sc *scope, order []ir.Order) { o.ordered(sc, pos, order) },
		agg:     func(sc *scope, a ir.Agg) { o.extreme(sc, pos, a) },
	}
	w.rel(sc.within(c), c.Def.Rel)
}

// apart looks at two values of which something else than a truth value is computed.
func (o *ordering) apart(pos ir.Pos, x, y side) {
	if x.meets(y) && !(x.source == irnames.Clock && (x.own || y.own)) {
		o.ranked(pos, x)
	}
}

// ordered looks at what rows are ordered by.
func (o *ordering) ordered(sc *scope, pos ir.Pos, order []ir.Order) {
	for _, by := range order {
		o.ranked(pos, o.side(sc, by.Expr))
	}
}

// extreme looks at an aggregate, which may be the largest of some values.
func (o *ordering) extreme(sc *scope, pos ir.Pos, a ir.Agg) {
	if a.Arg != nil && (a.Fn == "min" || a.Fn == "max") {
		o.ranked(pos, o.side(sc, a.Arg))
	}
}

// ranked looks at a value of which the program learns how it compares with others.
func (o *ordering) ranked(pos ir.Pos, x side) {
	if x.source != "" {
		add(&o.premises, pos, "where rows are ordered by values of "+x.source+", or the largest of them or their difference is computed, the program does not conclude which transaction commits first")
	}
}

// compare looks at larger > smaller.
func (o *ordering) compare(pos ir.Pos, larger, smaller side) {
	source := larger.source
	if source == "" {
		source = smaller.source
	}
	if source == "" || !larger.used || !smaller.used {
		return
	}
	switch {
	case source == irnames.Clock && (larger.own || smaller.own):
		add(&o.premises, pos, "what transactions compare with their own now() may be of any order: the times of transactions that run at once are close")
	case larger.meets(smaller):
		add(&o.compared, pos, "values of "+source+" are compared by their order")
	case larger.given || smaller.given:
		add(&o.premises, pos, "no client asks with the last value of "+source+" that it has seen for what came later: it would miss the rows of transactions that drew a value earlier and commit later")
	}
}

// add adds a note with a text that is not yet there.
func add(list *[]ir.Note, pos ir.Pos, text string) {
	for _, n := range *list {
		if n.Text == text {
			return
		}
	}
	*list = append(*list, ir.Note{Pos: pos, Text: text})
}
