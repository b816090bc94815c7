package repair

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
)

// What changes cost, in an order that puts first what blocks least and adds no writes.
// Constraints come late: whether the application wants one, only its users know.
const (
	costShare     = 1
	costUpdate    = 2
	costSeparate  = 1 // a statement of its own for a lock
	costUpgrade   = 2 // two holders of a shared lock who both write the row are a deadlock
	costIncrement = 2 // it waits no longer than before, but a statement means another thing
	costCondition = 3
	costPromote   = 4
	costCommon    = 5
	costReference = 6
	costGuard     = 7
	costTable     = 7 // it keeps out who writes any row
	costUnique    = 8
	costLevel     = 9 // each transaction has to be tried again where it is refused
	costForReader = 3 // a transaction that only read has to wait now
)

// maker makes the candidates against one finding.
type maker struct {
	ed    *edit
	prog  *ir.Program
	f     *report.Finding
	out   []Change
	notes []string
}

// candidates are the changes that may remove the finding from the program.
func (m *maker) candidates(levels []string, inSource bool) []Change {
	for i := range m.f.Edges {
		e := &m.f.Edges[i]
		t := m.prog.Table(e.Table)
		if e.Type != "RW" || t == nil {
			continue
		}
		readers := m.readers(e)
		for _, q := range readers {
			m.holds(e, t, q)
			m.rewrites(e, t, q)
			m.unique(e, t, q)
			m.reference(e, t, q)
			m.table(e, t, q)
		}
		m.gorm(e, t)
		m.guard(e, t, readers)
	}
	m.common()
	m.levels(levels, inSource)
	return m.out
}

// unproved are the changes that hold what transactions read where their level leaves them open, as a report
// says: no execution is known there, so that nothing else can be made for one.
func (m *maker) unproved(rep *report.Report) []Change {
	for _, l := range rep.Levels {
		if l.Proved || l.Position == nil {
			continue
		}
		for _, t := range m.prog.Tables {
			e := &witness.Edge{Type: "RW", Table: t.Name, FromName: l.Transaction, FromPosition: *l.Position}
			for _, q := range m.readers(e) {
				m.holds(e, t, q)
			}
		}
	}
	return m.out
}

// holds keeps the rows that a query reads as they are.
func (m *maker) holds(e *witness.Edge, t *ir.Table, q *query) {
	if !q.readOnly() {
		m.locks(e, t, q)
		m.promotion(e, t, q)
	}
}

// readers are the queries of the statement at the beginning of an edge that read its table.
func (m *maker) readers(e *witness.Edge) (out []*query) {
	for _, s := range m.statements(e.FromName, e.FromPosition, e.Table) {
		for _, q := range s.selects() {
			if _, ok := q.source(e.Table); ok {
				out = append(out, q)
			}
		}
	}
	return out
}

// add adds a candidate with these edits, if all of them can be made.
func (m *maker) add(kind Kind, e *witness.Edge, t *ir.Table, cost int, text string, edits ...[]Edit) {
	if slices.ContainsFunc(edits, func(list []Edit) bool { return len(list) == 0 }) {
		return // there is no place for it
	}
	if txn := m.prog.Txn(e.FromName); txn != nil && !writes(txn, nil) {
		cost += costForReader
	}
	blocks := m.writers(t)
	switch kind {
	case Unique, OnConflict, Reference, Increment, Condition:
		blocks = []string{}
	case Guard:
		blocks = []string{e.ToName}
	}
	statements, added := 1, 0
	switch kind {
	case LockTable, Unique, Reference:
		statements = 0
	case Promote:
		statements, added = 0, 1
	case Guard:
		statements, added = 0, len(edits)-1 // but for that of the table
	}
	m.out = append(m.out, Change{Kind: kind, Text: text, Position: e.FromPosition, Blocks: blocks, by: e.FromName, statements: statements, writes: added, cost: cost, edits: slices.Concat(edits...)})
}

// writers are the transactions that write a table.
func (m *maker) writers(t *ir.Table) []string {
	out := []string{}
	for _, txn := range m.prog.Txns {
		if writes(txn, t) {
			out = append(out, txn.Name)
		}
	}
	slices.Sort(out)
	return out
}

// writes reports whether a transaction writes a table, or any if that is nil.
func writes(txn *ir.Txn, t *ir.Table) bool {
	found := false
	ir.Walk(txn.Body, func(s ir.Stmt) {
		w := ir.Written(s)
		found = found || w != nil && (t == nil || w == t)
	})
	return found
}

// locks are FOR SHARE and FOR UPDATE, at the query itself or, where its grammar has no
// place for it, in a statement before it.
func (m *maker) locks(e *witness.Edge, t *ir.Table, q *query) {
	src, _ := q.source(e.Table)
	of := ""
	if len(q.sources()) > 1 {
		of = " OF " + quote.Ident(src.alias)
	}
	upgraded := m.upgraded(m.prog.Txn(e.FromName), t, q)
	for _, l := range []struct {
		kind Kind
		mode string
		cost int
	}{{LockShare, " FOR SHARE", costShare}, {LockUpdate, " FOR UPDATE", costUpdate}} {
		if l.kind == LockShare && upgraded {
			l.cost += costUpgrade
		}
		text := fmt.Sprintf("%s locks the rows of %s that it reads (%s)", e.FromName, t.Name, strings.TrimSpace(l.mode))
		if q.lockable() {
			m.add(l.kind, e, t, l.cost, text, q.insert(q.end(), l.mode+of))
			continue
		}
		if q.sent != nil {
			m.nested(l.kind, e, t, q, l.cost+costSeparate, text, l.mode)
			continue
		}
		m.before(l.kind, e, t, q, l.cost+costSeparate, text, "1 "+q.reading()+l.mode+of)
	}
}

// upgraded reports whether a transaction writes the rows that a query of it reads, as far as the
// names of its variables tell.
func (m *maker) upgraded(txn *ir.Txn, t *ir.Table, q *query) bool {
	if txn == nil {
		return false
	}
	read, _ := q.equalities(func(name string) bool { return columnOf(t, name) >= 0 })
	found := false
	ir.Walk(txn.Body, func(s ir.Stmt) {
		var where ir.Expr
		switch s := s.(type) {
		case *ir.Update:
			where = s.Where
		case *ir.Delete:
			where = s.Where
		case *ir.Insert:
			if s.Conflict != nil && len(s.Conflict.Sets) > 0 {
				where = proposed(s)
			}
		default: // it writes no row that it has found
		}
		if ir.Written(s) == t && where != nil {
			found = found || !apart(txn, t, read, where)
		}
	})
	return found
}

// proposed says that a row has the key that an INSERT proposes.
func proposed(s *ir.Insert) ir.Expr {
	where := ir.Expr(ir.C(ir.Bool(true)))
	for i, c := range s.Cols {
		if slices.Contains(s.Table.Key, c) {
			where = ir.AndE(where, ir.Op(ir.Eq, &ir.Col{Col: s.Table.Columns[c].Name}, s.Values[i]))
		}
	}
	return where
}

// apart reports whether the key columns of t equal other parameters in a condition than those that
// they are compared with in a text. What a local has may come from the row itself.
func apart(txn *ir.Txn, t *ir.Table, read map[string]string, where ir.Expr) bool {
	set := map[string]bool{}
	ir.Walk(txn.Body, func(s ir.Stmt) {
		for _, name := range ir.Assigned(s) {
			set[name] = true
		}
	})
	given := func(name string) bool {
		return !set[name] && slices.ContainsFunc(txn.Params, func(p ir.Param) bool { return p.Name == name })
	}
	for _, c := range t.Key {
		name := t.Columns[c].Name
		of := strings.TrimLeft(read[name], ":@$")
		for _, part := range ir.Conjuncts(where) {
			eq, ok := part.(*ir.Binary)
			if !ok || eq.Op != ir.Eq {
				continue
			}
			col, isCol := eq.X.(*ir.Col)
			v, isVar := eq.Y.(*ir.Var)
			if isCol && isVar && col.Col == name && given(of) && given(v.Name) && v.Name != of {
				return true
			}
		}
	}
	return false
}

// table is a lock of a table that other transactions lock already: what they read is safe from each other
// then, and not from a transaction that only writes rows.
func (m *maker) table(e *witness.Edge, t *ir.Table, q *query) {
	locked := slices.ContainsFunc(m.prog.Txns, func(txn *ir.Txn) bool { return locksTable(txn, t) })
	if from := m.prog.Txn(e.FromName); !locked || from == nil || locksTable(from, t) || q.readOnly() || q.sent != nil {
		return
	}
	at, indent := q.line()
	m.add(LockTable, e, t, costTable, fmt.Sprintf("%s locks the table %s, as others do", e.FromName, t.Name), q.insert(at, fmt.Sprintf("LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE;\n%s", sqlName(t), indent)))
}

// locksTable reports whether a transaction locks a table.
func locksTable(txn *ir.Txn, t *ir.Table) bool {
	found := false
	ir.Walk(txn.Body, func(s ir.Stmt) {
		l, ok := s.(*ir.LockTable)
		found = found || ok && l.Table == t
	})
	return found
}

// before adds a SELECT in front of the statement of a query: as PERFORM, which PL/pgSQL
// wants, and as SELECT. That of the wrong language cannot be read.
func (m *maker) before(kind Kind, e *witness.Edge, t *ir.Table, q *query, cost int, text, list string) {
	at, indent := q.line()
	for _, verb := range []string{"PERFORM", "SELECT"} {
		m.add(kind, e, t, cost, text+", in a statement before that", q.insert(at, verb+" "+list+";\n"+indent))
	}
}

// promotion is an UPDATE of the rows that a query reads, which changes nothing.
func (m *maker) promotion(e *witness.Edge, t *ir.Table, q *query) {
	if len(q.sources()) != 1 || !q.has("where") || q.has("limit", "offset", "fetch") {
		return
	}
	src, _ := q.source(e.Table)
	where := q.clause("where")
	col := quote.Ident(m.plainColumn(t, e.Columns))
	as := ""
	if src.alias != src.name {
		as = " AS " + quote.Ident(src.alias)
	}
	if q.sent != nil && q.toks[0] != q.statement.toks[0] {
		return // the names of the statement around it may be among those of the condition
	}
	m.add(Promote, e, t, costPromote, fmt.Sprintf("%s writes the rows of %s that it reads, as they are", e.FromName, t.Name),
		q.first(fmt.Sprintf("UPDATE %s%s SET %s = %s.%s WHERE %s", src.written, as, col, quote.Ident(src.alias), col,
			q.text[where[0].Start:where[len(where)-1].End])))
}

// plainColumn is a column of a table that is no part of its key: one of those named, if possible.
func (m *maker) plainColumn(t *ir.Table, columns []string) string {
	list := slices.Clone(columns)
	for _, c := range t.Columns {
		if !c.Hidden && c.Generated == nil {
			list = append(list, c.Name)
		}
	}
	for _, name := range list {
		if i := columnOf(t, name); i >= 0 && !slices.Contains(t.Key, i) {
			return name
		}
	}
	return list[0]
}

func columnOf(t *ir.Table, name string) int {
	return slices.IndexFunc(t.Columns, func(c ir.Column) bool { return c.Name == name && !c.Hidden })
}

// unique is a key over the columns by which a query looks for a row that another
// transaction inserts.
//
// Who counts rows or adds them up wants several of them, and so does who inserts without
// a look.
func (m *maker) unique(e *witness.Edge, t *ir.Table, q *query) {
	eq, only := q.equalities(func(name string) bool { return columnOf(t, name) >= 0 })
	decl := m.ed.declaration(t)
	if !only || !q.lockable() || len(q.sources()) != 1 || decl == nil || decl.says("partition") {
		return
	}
	for _, txn := range m.prog.Txns {
		if insertsInto(txn, t) != (txn.Name == e.FromName || txn.Name == e.ToName) {
			return
		}
	}
	var cols []string
	var set []int
	for i, c := range t.Columns {
		if eq[c.Name] != "" {
			cols, set = append(cols, quote.Ident(c.Name)), append(set, i)
		}
	}
	keys := append([]ir.Unique{{Columns: t.Key}}, t.Uniques...)
	if slices.ContainsFunc(keys, func(k ir.Unique) bool { return k.Where == nil && ir.SameColumns(k.Columns, set) }) {
		return
	}
	list := strings.Join(cols, ", ")
	if in, ok := m.declare(t, t, fmt.Sprintf("UNIQUE (%s)", list)); ok {
		m.add(Unique, e, t, costUnique, fmt.Sprintf("%s has at most one row for each %s: only if the application wants that, and if it is so of the rows that are there", t.Name, list), in)
		if quiet := m.quiet(e, t, q, eq, set); quiet != nil {
			m.add(OnConflict, e, t, costUnique+1, fmt.Sprintf("%s inserts into %s in one statement, which leaves out a second row for the same %s: only if the application wants at most one, and if it is so of the rows that are there", e.FromName, t.Name, list), in, quiet)
		}
	}
}

// declare adds a constraint to a table, behind the last statement that declares or alters
// it or another one.
func (m *maker) declare(t, other *ir.Table, constraint string) ([]Edit, bool) {
	var last *statement
	for _, table := range []*ir.Table{t, other} {
		s := m.ed.declaration(table)
		if s == nil {
			return nil, false
		}
		for _, f := range m.ed.before {
			for _, other := range m.ed.statements(f) {
				if other.alters(table.Name) {
					s = m.later(s, other)
				}
			}
		}
		last = m.later(s, last)
	}
	return last.behind(fmt.Sprintf("ALTER TABLE %s ADD %s", sqlName(t), constraint)), true
}

// later gives the statement that is read later.
func (m *maker) later(a, b *statement) *statement {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	file := func(s *statement) int {
		return slices.IndexFunc(m.ed.before, func(f input.File) bool { return f.Name == s.file })
	}
	if cmp.Or(cmp.Compare(file(a), file(b)), cmp.Compare(a.toks[0].Start, b.toks[0].Start)) < 0 {
		return b
	}
	return a
}

// reference is a foreign key: a transaction looks for a row by its key, and inserts one that
// belongs to it, while another one deletes the row. Where rows are inserted that one looks for,
// it is the lack of them that matters.
func (m *maker) reference(e *witness.Edge, t *ir.Table, q *query) {
	if s := m.ed.statement(e.ToPosition); s == nil || !s.says("delete") {
		return
	}
	eq, _ := q.equalities(func(name string) bool { return columnOf(t, name) >= 0 })
	keys := append([]ir.Unique{{Columns: t.Key}}, t.Uniques...)
	for _, k := range keys {
		if k.Where != nil || len(k.Columns) == 0 || slices.ContainsFunc(k.Columns, func(c int) bool { return eq[t.Columns[c].Name] == "" }) {
			continue
		}
		for _, in := range inserts(m.prog.Txn(e.FromName)) {
			if cols := belonging(in, t, k.Columns, eq); cols != nil && in.Table != t {
				m.refer(e, t, in.Table, cols, k.Columns)
			}
		}
	}
}

// belonging are the columns of an inserted row that have the values by which a row of t was
// looked for, nil if some are not among them.
func belonging(in *ir.Insert, t *ir.Table, key []int, eq map[string]string) (out []int) {
	for _, c := range key {
		found := false
		for i, col := range in.Cols {
			v, ok := in.Values[i].(*ir.Var)
			if ok && v.Name == eq[t.Columns[c].Name] && !found {
				out, found = append(out, col), true
			}
		}
		if !found {
			return nil
		}
	}
	return out
}

func (m *maker) refer(e *witness.Edge, t, child *ir.Table, cols, key []int) {
	if slices.ContainsFunc(child.ForeignKeys, func(fk ir.ForeignKey) bool { return fk.Ref == t && slices.Equal(fk.Columns, cols) }) {
		return
	}
	names := func(t *ir.Table, list []int) string {
		var out []string
		for _, c := range list {
			out = append(out, quote.Ident(t.Columns[c].Name))
		}
		return strings.Join(out, ", ")
	}
	one, two := m.ed.declaration(child), m.ed.declaration(t)
	for _, word := range []string{"unlogged", "temporary", "temp"} {
		if one == nil || two == nil || one.says(word) != two.says(word) {
			return
		}
	}
	in, ok := m.declare(child, t, fmt.Sprintf("FOREIGN KEY (%s) REFERENCES %s (%s)", names(child, cols), sqlName(t), names(t, key)))
	if ok {
		m.add(Reference, e, t, costReference, fmt.Sprintf("a row of %s cannot be without its row of %s: only if that is so of the rows that are there, and of all that the application wants", child.Name, t.Name), in)
	}
}

func sqlName(t *ir.Table) string {
	if t.Qualified != "" {
		return quote.Name(t.Qualified)
	}
	return quote.Name(t.Name)
}

// inserts are the INSERTs of a transaction.
func inserts(txn *ir.Txn) (out []*ir.Insert) {
	if txn == nil {
		return nil
	}
	ir.Walk(txn.Body, func(s ir.Stmt) {
		if in, ok := s.(*ir.Insert); ok {
			out = append(out, in)
		}
	})
	return out
}

func insertsInto(txn *ir.Txn, t *ir.Table) bool {
	return slices.ContainsFunc(inserts(txn), func(in *ir.Insert) bool { return in.Table == t })
}

// common is a write of the row of a table to which the rows that are read refer, in each
// transaction that reads what another one of the cycle changes.
func (m *maker) common() {
	var changes []Change
	for i := range m.f.Edges {
		e := &m.f.Edges[i]
		if t := m.prog.Table(e.Table); e.Type == "RW" && t != nil {
			for _, q := range m.readers(e) {
				if c, ok := m.parent(e, t, q); ok {
					changes = append(changes, c)
				}
			}
		}
	}
	if len(changes) == 0 {
		return
	}
	whole := changes[0]
	for _, c := range changes[1:] {
		if !slices.Contains(whole.edits, c.edits[0]) {
			whole.edits = append(whole.edits, c.edits...)
			whole.cost += c.cost
			whole.writes += c.writes
			whole.Text += "; " + c.Text
		}
	}
	m.out = append(m.out, whole)
}

// parent is the write of the row to which the rows that a query looks for refer.
func (m *maker) parent(e *witness.Edge, t *ir.Table, q *query) (Change, bool) {
	eq, _ := q.equalities(func(name string) bool { return columnOf(t, name) >= 0 })
	for i := range t.ForeignKeys {
		fk := &t.ForeignKeys[i]
		var where []string
		for k, c := range fk.Columns {
			// A variable with the name of a column would be ambiguous.
			if v := eq[t.Columns[c].Name]; v != "" && columnOf(fk.Ref, v) < 0 {
				where = append(where, quote.Ident(fk.Ref.Columns[fk.RefColumns[k]].Name)+" = "+v)
			}
		}
		if len(where) < len(fk.Columns) || q.readOnly() {
			continue
		}
		col := quote.Ident(m.plainColumn(fk.Ref, nil))
		in := q.first(fmt.Sprintf("UPDATE %s SET %s = %[1]s.%[2]s WHERE %[3]s", sqlName(fk.Ref), col, strings.Join(where, " AND ")))
		if in == nil {
			continue
		}
		text := fmt.Sprintf("%s writes the row of %s to which the rows of %s refer, as it is", e.FromName, fk.Ref.Name, t.Name)
		return Change{Kind: Common, Text: text, Position: e.FromPosition, Blocks: m.writers(fk.Ref), by: e.FromName, writes: 1, cost: costCommon, edits: in}, true
	}
	return Change{}, false
}
