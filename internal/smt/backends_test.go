//go:build cgo

package smt

import (
	"flag"
	"fmt"
	"math/big"
	"math/rand"
	"sort"
	"testing"
)

var (
	formulas    = flag.Int("formulas", 400, "how many random questions TestBackends asks")
	formulaSeed = flag.Int64("formulas.seed", 1, "seed of the first random question")
)

// both gives a Solver for each backend.
func both(t testing.TB) (lib, proc *Solver) {
	t.Helper()
	return &Solver{z3: newLibrary()}, needsProgram(t)
}

// questioner makes random questions with all operations, on few symbols so that they
// contradict each other often.
type questioner struct {
	r *rand.Rand
	b *Builder
}

func (q *questioner) number(sort Sort, depth int) *Term {
	b, r := q.b, q.r
	if depth == 0 || r.Intn(6) == 0 {
		if r.Intn(2) == 0 {
			if sort == Int {
				return b.IntConst(int64(r.Intn(9) - 4))
			}
			return b.RealConst(big.NewRat(int64(r.Intn(9)-4), int64(1+r.Intn(3))))
		}
		return b.Var(fmt.Sprintf("%s %d", sort, r.Intn(3)), sort)
	}
	x, y := q.number(sort, depth-1), q.number(sort, depth-1)
	switch r.Intn(8) {
	case 0:
		return b.Add(x, y)
	case 1:
		return b.Sub(x, y)
	case 2:
		return b.Mul(b.num(sort, big.NewRat(int64(r.Intn(5)-2), 1)), y)
	case 3:
		return b.Ite(q.bool(depth-1), x, y)
	case 4:
		if sort == Real {
			return b.ToReal(q.number(Int, depth-1))
		}
		return b.App(b.Func("or", Int, Int), x)
	case 5:
		if sort == Real {
			return b.App(b.Func("é|", Real, Int, Real), q.number(Int, depth-1), y)
		}
		return b.App(b.Func("g", Int, Int, Bool), x, q.bool(depth-1))
	case 6:
		if sort == Real {
			return b.Quo(x, b.RealConst(big.NewRat(int64(r.Intn(3)), 1)))
		}
		return b.Div(x, b.IntConst(int64(r.Intn(4)-1)))
	}
	if sort == Real {
		return b.Add(x, y)
	}
	return b.Mod(x, b.IntConst(int64(r.Intn(4))))
}

func (q *questioner) bool(depth int) *Term {
	b, r := q.b, q.r
	if depth == 0 {
		return b.Var(fmt.Sprintf("p%d", r.Intn(4)), Bool)
	}
	sort := []Sort{Int, Real}[r.Intn(2)]
	switch r.Intn(9) {
	case 0:
		return b.Not(q.bool(depth - 1))
	case 1:
		return b.And(q.bool(depth-1), q.bool(depth-1), q.bool(depth-1))
	case 2:
		return b.Or(q.bool(depth-1), q.bool(depth-1))
	case 3:
		return b.Ite(q.bool(depth-1), q.bool(depth-1), q.bool(depth-1))
	case 4:
		return b.Eq(q.bool(depth-1), q.bool(depth-1))
	case 5:
		return b.App(b.Func("holds", Bool, Int), q.number(Int, depth-1))
	case 6:
		return b.Le(q.number(sort, depth-1), q.number(sort, depth-1))
	case 7:
		return b.Lt(q.number(sort, depth-1), q.number(sort, depth-1))
	}
	return b.Eq(q.number(sort, depth-1), q.number(sort, depth-1))
}

// TestBackends asks both backends the same random questions, made narrower step by step.
// They answer the same, and the model of each makes true what was asserted.
func TestBackends(t *testing.T) {
	lib, proc := both(t)
	lib.Limit, proc.Limit = 50000, 50000
	apart := 0
	counts := map[Result]int{}
	for seed := *formulaSeed; seed < *formulaSeed+int64(*formulas); seed++ {
		q := &questioner{rand.New(rand.NewSource(seed)), NewBuilder()}
		one, two := lib.Begin(), proc.Begin()
		var asserts []*Term
		for res := Sat; res == Sat && len(asserts) < 12; {
			for range 1 + q.r.Intn(3) {
				asserts = append(asserts, q.bool(3))
				one.Assert(asserts[len(asserts)-1])
				two.Assert(asserts[len(asserts)-1])
			}
			var model *Model
			var why string
			res, model, why = one.Check(t.Context())
			r, other, otherWhy := two.Check(t.Context())
			counts[res]++
			if r != res && (r == Unknown || res == Unknown) {
				apart++ // they search in another order, and the limit is near
				break
			}
			if r != res || why != otherWhy {
				t.Fatalf("seed %d: the library says %s (%s), the process %s (%s):\n%s", seed, res, why, r, otherWhy, Script(asserts))
			}
			for _, a := range asserts {
				if res == Sat && !(model.IsTrue(a) && other.IsTrue(a)) {
					t.Fatalf("seed %d: %s is %s in the model of the library, and %s in that of the process:\n%s",
						seed, a, model.Value(a), other.Value(a), Script(asserts))
				}
			}
		}
		one.End()
		two.End()
		lib.Forget()
		proc.Forget()
	}
	t.Logf("seeds %d to %d: %v; %d are Unknown to one only", *formulaSeed, *formulaSeed+int64(*formulas)-1, counts, apart)
	if counts[Sat] < *formulas/20 || counts[Unsat] < *formulas/20 || apart > *formulas/100 {
		t.Errorf("%v, and %d that only one answers", counts, apart)
	}
}

// TestLimit: a limit means the same to both: near the one that a question takes, and not
// far below it, both give up.
func TestLimit(t *testing.T) {
	lib, proc := both(t)
	b := NewBuilder()
	// The pigeons fit in no hole but their own: there is one too few.
	const holes = 6
	var question []*Term
	at := make([]*Term, holes+1)
	for i := range at {
		at[i] = b.Var(fmt.Sprint("pigeon ", i), Int)
		question = append(question, b.Le(b.IntConst(1), at[i]), b.Le(at[i], b.IntConst(holes)))
		for _, other := range at[:i] {
			question = append(question, b.Not(b.Eq(at[i], other)))
		}
	}
	needed := func(s *Solver) uint {
		return uint(sort.Search(1<<22, func(n int) bool {
			s.Limit = uint(n + 1)
			r, _, why := s.Check(t.Context(), question)
			if r == Unknown && why != "canceled" && why != "max. resource limit exceeded" {
				t.Fatal(why)
			}
			return r == Unsat
		}))
	}
	one, two := needed(lib), needed(proc)
	t.Logf("the library needs %d units, the program %d", one, two)
	if one < 1000 || two < one*9/10 || two > one*11/10 {
		t.Errorf("the library needs %d units, the program %d", one, two)
	}
}
