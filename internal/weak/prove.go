package weak

import (
	"slices"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
)

// edge is a static dependency: an instance of the template To may have to come after one of
// From, because of the cells that they touch.
type edge struct {
	from, to int
	kind     interp.DepKind
	read     cell // of WR and RW
	// vulnerable is said of RW: nothing orders the two in the model otherwise.
	vulnerable bool
}

// Proof is what Prove found.
type Proof struct {
	// Robust says that no execution of the model, with any sessions, rows and values, has an
	// outcome of no serial order.
	Robust bool
	// Dependencies counts the static dependencies.
	Dependencies int
	// Cycle names the templates of a closed walk that an execution may follow, if there is one.
	Cycle []*ir.Txn
	// suspects are the templates of all such walks.
	suspects map[*ir.Txn]bool
}

// ProveOptions direct Prove.
type ProveOptions struct {
	// SessionOrder makes the order of transactions in a session a dependency.
	SessionOrder bool
}

// Prove looks for closed walks of static dependencies that have the shape of a cycle in an
// execution of the model (docs/soundness.md, section 11). Nothing can be said of a program that
// is Beyond the models.
func Prove(p *ir.Program, model Model, opt ProveOptions) Proof {
	g := newGraph(p, model, opt)
	out := Proof{Robust: true, Dependencies: len(g.edges), suspects: map[*ir.Txn]bool{}}
	for _, part := range g.components() {
		closing := g.closing(part)
		if closing == nil {
			continue
		}
		for _, e := range part {
			out.suspects[p.Txns[g.edges[e].from]] = true
		}
		if cycle := g.through(part, closing); out.Robust || len(cycle) < len(out.Cycle) {
			out.Cycle = cycle
		}
		out.Robust = false
	}
	return out
}

// graph has the static dependencies of a program as vertices. Its arcs are the dependencies that
// may follow each other in a shortest cycle.
type graph struct {
	p     *ir.Program
	model Model
	all   []*touched // by template
	edges []edge
	from  [][]int // edges by the template that they leave
}

func newGraph(p *ir.Program, model Model, opt ProveOptions) *graph {
	g := &graph{p: p, model: model, from: make([][]int, len(p.Txns))}
	for _, t := range p.Txns {
		g.all = append(g.all, touchedBy(t))
	}
	for i, a := range g.all {
		for k, b := range g.all {
			g.meet(i, k, interp.WW, a.writes, b.writes)
			g.meet(i, k, interp.WR, a.writes, b.reads)
			g.meet(i, k, interp.RW, a.reads, b.writes)
		}
	}
	for _, o := range sessionOrder(p, opt.SessionOrder) {
		g.add(edge{from: o[0], to: o[1], kind: interp.SO})
	}
	return g
}

func (g *graph) add(e edge) {
	g.from[e.from] = append(g.from[e.from], len(g.edges))
	g.edges = append(g.edges, e)
}

// meet adds the dependencies of one kind between two templates: one for each cell that is read.
// Where writers of one row see each other, they are ordered in whichever columns they write.
func (g *graph) meet(i, k int, kind interp.DepKind, out, in []cell) {
	seen := map[cell]bool{}
	for _, a := range out {
		for _, b := range in {
			var read cell
			switch kind {
			case interp.WR:
				read = b
			case interp.RW:
				read = a
			}
			if kind == interp.WW && g.model.excludes() {
				a.col, b.col = there, there
			}
			if !seen[read] && a.meets(b) {
				seen[read] = true
				g.add(edge{from: i, to: k, kind: kind, read: read, vulnerable: kind == interp.RW && !g.ordered(g.all[i], a)})
			}
		}
	}
}

// ordered reports whether who reads a cell sees those before it in the model who write the cell
// and are not after it: it writes the row itself, so that of it and each of them one sees the
// other.
func (g *graph) ordered(reader *touched, c cell) bool {
	if !g.model.excludes() || c.key == "" {
		return false
	}
	if c.col == there { // the row may not have been there
		return reader.made[c.table][c.key]
	}
	return reader.must[c.table][c.key]
}

// sessionOrder gives the templates that may follow each other in a session, by their places.
func sessionOrder(p *ir.Program, any bool) [][2]int {
	var out [][2]int
	add := func(a, b *ir.Txn) { out = append(out, [2]int{slices.Index(p.Txns, a), slices.Index(p.Txns, b)}) }
	kept := slices.ContainsFunc(p.Txns, func(t *ir.Txn) bool { return slices.ContainsFunc(t.Locals, func(l ir.Local) bool { return l.Kept }) })
	if len(p.Processes) == 0 && (any || kept) { // registers go from one transaction to the next
		for _, a := range p.Txns {
			for _, b := range p.Txns {
				add(a, b)
			}
		}
	}
	for _, pr := range p.Processes {
		for i, a := range pr.Txns {
			for _, b := range pr.Txns[i+1:] {
				add(a, b)
			}
		}
	}
	return out
}

// follows reports whether the second dependency may come after the first one in a shortest
// cycle. Who reads from p, and precedes s because s overwrites what it reads, is not needed in
// between where p writes the same: then p precedes s, too.
func (g *graph) follows(first, second *edge) bool {
	if first.to != second.from {
		return false
	}
	if first.kind != interp.WR || second.kind != interp.RW {
		return true
	}
	a, b := first.read, second.read
	if a.key == "" || a.table != b.table || a.key != b.key {
		return true
	}
	return a.col != b.col && !g.model.excludes() && !g.all[first.from].together(a.table, a.col, b.col)
}

// turn reports whether two dependencies in a row are what every cycle of the model has at
// some place: PC allows no cycle without an RW after an RW or a WW.
func (g *graph) turn(first, second *edge) bool {
	if second.kind != interp.RW || !second.vulnerable {
		return false
	}
	switch g.model {
	case PC:
		return first.kind == interp.RW || first.kind == interp.WW
	case SI:
		return first.kind == interp.RW && first.vulnerable
	}
	return true
}

// closing gives an edge of a component, and one after it, that show the shape of the model, or
// nil.
func (g *graph) closing(part []int) []int {
	in := map[int]bool{}
	for _, e := range part {
		in[e] = true
	}
	for _, e := range part {
		for _, next := range g.from[g.edges[e].to] {
			if in[next] && g.follows(&g.edges[e], &g.edges[next]) && g.turn(&g.edges[e], &g.edges[next]) {
				return []int{e, next}
			}
		}
	}
	return nil
}

// through gives the templates of a closed walk through two edges in a row.
func (g *graph) through(part, closing []int) []*ir.Txn {
	in := map[int]bool{}
	for _, e := range part {
		in[e] = true
	}
	before := map[int]int{}
	queue := []int{closing[1]}
	for len(queue) > 0 && queue[0] != closing[0] {
		e := queue[0]
		queue = queue[1:]
		for _, next := range g.from[g.edges[e].to] {
			if _, seen := before[next]; in[next] && !seen && next != closing[1] && g.follows(&g.edges[e], &g.edges[next]) {
				before[next] = e
				queue = append(queue, next)
			}
		}
	}
	var out []*ir.Txn
	for e := closing[0]; ; e = before[e] {
		out = append(out, g.p.Txns[g.edges[e].from])
		if e == closing[1] {
			break
		}
	}
	slices.Reverse(out)
	return out
}

// components gives the strongly connected components of dependencies that have a closed walk.
func (g *graph) components() [][]int {
	c := &connected{g: g, index: make([]int, len(g.edges)), low: make([]int, len(g.edges)), on: make([]bool, len(g.edges))}
	for e := range g.edges {
		if c.index[e] == 0 {
			c.visit(e)
		}
	}
	return c.out
}

// connected is the algorithm of Tarjan.
type connected struct {
	g          *graph
	index, low []int
	on         []bool
	stack      []int
	next       int
	out        [][]int
}

func (c *connected) visit(e int) {
	c.next++
	c.index[e], c.low[e] = c.next, c.next
	c.stack, c.on[e] = append(c.stack, e), true
	loop := false
	for _, n := range c.g.from[c.g.edges[e].to] {
		if !c.g.follows(&c.g.edges[e], &c.g.edges[n]) {
			continue
		}
		loop = loop || n == e
		if c.index[n] == 0 {
			c.visit(n)
			c.low[e] = min(c.low[e], c.low[n])
		} else if c.on[n] {
			c.low[e] = min(c.low[e], c.index[n])
		}
	}
	if c.low[e] != c.index[e] {
		return
	}
	var part []int
	for {
		n := c.stack[len(c.stack)-1]
		c.stack, c.on[n] = c.stack[:len(c.stack)-1], false
		part = append(part, n)
		if n == e {
			break
		}
	}
	if len(part) > 1 || loop {
		slices.Sort(part)
		c.out = append(c.out, part)
	}
}
