package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var secret = Secret{1}

func files(t *testing.T, dir string) (list []string, size int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		list, size = append(list, path), size+info.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list, size
}

func TestEntries(t *testing.T) {
	dir := t.TempDir()
	d := Open(dir, "v1", secret)
	if _, ok := d.Get("a"); ok {
		t.Error("an empty folder has an entry")
	}
	d.Put("a", []byte("one\ntwo"))
	if got, ok := d.Get("a"); !ok || string(got) != "one\ntwo" {
		t.Errorf("%q %v", got, ok)
	}
	for _, other := range []*Dir{Open(dir, "v2", secret), Open(t.TempDir(), "v1", secret), Open(dir, "v1", Secret{2}), nil} {
		if _, ok := other.Get("a"); ok {
			t.Errorf("%+v has the entry of another version or folder", other)
		}
	}
	if _, ok := d.Get("b"); ok {
		t.Error("another key has the entry")
	}
	if Key("a", "b") == Key("ab") || Key("a", "b") == Key("b", "a") {
		t.Error("keys of different parts are equal")
	}
}

// TestDamage: whatever is done to the file of an entry, it is the entry or none.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	d := Open(dir, "v", secret)
	data := []byte("what was kept")
	d.Put("k", data)
	list, _ := files(t, dir)
	if len(list) != 1 {
		t.Fatal(list)
	}
	whole, err := os.ReadFile(list[0])
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		for _, bad := range [][]byte{whole[:i], append(append(bytes.Clone(whole[:i]), whole[i]^1), whole[i+1:]...)} {
			if err := os.WriteFile(list[0], bad, 0o666); err != nil {
				t.Fatal(err)
			}
			if got, ok := d.Get("k"); ok {
				t.Errorf("damaged at %d, it is still %q", i, got)
			}
		}
	}
	d.Put("k", data)
	other, _ := d.file("other")
	if err := os.MkdirAll(filepath.Dir(other), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other, whole, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, ok := d.Get("other"); ok {
		t.Error("the file of another entry is taken for this one")
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, ok := d.Get("k"); ok {
		t.Error("the folder is gone, the entry is not")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	Open(file, "v", secret).Put("k", data) // cannot be kept, and that is all
}

func TestTogether(t *testing.T) {
	dir := t.TempDir()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			d := Open(dir, "v", secret)
			for i := range 50 {
				key := fmt.Sprint(i % 7)
				d.Put(key, []byte("data of "+key))
				if got, ok := d.Get(key); ok && string(got) != "data of "+key {
					t.Errorf("%s: %q", key, got)
				}
				if i%20 == 0 {
					d.Close(400)
				}
			}
		})
	}
	group.Wait()
}

// TestSize: the entries that were not used for long go first.
func TestSize(t *testing.T) {
	dir := t.TempDir()
	d := Open(dir, "v", secret)
	for i := range 20 {
		d.Put(fmt.Sprint(i), make([]byte, 1000))
		path, _ := d.file(fmt.Sprint(i))
		old := time.Now().Add(time.Duration(i-100) * time.Minute)
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	stranger := filepath.Join(dir, "mine.txt")
	if err := os.WriteFile(stranger, make([]byte, 50000), 0o666); err != nil {
		t.Fatal(err)
	}
	d.Get("0")
	d.Close(10000)
	if _, size := files(t, dir); size > 60000 {
		t.Errorf("%d bytes are left", size)
	}
	for key, want := range map[string]bool{"0": true, "1": false, "19": true} {
		if _, ok := d.Get(key); ok != want {
			t.Errorf("entry %s: %v", key, ok)
		}
	}
	if _, err := os.Stat(stranger); err != nil {
		t.Error("a file of somebody else is gone")
	}
}

// TestStrangers: who does not have the secret makes no entry, with whatever is in the
// folder.
func TestStrangers(t *testing.T) {
	dir := t.TempDir()
	mine, theirs := Open(dir, "v", secret), Open(dir, "v", Secret{2})
	path, full := mine.file("k")
	theirs.Put("k", []byte("robust"))
	if list, _ := files(t, dir); len(list) != 1 || list[0] != path {
		t.Fatalf("the two do not share the folder: %v", list)
	}
	if got, ok := mine.Get("k"); ok {
		t.Errorf("what a stranger wrote is believed: %q", got)
	}
	sum := sha256.Sum256([]byte(full + "robust"))
	for _, head := range []string{"", hex.EncodeToString(sum[:]), strings.Repeat("0", 64), string(mine.seal(full, []byte("robus"))), string(mine.seal(full, []byte("robust")))[:63]} {
		if err := os.WriteFile(path, []byte(head+"\nrobust"), 0o666); err != nil {
			t.Fatal(err)
		}
		if got, ok := mine.Get("k"); ok {
			t.Errorf("with the first line %q it is %q", head, got)
		}
	}
	mine.Put("k", []byte("mine"))
	if got, ok := mine.Get("k"); !ok || string(got) != "mine" {
		t.Errorf("%q %v", got, ok)
	}
}

// TestOdd: links, folders, pipes and huge files in the place of entries are none, are
// not waited for, and lead nowhere.
func TestOdd(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("as it was"), 0o644); err != nil {
		t.Fatal(err)
	}
	long := time.Unix(1e9, 0)
	for name, make := range map[string]func(path string) error{
		"a link":           func(path string) error { return os.Symlink(outside, path) },
		"a link to itself": func(path string) error { return os.Symlink(filepath.Base(path), path) },
		"a device":         func(path string) error { return os.Symlink("/dev/zero", path) },
		"a pipe":           func(path string) error { return syscall.Mkfifo(path, 0o666) },
		"a folder":         func(path string) error { return os.MkdirAll(filepath.Join(path, "full"), 0o777) },
		"a huge file": func(path string) error {
			f, err := os.Create(path)
			if err != nil {
				return err
			}
			return errors.Join(f.Truncate(1<<40), f.Close())
		},
		"an unreadable file": func(path string) error { return os.WriteFile(path, []byte("x"), 0) },
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.Chtimes(outside, long, long); err != nil {
				t.Fatal(err)
			}
			d := Open(t.TempDir(), "v", secret)
			path, _ := d.file("k")
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), make(path)); err != nil {
				t.Fatal(err)
			}
			if got, ok := d.Get("k"); ok {
				t.Errorf("it is %q", got)
			}
			d.Put("k", []byte("new"))
			d.Close(0)
			if got, ok := d.Get("k"); ok && string(got) != "new" {
				t.Errorf("it is %q", got)
			}
		})
		info, err := os.Stat(outside)
		if err != nil || !info.ModTime().Equal(long) || info.Size() != int64(len("as it was")) {
			t.Errorf("%s: a file outside was touched: %v, %v", name, info, err)
		}
	}
	// A folder of entries that is a link.
	d := Open(t.TempDir(), "v", secret)
	path, _ := d.file("k")
	elsewhere := t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	d.Put("k", []byte("new"))
	if _, ok := d.Get("k"); ok {
		t.Error("an entry behind a link is read")
	}
	if list, _ := files(t, elsewhere); len(list) > 0 {
		t.Errorf("written behind a link: %v", list)
	}
	d.Put("large", make([]byte, maxEntry))
	if _, ok := d.Get("large"); ok {
		t.Error("an entry that is too large is kept")
	}
}

// TestUserSecret: the key is made once, stays, and is nobody else's.
func TestUserSecret(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "robust")
	var group sync.WaitGroup
	found := make([]Secret, 16)
	for i := range found {
		group.Go(func() {
			var err error
			if found[i], err = UserSecret(dir); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, s := range found {
		if s != found[0] || s == (Secret{}) {
			t.Fatal("processes that begin at the same time have different keys")
		}
	}
	path := filepath.Join(dir, keyFile)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if list, _ := files(t, dir); len(list) != 1 {
		t.Errorf("more is left than the key: %v", list)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func() error{
		"readable for others": func() error { return os.Chmod(path, 0o644) },
		"writable for others": func() error { return os.Chmod(path, 0o620) },
		"empty":               func() error { return os.Truncate(path, 0) },
		"cut":                 func() error { return os.Truncate(path, 32) },
		"no digits":           func() error { return os.WriteFile(path, bytes.Repeat([]byte("x"), 65), 0o600) },
		"longer":              func() error { return os.WriteFile(path, append(bytes.Clone(text), text...), 0o600) },
		"a link": func() error {
			return errors.Join(os.Rename(path, path+".real"), os.Symlink(path+".real", path))
		},
		"a pipe":   func() error { return syscall.Mkfifo(path, 0o600) },
		"a folder": func() error { return os.Mkdir(path, 0o700) },
	} {
		os.RemoveAll(path)
		if name != "a pipe" && name != "a folder" {
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if _, err := UserSecret(dir); err == nil || !strings.Contains(err.Error(), "remove it") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if a, err := SecretOf(strings.Repeat("a", 32)); err != nil || a == (Secret{}) {
		t.Error(err)
	}
	if _, err := SecretOf("short"); err == nil {
		t.Error("a short key is taken")
	}
}

// TestMemory: an answer stays as it was put, in the one memory that has it.
func TestMemory(t *testing.T) {
	d, data := Memory(), []byte("one")
	d.Put("a", data)
	data[0] = 'x'
	if got, ok := d.Get("a"); !ok || string(got) != "one" {
		t.Errorf("%q %v", got, ok)
	}
	if _, ok := d.Get("b"); ok {
		t.Error("another key has the entry")
	}
	if _, ok := Memory().Get("a"); ok {
		t.Error("another memory has the entry")
	}
	if d.Close(0); d.held == nil {
		t.Error("it is over after Close")
	}
}
