package drawing

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/txrobust/robust/report"
)

const seed = 20261128

// random is a report with a graph of n transactions with names of any length.
func random(r *rand.Rand, n int) *report.Report {
	g := &report.Graph{}
	for i := range n {
		node := report.Node{Name: fmt.Sprintf("t%d_%s", i, strings.Repeat("x", r.IntN(40))), File: "dir/a.sql", Line: r.IntN(3)}
		if r.IntN(3) == 0 {
			node.Note = "never delayed"
		}
		g.Nodes = append(g.Nodes, node)
	}
	for range r.IntN(3 * n) {
		e := report.Edge{From: g.Nodes[r.IntN(n)].Name, To: g.Nodes[r.IntN(n)].Name, Type: []string{"RW", "WR", "WW"}[r.IntN(3)], Vulnerable: r.IntN(2) == 0}
		for i := range r.IntN(5) {
			e.Meetings = append(e.Meetings, report.Meeting{Table: fmt.Sprint("table", i), Columns: []string{"a"}[:r.IntN(2)], From: report.Position{File: "a.sql", Line: 1}, To: report.Position{File: "a.sql", Line: 2}})
		}
		if r.IntN(4) == 0 {
			e.Cycle = "finding"
		}
		g.Edges = append(g.Edges, e)
	}
	return &report.Report{Program: "shop", Verdict: report.NotRobust, EngineTitle: "PostgreSQL REPEATABLE READ", Graph: g}
}

// counted counts what an SVG has by the classes of groups, and fails where it is no XML or has
// something other than drawings.
func counted(t *testing.T, text []byte) map[string]int {
	t.Helper()
	out := map[string]int{}
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if !strings.Contains(" svg style defs marker rect g title text path ", " "+e.Name.Local+" ") {
			t.Fatalf("an element %s", e.Name.Local)
		}
		for _, a := range e.Attr {
			if e.Name.Local == "g" && a.Name.Local == "class" {
				for _, c := range strings.Fields(a.Value) {
					out[c]++
				}
			}
		}
	}
}

// TestSVG compares pictures of random graphs with what is written for Graphviz, and looks whether
// boxes stand on each other or outside.
func TestSVG(t *testing.T) {
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 22))
	for n := 1; n <= 200; n += 1 + n/12 {
		rep := random(r, n)
		var svg, again, dot bytes.Buffer
		if err := SVG(&svg, []*report.Report{rep}); err != nil {
			t.Fatal(err)
		}
		if err := SVG(&again, []*report.Report{rep}); err != nil || again.String() != svg.String() {
			t.Fatalf("%d: another picture of the same graph: %v", n, err)
		}
		if err := report.DOT(&dot, Fold(rep)); err != nil {
			t.Fatal(err)
		}
		got, want := counted(t, svg.Bytes()), map[string]int{"node": strings.Count(dot.String(), " [label=") - strings.Count(dot.String(), "->") - 1}
		for _, l := range strings.Split(dot.String(), "\n") {
			switch {
			case strings.Contains(l, "->"):
				want["edge"]++
				if strings.Contains(l, "style=dashed") {
					want["vulnerable"]++
				}
				if strings.Contains(l, "dir=both") {
					want["WW"]++
				}
				if strings.Contains(l, "color=red") {
					want["cycle"]++
				}
			case strings.Contains(l, "color=red"):
				want["cycle"]++
			}
		}
		for class, count := range want {
			if got[class] != count {
				t.Errorf("%d transactions: %d of class %s, and %d for Graphviz", n, got[class], class, count)
			}
		}
		p := layOut(Fold(rep))
		if n <= foldAbove && got["node"] != n {
			t.Errorf("%d of %d transactions are drawn", got["node"], n)
		}
		for i, a := range p.boxes {
			if a.at.x-a.w/2 < 0 || a.at.y-a.h/2 < 2*line || a.at.x+a.w/2 > p.w || a.at.y+a.h/2 > p.h {
				t.Errorf("%d: %s is outside", n, a.name)
			}
			for _, b := range p.boxes[:i] {
				if math.Abs(a.at.x-b.at.x) < (a.w+b.w)/2 && math.Abs(a.at.y-b.at.y) < (a.h+b.h)/2 {
					t.Errorf("%d: %s and %s stand on each other", n, a.name, b.name)
				}
			}
		}
	}
}

// TestNames: names and tables can hold anything, and several graphs are one picture.
func TestNames(t *testing.T) {
	evil := "</text><script>alert(1)</script>\"&\x1b[31m]]>\x00名前"
	rep := &report.Report{Program: evil, Verdict: report.Unknown, EngineTitle: evil, Graph: &report.Graph{
		Nodes: []report.Node{{Name: evil, File: evil, Line: 1, Note: evil}},
		Edges: []report.Edge{{From: evil, To: evil, Type: "RW", Meetings: []report.Meeting{{Table: evil, Columns: []string{evil}}}, Why: evil}, {From: evil, To: "gone", Type: "WR"}},
	}}
	var b bytes.Buffer
	if err := SVG(&b, []*report.Report{rep, {Program: "no graph"}, rep}); err != nil {
		t.Fatal(err)
	}
	if got := counted(t, b.Bytes()); got["node"] != 2 || got["edge"] != 2 {
		t.Errorf("%v", got)
	}
	for _, wrong := range []string{"<script", "\x1b", "\x00"} {
		if strings.Contains(b.String(), wrong) {
			t.Errorf("%q is in the picture", wrong)
		}
	}
}
