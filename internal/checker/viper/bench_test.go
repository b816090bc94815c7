package viper

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/internal/checker/simdb"
	"github.com/txrobust/robust/isolation"
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(historytest.Main(m, func(ctx context.Context, h *history.History, levels []isolation.Level) (*checker.Result, error) {
		return Check(ctx, h, Options{Levels: levels})
	}))
}

// BenchmarkRecorded reads and checks recorded histories that Viper, PolySI and VeriStrong
// are measured with, each in a process of its own. All satisfy the levels.
func BenchmarkRecorded(b *testing.B) {
	for _, c := range []struct{ name, path string }{
		{"BlindW-1k", "VeriStrong/fig11/si/dbcop/1000/history.bincode"},
		{"BlindW-2k", "VeriStrong/fig11/si/viper/2000/json"},
		{"BlindW-5k", "VeriStrong/fig11/si/viper/5000/json"},
		{"BlindW-10k", "VeriStrong/fig11/si/viper/10000/json"},
		{"uniform-10k-50", "PolySI-artifacts/fig8_9_10/25_400_8_10000_0.5_uniform/hist-00000/history.bincode"},
		{"uniform-10k-95", "PolySI-artifacts/fig8_9_10/25_400_8_10000_0.95_uniform/hist-00000/history.bincode"},
		{"uniform-10k-30", "PolySI-artifacts/fig8_9_10/25_400_8_10000_0.3_uniform/hist-00000/history.bincode"},
		{"Twitter-10k", "PolySI-artifacts/fig8_9_10/twitter-10000/hist-00000"},
	} {
		for _, l := range []isolation.Level{isolation.PLSI, isolation.SI, isolation.SER} {
			b.Run(fmt.Sprintf("%s/%s", c.name, l), func(b *testing.B) {
				historytest.Measure(b, historytest.Foreign(b, "strong/"+c.path).File, l)
			})
		}
	}
}

// BenchmarkContention checks histories of 3,000 transactions on few keys.
func BenchmarkContention(b *testing.B) {
	for _, l := range []isolation.Level{isolation.SI, isolation.SER} {
		for _, keys := range []int{1, 5, 20, 100} {
			file := historytest.File(b, "history.txt", func(f *os.File) error {
				h := simdb.Generate(simdb.Options{Seed: 1, Level: l, Sessions: 50, Txns: 3000, Ops: 4, Keys: keys, Reads: 0.6, Lag: 20})
				_, err := codec.Write(b.Context(), f, h, codec.Plume)
				return err
			})
			b.Run(fmt.Sprintf("%s/%d", l, keys), func(b *testing.B) { historytest.Measure(b, file, l) })
		}
	}
}

// BenchmarkRanges checks tables with inserts, deletes and ranges of at most 50 keys, in
// transactions of eight operations.
func BenchmarkRanges(b *testing.B) {
	for _, txns := range []int{1000, 5000, 10_000} {
		for _, l := range []isolation.Level{isolation.SI, isolation.SER} {
			file := historytest.File(b, "history.rbh", func(f *os.File) error {
				h, err := tableHistory(1, l == isolation.SER, 24, txns, 8, 2000, 50).Build()
				if err != nil {
					return err
				}
				_, err = codec.Write(b.Context(), f, h, codec.Compact)
				return err
			})
			b.Run(fmt.Sprintf("%d/%s", txns, l), func(b *testing.B) { historytest.Measure(b, file, l) })
		}
	}
}
