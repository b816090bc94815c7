package instrument

import (
	"path/filepath"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/ir"
)

// TestApplications instruments every application and trap: the result is sound,
// reads back from its printed form, and has the input's places.
func TestApplications(t *testing.T) {
	for _, a := range testprog.Apps(t) {
		if a.Whole() {
			testApplication(t, a.Dir(t))
		}
	}
}

func testApplication(t *testing.T, dir string) {
	p := testprog.Load(t, dir)
	before := p.String()
	for _, opt := range []Options{{Classic: true}, {Engine: engine.Postgres()}} {
		q, err := Rewrite(p, opt)
		if err != nil {
			t.Errorf("%s: %v", dir, err)
			continue
		}
		text := q.String()
		back, err := ir.Parse("printed", text)
		if err != nil {
			t.Errorf("%s: %v", dir, err)
		} else if back.String() != text {
			t.Errorf("%s: printed and read back it is another program", dir)
		}
		for _, txn := range q.Txns {
			ir.Walk(txn.Body, func(s ir.Stmt) {
				if !s.Position().IsValid() {
					t.Errorf("%s: %s: a statement without a place: %s", dir, txn.Name, ir.StmtString(s))
				}
			})
		}
		t.Logf("%s: %d tables became %d, %d bytes %d", filepath.Base(dir), len(p.Tables), len(q.Tables), len(before), len(text))
	}
	if p.String() != before {
		t.Errorf("%s: Rewrite changed its input", dir)
	}
}
