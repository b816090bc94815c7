package allocate_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/allocate"
	"github.com/txrobust/robust/internal/check"
	"github.com/txrobust/robust/internal/progen"
)

// BenchmarkApplication allocates applications of many templates, as a check of a Go program
// does: each transaction has its share of the effort.
func BenchmarkApplication(b *testing.B) {
	for _, size := range []struct{ templates, tables int }{{50, 20}, {200, 60}} {
		b.Run(fmt.Sprint(size.templates), func(b *testing.B) {
			for b.Loop() {
				p := progen.Application(rand.New(rand.NewSource(1)), size.templates, size.tables)
				res, err := allocate.Allocate(b.Context(), p, check.Options{Engine: engine.Postgres(), Shared: true})
				if err != nil {
					b.Fatal(err)
				}
				b.Log(res.Headline())
			}
		})
	}
}
