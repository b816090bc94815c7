package tables

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
)

// markActions gives the foreign keys of the IR their actions, as far as it has
// them: those that do no more than delete children, or set columns that nothing
// else looks at to constants or to the new key.
func (l *Completer) markActions() {
	for _, t := range l.Order {
		for _, f := range t.Foreign {
			ref := f.Parent()
			if f.Number < 0 || ref == t || t.Odd != "" || ref.Odd != "" {
				continue
			}
			k := &t.IR.ForeignKeys[f.Number]
			if ref.IR.Rowid || !ir.SameColumns(k.RefColumns, ref.IR.Key) {
				continue
			}
			free := l.Free(t, k.Columns)
			null := free && t.Nullable(k.Columns)
			sole := free && t.SoleKey(k.Columns)
			var defaults []ir.Expr
			ok := f.OnDelete == schema.SetDefault || f.OnUpdate == schema.SetDefault
			if ok {
				defaults, ok = l.defaultParent(t, k)
			}
			ok = ok && sole && (!slices.ContainsFunc(defaults, isNull) || null)
			switch {
			case f.OnDelete == schema.Cascade && !t.Watched(schema.OnDelete):
				k.OnDelete = ir.CascadeDelete
			case f.OnDelete == schema.SetNull && len(f.SetColumns) == 0 && null:
				k.OnDelete = ir.SetNull
			case f.OnDelete == schema.SetDefault && len(f.SetColumns) == 0 && ok:
				k.OnDelete = ir.SetDefault
			}
			switch {
			case f.OnUpdate == schema.Cascade && sole:
				k.OnUpdate = ir.CascadeUpdate
			case f.OnUpdate == schema.SetNull && null:
				k.OnUpdate = ir.SetNull
			case f.OnUpdate == schema.SetDefault && ok:
				k.OnUpdate = ir.SetDefault
			}
			if k.OnDelete == ir.SetDefault || k.OnUpdate == ir.SetDefault {
				f.Defaults = defaults
			}
		}
	}
}

// defaultParent gives the defaults of the columns of a foreign key, if they are
// constants.
func (l *Completer) defaultParent(t *schema.Table, k *ir.ForeignKey) ([]ir.Expr, bool) {
	var out []ir.Expr
	for _, i := range k.Columns {
		c := t.Column(t.IR.Columns[i].Name)
		v := ir.Null
		if c.Fresh || c.Generated != nil {
			return nil, false
		}
		if c.Def != nil {
			var ok bool
			if v, ok = l.constantValue(query.NewPlace(expr.Spot{App: l.Application, Text: c.Def.Text}), c.Def.Node, c); !ok {
				return nil, false
			}
		}
		out = append(out, ir.C(v))
	}
	return out, true
}

func isNull(e ir.Expr) bool {
	c, ok := e.(*ir.Const)
	return ok && c.Value.IsNull()
}
