package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/crosscheck"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/ir/irtext"
	"github.com/txrobust/robust/isolation"
)

// liar is a judge that accepts everything.
var liar = crosscheck.Judge{Name: "liar", Forms: crosscheck.Forms(), Levels: isolation.Levels(),
	Check: func(_ context.Context, _ *history.History, l isolation.Level) (crosscheck.Opinion, error) {
		return crosscheck.Opinion{Answer: checker.Answer{Level: l, Verdict: checker.Satisfied}}, nil
	}}

// checkWith runs check with some judges.
func checkWith(t *testing.T, judges []crosscheck.Judge, args ...string) (code int, out string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c := command{name: "check", args: "INPUT…", operands: inputs, flags: func(fs *flag.FlagSet) func(context.Context, streams, []string) (int, error) {
		f := &checkFlags{judges: judges}
		f.flags(fs)
		return f.run
	}}
	code, err = c.run(t.Context(), args, streams{&stdout, &stderr})
	return code, stdout.String(), err
}

// TestBundle: a judge that contradicts is a fault, and leaves everything that
// reproduces it.
func TestBundle(t *testing.T) {
	litmus, app := testprog.Path(t, "litmus", "fig1-write-skew.litmus"), testprog.Path(t, "apps", "courseware")
	for _, input := range []string{litmus, app} {
		dir := filepath.Join(t.TempDir(), "b")
		for range 2 { // the second replaces the first
			code, out, err := checkWith(t, append(crosscheck.Judges(), liar), "-cache", "off", "-helpers", "3", "-bundle", dir, input)
			var d *crosscheck.Disagreement
			if !errors.As(err, &d) || code != 0 || out != "" || !strings.Contains(err.Error(), "what reproduces it is in "+dir) || !strings.Contains(err.Error(), "liar: accept SER") {
				t.Fatalf("%s: %d, %q, %v", input, code, out, err)
			}
		}
		text := func(name string) []byte {
			t.Helper()
			b, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Error(err)
			}
			return b
		}
		var b bundle
		if err := json.Unmarshal(text("bundle.json"), &b); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(b.Inputs, []string{input}) || !slices.Contains(b.Flags, "-helpers=3") || b.Version != version() || len(b.Sources) == 0 {
			t.Errorf("bundle.json is %+v", b)
		}
		if !slices.ContainsFunc(b.Judgements, func(j crosscheck.Judgement) bool { return j.Checker == "liar" && j.Verdict != j.Expected }) ||
			!slices.ContainsFunc(b.Judgements, func(j crosscheck.Judgement) bool { return j.Checker == "elle" && j.Verdict == j.Expected }) {
			t.Errorf("the judgements are %v", b.Judgements)
		}
		for i, path := range b.Sources {
			want, err := os.ReadFile(path)
			copies, _ := filepath.Glob(filepath.Join(dir, "sources", "*-"+filepath.Base(path)))
			if err != nil || len(copies) != 1 {
				t.Fatalf("source %d, %s: %v, copies %v", i, path, err, copies)
			}
			if got, _ := os.ReadFile(copies[0]); !bytes.Equal(got, want) {
				t.Errorf("%s is not what was read", copies[0])
			}
		}
		if _, err := irtext.Parse("program.litmus", string(text("program.litmus"))); err != nil {
			t.Errorf("%s: %v", input, err)
		}
		for _, name := range []string{"witness/witness.json", "witness/history/registers/edn/history.edn", "witness/history/lists/edn/history.edn", "witness/history/registers/plume/history.txt"} {
			if len(text(name)) == 0 {
				t.Errorf("%s is empty", name)
			}
		}
	}
}

// TestBundlePlace: without -bundle it is a folder for temporary files, and what is not
// a bundle is not replaced.
func TestBundlePlace(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	input := testprog.Path(t, "litmus", "fig1-write-skew.litmus")
	_, _, err := checkWith(t, []crosscheck.Judge{liar}, "-cache", "off", input)
	found, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "robust-bundle-*", "bundle.json"))
	if err == nil || len(found) != 1 || !strings.Contains(err.Error(), filepath.Dir(found[0])) {
		t.Errorf("%v: %v", found, err)
	}
	mine := t.TempDir()
	if err := os.WriteFile(filepath.Join(mine, "notes.txt"), []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	var usage *usageError
	if _, _, err := checkWith(t, nil, "-cache", "off", "-bundle", mine, input); !errors.As(err, &usage) {
		t.Errorf("a folder of somebody else: %v", err)
	}
}

// TestFaultBundle: a panic in a part of the work leaves a result, and a bundle with the stack.
func TestFaultBundle(t *testing.T) {
	panics := liar
	panics.Check = func(context.Context, *history.History, isolation.Level) (crosscheck.Opinion, error) {
		panic("wanted by the test")
	}
	dir := filepath.Join(t.TempDir(), "b")
	input := testprog.Path(t, "litmus", "fig1-write-skew.litmus")
	code, out, err := checkWith(t, []crosscheck.Judge{panics}, "-cache", "off", "-bundle", dir, input)
	if err != nil || code != exitUnknown || !strings.Contains(out, "UNKNOWN") || !strings.Contains(out, "a fault of this program in ") {
		t.Errorf("%d, %v: %s", code, err, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "bundle.json"))
	if err != nil {
		t.Fatal(err)
	}
	var b bundle
	if err := json.Unmarshal(text, &b); err != nil {
		t.Fatal(err)
	}
	if len(b.Faults) == 0 || b.Faults[0].Value != "wanted by the test" || !strings.Contains(b.Faults[0].Stack, "bundle_test.go") || len(b.Sources) != 1 {
		t.Errorf("the bundle is %+v", b)
	}
	if _, err := os.Stat(filepath.Join(dir, "witness")); err == nil {
		t.Error("there is a witness of nothing")
	}
}
