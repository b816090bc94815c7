package boogie

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

// have skips a test where Boogie is not installed, loudly; where it must be
// (ROBUST_CI), that is a failure.
func have(t testing.TB) {
	t.Helper()
	for _, program := range []string{"boogie", "z3"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("ROBUST_CI") != "" {
				t.Fatalf("%s is not installed: make setup installs it", program)
			}
			t.Skipf("SKIPPED: %s is not installed: make setup installs it", program)
		}
	}
}

// outcome is what Boogie says of a procedure. The count of errors at the end is
// not enough: an error for which Boogie finds no trace is not in it.
var outcome = regexp.MustCompile(`proof obligations?\]\s+(\w+)`)

// verify runs Boogie on a text, for executions of up to n rounds. It reports
// whether an assertion may fail, how long that took, and what Boogie said; ok is
// false when Boogie gave no verdict within the limit.
func verify(t testing.TB, text string, n string, limit time.Duration) (fails, ok bool, took time.Duration, said string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "program.bpl")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "boogie", "-noinfer", "-trace", "-errorLimit:1", "-loopUnroll:"+n, file)
	cmd.WaitDelay = time.Second
	start := time.Now()
	out, err := cmd.CombinedOutput()
	took = time.Since(start)
	said = string(out)
	if ctx.Err() != nil {
		return false, false, took, said
	}
	m := outcome.FindStringSubmatch(said)
	if m == nil || m[1] != "verified" && m[1] != "errors" && m[1] != "error" {
		t.Fatalf("boogie gives no verdict (%v):\n%s\n%s", err, said, file)
	}
	return m[1] != "verified", true, took, said
}
