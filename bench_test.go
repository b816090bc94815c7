package robust_test

import (
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/testprog"
)

// BenchmarkCheck decides the applications, from the text of their SQL to the
// verdict: a proof, or a confirmed execution.
func BenchmarkCheck(b *testing.B) {
	for _, app := range testprog.Apps(b) {
		if !app.Whole() || app.Kind != "apps" {
			continue
		}
		b.Run(app.Folder+"/"+app.Verdict, func(b *testing.B) {
			for b.Loop() {
				p := app.Load(b)
				rep, err := robust.Check(b.Context(), p, robust.Options{Engine: engine.Postgres()})
				if err != nil {
					b.Fatal(err)
				}
				if string(rep.Verdict) != app.Verdict {
					b.Fatalf("%s, want %s", rep.Verdict, app.Verdict)
				}
			}
		})
	}
}
