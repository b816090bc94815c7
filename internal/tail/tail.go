// Package tail reads recorded histories while they are written, and has them judged
// (package follow).
//
// A recording is a file that grows, or standard input. Of a file the end is looked at again and
// again, as tail -F does: where another file takes its place, that is read next, as the
// continuation of the first. Formats are EDN with a map a line, text of Plume, and the
// compact format. Package codec decodes the first two, some transactions at a time.
package tail

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker/follow"
	"github.com/txrobust/robust/internal/infile"
	"github.com/txrobust/robust/isolation"
)

// Options say what to read, and how.
type Options struct {
	// Path is that of the file; Input is read instead if it is not nil.
	Path   string
	Input  io.Reader
	Name   string // of the recording, in messages
	Format codec.Format
	// UntilIdle ends the recording when nothing was written for so long; never if it is 0.
	UntilIdle time.Duration
	Levels    []isolation.Level
	Window    int
	// First stops at the first violation.
	First bool
	Found func(follow.Finding)
	Lost  func(level isolation.Level, why string, at int64)
	// Progress, if not nil, hears how far it is.
	Progress func(txns, ops int64)
}

// Result is what was found out.
type Result struct {
	Format     codec.Format
	Judgements []follow.Judgement
	Violations map[isolation.Anomaly]int
	Txns, Ops  int64
	// Complete: nothing follows, as the recording or UntilIdle says.
	Complete bool
	// Notes are whole sentences.
	Notes []string
}

// Verdict is that of all levels together.
func (r *Result) Verdict() isolation.Verdict {
	out := isolation.Accept
	for _, j := range r.Judgements {
		if j.Verdict == isolation.Reject {
			return isolation.Reject
		}
		if j.Verdict == isolation.Unknown {
			out = isolation.Unknown
		}
	}
	return out
}

// headSize is how much of a recording shows its format.
const headSize = 64

// pause is how long to wait until the end of a file is looked at again.
const pause = 50 * time.Millisecond

// errEnough says that no more is needed.
var errEnough = errors.New("a violation was found")

// Follow judges a recording until it ends, or the context does: then the answer is that about
// what was read.
func Follow(ctx context.Context, o Options) (*Result, error) {
	t := &tail{o: o, r: &Result{}}
	fo := follow.Options{Levels: o.Levels, Window: o.Window, File: history.File{Name: o.Name}}
	fo.Found = func(f follow.Finding) {
		t.found = true
		if o.Found != nil {
			o.Found(f)
		}
	}
	fo.Lost = func(l isolation.Level, why string) {
		if o.Lost != nil {
			o.Lost(l, why, t.judge.Txns())
		}
	}
	t.options = fo
	src, err := t.source(ctx)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	err = t.all(ctx, src)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) || errors.Is(err, errEnough) {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	return t.r, t.end(ctx)
}

// tail follows one recording.
type tail struct {
	o       Options
	options follow.Options
	judge   *follow.Judge
	d       decoder
	left    []byte // what is not decoded yet
	read    bool   // something was read since the judge looked
	found   bool
	r       *Result
}

// piece is what came of a source: bytes, or nothing for now, or the end.
type piece struct {
	bytes []byte
	// next: another file took the place of the one before, of which all was read.
	next, end bool
}

type source interface {
	// pull gives what comes next, and waits a moment if there is nothing.
	pull(ctx context.Context) (piece, error)
	io.Closer
}

func (t *tail) source(ctx context.Context) (source, error) {
	if t.o.Input != nil {
		return newPipe(ctx, t.o.Input), nil
	}
	if info, err := os.Stat(t.o.Path); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		return nil, fmt.Errorf("%s: a recording must be a file that grows or standard input, but this is a named pipe; robust history check -follow - < %[1]s reads it", t.o.Path)
	}
	f, err := infile.Open(t.o.Path)
	if err != nil {
		return nil, err
	}
	return &growing{path: t.o.Path, f: f, stat: os.Stat}, nil
}

// all reads until the recording ends.
func (t *tail) all(ctx context.Context, src source) error {
	quiet := time.Time{} // since when nothing came
	for {
		p, err := src.pull(ctx)
		if err != nil {
			return err
		}
		switch {
		case p.end:
			t.r.Complete = true
			return nil
		case p.next:
			if err := t.another(ctx); err != nil {
				return err
			}
		case len(p.bytes) > 0:
			quiet = time.Time{}
			if err := t.feed(ctx, p.bytes, false); err != nil {
				return err
			}
			if t.d != nil && t.d.over() {
				t.r.Complete = true
				return nil
			}
		case quiet.IsZero():
			quiet = time.Now()
		default:
			if err := t.idle(ctx); err != nil {
				return err
			}
			if t.o.UntilIdle > 0 && time.Since(quiet) >= t.o.UntilIdle {
				t.r.Complete = true
				return nil
			}
		}
		if t.o.First && t.found {
			return errEnough
		}
	}
}

// feed decodes what came.
func (t *tail) feed(ctx context.Context, bytes []byte, last bool) error {
	t.left = append(t.left, bytes...)
	if t.d == nil {
		if len(t.left) < headSize && !last && slices.Index(t.left, '\n') < 0 {
			return nil
		}
		d, f, err := newDecoder(t.o.Format, t.left[:min(len(t.left), headSize)], t.o.Name, cmp.Or(t.o.Window, follow.DefaultWindow), t)
		if err != nil {
			return err
		}
		t.d, t.r.Format = d, f
		t.options.File.Binary, t.options.Initial = f == codec.Compact, f == codec.Plume
		t.judge = follow.New(t.options)
	}
	used, err := t.d.feed(ctx, t.left, last)
	t.left = append(t.left[:0], t.left[used:]...)
	t.read = true
	t.progress()
	return err
}

// idle has what was read judged.
func (t *tail) idle(ctx context.Context) error {
	if t.d == nil {
		return nil
	}
	if !t.read {
		t.progress()
		return nil
	}
	t.read = false
	if err := t.d.flush(ctx); err != nil {
		return err
	}
	if err := t.judge.Idle(ctx); err != nil {
		return err
	}
	t.progress()
	return nil
}

func (t *tail) progress() {
	if t.o.Progress != nil {
		t.o.Progress(t.judge.Txns(), t.judge.Ops())
	}
}

// another begins a file that took the place of the one before.
func (t *tail) another(ctx context.Context) error {
	if t.d == nil {
		return nil
	}
	if len(t.left) > 0 {
		if err := t.feed(ctx, []byte("\n"), false); err != nil {
			return err
		}
	}
	return t.d.next()
}

// atEnd is how long the last look may take after the context ended.
const atEnd = 5 * time.Second

// end gives the answers.
func (t *tail) end(ctx context.Context) error {
	interrupted := ctx.Err() != nil
	if interrupted {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), atEnd)
		defer cancel()
	}
	if t.d == nil && len(t.left) == 0 {
		return fmt.Errorf("%s: nothing was written, expected a recording that grows; -until-idle may be too short", t.o.Name)
	}
	if len(t.left) > 0 || t.d == nil {
		if err := t.feed(ctx, nil, true); err != nil {
			return err
		}
	}
	note, err := t.d.end(ctx)
	if err != nil {
		return err
	}
	if note != "" {
		t.r.Notes, t.r.Complete = append(t.r.Notes, "It is not known what follows: "+note+"."), false
	}
	if t.judge.Txns() == 0 && !interrupted {
		return fmt.Errorf("%s: there is no transaction, expected %s", t.o.Name, t.r.Format.Describe())
	}
	t.r.Judgements, err = t.judge.End(ctx, t.r.Complete)
	t.r.Violations, t.r.Txns, t.r.Ops = t.judge.Violations(), t.judge.Txns(), t.judge.Ops()
	return err
}

// Add gives the judge a transaction.
func (t *tail) Add(ctx context.Context, x follow.Txn) error { return t.judge.Add(ctx, x) }

// SetInitial tells the judge an initial value.
func (t *tail) SetInitial(key, value history.Name) error { return t.judge.SetInitial(key, value) }

// growing is a file that grows.
type growing struct {
	path string
	f    *os.File
	at   int64
	stat func(path string) (os.FileInfo, error) // of the file that has the path now
	// replaced: another file has the path. What was written before that is still to be read.
	replaced bool
	buf      [1 << 16]byte
}

func (g *growing) Close() error { return g.f.Close() }

func (g *growing) pull(ctx context.Context) (piece, error) {
	if ctx.Err() != nil {
		return piece{}, ctx.Err()
	}
	n, err := g.f.Read(g.buf[:])
	g.at += int64(n)
	if n > 0 {
		return piece{bytes: g.buf[:n]}, nil
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return piece{}, fmt.Errorf("%s: %w", g.path, err)
	}
	now, err := g.f.Stat()
	if err != nil {
		return piece{}, fmt.Errorf("%s: %w", g.path, err)
	}
	if now.Size() < g.at {
		return piece{}, fmt.Errorf("%s became shorter while it was followed: it was written anew; follow it again", g.path)
	}
	switch there, err := g.stat(g.path); {
	case err != nil: // it was moved away
	case os.SameFile(there, now):
		g.replaced = false
	case g.replaced:
		return g.another()
	default:
		g.replaced = true // a last line may have been written after the end was met
		return piece{}, nil
	}
	select {
	case <-ctx.Done():
		return piece{}, ctx.Err()
	case <-time.After(pause):
	}
	return piece{}, nil
}

// another opens the file that took the place of the one before.
func (g *growing) another() (piece, error) {
	f, err := infile.Open(g.path)
	if err != nil {
		return piece{}, err
	}
	g.f.Close()
	g.f, g.at, g.replaced = f, 0, false
	return piece{next: true}, nil
}

// pipe is a stream that ends.
type pipe struct {
	pieces chan []byte
	free   chan []byte
	err    error // after pieces is closed
	stop   context.CancelFunc
}

func newPipe(ctx context.Context, r io.Reader) *pipe {
	ctx, stop := context.WithCancel(ctx)
	p := &pipe{pieces: make(chan []byte), free: make(chan []byte, 2), stop: stop}
	p.free <- make([]byte, 1<<16)
	p.free <- make([]byte, 1<<16)
	in := infile.Interruptible(ctx, r)
	go func() {
		defer close(p.pieces)
		defer in.Close()
		for buf := range p.free {
			n, err := in.Read(buf)
			if n > 0 {
				select {
				case p.pieces <- buf[:n]:
				case <-ctx.Done():
					return
				}
			} else {
				p.free <- buf
			}
			if err != nil {
				if !errors.Is(err, io.EOF) {
					p.err = err
				}
				return
			}
		}
	}()
	return p
}

func (p *pipe) Close() error { p.stop(); return nil }

func (p *pipe) pull(ctx context.Context) (piece, error) {
	select {
	case b, more := <-p.pieces:
		if !more {
			return piece{end: p.err == nil}, p.err
		}
		out := slices.Clone(b)
		p.free <- b[:cap(b)]
		return piece{bytes: out}, nil
	case <-ctx.Done():
		return piece{}, ctx.Err()
	case <-time.After(pause):
		return piece{}, nil
	}
}
