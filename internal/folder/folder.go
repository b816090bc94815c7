// Package folder writes folders of results, each of which appears when it is
// complete, and takes the place of an older one of its kind only.
package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Kind is a kind of folder.
type Kind struct {
	// Mark is the file by which a folder is known to be one.
	Mark string
	// Ours reports whether a file or folder with this name may be in it.
	Ours func(name string) bool
}

// Put adds a file to a folder, or with slashes in its name to one inside.
type Put func(name string, text []byte) error

// Replaceable reports an error unless dir is absent, empty, or of the kind.
func (k Kind) Replaceable(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	known := len(entries) == 0
	for _, e := range entries {
		known = known || e.Name() == k.Mark
	}
	for _, e := range entries {
		if !known || !k.Ours(e.Name()) {
			return fmt.Errorf("%s: not written by this program; name a folder that does not exist yet", filepath.Join(dir, e.Name()))
		}
	}
	return nil
}

// Write makes the folder dir of the files that fill puts.
func (k Kind) Write(dir string, fill func(put Put) error) error {
	dir = filepath.Clean(dir)
	if err := k.Replaceable(dir); err != nil {
		return err
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(parent, ".robust")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	put := func(name string, text []byte) error {
		path := filepath.Join(tmp, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		return os.WriteFile(path, text, 0o666)
	}
	if err := fill(put); err != nil {
		return err
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	return replace(tmp, dir)
}

// replace puts a folder in the place of another one, which is moved away first
// and removed last.
func replace(tmp, dir string) error {
	old := tmp + ".old"
	switch err := os.Rename(dir, old); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	}
	if err := os.Rename(tmp, dir); err != nil {
		os.Rename(old, dir) // as it was; the first error counts
		return err
	}
	return os.RemoveAll(old)
}
