package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// runner runs tests of a copy of the module.
type runner struct {
	folder  string // of everything below
	rounds  int    // of tests for each fault, at most
	answers map[string]answer
	known   known

	compiling sync.Mutex
	compiled  map[string]bool // packages
}

func newRunner(folder string, rounds int) (*runner, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	r := &runner{folder: folder, rounds: rounds, answers: map[string]answer{}, known: known{took: map[target]time.Duration{}, sound: map[target]bool{}}, compiled: map[string]bool{}}
	for _, d := range []string{r.source(), r.binaries()} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, err
		}
	}
	return r, r.load()
}

func (r *runner) source() string   { return filepath.Join(r.folder, "source") }
func (r *runner) binaries() string { return filepath.Join(r.folder, "bin") }

// binary is the file of a package's compiled tests.
func (r *runner) binary(pkg string) string {
	return filepath.Join(r.binaries(), strings.ReplaceAll(pkg, "/", "_")+".test")
}

// prepare makes the copy with all faults.
func (r *runner) prepare(ctx context.Context, all []Fault) error {
	if err := r.copyModule(ctx); err != nil {
		return err
	}
	files := map[string][]Fault{}
	for _, f := range all {
		files[f.File] = append(files[f.File], f)
	}
	for file, faults := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		text, pkg, err := rewrite(string(src), faults)
		if err != nil {
			return err
		}
		at := filepath.Join(r.source(), file)
		if err := replace(at, []byte(text)); err != nil {
			return err
		}
		if err := replace(filepath.Join(filepath.Dir(at), "fault_chooser.go"), fmt.Appendf(nil, chooser, pkg, faultVariable)); err != nil {
			return err
		}
	}
	return nil
}

// compile builds the tests of a package, once.
func (r *runner) compile(ctx context.Context, pkg string) error {
	r.compiling.Lock()
	defer r.compiling.Unlock()
	if r.compiled[pkg] {
		return nil
	}
	fmt.Println("building the tests of", pkg)
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-o", r.binary(pkg), "./"+pkg)
	cmd.Dir = r.source()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("tests of %s: %w\n%s", pkg, err, out)
	}
	r.compiled[pkg] = true
	return nil
}

// copyModule makes the copy like the module, without touching files that are.
func (r *runner) copyModule(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return fmt.Errorf("git ls-files: %w", err)
	}
	keep := map[string]bool{}
	for _, file := range strings.Split(strings.TrimRight(string(out), "\x00"), "\x00") {
		src, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted, and git does not know it yet
		}
		if err != nil {
			return err
		}
		keep[file] = true
		if err := replace(filepath.Join(r.source(), file), src); err != nil {
			return err
		}
	}
	return filepath.WalkDir(r.source(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if rel, err := filepath.Rel(r.source(), path); err != nil || keep[filepath.ToSlash(rel)] {
			return err
		}
		return os.Remove(path)
	})
}

// replace writes a file that has another content.
func replace(file string, data []byte) error {
	if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, data) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}

// answer is what became of a fault.
type answer struct {
	Name, Digest string
	// By names the test that failed, or is "" if none did.
	By string
	// How is the test's output, or that it ran too long.
	How     string
	Seconds float64
}

func (r *runner) answersFile() string { return filepath.Join(r.folder, "answers.json") }

// load reads the answers of earlier runs, the last one of each fault.
func (r *runner) load() error {
	data, err := os.ReadFile(r.answersFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for d := json.NewDecoder(bytes.NewReader(data)); d.More(); {
		var a answer
		if err := d.Decode(&a); err != nil {
			return fmt.Errorf("%s: %w: delete it", r.answersFile(), err)
		}
		r.answers[a.Digest] = a
	}
	return nil
}

// keep adds an answer to the file.
func (r *runner) keep(a answer) error {
	r.answers[a.Digest] = a
	f, err := os.OpenFile(r.answersFile(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(json.NewEncoder(f).Encode(a), f.Close())
}

// done reports whether a fault was killed by an earlier run.
func (r *runner) done(f *Fault) bool { return r.answers[f.digest()].By != "" }
