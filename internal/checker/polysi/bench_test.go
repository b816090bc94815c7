package polysi

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/internal/checker/simdb"
	"github.com/txrobust/robust/isolation"
)

// seedVariable is the seed of a child of a benchmark.
const seedVariable = "POLYSI_SEED"

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(historytest.Main(m, func(ctx context.Context, h *history.History, levels []isolation.Level) (*checker.Result, error) {
		seed, err := strconv.ParseUint(cmp.Or(os.Getenv(seedVariable), "0"), 10, 64)
		if err != nil {
			return nil, err
		}
		return Check(ctx, h, Options{Levels: levels, Seed: seed})
	}))
}

// BenchmarkRecorded reads and checks recorded histories that PolySI, Viper and VeriStrong
// are measured with, each in a process of its own. All satisfy the levels.
func BenchmarkRecorded(b *testing.B) {
	for _, c := range []struct{ name, path string }{
		{"BlindW-1k", "VeriStrong/fig11/si/dbcop/1000/history.bincode"},
		{"BlindW-2k", "VeriStrong/fig11/si/dbcop/2000/history.bincode"},
		{"BlindW-10k", "VeriStrong/fig11/si/viper/10000/log"},
		{"uniform-10k-50", "PolySI-artifacts/fig8_9_10/25_400_8_10000_0.5_uniform/hist-00000/history.bincode"},
		{"uniform-10k-95", "PolySI-artifacts/fig8_9_10/25_400_8_10000_0.95_uniform/hist-00000/history.bincode"},
		{"uniform-10k-30", "PolySI-artifacts/fig8_9_10/25_400_8_10000_0.3_uniform/hist-00000/history.bincode"},
		{"HD-10k", "VeriStrong/fig13-14-15-table1/HD-10k/hist-00000/history.bincode"},
		{"Twitter-10k", "PolySI-artifacts/fig8_9_10/twitter-10000/hist-00000"},
	} {
		for _, l := range []isolation.Level{isolation.SI, isolation.SER} {
			b.Run(fmt.Sprintf("%s/%s", c.name, l), func(b *testing.B) {
				historytest.Measure(b, historytest.Foreign(b, "strong/"+c.path).File, l)
			})
		}
	}
}

// BenchmarkGrowth reads and checks histories of a database of SI, of more and more
// transactions on as many keys, half of the operations reads: as they are, and with an anomaly added.
func BenchmarkGrowth(b *testing.B) {
	for _, txns := range []int{1000, 3000, 10_000, 30_000, 100_000} {
		h := simdb.Generate(simdb.Options{Seed: 1, Level: isolation.SI, Sessions: 25, Txns: txns, Ops: 15, Keys: txns, Reads: 0.5, Lag: 25})
		file := recordingOf(b, h)
		b.Run(fmt.Sprint("satisfied/", txns), func(b *testing.B) { historytest.Measure(b, file, isolation.SI) })
		for _, m := range historytest.Mutations() {
			if m.Level != isolation.PLSI {
				continue
			}
			bad := recordingOf(b, m.Into(h, rand.New(rand.NewPCG(1, 1))))
			b.Run(fmt.Sprint(strings.ReplaceAll(m.Name, " ", "-"), "/", txns), func(b *testing.B) {
				historytest.MeasureVerdict(b, bad, checker.Violated, isolation.SI)
			})
		}
	}
}

// BenchmarkSerial reads and checks histories of a serial database, of up to a million
// transactions, as they are and with a write skew after their end.
func BenchmarkSerial(b *testing.B) {
	for _, txns := range []int{100_000, 1_000_000} {
		w := historytest.Workload{Seed: 1, Level: isolation.SER, Sessions: 25, Txns: txns, Ops: 8, Keys: 10_000}
		file := historytest.File(b, "serial.txt", func(f *os.File) error { return w.Plume(f) })
		for _, l := range []isolation.Level{isolation.SI, isolation.SER} {
			b.Run(fmt.Sprintf("%s/%d", l, txns), func(b *testing.B) { historytest.Measure(b, file, l) })
		}
		bad := historytest.File(b, "skew.txt", func(f *os.File) error {
			if err := w.Plume(f); err != nil {
				return err
			}
			_, err := fmt.Fprintf(f, "r(-1,0,100,%d)\nw(-2,1,100,%[1]d)\nr(-2,0,101,%d)\nw(-1,1,101,%[2]d)\n", txns+1, txns+2)
			return err
		})
		b.Run(fmt.Sprint("write-skew/", txns), func(b *testing.B) { historytest.MeasureVerdict(b, bad, checker.Violated, isolation.SER) })
	}
}

// BenchmarkContention checks histories of 3,000 transactions on few keys, which need a
// search, with several seeds of the search.
func BenchmarkContention(b *testing.B) {
	for _, l := range []isolation.Level{isolation.SI, isolation.SER} {
		for _, keys := range []int{1, 2, 5, 20, 100} {
			for _, reads := range []float64{0.3, 0.6} {
				file := recordingOf(b, simdb.Generate(simdb.Options{Seed: 1, Level: l, Sessions: 50, Txns: 3000, Ops: 4, Keys: keys, Reads: reads, Lag: 20}))
				for seed := range 5 {
					b.Run(fmt.Sprintf("%s/%d-keys/%.0f-reads/seed-%d", l, keys, 100*reads, seed), func(b *testing.B) {
						b.Setenv(seedVariable, fmt.Sprint(seed))
						historytest.Measure(b, file, l)
					})
				}
			}
		}
	}
}

// BenchmarkBlind checks 5,000 transactions that write one key, with a few reads.
func BenchmarkBlind(b *testing.B) {
	for _, sessions := range []int{5, 50, 5000} {
		for _, reads := range []float64{0, 0.02, 0.1} {
			file := recordingOf(b, simdb.Generate(simdb.Options{Seed: 1, Level: isolation.SER, Sessions: sessions, Txns: 5000, Ops: 1, Keys: 1, Reads: reads}))
			b.Run(fmt.Sprintf("%d-sessions/%.0f-reads", sessions, 100*reads), func(b *testing.B) { historytest.Measure(b, file, Levels()...) })
		}
	}
}

// recordingOf writes a history to a file.
func recordingOf(b *testing.B, h *history.History) string {
	return historytest.File(b, "history.txt", func(f *os.File) error {
		_, err := codec.Write(b.Context(), f, h, codec.Plume)
		return err
	})
}
