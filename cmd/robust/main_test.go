package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/txrobust/robust/internal/pgtest"
)

func TestMain(m *testing.M) {
	testscript.Main(aside{m}, map[string]func(){"robust": main})
}

// aside runs tests that leave no answers in the user's cache, and find none
// there. The go command keeps its own caches.
type aside struct{ m *testing.M }

func (a aside) Run() int {
	dir, err := os.MkdirTemp("", "robust-test-cache")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			panic(err)
		}
		os.Setenv(name, strings.TrimSpace(string(out)))
	}
	os.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	os.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
	os.Unsetenv(cacheKey)
	return a.m.Run()
}

// TestScripts runs the scripts of testdata/script: the command as users see it.
func TestScripts(t *testing.T) {
	repo, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("XDG_CACHE_HOME", filepath.Join(e.WorkDir, "cache"))
			e.Setenv("XDG_CONFIG_HOME", filepath.Join(e.WorkDir, "config"))
			e.Setenv("APPS", filepath.Join(repo, "testdata", "apps"))
			e.Setenv("SCRIPTS", filepath.Join(repo, "testdata", "scripts"))
			e.Setenv("TRAPS", filepath.Join(repo, "testdata", "traps"))
			e.Setenv("LITMUS", filepath.Join(repo, "testdata", "litmus"))
			e.Setenv("STUBS", filepath.Join(repo, "analyzer", "testdata", "stubs"))
			e.Setenv("CI", filepath.Join(repo, "ci"))
			e.Setenv("HOOKS", filepath.Join(repo, ".pre-commit-hooks.yaml"))
			e.Setenv("ROBUST", filepath.Join(filepath.SplitList(e.Getenv("PATH"))[0], "robust"))
			goEnv(e)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     exits,
			"fits":      fits,
			"needs":     needs,
			"oneline":   oneLineOnly,
			"truncated": truncated,
		},
	})
}

// goEnv lets scripts run the go command, without the network.
func goEnv(e *testscript.Env) {
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
		e.Setenv(name, os.Getenv(name))
	}
	e.Setenv("GOPROXY", "off")
	e.Setenv("GOTOOLCHAIN", "local")
}

// exits runs a program and compares its exit code: exits CODE PROGRAM ARGS….
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS…")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	if exit, ok := err.(*exec.ExitError); ok {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if fmt.Sprint(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// needs makes a missing program a failure in CI, where other runs skip the script.
func needs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: needs PROGRAM")
	}
	if _, err := exec.LookPath(args[0]); err != nil && os.Getenv(pgtest.RequireEnv) == "1" {
		ts.Fatalf("%v: make setup installs it", err)
	}
}

// fits checks that the standard output fits a terminal of 80 columns.
func fits(ts *testscript.TestScript, neg bool, args []string) {
	for _, line := range strings.Split(ts.ReadFile("stdout"), "\n") {
		if len([]rune(line)) > 80 {
			ts.Fatalf("too long: %s", line)
		}
	}
}

// oneLineOnly checks that standard error has one line and standard output none.
func oneLineOnly(ts *testscript.TestScript, neg bool, args []string) {
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("standard output: %s", out)
	}
	if err := ts.ReadFile("stderr"); strings.Count(err, "\n") != 1 || !strings.HasSuffix(err, "\n") {
		ts.Fatalf("standard error is not one line: %q", err)
	}
}

// truncated cuts the end of a file off.
func truncated(ts *testscript.TestScript, neg bool, args []string) {
	path := ts.MkAbs(args[0])
	info, err := os.Stat(path)
	ts.Check(err)
	ts.Check(os.Truncate(path, info.Size()*2/3))
}

// slow is a program whose check takes longer than any test waits.
const slow = "../../testdata/apps/tpcc-extended-name"

// TestReadme: the README and the manual show what the command prints.
func TestReadme(t *testing.T) {
	repo, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	var pages []byte
	for _, page := range []string{"README.md", "docs/manual.md"} {
		data, err := os.ReadFile(filepath.Join(repo, page))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, data...)
	}
	shown := regexp.MustCompile("(?s)```\n\\$ robust ([^\n]*)\n(.*?)```").FindAllSubmatch(pages, -1)
	if len(shown) < 4 {
		t.Fatalf("the README and the manual show %d runs", len(shown))
	}
	for _, m := range shown {
		cmd := exec.Command("robust", strings.Fields(string(m[1]))...)
		cmd.Dir = repo
		out, err := cmd.Output() // not robust is no error here
		if _, exited := err.(*exec.ExitError); err != nil && !exited {
			t.Fatal(err)
		}
		if got, want := strings.TrimSpace(string(out)), strings.TrimSpace(string(m[2])); got != want {
			t.Errorf("robust %s prints\n%s\nthe pages show\n%s", m[1], got, want)
		}
	}
}

// TestInterrupt sends SIGINT to a check that is under way.
func TestInterrupt(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The test binary under the name robust is the command.
	link := filepath.Join(t.TempDir(), "robust")
	if err := os.Symlink(exe, link); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out := filepath.Join(t.TempDir(), "out.json")
	cmd := exec.CommandContext(ctx, link, "check", "-format", "json", "-o", out, slow)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1500 * time.Millisecond)
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != exitUnknown {
		t.Errorf("an interrupted check ends with %v, want exit status %d", err, exitUnknown)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var rep struct {
		Verdict string
		Open    struct{ Reason string }
	}
	if err := json.Unmarshal(text, &rep); err != nil || rep.Verdict != "unknown" || !strings.Contains(rep.Open.Reason, "interrupted") {
		t.Errorf("the report is %+v (%v)", rep, err)
	}
}

// TestInterruptHistory: an interrupted check of a history says that it does not know.
func TestInterruptHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.txt")
	if err := os.WriteFile(path, []byte("w(1,1,0,0)\nr(1,1,1,1)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs strings.Builder
	code := run(ctx, []string{"history", "check", "-level", "SER", path}, streams{&out, &errs})
	if code != exitUnknown || !strings.Contains(out.String(), "unknown:                     SER\n  It was interrupted.") {
		t.Errorf("exit code %d, %s%s", code, out.String(), errs.String())
	}
}

// TestPanic: a fault of the program is one line, and exit code 1.
func TestPanic(t *testing.T) {
	var out, errs strings.Builder
	code := run(t.Context(), []string{"check", "-txn"}, streams{&out, &errs})
	if code != exitUsage {
		t.Errorf("exit code %d", code)
	}
	errs.Reset()
	code = run(t.Context(), []string{"version"}, streams{nil, &errs})
	if code != exitFault || strings.Count(errs.String(), "\n") != 1 || !strings.Contains(errs.String(), "please report") {
		t.Errorf("exit code %d, %q", code, errs.String())
	}
}
