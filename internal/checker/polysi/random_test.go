package polysi

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/brute"
	"github.com/txrobust/robust/internal/checker/definitions"
	"github.com/txrobust/robust/internal/checker/explain"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/internal/checker/simdb"
	"github.com/txrobust/robust/internal/checker/verify"
	"github.com/txrobust/robust/isolation"
)

var random = historytest.RandomFlags("polysi")

// shape is what a random history may contain.
type shape struct {
	name                                            string
	duplicates, outcomes, ranges, unloaded, updates bool
}

var shapes = []shape{
	{name: "plain"},
	{name: "updates", updates: true},
	{name: "outcomes", outcomes: true},
	{name: "duplicates", duplicates: true},
	{name: "ranges", ranges: true, duplicates: true},
	{name: "unloaded", unloaded: true, duplicates: true},
	{name: "all", duplicates: true, outcomes: true, ranges: true, unloaded: true, updates: true},
}

// noise makes a small history whose reads return anything that was written to the
// key, or nothing, or seldom what nobody wrote.
type noise struct {
	shape
	r       *rand.Rand
	b       *history.Builder
	keys    int
	next    int64
	written [][]history.Value
}

func randomHistory(r *rand.Rand, sh shape) *history.History {
	n := &noise{shape: sh, r: r, b: history.NewBuilder(), keys: 1 + r.IntN(3)}
	var sessions []history.Session
	for i := range 1 + r.IntN(4) {
		sessions = append(sessions, n.b.Session(history.Int(int64(i))))
	}
	for k := range n.keys {
		key := n.b.IntKey(int64(k))
		n.written = append(n.written, []history.Value{history.Initial})
		if sh.unloaded && r.IntN(2) == 0 {
			n.b.SetInitial(key, history.NoValue)
		}
	}
	// What is written first, so that reads may return what is written later.
	type op struct {
		key   history.Key
		value history.Value
	}
	var txns [][]op
	for range 2 + r.IntN(5) {
		var ops []op
		for range 1 + r.IntN(4) {
			o := op{history.Key(r.IntN(n.keys)), history.NoValue}
			if r.IntN(2) == 0 {
				o.value = n.fresh()
				n.written[o.key] = append(n.written[o.key], o.value)
				if sh.updates && r.IntN(2) == 0 {
					ops = append(ops, op{o.key, history.NoValue})
				}
			}
			ops = append(ops, o)
		}
		txns = append(txns, ops)
	}
	for _, ops := range txns {
		status := history.Committed
		if sh.outcomes {
			status = []history.Status{0, 0, 0, history.Aborted, history.Unknown, history.Unknown}[r.IntN(6)]
		}
		n.b.Txn(sessions[r.IntN(len(sessions))], status)
		own := map[history.Key]history.Value{}
		for _, o := range ops {
			mine, wrote := own[o.key]
			switch {
			case o.value != history.NoValue:
				n.b.Write(o.key, o.value)
				own[o.key] = o.value
			case wrote && r.IntN(20) > 0:
				n.b.Read(o.key, mine)
			case sh.ranges && r.IntN(3) == 0:
				n.span()
			default:
				n.b.Read(o.key, n.value(o.key))
			}
		}
	}
	h, err := n.b.Build()
	if err != nil {
		panic(err)
	}
	return h
}

func (n *noise) fresh() history.Value {
	if n.next++; n.duplicates && n.r.IntN(2) == 0 {
		return n.b.IntValue(1 + n.r.Int64N(3))
	}
	return n.b.IntValue(n.next)
}

// value is what a read returns.
func (n *noise) value(k history.Key) history.Value {
	switch n.r.IntN(60) {
	case 0:
		return n.b.IntValue(99)
	case 1:
		return history.NoValue
	}
	return n.written[k][n.r.IntN(len(n.written[k]))]
}

// span reads a range of keys.
func (n *noise) span() {
	lo := n.r.IntN(n.keys)
	hi := lo + n.r.IntN(n.keys-lo)
	rows := history.Range{Low: n.b.IntValue(int64(lo)), High: n.b.IntValue(int64(hi))}
	for k := lo; k <= hi; k++ {
		if key := history.Key(k); n.r.IntN(4) > 0 {
			if v := n.value(key); v != history.NoValue {
				rows.LiveKeys, rows.LiveValues = append(rows.LiveKeys, key), append(rows.LiveValues, v)
			}
		}
	}
	n.b.Range(rows)
}

func show(h *history.History) string {
	var b strings.Builder
	for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
		fmt.Fprintf(&b, "%d %s in %d:", t, h.Status(t), h.SessionOf(t))
		for o, end := h.Ops(t); o < end; o++ {
			fmt.Fprintf(&b, " %s;", h.Words(o))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// tell prints a result.
func tell(h *history.History, r *checker.Result) string {
	var b strings.Builder
	for _, a := range r.Answers {
		fmt.Fprintf(&b, "%s %s %s %v %v\n", a.Level, a.Verdict, a.Why, a.Order, a.Snapshots)
	}
	for _, v := range r.Violations {
		fmt.Fprintf(&b, "%s (%s):\n  %s\n", v.Anomaly, v.Level, strings.Join(explain.Violation(h, v), "\n  "))
	}
	return b.String()
}

// agree compares the verdicts about a small history with those by definition, and
// verifies witnesses and violations.
func agree(h *history.History, o Options) (*checker.Result, error) {
	ctx := context.Background()
	o.Levels = Levels()
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
		if err := brute.Verify(h, a.Level, a.Order); err != nil {
			return got, fmt.Errorf("the witness of %s, by definition: %w", a.Level, err)
		}
	}
	for _, v := range got.Violations {
		if err := definitions.Violates(h, v); err != nil {
			return got, err
		}
	}
	return got, checkViolations(h, got)
}

// TestRandom compares with brute force.
func TestRandom(t *testing.T) {
	runs, seed := random.Runs(7000, 1400), random.Seed(t)
	counts := map[string]int{}
	anomalies := map[isolation.Anomaly]int{}
	for i := range runs {
		sh := shapes[i%len(shapes)]
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		h := randomHistory(r, sh)
		got, err := agree(h, Options{Seed: seed, Workers: 1 + r.IntN(2), noClocks: r.IntN(4) == 0})
		if err != nil {
			t.Fatalf("-polysi.seed %d, history %d (%s): %v\n%s%s", seed, i, sh.name, err, show(h), tell(h, got))
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
			if counts[fmt.Sprint(l, " ", v)] < runs/20 {
				t.Errorf("%s is hardly ever %s", l, v)
			}
		}
	}
}

// TestSimulated compares with brute force on small histories of simulated
// databases, right and faulty ones.
func TestSimulated(t *testing.T) {
	runs, seed := random.Runs(800, 400), random.Seed(t)
	counts := map[string]int{}
	for i := range runs {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		o := simdb.Small(seed, i, r)
		h := simdb.Generate(o)
		got, err := agree(h, Options{Seed: seed, noClocks: r.IntN(4) == 0})
		if err != nil {
			t.Fatalf("-polysi.seed %d, %+v: %v\n%s%s", seed, o, err, show(h), tell(h, got))
		}
		for _, a := range got.Answers {
			counts[fmt.Sprint(a.Level, " ", a.Verdict)]++
		}
	}
	t.Logf("%v", counts)
}
