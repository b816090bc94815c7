package analyzer

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/client"
)

// TestBrokenPackages: what a package with errors does to the database is not
// known. One that has nothing to do with a database is left out.
func TestBrokenPackages(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module broken.test\n\ngo 1.24\n",
		"a/a.go":    "package a\n\nimport \"database/sql\"\n\nfunc A(db *sql.DB) error { _, err := db.Exec(\"DELETE FROM t\"); return err }\n",
		"b/b.go":    "package b\n\nimport \"database/sql\"\n\nfunc B(db *sql.DB) error { return nothing }\n",
		"c/c.go":    "package c\n\nfunc C() error { return nothing }\n",
		"d/d/dd.go": "package d\n\nimport \"broken.test/b\"\n\nvar D = b.B(nil) + 1\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	env := append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	res, err := Load(context.Background(), []string{"./..."}, Options{Dir: dir, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, x := range res.Txns {
		u, isUnknown := x.Body[0].(*client.Unknown)
		names = append(names, x.Name)
		if isUnknown != strings.HasPrefix(x.Name, "package ") || isUnknown && (u.Tables != nil || u.ReadOnly) {
			t.Errorf("%s is\n%s", x.Name, x)
		}
	}
	if got, want := strings.Join(names, ", "), "A, package broken.test/b, package broken.test/d/d"; got != want {
		t.Errorf("the transactions are %s, want %s", got, want)
	}
	if len(res.Notes) != 3 {
		t.Errorf("the notes are %v", res.Notes)
	}
}
