package lint_test

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/internal/replaytest"
	"github.com/txrobust/robust/lint"
)

// undecided are repaired twins for which there is no proof, with the reason.
var undecided = map[string]string{
	"bunned": "of statements of bun only the tables are known",
}

// notRun are packages whose findings clients cannot run, with the reason.
var notRun = map[string]string{
	"opentext": "a part of the statement is not known",
}

// TestIdioms analyses one package for each idiom, and its repaired twin, which
// must be silent and proved robust. The libraries are stubs, so that no network is
// needed.
func TestIdioms(t *testing.T) {
	entries, err := os.ReadDir("testdata/src")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, "./src/"+e.Name())
	}
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	a := lint.New()
	for flag, value := range map[string]string{"everywhere": "true", "isolation": "si"} {
		if err := a.Flags.Set(flag, value); err != nil {
			t.Fatal(err)
		}
	}
	var replays replaytest.Tally
	for _, r := range analysistest.Run(t, dir, a, names...) {
		name := path.Base(r.Pass.Pkg.Path())
		rep, _ := r.Result.(*robust.Report)
		want := robust.NotRobust
		switch {
		case rep == nil:
			t.Errorf("%s: there is no report", name)
			continue
		case undecided[name] != "":
			want = robust.Unknown
		case strings.HasSuffix(name, "_repaired"):
			want = robust.Robust
		}
		if rep.Verdict != want {
			t.Errorf("%s is %s, want %s\n%v", name, rep.Verdict, want, rep.Open)
		}
		replays.Report(t, rep, notRun[name])
	}
	t.Logf("replays: %s", &replays)
}

// TestLevels analyses faults and their mends at the levels that the code asks for. A package
// with an underscore in its name is a mend, which must be silent and proved, but for those
// that show what a level does not mend. What is found is replayed at these levels.
func TestLevels(t *testing.T) {
	unmended := []string{"skew_repeatable", "skew_mixed"}
	// The level of these is one of several: what is found at the lowest is suspected.
	suspected := []string{"elsewhere", "optionsgiven", "setpartly", "setunknown", "recursive", "retriedlevel", "awaited",
		"optionskept", "optionsvalue", "recursiveinterface", "recursivebound", "recursiveclosure", "recursivevalue", "recursivestruct"}
	entries, err := os.ReadDir("testdata/levels")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, "./levels/"+e.Name())
	}
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	a := lint.New()
	if err := a.Flags.Set("everywhere", "true"); err != nil {
		t.Fatal(err)
	}
	var replays replaytest.Tally
	for _, r := range analysistest.Run(t, dir, a, names...) {
		name := path.Base(r.Pass.Pkg.Path())
		rep, _ := r.Result.(*robust.Report)
		want := robust.NotRobust
		if strings.Contains(name, "_") && !slices.Contains(unmended, name) {
			want = robust.Robust
		}
		if slices.Contains(suspected, name) {
			want = robust.Unknown
		}
		if rep == nil || rep.Verdict != want || want == robust.Unknown && (len(rep.Findings) == 0 || !rep.Findings[0].OnlyLevels()) {
			t.Fatalf("%s: %+v, want %s", name, rep, want)
		}
		replays.Report(t, rep, "")
	}
	t.Logf("replays: %s", &replays)
}

// TestReported: what is not certain is reported where that is asked for, and not otherwise.
func TestReported(t *testing.T) {
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	run := func(t analysistest.Testing, flags map[string]string) []*analysistest.Result {
		a := lint.New()
		for flag, value := range flags {
			if err := a.Flags.Set(flag, value); err != nil {
				t.Errorf("%v", err)
			}
		}
		return analysistest.Run(t, dir, a, "./reported/doubted", "./reported/open")
	}
	run(t, map[string]string{"everywhere": "true", "suspected": "true", "fail-on": "unknown"})
	for _, r := range run(silent{}, map[string]string{"everywhere": "true"}) {
		if r.Err != nil || len(r.Diagnostics) != 0 {
			t.Errorf("%s: %v (%v), want nothing by default", r.Pass.Pkg.Path(), r.Diagnostics, r.Err)
		}
	}
	if err := lint.New().Flags.Set("fail-on", "never"); err == nil || !strings.Contains(err.Error(), "finding or unknown") {
		t.Errorf("-fail-on never: %v, want the values of it", err)
	}
}

// silent takes no note of comments that want a diagnostic.
type silent struct{}

func (silent) Errorf(string, ...any) {}
