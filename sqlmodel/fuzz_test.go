package sqlmodel

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/ir/irtext"
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
		prog, err := Parse([]File{{Name: "fuzz.sql", Text: src}}, Options{})
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
		again, err := irtext.Parse("printed", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if again.String() != text {
			t.Fatalf("printed form changed:\n%s\n---\n%s", text, again)
		}
	})
}

// FuzzBody does the same for bodies of PL/pgSQL functions over a fixed schema,
// which plain SQL seldom becomes.
func FuzzBody(f *testing.F) {
	const head = "CREATE TABLE t (k int PRIMARY KEY, a int, b text);\nCREATE TABLE u (k int PRIMARY KEY, t int REFERENCES t);\n"
	for _, body := range []string{
		"UPDATE t SET a = p WHERE k = 1;",
		"FOR r IN SELECT * FROM t WHERE a > p ORDER BY k LOOP INSERT INTO u VALUES (r.k, p) ON CONFLICT (k) DO NOTHING; END LOOP;",
		"SELECT a INTO v FROM t WHERE k = p FOR UPDATE; IF NOT FOUND THEN RAISE EXCEPTION 'none'; END IF; v := v + 1;",
		"CASE p WHEN 1 THEN DELETE FROM u; ELSE v := (SELECT count(*) FROM t); END CASE; PERFORM 1 FROM t JOIN u ON u.t = t.k;",
		"WHILE v < 3 LOOP v := v + 1; EXIT WHEN v = p; CONTINUE; END LOOP; EXECUTE 'SELECT 1';",
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if strings.Contains(body, "$$") {
			return
		}
		prog, err := Parse([]File{{Name: "fuzz.sql", Text: head + "CREATE FUNCTION f(p int) RETURNS void AS $$ DECLARE v int; r record; BEGIN " + body + "\nEND $$ LANGUAGE plpgsql;"}}, Options{})
		if err != nil {
			var e *ir.Error
			if !errors.As(err, &e) || e.Pos.File != "fuzz.sql" {
				t.Fatal(err)
			}
			return
		}
		text := prog.String()
		if again, err := irtext.Parse("printed", text); err != nil || again.String() != text {
			t.Fatalf("%v\n%s", err, text)
		}
	})
}
