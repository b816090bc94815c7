// Package cache keeps answers in a folder, for later runs of the program.
//
// An entry has a key, which names everything that the answer depends on, and is
// a file of its own that appears complete. Its first line is the digest of the
// rest and of the key, so that a file that was damaged, cut off or moved is no
// entry. Processes may share a folder, and it may be deleted at any time: an
// entry that cannot be read or written is one that is not there.
package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// Dir is a folder of answers. A nil Dir has none and keeps none. It is safe for
// concurrent use.
type Dir struct {
	path    string
	version string
	wrote   atomic.Bool
}

// MaxBytes bounds the files of a folder; beyond it, those go that were not used
// for the longest time.
const MaxBytes = 256 << 20

// suffix is that of the names of entries. Other files are left alone.
const suffix = ".robust-cache"

// Open uses a folder, which is made when there is something to keep. version
// is part of every key: what the program and the solver are.
func Open(path, version string) *Dir { return &Dir{path: path, version: version} }

// Key is the digest of parts, which are kept apart.
func Key(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		sum := sha256.Sum256([]byte(p))
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (d *Dir) file(key string) (path, full string) {
	full = Key(d.version, key)
	return filepath.Join(d.path, full[:2], full+suffix), full
}

func seal(full string, data []byte) string {
	sum := sha256.New()
	sum.Write([]byte(full))
	sum.Write(data)
	return hex.EncodeToString(sum.Sum(nil)) + "\n"
}

// Get gives the answer for a key.
func (d *Dir) Get(key string) ([]byte, bool) {
	if d == nil {
		return nil, false
	}
	path, full := d.file(key)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, false
	}
	head, data, ok := bytes.Cut(text, []byte("\n"))
	if !ok || string(head)+"\n" != seal(full, data) {
		return nil, false
	}
	now := time.Now()
	os.Chtimes(path, now, now) // it was used; if that fails it goes earlier
	return data, true
}

// Put keeps an answer, if it can.
func (d *Dir) Put(key string, data []byte) {
	if d == nil {
		return
	}
	path, full := d.file(key)
	if os.MkdirAll(filepath.Dir(path), 0o777) != nil {
		return
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "new*"+suffix)
	if err != nil {
		return
	}
	_, err = tmp.Write(append([]byte(seal(full, data)), data...))
	if e := tmp.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
		return
	}
	d.wrote.Store(true)
}

// Close keeps the folder within max bytes, if something was written.
func (d *Dir) Close(max int64) {
	if d == nil || !d.wrote.Load() {
		return
	}
	type entry struct {
		path string
		size int64
		used time.Time
	}
	var list []entry
	var total int64
	filepath.WalkDir(d.path, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, suffix) {
			return nil
		}
		if info, err := e.Info(); err == nil {
			list = append(list, entry{path, info.Size(), info.ModTime()})
			total += info.Size()
		}
		return nil
	})
	if total <= max {
		return
	}
	slices.SortFunc(list, func(a, b entry) int { return a.used.Compare(b.used) })
	for _, e := range list {
		if total <= max/4*3 {
			return
		}
		if os.Remove(e.path) == nil {
			total -= e.size
		}
	}
}
