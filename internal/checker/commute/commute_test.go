package commute

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/brute"
	"github.com/txrobust/robust/internal/checker/simdb"
	"github.com/txrobust/robust/internal/checker/workload"
	"github.com/txrobust/robust/isolation"
)

var (
	random = flag.Int("commute.random", 1000, "random histories of TestRandom")
	seed   = flag.Uint64("commute.seed", 1, "seed of TestRandom")
)

// simulate makes a history of sets or counters.
func simulate(t *testing.T, name string, o simdb.Options, keys, ops int) *history.History {
	t.Helper()
	w, err := workload.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	h, err := simdb.Run(t.Context(), o, w, workload.Params{Ops: ops, Keys: keys, Reads: 0.5, Dist: workload.Uniform}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// tangled makes a recording of a set or a counter: each transaction reads what some of those
// before it left, so that few levels hold, and ends at any time.
func tangled(r *rand.Rand, set bool) string {
	var b strings.Builder
	before := [][2][]int{{}} // what was there of two keys after each transaction
	type client struct {
		name int
		end  string
	}
	var running []client
	finish := func(i int) {
		b.WriteString(running[i].end)
		running = slices.Delete(running, i, i+1)
	}
	for n := 1; n <= 2+r.IntN(4); n++ {
		who := r.IntN(3)
		if i := slices.IndexFunc(running, func(c client) bool { return c.name == who }); i >= 0 {
			finish(i)
		}
		there, after := before[max(0, len(before)-1-r.IntN(3))], before[len(before)-1]
		var invoked, done []string
		usual := r.IntN(2)
		for o := range 1 + r.IntN(3) {
			element, k := 10*n+o, usual
			if r.IntN(3) == 0 {
				k = 1 - usual
			}
			if r.IntN(2) == 0 {
				op := map[bool]string{true: "[:add %d %d]", false: "[:inc %d %d]"}[set]
				invoked, done = append(invoked, fmt.Sprintf(op, k, element)), append(done, fmt.Sprintf(op, k, element))
				there[k], after[k] = append(slices.Clone(there[k]), element), append(slices.Clone(after[k]), element)
				continue
			}
			sum := 0
			for _, e := range there[k] {
				sum += e
			}
			result := fmt.Sprint(sum)
			if set {
				result = "#{" + strings.Trim(fmt.Sprint(there[k]), "[]") + "}"
			}
			invoked, done = append(invoked, fmt.Sprintf("[:r %d nil]", k)), append(done, fmt.Sprintf("[:r %d %s]", k, result))
		}
		line := func(kind string, ops []string) string {
			return fmt.Sprintf("{:type :%s, :process %d, :f :txn, :value [%s]}\n", kind, who, strings.Join(ops, " "))
		}
		b.WriteString(line("invoke", invoked))
		kind := []string{"ok", "ok", "ok", "ok", "ok", "ok", "fail", "info"}[r.IntN(8)]
		if kind == "ok" || kind == "info" && r.IntN(2) == 0 {
			before = append(before, after)
		}
		running = append(running, client{who, line(kind, done)})
		for len(running) > 0 && r.IntN(2) == 0 {
			finish(r.IntN(len(running)))
		}
	}
	for len(running) > 0 {
		finish(0)
	}
	return b.String()
}

// TestRandom: what is accepted satisfies the definition, and what satisfies that of SSER or
// StrongSI is accepted.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 0))
	accepted := map[isolation.Level]int{}
	for i := range *random {
		text := tangled(r, i%2 == 0)
		h, _, err := codec.Decode(t.Context(), strings.NewReader(text), "x", codec.Options{Format: codec.EDN})
		if err != nil {
			t.Fatal(err)
		}
		if !Fits(h) {
			continue // nothing is added to a key, which may be a register then
		}
		got, err := Check(t.Context(), h, Options{Levels: Levels()})
		if err != nil {
			t.Fatal(err)
		}
		want, err := brute.Check(t.Context(), h, brute.Options{Levels: brute.Levels()})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range brute.Levels() {
			g, w := got.Verdict(l), want.Verdict(l)
			exact := l == isolation.SSER || l == isolation.StrongSI
			if g == checker.Satisfied {
				accepted[l]++
			}
			if g == checker.Satisfied && w == checker.Violated || exact && w == checker.Satisfied && g != w {
				t.Errorf("seed %d, history %d: %s is %s, by definition %s:\n%s", *seed, i, l, g, w, text)
			}
		}
	}
	t.Logf("seed %d: of %d histories were accepted %v", *seed, *random, accepted)
	if n := accepted[isolation.SSER]; n < *random/8 || n > *random*7/8 || n == accepted[isolation.StrongSI] {
		t.Errorf("SSER was accepted %d times of %d, and StrongSI %d times", n, *random, accepted[isolation.StrongSI])
	}
}

// TestLarge: long recordings of a database that keeps the level are accepted.
func TestLarge(t *testing.T) {
	for _, name := range []string{"set", "counter"} {
		for _, l := range []isolation.Level{isolation.SER, isolation.SI} {
			h := simulate(t, name, simdb.Options{Seed: 3, Level: l, Sessions: 8, Txns: 2000, Aborts: 0.05, Unknowns: 0.01, Losses: 0.01}, 20, 4)
			r, err := Check(t.Context(), h, Options{Levels: []isolation.Level{l}})
			if err != nil || r.Verdict(l) != checker.Satisfied {
				t.Errorf("%s at %s: %+v, %v", name, l, r, err)
			}
		}
	}
}

// TestUnfit: other histories are left to others, with a reason.
func TestUnfit(t *testing.T) {
	for _, text := range []string{"[:w 1 2] [:r 1 2]", "[:append 1 2]", "[:add 1 2]]}\n{:type :ok, :process 1, :f :txn, :value [[:r 1 [2 2]]", "[:add 1 2] [:w 2 2]"} {
		h, _, err := codec.Decode(t.Context(), strings.NewReader("{:type :ok, :process 0, :f :txn, :value ["+text+"]}\n"), "x", codec.Options{Format: codec.EDN})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Check(t.Context(), h, Options{Levels: Levels()})
		if err != nil || Fits(h) || r.Answer(isolation.SER).Why == "" || r.Verdict(isolation.SER) != checker.Unknown {
			t.Errorf("%s: %+v, %v", text, r, err)
		}
	}
}
