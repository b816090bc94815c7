// Package over computes window functions: the value of one for a row is an aggregate
// of the rows of the query that its window holds, each of which is compared with that row.
package over

import (
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
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

// Definition gives what a window is, which may be the name of one of the WINDOW clause.
// It is nil for a window that adds something to a named one.
func Definition(w *pg.WindowDef, named []*pg.Node) *pg.WindowDef {
	if w.Name != "" {
		for _, n := range named {
			if d := pg.Inner(n).(*pg.WindowDef); d.Name == w.Name {
				w = d
			}
		}
	}
	if w.Refname != "" {
		return nil
	}
	return w
}

// New makes the window of all rows of a query. rowName gives a row variable that no
// query around it uses.
func New(rowName func(base string) string, from ir.From, where ir.Expr, typeOf func(ir.Expr) ir.Type) *Window {
	w := &Window{row: rowName(irnames.WindowRow), from: from, where: where, own: map[string]bool{}, typeOf: typeOf}
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

// plain reports whether an expression is one that other can move. It compares nothing,
// so that what is compared in a window is its order alone (see package draws).
func plain(e ir.Expr) bool {
	ok := true
	ir.WalkExpr(e, func(e ir.Expr) {
		switch e := e.(type) {
		case *ir.Binary:
			ok = ok && (e.Op < ir.Lt || e.Op > ir.Ge)
		case *ir.Call:
			ok = ok && e.Def == nil
		case *ir.Exists:
			ok = false
		default: // what it is made of decides
		}
	})
	return ok
}

// Aggregates are the aggregates that are computed of the rows of a window.
var Aggregates = map[string]bool{"count": true, "sum": true, "min": true, "max": true, "avg": true, "bool_and": true, "bool_or": true, "every": true}

// nonDefault is set in FrameOptions where a window has a frame of its own
// (FRAMEOPTION_NONDEFAULT in PostgreSQL's parsenodes.h).
const nonDefault = 1

// Read reads PARTITION BY and ORDER BY, whose values value gives. It reports whether it
// can tell which rows the window has, and which of them come first.
func (w *Window) Read(x *expr.Spot, def *pg.WindowDef, value func(*pg.Node) expr.Val) bool {
	if w.from == nil || def == nil || def.FrameOptions&nonDefault != 0 {
		return false
	}
	for _, n := range def.PartitionClause {
		v := value(n)
		if v.Record || !plain(v.Expr) {
			return false
		}
		w.same(x, v)
	}
	return w.sort(x, def.OrderClause, value)
}

// same adds a key, and gives the condition that another row has the same.
func (w *Window) same(x *expr.Spot, v expr.Val) ir.Expr {
	u := v
	u.Expr = w.other(v.Expr)
	is := x.Compare("is", u, v, 0).Expr
	w.keys, w.peers = append(w.keys, v.Expr), ir.AndE(w.peers, is)
	return is
}

// sort adds the items of ORDER BY.
func (w *Window) sort(x *expr.Spot, items []*pg.Node, value func(*pg.Node) expr.Val) bool {
	var equal []ir.Expr
	partition := w.peers
	for _, n := range items {
		by := pg.Inner(n).(*pg.SortBy)
		v := value(by.Node)
		if v.Record || v.Expr == nil || !v.Type.Ordered() || !plain(v.Expr) || by.SortbyDir == pg.SortUsing {
			return false
		}
		u, op, desc := v, "<", by.SortbyDir == pg.SortDesc
		u.Expr = w.other(v.Expr)
		if desc {
			op = ">"
		}
		first := x.Compare(op, u, v, 0).Expr
		if !v.NotNull {
			null, value := u.Expr, v.Expr
			if by.SortbyNulls != pg.SortNullsFirst && (!desc || by.SortbyNulls == pg.SortNullsLast) {
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
	if w.before != nil {
		w.before = ir.AndE(partition, w.before)
	}
	return true
}

// Aggregate is an aggregate of the partition, or of its rows up to the last peer of
// the row where the window has an order. It is nil where the argument is not one
// that is known of other rows.
func (w *Window) Aggregate(agg ir.Agg) ir.Expr {
	if agg.Arg != nil {
		if !plain(agg.Arg) {
			return nil
		}
		agg.Arg = w.other(agg.Arg)
	}
	in := w.peers
	if w.before != nil {
		in = ir.Op(ir.Or, w.before, w.peers)
	}
	return w.of(in, agg)
}

// Rank is one more than the number of rows that come before the row: rank, and
// row_number where no two rows have the same keys. one says whether conditions leave
// one row of the query at most, with the rows that are known. It is nil for other functions.
func (w *Window) Rank(name string, one func(from ir.From, where []ir.Expr, known map[string]bool) bool) ir.Expr {
	if name != "rank" && (name != "row_number" || !w.total(one)) {
		return nil
	}
	if w.before == nil {
		return ir.C(ir.Int(1))
	}
	return ir.Op(ir.Add, w.of(w.before, ir.Agg{Fn: "count", Type: ir.IntType}), ir.C(ir.Int(1)))
}

// total reports whether no two rows have the same keys.
func (w *Window) total(one func(from ir.From, where []ir.Expr, known map[string]bool) bool) bool {
	conds, around := ir.Conjuncts(w.where), map[string]bool{}
	for _, c := range conds {
		ir.WalkExpr(c, func(e ir.Expr) {
			if c, ok := e.(*ir.Col); ok && !w.own[c.Row] {
				around[c.Row] = true
			}
		})
	}
	for _, k := range w.keys {
		conds = append(conds, ir.Op(ir.Eq, k, ir.V("")))
	}
	return one(w.from, conds, around)
}

func (w *Window) of(where ir.Expr, agg ir.Agg) ir.Expr {
	rows := &ir.Leaf{Row: w.row, Rel: &ir.Project{From: w.from, Where: w.where, Cols: w.cols}}
	return ir.Open(ir.WantValue, &ir.Group{From: rows, Where: where, Aggs: []ir.NamedAgg{{Name: "value", Agg: agg}}}, agg.Type)
}
