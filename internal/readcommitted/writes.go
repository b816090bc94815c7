package readcommitted

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

// write is a way in which a template changes rows of a table that others may look at.
type write struct {
	txn   *ir.Txn
	pos   ir.Pos
	table *ir.Table
	does  writeKind
	// sets are the columns that an update changes, bumps those that it gives a value that no
	// version of the row has had.
	sets  []bool
	bumps []bool
	// equals are values of the row, before as well as after it.
	equals equals
	// guards are locks that the transaction holds when it commits the change, whatever its
	// path. It is settled once a path was seen that commits.
	guards  map[guard]bool
	commits bool
}

type writeKind uint8

const (
	inserts writeKind = iota
	updates
	deletes
)

func (k writeKind) String() string { return [...]string{"inserts", "changes", "deletes"}[k] }

// guarded is a write on a path: values of the row, and the locks that are held by now.
type guarded struct {
	equals equals
	guards map[guard]bool
}

func (g guarded) add(list []guard) {
	for _, x := range list {
		g.guards[x] = true
	}
}

// written is a statement with what it does to rows.
type written struct {
	stmt ir.Stmt
	does writeKind
}

// own are the locks that a write takes by itself.
func (w *write) own() map[guard]bool {
	out := map[guard]bool{guard{kind: onTable, table: w.table, mode: ir.RowExclusive}: true}
	named := func(t *ir.Table, key, cols []int, mode ir.LockMode, sure bool) {
		out[guard{kind: onRow, table: t, row: mode, sure: sure, key: rowKey(w.table, key, cols)}] = true
	}
	for _, k := range keys(w.table) {
		mode := ir.ForUpdate
		stays := w.does != inserts && !slices.ContainsFunc(k, func(c int) bool { return w.does == updates && w.sets[c] })
		if w.does == updates && stays {
			mode = ir.ForNoKeyUpdate
		}
		named(w.table, k, k, mode, stays)
	}
	if w.does == inserts {
		for i := range w.table.ForeignKeys {
			fk := &w.table.ForeignKeys[i]
			if fk.Ref == w.table {
				continue
			}
			for _, k := range keys(fk.Ref) {
				if cols, ok := inOrder(fk, k); ok {
					named(fk.Ref, k, cols, ir.ForKeyShare, true)
				}
			}
		}
	}
	return out
}

// held are the guards that a lock is of a write to rows with such values. A row that refers to the locked
// one is not there without it: the lock, which was taken where no row comes later, has found it.
func (w *write) held(l *lock, values equals) []guard {
	list := l.guards(w.table, values)
	for i := range list {
		g := &list[i]
		if g.kind != onRow || g.sure {
			continue
		}
		for k := range w.table.ForeignKeys {
			fk := &w.table.ForeignKeys[k]
			if fk.Ref != l.table || fk.Ref == w.table {
				continue
			}
			for _, key := range keys(fk.Ref) {
				cols, ok := inOrder(fk, key)
				g.sure = g.sure || ok && g.key == rowKey(w.table, key, cols)
			}
		}
	}
	return list
}

// rowKey names a row by a key of which the columns of a row that is written are the values.
func rowKey(t *ir.Table, key, cols []int) string {
	k := keyName(key)
	for _, c := range cols {
		k += "\x00" + text(ofColumn(t, c))
	}
	return k
}

// inOrder gives the columns of a foreign key in the order of a key of its parent.
func inOrder(fk *ir.ForeignKey, key []int) (cols []int, ok bool) {
	if len(fk.RefColumns) != len(key) {
		return nil, false
	}
	for _, k := range key {
		i := slices.Index(fk.RefColumns, k)
		if i < 0 {
			return nil, false
		}
		cols = append(cols, fk.Columns[i])
	}
	return cols, true
}

// wrote notes what a statement changes, on the path of a state.
func (a *flow) wrote(st *state, s ir.Stmt, w *write) {
	if !a.collects {
		return
	}
	key := written{s, w.does}
	values := w.equals
	if old := a.found[key]; old != nil {
		old.equals = old.equals.both(w.equals)
		w = old
	} else {
		a.found[key] = w
	}
	done := guarded{values, w.own()}
	for _, l := range st.held {
		done.add(w.held(l, values))
	}
	st.done[w] = done
}

// completes is told of an UPDATE of a row that the transaction has inserted itself. Others see the row as it is in the end, so that this
// counts as a part of the insertion: of which it is not known any more what the columns are that are set.
func (a *flow) completes(st *state, update *write) {
	is := func(c int) bool { return update.sets[c] }
	for w, done := range st.done {
		if w.table != update.table || w.does != inserts {
			continue
		}
		w.equals = w.equals.without(is)
		done = guarded{done.equals.without(is), maps.Clone(done.guards)}
		maps.DeleteFunc(done.guards, func(g guard, _ bool) bool {
			for c := range w.table.Columns {
				if is(c) && strings.Contains(g.key, text(ofColumn(w.table, c))) {
					return true
				}
			}
			return false
		})
		st.done[w] = done
	}
}

// flush makes what was written so far count as committed with the locks that are held.
func (st *state) flush() {
	for w, done := range st.done {
		if !w.commits {
			w.commits, w.guards = true, maps.Clone(done.guards)
			continue
		}
		maps.DeleteFunc(w.guards, func(g guard, _ bool) bool { return !done.guards[g] })
	}
}

// matters reports whether a write may change what is looked at.
func (w *write) matters(l *look) bool {
	if w.table != l.table || !w.commits {
		return false
	}
	if w.does == updates {
		touched := false
		for c, is := range w.sets {
			touched = touched || is && l.cols != nil && l.cols[c]
		}
		if !touched {
			return false
		}
	}
	for c := range w.table.Columns {
		if apart(w.equals[c], l.equals[c]) {
			return false
		}
	}
	return true
}

// apart reports whether two lists have different constants.
func apart(x, y []ir.Expr) bool {
	constant := func(e ir.Expr) (ir.Value, bool) {
		c, ok := e.(*ir.Const)
		if !ok || c.Value.Kind != ir.KindInt && c.Value.Kind != ir.KindText && c.Value.Kind != ir.KindBool {
			return ir.Null, false
		}
		return c.Value, true
	}
	return slices.ContainsFunc(x, func(e ir.Expr) bool {
		v, ok := constant(e)
		return ok && slices.ContainsFunc(y, func(o ir.Expr) bool {
			u, ok := constant(o)
			return ok && u.Kind == v.Kind && u != v
		})
	})
}

// menace is a write that may change what a transaction has looked at before it commits.
type menace struct {
	look  *look
	write *write
}

// unguarded finds a write that may change what a statement looks at before the transaction
// commits, or gives nil. Writes of the kinds in harmless do not count: rows that go away do not matter where the rows that are
// found are locked, or none is.
func (a *flow) unguarded(st *state, s ir.Stmt, looks []look, harmless ...writeKind) *menace {
	if a.plain != nil && !a.plain[s] {
		return nil
	}
	for i := range looks {
		l := &looks[i]
		var held []guard
		for _, k := range st.held {
			if k.before(s) && (a.plain == nil || k.early && k.kind == onRow) {
				held = append(held, k.guards(l.table, l.equals)...)
			}
		}
		if slices.ContainsFunc(st.held, func(k *lock) bool { return k.covers(l) && k.before(s) }) {
			continue
		}
		for _, w := range a.writes {
			if !slices.Contains(harmless, w.does) && w.matters(l) && !slices.ContainsFunc(held, func(g guard) bool { return w.keptOut(g) }) {
				return &menace{l, w}
			}
		}
	}
	return nil
}

// keptOut reports whether nobody can commit the write while another transaction holds a
// lock on what it is about.
func (w *write) keptOut(g guard) bool {
	for o := range w.guards {
		if g.excludes(o) {
			return true
		}
	}
	return false
}

// String says for people what may change, and by whom.
func (m *menace) String() string {
	return fmt.Sprintf("%s (%s) %s rows of %s, and holds no lock then that this transaction has", m.write.txn.Name, m.write.pos, m.write.does, m.write.table.Name)
}

// everything are the writes of a statement of which it is not known what it does.
func unknownWrites(p *ir.Program, t *ir.Txn, s *ir.Unmodelled) []*write {
	tables := s.Tables
	if tables == nil {
		tables = p.Tables
	}
	var out []*write
	for _, table := range tables {
		all := make([]bool, len(table.Columns))
		for i := range all {
			all[i] = true
		}
		for _, k := range []writeKind{inserts, updates, deletes} {
			if table.Var && k != updates {
				continue
			}
			w := &write{txn: t, pos: s.Pos, table: table, does: k, sets: all, bumps: make([]bool, len(all)), equals: equals{}, commits: true}
			w.guards = map[guard]bool{guard{kind: onTable, table: table, mode: ir.RowExclusive}: true}
			out = append(out, w)
		}
	}
	return out
}

// plainWrites are the writes of a template whose paths are not followed: each holds what it
// locks by itself.
func plainWrites(p *ir.Program, t *ir.Txn) []*write {
	var out []*write
	add := func(s ir.Stmt, table *ir.Table, k writeKind, sets []bool) {
		w := &write{txn: t, pos: s.Position(), table: table, does: k, sets: sets, bumps: make([]bool, len(table.Columns)), equals: equals{}, commits: true}
		w.guards = w.own()
		out = append(out, w)
	}
	ir.Walk(t.Body, func(s ir.Stmt) {
		switch s := s.(type) {
		case *ir.Unmodelled:
			if !s.ReadOnly {
				out = append(out, unknownWrites(p, t, s)...)
			}
		case *ir.Insert:
			add(s, s.Table, inserts, nil)
			if s.Conflict != nil && len(s.Conflict.Sets) > 0 {
				add(s, s.Table, updates, setsOf(s.Table, s.Conflict.Sets))
			}
		case *ir.Update:
			add(s, s.Table, updates, setsOf(s.Table, s.Sets))
		case *ir.Delete:
			add(s, s.Table, deletes, nil)
		case *ir.Cascade:
			if s.Deletes() {
				add(s, s.Table, deletes, nil)
			} else {
				add(s, s.Table, updates, s.Table.Mask(s.ForeignKey().Columns))
			}
		default: // writes nothing
		}
	})
	return out
}

func setsOf(t *ir.Table, list []ir.Set) []bool {
	out := make([]bool, len(t.Columns))
	for _, s := range list {
		out[s.Col] = true
	}
	return out
}
