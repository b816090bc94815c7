package sqlmodel

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/ir"
)

// TestApps checks that every application of testdata/apps is modelled whole:
// a template per function, and nothing left out.
func TestApps(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join("..", "testdata", "apps", "*", "functions.sql"))
	if err != nil || len(dirs) < 10 {
		t.Fatalf("there are only %d applications (%v)", len(dirs), err)
	}
	for _, file := range dirs {
		dir := filepath.Dir(file)
		prog, err := Load(context.Background(), []string{filepath.Join(dir, "schema.sql"), file}, Options{})
		if err != nil {
			t.Errorf("%s: %v", dir, err)
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.Count(string(src), "CREATE FUNCTION "); len(prog.Txns) != want {
			t.Errorf("%s has %d templates for %d functions", dir, len(prog.Txns), want)
		}
		for _, n := range prog.Notes {
			t.Errorf("%s: %s", n.Pos, n.Text)
		}
		for _, txn := range prog.Txns {
			ir.Walk(txn.Body, func(s ir.Stmt) {
				if u, ok := s.(*ir.Unmodelled); ok {
					t.Errorf("%s: %s is not modelled", u.Pos, u.Reason)
				}
			})
		}
	}
}

// TestTraps checks the same of the traps, where there are any.
func TestTraps(t *testing.T) {
	dirs, _ := filepath.Glob(filepath.Join("..", "testdata", "traps", "*", "*.sql"))
	seen := map[string]bool{}
	for _, file := range dirs {
		dir := filepath.Dir(file)
		if seen[dir] {
			continue
		}
		seen[dir] = true
		if _, err := Load(context.Background(), []string{dir}, Options{}); err != nil {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
