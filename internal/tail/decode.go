package tail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker/follow"
)

// sink takes what a decoder read.
type sink interface {
	Add(ctx context.Context, t follow.Txn) error
	SetInitial(key, value history.Name) error
}

// decoder reads a recording piece by piece.
type decoder interface {
	// feed takes what comes next, and says how much of it was used: what is left begins the
	// next piece. If last is set, nothing follows.
	feed(ctx context.Context, piece []byte, last bool) (used int, err error)
	// flush gives the sink all transactions that are complete.
	flush(ctx context.Context) error
	// end gives the sink what will never be complete. It gives a note on what was left out.
	end(ctx context.Context) (note string, err error)
	// next begins another file of the same recording.
	next() error
	// over tells whether the recording says that nothing follows.
	over() bool
}

// Formats are those that can be followed.
func Formats() []codec.Format { return []codec.Format{codec.EDN, codec.Plume, codec.Compact} }

// newDecoder gives the decoder of a format, or of the one that the first bytes show.
func newDecoder(f codec.Format, head []byte, name string, window int, out sink) (decoder, codec.Format, error) {
	text := bytes.TrimLeft(head, " \t\r\n,")
	if f == codec.Guess {
		switch {
		case bytes.HasPrefix(head, []byte("\x89rbh")):
			f = codec.Compact
		case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
			return nil, f, fmt.Errorf("%s is compressed, which cannot be followed; gzip -dc %s | robust history check -follow -", name, name)
		case bytes.HasPrefix(text, []byte("{")), bytes.HasPrefix(text, []byte(";")):
			f = codec.EDN
		case bytes.HasPrefix(text, []byte("r(")), bytes.HasPrefix(text, []byte("w(")):
			f = codec.Plume
		default:
			return nil, f, fmt.Errorf("%s:1:1: %q begins no format that can be followed, expected edn with a map a line, plume or compact; robust history convert makes them of others", name, clip(head))
		}
	}
	switch f {
	case codec.EDN:
		return &ednDecoder{lines: lines{name: name}, out: out, open: map[string]pending{}, window: int64(window)}, f, nil
	case codec.Plume:
		return &plumeDecoder{lines: lines{name: name}, out: out, open: map[int64]*plumeTxn{}}, f, nil
	case codec.Compact:
		return &compactDecoder{name: name, out: out, last: map[int][]history.Name{}}, f, nil
	}
	return nil, f, fmt.Errorf("the format %s cannot be followed, only edn with a map a line, plume and compact can; check the whole file without -follow", f)
}

func clip(b []byte) []byte { return b[:min(len(b), 20)] }

// lines splits pieces into lines.
type lines struct {
	name string
	line int64 // of the last one that was split off
	cut  bool  // the last line of all is cut off
}

// errCut says that a line is cut off, if it is the last one of all.
var errCut = errors.New("the line is cut off")

// note says that the last line is left out, if it is cut off.
func (l *lines) note() string {
	if !l.cut {
		return ""
	}
	return fmt.Sprintf("the last line, %d, is cut off and left out", l.line)
}

// each gives f all whole lines of a piece, and the last one of all if it has no end, too: f may
// say that it is cut off.
func (l *lines) each(piece []byte, last bool, f func(text []byte, endless bool) error) (used int, err error) {
	for used < len(piece) {
		n := bytes.IndexByte(piece[used:], '\n')
		text := piece[used:]
		switch {
		case n >= 0:
			text, used = text[:n], used+n+1
		case last:
			used = len(piece)
		case len(text) > longestLine:
			return used, &codec.Error{File: l.name, Line: int(l.line + 1), Msg: fmt.Sprintf("a line of more than %d bytes", longestLine)}
		default:
			return used, nil
		}
		l.line++
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		err := f(text, last && n < 0)
		if errors.Is(err, errCut) {
			l.cut = true
			return used, nil
		}
		if err != nil {
			return used, err
		}
	}
	return used, nil
}

const longestLine = 1 << 26

// batch is a text of whole transactions, which is decoded as a history by itself.
type batch struct {
	text   []byte
	places []int64 // in the recording, of each line
	open   []int64 // of each transaction, follow.Txn.Open; or nil
	txns   int
}

// batchTxns is how many transactions are decoded at a time.
const batchTxns = 256

func (b *batch) line(text []byte, place int64) {
	b.text = append(append(b.text, text...), '\n')
	b.places = append(b.places, place)
}

// decode decodes a batch and gives out its transactions, in the order of their first lines.
// Those of which place is negative are left out.
func (b *batch) decode(ctx context.Context, f codec.Format, name string, out sink) error {
	if b.txns == 0 {
		return nil
	}
	h, _, err := codec.Decode(ctx, bytes.NewReader(b.text), name, codec.Options{Format: f, Reordered: true})
	if err != nil {
		return b.located(err)
	}
	txns := make([]history.Txn, 0, h.NumTxns())
	for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
		txns = append(txns, t)
	}
	lineOf := func(t history.Txn) int64 { return int64(h.Place(t)) & (1<<44 - 1) }
	slices.SortFunc(txns, func(x, y history.Txn) int { return int(lineOf(x) - lineOf(y)) })
	for i, t := range txns {
		place := b.places[lineOf(t)-1]
		if place < 0 {
			continue
		}
		x := convert(h, t, place)
		if b.open != nil {
			x.Open = b.open[i]
		}
		if err := out.Add(ctx, x); err != nil {
			return located(err, name, place)
		}
	}
	*b = batch{text: b.text[:0], places: b.places[:0], open: b.open[:0]}
	return nil
}

// located gives an error of a transaction its place.
func located(err error, name string, place int64) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &codec.Error{File: name, Line: int(place), Msg: err.Error()}
}

var lineNumber = regexp.MustCompile(`\bline (\d+)`)

// located gives an error of the batch its place in the recording.
func (b *batch) located(err error) error {
	fault, ok := errors.AsType[*codec.Error](err)
	if !ok {
		return err
	}
	place := func(n int) int64 {
		if n < 1 || n > len(b.places) {
			return int64(n)
		}
		return b.places[n-1]
	}
	out := *fault
	out.Line = int(place(fault.Line))
	out.Msg = lineNumber.ReplaceAllStringFunc(fault.Msg, func(s string) string {
		n, _ := strconv.Atoi(s[len("line "):])
		return fmt.Sprintf("line %d", place(n))
	})
	return &out
}

// convert gives a transaction of a history as one of a stream.
func convert(h *history.History, t history.Txn, place int64) follow.Txn {
	first, end := h.Ops(t)
	x := follow.Txn{Session: h.SessionName(h.SessionOf(t)), Status: h.Status(t), Place: place, Ops: make([]follow.Op, 0, end-first)}
	for o := first; o < end; o++ {
		op := follow.Op{Kind: h.Kind(o), Unknown: h.Kind(o).Reads() && !h.Known(o)}
		if k := h.Key(o); k >= 0 {
			op.Key = h.KeyName(k)
		}
		switch op.Kind {
		case history.Read, history.Write, history.Append:
			if !op.Unknown && h.Value(o) != history.Initial {
				op.Value = h.ValueName(h.Value(o))
			}
		case history.ReadList:
			for _, v := range h.List(o) {
				op.List = append(op.List, h.ValueName(v))
			}
		}
		x.Ops = append(x.Ops, op)
	}
	return x
}
