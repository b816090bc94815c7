package proof

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Vertex is a template of any session, or a transaction of a process.
type Vertex struct {
	// Name is that of the transaction.
	Name string `json:"name"`
	// Process is "" for a template that any session may run. Index is the
	// place in the process, and Once says that there is one session of it.
	Process string `json:"process,omitempty"`
	Index   int    `json:"index,omitempty"`
	Once    bool   `json:"once,omitempty"`
	// Reads names what decides what the transaction does and whether it can,
	// and Writes what it may change: rows and columns of tables, or "*". Where
	// none of what one transaction changes decides another, and the other way
	// around, they are never stuck.
	Reads  []string `json:"reads"`
	Writes []string `json:"writes"`
}

// Kind is how a transaction takes part in a window.
type Kind string

const (
	// Atomic: it begins and commits inside the window.
	Atomic Kind = "atomic"
	// Issued: it takes its snapshot inside the window and commits after it.
	Issued Kind = "issued"
)

// Element is a vertex inside a window.
type Element struct {
	Vertex int  `json:"vertex"`
	Kind   Kind `json:"kind"`
}

// Question is a piece of a walk of a delayed vertex: consecutive elements, and
// whether the walk begins (First) and ends (Last) with them. One without
// elements stands for all walks.
type Question struct {
	Delayed  int       `json:"delayed"`
	Elements []Element `json:"elements"`
	First    bool      `json:"first,omitempty"`
	Last     bool      `json:"last,omitempty"`
}

// Compare orders questions: by the delayed vertex, the number of elements, these,
// and the ends.
func (q Question) Compare(o Question) int {
	truth := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(q.Delayed, o.Delayed), cmp.Compare(len(q.Elements), len(o.Elements)),
		slices.CompareFunc(q.Elements, o.Elements, func(a, b Element) int {
			return cmp.Or(cmp.Compare(a.Vertex, b.Vertex), cmp.Compare(a.Kind, b.Kind))
		}), cmp.Compare(truth(q.First), truth(o.First)), cmp.Compare(truth(q.Last), truth(o.Last)))
}

// String names the question in terms of docs/soundness.md, section 4.1.
func (q Question) String() string { return q.Words(nil) }

// Words is String with the names of the vertices.
func (q Question) Words(vertices []Vertex) string {
	name := func(v int) string {
		if v >= 0 && v < len(vertices) {
			return vertices[v].Name
		}
		return fmt.Sprint("vertex ", v)
	}
	if len(q.Elements) == 0 {
		return "DELAYED " + name(q.Delayed)
	}
	var what, parts []string
	if q.First {
		what = append(what, "FIRST")
		parts = append(parts, name(q.Delayed))
	}
	if len(q.Elements) > 1 || !q.First && !q.Last {
		what = append(what, "EDGE")
	}
	for _, e := range q.Elements {
		n := name(e.Vertex)
		if e.Kind == Issued {
			n += " (issued)"
		}
		parts = append(parts, n)
	}
	if q.Last {
		what = append(what, "LAST")
		parts = append(parts, name(q.Delayed))
	}
	text := strings.Join(what, "+") + " " + strings.Join(parts, " -> ")
	if !q.First && !q.Last {
		text += " around " + name(q.Delayed)
	}
	return text
}

// walks is the automaton of the walks of one delayed vertex without a
// refuted piece. Its states are the proper prefixes of these pieces: what has
// been read of one. Letters are the elements, and the two ends of a walk.
type walks struct {
	vertices []Vertex
	near     *Graph
	next     []map[letter]int // the tree of the pieces
	fail     []int            // the longest proper suffix that is a state
	dead     []bool           // some piece ends here
}

// letter is an element, or an end.
type letter struct {
	vertex int
	kind   Kind
}

var start, end = letter{-1, "start"}, letter{-1, "end"}

// Walk looks for a walk of the delayed vertex that contains none of the refuted
// pieces, and gives a shortest one, or nil. Pieces of other vertices' walks are
// left out. What no walk has needs no refutation: it does not begin with an
// issued element, has no two issued ones in a row, and keeps the order of the
// transactions of a process of which there is one. Its first element changes
// what decides the delayed vertex; neighbours touch something in common, as do
// the last element and the delayed vertex.
func (n *Graph) Walk(delayed int, refuted []Question) []Element {
	return n.without(delayed, refuted).search(delayed)
}

// without makes the automaton of the walks without the refuted pieces.
func (n *Graph) without(delayed int, refuted []Question) *walks {
	a := &walks{vertices: n.vertices, near: n}
	a.state()
	for _, q := range refuted {
		if q.Delayed != delayed {
			continue
		}
		var word []letter
		if q.First {
			word = append(word, start)
		}
		for _, e := range q.Elements {
			word = append(word, letter{e.Vertex, e.Kind})
		}
		if q.Last {
			word = append(word, end)
		}
		a.add(word)
	}
	a.link()
	return a
}

func (a *walks) state() int {
	a.next = append(a.next, nil)
	a.fail = append(a.fail, 0)
	a.dead = append(a.dead, false)
	return len(a.next) - 1
}

// add adds a piece to the tree.
func (a *walks) add(word []letter) {
	s := 0
	for _, l := range word {
		t, ok := a.next[s][l]
		if !ok {
			t = a.state()
			if a.next[s] == nil {
				a.next[s] = map[letter]int{}
			}
			a.next[s][l] = t
		}
		s = t
	}
	a.dead[s] = true
}

// link finds the suffixes, shorter states first.
func (a *walks) link() {
	queue := []int{0}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		a.dead[s] = a.dead[s] || a.dead[a.fail[s]]
		for l, t := range a.next[s] {
			if s != 0 {
				a.fail[t] = a.step(a.fail[s], l)
			}
			queue = append(queue, t)
		}
	}
}

// step reads a letter.
func (a *walks) step(s int, l letter) int {
	for {
		if t, ok := a.next[s][l]; ok {
			return t
		}
		if s == 0 {
			return 0
		}
		s = a.fail[s]
	}
}

// place is where the search is: what was read of pieces, the newest element and
// whether it is issued, and what the processes of one session have run.
type place struct {
	state  int
	newest int
	issued bool
	ran    string
}

func (a *walks) search(delayed int) []Element {
	if a.dead[0] {
		return nil
	}
	type visit struct {
		place
		before int // in visits
		elem   Element
	}
	begin := a.step(0, start)
	if a.dead[begin] {
		return nil
	}
	n := a.near
	first, last := n.affecting(delayed), n.meeting(delayed)
	visits := []visit{{place: place{state: begin, issued: true}, before: -1}}
	seen := map[place]bool{}
	for at := 0; at < len(visits); at++ {
		v := visits[at]
		follow := first
		if at > 0 {
			follow = n.meeting(v.elem.Vertex)
		}
		for _, i := range follow {
			for _, kind := range []Kind{Atomic, Issued} {
				if kind == Issued && v.issued {
					continue
				}
				ran, ok := a.runs(delayed, v.ran, i, kind)
				if !ok {
					continue
				}
				p := place{a.step(v.state, letter{i, kind}), i, kind == Issued, ran}
				if a.dead[p.state] || seen[p] {
					continue
				}
				seen[p] = true
				visits = append(visits, visit{p, at, Element{i, kind}})
				if _, near := slices.BinarySearch(last, i); !near || a.dead[a.step(p.state, end)] {
					continue
				}
				var out []Element
				for k := len(visits) - 1; k > 0; k = visits[k].before {
					out = append(out, visits[k].elem)
				}
				slices.Reverse(out)
				return out
			}
		}
	}
	return nil
}

// Graph is the vertices, with those that touch what others do. It is not safe
// for concurrent use.
type Graph struct {
	vertices         []Vertex
	readers, writers map[string][]int
	met              map[int][]int
}

// NewGraph makes a Graph.
func NewGraph(vertices []Vertex) *Graph {
	n := &Graph{vertices, map[string][]int{}, map[string][]int{}, map[int][]int{}}
	for i, v := range vertices {
		for _, x := range v.Reads {
			n.readers[x] = append(n.readers[x], i)
		}
		for _, x := range v.Writes {
			n.writers[x] = append(n.writers[x], i)
		}
	}
	return n
}

// affecting gives the vertices that change what decides one, in order.
func (n *Graph) affecting(v int) []int {
	var out []int
	for _, x := range n.vertices[v].Reads {
		out = append(out, n.writers[x]...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// meeting gives those besides that are changed by it.
func (n *Graph) meeting(v int) []int {
	out, ok := n.met[v]
	if !ok {
		out = n.affecting(v)
		for _, x := range n.vertices[v].Writes {
			out = append(out, n.readers[x]...)
		}
		slices.Sort(out)
		out = slices.Compact(out)
		n.met[v] = out
	}
	return out
}

// runs says whether a vertex may follow what the processes have run, and what
// they have run then. An issued transaction of a process is its last one inside
// the window.
func (a *walks) runs(delayed int, ran string, i int, kind Kind) (string, bool) {
	v := a.vertices[i]
	if v.Process == "" || !v.Once {
		return ran, true
	}
	if v.Process == a.vertices[delayed].Process {
		return "", false
	}
	var out []string
	own := strconv.Quote(v.Process) + " "
	for _, part := range strings.Split(ran, "\n") {
		last, ok := strings.CutPrefix(part, own)
		if !ok {
			if part != "" {
				out = append(out, part)
			}
			continue
		}
		if index, err := strconv.Atoi(last); err != nil || index >= v.Index { // or it is issued
			return "", false
		}
	}
	last := strconv.Itoa(v.Index)
	if kind == Issued {
		last = string(Issued)
	}
	out = append(out, own+last)
	slices.Sort(out)
	return strings.Join(out, "\n"), true
}

// Prune leaves out refuted pieces without which no walk is left either. Those
// that come first are kept rather than those that come last.
func (n *Graph) Prune(delayed int, refuted []Question) []Question {
	var kept []Question
	listed := map[string]bool{}
	for _, q := range refuted {
		if !listed[q.String()] {
			listed[q.String()] = true
			kept = append(kept, q)
		}
	}
	var drop func(block []Question)
	drop = func(block []Question) {
		in := map[string]bool{}
		for _, q := range block {
			in[q.String()] = true
		}
		rest := slices.DeleteFunc(slices.Clone(kept), func(q Question) bool { return in[q.String()] })
		switch {
		case n.Walk(delayed, rest) == nil:
			kept = rest
		case len(block) > 1:
			half := len(block) / 2
			drop(block[half:])
			drop(block[:half])
		}
	}
	if len(kept) > 0 {
		drop(slices.Clone(kept))
	}
	return kept
}
