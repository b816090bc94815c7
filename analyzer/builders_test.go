package analyzer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/golden"
)

// TestBuilders compares what is found in modules that build their statements with
// libraries with golden files, one for each function, and some that use none. Each module has stubs of the libraries, so that no
// network is needed.
func TestBuilders(t *testing.T) {
	for _, name := range []string{"bun", "ent", "gopg", "gorm", "gorp", "migrations", "nested", "sql", "sqlboiler", "squirrel", "stmts", "sqlxnamed", "untraced"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join("testdata", "src", name)
			env := append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
			res, err := Load(context.Background(), []string{"./..."}, Options{Dir: dir, Env: env})
			if err != nil {
				t.Fatal(err)
			}
			golden.CompareFolder(t, filepath.Join(dir, "golden"), reports(res))
		})
	}
}

// reports prints a result for comparison: the transactions of each function in a file of
// its name, the notes, and the schema.
func reports(res *Result) map[string]string {
	out := map[string]string{}
	for _, n := range res.Notes {
		out["notes.txt"] += fmt.Sprintf("%s: %s\n", filepath.Base(n.Pos.String()), n.Text)
	}
	for _, x := range res.Txns {
		name, _, _ := strings.Cut(x.Name, "#")
		out[name+".txt"] += fmt.Sprintf("# %s\n%s\n", filepath.Base(x.Pos.String()), x)
	}
	for _, d := range res.Schema() {
		out["schema.sql"] += d.SQL
	}
	return out
}
