package codec

import (
	"bufio"
	"encoding/binary"
	"hash"
	"hash/crc32"

	"github.com/txrobust/robust/history"
)

// compactWriter writes records. Names are defined just before their first use.
type compactWriter struct {
	out   *bufio.Writer
	sum   hash.Hash32
	h     *history.History
	keys  []int32 // 1 + number in the file
	nkeys int32
	names map[history.Value]int
	last  map[history.Key][]history.Value
	prev  [5]int64 // number and times, of which differences are written
	b     []byte
}

func writeCompact(w *writer) error {
	h := w.h
	return w.file("history.rbh", func(out *bufio.Writer) error {
		c := &compactWriter{out: out, sum: crc32.New(castagnoli), h: h, keys: make([]int32, h.NumKeys()), names: map[history.Value]int{}, last: map[history.Key][]history.Value{}}
		c.b = append(c.b, compactMagic...)
		if h.Order() != history.NoOrder {
			c.b = append(c.b, recOrder, byte(h.Order()))
		}
		for _, n := range h.Notes() {
			c.b = append(c.b, recNote)
			c.text(n)
		}
		for s := range history.Session(h.NumSessions()) {
			c.b = append(c.b, recSession)
			c.name(h.SessionName(s))
		}
		for _, k := range w.givens() {
			v := h.Value(history.Op(k))
			c.define(k, v)
			c.b = append(c.b, recInitial)
			c.number(uint64(c.keys[k] - 1))
			c.value(v)
			c.flush()
		}
		for s := range history.Session(h.NumSessions()) {
			err := w.every(s, func(t history.Txn) error { c.txn(t, s); return nil })
			if err != nil {
				return err
			}
		}
		c.b = append(c.b, recEnd)
		c.number(uint64(h.NumTxns()))
		c.number(uint64(h.NumOps() - h.NumKeys()))
		c.flush()
		_, err := out.Write(binary.LittleEndian.AppendUint32(nil, c.sum.Sum32()))
		return err
	})
}

func (c *compactWriter) flush() {
	c.sum.Write(c.b)
	c.out.Write(c.b) // its error is that of the last write
	c.b = c.b[:0]
}

func (c *compactWriter) number(n uint64) { c.b = binary.AppendUvarint(c.b, n) }

func (c *compactWriter) text(s string) {
	c.number(uint64(len(s)))
	c.b = append(c.b, s...)
}

func (c *compactWriter) name(n history.Name) {
	c.b = append(c.b, byte(n.Kind))
	switch n.Kind {
	case history.NilName:
	case history.IntName:
		c.number(zigzag(n.Int))
	default:
		c.text(n.Text)
	}
}

// inline tells whether a value needs no definition.
func inline(n history.Name) bool {
	return n.Kind == history.IntName && n.Int < 1<<61 && n.Int >= -1<<61
}

// define writes what has to be known before a record with this key and value.
func (c *compactWriter) define(k history.Key, values ...history.Value) {
	if k >= 0 && c.keys[k] == 0 {
		c.nkeys++
		c.keys[k] = c.nkeys
		c.b = append(c.b, recKey)
		c.name(c.h.KeyName(k))
	}
	for _, v := range values {
		if v <= history.Initial {
			continue
		}
		name := c.h.ValueName(v)
		if _, ok := c.names[v]; ok || inline(name) {
			continue
		}
		c.names[v] = len(c.names)
		c.b = append(c.b, recName)
		c.name(name)
	}
}

func (c *compactWriter) value(v history.Value) {
	switch {
	case v == history.NoValue:
		c.number(codeNone)
	case v == history.Initial:
		c.number(codeInitial)
	default:
		if id, ok := c.names[v]; ok {
			c.number(codeName + 2*uint64(id))
		} else {
			c.number(codeInt + 2*zigzag(c.h.ValueName(v).Int))
		}
	}
}

func (c *compactWriter) txn(t history.Txn, s history.Session) {
	h := c.h
	first, end := h.Ops(t)
	for o := first; o < end; o++ {
		c.define(h.Key(o), h.Version(o))
		switch h.Kind(o) {
		case history.ReadList, history.ReadSet:
			c.define(-1, h.List(o)...)
		case history.ReadRange:
			if h.Known(o) {
				r := h.Range(o)
				c.define(-1, r.Low, r.High)
				for i, k := range r.LiveKeys {
					c.define(k, r.LiveValues[i])
				}
				for i, k := range r.DeadKeys {
					c.define(k, r.DeadRows[i])
				}
			}
		default:
			c.define(-1, h.Value(o))
		}
	}
	c.b = append(c.b, recTxn)
	c.number(uint64(s))
	has := byte(h.Status(t))
	number, numbered := h.Number(t)
	started, ended := h.Clock(t)
	fields := []struct {
		has    byte
		absent bool
		n      int64
	}{
		{hasNumber, !numbered, number},
		{hasBegin, h.Begin(t) == history.NoBegin, h.Begin(t)},
		{hasEnd, h.End(t) == history.NoEnd, h.End(t)},
		{hasStarted, started == history.NoTime, started},
		{hasEnded, ended == history.NoTime, ended},
	}
	for _, f := range fields {
		if !f.absent {
			has |= f.has
		}
	}
	if h.Label(t) != "" {
		has |= hasLabel
	}
	c.b = append(c.b, has)
	for i, f := range fields {
		if !f.absent {
			c.number(zigzag(f.n - c.prev[i]))
			c.prev[i] = f.n
		}
	}
	if h.Label(t) != "" {
		c.text(h.Label(t))
	}
	c.number(uint64(end - first))
	for o := first; o < end; o++ {
		c.op(o)
	}
	c.flush()
}

func (c *compactWriter) op(o history.Op) {
	h := c.h
	kind, version := byte(h.Kind(o)), h.Version(o)
	if version != history.NoValue {
		kind |= hasVersion
	}
	c.b = append(c.b, kind)
	k := h.Key(o)
	if k >= 0 {
		c.number(uint64(c.keys[k] - 1))
	}
	if version != history.NoValue {
		c.value(version)
	}
	switch h.Kind(o) {
	case history.ReadList, history.ReadSet:
		if !h.Known(o) {
			c.number(0)
			return
		}
		list, last := h.List(o), c.last[k]
		same := 0
		for same < min(len(list), len(last)) && list[same] == last[same] {
			same++
		}
		c.number(uint64(len(list)) + 1)
		c.number(uint64(same))
		for _, v := range list[same:] {
			c.value(v)
		}
		c.last[k] = list
	case history.ReadRange:
		if !h.Known(o) {
			c.number(0)
			return
		}
		r := h.Range(o)
		c.number(1)
		c.value(r.Low)
		c.value(r.High)
		rows := func(keys []history.Key, values []history.Value) {
			c.number(uint64(len(keys)))
			for i, k := range keys {
				c.number(uint64(c.keys[k] - 1))
				c.value(values[i])
			}
		}
		rows(r.LiveKeys, r.LiveValues)
		rows(r.DeadKeys, r.DeadRows)
	default:
		c.value(h.Value(o))
	}
}
