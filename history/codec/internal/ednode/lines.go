package ednode

import (
	"encoding/binary"
	"math/bits"
	"sort"
)

// Lines reads the lines that Jepsen writes for transactions, such as
//
//	{:type :ok, :f :txn, :process 3, :time 5, :value [[:append 1 2] [:r 3 [1 2]]], :index 7}
//
// several times as fast as the parser of EDN: it knows only keywords, integers, nil and
// vectors, in one line, and leaves everything else to that one, which gives the same tree.
//
// Nearly all that such recordings consist of is lists that were read, and most of
// these begin like the one that was read of the key before. What they have in common
// is compared, not parsed.
type Lines struct {
	b    []byte
	i    int // of the next byte
	tree *Tree
	// last are the longest lists that were read, by key.
	last [listKeys]readList
}

// listKeys is how many lists are remembered: as many keys as Jepsen uses at a time,
// and many more.
const listKeys = 1024

// readList is a list that was read, and its text.
type readList struct {
	key  int64
	text []byte  // without the brackets
	ends []int32 // of elements: where they end in text
	ints []int64
}

// Event parses the map that b begins with. It adds a tree and tells how many
// bytes that was, or does nothing and tells 0.
func (l *Lines) Event(b []byte, t *Tree) int {
	l.b, l.i, l.tree = b, 1, t
	size := t.Size()
	root := t.Add(Cell{Shape: MapNode})
	for n := 0; l.space(); n++ {
		if l.b[l.i] == '}' && n%2 == 0 {
			t.Nodes[root].Size = int32(len(t.Nodes) - root)
			return l.i + 1
		}
		if !l.value(1) {
			break
		}
	}
	t.Cut(size)
	return 0
}

// space skips spaces, and tells whether something follows.
func (l *Lines) space() bool {
	for l.i < len(l.b) {
		if c := l.b[l.i]; c != ' ' && c != ',' && c != '\t' {
			return true
		}
		l.i++
	}
	return false
}

// value parses a value; depth is how many collections it is in.
func (l *Lines) value(depth int) bool {
	switch c := l.b[l.i]; {
	case c == '[':
		return depth < 4 && l.vector(depth)
	case c == ':':
		first := l.i + 1
		for l.i = first; l.i < len(l.b) && !Delimiters[l.b[l.i]]; l.i++ {
			if l.b[l.i] >= 0x80 {
				return false
			}
		}
		if l.i == first || l.i == len(l.b) {
			return false
		}
		l.tree.Leaf(KeywordNode, l.b[first:l.i])
		return true
	case c == 'n':
		if len(l.b)-l.i < 4 || string(l.b[l.i:l.i+3]) != "nil" || !Delimiters[l.b[l.i+3]] {
			return false
		}
		l.i += 3
		l.tree.Add(Cell{Shape: NilNode, Size: 1})
		return true
	}
	n, ok := l.integer()
	if ok {
		l.tree.Add(Cell{Shape: IntNode, Size: 1, Num: n})
	}
	return ok
}

// vector parses a vector. One in two others is an operation, and the third
// element of a read is a list.
func (l *Lines) vector(depth int) bool {
	t := l.tree
	root := t.Add(Cell{Shape: ListNode})
	l.i++
	for n := 0; l.space(); n++ {
		c := l.b[l.i]
		if c == ']' {
			l.i++
			t.Nodes[root].Size = int32(len(t.Nodes) - root)
			return true
		}
		if depth == 2 && n == 2 && c == '[' && t.Nodes[root+2].Shape == IntNode && (Node{T: t, I: root + 1}).Is("r") {
			if !l.list(t.Nodes[root+2].Num) {
				return false
			}
		} else if !l.value(depth + 1) {
			return false
		}
	}
	return false
}

// integer parses an integer of at most 18 digits and what ends it, as
// the parser of EDN does.
func (l *Lines) integer() (n int64, ok bool) {
	b, i := l.b, l.i
	negative := b[i] == '-'
	if negative {
		i++
	}
	first := i
	for i < len(b) && b[i]-'0' <= 9 {
		n = 10*n + int64(b[i]-'0')
		i++
	}
	if i == first || i-first > 18 || i == len(b) || !Delimiters[b[i]] {
		return 0, false
	}
	if negative {
		n = -n
	}
	l.i = i
	return n, true
}

// list parses a vector of integers that was read of a key.
func (l *Lines) list(key int64) bool {
	l.i++
	begin := l.i
	r := &l.last[uint64(key)%listKeys]
	if r.key != key {
		*r = readList{key: key}
	}
	same := r.common(l.b[begin:])
	if same > 0 {
		l.i += int(r.ends[same-1])
	}
	n := same
	for l.space() && l.b[l.i] != ']' {
		v, ok := l.integer()
		if !ok {
			*r = readList{} // its text is not what its elements are
			return false
		}
		if n == same && n < len(r.ints) {
			// Another list; trees may have elements of the old one.
			r.text, r.ends, r.ints = r.text[:0], r.ends[:same], r.ints[:same:same]
		}
		r.ints, r.ends = append(r.ints, v), append(r.ends, int32(l.i-begin))
		n++
	}
	if l.i == len(l.b) {
		*r = readList{}
		return false
	}
	if n > same {
		r.text = append(r.text[:0], l.b[begin:l.i]...)
	}
	l.i++
	l.tree.Ints = append(l.tree.Ints, r.ints[:n:n])
	l.tree.Add(Cell{Shape: IntsNode, Size: 1, Num: int64(len(l.tree.Ints) - 1)})
	return true
}

// common is how many elements of the list a text begins with.
func (r *readList) common(b []byte) int {
	n, most := 0, min(len(b), len(r.text))
	for n+8 <= most {
		if x := binary.LittleEndian.Uint64(b[n:]) ^ binary.LittleEndian.Uint64(r.text[n:]); x != 0 {
			n += bits.TrailingZeros64(x) / 8
			most = 0 // found
			break
		}
		n += 8
	}
	for n < most && b[n] == r.text[n] {
		n++
	}
	// The last element that is in both may go on in one of them.
	if n < len(b) && Delimiters[b[n]] {
		n++
	}
	return sort.Search(len(r.ends), func(i int) bool { return int(r.ends[i]) >= n })
}

// Delimiters are the bytes that end an atom.
var Delimiters = func() (d [256]bool) {
	for _, c := range []byte(" \n\t\r\f,()[]{}\";") {
		d[c] = true
	}
	return d
}()
