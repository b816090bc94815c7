package sqlmodel_test

import (
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/internal/wellformed"
	"github.com/txrobust/robust/ir/irtext"
)

// TestApplications checks that every folder of testdata/apps and testdata/traps
// is modelled whole: a template per function, nothing left out and nothing
// unmodelled except what foreign keys do to children, and a program that is
// sound and reads back from its printed form.
func TestApplications(t *testing.T) {
	for _, a := range testprog.Apps(t) {
		if a.Whole() {
			t.Run(a.Kind+"/"+a.Folder, func(t *testing.T) { testApplication(t, a.Dir(t)) })
		}
	}
}

func testApplication(t *testing.T, dir string) {
	prog := testprog.Load(t, dir)
	if want := strings.Count(testprog.SQL(t, dir)[1], "CREATE FUNCTION "); len(prog.Txns) != want {
		t.Errorf("%d templates for %d functions", len(prog.Txns), want)
	}
	for _, n := range prog.Notes {
		t.Errorf("%s: %s", n.Pos, n.Text)
	}
	for _, txn := range prog.Txns {
		ir.Walk(txn.Body, func(s ir.Stmt) {
			if u, ok := s.(*ir.Unmodelled); ok && !strings.HasPrefix(u.Reason, "ON DELETE ") {
				t.Errorf("%s: %s is not modelled", u.Pos, u.Reason)
			}
		})
	}
	if err := wellformed.Check(prog); err != nil {
		t.Error(err)
	}
	text := prog.String()
	again, err := irtext.Parse("printed", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if got := again.String(); got != text {
		t.Errorf("the printed form changes:\n%s\n---\n%s", text, got)
	}
}
