package schema

import (
	"maps"
	"slices"
	"strings"
)

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
			for _, o := range in.Relations(name) {
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
