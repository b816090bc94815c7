package testprog

import (
	"flag"
	"math/rand"
	"testing"
	"time"
)

// Random says which random programs the tests of a package make.
type Random struct {
	seed  *int64
	runs  *int
	usual int
}

// RandomFlags declares the flags -seed and -runs, the number of programs, with
// its default. A package's tests call it once, to initialize a variable.
func RandomFlags(runs int) Random {
	return Random{
		flag.Int64("seed", 1, "seed of the random programs (0: from the clock)"),
		flag.Int("runs", runs, "number of random programs"),
		runs,
	}
}

// many is the number of random programs of which a third says enough in a short run.
const many = 1000

// Runs is the number of random programs.
func (f Random) Runs() int {
	if testing.Short() && *f.runs == f.usual && f.usual >= many {
		return f.usual / 3
	}
	return *f.runs
}

// Seed gives the seed and logs it.
func (f Random) Seed(t testing.TB) int64 {
	t.Helper()
	s := *f.seed
	if s == 0 {
		s = time.Now().UnixNano()
	}
	t.Logf("seed %d", s)
	return s
}

// Source starts the random numbers of the seed.
func (f Random) Source(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewSource(f.Seed(t)))
}
