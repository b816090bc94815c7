// Package output puts results where a user wants them.
package output

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/txrobust/robust/internal/flags"
)

// Check finds out early that a file cannot be written.
func Check(path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		if stream(path) {
			return nil
		}
		return flags.Usagef("-o %s: this is not a file", path)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return flags.Usagef("-o %s: there is no directory %s", path, filepath.Dir(path))
	}
	return nil
}

// stream reports whether a path names something that is written to as it is, such as
// /dev/stdout or a pipe.
func stream(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&(os.ModeCharDevice|os.ModeNamedPipe) != 0 || path == "/dev/stdout" || path == "/dev/stderr"
}

// Write puts a complete result where it belongs: a file has either all of it
// or what it had before.
func Write(stdout, stderr io.Writer, path string, result *bytes.Buffer) error {
	if path == "" {
		_, err := stdout.Write(result.Bytes())
		return err
	}
	switch {
	case path == "/dev/stdout":
		_, err := stdout.Write(result.Bytes())
		return err
	case path == "/dev/stderr":
		_, err := stderr.Write(result.Bytes())
		return err
	case stream(path):
		f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if errors.Is(err, syscall.ENXIO) {
			return flags.Usagef("-o %s: nobody reads from this pipe", path)
		}
		if err != nil {
			return err
		}
		_, err = f.Write(result.Bytes())
		return errors.Join(err, f.Close())
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".robust")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.Write(result.Bytes()); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Chmod(0o644); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
