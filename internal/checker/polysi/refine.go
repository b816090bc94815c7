package polysi

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/acyclic"
)

// pair is two chains of a key of which it is not known which one is first.
type pair struct{ x, y chain }

// late is an open read that comes from one of its writers, and a chain that is written after that.
type late struct{ open, from, head int32 }

// refiner looks for an execution with a scheduler. Where that goes wrong, what is in its way becomes part of
// a problem: the order of two chains, or from where an open read comes. What the search finds is scheduled again,
// until nothing goes wrong, or there is no way for the part of the problem so far.
type refiner struct {
	*polygraph
	problem *acyclic.Problem
	values  []bool // that were found
	pairs   []pair
	// before are the literals that say that the chain of one head is before that of another.
	before map[[2]int32]acyclic.Lit
	// writers are for open reads the literals that say that they come from each of their writers, nil for
	// those that are not part of the problem.
	writers  [][]acyclic.Lit
	late     map[late]bool
	happened map[history.Txn]acyclic.Var // of transactions that maybe took effect
	held     map[written]acyclic.Lit
	heldBy   map[history.Key][]acyclic.Lit
}

// maxClashes is how much goes wrong before the first schedules end: what comes later is often due to what was
// before. Every roundsMore schedules it is as much again, so that there are not too many.
const (
	maxClashes = 100
	roundsMore = 4
)

// newRefiner begins with what is known. It is not ok if a key held two values initially.
func (p *polygraph) newRefiner() (r *refiner, ok bool) {
	r = &refiner{
		polygraph: p, problem: acyclic.NewProblem(len(p.txnOf)), before: map[[2]int32]acyclic.Lit{}, writers: make([][]acyclic.Lit, len(p.open)),
		late: map[late]bool{}, happened: map[history.Txn]acyclic.Var{}, held: map[written]acyclic.Lit{}, heldBy: map[history.Key][]acyclic.Lit{},
	}
	for i := range p.edges {
		r.problem.Edge(p.edges[i].from, p.edges[i].to)
	}
	values := map[history.Key]history.Value{}
	for _, x := range p.initials {
		if !p.loaded(x.key) {
			continue
		}
		if old, ok := values[x.key]; ok && old != x.value {
			return nil, false
		}
		values[x.key] = x.value
		r.problem.Clause(r.initially(x))
	}
	return r, true
}

// refine decides what saturation left open.
func (p *polygraph) refine(a checker.Answer) (checker.Answer, *checker.Violation, error) {
	r, ok := p.newRefiner()
	if !ok {
		a.Verdict = checker.Violated
		return a, nil, nil
	}
	times, readers := p.times(), p.openReaders()
	plan := p.newPlan(times, readers, r.chosen)
	for {
		if p.stats.rounds++; p.stats.rounds > 1 && len(p.open) > 0 {
			plan = p.newPlan(times, readers, r.chosen)
		}
		s, err := plan.schedule(r.problem.Chosen(r.values), maxClashes*(1+p.stats.rounds/roundsMore))
		if err != nil {
			return a, nil, err
		}
		if s.right() {
			a.Verdict = checker.Satisfied
			a.Order, a.Snapshots = p.witness(s.order)
			return a, nil, nil
		}
		if !r.extend(s) {
			panic("polysi: an execution does not follow what was found for it")
		}
		found, err := r.problem.Solve(p.ctx, acyclic.Options{Workers: p.o.Workers, Memory: max(p.room(), 1), Conflicts: p.o.Conflicts, Seed: p.o.Seed})
		if err != nil {
			return a, nil, err
		}
		p.stats.pairs, p.stats.conflicts = len(r.pairs), p.stats.conflicts+found.Conflicts
		p.stats.gaveUp = p.o.Conflicts > 0 && p.stats.conflicts >= p.o.Conflicts
		if p.stats.gaveUp && found.Verdict == acyclic.Acyclic {
			a.Why = fmt.Sprintf("The search gave up after %d conflicts.", p.stats.conflicts)
			return a, nil, nil
		}
		switch found.Verdict {
		case acyclic.Acyclic:
			r.values = found.Values
			for v, is := range found.Values {
				r.problem.Prefer(acyclic.Var(v), is)
			}
		case acyclic.Cyclic:
			a.Verdict = checker.Violated
			if len(p.open) > 0 || len(p.initials) > 0 {
				return a, nil, nil
			}
			return a, p.violation(p.smallest(r.pairs, found.Part)), nil
		case acyclic.Unknown:
			a.Why = found.Why
			return a, nil, nil
		default:
			panic("polysi: " + found.Verdict.String())
		}
	}
}

// loaded tells whether it is not known what a key held initially.
func (p *polygraph) loaded(k history.Key) bool { return p.h.Value(history.Op(k)) == history.NoValue }

// chosen gives the writer that an open read comes from, or -1 if it is not part of the problem.
func (r *refiner) chosen(i int) history.Txn {
	for j, l := range r.writers[i] {
		if r.is(l) {
			return r.open[i].from[j]
		}
	}
	return -1
}

func (r *refiner) is(l acyclic.Lit) bool { return r.values[l.Var()] == (l == l.Var().True()) }

// extend makes what went wrong part of the problem. It is false if it was already.
func (r *refiner) extend(s *schedule) bool {
	vars := r.problem.NumVars()
	chosen := make([]history.Txn, len(r.open))
	for i := range chosen {
		chosen[i] = r.chosen(i)
	}
	for _, c := range s.clashes {
		x, y := r.chainOf(c.first), r.chainOf(c.second)
		if x == y {
			continue // for open reads that are late
		}
		if _, ok := r.before[[2]int32{x.head, y.head}]; !ok {
			r.addPair(x, y)
		}
		end := s.place[r.commitOf(c.second)]
		for i, t := range chosen {
			if t < 0 || r.open[i].key != r.v.key[c.first] || r.v.of(r.open[i].key, t) != c.first {
				continue
			}
			if at := s.place[r.begin[r.h.TxnOf(r.open[i].op)]]; at < 0 || at > end {
				r.addLate(int32(i), t, x, y)
			}
		}
	}
	for _, i := range s.wrong {
		if r.writers[i] == nil {
			r.addChoice(i, s)
		}
	}
	return r.problem.NumVars() > vars
}

// addPair adds that one of two chains is before the other, if both are there.
func (r *refiner) addPair(x, y chain) {
	var or []acyclic.Lit
	for _, c := range [2]chain{x, y} {
		if t := r.v.txn[c.head]; r.polygraph.reads.maybe[t] {
			or = append(or, r.happens(t).False())
		}
	}
	v := r.problem.Var(true)
	p, q := v.True(), v.False()
	if len(or) > 0 {
		q = r.problem.Var(false).True()
		r.problem.Clause(append(or, p, q)...)
	}
	r.pairs = append(r.pairs, pair{x, y})
	r.before[[2]int32{x.head, y.head}], r.before[[2]int32{y.head, x.head}] = p, q
	r.eachOrder(x, y, func(from, to int32) { r.when(p, from, to) })
	r.eachOrder(y, x, func(from, to int32) { r.when(q, from, to) })
}

// eachOrder calls f with the edges by which chain x is before y: WW, and RW from those who
// read the end of x.
func (p *polygraph) eachOrder(x, y chain, f func(from, to int32)) {
	f(p.commitOf(x.tail), p.beginOf(y.head))
	p.readers(x.tail, func(i int32) bool {
		if t := p.reader(i); t != p.v.txn[y.head] {
			f(p.begin[t], p.commitOf(y.head))
		}
		return true
	})
}

// when adds an edge if a literal holds, unless a path is known.
func (r *refiner) when(l acyclic.Lit, from, to int32) {
	if from == to || !r.reaches(from, to) {
		r.problem.When(l, from, to)
	}
}

// happens is the variable that says that a transaction took effect.
func (r *refiner) happens(t history.Txn) acyclic.Var {
	v, ok := r.happened[t]
	if !ok {
		v = r.problem.Var(false)
		r.happened[t] = v
	}
	return v
}

// addChoice adds an open read: it comes from one of its writers, first from the last one that was
// before the reader in a schedule.
func (r *refiner) addChoice(i int32, s *schedule) {
	x := r.open[i]
	reader := r.h.TxnOf(x.op)
	at := s.place[r.begin[reader]]
	likely := slices.MaxFunc(x.from, func(t, u history.Txn) int {
		a, b := s.place[r.commit[t]], s.place[r.commit[u]]
		if at >= 0 && a > at {
			a = -1
		}
		if at >= 0 && b > at {
			b = -1
		}
		return cmp.Compare(a, b)
	})
	for _, t := range x.from {
		r.writers[i] = append(r.writers[i], r.problem.Var(t == likely).True())
	}
	for j, t := range x.from {
		l := r.writers[i][j]
		switch {
		case t != history.InitialTxn:
			r.when(l, r.commit[t], r.begin[reader])
		case r.loaded(x.key):
			r.problem.Clause(l.Not(), r.initially(x))
		}
		if r.polygraph.reads.maybe[t] {
			r.problem.Clause(l.Not(), r.happens(t).True())
		}
		if u := r.v.next[r.v.of(x.key, t)]; u >= 0 && r.v.txn[u] != reader {
			r.when(l, r.begin[reader], r.commitOf(u))
		}
	}
	r.problem.Clause(slices.Clone(r.writers[i])...)
}

// addLate adds that an open read that comes from the end of chain x is before whoever writes
// chain y, if that is after x.
func (r *refiner) addLate(i int32, from history.Txn, x, y chain) {
	j, _ := slices.BinarySearch(r.open[i].from, from)
	key := late{i, int32(j), y.head}
	reader := r.h.TxnOf(r.open[i].op)
	if r.late[key] || r.v.txn[y.head] == reader {
		return
	}
	r.late[key] = true
	both := r.problem.Var(false).True()
	r.problem.Clause(r.writers[i][j].Not(), r.before[[2]int32{x.head, y.head}].Not(), both)
	r.when(both, r.begin[reader], r.commitOf(y.head))
}

// initially is the literal that says that a key of which that is not known held
// initially what a read returned. It held one value.
func (r *refiner) initially(x openRead) acyclic.Lit {
	l, ok := r.held[written{x.key, x.value}]
	if !ok {
		l = r.problem.Var(false).True()
		for _, m := range r.heldBy[x.key] {
			r.problem.Clause(l.Not(), m.Not())
		}
		r.held[written{x.key, x.value}] = l
		r.heldBy[x.key] = append(r.heldBy[x.key], l)
	}
	return l
}

// witness gives the commit order of an execution, and how many commits each transaction sees.
func (p *polygraph) witness(nodes []int32) (order []history.Txn, snapshots []int32) {
	began := make([]int32, p.h.NumTxns())
	for _, n := range nodes {
		t := p.txnOf[n]
		if t == history.InitialTxn {
			continue
		}
		if n == p.begin[t] {
			began[t] = int32(len(order))
		}
		if n == p.commit[t] {
			order = append(order, t)
			snapshots = append(snapshots, began[t])
		}
	}
	return order, snapshots
}
