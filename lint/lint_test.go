package lint_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/txrobust/robust/lint"
)

// TestIdioms analyses one package for each idiom, and its repaired twin, which
// must be silent.
func TestIdioms(t *testing.T) {
	entries, err := os.ReadDir("testdata/src")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if e.Name() != "github.com" {
			names = append(names, e.Name())
		}
	}
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	a := lint.New()
	if err := a.Flags.Set("everywhere", "true"); err != nil {
		t.Fatal(err)
	}
	analysistest.Run(t, dir, a, names...)
}
