package proof

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
)

// contains reports whether a piece occurs in a walk, by the definition.
func contains(walk []Element, q Question) bool {
	n := len(q.Elements)
	for i := 0; i+n <= len(walk); i++ {
		if slices.Equal(walk[i:i+n], q.Elements) && (!q.First || i == 0) && (!q.Last || i+n == len(walk)) {
			return true
		}
	}
	return false
}

// lawful reports whether elements can be a walk at all, by the definition.
func lawful(vertices []Vertex, delayed int, walk []Element) bool {
	for i, e := range walk {
		if e.Kind == Issued && (i == 0 || walk[i-1].Kind == Issued) {
			return false
		}
		v := vertices[e.Vertex]
		d := vertices[delayed]
		if i == 0 && !meets(v.Writes, d.Reads) || i > 0 && !near(vertices[walk[i-1].Vertex], v) || i == len(walk)-1 && !near(v, d) {
			return false
		}
		if !v.Once {
			continue
		}
		if v.Process == vertices[delayed].Process {
			return false
		}
		for _, f := range walk[:i] {
			if u := vertices[f.Vertex]; u.Once && u.Process == v.Process && (f.Kind == Issued || u.Index >= v.Index) {
				return false
			}
		}
	}
	return len(walk) > 0
}

func meets(a, b []string) bool {
	return slices.ContainsFunc(a, func(x string) bool { return slices.Contains(b, x) })
}

func near(a, b Vertex) bool { return meets(a.Writes, b.Reads) || meets(b.Writes, a.Reads) }

// shortest looks for a walk of at most n elements by trying all.
func shortest(vertices []Vertex, delayed int, refuted []Question, n int) []Element {
	var try func(walk []Element, length int) []Element
	try = func(walk []Element, length int) []Element {
		if len(walk) == length {
			if lawful(vertices, delayed, walk) && !slices.ContainsFunc(refuted, func(q Question) bool { return q.Delayed == delayed && contains(walk, q) }) {
				return slices.Clone(walk)
			}
			return nil
		}
		for v := range vertices {
			for _, kind := range []Kind{Atomic, Issued} {
				if found := try(append(walk, Element{v, kind}), length); found != nil {
					return found
				}
			}
		}
		return nil
	}
	for length := 1; length <= n; length++ {
		if found := try(nil, length); found != nil {
			return found
		}
	}
	return nil
}

func randomGraph(r *rand.Rand) ([]Vertex, []Question) {
	var vertices []Vertex
	for i := range 2 + r.Intn(2) {
		v := Vertex{Name: fmt.Sprint("t", i)}
		if r.Intn(2) == 0 {
			v.Process, v.Index, v.Once = []string{"p", "p\t0", "p\" 0\n"}[r.Intn(3)], i, r.Intn(3) > 0
		}
		for _, x := range []string{"x", "y", "z"} {
			if r.Intn(3) > 0 {
				v.Reads = append(v.Reads, x)
			}
			if r.Intn(3) > 0 {
				v.Writes = append(v.Writes, x)
			}
		}
		vertices = append(vertices, v)
	}
	var refuted []Question
	for range r.Intn(24) {
		q := Question{Delayed: r.Intn(2), First: r.Intn(3) == 0, Last: r.Intn(3) == 0}
		for range 1 + r.Intn(3) {
			q.Elements = append(q.Elements, Element{r.Intn(len(vertices)), []Kind{Atomic, Issued}[r.Intn(2)]})
		}
		refuted = append(refuted, q)
	}
	return vertices, refuted
}

// TestWalk compares Walk with going through all short walks.
func TestWalk(t *testing.T) {
	open, closed := 0, 0
	for seed := range int64(3000) {
		r := rand.New(rand.NewSource(seed))
		vertices, refuted := randomGraph(r)
		got, want := NewGraph(vertices).Walk(0, refuted), shortest(vertices, 0, refuted, 5)
		if len(got) > 5 {
			continue // too long for the other one
		}
		if len(got) != len(want) {
			t.Fatalf("seed %d: %v, want one like %v\n%v\n%v", seed, got, want, vertices, refuted)
		}
		if got == nil {
			closed++
			continue
		}
		open++
		if !lawful(vertices, 0, got) || slices.ContainsFunc(refuted, func(q Question) bool { return q.Delayed == 0 && contains(got, q) }) {
			t.Fatalf("seed %d: %v is no walk\n%v\n%v", seed, got, vertices, refuted)
		}
	}
	if open < 100 || closed < 100 {
		t.Errorf("%d open and %d closed graphs: the test says little", open, closed)
	}
}

// TestPrune: what is left suffices, and none of it can be missed.
func TestPrune(t *testing.T) {
	fewer := 0
	for seed := range int64(2000) {
		vertices, refuted := randomGraph(rand.New(rand.NewSource(seed)))
		if NewGraph(vertices).Walk(0, refuted) != nil {
			continue
		}
		kept := NewGraph(vertices).Prune(0, refuted)
		if NewGraph(vertices).Walk(0, kept) != nil {
			t.Fatalf("seed %d: %v leaves a walk", seed, kept)
		}
		for i := range kept {
			if NewGraph(vertices).Walk(0, slices.Delete(slices.Clone(kept), i, i+1)) == nil {
				t.Fatalf("seed %d: %v is not needed in %v", seed, kept[i], kept)
			}
		}
		if len(kept) < len(refuted) {
			fewer++
		}
	}
	if fewer == 0 {
		t.Error("nothing was ever left out: the test says little")
	}
}

// TestDelayed: a vertex that is not delayed has no walk.
func TestDelayed(t *testing.T) {
	x := []string{"x"}
	vertices := []Vertex{{Name: "a", Reads: x, Writes: x}, {Name: "b", Reads: x, Writes: x}}
	all := Question{Delayed: 0, Elements: []Element{}}
	if walk := NewGraph(vertices).Walk(0, []Question{all}); walk != nil {
		t.Errorf("%v is left", walk)
	}
	if walk := NewGraph(vertices).Walk(1, []Question{all}); !slices.Equal(walk, []Element{{0, Atomic}}) {
		t.Errorf("%v, want a alone: the question is about a's walks", walk)
	}
	long := Question{1, []Element{{0, Atomic}, {1, Issued}}, true, true}
	if text := long.Words(vertices); text != "FIRST+EDGE+LAST b -> a -> b (issued) -> b" {
		t.Errorf("it is called %s", text)
	}
	if text := all.Words(vertices); !strings.HasPrefix(text, "DELAYED a") {
		t.Errorf("it is called %s", text)
	}
}
