package schemafind_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/schemafind"
	"github.com/txrobust/robust/sqlmodel"
)

var update = flag.Bool("update", false, "write what is found into the trees")

// want is the file of a tree that says what is to be found in it.
const want = "want"

// unpack writes a tree to the current directory.
func unpack(t *testing.T, ar *txtar.Archive) {
	t.Helper()
	for _, f := range ar.Files {
		if f.Name == want {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(f.Name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f.Name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// describe writes down what was found: the files of chosen candidates with the
// numbers of their lines, as far as these are not blank.
func describe(s *schemafind.Schema, err error) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if err != nil {
		line("error %v", err)
		return b.String()
	}
	dialect := func(d schemafind.Dialect) string {
		if d == "" {
			return "any"
		}
		return string(d)
	}
	for _, c := range s.Chosen {
		line("chosen %s: %s, %s", c.Path, c.Kind, dialect(c.Dialect))
		if c.Embedded {
			line("  embedded")
		}
		for _, f := range c.Files {
			for i, l := range strings.Split(f.Text, "\n") {
				if strings.TrimSpace(l) != "" {
					line("  %s:%d:%s", f.Name, i+1, strings.TrimRight(l, " "))
				}
			}
		}
	}
	for _, c := range s.Passed {
		line("passed %s: %s, %s: %s", c.Path, c.Kind, dialect(c.Dialect), c.Why)
	}
	for _, n := range s.Notes {
		line("note %s: %s", n.Pos, n.Text)
	}
	return b.String()
}

// TestFind looks for the schema of the trees in testdata. Their comments say what
// they are about; one that begins with mysql asks for that dialect.
func TestFind(t *testing.T) {
	trees, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(trees) == 0 {
		t.Fatal("there are no trees", err)
	}
	for _, path := range trees {
		full, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(full)
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(t.TempDir())
			unpack(t, ar)
			dialect := schemafind.Dialect("")
			if strings.HasPrefix(string(ar.Comment), "mysql") {
				dialect = schemafind.MySQL
			}
			roots, err := schemafind.Roots(".")
			if err != nil {
				t.Fatal(err)
			}
			s, err := schemafind.Find(t.Context(), nil, roots, dialect)
			if e, ok := errors.AsType[*ir.Error](err); err != nil && (!ok || !e.Pos.IsValid()) {
				t.Errorf("the error has no place: %v", err)
			}
			got := describe(s, err)
			if s != nil {
				inPlace(t, s)
			}
			i := slices.IndexFunc(ar.Files, func(f txtar.File) bool { return f.Name == want })
			if *update {
				if i < 0 {
					ar.Files, i = append(ar.Files, txtar.File{Name: want}), len(ar.Files)
				}
				ar.Files[i].Data = []byte(got)
				if err := os.WriteFile(full, txtar.Format(ar), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if i < 0 || got != string(ar.Files[i].Data) {
				t.Errorf("found is not what the tree wants (go test -update writes it):\n%s", got)
			}
		})
	}
}

// inPlace makes sure that what is left of SQL files stands where it stood.
func inPlace(t *testing.T, s *schemafind.Schema) {
	t.Helper()
	for _, f := range s.Files() {
		data, err := os.ReadFile(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) != len(f.Text) {
			t.Errorf("%s has %d bytes instead of %d", f.Name, len(f.Text), len(data))
			continue
		}
		for i, c := range data {
			escaped := c == '\\' && f.Text[i] == '"' // the quote is the next byte
			if g := f.Text[i]; g != c && g != ' ' && g != ';' && !escaped {
				t.Errorf("%s: byte %d is %q instead of %q", f.Name, i, g, c)
			}
		}
	}
}

// TestLoad reads what is found, and looks where the tables and a fault are.
func TestLoad(t *testing.T) {
	ar, err := txtar.ParseFile("testdata/goose.txtar")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	unpack(t, ar)
	s, err := schemafind.Find(t.Context(), nil, []string{"."}, "")
	if err != nil {
		t.Fatal(err)
	}
	var files []sqlmodel.File
	for _, f := range s.Files() {
		files = append(files, sqlmodel.File(f))
	}
	files = append(files, sqlmodel.File{Name: "q.sql", Text: "-- name: pay\nUPDATE account SET balance = balance - $1 WHERE id = $2;"})
	p, err := sqlmodel.Parse(files, sqlmodel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	account := p.Table("account")
	if account == nil {
		t.Fatal("there is no table account")
	}
	if got := account.Pos.String(); got != "db/migrations/00002_account.sql:4:14" {
		t.Errorf("account stands at %s", got)
	}
	if p.Table("gone") != nil || len(account.Columns) != 3 {
		t.Errorf("what undoes migrations was read: %+v", p.Tables)
	}
}

// TestNumberedStrings applies migrations in a map of Go by their numbers, wherever they stand.
func TestNumberedStrings(t *testing.T) {
	for _, c := range []struct{ name, last, want string }{
		{"by their numbers", "m10", "id rule title"},
		{"as they stand", "other", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			unpack(t, txtar.Parse([]byte(strings.ReplaceAll(`
-- go.mod --
module m
-- migrations.go --
package m

var Migrations = map[string]string{
	"m1": "create table items (id int primary key);",
	"LAST": `+"`alter table items rename old to title;`"+`,
	"m2": "alter table items add column rule int;",
	"m9": "alter table items add column old int;",
}
`, "LAST", c.last))))
			s, err := schemafind.Find(t.Context(), nil, []string{"."}, "")
			if err != nil {
				t.Fatal(err)
			}
			inPlace(t, s)
			files := []sqlmodel.File{{Name: "q.sql", Text: "-- name: q\nSELECT id FROM items;"}}
			for _, f := range s.Files() {
				files = append(files, sqlmodel.File(f))
			}
			p, err := sqlmodel.Parse(files, sqlmodel.Options{})
			var got []string
			if err == nil {
				for _, col := range p.Table("items").Columns {
					got = append(got, col.Name)
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("the columns are %v, %v, want %s", got, err, c.want)
			}
		})
	}
}

// TestRead reads a directory that is named.
func TestRead(t *testing.T) {
	t.Chdir(t.TempDir())
	unpack(t, txtar.Parse([]byte(`
-- db/2_b.up.sql --
ALTER TABLE a ADD COLUMN b int;
-- db/2_b.down.sql --
ALTER TABLE a DROP COLUMN b;
-- db/1_a.up.sql --
CREATE TABLE a (id int PRIMARY KEY);
-- db/1_a.down.sql --
DROP TABLE a;
-- empty/x.txt --
`)))
	c, err := schemafind.Read(t.Context(), nil, "db")
	if err != nil {
		t.Fatal(err)
	}
	if c.Kind != schemafind.GolangMigrate || len(c.Files) != 2 || c.Files[0].Name != filepath.Join("db", "1_a.up.sql") {
		t.Errorf("read %+v", c)
	}
	if _, err := schemafind.Read(t.Context(), nil, "empty"); err == nil || !strings.Contains(err.Error(), "no .sql file") {
		t.Errorf("an empty directory: %v", err)
	}
	if _, err := schemafind.Read(t.Context(), nil, "none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
}

// TestRoots finds modules from below, and faults of a go.work.
func TestRoots(t *testing.T) {
	t.Chdir(t.TempDir())
	unpack(t, txtar.Parse([]byte(`
-- w/go.work --
go 1.26

use (
	./a
	./b
)
-- w/a/go.mod --
module a
-- w/a/x/x.go --
package x
-- w/b/go.mod --
module b
-- m/go.mod --
module m
-- m/x/y/y.go --
package y
-- bad/go.work --
go 1.26
uses ./a
`)))
	for dir, want := range map[string]string{"w": "w/a w/b", "w/a/x": "w/a w/b", "m/x/y": "m", "m": "m"} {
		got, err := schemafind.Roots(dir)
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %v, %v, want %s", dir, got, err, want)
		}
	}
	_, err := schemafind.Roots("bad")
	if e, ok := errors.AsType[*ir.Error](err); !ok || e.Pos.String() != "bad/go.work:2:1" {
		t.Errorf("a faulty go.work: %v", err)
	}
}

// TestCancel ends a search.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := schemafind.Find(ctx, nil, []string{"."}, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("the search goes on: %v", err)
	}
}
