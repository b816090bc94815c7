package prefixes

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/brute"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/internal/checker/simdb"
	"github.com/txrobust/robust/internal/checker/workload"
	"github.com/txrobust/robust/isolation"
)

var random = historytest.RandomFlags("prefixes")

// simulate makes a history of sets or counters.
func simulate(t testing.TB, name string, o simdb.Options) *history.History {
	t.Helper()
	w, err := workload.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	h, err := simdb.Run(t.Context(), o, w, workload.Params{Ops: o.Ops, Keys: o.Keys, Reads: o.Reads, Dist: workload.Uniform}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestSimulated compares with the definitions, on histories of databases of all levels.
func TestSimulated(t *testing.T) {
	seed := random.Seed(t)
	counts := map[string]int{}
	for i := range random.Runs(1_000, 300) {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		o := simdb.Small(seed, i, r)
		o.Duplicates = false
		compare(t, simulate(t, []string{"set", "counter"}[i%2], o), []string{"set", "counter"}[i%2], counts)
		if t.Failed() {
			t.Fatalf("history %d", i)
		}
	}
	report(t, counts)
}

// TestTangled compares with the definitions, on histories whose reads show anything that was there.
func TestTangled(t *testing.T) {
	seed := random.Seed(t)
	counts := map[string]int{}
	for i := range random.Runs(2_000, 500) {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		name := []string{"set", "counter"}[i%2]
		text := tangled(r, name)
		h, _, err := codec.Decode(t.Context(), strings.NewReader(text), "x", codec.Options{Format: codec.EDN})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if historyType(h) != name {
			continue // nothing is added
		}
		compare(t, h, name, counts)
		if t.Failed() {
			t.Fatalf("history %d:\n%s", i, text)
		}
	}
	report(t, counts)
}

func historyType(h *history.History) string {
	for k := range history.Key(h.NumKeys()) {
		switch h.Type(k) {
		case history.Set:
		case history.Counter:
		default:
			return ""
		}
	}
	if h.NumKeys() == 0 {
		return ""
	}
	return map[bool]string{true: "set", false: "counter"}[h.Type(0) == history.Set]
}

// tangled makes a recording of two keys: each transaction finds one of the states before it in each.
func tangled(r *rand.Rand, name string) string {
	var b strings.Builder
	states := [2][][]int{{{}}, {{}}}
	for n := 1; n <= 3+r.IntN(5); n++ {
		var ops []string
		after := [2][]int{}
		for k := range 2 {
			after[k] = states[k][len(states[k])-1]
		}
		own := [2][]int{}
		for o := range 1 + r.IntN(3) {
			k := r.IntN(2)
			if r.IntN(2) == 0 {
				e := 10*n + o
				if name == "counter" {
					e = 1 + r.IntN(2)
				}
				ops = append(ops, fmt.Sprintf(map[string]string{"set": "[:add %d %d]", "counter": "[:inc %d %d]"}[name], k, e))
				own[k] = append(own[k], e)
				after[k] = append(after[k][:len(after[k]):len(after[k])], e)
				continue
			}
			found := states[k][max(0, len(states[k])-1-r.IntN(3))]
			all := append(found[:len(found):len(found)], own[k]...)
			if i := r.IntN(12 * (len(all) + 1)); i < len(all) { // what no transaction left, mostly
				all = slices.Delete(all, i, i+1)
			}
			shown := "#{" + strings.Trim(fmt.Sprint(all), "[]") + "}"
			if name == "counter" {
				sum := 0
				for _, e := range all {
					sum += e
				}
				shown = fmt.Sprint(sum)
			}
			ops = append(ops, fmt.Sprintf("[:r %d %s]", k, shown))
		}
		kind := []string{"ok", "ok", "ok", "ok", "ok", "fail", "info"}[r.IntN(7)]
		fmt.Fprintf(&b, "{:type :%s, :process %d, :f :txn, :value [%s]}\n", kind, r.IntN(3), strings.Join(ops, " "))
		if kind == "ok" || kind == "info" && r.IntN(2) == 0 {
			for k := range 2 {
				if len(own[k]) > 0 {
					states[k] = append(states[k], after[k])
				}
			}
		}
	}
	return b.String()
}

func compare(t *testing.T, h *history.History, name string, counts map[string]int) {
	t.Helper()
	got, err := Check(t.Context(), h, Options{Levels: Levels()})
	if err != nil {
		t.Fatal(err)
	}
	want, err := brute.Check(t.Context(), h, brute.Options{Levels: Levels()})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range Levels() {
		g, w := got.Answer(l), want.Verdict(l)
		counts[fmt.Sprintf("%s %s, by definition %s", name, g.Verdict, w)]++
		if g.Verdict != checker.Unknown && g.Verdict != w {
			t.Errorf("%s is %s (%s), by definition %s", l, g.Verdict, g.Why, w)
		}
		if g.Verdict == checker.Satisfied {
			if err := brute.Verify(h, l, g.Order); err != nil {
				t.Errorf("%s: the order %v: %v", l, g.Order, err)
			}
		}
	}
}

func report(t *testing.T, counts map[string]int) {
	t.Helper()
	t.Logf("%v", counts)
	for _, name := range []string{"set", "counter"} {
		yes, open := counts[name+" satisfied, by definition satisfied"], counts[name+" unknown, by definition satisfied"]
		if 10*open > yes {
			t.Errorf("%s: %d are accepted, and %d are left open that satisfy the definition, expected a tenth of them at most", name, yes, open)
		}
	}
	if counts["set violated, by definition violated"] == 0 {
		t.Error("no set is rejected")
	}
}

// TestLarge: long histories of sets of databases that keep a weak level are accepted there.
func TestLarge(t *testing.T) {
	for _, l := range Levels() {
		h := simulate(t, "set", simdb.Options{Seed: 7, Level: l, Sessions: 6, Txns: 200, Ops: 4, Keys: 6, Reads: 0.5})
		r, err := Check(t.Context(), h, Options{Levels: []isolation.Level{l}})
		if err != nil {
			t.Fatal(err)
		}
		if a := r.Answers[0]; a.Verdict != checker.Satisfied {
			t.Errorf("%s: %s, %s", l, a.Verdict, a.Why)
		}
	}
}

// TestParts: a read that shows a part of what a transaction added, or not all that its own one added before, shows no state.
func TestParts(t *testing.T) {
	const first = "{:type :ok, :process 0, :f :txn, :value [[:add 0 1] [:add 0 2]]}\n{:type :ok, :process 0, :f :txn, :value [[:add 0 3]]}\n"
	for _, c := range []struct {
		text string
		want checker.Verdict
	}{
		{first + "{:type :ok, :process 0, :f :txn, :value [[:r 0 #{1 3}] [:add 0 4]]}\n", checker.Violated},
		{first + "{:type :ok, :process 0, :f :txn, :value [[:r 0 #{1 2 3}] [:add 0 4]]}\n", checker.Satisfied},
		{first + "{:type :ok, :process 1, :f :txn, :value [[:add 0 4] [:r 0 #{}]]}\n", checker.Violated},
		{first + "{:type :ok, :process 1, :f :txn, :value [[:add 0 4] [:r 0 #{4}]]}\n", checker.Satisfied},
	} {
		h, _, err := codec.Decode(t.Context(), strings.NewReader(c.text), "x", codec.Options{Format: codec.EDN})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Check(t.Context(), h, Options{Levels: []isolation.Level{isolation.RC}})
		if err != nil {
			t.Fatal(err)
		}
		if a := r.Answers[0]; a.Verdict != c.want {
			t.Errorf("RC is %s (%s), expected %s:\n%s", a.Verdict, a.Why, c.want, c.text)
		}
	}
}
