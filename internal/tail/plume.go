package tail

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/txrobust/robust/history/codec"
)

// plumeDecoder reads text of Plume. A transaction is complete when its session goes on with
// another one, or when many others began since.
type plumeDecoder struct {
	lines
	out   sink
	open  map[int64]*plumeTxn // by session
	begun int64
	first *plumeTxn
	batch batch
	ended intervals // the numbers of transactions that are complete
}

// plumeTxn is a transaction of which more lines may come.
type plumeTxn struct {
	session, number int64
	begun           int64 // how many had begun before
	text            [][]byte
	places          []int64
}

// patience is how many transactions of other sessions begin before one is taken to be complete.
const patience = 1000

func (d *plumeDecoder) feed(ctx context.Context, piece []byte, last bool) (int, error) {
	return d.each(piece, last, func(text []byte, endless bool) error { return d.operation(ctx, text, endless) })
}

func (d *plumeDecoder) operation(ctx context.Context, text []byte, endless bool) error {
	session, number, ok := plumeTail(text)
	if !ok && endless {
		return errCut
	}
	if !ok {
		// The decoder of the format says what is wrong.
		_, _, err := codec.Decode(ctx, bytes.NewReader(text), d.name, codec.Options{Format: codec.Plume})
		b := batch{places: []int64{d.line}}
		return b.located(cmp.Or[error](err, &codec.Error{File: d.name, Line: 1, Msg: fmt.Sprintf("%.40q, expected w(key,value,session,txn) or r(key,value,session,txn) of integers of 64 bits", text)}))
	}
	t := d.open[session]
	if t == nil || t.number != number {
		if t != nil {
			if err := d.close(ctx, t); err != nil {
				return err
			}
		}
		if d.first != nil && d.open[d.first.session] == d.first {
			if err := d.close(ctx, d.first); err != nil {
				return err
			}
		}
		if number >= 0 && d.ended.has(number) {
			return &codec.Error{File: d.name, Line: int(d.line), Msg: fmt.Sprintf("the transaction %d goes on after others began, which cannot be followed; check the whole file without -follow", number)}
		}
		t = &plumeTxn{session: session, number: number, begun: d.begun}
		d.open[session] = t
		if d.begun++; d.begun == 1 {
			d.first = t
		}
		if d.begun%patience == 0 {
			if err := d.closeOld(ctx); err != nil {
				return err
			}
		}
	}
	t.text, t.places = append(t.text, bytes.Clone(text)), append(t.places, d.line)
	return nil
}

// closeOld ends the transactions since which many others began.
func (d *plumeDecoder) closeOld(ctx context.Context) error {
	for _, t := range d.inOrder() {
		if d.begun-t.begun > patience {
			if err := d.close(ctx, t); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *plumeDecoder) inOrder() []*plumeTxn {
	var out []*plumeTxn
	for _, t := range d.open {
		out = append(out, t)
	}
	slices.SortFunc(out, func(t, u *plumeTxn) int { return cmp.Compare(t.begun, u.begun) })
	return out
}

// close ends a transaction.
func (d *plumeDecoder) close(ctx context.Context, t *plumeTxn) error {
	delete(d.open, t.session)
	if t.number >= 0 && !d.ended.add(t.number) {
		return &codec.Error{File: d.name, Line: int(t.places[0]), Msg: "the numbers of transactions are too far apart to be followed; check the whole file without -follow"}
	}
	if d.batch.txns == 0 {
		// A read by itself, so that no transaction is alone in the first session: a first
		// transaction that writes initial values only is told apart by who judges.
		d.batch.line(fmt.Appendf(nil, "r(0,0,%d,%d)", int64(math.MinInt64), int64(math.MaxInt64)), -1)
	}
	for i, text := range t.text {
		d.batch.line(text, t.places[i])
	}
	if d.batch.txns++; d.batch.txns < batchTxns {
		return nil
	}
	return d.flush(ctx)
}

func (d *plumeDecoder) flush(ctx context.Context) error {
	return d.batch.decode(ctx, codec.Plume, d.name, d.out)
}

func (d *plumeDecoder) end(ctx context.Context) (string, error) {
	for _, t := range d.inOrder() {
		if err := d.close(ctx, t); err != nil {
			return "", err
		}
	}
	return d.note(), d.flush(ctx)
}

func (d *plumeDecoder) next() error { d.line = 0; return nil }
func (d *plumeDecoder) over() bool  { return false }

// plumeTail gives the session and the transaction of an operation.
func plumeTail(text []byte) (session, txn int64, ok bool) {
	if text[len(text)-1] != ')' {
		return 0, 0, false
	}
	text = text[:len(text)-1]
	last := bytes.LastIndexByte(text, ',')
	if last < 0 {
		return 0, 0, false
	}
	before := bytes.LastIndexByte(text[:last], ',')
	txn, err := strconv.ParseInt(string(bytes.TrimSpace(text[last+1:])), 10, 64)
	if before < 0 || err != nil {
		return 0, 0, false
	}
	session, err = strconv.ParseInt(string(bytes.TrimSpace(text[before+1:last])), 10, 64)
	return session, txn, err == nil
}

// intervals is a set of integers that are close together.
type intervals struct{ from, to []int64 } // sorted; to is included

const mostIntervals = 1 << 20

// find gives the interval that has n, or behind which it would stand.
func (s *intervals) find(n int64) (at int, has bool) {
	at, has = slices.BinarySearch(s.from, n)
	if has {
		return at, true
	}
	return at - 1, at > 0 && n <= s.to[at-1]
}

func (s *intervals) has(n int64) bool { _, has := s.find(n); return has }

// add adds an integer; it is false if there are too many intervals.
func (s *intervals) add(n int64) bool {
	at, has := s.find(n)
	if has {
		return true
	}
	joins := at >= 0 && s.to[at] == n-1
	next := at+1 < len(s.from) && s.from[at+1] == n+1
	switch {
	case joins && next:
		s.to[at] = s.to[at+1]
		s.from, s.to = slices.Delete(s.from, at+1, at+2), slices.Delete(s.to, at+1, at+2)
	case joins:
		s.to[at] = n
	case next:
		s.from[at+1] = n
	default:
		s.from, s.to = slices.Insert(s.from, at+1, n), slices.Insert(s.to, at+1, n)
	}
	return len(s.from) <= mostIntervals
}
