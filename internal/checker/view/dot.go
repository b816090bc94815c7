package view

import (
	"fmt"
	"io"
	"strings"

	"github.com/txrobust/robust/internal/quote"
)

// dotOps is how many operations a node shows.
const dotOps = 8

// colors of the edges, by type. They are those of the page in light colours.
var colors = map[string]string{"WW": "#b3261e", "WR": "#1a5fb4", "RW": "#9a4d00", "SO": "#5e5c64", "RT": "#6a3d9a"}

// DOT writes a report as a graph for Graphviz: a cluster for each anomaly, with
// its transactions and the edges of its cycle; dashed is what a WW edge was concluded
// from.
func DOT(w io.Writer, rep *Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n", quote.DOT(rep.History))
	title := rep.History + "\nstrongest level that holds: " + orNone(rep.StrongestLevels)
	if len(rep.WeakestViolated) > 0 {
		title += "\nweakest level violated: " + strings.Join(rep.WeakestViolated, ", ")
	}
	fmt.Fprintf(&b, "  graph [label=%s, labelloc=t, fontname=\"sans-serif\", rankdir=LR];\n", quote.DOT(title))
	b.WriteString("  node [shape=box, style=rounded, fontname=\"sans-serif\", fontsize=10];\n  edge [fontname=\"sans-serif\", fontsize=9];\n")
	for i := range rep.Anomalies {
		rep.cluster(&b, i)
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none of those asked for"
	}
	return strings.Join(names, ", ")
}

// cluster writes one anomaly.
func (rep *Report) cluster(b *strings.Builder, i int) {
	a := &rep.Anomalies[i]
	fmt.Fprintf(b, "  subgraph cluster_%d {\n    label=%s; color=grey;\n", i+1, quote.DOT(fmt.Sprintf("%d. %s", i+1, a.Name)))
	node := map[string]string{}
	for _, t := range rep.Transactions {
		for j, name := range a.Txns {
			if name == t.Name {
				node[name] = fmt.Sprintf("a%d_%d", i+1, j+1)
				fmt.Fprintf(b, "    %s [label=%s];\n", node[name], quote.DOT(dotLabel(&t)))
			}
		}
	}
	var edges func(es []Edge, style string)
	edges = func(es []Edge, style string) {
		for _, e := range es {
			label := e.Type
			if e.Key != "" {
				label += " " + e.Key
			}
			fmt.Fprintf(b, "    %s -> %s [label=%s, tooltip=%s, color=%q, fontcolor=%[5]q%s];\n",
				node[e.From], node[e.To], quote.DOT(label), quote.DOT(e.Explanation), colors[e.Type], style)
			edges(e.Because, ", style=dashed")
		}
	}
	edges(a.Edges, ", penwidth=2")
	b.WriteString("  }\n")
}

func dotLabel(t *Txn) string {
	lines := []string{t.Name}
	if t.Place != "" {
		lines[0] += " (" + t.Place + ")"
	}
	ops := t.Operations
	if len(ops) > dotOps {
		ops = append(ops[:dotOps:dotOps], fmt.Sprintf("… (%d more)", len(t.Operations)+t.Omitted-dotOps))
	}
	return strings.Join(append(lines, ops...), "\n")
}
