package codec

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec/internal/ednode"
	"github.com/txrobust/robust/history/codec/internal/sniff"
)

// ednReader reads what Jepsen writes: a stream of maps, or one vector or list of
// them. The same as JSON is a stream of objects, or one array of them.
type ednReader struct {
	b    *history.Builder
	j    *jepsen
	json bool
}

func (r *ednReader) file(in *input) error {
	p := &parser{input: in, json: r.json}
	inside, err := p.enter("[(")
	if err != nil {
		return err
	}
	if !inside && !r.json {
		parser := func() func([]byte, *ednEvents) int { return (&lineParser{}).events }
		if err := inChunks(in, parser, func(c *ednEvents) error { return r.addAll(in, c) }); err != nil {
			return err
		}
	}
	var lines lineParser
	for {
		if inside {
			if more, err := p.more(); err != nil {
				return err
			} else if !more {
				break
			}
		}
		if err := p.space(); err != nil {
			return err
		}
		if _, ok := p.peek(); !ok && !inside {
			break
		}
		line := p.line
		p.tree.Clear()
		m, err := lines.next(p)
		if err != nil {
			return err
		}
		e, err := parseEvent(m)
		if err == nil {
			err = r.j.add(e, line, history.At(in.file, int64(line)))
		}
		if err != nil {
			return in.errorAt(line, 0, "%v", err)
		}
	}
	if err := p.end(); err != nil {
		return err
	}
	return r.finish(in)
}

// lineParser parses events of some lines, several times as fast as parser.
type lineParser struct{ ednode.Lines }

// ednEvents are the events of some lines.
type ednEvents struct {
	parser parser // whose tree they are in
	events []event
	lines  []int // on which they begin, from 0
}

// events parses the events of some lines, up to what is no event.
func (l *lineParser) events(text []byte, out *ednEvents) int {
	p := &out.parser
	p.input = textInput(text)
	p.tree.Clear()
	out.events, out.lines = out.events[:0], out.lines[:0]
	for {
		for p.pos < len(text) && (text[p.pos] == '\n' || text[p.pos] == '\r' || text[p.pos] == ' ' || text[p.pos] == ',') {
			p.skip()
		}
		if p.pos == len(text) || text[p.pos] != '{' {
			return p.pos
		}
		first, line := p.pos, p.line-1
		m, err := l.next(p)
		if err != nil {
			return first
		}
		e, err := parseEvent(m)
		if err != nil {
			return first
		}
		out.events, out.lines = append(out.events, e), append(out.lines, line)
	}
}

// next reads the event that the next byte begins, and leaves those before valid.
func (l *lineParser) next(p *parser) (ednode.Node, error) {
	const most = 1 << 14 // of a usual event
	if !p.json && !p.plain && (len(p.buf)-p.pos >= most || p.fill() || p.err == nil) && p.buf[p.pos] == '{' {
		m := ednode.Node{T: &p.tree, I: len(p.tree.Nodes)}
		if n := l.Event(p.buf[p.pos:], &p.tree); n > 0 {
			p.pos += n
			return m, nil
		}
	}
	return p.readMore()
}

func (r *ednReader) addAll(in *input, c *ednEvents) error {
	for i, e := range c.events {
		line := in.line + c.lines[i]
		if err := r.j.add(e, line, history.At(in.file, int64(line))); err != nil {
			return in.errorAt(line, 0, "%v", err)
		}
	}
	return nil
}

func (r *ednReader) finish(in *input) error {
	if line, err := r.j.finish(); err != nil {
		return in.errorAt(line, 0, "%v", err)
	}
	return nil
}

// logReader reads the lines that Jepsen logs while it runs: time, level, thread, logger,
// and then process, type, function and value, separated by tabs or blanks. An error may
// follow.
type logReader struct{ ednReader }

func (r *logReader) file(in *input) error {
	for {
		text, ok := in.text()
		if !ok {
			break
		}
		line := in.line - 1
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		e, err := logEvent(sniff.Logged(text))
		if err == nil {
			err = r.j.add(e, line, history.At(in.file, int64(line)))
		}
		if err != nil {
			return in.errorAt(line, 0, "%v", err)
		}
	}
	if in.err != nil {
		return in.err
	}
	return r.finish(in)
}

// logEvent parses what a line says about an operation: values of EDN.
func logEvent(text []byte) (event, error) {
	wrong := fmt.Errorf("%s, expected process, type, function and value, separated by tabs or blanks", show(text))
	p := &parser{input: textInput(append(slices.Clone(text), '\n'))}
	var fields []ednode.Node
	for {
		if err := p.space(); err != nil {
			return event{}, wrong
		}
		if _, more := p.peek(); !more {
			break
		}
		a, err := p.readMore()
		if err != nil {
			return event{}, wrong
		}
		fields = append(fields, a)
	}
	if len(fields) != 4 && len(fields) != 5 {
		return event{}, wrong
	}
	there := func(i int) bool { return fields[i].Shape() != ednode.NilNode }
	e := event{time: history.NoTime, index: -1, process: fields[0].Name(), hasProcess: there(0), f: intern(fields[2]), value: fields[3], hasValue: there(3)}
	return e, e.setKind(fields[1])
}
