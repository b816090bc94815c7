package tail

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker/follow"
)

// compactDecoder reads the compact format, record by record; package codec describes it.
type compactDecoder struct {
	name     string
	out      sink
	sum      uint32
	offset   int64
	begun    bool
	done     bool
	keys     []history.Name
	names    []history.Name
	sessions []history.Name
	last     map[int][]history.Name // the list that was read of each key before
	txns     uint64
	ops      uint64

	piece []byte
	at    int
}

const compactMagic = "\x89rbh\r\n\x1a\n\x01"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errMore says that a record is not there as a whole.
var errMore = errors.New("the record goes on")

func (d *compactDecoder) feed(ctx context.Context, piece []byte, last bool) (used int, err error) {
	d.piece, d.at = piece, 0
	for used < len(piece) && !d.done {
		err := d.record(ctx)
		if errors.Is(err, errMore) {
			return used, nil
		}
		if err != nil {
			if _, located := errors.AsType[*codec.Error](err); located || ctx.Err() != nil {
				return used, err
			}
			return used, &codec.Error{File: d.name, Offset: d.offset, Msg: err.Error()}
		}
		d.offset += int64(d.at - used)
		used = d.at
	}
	if d.done && used < len(piece) {
		return used, &codec.Error{File: d.name, Offset: d.offset, Msg: "more bytes after the end record"}
	}
	return used, nil
}

// record reads one record, and takes it.
func (d *compactDecoder) record(ctx context.Context) error {
	first := d.at
	if !d.begun {
		magic, err := d.bytes(len(compactMagic))
		if err != nil {
			return err
		}
		if string(magic) != compactMagic {
			return fmt.Errorf("the file does not begin with %q, expected the compact format, version 1", compactMagic)
		}
		d.begun, d.txns = true, 1
		d.sum = crc32.Update(d.sum, castagnoli, magic)
		return nil
	}
	tag, err := d.byte()
	if err != nil {
		return err
	}
	take := func() error { return nil }
	switch tag {
	case 'K', 'V', 'S':
		var n history.Name
		n, err = d.nameOf()
		list := map[byte]*[]history.Name{'K': &d.keys, 'V': &d.names, 'S': &d.sessions}[tag]
		take = func() error { *list = append(*list, n); return nil }
	case 'N':
		_, err = d.text()
	case 'O':
		_, err = d.byte()
	case 'I':
		take, err = d.initial()
	case 'T':
		take, err = d.txn(ctx)
	case 'E':
		return d.ends(first)
	default:
		return fmt.Errorf("a record of type %q, expected K, V, S, O, N, I, T or E", tag)
	}
	if err != nil {
		return err
	}
	d.sum = crc32.Update(d.sum, castagnoli, d.piece[first:d.at])
	return take()
}

func (d *compactDecoder) bytes(n int) ([]byte, error) {
	if n > len(d.piece)-d.at {
		return nil, errMore
	}
	d.at += n
	return d.piece[d.at-n : d.at], nil
}

func (d *compactDecoder) byte() (byte, error) {
	b, err := d.bytes(1)
	if err != nil {
		return 0, err
	}
	return b[0], nil
}

func (d *compactDecoder) number() (uint64, error) {
	n, size := binary.Uvarint(d.piece[d.at:])
	if size == 0 {
		return 0, errMore
	}
	if size < 0 {
		return 0, fmt.Errorf("a number has more than 64 bits")
	}
	d.at += size
	return n, nil
}

func unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

// below reads a number that is less than n.
func (d *compactDecoder) below(n int, what string) (int, error) {
	i, err := d.number()
	if err == nil && i >= uint64(n) {
		err = fmt.Errorf("%s %d, but there are %d so far", what, i, n)
	}
	return int(i), err
}

func (d *compactDecoder) text() (string, error) {
	n, err := d.number()
	if err != nil {
		return "", err
	}
	if n > longestLine {
		return "", fmt.Errorf("a text of %d bytes, expected at most %d", n, longestLine)
	}
	b, err := d.bytes(int(n))
	return string(b), err
}

func (d *compactDecoder) nameOf() (history.Name, error) {
	b, err := d.byte()
	if err != nil {
		return history.Name{}, err
	}
	n := history.Name{Kind: history.NameKind(b)}
	switch n.Kind {
	case history.NilName:
	case history.IntName:
		var u uint64
		u, err = d.number()
		n.Int = unzigzag(u)
	case history.StringName, history.KeywordName, history.TextName:
		n.Text, err = d.text()
	default:
		err = fmt.Errorf("a name of kind %d", b)
	}
	return n, err
}

// value reads a value; known is false if it was not recorded.
func (d *compactDecoder) value() (v history.Name, known bool, err error) {
	n, err := d.number()
	switch {
	case err != nil || n == 0:
		return v, false, err
	case n == 1:
		return v, true, nil
	case n%2 == 1:
		return history.Int(unzigzag((n - 3) / 2)), true, nil
	}
	if n = (n - 2) / 2; n >= uint64(len(d.names)) {
		return v, false, fmt.Errorf("the name %d, but there are %d so far", n, len(d.names))
	}
	return d.names[n], true, nil
}

func (d *compactDecoder) initial() (take func() error, err error) {
	k, err := d.below(len(d.keys), "the key")
	if err != nil {
		return nil, err
	}
	v, known, err := d.value()
	if err == nil && !known {
		err = fmt.Errorf("it is not known what %s held initially, which cannot be followed; check the whole file without -follow", d.keys[k])
	}
	return func() error { return d.out.SetInitial(d.keys[k], v) }, err
}

// txn reads a transaction.
func (d *compactDecoder) txn(ctx context.Context) (take func() error, err error) {
	s, err := d.below(len(d.sessions), "the session")
	if err != nil {
		return nil, err
	}
	has, err := d.byte()
	if err != nil {
		return nil, err
	}
	if has&3 > byte(history.Unknown) {
		return nil, fmt.Errorf("a transaction of status %d", has&3)
	}
	t := follow.Txn{Session: d.sessions[s], Status: history.Status(has & 3), Place: 1 + d.offset}
	for flag := byte(4); flag < 128; flag <<= 1 { // its number and times, which do not matter
		if has&flag != 0 {
			if _, err := d.number(); err != nil {
				return nil, err
			}
		}
	}
	if has&128 != 0 {
		if _, err := d.text(); err != nil {
			return nil, err
		}
	}
	n, err := d.number()
	if err != nil {
		return nil, err
	}
	lists := map[int][]history.Name{} // read by it
	for range n {
		o, err := d.op(lists)
		if err != nil {
			return nil, err
		}
		t.Ops = append(t.Ops, o)
	}
	return func() error {
		d.txns++
		d.ops += n
		for k, list := range lists {
			d.last[k] = list
		}
		if err := d.out.Add(ctx, t); err != nil {
			return err
		}
		return nil
	}, nil
}

func (d *compactDecoder) op(lists map[int][]history.Name) (o follow.Op, err error) {
	head, err := d.byte()
	if err != nil {
		return o, err
	}
	o.Kind = history.Kind(head &^ 0x80)
	switch o.Kind {
	case history.Read, history.Write, history.Append, history.ReadList:
	default:
		if o.Kind.Valid() {
			return o, fmt.Errorf("a %s, but only reads and writes of registers, and appends to and reads of lists can be followed; check the whole file without -follow", o.Kind)
		}
		return o, fmt.Errorf("an operation of kind %d", o.Kind)
	}
	if head&0x80 != 0 {
		return o, fmt.Errorf("a version with an identity, which cannot be followed; check the whole file without -follow")
	}
	k, err := d.below(len(d.keys), "the key")
	if err != nil {
		return o, err
	}
	o.Key = d.keys[k]
	if o.Kind != history.ReadList {
		var known bool
		o.Value, known, err = d.value()
		if o.Unknown = !known; err == nil && !known && o.Kind.Writes() {
			err = fmt.Errorf("a %s without a value", o.Kind)
		}
		return o, err
	}
	n, err := d.number()
	if o.Unknown = n == 0; err != nil || n == 0 {
		return o, err
	}
	last, ok := lists[k]
	if !ok {
		last = d.last[k]
	}
	same, err := d.below(min(len(last), int(min(n-1, 1<<31)))+1, "a common beginning of length")
	if err != nil {
		return o, err
	}
	o.List = append([]history.Name(nil), last[:same]...)
	for i := uint64(same); i < n-1; i++ {
		v, known, err := d.value()
		if err == nil && !known {
			err = fmt.Errorf("a list has an element without a value")
		}
		if err != nil {
			return o, err
		}
		o.List = append(o.List, v)
	}
	lists[k] = o.List
	return o, nil
}

// ends reads the end record.
func (d *compactDecoder) ends(first int) error {
	txns, err := d.number()
	if err != nil {
		return err
	}
	ops, err := d.number()
	if err != nil {
		return err
	}
	sum := crc32.Update(d.sum, castagnoli, d.piece[first:d.at])
	stored, err := d.bytes(4)
	switch {
	case err != nil:
		return err
	case binary.LittleEndian.Uint32(stored) != sum:
		return fmt.Errorf("the checksum is wrong: the file was changed or damaged")
	case txns != d.txns || ops != d.ops:
		return fmt.Errorf("%d transactions and %d operations, but the end record says %d and %d", d.txns, d.ops, txns, ops)
	}
	d.done = true
	return nil
}

func (d *compactDecoder) flush(context.Context) error { return nil }

func (d *compactDecoder) end(context.Context) (string, error) {
	if d.done {
		return "", nil
	}
	return "the recording has no end record: it goes on, or was cut off", nil
}

func (d *compactDecoder) next() error {
	return fmt.Errorf("%s was replaced by another file, but a recording in the compact format is one file; follow the new one", d.name)
}
func (d *compactDecoder) over() bool { return d.done }
