package viper

import (
	"math/rand/v2"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/polysi"
	"github.com/txrobust/robust/isolation"
)

// table simulates a table of a database of SI or SER, after the benchmark V-Range of
// Viper: transactions that read, write, insert, delete, or read ranges.
type table struct {
	r       *rand.Rand
	b       *history.Builder
	serial  bool
	lag     int
	keys    int // the next one that is inserted
	commits int
	rows    [][]row
	value   int64
}

// row is a version of a key: what was written, and by which commit, from 1.
type row struct {
	value  int64
	dead   bool
	commit int
}

// tableHistory gives the recording of transactions of ops operations each, where ranges
// have at most width keys.
func tableHistory(seed uint64, serial bool, sessions, txns, ops, keys, width int) *history.Builder {
	t := &table{r: rand.New(rand.NewPCG(seed, 7)), b: history.NewBuilder(), serial: serial, lag: 20, keys: keys, rows: make([][]row, keys)}
	var ss []history.Session
	seen := make([]int, sessions) // of sessions: the last commit
	for i := range sessions {
		ss = append(ss, t.b.Session(history.Int(int64(i))))
	}
	for range txns {
		s := t.r.IntN(sessions)
		t.b.Txn(ss[s], history.Committed)
		seen[s] = t.txn(seen[s], ops, width)
	}
	return t.b
}

// txn executes a transaction whose session has seen some commits, and gives what it has
// seen then.
func (t *table) txn(seen, ops, width int) int {
	kind := []history.Kind{history.Read, history.Write, history.Insert, history.Delete, history.ReadRange}[t.r.IntN(5)]
	var keys []int
	for range ops {
		k := t.r.IntN(t.keys)
		if kind == history.Insert && t.r.IntN(2) == 0 {
			k = t.keys
			t.keys++
			t.rows = append(t.rows, nil)
		}
		keys = append(keys, k)
	}
	snapshot := t.commits
	if !t.serial {
		snapshot = max(seen, t.commits-t.r.IntN(t.lag+1))
	}
	if !kind.Reads() {
		for _, k := range keys {
			if vs := t.rows[k]; len(vs) > 0 && vs[len(vs)-1].commit > snapshot {
				snapshot = t.commits // it would fail: the client tries again
			}
		}
	}
	own := map[int]row{}
	for _, k := range keys {
		switch kind {
		case history.Read:
			t.b.Read(t.key(k), t.written(t.at(k, snapshot, own)))
		case history.ReadRange:
			t.span(k, min(k+1+t.r.IntN(width), t.keys), snapshot)
		default:
			if kind != history.Write {
				t.b.Read(t.key(k), t.written(t.at(k, snapshot, own))) // as the collector of Viper does
			}
			t.value++
			own[k] = row{value: t.value, dead: kind == history.Delete}
			t.b.Op(kind, t.key(k), t.b.IntValue(t.value))
		}
	}
	if len(own) == 0 {
		return snapshot
	}
	t.commits++
	for k, v := range own {
		v.commit = t.commits
		t.rows[k] = append(t.rows[k], v)
	}
	return t.commits
}

func (t *table) key(k int) history.Key { return t.b.IntKey(int64(k)) }

// at is the row of a key in a snapshot; its value is 0 if there is none.
func (t *table) at(k, snapshot int, own map[int]row) row {
	if v, ok := own[k]; ok {
		return v
	}
	for i := len(t.rows[k]) - 1; i >= 0; i-- {
		if v := t.rows[k][i]; v.commit <= snapshot {
			return v
		}
	}
	return row{}
}

func (t *table) written(v row) history.Value {
	if v.value == 0 {
		return history.Initial
	}
	return t.b.IntValue(v.value)
}

// span reads the keys from low up to high, which is not one of them.
func (t *table) span(low, high, snapshot int) {
	r := history.Range{Low: t.b.IntValue(int64(low)), High: t.b.IntValue(int64(high - 1))}
	for k := low; k < high; k++ {
		switch v := t.at(k, snapshot, nil); {
		case v.value == 0:
		case v.dead:
			r.DeadKeys, r.DeadRows = append(r.DeadKeys, t.key(k)), append(r.DeadRows, t.b.IntValue(v.value))
		default:
			r.LiveKeys, r.LiveValues = append(r.LiveKeys, t.key(k)), append(r.LiveValues, t.b.IntValue(v.value))
		}
	}
	t.b.Range(r)
}

// phantoms are anomalies of ranges, in transactions of their own on keys of their own:
// of each, which keys it sees in a range that has all of them, and which it inserts then.
var phantoms = []struct {
	name  string
	txns  []struct{ sees, inserts []int }
	level isolation.Level
}{
	{"half of an insertion", []struct{ sees, inserts []int }{{nil, []int{1, 2}}, {[]int{1}, nil}}, isolation.PLSI},
	{"two orders", []struct{ sees, inserts []int }{{nil, []int{1}}, {nil, []int{2}}, {[]int{1}, nil}, {[]int{2}, nil}}, isolation.PLSI},
	{"phantom", []struct{ sees, inserts []int }{{[]int{}, []int{1}}, {[]int{}, []int{2}}}, isolation.PL3},
}

// addPhantom adds one of phantoms.
func addPhantom(b *history.Builder, txns []struct{ sees, inserts []int }) {
	const base = 1_000_000
	for _, x := range txns {
		b.Txn(b.Session(history.Name{}), history.Committed)
		if x.sees != nil {
			r := history.Range{Low: b.IntValue(base), High: b.IntValue(base + 9)}
			for _, k := range x.sees {
				r.LiveKeys, r.LiveValues = append(r.LiveKeys, b.IntKey(base+int64(k))), append(r.LiveValues, b.IntValue(base))
			}
			b.Range(r)
		}
		for _, k := range x.inserts {
			b.Op(history.Insert, b.IntKey(base+int64(k)), b.IntValue(base))
		}
	}
}

// TestRanges: tables of SI and SER are accepted, and rejected with an anomaly of ranges;
// polysi agrees.
func TestRanges(t *testing.T) {
	seed := random.Seed(t)
	check := func(h *history.History, l isolation.Level, want checker.Verdict) {
		t.Helper()
		got, err := Check(t.Context(), h, Options{Levels: []isolation.Level{l}, Conflicts: 2000})
		if err != nil {
			t.Fatal(err)
		}
		verifyAll(t, h, got)
		other, err := polysi.Check(t.Context(), h, polysi.Options{Levels: []isolation.Level{l}, Conflicts: 2000})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range []checker.Answer{got.Answers[0], other.Answers[0]} {
			if a.Verdict != want {
				t.Errorf("-viper.seed %d: %s is %s: %s", seed, l, a.Verdict, a.Why)
			}
		}
	}
	for i := range 6 {
		level := []isolation.Level{isolation.SI, isolation.SER}[i%2]
		table := func() *history.Builder {
			return tableHistory(seed+uint64(i), level == isolation.SER, 8, 300, 4, 40, 20)
		}
		build := func(b *history.Builder) *history.History {
			h, err := b.Build()
			if err != nil {
				t.Fatal(err)
			}
			return h
		}
		check(build(table()), level, checker.Satisfied)
		for _, x := range phantoms {
			b := table()
			addPhantom(b, x.txns)
			h := build(b)
			if x.level == isolation.PL3 {
				check(h, isolation.SI, checker.Satisfied)
			}
			check(h, x.level, checker.Violated)
		}
	}
}
