package sqlmodel

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/txrobust/robust/ir"
	"golang.org/x/tools/txtar"
)

// FuzzParse checks that no text crashes the translation, that faults are
// errors with a place, and that what comes out is a sound program.
func FuzzParse(f *testing.F) {
	golden, _ := filepath.Glob(filepath.Join("testdata", "golden", "*.txtar"))
	for _, file := range golden {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		schema := ""
		for _, file := range ar.Files {
			switch {
			case file.Name == "schema.sql":
				schema = string(file.Data)
			case filepath.Ext(file.Name) == ".sql", filepath.Ext(file.Name) == ".psql":
				f.Add(schema + string(file.Data))
			case filepath.Ext(file.Name) == ".pl":
				f.Add(schema + wrapped(schema, string(file.Data)))
			}
		}
	}
	apps, _ := filepath.Glob(filepath.Join("..", "testdata", "apps", "*", "*.sql"))
	scripts, _ := filepath.Glob(filepath.Join("..", "testdata", "scripts", "*", "*.sql"))
	apps = append(apps, scripts...)
	for _, file := range append(apps, filepath.Join("testdata", "diff", "functions.sql")) {
		src, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(src))
	}
	ar, err := txtar.ParseFile(filepath.Join("testdata", "diff", "scripts.txtar"))
	if err != nil {
		f.Fatal(err)
	}
	for _, script := range ar.Files[1:] {
		f.Add(string(ar.Files[0].Data) + string(script.Data))
	}
	f.Fuzz(func(t *testing.T, src string) {
		prog, err := Parse([]File{{"fuzz.sql", src}}, Options{})
		if err != nil {
			var e *ir.Error
			if !errors.As(err, &e) {
				t.Fatal(err)
			}
			if e.Pos.File != "fuzz.sql" {
				t.Fatalf("%v has no file", err)
			}
			return
		}
		text := prog.String()
		again, err := ir.Parse("printed", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if again.String() != text {
			t.Fatalf("printed form changed:\n%s\n---\n%s", text, again)
		}
	})
}
