package draws

import (
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
