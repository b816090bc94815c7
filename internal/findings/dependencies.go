package findings

import (
	"cmp"
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
)

// touch is a column of a table, or which rows there are, as one template reads or
// writes it. The positions are those of the first statements.
type touch struct {
	reads, writes ir.Pos
	read, written bool
}

// touched is what a template touches, by table and column.
type touched map[*ir.Table]map[int]*touch

func touchedBy(p *ir.Program, t *ir.Txn) touched {
	out := touched{}
	for _, a := range accesses(p, t) {
		if out[a.table] == nil {
			out[a.table] = map[int]*touch{}
		}
		x := out[a.table][a.col]
		if x == nil {
			x = &touch{}
			out[a.table][a.col] = x
		}
		switch {
		case a.write && !x.written:
			x.written, x.writes = true, a.pos
		case !a.write && !x.read:
			x.read, x.reads = true, a.pos
		}
	}
	return out
}

// Dependencies are the edges of the dependency graph of a program, in the order of its
// transactions: WW once for two transactions, since either may write first, and RW in both
// directions where both read, each with the WR edge back.
func Dependencies(p *ir.Program) []report.Edge {
	all := make([]touched, len(p.Txns))
	for i, t := range p.Txns {
		all[i] = touchedBy(p, t)
	}
	var out []report.Edge
	add := func(from, to int, kind string, meetings []report.Meeting) {
		if len(meetings) > 0 {
			out = append(out, report.Edge{From: p.Txns[from].Name, To: p.Txns[to].Name, Type: kind, Meetings: meetings, Vulnerable: kind == "RW"})
		}
	}
	for i := range all {
		for j := range all {
			if i <= j {
				add(i, j, "WW", conflicts(p, all[i], all[j], true, true))
			}
			add(i, j, "RW", conflicts(p, all[i], all[j], false, true))
			add(i, j, "WR", conflicts(p, all[i], all[j], true, false))
		}
	}
	return out
}

// conflicts gives the tables on which one template writes, or reads, what the other one
// writes, or reads.
func conflicts(p *ir.Program, from, to touched, writes, writesToo bool) []report.Meeting {
	var out []report.Meeting
	for _, t := range p.Tables {
		if from[t] == nil || to[t] == nil {
			continue
		}
		var m *report.Meeting
		meet := func(a, b *touch, col int) {
			at, ok := a.at(writes)
			too, ok2 := b.at(writesToo)
			if !ok || !ok2 {
				return
			}
			if m == nil {
				m = &report.Meeting{Table: t.Name, Columns: []string{}, From: place(at), To: place(too)}
			}
			if col != rows && !t.Var && !slices.Contains(m.Columns, t.Columns[col].Name) {
				m.Columns = append(m.Columns, t.Columns[col].Name)
			}
		}
		for _, col := range slices.Sorted(maps.Keys(from[t])) {
			a, b := from[t][col], to[t][col]
			if b != nil {
				meet(a, b, col)
			}
			// Who makes or removes a row writes all of it.
			if all := to[t][rows]; all != nil && writesToo && col != rows {
				meet(a, all, rows)
			}
			if col == rows && writes {
				for _, other := range slices.Sorted(maps.Keys(to[t])) {
					meet(a, to[t][other], rows)
				}
			}
		}
		if m != nil {
			slices.Sort(m.Columns)
			out = append(out, *m)
		}
	}
	slices.SortFunc(out, func(a, b report.Meeting) int { return cmp.Compare(a.Table, b.Table) })
	return out
}

// at is where a statement writes, or reads, if one does.
func (x *touch) at(write bool) (ir.Pos, bool) {
	if write {
		return x.writes, x.written
	}
	return x.reads, x.read
}

// place is a position as reports have it.
func place(p ir.Pos) witness.Position {
	return witness.Position{File: p.File, Line: p.Line, Col: p.Col}
}
