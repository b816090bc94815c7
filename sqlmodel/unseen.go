package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/ir"
)

// uncheckedWrites marks that a write may fail for what is left out.
func (b *Writer) uncheckedWrites(pos ir.Pos, t *schema.Table, events int32, set []assignment) {
	if t.Partitions.Open() && events&schema.OnUpdate != 0 {
		columns := t.Partitions.Columns()
		if set == nil || columns == nil || slices.ContainsFunc(set, func(a assignment) bool { return slices.Contains(columns, a.column) }) {
			b.mayRefuse(pos, noPartition, t)
		}
	}
	for _, k := range t.Unchecked {
		hit := events&schema.OnInsert != 0 || events&schema.OnUpdate != 0 && (set == nil || k.Columns == nil)
		for _, a := range set {
			hit = hit || slices.Contains(k.Columns, a.column)
		}
		switch {
		case !hit:
		case events&schema.OnUpdate != 0 && len(k.Columns) != 1:
			b.MayDepend(pos, k.What, t.IR)
		default:
			b.mayRefuse(pos, k.What, t)
		}
	}
}

// mayRefuse marks that the database may refuse a statement with an error.
func (b *Writer) mayRefuse(pos ir.Pos, what string, t *schema.Table) {
	b.Emit(&ir.Dropped{At: query.At(pos), Kind: ir.ByError, What: what, Tables: []*ir.Table{t.IR}})
}
