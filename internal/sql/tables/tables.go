package tables

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/failure"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// Completer makes the tables, constraints and initial rows of the program.
type Completer struct{ *expr.Application }

// FinishTables makes the tables of the program once all DDL was read.
func (l *Completer) FinishTables() {
	if len(l.In.Found) > 0 {
		for _, t := range slices.Clone(l.Order) {
			for _, f := range t.Foreign {
				if l.Unread.Files[t.Pos.File] {
					l.UnknownTable(f.Names, f.Ref, f.Pos)
				}
			}
		}
	}
	l.KeyedColumns()
	l.Shorten()
	slices.SortStableFunc(l.Views, func(a, b *schema.View) int { return strings.Compare(a.Name, b.Name) })
	l.oddTables()
	for _, t := range l.Order {
		it := &ir.Table{Pos: t.Pos, Name: t.Name}
		if t.Rel.Schema() != syntax.PublicSchema || !l.LeadsToPublic() {
			it.Qualified = syntax.Qualified([]string{t.Rel.Schema(), t.Rel.Own()})
		}
		if t.Key == nil {
			if !l.Tolerate(t, func() { l.RowidName(t) }) {
				t.Columns, t.Uniques, t.Foreign, t.Checks = nil, nil, nil, nil
			}
			it.Rowid = true
			it.Columns = []ir.Column{{Name: "rowid", Type: ir.IntType, NotNull: true}}
			it.Key = []int{0}
		}
		for _, c := range t.Columns {
			c.NotNull = c.NotNull || c.Domain.NotNull()
			it.Columns = append(it.Columns, ir.Column{Name: c.Name, Type: expr.LocalType(c.T), NotNull: c.NotNull, Domain: c.T.Domain(), Indexed: slices.Contains(t.LookedUp, c.Name)})
		}
		t.Indexed = schema.Without(t.Indexed, func(c *schema.Column) bool { // of indexes that were dropped
			return !slices.ContainsFunc(t.Uniques, func(u *schema.UniqueKey) bool { return slices.Contains(u.Columns, c.Name) }) &&
				!slices.ContainsFunc(t.Exclusions, func(x *schema.Exclusion) bool { return x.Uses(c.Name) }) &&
				!slices.ContainsFunc(t.Keyed, func(k [2]string) bool { return k[1] == c.Name })
		})
		for _, c := range slices.Clone(t.Indexed) {
			var v expr.Val
			why := "names that are not there"
			l.Tolerate(t, func() { v, why = l.RowExpr(t, c.Generated) })
			if why != "" {
				l.HideIndexes(t, c.Name, why)
				continue
			}
			c.T = v.Type
			c.NotNull = c.NotNull || c.Domain.NotNull()
			it.Columns = append(it.Columns, ir.Column{Name: c.Name, Type: expr.LocalType(c.T), NotNull: c.NotNull, Hidden: true})
			t.Coarsen(c.Pos, "a key over an expression", v.Expr, []string{c.Name})
		}
		if t.Key != nil {
			it.Key = schema.ColumnIndexes(it, t.Key.Columns)
		}
		t.IR = it
		l.Prog.Tables = append(l.Prog.Tables, it)
	}
	for _, t := range l.Order {
		if k := t.Key; k != nil && (k.Deferred || k.Deferrable && l.Defers) {
			t.Odd = "a primary key that is checked at commit"
			l.Note(k.Pos, "primary key %s may be checked at commit: no statement on %s is modelled", k.Name, t.Name)
		}
		for _, k := range t.Unseen {
			k.Tables = []string{t.Name}
		}
		l.Tolerate(t, func() { l.constraints(t) })
	}
	for _, t := range l.Order {
		l.ForeignKeys(t)
		l.makeRows(t)
	}
	l.markActions()
	l.NoteUnseen()
	l.notePolicies()
}

// notePolicies tells which tables have row level security.
func (l *Completer) notePolicies() {
	for _, t := range l.Order {
		where := " outside of SECURITY DEFINER"
		if t.Forced {
			where = ""
		}
		for _, p := range t.Policies {
			l.Note(t.Pos, "policy %s of %s is not modelled: nor is any statement on %s%s", p.Name, t.Name, t.Name, where)
		}
		if t.RowSec && len(t.Policies) == 0 {
			l.Note(t.Pos, "row level security of %s is not modelled: nor is any statement on it%s", t.Name, where)
		}
	}
}

// oddTables adds what stands in the place of a table and has rows, which the program can be said to touch, and no more, and
// marks the tables with keys that partitions do not have, and those of which the dialect says that no statement on them is modelled.
func (l *Completer) oddTables() {
	for _, v := range l.Views {
		if v.Rows {
			l.Order = append(l.Order, &schema.Table{Pos: v.Pos, Name: v.Name, Rel: v.Rel, Odd: v.What})
		}
	}
	for _, t := range l.Order {
		l.openKeys(t)
		if why := l.Foreign.Odd[t.Name]; why != "" {
			t.Odd = why
			l.Note(t.Pos, "%s is not modelled", why)
		}
	}
}

// constraintExpr translates an expression over a row of t; why is what cannot
// be modelled of it, or "".
func (l *Completer) constraintExpr(t *schema.Table, e *schema.SQLExpr) (out ir.Expr, why string) {
	return l.RowCondition(e, expr.TableSource(t, t.Rel.Own(), t.Name))
}

// generatedColumns says what the values of generated columns are.
func (l *Completer) generatedColumns(t *schema.Table) {
	for _, c := range append(slices.Clone(t.Columns), t.Indexed...) {
		i := t.IR.Column(c.Name)
		if c.Generated == nil || i < 0 {
			continue
		}
		v, why := l.RowExpr(t, c.Generated)
		if why != "" {
			l.Note(c.Pos, "what column %s is generated from is not known: %s is not modelled", c.Name, why)
			continue
		}
		x := query.NewPlace(expr.Spot{App: l.Application, Text: c.Generated.Text})
		e := x.Convert(v, c.T, x.At(c.Generated.Node), "column "+c.Name)
		t.IR.Columns[i].Generated = e
		t.IR.Checks = append(t.IR.Checks, ir.TableCheck{Pos: c.Pos, Name: t.Name + " generated " + c.Name, Expr: ir.Op(ir.Is, &ir.Col{Row: t.Name, Col: c.Name}, e)})
	}
}

func (l *Completer) constraints(t *schema.Table) {
	l.generatedColumns(t)
	for _, u := range t.Uniques {
		hidden := &schema.Unseen{Pos: u.Pos, Name: u.Name, What: "unique key " + u.Name, Key: true, On: schema.OnInsert | schema.OnUpdate, Columns: u.Columns, Tables: []string{t.Name}}
		if u.Deferred || u.Deferrable && l.Defers {
			hidden.What += ", which may be checked at commit"
			t.Hide(hidden)
			t.IR.Late = append(t.IR.Late, keyBetween(u))
			continue
		}
		iu := ir.Unique{Pos: u.Pos, Name: u.Name, Columns: schema.ColumnIndexes(t.IR, u.Columns)}
		if u.Where != nil {
			e, why := l.constraintExpr(t, u.Where)
			if why != "" {
				hidden.What, hidden.Columns = "the condition of unique index "+u.Name+" ("+why+")", nil
				t.Hide(hidden)
				continue
			}
			iu.Where = e
			t.Coarsen(u.Pos, "the condition of unique index "+u.Name, e, append(syntax.ColumnsNamed(u.Where.Node), u.Columns...))
		}
		t.IR.Uniques = append(t.IR.Uniques, iu)
		if u.NullsEqual(t) {
			x := nullsNotDistinct(t.IR, iu)
			if why := ir.ExclusionFault(&x); why != "" {
				hidden.What += ", with NULLS NOT DISTINCT (" + why + ")"
				t.Hide(hidden)
			} else {
				t.IR.Exclusions = append(t.IR.Exclusions, x)
			}
		}
	}
	l.exclusions(t)
	l.indexExprs(t)
	for _, c := range t.Columns {
		l.domainChecks(t, c)
	}
	for _, k := range t.Checks {
		e, why := l.constraintExpr(t, &k.Expr)
		switch {
		case why != "":
			if r := l.RefsIn(k.Expr.Node); l.LooksAround(r) {
				t.Hide(&schema.Unseen{Pos: k.Pos, Name: k.Name, What: "check " + k.Name + " (" + why + ")", On: schema.OnInsert | schema.OnUpdate, Calls: r})
			} else if k.Unproven {
				l.LeaveOut(t, k.Pos, "check "+k.Name, why+" is not modelled", nil)
			} else {
				l.LeaveOut(t, k.Pos, "check "+k.Name, why+" is not modelled", syntax.ColumnsNamed(k.Expr.Node))
			}
		case k.Unproven && (failure.MayFail(e) || !expr.Known(e)):
			l.LeaveOut(t, k.Pos, "check "+k.Name, "not all rows satisfy it", nil)
		case k.Unproven:
			t.Unproven = append(t.Unproven, ir.TableCheck{Pos: k.Pos, Name: k.Name, Expr: e})
		default:
			t.IR.Checks = append(t.IR.Checks, ir.TableCheck{Pos: k.Pos, Name: k.Name, Expr: e})
			t.Coarsen(k.Pos, "check "+k.Name, e, syntax.ColumnsNamed(k.Expr.Node))
		}
	}
}

// domainChecks makes checks of those of the domain of a column.
func (l *Completer) domainChecks(t *schema.Table, c *schema.Column) {
	hidden := func(k *schema.DomainCheck, what string) bool {
		r, looks := l.Looks(k)
		if looks {
			t.Hide(&schema.Unseen{Pos: c.Pos, What: what, On: schema.OnInsert | schema.OnUpdate, Columns: []string{c.Name}, Calls: r})
		}
		return looks
	}
	for _, u := range c.Within {
		if u == c.Domain || !u.Demanding() {
			continue
		}
		what := u.Refusal() + " in column " + c.Name
		l.LeaveOut(t, c.Pos, what, "which may refuse a part of a value", []string{c.Name})
		for _, k := range u.Checks() {
			hidden(k, what)
		}
	}
	for _, k := range c.Domain.Checks() {
		what := "the check of the domain of column " + c.Name
		if hidden(k, what) {
			continue
		}
		e, why := l.RowCondition(&k.Expr, expr.DomainValue(c.T, &ir.Col{Row: t.Name, Col: c.Name}))
		switch {
		case why != "":
			l.LeaveOut(t, c.Pos, what, why+" is not modelled", []string{c.Name})
		case k.Unproven:
			l.LeaveOut(t, c.Pos, what, "not all rows satisfy it", []string{c.Name})
		default:
			t.IR.Checks = append(t.IR.Checks, ir.TableCheck{Pos: c.Pos, Name: t.Name + "." + c.Name, Expr: e})
			t.Coarsen(c.Pos, what, e, []string{c.Name})
		}
	}
}

// indexExprs marks what the expressions of indexes may refuse: each written row is computed.
func (l *Completer) indexExprs(t *schema.Table) {
	for _, k := range t.Computed {
		r := l.RefsIn(k.Expr.Node)
		looks, aborts := false, false
		for name := range l.Calls(r) {
			fns := l.LateFunctions(name)
			e := l.EffectOfCall(fns)
			looks = looks || e.All || e.Writes || len(e.Tables) > 0
			aborts = aborts || slices.ContainsFunc(fns, func(f *schema.Function) bool { return l.MayAbort(f, map[*schema.Function]bool{}) })
		}
		v, why := l.RowExpr(t, &k.Expr)
		switch {
		case looks: // it is declared IMMUTABLE, and is not
			t.Hide(&schema.Unseen{Pos: k.Pos, Name: k.Name, What: "index " + k.Name, On: schema.OnInsert | schema.OnUpdate, Calls: r})
		case aborts || why == "" && failure.MayFail(v.Expr):
			l.LeaveOut(t, k.Pos, "an error of index "+k.Name, "what it computes may fail", syntax.ColumnsNamed(k.Expr.Node))
		}
	}
}
