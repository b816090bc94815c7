package instrument

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/ir/irtext"
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

// acts reports whether a foreign key of p has an action.
// acts reports whether some transaction does what cannot be instrumented: an
// action of a foreign key, or a change of a key.
func acts(p *ir.Program) bool {
	found := false
	for _, t := range p.Txns {
		ir.Walk(t.Body, func(s ir.Stmt) {
			switch s := s.(type) {
			case *ir.Cascade:
				found = true
			case *ir.Insert:
				found = found || len(s.Moved) > 0
			}
		})
	}
	return found
}

func testApplication(t *testing.T, dir string) {
	p := testprog.Load(t, dir)
	before := p.String()
	for _, opt := range []Options{{Classic: true}, {Engine: engine.Postgres()}} {
		q, err := Rewrite(p, opt)
		if acts(p) {
			if err == nil || !strings.Contains(err.Error(), "cannot be instrumented, since") {
				t.Errorf("%s: %v; want an error about an action of a foreign key or a change of a key", dir, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", dir, err)
			continue
		}
		text := q.String()
		back, err := irtext.Parse("printed", text)
		if err != nil {
			t.Errorf("%s: %v", dir, err)
		} else if back.String() != text {
			t.Errorf("%s: printed and read back it is another program", dir)
		}
		for _, txn := range q.Txns {
			ir.Walk(txn.Body, func(s ir.Stmt) {
				if !s.Position().IsValid() {
					t.Errorf("%s: %s: a statement without a place: %s", dir, txn.Name, s.String())
				}
			})
		}
		t.Logf("%s: %d tables became %d, %d bytes %d", filepath.Base(dir), len(p.Tables), len(q.Tables), len(before), len(text))
	}
	if p.String() != before {
		t.Errorf("%s: Rewrite changed its input", dir)
	}
}
