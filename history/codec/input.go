package codec

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
)

// Error is a mistake in a recorded history, with the place of it.
type Error struct {
	File string
	// Line and Column count from 1. In a binary file Line is 0, and Offset
	// counts bytes from 0.
	Line, Column int
	Offset       int64
	Msg          string
}

func (e *Error) Error() string {
	switch {
	case e.Line == 0:
		return fmt.Sprintf("%s, byte %d: %s", e.File, e.Offset, e.Msg)
	case e.Column == 0:
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

const (
	bufferSize = 1 << 16
	// maxLine bounds what has to be in memory at once: a line of text, or one
	// number or string of it.
	maxLine = 1 << 26
	// mostWorkers is how many goroutines parse more than one can take.
	mostWorkers = 8
)

// input is a stream of bytes that knows where it is. Reading past the end gives
// io.EOF from fill; every other error, also a cancelled context, stays in err.
type input struct {
	ctx  context.Context
	r    io.Reader
	name string
	file int // its number in the history
	buf  []byte
	pos  int   // of the next byte in buf
	base int64 // offset of buf[0] in the file
	line int   // of the next byte
	bol  int64 // offset of the beginning of that line
	err  error
	// workers is how many goroutines may parse stretches of about chunk bytes.
	workers, chunk int
	plain          bool
}

func newInput(ctx context.Context, r io.Reader, name string, file int) *input {
	return &input{
		ctx: ctx, r: r, name: name, file: file, buf: make([]byte, 0, bufferSize), line: 1,
	}
}

// configure says how to parse.
func (in *input) configure(o Options) {
	in.workers = cmp.Or(o.workers, min(runtime.GOMAXPROCS(0), mostWorkers))
	in.chunk, in.plain = cmp.Or(o.chunk, chunkSize), o.plain
}

// textInput is an input of a text, which has no file, and so no use for the
// places in its errors.
func textInput(text []byte) *input { return &input{buf: text, line: 1} }

// plain undoes compression, which the first bytes show.
func plain(r io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 4096)
	if magic, _ := b.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return b, nil
	}
	return gzip.NewReader(b)
}

// fill gets more bytes behind those not yet read. It tells whether there are any.
func (in *input) fill() bool {
	if in.err != nil || in.r == nil {
		return false
	}
	if in.pos > 0 {
		n := copy(in.buf, in.buf[in.pos:])
		in.base += int64(in.pos)
		in.buf, in.pos = in.buf[:n], 0
	}
	if len(in.buf) == cap(in.buf) {
		if cap(in.buf) >= maxLine {
			in.err = in.errorf("more than %d bytes in one line or value", maxLine)
			return false
		}
		in.buf = append(make([]byte, 0, 2*cap(in.buf)), in.buf...)
	}
	if err := in.ctx.Err(); err != nil {
		in.err = err
		return false
	}
	for range 100 {
		n, err := in.r.Read(in.buf[len(in.buf):cap(in.buf)])
		in.buf = in.buf[:len(in.buf)+n]
		if err != nil && !errors.Is(err, io.EOF) {
			in.err = fmt.Errorf("%s, byte %d: %w", in.name, in.base+int64(len(in.buf)), err)
			return n > 0
		}
		if n > 0 {
			return true
		}
		if err != nil {
			return false
		}
	}
	in.err = io.ErrNoProgress
	return false
}

// peek gives the next byte without reading it.
func (in *input) peek() (c byte, ok bool) {
	if in.pos == len(in.buf) && !in.fill() {
		return 0, false
	}
	return in.buf[in.pos], true
}

// skip reads the byte that peek gave.
func (in *input) skip() {
	if in.buf[in.pos] == '\n' {
		in.line++
		in.bol = in.base + int64(in.pos) + 1
	}
	in.pos++
}

// text reads a line, without its end; ok is false at the end of the file. The
// line is valid until the next call.
func (in *input) text() (line []byte, ok bool) {
	seen := 0
	for {
		if i := bytes.IndexByte(in.buf[in.pos+seen:], '\n'); i >= 0 {
			line = in.buf[in.pos : in.pos+seen+i]
			in.pos += seen + i + 1
			in.line++
			in.bol = in.base + int64(in.pos)
			return withoutCR(line), true
		}
		if seen = len(in.buf) - in.pos; !in.fill() {
			break
		}
	}
	if in.err != nil || in.pos == len(in.buf) {
		return nil, false
	}
	line = in.buf[in.pos:]
	in.pos = len(in.buf)
	in.line++ // as if it had ended
	return withoutCR(line), true
}

func withoutCR(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}

// next reads n bytes, n at most the size of the buffer. They are valid until the
// next call. At the end of the file it gives what is left.
func (in *input) next(n int) []byte {
	for len(in.buf)-in.pos < n && in.fill() {
	}
	b := in.buf[in.pos:min(in.pos+n, len(in.buf))]
	in.pos += len(b)
	return b
}

func (in *input) offset() int64 { return in.base + int64(in.pos) }

// errorf is a mistake at the next byte.
func (in *input) errorf(format string, args ...any) error {
	return in.errorAt(in.line, int(in.offset()-in.bol)+1, format, args...)
}

// lineErrorf is a mistake in the line that text gave last.
func (in *input) lineErrorf(format string, args ...any) error {
	return in.errorAt(in.line-1, 0, format, args...)
}

func (in *input) errorAt(line, column int, format string, args ...any) error {
	return &Error{File: in.name, Line: line, Column: column, Msg: fmt.Sprintf(format, args...)}
}

// byteErrorf is a mistake in a binary file.
func (in *input) byteErrorf(at int64, format string, args ...any) error {
	return &Error{File: in.name, Offset: at, Msg: fmt.Sprintf(format, args...)}
}

// fault gives err if the reading itself failed, and otherwise the mistake.
func (in *input) fault(mistake error) error {
	if in.err != nil {
		return in.err
	}
	return mistake
}

// show prints a piece of input for an error message.
func show(b []byte) string {
	const most = 40
	if len(b) > most {
		return fmt.Sprintf("%q…", b[:most])
	}
	return fmt.Sprintf("%q", b)
}
