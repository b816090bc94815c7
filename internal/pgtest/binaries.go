package pgtest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
)

var errMissing = errors.New("pgtest: PostgreSQL is not installed (no folder has both initdb and postgres)")

// binaries finds the folder that holds the server's programs: that of the
// postgres on PATH, or else the newest of Debian's versioned folders.
func binaries() (string, error) {
	var dirs []string
	for _, name := range []string{"postgres", "initdb"} {
		if path, err := exec.LookPath(name); err == nil {
			if real, err := filepath.EvalSymlinks(path); err == nil {
				dirs = append(dirs, filepath.Dir(real))
			}
		}
	}
	versioned, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return "", err
	}
	version := func(dir string) float64 {
		v, _ := strconv.ParseFloat(filepath.Base(filepath.Dir(dir)), 64)
		return v
	}
	sort.Slice(versioned, func(i, j int) bool { return version(versioned[i]) > version(versioned[j]) })
	for _, dir := range append(dirs, versioned...) {
		if executable(filepath.Join(dir, "initdb")) && executable(filepath.Join(dir, "postgres")) {
			return dir, nil
		}
	}
	return "", errMissing
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
