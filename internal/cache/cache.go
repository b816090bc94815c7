// Package cache keeps answers in a folder, for later runs of the program.
//
// An entry has a key, which names everything that the answer depends on, and is
// a file of its own that appears complete. Its first line is a code of the rest
// and of the key (HMAC-SHA256) that only who has the Secret can make, so that a
// file that was damaged, cut off, moved, or written by somebody else is no entry.
// Whoever can write to the folder can make entries go, and nothing else.
//
// Processes may share a folder, and it may be deleted at any time: an entry that
// cannot be read or written is one that is not there. Links in the folder are not
// followed.
package cache

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/txrobust/robust/internal/infile"
)

// Dir is a folder of answers, or memory. A nil Dir has none and keeps none. It is safe for
// concurrent use.
type Dir struct {
	path    string
	version string
	secret  Secret
	wrote   atomic.Bool
	// held has the answers of a Dir without a folder; else it is nil.
	held *sync.Map
}

// MaxBytes bounds the files of a folder; beyond it, those go that were not used
// for the longest time.
const MaxBytes = 256 << 20

// maxEntry bounds the bytes of an entry.
const maxEntry = 32 << 20

// suffix is that of the names of entries. Other files are left alone.
const suffix = ".robust-cache"

// Open uses a folder, which is made when there is something to keep. version
// is part of every key: what the program and the solver are. secret signs the
// entries.
func Open(path, version string, secret Secret) *Dir {
	return &Dir{path: path, version: version, secret: secret}
}

// Memory has no folder: it keeps answers as long as it is in use.
func Memory() *Dir { return &Dir{held: &sync.Map{}} }

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

// seal is the first line of an entry, without its end.
func (d *Dir) seal(full string, data []byte) []byte {
	sum := hmac.New(sha256.New, d.secret[:])
	sum.Write([]byte(full)) // of one length
	sum.Write(data)
	return hex.AppendEncode(nil, sum.Sum(nil))
}

// own reports whether what stands in the place of a folder or file of the cache is
// one, and no link.
func own(path string, isDir bool) bool {
	info, err := os.Lstat(path)
	return err == nil && (isDir && info.IsDir() || !isDir && info.Mode().IsRegular())
}

// Get gives the answer for a key.
func (d *Dir) Get(key string) ([]byte, bool) {
	if d == nil {
		return nil, false
	}
	if d.held != nil {
		data, ok := d.held.Load(key)
		if !ok {
			return nil, false
		}
		return data.([]byte), true
	}
	path, full := d.file(key)
	if !own(filepath.Dir(path), true) || !own(path, false) {
		return nil, false
	}
	text, err := infile.Read(context.Background(), path, maxEntry, "")
	if err != nil {
		return nil, false
	}
	head, data, ok := bytes.Cut(text, []byte("\n"))
	if !ok || !hmac.Equal(head, d.seal(full, data)) {
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
	if d.held != nil {
		d.held.Store(key, slices.Clone(data))
		return
	}
	path, full := d.file(key)
	if len(data) >= maxEntry/2 || os.MkdirAll(filepath.Dir(path), 0o700) != nil || !own(filepath.Dir(path), true) {
		return
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "new*"+suffix)
	if err != nil {
		return
	}
	_, err = tmp.Write(slices.Concat(d.seal(full, data), []byte("\n"), data))
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
