package codec

import (
	"context"
	"io"

	"github.com/txrobust/robust/history"
)

// Doubts says why verdicts about a history may change if it is written in the format and read
// back: what is lost on which they may depend. Without a doubt they stay what they are.
func (f Format) Doubts(ctx context.Context, h *history.History) ([]string, error) {
	w, err := f.try(ctx, h)
	if err != nil {
		return nil, err
	}
	return w.doubts, nil
}

// try writes a history to nowhere.
func (f Format) try(ctx context.Context, h *history.History) (*writer, error) {
	g, err := writable(f)
	if err != nil {
		return nil, err
	}
	return g.run(ctx, h, func(string) (io.WriteCloser, error) { return nopCloser{io.Discard}, nil })
}

// readFrom gives the transactions that reads must come from, and those that reads may come from:
// where several wrote a value, or the reader itself may not have taken effect.
func (w *writer) readFrom() (must, may []bool) {
	h, src := w.h, w.h.Sources()
	must, may = make([]bool, h.NumTxns()), make([]bool, h.NumTxns())
	see := func(o history.Op, from []history.Op) {
		sure := h.Status(h.TxnOf(o)) == history.Committed
		for _, f := range from {
			sure = sure && h.TxnOf(f) == h.TxnOf(from[0])
		}
		for _, f := range from {
			must[h.TxnOf(f)], may[h.TxnOf(f)] = must[h.TxnOf(f)] || sure, may[h.TxnOf(f)] || !sure
		}
	}
	for o := range history.Op(h.NumOps()) {
		if h.Status(h.TxnOf(o)) == history.Aborted || !h.Known(o) {
			continue
		}
		switch h.Kind(o) {
		case history.Read:
			see(o, src.Of(o))
		case history.ReadRange:
			r := h.Range(o)
			for i := range len(r.LiveKeys) + len(r.DeadKeys) {
				see(o, src.Row(o, i))
			}
		}
	}
	return must, may
}

// readsValues tells whether a read gives no identity of the version that it read.
func (w *writer) readsValues() bool {
	h := w.h
	for o := history.Op(h.NumKeys()); int(o) < h.NumOps(); o++ {
		if h.Kind(o) == history.Read && h.Known(o) && h.Version(o) == history.NoValue {
			return true
		}
	}
	return false
}

// loseUnknownInitials says that it is lost that the recording does not know what keys held
// initially: reads of that are from thin air without it.
func (w *writer) loseUnknownInitials() {
	for k := range history.Key(w.h.NumKeys()) {
		if w.h.Value(history.Op(k)) == history.NoValue {
			w.doubt("The format cannot say that it is not known what keys held initially")
			return
		}
	}
}
