package c4

import (
	"cmp"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/anomalies"
	"github.com/txrobust/robust/internal/checker/explain"
	"github.com/txrobust/robust/isolation"
)

// reporter builds the graphs of the levels and turns their cycles into
// violations.
type reporter struct {
	*finding
	max   int
	stop  bool // at the first violation
	limit int

	hb     *graph // session order and WR
	clocks *clocks
	weak   []inferred
	weakAt map[edgeKey]int        // in weak
	listAt map[edgeKey]history.Op // the reads that show it
	// told are the WW edges, by reader, that weaker levels reported.
	told map[told]bool
}

type edgeKey struct {
	from, to history.Txn
	key      history.Key
}

type told struct {
	edgeKey
	reader history.Txn
}

// breaks notes that a level is violated, and those above.
func (r *reporter) breaks(level int) {
	for i := level; i < numLevels; i++ {
		r.broken[i] = true
	}
}

// single takes a violation that is one read by itself.
func (r *reporter) single(v checker.Violation) {
	for i, l := range Levels() {
		if l == v.Level {
			r.breaks(i)
		}
	}
	r.add(v.Anomaly, func() checker.Violation { return v })
}

// add counts a violation, and lists it up to the limit.
func (r *reporter) add(a isolation.Anomaly, v func() checker.Violation) {
	n := r.counts[a]
	r.counts[a]++
	if r.stop && len(r.violations) > 0 || r.limit >= 0 && n >= r.limit {
		return
	}
	r.violations = append(r.violations, v())
}

// enough tells whether nothing more is asked for.
func (r *reporter) enough() bool { return r.stop && r.broken[rc] && len(r.violations) > 0 }

// graphs decides the levels by cycles.
func (r *reporter) graphs() error {
	a := r.analysis
	if r.enough() {
		return nil
	}
	r.hb = &graph{analysis: a}
	order, err := r.causalOrder()
	if err != nil || r.enough() {
		return err
	}
	lists := newInEdges(a.h.NumTxns())
	for _, l := range a.lists {
		lists.add(l.to, l.key, l.from)
	}
	base := []*inEdges{lists}
	if r.max == cc && !r.broken[cc] {
		// A history that satisfies CC satisfies RC and RA.
		r.clocks = newClocks(a, order)
		edges, over := a.causalEdges(r.clocks)
		if err := a.ctx.Err(); err != nil {
			return err
		}
		g := &graph{analysis: a, extra: append(base[:1:1], edges...)}
		c, err := g.components(a.ctx)
		if err != nil {
			return err
		}
		if len(over) == 0 && !c.cyclic() {
			witness := r.witness(c.order)
			r.order = [numLevels][]history.Txn{witness, witness, witness}
			return nil
		}
		r.broken[cc] = true
	}
	return r.weaker(order, base)
}

// weaker finds the violations of RC, RA and, if that is asked for, CC.
func (r *reporter) weaker(order []history.Txn, base []*inEdges) error {
	a := r.analysis
	if len(a.lists) > 0 {
		g := &graph{analysis: a, extra: base}
		c, err := g.components(a.ctx)
		if err != nil {
			return err
		}
		if c.cyclic() {
			r.breaks(rc)
			r.listCycles(g, c)
			if r.enough() {
				return nil
			}
		}
	}
	weak := a.weakEdges(r.max)
	all := base[:1:1]
	var before *components
	for level := rc; level <= min(r.max, ra); level++ {
		all = append(all, weak.in[level]...)
		g := &graph{analysis: a, extra: all[:len(all):len(all)]}
		c, err := g.components(a.ctx)
		if err != nil {
			return err
		}
		if !c.cyclic() && !weak.direct[level] && !r.broken[level] {
			r.order[level] = r.witness(c.order)
			before = c
			continue
		}
		r.breaks(level)
		if r.clocks == nil {
			r.clocks = newClocks(a, order)
		}
		r.weakViolations(g, level, c, before)
		before = c
		if err := a.ctx.Err(); err != nil {
			return err
		}
		if r.enough() {
			return nil
		}
	}
	if r.max < cc || r.stop && len(r.violations) > 0 {
		return nil
	}
	if r.clocks == nil {
		r.clocks = newClocks(a, order)
	}
	edges, over := a.causalEdges(r.clocks)
	if err := a.ctx.Err(); err != nil {
		return err
	}
	g := &graph{analysis: a, extra: append(all, edges...)}
	c, err := g.components(a.ctx)
	if err != nil {
		return err
	}
	if len(over) > 0 || c.cyclic() {
		r.breaks(cc)
	}
	r.keepWeak(cc, c)
	r.causalViolations(g, c, edges, over)
	return a.ctx.Err()
}

// causalOrder gives an order that contains session order and WR. A cycle of these
// is a violation, and then the WR edges on cycles are left out of all that
// follows.
func (r *reporter) causalOrder() ([]history.Txn, error) {
	c, err := r.hb.components(r.ctx)
	if err != nil || !c.cyclic() {
		return c.orderOrNil(), err
	}
	r.breaks(rc)
	done := map[int32]bool{}
	for i := range r.reads {
		read := r.reads[i]
		to := r.h.TxnOf(read.op)
		if read.from == history.InitialTxn || !c.same(read.from, to) || done[c.of[to]] {
			continue
		}
		done[c.of[to]] = true
		r.add(anomalies.CyclicCO, func() checker.Violation { return r.causalCycle(c, c.of[to]) })
		if r.enough() {
			return nil, nil
		}
	}
	r.cutCycles(c)
	c, err = r.hb.components(r.ctx)
	return c.orderOrNil(), err
}

func (c *components) orderOrNil() []history.Txn {
	if c == nil {
		return nil
	}
	return c.order
}

// witness leaves out the transactions that did not take effect.
func (r *reporter) witness(order []history.Txn) []history.Txn {
	out := make([]history.Txn, 0, len(order))
	for _, t := range order {
		if r.live[t] {
			out = append(out, t)
		}
	}
	return out
}

// cycleTries is how many edges of a component are tried for the smallest cycle.
const cycleTries = 64

// causalCycle gives a smallest cycle of session order and WR in a component. It
// contains a WR edge, so that the first ones are tried.
func (r *reporter) causalCycle(c *components, component int32) checker.Violation {
	var best []checker.Edge
	tries := 0
	for i := range r.reads {
		read := r.reads[i]
		to := r.h.TxnOf(read.op)
		if read.from == history.InitialTxn || c.of[to] != component || c.of[read.from] != component {
			continue
		}
		back := r.path(r.hb, to, read.from, func(t history.Txn) bool { return c.of[t] == component })
		if cycle := append([]checker.Edge{r.readEdge(int32(i))}, back...); best == nil || len(cycle) < len(best) {
			best = cycle
		}
		if tries++; tries == cycleTries || len(best) == 2 {
			break
		}
	}
	return checker.Violation{Anomaly: anomalies.CyclicCO, Level: isolation.RC, Read: -1, Key: -1, Source: -1, Cycle: best}
}

// listCycles reports for every component a cycle of session order, WR and the
// order of versions that lists show.
func (r *reporter) listCycles(g *graph, c *components) {
	best := map[int32][]checker.Edge{}
	tries := map[int32]int{}
	var numbers []int32
	for _, l := range r.lists {
		n := c.ofTxn(l.to)
		if n == 0 || c.ofTxn(l.from) != n || tries[n] == cycleTries {
			continue
		}
		if tries[n]++; tries[n] == 1 {
			numbers = append(numbers, n)
		}
		back := r.path(g, l.to, l.from, func(t history.Txn) bool { return c.of[t] == n })
		cycle := append([]checker.Edge{{Dependency: isolation.WW, From: l.from, To: l.to, Key: l.key, Read: l.read}}, back...)
		if best[n] == nil || len(cycle) < len(best[n]) {
			best[n] = cycle
		}
	}
	for _, n := range numbers {
		cycle := best[n]
		var name explain.Cycle
		for _, e := range cycle {
			switch e.Dependency {
			case isolation.SO:
				name.Order = explain.Sessions
			case isolation.WR:
				name.Shape = explain.Reads
			}
		}
		anomaly := name.Name()
		r.add(anomaly, func() checker.Violation {
			return checker.Violation{Anomaly: anomaly, Level: isolation.RC, Read: -1, Key: cycle[0].Key, Source: -1, Cycle: cycle}
		})
	}
}

func (c *components) ofTxn(t history.Txn) int32 {
	if c.of == nil {
		return 0
	}
	return c.of[t]
}

// keepWeak collects the edges of RC and RA that lie on cycles, or lead to the
// initial transaction.
func (r *reporter) keepWeak(level int, c *components) {
	r.weak = r.weakOnes(level, func(e inferred) bool { return e.to == history.InitialTxn || c.same(e.from, e.to) })
	r.weakAt = nil
}

// weakViolations reports the edges that RC or RA demand and that lie on cycles.
func (r *reporter) weakViolations(g *graph, level int, c, before *components) {
	r.loadClocks()
	r.keepWeak(level, c)
	for i, e := range r.weak {
		if level == ra && e.rc && (e.to == history.InitialTxn || before.same(e.from, e.to)) {
			continue // it violates RC
		}
		causal := r.causally(e.to, e.from)
		var anomaly isolation.Anomaly
		switch {
		case level == ra && e.both:
			anomaly = anomalies.NonRepeatableRead
		case e.rc && causal:
			anomaly = anomalies.NonMonoReadCO
		case e.rc:
			anomaly = anomalies.NonMonoReadAO
		case causal:
			anomaly = anomalies.FracturedReadCO
		default:
			anomaly = anomalies.FracturedReadAO
		}
		read := r.reads[e.read]
		if r.told == nil {
			r.told = map[told]bool{}
		}
		r.told[told{edgeKey{e.from, e.to, e.key}, r.h.TxnOf(read.op)}] = true
		r.add(anomaly, func() checker.Violation {
			return checker.Violation{
				Anomaly: anomaly, Level: Levels()[level], Read: read.op, Key: e.key, Source: r.writeOf(e.to, e.key),
				Cycle: append([]checker.Edge{r.weakEdge(i)}, r.around(g, c, e.to, e.from, causal)...),
			}
		})
		if r.enough() || r.stop && len(r.violations) > 0 || i&0xffff == 0 && r.ctx.Err() != nil {
			return
		}
	}
}

// causalViolations reports reads of versions that were overwritten in the causal
// past of the reader, and other edges that CC demands and that lie on cycles.
func (r *reporter) causalViolations(g *graph, c *components, edges []*inEdges, over []overwritten) {
	for _, o := range over {
		session := r.h.SessionOf(o.newer)
		for _, reader := range r.readersOf(o.key, o.source) {
			newer := r.lastSeen(reader, o.key, session)
			if newer == 0 || !r.causally(o.source, newer) || r.told[told{edgeKey{newer, o.source, o.key}, reader}] {
				continue
			}
			r.conflict(g, c, anomalies.COConflictAO, edgeKey{newer, o.source, o.key}, reader)
		}
		if r.stop && len(r.violations) > 0 || r.ctx.Err() != nil {
			return
		}
	}
	if !c.cyclic() {
		return
	}
	for to := history.Txn(1); int(to) < r.h.NumTxns(); to++ {
		if c.of[to] == 0 {
			continue
		}
		for _, k := range into(edges, to) {
			if !c.same(k.from, to) {
				continue
			}
			if reader := r.readerOf(k); !r.told[told{k, reader}] {
				r.conflict(g, c, anomalies.ConflictAO, k, reader)
			}
		}
		if r.stop && len(r.violations) > 0 || r.ctx.Err() != nil {
			return
		}
	}
}

// into gives the edges into a transaction, in an order that does not depend on
// who found them.
func into(edges []*inEdges, to history.Txn) []edgeKey {
	var out []edgeKey
	for _, e := range edges {
		for at := e.head[to]; at != 0; at = e.data[at] {
			for _, from := range e.data[at+chunkHead : at+chunkHead+e.data[at+2]] {
				out = append(out, edgeKey{history.Txn(from), to, history.Key(e.data[at+1])})
			}
		}
	}
	slices.SortFunc(out, func(x, y edgeKey) int { return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.from, y.from)) })
	return out
}

func (r *reporter) conflict(g *graph, c *components, a isolation.Anomaly, k edgeKey, reader history.Txn) {
	r.add(a, func() checker.Violation {
		e := r.causalEdge(k, reader)
		return checker.Violation{
			Anomaly: a, Level: isolation.CC, Read: e.Because[0].Read, Key: k.key, Source: r.writeOf(k.to, k.key),
			Cycle: append([]checker.Edge{e}, r.around(g, c, k.to, k.from, a == anomalies.COConflictAO)...),
		}
	})
}
