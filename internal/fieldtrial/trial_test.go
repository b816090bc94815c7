package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTrial checks a small program, and one whose folder has none.
func TestTrial(t *testing.T) {
	list := filepath.Join("testdata", "LIST")
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := parse(list, string(text))
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "robust")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/txrobust/robust/cmd/robust").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	r := run(t.Context(), program, entries[0], time.Minute, t.TempDir())
	if r.fault != "" {
		t.Fatal(r.fault)
	}
	if r.sites != 1 || r.found != 1 || r.transactions != 2 || r.settled != 2 || r.places != 3 || r.modelled != 3 || r.verdict != "not-robust" || r.findings == 0 || r.suspected != 0 {
		t.Errorf("the result is %+v", *r)
	}
	bad := run(t.Context(), program, &entry{dir: t.TempDir(), module: "example.com/empty", commit: "0", patterns: []string{"./..."}}, time.Minute, t.TempDir())
	if bad.fault == "" {
		t.Error("a folder without a module gives a result")
	}
	var out bytes.Buffer
	tab := &table{out: &out}
	tab.add(entries[0], r)
	tab.add(entries[0], bad)
	tab.end()
	for _, want := range []string{"**ours**", "| example.com/shop | 1a2b3c4 | 1 of 1 | 2 | 2 | 3 of 3 | not-robust |", "| all |  | 1 of 1 | 2 | 2 | 3 of 3 |"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table has no %q:\n%s", want, out.String())
		}
	}
}

// TestParse refuses lists with mistakes, and names the line.
func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"\nshop example.com/shop":        "LIST:2: a program needs",
		"shop example.com/other 1a2b3c4": "LIST:1: the module in",
		"none example.com/none 1a2b3c4":  "LIST:1: open ",
	} {
		if _, err := parse(filepath.Join("testdata", "LIST"), text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, without %q", text, err, want)
		}
	}
}

// TestSites counts methods by their names, and no functions of other packages but those that get one.
func TestSites(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m",
		"a.go": `package m

import (
	"example.com/store"
	"example.com/pgx"
)

func f(db store.DB) {
	db.Begin()
	db.Tx.BeginTx(ctx, nil)
	store.BeginTx(ctx)
	pgx.BeginFunc(ctx, db, func() {})
	db.Transaction(1)
	db.Transaction(f)
}
`,
		"in/c.go":     "package c\n\nfunc g() { db.Begin() }\n",
		"a_test.go":   "package m\n\nfunc g() { db.Begin() }\n",
		"vendor/b.go": "package b\n\nfunc g() { db.Begin() }\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		patterns string
		n        int
	}{{"./...", 5}, {".", 4}, {"./", 4}, {"./in/...", 1}, {"./in", 1}, {"./i", 0}, {"m/...", 5}} {
		if n, err := sitesOf(dir, []string{c.patterns}); n != c.n || err != nil {
			t.Errorf("%s: there are %d sites, %v", c.patterns, n, err)
		}
	}
}
