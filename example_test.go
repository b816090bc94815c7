package robust_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestExample builds and runs the module testdata/example, which uses the public packages
// from outside as a user does.
func TestExample(t *testing.T) {
	dir := filepath.Join("testdata", "example")
	program := filepath.Join(t.TempDir(), "example")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	app, err := filepath.Abs(filepath.Join("testdata", "apps", "courseware"))
	if err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), program, app, "schema", "./transfer")
	run.Dir, run.Stderr = dir, os.Stderr
	out, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"application: not-robust\n", "execution of ", " is NOT ROBUST", "history: RC accept SI reject\n", "program in Go: not-robust\n", "example is NOT ROBUST", "Withdraw -> ", "transfer.go:", "analyzer: robust\n"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the example does not print %q, but\n%s", want, out)
		}
	}
}
