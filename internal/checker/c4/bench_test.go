package c4

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
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
		return Check(ctx, h, Options{Levels: levels})
	}))
}

// workload is what AWDIT and Plume are measured with, of a serial database or of
// one that is just causally consistent.
func workload(level isolation.Level, txns int) historytest.Workload {
	return historytest.Workload{Seed: 1, Level: level, Sessions: 25, Txns: txns, Ops: 8, Keys: 10_000}
}

var sizes = []int{5_000, 50_000, 200_000, 1_000_000}

// BenchmarkFile reads and checks recordings in the format of Plume, each in a
// process of its own.
func BenchmarkFile(b *testing.B) {
	for _, level := range []isolation.Level{isolation.SER, isolation.CC} {
		for _, txns := range sizes {
			b.Run(fmt.Sprintf("%s/%d", level, txns), func(b *testing.B) {
				file := historytest.File(b, "history.txt", func(f *os.File) error { return workload(level, txns).Plume(f) })
				for _, l := range Levels() {
					b.Run(l.String(), func(b *testing.B) { historytest.Measure(b, file, l) })
				}
			})
		}
	}
}

// BenchmarkCheck measures checking alone, without reading and what all checkers
// share; MB/op is all that is allocated.
func BenchmarkCheck(b *testing.B) {
	for _, txns := range sizes {
		var text bytes.Buffer
		if err := workload(isolation.SER, txns).Plume(&text); err != nil {
			b.Fatal(err)
		}
		h, _, err := codec.Decode(b.Context(), &text, "history.txt", codec.Options{Format: codec.Plume})
		if err != nil {
			b.Fatal(err)
		}
		h.Sources()
		h.Writers()
		for _, l := range Levels() {
			b.Run(fmt.Sprintf("%s/%d", l, txns), func(b *testing.B) {
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				for b.Loop() {
					r, err := Check(b.Context(), h, Options{Levels: []isolation.Level{l}})
					if err != nil {
						b.Fatal(err)
					}
					if r.Verdict(l) != checker.Satisfied {
						b.Fatalf("%s is %s", l, r.Verdict(l))
					}
				}
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/(1<<20), "MB/op")
			})
		}
	}
}
