package codec

import (
	"bytes"
	"io"
	"slices"
	"sync"
)

// chunkSize is how many bytes of text a goroutine parses at a time. A file that
// is not longer is not worth several.
const chunkSize = 1 << 18

// chunk is a stretch of lines, and what was made of it.
type chunk[T any] struct {
	text   []byte
	parsed int // how much of the text was
	lines  int // ends of lines in that
	out    T
	done   chan struct{} // holds a token once out is complete
}

// inChunks reads a stream whose lines can be parsed apart from those before, as
// long as they can: several goroutines parse stretches of lines at a time, and add
// takes the results one after the other, in the order of the stream. parser gives
// each goroutine a function that parses a text into out, as far as it can, and
// says how far that is. While add runs, in.line is the line on which its text
// begins.
//
// The first text that is not parsed to its end is where in goes on: whatever
// inChunks leaves over, the caller reads by itself, from the line after or
// within it. Mistakes are left over, too, so that there is one place for
// messages about them.
func inChunks[T any](in *input, parser func() func(text []byte, out *T) int, add func(out *T) error) error {
	if in.workers < 2 {
		return nil
	}
	for len(in.buf)-in.pos < in.chunk {
		if !in.fill() {
			return nil
		}
	}
	in.base, in.buf, in.pos = in.offset(), in.buf[in.pos:], 0
	s := &chunks[T]{in: in, stop: make(chan struct{}), left: bytes.Clone(in.buf)}
	n := 2*in.workers + 1
	s.free, s.jobs, s.ordered = make(chan *chunk[T], n), make(chan *chunk[T], n), make(chan *chunk[T], n)
	for range n {
		s.free <- &chunk[T]{done: make(chan struct{}, 1)}
	}
	var wg sync.WaitGroup
	wg.Go(s.produce)
	for range in.workers {
		wg.Go(func() {
			parse := parser()
			for c := range s.jobs {
				c.parsed = parse(c.text, &c.out)
				c.lines = bytes.Count(c.text[:c.parsed], []byte{'\n'})
				c.done <- struct{}{}
			}
		})
	}
	err := s.consume(add)
	wg.Wait()
	return err
}

// readLines reads a text of which every line is an L, or blank. parse says which,
// and whether a line is one of both, without its end; add takes the others with
// their numbers. expected is what should be there otherwise.
func readLines[L any](in *input, parse func(l *L, text []byte) (blank, ok bool), add func(line int, l L) error, expected string) error {
	type numbered struct {
		l    L
		line int // of those that are parsed together, from 0
	}
	parser := func() func([]byte, *[]numbered) int {
		return func(text []byte, out *[]numbered) int {
			lines, at := (*out)[:0], 0
			for line := 0; at < len(text); line++ {
				end := bytes.IndexByte(text[at:], '\n')
				if end < 0 {
					end = len(text) - at
				}
				lines = append(lines, numbered{line: line})
				blank, ok := parse(&lines[len(lines)-1].l, withoutCR(text[at:at+end]))
				if blank || !ok {
					lines = lines[:len(lines)-1]
				}
				if !ok {
					break
				}
				at = min(at+end+1, len(text))
			}
			*out = lines
			return at
		}
	}
	err := inChunks(in, parser, func(lines *[]numbered) error {
		for i := range *lines {
			if err := add(in.line+(*lines)[i].line, (*lines)[i].l); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	l := new(L) // one for all
	for {
		text, ok := in.text()
		if !ok {
			return in.err
		}
		*l = *new(L)
		blank, ok := parse(l, text)
		if !ok {
			return in.lineErrorf("%s, expected %s", show(bytes.TrimSpace(text)), expected)
		}
		if !blank {
			if err := add(in.line-1, *l); err != nil {
				return err
			}
		}
	}
}

// chunks are on their way from the stream to what takes them. None of the channels
// is ever full.
type chunks[T any] struct {
	in   *input
	free chan *chunk[T]
	// jobs are not parsed yet; ordered are all, in the order of the stream.
	jobs, ordered chan *chunk[T]
	stop          chan struct{}
	left          []byte // what was read but is in no chunk; produce's until ordered is closed
	err           error  // of reading, which comes after left
}

// produce reads the stream until it ends or stop is closed.
func (s *chunks[T]) produce() {
	defer close(s.ordered)
	defer close(s.jobs)
	for s.err == nil && s.in.ctx.Err() == nil {
		select {
		case <-s.stop:
			return
		case c := <-s.free:
			if !s.read(c) {
				return
			}
			s.ordered <- c
			s.jobs <- c
		}
	}
}

// read makes a chunk of what is left and what comes next, up to the end of a line
// or of the stream. It tells whether there is one.
func (s *chunks[T]) read(c *chunk[T]) bool {
	c.text = append(c.text[:0], s.left...)
	for {
		have := len(c.text)
		want := max(s.in.chunk, 2*have)
		c.text = slices.Grow(c.text, want-have)[:want]
		n, err := io.ReadFull(s.in.r, c.text[have:])
		c.text = c.text[:have+n]
		end := bytes.LastIndexByte(c.text, '\n') + 1
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			s.err, end = io.EOF, len(c.text)
		case err != nil:
			s.err = err
		case end == 0 && want < maxLine:
			continue
		}
		s.left = append(s.left[:0], c.text[end:]...)
		c.text = c.text[:end]
		return end > 0
	}
}

// consume adds the chunks one after the other, and gives the rest back to the
// input.
func (s *chunks[T]) consume(add func(out *T) error) error {
	in := s.in
	for c := range s.ordered {
		<-c.done
		if err := add(&c.out); err != nil {
			close(s.stop)
			for range s.ordered {
			}
			return err
		}
		if i := bytes.LastIndexByte(c.text[:c.parsed], '\n'); i >= 0 {
			in.bol = in.base + int64(i) + 1
		}
		in.line += c.lines
		in.base += int64(c.parsed)
		if c.parsed < len(c.text) {
			close(s.stop)
			s.giveBack(c.text[c.parsed:])
			return nil
		}
		s.free <- c
	}
	s.giveBack(nil)
	return nil
}

// giveBack makes the input go on with a text, and with what was read behind it.
func (s *chunks[T]) giveBack(text []byte) {
	rest := []io.Reader{bytes.NewReader(text)}
	for c := range s.ordered {
		<-c.done
		rest = append(rest, bytes.NewReader(c.text))
	}
	rest = append(rest, bytes.NewReader(s.left))
	if s.err != nil {
		rest = append(rest, failing{s.err})
	} else {
		rest = append(rest, s.in.r)
	}
	s.in.buf, s.in.r = make([]byte, 0, bufferSize), io.MultiReader(rest...)
}

// failing is a reader at its end.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
