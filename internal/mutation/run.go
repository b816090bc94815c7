package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// known is what runs of tests have shown, other than about faults.
type known struct {
	sync.Mutex
	// took is how long a target takes if its tests pass.
	took map[target]time.Duration
	// sound says of tests whether they pass without a fault.
	sound map[target]bool
}

// A test with a fault may take slack more than three times what it took before: other
// work may slow the machine down. maxTime is for one of which that is not known.
const (
	slack   = 2 * time.Minute
	maxTime = 15 * time.Minute
)

// limit bounds the time of a target.
func (r *runner) limit(t target) time.Duration {
	r.known.Lock()
	defer r.known.Unlock()
	if d, ok := r.known.took[t]; ok {
		return min(slack+3*d, maxTime)
	}
	return maxTime
}

// passes reports whether a test passes without a fault.
func (r *runner) passes(ctx context.Context, pkg, test string) (bool, error) {
	t := target{pkg, "^" + test + "$"}
	r.known.Lock()
	ok, known := r.known.sound[t]
	r.known.Unlock()
	if known {
		return ok, nil
	}
	out, _, late, err := r.test(ctx, t, "", nil, maxTime)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if bytes.Contains(out, []byte("no tests to run")) {
		return false, fmt.Errorf("%s has no tests", t)
	}
	r.known.Lock()
	defer r.known.Unlock()
	r.known.sound[t] = err == nil && !late
	return r.known.sound[t], nil
}

// unsound are the tests of a package that fail without a fault, and say nothing.
func (r *runner) unsound(pkg string) []string {
	r.known.Lock()
	defer r.known.Unlock()
	var out []string
	for t, ok := range r.known.sound {
		if !ok && t.pkg == pkg {
			out = append(out, strings.Trim(t.pattern, "^$"))
		}
	}
	slices.Sort(out)
	return out
}

// failed matches the name of a test that failed, without that of a part of it.
var failed = regexp.MustCompile(`(?m)^--- FAIL: ([^/ ]+)`)

// test runs a package's tests but for those skipped, with a fault or "". late says that
// the time was over.
func (r *runner) test(ctx context.Context, t target, fault string, skip []string, limit time.Duration) (out []byte, took time.Duration, late bool, err error) {
	tmp, err := os.MkdirTemp(r.folder, "tmp")
	if err != nil {
		return nil, 0, false, err
	}
	defer os.RemoveAll(tmp)
	args := []string{"-test.timeout=0", "-test.failfast"}
	if t.pattern != "" {
		args = append(args, "-test.run="+t.pattern)
	}
	if skip != nil {
		args = append(args, "-test.skip=^("+strings.Join(skip, "|")+")$")
	}
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(bounded, r.binary(t.pkg), args...)
	cmd.Dir = filepath.Join(r.source(), t.pkg)
	cmd.Env = append(os.Environ(), faultVariable+"="+fault, "TMPDIR="+tmp)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	begin := time.Now()
	out, err = cmd.CombinedOutput()
	return out, time.Since(begin), bounded.Err() != nil, cmp.Or(ctx.Err(), err)
}

// try runs the tests that may notice a fault, in their order, until one fails.
func (r *runner) try(ctx context.Context, f *Fault) (answer, error) {
	a := answer{Name: f.Name, Digest: f.digest()}
	begin := time.Now()
	rounds := f.targets()
	for _, t := range slices.Concat(rounds[:r.rounds]...) {
		if err := r.compile(ctx, t.pkg); err != nil {
			return a, err
		}
		by, how, err := r.killer(ctx, f, t)
		if err != nil {
			return a, err
		}
		if by != "" {
			a.By, a.How = t.pkg+": "+by, how
			break
		}
	}
	a.Seconds = time.Since(begin).Seconds()
	return a, nil
}

// killer gives the test of a target that fails with a fault and passes without, "" if
// there is none.
func (r *runner) killer(ctx context.Context, f *Fault, t target) (by, how string, err error) {
	for {
		skip := r.unsound(t.pkg)
		out, took, late, err := r.test(ctx, t, f.Name, skip, r.limit(t))
		if ctx.Err() != nil {
			return "", "", ctx.Err()
		}
		if bytes.Contains(out, []byte("no tests to run")) && skip == nil {
			return "", "", fmt.Errorf("%s has no tests: correct the pattern of fault %s", t, f.Name)
		}
		if err == nil {
			r.known.Lock()
			r.known.took[t] = max(r.known.took[t], took)
			r.known.Unlock()
			return "", "", nil
		}
		m := failed.FindSubmatch(out)
		if m == nil {
			return who(late), last(out), nil
		}
		test := string(m[1])
		sound, err := r.passes(ctx, t.pkg, test)
		if err != nil {
			return "", "", err
		}
		if sound {
			return test, last(out), nil
		}
		if slices.Contains(skip, test) {
			return "", "", fmt.Errorf("%s fails without a fault, and cannot be left out:\n%s", t, last(out))
		}
	}
}

// who says how tests ended of which none is said to have failed.
func who(late bool) string {
	if late {
		return "runs too long"
	}
	return "panics or exits"
}

// last is the end of an output.
func last(out []byte) string {
	return string(out[max(0, len(out)-2000):])
}

// runAll tries faults, some at a time, and keeps the answers.
func (r *runner) runAll(ctx context.Context, todo []Fault, jobs int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	work := make(chan *Fault)
	var mu sync.Mutex
	var errs []error
	var group sync.WaitGroup
	n := 0
	for range max(1, jobs) {
		group.Go(func() {
			for f := range work {
				a, err := r.try(ctx, f)
				mu.Lock()
				if err == nil {
					err = r.keep(a)
				}
				if err != nil {
					errs = append(errs, err)
					cancel()
				} else {
					n++
					fmt.Printf("%d/%d %s: %s (%.0f s)\n", n, len(todo), f.Name, cmp.Or(a.By, "SURVIVES"), a.Seconds)
				}
				mu.Unlock()
			}
		})
	}
	for i := range todo {
		work <- &todo[i]
	}
	close(work)
	group.Wait()
	return errors.Join(errs...)
}

// summary prints what became of all faults, and reports whether all are killed but
// those that may survive.
func (r *runner) summary(w io.Writer, all []Fault) bool {
	killed, allowed, seconds := 0, 0, 0.0
	var alive, missing []string
	for i := range all {
		f := &all[i]
		a, known := r.answers[f.digest()]
		seconds += a.Seconds
		switch {
		case !known:
			missing = append(missing, f.Name)
		case a.By != "":
			killed++
			if f.Survives != "" {
				fmt.Fprintf(w, "%s is killed by %s, although it is to survive: correct the table\n", f.Name, a.By)
			}
		case f.Survives != "":
			allowed++
		default:
			alive = append(alive, fmt.Sprintf("  %s (%s): %s", f.Name, f.File, f.Breaks))
		}
	}
	fmt.Fprintf(w, "%d faults: %d killed, %d survive with a reason, %d survive, %d were not run; %.0f seconds\n", len(all), killed, allowed, len(alive), len(missing), seconds)
	for _, line := range alive {
		fmt.Fprintln(w, line)
	}
	return len(alive) == 0 && len(missing) == 0
}
