package viper

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/brute"
	"github.com/txrobust/robust/internal/checker/definitions"
	"github.com/txrobust/robust/internal/checker/explain"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/internal/checker/polysi"
	"github.com/txrobust/robust/internal/checker/simdb"
	"github.com/txrobust/robust/internal/checker/verify"
	"github.com/txrobust/robust/isolation"
)

var random = historytest.RandomFlags("viper")

// plan is what a random history may contain: each with some probability.
type plan struct {
	duplicates, outcomes, ranges, rows, unloaded, updates, times, backward bool
}

func randomPlan(r *rand.Rand) plan {
	one := func() bool { return r.IntN(3) == 0 }
	return plan{one(), one(), one(), one(), r.IntN(6) == 0, one(), r.IntN(2) == 0, r.IntN(8) == 0}
}

// step is an operation of a plan, before it is known what reads return.
type step struct {
	kind  history.Kind
	key   int
	value int64 // of writes
}

// generator makes small histories of nonsense: reads return any value that somebody
// writes to the key, sometimes the one that is likely, seldom what nobody wrote.
type generator struct {
	plan
	r       *rand.Rand
	b       *history.Builder
	keys    int
	values  [][]written // of keys
	current []int64     // of keys: what the transactions before wrote, as if they were serial
	now     int         // the transaction that is made
	seen    map[int]int64
}

// written is a value of a key: 0 is what it held initially.
type written struct {
	value int64
	txn   int // -1 if it is the initial one
	final bool
}

func randomHistory(r *rand.Rand) *history.History {
	g := &generator{plan: randomPlan(r), r: r, b: history.NewBuilder(), keys: 1 + r.IntN(3)}
	var sessions []history.Session
	for i := range 1 + r.IntN(4) {
		sessions = append(sessions, g.b.Session(history.Int(int64(i))))
	}
	for k := range g.keys {
		g.b.IntKey(int64(k))
		if g.unloaded && r.IntN(2) == 0 {
			g.b.SetInitial(history.Key(k), history.NoValue)
		}
	}
	g.values, g.current = make([][]written, g.keys), make([]int64, g.keys)
	for k := range g.values {
		g.values[k] = []written{{0, -1, true}}
	}
	txns := g.script()
	if g.times {
		g.b.SetOrder(history.RealTime)
	}
	clock := map[history.Session]int64{}
	for i, steps := range txns {
		g.now = i
		s := sessions[r.IntN(len(sessions))]
		status := history.Committed
		if g.outcomes {
			status = []history.Status{0, 0, 0, history.Aborted, history.Unknown, history.Unknown}[r.IntN(6)]
		}
		t := g.b.Txn(s, status)
		if g.times {
			begin := max(int64(2*i+r.IntN(8)), clock[s])
			if g.backward {
				begin = int64(r.IntN(16))
			}
			end := begin + 1 + int64(r.IntN(6))
			clock[s] = end + 1
			if r.IntN(10) > 0 {
				g.b.SetBegin(t, begin)
			}
			if status != history.Unknown && r.IntN(10) > 0 {
				g.b.SetEnd(t, end)
			}
		}
		g.txn(steps, status)
	}
	h, err := g.b.Build()
	if err != nil {
		panic(err)
	}
	return h
}

// script decides what the transactions do.
func (g *generator) script() [][]step {
	r, next := g.r, int64(0)
	var txns [][]step
	for t := range 2 + r.IntN(5) {
		var steps []step
		for range 1 + r.IntN(4) {
			st := step{kind: history.Read, key: r.IntN(g.keys)}
			if g.ranges && r.IntN(4) == 0 {
				st.kind = history.ReadRange
			}
			if r.IntN(2) == 0 {
				if next++; g.duplicates && r.IntN(2) == 0 {
					st.value = 1 + r.Int64N(3)
				} else {
					st.value = 10 + next
				}
				if st.kind = history.Write; g.rows {
					st.kind = []history.Kind{history.Write, history.Insert, history.Delete}[r.IntN(3)]
				}
				if vs := g.values[st.key]; vs[len(vs)-1].txn == t {
					vs[len(vs)-1].final = false
				}
				g.values[st.key] = append(g.values[st.key], written{st.value, t, true})
				if g.updates && r.IntN(2) == 0 {
					steps = append(steps, step{kind: history.Read, key: st.key})
				}
			}
			steps = append(steps, st)
		}
		txns = append(txns, steps)
	}
	return txns
}

// txn adds the operations of a transaction.
func (g *generator) txn(steps []step, status history.Status) {
	own := map[int]int64{}
	g.seen = map[int]int64{}
	for _, st := range steps {
		switch st.kind {
		case history.Read:
			if v, ok := g.returned(st.key, own); ok {
				g.b.Read(history.Key(st.key), g.value(v))
			} else {
				g.b.Read(history.Key(st.key), history.NoValue)
			}
		case history.ReadRange:
			g.span(own)
		default:
			g.b.Op(st.kind, history.Key(st.key), g.value(st.value))
			own[st.key] = st.value
		}
	}
	if status == history.Committed {
		for k, v := range own {
			g.current[k] = v
		}
	}
}

func (g *generator) value(v int64) history.Value {
	if v == 0 {
		return history.Initial
	}
	return g.b.IntValue(v)
}

// returned is what a read returns; it is not ok if that is not known.
func (g *generator) returned(key int, own map[int]int64) (v int64, ok bool) {
	if mine, wrote := own[key]; wrote && g.r.IntN(20) > 0 {
		return mine, true
	}
	if v, ok := g.seen[key]; ok && g.r.IntN(20) > 0 {
		return v, true
	}
	v, ok = g.any(key)
	g.seen[key] = v
	return v, ok
}

// any is what a read of a key may return that the transaction neither wrote nor read.
func (g *generator) any(key int) (v int64, ok bool) {
	switch x := g.r.IntN(80); {
	case x == 0:
		return 99, true
	case x == 1:
		return g.current[key], false
	case x < 30:
		return g.current[key], true
	}
	w := g.values[key][g.r.IntN(len(g.values[key]))]
	if (w.txn == g.now || !w.final) && g.r.IntN(20) > 0 {
		w = g.values[key][0]
	}
	return w.value, true
}

// span reads a range of keys.
func (g *generator) span(own map[int]int64) {
	low := g.r.IntN(g.keys)
	high := low + g.r.IntN(g.keys-low)
	rows := history.Range{Low: g.b.IntValue(int64(low)), High: g.b.IntValue(int64(high))}
	if g.r.IntN(8) == 0 {
		rows.High, high = history.Initial, g.keys-1
	}
	for k := low; k <= high; k++ {
		v, ok := g.returned(k, own)
		switch {
		case !ok || v == 0 && g.r.IntN(4) > 0:
		case g.r.IntN(4) == 0:
			rows.DeadKeys, rows.DeadRows = append(rows.DeadKeys, history.Key(k)), append(rows.DeadRows, g.value(v))
		default:
			rows.LiveKeys, rows.LiveValues = append(rows.LiveKeys, history.Key(k)), append(rows.LiveValues, g.value(v))
		}
	}
	g.b.Range(rows)
}

// show prints a history.
func show(h *history.History) string {
	var b strings.Builder
	for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
		fmt.Fprintf(&b, "%d %s in %d", t, h.Status(t), h.SessionOf(t))
		if h.Begin(t) != history.NoBegin || h.End(t) != history.NoEnd {
			fmt.Fprintf(&b, ", %d to %d", h.Begin(t), h.End(t))
		}
		b.WriteString(":")
		for o, end := h.Ops(t); o < end; o++ {
			fmt.Fprintf(&b, " %s;", h.Words(o))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// tell prints a result.
func tell(h *history.History, r *checker.Result) string {
	if r == nil {
		return "no result"
	}
	var b strings.Builder
	for _, a := range r.Answers {
		fmt.Fprintf(&b, "%s %s %s %v %v\n", a.Level, a.Verdict, a.Why, a.Order, a.Snapshots)
	}
	for _, v := range r.Violations {
		fmt.Fprintf(&b, "%s (%s):\n  %s\n", v.Anomaly, v.Level, strings.Join(explain.Violation(h, v), "\n  "))
	}
	return b.String()
}

// agree compares the verdicts about a small history with those by definition and those
// of polysi, and verifies witnesses and violations.
func agree(h *history.History, o Options) (*checker.Result, error) {
	ctx := context.Background()
	want, err := brute.Check(ctx, h, brute.Options{Levels: o.Levels})
	if err != nil {
		return nil, err
	}
	got, err := Check(ctx, h, o)
	if err != nil {
		return nil, err
	}
	for i, a := range got.Answers {
		if a.Verdict != want.Answers[i].Verdict {
			return got, fmt.Errorf("%s is %s, by definition %s", a.Level, a.Verdict, want.Answers[i].Verdict)
		}
		if a.Verdict != checker.Satisfied {
			continue
		}
		if err := verify.Witness(h, a.Level, a.Order, a.Snapshots); err != nil {
			return got, fmt.Errorf("the witness of %s: %w", a.Level, err)
		}
	}
	other, err := polysi.Check(ctx, h, polysi.Options{Levels: o.Levels, Workers: 1})
	if err != nil {
		return nil, err
	}
	for i, a := range other.Answers {
		if a.Verdict != checker.Unknown && a.Verdict != want.Answers[i].Verdict {
			return got, fmt.Errorf("polysi: %s is %s, by definition %s", a.Level, a.Verdict, want.Answers[i].Verdict)
		}
	}
	for _, v := range got.Violations {
		if err := definitions.Violates(h, v); err != nil {
			return got, err
		}
		if v.Read >= 0 {
			continue
		}
		if err := proves(h, v, 0); err != nil {
			return got, fmt.Errorf("the %s of %s: %w", v.Anomaly, v.Level, err)
		}
	}
	for _, a := range got.Answers {
		if a.Verdict == checker.Violated && !slices.ContainsFunc(got.Violations, func(v checker.Violation) bool { return a.Level.Implies(v.Level) }) {
			return got, fmt.Errorf("%s is violated by nothing that is shown", a.Level)
		}
	}
	return got, nil
}

// levelsFor are the levels to ask about: all, or some.
func levelsFor(r *rand.Rand) []isolation.Level {
	if r.IntN(3) > 0 {
		return Levels()
	}
	return slices.DeleteFunc(Levels(), func(isolation.Level) bool { return r.IntN(2) == 0 })
}

// TestRandom compares with brute force.
func TestRandom(t *testing.T) {
	n, seed := random.Runs(4000, 1500), random.Seed(t)
	counts := map[string]int{}
	anomalies := map[isolation.Anomaly]int{}
	for i := range n {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		h := randomHistory(r)
		o := Options{Seed: seed, Levels: levelsFor(r)}
		if len(o.Levels) == 0 {
			continue
		}
		got, err := agree(h, o)
		if err != nil {
			t.Fatalf("-viper.seed %d, history %d: %v\n%s%s", seed, i, err, show(h), tell(h, got))
		}
		for _, a := range got.Answers {
			counts[fmt.Sprint(a.Level, " ", a.Verdict)]++
		}
		for a, n := range got.Counts {
			anomalies[a] += n
		}
	}
	t.Logf("%v\n%v", counts, anomalies)
	for _, l := range Levels() {
		for _, v := range []checker.Verdict{checker.Satisfied, checker.Violated} {
			if counts[fmt.Sprint(l, " ", v)] < n/20 {
				t.Errorf("%s is hardly ever %s", l, v)
			}
		}
	}
}

// TestSimulated compares with brute force on small histories of simulated databases,
// right and faulty ones.
func TestSimulated(t *testing.T) {
	n, seed := random.Runs(2000, 600), random.Seed(t)
	counts := map[string]int{}
	for i := range n {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		o := simdb.Small(seed, i, r)
		h := simdb.Generate(o)
		got, err := agree(h, Options{Seed: seed, Levels: Levels()})
		if err != nil {
			t.Fatalf("-viper.seed %d, %+v: %v\n%s%s", seed, o, err, show(h), tell(h, got))
		}
		for _, a := range got.Answers {
			counts[fmt.Sprint(a.Level, " ", a.Verdict)]++
			if o.Faults == 0 && o.Level.Implies(a.Level) && a.Verdict != checker.Satisfied {
				t.Errorf("%+v: %s is %s", o, a.Level, a.Verdict)
			}
		}
	}
	t.Logf("%v", counts)
}
