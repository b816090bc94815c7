package schemafind

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"

	"github.com/txrobust/robust/internal/gomod"
	"github.com/txrobust/robust/internal/infile"
	"github.com/txrobust/robust/internal/ir"
)

// Roots gives the directories of the modules that a directory belongs to: those
// that the go.work in it or above it uses, else the one with the next go.mod. With
// neither it is the directory itself.
func Roots(dir string) ([]string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	module := ""
	for at := abs; ; at = filepath.Dir(at) {
		work := filepath.Join(at, "go.work")
		switch data, err := infile.Read(context.Background(), work, maxFound, "make it smaller"); {
		case err == nil:
			return used(work, data, abs, dir)
		case !errors.Is(err, os.ErrNotExist):
			return nil, err
		}
		if module == "" && gomod.Is(at) {
			module = at
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	if module == "" {
		return []string{dir}, nil
	}
	return []string{from(abs, dir, module)}, nil
}

// used gives the modules of a go.work.
func used(work string, data []byte, abs, dir string) ([]string, error) {
	f, err := modfile.ParseWork(work, data, nil)
	if err != nil {
		if list, ok := errors.AsType[modfile.ErrorList](err); ok && len(list) > 0 {
			p := list[0].Pos
			return nil, ir.Errorf(ir.Pos{File: from(abs, dir, work), Line: p.Line, Col: p.LineRune}, "this go.work cannot be read: %v", list[0].Err)
		}
		return nil, err
	}
	var out []string
	for _, u := range f.Use {
		path := filepath.FromSlash(u.Path)
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(work), path)
		}
		out = append(out, from(abs, dir, path))
	}
	return out, nil
}

// repository gives the root of the repository that a directory is in, or the
// directory itself if it is in none.
func repository(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	for at := abs; at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
	}
	return dir
}

// from writes a path relative to where dir is, as long as dir is relative.
func from(abs, dir, path string) string {
	if filepath.IsAbs(dir) {
		return path
	}
	rel, err := filepath.Rel(abs, path)
	if err != nil {
		return path
	}
	return filepath.Join(dir, rel)
}
