package repair

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/txrobust/robust/internal/sql/input"
)

// Apply writes the changed files of a repair: all of them or none. A file that is no longer as it was read is an
// error. A file keeps its owner, its mode and its links, since it is written in its place: what it grows by
// comes first, so that a full disk is met while the old text is still there.
func (r *Repair) Apply() error {
	var list []*writing
	defer func() {
		for _, w := range list {
			w.f.Close()
		}
	}()
	for _, file := range r.files {
		w, err := r.open(file)
		if err != nil {
			return fmt.Errorf("%w; no file was changed", err)
		}
		list = append(list, w)
	}
	for i, w := range list {
		if err := w.grow(); err != nil {
			return undone(list[:i+1], err)
		}
	}
	for _, w := range list {
		if err := w.write(w.text); err != nil {
			return undone(list, err)
		}
	}
	return nil
}

// undone gives files the texts that they had.
func undone(list []*writing, err error) error {
	for _, w := range list {
		if back := w.write(w.was); back != nil {
			return fmt.Errorf("%w; %s could not be put back: %w", err, w.f.Name(), back)
		}
	}
	return fmt.Errorf("%w; no file was changed", err)
}

// writing is a file that gets another text.
type writing struct {
	f         *os.File
	was, text string
}

// open opens a file that is still as it was read.
func (r *Repair) open(file input.File) (*writing, error) {
	f, err := os.OpenFile(file.Name, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	w := &writing{f: f, text: file.Text}
	for _, b := range r.before {
		if b.Name == file.Name {
			w.was = b.Text
		}
	}
	now, err := io.ReadAll(f)
	if err == nil && string(now) != w.was {
		err = fmt.Errorf("%s was changed while repairs were looked for; run robust fix again", file.Name)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return w, nil
}

// grow writes what the new text is longer by.
func (w *writing) grow() error {
	if len(w.text) <= len(w.was) {
		return nil
	}
	_, err := w.f.WriteAt([]byte(w.text[len(w.was):]), int64(len(w.was)))
	return err
}

// write writes a text from the beginning, and cuts the file to its size.
func (w *writing) write(text string) error {
	if _, err := w.f.WriteAt([]byte(text), 0); err != nil {
		return err
	}
	return w.f.Truncate(int64(len(text)))
}
