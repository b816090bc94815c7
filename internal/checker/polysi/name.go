package polysi

import (
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/anomalies"
	"github.com/txrobust/robust/internal/checker/explain"
	"github.com/txrobust/robust/isolation"
)

// cycle is what a cycle of edges looks like. Its name must not say more than it shows:
// who concludes the order of two writes from the demands of a level knows nothing
// about weaker levels.
type cycle struct {
	edges []checker.Edge
	// sessions tells whether the order of a session is on it, or needed to
	// conclude one of its edges.
	sessions bool
	// causal tells that its anti-dependencies are concluded of SO and WR alone.
	causal               bool
	reads, writes, antis int
	// worst is how many anti-dependencies there are on it, or on a cycle by which an edge
	// was concluded.
	worst    int
	adjacent bool // two anti-dependencies follow each other, or may do so
	// predicates: an anti-dependency is on what a range shows.
	predicates bool
}

// named gives the violation that a cycle is, with its most telling name.
func (p *polygraph) named(edges []checker.Edge) *checker.Violation {
	c := newCycle(p.retold(edges), p.serial)
	c.predicates = slices.ContainsFunc(c.edges, func(e checker.Edge) bool { return needs(e, p.onRange) })
	v := &checker.Violation{Anomaly: c.anomaly(), Level: c.level(), Read: -1, Key: -1, Source: -1, Cycle: c.edges}
	// Where reads come from may have been settled by what this level alone demands.
	if len(p.list) > len(p.reads.list) {
		v.Level, v.Anomaly = p.level, explain.General(p.level)
	}
	for _, e := range c.edges {
		if e.Dependency == isolation.RW {
			v.Key = e.Key
			break
		}
	}
	return v
}

// onRange tells whether an edge is an anti-dependency on what a range shows.
func (p *polygraph) onRange(e checker.Edge) bool {
	return e.Dependency == isolation.RW && e.Read >= 0 && p.h.Kind(e.Read) == history.ReadRange
}

// retold gives another cycle for one that has no anti-dependency, and one WW edge that
// was concluded: where that comes from a read or an update of a version which had been
// overwritten, that is the better story, and where it is a path it is part of the cycle.
func (p *polygraph) retold(edges []checker.Edge) []checker.Edge {
	at := -1
	for i, e := range edges {
		if e.Dependency == isolation.RW || e.Dependency == isolation.WW && at >= 0 {
			return edges
		}
		if e.Dependency == isolation.WW {
			at = i
		}
	}
	if at < 0 || len(edges[at].Because) == 0 {
		return edges
	}
	e := edges[at]
	rest := slices.Concat(edges[at+1:], edges[:at]) // from e.To to e.From
	first, last := e.Because[0], e.Because[len(e.Because)-1]
	switch path := e.Because; {
	case first.Dependency == isolation.WW && first.Read < 0 && len(first.Because) == 0:
		return edges // a supposition
	case len(path) > 1 && first.Dependency == isolation.WR && last.To == first.To:
		return append([]checker.Edge{p.missed(first.Read, first.From, path[1].From, e.Key, rest)}, path[1:]...)
	case first.From != e.From: // which updated a version that e.To had overwritten
		if read := p.readOf(e.From, e.Key); read >= 0 {
			return append([]checker.Edge{p.missed(read, p.sourceOf(read, e.Key), e.To, e.Key, path)}, rest...)
		}
	case last.To != e.To: // which was updated again when first.From had overwritten it
		if read := p.readOf(last.To, e.Key); read >= 0 {
			return append([]checker.Edge{p.missed(read, p.sourceOf(read, e.Key), first.From, e.Key, rest)}, path...)
		}
	default:
		return slices.Concat(path, rest)
	}
	return edges
}

// missed is the RW edge of a read from a source that later had overwritten, because of
// a path.
func (p *polygraph) missed(read history.Op, source, later history.Txn, k history.Key, path []checker.Edge) checker.Edge {
	e := checker.Edge{Dependency: isolation.RW, From: p.h.TxnOf(read), To: later, Key: k, Read: read}
	if source != history.InitialTxn {
		e.Because = []checker.Edge{{Dependency: isolation.WW, From: source, To: later, Key: k, Read: -1, Because: path}}
	}
	return e
}

// sourceOf gives the transaction that a definite read comes from.
func (p *polygraph) sourceOf(o history.Op, k history.Key) history.Txn {
	i := slices.IndexFunc(p.list, func(x read) bool { return x.op == o && x.key == k })
	return p.list[i].from
}

// newCycle looks at the edges of a cycle. At a serial level two anti-dependencies may
// follow each other in the reasons of an edge, too.
func newCycle(edges []checker.Edge, serial bool) *cycle {
	c := &cycle{edges: edges, causal: true}
	// Begin with an anti-dependency after something else, which is how stories
	// of anomalies are told.
	for i := range edges {
		if edges[i].Dependency == isolation.RW && edges[(i+len(edges)-1)%len(edges)].Dependency != isolation.RW {
			c.edges = slices.Concat(edges[i:], edges[:i])
			break
		}
	}
	for i, e := range c.edges {
		switch e.Dependency {
		case isolation.RW:
			c.antis++
			c.adjacent = c.adjacent || c.edges[(i+1)%len(c.edges)].Dependency == isolation.RW
			c.causal = c.causal && causal(e.Because)
		case isolation.WR:
			c.reads++
		case isolation.WW:
			c.writes++
		case isolation.SO, isolation.RT:
		}
		c.sessions = c.sessions || needs(e, func(e checker.Edge) bool { return e.Dependency == isolation.SO && e.From != history.InitialTxn })
		c.worst = max(c.worst, worst(e))
		for _, b := range e.Because {
			c.adjacent = c.adjacent || serial && needs(b, func(e checker.Edge) bool { return e.Dependency == isolation.RW })
		}
	}
	c.worst = max(c.worst, c.antis)
	return c
}

// worst is how many anti-dependencies there are on a cycle by which an edge was concluded.
func worst(e checker.Edge) int {
	n := 0
	if e.Dependency == isolation.WW && len(e.Because) > 0 {
		for _, b := range e.Because {
			if b.Dependency == isolation.RW {
				n++
			}
		}
		if missedRead(e.Because) {
			n++ // of the reader
		}
	}
	for _, b := range e.Because {
		n = max(n, worst(b))
	}
	return n
}

// missedRead tells whether reasons of a WW edge begin with a read, and go on with a
// path to the reader.
func missedRead(because []checker.Edge) bool {
	first, last := because[0], because[len(because)-1]
	return len(because) > 1 && first.Dependency == isolation.WR && last.To == first.To
}

// needs tells whether an edge, or one of its reasons, is of a kind.
func needs(e checker.Edge, is func(e checker.Edge) bool) bool {
	return is(e) || slices.ContainsFunc(e.Because, func(b checker.Edge) bool { return needs(b, is) })
}

// causal tells whether an anti-dependency comes from a WW edge that SO and WR show
// alone, also to those who allow lost updates.
func causal(because []checker.Edge) bool {
	for _, e := range because {
		path := e.Because
		switch from, to := e.From, e.To; {
		case len(path) == 0:
			return false
		case missedRead(path):
			if path[0].From != to || path[1].From != from {
				return false
			}
		case path[0].From != from || path[len(path)-1].To != to:
			return false
		}
		for _, p := range path {
			if p.Dependency != isolation.SO && p.Dependency != isolation.WR {
				return false
			}
		}
	}
	return true
}

// level is the weakest level that the cycle violates.
func (c *cycle) level() isolation.Level {
	switch {
	case c.adjacent && c.sessions:
		return isolation.SER
	case c.adjacent:
		return isolation.PL3
	case c.sessions:
		return isolation.SI
	}
	return isolation.PLSI
}

// anomaly is the most telling name of the cycle.
func (c *cycle) anomaly() isolation.Anomaly {
	kinds := explain.Dependencies(c.edges)
	// The forms with names are all on items.
	is := func(form isolation.Anomaly) bool { return !c.predicates && explain.HasForm(kinds, form) }
	oneKey := c.edges[0].Key == c.edges[len(c.edges)-1].Key
	order := explain.Plain
	if c.sessions {
		order = explain.Sessions
	}
	switch {
	case c.antis == 0 && c.writes == 0 && c.sessions:
		return anomalies.CyclicCO
	case c.antis == 0 && c.writes == 0:
		return anomalies.G1c
	case is(anomalies.ReadSkew) && oneKey:
		return anomalies.NonRepeatableRead
	case c.antis == 1 && c.writes == 0 && c.causal && (c.sessions || len(c.edges) > 2):
		return anomalies.COConflictAO
	case c.adjacent && !c.sessions && is(anomalies.WriteSkew):
		return anomalies.WriteSkew
	case c.adjacent && !c.sessions && is(anomalies.ReadOnlyAnomaly):
		return anomalies.ReadOnlyAnomaly
	case c.adjacent:
		return explain.Cycle{Shape: explain.Several, Order: order, Predicates: c.predicates}.Name()
	case c.worst > 1 && is(anomalies.LongFork) && c.causal && !c.sessions:
		return anomalies.LongFork
	case c.worst > 1:
		return explain.Cycle{Shape: explain.Nonadjacent, Order: order, Predicates: c.predicates}.Name()
	case !c.sessions && is(anomalies.LostUpdate) && oneKey:
		return anomalies.LostUpdate
	case !c.sessions && is(anomalies.ReadSkew):
		return anomalies.ReadSkew
	}
	return explain.Cycle{Shape: explain.Single, Order: order, Predicates: c.predicates}.Name()
}
