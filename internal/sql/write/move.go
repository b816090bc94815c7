package write

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/trace"
)

// keyChanges gives the columns of the primary key that an UPDATE changes, and the
// assignments without those of a key column to what it is anyway: to itself, or
// to what the condition says it is. In list these become assignments to itself.
func keyChanges(s *expr.RowSource, where ir.Expr, list []assignment) (keys []string, changed []assignment) {
	t := s.Table.IR
	same := func(a assignment) bool {
		if c, ok := a.v.Expr.(*ir.Col); ok && c.Row == s.Row && c.Col == a.column {
			return true
		}
		text := a.v.Expr.String()
		return slices.ContainsFunc(ir.Conjuncts(where), func(e ir.Expr) bool {
			eq, ok := e.(*ir.Binary)
			if !ok || eq.Op != ir.Eq {
				return false
			}
			for _, side := range [][2]ir.Expr{{eq.X, eq.Y}, {eq.Y, eq.X}} {
				c, ok := side[0].(*ir.Col)
				if ok && c.Row == s.Row && c.Col == a.column && side[1].String() == text {
					return true
				}
			}
			return false
		})
	}
	for i, a := range list {
		if t.IsKey(t.Column(a.column)) {
			if same(a) {
				list[i].v.Expr = &ir.Col{Row: s.Row, Col: a.column}
				continue
			}
			keys = append(keys, a.column)
		}
		changed = append(changed, a)
	}
	return keys, changed
}

// mayMove ends the statement as not modelled unless an UPDATE that changes key
// columns of rows is one that the IR can express: one row, which is deleted and
// inserted with another key.
func (b *Writer) mayMove(w *writeQuery, row *expr.RowSource, list, changed []assignment, key string) {
	t := row.Table
	what := "a change of the key column " + key
	switch {
	case len(w.other) > 0:
		b.Unmodelled("%s, with several tables", what)
	case !b.SingleRow(ir.Query{From: []ir.Source{row.IRSource()}, Where: w.where}):
		// The server checks keys row by row, in an order that is not told.
		b.Unmodelled("%s of several rows", what)
	case b.fires(t, schema.OnUpdate, list):
		b.Unmodelled("%s, in a table with row triggers", what)
	case t.Partitioned:
		b.Unmodelled("%s, which may move the row to another partition", what)
	}
	var acting []*schema.Table
	for _, c := range b.App.KeysTo(t) {
		if !renames(b.App.RefColumns(c), changed) || !c.OnUpdate.Changes() {
			continue
		}
		if b.LoopDepth > 0 || b.LookBack || slices.Contains(acting, c.Child) || c.Number < 0 || c.Child.IR.ForeignKeys[c.Number].OnUpdate == ir.NoAction {
			b.Unmodelled("ON UPDATE %s of foreign key %s", actionWord(c.OnUpdate), c.Name)
		}
		acting = append(acting, c.Child)
	}
	for _, c := range b.App.KeysTo(t) {
		if slices.Contains(acting, c.Child) && !c.OnUpdate.Changes() && renames(b.App.RefColumns(c), changed) {
			b.Unmodelled("foreign keys with and without ON UPDATE from %s (%s)", c.Child.Name, c.Name)
		}
	}
}

// renames reports whether assignments set one of some columns.
func renames(cols []string, list []assignment) bool {
	return slices.ContainsFunc(list, func(a assignment) bool { return slices.Contains(cols, a.column) })
}

// move is an UPDATE of the key of a row. The server changes the row in place, with
// the lock of a deletion; whoever refers to the row by its key sees one row go
// and another come. Where the key turns out to be the same, it is an UPDATE of
// the other columns; if there are none, the row moves to where it is.
func (b *Writer) move(pos ir.Pos, row *expr.RowSource, list []assignment, where ir.Expr, keep func(ir.Expr) ir.Expr) {
	b.Applied(trace.MoveRow, pos)
	t := row.Table.IR
	found := b.IRLocal("moves", ir.BoolType)
	sel := &ir.Select{At: expr.At(pos), Found: found, Query: ir.Query{From: []ir.Source{row.IRSource()}, Where: where}}
	read := func(base string, c int, e ir.Expr) ir.Expr {
		if v, ok := e.(*ir.Const); ok {
			return v
		}
		local := b.IRLocal(base, t.Columns[c].Type)
		sel.Into, sel.Cols = append(sel.Into, local), append(sel.Cols, keep(e))
		return ir.V(local)
	}
	old := func(c int) ir.Expr { return &ir.Col{Row: row.Row, Col: t.Columns[c].Name} }
	insert := &ir.Insert{At: expr.At(pos), Table: t}
	for c := range t.Columns {
		insert.Cols, insert.Values = append(insert.Cols, c), append(insert.Values, nil)
	}
	var stays []ir.Set // what an UPDATE sets where the key is the same
	for _, a := range list {
		c := t.Column(a.column)
		v := read("new", c, a.v.Expr)
		insert.Moved, insert.Values[c] = append(insert.Moved, c), v
		if !t.IsKey(c) {
			stays = append(stays, ir.Set{Col: c, Expr: v})
		}
	}
	slices.Sort(insert.Moved)
	for c := range t.Columns {
		if insert.Values[c] == nil {
			insert.Values[c] = read("old", c, old(c))
			if len(stays) == 0 && !t.IsKey(c) {
				stays = append(stays, ir.Set{Col: c, Expr: old(c)}) // it is written all the same
			}
		}
	}
	var is, same ir.Expr
	for _, k := range t.Key {
		v := insert.Values[k]
		if slices.Contains(insert.Moved, k) {
			before := read("old", k, old(k))
			same = ir.AndE(same, ir.Op(ir.Eq, v, before))
			v = before
		}
		is = ir.AndE(is, ir.Op(ir.Eq, old(k), v))
	}
	then := []ir.Stmt{&ir.Delete{At: expr.At(pos), Table: t, Row: row.Row, Where: is, Moved: true}, insert}
	for _, f := range b.App.KeysTo(row.Table) {
		if f.Number < 0 {
			continue
		}
		fk := &f.Child.IR.ForeignKeys[f.Number]
		action := fk.OnMove(insert.Moved)
		if action == ir.NoAction {
			continue
		}
		s := &ir.Cascade{At: expr.At(pos), Table: f.Child.IR, Key: f.Number}
		for i, c := range fk.RefColumns {
			switch action {
			case ir.CascadeUpdate:
				s.Values = append(s.Values, insert.Values[c])
			case ir.SetNull:
				s.Values = append(s.Values, ir.C(ir.Null))
			case ir.SetDefault:
				s.Values = append(s.Values, f.Defaults[i])
			}
		}
		then = append(then, s)
	}
	if len(stays) > 0 {
		stay := &ir.Update{At: expr.At(pos), Table: t, Row: row.Row, Sets: stays, Where: is}
		then = []ir.Stmt{&ir.If{At: expr.At(pos), Cond: same, Then: []ir.Stmt{stay}, Else: then}}
	}
	then = append(b.Collect(func() { b.Unproven(insert) }), then...)
	b.Emit(sel)
	b.Emit(&ir.If{At: expr.At(pos), Cond: ir.V(found), Then: then})
}

const noPartition = "the error of a row that fits into no partition which is declared"

// unplaced marks that a row of t may fit into no partition.
func (b *Writer) unplaced(pos ir.Pos, t *schema.Table, row *expr.RowSource) {
	if !t.Partitions.Open() {
		return
	}
	fits, ok := b.fits(t, row)
	if !ok {
		b.mayRefuse(pos, noPartition, t)
		return
	}
	b.Emit(&ir.If{At: expr.At(pos), Cond: ir.NotE(ir.Op(ir.Is, fits, ir.C(ir.Bool(true)))), Then: b.Collect(func() { b.mayRefuse(pos, noPartition, t) })})
}

// fits is the condition that a row fits into a partition, where it can be told.
func (b *Writer) fits(t *schema.Table, row *expr.RowSource) (cond ir.Expr, ok bool) {
	p := t.Partitions
	name, one := p.Column()
	if !one || p.Deep {
		return nil, false
	}
	value := row.Col(name).Val()
	cond = ir.C(ir.Bool(false))
	for _, bound := range p.Bounds {
		if slices.ContainsFunc(slices.Concat(bound.Spec.Lowerdatums, bound.Spec.Upperdatums, bound.Spec.Listdatums), func(n *pg.Node) bool { return !unbounded(n) && !isLiteral(n) }) {
			return nil, false
		}
		x := query.NewPlace(expr.Spot{App: b.App, Draft: b.Draft, Text: bound.Text})
		compare := func(op string, n *pg.Node) ir.Expr { return x.Compare(op, value, x.Expr(n), bound.Spec.Location).Expr }
		if p.Spec.Strategy == pg.PartitionRange {
			inside := expr.IsNotNull(value.Expr)
			for _, n := range bound.Spec.Lowerdatums {
				if !unbounded(n) {
					inside = ir.AndE(inside, compare(">=", n))
				}
			}
			for _, n := range bound.Spec.Upperdatums {
				if !unbounded(n) {
					inside = ir.AndE(inside, compare("<", n))
				}
			}
			cond = ir.OrE(cond, inside)
			continue
		}
		for _, n := range bound.Spec.Listdatums {
			if x.Expr(n).IsNull() {
				cond = ir.OrE(cond, &ir.Unary{Op: ir.IsNull, X: value.Expr})
			} else {
				cond = ir.OrE(cond, compare("=", n))
			}
		}
	}
	return cond, true
}

// unbounded reports whether a bound of a partition is MINVALUE or MAXVALUE.
func unbounded(n *pg.Node) bool {
	c, is := pg.Inner(n).(*pg.ColumnRef)
	if !is {
		return false
	}
	word := strings.ToLower(syntax.Qualified(syntax.Names(c.Fields)))
	return word == "minvalue" || word == "maxvalue"
}

// isLiteral reports whether an expression is a literal, perhaps with a type or a sign.
func isLiteral(n *pg.Node) bool {
	switch e := pg.Inner(n).(type) {
	case *pg.A_Const:
		return true
	case *pg.TypeCast:
		return isLiteral(e.Arg)
	case *pg.A_Expr:
		return e.Lexpr == nil && isLiteral(e.Rexpr)
	}
	return false
}
