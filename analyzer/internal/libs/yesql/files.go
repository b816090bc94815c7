package yesql

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/gomod"
)

const (
	// maxFile bounds the bytes of a file: what is larger is data. maxFiles bounds their number.
	maxFile  = 1 << 20
	maxFiles = 5000
)

// files are the statements in the files of SQL of modules, by their names.
type files struct {
	texts map[string][]string
	roots map[string]bool
	// partial says that not all files were read.
	partial bool
}

// add reads the files of the module that a file of Go belongs to.
func (f *files) add(file string) {
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		f.partial = true
		return
	}
	if dir = gomod.Root(dir); dir == "" {
		f.partial = true
		return
	}
	if f.roots[dir] {
		return
	}
	if f.roots == nil {
		f.roots, f.texts = map[string]bool{}, map[string][]string{}
	}
	f.roots[dir] = true
	n := 0
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != dir && (name == "vendor" || name == "node_modules" || strings.HasPrefix(name, ".")) {
				return filepath.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() || filepath.Ext(name) != ".sql" || info.Size() > maxFile {
			return err
		}
		if n++; n > maxFiles {
			f.partial = true
			return filepath.SkipAll
		}
		text, err := os.ReadFile(path)
		if err == nil {
			f.parse(string(text))
		}
		return err
	})
	f.partial = f.partial || err != nil
}

// parse takes the statements out of a file: each stands behind its name, without comments.
func (f *files) parse(text string) {
	name := ""
	var lines []string
	end := func() {
		if s := strings.TrimSpace(strings.Join(lines, "\n")); name != "" && s != "" && !slices.Contains(f.texts[name], s) {
			f.texts[name] = append(f.texts[name], s)
		}
		lines = nil
	}
	for line := range strings.Lines(text) {
		comment, isComment := strings.CutPrefix(strings.TrimSpace(line), "--")
		if n, ok := strings.CutPrefix(strings.TrimSpace(comment), "name:"); isComment && ok {
			end()
			name, _, _ = strings.Cut(strings.TrimSpace(n), " ")
			continue
		}
		if !isComment {
			lines = append(lines, strings.TrimRight(line, "\r\n"))
		}
	}
	end()
}
