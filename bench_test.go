package robust_test

import (
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/cache"
	"github.com/txrobust/robust/internal/check"
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
				rep, err := robust.Check(b.Context(), p, robust.Options{Question: robust.Question{Engine: engine.Postgres()}})
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

// paper are the ten applications of CAV'19, table 1.
var paper = []string{"auction", "cassieq", "courseware", "currency", "fusionticket", "playlist", "roomstore", "shoppingcart", "smallbank", "tpcc"}

// BenchmarkPaper decides the ten applications of the paper one after the other,
// and all but TPC-C.
func BenchmarkPaper(b *testing.B) {
	for name, apps := range map[string][]string{"ten": paper, "nine": paper[:len(paper)-1]} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				for _, app := range apps {
					p := testprog.Load(b, testprog.Path(b, "apps", app))
					rep, err := robust.Check(b.Context(), p, robust.Options{Question: robust.Question{Engine: engine.Postgres()}})
					if err != nil || rep.Verdict == robust.Unknown {
						b.Fatal(app, err, rep)
					}
				}
			}
		})
	}
}

// BenchmarkAgain decides applications with the answers of a run before, but for
// whole results, which the command keeps.
func BenchmarkAgain(b *testing.B) {
	for _, app := range []string{"playlist-deletetrack", "smallbank-promote-bw", "tpcc", "tpcc-extended"} {
		b.Run(app, func(b *testing.B) {
			p := testprog.Load(b, testprog.Path(b, "apps", app))
			opt := check.Options{Engine: engine.Postgres(), Cache: cache.Open(b.TempDir(), "bench", cache.Secret{})}
			again := func() {
				if rep, err := check.Check(b.Context(), p, opt); err != nil || rep.Verdict != robust.Robust {
					b.Fatal(err, rep)
				}
			}
			again()
			for b.Loop() {
				again()
			}
		})
	}
}
