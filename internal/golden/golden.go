package golden

import (
	"flag"
	"os"
	"regexp"
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
