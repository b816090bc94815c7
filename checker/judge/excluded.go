package judge

import (
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/isolation"
)

// weakest gives the weakest levels that a violation shows to be violated: those that
// exclude its kind, its own, and of Adya's levels those whose graphs have its cycle.
func weakest(h *history.History, v checker.Violation) []isolation.Level {
	kinds := v.Anomaly.ExcludedBy()
	if h.HasRanges() {
		// Checkers do not tell reads of predicates from those of items.
		kinds = slices.DeleteFunc(kinds, func(l isolation.Level) bool { return l == isolation.PL299 })
	}
	if !slices.ContainsFunc(kinds, v.Level.Implies) {
		return append([]isolation.Level{v.Level}, adyas(h, v)...) // the kind is wider than this one
	}
	return isolation.Weakest(append(kinds, adyas(h, v)...))
}

// adyas gives those of PL-2+ and PL-2.99 that exclude the cycle of a violation, whatever the
// orders of versions that are not known. Both exclude lost updates, as the levels from
// whose demands checkers conclude orders of writes.
func adyas(h *history.History, v checker.Violation) []isolation.Level {
	if len(v.Cycle) == 0 || v.OneChoice || h.Sources().Duplicates() || h.UnknownInitials() {
		return nil // where reads come from may have been concluded from another level
	}
	var out []isolation.Level
	for _, g := range []graph{
		{h: h, level: isolation.PL2Plus, antis: 1},
		{h: h, level: isolation.PL299, antis: len(v.Cycle) + h.NumTxns(), items: true},
	} {
		if g.excludes(v.Cycle) {
			out = append(out, g.level)
		}
	}
	return isolation.Weakest(out)
}

// graph is Adya's graph at a level, which has neither sessions nor real time.
type graph struct {
	h     *history.History
	level isolation.Level
	// antis is how many anti-dependencies a cycle may have to be excluded; items says that
	// they have to be on items.
	antis int
	items bool
}

// excludes tells whether a level excludes a cycle. Orders of writes that were concluded count
// if the opposite would close a cycle that the level excludes.
func (g graph) excludes(cycle []checker.Edge) bool {
	antis := 0
	for _, e := range cycle {
		if e.Dependency == isolation.RW {
			antis++
		}
	}
	return antis <= g.antis && !slices.ContainsFunc(cycle, func(e checker.Edge) bool { return !g.has(e) })
}

// has tells whether an edge is in the graph.
func (g graph) has(e checker.Edge) bool {
	switch e.Dependency {
	case isolation.WR:
		return true
	case isolation.RW:
		if e.Read < 0 || g.items && g.h.Kind(e.Read) == history.ReadRange {
			return false
		}
		return !slices.ContainsFunc(e.Because, func(b checker.Edge) bool { return !g.has(b) })
	case isolation.WW:
		return e.From == history.InitialTxn || e.Read >= 0 || g.concluded(e)
	case isolation.SO, isolation.RT:
		return e.From == history.InitialTxn
	}
	panic("judge: a dependency of no kind")
}

// concluded tells whether the order of two writes follows at the level.
func (g graph) concluded(e checker.Edge) bool {
	path := e.Because
	if len(path) == 0 {
		return false
	}
	first, last := path[0], path[len(path)-1]
	switch {
	case len(path) > 1 && first.Dependency == isolation.WR && last.To == first.To:
		// The reader would have missed the later version.
		g.antis--
		return g.antis >= 0 && g.excludes(path[1:])
	case len(path) > 1 && first.Dependency == isolation.WW && first.Read < 0 && len(first.Because) == 0:
		return g.excludes(path[1:]) // the opposite, and the way back
	}
	return g.excludes(path)
}
