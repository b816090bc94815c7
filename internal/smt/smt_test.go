package smt

import (
	"context"
	"math/big"
	"math/rand"
	"strings"
	"testing"
	"time"
)

// sample is a random term together with its value under a fixed assignment,
// computed without the Builder's simplifications.
type sample struct {
	t *Term
	v *big.Rat
}

type generator struct {
	r    *rand.Rand
	b    *Builder
	vals map[string]int64
}

func one(v bool) *big.Rat {
	if v {
		return big.NewRat(1, 1)
	}
	return new(big.Rat)
}

func (g *generator) int(depth int) sample {
	if depth == 0 || g.r.Intn(5) == 0 {
		if g.r.Intn(2) == 0 {
			n := int64(g.r.Intn(5) - 2)
			return sample{g.b.IntConst(n), big.NewRat(n, 1)}
		}
		name := string(rune('a' + g.r.Intn(3)))
		return sample{g.b.Var(name, Int), big.NewRat(g.vals[name], 1)}
	}
	x, y := g.int(depth-1), g.int(depth-1)
	switch g.r.Intn(6) {
	case 0:
		return sample{g.b.Add(x.t, y.t), new(big.Rat).Add(x.v, y.v)}
	case 1:
		return sample{g.b.Sub(x.t, y.t), new(big.Rat).Sub(x.v, y.v)}
	case 2:
		return sample{g.b.Mul(x.t, y.t), new(big.Rat).Mul(x.v, y.v)}
	case 3, 4:
		k := int64(g.r.Intn(3) + 1)
		q, m := new(big.Int).DivMod(x.v.Num(), big.NewInt(k), new(big.Int))
		if g.r.Intn(2) == 0 {
			return sample{g.b.Div(x.t, g.b.IntConst(k)), new(big.Rat).SetInt(q)}
		}
		return sample{g.b.Mod(x.t, g.b.IntConst(k)), new(big.Rat).SetInt(m)}
	}
	c := g.bool(depth - 1)
	if c.v.Sign() != 0 {
		return sample{g.b.Ite(c.t, x.t, y.t), x.v}
	}
	return sample{g.b.Ite(c.t, x.t, y.t), y.v}
}

func (g *generator) bool(depth int) sample {
	if depth == 0 {
		name := string(rune('p' + g.r.Intn(3)))
		return sample{g.b.Var(name, Bool), big.NewRat(g.vals[name], 1)}
	}
	switch g.r.Intn(8) {
	case 0:
		x := g.bool(depth - 1)
		return sample{g.b.Not(x.t), one(x.v.Sign() == 0)}
	case 1, 2:
		x, y, z := g.bool(depth-1), g.bool(depth-1), g.bool(depth-1)
		n := x.v.Sign() + y.v.Sign() + z.v.Sign()
		if g.r.Intn(2) == 0 {
			return sample{g.b.And(x.t, y.t, z.t), one(n == 3)}
		}
		return sample{g.b.Or(x.t, y.t, z.t), one(n > 0)}
	case 3:
		c, x, y := g.bool(depth-1), g.bool(depth-1), g.bool(depth-1)
		v := y.v
		if c.v.Sign() != 0 {
			v = x.v
		}
		return sample{g.b.Ite(c.t, x.t, y.t), v}
	case 4:
		x, y := g.bool(depth-1), g.bool(depth-1)
		return sample{g.b.Eq(x.t, y.t), one(x.v.Cmp(y.v) == 0)}
	}
	x, y := g.int(depth-1), g.int(depth-1)
	switch g.r.Intn(3) {
	case 0:
		return sample{g.b.Eq(x.t, y.t), one(x.v.Cmp(y.v) == 0)}
	case 1:
		return sample{g.b.Le(x.t, y.t), one(x.v.Cmp(y.v) <= 0)}
	}
	return sample{g.b.Lt(x.t, y.t), one(x.v.Cmp(y.v) < 0)}
}

// value computes a term under the assignment.
func (g *generator) value(t *Term) *big.Rat {
	a := make([]*big.Rat, len(t.args))
	for i, x := range t.args {
		a[i] = g.value(x)
	}
	switch t.op {
	case opConst:
		return t.num
	case opVar:
		return big.NewRat(g.vals[t.name], 1)
	case opNot:
		return one(a[0].Sign() == 0)
	case opAnd, opOr:
		n := 0
		for _, x := range a {
			n += x.Sign()
		}
		return one(n == len(a) || t.op == opOr && n > 0)
	case opIte:
		if a[0].Sign() != 0 {
			return a[1]
		}
		return a[2]
	case opEq:
		return one(a[0].Cmp(a[1]) == 0)
	case opLe:
		return one(a[0].Cmp(a[1]) <= 0)
	case opAdd:
		sum := new(big.Rat)
		for _, x := range a {
			sum.Add(sum, x)
		}
		return sum
	case opMul:
		return new(big.Rat).Mul(a[0], a[1])
	case opDiv, opMod:
		q, m := new(big.Int).DivMod(a[0].Num(), a[1].Num(), new(big.Int))
		if t.op == opMod {
			q = m
		}
		return new(big.Rat).SetInt(q)
	}
	panic("unknown operator")
}

// TestSimplification checks that terms keep their value when they are
// simplified.
func TestSimplification(t *testing.T) {
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	g := &generator{r: rand.New(rand.NewSource(seed))}
	s := NewSolver()
	for i := 0; i < 20000; i++ {
		g.b = NewBuilder()
		g.vals = map[string]int64{}
		for _, n := range []string{"a", "b", "c"} {
			g.vals[n] = int64(g.r.Intn(7) - 3)
		}
		for _, n := range []string{"p", "q", "r"} {
			g.vals[n] = int64(g.r.Intn(2))
		}
		x := g.bool(5)
		if got := g.value(x.t); got.Cmp(x.v) != 0 {
			t.Fatalf("%s is %s under %v, want %s", x.t, got, g.vals, x.v)
		}
		if i%100 != 0 {
			continue
		}
		// Z3 agrees: with the assignment fixed, the term has this value only.
		var fixed []*Term
		for n, v := range g.vals {
			if n < "p" {
				fixed = append(fixed, g.b.Eq(g.b.Var(n, Int), g.b.IntConst(v)))
			} else {
				fixed = append(fixed, g.b.Eq(g.b.Var(n, Bool), g.b.BoolConst(v == 1)))
			}
		}
		is := g.b.Eq(x.t, g.b.BoolConst(x.v.Sign() != 0))
		for want, term := range map[Result]*Term{Sat: is, Unsat: g.b.Not(is)} {
			if r, _, why := s.Check(context.Background(), append(fixed, term)); r != want {
				t.Fatalf("%s under %v: %s %s, want %s", term, g.vals, r, why, want)
			}
		}
		s.Forget()
	}
}

func TestSharing(t *testing.T) {
	b := NewBuilder()
	x, y, z := b.Var("x", Int), b.Var("y", Int), b.Var("z", Int)
	p, q := b.Var("p", Bool), b.Var("q", Bool)
	for _, tc := range []struct {
		name string
		a, b *Term
	}{
		{"sums are sorted", b.Add(b.Add(x, y), z), b.Add(z, b.Add(y, x))},
		{"sums cancel", b.Sub(b.Add(x, y), y), x},
		{"products of constants", b.Mul(b.IntConst(2), b.Mul(x, b.IntConst(3))), b.Mul(x, b.IntConst(6))},
		{"equal sums", b.Eq(b.Add(x, b.IntConst(1)), b.Add(x, b.IntConst(1))), b.True()},
		{"different sums", b.Eq(b.Add(x, b.IntConst(1)), x), b.False()},
		{"moved constants", b.Eq(b.Add(x, b.IntConst(1)), b.IntConst(3)), b.Eq(x, b.IntConst(2))},
		{"no integer solution", b.Eq(b.Mul(b.IntConst(2), x), b.IntConst(3)), b.False()},
		{"contradiction", b.And(p, q, b.Not(p)), b.False()},
		{"double negation", b.Not(b.Not(p)), p},
		{"ite of truth values", b.Ite(p, b.True(), b.False()), p},
		{"same branches", b.Ite(p, x, x), x},
		{"test of a constant ite", b.Eq(b.Ite(p, b.IntConst(1), b.IntConst(2)), b.IntConst(1)), p},
		{"order of a difference", b.Le(x, b.Add(x, b.IntConst(1))), b.True()},
	} {
		if tc.a != tc.b {
			t.Errorf("%s: %s is not %s", tc.name, tc.a, tc.b)
		}
	}
}

func TestModel(t *testing.T) {
	b := NewBuilder()
	x, r := b.Var("x", Int), b.Var("r", Real)
	f := b.Func("f", Int, Int)
	asserts := []*Term{b.Lt(b.IntConst(3), x), b.Lt(x, b.IntConst(5)), b.Eq(b.App(f, x), b.IntConst(-7)),
		b.Eq(b.Add(r, r), b.ToReal(b.IntConst(3)))}
	s := NewSolver()
	res, m, _ := s.Check(context.Background(), asserts)
	if res != Sat {
		t.Fatal(res)
	}
	if v := m.Value(x); v.Cmp(big.NewRat(4, 1)) != 0 {
		t.Errorf("x = %s", v)
	}
	if v := m.Value(b.App(f, b.IntConst(4))); v.Cmp(big.NewRat(-7, 1)) != 0 {
		t.Errorf("f(4) = %s", v)
	}
	if v := m.Value(r); v.Cmp(big.NewRat(3, 2)) != 0 {
		t.Errorf("r = %s", v)
	}
	if s.Stats.Queries != 1 || s.Stats.Sat != 1 {
		t.Errorf("stats %+v", s.Stats)
	}
}

// hard is a question that Z3 cannot answer quickly: non-linear integers.
func hard(b *Builder) []*Term {
	x, y, z := b.Var("x", Int), b.Var("y", Int), b.Var("z", Int)
	cube := func(t *Term) *Term { return b.Mul(t, b.Mul(t, t)) }
	return []*Term{b.Eq(b.Add(cube(x), b.Add(cube(y), cube(z))), b.IntConst(114))}
}

func TestUnknown(t *testing.T) {
	b := NewBuilder()
	s := NewSolver()
	s.Limit = 10000
	if r, _, why := s.Check(context.Background(), hard(b)); r != Unknown || why == "" {
		t.Errorf("with a limit: %s (%s)", r, why)
	}
	s.Limit, s.Timeout = 0, 50*time.Millisecond
	if r, _, why := s.Check(context.Background(), hard(b)); r != Unknown || why == "" {
		t.Errorf("with a time-out: %s (%s)", r, why)
	}
	s.Timeout = 0
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if r, _, why := s.Check(ctx, hard(b)); r != Unknown || why == "" {
		t.Errorf("interrupted: %s (%s)", r, why)
	}
	if r, _, _ := s.Check(context.Background(), []*Term{b.Var("p", Bool)}); r != Sat {
		t.Errorf("after an interrupt: %s", r)
	}
}

func TestScript(t *testing.T) {
	b := NewBuilder()
	x := b.Var("x", Int)
	f := b.Func("f|g", Real, Int)
	sum := b.Add(x, b.IntConst(-1))
	got := Script([]*Term{b.Le(sum, b.Mul(sum, sum)), b.Eq(b.App(f, x), b.RealConst(big.NewRat(-1, 3)))})
	want := `(set-logic ALL)
(declare-fun |f^7c^g| (Int) Real)
(declare-fun |x| () Int)
(define-fun t^0 () Int (+ |x| (- 1)))
(assert (<= t^0 (* t^0 t^0)))
(assert (= (|f^7c^g| |x|) (- (/ 1.0 3.0))))
(check-sat)
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if strings.Contains(got, "f|g") {
		t.Error("the name is not quoted")
	}
}

func BenchmarkCheck(b *testing.B) {
	bl := NewBuilder()
	s := NewSolver()
	x, y := bl.Var("x", Int), bl.Var("y", Int)
	f := bl.Func("f", Int, Int)
	for i := 0; i < b.N; i++ {
		k := bl.IntConst(int64(i % 50))
		s.Check(context.Background(), []*Term{bl.Lt(x, y), bl.Eq(bl.App(f, x), k), bl.Not(bl.Eq(bl.App(f, y), k)), bl.Le(y, x)})
	}
}
