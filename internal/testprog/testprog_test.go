package testprog

import (
	"path/filepath"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/interp"
)

// TestLitmus compares the verdicts of VERDICTS.tsv on the litmus programs with
// those of the interpreter, which goes through all executions.
func TestLitmus(t *testing.T) {
	listed := map[string]bool{}
	for _, l := range LitmusPrograms(t) {
		listed[l.File] = true
		t.Run(l.File, func(t *testing.T) {
			p := l.Program(t)
			for _, c := range []struct {
				mode, engine string
				opt          interp.Options
			}{
				{"classic", "si", interp.Options{Classic: true}},
				{"default", "si", interp.Options{}},
				{"postgres", "postgres", interp.Options{}},
			} {
				m := interp.NewMachine(p, engine.ByName(c.engine))
				r := m.Explore(t.Context(), interp.Sessions(p, 2), interp.InitialDB(p), c.opt)
				got := map[interp.Verdict]string{interp.Serializable: "robust", interp.Anomalous: "not-robust"}[r.Verdict]
				if got != l.Want[c.mode] {
					t.Errorf("%s: the interpreter says %v %s, VERDICTS.tsv says %s", c.mode, r.Verdict, r.Reason, l.Want[c.mode])
				}
			}
		})
	}
	files, err := filepath.Glob(Path(t, "litmus", "*.litmus"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !listed[filepath.Base(file)] {
			t.Errorf("VERDICTS.tsv has no line for %s", file)
		}
	}
}

// TestApps: VERDICTS.tsv has one line for all transactions of each folder.
func TestApps(t *testing.T) {
	whole := map[string]int{}
	for _, a := range Apps(t) {
		if a.Whole() {
			whole[a.Dir(t)]++
		}
	}
	for _, kind := range []string{"apps", "traps"} {
		folders, err := filepath.Glob(Path(t, kind, "*", "functions.sql"))
		if err != nil {
			t.Fatal(err)
		}
		if len(folders) == 0 {
			t.Errorf("no %s", kind)
		}
		for _, file := range folders {
			if dir := filepath.Dir(file); whole[dir] != 1 {
				t.Errorf("VERDICTS.tsv has %d lines for %s as a whole", whole[dir], dir)
			}
		}
	}
}

// TestScripts: VERDICTS.tsv has one line for each folder.
func TestScripts(t *testing.T) {
	lines := map[string]int{}
	for _, s := range Scripts(t) {
		lines[s.Dir(t)]++
	}
	folders, err := filepath.Glob(Path(t, "scripts", "*", "schema.sql"))
	if err != nil || len(folders) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, file := range folders {
		if dir := filepath.Dir(file); lines[dir] != 1 {
			t.Errorf("VERDICTS.tsv has %d lines for %s", lines[dir], dir)
		}
	}
}
