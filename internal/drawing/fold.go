package drawing

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/report"
)

// foldAbove is how many transactions a picture shows one by one.
const foldAbove = 50

// maxGroups bounds the groups that transactions are folded into where none is on a cycle.
const maxGroups = 24

// maxSpokes bounds the transactions that are drawn with what they share with the folded ones.
const maxSpokes = 8

// Fold gives a report whose graph can be looked at. Of more than 50 transactions those
// that are on no cycle of a finding, nor on an open one, become one node with their number. Where
// none is on a cycle, those that depend on each other become one node each time. Edges of folded transactions are
// put together. A smaller graph stays as it is.
func Fold(r *report.Report) *report.Report {
	g := r.Graph
	if g == nil || len(g.Nodes) <= foldAbove {
		return r
	}
	cycle := map[string]bool{}
	for i := range g.Edges {
		if e := &g.Edges[i]; e.Cycle != "" {
			cycle[e.From], cycle[e.To] = true, true
		}
	}
	f := &folding{into: map[string]string{}, out: &report.Graph{}, at: map[[3]string]int{}, spokes: len(cycle) <= maxSpokes}
	var rest []string
	for _, n := range g.Nodes {
		if cycle[n.Name] {
			f.out.Nodes = append(f.out.Nodes, n)
		} else {
			rest = append(rest, n.Name)
		}
	}
	if len(cycle) > 0 && len(rest) > 0 {
		f.node(rest, "in no finding")
	} else {
		f.groups(components(rest, g.Edges))
	}
	f.edges(g.Edges)
	folded := *r
	folded.Graph = f.out
	return &folded
}

// folding is a graph that is made of another one.
type folding struct {
	into   map[string]string // the node that a transaction is folded into
	out    *report.Graph
	at     map[[3]string]int // where the edge is that goes from one node to another one, by its type
	spokes bool              // edges between folded transactions and others are drawn
}

// node folds transactions into one node.
func (f *folding) node(names []string, what string) {
	name := quote.Count(len(names), "transaction") + " " + what
	f.out.Nodes = append(f.out.Nodes, report.Node{Name: name, Note: some(names)})
	for _, n := range names {
		f.into[n] = name
	}
}

// some names the first of many.
func some(names []string) string {
	if len(names) <= 2 {
		return quote.And(names)
	}
	return fmt.Sprintf("%s, …", names[0])
}

// groups folds each group into a node, the smallest ones together.
func (f *folding) groups(list [][]string) {
	slices.SortStableFunc(list, func(a, b []string) int { return cmp.Compare(len(b), len(a)) })
	var others []string
	for i, names := range list {
		if i >= maxGroups-1 && len(list) > maxGroups || len(names) == 1 {
			others = append(others, names...)
			continue
		}
		f.node(names, fmt.Sprintf("of group %d", i+1))
	}
	if len(others) > 0 {
		f.node(others, "apart from these")
	}
}

// edges puts the edges between the new nodes together.
func (f *folding) edges(list []report.Edge) {
	for _, e := range list {
		from, to := cmp.Or(f.into[e.From], e.From), cmp.Or(f.into[e.To], e.To)
		if from == e.From && to == e.To {
			f.out.Edges = append(f.out.Edges, e)
			continue
		}
		if from == to || e.Type == "WR" || !f.spokes { // RW back shows what WR does
			continue
		}
		key := [3]string{from, to, e.Type}
		i, ok := f.at[key]
		if !ok {
			i = len(f.out.Edges)
			f.at[key] = i
			f.out.Edges = append(f.out.Edges, report.Edge{From: from, To: to, Type: e.Type})
		}
		known := &f.out.Edges[i]
		known.Vulnerable = known.Vulnerable || e.Vulnerable
		for _, m := range e.Meetings {
			m.From, m.To = report.Position{}, report.Position{} // of many
			if !slices.ContainsFunc(known.Meetings, func(k report.Meeting) bool { return k.What() == m.What() }) {
				known.Meetings = append(known.Meetings, m)
			}
		}
	}
}

// components gives the names that edges connect, directly or by way of others of them. Each
// component is in the order of names, and so are the components by their first name.
func components(names []string, edges []report.Edge) [][]string {
	number := map[string]int{}
	root := make([]int, len(names))
	for i, n := range names {
		number[n], root[i] = i, i
	}
	find := func(i int) int {
		for root[i] != i {
			i = root[i]
		}
		return i
	}
	for i := range edges {
		a, ok := number[edges[i].From]
		b, also := number[edges[i].To]
		if ok && also {
			a, b = find(a), find(b)
			root[max(a, b)] = min(a, b)
		}
	}
	in := map[int]int{}
	var out [][]string
	for i, n := range names {
		r := find(i)
		k, ok := in[r]
		if !ok {
			k = len(out)
			in[r], out = k, append(out, nil)
		}
		out[k] = append(out[k], n)
	}
	return out
}
