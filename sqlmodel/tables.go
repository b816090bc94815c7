package sqlmodel

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// finishTables makes the tables of the program once all DDL was read.
func (l *loader) finishTables() {
	if len(l.in.found) > 0 {
		for _, t := range slices.Clone(l.order) {
			for _, f := range t.foreign {
				if l.unread.files[t.pos.File] {
					l.unknownTable(f.names, f.ref, f.pos)
				}
			}
		}
	}
	l.keyedColumns()
	l.shorten()
	slices.SortStableFunc(l.views, func(a, b *view) int { return strings.Compare(a.name, b.name) })
	for _, v := range l.views {
		// What stands in the place of a table and has rows is one that the program
		// can be said to touch, and no more.
		if v.rows {
			l.order = append(l.order, &table{pos: v.pos, name: v.name, rel: v.rel, odd: v.what})
		}
	}
	for _, t := range l.order {
		it := &ir.Table{Pos: t.pos, Name: t.name}
		if t.rel.schema() != syntax.PublicSchema || !l.leadsToPublic() {
			it.Qualified = syntax.Qualified([]string{t.rel.schema(), t.rel.own()})
		}
		if t.key == nil {
			if !l.tolerate(t, func() { l.rowidName(t) }) {
				t.columns, t.uniques, t.foreign, t.checks = nil, nil, nil, nil
			}
			it.Rowid = true
			it.Columns = []ir.Column{{Name: "rowid", Type: ir.IntType, NotNull: true}}
			it.Key = []int{0}
		}
		for _, c := range t.columns {
			c.notNull = c.notNull || c.domain.notNull()
			it.Columns = append(it.Columns, ir.Column{Name: c.name, Type: localType(c.t), NotNull: c.notNull, Domain: c.t.domain(), Indexed: slices.Contains(t.lookedUp, c.name)})
		}
		t.indexed = without(t.indexed, func(c *column) bool { // of indexes that were dropped
			return !slices.ContainsFunc(t.uniques, func(u *uniqueKey) bool { return slices.Contains(u.columns, c.name) }) &&
				!slices.ContainsFunc(t.exclusions, func(x *exclusion) bool { return x.uses(c.name) }) &&
				!slices.ContainsFunc(t.keyed, func(k [2]string) bool { return k[1] == c.name })
		})
		for _, c := range slices.Clone(t.indexed) {
			var v val
			why := "names that are not there"
			l.tolerate(t, func() { v, why = l.rowExpr(t, c.generated) })
			if why != "" {
				l.hideIndexes(t, c.name, why)
				continue
			}
			c.t = v.t
			c.notNull = c.notNull || c.domain.notNull()
			it.Columns = append(it.Columns, ir.Column{Name: c.name, Type: localType(c.t), Hidden: true})
			t.coarsen(c.pos, "a key over an expression", v.e, []string{c.name})
		}
		if t.key != nil {
			it.Key = columnIndexes(it, t.key.columns)
		}
		t.ir = it
		l.prog.Tables = append(l.prog.Tables, it)
	}
	for _, t := range l.order {
		if k := t.key; k != nil && (k.deferred || k.deferrable && l.defers) {
			t.odd = "a primary key that is checked at commit"
			l.note(k.pos, "primary key %s may be checked at commit: no statement on %s is modelled", k.name, t.name)
		}
		for _, k := range t.unseen {
			k.tables = []string{t.name}
		}
		l.tolerate(t, func() { l.constraints(t) })
	}
	for _, t := range l.order {
		l.foreignKeys(t)
		l.makeRows(t)
	}
	l.markActions()
	l.noteUnseen()
	for _, t := range l.order {
		for _, p := range t.policies {
			l.note(t.pos, "policy %s of %s is not modelled: nor is any statement on %s", p.name, t.name, t.name)
		}
		if t.rowSec && len(t.policies) == 0 {
			l.note(t.pos, "row level security of %s is not modelled: nor is any statement on it", t.name)
		}
	}
}

// tableOfIR gives the table of which t is the form in the IR.
func (l *Schema) tableOfIR(t *ir.Table) *table {
	for _, o := range l.order {
		if o.ir == t {
			return o
		}
	}
	return nil
}

// rowidName makes sure that the name of the hidden column is no other's.
func (l *Schema) rowidName(t *table) {
	if t.column("rowid") != nil {
		l.fail(t.pos, "table %s has no primary key, and its column rowid has the name of the hidden key; declare a primary key", t.name)
	}
}

func columnIndexes(t *ir.Table, names []string) []int {
	var out []int
	for _, n := range names {
		out = append(out, t.Column(n))
	}
	return out
}

// looksAround reports whether a check with these references looks at more than
// its row.
func (l *Schema) looksAround(r *refs) bool {
	e := l.effectOf(r)
	return e.all || e.writes || len(e.tables) > 0
}

func allNotNull(t *table, cols []string) bool {
	for _, c := range cols {
		if t.column(c) == nil || !t.column(c).notNull {
			return false
		}
	}
	return true
}

// constraintExpr translates an expression over a row of t; why is what cannot
// be modelled of it, or "".
func (l *loader) constraintExpr(t *table, e *sqlExpr) (out ir.Expr, why string) {
	return l.rowCondition(e, tableSource(t, t.rel.own(), t.name))
}

// rowCondition is constraintExpr over other sources.
func (l *loader) rowCondition(e *sqlExpr, sources ...*rowSource) (out ir.Expr, why string) {
	x := &ex{l: l, text: e.text, levels: []*level{{sources: sources}}, perRow: true}
	defer func() {
		if r := recover(); r != nil {
			u, is := r.(unmodelled)
			if !is {
				panic(r)
			}
			out, why = nil, u.reason
		}
	}()
	return x.boolean(e.node, exact), ""
}

// domainValue is VALUE in a check of a domain.
func domainValue(t typ, e ir.Expr) *rowSource {
	return &rowSource{alias: hiddenAlias, cols: []colDef{{name: "value", e: e, t: t}}}
}

// rowExpr translates an expression over a row of t; why is what cannot be
// modelled of it, or "".
func (l *loader) rowExpr(t *table, e *sqlExpr) (v val, why string) {
	x := &ex{l: l, text: e.text, levels: []*level{{sources: []*rowSource{tableSource(t, t.rel.own(), t.name)}}}, perRow: true}
	defer func() {
		if r := recover(); r != nil {
			u, is := r.(unmodelled)
			if !is {
				panic(r)
			}
			v, why = val{}, u.reason
		}
	}()
	return x.defaultType(x.one(e.node)), ""
}

// hideIndexes makes the unique indexes and EXCLUDE constraints over an expression
// that is not modelled constraints that are not seen.
func (l *Schema) hideIndexes(t *table, name, why string) {
	t.uniques = without(t.uniques, func(u *uniqueKey) bool {
		if !slices.Contains(u.columns, name) {
			return false
		}
		t.hide(&unseen{pos: u.pos, name: u.name, what: "unique index " + u.name + ", which is over an expression (" + why + ")",
			key: true, on: onInsert | onUpdate, tables: []string{t.name}})
		return true
	})
	t.exclusions = without(t.exclusions, func(x *exclusion) bool {
		if x.uses(name) {
			l.hideExclusion(t, x, " ("+why+")")
		}
		return x.uses(name)
	})
	t.indexed = without(t.indexed, func(c *column) bool { return c.name == name })
}

// generatedColumns says what the values of generated columns are.
func (l *loader) generatedColumns(t *table) {
	for _, c := range append(slices.Clone(t.columns), t.indexed...) {
		i := t.ir.Column(c.name)
		if c.generated == nil || i < 0 {
			continue
		}
		v, why := l.rowExpr(t, c.generated)
		if why != "" {
			l.note(c.pos, "what column %s is generated from is not known: %s is not modelled", c.name, why)
			continue
		}
		x := &ex{l: l, text: c.generated.text}
		e := x.convert(v, c.t, x.at(c.generated.node), "column "+c.name)
		t.ir.Columns[i].Generated = e
		t.ir.Checks = append(t.ir.Checks, ir.TableCheck{Pos: c.pos, Name: t.name + " generated " + c.name, Expr: ir.Op(ir.Is, &ir.Col{Row: t.name, Col: c.name}, e)})
	}
}

func (l *loader) constraints(t *table) {
	l.generatedColumns(t)
	for _, u := range t.uniques {
		hidden := &unseen{pos: u.pos, name: u.name, what: "unique key " + u.name, key: true, on: onInsert | onUpdate, columns: u.columns, tables: []string{t.name}}
		if u.deferred || u.deferrable && l.defers {
			hidden.what += ", which may be checked at commit"
			t.hide(hidden)
			t.ir.Late = append(t.ir.Late, keyBetween(u))
			continue
		}
		iu := ir.Unique{Pos: u.pos, Name: u.name, Columns: columnIndexes(t.ir, u.columns)}
		if u.where != nil {
			e, why := l.constraintExpr(t, u.where)
			if why != "" {
				hidden.what, hidden.columns = "the condition of unique index "+u.name+" ("+why+")", nil
				t.hide(hidden)
				continue
			}
			iu.Where = e
			t.coarsen(u.pos, "the condition of unique index "+u.name, e, append(columnsNamed(u.where.node), u.columns...))
		}
		t.ir.Uniques = append(t.ir.Uniques, iu)
		if u.nullsEqual(t) {
			x := nullsNotDistinct(t.ir, iu)
			if why := x.Fault(); why != "" {
				hidden.what += ", with NULLS NOT DISTINCT (" + why + ")"
				t.hide(hidden)
			} else {
				t.ir.Exclusions = append(t.ir.Exclusions, x)
			}
		}
	}
	l.exclusions(t)
	l.indexExprs(t)
	for _, c := range t.columns {
		l.domainChecks(t, c)
	}
	for _, k := range t.checks {
		e, why := l.constraintExpr(t, &k.expr)
		switch {
		case why != "":
			if r := l.refsIn(k.expr.node); l.looksAround(r) {
				t.hide(&unseen{pos: k.pos, name: k.name, what: "check " + k.name + " (" + why + ")", on: onInsert | onUpdate, calls: r})
			} else if k.unproven {
				l.leaveOut(t, k.pos, "check "+k.name, why+" is not modelled", nil)
			} else {
				l.leaveOut(t, k.pos, "check "+k.name, why+" is not modelled", columnsNamed(k.expr.node))
			}
		case k.unproven && (ir.MayFail(e) || !known(e)):
			l.leaveOut(t, k.pos, "check "+k.name, "not all rows satisfy it", nil)
		case k.unproven:
			t.unproven = append(t.unproven, ir.TableCheck{Pos: k.pos, Name: k.name, Expr: e})
		default:
			t.ir.Checks = append(t.ir.Checks, ir.TableCheck{Pos: k.pos, Name: k.name, Expr: e})
			t.coarsen(k.pos, "check "+k.name, e, columnsNamed(k.expr.node))
		}
	}
}

// domainChecks makes checks of those of the domain of a column.
func (l *loader) domainChecks(t *table, c *column) {
	hidden := func(k *domainCheck, what string) bool {
		r, looks := l.looks(k)
		if looks {
			t.hide(&unseen{pos: c.pos, what: what, on: onInsert | onUpdate, columns: []string{c.name}, calls: r})
		}
		return looks
	}
	for _, u := range c.within {
		if u == c.domain || !u.demanding() {
			continue
		}
		what := u.refusal() + " in column " + c.name
		l.leaveOut(t, c.pos, what, "which may refuse a part of a value", []string{c.name})
		for _, k := range u.checks() {
			hidden(k, what)
		}
	}
	for _, k := range c.domain.checks() {
		what := "the check of the domain of column " + c.name
		if hidden(k, what) {
			continue
		}
		e, why := l.rowCondition(&k.expr, domainValue(c.t, &ir.Col{Row: t.name, Col: c.name}))
		switch {
		case why != "":
			l.leaveOut(t, c.pos, what, why+" is not modelled", []string{c.name})
		case k.unproven:
			l.leaveOut(t, c.pos, what, "not all rows satisfy it", []string{c.name})
		default:
			t.ir.Checks = append(t.ir.Checks, ir.TableCheck{Pos: c.pos, Name: t.name + "." + c.name, Expr: e})
			t.coarsen(c.pos, what, e, []string{c.name})
		}
	}
}

// indexExprs marks what the expressions of indexes may refuse: each written row is computed.
func (l *loader) indexExprs(t *table) {
	for _, k := range t.computed {
		r := l.refsIn(k.expr.node)
		looks, aborts := false, false
		for name := range l.calls(r) {
			fns := l.lateFunctions(name)
			e := l.effectOfCall(fns)
			looks = looks || e.all || e.writes || len(e.tables) > 0
			aborts = aborts || slices.ContainsFunc(fns, func(f *function) bool { return l.mayAbort(f, map[*function]bool{}) })
		}
		v, why := l.rowExpr(t, &k.expr)
		switch {
		case looks: // it is declared IMMUTABLE, and is not
			t.hide(&unseen{pos: k.pos, name: k.name, what: "index " + k.name, on: onInsert | onUpdate, calls: r})
		case aborts || why == "" && ir.MayFail(v.e):
			l.leaveOut(t, k.pos, "an error of index "+k.name, "what it computes may fail", columnsNamed(k.expr.node))
		}
	}
}

// foreignKeys adds the foreign keys of t. One that is not sure to hold, or not
// checked by each statement, is unseen.
func (l *Schema) foreignKeys(t *table) {
	for _, f := range t.foreign {
		f.number = -1
	}
	for _, f := range slices.Clone(t.foreign) {
		others := []*table{}
		if ref := f.parent(); ref != nil {
			others = append(others, ref)
		}
		if !l.tolerate(t, func() { l.foreignKeyOf(t, f) }, others...) {
			t.foreign = without(t.foreign, func(g *foreignKey) bool { return g == f })
		}
	}
}

// foreignKeyOf adds one foreign key.
func (l *Schema) foreignKeyOf(t *table, f *foreignKey) {
	ref := f.parent()
	if ref == nil {
		l.fail(f.pos, "foreign key %s refers to %s, but there is no such table", f.name, f.ref)
	}
	refs := l.refColumns(childKey{f, t})
	if len(refs) == 0 {
		l.fail(f.pos, "foreign key %s refers to %s, which has no primary key; name the columns", f.name, f.ref)
	}
	l.checkColumns(ref, f.pos, refs)
	if len(refs) != len(f.columns) {
		l.fail(f.pos, "foreign key %s has %d columns for %d", f.name, len(f.columns), len(refs))
	}
	switch {
	case l.checkedLate(f) && slices.Contains(l.in.mended, lateKey{t.name, f.name}):
		l.hideForeignKey(t, ref, f, refs, "foreign key "+f.name+", which may be checked at commit")
		return
	case f.unproven: // what writes it is not modelled, so that MATCH FULL adds nothing
		l.hideForeignKey(t, ref, f, refs, "foreign key "+f.name+", which is NOT VALID")
		return
	case l.unguarded(t, f):
		l.hideForeignKey(t, ref, f, refs, "foreign key "+f.name+", whose triggers are turned off")
		return
	}
	k := ir.ForeignKey{Pos: f.pos, Name: f.name, Columns: columnIndexes(t.ir, f.columns), Ref: ref.ir, RefColumns: columnIndexes(ref.ir, refs)}
	if !keyOrUnique(ref.ir, k.RefColumns) {
		l.fail(f.pos, "foreign key %s refers to columns of %s that are no primary key and no unique key", f.name, f.ref)
	}
	for i, c := range k.Columns {
		from, to := t.ir.Columns[c], ref.ir.Columns[k.RefColumns[i]]
		if !to.Type.Accepts(from.Type) {
			l.fail(f.pos, "foreign key %s compares %s (%s) with %s (%s)", f.name, from.Name, from.Type, to.Name, to.Type)
		}
	}
	f.number = len(t.ir.ForeignKeys)
	t.ir.ForeignKeys = append(t.ir.ForeignKeys, k)
	switch {
	case f.full && l.checkedLate(f):
		l.leaveOut(t, f.pos, "MATCH FULL of foreign key "+f.name, "it may be checked at commit", f.columns)
	case f.full:
		t.ir.Checks = append(t.ir.Checks, ir.TableCheck{Pos: f.pos, Name: f.name, Expr: allOrNone(t.ir, k.Columns)})
	}
}

// allOrNone says that all of some columns are NULL, or none of them.
func allOrNone(t *ir.Table, cols []int) ir.Expr {
	var all, none ir.Expr
	for _, c := range cols {
		null := &ir.Unary{Op: ir.IsNull, X: &ir.Col{Row: t.Name, Col: t.Columns[c].Name}}
		all, none = ir.AndE(all, null), ir.AndE(none, ir.NotE(null))
	}
	return ir.OrE(all, none)
}

func keyOrUnique(t *ir.Table, cols []int) bool {
	if !t.Rowid && ir.SameColumns(cols, t.Key) {
		return true
	}
	for _, u := range t.Uniques {
		if u.Where == nil && ir.SameColumns(cols, u.Columns) {
			return true
		}
	}
	return false
}
