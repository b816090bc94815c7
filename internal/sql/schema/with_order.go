package schema

import "slices"

// Decides reports whether a column is part of a key of t, or of one that refers to it or from it.
func (l *Schema) Decides(t *Table, column string) bool {
	in := func(cols []string) bool { return slices.Contains(cols, column) }
	for _, u := range append(slices.Clone(t.Uniques), t.Keys()...) {
		if in(u.Columns) || u.Where != nil {
			return true
		}
	}
	for _, f := range t.Foreign {
		if in(f.columns) {
			return true
		}
	}
	for _, c := range l.KeysTo(t) {
		if in(l.RefColumns(c)) {
			return true
		}
	}
	return len(t.Exclusions) > 0 || len(t.Indexed) > 0
}
