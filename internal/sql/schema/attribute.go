package schema

import (
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/system"
)

// attribute adds what is taken of rows.
func (r *Refs) attribute(path []*pg.Node) {
	for _, n := range path {
		if s, ok := pg.Inner(n).(*pg.String); ok {
			r.attributes[s.Sval] = true
		}
	}
}

// Calls gives the names of the functions that some SQL calls, those of attributes included.
func (l *Schema) Calls(r *Refs) map[string]bool {
	out := r.Calls
	for name := range r.attributes {
		if out[name] || !l.OfRows(name) {
			continue
		}
		if len(out) == len(r.Calls) {
			out = maps.Clone(out)
		}
		out[name] = true
	}
	return out
}

// OfRows reports whether a function of the program can be called with nothing but a row.
func (l *Schema) OfRows(name string) bool {
	return !l.In.MySQL && slices.ContainsFunc(l.LateFunctions(name), func(f *Function) bool {
		in := f.Inputs()
		return len(in) > 0 && (len(in) == 1 || in[1].Def != nil) && l.IsRow(f, in[0])
	})
}

// IsRow reports whether a parameter takes rows.
func (l *Schema) IsRow(f *Function, p Param) bool {
	if p.T == nil || len(p.T.ArrayBounds) > 0 {
		return false
	}
	raw := syntax.Qualified(syntax.Names(p.T.Names))
	if o := l.Sees(f.Text).Relation(raw); o != nil && !system.Type(syntax.PlainName(raw)) {
		return true
	}
	u := l.Sees(f.Text).Typ(raw)
	return u != nil && len(u.Fields) > 0 || slices.Contains([]string{"record", "anyelement", "anycompatible"}, syntax.PlainName(raw))
}
