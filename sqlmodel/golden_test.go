package sqlmodel

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/ir/irtext"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// wrap makes a function of statements, for the cases named *.pl.
const wrap = `CREATE FUNCTION f(p int, q int, s text) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v int; w int; t text; ok boolean; n numeric; arr int[]; r record; %s
BEGIN
%s
END $$;`

// TestGolden translates the cases of testdata/golden: *.sql are files, *.psql
// such with commands of psql or pgbench, *.pl statements of PL/pgSQL. What
// comes out stands in *.ir.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "golden", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	cases := 0
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		schema := ""
		for _, f := range ar.Files {
			if f.Name == "schema.sql" {
				schema = string(f.Data)
			}
			if name, ok := strings.CutSuffix(f.Name, ".ir"); ok {
				want[name] = string(f.Data)
			}
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
			cases++
			name := strings.TrimSuffix(f.Name, filepath.Ext(f.Name))
			got := translate(t, file+"/"+f.Name, schema, string(f.Data), filepath.Base(file) == "ddl.txtar")
			out.Files = append(out.Files, txtar.File{Name: name + ".ir", Data: []byte(got)})
			if got != want[name] && !*update {
				t.Errorf("%s, case %s:\n%s--- got\n%s--- want\n%s", file, name, f.Data, got, want[name])
			}
		}
		if *update {
			if err := os.WriteFile(file, txtar.Format(out), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	if cases < 120 {
		t.Errorf("there are only %d golden cases", cases)
	}
}

// wrapped makes a function of the statements of a case.
func wrapped(schema, input string) string {
	more := ""
	if strings.Contains(schema, "TYPE item") {
		more += "it item;"
	}
	if strings.Contains(schema, "TABLE a ") {
		more += "ra a%ROWTYPE;"
	}
	return fmt.Sprintf(wrap, more, input)
}

// translate gives the translation of a case as text: the tables, if they are
// what it is about, the transactions and the notes.
func translate(t *testing.T, name, schemaName, input string, tables bool) string {
	var files []File
	if schemaName != "" {
		files = append(files, File{Name: "schema.sql", Text: schemaName})
	}
	isBody := strings.HasSuffix(name, ".pl")
	if isBody {
		input = wrapped(schemaName, input)
	}
	if tables && !strings.Contains(input, "FUNCTION f(") {
		input += "CREATE FUNCTION nothing() RETURNS int LANGUAGE sql AS 'SELECT 1';\n"
	}
	files = append(files, File{Name: "case.sql", Text: input})
	prog, err := Parse(files, Options{})
	if err != nil {
		var e *ir.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
		return "error: " + err.Error() + "\n"
	}
	text := prog.String()
	if again, err := irtext.Parse("printed", text); err != nil {
		t.Errorf("%s: what is printed does not parse: %v\n%s", name, err, text)
	} else if s := again.String(); s != text {
		t.Errorf("%s: printed form changed:\n%s\n--- became\n%s", name, text, s)
	}
	var b strings.Builder
	if tables {
		text = strings.TrimPrefix(text, "program case\n")
		text, _, _ = strings.Cut(text, `txn "nothing"`)
		b.WriteString(text)
	} else {
		for _, txn := range prog.Txns {
			if !isBody {
				b.WriteString(txn.String())
				continue
			}
			if txn.Level != "" {
				fmt.Fprintf(&b, "level %s\n", txn.Level)
			}
			for _, s := range txn.Body {
				if text := s.String(); text != "" { // a Send has none
					b.WriteString(text + "\n")
				}
			}
		}
	}
	for _, n := range prog.Notes {
		fmt.Fprintf(&b, "note: %s: %s\n", n.Pos, n.Text)
	}
	return b.String()
}

// TestLateTable checks that files may name tables that a later file declares.
func TestLateTable(t *testing.T) {
	prog, err := Parse([]File{
		{Name: "a.sql", Text: "CREATE FUNCTION f(p t.v%TYPE) RETURNS int LANGUAGE sql AS 'SELECT v FROM t WHERE k = 1';\n" +
			"INSERT INTO t VALUES (1, 2);\nCREATE UNIQUE INDEX i ON t (v);\nALTER TABLE t ADD CHECK (v > 0);"},
		{Name: "b.sql", Text: "CREATE TABLE t (k int PRIMARY KEY, v int);"},
	}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	tab := prog.Table("t")
	if len(tab.Rows) != 1 || len(tab.Uniques) != 1 || len(tab.Checks) != 1 {
		t.Errorf("something is missing:\n%s", prog)
	}
}

// TestDump checks that what pg_dump writes for psql is no part of the SQL, and
// that places after it are right.
func TestDump(t *testing.T) {
	src := "\\restrict x1\nCREATE TABLE t (k int PRIMARY KEY);\nCOPY public.t (k) FROM stdin;\n1\n; ' é\n\\.\n" +
		"CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT %s FROM t WHERE k = 1';\n\\unrestrict x1\n"
	want := "txn f {\n  local k int;\n  (k) := select t.k from t where t.k == 1;\n  emit k;\n}\n" +
		"note: case.sql:3:1: COPY is not read: its rows are no initial rows\n"
	if got := translate(t, "case.sql", "", fmt.Sprintf(src, "k"), false); got != want {
		t.Errorf("got %s", got)
	}
	_, err := Parse([]File{{Name: "case.sql", Text: fmt.Sprintf(src, "z")}}, Options{})
	if err == nil || err.Error() != "case.sql:7:57: there is no column or variable z" {
		t.Errorf("got %v", err)
	}
}

// TestTooLarge checks that calls that multiply do not take all memory.
func TestTooLarge(t *testing.T) {
	src := "CREATE TABLE t (k int PRIMARY KEY, v int);\n" +
		"-- robust: helper\nCREATE FUNCTION f0(p int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN UPDATE t SET v = p; RETURN p; END $$;\n"
	for i := 1; i <= 12; i++ {
		if i < 12 {
			src += "-- robust: helper\n"
		}
		src += fmt.Sprintf("CREATE FUNCTION f%d(p int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN %sf%d(p); END $$;\n",
			i, strings.Repeat(fmt.Sprintf("f%d(p) + ", i-1), 7), i-1)
	}
	got := translate(t, "case.sql", "", src, false)
	want := "txn f12(p int) {\n  unmodelled (t) 'a transaction of more than 20000 statements';\n}\n"
	if !strings.HasPrefix(got, want) {
		t.Errorf("got %.300s", got)
	}
	// Expressions of functions, too.
	src = "CREATE FUNCTION f0(p int) RETURNS int LANGUAGE sql AS 'SELECT p + 1';\n"
	for i := 1; i <= 30; i++ {
		src += fmt.Sprintf("CREATE FUNCTION f%d(p int) RETURNS int LANGUAGE sql AS 'SELECT f%d(p) + f%d(p)';\n", i, i-1, i-1)
	}
	if got := translate(t, "case.sql", "", src, false); len(got) > 1<<20 {
		t.Errorf("the expression has %d characters", len(got))
	}
}
