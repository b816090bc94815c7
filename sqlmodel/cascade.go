package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/ir"
)

// childKey is a foreign key with the table that has it.
type childKey struct {
	*foreignKey
	child *table
}

// keysTo gives the foreign keys that refer to t.
func (l *Schema) keysTo(t *table) []childKey {
	var out []childKey
	for _, child := range l.order {
		for _, f := range child.foreign {
			if f.parent() == t {
				out = append(out, childKey{f, child})
			}
		}
	}
	return out
}

// action gives what the foreign key of the IR does.
func (k childKey) action() ir.Action {
	if k.number < 0 {
		return ir.NoAction
	}
	return k.child.ir.ForeignKeys[k.number].OnDelete
}

// selfKey gives a foreign key from t to t itself, or nil.
func (t *table) selfKey() *foreignKey {
	for _, f := range t.foreign {
		if f.parent() == t {
			return f
		}
	}
	return nil
}

// refColumns gives the columns of the parent that a foreign key refers to.
func (l *Schema) refColumns(f childKey) []string {
	if len(f.foreignKey.refColumns) > 0 {
		return f.foreignKey.refColumns
	}
	if parent := f.parent(); parent != nil && parent.key != nil {
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

// markActions gives the foreign keys of the IR their actions, as far as it has
// them: those that do no more than delete children, or set columns that nothing
// else looks at to constants or to the new key.
func (l *loader) markActions() {
	for _, t := range l.order {
		for _, f := range t.foreign {
			ref := f.parent()
			if f.number < 0 || ref == t || t.odd != "" || ref.odd != "" {
				continue
			}
			k := &t.ir.ForeignKeys[f.number]
			if ref.ir.Rowid || !ir.SameColumns(k.RefColumns, ref.ir.Key) {
				continue
			}
			free := l.free(t, k.Columns)
			null := free && t.nullable(k.Columns)
			sole := free && t.soleKey(k.Columns)
			var defaults []ir.Expr
			ok := f.onDelete == setDefault || f.onUpdate == setDefault
			if ok {
				defaults, ok = l.defaultParent(t, k)
			}
			ok = ok && sole && (!slices.ContainsFunc(defaults, isNull) || null)
			switch {
			case f.onDelete == cascade && !t.watched(onDelete):
				k.OnDelete = ir.CascadeDelete
			case f.onDelete == setNull && len(f.setColumns) == 0 && null:
				k.OnDelete = ir.SetNull
			case f.onDelete == setDefault && len(f.setColumns) == 0 && ok:
				k.OnDelete = ir.SetDefault
			}
			switch {
			case f.onUpdate == cascade && sole:
				k.OnUpdate = ir.CascadeUpdate
			case f.onUpdate == setNull && null:
				k.OnUpdate = ir.SetNull
			case f.onUpdate == setDefault && ok:
				k.OnUpdate = ir.SetDefault
			}
			if k.OnDelete == ir.SetDefault || k.OnUpdate == ir.SetDefault {
				f.defaults = defaults
			}
		}
	}
}

// watched reports whether something beyond the IR follows some kind of write: a
// trigger, or a constraint that the ir.Table does not have.
func (t *table) watched(event int32) bool {
	for _, g := range t.triggers {
		if g.events&event != 0 {
			return true
		}
	}
	return slices.ContainsFunc(t.unseen, func(k *unseen) bool { return k.on&event != 0 })
}

// defaultParent gives the defaults of the columns of a foreign key, if they are
// constants.
func (l *loader) defaultParent(t *table, k *ir.ForeignKey) ([]ir.Expr, bool) {
	var out []ir.Expr
	for _, i := range k.Columns {
		c := t.column(t.ir.Columns[i].Name)
		v := ir.Null
		if c.fresh || c.generated != nil {
			return nil, false
		}
		if c.def != nil {
			var ok bool
			if v, ok = l.constantValue(&ex{l: l, text: c.def.text}, c.def.node, c); !ok {
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

// isNotNull is e IS NOT NULL.
func isNotNull(e ir.Expr) ir.Expr { return ir.NotE(&ir.Unary{Op: ir.IsNull, X: e}) }

func (t *table) nullable(cols []int) bool {
	return !slices.ContainsFunc(cols, func(c int) bool { return t.ir.Columns[c].NotNull })
}

// free reports whether columns may become NULL, or change, whatever is in the
// others: no trigger, primary key, check, partial index or generated column is
// about them, and no action follows.
func (l *Schema) free(t *table, cols []int) bool {
	if len(t.ir.Checks)+len(t.unproven)+len(t.unchecked) > 0 || t.watched(onUpdate) {
		return false
	}
	for _, c := range cols {
		if t.ir.IsKey(c) {
			return false
		}
		for _, f := range l.keysTo(t) {
			if f.onUpdate.changes() && slices.Contains(l.refColumns(f), t.ir.Columns[c].Name) {
				return false
			}
		}
	}
	for _, c := range t.ir.Columns {
		if c.Generated != nil {
			return false
		}
	}
	for _, x := range t.ir.Exclusions {
		if slices.ContainsFunc(x.Columns(t.ir), func(c int) bool { return slices.Contains(cols, c) }) {
			return false
		}
	}
	return !slices.ContainsFunc(t.ir.Uniques, func(u ir.Unique) bool { return u.Where != nil })
}

// soleKey reports whether no column is part of several foreign keys.
func (t *table) soleKey(cols []int) bool {
	for _, c := range cols {
		n := 0
		for _, f := range t.foreign {
			if slices.Contains(f.columns, t.ir.Columns[c].Name) {
				n++
			}
		}
		if n != 1 {
			return false
		}
	}
	return true
}

// actions writes the actions that follow a deletion from t.
func (b *builder) actions(pos ir.Pos, t *table) {
	for _, f := range b.l.actionsOf(t) {
		s := &ir.Cascade{At: at(pos), Table: f.child.ir, Key: f.number}
		if f.action() == ir.SetDefault {
			s.Values = f.defaults
		}
		b.emit(s)
	}
}

// actionsOf gives the foreign keys whose actions a deletion from t causes, the
// parents' before the children's.
func (l *Schema) actionsOf(t *table) []childKey {
	var out []childKey
	queue := []*table{t}
	for len(queue) > 0 {
		for _, f := range l.keysTo(queue[0]) {
			if f.action() == ir.NoAction || slices.Contains(out, f) {
				continue
			}
			if out = append(out, f); f.action() == ir.CascadeDelete {
				queue = append(queue, f.child)
			}
		}
		queue = queue[1:]
	}
	return out
}

// acts reports whether the actions of the IR are all that the foreign keys to t
// do when rows of it are deleted: each is marked, their tables are reached in one
// way, and no other foreign key relates these. Which order PostgreSQL takes makes
// no difference then.
func (b *builder) acts(t *table) bool {
	if b.lookBack {
		return false
	}
	list := b.l.actionsOf(t)
	reached, emptied := map[*table]bool{t: true}, []*table{t}
	for _, f := range list {
		if reached[f.child] {
			return false
		}
		reached[f.child] = true
		if f.action() == ir.CascadeDelete {
			emptied = append(emptied, f.child)
		}
	}
	for _, from := range emptied {
		for _, f := range b.l.keysTo(from) {
			if !slices.Contains(list, f) && (f.onDelete.changes() || reached[f.child]) {
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
