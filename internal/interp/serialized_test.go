package interp_test

import (
	"math/rand"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/progen"
	"github.com/txrobust/robust/internal/wellformed"
)

// TestSerialized compares with the outcomes of all serial orders, on executions of random programs: the
// anomaly that Explore finds, or else one in a random order.
func TestSerialized(t *testing.T) {
	const seed = 1
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewSource(seed))
	var same, other, open int
	for range 2000 {
		p := progen.Accesses(r, progen.All)
		wellformed.Structure(p)
		m := interp.NewMachine(p, engine.Postgres())
		m.MaxSteps = 200
		sessions, init := progen.Instances(r, p, 2+r.Intn(3)), interp.NewDB(p, progen.Rows(r, p, 3))
		x := &interp.Execution{Versions: []*interp.DB{init}}
		for _, s := range r.Perm(len(sessions)) {
			snapshot := r.Intn(len(x.Versions))
			for _, run := range m.Runs(sessions[s][0], x.Versions[snapshot], nil, snapshot == len(x.Txns)) {
				if m.Extend(x, interp.Committed{Run: run, Session: s, Snapshot: snapshot}) == "" {
					break
				}
			}
		}
		found := m.Explore(t.Context(), sessions, init, interp.Options{AnyOrder: true, MaxExecutions: 500})
		if found.Anomaly != nil {
			x = found.Anomaly
		}
		var ran []interp.Session
		for i := range x.Txns {
			ran = append(ran, interp.Session{x.Txns[i].Run.Inst})
			x.Txns[i].Session = i
		}
		outcomes := map[string]bool{}
		missing := m.Serial(ran, init, true, func(s *interp.Execution) bool { outcomes[s.Outcome()] = true; return true })
		got := m.Serialized(ran, x, true)
		switch {
		case outcomes[x.Outcome()]:
			same++
			if !got {
				t.Fatalf("a serial order has the outcome of %d transactions, but none is found:\n%s", len(ran), p)
			}
		case missing != "":
			open++ // orders that cannot be followed may part from the execution before
		default:
			other++
			if got {
				t.Fatalf("no serial order has the outcome of %d transactions, but one is found:\n%s", len(ran), p)
			}
		}
	}
	t.Logf("%d have the outcome of a serial order, %d do not, of %d it is open", same, other, open)
	if same < 100 || other < 20 {
		t.Error("too few executions of both kinds")
	}
}
