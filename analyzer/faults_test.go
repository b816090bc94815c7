package analyzer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/fault"
	"github.com/txrobust/robust/ir"
)

// loadFiles loads a module with some files.
func loadFiles(t *testing.T, opt Options, files map[string]string) *Result {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module app.test\n\ngo 1.24\n"
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	opt.Dir, opt.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	res, err := Load(context.Background(), []string{"./..."}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// unknowns are the transactions that may do anything, by name.
func unknowns(res *Result) map[string]bool {
	out := map[string]bool{}
	for _, x := range res.Txns {
		u, is := x.Body[0].(*client.Unknown)
		out[x.Name] = is && u.Tables == nil && !u.ReadOnly
	}
	return out
}

// layered is a program in which each function calls each of the layer below: the lowest
// statement is sent width to the power of layers times.
func layered(layers, width int) string {
	var b strings.Builder
	b.WriteString("package main\n\nimport \"database/sql\"\n\nfunc l0(tx *sql.Tx, id int) error {\n\t_, err := tx.Exec(\"UPDATE t SET n = n + 1 WHERE id = $1\", id)\n\treturn err\n}\n")
	for l := range layers {
		fmt.Fprintf(&b, "\nfunc l%d(tx *sql.Tx, id int) error {\n", l+1)
		for range width {
			fmt.Fprintf(&b, "\tif err := l%d(tx, id); err != nil {\n\t\treturn err\n\t}\n", l)
		}
		b.WriteString("\treturn nil\n}\n")
	}
	fmt.Fprintf(&b, `
func Top(db *sql.DB, id int) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := l%d(tx, id); err != nil {
		return err
	}
	return tx.Commit()
}

func Small(db *sql.DB, id int) error {
	_, err := db.Exec("DELETE FROM t WHERE id = $1", id)
	return err
}

func main() { Top(nil, 1); Small(nil, 1) }
`, layers)
	return b.String()
}

// TestTooLarge: a function that calls too much may do anything. Other functions are read all the
// same, and so is a function that calls less.
func TestTooLarge(t *testing.T) {
	for layers, large := range map[int]bool{2: false, 7: true} {
		res := loadFiles(t, Options{}, map[string]string{"main.go": layered(layers, 8)})
		u := unknowns(res)
		if small, known := u["Small"]; !known || small || u["Top"] != large || len(u) != 2 || len(res.Faults) > 0 {
			t.Errorf("%d layers: what may do anything is %v, faults %v", layers, u, res.Faults)
		}
		if noted := slices.ContainsFunc(res.Notes, func(n ir.Note) bool { return strings.HasPrefix(n.Text, "Top is not read: ") }); noted != large {
			t.Errorf("%d layers: the notes are %v", layers, res.Notes)
		}
	}
}

// keeping is a program whose statements are prepared by a function that gets their texts, or that has
// them; Top, which calls it, is too large.
func keeping(text, param string) string {
	return strings.Replace(layered(7, 8), "func Top(db *sql.DB, id int) error {", fmt.Sprintf(`
type kept struct{ find *sql.Stmt }

func (k *kept) prepare(db *sql.DB%s) (err error) {
	k.find, err = db.Prepare(%s)
	return err
}

func (k *kept) Find(id int) (n int, err error) {
	err = k.find.QueryRow(id).Scan(&n)
	return n, err
}

func Top(db *sql.DB, id int) error {
	(&kept{}).prepare(db%s)`, param, text, strings.Replace(param, ", text string", ", \"SELECT 1\"", 1)), 1)
}

// TestKeptBesideTooLarge: a prepared statement is known whatever becomes of those that call the function
// which prepares it, unless they give the text.
func TestKeptBesideTooLarge(t *testing.T) {
	const text = "SELECT n FROM t WHERE id = $1"
	for _, c := range []struct {
		program string
		known   bool
	}{{keeping(strconv.Quote(text), ""), true}, {keeping("text", ", text string"), false}} {
		res := loadFiles(t, Options{}, map[string]string{"main.go": strings.Replace(c.program, "Small(nil, 1)", "Small(nil, 1); (&kept{}).Find(1)", 1)})
		if u := unknowns(res); !u["Top"] {
			t.Fatalf("what may do anything is %v", u)
		}
		i := slices.IndexFunc(res.Txns, func(x *client.Txn) bool { return x.Name == "kept.Find" })
		if i < 0 {
			t.Fatalf("there is no transaction of kept.Find")
		}
		if q, ok := res.Txns[i].Body[0].(*client.Query); !ok || (q.SQL == text) != c.known {
			t.Errorf("the statement is %v, which is to be known: %v", res.Txns[i].Body[0], c.known)
		}
	}
}

// TestWithin: what is not read in time is one transaction that may do anything, and a note
// names it. An end of the context is an error.
func TestWithin(t *testing.T) {
	res := loadFiles(t, Options{Within: 1}, map[string]string{"main.go": layered(1, 1)})
	if u := unknowns(res); !u["what was not read in time"] || len(u) != 1 {
		t.Errorf("what may do anything is %v", u)
	}
	if !slices.ContainsFunc(res.Notes, func(n ir.Note) bool {
		return strings.Contains(n.Text, "not read in time: ") && strings.Contains(n.Text, "Top")
	}) {
		t.Errorf("the notes are %v", res.Notes)
	}
	res = loadFiles(t, Options{Within: time.Hour}, map[string]string{"main.go": layered(1, 1)})
	if u := unknowns(res); len(u) != 2 || u["Top"] || u["Small"] {
		t.Errorf("with time, what may do anything is %v", u)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := res.source.extract(ctx, 0, func(int, int) {}); err != context.Canceled {
		t.Errorf("without a context: %v", err)
	}
}

// TestFault: a panic in the model of a function is a fault with its stack, makes the
// function unknown that is read, and takes nothing away from the others.
func TestFault(t *testing.T) {
	res := loadFiles(t, Options{}, map[string]string{"main.go": `package main

import (
	"database/sql"
	"strings"
)

func Bad(db *sql.DB) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	tx.Exec(strings.ToTitle("delete from t"))
	return tx.Commit()
}

func Good(db *sql.DB) error {
	_, err := db.Exec("DELETE FROM t")
	return err
}

func main() { Bad(nil); Good(nil) }
`})
	if u := unknowns(res); u["Bad"] || u["Good"] || len(u) != 2 || len(res.Faults) > 0 {
		t.Fatalf("without a fault: %v, %v", u, res.Faults)
	}
	res.source.Functions["strings.ToTitle"] = func(*session.Session, *session.Invocation) (memory.Value, bool) {
		var none []int
		panic(none[len(res.Txns)])
	}
	broken, err := res.source.extract(t.Context(), 0, func(int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	if u := unknowns(broken); !u["Bad"] || u["Good"] || len(u) != 2 {
		t.Errorf("what may do anything is %v", u)
	}
	faults := fault.All(broken.Faults[0])
	if len(broken.Faults) != 1 || len(faults) != 1 || !strings.Contains(faults[0].Value, "index out of range") || !strings.Contains(faults[0].Stack, "faults_test.go") || !strings.Contains(faults[0].Part, "Bad") {
		t.Errorf("the faults are %v", broken.Faults)
	}
	if !slices.ContainsFunc(broken.Notes, func(n ir.Note) bool { return strings.Contains(n.Text, "Bad is not read: a fault of this program") }) {
		t.Errorf("the notes are %v", broken.Notes)
	}
}

// TestPartlyBroken: of a package with errors the functions that type-check are read, and so
// are all of those that import it and use nothing that is left out.
func TestPartlyBroken(t *testing.T) {
	res := loadFiles(t, Options{}, map[string]string{
		"bad/bad.go": `package bad

import "database/sql"

type Options struct {
	N int
	W Missing
}

func Good(db *sql.DB) error { _, err := db.Exec("DELETE FROM good"); return err }

func Broken(db *sql.DB) error { return nothing(db) }

func Weird(o Options) Missing { return o.W }
`,
		"worse/worse.go": "package worse\n\nimport \"nowhere.test/x\"\n\nvar V = x.New()\n\nfunc Use() x.T { return V }\n",
		"soft/soft.go":   "package soft\n\nimport \"database/sql\"\n\nfunc Soft(db *sql.DB) error { n := 1; _, err := db.Exec(\"DELETE FROM soft\"); return err }\n",
		"store/store.go": `package store

import (
	"database/sql"

	"app.test/bad"
	"app.test/worse"
)

func Move(db *sql.DB) error { _, err := db.Exec("DELETE FROM moved"); return err }

func Reset(db *sql.DB) error { return bad.Good(db) }

func Useless(db *sql.DB) error { worse.Use(); return bad.Broken(db) }
`,
	})
	var names []string
	u := unknowns(res)
	for name, unknown := range u {
		if unknown != strings.HasPrefix(name, "package ") {
			t.Errorf("%s: unknown is %v", name, unknown)
		}
		names = append(names, name)
	}
	slices.Sort(names)
	if got, want := strings.Join(names, ", "), "Good, Move, Soft, package app.test/bad, package app.test/store, package app.test/worse"; got != want {
		t.Errorf("the transactions are %s, want %s", got, want)
	}
	for _, want := range []string{"app.test/bad has errors: undefined: Missing; what does not type-check is left out (2): Broken, Weird",
		"app.test/store has errors: something that it imports has errors; what does not type-check is left out (1): Useless", "app.test/soft has errors: declared and not used: n"} {
		if !slices.ContainsFunc(res.Notes, func(n ir.Note) bool { return strings.HasSuffix(n.Text, want) }) {
			t.Errorf("no note is %q: %v", want, res.Notes)
		}
	}
}

// TestVariablesBesideFaults: a package variable that nobody changes has its value, unless code that is left out can name it.
func TestVariablesBesideFaults(t *testing.T) {
	for imports, known := range map[string]bool{"": true, "import \"app.test/texts\"\n\n": false, "import _ \"nowhere.test/x\"\n\n": false} {
		body := ""
		if strings.Contains(imports, "texts") {
			body = "texts.Q.Get = \"DELETE FROM other\"; "
		}
		res := loadFiles(t, Options{}, map[string]string{
			"texts/texts.go": "package texts\n\nvar Q = struct{ Get string }{Get: \"DELETE FROM done\"}\n",
			"bad/bad.go":     "package bad\n\n" + imports + "func Set() { " + body + "nothing() }\n",
			"store/store.go": "package store\n\nimport (\n\t\"database/sql\"\n\n\t\"app.test/texts\"\n)\n\nfunc Run(db *sql.DB) error { _, err := db.Exec(texts.Q.Get); return err }\n",
		})
		found := false
		for _, x := range res.Txns {
			found = found || strings.Contains(x.String(), "DELETE FROM done")
		}
		if found != known {
			t.Errorf("%q: the text is known: %v, want %v", imports, found, known)
		}
	}
}

// TestLostSource: where a part of the source is not known, it may do anything.
func TestLostSource(t *testing.T) {
	const good = "package app\n\nimport \"database/sql\"\n\nfunc Good(db *sql.DB) error { _, err := db.Exec(\"DELETE FROM good\"); return err }\n"
	const take = "import \"database/sql\"\n\nfunc Take(db *sql.DB) error { _, err := db.Exec(\"DELETE FROM taken\"); return err }\n"
	for what, tc := range map[string]struct {
		name, text string
		lost       bool
	}{
		"an import that is not there":    {"p/p.go", "package p\n\nimport _ \"nowhere.test/x\"\n" + take, true},
		"a package that is not there":    {"p/p.go", "package p\n\nimport _ \"app.test/nowhere\"\n" + take, true},
		"an import cycle":                {"p/p.go", "package p\n\nimport _ \"app.test/p\"\n" + take, true},
		"a misspelt package clause":      {"b.go", "pakage app\n\n" + take, true},
		"a misspelt one in a folder":     {"p/p.go", "pakage p\n\n" + take, true},
		"a conflict":                     {"b.go", "<<<<<<< ours\npackage app\n\n" + take, true},
		"no text":                        {"b.go", "\xff\xfe" + take, true},
		"a comment without an end":       {"b.go", "package app\n\nfunc other() {}\n\n/* " + take, true},
		"the end of the file":            {"b.go", "package app\n\n" + strings.TrimSuffix(take, "return err }\n"), true},
		"another package in a folder":    {"b.go", "package other\n\n" + take, true},
		"a function that is there twice": {"b.go", "package app\n\n" + take + strings.TrimPrefix(good, "package app\n\nimport \"database/sql\"\n"), true},
		"a method that is there twice":   {"b.go", "package app\n\ntype T int\n\nfunc (T) A() {}\n\nfunc (T) A() {}\n\nvar _, x = 1, 2\n\nfunc init() {}\n\nfunc init() {}\n", true},
		"a file to embed":                {"b.go", "package app\n\nimport _ \"embed\"\n\n//go:embed dist/*.css\nvar css string\n", false},
		"nothing":                        {"b.go", "package app\n\nfunc init() {}\n\nfunc init() {}\n\nvar _ = 1\n", false},
	} {
		res := loadFiles(t, Options{}, map[string]string{"go.mod": "module app.test\n\ngo 1.24\n", "a.go": good, tc.name: tc.text})
		lost := false
		for name, unknown := range unknowns(res) {
			lost = lost || unknown && strings.HasPrefix(name, "package app.test")
		}
		if lost != tc.lost {
			t.Errorf("%s: lost is %v: %v, %v", what, lost, unknowns(res), res.Notes)
		}
	}
}

// TestUnbuiltPackage takes away the types of a package's functions, so that SSA cannot be built.
func TestUnbuiltPackage(t *testing.T) {
	for _, broken := range []bool{true, false} {
		dir := t.TempDir()
		file := filepath.Join(dir, "a.go")
		text := "package app\n\nimport \"database/sql\"\n\nfunc Take(db *sql.DB) error { _, err := db.Exec(\"DELETE FROM taken\"); return err }\n"
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		pkgs, err := packages.Load(&packages.Config{Context: t.Context(), Dir: dir, Mode: packages.LoadAllSyntax}, "a.go")
		if err != nil || len(pkgs) != 1 || len(pkgs[0].Errors) > 0 {
			t.Fatal(err, pkgs)
		}
		if broken {
			clear(pkgs[0].TypesInfo.Selections)
			clear(pkgs[0].TypesInfo.Uses)
		}
		r := &reading{dir: dir, roots: pkgs}
		list := r.good(pkgs)
		if got := len(r.missing) > 0; got != broken || broken == (len(r.read) > 0) || broken == (len(list) > 0) {
			t.Errorf("broken %v: %d packages, %d missing, notes %v", broken, len(list), len(r.missing), r.notes)
		}
	}
}
