package golden

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Compare fails the test with the lines that differ if the golden file says
// something else. Parts of both that an expression of anything matches may differ.
// With -update the file is written instead.
func Compare(t testing.TB, file, got string, anything ...*regexp.Regexp) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: go test -update writes it", err)
	}
	want := string(text)
	for _, x := range anything {
		want, got = x.ReplaceAllString(want, "…"), x.ReplaceAllString(got, "…")
	}
	if got != want {
		t.Errorf("%s differs from what the test got; go test -update writes it anew\n%s", file, diff.Diff(file, []byte(want), "got", []byte(got)))
	}
}

// CompareFolder is Compare for the files of a folder, by their names: it fails for those
// that are there and that the test did not get, too. With -update these are removed.
func CompareFolder(t testing.TB, dir string, got map[string]string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatalf("%v: go test -update writes it", err)
	}
	for _, e := range entries {
		if _, ok := got[e.Name()]; ok {
			continue
		}
		name := filepath.Join(dir, e.Name())
		if !*update {
			t.Errorf("%s is about nothing that the test got; go test -update removes it", name)
		} else if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		Compare(t, filepath.Join(dir, name), got[name])
	}
}
