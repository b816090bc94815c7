package report

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
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

// Graph is the dependency graph of a program, as far as it was asked about.
type Graph struct {
	Nodes []Node
	Edges []Edge
	// Walk names the transactions of the walk that closes, or of the finding,
	// in order, the first one last again; nil where there is none.
	Walks [][]string
}

// Node is a transaction.
type Node struct {
	Name string
	File string
	Line int
	// Note says something of it, such as that it is never delayed, or is "".
	Note string
}

// Edge is a question about two neighbours of a walk: the snapshot of From and a
// first element To (FIRST), two elements (EDGE), or a last element From and the
// commit of To (LAST).
type Edge struct {
	From, To string
	// Question is FIRST, EDGE or LAST, with what it is part of where more was
	// asked at once.
	Question string
	// Answer is possible, unknown, refuted, or the type of a dependency of the
	// finding, such as RW.
	Answer string
	// Reason says why the answer is unknown, or is "".
	Reason string
	// Meetings are where the two touch the same.
	Meetings []Meeting
}

// Refuted reports whether the edge is impossible.
func (e *Edge) Refuted() bool { return e.Answer == Refuted }

// Refuted is the answer to what is impossible.
const Refuted = "refuted"

// maxLines bounds the questions that the label of an edge shows.
const maxLines = 3

// DOT writes the graph of a report for Graphviz. Refuted edges are there only if
// verbose.
func DOT(w io.Writer, r *Report, verbose bool) error {
	var b strings.Builder
	g := r.Graph
	if g == nil {
		g = &Graph{}
	}
	fmt.Fprintf(&b, "digraph %s {\n", quote.DOT(r.Program))
	fmt.Fprintf(&b, "  graph [label=%s, labelloc=t, fontname=\"sans-serif\"];\n", quote.DOT(quote.Line(r.Program)+": "+string(r.Verdict)+"\n"+r.EngineTitle))
	b.WriteString("  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", fontsize=9];\n")
	on := func(from, to string) bool {
		return slices.ContainsFunc(g.Walks, func(walk []string) bool {
			for i := 0; i+1 < len(walk); i++ {
				if walk[i] == from && walk[i+1] == to {
					return true
				}
			}
			return false
		})
	}
	ids := map[string]string{}
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
		if slices.ContainsFunc(g.Walks, func(walk []string) bool { return slices.Contains(walk, n.Name) }) {
			color = ", color=red, penwidth=2"
		}
		fmt.Fprintf(&b, "  %s [label=%s%s];\n", ids[n.Name], quote.DOT(label), color)
	}
	for _, group := range grouped(g.Edges) {
		e := group[0]
		if ids[e.From] == "" || ids[e.To] == "" || e.Refuted() && !verbose {
			continue
		}
		style := ""
		switch {
		case e.Refuted():
			style = ", style=dashed, color=grey, fontcolor=grey"
		case on(e.From, e.To):
			style = ", color=red, fontcolor=red, penwidth=2"
		}
		fmt.Fprintf(&b, "  %s -> %s [label=%s%s];\n", ids[e.From], ids[e.To], quote.DOT(label(group)), style)
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// grouped puts edges together that are drawn as one: those of the same two
// nodes that are all refuted, or all not.
func grouped(edges []Edge) [][]Edge {
	var out [][]Edge
	place := map[string]int{}
	for _, e := range edges {
		key := fmt.Sprintf("%q %q %v", e.From, e.To, e.Refuted())
		i, ok := place[key]
		if !ok {
			i = len(out)
			place[key] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], e)
	}
	return out
}

// label says what was asked of an edge, and where its transactions meet.
func label(group []Edge) string {
	var lines []string
	for _, e := range group {
		line := e.Question + ": " + e.Answer
		if e.Reason != "" {
			line += " (" + e.Reason + ")"
		}
		if line = quote.Line(line); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if n := len(lines); n > maxLines {
		lines = append(lines[:maxLines], fmt.Sprintf("and %d more", n-maxLines))
	}
	for _, m := range group[0].Meetings {
		what := m.Table
		if len(m.Columns) > 0 {
			what += "." + strings.Join(m.Columns, ", ")
		}
		if m.From.Line > 0 {
			what += " (" + m.From.Short() + ", " + m.To.Short() + ")"
		}
		lines = append(lines, quote.Line(what))
	}
	return strings.Join(lines, "\n")
}
