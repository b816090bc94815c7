package pgtest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/ir/interp"
)

// TestLitmus parses every litmus program of testdata and compares the verdicts
// of VERDICTS.tsv with those of the interpreter, which goes through all
// executions.
func TestLitmus(t *testing.T) {
	dir := filepath.Join(testdata, "litmus")
	text, err := os.ReadFile(filepath.Join(dir, "VERDICTS.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		f := strings.Split(line, "\t")
		if len(f) != 5 {
			t.Fatalf("VERDICTS.tsv:%d: %d columns", i+1, len(f))
		}
		if i == 0 {
			continue
		}
		listed[f[0]] = true
		t.Run(f[0], func(t *testing.T) {
			src, err := os.ReadFile(filepath.Join(dir, f[0]))
			if err != nil {
				t.Fatal(err)
			}
			p, err := ir.Parse(f[0], string(src))
			if err != nil {
				t.Fatal(err)
			}
			ir.Structure(p)
			for _, c := range []struct {
				column, engine, want string
				opt                  interp.Options
			}{
				{"classic", "si", f[1], interp.Options{Classic: true}},
				{"default", "si", f[2], interp.Options{}},
				{"postgres", "postgres", f[3], interp.Options{}},
			} {
				m := interp.NewMachine(p, engine.ByName(c.engine))
				r := m.Explore(t.Context(), interp.Sessions(p, 2), interp.InitialDB(p), c.opt)
				got := map[interp.Verdict]string{interp.Serializable: "robust", interp.Anomalous: "not-robust"}[r.Verdict]
				if got != c.want {
					t.Errorf("%s: the interpreter says %v %s, VERDICTS.tsv says %s", c.column, r.Verdict, r.Reason, c.want)
				}
			}
		})
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.litmus"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !listed[filepath.Base(file)] {
			t.Errorf("VERDICTS.tsv has no line for %s", file)
		}
	}
}
