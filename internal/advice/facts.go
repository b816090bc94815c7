package advice

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

// MaxFacts bounds the facts that are guessed.
const MaxFacts = 160

// Facts guesses facts about the rows of the tables that templates touch, each at most once. They are
// made of the columns, and of the values that the program compares them with or writes to them.
func Facts(p *ir.Program, about []*ir.Txn) []*ir.Invariant {
	g := &guesser{values: values(p), seen: map[string]bool{}}
	tables := touched(about)
	for _, family := range []func(*ir.Table){g.orders, g.bounds, g.present, g.implied} {
		for _, t := range tables {
			family(t)
		}
	}
	for _, t := range tables {
		for _, u := range p.Tables {
			if !u.Var {
				g.parents(t, u)
			}
		}
	}
	return g.out[:min(len(g.out), MaxFacts)]
}

// touched gives the tables that templates name, in order.
func touched(about []*ir.Txn) []*ir.Table {
	var out []*ir.Table
	add := func(t *ir.Table) {
		if t != nil && !t.Var && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	for _, txn := range about {
		ir.Walk(txn.Body, func(s ir.Stmt) {
			for _, src := range ir.Reads(s) {
				add(src.Table)
			}
			add(ir.Written(s))
		})
	}
	return out
}

// values gives the constants that columns are compared with, by the name of the column, or that are
// written to them.
func values(p *ir.Program) map[string][]ir.Value {
	out := map[string][]ir.Value{}
	add := func(col string, e ir.Expr) {
		if c, ok := e.(*ir.Const); ok && !c.Value.IsNull() && !slices.Contains(out[col], c.Value) {
			out[col] = append(out[col], c.Value)
		}
	}
	for _, t := range p.Txns {
		ir.WalkExprs(t.Body, func(e ir.Expr) {
			b, ok := e.(*ir.Binary)
			if !ok || b.Op < ir.Eq || b.Op > ir.Is {
				return
			}
			if c, ok := b.X.(*ir.Col); ok {
				add(c.Col, b.Y)
			}
			if c, ok := b.Y.(*ir.Col); ok {
				add(c.Col, b.X)
			}
		})
		ir.Walk(t.Body, func(s ir.Stmt) {
			switch s := s.(type) {
			case *ir.Insert:
				for i, e := range s.Values {
					add(s.Table.Columns[s.Cols[i]].Name, e)
				}
			case *ir.Update:
				for _, set := range s.Sets {
					add(s.Table.Columns[set.Col].Name, set.Expr)
				}
			default: // writes no value that stands in the program
			}
		})
	}
	return out
}

type guesser struct {
	values map[string][]ir.Value
	seen   map[string]bool
	out    []*ir.Invariant
}

// add takes a fact about a row of t, and perhaps one of another table.
func (g *guesser) add(e ir.Expr, tables ...*ir.Table) {
	inv := &ir.Invariant{Expr: e}
	for _, t := range tables {
		inv.From = append(inv.From, ir.Source{Table: t, Row: row(t)})
	}
	if text := e.String(); !g.seen[text] {
		g.seen[text] = true
		g.out = append(g.out, inv)
	}
}

// row names the rows of a table: as it is called without its schema.
func row(t *ir.Table) string { return t.Name[strings.LastIndexByte(t.Name, '.')+1:] }

func col(t *ir.Table, c int) ir.Expr { return &ir.Col{Row: row(t), Col: t.Columns[c].Name} }

// columns are those that the source names.
func columns(t *ir.Table) (out []int) {
	for i, c := range t.Columns {
		if !c.Hidden && !(t.Rowid && i == 0) {
			out = append(out, i)
		}
	}
	return out
}

func number(t *ir.Table, c int) bool {
	k := t.Columns[c].Type.Kind
	return k == ir.KindInt || k == ir.KindNum
}

// refers reports whether a column names a row, of its own table or another one.
func refers(t *ir.Table, c int) bool {
	return t.IsKey(c) || slices.ContainsFunc(t.ForeignKeys, func(fk ir.ForeignKey) bool { return slices.Contains(fk.Columns, c) })
}

// orders guesses that one number of a row is at most another one.
func (g *guesser) orders(t *ir.Table) {
	for _, a := range columns(t) {
		for _, b := range columns(t) {
			if a != b && number(t, a) && number(t, b) && !refers(t, a) && !refers(t, b) {
				g.add(ir.Op(ir.Le, col(t, a), col(t, b)), t)
			}
		}
	}
}

// bounds guesses that a number is not negative, and how it and other values lie to the constants
// that the program has for their column.
func (g *guesser) bounds(t *ir.Table) {
	for _, c := range columns(t) {
		if refers(t, c) {
			continue
		}
		if number(t, c) {
			g.add(ir.Op(ir.Ge, col(t, c), ir.C(ir.Int(0))), t)
		}
		for _, v := range g.of(t, c) {
			if number(t, c) {
				g.add(ir.Op(ir.Le, col(t, c), ir.C(v)), t)
				g.add(ir.Op(ir.Ge, col(t, c), ir.C(v)), t)
			}
			g.add(ir.Op(ir.Ne, col(t, c), ir.C(v)), t)
		}
	}
}

// of gives the constants for a column that can be written in SQL.
func (g *guesser) of(t *ir.Table, c int) (out []ir.Value) {
	for _, v := range g.values[t.Columns[c].Name] {
		if _, ok := literal(v); ok && v.Kind == t.Columns[c].Type.Kind {
			out = append(out, v)
		}
	}
	return out
}

// present guesses that columns that may be NULL are not.
func (g *guesser) present(t *ir.Table) {
	for _, c := range columns(t) {
		if !t.Columns[c].NotNull && !t.IsKey(c) {
			g.add(ir.NotE(&ir.Unary{Op: ir.IsNull, X: col(t, c)}), t)
		}
	}
}

// implied guesses that rows with a value have another column, or do not have it.
func (g *guesser) implied(t *ir.Table) {
	for _, c := range columns(t) {
		for _, v := range g.of(t, c) {
			for _, d := range columns(t) {
				if d == c || t.Columns[d].NotNull || t.IsKey(d) {
					continue
				}
				other := ir.Op(ir.Ne, col(t, c), ir.C(v))
				null := &ir.Unary{Op: ir.IsNull, X: col(t, d)}
				g.add(ir.OrE(other, null), t)
				g.add(ir.OrE(other, ir.NotE(null)), t)
			}
		}
	}
}

// parents guesses how a row goes with the row that it refers to: it has equal or smaller values.
func (g *guesser) parents(t, u *ir.Table) {
	for _, fk := range t.ForeignKeys {
		if fk.Ref != u || row(t) == row(u) {
			continue
		}
		var apart []ir.Expr
		for i, c := range fk.Columns {
			apart = append(apart, ir.Op(ir.Ne, col(t, c), col(u, fk.RefColumns[i])))
		}
		for _, c := range columns(t) {
			for _, d := range columns(u) {
				if refers(t, c) || refers(u, d) || t.Columns[c].Type != u.Columns[d].Type {
					continue
				}
				g.add(ir.OrE(append(slices.Clone(apart), ir.Op(ir.Eq, col(t, c), col(u, d)))...), t, u)
				if number(t, c) {
					g.add(ir.OrE(append(slices.Clone(apart), ir.Op(ir.Le, col(t, c), col(u, d)))...), t, u)
				}
			}
		}
	}
}
