package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// empties notes the tables whose rows a command takes away from older snapshots,
// too: TRUNCATE and the forms of ALTER TABLE that rewrite a table do that, since
// they put new files in the place of the old ones.
func (r *Refs) empties(x any) {
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

// FindEmptied finds the tables that some function or transaction empties, with
// the tables that refer to them, which TRUNCATE … CASCADE empties as well. A
// command that is put together when it runs may name any.
func (l *Schema) FindEmptied() {
	l.Emptied = map[string]bool{}
	var add func(t *Table)
	add = func(t *Table) {
		if t != nil && !l.Emptied[t.Name] {
			l.Emptied[t.Name] = true
			for _, f := range l.KeysTo(t) {
				add(f.Child)
			}
		}
	}
	for _, f := range slices.Concat(l.Funcs, l.Scripts, l.Programs) {
		in := l.InsideOf(f, l.Standard)
		in = in.With(in.Run.Or(l.SetBy(f.Refs, in)))
		for _, name := range slices.Sorted(maps.Keys(f.Refs.emptied)) {
			for _, o := range in.relations(name) {
				add(o.Table)
			}
		}
		if f.Refs.Dynamic && f.BodyText != nil && strings.Contains(strings.ToLower(f.BodyText.SQL), "truncate") {
			for _, t := range l.Order {
				add(t)
			}
		}
	}
}
