package main

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// recordedHistories has recorded histories of other projects with a list of what
// these say about them. It is not part of this project.
const recordedHistories = "../../../shared/data/histories"

// recorded is a line of that list.
type recorded struct{ path, format, verdicts, anomaly string }

func listed(t *testing.T) []recorded {
	t.Helper()
	f, err := os.Open(filepath.Join(recordedHistories, "MANIFEST.tsv"))
	if err != nil {
		t.Skipf("there are no recorded histories here: %v", err)
	}
	defer f.Close()
	var out []recorded
	lines := bufio.NewScanner(f)
	lines.Scan() // the titles
	for lines.Scan() {
		c := strings.Split(lines.Text()+"\t", "\t")
		r := recorded{c[0], c[1], c[5], c[6]}
		if r.format == "viper-jsonl" {
			r.path = filepath.Dir(r.path) // the sessions of one history are listed one by one
		}
		if !slices.ContainsFunc(out, func(o recorded) bool { return o.path == r.path }) {
			out = append(out, r)
		}
	}
	if lines.Err() != nil || len(out) < 300 {
		t.Fatalf("%d histories, %v", len(out), lines.Err())
	}
	return out
}

// judgedResult is what the tests look at of the JSON of history check.
type judgedResult struct {
	Levels        map[string]struct{ Verdict, Checker, Why string }
	Strongest     *string
	Anomalies     []struct{ Name, Tap string }
	Disagreements []string
	code          int
}

// checked runs history check as the command does.
func checked(t *testing.T, path string, flags ...string) judgedResult {
	t.Helper()
	var out, errs strings.Builder
	args := append(append([]string{"history", "check", "-format", "json"}, flags...), filepath.Join(recordedHistories, path))
	code := run(t.Context(), args, streams{&out, &errs})
	r := judgedResult{code: code}
	if code == exitFault || code == exitUsage {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	if err := json.Unmarshal([]byte(out.String()), &r); err != nil {
		t.Fatal(err)
	}
	return r
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

// noTransactions are test cases of C4 whose files are empty in the format of Viper:
// what the list says is that of the same case in another format.
func noTransactions(path string) bool {
	dir, name := filepath.Split(path)
	return dir == "weak/C4/testcase/viper/" && slices.Contains([]string{"tap-a", "tap-b", "tap-c", "tap-d"}, name)
}

// TestRecordedWeak: the verdicts of the list on RC, RA and CC, through the command.
func TestRecordedWeak(t *testing.T) {
	n := 0
	for _, r := range listed(t) {
		if !strings.Contains(r.verdicts, "RC=") {
			continue
		}
		n++
		got := checked(t, r.path, "-level", "RC,RA,CC")
		for _, l := range []string{"RC", "RA", "CC"} {
			want := "reject"
			if strings.Contains(r.verdicts, l+"=ok") || noTransactions(r.path) {
				want = "accept"
			}
			if v := got.Levels[l]; v.Verdict != want {
				t.Errorf("%s: %s is %s by %s (%s), the list says %s (%s)", r.path, l, v.Verdict, v.Checker, v.Why, r.verdicts, r.anomaly)
			}
		}
		if got.code != got.exitFor() {
			t.Errorf("%s: exit code %d for %v", r.path, got.code, got.Levels)
		}
	}
	t.Logf("%d histories", n)
	if n < 250 {
		t.Errorf("only %d histories have verdicts", n)
	}
}

// TestRecordedStrong: on the other histories, all levels: nothing contradicts the list
// or another checker. Those of Knossos and Porcupine are left out, one register with few
// values: they take long, and the list has no level for them.
func TestRecordedStrong(t *testing.T) {
	n, same := 0, 0
	for _, r := range listed(t) {
		if strings.Contains(r.verdicts, "RC=") || r.format == "cobra-polyg" || strings.Contains(r.path, "knossos") || strings.Contains(r.path, "porcupine") ||
			testing.Short() && strings.Contains(r.path, "0000") {
			continue
		}
		n++
		got := checked(t, r.path, "-timeout", "2s")
		if len(got.Disagreements) > 0 {
			t.Errorf("%s: %v", r.path, got.Disagreements)
		}
		for _, verdict := range strings.Fields(r.verdicts) {
			l, want, ok := strings.Cut(verdict, "=")
			if !ok || l != "SI" && l != "SER" || want != "ACCEPT" && want != "REJECT" {
				continue
			}
			switch v := got.Levels[l]; v.Verdict {
			case strings.ToLower(want):
				same++
			case "unknown":
			default:
				t.Errorf("%s: %s is %s by %s (%s), the list says %s", r.path, l, v.Verdict, v.Checker, v.Why, want)
			}
		}
		if got.code != got.exitFor() {
			t.Errorf("%s: exit code %d for %v", r.path, got.code, got.Levels)
		}
	}
	t.Logf("%d histories, %d verdicts on SI and SER as in the list, the others unknown", n, same)
	least := 60
	if testing.Short() {
		least = 45
	}
	if n < least || same < 20 {
		t.Errorf("%d histories, %d verdicts", n, same)
	}
}

// TestRecordedPatterns: the fourteen patterns, in four formats each, through the
// command; and histories on which other checkers hang or are wrong.
func TestRecordedPatterns(t *testing.T) {
	n := 0
	for _, r := range listed(t) {
		rest, ok := strings.CutPrefix(r.path, "weak/C4/testcase/")
		if !ok || noTransactions(r.path) {
			continue
		}
		n++
		rest = strings.TrimSuffix(rest, "/history.bincode")
		letter := strings.TrimSuffix(strings.TrimSuffix(rest[strings.Index(rest, "tap-")+4:], ".txt"), ".edn")
		want := letter
		switch {
		case rest == "dbcop/tap-b": // nobody wrote the value: there is no aborted transaction in the file
			want = "a"
		case strings.HasPrefix(rest, "elle/") && letter == "n": // two reads are not prefixes of one list
			want = "h"
		case letter == "n": // its AO edges are causal
			want = "m"
		}
		got := checked(t, r.path, "-level", "CC")
		if !slices.ContainsFunc(got.Anomalies, func(a struct{ Name, Tap string }) bool { return strings.HasPrefix(a.Tap, want+" ") }) {
			t.Errorf("%s: no pattern %s, but %v", rest, want, got.Anomalies)
		}
	}
	if n != 14+14+13+10 {
		t.Errorf("%d test cases", n)
	}
	for path, want := range map[string][]string{
		"weak/fuzz/hang_plume_tc.txt": {"reject", "cyclic-co"},
		"weak/fuzz/init_ryw.txt":      {"accept", "fractured-read-co"},
	} {
		got := checked(t, path, "-level", "RC,RA")
		if got.Levels["RC"].Verdict != want[0] || got.Levels["RA"].Verdict != "reject" ||
			!slices.ContainsFunc(got.Anomalies, func(a struct{ Name, Tap string }) bool { return a.Name == want[1] }) {
			t.Errorf("%s: %+v", path, got)
		}
	}
}
