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
	"github.com/txrobust/robust/internal/revision"
	"github.com/txrobust/robust/report"
)

// sinceOwn are the flags of check that say nothing of the findings of a revision.
var sinceOwn = strings.Fields("baseline bundle cache color config explain fail-on format o proof replay since v witness")

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
	r, err := revision.Checkout(ctx, f.since, dir)
	if missing, ok := errors.AsType[revision.Missing](err); ok {
		return nil, usagef("-since %s: %v", f.since, missing)
	}
	if err != nil {
		return nil, fmt.Errorf("-since %s: %w", f.since, err)
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

// configThen gives the configuration that counts for a revision: its own, where the inputs have one that it has, too. Else the flags of the
// working tree count for both.
func (f *checkFlags) configThen(r *revision.Revision, inputs []string) (string, error) {
	if f.config.typed["config"] {
		return configNone, nil
	}
	now, err := configOf(inputs)
	if err != nil || now == "" {
		return configNone, err
	}
	then, err := r.Path(now)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(then); err != nil {
		return configNone, nil
	}
	return then, nil
}

// checkRevision gives the report on a revision in JSON, or nil if that has none of the inputs.
func (f *checkFlags) checkRevision(ctx context.Context, r *revision.Revision, inputs []string) ([]byte, error) {
	config, err := f.configThen(r, inputs)
	if err != nil {
		return nil, err
	}
	args := []string{"robust", "check", "-format=json", "-config=" + config, "-cache=" + f.cache}
	if f.cache != "" && f.cache != cacheOff {
		abs, err := filepath.Abs(f.cache)
		if err != nil {
			return nil, err
		}
		args[4] = "-cache=" + abs
	}
	var failed error
	f.given.Visit(func(g *flag.Flag) {
		values := []string{g.Value.String()}
		switch list := g.Value.(type) {
		case *paths:
			there, err := r.Inputs(*list)
			values, failed = there, errors.Join(failed, err)
		case *levelFlag:
			values = strings.Split(values[0], ",")
		}
		for _, v := range values {
			if !slices.Contains(sinceOwn, g.Name) && (config == configNone || f.config.typed[g.Name]) {
				args = append(args, "-"+g.Name+"="+v)
			}
		}
	})
	for _, in := range inputs {
		if r.Outside(in) {
			return nil, usagef("-since %s: %s is not in the working tree of git that the current directory is in", f.since, in)
		}
	}
	there, err := r.Inputs(inputs)
	if err = errors.Join(failed, err); err != nil || len(there) == 0 {
		return nil, err
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, exe)
	cmd.Args = append(append(args, "--"), there...)
	if cmd.Dir, err = r.Path("."); err != nil {
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
		err = fmt.Errorf("-since %s: that revision cannot be checked: %s", f.since, oneLine(strings.ReplaceAll(errs.String(), r.Tree+string(filepath.Separator), "")))
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
