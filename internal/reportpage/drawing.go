package reportpage

import (
	"slices"

	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/report"
)

// maxEdges bounds the dependencies that a page has.
const maxEdges = 4000

// drawing is the dependency graph. Texts that come again have numbers.
type drawing struct {
	Nodes []node   `json:"nodes"`
	Texts []string `json:"texts"`
	// Edges have no WR edges that RW edges back show, unless they are on a cycle.
	Edges []dependency `json:"edges"`
	// Left counts those that are left out.
	Left int `json:"left"`
}

type node struct {
	Name     string `json:"name"`
	Place    int    `json:"place"`
	Standing string `json:"standing"`
	Note     string `json:"note,omitempty"`
}

// dependency is an edge from one node to another one, by their numbers.
type dependency struct {
	From       int    `json:"f"`
	To         int    `json:"t"`
	Type       string `json:"k"`
	Vulnerable bool   `json:"v,omitempty"`
	Cycle      string `json:"c,omitempty"`
	// Why is the number of the text that says why it is not vulnerable, from 1.
	Why int `json:"w,omitempty"`
	// On has the number of a text and of two places for each table.
	On [][3]int `json:"on"`
}

func (l *lines) drawing(r *report.Report) *drawing {
	d := &drawing{Nodes: []node{}, Texts: []string{}, Edges: []dependency{}}
	g := r.Graph
	if g == nil {
		return d
	}
	standing := map[string]string{}
	for _, x := range r.Transactions {
		standing[x.Name] = x.Standing
	}
	number := map[string]int{}
	for i, n := range g.Nodes {
		number[n.Name] = i
		d.Nodes = append(d.Nodes, node{quote.Line(n.Name), l.at(report.Position{File: n.File, Line: n.Line}), standing[n.Name], n.Note})
	}
	texts := map[string]int{}
	text := func(s string) int {
		n, ok := texts[s]
		if !ok {
			n = len(d.Texts)
			texts[s] = n
			d.Texts = append(d.Texts, quote.Line(s))
		}
		return n
	}
	list := slices.DeleteFunc(slices.Clone(g.Edges), func(e report.Edge) bool { return e.Type == "WR" && e.Cycle == "" })
	if d.Left = max(0, len(list)-maxEdges); d.Left > 0 {
		rank := func(e report.Edge) int {
			switch {
			case e.Cycle != "":
				return 0
			case standing[e.From] != codes.Safe && standing[e.To] != codes.Safe:
				return 1
			case e.Vulnerable:
				return 2
			}
			return 3
		}
		slices.SortStableFunc(list, func(a, b report.Edge) int { return rank(a) - rank(b) })
		list = list[:maxEdges]
	}
	for _, e := range list {
		x := dependency{From: number[e.From], To: number[e.To], Type: e.Type, Vulnerable: e.Vulnerable, Cycle: e.Cycle, On: [][3]int{}}
		if e.Why != "" {
			x.Why = text(e.Why) + 1
		}
		for _, m := range e.Meetings {
			x.On = append(x.On, [3]int{text(m.What()), l.at(m.From), l.at(m.To)})
		}
		d.Edges = append(d.Edges, x)
	}
	return d
}
