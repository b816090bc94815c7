package acyclic

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/txrobust/robust/internal/checker/historytest"
)

var random = historytest.RandomFlags("acyclic")

// randomProblem makes a small problem: choices between two sets of edges, choices
// among several, and clauses.
func randomProblem(r *rand.Rand) *Problem {
	p := NewProblem(2 + r.IntN(8))
	node := func() int32 { return int32(r.IntN(p.nodes)) }
	for range r.IntN(6) {
		if a, b := node(), node(); a < b || r.IntN(10) == 0 {
			p.Edge(a, b)
		}
	}
	for range 1 + r.IntN(6) {
		v := p.Var(r.IntN(2) == 0)
		for range 1 + r.IntN(2) {
			p.When(v.True(), node(), node())
			p.When(v.False(), node(), node())
		}
	}
	for range r.IntN(3) {
		var c []Lit
		for range 1 + r.IntN(3) {
			v := p.Var(false)
			p.When(v.True(), node(), node())
			c = append(c, v.True())
		}
		p.Clause(c...)
	}
	for range r.IntN(4) {
		var c []Lit
		for range 1 + r.IntN(3) {
			c = append(c, Lit(r.IntN(2*p.NumVars())))
		}
		p.Clause(c...)
	}
	return p
}

// holds tells whether values fit: every clause has a true literal, and the edges
// that are there make no cycle.
func holds(p *Problem, values []bool) bool {
	is := func(l Lit) bool { return values[l.Var()] == (l&1 == 0) }
	for _, c := range p.clauses {
		ok := false
		for _, l := range c {
			ok = ok || is(l)
		}
		if !ok {
			return false
		}
	}
	reach := make([][]bool, p.nodes)
	for i := range reach {
		reach[i] = make([]bool, p.nodes)
	}
	for _, a := range p.known {
		reach[a.from][a.to] = true
	}
	for _, e := range p.edges {
		if is(e.when) {
			reach[e.from][e.to] = true
		}
	}
	for k := range reach {
		for i := range reach {
			for j := range reach {
				reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
			}
		}
	}
	for i := range reach {
		if reach[i][i] {
			return false
		}
	}
	return true
}

// brute tries all values.
func brute(p *Problem) bool {
	values := make([]bool, p.NumVars())
	for set := range 1 << len(values) {
		for i := range values {
			values[i] = set>>i&1 != 0
		}
		if holds(p, values) {
			return true
		}
	}
	return false
}

// TestRandom compares with trying all values, and makes sure of the values and of
// the part that are given.
func TestRandom(t *testing.T) {
	runs, seed := random.Runs(3000, 3000), random.Seed(t)
	counts := map[Verdict]int{}
	for i := range runs {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		p := randomProblem(r)
		a, err := p.Solve(context.Background(), Options{Workers: 1 + r.IntN(2), Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		where := fmt.Sprintf("-acyclic.seed %d, problem %d", seed, i)
		counts[a.Verdict]++
		switch want := brute(p); {
		case a.Verdict == Unknown:
			t.Fatalf("%s: unknown, %s", where, a.Why)
		case a.Verdict == Acyclic && !holds(p, a.Values):
			t.Fatalf("%s: the values %v do not fit", where, a.Values)
		case (a.Verdict == Acyclic) != want:
			t.Fatalf("%s: %s, but there is a way: %t", where, a.Verdict, want)
		case a.Verdict == Cyclic && brute(p.only(a.Part)):
			t.Fatalf("%s: part %v has a way", where, a.Part)
		}
	}
	t.Logf("%v", counts)
	if counts[Acyclic] < runs/10 || counts[Cyclic] < runs/10 {
		t.Errorf("too few of one kind: %v", counts)
	}
}

// only leaves out the edges and clauses of other variables.
func (p *Problem) only(vars []Var) *Problem {
	in := make([]bool, p.NumVars())
	for _, v := range vars {
		in[v] = true
	}
	q := NewProblem(p.nodes)
	q.first, q.known = p.first, p.known
	for _, e := range p.edges {
		if in[e.when.Var()] {
			q.edges = append(q.edges, e)
		}
	}
	for _, c := range p.clauses {
		if len(c) == 0 || in[c[0].Var()] {
			q.clauses = append(q.clauses, c)
		}
	}
	return q
}

// dense is a problem that needs a search: nodes in a hidden order, or in none, and
// choices of which each is one of two edges.
func dense(r *rand.Rand, nodes, choices int, hidden bool) *Problem {
	p := NewProblem(nodes)
	for range choices {
		var from, to [2]int32
		for i := range 2 {
			for from[i] == to[i] {
				from[i], to[i] = int32(r.IntN(nodes)), int32(r.IntN(nodes))
			}
		}
		if i := r.IntN(2); hidden && from[i] > to[i] {
			from[i], to[i] = to[i], from[i]
		}
		v := p.Var(r.IntN(2) == 0)
		p.When(v.True(), from[0], to[0])
		p.When(v.False(), from[1], to[1])
	}
	return p
}

// TestDense has problems for which restarts and forgetting matter. The hidden
// order is a way; other answers are checked, or found again from another seed.
func TestDense(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 1))
		hidden := seed%2 == 0
		p := dense(r, 30, 100+5*int(seed), hidden)
		first := Unknown
		for again := range uint64(2) {
			a, err := p.Solve(context.Background(), Options{Seed: again})
			if err != nil {
				t.Fatal(err)
			}
			if a.Verdict == Acyclic && !holds(p, a.Values) {
				t.Errorf("seed %d: the values do not fit", seed)
			}
			if hidden && a.Verdict != Acyclic || a.Verdict == Unknown {
				t.Errorf("seed %d: %s", seed, a.Verdict)
			}
			if again == 0 {
				first = a.Verdict
				t.Logf("seed %d: %s after %d conflicts", seed, a.Verdict, a.Conflicts)
			} else if first != a.Verdict {
				t.Errorf("seed %d: %s, and %s in another way", seed, first, a.Verdict)
			}
		}
	}
}

// TestBounds: what has to end is Unknown, or the error of the context.
func TestBounds(t *testing.T) {
	p := dense(rand.New(rand.NewPCG(1, 1)), 40, 400, false)
	if a, err := p.Solve(context.Background(), Options{Memory: 1000}); err != nil || a.Verdict != Unknown || a.Why == "" {
		t.Errorf("without memory: %v %v", a, err)
	}
	if a, err := p.Solve(context.Background(), Options{Conflicts: 1}); err != nil || a.Verdict != Unknown || a.Why == "" {
		t.Errorf("without conflicts: %v %v", a, err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := p.Solve(ctx, Options{}); err == nil {
		t.Error("without time there is no error")
	}
}

// TestDeterministic: the same problem and seed give the same answer, whatever the
// number of workers.
func TestDeterministic(t *testing.T) {
	p := NewProblem(0)
	for seed := range uint64(6) {
		q := dense(rand.New(rand.NewPCG(seed, 2)), 20, 50, true)
		for _, e := range q.edges {
			l := Var(int(e.when.Var())+len(p.first)).True() | e.when&1
			p.edges = append(p.edges, conditional{arc{e.from + int32(p.nodes), e.to + int32(p.nodes)}, l})
		}
		p.first = append(p.first, q.first...)
		p.nodes += q.nodes
	}
	var want string
	for workers := 1; workers < 4; workers++ {
		a, err := p.Solve(context.Background(), Options{Workers: workers, Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(a); want == "" {
			want = got
		} else if got != want {
			t.Errorf("%d workers: %s, want %s", workers, got, want)
		}
	}
}
