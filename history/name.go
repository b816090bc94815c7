package history

import (
	"fmt"
	"strconv"
)

// NameKind says what a Name is made of.
type NameKind uint8

const (
	NilName     NameKind = iota // no name: the one object of a history without keys, the initial value
	IntName                     // Int
	StringName                  // Text
	KeywordName                 // an EDN keyword; Text is without its colon
	TextName                    // anything else (a float, a symbol, a vector), as the EDN text
)

// Name is what a key, value, version or session is called in the recording.
type Name struct {
	Kind NameKind
	Int  int64
	Text string
}

// Int is the name that is a number.
func Int(n int64) Name { return Name{Kind: IntName, Int: n} }

// String is the name that is a string.
func String(s string) Name { return Name{Kind: StringName, Text: s} }

// String is the name for a reader; names of different kinds may print alike.
func (n Name) String() string {
	switch n.Kind {
	case NilName:
		return "nil"
	case IntName:
		return strconv.FormatInt(n.Int, 10)
	case StringName, TextName:
		return n.Text
	case KeywordName:
		return ":" + n.Text
	}
	panic(fmt.Sprintf("history: unknown kind of name %d", n.Kind))
}

// table interns names, the number of a name being the order of its first use.
type table struct {
	kind  []NameKind
	num   []int64 // an integer, or the index of the text
	texts []string

	small []int32 // of the integers 0, 1, …: 1 + number
	ints  map[int64]int32
	other map[Name]int32
}

// smallInts bounds the integers that are looked up in an array.
const smallInts = 1 << 20

func (t *table) len() int { return len(t.kind) }

func (t *table) int(n int64) int32 {
	if 0 <= n && n < smallInts {
		if int(n) >= len(t.small) {
			t.small = append(t.small, make([]int32, int(n)+1-len(t.small))...)
		}
		if id := t.small[n]; id != 0 {
			return id - 1
		}
		id := t.add(IntName, n)
		t.small[n] = id + 1
		return id
	}
	if id, ok := t.ints[n]; ok {
		return id
	}
	if t.ints == nil {
		t.ints = map[int64]int32{}
	}
	id := t.add(IntName, n)
	t.ints[n] = id
	return id
}

// intern gives the number of a name, a new one if needed.
func (t *table) intern(n Name) int32 {
	if n.Kind == IntName {
		return t.int(n.Int)
	}
	n.Int = 0
	if id, ok := t.other[n]; ok {
		return id
	}
	if t.other == nil {
		t.other = map[Name]int32{}
	}
	t.texts = append(t.texts, n.Text)
	id := t.add(n.Kind, int64(len(t.texts)-1))
	t.other[n] = id
	return id
}

func (t *table) add(k NameKind, n int64) int32 {
	t.kind = append(t.kind, k)
	t.num = append(t.num, n)
	return int32(len(t.kind) - 1)
}

func (t *table) name(id int32) Name {
	n := Name{Kind: t.kind[id]}
	if n.Kind == IntName {
		n.Int = t.num[id]
	} else {
		n.Text = t.texts[t.num[id]]
	}
	return n
}

// forget drops what only interning needs.
func (t *table) forget() { t.small, t.ints, t.other = nil, nil, nil }
