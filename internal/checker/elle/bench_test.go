package elle

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/isolation"
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(historytest.Main(m, func(ctx context.Context, h *history.History, levels []isolation.Level) (*checker.Result, error) {
		r, err := Check(ctx, h, Options{Levels: levels})
		if err != nil {
			return nil, err
		}
		return &r.Result, nil
	}))
}

const sessions = 20

// BenchmarkFile reads and checks recordings of lists, as EDN, each in a process of
// its own: all levels.
func BenchmarkFile(b *testing.B) {
	for _, ops := range []int{100_000, 1_000_000, 10_000_000} {
		b.Run(fmt.Sprint(ops), func(b *testing.B) {
			file := historytest.File(b, "history.edn", func(f *os.File) error { return historytest.ListAppend(f, ops, sessions) })
			b.Run("all", func(b *testing.B) { historytest.Measure(b, file) })
		})
	}
}

// BenchmarkCheck checks such recordings, without reading: all levels, and only
// serializability without sessions, which needs no real time.
func BenchmarkCheck(b *testing.B) {
	for _, ops := range []int{10_000, 100_000, 1_000_000} {
		var text bytes.Buffer
		if err := historytest.ListAppend(&text, ops, sessions); err != nil {
			b.Fatal(err)
		}
		h, _, err := codec.Decode(b.Context(), &text, "history.edn", codec.Options{Format: codec.EDN})
		if err != nil {
			b.Fatal(err)
		}
		for name, levels := range map[string][]isolation.Level{"all": nil, "PL-3": {isolation.PL3}} {
			b.Run(fmt.Sprintf("%s/%d", name, ops), func(b *testing.B) {
				for b.Loop() {
					r, err := Check(b.Context(), h, Options{Levels: levels})
					if err != nil {
						b.Fatal(err)
					}
					for _, a := range r.Answers {
						if a.Verdict != checker.Satisfied {
							b.Fatalf("%s is %s: %s", a.Level, a.Verdict, a.Why)
						}
					}
				}
				b.ReportMetric(float64(h.NumOps())*float64(b.N)/b.Elapsed().Seconds(), "ops/s")
			})
		}
	}
}
