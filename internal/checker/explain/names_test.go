package explain

import (
	"testing"

	"github.com/txrobust/robust/internal/checker/anomalies"
	"github.com/txrobust/robust/isolation"
)

// TestCycleNames: names are those of the shape and the order, a cycle on items is a special case
// of the one on predicates, and no name is stronger than what the cycle shows.
func TestCycleNames(t *testing.T) {
	for shape := Writes; shape <= Several; shape++ {
		for order := Plain; order < numOrders; order++ {
			items, any := Cycle{Shape: shape, Order: order}.Name(), Cycle{Shape: shape, Order: order, Predicates: true}.Name()
			if !items.Implies(any) {
				t.Errorf("%s is no special case of %s", items, any)
			}
			for _, l := range items.ExcludedBy() {
				if l.NeedsRealTime() != (order == RealTime) || l.NeedsSessions() && order == Plain {
					t.Errorf("a cycle with the order %d is called %s, which violates %s", order, items, l)
				}
			}
		}
	}
	for _, c := range []struct {
		cycle Cycle
		want  isolation.Anomaly
	}{
		{Cycle{}, anomalies.G0}, {Cycle{Shape: Reads, Order: Sessions}, anomalies.G1cProcess}, {Cycle{Shape: Single}, anomalies.GSingleItem},
		{Cycle{Shape: Single, Predicates: true}, anomalies.GSingle}, {Cycle{Shape: Nonadjacent, Order: RealTime, Predicates: true}, anomalies.GNonadjacentRealtime},
		{Cycle{Shape: Several, Order: Sessions}, anomalies.G2ItemProcess}, {Cycle{Shape: Several, Order: Sessions, Predicates: true}, anomalies.G2Process},
	} {
		if got := c.cycle.Name(); got != c.want {
			t.Errorf("%+v is called %s, must be %s", c.cycle, got, c.want)
		}
	}
}

// TestGeneral: the general anomaly of a level is one that the level excludes, and none of a weaker one of these.
func TestGeneral(t *testing.T) {
	levels := []isolation.Level{isolation.PLSI, isolation.PL3, isolation.SI, isolation.SER, isolation.GSI, isolation.SSER}
	for _, l := range levels {
		a := General(l)
		if l != isolation.GSI && !l.Excludes(a) { // no cycle has the name of GSI: that with real time violates StrongSI
			t.Errorf("%s does not exclude %s", l, a)
		}
		for _, m := range levels {
			if m != l && l.Implies(m) && m.Excludes(a) {
				t.Errorf("%s, for %s, is excluded by the weaker %s", a, l, m)
			}
		}
	}
}

// TestForms: a form is found wherever the cycle begins, and no other one.
func TestForms(t *testing.T) {
	const rw, wr, ww = isolation.RW, isolation.WR, isolation.WW
	for _, c := range []struct {
		cycle []isolation.Dependency
		want  isolation.Anomaly // G0: no form
	}{
		{[]isolation.Dependency{ww, rw}, anomalies.LostUpdate}, {[]isolation.Dependency{rw, wr}, anomalies.ReadSkew},
		{[]isolation.Dependency{rw, rw}, anomalies.WriteSkew}, {[]isolation.Dependency{rw, wr, rw}, anomalies.ReadOnlyAnomaly},
		{[]isolation.Dependency{wr, rw, wr, rw}, anomalies.LongFork}, {[]isolation.Dependency{wr, wr, rw, rw}, anomalies.G0},
		{[]isolation.Dependency{ww, wr}, anomalies.G0}, {nil, anomalies.G0},
	} {
		for _, f := range forms {
			if HasForm(c.cycle, f.name) != (f.name == c.want) {
				t.Errorf("%s is the form %s: %v", c.cycle, f.name, !(f.name == c.want))
			}
		}
	}
}
