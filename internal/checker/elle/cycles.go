package elle

import (
	"cmp"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker/anomalies"
	"github.com/txrobust/robust/internal/checker/explain"
)

// shape is how many anti-dependencies a cycle may have, and where.
type shape uint8

const (
	none        shape = iota // none
	one                      // just the first edge
	nonadjacent              // two or more, but no two in a row
	several                  // two or more
)

// class is a kind of cycle that is searched for: it begins with an edge of one
// kind, and goes on with edges of some.
type class struct {
	shape       shape
	first, rest edges
	// name is that of the cycles.
	name explain.Shape
	// least is the length of the shortest cycle that there can be.
	least int
}

var classes = []class{
	{none, ww, ww, explain.Writes, 2},
	{none, wr, ww | wr, explain.Reads, 2},
	{one, rw, ww | wr | based, explain.Single, 2},
	{nonadjacent, rw, ww | wr | based | rw, explain.Nonadjacent, 4},
	{several, rw, ww | wr | based | rw, explain.Several, 2},
}

// cycles reports cycles: of each kind, a shortest one for each component.
func (a *analysis) cycles() {
	g := &a.g
	a.components, a.serial = g.strong(a.ctx, ww|wr|rw|so|rt|based, layout{})
	if len(a.components) == 0 {
		return // no cycle at all
	}
	f := &finder{a: a, local: make([]int32, g.nodes)}
	for i := range f.local {
		f.local[i] = -1
	}
	orders := []struct {
		extra edges
		name  explain.Order
	}{{0, explain.Plain}, {so, explain.Sessions}, {rt, explain.RealTime}}
	if !a.timed() {
		orders = orders[:2]
	}
	for _, c := range classes {
		// Transactions that are on a cycle of this class already need no more
		// of it with other orders.
		done := make([]bool, g.txns)
		for _, o := range orders {
			kind := explain.Cycle{Shape: c.name, Order: o.name}.Name()
			if !a.wants(kind) && !(c.shape == nonadjacent && o.extra == 0 && a.wants(anomalies.LongFork)) {
				continue
			}
			split := c.shape == one || c.shape == nonadjacent
			components, _ := g.strong(a.ctx, c.first|c.rest|o.extra, layout{split: split})
			for _, comp := range components {
				if a.ctx.Err() != nil {
					return
				}
				if slices.ContainsFunc(comp, func(t int32) bool { return done[t] }) {
					continue
				}
				if cycle := f.shortest(comp, c, o.extra); cycle != nil && (c.shape != several || adjacent(cycle)) {
					a.cycle(kind, cycle)
					for _, s := range cycle {
						done[s.node] = true
					}
				}
			}
		}
	}
	if a.wants(anomalies.COConflictAO) || a.wants(anomalies.FracturedReadAO) || a.wants(anomalies.NonMonoReadCO) || a.wants(anomalies.GMonotonic) {
		a.causal(f)
	}
	if f.exhausted {
		a.exhausted = true
		a.note("The search for cycles ran out of steps: there may be more, of other kinds.")
	}
}

// adjacent tells whether a cycle has two anti-dependencies in a row. Otherwise it
// is one of the classes before.
func adjacent(cycle []hop) bool {
	for i, s := range cycle {
		if s.kind == rw && cycle[(i+1)%len(cycle)].kind == rw {
			return true
		}
	}
	return false
}

// missed is an edge from who read a version to who made any later one.
const missed edges = 1 << 7

// causal reports transactions that did not see what they should have: a version
// of what they had read from, or of what is in their session or causal past.
func (a *analysis) causal(f *finder) {
	components, _ := a.g.strong(a.ctx, ww|wr|rw|so, layout{})
	c := class{shape: one, first: missed, rest: wr, least: 2}
	for _, comp := range components {
		if a.ctx.Err() != nil {
			return
		}
		cycle := f.shortest(comp, c, so)
		switch {
		case cycle == nil:
		case len(cycle) > 2:
			a.cycle(anomalies.COConflictAO, cycle)
		default:
			a.cycle(anomalies.FracturedReadAO, cycle)
			f.monotonic(comp)
		}
	}
}

// monotonic reports a transaction of a component that read from another one and
// then missed a version of it.
func (f *finder) monotonic(comp []int32) {
	a := f.a
	f.enter(comp, missed|wr)
	defer f.leave()
	for i := range f.txns {
		for _, e := range f.out[i] {
			if e.kind != missed {
				continue
			}
			t, u := history.Txn(f.nodes[i]), history.Txn(f.nodes[e.to])
			if a.missedAfterRead(t, u) {
				cycle := []hop{{f.nodes[i], missed}, {f.nodes[e.to], wr}}
				if a.wants(anomalies.NonMonoReadCO) {
					a.forms[anomalies.GMonotonic] = true
					a.cycle(anomalies.NonMonoReadCO, cycle)
				} else {
					a.cycle(anomalies.GMonotonic, cycle)
				}
				return
			}
		}
	}
}

// missedAfterRead tells whether t read from u and later an older version of a key
// that u wrote.
func (a *analysis) missedAfterRead(t, u history.Txn) bool {
	seen := false
	first, end := a.h.Ops(t)
	for r := first; r < end; r++ {
		if !a.says(r) {
			continue
		}
		if seen && slices.Contains(a.missedBy(r), u) {
			return true
		}
		seen = seen || slices.Contains(a.readFrom(r), u)
	}
	return false
}

// sees tells whether t must have read a version that u wrote. That is more than
// an edge WR: who reads a set has one version of it, which contains what others had
// added before.
func (a *analysis) sees(t, u history.Txn) bool {
	for r, end := a.h.Ops(t); r < end; r++ {
		if a.says(r) && slices.Contains(a.readFrom(r), u) {
			return true
		}
	}
	return false
}

// readFrom gives the transactions from which a read has its version, as far as
// they are known.
func (a *analysis) readFrom(r history.Op) []history.Txn {
	h, t := a.h, a.h.TxnOf(r)
	var out []history.Txn
	switch h.Kind(r) {
	case history.Read:
		out = append(out, a.writer(a.of(r)))
	case history.ReadList:
		n, ok := a.trustedRead(r)
		if !ok {
			break
		}
		order := a.lists.of(h.Key(r))
		for n > 0 && order[n-1] == t {
			n--
		}
		if n > 0 {
			out = append(out, order[n-1])
		}
	case history.ReadSet:
		for i := range h.List(r) {
			if u := a.writer(a.element(r, i)); u != t && !slices.Contains(out, u) {
				out = append(out, u)
			}
		}
		if len(out) > 1 {
			return nil // any of them may be the last
		}
	case history.ReadRange:
		g := h.Range(r)
		for i := range len(g.LiveKeys) + len(g.DeadKeys) {
			out = append(out, a.writer(a.row(r, i)))
		}
	}
	return out
}

// missedBy gives the transactions that made a later version of what a read
// returned.
func (a *analysis) missedBy(r history.Op) []history.Txn {
	h := a.h
	var out []history.Txn
	later := func(ws []history.Op) {
		if a.writer(ws) >= 0 {
			for _, w := range a.laterVersions(ws[0]) {
				out = append(out, h.TxnOf(w))
			}
		}
	}
	switch h.Kind(r) {
	case history.Read:
		later(a.of(r))
	case history.ReadList:
		if n, ok := a.trustedRead(r); ok {
			k := h.Key(r)
			out = append(out, a.lists.of(k)[n:]...)
			for _, w := range a.lists.pending(k) {
				out = append(out, h.TxnOf(w))
			}
		}
	case history.ReadRange:
		g := h.Range(r)
		for i := range len(g.LiveKeys) + len(g.DeadKeys) {
			later(a.row(r, i))
		}
	}
	return out
}

// hop is a step of a cycle: the edge that leaves a transaction.
type hop struct {
	node int32
	kind edges
}

// finder searches a component for cycles.
type finder struct {
	a     *analysis
	local []int32 // number of a node within the component, -1 outside

	// Of the component: nodes, transactions first, and what leaves each.
	n, txns  int32
	nodes    []int32
	out      [][]leave
	sessions [][]int32 // the local numbers of the transactions, in order
	session  []int32   // of a transaction
	position []int32   // in its session
	begun    []int32   // by begin
	begin    []int64

	// Of the search: seen is at states·node + state.
	seen      []int32
	from      []int32
	by        []edges
	round     int32
	soLeft    [states][]int32 // of each session, how many are not yet seen, in front
	rtLeft    [states]int
	exhausted bool
}

type leave struct {
	to   int32
	kind edges
}

// enter prepares the search within a component.
func (f *finder) enter(comp []int32, kinds edges) {
	g, h := &f.a.g, f.a.h
	f.nodes = append(f.nodes[:0], comp...)
	f.txns = int32(len(comp))
	for i, v := range comp {
		f.local[v] = int32(i)
	}
	// Hubs of anti-dependencies follow; those of time are not needed.
	f.out = f.out[:0]
	for i := 0; i < len(f.nodes); i++ {
		v := f.nodes[i]
		var out []leave
		for j := g.first[v]; j < g.first[v+1]; j++ {
			k, w := g.kind[j], g.to[j]
			if k&kinds&(ww|wr|rw|based) == 0 {
				continue
			}
			if k == wr && kinds&missed != 0 && !f.a.sees(history.Txn(w), history.Txn(v)) {
				continue
			}
			if g.hub(w) && f.local[w] < 0 {
				f.local[w] = int32(len(f.nodes))
				f.nodes = append(f.nodes, w)
			}
			if f.local[w] >= 0 {
				out = append(out, leave{f.local[w], k})
			}
		}
		f.out = append(f.out, out)
	}
	f.n = int32(len(f.nodes))
	if kinds&missed != 0 {
		f.misses()
	}
	for i := range f.out {
		slices.SortFunc(f.out[i], func(x, y leave) int {
			if x.to != y.to {
				return int(x.to - y.to)
			}
			return int(x.kind) - int(y.kind)
		})
		f.out[i] = slices.Compact(f.out[i])
	}

	f.sessions, f.session, f.position = f.sessions[:0], f.session[:0], f.position[:0]
	for i, v := range comp {
		t := history.Txn(v)
		if i == 0 || h.SessionOf(t) != h.SessionOf(history.Txn(comp[i-1])) {
			f.sessions = append(f.sessions, nil)
		}
		s := len(f.sessions) - 1
		f.session = append(f.session, int32(s))
		f.position = append(f.position, int32(len(f.sessions[s])))
		f.sessions[s] = append(f.sessions[s], int32(i))
	}
	f.begun, f.begin = f.begun[:0], f.begin[:0]
	for i := range comp {
		f.begun = append(f.begun, int32(i))
	}
	slices.SortStableFunc(f.begun, func(x, y int32) int {
		return cmp.Compare(h.Begin(history.Txn(comp[x])), h.Begin(history.Txn(comp[y])))
	})
	for _, i := range f.begun {
		f.begin = append(f.begin, h.Begin(history.Txn(comp[i])))
	}
	f.seen = make([]int32, states*f.n)
	f.from = make([]int32, states*f.n)
	f.by = make([]edges, states*f.n)
	f.round = 0
	for s := range f.soLeft {
		f.soLeft[s] = make([]int32, len(f.sessions))
	}
}

// leave forgets the component.
func (f *finder) leave() {
	for _, v := range f.nodes {
		f.local[v] = -1
	}
}

// misses adds an edge from each read to all that made later versions.
func (f *finder) misses() {
	a := f.a
	for i := range f.txns {
		first, end := a.h.Ops(history.Txn(f.nodes[i]))
		for o := first; o < end; o++ {
			if !a.says(o) {
				continue
			}
			all := a.missedBy(o)
			a.steps -= int64(len(all))
			for _, t := range all {
				if t >= 0 && f.local[t] >= 0 && f.local[t] != i {
					f.out[i] = append(f.out[i], leave{f.local[t], missed})
				}
			}
		}
	}
}

// shortest gives a shortest cycle of a class in a component, nil if there is
// none or the search ran out of steps.
func (f *finder) shortest(comp []int32, c class, extra edges) []hop {
	rest := c.rest | extra
	f.enter(comp, c.first|rest)
	defer f.leave()
	var best []hop
	limit := len(comp) + 1
	for u := range f.txns {
		if len(best) == c.least {
			break
		}
		if f.a.steps <= 0 || f.a.ctx.Err() != nil {
			f.exhausted = true
			break
		}
		if found := f.search(u, c, rest, limit); found != nil && (best == nil || len(found) < len(best)) {
			best, limit = found, len(found)-1
		}
	}
	return best
}

// search looks breadth-first for a cycle through u of at most limit edges, the
// first of which is of the kind that the class begins with.
// A node is in a state that tells what the walk to it was like.
func (f *finder) search(u int32, c class, rest edges, limit int) []hop {
	f.round++
	for s := range f.soLeft {
		for i, members := range f.sessions {
			f.soLeft[s][i] = int32(len(members))
		}
		f.rtLeft[s] = int(f.txns)
	}
	begin := int32(0)
	if c.shape == nonadjacent {
		begin = lastAnti
	}
	level := f.expand(nil, states*u, c.first, begin, -1, false)
	for depth := 1; len(level) > 0 && depth < limit; depth++ {
		var next []int32
		for _, x := range level {
			// Anti-dependencies lead to other states than other edges.
			for _, kinds := range []edges{rest &^ rw, rest & rw} {
				anti := kinds == rw
				state, closes := x%states, true
				switch c.shape {
				case none, one:
				case nonadjacent:
					if anti && state&lastAnti != 0 {
						continue
					}
					state &^= lastAnti
					if anti {
						state |= lastAnti | secondAnti
					}
					closes = !anti && state&secondAnti != 0
				case several:
					if anti {
						state |= secondAnti
					}
					closes = state&secondAnti != 0
				default:
					panic("elle: a cycle of unknown shape")
				}
				end := states*u + state
				next = f.expand(next, x, kinds, state, u, closes)
				if closes && f.seen[end] == f.round {
					if cycle := f.trace(u, end); cycle != nil {
						return cycle
					}
					f.seen[end] = 0
				}
			}
			if f.a.steps <= 0 {
				f.exhausted = true
				return nil
			}
		}
		level = next
	}
	return nil
}

// The states of nodes.
const (
	lastAnti   = 1 // the last edge was an anti-dependency
	secondAnti = 2 // there were two
	states     = 4
)

// expand appends the nodes that edges of some kinds lead to from x, in a state,
// where they were not seen yet. It leads to u only if that closes a cycle.
func (f *finder) expand(to []int32, x int32, kinds edges, state, u int32, closes bool) []int32 {
	v := x / states
	visit := func(w int32, k edges) {
		y := states*w + state
		if w == v || w == u && !closes || f.seen[y] == f.round {
			return
		}
		f.seen[y], f.from[y], f.by[y] = f.round, x, k
		if w != u {
			to = append(to, y)
		}
	}
	var hubs []int32
	leaving := f.out[v]
	for {
		f.a.steps -= int64(len(leaving)) + 1
		for _, e := range leaving {
			if e.kind&kinds == 0 {
				continue
			}
			if e.to < f.txns {
				visit(e.to, e.kind)
			} else if y := states*e.to + state; f.seen[y] != f.round {
				f.seen[y] = f.round // through a hub, once for each state
				hubs = append(hubs, e.to)
			}
		}
		if len(hubs) == 0 {
			break
		}
		leaving, hubs = f.out[hubs[len(hubs)-1]], hubs[:len(hubs)-1]
	}
	// What sessions and time lead to is a tail, which gets shorter.
	if kinds&so != 0 {
		s := f.session[v]
		left := &f.soLeft[state][s]
		for f.position[v]+1 < *left {
			*left--
			f.a.steps--
			visit(f.sessions[s][*left], so)
		}
		if u >= 0 && f.session[u] == s && f.position[u] > f.position[v] {
			visit(u, so)
		}
	}
	if kinds&rt != 0 {
		h := f.a.h
		end := h.End(history.Txn(f.nodes[v]))
		left := &f.rtLeft[state]
		for *left > 0 && f.begin[*left-1] > end {
			*left--
			f.a.steps--
			visit(f.begun[*left], rt)
		}
		if u >= 0 && h.Precedes(history.Txn(f.nodes[v]), history.Txn(f.nodes[u])) {
			visit(u, rt)
		}
	}
	return to
}

// trace gives the cycle that ends in a node and state; nil if it passes a
// transaction twice.
func (f *finder) trace(u, end int32) []hop {
	var cycle []hop
	for x := end; ; {
		p := f.from[x]
		cycle = append(cycle, hop{f.nodes[p/states], f.by[x]})
		if x = p; x/states == u {
			break
		}
	}
	slices.Reverse(cycle)
	seen := map[int32]bool{}
	for _, s := range cycle {
		if seen[s.node] {
			return nil
		}
		seen[s.node] = true
	}
	return cycle
}
