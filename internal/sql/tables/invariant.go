package tables

import (
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// Invariants translates the stated invariants.
func (l *Completer) Invariants() {
	for _, f := range l.Facts {
		stmts, err := f.Text.Parse()
		if err != nil {
			panic(err)
		}
		s, ok := pg.Inner(stmts[0].Stmt).(*pg.SelectStmt)
		if len(stmts) != 1 || !ok || len(s.TargetList) != 1 || !syntax.PlainExpression(s) {
			l.Fail(f.Pos, "an invariant is one condition over rows, such as: items.nbids >= 0")
		}
		inv := &ir.Invariant{Pos: f.Pos}
		e := pg.TargetValue(s.TargetList[0])
		lv := &expr.Level{}
		add := func(table, alias string, pos ir.Pos) {
			t := l.Late.Table(table)
			if t == nil {
				l.Fail(pos, "there is no table %s", table)
			}
			for _, o := range lv.Sources {
				if o.Alias == alias {
					l.Fail(pos, "the name %s is given to two rows", alias)
				}
			}
			src := expr.TableSource(t, alias, alias)
			lv.Sources = append(lv.Sources, src)
			inv.From = append(inv.From, src.IRSource())
		}
		for _, src := range f.From {
			add(src.Table, src.Alias, src.Pos)
		}
		if len(f.From) == 0 {
			pg.Walk(e, func(x any) bool {
				if c, ok := x.(*pg.ColumnRef); ok {
					parts := syntax.Names(c.Fields)
					if len(parts) < 2 {
						l.Fail(f.Text.Pos(int(c.Location)), "write the table's name before the column %s", strings.Join(parts, "."))
					}
					table := syntax.Qualified(parts[:len(parts)-1])
					for _, o := range lv.Sources {
						if o.Table == l.Late.Table(table) && o.Table != nil {
							return true
						}
					}
					add(table, parts[len(parts)-2], f.Text.Pos(int(c.Location)))
				}
				return true
			})
		}
		if len(inv.From) == 0 {
			l.Fail(f.Pos, "an invariant must be about the rows of some table")
		}
		inv.Expr = l.factExpr(query.NewPlace(expr.Spot{App: l.Application, Text: f.Text, Levels: []*expr.Level{lv}, PerRow: true}), e, f.Pos)
		l.Prog.Invariants = append(l.Prog.Invariants, inv)
	}
}

func (l *Completer) factExpr(x *query.Place, e *pg.Node, pos ir.Pos) ir.Expr {
	defer func() {
		if r := recover(); r != nil {
			u, is := r.(schema.Unmodelled)
			if !is {
				panic(r)
			}
			l.Fail(pos, "this invariant cannot be modelled: it uses %s", u.Reason)
		}
	}()
	return x.Boolean(e, expr.Exact)
}
