package schema

import "github.com/txrobust/robust/ir"

// TableFor finds the table with an ir.Table.
func (l *Schema) TableFor(t *ir.Table) *Table {
	for _, o := range l.Order {
		if o.Ir == t {
			return o
		}
	}
	panic("sqlmodel: table " + t.Name + " is not in the program")
}
