package draws

import (
	"maps"
	"math/rand/v2"
	"testing"
)

// TestPlaces joins random places and fields of them, also with themselves: places that were
// joined have one root, and so have their fields.
func TestPlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 2000 {
		all := make([]*place, 4)
		for i := range all {
			all[i] = &place{}
		}
		var joined [][2]*place
		for range 1 + rng.IntN(8) {
			a, b := all[rng.IntN(len(all))], all[rng.IntN(len(all))]
			if rng.IntN(2) == 0 {
				b = b.field(rng.IntN(2))
				all = append(all, b)
			}
			if rng.IntN(6) == 0 {
				a.lump()
			}
			a.join(b)
			joined = append(joined, [2]*place{a, b})
		}
		for _, j := range joined {
			for i := range 2 {
				if j[0].root() != j[1].root() || j[0].field(i).root() != j[1].field(i).root() {
					t.Fatalf("round %d: joined places differ", round)
				}
			}
		}
	}
}

// TestComputed computes random values of others, and copies them: where a value is in, or was
// computed of, another one, their places show it.
func TestComputed(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for round := range 2000 {
		places := make([]*place, 5)
		for i := range places {
			places[i] = &place{}
		}
		type step struct{ to, a, b int }
		var steps []step
		for range 1 + rng.IntN(8) {
			s := step{rng.IntN(5), rng.IntN(5), rng.IntN(5)}
			steps = append(steps, s)
			of := []*place{places[s.a]}
			if s.a != s.b {
				of = computed(append(of, places[s.b]))
			}
			for _, n := range of {
				n.join(places[s.to])
			}
		}
		// holds[i] has the places of which values get to i, by repeating all steps.
		holds := make([]map[int]bool, len(places))
		for i := range holds {
			holds[i] = map[int]bool{i: true}
		}
		for range places {
			for _, s := range steps {
				maps.Copy(holds[s.to], holds[s.a])
				maps.Copy(holds[s.to], holds[s.b])
			}
		}
		for i := range places {
			origins := places[i].origins()
			for k := range holds[i] {
				if !origins[places[k].root()] {
					t.Fatalf("round %d: values of place %d get to %d by %v", round, k, i, steps)
				}
			}
		}
	}
}
