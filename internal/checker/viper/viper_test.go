package viper

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/anomalies"
	"github.com/txrobust/robust/internal/checker/brute"
	"github.com/txrobust/robust/internal/checker/explain"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/internal/checker/simdb"
	"github.com/txrobust/robust/isolation"
)

// TestAnomalies: the textbook anomalies get their names, and the weakest level that they
// violate.
func TestAnomalies(t *testing.T) {
	for _, c := range []struct {
		text    string
		anomaly isolation.Anomaly
		level   isolation.Level
	}{
		{"r(1,0,0,0) w(1,1,0,0) r(1,0,1,1) w(1,2,1,1)", anomalies.LostUpdate, isolation.PLSI},
		{"w(1,9,9,9) r(1,9,0,0) w(1,1,0,0) r(1,9,1,1) w(1,2,1,1)", anomalies.LostUpdate, isolation.PLSI},
		{"w(1,1,0,0) w(2,1,1,1) r(1,1,2,2) r(2,0,2,2) r(1,0,3,3) r(2,1,3,3)", anomalies.LongFork, isolation.PLSI},
		{"r(1,0,0,0) r(2,0,0,0) w(1,1,0,0) r(1,0,1,1) r(2,0,1,1) w(2,1,1,1)", anomalies.WriteSkew, isolation.PL3},
		{"r(1,0,0,0) r(2,0,0,0) w(2,20,1,1) r(1,0,2,2) r(2,20,2,2) w(1,11,0,0)", anomalies.G2Item, isolation.PL3},
		{"w(1,1,0,0) r(2,1,0,0) w(2,1,1,1) r(1,1,1,1)", anomalies.G1c, isolation.PLSI},
		{"r(1,1,0,0) w(1,1,0,1)", anomalies.G1cProcess, isolation.SI},
		{"w(1,1,0,0) w(2,1,0,0) r(1,0,1,1) r(2,1,1,1)", anomalies.GSingleItem, isolation.PLSI},
		{"w(1,1,0,0) r(1,0,0,1)", anomalies.GSingleProcess, isolation.SI},
		{"w(1,1,0,0) r(1,1,1,1) w(2,1,1,1) r(2,1,2,2) r(1,0,2,2)", anomalies.GSingleItem, isolation.PLSI},
		{"w(2,1,0,0) r(1,0,0,1) r(2,0,1,2) w(1,1,1,2)", anomalies.G2Process, isolation.SER},
		{"w(1,1,0,0) r(1,0,1,1) r(1,1,1,1)", anomalies.NonRepeatableRead, isolation.PLSI},
		{"w(1,1,0,-1) r(1,1,1,1)", anomalies.G1a, isolation.PLSI},
		{"w(1,1,0,0) w(1,2,0,0) r(1,1,1,1)", anomalies.G1b, isolation.PLSI},
		{"r(1,1,0,0)", anomalies.ThinAirRead, isolation.PLSI},
		{"w(1,1,0,0) w(1,2,1,1) r(1,1,1,1)", anomalies.NotMyOwnWrite, isolation.PLSI},
		{"w(1,1,0,0) w(1,2,0,0) r(1,1,0,0)", anomalies.NotMyLastWrite, isolation.PLSI},
		{"r(1,1,0,0) w(1,1,0,0)", anomalies.FutureRead, isolation.PLSI},
	} {
		h := historytest.Parse(t, c.text)
		got, err := agree(h, Options{Levels: Levels()})
		if err != nil {
			t.Errorf("%s: %v\n%s", c.text, err, tell(h, got))
			continue
		}
		if len(got.Violations) != 1 || got.Violations[0].Anomaly != c.anomaly || got.Violations[0].Level != c.level {
			t.Errorf("%s: want a %s that violates %s\n%s", c.text, c.anomaly, c.level, tell(h, got))
		}
	}
}

// TestWords has what is told of a violation that several conclusions lead to.
func TestWords(t *testing.T) {
	h := historytest.Parse(t, "w(1,1,0,0) w(1,2,1,1) r(1,1,2,2) r(1,2,2,3) r(1,2,3,4) r(1,1,3,5)")
	got, err := agree(h, Options{Levels: []isolation.Level{isolation.SI}})
	if err != nil {
		t.Fatal(err)
	}
	want := `G-single-process: a cycle with exactly one anti-dependency, and session order.
If T0 had written 1 before T1 there would be a cycle (T5 –RW 1→ T1 –WR 1→ T4 –SO→ T5): so T1 wrote 1 before T0.
T0 overwrites the version of 1 that T3 read.
T2 (read 1 = 1) reads what T0 wrote.
T2 comes before T3 in session 2.`
	if words := strings.Join(explain.Violation(h, got.Violations[0]), "\n"); words != want {
		t.Errorf("got\n%s\nwant\n%s", words, want)
	}
}

// TestClockDrift: with a drift of the clocks the levels are those of the history whose
// transactions end that much later.
func TestClockDrift(t *testing.T) {
	n, seed := random.Runs(2000, 500), random.Seed(t)
	levels := []isolation.Level{isolation.GSI, isolation.SSSI, isolation.StrongSI, isolation.SSER}
	mattered := 0
	for i := range n {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		h := randomHistory(r)
		drift := int64(r.IntN(5))
		got, err := Check(t.Context(), h, Options{Levels: levels, ClockDrift: drift})
		if err != nil {
			t.Fatal(err)
		}
		want, err := brute.Check(t.Context(), later(h, drift), brute.Options{Levels: levels})
		if err != nil {
			t.Fatal(err)
		}
		exact, err := Check(t.Context(), h, Options{Levels: levels})
		if err != nil {
			t.Fatal(err)
		}
		for j, a := range got.Answers {
			if a.Verdict != want.Answers[j].Verdict {
				t.Fatalf("-viper.seed %d, history %d, drift %d: %s is %s, by definition %s\n%s%s", seed, i, drift, a.Level, a.Verdict, want.Answers[j].Verdict, show(h), tell(h, got))
			}
			if exact.Answers[j].Verdict != a.Verdict {
				mattered++
			}
		}
		for _, v := range got.Violations {
			if err := proves(h, v, drift); v.Read < 0 && err != nil {
				t.Errorf("-viper.seed %d, history %d, drift %d: %v\n%s%s", seed, i, drift, err, show(h), tell(h, got))
			}
		}
	}
	if mattered == 0 {
		t.Error("the drift never matters")
	}
	t.Logf("it matters for %d verdicts", mattered)
}

// later is a history whose transactions end later.
func later(h *history.History, by int64) *history.History {
	b := history.NewBuilder()
	for k := range history.Key(h.NumKeys()) {
		b.Key(h.KeyName(k))
		if h.InitialGiven(k) {
			v := h.Value(history.Op(k))
			if v > history.Initial {
				v = b.Value(h.ValueName(v))
			}
			b.SetInitial(k, v)
		}
	}
	value := func(v history.Value) history.Value {
		if v <= history.Initial {
			return v
		}
		return b.Value(h.ValueName(v))
	}
	b.SetOrder(h.Order())
	for s := range history.Session(h.NumSessions()) {
		session := b.Session(h.SessionName(s))
		for t, end := h.Txns(s); t < end; t++ {
			u := b.Txn(session, h.Status(t))
			b.SetBegin(u, h.Begin(t))
			b.SetEnd(u, h.End(t))
			if h.End(t) != history.NoEnd {
				b.SetEnd(u, h.End(t)+by)
			}
			for o, end := h.Ops(t); o < end; o++ {
				if h.Kind(o) != history.ReadRange || !h.Known(o) {
					b.Op(h.Kind(o), h.Key(o), value(h.Value(o)))
					continue
				}
				r := h.Range(o)
				copied := history.Range{Low: value(r.Low), High: value(r.High), LiveKeys: r.LiveKeys, DeadKeys: r.DeadKeys}
				for _, v := range r.LiveValues {
					copied.LiveValues = append(copied.LiveValues, value(v))
				}
				for _, v := range r.DeadRows {
					copied.DeadRows = append(copied.DeadRows, value(v))
				}
				b.Range(copied)
			}
		}
	}
	out, err := b.Build()
	if err != nil {
		panic(err)
	}
	return out
}

// TestStamps: stamps at the ends of their range, and a transaction that ends before it
// begins.
func TestStamps(t *testing.T) {
	build := func(begin, end int64) *history.History {
		b := history.NewBuilder()
		b.SetOrder(history.RealTime)
		w := b.Txn(b.Session(history.Int(0)), history.Committed)
		b.Write(b.IntKey(1), b.IntValue(1))
		b.SetBegin(w, begin)
		b.SetEnd(w, end)
		r := b.Txn(b.Session(history.Int(1)), history.Committed)
		b.Read(b.IntKey(1), history.Initial)
		b.SetBegin(r, math.MaxInt64-1)
		h, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	for _, c := range []struct {
		begin, end, drift int64
		want              checker.Verdict
	}{
		{math.MinInt64 + 1, math.MaxInt64 - 2, 0, checker.Violated},
		{math.MinInt64 + 1, math.MaxInt64 - 1, 0, checker.Satisfied},
		{0, 1, math.MaxInt64, checker.Satisfied},
		{0, 1, -5, checker.Violated},
		{3, 1, 0, checker.Unknown},
	} {
		got, err := Check(t.Context(), build(c.begin, c.end), Options{Levels: []isolation.Level{isolation.StrongSI}, ClockDrift: c.drift})
		if err != nil {
			t.Fatal(err)
		}
		if a := got.Answers[0]; a.Verdict != c.want || a.Verdict == checker.Unknown && !strings.Contains(a.Why, "ends before it begins") {
			t.Errorf("%+v: %s %s", c, a.Verdict, a.Why)
		}
	}
}

// TestUnjudged: reads of lists leave open what the registers do not violate.
func TestUnjudged(t *testing.T) {
	for _, c := range []struct {
		read history.Value
		want checker.Verdict
	}{{history.Initial, checker.Unknown}, {history.Initial + 9, checker.Violated}} {
		b := history.NewBuilder()
		b.Txn(b.Session(history.Int(0)), history.Committed)
		b.Op(history.Append, b.IntKey(1), b.IntValue(1))
		b.List(history.ReadList, b.IntKey(1), []history.Value{b.IntValue(1)})
		b.Read(b.IntKey(2), c.read)
		h, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		got, err := Check(t.Context(), h, Options{Levels: Levels()})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range got.Answers {
			if a.Verdict != c.want || a.Verdict == checker.Unknown && !strings.Contains(a.Why, "lists") {
				t.Errorf("%s is %s: %s", a.Level, a.Verdict, a.Why)
			}
		}
	}
}

// TestBounds: what cannot be decided within the bounds is Unknown, with a reason, or
// ends with the context.
func TestBounds(t *testing.T) {
	h := simdb.Generate(simdb.Options{Seed: 1, Level: isolation.SI, Sessions: 50, Txns: 600, Ops: 4, Keys: 5, Reads: 0.3, Lag: 20})
	for _, c := range []struct {
		Options
		want string
	}{
		{Options{Memory: 1 << 16}, "memory"},
		{Options{Conflicts: 1}, "gave up after 1"},
		{Options{Levels: []isolation.Level{isolation.CC}}, "not a level"},
	} {
		if c.Levels == nil {
			c.Levels = []isolation.Level{isolation.SI}
		}
		r, err := Check(context.Background(), h, c.Options)
		if err != nil {
			t.Fatal(err)
		}
		if a := r.Answers[0]; a.Verdict != checker.Unknown || !strings.Contains(a.Why, c.want) {
			t.Errorf("%+v: %s %s", c.Options, a.Verdict, a.Why)
		}
	}
}

// patience is a context that ends when it was asked a number of times.
type patience struct {
	context.Context
	left *int
}

func (p patience) Err() error {
	if *p.left == 0 {
		return context.Canceled
	}
	*p.left--
	return nil
}

// TestStopped: the context ends the check wherever it is, and what is open is Unknown.
func TestStopped(t *testing.T) {
	h := simdb.Generate(simdb.Options{Seed: 3, Level: isolation.SI, Sessions: 50, Txns: 800, Ops: 8, Keys: 20, Reads: 0.3, Lag: 20})
	stopped := 0
	for asked := 0; asked < 1000; asked = 1 + asked*3/2 {
		left := asked
		r, err := Check(patience{t.Context(), &left}, h, Options{Levels: Levels(), Conflicts: 500})
		if err == nil {
			break
		}
		stopped++
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		for _, a := range r.Answers {
			if a.Verdict == checker.Unknown && a.Why == "" {
				t.Errorf("asked %d times: %s is unknown for no reason", asked, a.Level)
			}
		}
	}
	if stopped < 5 {
		t.Errorf("it was stopped only %d times", stopped)
	}
}

// TestDeterministic: equal seeds give equal answers.
func TestDeterministic(t *testing.T) {
	h := simdb.Generate(simdb.Options{Seed: 2, Level: isolation.SI, Sessions: 20, Txns: 300, Ops: 4, Keys: 20, Reads: 0.5, Lag: 20})
	bad := historytest.Mutations()[0].Into(h, rand.New(rand.NewPCG(2, 2)))
	for _, h := range []*history.History{h, bad} {
		var want string
		for range 3 {
			r, err := Check(t.Context(), h, Options{Levels: Levels(), Conflicts: 2000, Seed: 5})
			if err != nil {
				t.Fatal(err)
			}
			verifyAll(t, h, r)
			if got := tell(h, r); want == "" {
				want = got
			} else if got != want {
				t.Errorf("%s\nwant:\n%s", got, want)
			}
		}
	}
}

// TestBlindWrites: writes that nobody reads are put in one order, however many there are.
func TestBlindWrites(t *testing.T) {
	h := simdb.Generate(simdb.Options{Seed: 1, Level: isolation.SER, Sessions: 100, Txns: 3000, Ops: 1, Keys: 1})
	got, err := Check(t.Context(), h, Options{Levels: Levels()})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range got.Answers {
		if a.Verdict != checker.Satisfied {
			t.Errorf("%s is %s: %s", a.Level, a.Verdict, a.Why)
		}
	}
	verifyAll(t, h, got)
}
