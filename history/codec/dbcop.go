package codec

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/txrobust/robust/history"
)

// dbcopReader reads the binary format of dbcop (history.bincode), little-endian:
//
//	i64  id, nodes, variables, transactions, events (not reliable)
//	3 ×  string: u64 length, bytes (info, start, end)
//	u64  sessions, each: u64 transactions, each: u64 events, each:
//	     u8 1 for a write, i64 key, i64 value, u8 1 for success
//	     and after the events of a transaction: u8 1 for committed
//
// The value 0 is the initial one. An event without success did not take effect:
// such events become an aborted transaction of their own, just after.
type dbcopReader struct{ b *history.Builder }

// dbcopEvent is the size of an event.
const dbcopEvent = 1 + 8 + 8 + 1

func (r *dbcopReader) file(in *input) error {
	const header = 5 * 8
	if len(in.next(header)) < header {
		return in.fault(in.byteErrorf(in.offset(), "the file ends within the header of %d bytes", header))
	}
	for _, what := range []string{"info", "start", "end"} {
		n, err := r.count(in, "the length of the string "+what)
		if err != nil {
			return err
		}
		if n > 1<<16 {
			return in.byteErrorf(in.offset()-8, "the string %s has %d bytes, expected at most %d; this is no history of dbcop", what, n, 1<<16)
		}
		if len(in.next(int(n))) < int(n) {
			return in.fault(in.byteErrorf(in.offset(), "the file ends within the string %s of %d bytes", what, n))
		}
	}
	sessions, err := r.count(in, "the number of sessions")
	if err != nil {
		return err
	}
	for i := range sessions {
		s := r.b.Session(history.Int(int64(i)))
		txns, err := r.count(in, fmt.Sprintf("the number of transactions of session %d", i))
		if err != nil {
			return err
		}
		for range txns {
			if err := r.txn(in, s); err != nil {
				return err
			}
		}
	}
	if _, more := in.peek(); more {
		return in.byteErrorf(in.offset(), "more bytes after the last session")
	}
	if in.err != nil {
		return in.err
	}
	r.b.TakeInitial(history.AllInitial)
	return nil
}

func (r *dbcopReader) count(in *input, what string) (uint64, error) {
	b := in.next(8)
	if len(b) < 8 {
		return 0, in.fault(in.byteErrorf(in.offset(), "the file ends where %s is expected", what))
	}
	n := binary.LittleEndian.Uint64(b)
	if n >= 1<<40 {
		return 0, in.byteErrorf(in.offset()-8, "%s is %d, which cannot be", what, n)
	}
	return n, nil
}

func (r *dbcopReader) txn(in *input, s history.Session) error {
	b := r.b
	place := history.At(in.file, 1+in.offset())
	events, err := r.count(in, "the number of events of a transaction")
	if err != nil {
		return err
	}
	txn := b.Txn(s, history.Committed)
	b.SetPlace(txn, place)
	failed := history.InitialTxn // none yet
	for range events {
		e := in.next(dbcopEvent)
		if len(e) < dbcopEvent {
			return in.fault(in.byteErrorf(in.offset(), "the file ends within an event"))
		}
		at := in.offset() - dbcopEvent
		write, ok := e[0], e[dbcopEvent-1]
		if write > 1 || ok > 1 {
			return in.byteErrorf(at, "the event begins with %d and ends with %d, expected 0 or 1", write, ok)
		}
		key := b.IntKey(int64(binary.LittleEndian.Uint64(e[1:])))
		value := history.Initial
		if v := int64(binary.LittleEndian.Uint64(e[9:])); v != 0 {
			value = b.IntValue(v)
		}
		if ok == 0 && failed == history.InitialTxn {
			failed = b.Txn(s, history.Aborted)
			b.SetPlace(failed, place)
		}
		if ok == 0 {
			b.Resume(failed)
		} else {
			b.Resume(txn)
		}
		if write == 1 {
			b.Write(key, value)
		} else {
			b.Read(key, value)
		}
		if b.Err() != nil {
			return in.byteErrorf(at, "%v", b.Err())
		}
	}
	committed := in.next(1)
	if len(committed) < 1 {
		return in.fault(in.byteErrorf(in.offset(), "the file ends where a transaction says whether it committed"))
	}
	switch committed[0] {
	case 0:
		b.SetStatus(txn, history.Aborted)
	case 1:
	default:
		return in.byteErrorf(in.offset()-1, "%d, expected 1 for a transaction that committed or 0", committed[0])
	}
	return nil
}

// dbcopJSONReader reads the JSON of dbcop: an object whose "data" is an array of
// sessions, arrays of {"events": […], "committed": bool}, where an event is
// {"Write": {"variable": k, "version": v}} or {"Read": …}, or in the compact form
// ["w", k, v] or ["r", k, v]. A version null is the initial one.
type dbcopJSONReader struct{ b *history.Builder }

func (r *dbcopJSONReader) file(in *input) error {
	p := &parser{input: in, json: true}
	if ok, err := p.enter("{"); err != nil || !ok {
		return p.fault(firstOf(err, p.errorf("expected an object with \"data\"")))
	}
	seen := false
	for {
		more, err := p.more()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		key, err := p.key()
		if err != nil {
			return err
		}
		if key == "data" && !seen {
			seen = true
			err = r.sessions(p)
		} else {
			_, err = p.read()
		}
		if err != nil {
			return err
		}
	}
	if !seen {
		return p.errorf("an object without \"data\"")
	}
	return p.end()
}

func firstOf(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

func (r *dbcopJSONReader) sessions(p *parser) error {
	if ok, err := p.enter("["); err != nil || !ok {
		return firstOf(err, p.errorf("expected an array of sessions"))
	}
	for n := int64(0); ; n++ {
		more, err := p.more()
		if err != nil || !more {
			return err
		}
		if ok, err := p.enter("["); err != nil || !ok {
			return firstOf(err, p.errorf("expected a session: an array of transactions"))
		}
		s := r.b.Session(history.Int(n))
		for {
			more, err := p.more()
			if err != nil {
				return err
			}
			if !more {
				break
			}
			line, txn, err := p.located()
			if err != nil {
				return err
			}
			r.b.SetPlace(r.b.Txn(s, history.Committed), history.At(p.file, int64(line)))
			if err := r.txn(txn); err != nil {
				return p.errorAt(line, 0, "%v", err)
			}
		}
	}
}

func (r *dbcopJSONReader) txn(txn at) error {
	events, ok := txn.get("events")
	committed, ok2 := txn.get("committed")
	if !ok || !ok2 || events.shape() != listNode || committed.shape() != boolNode {
		return fmt.Errorf("%s, expected {\"events\": […], \"committed\": true or false}", clip(txn))
	}
	b := r.b
	if string(committed.text()) == "false" {
		b.SetStatus(b.Current(), history.Aborted)
	}
	for e := events.first(); e.in(events); e = e.next() {
		kind, key, value, ok := dbcopJSONEvent(e)
		if !ok {
			return fmt.Errorf("the event %s, expected {\"Write\": {\"variable\": …, \"version\": …}} or {\"Read\": …}", clip(e))
		}
		b.Op(kind, b.Key(key.name()), b.Value(value.name()))
		if b.Err() != nil {
			return b.Err()
		}
	}
	return nil
}

func dbcopJSONEvent(e at) (kind history.Kind, key, value at, ok bool) {
	var op at
	switch {
	case e.shape() == listNode && e.count() == 3:
		op, key = e.first(), e.first().next()
		value = key.next()
	case e.shape() == mapNode && e.count() == 2:
		op = e.first()
		fields := op.next()
		var ok2 bool
		key, ok = fields.get("variable")
		if value, ok2 = fields.get("version"); !ok || !ok2 {
			return 0, at{}, at{}, false
		}
	default:
		return 0, at{}, at{}, false
	}
	switch {
	case op.is("Write") || op.is("w"):
		return history.Write, key, value, true
	case op.is("Read") || op.is("r"):
		return history.Read, key, value, true
	}
	return 0, at{}, at{}, false
}

// dbcopTextReader reads the text of dbcop: [x:=1 y==2 z==?] is a transaction that
// writes x, reads y, and reads the initial z; with a ! behind it did not commit.
// A line of dashes ends a session, and // begins a comment.
type dbcopTextReader struct{ b *history.Builder }

func (r *dbcopTextReader) file(in *input) error {
	b := r.b
	n := int64(0)
	s := b.Session(history.Int(n))
	for {
		text, ok := in.text()
		if !ok {
			break
		}
		rest := bytes.TrimSpace(text)
		if len(rest) > 0 && len(bytes.Trim(rest, "-")) == 0 {
			n++
			s = b.Session(history.Int(n))
			continue
		}
		for len(rest) > 0 && !bytes.HasPrefix(rest, []byte("//")) {
			end := bytes.IndexByte(rest, ']')
			if rest[0] != '[' || end < 0 {
				return in.lineErrorf("%s, expected a transaction in brackets, such as [x:=1 y==2 z==?]", show(rest))
			}
			t := b.Txn(s, history.Committed)
			b.SetPlace(t, history.At(in.file, int64(in.line-1)))
			if err := r.events(in, rest[1:end]); err != nil {
				return err
			}
			rest = rest[end+1:]
			if len(rest) > 0 && rest[0] == '!' {
				b.SetStatus(t, history.Aborted)
				rest = rest[1:]
			}
			rest = bytes.TrimLeft(rest, " \t")
		}
	}
	return in.err
}

func (r *dbcopTextReader) events(in *input, text []byte) error {
	b := r.b
	for _, e := range bytes.Fields(text) {
		kind := history.Write
		name, value, ok := bytes.Cut(e, []byte(":="))
		if !ok {
			kind = history.Read
			name, value, ok = bytes.Cut(e, []byte("=="))
		}
		v := history.Initial
		if ok && !(kind == history.Read && string(value) == "?") {
			var n int64
			n, ok = parseInt(value)
			v = b.IntValue(n)
		}
		if !ok || len(name) == 0 || bytes.ContainsAny(name, "=:[!\"") {
			return in.lineErrorf("%s, expected x:=1, x==1 or x==?", show(e))
		}
		key := history.String(string(name))
		if n, ok := parseInt(name); ok {
			key = history.Int(n)
		}
		b.Op(kind, b.Key(key), v)
		if b.Err() != nil {
			return in.lineErrorf("%v", b.Err())
		}
	}
	return nil
}
