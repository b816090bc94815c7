package judge

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/anomalies"
	"github.com/txrobust/robust/internal/checker/brute"
	"github.com/txrobust/robust/internal/checker/simdb"
	"github.com/txrobust/robust/isolation"
)

var (
	randomRuns = flag.Uint64("judge.random", 100, "how many simulated histories of each kind to judge with all checkers")
	randomSeed = flag.Uint64("judge.seed", 1, "the first seed of these")
)

func parse(t *testing.T, text string) *history.History {
	t.Helper()
	h, _, err := codec.Decode(t.Context(), strings.NewReader(text), "h", codec.Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func judged(t *testing.T, h *history.History, o Options) *Result {
	t.Helper()
	r, err := Check(t.Context(), h, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// want are verdicts: "RC accept, SER reject".
func expect(t *testing.T, r *Result, want string) {
	t.Helper()
	for _, part := range strings.Split(want, ", ") {
		name, verdict, _ := strings.Cut(part, " ")
		l, err := isolation.ParseLevel(name)
		if err != nil {
			t.Fatal(err)
		}
		if j := r.Judgement(l); j.Verdict.String() != verdict {
			t.Errorf("%s: %s by %q (%s), want %s", l, j.Verdict, j.Checker, j.Why, verdict)
		}
	}
}

const (
	lostUpdate = `{:type :ok, :process 0, :value [[:r x []] [:append x 1]]}
{:type :ok, :process 1, :value [[:r x []] [:append x 2]]}
{:type :ok, :process 2, :value [[:r x [1 2]]]}
`
	// Two sessions see two writes in opposite orders; more transactions than
	// brute tries.
	causalViolation = `w(1,1,0,0)
r(1,1,1,1)
w(2,1,1,2)
r(2,1,2,3)
r(1,0,2,4)
w(9,1,3,5)
w(9,2,3,6)
w(9,3,3,7)
w(9,4,3,8)
w(9,5,3,9)
`
)

func TestVerdicts(t *testing.T) {
	r := judged(t, parse(t, lostUpdate), Options{})
	expect(t, r, "RC accept, CC accept, PC accept, PL-2+ reject, SI reject, SER reject, SSER reject, PL-1 accept")
	if !slices.Equal(r.Strongest, []isolation.Level{isolation.PL2L, isolation.PC}) || !slices.Equal(r.Weakest, []isolation.Level{isolation.PL2Plus, isolation.PL299}) {
		t.Errorf("strongest %v, weakest violated %v", r.Strongest, r.Weakest)
	}
	if len(r.Judgements) != len(isolation.Levels()) || r.Verdict() != isolation.Reject {
		t.Errorf("%d judgements, %s", len(r.Judgements), r.Verdict())
	}
	if r.Counts[anomalies.LostUpdate] == 0 || len(r.Anomalies) == 0 {
		t.Errorf("anomalies %v", r.Counts)
	}
	for _, a := range r.Anomalies {
		for _, s := range a.Sentences() {
			if !strings.HasSuffix(s, ".") || strings.Contains(s, "S-1") {
				t.Errorf("%s: %q is no sentence", a.Kind, s)
			}
		}
		if len(a.Txns) == 0 || a.Path(parse(t, lostUpdate)) == "" {
			t.Errorf("%s has no transactions", a.Kind)
		}
	}
}

// TestPropagation: a violation of CC decides SER without a search, and says so.
func TestPropagation(t *testing.T) {
	h := parse(t, causalViolation)
	r := judged(t, h, Options{Levels: []isolation.Level{isolation.SER, isolation.RA}})
	expect(t, r, "RA accept, SER reject")
	ser := r.Judgement(isolation.SER)
	if ser.Checker != "c4" || ser.From != isolation.CC || ser.Why != "CC is violated, and SER implies CC." {
		t.Errorf("SER is judged by %s, from %s: %s", ser.Checker, ser.From, ser.Why)
	}
	if len(r.Runs) != 1 || r.Runs[0].Checker != "c4" {
		t.Errorf("runs %v", r.Runs)
	}
	if len(r.Anomalies) == 0 || r.Anomalies[0].Kind != anomalies.COConflictAO {
		t.Errorf("anomalies %v", r.Counts)
	}
	// What no asked level excludes is not told.
	r = judged(t, h, Options{Levels: []isolation.Level{isolation.RA}, Cross: true})
	if len(r.Anomalies) != 0 || len(r.Counts) != 0 {
		t.Errorf("RA is satisfied, with %v", r.Counts)
	}
	// A level that follows from a stronger one.
	r = judged(t, parse(t, "w(1,1,0,0)\nr(1,1,1,1)\n"), Options{Levels: []isolation.Level{isolation.PL2}})
	if j := r.Judgement(isolation.PL2); j.Verdict != isolation.Accept || j.From != isolation.RC || j.Why != "RC is satisfied, and RC implies PL-2." {
		t.Errorf("PL-2: %+v", j)
	}
}

// TestNonMonotonic: the same kind of anomaly may violate RC, or RA only.
func TestNonMonotonic(t *testing.T) {
	for text, want := range map[string]isolation.Level{
		// Each of two readers forces an order of the writers by what it read first.
		"w(1,1,0,0)\nw(2,1,0,0)\nw(1,2,1,1)\nw(2,2,1,1)\nr(1,1,2,2)\nr(2,2,2,2)\nr(1,2,3,3)\nr(2,1,3,3)\n": isolation.RC,
	} {
		r := judged(t, parse(t, text), Options{Levels: []isolation.Level{isolation.RC}})
		if len(r.Anomalies) == 0 {
			t.Fatalf("no anomaly: %+v", r.Judgements)
		}
		for _, a := range r.Anomalies {
			if a.Kind != anomalies.NonMonoReadAO || !slices.Contains(a.Violates, want) || slices.Contains(a.Violates, isolation.RA) {
				t.Errorf("%s violates %v, want %s", a.Kind, a.Violates, want)
			}
		}
	}
}

// TestFirst: nothing is looked at after the first violation.
func TestFirst(t *testing.T) {
	r := judged(t, parse(t, "w(1,1,0,0)\nr(1,9,1,1)\nr(1,8,1,2)\n"), Options{First: true})
	expect(t, r, "RC reject, SER reject, PL-1 unknown")
	if len(r.Runs) != 1 || len(r.Anomalies) != 1 {
		t.Errorf("%d runs, %d anomalies", len(r.Runs), len(r.Anomalies))
	}
	if why := r.Judgement(isolation.PL1).Why; why != "It was not looked at after the first violation." {
		t.Error(why)
	}
}

// TestTimeless: without times strict levels are the others.
func TestTimeless(t *testing.T) {
	h := parse(t, "w(1,1,0,0)\nr(1,1,1,1)\n")
	calls := 0
	ms := []method{{"ser", []isolation.Level{isolation.SER}, true, always, func(_ context.Context, _ *history.History, ls []isolation.Level, _ Options) (*finding, error) {
		calls++
		return &finding{answers: []checker.Answer{{Level: isolation.SER, Verdict: checker.Satisfied}}}, nil
	}}}
	r, err := check(t.Context(), h, Options{}, ms)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.With(isolation.Accept); len(got) != len(isolation.Levels()) || calls != 1 {
		t.Errorf("%d calls, accepted %v", calls, got)
	}
	if !slices.Equal(r.Strongest, []isolation.Level{isolation.SER}) {
		t.Errorf("strongest %v", r.Strongest)
	}
	if why := r.Judgement(isolation.SSER).Why; why != "SER is satisfied, and SER implies SSER where there are no times." {
		t.Error(why)
	}
	timed := parse(t, "{:type :invoke, :process 0, :value [[:w x 1]]}\n{:type :ok, :process 0, :value [[:w x 1]]}\n")
	if r, err = check(t.Context(), timed, Options{}, ms); err != nil {
		t.Fatal(err)
	}
	expect(t, r, "SER accept, SI accept, SSER unknown, SSSI unknown, GSI unknown")
}

// answering is a checker that always says the same.
func answering(name string, l isolation.Level, v checker.Verdict) method {
	return method{name, []isolation.Level{l}, true, always, func(context.Context, *history.History, []isolation.Level, Options) (*finding, error) {
		return &finding{answers: []checker.Answer{{Level: l, Verdict: v, Why: "so it is"}}}, nil
	}}
}

// TestConflict: checkers that disagree are found out, also across levels.
func TestConflict(t *testing.T) {
	h := parse(t, causalViolation)
	r, err := check(t.Context(), h, Options{Cross: true}, []method{
		answering("one", isolation.SER, checker.Satisfied), answering("two", isolation.RA, checker.Violated), answering("three", isolation.PL2, checker.Satisfied),
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Conflicts) != 1 || r.Conflicts[0].String() != "one accepts SER, and two rejects RA: one of them is wrong" {
		t.Fatalf("conflicts %v", r.Conflicts)
	}
	expect(t, r, "RA unknown, CC unknown, SER unknown, SI unknown, PL-2 accept, RC accept")
	if why := r.Judgement(isolation.CC).Why; !strings.Contains(why, "disagree") {
		t.Error(why)
	}
}

// TestUnknown: every reason is told.
func TestUnknown(t *testing.T) {
	h := parse(t, causalViolation)
	ms := []method{answering("one", isolation.SER, checker.Unknown),
		{"two", []isolation.Level{isolation.SI}, false, func(*history.History) (bool, string) { return false, "it is too large" }, nil}}
	r, err := check(t.Context(), h, Options{Levels: []isolation.Level{isolation.SER, isolation.PC}}, ms)
	if err != nil {
		t.Fatal(err)
	}
	for l, want := range map[isolation.Level]string{
		isolation.SER: "one: So it is. two: It is too large.",
		isolation.PC:  "one: So it is. two: It is too large.",
	} {
		if why := r.Judgement(l).Why; why != want {
			t.Errorf("%s: %q, want %q", l, why, want)
		}
	}
	if r.Verdict() != isolation.Unknown {
		t.Error(r.Verdict())
	}
	u := Unknown([]isolation.Level{isolation.SER}, "so")
	if len(u.Judgements) != 1 || u.Judgement(isolation.SER).Why != "so" || u.Verdict() != isolation.Unknown {
		t.Errorf("%+v", u.Judgements)
	}
}

// TestStopped: what was found before the time is over counts.
func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	h := parse(t, causalViolation)
	waits := method{"waits", []isolation.Level{isolation.PL3}, true, always, func(ctx context.Context, _ *history.History, _ []isolation.Level, _ Options) (*finding, error) {
		cancel()
		return nil, ctx.Err()
	}}
	r, err := check(ctx, h, Options{}, []method{answering("one", isolation.CC, checker.Satisfied), waits, answering("late", isolation.PL3, checker.Satisfied)})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, r, "CC accept, RC accept, PL-3 unknown")
	if why := r.Judgement(isolation.PL3).Why; why != "It was interrupted." || len(r.Runs) != 2 || !r.Runs[1].Stopped {
		t.Errorf("%q, %+v", why, r.Runs)
	}
	deaf := method{"deaf", []isolation.Level{isolation.PL3}, true, always, func(context.Context, *history.History, []isolation.Level, Options) (*finding, error) {
		select {}
	}}
	if r, err = check(ctx, h, Options{}, []method{deaf}); err != nil || !r.Runs[0].Stopped || r.Verdict() != isolation.Unknown {
		t.Errorf("%v, %+v", err, r)
	}
	faulty := method{"faulty", []isolation.Level{isolation.PL3}, true, always, func(context.Context, *history.History, []isolation.Level, Options) (*finding, error) {
		return nil, errors.New("no disk")
	}}
	if _, err := check(t.Context(), h, Options{}, []method{faulty}); err == nil || err.Error() != "faulty: no disk" {
		t.Errorf("error %v", err)
	}
}

// TestAgreement: on histories of simulated databases, and on random ones with times,
// no two checkers disagree, and what is decided is so by the definitions.
// -judge.random makes a long run.
func TestAgreement(t *testing.T) {
	t.Logf("%d runs from seed %d", *randomRuns, *randomSeed)
	var n tally
	for seed := *randomSeed; seed < *randomSeed+*randomRuns && !t.Failed(); seed++ {
		for i, l := range simdb.Levels() {
			kind := seed + uint64(i)
			n.compare(t, fmt.Sprintf("seed %d, %s", seed, l), simdb.Generate(simdb.Options{Seed: seed, Level: l, Sessions: 1 + int(seed%3), Txns: 2 + int(seed%4), Ops: 3, Keys: 1 + int(kind%3),
				Reads: 0.5, Lag: 3, Lists: kind%2 == 0, Duplicates: kind%5 == 0, Unknowns: 0.1, Aborts: 0.1, Faults: float64(kind%3) / 10}))
		}
		n.compare(t, fmt.Sprintf("seed %d, with times", seed), parse(t, stamped(rand.New(rand.NewPCG(seed, 1)))))
	}
	t.Logf("%d histories, %d verdicts, %d unknown, %d with a session that goes backwards", n.histories, n.decided, n.unknown, n.backward)
	if n.decided < 10*n.unknown || n.backward == 0 {
		t.Errorf("%+v", n)
	}
}

// stamped is a random history of registers with times, in the format of Chronos.
func stamped(r *rand.Rand) string {
	var txns []string
	values := map[int]int{}
	for i := range 2 + r.IntN(4) {
		var ops []string
		for range 1 + r.IntN(3) {
			key := r.IntN(2)
			if r.IntN(2) == 0 && values[key] > 0 {
				ops = append(ops, fmt.Sprintf(`{"t":"r","k":%d,"v":%d}`, key, 10*key+1+r.IntN(values[key])))
			} else {
				values[key]++
				ops = append(ops, fmt.Sprintf(`{"t":"w","k":%d,"v":%d}`, key, 10*key+values[key]))
			}
		}
		begin := 3*i + r.IntN(12)
		txns = append(txns, fmt.Sprintf(`{"tid":%d,"sid":%d,"sts":{"p":%d,"l":0},"cts":{"p":%d,"l":0},"ops":[%s]}`,
			i, r.IntN(3), begin, begin+1+r.IntN(6), strings.Join(ops, ",")))
	}
	return "[" + strings.Join(txns, ",\n") + "]"
}

// tally counts verdicts.
type tally struct{ histories, decided, unknown, backward int }

// compare judges a history with all checkers, with only those that are needed, and
// by definition.
func (n *tally) compare(t *testing.T, name string, h *history.History) {
	t.Helper()
	n.histories++
	r := judged(t, h, Options{Cross: true})
	if len(r.Conflicts) > 0 {
		t.Errorf("%s: %v", name, r.Conflicts)
	}
	fast := judged(t, h, Options{})
	consistent(t, name, r)
	consistent(t, name, fast)
	n.backward += min(1, r.Counts[anomalies.BackwardSession])
	def, err := brute.Check(t.Context(), h, brute.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range r.Judgements {
		if f := fast.Judgement(j.Level); f.Verdict != j.Verdict {
			t.Errorf("%s: %s is %s, with all checkers %s", name, j.Level, f.Verdict, j.Verdict)
		}
		if j.Verdict == isolation.Unknown {
			n.unknown++
			continue
		}
		n.decided++
		if want := def.Verdict(j.Level); want != checker.Unknown && (want == checker.Satisfied) != (j.Verdict == isolation.Accept) {
			t.Errorf("%s: %s is %s by %s, by definition %s", name, j.Level, j.Verdict, j.Checker, want)
		}
		if j.Verdict == isolation.Reject && j.Checker != "brute" && j.Checker != "adya" && !shown(r, j) {
			t.Errorf("%s: %s is violated by no anomaly (%s, %s, %v)", name, j.Level, j.Checker, j.Why, r.Counts)
		}
	}
}

// shown tells whether an anomaly shows why a level is violated. Elle takes one
// cycle for non-monotonic-read-co and for G-monotonic, and lists the former.
func shown(r *Result, j Judgement) bool {
	return slices.ContainsFunc(r.Anomalies, func(a Anomaly) bool {
		return slices.ContainsFunc(a.Violates, j.Level.Implies) || a.Kind == anomalies.NonMonoReadCO && j.Why == "Shown by G-monotonic."
	})
}
