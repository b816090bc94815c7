package progen

import (
	"fmt"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
	"github.com/txrobust/robust/internal/wellformed"
)

// derived reads rows of a table, and computes something of them that no query
// says: groups, distinct values, a join that keeps rows without a partner, a
// part of the rows, a way from row to row. The result goes to the client or, if it is a number, into a
// local.
func (g *gen) derived(t *ir.Table) []ir.Stmt {
	out, given := g.given(t)
	a := &ir.Leaf{Row: "a", Rel: given}
	cols := ir.Columns(given)
	col := func() *ir.Col { return &ir.Col{Row: "a", Col: cols[g.r.Intn(len(cols))].Name} }
	item := func(e ir.Expr) []ir.Item { return []ir.Item{{Name: "x", Type: ir.IntType, Expr: e}} }
	var rel ir.Rel
	switch g.r.Intn(7) {
	case 0: // groups
		grouped := &ir.Group{From: a, Keys: item(col()), Aggs: []ir.NamedAgg{{Name: "n", Agg: ir.Agg{Fn: "count", Type: ir.IntType}}}}
		p := &ir.Project{From: &ir.Leaf{Row: "g", Rel: grouped}, Cols: item(&ir.Col{Row: "g", Col: "x"})}
		if g.chance(50) {
			p.Cols = append(p.Cols, ir.Item{Name: "n", Type: ir.IntType, Expr: &ir.Col{Row: "g", Col: "n"}})
		}
		if g.chance(40) {
			p.Where = ir.Op(ir.Gt, &ir.Col{Row: "g", Col: "n"}, ir.C(ir.Int(1)))
		}
		rel = p
	case 1: // distinct values
		rel = &ir.Project{From: a, Cols: item(col()), Distinct: true}
	case 2: // a left join
		more, right := g.given(g.otherTable(t))
		out = append(out, more...)
		b := &ir.Leaf{Row: "b", Rel: right}
		theirs := ir.Columns(right)
		on := ir.Op(ir.Eq, col(), &ir.Col{Row: "b", Col: theirs[g.r.Intn(len(theirs))].Name})
		rel = &ir.Project{From: &ir.Join{Kind: ir.Left, L: a, R: b, On: on}, Cols: item(&ir.Col{Row: "b", Col: theirs[0].Name})}
	case 3: // a part of the rows
		rel = &ir.Project{From: a, Cols: item(col()), Order: []ir.Order{{Expr: &ir.Col{Row: "a", Col: cols[0].Name}}},
			Offset: g.value(), Limit: ir.C(ir.Int(1))}
	case 4: // what is not there
		more, right := g.given(g.otherTable(t))
		out = append(out, more...)
		rel = &ir.SetOp{Op: ir.SetOpKind(g.r.Intn(3)), All: g.chance(30), L: &ir.Project{From: a, Cols: item(col())},
			R: &ir.Project{From: &ir.Leaf{Row: "b", Rel: right}, Cols: item(&ir.Col{Row: "b", Col: ir.Columns(right)[0].Name})}}
	case 5: // from row to row
		more, right := g.given(g.otherTable(t))
		out = append(out, more...)
		theirs := ir.Columns(right)
		here, next := theirs[g.r.Intn(len(theirs))].Name, theirs[g.r.Intn(len(theirs))].Name
		w := &ir.Leaf{Row: "w", Rel: &ir.Given{Param: "again", Cols: []ir.Column{{Name: "x", Type: ir.IntType}}}}
		on := ir.Op(ir.Eq, &ir.Col{Row: "b", Col: here}, &ir.Col{Row: "w", Col: "x"})
		rel = &ir.SetOp{Again: "again", L: &ir.Project{From: a, Cols: item(col())},
			R: &ir.Project{From: &ir.Join{L: w, R: &ir.Leaf{Row: "b", Rel: right}, On: on}, Cols: item(&ir.Col{Row: "b", Col: next})}}
	default: // a number
		agg := ir.NamedAgg{Name: "x", Agg: ir.Agg{Fn: []string{"count", "min", "max"}[g.r.Intn(3)], Arg: col(), Type: ir.IntType}}
		one := &ir.Group{From: a, Where: ir.Op(ir.Le, col(), g.intExpr(nil, "")), Aggs: []ir.NamedAgg{agg}}
		v := g.local(ir.IntType)
		out = append(out, &ir.Assign{Var: v, Expr: ir.Derive(ir.WantValue, one, ir.IntType, g.typeOf)})
		g.ints = append(g.ints, v)
		return out
	}
	if g.chance(30) {
		v := g.local(ir.BoolType)
		return append(out, &ir.Assign{Var: v, Expr: ir.Derive(ir.WantAny, rel, ir.BoolType, g.typeOf)},
			&ir.If{Cond: ir.V(v), Then: g.nested(), Else: g.maybe()})
	}
	return append(out, &ir.Emit{Exprs: []ir.Expr{ir.Derive(ir.WantRows, rel, ir.ArrayType(ir.KindOpaque), g.typeOf)}})
}

func (g *gen) typeOf(e ir.Expr) ir.Type {
	t, err := wellformed.TypeOf(e, g.txn)
	if err != nil {
		panic("progen: " + err.Error())
	}
	return t
}

// otherTable gives a table with rows, t if there is no other.
func (g *gen) otherTable(t *ir.Table) *ir.Table {
	if u := g.table(); !u.Var {
		return u
	}
	return t
}

// given reads rows of t, in some of its columns.
func (g *gen) given(t *ir.Table) ([]ir.Stmt, *ir.Given) {
	row := &ir.Call{Name: irnames.RowFn, Type: ir.OpaqueType}
	out := &ir.Given{}
	for i, c := range t.Columns {
		if i == 0 || g.chance(60) {
			row.Args = append(row.Args, &ir.Col{Row: t.Name, Col: c.Name})
			out.Cols = append(out.Cols, ir.Column{Name: c.Name, Type: c.Type})
		}
	}
	typ := ir.ArrayType(ir.KindOpaque)
	g.n++
	out.Param = g.txn.AddLocal(fmt.Sprintf("rows%d", g.n), typ)
	return []ir.Stmt{&ir.Select{Into: []string{out.Param}, Aggs: []ir.Agg{{Fn: irnames.RowsAgg, Arg: row, Type: typ}},
		Query: ir.Query{From: []ir.Source{{Table: t, Row: t.Name}}, Where: g.where(t, t.Name, g.chance(40))}}}, out
}
