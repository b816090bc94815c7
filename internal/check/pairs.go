package check

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/findings"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/movers"
	"github.com/txrobust/robust/internal/symbolic"
	"github.com/txrobust/robust/report"
)

// pairGroups says for each pair of templates why they do not hold each other, in groups of pairs with one reason.
func (c *check) pairGroups(r *movers.Result, refuted []report.RefutedPiece, asked []movers.Asked) []report.PairGroup {
	a := &argument{check: c, ev: r.Evidence, mode: r.Mode, of: map[*ir.Txn][]int{}, never: map[*ir.Txn]int{}, pieces: map[[2]*ir.Txn][]int{}, refuted: refuted, asked: asked}
	a.collect()
	var out []report.PairGroup
	index := map[string]int{}
	for i, x := range c.p.Txns {
		for _, y := range c.p.Txns[i:] {
			g := a.reason(x, y)
			key := fmt.Sprintln(g.Kind, g.Text, g.Needs)
			k, known := index[key]
			if !known {
				k = len(out)
				index[key] = k
				out = append(out, g)
			}
			out[k].Add(x.Name, y.Name, meets(c.p, x, y, g.Kind))
			for _, q := range g.Obligations {
				if !slices.Contains(out[k].Obligations, q) {
					out[k].Obligations = append(out[k].Obligations, q)
				}
			}
		}
	}
	slices.SortStableFunc(out, func(x, y report.PairGroup) int {
		return cmp.Or(cmp.Compare(kinds[x.Kind], kinds[y.Kind]), cmp.Compare(len(y.Pairs), len(x.Pairs)))
	})
	return out
}

// kinds orders reasons: those that need most are read first.
var kinds = map[string]int{codes.PairExcluded: 0, codes.PairCommutes: 1, codes.PairNeverDelayed: 2, codes.PairOffCycle: 3, codes.PairApart: 4}

// meets says where two templates touch the same, if that has to do with the reason.
func meets(p *ir.Program, x, y *ir.Txn, why string) []report.Meeting {
	if why == codes.PairApart {
		return []report.Meeting{}
	}
	return append([]report.Meeting{}, findings.Meetings(p, x, y)...)
}

// argument is a proof, by templates.
type argument struct {
	*check
	ev   *movers.Evidence
	mode symbolic.Granularity
	of   map[*ir.Txn][]int // vertices
	// asked are the refuted pieces that the proof needs, and refuted the same in words.
	asked   []movers.Asked
	refuted []report.RefutedPiece
	// never has the templates that are never delayed, with the piece that says so, or -1.
	never map[*ir.Txn]int
	// pieces has for two templates, in any order, the other pieces in which they stand beside each other.
	pieces map[[2]*ir.Txn][]int
}

func (a *argument) collect() {
	txn := func(v int) *ir.Txn { return a.ev.Vertices[v].Txn }
	for v := range a.ev.Vertices {
		a.of[txn(v)] = append(a.of[txn(v)], v)
	}
	for _, v := range a.ev.Steady {
		a.never[txn(v)] = -1
	}
	add := func(x, y *ir.Txn, i int) {
		for _, k := range [][2]*ir.Txn{{x, y}, {y, x}} {
			if !slices.Contains(a.pieces[k], i) {
				a.pieces[k] = append(a.pieces[k], i)
			}
		}
	}
	for i, q := range a.asked {
		n := len(q.Elements)
		if n == 0 {
			a.never[txn(q.Delayed)] = i
			continue
		}
		if q.First {
			add(txn(q.Delayed), txn(q.Elements[0].Vertex), i)
		}
		if q.Last {
			add(txn(q.Delayed), txn(q.Elements[n-1].Vertex), i)
		}
		for k := 1; k < n; k++ {
			add(txn(q.Elements[k-1].Vertex), txn(q.Elements[k].Vertex), i)
		}
		if n == 1 && !q.First && !q.Last {
			add(txn(q.Delayed), txn(q.Elements[0].Vertex), i)
		}
	}
}

// reason says why two templates do not hold each other.
func (a *argument) reason(x, y *ir.Txn) report.PairGroup {
	g := report.PairGroup{Needs: []string{}, Obligations: []string{}}
	list := slices.Clone(a.pieces[[2]*ir.Txn{x, y}])
	_, xNever := a.never[x]
	_, yNever := a.never[y]
	switch {
	case !a.affects(x, y) && !a.affects(y, x):
		g.Kind, g.Text = codes.PairApart, "neither writes what decides what the other one does"
		return g
	case xNever && yNever:
		g.Kind, g.Text = codes.PairNeverDelayed, "each does at its commit what it would do at its snapshot, whoever commits in between"
		if list = a.delayed(x); x != y {
			list = append(list, a.delayed(y)...)
		}
	case len(list) > 0:
		g.Kind, g.Text = codes.PairCommutes, "one after the other they do the same in either order, wherever they could hold each other"
	default:
		g.Kind, g.Text = codes.PairOffCycle, "no cycle goes through both: each would need a step that is impossible for other pairs"
		return g
	}
	for _, i := range list {
		q := a.asked[i]
		g.Obligations = append(g.Obligations, a.refuted[i].Question)
		if q.Refuted.Syntactic {
			continue
		}
		if slices.Contains(q.Refuted.Topics, movers.TopicExclusion) {
			g.Kind, g.Text = codes.PairExcluded, "where they do not commute, they write the same, and the database lets one of two that run at the same time commit"
		}
		for _, n := range a.needs(q.Refuted, a.ev, a.mode, "it") {
			if !slices.Contains(g.Needs, n) {
				g.Needs = append(g.Needs, n)
			}
		}
	}
	slices.Sort(g.Needs)
	return g
}

// affects reports whether a template writes what decides what another one does, as the proof has it.
func (a *argument) affects(writer, reader *ir.Txn) bool {
	return slices.ContainsFunc(a.of[writer], func(w int) bool {
		return slices.ContainsFunc(a.of[reader], func(r int) bool { return meet(a.ev.Vertices[w].Writes, a.ev.Vertices[r].Reads) })
	})
}

// meet reports whether two lists of what is touched have something in common; "*" is everything.
func meet(a, b []string) bool {
	all := func(list []string) bool { return slices.Contains(list, "*") }
	return all(a) && len(b) > 0 || all(b) && len(a) > 0 || slices.ContainsFunc(a, func(x string) bool { return slices.Contains(b, x) })
}

// delayed gives the piece that says that a template is never delayed.
func (a *argument) delayed(t *ir.Txn) []int {
	if i := a.never[t]; i >= 0 {
		return []int{i}
	}
	return nil
}
