package explain

import (
	"slices"

	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/anomalies"
	"github.com/txrobust/robust/isolation"
)

// Cycle is what the name of a cycle says of it. Its name must not say more than the cycle
// shows.
type Cycle struct {
	Shape Shape
	Order Order
	// Predicates: its anti-dependencies are on rows that match a predicate, or it is not
	// known that they are not.
	Predicates bool
}

// Shape is where the anti-dependencies (RW) of a cycle are.
type Shape uint8

const (
	// Writes: there are write dependencies (WW) alone.
	Writes Shape = iota
	// Reads: there are write and read dependencies (WW, WR).
	Reads
	// Single: there is just one anti-dependency.
	Single
	// Nonadjacent: there are several, and no two in a row.
	Nonadjacent
	// Several: there are several, two of them perhaps in a row.
	Several
)

// Order is what a cycle has besides dependencies.
type Order uint8

const (
	// Plain: nothing.
	Plain Order = iota
	// Sessions: the order of sessions (SO).
	Sessions
	// RealTime: the order of real time (RT), and perhaps that of sessions.
	RealTime
	numOrders
)

// items are the names of cycles on items by shape and order.
var items = [...][numOrders]isolation.Anomaly{
	Writes:      {anomalies.G0, anomalies.G0Process, anomalies.G0Realtime},
	Reads:       {anomalies.G1c, anomalies.G1cProcess, anomalies.G1cRealtime},
	Single:      {anomalies.GSingleItem, anomalies.GSingleProcess, anomalies.GSingleRealtime},
	Nonadjacent: {anomalies.GNonadjacentItem, anomalies.GNonadjacentProcess, anomalies.GNonadjacentRealtime},
	Several:     {anomalies.G2Item, anomalies.G2ItemProcess, anomalies.G2ItemRealtime},
}

// Name is the anomaly that a cycle is.
func (c Cycle) Name() isolation.Anomaly {
	if c.Predicates {
		switch {
		case c.Shape == Single && c.Order == Plain:
			return anomalies.GSingle
		case c.Shape == Nonadjacent && c.Order == Plain:
			return anomalies.GNonadjacent
		case c.Shape == Several:
			return [numOrders]isolation.Anomaly{anomalies.G2, anomalies.G2Process, anomalies.G2Realtime}[c.Order]
		}
	}
	return items[c.Shape][c.Order]
}

// General is the anomaly that says no more than that a level is violated which excludes
// cycles with anti-dependencies: PL-SI, PL-3, and those that imply one of them.
func General(l isolation.Level) isolation.Anomaly {
	c := Cycle{Shape: Nonadjacent, Predicates: true}
	if l.Implies(isolation.PL3) {
		c.Shape = Several
	}
	switch {
	case l.NeedsRealTime():
		c.Order = RealTime
	case l.NeedsSessions():
		c.Order = Sessions
	}
	return c.Name()
}

// forms are cycles that have names of their own, by their dependencies.
var forms = []struct {
	name         isolation.Anomaly
	dependencies []isolation.Dependency
}{
	{anomalies.LostUpdate, []isolation.Dependency{isolation.RW, isolation.WW}},
	{anomalies.ReadSkew, []isolation.Dependency{isolation.RW, isolation.WR}},
	{anomalies.WriteSkew, []isolation.Dependency{isolation.RW, isolation.RW}},
	{anomalies.ReadOnlyAnomaly, []isolation.Dependency{isolation.RW, isolation.RW, isolation.WR}},
	{anomalies.LongFork, []isolation.Dependency{isolation.RW, isolation.WR, isolation.RW, isolation.WR}},
}

// HasForm reports whether the dependencies of a cycle, beginning anywhere, are those of a
// lost update, a read skew, a write skew, a read-only anomaly or a long fork. Whether it is
// one depends also on the keys.
func HasForm(cycle []isolation.Dependency, name isolation.Anomaly) bool {
	for _, f := range forms {
		if f.name != name || len(f.dependencies) != len(cycle) {
			continue
		}
		for i := range cycle {
			if slices.Equal(slices.Concat(cycle[i:], cycle[:i]), f.dependencies) {
				return true
			}
		}
	}
	return false
}

// Dependencies are those of the edges of a cycle.
func Dependencies(cycle []checker.Edge) []isolation.Dependency {
	var out []isolation.Dependency
	for _, e := range cycle {
		out = append(out, e.Dependency)
	}
	return out
}
