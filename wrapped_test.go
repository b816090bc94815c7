package robust_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/analyzer"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/report"
)

// TestWrapped: in programs with types of their own around the database, a transaction with a
// write skew is told from one that locks what it reads. Helpers and wrappers are none.
func TestWrapped(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("analyzer", "testdata", "src", "wrapped")
	env := append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	found, err := analyzer.Load(t.Context(), []string{"./..."}, analyzer.Options{Dir: dir, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	all := found.Txns
	bugs, fixes := 0, 0
	for _, x := range all {
		var want report.Verdict
		switch {
		case strings.HasSuffix(x.Name, "Bug"):
			want = robust.NotRobust
			bugs++
		case strings.HasSuffix(x.Name, "Fix"):
			want = robust.Robust
			fixes++
		case strings.HasPrefix(x.Name, "repo."): // a statement by itself where the context has no transaction
			continue
		default:
			t.Errorf("%s counts as a transaction:\n%s", x.Name, x)
			continue
		}
		found.Txns = []*client.Txn{x}
		p, err := robust.GoProgram(t.Context(), found, filepath.Join(dir, "schema.sql"))
		if err != nil {
			t.Fatal(err)
		}
		rep, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: engine.Postgres()}})
		if err != nil {
			t.Fatal(err)
		}
		if rep.Verdict != want {
			t.Errorf("%s is %s, want %s:\n%s", x.Name, rep.Verdict, want, x)
		}
	}
	if bugs != fixes || bugs < 15 {
		t.Errorf("there are %d transactions with a bug, and %d without", bugs, fixes)
	}
	for _, want := range []string{"nobody in the program calls are left out: Unused", "nobody in the program calls are left out: Unused, Pool.run"} {
		if !slices.ContainsFunc(found.Notes, func(n ir.Note) bool { return strings.Contains(n.Text, want) }) {
			t.Errorf("no note says %q: %v", want, found.Notes)
		}
	}
}
