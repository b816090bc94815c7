package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/infile"
	"github.com/txrobust/robust/report"
)

// sinceOwn are the flags of check that say nothing of the findings of a revision.
var sinceOwn = strings.Fields("baseline bundle cache explain fail-on format o proof replay since v witness")

// revision is a commit of a git repository, in a folder of its own.
type revision struct {
	name string // as it was given
	top  string // of the working tree
	tree string // the files of the revision
}

// sinceBaseline gives the findings of the revision of -since as a baseline: this program checks its
// files as it checks those of the working tree.
func (f *checkFlags) sinceBaseline(ctx context.Context, inputs []string) (*report.Baseline, error) {
	if f.baseline != "" {
		return nil, usagef("-since and -baseline both say which findings are accepted; give one of them")
	}
	if slices.Contains(inputs, "-") {
		return nil, usagef("-since: standard input has no revision; name files, directories or packages")
	}
	dir, err := os.MkdirTemp("", "robust-since-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r, err := checkout(ctx, f.since, dir)
	if err != nil {
		return nil, err
	}
	b := &report.Baseline{File: f.since}
	out, err := f.checkRevision(ctx, r, inputs)
	if err != nil || out == nil {
		return b, err
	}
	found, err := report.ReadBaseline(f.since, out)
	if err != nil {
		return nil, err
	}
	b.Entries = found.Entries
	return b, nil
}

// checkout writes the files of a revision to a folder. The repository stays as it is.
func checkout(ctx context.Context, name, dir string) (*revision, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, usagef("-since %s: the program git is needed for that, and is not on the PATH", name)
	}
	git := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.hooksPath=" + os.DevNull}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+filepath.Join(dir, "index"))
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil && ctx.Err() == nil {
			err = fmt.Errorf("-since %s: git %s: %s", name, args[0], oneLine(errs.String()+" "+err.Error()))
		}
		return strings.TrimSuffix(string(out), "\n"), err
	}
	top, err := git("rev-parse", "--show-toplevel")
	if err != nil {
		return nil, usagef("-since %s: the current directory is in no working tree of git", name)
	}
	if top, err = filepath.EvalSymlinks(top); err != nil {
		return nil, err
	}
	commit := ""
	if !strings.HasPrefix(name, "-") {
		commit, err = git("rev-parse", "--verify", "--quiet", name+"^{commit}")
	}
	if err != nil || commit == "" {
		return nil, usagef("-since %s: git knows no such revision here; git fetch brings those of others", name)
	}
	r := &revision{name, top, filepath.Join(dir, "tree")}
	if err := os.Mkdir(r.tree, 0o700); err != nil {
		return nil, err
	}
	if _, err := git("-C", top, "read-tree", commit); err != nil {
		return nil, err
	}
	_, err = git("-C", top, "checkout-index", "--all", "--quiet", "--prefix="+r.tree+string(filepath.Separator))
	return r, err
}

// path gives the place in the revision of what a path names in the working tree, if it is in that. Other
// paths stay.
func (r *revision) path(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(abs))
	if err != nil {
		return abs, nil
	}
	rel, err := filepath.Rel(r.top, filepath.Join(parent, filepath.Base(abs)))
	if err != nil || !filepath.IsLocal(rel) {
		return abs, nil
	}
	return filepath.Join(r.tree, rel), nil
}

// inputs gives the inputs that the revision has.
func (r *revision) inputs(list []string) ([]string, error) {
	var out []string
	for _, in := range list {
		plain := strings.TrimSuffix(strings.TrimSuffix(in, "..."), "/")
		if plain == "" {
			plain = "."
		}
		if _, err := os.Stat(plain); err != nil { // a package by its import path
			out = append(out, in)
			continue
		}
		path, err := r.path(plain)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(path); err != nil {
			continue
		}
		if strings.HasSuffix(in, "...") {
			path = filepath.Join(path, "...")
		}
		out = append(out, path)
	}
	return out, nil
}

// checkRevision gives the report on a revision in JSON, or nil if that has none of the inputs.
func (f *checkFlags) checkRevision(ctx context.Context, r *revision, inputs []string) ([]byte, error) {
	args := []string{"robust", "check", "-format=json", "-cache=" + f.cache}
	if f.cache != "" && f.cache != cacheOff {
		abs, err := filepath.Abs(f.cache)
		if err != nil {
			return nil, err
		}
		args[3] = "-cache=" + abs
	}
	var failed error
	f.given.Visit(func(g *flag.Flag) {
		values := []string{g.Value.String()}
		switch list := g.Value.(type) {
		case *paths:
			there, err := r.inputs(*list)
			values, failed = there, errors.Join(failed, err)
		case *levelFlag:
			values = strings.Split(values[0], ",")
		}
		for _, v := range values {
			if !slices.Contains(sinceOwn, g.Name) {
				args = append(args, "-"+g.Name+"="+v)
			}
		}
	})
	there, err := r.inputs(inputs)
	if err = errors.Join(failed, err); err != nil || len(there) == 0 {
		return nil, err
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, exe)
	cmd.Args = append(append(args, "--"), there...)
	if cmd.Dir, err = r.path("."); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(cmd.Dir, 0o700); err != nil {
		return nil, err
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && (exit.ExitCode() == exitNotRobust || exit.ExitCode() == exitUnknown) {
		err = nil
	}
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("-since %s: that revision cannot be checked: %s", r.name, oneLine(strings.ReplaceAll(errs.String(), r.tree+string(filepath.Separator), "")))
	}
	return out, err
}

// maxBaseline bounds the bytes of a baseline.
const maxBaseline = 256 << 20

// readBaseline reads the findings that are accepted.
func (f *checkFlags) readBaseline(ctx context.Context, inputs []string) (err error) {
	if f.since != "" {
		if f.accepted, err = f.sinceBaseline(ctx, inputs); err == nil {
			f.known = sinceKey(f.accepted)
		}
		return err
	}
	if f.baseline == "" {
		return nil
	}
	f.known, err = infile.Read(ctx, f.baseline, maxBaseline, "name what robust check wrote")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return usagef("-baseline %s: there is no such file; robust check -format json -o %[1]s writes it", f.baseline)
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return usagef("-baseline: %v", err)
	}
	f.accepted, err = report.ReadBaseline(f.baseline, f.known)
	return err
}

// sinceKey is a baseline as a text that is the same for the same findings.
func sinceKey(b *report.Baseline) []byte {
	var list []string
	for _, e := range b.Entries {
		list = append(list, e.Fingerprint)
	}
	slices.Sort(list)
	return []byte(strings.Join(list, "\n"))
}
