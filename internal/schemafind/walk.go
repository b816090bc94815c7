package schemafind

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/gomod"
	"github.com/txrobust/robust/internal/infile"
	"github.com/txrobust/robust/internal/ir"
)

// maxFound and maxNamed are the bytes of a file that was found, and of one that
// was named, that is looked into.
const (
	maxFound = 16 << 20
	maxNamed = 1 << 30
)

// skipped are directories that hold nothing of the program.
var skipped = []string{"vendor", "node_modules", "testdata"}

// walk notes the files of the module.
func (m *module) walk(ctx context.Context) error {
	return filepath.WalkDir(m.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path == m.root {
				return nil
			}
			if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || slices.Contains(skipped, name) {
				return filepath.SkipDir
			}
			if gomod.Is(path) {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		dir := filepath.Dir(path)
		switch ext := strings.ToLower(filepath.Ext(name)); {
		case ext == ".sql":
			f, ok, err := m.read(path)
			if err != nil {
				return err
			}
			if ok {
				m.sql[dir] = append(m.sql[dir], f)
			}
		case ext == ".go":
			if !strings.HasSuffix(name, "_test.go") {
				m.golang = append(m.golang, path)
			}
		case slices.Contains([]string{"sqlc.yaml", "sqlc.yml", "sqlc.json"}, name):
			m.configs = append(m.configs, path)
		default:
			m.other(path)
		}
		return nil
	})
}

// other takes note of a file that says which tool a directory is for.
func (m *module) other(path string) {
	dir, name := filepath.Dir(path), filepath.Base(path)
	if name != "atlas.sum" && name != "tern.conf" {
		return
	}
	if m.others == nil {
		m.others = map[string]map[string]bool{}
	}
	if m.others[dir] == nil {
		m.others[dir] = map[string]bool{}
	}
	m.others[dir][name] = true
}

// read reads a file, unless it is too large.
func (m *module) read(path string) (f File, ok bool, err error) {
	info, err := infile.Stat(path)
	if err != nil {
		return File{}, false, err
	}
	if info.Mode().IsRegular() && info.Size() > m.limit {
		m.gaps = append(m.gaps, gap{"", ir.Note{Pos: ir.Pos{File: path}, Text: fmt.Sprintf("this file has %d MB and is taken for data: it is not looked into", info.Size()>>20)}})
		return File{}, false, nil
	}
	b, err := m.disk.Read(m.ctx, path, m.limit, "leave out the rows")
	return File{Name: path, Text: string(b)}, err == nil, err
}

// sqlFiles reads the SQL files of a directory, or a file.
func (m *module) sqlFiles(path string) ([]File, error) {
	info, err := infile.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		f, ok, err := m.read(path)
		if err != nil || !ok {
			return nil, err
		}
		return []File{f}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var out []File
	for _, e := range entries {
		full := filepath.Join(path, e.Name())
		if e.IsDir() {
			continue
		}
		if !strings.EqualFold(filepath.Ext(e.Name()), ".sql") {
			m.other(full)
			continue
		}
		f, ok, err := m.read(full)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, f)
		}
	}
	return out, nil
}
