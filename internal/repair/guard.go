package repair

import (
	"fmt"

	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/ir"
)

// guard is a row of a table of its own that both transactions of an edge write, so that one
// of two which run at the same time is refused: a conflict that is made where the rows that
// they read and write are none. Where both are calls of one transaction that looks for rows by
// columns, there is a row for each of their values, else one for all.
func (m *maker) guard(e *witness.Edge, t *ir.Table, q *query) {
	name := quote.Ident(t.Name + "_guard")
	key, typ, value, each := "id", "int", "1", ""
	if e.FromName == e.ToName {
		if c, v, ok := m.guarded(t, q); ok {
			key, typ, value, each = quote.Ident(t.Columns[c].Name), sqlTypes[t.Columns[c].Type.Kind], v, " for each "+t.Columns[c].Name
		}
	}
	decl, ok := m.behind(t.Pos, fmt.Sprintf("CREATE TABLE %s (%s %s PRIMARY KEY, touched boolean NOT NULL)", name, key, typ))
	if !ok {
		return
	}
	write := fmt.Sprintf("INSERT INTO %s (%s, touched) VALUES (%s, true) ON CONFLICT (%[2]s) DO UPDATE SET touched = true;\n", name, key, value)
	at, indent := q.line()
	ins := []insertion{decl, q.insert(at, write+indent)}
	who := e.FromName
	if e.FromName != e.ToName {
		s := m.ed.statement(e.ToPosition)
		if s == nil {
			return
		}
		at, indent := s.line()
		ins = append(ins, s.insert(at, write+indent))
		who += " and " + e.ToName
	}
	m.add(Guard, e, t, costGuard, fmt.Sprintf("%s write a row of a new table%s, so that two of them at once exclude each other", who, each), ins...)
	m.out[len(m.out)-1].Blocks = []string{e.ToName}
}

// sqlTypes are the types of keys of guards, by those of columns.
var sqlTypes = map[ir.Kind]string{ir.KindInt: "bigint", ir.KindText: "text"}

// guarded is a column of a table by which a query looks for rows, and with what value.
func (m *maker) guarded(t *ir.Table, q *query) (col int, value string, ok bool) {
	eq, _ := q.equalities(func(name string) bool { return columnOf(t, name) >= 0 })
	for i, c := range t.Columns {
		if v := eq[c.Name]; v != "" && sqlTypes[c.Type.Kind] != "" {
			return i, v, true
		}
	}
	return 0, "", false
}
