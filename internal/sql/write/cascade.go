package write

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
)

func actionWord(a schema.Action) string {
	switch a {
	case schema.Cascade:
		return "CASCADE"
	case schema.SetNull:
		return "SET NULL"
	case schema.SetDefault:
		return "SET DEFAULT"
	case schema.Restrict:
		return "RESTRICT"
	}
	return "NO ACTION"
}

// actions writes the actions that follow a deletion from t.
func (b *Writer) actions(pos ir.Pos, t *schema.Table) {
	for _, f := range b.App.ActionsOf(t) {
		s := &ir.Cascade{At: expr.At(pos), Table: f.Child.IR, Key: f.Number}
		if f.Action() == ir.SetDefault {
			s.Values = f.Defaults
		}
		b.Emit(s)
	}
}

// acts reports whether the actions of the IR are all that the foreign keys to t
// do when rows of it are deleted: each is marked, their tables are reached in one
// way, and no other foreign key relates these. Which order PostgreSQL takes makes
// no difference then.
func (b *Writer) acts(t *schema.Table) bool {
	if b.LookBack {
		return false
	}
	list := b.App.ActionsOf(t)
	reached, emptied := map[*schema.Table]bool{t: true}, []*schema.Table{t}
	for _, f := range list {
		if reached[f.Child] {
			return false
		}
		reached[f.Child] = true
		if f.Action() == ir.CascadeDelete {
			emptied = append(emptied, f.Child)
		}
	}
	for _, from := range emptied {
		for _, f := range b.App.KeysTo(from) {
			if !slices.Contains(list, f) && (f.OnDelete.Changes() || reached[f.Child]) {
				return false
			}
		}
	}
	return len(list) > 0
}

// cascade stands for what the foreign keys to t do to its children when the
// DELETE s removes rows of t, where the actions of the IR are not all of that: an
// ir.Unmodelled of the tables that this may change, before the deletion, since
// the IR checks foreign keys after each statement.
//
// An ir.Delete or ir.Update of the children would not be right. PostgreSQL looks
// for the children that are there at that moment, not for those of the snapshot,
// and fails if one of them is not as in the snapshot. So it takes no notice of
// a child that somebody else has deleted or given another parent meanwhile,
// where a statement on the children of the snapshot excludes that somebody: it
// would hide executions that commit.
//
// An ir.Unmodelled hides none. It may do to the rows what the real action does,
// excludes nobody, and depends on all rows of its tables both ways: whoever
// writes a child in the window of the deletion is in a cycle with it, which is
// what "not as in the snapshot, but no error" is. The foreign key itself stays
// in the IR, where it says that no child outlives its parent.
func (b *Writer) cascade(pos ir.Pos, t *schema.Table, s *pg.DeleteStmt) {
	for _, f := range b.App.KeysTo(t) {
		if !f.OnDelete.Changes() {
			continue
		}
		what := "ON DELETE " + actionWord(f.OnDelete) + " of foreign key " + f.Name
		for _, g := range f.Child.Triggers {
			if g.Before && g.Events&(schema.OnDelete|schema.OnUpdate) != 0 {
				b.Unmodelled("trigger %s (BEFORE), which %s fires", g.Name, what)
			}
		}
		tr := b.App.Tracer()
		tr.Act(f)
		reads := b.App.EffectOf(b.refsOfNodes([]*pg.Node{s.WhereClause}, s.UsingClause, s.GetReturningClause().GetExprs()))
		reads.Tables[t.Name] = true
		for name := range reads.Tables {
			if tr.Tables[name] || tr.All || reads.All {
				// The action comes after the rows are found, the statement
				// that stands for it comes before.
				b.Unmodelled("%s, in a statement that reads what it changes", what)
			}
		}
		b.Anything(pos, tr.Effect, what)
	}
}
