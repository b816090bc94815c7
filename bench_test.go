package robust_test

import (
	"path/filepath"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/sqlmodel"
)

// BenchmarkCheck decides the applications, from the text of their SQL to the
// verdict: a proof, or a confirmed execution.
func BenchmarkCheck(b *testing.B) {
	for _, f := range table(b, "apps") {
		folder, txns, want := f[0], f[1], f[2]
		if txns != "*" {
			continue
		}
		b.Run(folder+"/"+want, func(b *testing.B) {
			for b.Loop() {
				p, err := sqlmodel.Load(b.Context(), []string{filepath.Join("testdata", "apps", folder)}, sqlmodel.Options{})
				if err != nil {
					b.Fatal(err)
				}
				rep, err := robust.Check(b.Context(), p, robust.Options{Engine: engine.Postgres()})
				if err != nil {
					b.Fatal(err)
				}
				if rep.Verdict == robust.Unknown {
					b.Skip("unknown: " + rep.Open.Reason)
				}
				if string(rep.Verdict) != want {
					b.Fatalf("%s, want %s", rep.Verdict, want)
				}
			}
		})
	}
}
