package verify

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker/brute"
	"github.com/txrobust/robust/internal/checker/explain"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/internal/checker/simdb"
	"github.com/txrobust/robust/isolation"
)

// possible tells whether a commit order is a witness with any snapshots.
func possible(h *history.History, l isolation.Level, order []history.Txn) bool {
	snapshots := make([]int32, len(order))
	var try func(i int) bool
	try = func(i int) bool {
		if i == len(order) {
			return Witness(h, l, order, snapshots) == nil
		}
		for s := range int32(i + 1) {
			if snapshots[i] = s; try(i + 1) {
				return true
			}
		}
		return false
	}
	return try(0)
}

// TestDefinitions: of all commit orders of small histories just those are witnesses
// that are by definition.
func TestDefinitions(t *testing.T) {
	runs := 400
	if testing.Short() {
		runs = 120
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	yes, no := map[isolation.Level]int{}, map[isolation.Level]int{}
	for i := range runs {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		h := simdb.Generate(simdb.Options{
			Seed: seed + uint64(i), Level: simdb.Levels()[i%len(simdb.Levels())], Sessions: 1 + r.IntN(3), Txns: 2 + r.IntN(4), Ops: 3, Keys: 1 + r.IntN(2),
			Reads: 0.3 + 0.5*r.Float64(), Lag: 3, Lists: r.IntN(3) == 0, Duplicates: r.IntN(3) == 0, Aborts: 0.1, Unknowns: 0.1, Losses: 0.1, Faults: 0.1 * float64(i%2),
		})
		h = timed(h, r)
		for range 6 {
			order := someOrder(h, r)
			for _, l := range Levels() {
				want := brute.Verify(h, l, order) == nil
				if got := possible(h, l, order); got != want {
					t.Fatalf("seed %d, history %d: order %v for %s: %t, by definition %t\n%s", seed, i, order, l, got, want, strings.Join(show(h), "\n"))
				}
				if want {
					yes[l]++
				} else {
					no[l]++
				}
			}
		}
	}
	for _, l := range Levels() {
		t.Logf("%s: %d witnesses, %d not", l, yes[l], no[l])
		if yes[l] < runs/20 || no[l] < runs/20 {
			t.Errorf("%s: too few of one kind", l)
		}
	}
}

// timed gives the transactions stamps around the places in an order.
func timed(h *history.History, r *rand.Rand) *history.History {
	b := history.NewBuilder()
	b.SetOrder(history.RealTime)
	for k := range history.Key(h.NumKeys()) {
		b.Key(h.KeyName(k))
	}
	for s := range history.Session(h.NumSessions()) {
		session, now := b.Session(h.SessionName(s)), int64(0)
		for t, end := h.Txns(s); t < end; t++ {
			u := b.Txn(session, h.Status(t))
			now += 1 + r.Int64N(3)
			b.SetBegin(u, now)
			now += 1 + r.Int64N(3)
			b.SetEnd(u, now)
			for o, end := h.Ops(t); o < end; o++ {
				if h.Kind(o) == history.ReadList {
					b.List(history.ReadList, h.Key(o), h.List(o))
				} else {
					b.Op(h.Kind(o), h.Key(o), b.Value(h.ValueName(h.Value(o))))
				}
			}
		}
	}
	out, err := b.Build()
	if err != nil {
		panic(err)
	}
	return out
}

// someOrder is an order of the transactions that may have taken effect: in half of the
// cases that of the simulated database.
func someOrder(h *history.History, r *rand.Rand) []history.Txn {
	var out []history.Txn
	for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
		if h.Status(t) == history.Committed || h.Status(t) == history.Unknown && r.IntN(2) == 0 {
			out = append(out, t)
		}
	}
	if r.IntN(2) == 0 {
		slices.SortStableFunc(out, func(a, b history.Txn) int { return int(h.End(a) - h.End(b)) })
	} else {
		r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	}
	return out
}

func show(h *history.History) []string {
	var out []string
	for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
		for o, end := h.Ops(t); o < end; o++ {
			out = append(out, explain.TxnName(h, t)+" "+h.Status(t).String()+": "+h.Words(o))
		}
	}
	return out
}

// TestWrong has witnesses that are wrong each in one way.
func TestWrong(t *testing.T) {
	h := historytest.Parse(t, "r(1,0,0,0) w(1,1,0,0) r(1,1,1,1) w(1,2,1,1) r(1,2,0,2) w(2,1,1,-1)")
	right := []history.Txn{1, 3, 2}
	if err := Witness(h, isolation.SER, right, []int32{0, 1, 2}); err != nil {
		t.Fatalf("the right one: %v", err)
	}
	for _, c := range []struct {
		name      string
		level     isolation.Level
		order     []history.Txn
		snapshots []int32
		want      string
	}{
		{"a weak level", isolation.RC, right, []int32{0, 1, 2}, "no snapshots"},
		{"too few snapshots", isolation.SI, right, []int32{0, 1}, "2 snapshots"},
		{"one is missing", isolation.SI, []history.Txn{1, 3}, []int32{0, 1}, "not in the order"},
		{"one is twice", isolation.SI, []history.Txn{1, 3, 2, 2}, []int32{0, 1, 2, 3}, "twice"},
		{"an aborted one", isolation.SI, []history.Txn{1, 3, 2, 4}, []int32{0, 1, 2, 3}, "aborted"},
		{"the initial one", isolation.SI, []history.Txn{0, 1, 3, 2}, []int32{0, 1, 2, 3}, "does not belong"},
		{"a snapshot from the future", isolation.SI, right, []int32{1, 1, 2}, "in its snapshot"},
		{"a negative snapshot", isolation.SI, right, []int32{-1, 1, 2}, "in its snapshot"},
		{"an old snapshot", isolation.SI, right, []int32{0, 0, 2}, "does not return"},
		{"not serial", isolation.SER, right, []int32{0, 1, 1}, "does not"},
		{"another order", isolation.SI, []history.Txn{3, 1, 2}, []int32{0, 1, 2}, "does not return"},
	} {
		err := Witness(h, c.level, c.order, c.snapshots)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
