package goprogram

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/analyzer"
)

// expected matches a comment with the code and the columns of a note.
var expected = regexp.MustCompile(`// (RB4\d\d\d) (\S+)$`)

// TestApart compares the notes about a module with its comments: each stands at
// the write, and what has no comment has no note.
func TestApart(t *testing.T) {
	dir := filepath.Join("testdata", "apart")
	found, err := analyzer.Load(t.Context(), []string{"./..."}, analyzer.Options{Dir: dir, Env: append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")})
	if err != nil {
		t.Fatal(err)
	}
	source, err := Open(t.Context(), found, Options{Schema: []string{filepath.Join(dir, "schema.sql")}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := source.Program(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	notes, err := source.Apart(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, n := range notes {
		columns := "-"
		if len(n.Columns) > 0 {
			columns = strings.Join(n.Columns, ",")
		}
		got = append(got, fmt.Sprintf("%s:%d: %s %s", filepath.Base(n.Write.File), n.Write.Line, n.Code, columns))
		if len(n.Fingerprint) != 32 || n.Text == "" || n.Read.Line == 0 {
			t.Errorf("a note lacks something: %+v", n)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if m := expected.FindStringSubmatch(line); m != nil {
				want = append(want, fmt.Sprintf("%s:%d: %s %s", filepath.Base(file), i+1, m[1], m[2]))
			}
		}
	}
	for _, n := range notes {
		if base := filepath.Base(n.Write.File); base == "locked.go" && n.Code == "RB4002" && !strings.Contains(n.Text, "its lock ended with that statement") {
			t.Errorf("nothing says what became of the lock: %s", n.Text)
		}
	}
	if first, last := filepath.Base(notes[0].Write.File), notes[len(notes)-1]; first != "accounts.go" || filepath.Base(last.Write.File) != "contexts.go" || last.Write.Function == "Bank.Bare" {
		t.Errorf("the first note is in %s, the last one in %s: certain ones shall come first", first, last.Write.Function)
	}
	slices.Sort(got)
	slices.Sort(want)
	for _, s := range got {
		if !slices.Contains(want, s) {
			t.Errorf("not expected: %s", s)
		}
	}
	for _, s := range want {
		if !slices.Contains(got, s) {
			t.Errorf("not found: %s", s)
		}
	}
	if len(want) == 0 {
		t.Error("there are no comments")
	}
}
