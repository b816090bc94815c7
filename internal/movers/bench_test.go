package movers

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/cache"
	"github.com/txrobust/robust/internal/progen"
)

// sizes are those of the generated applications.
var sizes = []struct{ templates, tables int }{{10, 5}, {50, 20}, {200, 60}, {1000, 200}}

// BenchmarkApplication proves generated applications: without a cache, and
// again with what the cache has of them.
func BenchmarkApplication(b *testing.B) {
	for _, size := range sizes {
		p := progen.Application(rand.New(rand.NewSource(1)), size.templates, size.tables)
		opt := Options{Engine: engine.Postgres()}
		prove := func(b *testing.B) {
			for b.Loop() {
				res := mustProve(b, p, opt)
				if res.Verdict != Robust {
					b.Fatalf("%v %s %v", res.Verdict, res.Reason, res.Walks)
				}
				b.ReportMetric(float64(res.Stats.Queries), "queries")
				b.ReportMetric(float64(res.Stats.Syntactic), "syntactic")
			}
		}
		name := fmt.Sprintf("%d-%d", size.templates, size.tables)
		b.Run(name, prove)
		b.Run(name+"-again", func(b *testing.B) {
			opt.Cache = cache.Open(b.TempDir(), "bench", cache.Secret{})
			mustProve(b, p, opt)
			prove(b)
		})
		opt.Cache = nil
	}
}

// TestApplication: generated applications are proved, without facts.
func TestApplication(t *testing.T) {
	for seed := range int64(3) {
		p := progen.Application(rand.New(rand.NewSource(seed)), 30, 8)
		res := mustProve(t, p, Options{Engine: engine.Postgres()})
		if res.Verdict != Robust || len(res.Facts) > 0 {
			t.Errorf("seed %d: %v %s %v\n%s", seed, res.Verdict, res.Reason, res.Walks, p)
		}
	}
}
