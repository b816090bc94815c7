package main

import (
	"bytes"
	"flag"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/txrobust/robust/internal/testprog"
)

// TestCache: a result of the cache is the result, byte by byte; no other
// program, flag or damage changes a verdict.
func TestCache(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	app := t.TempDir()
	copyApp := func(name string) {
		if err := os.CopyFS(app, os.DirFS(testprog.Path(t, "apps", name))); err != nil {
			t.Fatal(err)
		}
	}
	check := func(want int, args ...string) string {
		t.Helper()
		code, out, errs := commandLine(t, append([]string{"check", "-cache", dir}, args...)...)
		if code != want || errs != "" {
			t.Fatalf("%v: exit code %d, want %d\n%s%s", args, code, want, out, errs)
		}
		return out
	}
	count := func() (n int) {
		filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				n++
			}
			return nil
		})
		return n
	}
	copyApp("smallbank")
	first := check(exitNotRobust, "-v", app)
	if n := count(); n == 0 {
		t.Fatal("nothing is kept")
	}
	if again := check(exitNotRobust, "-v", app); again != first { // with the times of the first run
		t.Errorf("again it is\n%s\nbefore\n%s", again, first)
	}
	out := filepath.Join(t.TempDir(), "out")
	check(exitNotRobust, "-v", "-o", out, app)
	if text, err := os.ReadFile(out); err != nil || string(text) != first {
		t.Errorf("-o writes %s (%v)", text, err)
	}
	if code, plain, _ := commandLine(t, "check", "-cache", "off", app); code != exitNotRobust || plain != check(exitNotRobust, app) {
		t.Error("-cache off gives another result")
	}
	check(exitOK, "-txn", "transact_saving,write_check", app)
	if s := check(exitNotRobust, "-format", "json", app); !strings.HasPrefix(s, "{") {
		t.Errorf("-format json gives %s", s)
	}
	// The same files with other content.
	if err := os.RemoveAll(app); err != nil {
		t.Fatal(err)
	}
	copyApp("smallbank-promote-wt")
	check(exitOK, app)
	// Damaged entries are none.
	filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			if text, err := os.ReadFile(path); err != nil || os.WriteFile(path, append(text[:len(text)/2], '?'), 0o666) != nil {
				t.Fatal(err)
			}
		}
		return nil
	})
	check(exitOK, app)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for _, name := range []string{"courseware", "courseware-touch"} {
				want := map[string]int{"courseware": exitNotRobust, "courseware-touch": exitOK}[name]
				if code, out, errs := commandLine(t, "check", "-cache", dir, testprog.Path(t, "apps", name)); code != want {
					t.Errorf("%s: exit code %d\n%s%s", name, code, out, errs)
				}
			}
		})
	}
	group.Wait()
	// What was not decided for lack of time is asked again.
	before := count()
	check(exitUnknown, "-timeout", "1ns", testprog.Path(t, "apps", "tpcc"))
	if n := count(); n != before {
		t.Errorf("%d entries after a check without time, before %d", n, before)
	}
	if file := filepath.Join(app, "functions.sql"); true {
		check(exitOK, "-cache", file, app) // no folder can be there
	}
	// A file that a script includes is no input, but the result depends on it.
	part, script := filepath.Join(t.TempDir(), "part.sql"), filepath.Join(t.TempDir(), "script.sql")
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(script, "CREATE TABLE duty (id int PRIMARY KEY, free boolean NOT NULL);\nBEGIN;\n\\i "+part+"\nUPDATE duty SET free = true WHERE id = :me;\nCOMMIT;\n")
	write(part, "SELECT count(*) FROM duty WHERE id = :me;\n")
	check(exitOK, "-allow-include", filepath.Dir(part), script)
	write(part, "SELECT count(*) FROM duty WHERE free;\n")
	check(exitNotRobust, "-allow-include", filepath.Dir(part), script)
}

// TestForeignCache: a cache that somebody else has filled is not believed, whatever it
// says; with a common key it is.
func TestForeignCache(t *testing.T) {
	app := testprog.Path(t, "apps", "courseware")
	dir := filepath.Join(t.TempDir(), "cache")
	check := func(want int, args ...string) (out, errs string) {
		t.Helper()
		code, out, errs := commandLine(t, append([]string{"check", "-cache", dir}, append(args, app)...)...)
		if code != want {
			t.Fatalf("exit code %d, want %d\n%s%s", code, want, out, errs)
		}
		return out, errs
	}
	list := func() (paths []string) {
		filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				paths = append(paths, path)
			}
			return nil
		})
		return paths
	}
	// The attacker has the same program, and knows how entries are made.
	poison := func() {
		t.Helper()
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		check(exitNotRobust)
		src := &checkFlags{}
		fs := flag.NewFlagSet("check", flag.ContinueOnError)
		src.flags(fs)
		if err := fs.Parse([]string{"-cache", dir}); err != nil {
			t.Fatal(err)
		}
		reading, err := src.reading(t.Context(), []string{app})
		if err != nil {
			t.Fatal(err)
		}
		answers, err := openCache(streams{io.Discard, io.Discard}, dir)
		if err != nil || answers == nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		b.WriteString("courseware is robust\n")
		keepResult(t.Context(), answers, src.key(t.Context(), reading), exitOK, &b)
	}
	config := os.Getenv("XDG_CONFIG_HOME")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	poison()
	if out, _ := check(exitOK); !strings.Contains(out, "is robust") {
		t.Fatalf("the attacker does not believe it: the test shows nothing\n%s", out)
	}
	os.Setenv("XDG_CONFIG_HOME", config)
	if out, errs := check(exitNotRobust); errs != "" || !strings.Contains(out, "NOT ROBUST") {
		t.Errorf("%s%s", out, errs)
	}
	// The answers of the solver alone.
	os.Setenv("XDG_CONFIG_HOME", t.TempDir())
	poison()
	for _, path := range list() {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), `"code"`) {
			os.Remove(path)
		} else if err := os.WriteFile(path, bytes.ReplaceAll(text, []byte("sat"), []byte("unsat")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	check(exitNotRobust)
	// With a key from the environment both are one; a key that is too short is none.
	key := strings.Repeat("k", 64)
	t.Setenv(cacheKey, key)
	poison()
	os.Setenv("XDG_CONFIG_HOME", t.TempDir())
	check(exitOK)
	os.Setenv(cacheKey, key+"x")
	check(exitNotRobust)
	os.Setenv(cacheKey, "short")
	if _, errs := check(exitUsage); !strings.Contains(errs, "ROBUST_CACHE_KEY: a key must have at least 32 characters") {
		t.Error(errs)
	}
	os.Unsetenv(cacheKey)
	// A key that others can read is not used, nor one in the cache itself.
	dir = filepath.Join(t.TempDir(), "cache")
	check(exitNotRobust)
	file := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "robust", "cache.key")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, errs := check(exitNotRobust); !strings.Contains(errs, "the cache is not used: ") || strings.Count(errs, "\n") != 1 {
		t.Error(errs)
	}
	dir = filepath.Join(t.TempDir(), "both")
	os.Setenv("XDG_CONFIG_HOME", dir)
	if _, errs := check(exitNotRobust); !strings.Contains(errs, "the key would be in the cache") || list() != nil {
		t.Errorf("%s%v", errs, list())
	}
}
