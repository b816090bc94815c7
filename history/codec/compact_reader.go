package codec

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/txrobust/robust/history"
)

// compactReader reads the compact format.
type compactReader struct {
	b        *history.Builder
	in       *input
	sum      uint32 // of what was read but for pending
	pending  []byte
	keys     []history.Key
	names    []history.Value
	sessions []history.Session
	last     map[history.Key][]history.Value
	prev     [5]int64
	list     []history.Value
	txns     uint64
	ops      uint64
}

func (r *compactReader) file(in *input) error {
	r.in, r.last = in, map[history.Key][]history.Value{}
	if magic := r.bytes(len(compactMagic)); string(magic) != compactMagic {
		return in.fault(in.byteErrorf(0, "the file does not begin with %q, expected the compact format, version 1", compactMagic))
	}
	r.txns = 1 // the initial one
	for {
		at := in.offset()
		tag, err := r.byte()
		if err != nil {
			return in.fault(in.byteErrorf(at, "the file ends without an end record: it was cut off"))
		}
		if tag == recEnd {
			return r.end()
		}
		err = r.record(tag, at)
		if err == nil {
			err = r.b.Err()
		}
		if err != nil {
			return in.fault(in.byteErrorf(at, "%v", err))
		}
	}
}

// bytes reads n bytes, fewer at the end of the file.
func (r *compactReader) bytes(n int) []byte {
	r.flush()
	b := r.in.next(n)
	r.sum = crc32.Update(r.sum, castagnoli, b)
	return b
}

// byte reads one byte. Their checksum is computed many at a time.
func (r *compactReader) byte() (byte, error) {
	in := r.in
	if in.pos == len(in.buf) && !in.fill() {
		return 0, errEnds
	}
	b := in.buf[in.pos]
	in.pos++
	if r.pending = append(r.pending, b); len(r.pending) >= 1<<12 {
		r.flush()
	}
	return b, nil
}

// flush adds the bytes that were read one by one to the checksum.
func (r *compactReader) flush() {
	r.sum = crc32.Update(r.sum, castagnoli, r.pending)
	r.pending = r.pending[:0]
}

var errEnds = fmt.Errorf("the file ends within a record: it was cut off")

func (r *compactReader) number() (uint64, error) {
	n := uint64(0)
	for shift := 0; ; shift += 7 {
		b, err := r.byte()
		switch {
		case err != nil:
			return 0, err
		case shift == 63 && b > 1:
			return 0, fmt.Errorf("a number has more than 64 bits")
		}
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n, nil
		}
	}
}

// below reads a number that is less than n.
func (r *compactReader) below(n int, what string) (int, error) {
	i, err := r.number()
	if err != nil {
		return 0, err
	}
	if i >= uint64(n) {
		return 0, fmt.Errorf("%s %d, but there are %d so far", what, i, n)
	}
	return int(i), nil
}

func (r *compactReader) text() (string, error) {
	n, err := r.number()
	if err != nil {
		return "", err
	}
	if n > maxLine/2 {
		return "", fmt.Errorf("a text of %d bytes, expected at most %d", n, maxLine/2)
	}
	b := r.bytes(int(n))
	if len(b) < int(n) {
		return "", errEnds
	}
	return string(b), nil
}

func (r *compactReader) name() (history.Name, error) {
	b, err := r.byte()
	if err != nil {
		return history.Name{}, err
	}
	kind := history.NameKind(b)
	switch kind {
	case history.NilName:
		return history.Name{}, nil
	case history.IntName:
		n, err := r.number()
		return history.Int(unzigzag(n)), err
	case history.StringName, history.KeywordName, history.TextName:
		s, err := r.text()
		return history.Name{Kind: kind, Text: s}, err
	}
	return history.Name{}, fmt.Errorf("a name of kind %d", kind)
}

func (r *compactReader) value() (history.Value, error) {
	n, err := r.number()
	switch {
	case err != nil:
		return 0, err
	case n == codeNone:
		return history.NoValue, nil
	case n == codeInitial:
		return history.Initial, nil
	case n%2 == codeInt%2:
		return r.b.IntValue(unzigzag((n - codeInt) / 2)), nil
	}
	if n = (n - codeName) / 2; n >= uint64(len(r.names)) {
		return 0, fmt.Errorf("the name %d, but there are %d so far", n, len(r.names))
	}
	return r.names[n], nil
}

func (r *compactReader) record(tag byte, at int64) error {
	b := r.b
	switch tag {
	case recKey:
		n, err := r.name()
		if err == nil {
			r.keys = append(r.keys, b.Key(n))
		}
		return err
	case recName:
		n, err := r.name()
		if err == nil {
			r.names = append(r.names, b.Value(n))
		}
		return err
	case recSession:
		n, err := r.name()
		if err == nil {
			r.sessions = append(r.sessions, b.Session(n))
		}
		return err
	case recNote:
		s, err := r.text()
		if err == nil {
			b.Note("%s", s)
		}
		return err
	case recOrder:
		o, err := r.byte()
		if err != nil {
			return err
		}
		if history.Order(o) != history.RealTime && history.Order(o) != history.Database {
			return fmt.Errorf("an order %d, expected 1 or 2", o)
		}
		b.SetOrder(history.Order(o))
		return nil
	case recInitial:
		k, err := r.below(len(r.keys), "the key")
		if err != nil {
			return err
		}
		v, err := r.value()
		if err == nil {
			b.SetInitial(r.keys[k], v)
		}
		return err
	case recTxn:
		return r.txn(at)
	}
	return fmt.Errorf("a record of type %q, expected K, V, S, O, N, I, T or E", tag)
}

func (r *compactReader) txn(at int64) error {
	b := r.b
	s, err := r.below(len(r.sessions), "the session")
	if err != nil {
		return err
	}
	has, err := r.byte()
	if err != nil {
		return err
	}
	if has&3 > byte(history.Unknown) {
		return fmt.Errorf("a transaction of status %d", has&3)
	}
	t := b.Txn(r.sessions[s], history.Status(has&3))
	b.SetPlace(t, history.At(r.in.file, 1+at))
	set := []func(history.Txn, int64){b.SetNumber, b.SetBegin, b.SetEnd, b.SetStarted, b.SetEnded}
	for i, f := range set {
		if has&(hasNumber<<i) != 0 {
			n, err := r.number()
			if err != nil {
				return err
			}
			r.prev[i] += unzigzag(n)
			f(t, r.prev[i])
		}
	}
	if has&hasLabel != 0 {
		l, err := r.text()
		if err != nil {
			return err
		}
		b.SetLabel(t, l)
	}
	n, err := r.number()
	if err != nil {
		return err
	}
	r.txns++
	r.ops += n
	for range n {
		if err := r.op(); err != nil {
			return err
		}
	}
	return nil
}

func (r *compactReader) op() error {
	b := r.b
	head, err := r.byte()
	if err != nil {
		return err
	}
	kind, version := history.Kind(head&^hasVersion), history.NoValue
	if !kind.Valid() {
		return fmt.Errorf("an operation of kind %d", kind)
	}
	k := history.Key(-1)
	if kind != history.ReadRange {
		i, err := r.below(len(r.keys), "the key")
		if err != nil {
			return err
		}
		k = r.keys[i]
	}
	if head&hasVersion != 0 {
		if version, err = r.value(); err != nil {
			return err
		}
	}
	switch kind {
	case history.ReadList, history.ReadSet:
		err = r.readList(kind, k)
	case history.ReadRange:
		err = r.readRange()
	default:
		var v history.Value
		if v, err = r.value(); err == nil {
			if kind.Writes() && v == history.NoValue {
				return fmt.Errorf("a %s without a value", kind)
			}
			b.Op(kind, k, v)
		}
	}
	if err == nil && version != history.NoValue {
		b.SetVersion(version)
	}
	if err == nil {
		err = b.Err()
	}
	return err
}

func (r *compactReader) readList(kind history.Kind, k history.Key) error {
	n, err := r.number()
	if err != nil {
		return err
	}
	if n == 0 {
		r.b.Op(kind, k, history.NoValue)
		return nil
	}
	last := r.last[k]
	same, err := r.below(min(len(last), int(min(n-1, 1<<31)))+1, "a common beginning of length")
	if err != nil {
		return err
	}
	r.list = append(r.list[:0], last[:same]...)
	for i := uint64(same); i < n-1; i++ {
		v, err := r.value()
		if err != nil {
			return err
		}
		if v == history.NoValue {
			return fmt.Errorf("a list has an element without a value")
		}
		r.list = append(r.list, v)
	}
	r.last[k] = append(last[:same], r.list[same:]...)
	r.b.List(kind, k, r.list)
	return nil
}

func (r *compactReader) readRange() error {
	n, err := r.below(2, "a mark of a known range")
	if err != nil {
		return err
	}
	if n == 0 {
		r.b.UnknownRange()
		return nil
	}
	var g history.Range
	if g.Low, err = r.value(); err != nil {
		return err
	}
	if g.High, err = r.value(); err != nil {
		return err
	}
	if slices.Contains([]history.Value{g.Low, g.High}, history.NoValue) {
		return fmt.Errorf("a range has a bound without a value")
	}
	if g.LiveKeys, g.LiveValues, err = r.rows(); err != nil {
		return err
	}
	if g.DeadKeys, g.DeadRows, err = r.rows(); err != nil {
		return err
	}
	r.b.Range(g)
	return nil
}

func (r *compactReader) rows() (keys []history.Key, values []history.Value, err error) {
	n, err := r.number()
	if err != nil {
		return nil, nil, err
	}
	for range n {
		k, err := r.below(len(r.keys), "the key")
		if err != nil {
			return nil, nil, err
		}
		v, err := r.value()
		if err != nil {
			return nil, nil, err
		}
		if v == history.NoValue {
			return nil, nil, fmt.Errorf("a row has no value")
		}
		keys, values = append(keys, r.keys[k]), append(values, v)
	}
	return keys, values, nil
}

// end reads the rest of the end record.
func (r *compactReader) end() error {
	in := r.in
	txns, err := r.number()
	if err != nil {
		return in.fault(in.byteErrorf(in.offset(), "%v", err))
	}
	ops, err := r.number()
	if err != nil {
		return in.fault(in.byteErrorf(in.offset(), "%v", err))
	}
	r.flush()
	sum := r.sum
	stored := in.next(4)
	switch {
	case len(stored) < 4:
		err = errEnds
	case binary.LittleEndian.Uint32(stored) != sum:
		err = fmt.Errorf("the checksum is wrong: the file was changed or damaged")
	case txns != r.txns || ops != r.ops:
		err = fmt.Errorf("%d transactions and %d operations, but the end record says %d and %d", r.txns, r.ops, txns, ops)
	default:
		if _, more := in.peek(); more {
			err = fmt.Errorf("more bytes after the end record")
		}
	}
	if err != nil {
		return in.fault(in.byteErrorf(in.offset(), "%v", err))
	}
	return nil
}
