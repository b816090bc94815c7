// Package revision gives the files of a revision of git in a folder of their own.
package revision

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Revision is a commit of a git repository, in a folder of its own.
type Revision struct {
	top  string // of the working tree
	Tree string // the files of the revision
}

// Missing says what a user has to do before there can be a revision: the program git, a working
// tree, or another name.
type Missing string

// Error is that of an error.
func (m Missing) Error() string { return string(m) }

// Checkout writes the files of a revision to a folder. The repository stays as it is.
func Checkout(ctx context.Context, name, dir string) (*Revision, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, Missing("the program git is needed for that, and is not on the PATH")
	}
	git := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.hooksPath=" + os.DevNull}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+filepath.Join(dir, "index"))
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil && ctx.Err() == nil {
			err = fmt.Errorf("git %s: %s %w", args[0], strings.Join(strings.Fields(errs.String()), " "), err)
		}
		return strings.TrimSuffix(string(out), "\n"), err
	}
	top, err := git("rev-parse", "--show-toplevel")
	if err != nil {
		return nil, Missing("the current directory is in no working tree of git")
	}
	if top, err = filepath.EvalSymlinks(top); err != nil {
		return nil, err
	}
	commit := ""
	if !strings.HasPrefix(name, "-") {
		commit, err = git("rev-parse", "--verify", "--quiet", name+"^{commit}")
	}
	if err != nil || commit == "" {
		return nil, Missing("git knows no such revision here; git fetch brings those of others")
	}
	r := &Revision{top, filepath.Join(dir, "tree")}
	if err := os.Mkdir(r.Tree, 0o700); err != nil {
		return nil, err
	}
	if _, err := git("-C", top, "read-tree", commit); err != nil {
		return nil, err
	}
	_, err = git("-C", top, "checkout-index", "--all", "--quiet", "--prefix="+r.Tree+string(filepath.Separator))
	return r, err
}

// Path gives the place in the revision of what a path names in the working tree, if it is in that. Other
// paths stay.
func (r *Revision) Path(path string) (string, error) {
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
	return filepath.Join(r.Tree, rel), nil
}

// Outside reports whether an input is a file or folder that is not in the working tree.
func (r *Revision) Outside(input string) bool {
	plain := folderOf(input)
	if _, err := os.Stat(plain); err != nil {
		return false
	}
	path, err := r.Path(plain)
	return err == nil && path != r.Tree && !strings.HasPrefix(path, r.Tree+string(filepath.Separator))
}

// folderOf gives what a pattern of packages is about.
func folderOf(input string) string {
	if plain := strings.TrimSuffix(strings.TrimSuffix(input, "..."), "/"); plain != "" {
		return plain
	}
	return "."
}

// Inputs gives the inputs that the revision has.
func (r *Revision) Inputs(list []string) ([]string, error) {
	var out []string
	for _, in := range list {
		plain := folderOf(in)
		if _, err := os.Stat(plain); err != nil { // a package by its import path
			out = append(out, in)
			continue
		}
		path, err := r.Path(plain)
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
