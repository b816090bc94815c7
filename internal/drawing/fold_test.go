package drawing

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/txrobust/robust/report"
)

// TestFold folds random graphs: no transaction is lost, cycles stay as they are, and an edge between a
// folded transaction and one on a cycle is part of an edge of the result where few are on cycles.
func TestFold(t *testing.T) {
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 23))
	folded := 0
	for round := range 200 {
		rep := random(r, 1+r.IntN(200))
		few := round%2 == 0
		if few { // findings are rare in most programs
			for i := range rep.Graph.Edges {
				if i > 2 {
					rep.Graph.Edges[i].Cycle = ""
				}
			}
		}
		if round%5 == 0 {
			for i := range rep.Graph.Edges {
				rep.Graph.Edges[i].Cycle = ""
			}
		}
		got := Fold(rep)
		if len(rep.Graph.Nodes) <= foldAbove {
			if got != rep {
				t.Fatalf("%d: a small graph changed", round)
			}
			continue
		}
		folded++
		kept, counted := map[string]bool{}, 0
		for _, n := range got.Graph.Nodes {
			kept[n.Name] = true
			var many int
			if _, err := fmt.Sscanf(n.Name, "%d transaction", &many); err == nil {
				counted += many
			} else {
				counted++
			}
		}
		if counted != len(rep.Graph.Nodes) || len(kept) != len(got.Graph.Nodes) {
			t.Errorf("%d: %d of %d transactions in %d nodes of %d names", round, counted, len(rep.Graph.Nodes), len(got.Graph.Nodes), len(kept))
		}
		cycles, on := map[string]bool{}, map[string]bool{}
		for i := range rep.Graph.Edges {
			if e := &rep.Graph.Edges[i]; e.Cycle != "" {
				cycles[e.From+e.To+e.Type], on[e.From], on[e.To] = true, true, true
				if !kept[e.From] || !kept[e.To] {
					t.Errorf("%d: %s -> %s is on a cycle, and folded", round, e.From, e.To)
				}
			}
		}
		spokes := map[string]bool{}
		end := func(name string) string {
			if on[name] {
				return name
			}
			return "folded"
		}
		for i := range rep.Graph.Edges {
			if e := &rep.Graph.Edges[i]; e.Type != "WR" && on[e.From] != on[e.To] && len(on) <= maxSpokes {
				spokes[end(e.From)+end(e.To)+e.Type] = true
			}
		}
		for i := range got.Graph.Edges {
			e := &got.Graph.Edges[i]
			if !kept[e.From] || !kept[e.To] {
				t.Errorf("%d: an edge %s -> %s without its nodes", round, e.From, e.To)
			}
			if e.Cycle != "" {
				delete(cycles, e.From+e.To+e.Type)
			}
			if len(on) > 0 && on[e.From] != on[e.To] {
				key := end(e.From) + end(e.To) + e.Type
				if !spokes[key] {
					t.Errorf("%d: %s -> %s (%s) is not in the graph, or twice in the folded one", round, e.From, e.To, e.Type)
				}
				delete(spokes, key)
			}
		}
		if len(cycles) > 0 {
			t.Errorf("%d: edges of cycles are lost: %v", round, cycles)
		}
		if len(spokes) > 0 {
			t.Errorf("%d: dependencies on what is folded are lost: %v", round, spokes)
		}
		if p := layOut(got); few && (p.w > 2400 || p.h > 2400) {
			t.Errorf("%d: the picture of %d transactions has %.0f times %.0f pixels", round, len(rep.Graph.Nodes), p.w, p.h)
		}
	}
	if folded < 100 {
		t.Errorf("%d graphs were folded", folded)
	}
}

// TestLarge draws 200 transactions on 40 tables of which 4 have findings, and 200 that
// are robust: both are a picture for one page.
func TestLarge(t *testing.T) {
	for _, findings := range []int{0, 4, 60} {
		g := &report.Graph{}
		for i := range 200 {
			g.Nodes = append(g.Nodes, report.Node{Name: fmt.Sprintf("f%d", i), File: "a.sql", Line: i + 1})
		}
		for i := range 200 {
			for _, j := range []int{(i + 40) % 200, (i + 80) % 200} {
				g.Edges = append(g.Edges, report.Edge{From: g.Nodes[i].Name, To: g.Nodes[j].Name, Type: "RW", Meetings: []report.Meeting{{Table: fmt.Sprint("t", i%40)}}})
			}
			if i < findings {
				g.Edges = append(g.Edges, report.Edge{From: g.Nodes[i].Name, To: g.Nodes[i].Name, Type: "RW", Vulnerable: true, Cycle: "finding"})
			}
		}
		rep := &report.Report{Program: "large", Graph: g}
		var svg bytes.Buffer
		if err := SVG(&svg, []*report.Report{rep}); err != nil {
			t.Fatal(err)
		}
		got, p := counted(t, svg.Bytes()), layOut(Fold(rep))
		want := map[int]int{0: maxGroups, 4: 5, 60: 61}[findings]
		if got["node"] != want || svg.Len() > 100_000 || p.w > 2400 || p.h > 3000 {
			t.Errorf("%d findings: %d nodes, want %d; %d bytes, %.0f times %.0f pixels", findings, got["node"], want, svg.Len(), p.w, p.h)
		}
	}
}
