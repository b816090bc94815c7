package sqlgen

import (
	"strings"
)

// Node is a piece of SQL text as the grammar made it: a text, or other pieces
// one after the other.
type Node struct {
	// Prod is the production that made the piece, "" where it counts for none.
	Prod string
	// Sort says what may stand in its place: a piece of the same sort. "" is
	// nothing else.
	Sort string
	Kids []*Node
	// Sep is written between the kids.
	Sep string
	// Text is what a piece without kids is.
	Text string
	// List says that kids may be left out, down to Least.
	List  bool
	Least int
	// Optional says that the piece may be left out.
	Optional bool
	// Simple is the plainest text of its sort, "" if there is none.
	Simple string
}

// text makes a leaf.
func text(s string) *Node { return &Node{Text: s} }

// seq makes a piece of a production from strings and other pieces; nil ones are
// left out.
func seq(prod string, parts ...any) *Node {
	n := &Node{Prod: prod}
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			n.Kids = append(n.Kids, text(p))
		case *Node:
			if p != nil {
				n.Kids = append(n.Kids, p)
			}
		case nil:
		default:
			panic("sqlgen: a piece is a string or a Node")
		}
	}
	return n
}

// list makes a list from which pieces may be left out, down to least.
func list(sep string, least int, kids ...*Node) *Node {
	return &Node{Kids: kids, Sep: sep, List: true, Least: least}
}

// opt makes a piece that may be left out.
func opt(n *Node) *Node {
	if n != nil {
		n.Optional = true
	}
	return n
}

// of makes n a piece of a sort with a plainest text.
func (n *Node) of(sort, simple string) *Node {
	n.Sort, n.Simple = sort, simple
	return n
}

// String is the text.
func (n *Node) String() string {
	var b strings.Builder
	n.write(&b, nil)
	return b.String()
}

// Span is where a piece stands in a text, in bytes.
type Span struct {
	From, To int
	Node     *Node
}

// Spans gives the text with the place of each piece, outer ones first.
func (n *Node) Spans() (string, []Span) {
	var b strings.Builder
	var spans []Span
	n.write(&b, &spans)
	return b.String(), spans
}

func (n *Node) write(b *strings.Builder, spans *[]Span) {
	at := 0
	if spans != nil {
		at = len(*spans)
		*spans = append(*spans, Span{b.Len(), 0, n})
	}
	b.WriteString(n.Text)
	for i, k := range n.Kids {
		if i > 0 {
			b.WriteString(n.Sep)
		}
		k.write(b, spans)
	}
	if spans != nil {
		(*spans)[at].To = b.Len()
	}
}

// Walk calls f for the piece and all pieces in it, outer ones first.
func (n *Node) Walk(f func(*Node)) {
	f(n)
	for _, k := range n.Kids {
		k.Walk(f)
	}
}

// Productions gives the productions of the piece, each as often as it occurs.
func (n *Node) Productions() map[string]int {
	out := map[string]int{}
	n.Walk(func(n *Node) {
		if n.Prod != "" {
			out[n.Prod]++
		}
	})
	return out
}

// Clone is a copy of the whole piece.
func (n *Node) Clone() *Node {
	c := *n
	c.Kids = make([]*Node, len(n.Kids))
	for i, k := range n.Kids {
		c.Kids[i] = k.Clone()
	}
	return &c
}
