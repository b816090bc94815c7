package codec

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/infile"
)

// Histories gives the histories that a path names, each as Read takes it: the path
// itself, if it is a file or the folder of one history, or else all files and
// folders of histories below it, sorted. Hidden ones do not count.
func Histories(path string) ([]string, error) {
	info, err := infile.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	return below(path)
}

// below gives the histories in a folder. Folders in it that are symbolic links are not
// followed: they may lead in a circle.
func below(path string) ([]string, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") })
	if len(entries) == 0 || oneHistory(path, entries) {
		return []string{path}, nil
	}
	var out []string
	for _, e := range entries {
		full := filepath.Join(path, e.Name())
		info, err := infile.Stat(full)
		switch {
		case err != nil:
			return nil, err
		case !info.IsDir():
			out = append(out, full)
			continue
		case !e.IsDir():
			continue
		}
		list, err := below(full)
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

// oneHistory tells whether a folder has the files of one history: that of a format
// which gives it a name, or the logs of sessions.
func oneHistory(path string, entries []os.DirEntry) bool {
	var files []string
	for _, e := range entries {
		if !e.IsDir() {
			files = append(files, e.Name())
		}
	}
	if known(files) != "" {
		return true
	}
	for _, name := range files {
		if !strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".log") {
			continue
		}
		file := filepath.Join(path, name)
		f, err := stream{file, func() (io.ReadCloser, error) { return infile.Open(file) }}.start()
		if err != nil {
			return true // Read will say what is wrong
		}
		format, err := guess(f)
		f.c.Close()
		g, _ := format.find()
		return err != nil || g.apart
	}
	return false
}
