// Package ednode has values of EDN and JSON as trees that are read into the same memory
// again and again.
package ednode

import (
	"fmt"
	"strconv"

	"github.com/txrobust/robust/history"
)

// Shape is what a node of a tree is.
type Shape uint8

const (
	NilNode Shape = iota
	BoolNode
	IntNode
	FloatNode
	StringNode
	KeywordNode
	SymbolNode // also characters and other atoms of EDN
	ListNode   // a vector or list
	SetNode
	MapNode  // keys and values alternate
	IntsNode // a vector of integers, which are in tree.ints
)

func (s Shape) String() string {
	return [...]string{"nil", "a truth value", "an integer", "a number that is no integer", "a string", "a keyword", "a symbol", "a vector", "a set", "a map", "a vector"}[s]
}

// Cell is one value of a tree that is stored in prefix order.
type Cell struct {
	Shape Shape
	Size  int32 // nodes of the tree, this one included
	From  int32 // the text: of strings without escapes, of numbers as written
	To    int32
	Num   int64 // an integer, or the place in tree.ints
}

// Tree is a value of EDN or JSON: its first node is the root, and the children
// of a node follow it. Trees are read into the same memory again and again.
type Tree struct {
	Nodes []Cell
	Text  []byte
	Ints  [][]int64
}

func (t *Tree) Clear() { t.Nodes, t.Text, t.Ints = t.Nodes[:0], t.Text[:0], t.Ints[:0] }

// Size says how much of a tree there is, so that cut can take it back to that.
func (t *Tree) Size() (s [3]int) { return [3]int{len(t.Nodes), len(t.Text), len(t.Ints)} }

func (t *Tree) Cut(s [3]int) { t.Nodes, t.Text, t.Ints = t.Nodes[:s[0]], t.Text[:s[1]], t.Ints[:s[2]] }

func (t *Tree) Add(n Cell) int {
	t.Nodes = append(t.Nodes, n)
	return len(t.Nodes) - 1
}

// Leaf adds an atom with a text.
func (t *Tree) Leaf(s Shape, text []byte) {
	from := len(t.Text)
	t.Text = append(t.Text, text...)
	t.Add(Cell{Shape: s, Size: 1, From: int32(from), To: int32(len(t.Text))})
}

// Node is a place in a tree.
type Node struct {
	T *Tree
	I int
}

func (t *Tree) Root() Node { return Node{t, 0} }

func (a Node) Node() *Cell { return &a.T.Nodes[a.I] }

func (a Node) Shape() Shape { return a.Node().Shape }

func (a Node) Text() []byte { n := a.Node(); return a.T.Text[n.From:n.To] }

// Ints are the elements of an IntsNode.
func (a Node) Ints() []int64 { return a.T.Ints[a.Node().Num] }

// Count is the number of children.
func (a Node) Count() int {
	n := 0
	for c := a.First(); c.In(a); c = c.Next() {
		n++
	}
	return n
}

// The children of a are: for c := a.first(); c.in(a); c = c.next().
func (a Node) First() Node { return Node{a.T, a.I + 1} }

func (a Node) Next() Node { return Node{a.T, a.I + int(a.Node().Size)} }

func (a Node) In(parent Node) bool { return a.I < parent.I+int(parent.Node().Size) }

// Word is the text of a keyword, string or symbol: formats that are written as
// JSON have strings where EDN has keywords.
func (a Node) Word() string {
	switch a.Shape() {
	case KeywordNode, StringNode, SymbolNode:
		return string(a.Text())
	}
	return ""
}

// Is tells whether a is a given word.
func (a Node) Is(word string) bool {
	switch a.Shape() {
	case KeywordNode, StringNode, SymbolNode:
		return string(a.Text()) == word
	}
	return false
}

// Name is the value as a name.
func (a Node) Name() history.Name {
	switch a.Shape() {
	case NilNode:
		return history.Name{}
	case IntNode:
		return history.Int(a.Node().Num)
	case StringNode:
		return history.String(string(a.Text()))
	case KeywordNode:
		return history.Name{Kind: history.KeywordName, Text: string(a.Text())}
	}
	return history.Name{Kind: history.TextName, Text: a.String()}
}

// CopyTo copies a tree to other memory, which it replaces.
func (a Node) CopyTo(t *Tree) {
	t.Clear()
	t.Nodes = append(t.Nodes, a.T.Nodes[a.I:a.I+int(a.Node().Size)]...)
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Shape == IntsNode {
			t.Ints = append(t.Ints, a.T.Ints[n.Num])
			n.Num = int64(len(t.Ints) - 1)
		}
		from := len(t.Text)
		t.Text = append(t.Text, a.T.Text[n.From:n.To]...)
		n.From, n.To = int32(from), int32(len(t.Text))
	}
}

// String prints the value as EDN.
func (a Node) String() string { return string(a.edn(nil)) }

func (a Node) edn(b []byte) []byte {
	all := func(open, end string) []byte {
		b = append(b, open...)
		for c := a.First(); c.In(a); c = c.Next() {
			if c.I > a.I+1 {
				b = append(b, ' ')
			}
			b = c.edn(b)
		}
		return append(b, end...)
	}
	switch a.Shape() {
	case NilNode:
		return append(b, "nil"...)
	case BoolNode, FloatNode, SymbolNode:
		return append(b, a.Text()...)
	case IntNode:
		return strconv.AppendInt(b, a.Node().Num, 10)
	case StringNode:
		return AppendString(b, string(a.Text()))
	case KeywordNode:
		return append(append(b, ':'), a.Text()...)
	case ListNode:
		return all("[", "]")
	case IntsNode:
		b = append(b, '[')
		for i, n := range a.Ints() {
			if i > 0 {
				b = append(b, ' ')
			}
			b = strconv.AppendInt(b, n, 10)
		}
		return append(b, ']')
	case SetNode:
		return all("#{", "}")
	case MapNode:
		return all("{", "}")
	}
	panic(fmt.Sprintf("codec: unknown shape %d", a.Shape()))
}

// AppendString prints a string so that EDN and JSON read it back.
func AppendString(b []byte, s string) []byte {
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

// Get is the value of a key of a map.
func (a Node) Get(key string) (Node, bool) {
	if a.Shape() != MapNode {
		return Node{}, false
	}
	for k := a.First(); k.In(a); {
		v := k.Next()
		if k.Is(key) {
			return v, true
		}
		k = v.Next()
	}
	return Node{}, false
}

// Clip prints a value for an error message.
func Clip(a Node) string {
	const most = 60
	if s := []rune(a.String()); len(s) > most {
		return string(s[:most]) + "…"
	}
	return a.String()
}
