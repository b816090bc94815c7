package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// checkOutput finds out early that a file cannot be written.
func checkOutput(path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		if stream(path) {
			return nil
		}
		return usagef("-o %s: this is not a file", path)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return usagef("-o %s: there is no directory %s", path, filepath.Dir(path))
	}
	return nil
}

// stream reports whether a path names something that is written to as it is, such as
// /dev/stdout or a pipe.
func stream(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&(os.ModeCharDevice|os.ModeNamedPipe) != 0 || path == "/dev/stdout" || path == "/dev/stderr"
}

// write puts a complete result where it belongs: a file has either all of it
// or what it had before.
func write(std streams, path string, result *bytes.Buffer) error {
	if path == "" {
		_, err := std.out.Write(result.Bytes())
		return err
	}
	switch {
	case path == "/dev/stdout":
		_, err := std.out.Write(result.Bytes())
		return err
	case path == "/dev/stderr":
		_, err := std.err.Write(result.Bytes())
		return err
	case stream(path):
		f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if errors.Is(err, syscall.ENXIO) {
			return usagef("-o %s: nobody reads from this pipe", path)
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
