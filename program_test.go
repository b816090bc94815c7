package robust_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/analyzer"
	"github.com/txrobust/robust/engine"
)

// TestGoProgram checks Go code with a schema that is named, with none, and with one that is
// not there.
func TestGoProgram(t *testing.T) {
	dir := filepath.Join("testdata", "example")
	found, err := analyzer.Load(t.Context(), []string{"./transfer"}, analyzer.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	schema := filepath.Join(dir, "schema", "schema.sql")
	p, err := robust.GoProgram(t.Context(), found, schema)
	if err != nil {
		t.Fatal(err)
	}
	if p.Name != "example" || len(p.Txns) != 2 || len(p.Tables) != 1 || len(p.Tables[0].Columns) != 3 {
		t.Errorf("the program is not that of the source:\n%s", p)
	}
	rep, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: engine.Postgres()}})
	if err != nil {
		t.Fatal(err)
	}
	if rep.Verdict != robust.NotRobust || len(rep.Findings) != 1 || strings.Join(rep.Findings[0].Cycle, " ") != "Withdraw Withdraw" {
		t.Errorf("%s: %v", rep.Verdict, rep.Findings)
	}
	if p, err = robust.GoProgram(t.Context(), found); err != nil {
		t.Fatal(err)
	}
	where := ""
	for _, n := range p.Notes {
		where += n.Pos.File + ": " + n.Text + "\n"
	}
	if !strings.Contains(where, "schema was found") {
		t.Errorf("no note says which schema is taken:\n%s", where)
	}
	if _, err := robust.GoProgram(t.Context(), found, schema+".not"); err == nil {
		t.Error("a schema that is not there is no error")
	}
}
