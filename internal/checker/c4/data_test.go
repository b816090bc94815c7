package c4

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/checker"
	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker/brute"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/isolation"
)

func checkHistory(t *testing.T, h *history.History) *checker.Result {
	t.Helper()
	got, err := Check(context.Background(), h, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := checkViolations(h, got); err != nil {
		t.Error(err)
	}
	return got
}

// empty are histories without a transaction, because the files have none: what
// the list says is that of the same test case in another format.
var empty = map[string]bool{
	"weak/C4/testcase/viper/tap-a": true, "weak/C4/testcase/viper/tap-b": true,
	"weak/C4/testcase/viper/tap-c": true, "weak/C4/testcase/viper/tap-d": true,
}

// TestRecorded compares with the verdicts that come with recorded histories.
func TestRecorded(t *testing.T) {
	n, small := 0, 0
	for _, r := range historytest.Recordings(t) {
		// A history that satisfies SI or SER satisfies the weak levels.
		strong := strings.Contains(r.Verdicts, "SI=ACCEPT") || strings.Contains(r.Verdicts, "SER=ACCEPT")
		if !strong && !strings.Contains(r.Verdicts, "RC=") {
			continue
		}
		n++
		t.Run(r.Path, func(t *testing.T) {
			h := historytest.ReadRecorded(t, r.Path)
			got := checkHistory(t, h)
			for _, a := range got.Answers {
				want := checker.Violated
				if strong || strings.Contains(r.Verdicts, a.Level.String()+"=ok") || empty[r.Path] {
					want = checker.Satisfied
				}
				if empty[r.Path] != (h.NumTxns() == 1) {
					t.Errorf("there are %d transactions", h.NumTxns()-1)
				}
				if a.Verdict != want {
					t.Errorf("%s is %s, the list says %s (%s) %s\n%s", a.Level, a.Verdict, want, r.Anomaly, a.Why, first(tell(h, got), 6))
				}
			}
			if h.NumTxns() > 9 {
				return
			}
			small++
			same, err := brute.Check(context.Background(), h, brute.Options{Levels: Levels()})
			if err != nil {
				t.Fatal(err)
			}
			for i, a := range same.Answers {
				if a.Verdict != got.Answers[i].Verdict {
					t.Errorf("%s is %s, by brute force %s", a.Level, got.Answers[i].Verdict, a.Verdict)
				}
			}
		})
	}
	t.Logf("%d histories, %d also by brute force", n, small)
	if n < 300 {
		t.Errorf("only %d histories have verdicts", n)
	}
}

// first are the first lines of a text.
func first(text string, n int) string {
	lines := strings.SplitAfterN(text, "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], "")
}

// TestPatterns finds each of the fourteen patterns in its test case, in all
// formats that have it.
func TestPatterns(t *testing.T) {
	type found = []isolation.Anomaly
	patterns := map[string]found{
		"a": {isolation.ThinAirRead},
		"b": {isolation.G1a},
		"c": {isolation.FutureRead},
		"d": {isolation.NotMyOwnWrite},
		"e": {isolation.NotMyLastWrite},
		"f": {isolation.G1b},
		"g": {isolation.CyclicCO},
		"h": {isolation.NonMonoReadCO},
		"i": {isolation.NonMonoReadAO, isolation.FracturedReadAO},
		"j": {isolation.NotMyOwnWrite, isolation.NonRepeatableRead},
		"k": {isolation.FracturedReadCO},
		"l": {isolation.NonMonoReadAO, isolation.FracturedReadAO},
		"m": {isolation.COConflictAO},
		// The AO edges of this one are causal, so that it is a case of m.
		"n": {isolation.COConflictAO},
	}
	// Lists show more: the order of their versions.
	lists := map[string]found{
		"i": {isolation.G0, isolation.NonMonoReadAO, isolation.FracturedReadAO},
		"l": {isolation.G0, isolation.NonMonoReadAO, isolation.FracturedReadAO},
		"n": {isolation.IncompatibleOrder, isolation.NonMonoReadCO},
	}
	// In the file of dbcop nobody wrote what is read, not even an aborted
	// transaction.
	values := map[string]found{"b": {isolation.ThinAirRead}}
	files := map[string]string{"text": ".txt", "elle": ".edn", "dbcop": "", "viper": ""}
	n := 0
	for _, r := range historytest.Recordings(t) {
		rest, ok := strings.CutPrefix(r.Path, "weak/C4/testcase/")
		if !ok || empty[r.Path] {
			continue
		}
		rest = strings.TrimSuffix(rest, "/history.bincode")
		format, name, _ := strings.Cut(rest, "/")
		letter := strings.TrimPrefix(strings.TrimSuffix(name, files[format]), "tap-")
		want := patterns[letter]
		if list, ok := lists[letter]; ok && format == "elle" {
			want = list
		}
		if value, ok := values[letter]; ok && format == "dbcop" {
			want = value
		}
		n++
		t.Run(rest, func(t *testing.T) {
			h := historytest.ReadRecorded(t, r.Path)
			got := checkHistory(t, h).Anomalies()
			sorted := slices.Clone(want)
			slices.Sort(sorted)
			if !slices.Equal(got, sorted) {
				t.Errorf("found %v, want %v\n%s", got, sorted, show(h))
			}
		})
	}
	if n != 14+14+13+10 {
		t.Errorf("%d test cases", n)
	}
}

// TestFuzzed has histories on which other checkers hang or are wrong.
func TestFuzzed(t *testing.T) {
	historytest.Recordings(t) // skips
	for path, want := range map[string][]isolation.Anomaly{
		"weak/fuzz/hang_plume_tc.txt": {isolation.NonRepeatableRead, isolation.CyclicCO, isolation.NonMonoReadCO, isolation.FracturedReadAO},
		"weak/fuzz/init_ryw.txt":      {isolation.FracturedReadCO},
	} {
		h := historytest.ReadRecorded(t, path)
		r := checkHistory(t, h)
		if got := r.Anomalies(); !slices.Equal(got, want) {
			t.Errorf("%s: found %v, want %v\n%s", path, got, want, tell(h, r))
		}
	}
}

// TestUnjudged has the recorded histories of which the list does not say anything
// about the weak levels: lists, sets, counters, tables. Their answers fit together.
func TestUnjudged(t *testing.T) {
	n := 0
	for _, r := range historytest.Recordings(t) {
		if strings.Contains(r.Verdicts, "RC=") || strings.HasSuffix(r.Path, ".polyg") {
			continue
		}
		if strings.Contains(r.Path, "HD-10k") {
			continue // 20,679 reads of duplicate values: half a minute of work, and then it is unknown
		}
		n++
		t.Run(r.Path, func(t *testing.T) {
			h := historytest.ReadRecorded(t, r.Path)
			got := checkHistory(t, h)
			t.Logf("%d transactions: %v %v", h.NumTxns()-1, got.Answers[0].Verdict, got.Counts)
			for i := 1; i < len(got.Answers); i++ {
				weak, strong := got.Answers[i-1], got.Answers[i]
				if weak.Verdict == checker.Violated && strong.Verdict != checker.Violated || strong.Verdict == checker.Satisfied && weak.Verdict != checker.Satisfied {
					t.Errorf("%s is %s, %s is %s", weak.Level, weak.Verdict, strong.Level, strong.Verdict)
				}
			}
		})
	}
	if n < 80 {
		t.Errorf("only %d histories", n)
	}
}
