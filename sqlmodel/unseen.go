package sqlmodel

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/ir"
)

// unseen is a constraint of a table that the ir.Table does not have. It cannot
// just be left out. That would allow more executions, but more serial ones as
// well: who frees a unique key, or deletes the last child of a parent, must
// come before who makes use of that, and only the constraint says so. So each
// write that it checks is followed by an ir.Unmodelled of the tables that the
// check looks at. A check of the row alone needs none: its outcome is the same
// wherever the transaction reads and writes the same.
type unseen struct {
	pos  ir.Pos
	name string
	what string // for reasons
	key  bool   // it says that rows differ: ON CONFLICT may meet it
	// on are the events that it checks; columns, if not nil, are those that an
	// UPDATE must set for that.
	on      int32
	columns []string
	// tables are those that the check looks at: t itself unless it is a foreign
	// key or a CHECK.
	tables []string
	calls  *refs // what a CHECK calls
}

// unchecked is a check of a row alone that is left out. Nothing depends on other rows for
// it, but a write may fail, so that an ir.Dropped stands beside it.
type unchecked struct {
	pos  ir.Pos
	what string
	// columns are those that an UPDATE must set for it to be checked, nil if any.
	columns []string
}

// leaveOut adds a check that is left out, with the columns that it is about. Where these are
// several, whether a change of one is refused depends on the others.
func (l *Schema) leaveOut(t *table, pos ir.Pos, what, why string, columns []string) {
	t.unchecked = append(t.unchecked, &unchecked{pos: pos, what: what + ", " + why, columns: columns})
	l.note(pos, "%s is left out: %s", what, why)
}

// coarsen marks a check or a key that calls functions of which it is not known what they give: the
// interpreter takes them to give what it likes.
func (t *table) coarsen(pos ir.Pos, what string, e ir.Expr, columns []string) {
	var unknown []string
	ir.WalkExpr(e, func(e ir.Expr) {
		if c, ok := e.(*ir.Call); ok && !c.Known() {
			unknown = append(unknown, strings.TrimPrefix(c.Name, ir.Symmetric))
		}
	})
	if unknown != nil {
		slices.Sort(unknown)
		unknown = slices.Compact(unknown)
		t.unchecked = append(t.unchecked, &unchecked{pos, what + ", of which it is not known what " + strings.Join(unknown, ", ") + " gives", columns})
	}
}

// uncheckedWrites marks that a write may fail for what is left out.
func (b *builder) uncheckedWrites(pos ir.Pos, t *table, events int32, set []assignment) {
	if t.partitions.open() && events&onUpdate != 0 {
		columns := t.partitions.columns()
		if set == nil || columns == nil || slices.ContainsFunc(set, func(a assignment) bool { return slices.Contains(columns, a.column) }) {
			b.mayRefuse(pos, noPartition, t)
		}
	}
	for _, k := range t.unchecked {
		hit := events&onInsert != 0 || events&onUpdate != 0 && (set == nil || k.columns == nil)
		for _, a := range set {
			hit = hit || slices.Contains(k.columns, a.column)
		}
		switch {
		case !hit:
		case events&onUpdate != 0 && len(k.columns) != 1:
			b.mayDepend(pos, k.what, t.ir)
		default:
			b.mayRefuse(pos, k.what, t)
		}
	}
}

// mayRefuse marks that the database may refuse a statement with an error.
func (b *builder) mayRefuse(pos ir.Pos, what string, t *table) {
	b.emit(&ir.Dropped{At: at(pos), Kind: ir.ByError, What: what, Tables: []*ir.Table{t.ir}})
}

// mayDepend marks that the database may refuse a statement, or go on otherwise, depending on rows of
// some tables, or without these on any values that the transaction has read.
func (b *builder) mayDepend(pos ir.Pos, what string, tables ...*ir.Table) {
	b.emit(dependence(pos, what, tables...))
}

func dependence(pos ir.Pos, what string, tables ...*ir.Table) *ir.Dropped {
	return &ir.Dropped{At: at(pos), Kind: ir.ByError, What: what, Tables: tables, Observes: true}
}

// concerns reports whether writes of some kinds are checked; set is what an
// UPDATE sets.
func (k *unseen) concerns(events int32, set []string) bool {
	if k.on&events&^onUpdate != 0 {
		return true
	}
	if k.on&events == 0 {
		return false
	}
	hit := k.columns == nil || set == nil
	for _, column := range set {
		hit = hit || slices.Contains(k.columns, column)
	}
	return hit
}

func (t *table) unseenNames() []string {
	var out []string
	for _, k := range t.unseen {
		out = append(out, k.name)
	}
	return out
}

// hide adds a constraint that is not seen.
func (t *table) hide(k *unseen) { t.unseen = append(t.unseen, k) }

// hideForeignKey makes a foreign key from t to ref one that is not seen, for
// writes of both.
func (l *Schema) hideForeignKey(t, ref *table, f *foreignKey, refs []string, what string) {
	both := []string{t.name, ref.name}
	t.hide(&unseen{pos: f.pos, name: f.name, what: what, on: onInsert | onUpdate, columns: f.columns, tables: both})
	ref.hide(&unseen{pos: f.pos, name: f.name, what: what, on: onDelete | onUpdate, columns: refs, tables: both})
}

// noteUnseen tells of the constraints that are not seen.
func (l *Schema) noteUnseen() {
	for _, t := range l.order {
		for _, k := range t.unseen {
			l.note(k.pos, "%s: writes of %s may depend on all that its check reads", k.what, t.name)
		}
	}
}
