package c4

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/simdb"
	"github.com/txrobust/robust/isolation"
)

// TestSimulated checks histories of simulated databases: they satisfy the level
// of the database, and some of them violate the next one.
func TestSimulated(t *testing.T) {
	runs := 300
	if testing.Short() {
		runs = 60
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	ctx := context.Background()
	for _, level := range simdb.Levels() {
		rejected := map[isolation.Level]int{}
		for i := range runs {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			o := simdb.Options{
				Seed: seed + uint64(i), Level: level, Sessions: 2 + r.IntN(6), Txns: 10 + r.IntN(200), Ops: 1 + r.IntN(8),
				Keys: 2 + r.IntN(20), Reads: 0.2 + 0.7*r.Float64(), Lists: i%3 == 0, Lag: 1 + r.IntN(10),
				Aborts: 0.1 * float64(i%2), Unknowns: 0.1 * float64(i/2%2), Losses: 0.05 * float64(i/2%2),
			}
			h := simdb.Generate(o)
			got, err := Check(ctx, h, Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range got.Answers {
				switch {
				case a.Verdict == checker.Unknown:
					t.Fatalf("%+v: %s is unknown: %s", o, a.Level, a.Why)
				case level.Implies(a.Level) && a.Verdict != checker.Satisfied:
					t.Fatalf("%+v: %s is violated\n%s%s", o, a.Level, show(h), tell(h, got))
				case a.Verdict == checker.Violated:
					rejected[a.Level]++
				}
			}
			if err := checkViolations(h, got); err != nil {
				t.Fatalf("%+v: %v", o, err)
			}
		}
		for _, l := range Levels() {
			t.Logf("%s database: %s violated by %d of %d histories", level, l, rejected[l], runs)
			if !level.Implies(l) && rejected[l] == 0 {
				t.Errorf("no history of a %s database violates %s", level, l)
			}
		}
	}
}

// TestSimulatedSmall compares with brute force, which the histories of
// simulated databases test better than random ones: they are nearly right.
func TestSimulatedSmall(t *testing.T) {
	runs, seed := random.Runs(6000, 1000), random.Seed(t)
	var verdicts [3][3]int
	for i := range runs {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		o := simdb.Options{
			Seed: seed + uint64(i), Level: simdb.Levels()[i%len(simdb.Levels())], Sessions: 2 + r.IntN(4), Txns: 4 + r.IntN(5), Ops: 2 + r.IntN(3),
			Keys: 1 + r.IntN(2), Reads: 0.5 + 0.3*r.Float64(), Lists: r.IntN(3) == 0, Lag: 3 + r.IntN(6), Duplicates: r.IntN(3) == 0,
			Aborts: 0.1 * float64(r.IntN(2)), Unknowns: 0.1 * float64(r.IntN(2)), Losses: 0.1 * float64(r.IntN(2)), Faults: 0.15 * float64(r.IntN(3)),
		}
		h := simdb.Generate(o)
		answers, err := compare(t, h, r)
		if err != nil {
			t.Fatalf("%+v: %v", o, err)
		}
		for j, l := range Levels() {
			a := answers[j]
			if a.Verdict == checker.Unknown || o.Faults == 0 && o.Level.Implies(l) && a.Verdict != checker.Satisfied {
				t.Fatalf("%+v: %s is %s %s\n%s", o, l, a.Verdict, a.Why, show(h))
			}
			verdicts[j][a.Verdict]++
		}
	}
	for j, l := range Levels() {
		t.Logf("%s: %d satisfied, %d violated", l, verdicts[j][checker.Satisfied], verdicts[j][checker.Violated])
		if j > 0 && verdicts[j][checker.Violated] <= verdicts[j-1][checker.Violated] {
			t.Errorf("no history violates just %s", l)
		}
	}
}
