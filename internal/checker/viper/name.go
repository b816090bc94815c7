package viper

import (
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/anomalies"
	"github.com/txrobust/robust/internal/checker/explain"
	"github.com/txrobust/robust/isolation"
)

// features are what the cycles of a violation are made of, those of its reasons included.
type features struct {
	antis            int // anti-dependencies of the cycle that has most of them
	sessions, times  bool
	ranges, supposed bool // supposed: some order was concluded from a cycle
}

func (f *features) take(h *history.History, cycle []checker.Edge) {
	antis := 0
	for _, e := range cycle {
		switch e.Dependency {
		case isolation.RW:
			antis++
			f.ranges = f.ranges || h.Kind(e.Read) == history.ReadRange
			if len(e.Because) > 0 {
				f.conclusion(h, e.Because[0])
			}
		case isolation.SO:
			f.sessions = true
		case isolation.RT:
			f.times = true
		case isolation.WR:
		case isolation.WW:
			f.conclusion(h, e)
		}
	}
	f.antis = max(f.antis, antis)
}

// conclusion takes the cycle that an order of writes was concluded from.
func (f *features) conclusion(h *history.History, e checker.Edge) {
	if cycle := opposite(e); cycle != nil {
		f.supposed = true
		f.take(h, cycle)
	}
}

// bound tells whether a cycle is one at a level, and so are those of its reasons: its
// edges are there, and each goes on from where the one before ends.
func (d demands) bound(cycle []checker.Edge) bool {
	for i, e := range cycle {
		if e.Dependency == isolation.SO && !d.sessions || e.Dependency == isolation.RT && !d.realTime {
			return false
		}
		// A begin does not follow what ends at its commit.
		commits := e.Dependency == isolation.RW || e.Dependency == isolation.RT && !d.recent
		if commits && !d.serial && cycle[(i+1)%len(cycle)].Dependency == isolation.RW {
			return false
		}
		reason := e
		if e.Dependency == isolation.RW && len(e.Because) > 0 {
			reason = e.Because[0]
		}
		if !d.bound(opposite(reason)) {
			return false
		}
	}
	return true
}

// opposite gives the cycle that the order of two writes was concluded from, nil if it was
// not.
func opposite(e checker.Edge) []checker.Edge {
	switch {
	case len(e.Because) < 2:
		return nil
	case e.Because[1].From == e.Because[0].To:
		return e.Because
	}
	return e.Because[1:]
}

// named is the violation that a cycle is, of the weakest level of which it is a cycle. It
// is one of a level. The levels that exclude the anomaly are violated, too.
func named(h *history.History, l isolation.Level, cycle []checker.Edge) checker.Violation {
	for _, m := range Levels() {
		if l.Implies(m) && levels[m].bound(cycle) {
			l = m
			break
		}
	}
	v := checker.Violation{Anomaly: explain.General(l), Level: l, Read: -1, Key: -1, Source: -1, Cycle: cycle}
	var f features
	f.take(h, cycle)
	single := f.antis == 1
	switch {
	case f.times && f.sessions:
		if len(cycle) == 2 && !f.supposed && f.antis == 0 {
			v.Anomaly = anomalies.BackwardSession
		}
	case f.times && f.antis == 0:
		v.Anomaly = explain.Cycle{Shape: explain.Reads, Order: explain.RealTime}.Name()
	case f.times && single && !levels[l].serial:
		v.Anomaly = explain.Cycle{Shape: explain.Single, Order: explain.RealTime}.Name()
	case f.times:
	case f.sessions && f.antis == 0:
		v.Anomaly = explain.Cycle{Shape: explain.Reads, Order: explain.Sessions}.Name()
	case f.sessions && single:
		v.Anomaly = explain.Cycle{Shape: explain.Single, Order: explain.Sessions}.Name()
	case f.sessions:
	default:
		v.Anomaly = timeless(f, cycle, l)
	}
	return v
}

// timeless names a cycle without the order of sessions and of time.
func timeless(f features, cycle []checker.Edge, l isolation.Level) isolation.Anomaly {
	kinds := explain.Dependencies(cycle)
	switch {
	case lostUpdate(cycle) && !f.ranges && f.antis == 1:
		return anomalies.LostUpdate
	case f.antis == 0:
		return explain.Cycle{Shape: explain.Reads}.Name()
	case f.antis == 1:
		return explain.Cycle{Shape: explain.Single, Predicates: f.ranges}.Name()
	case f.ranges:
		return explain.General(l)
	case !levels[l].serial && !f.supposed && explain.HasForm(kinds, anomalies.LongFork):
		return anomalies.LongFork
	case !levels[l].serial:
		return explain.Cycle{Shape: explain.Nonadjacent}.Name()
	case !f.supposed && explain.HasForm(kinds, anomalies.WriteSkew) && cycle[0].Key != cycle[1].Key:
		return anomalies.WriteSkew
	}
	return explain.Cycle{Shape: explain.Several}.Name()
}

// lostUpdate tells whether a cycle says of two transactions that both read one version of
// a key and overwrote it.
func lostUpdate(cycle []checker.Edge) bool {
	if !explain.HasForm(explain.Dependencies(cycle), anomalies.LostUpdate) || cycle[0].Key != cycle[1].Key {
		return false
	}
	anti := func(e checker.Edge) bool { return e.Dependency == isolation.RW }
	write := cycle[slices.IndexFunc(cycle, func(e checker.Edge) bool { return !anti(e) })]
	return len(write.Because) == 2 && anti(write.Because[1]) && write.Because[1].Key == write.Key
}
