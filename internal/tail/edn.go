package tail

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/txrobust/robust/history/codec"
)

// ednDecoder reads EDN of Jepsen, a map a line. It brings each completion to its invocation,
// and lets package codec decode the pairs.
type ednDecoder struct {
	lines
	out   sink
	open  map[string]pending // by process
	ended int64              // how many transactions are complete
	// window is after how many others a transaction that goes on is taken to have been left.
	window, oldest int64
	batch          batch
}

// pending is an invocation without a completion.
type pending struct {
	text  []byte
	line  int64
	begun int64 // how many transactions were complete
}

func (d *ednDecoder) feed(ctx context.Context, piece []byte, last bool) (int, error) {
	return d.each(piece, last, func(text []byte, endless bool) error { return d.event(ctx, text, endless) })
}

func (d *ednDecoder) event(ctx context.Context, text []byte, endless bool) error {
	if text[0] == ';' {
		return nil
	}
	process, kind, ok := ednFields(text)
	switch {
	case !ok && endless:
		return errCut
	case !ok:
		return d.fault("%.40q is not a whole map of EDN on one line, as is needed to follow a recording", text)
	case string(process) == ":nemesis":
		return nil
	case len(process) == 0:
		return d.fault("an operation without :process, which cannot be followed; check the whole file without -follow")
	}
	was, begun := d.open[string(process)]
	if string(kind) == ":invoke" {
		if begun {
			return d.fault("process %s invokes an operation, but the one that it invoked in line %d is not complete", process, was.line)
		}
		d.open[string(process)] = pending{bytes.Clone(text), d.line, d.ended}
		return nil
	}
	if begun {
		delete(d.open, string(process))
		d.batch.line(was.text, was.line)
	}
	d.batch.line(text, d.line)
	if d.ended++; d.ended%16 == 0 {
		d.oldest = d.ended
		for _, p := range d.open {
			if d.ended-p.begun <= d.window {
				d.oldest = min(d.oldest, p.begun)
			}
		}
	}
	d.batch.open = append(d.batch.open, d.oldest)
	if d.batch.txns++; d.batch.txns < batchTxns {
		return nil
	}
	return d.flush(ctx)
}

func (d *ednDecoder) fault(format string, args ...any) error {
	return &codec.Error{File: d.name, Line: int(d.line), Msg: fmt.Sprintf(format, args...)}
}

func (d *ednDecoder) flush(ctx context.Context) error {
	return d.batch.decode(ctx, codec.EDN, d.name, d.out)
}

// end takes invocations that never completed: they may have happened.
func (d *ednDecoder) end(ctx context.Context) (string, error) {
	var left []pending
	for _, p := range d.open {
		left = append(left, p)
	}
	slices.SortFunc(left, func(p, q pending) int { return cmp.Compare(p.line, q.line) })
	for _, p := range left {
		d.batch.line(p.text, p.line)
		d.batch.open = append(d.batch.open, 0)
		d.batch.txns++
	}
	clear(d.open)
	return d.note(), d.flush(ctx)
}

func (d *ednDecoder) next() error { d.line = 0; return nil }
func (d *ednDecoder) over() bool  { return false }

// ednFields finds :process and :type of a map on one line; ok is false if it is no such map.
func ednFields(text []byte) (process, kind []byte, ok bool) {
	if text[0] != '{' {
		return nil, nil, false
	}
	var name []byte
	at := 1
	for n := 0; ; n++ {
		for at < len(text) && bytes.IndexByte([]byte(" \t,"), text[at]) >= 0 {
			at++
		}
		if at == len(text) {
			return nil, nil, false
		}
		if text[at] == '}' {
			return process, kind, at == len(text)-1 && n%2 == 0
		}
		end := ednValue(text, at)
		if end < 0 {
			return nil, nil, false
		}
		v := text[at:end]
		switch at = end; {
		case n%2 == 0:
			name = v
		case string(name) == ":process" && string(v) != "nil":
			process = v
		case string(name) == ":type":
			kind = v
		}
	}
}

// ednValue gives the end of the value that begins at a place, -1 if it is not on the line.
func ednValue(text []byte, at int) int {
	deep := 0
	for i := at; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if i >= len(text) {
				return -1
			}
			if deep == 0 {
				return i + 1
			}
		case '[', '(', '{':
			deep++
		case ']', ')', '}':
			if deep == 0 {
				return i
			}
			if deep--; deep == 0 {
				return i + 1
			}
		case ' ', '\t', ',':
			if deep == 0 {
				return i
			}
		}
	}
	return -1
}
