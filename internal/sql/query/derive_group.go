package query

import (
	"strconv"

	"github.com/txrobust/robust/internal/irnames"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// grouping is a GROUP BY under translation, or aggregates without one.
type grouping struct {
	in    *Place // sees the rows that are grouped
	row   string // the row variable of the groups
	items []ir.Item
	aggs  []ir.NamedAgg
	texts []string // of the keys' expressions
}

// keys reads GROUP BY.
func (g *grouping) keys(q *Query, clause []*pg.Node) {
	for _, n := range clause {
		v := g.key(q, n)
		if v.Record {
			for _, c := range v.Fields {
				g.add(c.Expr, c.Type)
			}
			continue
		}
		v = g.in.DefaultType(v)
		g.add(v.Expr, v.Type)
	}
}

// key is an item of GROUP BY: a column, an output column by name or number, or
// an expression.
func (g *grouping) key(q *Query, n *pg.Node) expr.Val {
	x := g.in
	switch e := pg.Inner(n).(type) {
	case *pg.A_Const:
		i := int(e.GetIval().GetIval())
		if e.GetIval() == nil || i < 1 || i > len(q.Targets) {
			x.Fail(e.Location, "GROUP BY needs a column or its number, from 1 to %d", len(q.Targets))
		}
		return q.Targets[i-1].Val()
	case *pg.ColumnRef:
		parts := syntax.Names(e.Fields)
		if len(parts) == len(e.Fields) {
			if v, ok := x.Resolve(parts, e.Location); ok {
				return v
			}
		}
		for _, c := range q.Targets {
			if len(parts) == 1 && c.Name == parts[0] {
				return c.Val()
			}
		}
	case *pg.GroupingSet:
		x.Unmodelled("GROUPING SETS, ROLLUP or CUBE")
	}
	return x.Expr(n)
}

func (g *grouping) add(e ir.Expr, t schema.Type) *ir.Col {
	g.in.ByIdentityOnly(t, "GROUP BY")
	text := ir.ExprString(e)
	for i, old := range g.texts {
		if old == text {
			return &ir.Col{Row: g.row, Col: g.items[i].Name}
		}
	}
	name := "k" + strconv.Itoa(len(g.items)+1)
	g.in.Deriver.types[ir.Col{Row: g.row, Col: name}] = expr.LocalType(t)
	g.items, g.texts = append(g.items, ir.Item{Name: name, Type: expr.LocalType(t), Expr: e}), append(g.texts, text)
	return &ir.Col{Row: g.row, Col: name}
}

// rewrite turns an expression over the rows into one over the groups. What is no
// key must depend on the keys.
func (g *grouping) rewrite(e ir.Expr) ir.Expr {
	return ir.ReplaceExpr(e, func(e ir.Expr) ir.Expr {
		if c, ok := e.(*ir.Call); ok && c.Def != nil {
			return &ir.Call{Type: c.Type, Def: &ir.Derivation{Want: c.Def.Want, Rel: ir.MapRel(c.Def.Rel, g.rewrite)}}
		}
		text := ir.ExprString(e)
		for i, old := range g.texts {
			if old == text {
				return &ir.Col{Row: g.row, Col: g.items[i].Name}
			}
		}
		if c, ok := e.(*ir.Col); ok && c.Row != g.row {
			for _, s := range g.in.Levels[len(g.in.Levels)-1].Sources {
				if s.Row == c.Row {
					for _, d := range s.Cols {
						if k, ok := d.Expr.(*ir.Col); ok && k.Col == c.Col {
							return g.add(e, d.Type)
						}
					}
				}
			}
		}
		return nil
	})
}

// over sees the rows that are grouped.
func (g *grouping) over() *Place { return g.in }

// aggregate adds a call of an aggregate.
func (g *grouping) aggregate(agg ir.Agg, _ string, _ schema.Type) ir.Expr {
	text := ""
	if agg.Arg != nil {
		text = ir.ExprString(agg.Arg)
	}
	for _, a := range g.aggs {
		same := a.Arg == nil && agg.Arg == nil || a.Arg != nil && agg.Arg != nil && ir.ExprString(a.Arg) == text
		if same && a.Fn == agg.Fn && a.Distinct == agg.Distinct && a.Type == agg.Type {
			return &ir.Col{Row: g.row, Col: a.Name}
		}
	}
	name := "a" + strconv.Itoa(len(g.aggs)+1)
	g.in.Deriver.types[ir.Col{Row: g.row, Col: name}] = agg.Type
	g.aggs = append(g.aggs, ir.NamedAgg{Name: name, Agg: agg})
	return &ir.Col{Row: g.row, Col: name}
}

// window is what window functions look at: all rows of a query.
type window struct {
	from  ir.From
	where ir.Expr
}

// orderly are the window functions whose value depends on the order of rows that ORDER BY does not tell apart.
var orderly = map[string]bool{"row_number": true, "ntile": true, "lag": true, "lead": true, "first_value": true, "last_value": true, "nth_value": true}

// windowCall translates a window function: a function of all rows of the
// query, and of this row, in all that the call names.
func (x *Place) windowCall(e *pg.FuncCall, name string) expr.Val {
	w := x.win
	if w == nil || x.Deriver == nil {
		x.Unmodelled("a window function together with grouping or in this place")
	}
	var cols []ir.Item
	add := func(n *pg.Node) {
		v := x.DefaultType(x.One(n))
		cols = append(cols, ir.Item{Name: "w" + strconv.Itoa(len(cols)+1), Type: expr.LocalType(v.Type), Expr: v.Expr})
	}
	var args []expr.Val
	for _, a := range e.Args {
		args = append(args, x.DefaultType(x.One(a)))
		add(a)
	}
	over := e.Over
	if over.Name != "" || over.Refname != "" {
		x.Unmodelled("a named window")
	}
	for _, n := range over.PartitionClause {
		add(n)
	}
	for _, n := range over.OrderClause {
		add(pg.Inner(n).(*pg.SortBy).Node)
	}
	for _, n := range []*pg.Node{over.StartOffset, over.EndOffset, e.AggFilter} {
		if n != nil {
			add(n)
		}
	}
	t := x.windowResult(name, args)
	pos := x.Pos(e.Location)
	c := &ir.Call{Name: irnames.WindowFn + name + " at " + strconv.Itoa(pos.Line) + ":" + strconv.Itoa(pos.Col), Type: expr.LocalType(t)}
	c.Args = append(c.Args, ir.Open(ir.WantRows, &ir.Project{From: w.from, Where: w.where, Cols: cols}, ir.ArrayType(ir.KindOpaque)))
	for _, i := range cols {
		c.Args = append(c.Args, i.Expr)
	}
	if orderly[name] { // where rows come in any order, it depends on that
		c.Args = append(append(c.Args, x.Draft.Seed("any_order", pos)), x.RowKeys()...)
	}
	return expr.Val{Expr: c, Type: t}
}

// windowResult is the type of a window function.
func (x *Place) windowResult(name string, args []expr.Val) schema.Type {
	if name == "count" {
		return schema.TBigint
	}
	calls, _ := x.resolveAggregate(name, args)
	if len(calls) != 1 {
		return schema.TAny
	}
	if calls[0].Kind == 'f' {
		x.Unmodelled("the function %s with OVER", name)
	}
	return x.App.ResultType(calls[0].Returns)
}
