package infile

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// odd makes a folder of files that are none, and of links, and gives it.
func odd(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	must(os.WriteFile(in("file"), []byte("text"), 0o666))
	must(os.WriteFile(in("secret"), []byte("secret"), 0))
	must(syscall.Mkfifo(in("pipe"), 0o666))
	must(os.Mkdir(in("folder"), 0o777))
	must(os.Symlink("loop", in("loop")))
	must(os.Symlink("nowhere", in("broken")))
	must(os.Symlink("/dev/zero", in("device")))
	must(os.Symlink("file", in("link")))
	listener, err := net.Listen("unix", in("socket"))
	must(err)
	t.Cleanup(func() { listener.Close() })
	f, err := os.Create(in("huge"))
	must(err)
	must(errors.Join(f.Truncate(1<<40), f.Close()))
	return dir
}

// TestRead: files are read, and all else is an error in one line, at once.
func TestRead(t *testing.T) {
	dir := odd(t)
	for _, c := range []struct{ name, want string }{
		{"file", ""},
		{"link", ""},
		{"pipe", "this must be a file, but is a named pipe"},
		{"socket", "this must be a file, but is a socket"},
		{"device", "this must be a file, but is a device"},
		{"folder", "this must be a file, but is a directory"},
		{"loop", "its symbolic links lead in a circle"},
		{"broken", "there is no such file or directory"},
		{"nowhere", "there is no such file or directory"},
		{"file/x", "it cannot be read: not a directory"},
		{"secret", "permission is denied"},
		{"huge", "the file has more than 1048575 MB, but must have 1 MB at most; make it smaller"},
		{strings.Repeat("x", 300), "the name is too long"},
	} {
		t.Run(c.name[:min(len(c.name), 10)], func(t *testing.T) {
			if c.name == "secret" && os.Geteuid() == 0 {
				t.Skip("root reads everything")
			}
			path := filepath.Join(dir, c.name)
			type answer struct {
				text []byte
				err  error
			}
			done := make(chan answer, 1)
			go func() {
				text, err := Read(t.Context(), path, 1<<20, "make it smaller")
				done <- answer{text, err}
			}()
			select {
			case a := <-done:
				if c.want == "" {
					if a.err != nil || string(a.text) != "text" {
						t.Errorf("%q, %v", a.text, a.err)
					}
					return
				}
				if a.err == nil || !strings.HasPrefix(a.err.Error(), path+": ") || !strings.Contains(a.err.Error(), c.want) || strings.Contains(a.err.Error(), "\n") {
					t.Errorf("error %v, want %s", a.err, c.want)
				}
			case <-time.After(5 * time.Second):
				t.Error("it waits for somebody")
			}
		})
	}
	if _, err := Read(t.Context(), filepath.Join(dir, "nowhere"), 1, ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not fs.ErrNotExist", err)
	}
}

// TestReadUnsized: a file that does not tell its size is bounded all the same, and
// the end of the context ends the reading.
func TestReadUnsized(t *testing.T) {
	const path = "/proc/self/status"
	if _, err := os.Stat(path); err != nil {
		t.Skip(err)
	}
	if text, err := Read(t.Context(), path, 1<<20, ""); err != nil || !strings.Contains(string(text), "VmRSS") {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := Read(t.Context(), path, 10, "take another one"); err == nil || !strings.Contains(err.Error(), "must have 10 bytes at most; take another one") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ctx, path, 1<<20, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestList: files by their ending; what only looks like one is an error.
func TestList(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.sql", "a.SQL", "c.txt", ".d.sql"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := List(dir, ".sql")
	if err != nil || len(got) != 3 || filepath.Base(got[0]) != ".d.sql" || filepath.Base(got[1]) != "a.SQL" || filepath.Base(got[2]) != "b.sql" {
		t.Errorf("%v, %v", got, err)
	}
	if err := os.Mkdir(filepath.Join(dir, "x.sql"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := List(dir, ".sql"); err == nil || !strings.Contains(err.Error(), "x.sql: this must be a file, but is a directory") {
		t.Errorf("error %v", err)
	}
	if _, err := List(filepath.Join(dir, "none"), ".sql"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// TestReader: a Reader keeps to what is allowed, whatever leads elsewhere, and
// reads each file once.
func TestReader(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"app/sub", "app2", "lib"} {
		if err := os.MkdirAll(in(name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"app/a.sql", "app/sub/b.sql", "app2/c.sql", "lib/d.sql"} {
		if err := os.WriteFile(in(name), []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"app/out.sql": "../lib/d.sql", "app/outdir": "../lib", "app/in.sql": "sub/b.sql", "named.sql": "lib/d.sql"} {
		if err := os.Symlink(target, in(link)); err != nil {
			t.Fatal(err)
		}
	}
	var none Reader
	if _, err := none.Read(t.Context(), in("app/a.sql"), 100, ""); err == nil {
		t.Error("a Reader for nothing reads a file")
	}
	r := &Reader{}
	if err := r.Allow(in("app")); err != nil {
		t.Fatal(err)
	}
	for name, allowed := range map[string]bool{"app/a.sql": true, "app/sub/b.sql": true, "app/in.sql": true, "app/sub/../a.sql": true,
		"app/out.sql": false, "app/outdir/d.sql": false, "app2/c.sql": false, "app/../lib/d.sql": false, "named.sql": false} {
		_, err := r.Read(t.Context(), dir+"/"+name, 100, "")
		var outside *Outside
		if allowed != (err == nil) || !allowed && (!errors.As(err, &outside) || !strings.Contains(err.Error(), "-allow-include "+in(""))) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A link that somebody names leads where it leads; not so what is beside that.
	if err := r.Allow(in("named.sql")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read(t.Context(), in("named.sql"), 100, ""); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(in("lib/e.sql"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	r2, err := NewReader(in("app2"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r2.Read(t.Context(), in("lib/e.sql"), 100, ""); err == nil {
		t.Error("a file beside the target of a link is read")
	}
	// What was read stays.
	fork := r.Fork()
	if err := os.WriteFile(in("app/a.sql"), []byte("another text"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, x := range []*Reader{r, fork} {
		if text, err := x.Read(t.Context(), in("app/a.sql"), 100, ""); err != nil || string(text) != "app/a.sql" {
			t.Errorf("%q, %v", text, err)
		}
	}
	if names := fork.Names(); len(names) != 1 || names[0] != in("app/a.sql") {
		t.Errorf("the fork has read %v", names)
	}
}
