package states

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/brute"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/internal/checker/simdb"
	"github.com/txrobust/robust/internal/checker/verify"
	"github.com/txrobust/robust/internal/checker/workload"
	"github.com/txrobust/robust/isolation"
)

var random = historytest.RandomFlags("states")

// maker makes small histories of registers with few values, counters and sets. Each transaction
// reads what some of those before it left, and sometimes anything.
type maker struct {
	r     *rand.Rand
	b     *history.Builder
	types []history.Type
	// left is what the keys held after each transaction: a value or sum, or the elements.
	left  [][]int64
	added [][][]int64
	next  int64
}

func small(r *rand.Rand) *history.History {
	m := &maker{r: r, b: history.NewBuilder()}
	var sessions []history.Session
	for i := range 1 + r.IntN(4) {
		sessions = append(sessions, m.b.Session(history.Int(int64(i))))
	}
	kind := r.IntN(4)
	for k := range 1 + r.IntN(3) {
		key := m.b.IntKey(int64(k))
		m.types = append(m.types, []history.Type{history.Register, history.Counter, history.Set, []history.Type{history.Register, history.Counter, history.Set}[k%3]}[kind])
		if m.types[k] == history.Register && r.IntN(5) == 0 {
			m.b.SetInitial(key, history.NoValue)
		}
	}
	m.left, m.added = [][]int64{make([]int64, len(m.types))}, [][][]int64{make([][]int64, len(m.types))}
	timed, now := r.IntN(2) == 0, int64(0)
	if timed {
		m.b.SetOrder(history.RealTime)
	}
	lines := !timed && r.IntN(2) == 0
	free := map[history.Session]int64{}
	for i := range 2 + r.IntN(5) {
		s := sessions[r.IntN(len(sessions))]
		status := []history.Status{0, 0, 0, 0, 0, 0, history.Aborted, history.Unknown}[r.IntN(8)]
		t := m.b.Txn(s, status)
		if timed {
			now += 2
			begin := max(free[s]+1, now-r.Int64N(5))
			end := max(begin, now) + r.Int64N(4)
			free[s] = end
			if m.b.SetBegin(t, begin); status != history.Unknown {
				m.b.SetEnd(t, end)
			}
		}
		if lines {
			m.b.SetPlace(t, history.At(0, int64(i+1)))
		}
		m.txn(status != history.Aborted && (status == history.Committed || r.IntN(2) == 0))
	}
	h, err := m.b.Build()
	if err != nil {
		panic(err)
	}
	return h
}

// txn adds the operations of a transaction.
func (m *maker) txn(takesEffect bool) {
	r := m.r
	from := max(0, len(m.left)-1-max(0, r.IntN(4)-1))
	seen, sets := append([]int64(nil), m.left[from]...), clone(m.added[from])
	after, setsAfter := append([]int64(nil), m.left[len(m.left)-1]...), clone(m.added[len(m.added)-1])
	for range 1 + r.IntN(3) {
		k := r.IntN(len(m.types))
		key := history.Key(k)
		m.next++
		v := 1 + r.Int64N(3)
		switch write := r.IntN(2) == 0; m.types[k] {
		case history.Register:
			if write {
				m.b.Write(key, m.b.IntValue(v))
				seen[k], after[k] = v, v
			} else if r.IntN(15) == 0 {
				m.b.Read(key, m.b.IntValue(v))
			} else if seen[k] == 0 {
				m.b.Read(key, history.Initial)
			} else {
				m.b.Read(key, m.b.IntValue(seen[k]))
			}
		case history.Counter:
			if write {
				v -= 2 * r.Int64N(2)
				m.b.Op(history.Increment, key, m.b.IntValue(v))
				seen[k], after[k] = seen[k]+v, after[k]+v
			} else {
				m.b.Op(history.ReadCounter, key, m.b.IntValue(seen[k]))
			}
		case history.Set:
			if write {
				m.b.Op(history.Add, key, m.b.IntValue(m.next))
				sets[k], setsAfter[k] = append(sets[k], m.next), append(setsAfter[k], m.next)
				continue
			}
			var list []history.Value
			for _, e := range sets[k] {
				list = append(list, m.b.IntValue(e))
			}
			m.b.List(history.ReadSet, key, list)
		}
	}
	if takesEffect {
		m.left, m.added = append(m.left, after), append(m.added, setsAfter)
	}
}

func clone(sets [][]int64) [][]int64 {
	var out [][]int64
	for _, s := range sets {
		out = append(out, append([]int64(nil), s...))
	}
	return out
}

func show(h *history.History) string {
	var b strings.Builder
	for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
		fmt.Fprintf(&b, "%d %s in %d, %d to %d:", t, h.Status(t), h.SessionOf(t), h.Begin(t), h.End(t))
		for o, end := h.Ops(t); o < end; o++ {
			fmt.Fprintf(&b, " %s;", h.Words(o))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestRandom compares with brute force: with room enough no level is left open, and with
// next to none no verdict is wrong.
func TestRandom(t *testing.T) {
	runs, seed := random.Runs(6000, 1500), random.Seed(t)
	counts := map[string]int{}
	for i := range runs {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		h := small(r)
		want, err := brute.Check(t.Context(), h, brute.Options{Levels: Levels()})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []Options{{Levels: Levels()}, {Levels: Levels(), Steps: 1 + r.IntN(60)}, {Levels: Levels()[i%len(Levels()):][:1]}} {
			steps := o.Steps
			got, err := Check(t.Context(), h, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range got.Answers {
				if w := want.Verdict(a.Level); a.Verdict != w && (steps == 0 || a.Verdict != checker.Unknown) && w != checker.Unknown {
					t.Fatalf("-states.seed %d, history %d, %d steps: %s is %s, by definition %s: %s\n%s", seed, i, steps, a.Level, a.Verdict, w, a.Why, show(h))
				}
				if a.Snapshots != nil {
					if err := verify.Witness(h, a.Level, a.Order, a.Snapshots); err != nil {
						t.Fatalf("-states.seed %d, history %d: %s: %v\n%s", seed, i, a.Level, err, show(h))
					}
				}
				counts[fmt.Sprint(a.Level, " ", a.Verdict, " ", steps == 0)]++
			}
		}
	}
	t.Log(counts)
	for _, l := range Levels() {
		for _, v := range []checker.Verdict{checker.Satisfied, checker.Violated} {
			if counts[fmt.Sprint(l, " ", v, " true")] < runs/20 {
				t.Errorf("%s is hardly ever %s", l, v)
			}
		}
	}
}

// TestFewValues: long histories in which a few values are written over and over are accepted.
func TestFewValues(t *testing.T) {
	for _, c := range []struct {
		level                     isolation.Level
		txns, sessions, keys, ops int
		values                    int64
	}{
		{isolation.SER, 500, 10, 3, 4, 3},
		{isolation.SI, 500, 10, 3, 4, 3},
		{isolation.SER, 3000, 20, 3, 4, 3},
	} {
		h := few(t, simdb.Generate(simdb.Options{Seed: 1, Level: c.level, Sessions: c.sessions, Txns: c.txns, Ops: c.ops, Keys: c.keys, Reads: 0.5}), c.values, forgotten)
		accepted(t, h, c.level, c)
	}
}

// accepted checks that a history is accepted at a level with a witness; of names the case.
func accepted(t *testing.T, h *history.History, level isolation.Level, of any) {
	t.Helper()
	r, err := Check(t.Context(), h, Options{Levels: []isolation.Level{level}})
	if err != nil {
		t.Fatal(err)
	}
	a := r.Answer(level)
	if a.Verdict != checker.Satisfied {
		t.Errorf("%+v: %s %s", of, a.Verdict, a.Why)
	} else if err := verify.Witness(h, a.Level, a.Order, a.Snapshots); err != nil {
		t.Errorf("%+v: %v", of, err)
	}
}

// TestManyValues: with what a recording says of the order, histories are accepted in which a read may come from eight
// writes: with times, and in a file whose lines are in the order of the commits.
func TestManyValues(t *testing.T) {
	for _, c := range []struct {
		level isolation.Level
		times times
	}{{isolation.SER, recorded}, {isolation.SI, recorded}, {isolation.PC, recorded}, {isolation.SER, inLines}} {
		w, err := workload.ByName("register")
		if err != nil {
			t.Fatal(err)
		}
		made, err := simdb.Run(t.Context(), simdb.Options{Seed: 1, Level: c.level, Sessions: 20, Txns: 4_000}, w, workload.Params{Ops: 4, Keys: 50, Reads: 0.5, Dist: workload.Uniform}, nil)
		if err != nil {
			t.Fatal(err)
		}
		h := few(t, made, 50, c.times)
		accepted(t, h, c.level, c)
	}
}

// TestAlternating: one session writes 1 and 2 in turn, and others cannot read more changes than there
// were. That needs all states, and no two writes of a value are distinguished.
func TestAlternating(t *testing.T) {
	const writes = 100
	for reads, want := range map[int]checker.Verdict{writes: checker.Satisfied, writes + 1: checker.Violated} {
		b := history.NewBuilder()
		k := b.IntKey(0)
		for i := range int64(3) {
			s := b.Session(history.Int(i))
			n := writes
			if i > 0 {
				n = reads
			}
			for j := range n {
				b.Txn(s, history.Committed)
				if v := b.IntValue(int64(1 + j%2)); i == 0 {
					b.Write(k, v)
				} else {
					b.Read(k, v)
				}
			}
		}
		h, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		r, err := Check(t.Context(), h, Options{Levels: []isolation.Level{isolation.PC, isolation.SI, isolation.SER}})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range r.Answers {
			if a.Verdict != want {
				t.Errorf("%d reads: %s is %s: %s", reads, a.Level, a.Verdict, a.Why)
			}
		}
	}
}

// times is what few keeps of the times of a history: the lines are in the order of the ends.
type times int

const (
	forgotten times = iota
	recorded
	inLines
)

// few gives a history with so many different values.
func few(t *testing.T, h *history.History, values int64, keep times) *history.History {
	t.Helper()
	b := history.NewBuilder()
	for k := range history.Key(h.NumKeys()) {
		b.Key(h.KeyName(k))
	}
	value := func(o history.Op) history.Value {
		if h.Value(o) == history.Initial {
			return history.Initial
		}
		n, _ := h.Amount(h.Value(o))
		return b.IntValue(1 + n*7919%104729%values)
	}
	if keep == recorded {
		b.SetOrder(h.Order())
	}
	for s := range history.Session(h.NumSessions()) {
		session := b.Session(h.SessionName(s))
		for t, end := h.Txns(s); t < end; t++ {
			copied := b.Txn(session, h.Status(t))
			switch keep {
			case recorded:
				b.SetBegin(copied, h.Begin(t))
				b.SetEnd(copied, h.End(t))
			case inLines:
				b.SetPlace(copied, history.At(0, h.End(t)))
			}
			for o, end := h.Ops(t); o < end; o++ {
				b.Op(h.Kind(o), h.Key(o), value(o))
			}
		}
	}
	out, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestLinearizable has registers with compare-and-set of real databases, recorded by Jepsen: SSER of one register is
// linearizability, which Porcupine and Knossos say of each.
func TestLinearizable(t *testing.T) {
	want := map[string]bool{}
	for _, n := range []string{"009", "033", "047", "050", "068", "096"} {
		want["weak/porcupine/test_data/jepsen/etcd_"+n+".log"] = false
	}
	for _, n := range []string{"025", "045", "053", "080", "092"} {
		want["weak/porcupine/test_data/jepsen/etcd_"+n+".log"] = true
	}
	for _, name := range []string{"mongodb-v0-ack-rollback-6", "rethink-fail-smaller", "rethink-fail"} {
		want["strong/Viper-elle/knossos/cas-register/bad/"+name+".edn"] = false
	}
	for path, linearizable := range want {
		t.Run(path, func(t *testing.T) {
			h := historytest.Foreign(t, path).Read(t)
			r, err := Check(t.Context(), h, Options{Levels: []isolation.Level{isolation.SER, isolation.SSER}})
			if err != nil {
				t.Fatal(err)
			}
			verdict := map[bool]checker.Verdict{true: checker.Satisfied, false: checker.Violated}[linearizable]
			if got := r.Answer(isolation.SSER); got.Verdict != verdict {
				t.Errorf("SSER is %s: %s", got.Verdict, got.Why)
			}
		})
	}
}
