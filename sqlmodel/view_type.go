package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
)

// typeOfRows translates the query of a view for the type of its rows, nil if it is not
// modelled, or while tables are still declared.
func (l *loader) typeOfRows(v *schema.View) *schema.UserType {
	declaring := slices.ContainsFunc(l.Order, func(t *schema.Table) bool { return t.IR == nil })
	if v.Row != nil || v.Query == nil || v.Typing || declaring {
		return v.Row
	}
	v.Typing = true
	defer func(late schema.Resolver) { v.Typing, l.Late = false, late }(l.Late)
	fn := &schema.Function{Name: v.Name, Pos: v.Pos, Text: v.Text, Refs: v.Refs}
	b := l.newBuilder(fn)
	y := b.Ex(b.newFrame(fn), v.Text).InView(v)
	y.Deriver, y.PerRow = y.NewDeriver(), true
	var rows *query.Derived
	b.Attempt(func() { rows = y.ViewRows(v) })
	if rows == nil {
		return nil
	}
	u := &schema.UserType{Named: v.Rel.Named, Pos: v.Pos, Key: l.Declarations.TypeKey(&v.Rel.Named)}
	for _, c := range rows.Cols {
		u.Fields = append(u.Fields, schema.FieldDef{Name: c.Name, T: c.Type})
	}
	v.Row, l.Declarations.TypesByKey[u.Key] = u, u
	return u
}
