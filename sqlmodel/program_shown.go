package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/load"
	"github.com/txrobust/robust/internal/sql/schema"
)

// showRows shows all rows of tables, in the place of a statement that only reads them and is not understood:
// they tell more than anything that it computes of them. It may fail, so that findings that pass it are suspected.
func (b *builder) showRows(pos ir.Pos, tables []*schema.Table, why string) {
	drop := &ir.Dropped{At: expr.At(pos), Kind: ir.ByError, What: "an error of a statement that is taken to show all rows of its tables (" + why + ")"}
	for _, t := range tables {
		drop.Tables = append(drop.Tables, t.IR)
	}
	b.Emit(drop)
	for _, t := range tables {
		show := &ir.EmitRows{At: expr.At(pos), Query: ir.Query{From: []ir.Source{{Table: t.IR, Row: t.IR.Name}}}}
		for _, c := range t.Columns {
			if slices.ContainsFunc(t.IR.Columns, func(d ir.Column) bool { return d.Name == c.Name }) {
				show.Cols = append(show.Cols, &ir.Col{Row: t.IR.Name, Col: c.Name})
			}
		}
		b.Emit(show)
	}
}

// onlyRows gives the tables that a statement may read. ok is false if it may do more, or show more
// than their rows.
func (b *builder) onlyRows(r *schema.Refs, e *schema.Effect) (tables []*schema.Table, ok bool) {
	if e.All || e.Writes || e.Locks || len(e.Sequences) > 0 || len(e.Tables) == 0 || r.LocksTables || r.Sets {
		return nil, false
	}
	for name := range r.Calls {
		if catalog.ShowsRunning(name) {
			return nil, false
		}
	}
	for name := range r.Tables {
		if load.SystemTable(name) || catalog.ShowsRunning(name) {
			return nil, false
		}
	}
	for _, t := range b.App.Order {
		if !e.Tables[t.Name] {
			continue
		}
		if t.IR == nil || len(t.Columns) == 0 || t.Odd != "" || t.RowSec {
			return nil, false
		}
		tables = append(tables, t)
	}
	return tables, len(tables) == len(e.Tables)
}
