package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/ir"
)

func actionWord(a schema.Action) string {
	switch a {
	case cascade:
		return "CASCADE"
	case setNull:
		return "SET NULL"
	case schema.SetDefault:
		return "SET DEFAULT"
	case schema.Restrict:
		return "RESTRICT"
	}
	return "NO ACTION"
}

// markActions gives the foreign keys of the IR their actions, as far as it has
// them: those that do no more than delete children, or set columns that nothing
// else looks at to constants or to the new key.
func (l *completer) markActions() {
	for _, t := range l.Order {
		for _, f := range t.Foreign {
			ref := f.Parent()
			if f.Number < 0 || ref == t || t.Odd != "" || ref.Odd != "" {
				continue
			}
			k := &t.IR.ForeignKeys[f.Number]
			if ref.IR.Rowid || !ir.SameColumns(k.RefColumns, ref.IR.Key) {
				continue
			}
			free := l.Free(t, k.Columns)
			null := free && t.Nullable(k.Columns)
			sole := free && t.SoleKey(k.Columns)
			var defaults []ir.Expr
			ok := f.OnDelete == schema.SetDefault || f.OnUpdate == schema.SetDefault
			if ok {
				defaults, ok = l.defaultParent(t, k)
			}
			ok = ok && sole && (!slices.ContainsFunc(defaults, isNull) || null)
			switch {
			case f.OnDelete == cascade && !t.Watched(schema.OnDelete):
				k.OnDelete = ir.CascadeDelete
			case f.OnDelete == setNull && len(f.SetColumns) == 0 && null:
				k.OnDelete = ir.SetNull
			case f.OnDelete == schema.SetDefault && len(f.SetColumns) == 0 && ok:
				k.OnDelete = ir.SetDefault
			}
			switch {
			case f.OnUpdate == cascade && sole:
				k.OnUpdate = ir.CascadeUpdate
			case f.OnUpdate == setNull && null:
				k.OnUpdate = ir.SetNull
			case f.OnUpdate == schema.SetDefault && ok:
				k.OnUpdate = ir.SetDefault
			}
			if k.OnDelete == ir.SetDefault || k.OnUpdate == ir.SetDefault {
				f.Defaults = defaults
			}
		}
	}
}

// defaultParent gives the defaults of the columns of a foreign key, if they are
// constants.
func (l *completer) defaultParent(t *schema.Table, k *ir.ForeignKey) ([]ir.Expr, bool) {
	var out []ir.Expr
	for _, i := range k.Columns {
		c := t.Column(t.IR.Columns[i].Name)
		v := ir.Null
		if c.Fresh || c.Generated != nil {
			return nil, false
		}
		if c.Def != nil {
			var ok bool
			if v, ok = l.constantValue(&query.Place{App: l.Application, Text: c.Def.Text}, c.Def.Node, c); !ok {
				return nil, false
			}
		}
		out = append(out, ir.C(v))
	}
	return out, true
}

func isNull(e ir.Expr) bool {
	c, ok := e.(*ir.Const)
	return ok && c.Value.IsNull()
}

// actions writes the actions that follow a deletion from t.
func (b *Writer) actions(pos ir.Pos, t *schema.Table) {
	for _, f := range b.App.ActionsOf(t) {
		s := &ir.Cascade{At: query.At(pos), Table: f.Child.IR, Key: f.Number}
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

// looksBack reports whether a transaction has to do with the children that an
// action took, after it. What it sees then are the rows of the snapshot, but for
// those that it has deleted, and it has not deleted those that somebody else had
// taken away: the own view of the IR is another one.
func looksBack(body []ir.Stmt) bool {
	taken := map[*ir.Table]bool{}
	acting, found := false, false
	ir.Walk(body, func(s ir.Stmt) {
		if c, ok := s.(*ir.Cascade); ok {
			found = found || !acting && taken[c.Table]
			taken[c.Table], acting = true, true
			return
		}
		acting = false
		if len(taken) == 0 {
			return
		}
		for _, src := range ir.Reads(s) {
			found = found || taken[src.Table]
		}
		switch s := s.(type) {
		case *ir.Unmodelled:
			found = found || s.Tables == nil || slices.ContainsFunc(s.Tables, func(t *ir.Table) bool { return taken[t] })
		default:
			if t := ir.Written(s); t != nil {
				found = found || taken[t]
				for _, fk := range t.ForeignKeys {
					found = found || taken[fk.Ref]
				}
			}
		}
	})
	return found
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
