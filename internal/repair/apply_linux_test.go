package repair

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestApplyFullDisk: where there is no room for the new text, all files keep the old one.
func TestApplyFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=16k"); err != nil {
		t.Skipf("NOT TESTED: a small file system needs the right to mount one: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	r := two(t, dir)
	fill, err := os.Create(dir + "/fill")
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = fill.Write(make([]byte, 4096))
	}
	if err := errors.Join(fill.Close(), r.Apply()); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "no file was changed") {
		t.Error(err)
	}
	have(t, r.before)
	if err := os.Remove(fill.Name()); err != nil {
		t.Fatal(err)
	}
	if err := r.Apply(); err != nil {
		t.Error(err)
	}
	have(t, r.files)
}
