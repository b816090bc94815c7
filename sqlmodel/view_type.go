package sqlmodel

import "slices"

// typeOfRows translates the query of a view for the type of its rows, nil if it is not
// modelled, or while tables are still declared.
func (l *loader) typeOfRows(v *view) *userType {
	declaring := slices.ContainsFunc(l.order, func(t *table) bool { return t.ir == nil })
	if v.row != nil || v.query == nil || v.typing || declaring {
		return v.row
	}
	v.typing = true
	defer func(late resolver) { v.typing, l.late = false, late }(l.late)
	fn := &function{name: v.name, pos: v.pos, text: v.text, refs: v.refs}
	b := l.newBuilder(fn)
	y := b.ex(b.newFrame(fn), v.text).inView(v)
	y.d, y.perRow = y.newDeriver(), true
	var rows *derived
	b.attempt(func() { rows = y.viewRows(v) })
	if rows == nil {
		return nil
	}
	u := &userType{named: v.rel.named, pos: v.pos, key: l.declarations.typeKey(&v.rel.named)}
	for _, c := range rows.cols {
		u.fields = append(u.fields, fieldDef{name: c.name, t: c.t})
	}
	v.row, l.declarations.typesByKey[u.key] = u, u
	return u
}
