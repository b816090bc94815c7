package sqlmodel

import (
	"github.com/txrobust/robust/ir"
)

// childKey is a foreign key with the table that has it.
type childKey struct {
	*foreignKey
	child *table
}

// actionsOn gives the foreign keys that refer to t.
func (l *loader) actionsOn(t *table) []childKey {
	var out []childKey
	for _, child := range l.order {
		for _, f := range child.foreign {
			if l.table(f.ref) == t {
				out = append(out, childKey{f, child})
			}
		}
	}
	return out
}

// refColumns gives the columns of the parent that a foreign key refers to.
func (l *loader) refColumns(f childKey) []string {
	if len(f.foreignKey.refColumns) > 0 {
		return f.foreignKey.refColumns
	}
	if parent := l.table(f.ref); parent != nil && parent.key != nil {
		return parent.key.columns
	}
	return nil
}

func actionWord(a action) string {
	switch a {
	case cascade:
		return "CASCADE"
	case setNull:
		return "SET NULL"
	case setDefault:
		return "SET DEFAULT"
	case restrict:
		return "RESTRICT"
	}
	return "NO ACTION"
}

// cascade does to the children what their foreign keys say, before the rows
// of t that where selects are deleted. Children come first, since the IR
// checks foreign keys after each statement.
func (b *builder) cascade(pos ir.Pos, t *table, row string, where ir.Expr, path []*table) {
	path = append(path[:len(path):len(path)], t)
	for _, f := range b.l.actionsOn(t) {
		if !f.onDelete.changes() {
			continue
		}
		for _, p := range path {
			if p == f.child {
				b.unmodelled("foreign keys with ON DELETE %s in a circle (%s)", actionWord(f.onDelete), f.name)
			}
		}
		if f.child.odd != "" || f.child.rowSec {
			b.unmodelled("ON DELETE %s on table %s", actionWord(f.onDelete), f.child.name)
		}
		crow := f.child.ir.Name
		if crow == row {
			crow += "_child"
		}
		cond := b.childrenOf(f, t, row, crow, where)
		switch f.onDelete {
		case cascade:
			b.notBefore(f.child, onDelete)
			b.cascade(pos, f.child, crow, cond, path)
			b.emit(&ir.Delete{At: at(pos), Table: f.child.ir, Row: crow, Where: cond})
			b.fired(pos, f.child, onDelete)
		case setNull, setDefault:
			b.notBefore(f.child, onUpdate)
			b.resetChildren(pos, f, crow, cond)
			b.fired(pos, f.child, onUpdate)
		}
	}
}

// childrenOf is the condition, over the child's row, that its parent is among
// the rows of t that where selects.
func (b *builder) childrenOf(f childKey, t *table, row, crow string, where ir.Expr) ir.Expr {
	refs := b.l.refColumns(f)
	value := map[string]ir.Expr{}
	simple := true
	for _, c := range ir.Conjuncts(where) {
		name, v := "", ir.Expr(nil)
		if eq, ok := c.(*ir.Binary); ok && eq.Op == ir.Eq {
			for _, side := range [][2]ir.Expr{{eq.X, eq.Y}, {eq.Y, eq.X}} {
				if col, ok := side[0].(*ir.Col); ok && col.Row == row && rowFree(side[1], map[string]bool{}) {
					name, v = col.Col, side[1]
				}
			}
		}
		simple = simple && contains(refs, name) && value[name] == nil
		value[name] = v
	}
	var cond ir.Expr
	if simple && len(value) == len(refs) {
		// The foreign key itself says that the parent is there.
		for i, c := range f.columns {
			cond = ir.AndE(cond, ir.Op(ir.Eq, &ir.Col{Row: crow, Col: c}, value[refs[i]]))
		}
		return cond
	}
	for i, c := range f.columns {
		cond = ir.AndE(cond, ir.Op(ir.Eq, &ir.Col{Row: row, Col: refs[i]}, &ir.Col{Row: crow, Col: c}))
	}
	return &ir.Exists{Query: ir.Query{From: []ir.Source{{Table: t.ir, Row: row}}, Where: ir.AndE(where, cond)}}
}

// resetChildren sets the columns of children to NULL or to their defaults.
func (b *builder) resetChildren(pos ir.Pos, f childKey, crow string, cond ir.Expr) {
	u := &ir.Update{At: at(pos), Table: f.child.ir, Row: crow, Where: cond}
	cols := f.columns
	if len(f.setColumns) > 0 {
		cols = f.setColumns
	}
	for _, name := range cols {
		i := f.child.ir.Column(name)
		if f.child.ir.IsKey(i) {
			b.unmodelled("ON DELETE %s of the key column %s", actionWord(f.onDelete), name)
		}
		e := ir.C(ir.Null)
		if f.onDelete == setDefault {
			c := f.child.column(name)
			if c.fresh {
				b.unmodelled("ON DELETE SET DEFAULT with a sequence")
			}
			e = b.defaultValue(c, true).e
		}
		u.Sets = append(u.Sets, ir.Set{Col: i, Expr: e})
	}
	b.emit(u)
}
