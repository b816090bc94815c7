package cache

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

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
	d := Open(dir, "v1")
	if _, ok := d.Get("a"); ok {
		t.Error("an empty folder has an entry")
	}
	d.Put("a", []byte("one\ntwo"))
	if got, ok := d.Get("a"); !ok || string(got) != "one\ntwo" {
		t.Errorf("%q %v", got, ok)
	}
	for _, other := range []*Dir{Open(dir, "v2"), Open(t.TempDir(), "v1"), nil} {
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
	d := Open(dir, "v")
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
	Open(file, "v").Put("k", data) // cannot be kept, and that is all
}

func TestTogether(t *testing.T) {
	dir := t.TempDir()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			d := Open(dir, "v")
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
	d := Open(dir, "v")
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
