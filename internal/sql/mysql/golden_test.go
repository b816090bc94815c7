package mysql_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/ir/irtext"
	"github.com/txrobust/robust/sqlmodel"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden translates the cases of testdata/golden: *.sql are files, what
// comes out stands in *.ir. The schema of an archive is before every case.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "golden", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, schema := map[string]string{}, ""
		for _, f := range ar.Files {
			if f.Name == "schema.sql" {
				schema = string(f.Data)
			}
			want[f.Name] = string(f.Data)
		}
		out := &txtar.Archive{Comment: ar.Comment}
		for _, f := range ar.Files {
			if strings.HasSuffix(f.Name, ".ir") {
				continue
			}
			out.Files = append(out.Files, f)
			if f.Name == "schema.sql" {
				continue
			}
			name := strings.TrimSuffix(f.Name, ".sql") + ".ir"
			got := translate(t, schema, string(f.Data))
			out.Files = append(out.Files, txtar.File{Name: name, Data: []byte(got)})
			if got != want[name] && !*update {
				t.Errorf("%s, case %s:\n%s--- got\n%s--- want\n%s", file, f.Name, f.Data, got, want[name])
			}
		}
		if *update {
			if err := os.WriteFile(file, txtar.Format(out), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// translate gives the translation of a case as text: the whole program where
// there is no schema before it, else the transactions and the notes.
func translate(t *testing.T, schema, input string) string {
	files := []sqlmodel.File{{Name: "case.sql", Text: input}}
	if schema != "" {
		files = append([]sqlmodel.File{{Name: "schema.sql", Text: schema}}, files...)
	}
	prog, err := sqlmodel.Parse(files, sqlmodel.Options{MySQL: true})
	if err != nil {
		var e *ir.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", input, err)
		}
		return "error: " + err.Error() + "\n"
	}
	text := prog.String()
	if again, err := irtext.Parse("printed", text); err != nil {
		t.Errorf("what is printed does not parse: %v\n%s", err, text)
	} else if s := again.String(); s != text {
		t.Errorf("printed form changed:\n%s\n--- became\n%s", text, s)
	}
	var b strings.Builder
	if schema == "" {
		b.WriteString(text)
	} else {
		for _, txn := range prog.Txns {
			b.WriteString(txn.String())
		}
	}
	for _, n := range prog.Notes {
		fmt.Fprintf(&b, "note: %s: %s\n", n.Pos, n.Text)
	}
	return b.String()
}
