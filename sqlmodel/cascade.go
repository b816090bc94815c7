package sqlmodel

import (
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/sqlmodel/internal/pg"
)

// childKey is a foreign key with the table that has it.
type childKey struct {
	*foreignKey
	child *table
}

// keysTo gives the foreign keys that refer to t.
func (l *loader) keysTo(t *table) []childKey {
	var out []childKey
	for _, child := range l.order {
		for _, f := range child.foreign {
			if l.table(f.ref) == t {
				out = append(out, childKey{f, child})
			}
		}
	}
	return out
}

// selfKey gives a foreign key from t to t itself, or nil.
func (t *table) selfKey() *foreignKey {
	for _, f := range t.foreign {
		if f.ref == t.name {
			return f
		}
	}
	return nil
}

// refColumns gives the columns of the parent that a foreign key refers to.
func (l *loader) refColumns(f childKey) []string {
	if len(f.foreignKey.refColumns) > 0 {
		return f.foreignKey.refColumns
	}
	if parent := l.table(f.ref); parent != nil && parent.key != nil {
		return parent.key.columns
	}
	return nil
}

func actionWord(a action) string {
	switch a {
	case cascade:
		return "CASCADE"
	case setNull:
		return "SET NULL"
	case setDefault:
		return "SET DEFAULT"
	case restrict:
		return "RESTRICT"
	}
	return "NO ACTION"
}

// cascade stands for what the foreign keys to t do to its children when the
// DELETE s removes rows of t: an ir.Unmodelled of the tables that this may
// change, before the deletion, since the IR checks foreign keys after each
// statement.
//
// No statement of the IR on the children would be right. PostgreSQL looks for
// the children that are there at that moment, not for those of the snapshot,
// and fails if one of them is not as in the snapshot. So it takes no notice of
// a child that somebody else has deleted or given another parent meanwhile,
// where an ir.Delete or ir.Update of the children in the snapshot excludes
// that somebody: it would hide executions that commit.
//
// An ir.Unmodelled hides none. It may do to the rows what the real action does,
// excludes nobody, and depends on all rows of its tables both ways: whoever
// writes a child in the window of the deletion is in a cycle with it, which is
// what "not as in the snapshot, but no error" is. The foreign key itself stays
// in the IR, where it says that no child outlives its parent.
func (b *builder) cascade(pos ir.Pos, t *table, s *pg.DeleteStmt) {
	for _, f := range b.l.keysTo(t) {
		if !f.onDelete.changes() {
			continue
		}
		what := "ON DELETE " + actionWord(f.onDelete) + " of foreign key " + f.name
		for _, g := range f.child.triggers {
			if g.before && g.events&(onDelete|onUpdate) != 0 {
				b.unmodelled("trigger %s (BEFORE), which %s fires", g.name, what)
			}
		}
		tr := b.l.tracer()
		tr.act(f)
		reads := b.l.effectOf(b.refsOfNodes([]*pg.Node{s.WhereClause}, s.UsingClause, s.GetReturningClause().GetExprs()))
		reads.tables[t.name] = true
		for name := range reads.tables {
			if tr.tables[name] || tr.all || reads.all {
				// The action comes after the rows are found, the statement
				// that stands for it comes before.
				b.unmodelled("%s, in a statement that reads what it changes", what)
			}
		}
		b.anything(pos, tr.effect, what)
	}
}
