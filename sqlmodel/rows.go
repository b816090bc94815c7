package sqlmodel

import (
	"math/big"
	"strconv"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// initialInsert is an INSERT outside of functions.
type initialInsert struct {
	stmt *pg.InsertStmt
	text *syntax.Text
	pos  ir.Pos
}

// initialRows keeps a top-level INSERT until the table is complete.
func (l *Schema) initialRows(s *pg.InsertStmt, t *syntax.Text, pos ir.Pos) {
	tab := l.changed(s.Relation, t, false)
	if tab == nil {
		l.note(pos, "an INSERT into %s is left out", syntax.RangeName(s.Relation))
		return
	}
	sel, ok := pg.Inner(s.SelectStmt).(*pg.SelectStmt)
	if !ok || len(sel.ValuesLists) == 0 || s.WithClause != nil {
		l.note(pos, "this INSERT is not VALUES: its rows are no initial rows")
		return
	}
	tab.inserts = append(tab.inserts, initialInsert{s, t, pos})
}

// makeRows evaluates the initial rows of t.
func (l *loader) makeRows(t *table) {
	serial := map[string]int64{}
	seen := map[string]bool{}
	for _, in := range t.inserts {
		cols := t.columns
		if len(in.stmt.Cols) > 0 {
			cols = nil
			for _, n := range in.stmt.Cols {
				r := pg.Inner(n).(*pg.ResTarget)
				c := t.column(r.Name)
				if c == nil {
					l.fail(in.text.Pos(int(r.Location)), "table %s has no column %s; it has %s", t.name, r.Name, columnNames(tableSource(t, "", "")))
				}
				cols = append(cols, c)
			}
		}
		lists := pg.Inner(in.stmt.SelectStmt).(*pg.SelectStmt).ValuesLists
		first := pg.Inner(lists[0]).(*pg.List).Items
		for _, n := range lists {
			items := pg.Inner(n).(*pg.List).Items
			if len(items) != len(first) {
				l.fail(in.text.Pos(max(pg.Start(items[0]), 0)), "the lists of VALUES must all be as long as the first one")
			}
			l.makeRow(t, in, cols, items, serial, seen)
		}
	}
}

func (l *loader) makeRow(t *table, in initialInsert, cols []*column, items []*pg.Node, serial map[string]int64, seen map[string]bool) {
	x := &ex{l: l, text: in.text}
	pos := in.pos
	if len(items) > 0 {
		pos = in.text.Pos(max(pg.Start(items[0]), 0))
	}
	if len(items) > len(cols) || len(items) < len(cols) && len(in.stmt.Cols) > 0 {
		l.fail(pos, "%d values are given for %d columns of %s", len(items), len(cols), t.name)
	}
	given := map[string]*pg.Node{}
	for i, n := range items {
		if _, isDefault := pg.Inner(n).(*pg.SetToDefault); !isDefault {
			given[cols[i].name] = n
		}
	}
	row := make([]ir.Value, len(t.ir.Columns))
	if t.ir.Rowid {
		row[0] = ir.Int(int64(len(t.ir.Rows) + 1))
	}
	for _, c := range t.columns {
		i := t.ir.Column(c.name)
		var v ir.Value
		ok := true
		switch n := given[c.name]; {
		case n != nil:
			v, ok = l.constantValue(x, n, c)
		case c.fresh:
			serial[c.name]++
			v = ir.Int(serial[c.name])
		case c.def != nil:
			v, ok = l.constantValue(&ex{l: l, text: c.def.text}, c.def.node, c)
		case c.generated != nil:
			continue
		}
		if !ok {
			l.note(pos, "this row of %s is no initial row: the value of %s is no constant", t.name, c.name)
			return
		}
		if v.IsNull() && c.notNull {
			l.fail(pos, "column %s of %s may not be null", c.name, t.name)
		}
		row[i] = v
	}
	if !l.generatedValues(t, row) {
		l.note(pos, "this row of %s is no initial row: the value of a generated column is not known", t.name)
		return
	}
	key := ""
	for _, k := range t.ir.Key {
		key += strconv.Quote(row[k].String())
	}
	if seen[key] {
		if in.stmt.OnConflictClause != nil {
			return
		}
		l.fail(pos, "table %s has two initial rows with the same primary key", t.name)
	}
	seen[key] = true
	t.ir.Rows = append(t.ir.Rows, row)
}

// generatedValues computes the generated columns of a row.
func (l *Schema) generatedValues(t *table, row []ir.Value) bool {
	for i, c := range t.ir.Columns {
		if c.Generated == nil {
			continue
		}
		v, ok := fold(ir.MapExpr(c.Generated, func(e ir.Expr) ir.Expr {
			if col, is := e.(*ir.Col); is {
				return ir.C(row[t.ir.Column(col.Col)])
			}
			return e
		}))
		if !ok {
			return false
		}
		row[i] = v.Convert(c.Type)
	}
	return true
}

// constantValue evaluates an expression without variables.
func (l *loader) constantValue(x *ex, n *pg.Node, c *column) (v ir.Value, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, is := r.(unmodelled); !is {
				panic(r)
			}
			v, ok = ir.Null, false
		}
	}()
	e := x.convert(x.expr(n), c.t, x.at(n), "column "+c.name)
	v, ok = fold(e)
	return v.Convert(localType(c.t)), ok
}

// fold evaluates constants, and functions of them.
func fold(e ir.Expr) (ir.Value, bool) {
	switch e := e.(type) {
	case *ir.Const:
		return e.Value, true
	case *ir.Call:
		var args []ir.Value
		for _, a := range e.Args {
			v, ok := fold(a)
			if !ok {
				return ir.Null, false
			}
			args = append(args, v)
		}
		v, _, err := e.Apply(args)
		return v, err == nil && e.Def == nil
	case *ir.Cond:
		if v, ok := fold(e.If); ok {
			if v.IsTrue() {
				return fold(e.Then)
			}
			return fold(e.Else)
		}
	case *ir.Unary:
		if v, ok := fold(e.X); ok && e.Op == ir.IsNull {
			return ir.Bool(v.IsNull()), true
		}
	case *ir.Binary:
		x, ok1 := fold(e.X)
		y, ok2 := fold(e.Y)
		if ok1 && ok2 {
			return foldNumbers(e.Op, x, y)
		}
	}
	return ir.Null, false
}

// foldNumbers adds, subtracts and multiplies.
func foldNumbers(op ir.BinaryOp, x, y ir.Value) (ir.Value, bool) {
	if x.IsNull() || y.IsNull() {
		return ir.Null, op >= ir.Add && op <= ir.Mul
	}
	number := func(v ir.Value) bool { return v.Kind == ir.KindInt || v.Kind == ir.KindNum }
	if !number(x) || !number(y) {
		return ir.Null, false
	}
	out := new(big.Rat)
	switch op {
	case ir.Add:
		out.Add(x.Rat(), y.Rat())
	case ir.Sub:
		out.Sub(x.Rat(), y.Rat())
	case ir.Mul:
		out.Mul(x.Rat(), y.Rat())
	default:
		return ir.Null, false
	}
	if x.Kind == ir.KindInt && y.Kind == ir.KindInt {
		return ir.Int(out.Num().Int64()), out.Num().IsInt64()
	}
	return ir.Num(out), true
}
