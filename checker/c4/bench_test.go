package c4

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/txrobust/robust/checker"
	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/isolation"
)

// serial makes a history of a database that executes one transaction after the
// other: half of the operations are reads, and keys are chosen uniformly.
func serial(txns, ops, keys, sessions int, seed uint64) *history.Builder {
	r := rand.New(rand.NewPCG(seed, 0))
	b := history.NewBuilder()
	var ids []history.Session
	for i := range sessions {
		ids = append(ids, b.Session(history.Int(int64(i))))
	}
	state := make([]history.Value, keys)
	value := int64(1)
	for range txns {
		b.Txn(ids[r.IntN(sessions)], history.Committed)
		for range ops {
			n := r.IntN(keys)
			k := b.IntKey(int64(n))
			if r.IntN(2) == 0 {
				b.Read(k, state[k])
				continue
			}
			state[k] = b.IntValue(value)
			value++
			b.Write(k, state[k])
		}
	}
	return b
}

// cpuTime is what the process has used, which other work on the machine changes
// less than what a clock says.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkCheck measures checking alone, without what all checkers share
// (BenchmarkSources); MB/op is all that is allocated.
func BenchmarkCheck(b *testing.B) {
	for _, txns := range []int{5_000, 50_000, 200_000, 1_000_000} {
		h, err := serial(txns, 8, 10_000, 25, 1).Build()
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
				start := cpuTime(b)
				for b.Loop() {
					r, err := Check(context.Background(), h, Options{Levels: []isolation.Level{l}})
					if err != nil {
						b.Fatal(err)
					}
					if r.Verdict(l) != checker.Satisfied {
						b.Fatalf("%s is %s", l, r.Verdict(l))
					}
				}
				b.ReportMetric(float64((cpuTime(b)-start).Milliseconds())/float64(b.N), "cpu-ms/op")
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/(1<<20), "MB/op")
			})
		}
	}
}

// BenchmarkSources measures what every checker of a history needs once.
func BenchmarkSources(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		h, err := serial(200_000, 8, 10_000, 25, 1).Build()
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		h.Sources()
		h.Writers()
	}
}
