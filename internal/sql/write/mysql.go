package write

import (
	"math"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/mysql"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// ofMySQL is the value of a column of a row that is inserted, where the dialect is that of MySQL: AUTO_INCREMENT gives a new
// one for NULL and 0, and INSERT IGNORE puts the value of the type in the place of NULL. given says that the statement has
// it.
func (i *inserter) ofMySQL(c *schema.Column, v expr.Val, given bool) expr.Val {
	b := i.b
	k, constant := v.Expr.(*ir.Const)
	ignore := i.s.OnConflictClause != nil && i.s.OnConflictClause.Action != pg.ConflictUpdate
	if i.s.OnConflictClause != nil && c.Fresh {
		b.NoInsertID = "an INSERT with ON DUPLICATE KEY UPDATE or IGNORE"
	}
	switch {
	case c.Fresh && !given:
		i.first(v)
	case c.Fresh && constant && (k.Value.IsNull() || k.Value.Rat().Sign() == 0):
		v = i.x.DefaultOf(c, i.pos)
		i.first(v)
	case c.Fresh && !constant:
		e := i.x.Shared(v.Expr, c.T)
		zero := ir.OrE(&ir.Unary{Op: ir.IsNull, X: e}, ir.Op(ir.Eq, e, ir.C(ir.Int(0))))
		v.Expr, v.NotNull = &ir.Cond{If: zero, Then: i.x.DefaultOf(c, i.pos).Expr, Else: e}, true
		b.NoInsertID = "an INSERT that gives a value for AUTO_INCREMENT"
	case ignore && constant && k.Value.Kind == ir.KindText && c.T.SQL != nil && c.T.SQL.Format != nil && !c.T.SQL.Fits(k.Value):
		if r := []rune(k.Value.S); c.T.SQL.Format.Labels == nil && len(r) > c.T.SQL.Format.Length {
			v.Expr = ir.C(ir.Text(string(r[:c.T.SQL.Format.Length])))
			break
		}
		b.Unmodelled("INSERT IGNORE of a value that does not fit column %s", c.Name)
	case ignore && i.mayBeNoLabel(c, v.Expr):
		b.Unmodelled("INSERT IGNORE of a value that does not fit column %s", c.Name)
	case ignore && c.NotNull && !v.NotNull && c.Generated == nil:
		def := i.implicit(c)
		if constant {
			if k.Value.IsNull() {
				v.Expr, v.NotNull = def, true
			}
			break
		}
		e := i.x.Shared(v.Expr, c.T)
		v.Expr, v.NotNull = &ir.Cond{If: &ir.Unary{Op: ir.IsNull, X: e}, Then: def, Else: e}, true
	case !given && c.NotNull && c.Def == nil && c.T.SQL != nil && c.T.SQL.Format != nil && c.T.SQL.Format.Labels != nil:
		b.Unmodelled("the default of an ENUM")
	}
	return v
}

// mayBeNoLabel reports whether the value of an ENUM is computed from something else than a parameter.
func (i *inserter) mayBeNoLabel(c *schema.Column, e ir.Expr) bool {
	if c.T.SQL == nil || c.T.SQL.Format == nil || c.T.SQL.Format.Labels == nil {
		return false
	}
	call, computed := e.(*ir.Call)
	if !computed {
		return false
	}
	param, isVar := call.Args[0].(*ir.Var)
	return !isVar || !i.b.Fixed[param.Name]
}

// seesAssigned refuses an UPDATE in the dialect of MySQL in which an assignment names a column that was assigned before,
// where there are several tables, or a subquery reads the one that is updated: the server may compute all values before it
// assigns any.
func (b *Writer) seesAssigned(s *pg.UpdateStmt) {
	if !b.App.In.MySQL {
		return
	}
	again := len(s.FromClause) > 0
	assigned := map[string]bool{}
	seen := false
	look := func(n any) bool {
		switch n := n.(type) {
		case *pg.RangeVar:
			again = again || n.Relname == s.Relation.Relname
		case *pg.ColumnRef:
			if names := syntax.Names(n.Fields); len(names) > 0 {
				seen = seen || assigned[names[len(names)-1]]
			}
		}
		return true
	}
	pg.Walk(s.WhereClause, look)
	for _, n := range s.TargetList {
		r := pg.Inner(n).(*pg.ResTarget)
		pg.Walk(r.Val, look)
		assigned[r.Name] = true
	}
	if again && seen {
		b.Unmodelled("an assignment that sees another one, where the UPDATE reads several tables, or its own again")
	}
}

// foreignKeyViolation is the SQLSTATE of a row that others refer to.
const foreignKeyViolation = "23503"

// ownParent refuses to delete a row of a table that refers to itself where the dialect is that of MySQL: each row is checked
// when it goes, and then other rows, or it itself, may still refer to it.
func (b *Writer) ownParent(pos ir.Pos, row *expr.RowSource, where ir.Expr) {
	t := row.Table
	if !b.App.In.MySQL {
		return
	}
	for _, f := range t.Foreign {
		if f.Parent() != t || f.OnDelete != schema.NoAction && f.OnDelete != schema.Restrict || f.Number < 0 {
			continue
		}
		from := []ir.Source{row.IRSource()}
		if !b.SingleRow(ir.Query{From: from, Where: where}) {
			b.Unmodelled("a DELETE of several rows of a table that refers to itself (%s)", f.Name)
		}
		own := where
		k := t.IR.ForeignKeys[f.Number]
		for i, c := range k.Columns {
			own = ir.AndE(own, ir.Op(ir.Eq, &ir.Col{Row: row.Row, Col: t.IR.Columns[c].Name}, &ir.Col{Row: row.Row, Col: t.IR.Columns[k.RefColumns[i]].Name}))
		}
		b.Require(pos, ir.NotE(&ir.Exists{Query: ir.Query{From: from, Where: own}}), foreignKeyViolation)
	}
}

// first keeps the key that LAST_INSERT_ID() gives: that of the first row of the statement.
func (i *inserter) first(v expr.Val) {
	if i.inserted == nil {
		i.inserted = v.Expr
		i.b.NoInsertID = ""
	}
	if i.many && !i.inValues {
		i.b.NoInsertID = "an INSERT of the rows of a query"
	}
	i.b.SetInsertID(i.pos, i.inserted)
}

// implicit is the value that a type has by itself.
func (i *inserter) implicit(c *schema.Column) ir.Expr {
	switch c.T.IR.Kind {
	case ir.KindInt:
		return ir.C(ir.Int(0))
	case ir.KindNum:
		return ir.C(ir.Int(0).Convert(ir.NumType))
	case ir.KindText:
		if c.T.SQL.Format != nil && c.T.SQL.Format.Labels == nil {
			return ir.C(ir.Text(""))
		}
	}
	i.b.Unmodelled("INSERT IGNORE of a value that may be NULL for %s", c.Name)
	return nil
}

// ignoring refuses INSERT IGNORE where errors other than those of keys may come, which it leaves out.
func (i *inserter) ignoring(row *expr.RowSource) {
	if !i.b.App.In.MySQL {
		return
	}
	if len(i.tab.IR.ForeignKeys) > 0 || len(i.tab.Foreign) > 0 {
		i.b.Unmodelled("INSERT IGNORE into a table with foreign keys")
	}
	if len(i.tab.Unseen) > 0 {
		i.b.Unmodelled("INSERT IGNORE into a table with %s", i.tab.Unseen[0].What)
	}
	for _, k := range i.tab.IR.Checks {
		if !i.surely(k, row) {
			i.b.Unmodelled("INSERT IGNORE into a table with check %s, which may refuse the row", k.Name)
		}
	}
}

// surely reports whether a row satisfies a check for certain: that of a generated column, one that says that a parameter of
// its column is not negative, and one about constants.
func (i *inserter) surely(k ir.TableCheck, row *expr.RowSource) bool {
	param := false
	e := ir.MapExpr(k.Expr, func(e ir.Expr) ir.Expr {
		col, is := e.(*ir.Col)
		if !is {
			return e
		}
		c := row.Col(col.Col)
		if c == nil {
			return e
		}
		v, isVar := c.Expr.(*ir.Var)
		param = param || isVar && i.b.Fixed[v.Name]
		return c.Expr
	})
	generated := slices.ContainsFunc(i.tab.IR.Columns, func(c ir.Column) bool { return c.Generated != nil && k.Name == i.tab.Name+" generated "+c.Name })
	unsigned := strings.HasSuffix(k.Name, " unsigned")
	if generated || unsigned && param {
		return true
	}
	if cmp, is := e.(*ir.Binary); is && unsigned {
		c, constant := cmp.X.(*ir.Const)
		return constant && (c.Value.IsNull() || c.Value.Rat().Sign() >= 0)
	}
	value, known := ConstantTruth(e)
	return known && value
}

// replacement is what REPLACE sets of a row that is there: all columns but those of the key. It is nil for another statement.
func (i *inserter) replacement(c *pg.OnConflictClause, row *expr.RowSource) []assignment {
	if !i.replaces(c) {
		return nil
	}
	if keys := i.b.App.KeysTo(i.tab); len(keys) > 0 {
		i.b.Unmodelled("REPLACE in a table to which foreign key %s refers", keys[0].Name)
	}
	if len(i.tab.Triggers) > 0 {
		i.b.Unmodelled("REPLACE in a table with triggers")
	}
	target := i.onlyKey()
	var out []assignment
	for _, col := range row.Cols {
		at := i.tab.IR.Column(col.Name)
		if i.tab.IR.IsKey(at) && slices.Contains(target, at) {
			continue
		}
		e := ir.Expr(&ir.Col{Row: ir.Excluded, Col: col.Name})
		out = append(out, assignment{column: col.Name, v: expr.Val{Expr: e, Type: col.Type, NotNull: col.NotNull}})
	}
	for _, col := range i.tab.Indexed {
		out = append(out, assignment{column: col.Name, v: expr.Val{Expr: &ir.Col{Row: ir.Excluded, Col: col.Name}, Type: col.T}})
	}
	return out
}

// replaces reports whether ON CONFLICT stands for REPLACE (mysql.Replace).
func (i *inserter) replaces(c *pg.OnConflictClause) bool {
	return len(c.TargetList) == 1 && pg.Inner(c.TargetList[0]).(*pg.ResTarget).Name == mysql.Replace
}

// assignedAgain drops the assignments of a column that another one follows. The first value must fit, too, which all integers
// of 32 bits and more are taken to do.
func (b *Writer) assignedAgain(c *schema.Column, list []assignment) []assignment {
	return schema.Without(list, func(a assignment) bool {
		if a.column != c.Name {
			return false
		}
		f := c.T.SQL.Format
		if c.NotNull && !a.v.NotNull || f == nil || f.Kind != ir.KindInt || f.Unsigned || f.Hi < math.MaxInt32 {
			b.Unmodelled("an assignment to %s after another one, whose value must fit, too", c.Name)
		}
		return true
	})
}
