package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/isolation"
)

// judgedResult is what the tests look at of the JSON of history check.
type judgedResult struct {
	Levels        map[string]struct{ Verdict, Checker, Why string }
	Strongest     *string
	Anomalies     []struct{ Name, Tap string }
	Disagreements []string
	code          int
}

// checked runs history check as the command does.
func checked(t *testing.T, r historytest.Recorded, flags ...string) judgedResult {
	t.Helper()
	var out, errs strings.Builder
	args := append(append([]string{"history", "check", "-format", "json"}, flags...), r.File)
	code := run(t.Context(), args, streams{&out, &errs})
	got := judgedResult{code: code}
	if code == exitFault || code == exitUsage {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	if err := json.Unmarshal([]byte(out.String()), &got); err != nil {
		t.Fatal(err)
	}
	return got
}

// wanted is the verdict of a list in the words of the command.
func wanted(v checker.Verdict) string {
	return map[checker.Verdict]string{checker.Satisfied: "accept", checker.Violated: "reject"}[v]
}

// exitFor is the exit code that the verdicts mean.
func (r judgedResult) exitFor() int {
	code := exitOK
	for _, l := range r.Levels {
		switch l.Verdict {
		case "reject":
			code = graver(code, exitNotRobust)
		case "unknown":
			code = graver(code, exitUnknown)
		}
	}
	return code
}

// TestRecordedWeak: the verdicts of the list on RC, RA and CC, through the command.
func TestRecordedWeak(t *testing.T) {
	n := 0
	for _, r := range historytest.Recordings(t) {
		if !strings.Contains(r.Text, "RC=") || !historytest.Only(r.Read(t), history.Register, history.List) {
			continue
		}
		n++
		got := checked(t, r, "-level", "RC,RA,CC")
		for _, l := range []isolation.Level{isolation.RC, isolation.RA, isolation.CC} {
			want, listed := r.Levels[l]
			if v := got.Levels[l.String()]; listed && v.Verdict != wanted(want) {
				t.Errorf("%s: %s is %s by %s (%s), the list says %s (%s)", r.Path, l, v.Verdict, v.Checker, v.Why, r.Text, r.Anomaly)
			}
		}
		if got.code != got.exitFor() {
			t.Errorf("%s: exit code %d for %v", r.Path, got.code, got.Levels)
		}
	}
	t.Logf("%d histories", n)
	if n < historytest.Least(200, 450) {
		t.Errorf("only %d histories have verdicts", n)
	}
}

// TestRecordedStrong: on the sample, and on the other projects' histories that
// TestRecordedWeak does not have, all levels: nothing contradicts the list or another
// checker. Those of Knossos and Porcupine are left out, one register with few values: they
// take long, and the list has no level for them.
func TestRecordedStrong(t *testing.T) {
	n, same := 0, 0
	for _, r := range historytest.Recordings(t) {
		if r.Polygraph || r.Foreign && strings.Contains(r.Text, "RC=") || strings.Contains(r.Path, "knossos") || strings.Contains(r.Path, "porcupine") ||
			testing.Short() && strings.Contains(r.Path, "0000") {
			continue
		}
		n++
		got := checked(t, r, "-timeout", "2s")
		if len(got.Disagreements) > 0 {
			t.Errorf("%s: %v", r.Path, got.Disagreements)
		}
		for l, want := range r.Levels {
			switch v := got.Levels[l.String()]; v.Verdict {
			case wanted(want):
				same++
			case "unknown":
			default:
				t.Errorf("%s: %s is %s by %s (%s), the list says %s", r.Path, l, v.Verdict, v.Checker, v.Why, want)
			}
		}
		if got.code != got.exitFor() {
			t.Errorf("%s: exit code %d for %v", r.Path, got.code, got.Levels)
		}
	}
	t.Logf("%d histories, %d verdicts as in the list, the others unknown", n, same)
	least := historytest.Least(230, 290)
	if testing.Short() {
		least = historytest.Least(230, 275)
	}
	if n < least || same < 10*n {
		t.Errorf("%d histories, %d verdicts", n, same)
	}
}

// TestRecordedPatterns: the fourteen patterns, in several formats each, through the
// command; and histories on which other checkers hang or are wrong.
func TestRecordedPatterns(t *testing.T) {
	n := 0
	for _, r := range historytest.Recordings(t) {
		want := r.Letter()
		switch {
		case want == "":
			continue
		case r.Foreign && r.Format == codec.Dbcop && want == "b": // nobody wrote the value: there is no aborted transaction in the file
			want = "a"
		case r.Foreign && r.Format == codec.EDN && want == "n": // two reads are not prefixes of one list
			want = "h"
		case r.Foreign && want == "n": // its AO edges are causal
			want = "m"
		}
		n++
		got := checked(t, r, "-level", "CC")
		if !slices.ContainsFunc(got.Anomalies, func(a struct{ Name, Tap string }) bool { return strings.HasPrefix(a.Tap, want+" ") }) {
			t.Errorf("%s: no pattern %s, but %v", r.Path, want, got.Anomalies)
		}
	}
	if n != historytest.Least(9*14+3, 9*14+3+14+14+13+10) {
		t.Errorf("%d test cases", n)
	}
	for path, want := range map[string][]string{
		"handwritten/own-write-missed.txt": {"accept", "fractured-read-co"},
		"weak/fuzz/hang_plume_tc.txt":      {"reject", "cyclic-co"},
		"weak/fuzz/init_ryw.txt":           {"accept", "fractured-read-co"},
	} {
		t.Run(path, func(t *testing.T) {
			got := checked(t, historytest.Named(t, path), "-level", "RC,RA")
			if got.Levels["RC"].Verdict != want[0] || got.Levels["RA"].Verdict != "reject" ||
				!slices.ContainsFunc(got.Anomalies, func(a struct{ Name, Tap string }) bool { return a.Name == want[1] }) {
				t.Errorf("%+v", got)
			}
		})
	}
}
