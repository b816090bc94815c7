package codec

import (
	"bytes"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec/internal/numbers"
)

// plumeReader reads the text format of Plume (C4) and PolySI: one operation a
// line, w(key,value,session,txn) or r(…), all integers. Transactions are
// numbered for the whole history; those of number -1 aborted. The value 0 is
// the initial one.
type plumeReader struct {
	b        *history.Builder
	sessions map[int64]history.Session
	txns     numbers.Map
	// The line before: most lines continue its transaction.
	session, txn int64
	current      bool
}

func (r *plumeReader) file(in *input) error {
	err := readLines(in, (*plumeOp).parse, func(line int, o plumeOp) error { return r.add(in, line, o) },
		"w(key,value,session,txn) or r(key,value,session,txn) of integers of 64 bits")
	if err == nil {
		r.b.TakeInitial(history.AllInitial)
	}
	return err
}

// plumeOp is an operation of a line.
type plumeOp struct {
	n     [4]int64 // key, value, session, transaction
	write bool
}

// parse parses a line, which may be blank.
func (o *plumeOp) parse(text []byte) (blank, ok bool) {
	if o.digits(text) {
		return false, true
	}
	if text = bytes.TrimSpace(text); len(text) == 0 {
		return true, true
	}
	o.write = text[0] == 'w'
	o.n, ok = plumeFields(text)
	return false, ok
}

// add adds an operation.
func (r *plumeReader) add(in *input, line int, o plumeOp) error {
	key, value, session, txn := o.n[0], o.n[1], o.n[2], o.n[3]
	if txn < -1 {
		return in.errorAt(line, 0, "the transaction %d, expected a number from 0, or -1 for one that aborted", txn)
	}
	if !r.current || session != r.session || txn != r.txn {
		if err := r.enter(in, line, session, txn); err != nil {
			return err
		}
	}
	b := r.b
	v := history.Initial
	if value != 0 {
		v = b.IntValue(value)
	}
	if o.write {
		b.Write(b.IntKey(key), v)
	} else {
		b.Read(b.IntKey(key), v)
	}
	if b.Err() != nil {
		return in.errorAt(line, 0, "%v", b.Err())
	}
	return nil
}

// enter makes operations belong to a transaction, a new one if needed.
func (r *plumeReader) enter(in *input, line int, session, txn int64) error {
	s, ok := r.sessions[session]
	if !ok {
		s = r.b.Session(history.Int(session))
		r.sessions[session] = s
	}
	r.session, r.txn, r.current = session, txn, true
	place := history.At(in.file, int64(line))
	if txn == -1 {
		// Nothing tells how many transactions they were.
		r.b.SetPlace(r.b.Txn(s, history.Aborted), place)
		return nil
	}
	if t, ok := r.txns.Get(txn); ok {
		if had := r.b.SessionOf(t); had != s {
			return in.errorAt(line, 0, "the transaction %d is in session %d, but was in session %s before; expected numbers that are unique in the whole history",
				txn, session, r.b.SessionName(had))
		}
		r.b.Resume(t)
		return nil
	}
	t := r.b.Txn(s, history.Committed)
	r.txns.Set(txn, t)
	r.b.SetNumber(t, txn)
	r.b.SetPlace(t, place)
	return nil
}

// digits parses c(n,n,n,n) where no number has a sign or more than 18 digits, and
// there is no space: nearly all lines.
func (o *plumeOp) digits(b []byte) bool {
	if len(b) < 3 || b[0] != 'r' && b[0] != 'w' || b[1] != '(' {
		return false
	}
	o.write = b[0] == 'w'
	i := 2
	for f := range o.n {
		first, n := i, int64(0)
		for i < len(b) && b[i]-'0' <= 9 {
			n = 10*n + int64(b[i]-'0')
			i++
		}
		end := byte(',')
		if f == 3 {
			end = ')'
		}
		if i == first || i-first > 18 || i == len(b) || b[i] != end {
			return false
		}
		o.n[f] = n
		i++
	}
	return i == len(b)
}

// plumeFields parses c(n,n,n,n).
func plumeFields(b []byte) (n [4]int64, ok bool) {
	if len(b) < 3 || b[0] != 'r' && b[0] != 'w' || b[1] != '(' || b[len(b)-1] != ')' {
		return n, false
	}
	b = b[2 : len(b)-1]
	for i := range n {
		field := b
		if i < 3 {
			c := bytes.IndexByte(b, ',')
			if c < 0 {
				return n, false
			}
			field, b = b[:c], b[c+1:]
		}
		if n[i], ok = parseInt(bytes.TrimSpace(field)); !ok {
			return n, false
		}
	}
	return n, true
}
