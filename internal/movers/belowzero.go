package movers

import (
	"math/big"

	"github.com/txrobust/robust/internal/ir"
)

// numbered is a column of a table, by its number.
type numbered struct {
	table *ir.Table
	col   int
}

// belowZero finds the columns of which the program itself names a number below zero: in an initial
// row, or in a comparison with such a constant, in a constraint or in a template. A guess that these
// numbers are not negative would contradict what the program says of its initial rows.
func belowZero(p *ir.Program) map[numbered]bool {
	out := map[numbered]bool{}
	for _, t := range p.Tables {
		for _, row := range t.Rows {
			for c, v := range row {
				if negative(ir.C(v)) {
					out[numbered{t, c}] = true
				}
			}
		}
		b := &comparisons{out: out, sources: []ir.Source{{Table: t, Row: t.Name}}}
		for _, check := range t.Checks {
			ir.WalkExpr(check.Expr, b.compares)
		}
	}
	for _, txn := range p.Txns {
		// What a local is computed from may be found after its use, in a loop.
		b := &comparisons{out: out, from: map[string]map[numbered]bool{}}
		for n := -1; n != b.known(); {
			n = b.known()
			ir.Walk(txn.Body, b.assigns)
		}
		ir.Walk(txn.Body, func(s ir.Stmt) {
			b.sources = ir.Reads(s)
			for _, e := range ir.Exprs(s) {
				ir.WalkExpr(e, b.compares)
			}
		})
	}
	return out
}

// comparisons looks at the comparisons of one template or table.
type comparisons struct {
	out     map[numbered]bool
	sources []ir.Source                  // of the statement
	from    map[string]map[numbered]bool // the columns that a local is computed from
}

// known is how much is known of the locals.
func (b *comparisons) known() int {
	n := 0
	for _, cols := range b.from {
		n += len(cols)
	}
	return n
}

// assigns adds what a statement gives to locals.
func (b *comparisons) assigns(s ir.Stmt) {
	b.sources = ir.Reads(s)
	give := func(local string, e ir.Expr) {
		b.columns(e, func(c numbered) {
			if b.from[local] == nil {
				b.from[local] = map[numbered]bool{}
			}
			b.from[local][c] = true
		})
	}
	switch s := s.(type) {
	case *ir.Select:
		for i, e := range s.Cols {
			give(s.Into[i], e)
		}
	case *ir.Assign:
		give(s.Var, s.Expr)
	default: // what is counted or summed is another number
	}
}

// compares adds the columns that a comparison measures with a number below zero.
func (b *comparisons) compares(e ir.Expr) {
	op, ok := e.(*ir.Binary)
	if !ok {
		return
	}
	switch op.Op {
	case ir.Eq, ir.Ne, ir.Is, ir.Lt, ir.Le, ir.Gt, ir.Ge:
	default:
		return
	}
	found := func(c numbered) { b.out[c] = true }
	if negative(op.X) {
		b.columns(op.Y, found)
	}
	if negative(op.Y) {
		b.columns(op.X, found)
	}
}

// columns gives f the columns that a number is computed from by arithmetic.
func (b *comparisons) columns(e ir.Expr, f func(numbered)) {
	switch e := e.(type) {
	case *ir.Unary:
		b.columns(e.X, f)
	case *ir.Binary:
		b.columns(e.X, f)
		b.columns(e.Y, f)
	case *ir.Var:
		for c := range b.from[e.Name] {
			f(c)
		}
	case *ir.Col:
		for _, src := range b.sources {
			if i := src.Table.Column(e.Col); src.Row == e.Row && i >= 0 {
				f(numbered{src.Table, i})
			}
		}
	default: // another number
	}
}

// negative reports whether an expression is a constant below zero.
func negative(e ir.Expr) bool {
	switch e := e.(type) {
	case *ir.Const:
		switch e.Value.Kind {
		case ir.KindInt:
			return e.Value.I < 0
		case ir.KindNum:
			r, ok := new(big.Rat).SetString(e.Value.S)
			return ok && r.Sign() < 0
		}
	case *ir.Unary:
		c, ok := e.X.(*ir.Const)
		return e.Op == ir.Neg && ok && c.Value.Kind == ir.KindInt && c.Value.I > 0
	default: // no constant
	}
	return false
}
