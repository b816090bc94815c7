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
// libraries with golden files, and some that use none. Each module has stubs of the libraries, so that no
// network is needed.
func TestBuilders(t *testing.T) {
	for _, name := range []string{"bun", "ent", "gopg", "gorm", "gorp", "migrations", "nested", "sql", "squirrel", "stmts", "sqlxnamed"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join("testdata", "src", name)
			env := append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
			res, err := Load(context.Background(), []string{"./..."}, Options{Dir: dir, Env: env})
			if err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, filepath.Join(dir, "golden.txt"), report(res))
		})
	}
}

// report prints a result for comparison.
func report(res *Result) string {
	var out strings.Builder
	for _, n := range res.Notes {
		fmt.Fprintf(&out, "note %s: %s\n", filepath.Base(n.Pos.String()), n.Text)
	}
	for _, x := range res.Txns {
		fmt.Fprintf(&out, "# %s\n%s\n", filepath.Base(x.Pos.String()), x)
	}
	for i, d := range res.Schema() {
		if i == 0 {
			fmt.Fprintln(&out, "# schema")
		}
		fmt.Fprint(&out, d.SQL)
	}
	return out.String()
}
