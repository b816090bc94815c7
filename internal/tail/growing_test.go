package tail

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestReplaced: what is written between the look at the end of a file and the look at its path is read
// before the file that takes its place.
func TestReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.edn")
	if err := os.WriteFile(path, []byte("first\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	looks := 0
	g := &growing{path: path, f: f, stat: func(path string) (os.FileInfo, error) {
		if looks++; looks == 1 {
			old, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err == nil {
				_, err = old.WriteString("last\n")
				err = errors.Join(err, old.Close(), os.Rename(path, path+".1"), os.WriteFile(path, []byte("next\n"), 0o600))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return os.Stat(path)
	}}
	defer func() { g.Close() }()
	got := ""
	for range 20 {
		p, err := g.pull(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got += string(p.bytes); p.next {
			got += "|"
		}
	}
	if want := "first\nlast\n|next\n"; got != want {
		t.Errorf("%q was read, expected %q", got, want)
	}
}

// TestVanished: a file that has gone again is waited for.
func TestVanished(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.edn")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	g := &growing{path: path, f: f, stat: os.Stat, replaced: true}
	defer func() { g.Close() }()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if p, err := g.pull(t.Context()); err != nil || p.next {
		t.Fatalf("%+v, %v", p, err)
	}
	if err := os.WriteFile(path, []byte("next\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if p, err := g.pull(t.Context()); err != nil || !p.next {
		t.Fatalf("%+v, %v", p, err)
	}
}

// TestNamedPipe: the answer says how to read one.
func TestNamedPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Follow(t.Context(), Options{Path: path, Name: path}); err == nil || !strings.Contains(err.Error(), "-follow - < "+path) {
		t.Error(err)
	}
}
