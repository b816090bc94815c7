package testprog

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Path names something in the module's testdata, relative to the folder of the
// test, in which it runs.
func Path(t testing.TB, elem ...string) string {
	t.Helper()
	for up := "."; len(up) < 100; up = filepath.Join(up, "..") {
		if _, err := os.Stat(filepath.Join(up, "testdata", "litmus", "VERDICTS.tsv")); err == nil {
			return filepath.Join(slices.Concat([]string{up, "testdata"}, elem)...)
		}
	}
	t.Fatal("no testdata/litmus/VERDICTS.tsv in this folder or above: the test runs outside of the module")
	return ""
}

// table reads the VERDICTS.tsv of a folder of testdata, without its header.
func table(t testing.TB, dir string, columns int) [][]string {
	t.Helper()
	path := Path(t, dir, "VERDICTS.tsv")
	var out [][]string
	for i, line := range strings.Split(strings.TrimSuffix(read(t, path), "\n"), "\n") {
		f := strings.Split(line, "\t")
		if len(f) != columns || slices.Contains(f, "") {
			t.Fatalf("%s:%d: a line has %d columns, none of them empty", path, i+1, columns)
		}
		if i > 0 {
			out = append(out, f)
		}
	}
	return out
}

func read(t testing.TB, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
