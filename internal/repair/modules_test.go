package repair

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/check"
	"github.com/txrobust/robust/internal/goprogram"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/report"
)

// golang is an application in Go, in a folder of the module in the current directory.
func golang(t *testing.T, dir string) Program {
	t.Helper()
	reading := &goprogram.Reading{Patterns: []string{"./" + dir}, Options: goprogram.Options{Schema: []string{dir + "/schema.sql"}}}
	files, err := reading.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return Program{
		Files:    files,
		InSource: true,
		Levels:   []string{"rr", "serializable"},
		Load: func(files []input.File) (*Model, error) {
			found, p, err := reading.Program(t.Context(), files)
			if err != nil {
				return nil, err
			}
			return &Model{p, found.Txns}, nil
		},
		Check: func(ctx context.Context, p *ir.Program, _ map[string]string) (*report.Report, error) {
			return check.Check(ctx, p, check.Options{Engine: engine.Postgres(), Isolation: levels.AtCode, First: true, Shared: true})
		},
	}
}

// goModule puts the packages of testdata into a module of their own, which uses what this one does, and goes there.
func goModule(t *testing.T) {
	t.Helper()
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile("../../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/go")); err != nil {
		t.Fatal(err)
	}
	runner, err := os.ReadFile("testdata/runner/main.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOWORK", "off")
	write(t, "go.mod", regexp.MustCompile(`(?m)^module .*$`).ReplaceAllString(string(mod), "module example.com/shops"))
	write(t, "go.sum", string(sum))
	write(t, "runner/main.go", string(runner))
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// exported matches the functions that are called.
var exported = regexp.MustCompile(`(?m)^func ([A-Z]\w*)\(ctx`)

// build builds the runner for an application with these texts of its files.
func build(t *testing.T, dir string, files []input.File) string {
	t.Helper()
	var table strings.Builder
	for _, f := range files {
		if strings.HasSuffix(f.Name, ".go") {
			write(t, f.Name, f.Text)
			for _, m := range exported.FindAllStringSubmatch(f.Text, -1) {
				fmt.Fprintf(&table, "\t%q: app.%s,\n", m[1], m[1])
			}
		}
	}
	write(t, "runner/table.go", fmt.Sprintf("package main\n\nimport app %q\n\nvar functions = map[string]any{\n%s}\n", "example.com/shops/"+dir, table.String()))
	bin := filepath.Join(t.TempDir(), "runner")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "./runner").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

// start makes the database of an application and starts its runner.
func start(t *testing.T, dir string, files []input.File) *application {
	t.Helper()
	schema := slices.DeleteFunc(slices.Clone(files), func(f input.File) bool { return filepath.Base(f.Name) != "schema.sql" })
	a := database(t, schema)
	cmd := exec.Command(build(t, dir, files), a.dsn) // it ends with its input
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	lines := bufio.NewScanner(out)
	next := func() string {
		if !lines.Scan() {
			t.Fatal("the runner ended", lines.Err())
		}
		return lines.Text()
	}
	a.one = func(call string) string {
		io.WriteString(in, "one "+call+"\n") // next says if nobody reads
		return next()
	}
	a.two = func(calls [2]string) [2]string {
		io.WriteString(in, "two "+calls[0]+"|"+calls[1]+"\n")
		return [2]string{next(), next()}
	}
	for _, f := range files {
		for _, m := range exported.FindAllStringSubmatch(f.Text, -1) {
			a.functions = append(a.functions, m[1])
		}
	}
	a.random = func(rnd *rand.Rand, from, to int) string {
		return fmt.Sprintf("%s %d %d", a.functions[rnd.IntN(len(a.functions))], from+rnd.IntN(to-from), from+rnd.IntN(to-from))
	}
	return a
}

// TestModules repairs applications in Go. Two calls at the same time do what no serial order does, and not with a repair;
// calls one after the other have the same results and rows with a repair as without.
func TestModules(t *testing.T) {
	goModule(t)
	list, err := filepath.Glob("*/schema.sql")
	if err != nil || len(list) < 15 {
		t.Fatal(len(list), err)
	}
	for i, schema := range list {
		if (i+1)%*every != 0 {
			continue
		}
		dir := filepath.Dir(schema)
		t.Run(dir, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(dir, dir+".go"))
			if err != nil {
				t.Fatal(err)
			}
			p := golang(t, dir)
			res, err := Propose(t.Context(), p, Limits{Want: *many, Checks: 30, Each: 5 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			_, want := expected(t, string(text))
			has(t, res, want)
			a := start(t, dir, p.Files)
			before := a.serially()
			a.inPairs(res, func(r *Repair) *application {
				changed := slices.Clone(p.Files)
				for i, f := range changed {
					if k := slices.IndexFunc(r.Files(), func(g input.File) bool { return g.Name == f.Name }); k >= 0 {
						changed[i] = r.Files()[k]
					}
				}
				b := start(t, dir, changed)
				if diff := differ(before, b.serially()); diff != "" {
					t.Errorf("with %s, seed %d: %s", kinds(r), *seed, diff)
				}
				return b
			})
		})
	}
}

// TestUnchanged: what no constant of the source says is named, and not changed.
func TestUnchanged(t *testing.T) {
	goModule(t)
	write(t, "made/schema.sql", "CREATE TABLE item (id int PRIMARY KEY, stock int NOT NULL);\n")
	write(t, "made/made.go", `package made

import (
	"context"
	"database/sql"
	"fmt"
)

var options = &sql.TxOptions{}

func read(table string) string { return fmt.Sprintf("SELECT stock FROM %s WHERE id = $1", table) }

func Sell(ctx context.Context, db *sql.DB, id, n int) error {
	tx, err := db.BeginTx(ctx, options)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var stock int
	if err := tx.QueryRowContext(ctx, read("item"), id).Scan(&stock); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock-n, id); err != nil {
		return err
	}
	return tx.Commit()
}
`)
	res, err := Propose(t.Context(), golang(t, "made"), Limits{Want: 3, Checks: 10, Each: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(res.Notes, "\n")
	if len(res.Repairs) != 0 || res.Before.Verdict != report.NotRobust || !strings.Contains(notes, "made/made.go:20:15: this statement is not changed") || !strings.Contains(notes, "made/made.go:14:16: the level of Sell is not changed") {
		t.Errorf("%s: %d repairs, and the notes are\n%s", res.Before.Verdict, len(res.Repairs), notes)
	}
}

// TestGORM: a query of GORM gets a locking clause in its chain of calls, and the file imports what that needs.
func TestGORM(t *testing.T) {
	stub, err := filepath.Abs("../../analyzer/testdata/stubs/gorm")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	t.Setenv("GOWORK", "off")
	write(t, "go.mod", "module example.com/shop\n\ngo 1.24\n\nrequire gorm.io/gorm v0.0.0\n\nreplace gorm.io/gorm => "+stub+"\n")
	write(t, "shop/schema.sql", "CREATE TABLE items (id bigint PRIMARY KEY, stock bigint NOT NULL);\n")
	write(t, "shop/shop.go", `package shop

import (
	"gorm.io/gorm"
)

// Item is a row of items.
type Item struct {
	ID    int64
	Stock int64
}

// Sell takes n from a stock.
func Sell(db *gorm.DB, id, n int64) error {
	return db.Transaction(func(tx *gorm.DB) error {
		var item Item
		// so far
		if err := tx.First(&item, id).Error; err != nil {
			return err
		}
		return tx.Model(&Item{}).Where("id = ?", id).Update("stock", item.Stock-n).Error
	})
}
`)
	res, err := Propose(t.Context(), golang(t, "shop"), Limits{Want: 2, Checks: 12, Each: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	has(t, res, []string{"for-update Sell", "level Sell"})
	if len(res.Notes) > 0 {
		t.Errorf("the notes are %q", res.Notes)
	}
	for _, r := range res.Repairs {
		want := map[Kind]string{LockUpdate: `+		if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).First(&item, id).Error; err != nil {`, Level: "+	}, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})"}[r.Changes[0].Kind]
		if want == "" || !strings.Contains(r.Diff, want) || !strings.Contains(r.Diff, "+\t\"") {
			t.Errorf("the diff lacks %q\n%s", want, r.Diff)
		}
	}
}
