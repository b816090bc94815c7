package proof

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"
)

// every gives all walks of at most n elements that contain no refuted piece.
func every(vertices []Vertex, delayed int, refuted []Question, n int) (out [][]Element) {
	var try func(walk []Element)
	try = func(walk []Element) {
		if lawful(vertices, delayed, walk) && !slices.ContainsFunc(refuted, func(q Question) bool { return q.Delayed == delayed && contains(walk, q) }) {
			out = append(out, slices.Clone(walk))
		}
		if len(walk) == n {
			return
		}
		for v := range vertices {
			for _, kind := range []Kind{Atomic, Issued} {
				try(append(slices.Clone(walk), Element{v, kind}))
			}
		}
	}
	try(nil)
	return out
}

// wants reports whether a walk is wanted, by the definition.
func wants(vertices []Vertex, walk []Element, want Wanted) bool {
	var names []string
	for _, e := range walk {
		names = append(names, vertices[e.Vertex].Name)
	}
	return !slices.ContainsFunc(want.Without, func(set []string) bool {
		return !slices.ContainsFunc(set, func(x string) bool { return !slices.Contains(names, x) })
	})
}

// TestLeft compares what is left of walks with going through all short ones.
func TestLeft(t *testing.T) {
	const longest = 5
	found, none, on, off := 0, 0, 0, 0
	for seed := range int64(1500) {
		r := rand.New(rand.NewSource(seed))
		vertices, refuted := randomGraph(r)
		left := NewGraph(vertices).Left(0, refuted)
		all := every(vertices, 0, refuted, longest)
		want := Wanted{Places: 1 << 20}
		for range r.Intn(3) {
			var set []string
			for range 1 + r.Intn(2) {
				set = append(set, fmt.Sprint("t", r.Intn(len(vertices))))
			}
			want.Without = append(want.Without, set)
		}
		got, bounded := left.Find(want)
		if bounded {
			t.Fatalf("seed %d: bounded", seed)
		}
		shortest := -1
		for _, w := range all {
			if wants(vertices, w, want) && (shortest < 0 || len(w) < shortest) {
				shortest = len(w)
			}
		}
		switch {
		case got == nil && shortest >= 0, got != nil && len(got) <= longest && len(got) != shortest:
			t.Fatalf("seed %d: %v, want one of length %d, %+v\n%v\n%v", seed, got, shortest, want, vertices, refuted)
		case got != nil && !(lawful(vertices, 0, got) && wants(vertices, got, want)):
			t.Fatalf("seed %d: %v is not wanted: %+v\n%v", seed, got, want, vertices)
		case got != nil:
			found++
		default:
			none++
		}
		through := left.Through()
		for v := range vertices {
			some := slices.ContainsFunc(all, func(w []Element) bool {
				return v == 0 || slices.ContainsFunc(w, func(e Element) bool { return e.Vertex == v })
			})
			if some && !through[v] {
				t.Fatalf("seed %d: %s is on a walk\n%v\n%v", seed, vertices[v].Name, vertices, refuted)
			}
			w, _ := left.Find(Wanted{Without: [][]string{{vertices[v].Name}}, Places: 1 << 20})
			if whole, _ := left.Find(Wanted{Places: 1 << 20}); v != 0 && whole != nil && w == nil && !through[v] {
				t.Fatalf("seed %d: all walks go through %s\n%v\n%v", seed, vertices[v].Name, vertices, refuted)
			}
			if through[v] {
				on++
			} else {
				off++
			}
		}
	}
	if found == 0 || none == 0 || on == 0 || off == 0 {
		t.Errorf("found %d, none %d, on %d, off %d", found, none, on, off)
	}
}

// TestLeftBounded: the search says that its bound ran out.
func TestLeftBounded(t *testing.T) {
	vertices := []Vertex{{Name: "a", Reads: []string{"x"}, Writes: []string{"y"}}, {Name: "b", Reads: []string{"y"}, Writes: []string{"x"}}}
	left := NewGraph(vertices).Left(0, nil)
	if w, bounded := left.Find(Wanted{Places: 0}); w != nil || !bounded {
		t.Errorf("%v, bounded: %v", w, bounded)
	}
	if w, bounded := left.Find(Wanted{Places: 10}); len(w) != 1 || bounded {
		t.Errorf("%v, bounded: %v", w, bounded)
	}
	if w, _ := left.Find(Wanted{Without: [][]string{{"b"}}, Places: 10}); w != nil {
		t.Errorf("without b there is %v", w)
	}
}
