//go:build unix

package cache

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// private checks that only the user who runs this can know a key.
func private(path string, info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case ok && int(stat.Uid) != os.Geteuid():
		return fmt.Errorf("%s: the key of the cache must belong to the user who runs this; remove it", path)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s: the key of the cache must be readable for its owner only, but its mode is %04o; remove it, since others may know it", path, info.Mode().Perm())
	}
	return nil
}
