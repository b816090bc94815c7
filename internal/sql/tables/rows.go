package tables

import (
	"strconv"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
)

// makeRows evaluates the initial rows of t.
func (l *Completer) makeRows(t *schema.Table) {
	serial := map[string]int64{}
	seen := map[string]bool{}
	for _, in := range t.Inserts {
		cols := t.Columns
		if len(in.Stmt.Cols) > 0 {
			cols = nil
			for _, n := range in.Stmt.Cols {
				r := pg.Inner(n).(*pg.ResTarget)
				c := t.Column(r.Name)
				if c == nil {
					l.Fail(in.Text.Pos(int(r.Location)), "table %s has no column %s; it has %s", t.Name, r.Name, expr.ColumnNames(expr.TableSource(t, "", "")))
				}
				cols = append(cols, c)
			}
		}
		lists := pg.Inner(in.Stmt.SelectStmt).(*pg.SelectStmt).ValuesLists
		first := pg.Inner(lists[0]).(*pg.List).Items
		for _, n := range lists {
			items := pg.Inner(n).(*pg.List).Items
			if len(items) != len(first) {
				l.Fail(in.Text.Pos(max(pg.Start(items[0]), 0)), "the lists of VALUES must all be as long as the first one")
			}
			l.makeRow(t, in, cols, items, serial, seen)
		}
	}
}

func (l *Completer) makeRow(t *schema.Table, in schema.InitialInsert, cols []*schema.Column, items []*pg.Node, serial map[string]int64, seen map[string]bool) {
	x := query.NewPlace(expr.Spot{App: l.Application, Text: in.Text})
	pos := in.Pos
	if len(items) > 0 {
		pos = in.Text.Pos(max(pg.Start(items[0]), 0))
	}
	if len(items) > len(cols) || len(items) < len(cols) && len(in.Stmt.Cols) > 0 {
		l.Fail(pos, "%d values are given for %d columns of %s", len(items), len(cols), t.Name)
	}
	given := map[string]*pg.Node{}
	for i, n := range items {
		if _, isDefault := pg.Inner(n).(*pg.SetToDefault); !isDefault {
			given[cols[i].Name] = n
		}
	}
	row := make([]ir.Value, len(t.IR.Columns))
	if t.IR.Rowid {
		row[0] = ir.Int(int64(len(t.IR.Rows) + 1))
	}
	for _, c := range t.Columns {
		i := t.IR.Column(c.Name)
		var v ir.Value
		ok := true
		switch n := given[c.Name]; {
		case n != nil:
			v, ok = l.constantValue(x, n, c)
		case c.Fresh:
			serial[c.Name]++
			v = ir.Int(serial[c.Name])
		case c.Def != nil:
			v, ok = l.constantValue(query.NewPlace(expr.Spot{App: l.Application, Text: c.Def.Text}), c.Def.Node, c)
		case c.Generated != nil:
			continue
		}
		if !ok {
			l.Note(pos, "this row of %s is no initial row: the value of %s is no constant", t.Name, c.Name)
			return
		}
		if v.IsNull() && c.NotNull {
			l.Fail(pos, "column %s of %s may not be null", c.Name, t.Name)
		}
		row[i] = v
	}
	if !generatedValues(t.IR, row) {
		l.Note(pos, "this row of %s is no initial row: the value of a generated column is not known", t.Name)
		return
	}
	key := ""
	for _, k := range t.IR.Key {
		key += strconv.Quote(row[k].String())
	}
	if seen[key] {
		if in.Stmt.OnConflictClause != nil {
			return
		}
		l.Fail(pos, "table %s has two initial rows with the same primary key", t.Name)
	}
	seen[key] = true
	t.IR.Rows = append(t.IR.Rows, row)
}

// constantValue evaluates an expression without variables.
func (l *Completer) constantValue(x *query.Place, n *pg.Node, c *schema.Column) (v ir.Value, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, is := r.(schema.Unmodelled); !is {
				panic(r)
			}
			v, ok = ir.Null, false
		}
	}()
	e := x.Convert(x.Expr(n), c.T, x.At(n), "column "+c.Name)
	v, ok = fold(e)
	return v.Convert(expr.LocalType(c.T)), ok
}
