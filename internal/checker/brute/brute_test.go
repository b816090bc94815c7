package brute

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/explain"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/internal/checker/simdb"
	"github.com/txrobust/robust/isolation"
)

func satisfied(t *testing.T, h *history.History) map[isolation.Level]bool {
	t.Helper()
	r, err := Check(context.Background(), h, Options{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[isolation.Level]bool{}
	for _, a := range r.Answers {
		switch a.Verdict {
		case checker.Satisfied:
			out[a.Level] = true
			if err := Verify(h, a.Level, a.Order); err != nil {
				t.Errorf("%s: %v", a.Level, err)
			}
		case checker.Unknown:
			t.Errorf("%s is unknown: %s", a.Level, a.Why)
		}
	}
	return out
}

// TestKnown has the textbook examples: what is satisfied is what the strongest
// levels given imply.
func TestKnown(t *testing.T) {
	const rc, ra, cc, pc = isolation.RC, isolation.RA, isolation.CC, isolation.PC
	top := []isolation.Level{isolation.SSER}
	for _, c := range []struct {
		name, text string
		strongest  []isolation.Level
	}{
		{"empty transactions", "r(1,0,0,0) r(1,0,1,1)", top},
		{"serial", "w(1,1,0,0) r(1,1,1,1) w(1,2,1,1) r(1,2,0,2)", top},
		{"write skew", "r(1,0,0,0) r(2,0,0,0) w(1,1,0,0) r(1,0,1,1) r(2,0,1,1) w(2,1,1,1)", []isolation.Level{isolation.StrongSI}},
		{"lost update", "r(1,0,0,0) w(1,1,0,0) r(1,0,1,1) w(1,2,1,1)", []isolation.Level{pc, isolation.PL2L}},
		{"long fork", "w(1,1,0,0) w(2,1,1,1) r(1,1,2,2) r(2,0,2,2) r(1,0,3,3) r(2,1,3,3)", []isolation.Level{cc, isolation.PL2Plus}},
		{"causality", "w(1,1,0,0) r(1,1,1,1) w(2,1,1,1) r(2,1,2,2) r(1,0,2,2)", []isolation.Level{ra}},
		{"fractured read", "w(1,1,0,0) w(2,1,0,0) r(1,0,1,1) r(2,1,1,1)", []isolation.Level{rc, isolation.PL2L}},
		{"fractured read, new first", "w(1,1,0,0) w(2,1,0,0) r(2,1,1,1) r(1,0,1,1)", []isolation.Level{isolation.PL2}},
		{"non-repeatable read", "w(1,1,0,0) r(1,0,1,1) r(1,1,1,1)", []isolation.Level{rc, isolation.PL2L}},
		{"aborted read", "w(1,1,0,-1) r(1,1,1,1)", nil},
		{"intermediate read", "w(1,1,0,0) w(1,2,0,0) r(1,1,1,1)", nil},
		{"thin air", "r(1,1,0,0)", nil},
		{"own write", "w(1,1,0,0) r(1,1,0,0)", top},
		{"own last write", "w(1,1,0,0) w(1,2,0,0) r(1,1,0,0)", nil},
		{"own future", "r(1,1,0,0) w(1,1,0,0)", nil},
		{"own write missed", "w(1,1,0,0) w(1,2,1,1) r(1,1,1,1)", nil},
		{"own session missed", "w(1,1,0,0) r(1,0,0,1)", []isolation.Level{rc, isolation.PL3, isolation.GSI}},
		{"session against reads", "r(1,1,0,0) w(1,1,0,1)", []isolation.Level{isolation.PL3, isolation.GSI}},
		{"duplicate values", "w(1,1,0,0) w(2,1,0,0) w(1,1,1,1) w(2,2,1,1) r(2,2,2,2) r(1,1,2,2)", top},
		{"read-only anomaly", "r(1,0,0,0) r(2,0,0,0) w(2,20,1,1) r(1,0,2,2) r(2,20,2,2) w(1,11,0,0)", []isolation.Level{isolation.StrongSI}},
	} {
		h := historytest.Parse(t, c.text)
		got := satisfied(t, h)
		for _, l := range Levels() {
			want := slices.ContainsFunc(c.strongest, func(s isolation.Level) bool { return s.Implies(l) })
			if got[l] != want {
				t.Errorf("%s: %s satisfied is %t, want %t", c.name, l, got[l], want)
			}
		}
	}
}

// TestRealTime has histories that only real time tells apart.
func TestRealTime(t *testing.T) {
	// A writes before B reads, in different sessions; B sees the initial value.
	build := func(write, read [2]int64) *history.History {
		b := history.NewBuilder()
		b.SetOrder(history.RealTime)
		w := b.Txn(b.Session(history.Int(0)), history.Committed)
		b.Write(b.IntKey(1), b.IntValue(1))
		b.SetBegin(w, write[0])
		b.SetEnd(w, write[1])
		r := b.Txn(b.Session(history.Int(1)), history.Committed)
		b.Read(b.IntKey(1), history.Initial)
		b.SetBegin(r, read[0])
		b.SetEnd(r, read[1])
		h, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	for _, c := range []struct {
		write, read [2]int64
		strongest   []isolation.Level
	}{
		{[2]int64{1, 3}, [2]int64{2, 4}, []isolation.Level{isolation.SSER}},
		{[2]int64{1, 2}, [2]int64{3, 4}, []isolation.Level{isolation.SSSI, isolation.SER}},
	} {
		got := satisfied(t, build(c.write, c.read))
		for _, l := range Levels() {
			want := slices.ContainsFunc(c.strongest, func(s isolation.Level) bool { return s.Implies(l) })
			if got[l] != want {
				t.Errorf("write %v, read %v: %s satisfied is %t, want %t", c.write, c.read, l, got[l], want)
			}
		}
	}
	// What is read commits later in real time: no level with real time allows it.
	h := func() *history.History {
		b := history.NewBuilder()
		b.SetOrder(history.RealTime)
		r := b.Txn(b.Session(history.Int(0)), history.Committed)
		b.Read(b.IntKey(1), b.IntValue(1))
		b.SetBegin(r, 1)
		b.SetEnd(r, 2)
		w := b.Txn(b.Session(history.Int(1)), history.Committed)
		b.Write(b.IntKey(1), b.IntValue(1))
		b.SetBegin(w, 3)
		b.SetEnd(w, 4)
		h, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		return h
	}()
	for l, ok := range satisfied(t, h) {
		if ok && l.NeedsRealTime() {
			t.Errorf("a read from the future satisfies %s", l)
		}
	}
}

// TestLattice makes sure, on histories of simulated databases, that a level that
// holds makes those hold that it implies, that the level of the database holds, and
// that levels differ. Axioms and states, in which levels are defined, meet here.
func TestLattice(t *testing.T) {
	runs := 3000
	if testing.Short() {
		runs = 600
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	counts := map[isolation.Level]int{}
	for i := range runs {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		o := simdb.Options{
			Seed: seed + uint64(i), Level: simdb.Levels()[i%len(simdb.Levels())], Sessions: 2 + r.IntN(4), Txns: 4 + r.IntN(4), Ops: 2 + r.IntN(3),
			Keys: 1 + r.IntN(2), Reads: 0.5 + 0.3*r.Float64(), Lists: r.IntN(3) == 0, Lag: 3 + r.IntN(6), Duplicates: r.IntN(4) == 0,
			Aborts: 0.1 * float64(i%2), Unknowns: 0.1 * float64(i/2%2), Losses: 0.1 * float64(i/2%2), Faults: 0.15 * float64(r.IntN(3)),
		}
		h := simdb.Generate(o)
		got := satisfied(t, h)
		for _, l := range Levels() {
			if got[l] {
				counts[l]++
			}
			if o.Faults == 0 && o.Level.Implies(l) && !got[l] {
				t.Errorf("%+v: %s is violated\n%s", o, l, show(h))
			}
			for _, m := range Levels() {
				if l.Implies(m) && got[l] && !got[m] {
					t.Errorf("%+v: %s is satisfied, %s is not\n%s", o, l, m, show(h))
				}
			}
		}
		if t.Failed() {
			return
		}
	}
	for _, l := range Levels() {
		t.Logf("%s: %d of %d", l, counts[l], runs)
	}
	for _, pair := range [][2]isolation.Level{
		{isolation.SER, isolation.SI}, {isolation.SI, isolation.PC}, {isolation.CC, isolation.RA}, {isolation.RA, isolation.RC},
		{isolation.SI, isolation.PLSI}, {isolation.SER, isolation.PL3},
	} {
		if counts[pair[0]] >= counts[pair[1]] {
			t.Errorf("no history satisfies %s and violates %s", pair[1], pair[0])
		}
	}
}

// TestTypes has reads of lists, sets, counters and ranges.
func TestTypes(t *testing.T) {
	type txn func(b *history.Builder)
	list := func(kind history.Kind, values ...int64) txn {
		return func(b *history.Builder) {
			var vs []history.Value
			for _, v := range values {
				vs = append(vs, b.IntValue(v))
			}
			b.List(kind, b.IntKey(1), vs)
		}
	}
	op := func(kind history.Kind, v int64) txn {
		return func(b *history.Builder) { b.Op(kind, b.IntKey(1), b.IntValue(v)) }
	}
	span := func(keys ...int64) txn { // value 1 each
		return func(b *history.Builder) {
			r := history.Range{Low: b.IntValue(1), High: b.IntValue(2)}
			for _, k := range keys {
				r.LiveKeys = append(r.LiveKeys, b.IntKey(k))
				r.LiveValues = append(r.LiveValues, b.IntValue(1))
			}
			b.Range(r)
		}
	}
	write := func(k int64) txn { return func(b *history.Builder) { b.Write(b.IntKey(k), b.IntValue(1)) } }
	both := func(a, c txn) txn { return func(b *history.Builder) { a(b); c(b) } }
	for _, c := range []struct {
		name string
		txns []txn // in sessions of their own
		ser  bool
		rc   bool
	}{
		{"list", []txn{op(history.Append, 1), op(history.Append, 2), list(history.ReadList, 2, 1)}, true, true},
		{"list and its own element", []txn{op(history.Append, 1), both(op(history.Append, 2), list(history.ReadList, 1, 2))}, true, true},
		{"own element missing", []txn{op(history.Append, 1), both(op(history.Append, 2), list(history.ReadList, 1))}, false, false},
		{"two orders", []txn{op(history.Append, 1), op(history.Append, 2), list(history.ReadList, 2, 1), list(history.ReadList, 1, 2)}, false, false},
		{"prefixes", []txn{op(history.Append, 1), op(history.Append, 2), list(history.ReadList, 2), list(history.ReadList, 2, 1)}, true, true},
		{"not prefixes", []txn{op(history.Append, 1), op(history.Append, 2), list(history.ReadList, 1), list(history.ReadList, 2, 1)}, false, false},
		{"element twice", []txn{op(history.Append, 1), list(history.ReadList, 1, 1)}, false, false},
		{"set", []txn{op(history.Add, 1), op(history.Add, 2), list(history.ReadSet, 2, 1), list(history.ReadSet, 1)}, true, true},
		{"sets that do not fit", []txn{op(history.Add, 1), op(history.Add, 2), list(history.ReadSet, 2), list(history.ReadSet, 1)}, false, false},
		{"counter", []txn{op(history.Increment, 1), op(history.Increment, 2), op(history.ReadCounter, 3), op(history.ReadCounter, 2)}, true, true},
		{"counter that skips", []txn{op(history.Increment, 1), op(history.Increment, 2), op(history.ReadCounter, 1), op(history.ReadCounter, 2)}, false, false},
		{"range", []txn{write(1), write(2), span(1), span(1, 2), span()}, true, true},
		{"ranges that do not fit", []txn{write(1), write(2), span(1), span(2)}, false, true},
	} {
		b := history.NewBuilder()
		for i, f := range c.txns {
			b.Txn(b.Session(history.Int(int64(i))), history.Committed)
			f(b)
		}
		h, err := b.Build()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got := satisfied(t, h)
		if got[isolation.SER] != c.ser || got[isolation.RC] != c.rc {
			t.Errorf("%s: SER %t, RC %t, want %t, %t", c.name, got[isolation.SER], got[isolation.RC], c.ser, c.rc)
		}
	}
}

// TestUnknown has transactions of which the outcome, or what keys held initially,
// is not known.
func TestUnknown(t *testing.T) {
	build := func(f func(b *history.Builder, k history.Key, one history.Value)) map[isolation.Level]bool {
		b := history.NewBuilder()
		f(b, b.IntKey(1), b.IntValue(1))
		h, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		return satisfied(t, h)
	}
	session := func(b *history.Builder, n int64) history.Session { return b.Session(history.Int(n)) }
	for _, c := range []struct {
		name string
		ser  bool
		f    func(b *history.Builder, k history.Key, one history.Value)
	}{
		{"read", true, func(b *history.Builder, k history.Key, one history.Value) {
			b.Txn(session(b, 0), history.Unknown)
			b.Write(k, one)
			b.Txn(session(b, 1), history.Committed)
			b.Read(k, one)
		}},
		{"not read", true, func(b *history.Builder, k history.Key, one history.Value) {
			b.Txn(session(b, 0), history.Unknown)
			b.Write(k, one)
			b.Txn(session(b, 0), history.Committed)
			b.Read(k, history.Initial)
		}},
		{"read and missed", false, func(b *history.Builder, k history.Key, one history.Value) {
			b.Txn(session(b, 0), history.Unknown)
			b.Write(k, one)
			b.Txn(session(b, 0), history.Committed)
			b.Read(k, history.Initial)
			b.Txn(session(b, 1), history.Committed)
			b.Read(k, one)
		}},
		{"read by nobody", true, func(b *history.Builder, k history.Key, one history.Value) {
			b.Txn(session(b, 0), history.Unknown)
			b.Read(k, one)
		}},
		{"read what nobody wrote", false, func(b *history.Builder, k history.Key, one history.Value) {
			b.Txn(session(b, 0), history.Unknown)
			b.Read(k, b.IntValue(3))
			b.Write(k, one)
			b.Txn(session(b, 1), history.Committed)
			b.Read(k, one)
		}},
		{"read what was there", true, func(b *history.Builder, k history.Key, one history.Value) {
			b.Txn(session(b, 0), history.Unknown)
			b.Read(k, history.Initial)
			b.Write(k, one)
			b.Txn(session(b, 1), history.Committed)
			b.Read(k, one)
		}},
		{"initial value not known", true, func(b *history.Builder, k history.Key, one history.Value) {
			b.SetInitial(k, history.NoValue)
			b.Txn(session(b, 0), history.Committed)
			b.Read(k, one)
		}},
		{"but it is one", false, func(b *history.Builder, k history.Key, one history.Value) {
			b.SetInitial(k, history.NoValue)
			b.Txn(session(b, 0), history.Committed)
			b.Read(k, one)
			b.Txn(session(b, 1), history.Committed)
			b.Read(k, history.Initial)
		}},
	} {
		if got := build(c.f); got[isolation.SER] != c.ser {
			t.Errorf("%s: SER satisfied is %t, want %t", c.name, got[isolation.SER], c.ser)
		}
	}
}

func TestLimits(t *testing.T) {
	h := simdb.Generate(simdb.Options{Seed: 1, Level: isolation.SER, Sessions: 2, Txns: MaxTxns + 1, Ops: 1, Keys: 1})
	r, err := Check(context.Background(), h, Options{Levels: []isolation.Level{isolation.SER, isolation.PL2}})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range r.Answers {
		if a.Verdict != checker.Unknown || a.Why == "" {
			t.Errorf("%s is %s because %q", a.Level, a.Verdict, a.Why)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Check(ctx, historytest.Parse(t, "w(1,1,0,0)"), Options{}); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

func show(h *history.History) string {
	out := ""
	for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
		out += fmt.Sprintf("%d, session %d, %s:", t, h.SessionOf(t), h.Status(t))
		for o, end := h.Ops(t); o < end; o++ {
			out += " " + explain.OpWords(h, o) + ";"
		}
		out += "\n"
	}
	return out
}
