package follow_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/txrobust/robust/checker/judge"
	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker/follow"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/internal/checker/simdb"
	"github.com/txrobust/robust/isolation"
)

var random = historytest.RandomFlags("follow")

// stream gives the transactions of a history one after the other: those of a session in its
// order, and the sessions mixed at random, or by the values that are written, which grow with
// the commits of a simulated database.
func stream(h *history.History, r *rand.Rand, byValue bool) []follow.Txn {
	next := make([]history.Txn, h.NumSessions())
	for s := range next {
		next[s], _ = h.Txns(history.Session(s))
	}
	rank := func(t history.Txn) int64 {
		top := int64(0)
		for o, end := h.Ops(t); o < end; o++ {
			if h.Kind(o).Writes() {
				if n := h.ValueName(h.Value(o)); n.Kind == history.IntName {
					top = max(top, n.Int)
				}
			}
		}
		return top
	}
	var out []follow.Txn
	for {
		var open []int
		for s := range next {
			if _, end := h.Txns(history.Session(s)); next[s] < end {
				open = append(open, s)
			}
		}
		if len(open) == 0 {
			return out
		}
		best := open[r.IntN(len(open))]
		for _, s := range open {
			if byValue && rank(next[s]) < rank(next[best]) {
				best = s
			}
		}
		out = append(out, txn(h, next[best]))
		next[best]++
	}
}

func txn(h *history.History, t history.Txn) follow.Txn {
	x := follow.Txn{Session: h.SessionName(h.SessionOf(t)), Status: h.Status(t), Place: int64(t)}
	for o, end := h.Ops(t); o < end; o++ {
		op := follow.Op{Kind: h.Kind(o), Key: h.KeyName(h.Key(o)), Unknown: !h.Known(o)}
		switch {
		case op.Unknown:
		case op.Kind == history.ReadList:
			for _, v := range h.List(o) {
				op.List = append(op.List, h.ValueName(v))
			}
		case h.Value(o) != history.Initial:
			op.Value = h.ValueName(h.Value(o))
		}
		x.Ops = append(x.Ops, op)
	}
	return x
}

// tally counts verdicts.
type tally struct{ accept, reject, unknown, open int }

func (c tally) String() string {
	return fmt.Sprintf("%d accepted, %d rejected, %d unknown, %d unknown to both", c.accept, c.reject, c.unknown, c.open)
}

// compare follows a stream and compares the answers with those about the whole history.
func compare(t *testing.T, what string, h *history.History, txns []follow.Txn, window int, idle *rand.Rand, counts map[string]*tally) {
	t.Helper()
	whole, err := judge.Check(t.Context(), h, judge.Options{Levels: follow.Levels()})
	if err != nil {
		t.Fatal(err)
	}
	j := follow.New(follow.Options{Window: window})
	for _, x := range txns {
		if err := j.Add(t.Context(), x); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if idle != nil && idle.IntN(4) == 0 {
			if err := j.Idle(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	got, err := j.End(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range got {
		want := whole.Judgement(g.Level).Verdict
		name := fmt.Sprintf("window %4d, %s", window, g.Level)
		if counts[name] == nil {
			counts[name] = &tally{}
		}
		switch c := counts[name]; {
		case want == isolation.Unknown:
			c.open++
		case g.Verdict == isolation.Unknown:
			c.unknown++
			if g.Why == "" {
				t.Errorf("%s, window %d, %s: unknown without a reason", what, window, g.Level)
			}
		case g.Verdict != want:
			t.Errorf("%s, window %d, %s: %v %s, but the whole history: %v\n%s", what, window, g.Level, g.Verdict, g.Why, want, shown(txns))
		case want == isolation.Accept:
			c.accept++
		default:
			c.reject++
		}
	}
}

func shown(txns []follow.Txn) string {
	var b strings.Builder
	for i, x := range txns {
		fmt.Fprintf(&b, "%d (%s, %s):", i+1, x.Session, x.Status)
		for _, o := range x.Ops {
			fmt.Fprintf(&b, " %s %s %s %v", o.Kind, o.Key, o.Value, o.List)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestRandom: whatever the window is, the answer is that about the whole history, or unknown
// with a reason.
func TestRandom(t *testing.T) {
	seed := random.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	counts := map[string]*tally{}
	for i := range random.Runs(600, 200) {
		o := simdb.Small(seed, i, r)
		o.Lists = r.IntN(3) == 0
		if r.IntN(3) == 0 {
			o.Txns, o.Keys = 10+r.IntN(30), 2+r.IntN(6)
		}
		h := simdb.Generate(o)
		if ms := historytest.Mutations(); !o.Lists && r.IntN(3) == 0 {
			m := ms[r.IntN(len(ms))]
			if r.IntN(2) == 0 {
				h = m.Beside(h)
			} else {
				h = m.Into(h, r)
			}
		}
		byValue := r.IntN(3) > 0
		txns := stream(h, r, byValue)
		for _, window := range []int{2, 4, 9, 1000} {
			var idle *rand.Rand
			if r.IntN(2) == 0 {
				idle = r
			}
			compare(t, fmt.Sprintf("seed %d, history %d (%s)", seed, i, o.Level), h, txns, window, idle, counts)
		}
	}
	for name, c := range counts {
		t.Logf("%s: %s", name, c)
	}
}
