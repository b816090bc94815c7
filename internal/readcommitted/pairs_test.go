package readcommitted_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/readcommitted"
	"github.com/txrobust/robust/report"
	"github.com/txrobust/robust/sqlmodel"
)

// TestPairs: programs that are proved at READ COMMITTED, each beside one with a fault, of which
// an execution is found.
func TestPairs(t *testing.T) {
	files, err := filepath.Glob("testdata/pairs/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".sql")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		common, rest, _ := strings.Cut(string(text), "-- FIXED\n")
		fixed, broken, ok := strings.Cut(rest, "-- BROKEN\n")
		if !ok {
			t.Fatalf("%s has not both parts", file)
		}
		for part, want := range map[string]report.Verdict{fixed: robust.Robust, broken: robust.NotRobust} {
			t.Run(name+"/"+string(want), func(t *testing.T) {
				dir := t.TempDir()
				if err := os.WriteFile(filepath.Join(dir, name+".sql"), []byte(common+part), 0o600); err != nil {
					t.Fatal(err)
				}
				p, err := sqlmodel.Load(t.Context(), []string{dir}, sqlmodel.Options{})
				if err != nil {
					t.Fatal(err)
				}
				rep, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: engine.Postgres(), Isolation: "rc"}})
				if err != nil {
					t.Fatal(err)
				}
				if rep.Verdict != want {
					t.Errorf("%s, want %s", rep.Verdict, want)
					for _, l := range rep.Levels {
						t.Logf("%s: %v %s", l.Transaction, l.Position, l.Reason)
					}
				}
			})
		}
	}
}

// TestSameCommand: what a command reads is not guarded by the locks that it takes itself.
func TestSameCommand(t *testing.T) {
	p, err := sqlmodel.Load(t.Context(), []string{"testdata/same_command.sql"}, sqlmodel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := readcommitted.Settle(p, func(*ir.Txn) bool { return true })[p.Txn("inc")]
	if s.Standing == readcommitted.Atomic || s.Standing == readcommitted.OneLook || !strings.Contains(s.Reason, "reads") {
		t.Errorf("%+v, want that the read is not guarded", s)
	}
}
