package drawing

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/report"
)

// Sizes in pixels.
const (
	letter  = 7  // a character of a box
	line    = 15 // a line of a box
	gap     = 24 // between boxes
	margin  = 40
	widest  = 34 // characters of a line
	arc     = 46 // how far the first of several edges between two boxes is from a line
	apart   = 34 // and the next ones from it
	loopTop = 34 // how high the edge from a box to itself rises
)

// point is a place in the picture, in pixels from its left upper corner.
type point struct{ x, y float64 }

// box is a transaction with its lines of text; at is the middle.
type box struct {
	name  string
	lines []string
	full  string // what is shown beside the pointer
	cycle bool
	at    point
	w, h  float64
}

// arrow is an edge with its curve: from start by way of the points of control to end.
type arrow struct {
	edge              *report.Edge
	label, full       string
	start, end, where point
	control           []point
}

// picture is a graph with places.
type picture struct {
	title, below string
	boxes        []*box
	arrows       []*arrow
	w, h         float64
}

// layOut gives everything of a graph a place.
func layOut(r *report.Report) *picture {
	p := &picture{title: quote.Line(r.Program) + ": " + strings.ReplaceAll(string(r.Verdict), "-", " "), below: quote.Line(r.EngineTitle)}
	g := r.Graph
	if g == nil {
		g = &report.Graph{}
	}
	linked, cycle := map[string]bool{}, map[string]bool{}
	for i := range g.Edges {
		e := &g.Edges[i]
		if e.From != e.To {
			linked[e.From], linked[e.To] = true, true
		}
		if e.Cycle != "" {
			cycle[e.From], cycle[e.To] = true, true
		}
	}
	var round, aside []*box
	for _, n := range g.Nodes {
		b := boxOf(n, cycle[n.Name])
		p.boxes = append(p.boxes, b)
		if linked[n.Name] {
			round = append(round, b)
		} else {
			aside = append(aside, b)
		}
	}
	slices.SortStableFunc(round, func(a, b *box) int { return rank(a) - rank(b) })
	p.place(clusters(round, g.Edges), aside)
	p.connect(g)
	return p
}

func rank(b *box) int {
	if b.cycle {
		return 0
	}
	return 1
}

func boxOf(n report.Node, cycle bool) *box {
	b := &box{name: n.Name, lines: []string{quote.Line(n.Name)}, cycle: cycle}
	if n.Line > 0 {
		b.lines = append(b.lines, fmt.Sprintf("%s:%d", quote.Line(filepath.Base(n.File)), n.Line))
	}
	if n.Note != "" {
		b.lines = append(b.lines, quote.Line(n.Note))
	}
	for i, l := range b.lines {
		if i > 0 {
			b.full += ", "
		}
		b.full += l
		b.lines[i] = quote.Clip(l, widest)
		b.w = max(b.w, float64(quote.Columns(b.lines[i])*letter+20))
	}
	b.h = float64(len(b.lines)*line + 12)
	return b
}

// clusters gives the boxes that depend on each other, apart from those that do not.
func clusters(round []*box, edges []report.Edge) [][]*box {
	by := map[string]*box{}
	var names []string
	for _, b := range round {
		by[b.name] = b
		names = append(names, b.name)
	}
	var out [][]*box
	for _, c := range components(names, edges) {
		var list []*box
		for _, name := range c {
			list = append(list, by[name])
		}
		out = append(out, list)
	}
	return out
}

// widestRow is the width of a picture, unless one cluster needs more.
const widestRow = 1500

// place puts clusters beside each other in rows, and the other boxes in columns at their right.
func (p *picture) place(list [][]*box, aside []*box) {
	const top = float64(margin + 2*line + loopTop)
	p.w, p.h = 2*margin, top
	x, y, deepest := float64(margin), top, 0.0
	for _, c := range list {
		w, h := around(c)
		if x+w > widestRow && x > margin {
			x, y, deepest = margin, y+deepest+gap+loopTop, 0
		}
		for _, b := range c {
			b.at.x, b.at.y = b.at.x+x, b.at.y+y
		}
		x, deepest = x+w+2*gap, max(deepest, h)
		p.w, p.h = max(p.w, x-2*gap+margin), max(p.h, y+deepest)
	}
	p.h = max(p.h, top+4*(line+2*gap))
	x, y = p.w, top
	widest := 0.0
	for _, b := range aside {
		if y+b.h > p.h && widest > 0 {
			x, y, widest = x+widest+gap, top, 0
		}
		b.at = point{x + b.w/2, y + b.h/2}
		y += b.h + gap + loopTop
		widest = max(widest, b.w)
		p.w = max(p.w, x+widest+margin)
	}
	p.w, p.h = max(p.w, float64(quote.Columns(p.title)*letter*3/2+2*margin)), p.h+margin
}

// around puts boxes around an ellipse, from its upper left corner, and gives its size.
func around(round []*box) (width, height float64) {
	w, h := 0.0, 0.0
	for _, b := range round {
		w, h = max(w, b.w), max(h, b.h)
	}
	n := float64(len(round))
	rx, ry := max(w+gap, 280, n*(w+gap)/6), max(h+3*gap, 190, n*(h+gap)/5)
	switch len(round) {
	case 1:
		rx, ry = 0, 0
	case 2:
		ry = 0
	}
	for i, b := range round {
		a := -math.Pi/2 + 2*math.Pi*float64(i)/n
		if n == 2 {
			a -= math.Pi / 2 // side by side
		}
		b.at = point{w/2 + rx + rx*math.Cos(a), h/2 + ry + ry*math.Sin(a)}
	}
	return 2*rx + w, 2*ry + h
}

// connect gives edges their curves. Those between the same two boxes are beside each other, and
// lead to the left of whoever goes along them.
func (p *picture) connect(g *report.Graph) {
	at := map[string]*box{}
	for _, b := range p.boxes {
		at[b.name] = b
	}
	before := map[[2]string]float64{}
	for i := range g.Edges {
		e := &g.Edges[i]
		from, to := at[e.From], at[e.To]
		if from == nil || to == nil {
			continue
		}
		a := &arrow{edge: e}
		a.label, a.full = words(e)
		n := before[[2]string{e.From, e.To}]
		before[[2]string{e.From, e.To}]++
		if from == to {
			a.loop(from, n)
		} else {
			a.bend(from, to, n)
		}
		p.arrows = append(p.arrows, a)
	}
}

// near is where on an edge its label is, from 0 to 1: edges meet in the middle. That of the next
// one between the same boxes is further on.
const near = 0.3

// maxTables bounds the tables that the label of an edge shows.
const maxTables = 2

// words gives the label of an edge, and all that there is to say of it.
func words(e *report.Edge) (label, full string) {
	label, full = e.Type, e.From+" → "+e.To+": "+e.Type
	for i := range e.Meetings {
		m := &e.Meetings[i]
		switch {
		case i < maxTables:
			label += " " + m.What()
		case i == maxTables:
			label += " …"
		}
		full += "\n" + m.What()
		if m.From.Line > 0 {
			full += " (" + m.From.Short() + ", " + m.To.Short() + ")"
		}
	}
	if e.Why != "" {
		full += "\n" + e.Why
	}
	return quote.Clip(quote.Line(label), widest), full
}

// loop leads from the top of a box back to it; the n-th, from 0, beside the others.
func (a *arrow) loop(b *box, n float64) {
	x, y := b.at.x-b.w/2+18+n*apart, b.at.y-b.h/2
	a.start, a.end = point{x, y}, point{x + 20, y}
	a.control = []point{{x - 6, y - loopTop}, {x + 26, y - loopTop}}
	a.where = point{x + 10, y - loopTop*3/4 - 3 - 11*math.Mod(n, 3)}
}

// bend leads from one box to another one by way of a point beside the line; the n-th, from 0,
// goes around the others.
func (a *arrow) bend(from, to *box, n float64) {
	off := arc + apart*n
	dx, dy := to.at.x-from.at.x, to.at.y-from.at.y
	length := max(math.Hypot(dx, dy), 1)
	middle := point{(from.at.x+to.at.x)/2 + dy/length*off, (from.at.y+to.at.y)/2 - dx/length*off}
	a.start, a.end, a.control = from.border(middle), to.border(middle), []point{middle}
	u := near + 0.13*math.Mod(n, 4)
	a.where = point{(1-u)*(1-u)*a.start.x + 2*u*(1-u)*middle.x + u*u*a.end.x, (1-u)*(1-u)*a.start.y + 2*u*(1-u)*middle.y + u*u*a.end.y + 4}
}

// border is where the line from the middle of a box to a point leaves it.
func (b *box) border(to point) point {
	dx, dy := to.x-b.at.x, to.y-b.at.y
	scale := 1.0
	if dx != 0 {
		scale = min(scale, b.w/2/math.Abs(dx))
	}
	if dy != 0 {
		scale = min(scale, b.h/2/math.Abs(dy))
	}
	return point{b.at.x + dx*scale, b.at.y + dy*scale}
}
