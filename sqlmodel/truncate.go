package sqlmodel

import (
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// empties notes the tables whose rows a command takes away from older snapshots,
// too: TRUNCATE and the forms of ALTER TABLE that rewrite a table do that, since
// they put new files in the place of the old ones.
func (r *refs) empties(x any) {
	switch x := x.(type) {
	case *pg.TruncateStmt:
		for _, n := range x.Relations {
			if v, ok := pg.Inner(n).(*pg.RangeVar); ok {
				r.emptied[syntax.RangeName(v)] = true
			}
		}
	case *pg.AlterTableStmt:
		r.emptied[syntax.RangeName(x.Relation)] = true
	}
}

// findEmptied finds the tables that some function or transaction empties, with
// the tables that refer to them, which TRUNCATE … CASCADE empties as well. A
// command that is put together when it runs may name any.
func (l *Schema) findEmptied() {
	l.emptied = map[string]bool{}
	var add func(t *table)
	add = func(t *table) {
		if t != nil && !l.emptied[t.name] {
			l.emptied[t.name] = true
			for _, f := range l.keysTo(t) {
				add(f.child)
			}
		}
	}
	for _, f := range slices.Concat(l.funcs, l.scripts, l.programs) {
		in := l.insideOf(f, l.standard)
		in = in.with(in.run.Or(l.setBy(f.refs, in)))
		for _, name := range slices.Sorted(maps.Keys(f.refs.emptied)) {
			for _, o := range in.relations(name) {
				add(o.table)
			}
		}
		if f.refs.dynamic && f.bodyText != nil && strings.Contains(strings.ToLower(f.bodyText.SQL), "truncate") {
			for _, t := range l.order {
				add(t)
			}
		}
	}
}

// stale puts an ir.Unmodelled before each statement that reads a table which
// TRUNCATE may have emptied since the snapshot: then it sees no rows, which no
// statement on a snapshot does. It stands for a write as well, since with it the
// transaction depends on the moment at which it reads, both ways: a transaction
// that truncates the table cannot leave the time between its snapshot and its
// end.
//
// A transaction that locks the table before it takes its snapshot need not be
// told: nobody truncates it until it ends. Nor need one that only inserts, for
// that looks at what is there now.
func (b *builder) stale() {
	if len(b.l.emptied) == 0 {
		return
	}
	locked := map[*ir.Table]bool{}
	for _, s := range b.txn.Body {
		if k, ok := s.(*ir.LockTable); ok {
			locked[k.Table] = true
		} else if ir.TakesSnapshot(s) || len(ir.Children(s)) > 0 {
			break
		}
	}
	concerned := func(s ir.Stmt) []*ir.Table {
		read := map[*ir.Table]bool{}
		for _, src := range ir.Reads(s) {
			read[src.Table] = true
		}
		u, unmodelled := s.(*ir.Unmodelled)
		if unmodelled && u.ReadOnly {
			for _, t := range u.Tables {
				read[t] = true
			}
		}
		var out []*ir.Table
		for _, t := range b.l.order {
			if b.l.emptied[t.name] && t.ir != nil && !locked[t.ir] && (read[t.ir] || unmodelled && u.ReadOnly && u.Tables == nil) {
				out = append(out, t.ir)
			}
		}
		return out
	}
	var walk func(list []ir.Stmt) []ir.Stmt
	walk = func(list []ir.Stmt) []ir.Stmt {
		var out []ir.Stmt
		for _, s := range list {
			if tables := concerned(s); len(tables) > 0 {
				out = append(out, &ir.Unmodelled{At: at(s.Position()), Tables: tables,
					Reason: "rows that TRUNCATE or ALTER TABLE may take away from an older snapshot, which DELETE does not"})
			}
			ir.EditChildren(s, walk)
			out = append(out, s)
		}
		return out
	}
	b.txn.Body = walk(b.txn.Body)
}
