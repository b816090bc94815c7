package instrument

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/sqlmodel"
)

// TestApplications instruments every application and trap: the result is sound,
// reads back from its printed form, and has the input's places.
func TestApplications(t *testing.T) {
	seen := 0
	for _, kind := range []string{"apps", "traps"} {
		files, err := filepath.Glob(filepath.Join("..", "testdata", kind, "*", "functions.sql"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			seen++
			dir := filepath.Dir(file)
			p, err := sqlmodel.Load(context.Background(), []string{dir}, sqlmodel.Options{})
			if err != nil {
				t.Fatal(err)
			}
			ir.Structure(p)
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
	}
	if seen < 30 {
		t.Errorf("there are only %d folders", seen)
	}
}
