package historytest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/isolation"
)

// Check decides levels of a history.
type Check func(ctx context.Context, h *history.History, levels []isolation.Level) (*checker.Result, error)

// The variables that make a test binary a child of Measure.
const (
	fileVariable    = "HISTORYTEST_FILE"
	levelsVariable  = "HISTORYTEST_LEVELS"
	verdictVariable = "HISTORYTEST_VERDICT"
)

// Main runs the tests of a package, or, in a child of Measure, reads a file,
// checks it, and tells the peak memory of the process.
func Main(m *testing.M, check Check) int {
	file := os.Getenv(fileVariable)
	if file == "" {
		return m.Run()
	}
	if err := checkFile(file, strings.Fields(os.Getenv(levelsVariable)), check); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func checkFile(file string, names []string, check Check) error {
	var levels []isolation.Level
	for _, n := range names {
		l, err := isolation.ParseLevel(n)
		if err != nil {
			return err
		}
		levels = append(levels, l)
	}
	ctx := context.Background()
	h, _, err := codec.Read(ctx, []string{file}, codec.Options{})
	if err != nil {
		return err
	}
	r, err := check(ctx, h, levels)
	if err != nil {
		return err
	}
	for _, a := range r.Answers {
		if a.Verdict.String() != os.Getenv(verdictVariable) {
			return fmt.Errorf("%s: %s is %s: %s", file, a.Level, a.Verdict, a.Why)
		}
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	peak, _, _ = strings.Cut(peak, "kB")
	fmt.Println(strings.TrimSpace(peak), h.NumOps()-h.NumKeys())
	return nil
}

// Measure reads and checks a file in a process of its own, whose history must
// satisfy the levels: time on the clock and of the processors, peak memory and
// operations per second of both.
func Measure(b *testing.B, file string, levels ...isolation.Level) {
	MeasureVerdict(b, file, checker.Satisfied, levels...)
}

// MeasureVerdict is Measure for a history about which all verdicts must be one.
func MeasureVerdict(b *testing.B, file string, verdict checker.Verdict, levels ...isolation.Level) {
	var names []string
	for _, l := range levels {
		names = append(names, l.String())
	}
	var cpu time.Duration
	var peak, ops int64
	for b.Loop() {
		c := exec.CommandContext(b.Context(), os.Args[0])
		c.Env = append(os.Environ(), fileVariable+"="+file, levelsVariable+"="+strings.Join(names, " "), verdictVariable+"="+verdict.String())
		c.Stderr = os.Stderr
		out, err := c.Output()
		if err != nil {
			b.Fatal(err)
		}
		var kilobytes int64
		if _, err := fmt.Sscan(string(out), &kilobytes, &ops); err != nil {
			b.Fatalf("%q: %v", out, err)
		}
		peak = max(peak, kilobytes)
		cpu += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	b.ReportMetric(float64(cpu.Milliseconds())/float64(b.N), "cpu-ms/op")
	b.ReportMetric(float64(peak)/1024, "peak-MB")
	b.ReportMetric(float64(ops)*float64(b.N)/cpu.Seconds(), "ops/cpu-s")
	b.ReportMetric(float64(ops)*float64(b.N)/b.Elapsed().Seconds(), "ops/s")
}

// File writes a recording to a file that is gone after the benchmark.
func File(b *testing.B, name string, write func(f *os.File) error) string {
	path := filepath.Join(b.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	if err := write(f); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}
