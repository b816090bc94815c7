package polysi

import (
	"context"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/txrobust/robust/checker"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/isolation"
)

// cpuTime is what the process has used, which other work on the machine changes
// less than what a clock says.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkRecorded measures reading and checking recorded histories. MB/op is all that
// is allocated.
func BenchmarkRecorded(b *testing.B) {
	const si, ser = isolation.SI, isolation.SER
	for _, c := range []struct {
		name, path string
		level      isolation.Level
		want       checker.Verdict
	}{
		{"BlindW-1k-SI", "VeriStrong/fig11/si/dbcop/1000/history.bincode", si, checker.Satisfied},
		{"BlindW-2k-SI", "VeriStrong/fig11/si/dbcop/2000/history.bincode", si, checker.Satisfied},
		{"10k-50-SI", "PolySI-artifacts/fig8_9_10/25_400_8_10000_0.5_uniform/hist-00000/history.bincode", si, checker.Satisfied},
		{"10k-50-SER", "PolySI-artifacts/fig8_9_10/25_400_8_10000_0.5_uniform/hist-00000/history.bincode", ser, checker.Satisfied},
		{"10k-95-SI", "PolySI-artifacts/fig8_9_10/25_400_8_10000_0.95_uniform/hist-00000/history.bincode", si, checker.Satisfied},
		{"10k-95-SER", "PolySI-artifacts/fig8_9_10/25_400_8_10000_0.95_uniform/hist-00000/history.bincode", ser, checker.Satisfied},
		{"Twitter-10k-SI", "PolySI-artifacts/fig8_9_10/twitter-10000/hist-00000", si, checker.Satisfied},
		{"Twitter-10k-SER", "PolySI-artifacts/fig8_9_10/twitter-10000/hist-00000", ser, checker.Satisfied},
		{"10k-30-SI", "PolySI-artifacts/fig8_9_10/25_400_8_10000_0.3_uniform/hist-00000/history.bincode", si, checker.Satisfied},
		{"10k-30-SER", "PolySI-artifacts/fig8_9_10/25_400_8_10000_0.3_uniform/hist-00000/history.bincode", ser, checker.Satisfied},
	} {
		b.Run(c.name, func(b *testing.B) {
			recordings(b) // skips
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			start := cpuTime(b)
			for b.Loop() {
				ctx, stop := context.WithTimeout(context.Background(), 2*time.Minute)
				h, _, err := codec.Read(ctx, []string{filepath.Join(dataFolder, "strong", c.path)}, codec.Options{})
				if err != nil {
					b.Fatal(err)
				}
				r, err := Check(ctx, h, Options{Levels: []isolation.Level{c.level}})
				stop()
				if got := r.Verdict(c.level); got != c.want {
					b.Errorf("%s is %s (%s, %v)", c.level, got, r.Answer(c.level).Why, err)
				}
			}
			b.ReportMetric(float64((cpuTime(b)-start).Milliseconds())/float64(b.N), "cpu-ms/op")
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/(1<<20), "MB/op")
		})
	}
}
