package analyzer

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestBuilders compares what is found in modules that build their statements with
// libraries with golden files, and some that use none. Each module has stubs of the libraries, so that no
// network is needed.
func TestBuilders(t *testing.T) {
	for _, name := range []string{"bun", "ent", "gorm", "nested", "sql", "squirrel", "sqlxnamed"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join("testdata", "src", name)
			env := append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
			res, err := Load(context.Background(), []string{"./..."}, Options{Dir: dir, Env: env})
			if err != nil {
				t.Fatal(err)
			}
			compare(t, filepath.Join(dir, "golden.txt"), report(res))
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

func compare(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (write it anew with -update):\n%s", file, diff(string(want), got))
	}
}

// diff gives the lines from the first to the last one that differs.
func diff(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return "-" + strings.Join(a, "\n-") + "\n+" + strings.Join(b, "\n+")
}
