package codec

import (
	"fmt"
	"strconv"

	"github.com/txrobust/robust/history"
)

// shape is what a node of a tree is.
type shape uint8

const (
	nilNode shape = iota
	boolNode
	intNode
	floatNode
	stringNode
	keywordNode
	symbolNode // also characters and other atoms of EDN
	listNode   // a vector or list
	setNode
	mapNode  // keys and values alternate
	intsNode // a vector of integers, which are in tree.ints
)

func (s shape) String() string {
	return [...]string{"nil", "a truth value", "an integer", "a number that is no integer", "a string", "a keyword", "a symbol", "a vector", "a set", "a map", "a vector"}[s]
}

// node is one value of a tree that is stored in prefix order.
type node struct {
	shape shape
	size  int32 // nodes of the tree, this one included
	from  int32 // the text: of strings without escapes, of numbers as written
	to    int32
	num   int64 // an integer, or the place in tree.ints
}

// tree is a value of EDN or JSON: its first node is the root, and the children
// of a node follow it. Trees are read into the same memory again and again.
type tree struct {
	nodes []node
	text  []byte
	ints  [][]int64
}

func (t *tree) clear() { t.nodes, t.text, t.ints = t.nodes[:0], t.text[:0], t.ints[:0] }

// size says how much of a tree there is, so that cut can take it back to that.
func (t *tree) size() (s [3]int) { return [3]int{len(t.nodes), len(t.text), len(t.ints)} }

func (t *tree) cut(s [3]int) { t.nodes, t.text, t.ints = t.nodes[:s[0]], t.text[:s[1]], t.ints[:s[2]] }

func (t *tree) add(n node) int {
	t.nodes = append(t.nodes, n)
	return len(t.nodes) - 1
}

// leaf adds an atom with a text.
func (t *tree) leaf(s shape, text []byte) {
	from := len(t.text)
	t.text = append(t.text, text...)
	t.add(node{shape: s, size: 1, from: int32(from), to: int32(len(t.text))})
}

// at is a place in a tree.
type at struct {
	t *tree
	i int
}

func (t *tree) root() at { return at{t, 0} }

func (a at) node() *node  { return &a.t.nodes[a.i] }
func (a at) shape() shape { return a.node().shape }
func (a at) text() []byte { n := a.node(); return a.t.text[n.from:n.to] }

// ints are the elements of an intsNode.
func (a at) ints() []int64 { return a.t.ints[a.node().num] }

// count is the number of children.
func (a at) count() int {
	n := 0
	for c := a.first(); c.in(a); c = c.next() {
		n++
	}
	return n
}

// The children of a are: for c := a.first(); c.in(a); c = c.next().
func (a at) first() at         { return at{a.t, a.i + 1} }
func (a at) next() at          { return at{a.t, a.i + int(a.node().size)} }
func (a at) in(parent at) bool { return a.i < parent.i+int(parent.node().size) }

// word is the text of a keyword, string or symbol: formats that are written as
// JSON have strings where EDN has keywords.
func (a at) word() string {
	switch a.shape() {
	case keywordNode, stringNode, symbolNode:
		return string(a.text())
	}
	return ""
}

// is tells whether a is a given word.
func (a at) is(word string) bool {
	switch a.shape() {
	case keywordNode, stringNode, symbolNode:
		return string(a.text()) == word
	}
	return false
}

// name is the value as a name.
func (a at) name() history.Name {
	switch a.shape() {
	case nilNode:
		return history.Name{}
	case intNode:
		return history.Int(a.node().num)
	case stringNode:
		return history.String(string(a.text()))
	case keywordNode:
		return history.Name{Kind: history.KeywordName, Text: string(a.text())}
	}
	return history.Name{Kind: history.TextName, Text: a.String()}
}

// copyTo copies a tree to other memory, which it replaces.
func (a at) copyTo(t *tree) {
	t.clear()
	t.nodes = append(t.nodes, a.t.nodes[a.i:a.i+int(a.node().size)]...)
	for i := range t.nodes {
		n := &t.nodes[i]
		if n.shape == intsNode {
			t.ints = append(t.ints, a.t.ints[n.num])
			n.num = int64(len(t.ints) - 1)
		}
		from := len(t.text)
		t.text = append(t.text, a.t.text[n.from:n.to]...)
		n.from, n.to = int32(from), int32(len(t.text))
	}
}

// String prints the value as EDN.
func (a at) String() string { return string(a.edn(nil)) }

func (a at) edn(b []byte) []byte {
	all := func(open, end string) []byte {
		b = append(b, open...)
		for c := a.first(); c.in(a); c = c.next() {
			if c.i > a.i+1 {
				b = append(b, ' ')
			}
			b = c.edn(b)
		}
		return append(b, end...)
	}
	switch a.shape() {
	case nilNode:
		return append(b, "nil"...)
	case boolNode, floatNode, symbolNode:
		return append(b, a.text()...)
	case intNode:
		return strconv.AppendInt(b, a.node().num, 10)
	case stringNode:
		return appendString(b, string(a.text()))
	case keywordNode:
		return append(append(b, ':'), a.text()...)
	case listNode:
		return all("[", "]")
	case intsNode:
		b = append(b, '[')
		for i, n := range a.ints() {
			if i > 0 {
				b = append(b, ' ')
			}
			b = strconv.AppendInt(b, n, 10)
		}
		return append(b, ']')
	case setNode:
		return all("#{", "}")
	case mapNode:
		return all("{", "}")
	}
	panic(fmt.Sprintf("codec: unknown shape %d", a.shape()))
}

// appendString prints a string so that EDN and JSON read it back.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for _, c := range []byte(s) {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c < ' ':
			b = fmt.Appendf(b, `\u%04x`, c)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// get is the value of a key of a map.
func (a at) get(key string) (at, bool) {
	if a.shape() != mapNode {
		return at{}, false
	}
	for k := a.first(); k.in(a); {
		v := k.next()
		if k.is(key) {
			return v, true
		}
		k = v.next()
	}
	return at{}, false
}

// clip prints a value for an error message.
func clip(a at) string {
	const most = 60
	if s := []rune(a.String()); len(s) > most {
		return string(s[:most]) + "…"
	}
	return a.String()
}
