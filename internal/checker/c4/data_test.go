package c4

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/anomalies"
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

// TestRecorded compares with the verdicts that come with recorded histories.
func TestRecorded(t *testing.T) {
	n, small := 0, 0
	for _, r := range historytest.Recordings(t) {
		if !slices.ContainsFunc(Levels(), func(l isolation.Level) bool { return r.Levels[l] != checker.Unknown }) {
			continue
		}
		t.Run(r.Path, func(t *testing.T) {
			h := r.Read(t)
			if !historytest.Only(h, history.Register, history.List) {
				return
			}
			n++
			got := checkHistory(t, h)
			for _, a := range got.Answers {
				if want, listed := r.Levels[a.Level]; listed && a.Verdict != want {
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
	if n < historytest.Least(200, 500) {
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
		"a": {anomalies.ThinAirRead},
		"b": {anomalies.G1a},
		"c": {anomalies.FutureRead},
		"d": {anomalies.NotMyOwnWrite},
		"e": {anomalies.NotMyLastWrite},
		"f": {anomalies.G1b},
		"g": {anomalies.CyclicCO},
		"h": {anomalies.NonMonoReadCO},
		"i": {anomalies.NonMonoReadAO, anomalies.FracturedReadAO},
		"j": {anomalies.NotMyOwnWrite, anomalies.NonRepeatableRead},
		"k": {anomalies.FracturedReadCO},
		"l": {anomalies.NonMonoReadAO, anomalies.FracturedReadAO},
		"m": {anomalies.COConflictAO},
		// The AO edges of this one are causal, so that it is a case of m.
		"n": {anomalies.COConflictAO},
	}
	// Lists show more: the order of their versions.
	lists := map[string]found{
		"i": {anomalies.G0, anomalies.NonMonoReadAO, anomalies.FracturedReadAO},
		"l": {anomalies.G0, anomalies.NonMonoReadAO, anomalies.FracturedReadAO},
		"n": {anomalies.IncompatibleOrder, anomalies.NonMonoReadCO},
	}
	// In the file of dbcop nobody wrote what is read, not even an aborted
	// transaction.
	values := map[string]found{"b": {anomalies.ThinAirRead}}
	// In the sample nobody wrote before what j reads, and n is as its name says.
	ours := map[string]found{"j": {anomalies.NonRepeatableRead}, "n": {anomalies.ConflictAO}}
	n := 0
	for _, r := range historytest.Recordings(t) {
		letter := r.Letter()
		if letter == "" {
			continue
		}
		want := patterns[letter]
		if own, ok := ours[letter]; ok && !r.Foreign {
			want = own
		}
		if list, ok := lists[letter]; ok && r.Foreign && r.Format == codec.EDN {
			want = list
		}
		if value, ok := values[letter]; ok && r.Foreign && r.Format == codec.Dbcop {
			want = value
		}
		n++
		t.Run(r.Path, func(t *testing.T) {
			h := r.Read(t)
			got := checkHistory(t, h).Anomalies()
			sorted := slices.Clone(want)
			slices.Sort(sorted)
			if !slices.Equal(got, sorted) {
				t.Errorf("found %v, want %v\n%s", got, sorted, show(h))
			}
		})
	}
	if n != historytest.Least(9*14+3, 9*14+3+14+14+13+10) {
		t.Errorf("%d test cases", n)
	}
}

// TestFuzzed has histories on which other checkers hang or are wrong.
func TestFuzzed(t *testing.T) {
	for path, want := range map[string][]isolation.Anomaly{
		"handwritten/own-write-missed.txt": {anomalies.FracturedReadCO},
		"weak/fuzz/hang_plume_tc.txt":      {anomalies.NonRepeatableRead, anomalies.CyclicCO, anomalies.NonMonoReadCO, anomalies.FracturedReadAO},
		"weak/fuzz/init_ryw.txt":           {anomalies.FracturedReadCO},
	} {
		t.Run(path, func(t *testing.T) {
			h := historytest.Named(t, path).Read(t)
			r := checkHistory(t, h)
			if got := r.Anomalies(); !slices.Equal(got, want) {
				t.Errorf("found %v, want %v\n%s", got, want, tell(h, r))
			}
		})
	}
}

// TestUnjudged has the recorded histories of lists, sets, counters and tables, and those of which
// the list does not say anything about the weak levels. Their answers fit together.
func TestUnjudged(t *testing.T) {
	n := 0
	for _, r := range historytest.Recordings(t) {
		if r.Polygraph || r.Foreign && strings.Contains(r.Text, "RC=") {
			continue
		}
		if strings.Contains(r.Path, "HD-10k") {
			continue // 20,679 reads of duplicate values: half a minute of work, and then it is unknown
		}
		t.Run(r.Path, func(t *testing.T) {
			h := r.Read(t)
			if !r.Foreign && historytest.Only(h, history.Register) {
				return
			}
			n++
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
	if n < historytest.Least(10, 90) {
		t.Errorf("only %d histories", n)
	}
}
