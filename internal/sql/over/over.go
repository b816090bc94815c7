// Package over computes window functions: the value of one for a row is an aggregate
// of the rows of the query that its window holds, each of which is compared with that row.
package over

import (
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
)

// Window is the rows of a query that a window function looks at, from a row of it.
type Window struct {
	row   string // the row variable of the rows in the window
	from  ir.From
	where ir.Expr
	own   map[string]bool // the row variables of from
	cols  []ir.Item
	// typeOf gives the types of columns of from.
	typeOf func(ir.Expr) ir.Type
	keys   []ir.Expr // of PARTITION BY and ORDER BY
	peers  ir.Expr   // the rows with the same keys
	// before is the rows of the partition that ORDER BY puts first; without it, nil.
	before ir.Expr
}

// New makes the window of all rows of a query. Its row variable is row, which no
// query around it uses.
func New(row string, from ir.From, where ir.Expr, typeOf func(ir.Expr) ir.Type) *Window {
	w := &Window{row: row, from: from, where: where, own: map[string]bool{}, typeOf: typeOf}
	for _, s := range ir.Sources(from) {
		w.own[s.Row] = true
	}
	return w
}

// other gives the value that an expression of the row has of a row in the window.
func (w *Window) other(e ir.Expr) ir.Expr {
	return ir.MapExpr(e, func(e ir.Expr) ir.Expr {
		c, ok := e.(*ir.Col)
		if !ok || !w.own[c.Row] {
			return e
		}
		name := c.Row + "." + c.Col
		out := &ir.Col{Row: w.row, Col: name}
		for _, i := range w.cols {
			if i.Name == name {
				return out
			}
		}
		w.cols = append(w.cols, ir.Item{Name: name, Type: w.typeOf(c), Expr: c})
		return out
	})
}

// plain reports whether an expression is one that other can move.
func plain(e ir.Expr) bool {
	ok := true
	ir.WalkExpr(e, func(e ir.Expr) {
		switch e := e.(type) {
		case *ir.Call:
			ok = ok && e.Def == nil
		case *ir.Exists:
			ok = false
		default: // what it is made of decides
		}
	})
	return ok
}

// Partition leaves the rows that have the value of PARTITION BY. It reports whether it
// can tell them.
func (w *Window) Partition(x *expr.Spot, v expr.Val) bool {
	if v.Record || !plain(v.Expr) {
		return false
	}
	w.same(x, v)
	return true
}

// same adds a key, and gives the condition that another row has the same.
func (w *Window) same(x *expr.Spot, v expr.Val) ir.Expr {
	u := v
	u.Expr = w.other(v.Expr)
	is := x.Compare("is", u, v, 0).Expr
	w.keys, w.peers = append(w.keys, v.Expr), ir.AndE(w.peers, is)
	return is
}

// Sort adds the items of ORDER BY, whose values are vs. It reports whether it can
// tell which rows come first.
func (w *Window) Sort(x *expr.Spot, by []*pg.SortBy, vs []expr.Val) bool {
	var equal []ir.Expr
	partition := w.peers
	for i, v := range vs {
		if v.Record || v.Expr == nil || !v.Type.Ordered() || !plain(v.Expr) || by[i].SortbyDir == pg.SortUsing {
			return false
		}
		u, op, desc := v, "<", by[i].SortbyDir == pg.SortDesc
		u.Expr = w.other(v.Expr)
		if desc {
			op = ">"
		}
		first := x.Compare(op, u, v, 0).Expr
		if !v.NotNull {
			null, value := u.Expr, v.Expr
			if by[i].SortbyNulls != pg.SortNullsFirst && (!desc || by[i].SortbyNulls == pg.SortNullsLast) {
				null, value = value, null
			}
			first = ir.Op(ir.Or, first, ir.AndE(&ir.Unary{Op: ir.IsNull, X: null}, ir.NotE(&ir.Unary{Op: ir.IsNull, X: value})))
		}
		first = ir.AndE(append(append([]ir.Expr{}, equal...), first)...)
		if w.before == nil {
			w.before = first
		} else {
			w.before = ir.Op(ir.Or, w.before, first)
		}
		equal = append(equal, w.same(x, v))
	}
	w.before = ir.AndE(partition, w.before)
	if len(vs) == 0 {
		w.before = nil
	}
	return true
}

// Total reports whether no two rows have the same keys. one says whether conditions
// leave one row of the query at most.
func (w *Window) Total(one func(from ir.From, where []ir.Expr) bool) bool {
	conds := ir.Conjuncts(w.where)
	for _, k := range w.keys {
		conds = append(conds, ir.Op(ir.Eq, k, ir.V("")))
	}
	return one(w.from, conds)
}

// Aggregate is an aggregate of the partition, or of its rows up to the last peer of
// the row where the window has an order. ok is false where the argument is not one
// that is known of other rows.
func (w *Window) Aggregate(agg ir.Agg) (e ir.Expr, ok bool) {
	if agg.Arg != nil {
		if !plain(agg.Arg) {
			return nil, false
		}
		agg.Arg = w.other(agg.Arg)
	}
	in := w.peers
	if w.before != nil {
		in = ir.Op(ir.Or, w.before, w.peers)
	}
	return w.of(in, agg), true
}

// Rank is one more than the number of rows that come before the row.
func (w *Window) Rank() ir.Expr {
	if w.before == nil {
		return ir.C(ir.Int(1))
	}
	return ir.Op(ir.Add, w.of(w.before, ir.Agg{Fn: "count", Type: ir.IntType}), ir.C(ir.Int(1)))
}

func (w *Window) of(where ir.Expr, agg ir.Agg) ir.Expr {
	rows := &ir.Leaf{Row: w.row, Rel: &ir.Project{From: w.from, Where: w.where, Cols: w.cols}}
	return ir.Open(ir.WantValue, &ir.Group{From: rows, Where: where, Aggs: []ir.NamedAgg{{Name: "value", Agg: agg}}}, agg.Type)
}
