package infile

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Reader reads files in some directories, each once. The zero Reader reads
// nothing before Allow. Its methods are safe for concurrent use.
type Reader struct {
	once  sync.Once
	store *store
	names []string // of the files that were read, in order
}

// store is what Readers share.
type store struct {
	mu sync.Mutex
	// dirs and files are where reading is allowed, without symbolic links.
	dirs, files []string
	texts       map[string][]byte
}

// NewReader makes a Reader for what is allowed.
func NewReader(allowed ...string) (*Reader, error) {
	r := &Reader{}
	for _, path := range allowed {
		if err := r.Allow(path); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Fork gives a Reader that shares with r where reading is allowed, and what was
// read; but its Names are its own.
func (r *Reader) Fork() *Reader { return &Reader{store: r.shared()} }

func (r *Reader) shared() *store {
	r.once.Do(func() {
		if r.store == nil {
			r.store = &store{texts: map[string][]byte{}}
		}
	})
	return r.store
}

// resolve gives the absolute path without symbolic links.
func resolve(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fault(path, err)
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", fault(path, err)
	}
	return real, nil
}

// Allow adds what a user has named: a directory, or a file and its directory.
func (r *Reader) Allow(path string) error {
	info, err := Stat(path)
	if err != nil {
		return err
	}
	real, err := resolve(path)
	if err != nil {
		return err
	}
	dir := real
	if !info.IsDir() {
		if dir, err = resolve(filepath.Dir(path)); err != nil {
			return err
		}
	}
	s := r.shared()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dirs = append(s.dirs, dir)
	if dir != real {
		s.files = append(s.files, real) // a link that is named leads where the user wants
	}
	return nil
}

// Outside is a file that a Reader does not read because of where it is. Real is
// its path without symbolic links.
type Outside struct{ Path, Real string }

func (e *Outside) Error() string {
	return e.Path + ": this leads to " + e.Real + ", outside of the directories of the inputs; copy it there, or allow it with -allow-include " + filepath.Dir(e.Real)
}

// May reports an error unless a path is where reading is allowed: an *Outside,
// or an *Error if it is not there.
func (r *Reader) May(path string) error {
	real, err := resolve(path)
	if err != nil {
		return err
	}
	s := r.shared()
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.files, real) {
		return nil
	}
	for _, dir := range s.dirs {
		if below(dir, real) {
			return nil
		}
	}
	return &Outside{path, real}
}

// below reports whether a path is a directory, or in it.
func below(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// Read is the function Read where reading is allowed. What was read before is
// given again.
func (r *Reader) Read(ctx context.Context, path string, limit int64, advice string) ([]byte, error) {
	if text, done := r.Text(path); done {
		r.Note(path, text)
		return text, ctx.Err()
	}
	if err := r.May(path); err != nil {
		return nil, err
	}
	text, err := Read(ctx, path, limit, advice)
	if err != nil {
		return nil, err
	}
	return r.Note(path, text), nil
}

// ReadFrom reads what is no file, such as standard input, of at most limit bytes; its text is
// that of the file with the name then. The error of ctx is given when that ends.
func (r *Reader) ReadFrom(ctx context.Context, name string, from io.Reader, limit int64, advice string) error {
	in := Interruptible(ctx, from)
	defer in.Close()
	text, err := readAll(ctx, name, in, 0, limit, advice)
	if err != nil {
		return err
	}
	r.Note(name, text)
	return nil
}

// Note takes a text that was read from a file for that of the file, unless it is
// known already, and gives the text.
func (r *Reader) Note(path string, text []byte) []byte {
	s := r.shared()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(r.names, path) {
		r.names = append(r.names, path)
	}
	if first, done := s.texts[path]; done {
		return first
	}
	s.texts[path] = text
	return text
}

// Names gives the paths of the files that this Reader has read, in the order in
// which it read them first.
func (r *Reader) Names() []string {
	s := r.shared()
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(r.names)
}

// Text gives the text of a file that was read.
func (r *Reader) Text(path string) ([]byte, bool) {
	s := r.shared()
	s.mu.Lock()
	defer s.mu.Unlock()
	text, ok := s.texts[path]
	return text, ok
}
