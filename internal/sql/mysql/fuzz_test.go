package mysql_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/sqlmodel"
	"golang.org/x/tools/txtar"
)

// FuzzParse checks that every text gives a program or an error with its place.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join("testdata", "golden", "*.txtar"))
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		schema := ""
		for _, g := range ar.Files {
			switch {
			case g.Name == "schema.sql":
				schema = string(g.Data)
			case strings.HasSuffix(g.Name, ".sql"):
				f.Add(schema + string(g.Data))
				// Single transactions, so that mutations reach them.
				for _, part := range strings.SplitAfter(string(g.Data), ";\n-- name:")[1:] {
					f.Add(schema + "-- name:" + strings.TrimSuffix(part, "-- name:"))
				}
			}
		}
	}
	if text, err := os.ReadFile(filepath.Join("testdata", "diff", "txns.sql")); err == nil {
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<14 {
			t.Skip()
		}
		hang := time.AfterFunc(20*time.Second, func() { panic("no end: " + text) })
		defer hang.Stop()
		prog, err := sqlmodel.Parse([]sqlmodel.File{{Name: "f.sql", Text: text}}, sqlmodel.Options{MySQL: true})
		if err != nil {
			var e *ir.Error
			if !errors.As(err, &e) || e.Pos.File != "f.sql" {
				t.Fatal(err)
			}
			return
		}
		for _, txn := range prog.Txns {
			ir.Walk(txn.Body, func(s ir.Stmt) {
				if !s.Position().IsValid() {
					t.Fatalf("a statement of %s has no place", txn.Name)
				}
			})
		}
	})
}
