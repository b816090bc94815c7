package viper

import (
	"slices"

	"github.com/txrobust/robust/checker"
	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker/anomalies"
	"github.com/txrobust/robust/isolation"
)

// general is the anomaly that any violation of a level is, as far as it is known to
// violate the level and those that imply it.
func general(l isolation.Level) isolation.Anomaly {
	d := levels[l]
	switch {
	case d.realTime && d.serial:
		return anomalies.G2Realtime
	case d.realTime:
		return anomalies.GNonadjacentRealtime
	case d.sessions && d.serial:
		return anomalies.G2Process
	case d.sessions:
		return anomalies.GNonadjacentProcess
	case d.serial:
		return anomalies.G2
	}
	return anomalies.GNonadjacent
}

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
	v := checker.Violation{Anomaly: general(l), Level: l, Read: -1, Key: -1, Source: -1, Cycle: cycle}
	var f features
	f.take(h, cycle)
	single := f.antis == 1
	switch {
	case f.times && f.sessions:
		if len(cycle) == 2 && !f.supposed && f.antis == 0 {
			v.Anomaly = anomalies.BackwardSession
		}
	case f.times && f.antis == 0:
		v.Anomaly = anomalies.G1cRealtime
	case f.times && single && !levels[l].serial:
		v.Anomaly = anomalies.GSingleRealtime
	case f.times:
	case f.sessions && f.antis == 0:
		v.Anomaly = anomalies.G1cProcess
	case f.sessions && single:
		v.Anomaly = anomalies.GSingleProcess
	case f.sessions:
	default:
		v.Anomaly = timeless(f, cycle, l)
	}
	return v
}

// timeless names a cycle without the order of sessions and of time.
func timeless(f features, cycle []checker.Edge, l isolation.Level) isolation.Anomaly {
	switch {
	case lostUpdate(cycle) && !f.ranges && f.antis == 1:
		return anomalies.LostUpdate
	case f.antis == 0:
		return anomalies.G1c
	case f.antis == 1 && f.ranges:
		return anomalies.GSingle
	case f.antis == 1:
		return anomalies.GSingleItem
	case f.ranges:
		return general(l)
	case !levels[l].serial && len(cycle) == 4 && !f.supposed && forks(cycle):
		return anomalies.LongFork
	case !levels[l].serial:
		return anomalies.GNonadjacentItem
	case len(cycle) == 2 && !f.supposed && cycle[0].Key != cycle[1].Key:
		return anomalies.WriteSkew
	}
	return anomalies.G2Item
}

// lostUpdate tells whether a cycle says of two transactions that both read one version of
// a key and overwrote it.
func lostUpdate(cycle []checker.Edge) bool {
	anti := func(e checker.Edge) bool { return e.Dependency == isolation.RW }
	i, j := slices.IndexFunc(cycle, anti), slices.IndexFunc(cycle, func(e checker.Edge) bool { return e.Dependency == isolation.WW })
	if len(cycle) != 2 || i < 0 || j < 0 || cycle[i].Key != cycle[j].Key || len(cycle[j].Because) != 2 {
		return false
	}
	return anti(cycle[j].Because[1]) && cycle[j].Because[1].Key == cycle[i].Key
}

// forks tells whether a cycle of four edges is that of two readers who see two writes
// in opposite orders: WR and RW by turns.
func forks(cycle []checker.Edge) bool {
	for i, e := range cycle {
		if e.Dependency != isolation.WR && e.Dependency != isolation.RW || e.Dependency != cycle[i%2].Dependency {
			return false
		}
	}
	return cycle[0].Dependency != cycle[1].Dependency
}
