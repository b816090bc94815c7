package contract

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/txrobust/robust/checker/judge"
	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/internal/checker/simdb"
	"github.com/txrobust/robust/isolation"
)

var random = historytest.RandomFlags("contract")

// divide writes a history as shards: some sessions each, or some part of each session.
func divide(t testing.TB, dir string, h *history.History, n int, slices bool, format codec.Format) (out []Shard) {
	t.Helper()
	for i := range n {
		b := history.NewBuilder()
		b.SetOrder(h.Order())
		for k := range history.Key(h.NumKeys()) {
			if h.InitialGiven(k) {
				b.SetInitial(b.Key(h.KeyName(k)), b.Value(h.ValueName(h.Value(history.Op(k)))))
			}
		}
		some := false
		for s := range history.Session(h.NumSessions()) {
			first, end := h.Txns(s)
			if slices {
				size := int(end - first)
				first, end = first+history.Txn(size*i/n), first+history.Txn(size*(i+1)/n)
			} else if int(s)%n != i {
				continue
			}
			for x := first; x < end; x++ {
				copyTxn(b, h, x, b.Session(history.Int(int64(s))))
				some = true
			}
		}
		if !some {
			continue
		}
		part, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, fmt.Sprintf("shard-%d", i))
		if _, err := codec.Save(t.Context(), path, part, format); err != nil {
			t.Fatal(err)
		}
		out = append(out, Shard{Path: path, Format: format})
	}
	return out
}

func copyTxn(b *history.Builder, h *history.History, x history.Txn, s history.Session) {
	t := b.Txn(s, h.Status(x))
	if h.Order() != history.NoOrder {
		b.SetBegin(t, h.Begin(x))
		b.SetEnd(t, h.End(x))
	}
	first, end := h.Ops(x)
	for o := first; o < end; o++ {
		k := b.Key(h.KeyName(h.Key(o)))
		if h.Kind(o) == history.ReadList && h.Known(o) {
			var list []history.Value
			for _, e := range h.List(o) {
				list = append(list, b.Value(h.ValueName(e)))
			}
			b.List(history.ReadList, k, list)
			continue
		}
		v := h.Value(o)
		if v != history.NoValue {
			v = b.Value(h.ValueName(v))
		}
		b.Op(h.Kind(o), k, v)
	}
}

// generate makes the i-th of a series of small histories; every fourth has times.
func generate(seed uint64, i int, r *rand.Rand) *history.History {
	o := simdb.Small(seed, i, r)
	o.Lists = r.IntN(3) == 0
	if r.IntN(3) == 0 {
		o.Txns *= 4
		o.Keys *= 2
	}
	return simdb.Generate(o)
}

// TestRandom compares with the checkers about the whole history.
func TestRandom(t *testing.T) {
	seed := random.Seed(t)
	dir := t.TempDir()
	seen := map[string]int{}
	windows := 0
	for i := range random.Runs(10_000, 1_000) {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		h := generate(seed, i, r)
		compareWith(t, Local{}, divide(t, dir, h, 1+r.IntN(4), r.IntN(2) == 0, codec.Compact), h,
			Options{Parts: 1 + r.IntN(4), Slices: r.IntN(4), Scratch: dir, Order: []Order{Auto, Merge}[r.IntN(2)]}, seen, &windows)
		if t.Failed() {
			t.Fatalf("history %d", i)
		}
	}
	t.Logf("verdicts: %v; windows judged: %d", seen, windows)
	for _, l := range Levels() {
		for _, v := range []isolation.Verdict{isolation.Accept, isolation.Reject} {
			if seen[fmt.Sprint(l, " ", v)] == 0 {
				t.Errorf("no history has the verdict %v about %v", v, l)
			}
		}
	}
}

// compareWith compares verdicts about shards with those about the history.
func compareWith(t *testing.T, runner Runner, shards []Shard, h *history.History, o Options, seen map[string]int, windows *int) {
	t.Helper()
	o.Levels = Levels()
	want, err := judge.Check(t.Context(), h, judge.Options{Levels: o.Levels, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Check(t.Context(), runner, shards, o)
	if err != nil {
		t.Fatal(err)
	}
	*windows += got.Stats.Windows
	for i, l := range o.Levels {
		w, g := want.Judgement(l).Verdict, got.Levels[i]
		seen[fmt.Sprint(l, " ", g.Verdict)]++
		if g.Verdict != w.String() && w != isolation.Unknown {
			t.Errorf("%v: %s (%s), but the whole is judged %v", l, g.Verdict, g.Why, w)
		}
	}
	rejects := want.Verdict() == isolation.Reject
	if rejects && len(got.Findings) == 0 && !t.Failed() {
		t.Error("a violation is not explained")
	}
}
