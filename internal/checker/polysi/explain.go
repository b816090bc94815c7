package polysi

import (
	"math"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/acyclic"
	"github.com/txrobust/robust/isolation"
)

// explainer finds a small cycle that shows why there is no way, and for each edge
// of it that was concluded why the other order of the writes would be a cycle, too.
// That is the interpretation of PolySI, appendix C: a cycle together with the
// cycles of the other choices. Here they are found in the opposite order: an edge is
// explained by edges that were concluded before it.
type explainer struct {
	*polygraph
	edges []edge // those of the polygraph, and supposed ones
	out   [][]int32
	// reasons say for versions of which the first is before the second why that is so.
	reasons map[[2]int32][]checker.Edge
	// concluded are those that were concluded from what was supposed.
	concluded [][2]int32
	size      int // how many edges the explanation has

	// Of the last search for a path.
	cost    []int32
	by      []int32 // edges
	run     []int32
	runs    int32
	buckets [][]int32
	looked  int   // at how many edges, in all searches
	limit   int32 // how much weight a path may have
	// component are those of the nodes, if a path has to stay in one.
	component []int32
}

const (
	// supposed is the round of edges that are there for the sake of argument.
	supposed = 1 << 30
	// maxExplained bounds the edges of an explanation: what is longer is not
	// explained to the end.
	maxExplained = 400
	// maxSupposed bounds how many orders are supposed one within another.
	maxSupposed = 10
	// maxPaths bounds how many paths are looked for before what is left to suppose is
	// given up.
	maxPaths = 20_000
	// cycleTries is how many edges are tried for the smallest cycle, and cycleWork how often all edges are looked
	// at for that.
	cycleTries = 64
	cycleWork  = 2
)

// violation gives the smallest cycle that is found when all that is known is true, and
// pairs are ordered in any way; nil if the time is over before.
func (p *polygraph) violation(pairs []pair) *checker.Violation {
	n := len(p.txnOf)
	x := &explainer{
		polygraph: p, edges: slices.Clone(p.edges), out: make([][]int32, n), reasons: map[[2]int32][]checker.Edge{},
		cost: make([]int32, n), by: make([]int32, n), run: make([]int32, n), limit: math.MaxInt32,
	}
	for i := range x.edges {
		x.out[x.edges[i].from] = append(x.out[x.edges[i].from], int32(i))
	}
	cycle := x.knownCycle()
	if cycle == nil {
		cycle = x.refute(pairs, 0)
	}
	if cycle == nil {
		cycle = x.supposeAll(pairs)
	}
	if cycle == nil {
		return nil
	}
	return p.named(x.convert(cycle))
}

// knownCycle gives a small cycle of known edges; nil if there is none. Those of the
// last round close all cycles.
func (x *explainer) knownCycle() []int32 {
	if len(x.topology) == len(x.txnOf) {
		return nil
	}
	known := acyclic.NewProblem(len(x.txnOf))
	for i := range x.edges {
		known.Edge(x.edges[i].from, x.edges[i].to)
	}
	x.component = known.Components()
	var best []int32
	tries := 0
	for i := range x.edges {
		e := &x.edges[i]
		if e.round < x.round || e.why == inside || e.why == session || x.component[e.from] != x.component[e.to] {
			continue
		}
		back, ok := x.path(e.to, e.from, supposed)
		if !ok {
			continue
		}
		if cycle := append([]int32{int32(i)}, back...); best == nil || x.weight(cycle) < x.weight(best) {
			best = cycle
			x.limit = x.weight(best)
		}
		if tries++; tries == cycleTries || x.looked > cycleWork*len(x.edges) || x.ctx.Err() != nil {
			break
		}
	}
	x.limit, x.component = math.MaxInt32, nil
	return best
}

// weightOf is how much an edge adds to the size of an explanation.
func (x *explainer) weightOf(e *edge) int32 {
	switch {
	case e.why == inside:
		return 0
	case e.round == 0:
		return 2
	case e.round == supposed:
		return 5
	}
	return 4 + min(e.round, 8)
}

func (x *explainer) weight(path []int32) int32 {
	n := int32(0)
	for _, i := range path {
		n += x.weightOf(&x.edges[i])
	}
	return n
}

// path gives the edges of a path of the least weight, below the limit, of edges that
// were known before a round.
func (x *explainer) path(from, to, round int32) (edges []int32, ok bool) {
	x.runs++
	for i := range x.buckets {
		x.buckets[i] = x.buckets[i][:0]
	}
	reach := func(n, cost, by int32) {
		if x.run[n] == x.runs && x.cost[n] <= cost || x.component != nil && x.component[n] != x.component[from] {
			return
		}
		x.run[n], x.cost[n], x.by[n] = x.runs, cost, by
		for int(cost) >= len(x.buckets) {
			x.buckets = append(x.buckets, nil)
		}
		x.buckets[cost] = append(x.buckets[cost], n)
	}
	reach(from, 0, -1)
	for cost := 0; cost < len(x.buckets) && cost < int(x.limit); cost++ {
		for i := 0; i < len(x.buckets[cost]); i++ {
			n := x.buckets[cost][i]
			if x.cost[n] != int32(cost) {
				continue
			}
			if n == to {
				for n != from {
					edges = append(edges, x.by[n])
					n = x.edges[x.by[n]].from
				}
				slices.Reverse(edges)
				return edges, true
			}
			x.looked += len(x.out[n])
			for _, j := range x.out[n] {
				if e := &x.edges[j]; e.round < round || round == supposed {
					reach(e.to, int32(cost)+x.weightOf(e), j)
				}
			}
		}
	}
	return nil, false
}

// refute gives a cycle that there is in whatever order pairs are: it concludes
// orders whose opposites close a cycle, and where there are none it supposes one.
// It is nil if there is no such cycle, or it is too deep.
func (x *explainer) refute(pairs []pair, depth int) []int32 {
	pairs = slices.Clone(pairs)
	for len(pairs) > 0 && x.runs < maxPaths && x.ctx.Err() == nil {
		before := len(pairs)
		for i := 0; i < len(pairs); i++ {
			q := pairs[i]
			reason, first, second := x.conclude(q.x, q.y), q.x, q.y
			if reason == nil {
				reason, first, second = x.conclude(q.y, q.x), q.y, q.x
			}
			if reason == nil {
				continue
			}
			pairs = slices.Delete(pairs, i, i+1)
			i--
			x.note(first, second, reason)
			if cycle := x.suppose(first, second); cycle != nil {
				return cycle
			}
		}
		if len(pairs) < before {
			continue
		}
		if depth == maxSupposed {
			return nil
		}
		q := pairs[0]
		pairs = pairs[1:]
		edges, concluded := len(x.edges), len(x.concluded)
		cycle := x.suppose(q.x, q.y)
		if cycle == nil {
			cycle = x.refute(pairs, depth+1)
		}
		reason := startingWith(x.ordering(q.x.tail, q.y.head), x.convert(cycle))
		x.forget(edges, concluded)
		if cycle == nil {
			return nil
		}
		x.note(q.y, q.x, reason)
		if cycle := x.suppose(q.y, q.x); cycle != nil {
			return cycle
		}
	}
	return nil
}

// startingWith puts a supposed edge before a cycle, or begins the cycle with it if it
// is there.
func startingWith(e checker.Edge, cycle []checker.Edge) []checker.Edge {
	for i, f := range cycle {
		if f.Dependency == e.Dependency && f.From == e.From && f.To == e.To && f.Key == e.Key {
			return slices.Concat(cycle[i:], cycle[:i])
		}
	}
	return append([]checker.Edge{e}, cycle...)
}

// note keeps why chain y is before chain z.
func (x *explainer) note(y, z chain, reason []checker.Edge) {
	key := [2]int32{y.tail, z.head}
	x.reasons[key] = reason
	x.concluded = append(x.concluded, key)
}

// supposeAll gives a cycle that there is when pairs are in the order in which they
// were guessed, if there is one.
func (x *explainer) supposeAll(pairs []pair) []int32 {
	for _, q := range pairs {
		if cycle := x.suppose(q.x, q.y); cycle != nil {
			return cycle
		}
	}
	return nil
}

// suppose adds the edges by which chain y is before chain z. It gives a cycle that
// they close, if there is one.
func (x *explainer) suppose(y, z chain) []int32 {
	add := func(from, to int32, why reason, ref int32) []int32 {
		i := int32(len(x.edges))
		x.edges = append(x.edges, edge{from, to, ref, z.head, supposed, why})
		x.out[from] = append(x.out[from], i)
		if back, ok := x.path(to, from, supposed); ok {
			return append([]int32{i}, back...)
		}
		return nil
	}
	best := add(x.commitOf(y.tail), x.beginOf(z.head), ordered, y.tail)
	x.readers(y.tail, func(i int32) bool {
		if t := x.reader(i); t != x.v.txn[z.head] {
			if cycle := add(x.begin[t], x.commitOf(z.head), overtaken, i); cycle != nil && (best == nil || x.weight(cycle) < x.weight(best)) {
				best = cycle
			}
		}
		return true
	})
	return best
}

// forget takes back what was supposed, and what was concluded from that.
func (x *explainer) forget(edges, concluded int) {
	for len(x.edges) > edges {
		e := x.edges[len(x.edges)-1]
		x.edges = x.edges[:len(x.edges)-1]
		x.out[e.from] = x.out[e.from][:len(x.out[e.from])-1]
	}
	for _, key := range x.concluded[concluded:] {
		delete(x.reasons, key)
	}
	x.concluded = x.concluded[:concluded]
}

// conclude says why chain y is before chain z: edges from y to z, or WR from z to a
// reader and then edges from y to the reader. It is nil if that is not known.
func (x *explainer) conclude(y, z chain) []checker.Edge { return x.because(y, z, supposed) }

// because is conclude with edges that were known before a round.
func (x *explainer) because(y, z chain, round int32) []checker.Edge {
	best, ok := x.path(x.beginOf(y.head), x.commitOf(z.tail), round)
	read := int32(-1)
	x.readers(z.tail, func(i int32) bool {
		t := x.reader(i)
		if t == x.v.txn[y.head] {
			return true
		}
		if path, found := x.path(x.commitOf(y.head), x.begin[t], round); found && (!ok || x.weight(path)+2 < x.weight(best)) {
			best, ok, read = path, true, i
		}
		return true
	})
	if !ok {
		return nil
	}
	out := x.convert(best)
	if read >= 0 {
		out = append([]checker.Edge{x.readEdge(read)}, out...)
	}
	return out
}

// convert gives edges between transactions.
func (x *explainer) convert(path []int32) []checker.Edge {
	var out []checker.Edge
	for _, i := range path {
		e := x.edges[i]
		switch e.why {
		case inside:
			continue
		case session:
			out = append(out, checker.Edge{Dependency: isolation.SO, From: x.txnOf[e.from], To: x.txnOf[e.to], Key: -1, Read: -1})
		case fromRead:
			out = append(out, x.readEdge(e.ref))
		case updated, overtaken:
			out = append(out, x.overtaking(e))
		case ordered:
			out = append(out, x.reasoned(e, e.ref))
		default:
			panic("polysi: an edge without a reason")
		}
		x.size++
	}
	return out
}

// readEdge is the WR edge of a read.
func (x *explainer) readEdge(i int32) checker.Edge {
	r := x.list[i]
	return checker.Edge{Dependency: isolation.WR, From: r.from, To: x.h.TxnOf(r.op), Key: r.key, Read: r.op}
}

// overtaking is an RW edge, because of a WW edge where that is not clear.
func (x *explainer) overtaking(e edge) checker.Edge {
	r := x.list[e.ref]
	out := checker.Edge{Dependency: isolation.RW, From: x.h.TxnOf(r.op), To: x.txnOf[e.to], Key: r.key, Read: r.op}
	if e.why == overtaken && r.from != history.InitialTxn {
		out.Because = []checker.Edge{x.reasoned(e, x.v.of(r.key, r.from))}
	}
	return out
}

// ordering is a WW edge.
func (x *explainer) ordering(first, second int32) checker.Edge {
	return checker.Edge{Dependency: isolation.WW, From: x.v.txn[first], To: x.v.txn[second], Key: x.v.key[first], Read: -1}
}

// reasoned is the WW edge of a concluded edge, from a version that is the end of a
// chain, with its reasons.
func (x *explainer) reasoned(e edge, from int32) checker.Edge {
	out := x.ordering(from, e.other)
	key := [2]int32{from, e.other}
	reason, ok := x.reasons[key]
	if !ok && e.round < supposed && x.size < maxExplained {
		reason = x.because(x.chainOf(from), x.chainOf(e.other), e.round)
		x.reasons[key] = reason
	}
	out.Because = reason
	return out
}

// chainOf gives the chain of a version.
func (p *polygraph) chainOf(version int32) chain {
	c := chain{version, version}
	for p.v.prev[c.head] >= 0 {
		c.head = p.v.prev[c.head]
	}
	for p.v.next[c.tail] >= 0 {
		c.tail = p.v.next[c.tail]
	}
	return c
}
