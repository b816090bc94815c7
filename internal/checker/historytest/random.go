package historytest

import (
	"flag"
	"math/rand/v2"
	"testing"
)

// Random says which random histories, or problems, the tests of a checker make.
type Random struct {
	runs *int
	seed *uint64
}

// RandomFlags declares the flags -name.random, how many there are, and -name.seed.
// A package's tests call it once, to initialize a variable.
func RandomFlags(name string) Random {
	return Random{
		flag.Int(name+".random", 0, "how many random cases the tests make (0: as many as usual)"),
		flag.Uint64(name+".seed", 1, "seed of the random cases (0: a random one)"),
	}
}

// Runs is how many cases a test makes that usually makes so many, and so many in a
// short run.
func (f Random) Runs(usual, short int) int {
	switch {
	case *f.runs != 0:
		return *f.runs
	case testing.Short():
		return short
	}
	return usual
}

// Seed gives the seed and logs it.
func (f Random) Seed(t testing.TB) uint64 {
	t.Helper()
	seed := *f.seed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	return seed
}
