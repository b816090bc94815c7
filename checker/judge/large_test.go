package judge

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/internal/checker/polysi"
	"github.com/txrobust/robust/internal/checker/simdb"
	"github.com/txrobust/robust/internal/checker/verify"
	"github.com/txrobust/robust/internal/checker/viper"
	"github.com/txrobust/robust/isolation"
)

// largeConflicts bounds the searches of large histories: a few of any kind are hard.
const largeConflicts = 2000

// searchers are the two checkers that search, with what they say about levels.
var searchers = []struct {
	name  string
	check func(t *testing.T, h *history.History, levels []isolation.Level) *checker.Result
}{
	{"polysi", func(t *testing.T, h *history.History, levels []isolation.Level) *checker.Result {
		r, err := polysi.Check(t.Context(), h, polysi.Options{Levels: levels, Conflicts: largeConflicts})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}},
	{"viper", func(t *testing.T, h *history.History, levels []isolation.Level) *checker.Result {
		r, err := viper.Check(t.Context(), h, viper.Options{Levels: levels, Conflicts: largeConflicts})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}},
}

// TestSearchers: polysi and viper agree with each other, and with what is known of
// histories of 200 to 2,000 transactions: those of simulated databases of SI and SER, and
// the same with an anomaly added.
func TestSearchers(t *testing.T) {
	sizes := []int{200, 600, 2000}
	if testing.Short() {
		sizes = sizes[:2]
	}
	counts := map[string]int{}
	for run := range max(1, *randomRuns/100) {
		seed := *randomSeed + run
		for i, size := range sizes {
			for _, level := range []isolation.Level{isolation.SI, isolation.SER} {
				r := rand.New(rand.NewPCG(seed, uint64(i)))
				h := simdb.Generate(simdb.Large(seed+uint64(i), level, size, r))
				name := fmt.Sprintf("-judge.seed %d: %d transactions of %s", seed, size, level)
				both(t, counts, name, h, func(l isolation.Level) checker.Verdict {
					if level.Implies(l) {
						return checker.Satisfied
					}
					return checker.Unknown // whether it is serializable is not known
				})
				for _, m := range historytest.Mutations() {
					for _, bad := range []*history.History{m.Into(h, r), m.Beside(h)} {
						both(t, counts, name+" with a "+m.Name, bad, func(l isolation.Level) checker.Verdict {
							if l.Implies(m.Level) {
								return checker.Violated
							}
							return checker.Unknown
						})
					}
				}
			}
		}
	}
	t.Logf("%v", counts)
	for _, s := range searchers {
		if decided, unknown := counts[s.name+" decides"], counts[s.name+" does not know"]; decided < 10*unknown {
			t.Errorf("%s decides %d, and does not know %d", s.name, decided, unknown)
		}
	}
}

// both asks both checkers about a history, and compares their answers with each other
// and with what must be.
func both(t *testing.T, counts map[string]int, name string, h *history.History, must func(isolation.Level) checker.Verdict) {
	t.Helper()
	levels := slices.DeleteFunc(polysi.Levels(), func(l isolation.Level) bool { return must(l) == checker.Unknown })
	said := map[isolation.Level]checker.Verdict{}
	for _, s := range searchers {
		for _, a := range s.check(t, h, levels).Answers {
			if a.Verdict == checker.Unknown {
				counts[s.name+" does not know"]++
				continue
			}
			counts[s.name+" decides"]++
			if a.Verdict != must(a.Level) {
				t.Errorf("%s: %s says that %s is %s", name, s.name, a.Level, a.Verdict)
			}
			if old, ok := said[a.Level]; ok && old != a.Verdict {
				t.Errorf("%s: %s is %s by polysi, %s by viper", name, a.Level, old, a.Verdict)
			}
			said[a.Level] = a.Verdict
			if a.Verdict != checker.Satisfied {
				continue
			}
			if err := verify.Witness(h, a.Level, a.Order, a.Snapshots); err != nil {
				t.Errorf("%s: the witness of %s for %s: %v", name, s.name, a.Level, err)
			}
		}
	}
}
