package repair

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/witness"
)

// guard is a row of a table of its own that both transactions of an edge write, so that one
// of two which run at the same time is refused: a conflict that is made where the rows that
// they read and write are none. Where both are calls of one transaction that looks for rows by
// columns, there is a row for each of their values, else one for all.
func (m *maker) guard(e *witness.Edge, t *ir.Table, readers []*query) {
	one, two, decl := m.statements(e.FromName, e.FromPosition, t.Name), m.statements(e.ToName, e.ToPosition, t.Name), m.ed.declaration(t)
	if len(one) != 1 || len(two) != 1 || decl == nil || one[0].readOnly() || two[0].readOnly() {
		return
	}
	from, to := one[0], two[0]
	name, typ, value, each := m.free(t.Name+"_guard"), "int", "1", ""
	if e.FromName == e.ToName && len(readers) == 1 {
		if c, v, ok := m.guarded(t, readers[0]); ok {
			typ, value, each = sqlTypes[t.Columns[c].Type.Kind], v, " for each "+t.Columns[c].Name
		}
	}
	if strings.HasPrefix(value, "$") { // its type would be open
		value += "::" + typ
	}
	if each != "" { // a key is not NULL
		value = "COALESCE(" + value + ", " + map[string]string{"bigint": "0", "text": "''"}[typ] + ")"
	}
	// No variable of a function is likely to have the names of these columns.
	write := fmt.Sprintf("INSERT INTO %s (guard_key, guard_written) VALUES (%s, true) ON CONFLICT (guard_key) DO UPDATE SET guard_written = true", name, value)
	edits := [][]Edit{decl.behind(fmt.Sprintf("CREATE TABLE %s (guard_key %s PRIMARY KEY, guard_written boolean NOT NULL)", name, typ)), from.first(write)}
	who := e.FromName + " writes"
	if e.FromName != e.ToName {
		edits = append(edits, to.first(write))
		who = e.FromName + " and " + e.ToName + " write"
	}
	m.add(Guard, e, t, costGuard, fmt.Sprintf("%s a row of a new table%s, so that two of them at once exclude each other", who, each), edits...)
}

// free is a name that no table has, quoted where it has to be.
func (m *maker) free(name string) string {
	out := name
	for i := 2; m.prog.Table(out) != nil; i++ {
		out = name + strconv.Itoa(i)
	}
	return quote.Ident(out)
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
