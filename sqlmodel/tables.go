package sqlmodel

import (
	"sort"

	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/sqlmodel/internal/pg"
)

func sortedNames(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// finishTables makes the tables of the program once all DDL was read.
func (l *loader) finishTables() {
	for _, t := range l.order {
		it := &ir.Table{Pos: t.pos, Name: t.name}
		if t.key == nil {
			it.Rowid = true
			it.Columns = []ir.Column{{Name: l.rowidName(t), Type: ir.IntType, NotNull: true}}
			it.Key = []int{0}
		}
		for _, c := range t.columns {
			it.Columns = append(it.Columns, ir.Column{Name: c.name, Type: localType(c.t), NotNull: c.notNull})
		}
		if t.key != nil {
			it.Key = columnIndexes(it, t.key.columns)
		}
		t.ir = it
		l.prog.Tables = append(l.prog.Tables, it)
	}
	for _, t := range l.order {
		l.constraints(t)
	}
	for _, t := range l.order {
		l.foreignKeys(t)
		l.makeRows(t)
	}
	for _, t := range l.order {
		for _, p := range t.policies {
			l.note(t.pos, "policy %s of %s is not modelled: nor is any statement on %s", p.PolicyName, t.name, t.name)
		}
		if t.rowSec && len(t.policies) == 0 {
			l.note(t.pos, "row level security of %s is not modelled: nor is any statement on it", t.name)
		}
	}
}

// rowidName is the name of the hidden column; it must be no other's.
func (l *loader) rowidName(t *table) string {
	if t.column("rowid") != nil {
		l.fail(t.pos, "table %s has no primary key, and its column rowid has the name of the hidden key; declare a primary key", t.name)
	}
	return "rowid"
}

func columnIndexes(t *ir.Table, names []string) []int {
	var out []int
	for _, n := range names {
		out = append(out, t.Column(n))
	}
	return out
}

// constraintExpr translates an expression over a row of t; ok is false, and a
// note says so, when it cannot be modelled.
func (l *loader) constraintExpr(t *table, e *sqlExpr, what string, pos ir.Pos) (out ir.Expr, ok bool) {
	x := &ex{l: l, text: e.text, levels: []*level{{sources: []*rowSource{tableSource(t, lastPart(t.name), t.name)}}}, perRow: true}
	defer func() {
		if r := recover(); r != nil {
			u, is := r.(unmodelled)
			if !is {
				panic(r)
			}
			l.note(pos, "%s is left out: %s is not modelled", what, u.reason)
			out, ok = nil, false
		}
	}()
	return x.boolean(e.node, exact), true
}

func lastPart(name string) string {
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '.' {
			return name[i+1:]
		}
	}
	return name
}

func (l *loader) constraints(t *table) {
	for _, u := range t.uniques {
		iu := ir.Unique{Pos: u.pos, Name: u.name, Columns: columnIndexes(t.ir, u.columns)}
		if u.where != nil {
			e, ok := l.constraintExpr(t, u.where, "unique index "+u.name, u.pos)
			if !ok {
				continue
			}
			iu.Where = e
		}
		t.ir.Uniques = append(t.ir.Uniques, iu)
	}
	for _, k := range t.checks {
		if e, ok := l.constraintExpr(t, &k.expr, "check "+k.name, k.pos); ok {
			t.ir.Checks = append(t.ir.Checks, ir.TableCheck{Pos: k.pos, Name: k.name, Expr: e})
		}
	}
}

// foreignKeys adds the foreign keys of t. One that is not sure to hold, or not
// checked by each statement, is left out.
func (l *loader) foreignKeys(t *table) {
	for _, f := range t.foreign {
		ref := l.table(f.ref)
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
		case f.deferred, f.deferrable && l.defers:
			l.note(f.pos, "foreign key %s may be checked at commit: it is left out", f.name)
			continue
		case f.unproven:
			l.note(f.pos, "foreign key %s is NOT VALID: it is left out", f.name)
			continue
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
		t.ir.ForeignKeys = append(t.ir.ForeignKeys, k)
	}
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

// createTrigger records a trigger: writes of its table become unmodelled.
func (l *loader) createTrigger(s *pg.CreateTrigStmt, t *text, pos ir.Pos) {
	name := rangeName(s.Relation)
	tab := l.table(name)
	if tab == nil {
		if l.views[name] != nil {
			l.note(pos, "trigger %s on a view is left out: writes of the view are not modelled", s.Trigname)
			return
		}
		l.fail(t.pos(int(s.Relation.Location)), noTable+"%s", name)
	}
	tab.triggers = without(tab.triggers, func(g *trigger) bool { return s.Replace && g.name == s.Trigname })
	tab.triggers = append(tab.triggers, &trigger{pos, s.Trigname, qualified(names(s.Funcname)), s.Events, s.Timing&beforeRow != 0})
	l.note(pos, "trigger %s is not modelled: writes of %s that fire it may do anything that its function names", s.Trigname, name)
}
