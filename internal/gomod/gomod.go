// Package gomod finds the modules of Go that folders belong to.
package gomod

import (
	"os"
	"path/filepath"
)

// Is reports whether a folder is the root of a module.
func Is(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// Root gives the root of the module that a folder with an absolute path belongs to: the folder itself, or the nearest
// one above it. It is "" where there is none.
func Root(dir string) string {
	for {
		if Is(dir) {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}
