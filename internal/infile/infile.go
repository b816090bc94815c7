package infile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Error is a file that is not read. Its text is one line: the path, what is
// wrong, and what to do.
type Error struct {
	Path, Msg string
	// Err is the error of the system, or nil.
	Err error
}

func (e *Error) Error() string { return e.Path + ": " + e.Msg }

func (e *Error) Unwrap() error { return e.Err }

func errorf(path, format string, args ...any) error {
	return &Error{Path: path, Msg: fmt.Sprintf(format, args...)}
}

// fault says in words what the system says about a path.
func fault(path string, err error) error {
	msg := ""
	switch {
	case errors.Is(err, fs.ErrNotExist):
		msg = "there is no such file or directory"
	case errors.Is(err, fs.ErrPermission):
		msg = "permission is denied; make it readable"
	case errors.Is(err, syscall.ELOOP) || strings.Contains(err.Error(), "too many links"):
		msg = "its symbolic links lead in a circle; remove the link"
	case errors.Is(err, syscall.ENAMETOOLONG):
		msg = "the name is too long"
	default:
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			err = e.Err
		}
		msg = "it cannot be read: " + err.Error()
	}
	return &Error{Path: path, Msg: msg, Err: err}
}

// Stat is os.Stat with the errors of this package.
func Stat(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fault(path, err)
	}
	return info, nil
}

// Same reports whether two paths, which may be "", name one file.
func Same(a, b string) bool {
	if a == "" || b == "" {
		return a == b
	}
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// regular reports an error unless info describes a regular file.
func regular(path string, info fs.FileInfo) error {
	what := ""
	switch m := info.Mode(); {
	case m.IsRegular():
		return nil
	case m.IsDir():
		what = "a directory"
	case m&fs.ModeNamedPipe != 0:
		what = "a named pipe"
	case m&fs.ModeSocket != 0:
		what = "a socket"
	case m&fs.ModeDevice != 0:
		what = "a device"
	default:
		what = "no regular file"
	}
	return errorf(path, "this must be a file, but is %s; name a file", what)
}

// Open opens a regular file. Other kinds of files are an *Error, and are not
// waited for.
func Open(path string) (*os.File, error) {
	info, err := Stat(path)
	if err != nil {
		return nil, err
	}
	if err := regular(path, info); err != nil {
		return nil, err // a device may act when it is opened
	}
	f, err := os.OpenFile(path, os.O_RDONLY|unblocked, 0)
	if err != nil {
		return nil, fault(path, err)
	}
	if info, err = f.Stat(); err == nil {
		err = regular(path, info) // it may be another one by now
	} else {
		err = fault(path, err)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// chunk is how many bytes are read before the context is looked at.
const chunk = 1 << 20

// Read reads a regular file of at most limit bytes. A larger one is an *Error
// that ends with the advice. The error of ctx is given when that ends.
func Read(ctx context.Context, path string, limit int64, advice string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size := int64(0)
	if info, err := f.Stat(); err == nil {
		size = info.Size()
	}
	if size > limit {
		return nil, tooLarge(path, size, limit, advice)
	}
	return readAll(ctx, path, f, size, limit, advice)
}

func tooLarge(path string, size, limit int64, advice string) error {
	return errorf(path, "the file has more than %s, but %s; %s", megabytes(size-1), "must have "+megabytes(limit)+" at most", advice)
}

// readAll reads at most limit bytes of r, whose size may be as said.
func readAll(ctx context.Context, path string, r io.Reader, size, limit int64, advice string) ([]byte, error) {
	out := make([]byte, 0, size+1)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out = slices.Grow(out, 1)
		n, err := r.Read(out[len(out):min(cap(out), len(out)+chunk)])
		out = out[:len(out)+n]
		switch {
		case int64(len(out)) > limit: // it grows, or does not tell its size
			return nil, tooLarge(path, limit+1, limit, advice)
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil && ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			return nil, fault(path, err)
		}
	}
}

func megabytes(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// Below names the nearest directories below dir that have files with an extension, at most four of them.
func Below(dir, ext string) []string {
	var out []string
	left := 2000 // entries
	level := []string{dir}
	for range 6 {
		var next []string
		for _, at := range level {
			entries, err := os.ReadDir(at)
			if left -= len(entries); err != nil || left < 0 {
				continue
			}
			if at != dir && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return !e.IsDir() && strings.EqualFold(filepath.Ext(e.Name()), ext) }) {
				out = append(out, at)
				continue
			}
			for _, e := range entries {
				if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
					next = append(next, filepath.Join(at, e.Name()))
				}
			}
		}
		level = next
	}
	return out[:min(len(out), 4)]
}

// List gives the files in a directory whose names end in ext, in any case,
// sorted. A directory with such a name is an *Error: subdirectories are not
// searched.
func List(dir, ext string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fault(dir, err)
	}
	var out []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if !strings.EqualFold(filepath.Ext(e.Name()), ext) {
			continue
		}
		if e.IsDir() {
			return nil, errorf(path, "this must be a file, but is a directory; name the directory itself, or call it otherwise")
		}
		out = append(out, path)
	}
	slices.Sort(out)
	return out, nil
}
