package infile

import (
	"context"
	"io"
)

// Interruptible reads from r, such as standard input, which may wait for ever, until
// ctx ends; then Read gives its error. One read of r may still be waiting after that,
// and after Close, which does not close r.
func Interruptible(ctx context.Context, r io.Reader) io.ReadCloser {
	ctx, cancel := context.WithCancel(ctx)
	return &interruptible{ctx: ctx, cancel: cancel, r: r, asked: make(chan int), read: make(chan chunkRead)}
}

type interruptible struct {
	ctx     context.Context
	cancel  context.CancelFunc
	r       io.Reader
	asked   chan int
	read    chan chunkRead
	started bool
	rest    []byte
	err     error
}

type chunkRead struct {
	text []byte
	err  error
}

func (i *interruptible) Read(p []byte) (int, error) {
	if len(i.rest) == 0 && i.err == nil {
		if !i.started {
			i.started = true
			go i.serve()
		}
		select {
		case i.asked <- max(len(p), 1):
		case <-i.ctx.Done():
			return 0, i.ctx.Err()
		}
		select {
		case got := <-i.read:
			i.rest, i.err = got.text, got.err
		case <-i.ctx.Done():
			return 0, i.ctx.Err()
		}
	}
	n := copy(p, i.rest)
	if i.rest = i.rest[n:]; len(i.rest) > 0 || n > 0 {
		return n, nil
	}
	return 0, i.err
}

func (i *interruptible) Close() error {
	i.cancel()
	return nil
}

// serve reads in the place of who waits.
func (i *interruptible) serve() {
	for {
		select {
		case n := <-i.asked:
			buf := make([]byte, min(n, chunk))
			n, err := i.r.Read(buf)
			select {
			case i.read <- chunkRead{buf[:n], err}:
			case <-i.ctx.Done():
				return
			}
		case <-i.ctx.Done():
			return
		}
	}
}
