package findings

import (
	"cmp"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/report"
)

// New makes a report about p that has no verdict yet.
func New(p *ir.Program) *report.Report {
	r := &report.Report{Program: p.Name, SearchPath: p.SearchPath, Isolation: levels.AtSnapshot, Transactions: []report.Transaction{}, Findings: []report.Finding{}, Suppressed: []report.Suppressed{}, Apart: []report.Apart{}, Assumptions: []string{}, Initially: []string{}, Premises: []report.Note{}, Havocs: []report.Havoc{}, Dropped: []report.Dropped{}, Notes: []report.Note{}}
	for _, t := range p.Txns {
		r.Transactions = append(r.Transactions, transaction(t))
		ir.Walk(t.Body, func(s ir.Stmt) {
			switch s := s.(type) {
			case *ir.Unmodelled:
				r.Havocs = append(r.Havocs, report.Havoc{Transaction: t.Name, File: s.Pos.File, Line: s.Pos.Line, Col: s.Pos.Col, Reason: s.Reason, Tables: tableNames(s.Tables), ReadOnly: s.ReadOnly})
			case *ir.Dropped:
				r.Dropped = append(r.Dropped, report.Dropped{Transaction: t.Name, File: s.Pos.File, Line: s.Pos.Line, Col: s.Pos.Col, Kind: s.Kind.String(), Text: s.What, Tables: tableNames(s.Tables)})
			}
		})
	}
	slices.SortFunc(r.Transactions, func(a, b report.Transaction) int { return strings.Compare(a.Name, b.Name) })
	slices.SortStableFunc(r.Havocs, func(a, b report.Havoc) int { return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line) })
	slices.SortStableFunc(r.Dropped, func(a, b report.Dropped) int { return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line) })
	r.Dropped = slices.CompactFunc(r.Dropped, func(a, b report.Dropped) bool {
		return a.Transaction == b.Transaction && a.File == b.File && a.Line == b.Line && a.Col == b.Col && a.Text == b.Text
	})
	r.Havocs = slices.CompactFunc(r.Havocs, func(a, b report.Havoc) bool {
		return a.Transaction == b.Transaction && a.File == b.File && a.Line == b.Line && a.Col == b.Col && a.Reason == b.Reason
	})
	for _, n := range p.Notes {
		r.Notes = append(r.Notes, report.Note{File: n.Pos.File, Line: n.Pos.Line, Col: n.Pos.Col, Text: n.Text})
	}
	Assume(r, p.Premises)
	return r
}

func tableNames(list []*ir.Table) []string {
	out := []string{}
	for _, t := range list {
		out = append(out, t.Name)
	}
	slices.Sort(out)
	return out
}

// transaction collects what a template touches.
func transaction(t *ir.Txn) report.Transaction {
	reads, writes, partly := map[string]bool{}, map[string]bool{}, map[string]bool{}
	ir.Walk(t.Body, func(s ir.Stmt) {
		for _, src := range ir.Reads(s) {
			if !src.Table.Var {
				reads[src.Table.Name] = true
			}
		}
		ir.ReadColumns(s, func(t *ir.Table, col string) {
			reads[columnName(t, col)] = true
			partly[t.Name] = partly[t.Name] || !t.Var
		})
		written := ir.Written(s)
		if written == nil {
			return
		}
		switch s := s.(type) {
		case *ir.Update:
			for _, set := range s.Sets {
				writes[columnName(written, written.Columns[set.Col].Name)] = true
			}
		default:
			writes[written.Name] = true
		}
	})
	// A table is named by itself only where no column is.
	for table, is := range partly {
		if is {
			delete(reads, table)
		}
	}
	return report.Transaction{Name: t.Name, File: t.Pos.File, Line: t.Pos.Line, Level: t.Level, Above: t.Above, CalledBy: t.CalledBy, Reads: sorted(reads), Writes: sorted(writes)}
}

func columnName(t *ir.Table, col string) string {
	if t.Var {
		return t.Name
	}
	return t.Name + "." + col
}

func sorted(set map[string]bool) []string {
	out := []string{}
	for s := range set {
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}

// Assume adds premises to a report.
func Assume(r *report.Report, list []ir.Note) {
	for _, n := range list {
		r.Premises = append(r.Premises, report.Note{File: n.Pos.File, Line: n.Pos.Line, Col: n.Pos.Col, Text: n.Text})
	}
}
