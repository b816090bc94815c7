package contract

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"github.com/txrobust/robust/history"
)

// ID names a transaction: the number of its shard and its number there.
type ID uint64

func makeID(shard int, t history.Txn) ID { return ID(shard)<<32 | ID(t) }

func (id ID) shard() int       { return int(id >> 32) }
func (id ID) txn() history.Txn { return history.Txn(uint32(id)) }

// Pos is the place of a transaction in the candidate order: by stamp, and by ID among equal
// stamps.
type Pos struct {
	Stamp int64
	Txn   ID
}

func (p Pos) compare(q Pos) int {
	return cmp.Or(cmp.Compare(p.Stamp, q.Stamp), cmp.Compare(p.Txn, q.Txn))
}

func (p Pos) before(q Pos) bool { return p.compare(q) < 0 }

func earlier(p, q Pos) Pos {
	if q.before(p) {
		return q
	}
	return p
}

func later(p, q Pos) Pos {
	if p.before(q) {
		return q
	}
	return p
}

// writer encodes numbers and names, base 128.
type writer []byte

func (w *writer) uint(n uint64) { *w = binary.AppendUvarint(*w, n) }
func (w *writer) int(n int64)   { *w = binary.AppendVarint(*w, n) }
func (w *writer) text(s string) { w.uint(uint64(len(s))); *w = append(*w, s...) }
func (w *writer) pos(p Pos)     { w.int(p.Stamp); w.id(p.Txn) }
func (w *writer) id(id ID)      { w.uint(uint64(id.shard())); w.uint(uint64(id.txn())) }
func (w *writer) texts(s []string) {
	w.uint(uint64(len(s)))
	for _, x := range s {
		w.text(x)
	}
}

// reader decodes what a writer encoded. It panics where the bytes are not that: they never
// leave the program.
type reader []byte

func (r *reader) uint() uint64 {
	n, size := binary.Uvarint(*r)
	r.skip(size)
	return n
}

func (r *reader) int() int64 {
	n, size := binary.Varint(*r)
	r.skip(size)
	return n
}

func (r *reader) skip(size int) {
	if size <= 0 || size > len(*r) {
		panic("contract: a record is cut off")
	}
	*r = (*r)[size:]
}

func (r *reader) text() string {
	n := int(r.uint())
	if n == 0 {
		return ""
	}
	s := string((*r)[:n])
	r.skip(n)
	return s
}

func (r *reader) pos() Pos { return Pos{r.int(), r.id()} }

func (r *reader) id() ID {
	shard := int(r.uint())
	return makeID(shard, history.Txn(r.uint()))
}

func (r *reader) texts() []string {
	out := make([]string, r.uint())
	for i := range out {
		out[i] = r.text()
	}
	return out
}

// encodeName makes a text of a name, another one for each name.
func encodeName(n history.Name) string {
	var w writer
	switch n.Kind {
	case history.NilName:
		return ""
	case history.IntName:
		w.int(n.Int)
		return string(append(writer{byte(n.Kind)}, w...))
	case history.StringName, history.KeywordName, history.TextName:
		return string(rune(n.Kind)) + n.Text
	}
	panic(fmt.Sprintf("contract: unknown kind of name %d", n.Kind))
}

// decodeName is the inverse of encodeName.
func decodeName(s string) history.Name {
	if s == "" {
		return history.Name{}
	}
	n := history.Name{Kind: history.NameKind(s[0])}
	if n.Kind == history.IntName {
		r := reader(s[1:])
		n.Int = r.int()
	} else {
		n.Text = s[1:]
	}
	return n
}
