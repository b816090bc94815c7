package findings

import (
	"cmp"
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
)

// access is something that a statement touches.
type access struct {
	table *ir.Table
	col   int // or rows
	write bool
	pos   ir.Pos
}

// rows stands for which rows there are.
const rows = -1

// accesses gives what a template touches, references included.
func accesses(p *ir.Program, t *ir.Txn) []access {
	var out []access
	ir.Walk(t.Body, func(s ir.Stmt) {
		add := func(t *ir.Table, col int, write bool) { out = append(out, access{t, col, write, s.Position()}) }
		for _, src := range ir.Reads(s) {
			if !src.Table.Var {
				add(src.Table, rows, false)
			}
		}
		ir.ReadColumns(s, func(t *ir.Table, col string) { add(t, t.Column(col), false) })
		switch s := s.(type) {
		case *ir.Insert:
			add(s.Table, rows, true)
			for _, fk := range s.Table.ForeignKeys {
				add(fk.Ref, rows, false)
			}
		case *ir.Update:
			for _, set := range s.Sets {
				add(s.Table, set.Col, true)
			}
		case *ir.Delete:
			add(s.Table, rows, true)
			for _, child := range p.Tables {
				if child.RefersTo(s.Table) {
					add(child, rows, false)
				}
			}
		case *ir.Cascade:
			add(s.Table, rows, true)
		case *ir.CopyTable:
			add(s.Dst, rows, true)
		case *ir.Unmodelled:
			tables := s.Tables
			if tables == nil {
				tables = p.Tables
			}
			for _, t := range tables {
				add(t, rows, false)
				add(t, rows, !s.ReadOnly)
			}
		}
	})
	return out
}

// Meetings finds where two templates touch the same and at least one writes,
// sorted.
func Meetings(p *ir.Program, from, to *ir.Txn) []report.Meeting {
	found := map[string]*report.Meeting{}
	theirs := accesses(p, to)
	for _, a := range accesses(p, from) {
		for _, b := range theirs {
			whole := a.col == rows && a.write || b.col == rows && b.write
			if a.table != b.table || !a.write && !b.write || a.col != b.col && !whole {
				continue
			}
			m := found[a.table.Name]
			if m == nil {
				m = &report.Meeting{Table: a.table.Name, Columns: []string{},
					From: witness.Position{File: a.pos.File, Line: a.pos.Line, Col: a.pos.Col}, To: witness.Position{File: b.pos.File, Line: b.pos.Line, Col: b.pos.Col}}
				found[a.table.Name] = m
			}
			if a.col == b.col && a.col != rows && !a.table.Var {
				if c := a.table.Columns[a.col].Name; !slices.Contains(m.Columns, c) {
					m.Columns = append(m.Columns, c)
				}
			}
		}
	}
	var out []report.Meeting
	for _, m := range found {
		slices.Sort(m.Columns)
		out = append(out, *m)
	}
	slices.SortFunc(out, func(a, b report.Meeting) int { return cmp.Compare(a.Table, b.Table) })
	return out
}
