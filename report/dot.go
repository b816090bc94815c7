package report

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/txrobust/robust/internal/quote"
)

// Meeting is where two transactions touch the same: a table with columns, those
// of which one of them writes, and the first statements of both that do.
type Meeting struct {
	Table string `json:"table"`
	// Columns is empty where rows come and go.
	Columns []string `json:"columns"`
	From    Position `json:"from"`
	To      Position `json:"to"`
}

// Graph is the dependency graph of a program: who may have to come before whom.
type Graph struct {
	Nodes []Node
	Edges []Edge
}

// Node is a transaction.
type Node struct {
	Name string
	File string
	Line int
	// Note says something of it, such as that it is never delayed, or is "".
	Note string
}

// Edge says that a transaction From may have to come before one of To.
type Edge struct {
	From, To string
	// Type is WW (To overwrites what From wrote; the same edge stands for the other
	// direction), WR (To reads it), RW (To overwrites what From read), or another one that
	// is part of a finding (Dependency).
	Type string
	// Meetings are the tables on which they do.
	Meetings []Meeting
	// Vulnerable is said of RW: nothing excludes that To commits before From, which has
	// begun by then. Why says what excludes it.
	Vulnerable bool
	Why        string
	// Cycle says what it is part of: finding, open or "".
	Cycle string
}

// The cycles that an edge is part of: that of a finding, or one that is open.
const (
	inFinding = "finding"
	inOpen    = "open"
)

// maxLines bounds the tables that the label of an edge shows.
const maxLines = 3

// DOT writes the dependency graph of a report for Graphviz. Vulnerable edges are dashed,
// and those of findings, or else of open cycles, red.
func DOT(w io.Writer, r *Report) error {
	var b strings.Builder
	g := r.Graph
	if g == nil {
		g = &Graph{}
	}
	fmt.Fprintf(&b, "digraph %s {\n", quote.DOT(r.Program))
	fmt.Fprintf(&b, "  graph [label=%s, labelloc=t, fontname=\"sans-serif\"];\n", quote.DOT(quote.Line(r.Program)+": "+string(r.Verdict)+"\n"+r.EngineTitle))
	b.WriteString("  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", fontsize=9];\n")
	ids := map[string]string{}
	on := map[string]bool{}
	for i := range g.Edges {
		if e := &g.Edges[i]; e.Cycle != "" {
			on[e.From], on[e.To] = true, true
		}
	}
	for _, n := range g.Nodes {
		ids[n.Name] = fmt.Sprintf("n%d", len(ids)+1)
		label := quote.Line(n.Name)
		if n.Line > 0 {
			label += fmt.Sprintf("\n%s:%d", quote.Line(filepath.Base(n.File)), n.Line)
		}
		if n.Note != "" {
			label += "\n" + quote.Line(n.Note)
		}
		color := ""
		if on[n.Name] {
			color = ", color=red, penwidth=2"
		}
		fmt.Fprintf(&b, "  %s [label=%s%s];\n", ids[n.Name], quote.DOT(label), color)
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		if ids[e.From] == "" || ids[e.To] == "" {
			continue
		}
		style := ""
		if e.Vulnerable {
			style = ", style=dashed"
		}
		if e.Type == "WW" {
			style += ", dir=both"
		}
		if e.Cycle != "" {
			style += ", color=red, fontcolor=red, penwidth=2"
		}
		fmt.Fprintf(&b, "  %s -> %s [label=%s%s];\n", ids[e.From], ids[e.To], quote.DOT(e.label()), style)
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// label says what an edge is about, and where.
func (e *Edge) label() string {
	var lines []string
	for _, m := range e.Meetings {
		what := m.What()
		if m.From.Line > 0 {
			what += " (" + m.From.Short() + ", " + m.To.Short() + ")"
		}
		lines = append(lines, quote.Line(what))
	}
	if n := len(lines); n > maxLines {
		lines = append(lines[:maxLines], fmt.Sprintf("and %d more", n-maxLines))
	}
	return strings.TrimSpace(e.Type + " " + strings.Join(lines, "\n"))
}

// What names the table, with the columns: saving.bal, or saving for its rows.
func (m *Meeting) What() string {
	if len(m.Columns) == 0 {
		return m.Table
	}
	return m.Table + "." + strings.Join(m.Columns, ", ")
}

// onCycle marks the edges from one transaction to the next, of a type or of all ("").
// The result is false if there is none.
func (g *Graph) onCycle(from, to, kind, cycle string) bool {
	found := false
	for i := range g.Edges {
		e := &g.Edges[i]
		if (e.From == from && e.To == to || e.Type == "WW" && e.From == to && e.To == from) && (kind == "" || e.Type == kind) {
			e.Cycle, found = cycle, true
		}
	}
	return found
}

// Mark marks the edges of the findings, or, if there are none, those between the
// transactions of open cycles. Edges of findings that no statement shows, such as those of
// constraints, are added.
func (g *Graph) Mark(findings []Finding, open *Open) {
	for _, f := range findings {
		for _, e := range f.Edges {
			if g.onCycle(e.FromName, e.ToName, e.Type, inFinding) {
				continue
			}
			added := Edge{From: e.FromName, To: e.ToName, Type: e.Type, Cycle: inFinding}
			if e.Table != "" {
				added.Meetings = []Meeting{{Table: e.Table, Columns: e.Columns, From: e.FromPosition, To: e.ToPosition}}
			}
			g.Edges = append(g.Edges, added)
		}
	}
	if len(findings) > 0 || open == nil {
		return
	}
	for _, c := range open.Cycles {
		for i, from := range c {
			g.onCycle(from, c[(i+1)%len(c)], "", inOpen)
		}
	}
}
