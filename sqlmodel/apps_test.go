package sqlmodel

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/ir"
)

// TestApplications checks that every folder of testdata/apps and testdata/traps
// is modelled whole: a template per function, nothing left out and nothing
// unmodelled except what foreign keys do to children, and a program that is
// sound and reads back from its printed form.
func TestApplications(t *testing.T) {
	seen := 0
	for _, kind := range []string{"apps", "traps"} {
		files, err := filepath.Glob(filepath.Join("..", "testdata", kind, "*", "functions.sql"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			seen++
			dir := filepath.Dir(file)
			t.Run(kind+"/"+filepath.Base(dir), func(t *testing.T) { testApplication(t, dir) })
		}
	}
	if seen < 30 {
		t.Errorf("there are only %d folders", seen)
	}
}

func testApplication(t *testing.T, dir string) {
	prog, err := Load(context.Background(), []string{dir}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(filepath.Join(dir, "functions.sql"))
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Count(string(src), "CREATE FUNCTION "); len(prog.Txns) != want {
		t.Errorf("%d templates for %d functions", len(prog.Txns), want)
	}
	for _, n := range prog.Notes {
		t.Errorf("%s: %s", n.Pos, n.Text)
	}
	for _, txn := range prog.Txns {
		ir.Walk(txn.Body, func(s ir.Stmt) {
			if u, ok := s.(*ir.Unmodelled); ok && !strings.HasPrefix(u.Reason, "ON DELETE ") {
				t.Errorf("%s: %s is not modelled", u.Pos, u.Reason)
			}
		})
	}
	if err := ir.Check(prog); err != nil {
		t.Error(err)
	}
	text := prog.String()
	again, err := ir.Parse("printed", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if got := again.String(); got != text {
		t.Errorf("the printed form changes:\n%s\n---\n%s", text, got)
	}
}
