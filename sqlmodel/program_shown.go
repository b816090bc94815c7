package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/load"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/ir"
)

// shownWhole stands for a statement that only reads, and is not understood: it shows all rows of the
// tables that it may read, which tell more than anything that it computes of them. It may fail, so
// that findings that pass it are suspected. The result is false where that does not hold of the
// statement: nothing is written then. sent says that its command is written already.
func (p *caller) shownWhole(s *schema.Sent, r *schema.Refs, e *schema.Effect, why string, sent bool) bool {
	tables, ok := p.onlyRows(s, r, e)
	if !ok {
		return false
	}
	_, ok = p.attempt(func() {
		if !sent {
			p.send(s)
			p.sent.Apart, p.sent.Result = false, ir.Rows
		}
		at := expr.At(s.Q.Pos)
		drop := &ir.Dropped{At: at, Kind: ir.ByError, What: "an error of a statement that is taken to show all rows of its tables (" + why + ")"}
		for _, t := range tables {
			drop.Tables = append(drop.Tables, t.IR)
		}
		p.b.Emit(drop)
		for _, t := range tables {
			show := &ir.EmitRows{At: at, Query: ir.Query{From: []ir.Source{{Table: t.IR, Row: t.IR.Name}}}}
			for _, c := range t.Columns {
				if slices.ContainsFunc(t.IR.Columns, func(d ir.Column) bool { return d.Name == c.Name }) {
					show.Cols = append(show.Cols, &ir.Col{Row: t.IR.Name, Col: c.Name})
				}
			}
			p.b.Emit(show)
		}
	})
	return ok
}

// onlyRows gives the tables that a statement may read. ok is false if it may do more, or show more
// than their rows.
func (p *caller) onlyRows(s *schema.Sent, r *schema.Refs, e *schema.Effect) (tables []*schema.Table, ok bool) {
	if e.All || e.Writes || e.Locks || len(e.Sequences) > 0 || len(e.Tables) == 0 || r.LocksTables || r.Sets || s.MaySetLevel || p.passesOn(s) {
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
	for _, t := range p.b.App.Order {
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
