package viper

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/acyclic"
)

const (
	// firstWindow is the distance, in begins and commits, from which on the search
	// first takes the order of its guess for granted.
	firstWindow = 256
	// guessConflicts bounds the search under such an assumption, and relaxedConflicts
	// the one without it while there are wider windows to try.
	guessConflicts   = 500
	relaxedConflicts = 2000
	// openAtOnce bounds how many writers between a read and its source are opened
	// at a time, at each end.
	openAtOnce = 8
	// openPerRound bounds how many pairs are opened at a time.
	openPerRound = 20_000
)

// search looks for an order of the begins and commits of one level.
type search struct {
	*polygraph
	o Options
	// window is the distance from which on the guess is taken for granted. From the
	// number of nodes on nothing is.
	window int32
	rank   []int32
	core   []int32 // of the outcome
}

// outcome is what the search found.
type outcome struct {
	verdict checker.Verdict
	why     string
	order   []history.Txn
	begins  []int32
	// core are pairs whose orders alone leave no way, if the verdict is Violated.
	core []int32
}

// run guesses an order, opens the pairs whose constraints it breaks, looks for choices
// that leave no cycle, guesses anew, until an order breaks nothing or there are no
// such choices.
func (s *search) run(ctx context.Context) (*outcome, error) {
	a, err := s.solve(ctx, nil, s.o.Conflicts)
	if err != nil || a.Verdict != acyclic.Acyclic {
		return s.ended(a), err
	}
	guess, err := s.arrange(ctx, nil, s.rank)
	if err != nil {
		return nil, err
	}
	if out := s.complete(guess, nil); out != nil {
		return out, nil
	}
	for {
		if need := s.bytes(); need > s.o.Memory {
			return &outcome{why: fmt.Sprintf("The constraints would take %d MB, more than they may.", need>>20)}, nil
		}
		s.prefer(guess)
		if a, err = s.next(ctx, guess); err != nil || a.Verdict != acyclic.Acyclic {
			return s.ended(a), err
		}
		if guess, err = s.arrange(ctx, a.Values, s.rank); err != nil {
			return nil, err
		}
		if out := s.complete(guess, a.Values); out != nil {
			return out, nil
		}
	}
}

// next looks for choices that leave no cycle: first with the far orders of the guess
// taken for granted, then without.
func (s *search) next(ctx context.Context, guess *schedule) (acyclic.Answer, error) {
	for s.window < s.nodes {
		a, err := s.solve(ctx, guess, s.o.atMost(guessConflicts))
		if err != nil || a.Verdict == acyclic.Acyclic {
			return a, err
		}
		s.window *= 2
		a, err = s.solve(ctx, nil, s.o.atMost(relaxedConflicts))
		if err != nil || a.Verdict != acyclic.Unknown {
			return a, err
		}
	}
	return s.solve(ctx, nil, s.o.Conflicts)
}

func (s *search) ended(a acyclic.Answer) *outcome {
	if a.Verdict == acyclic.Unknown {
		return &outcome{why: a.Why}
	}
	out := &outcome{verdict: checker.Violated}
	for i, p := range s.pairs {
		if _, needed := slices.BinarySearch(a.Part, p.v); needed {
			out.core = append(out.core, int32(i))
		}
	}
	return out
}

// bytes is about what the polygraph takes, with the problem made of it.
func (s *search) bytes() int64 {
	lits := 0
	for _, c := range s.clauses {
		lits += 4 + len(c)
	}
	return 80*int64(s.nodes) + 100*int64(len(s.edges)) + 300*int64(len(s.first)) + 16*int64(lits)
}

// prefer makes what the guess says be tried first, and its order that of the next ones.
func (s *search) prefer(guess *schedule) {
	for _, p := range s.pairs {
		s.first[p.v] = guess.places[s.commit(p.a)] < guess.places[s.commit(p.b)]
	}
	for c, lits := range s.chosen {
		for i, l := range lits {
			s.first[l.Var()] = int32(i) == guess.sources[c]
		}
	}
	s.rank = ranks(s.h.NumTxns(), func(t, u history.Txn) int { return cmp.Compare(guess.places[s.commit(t)], guess.places[s.commit(u)]) })
}

// ranks numbers transactions in an order.
func ranks(n int, compare func(t, u history.Txn) int) []int32 {
	all := make([]history.Txn, n)
	for t := range all {
		all[t] = history.Txn(t)
	}
	slices.SortStableFunc(all, compare)
	rank := make([]int32, n)
	for i, t := range all {
		rank[t] = int32(i)
	}
	return rank
}

// solve looks for choices that leave no cycle. With a guess, commits are before all begins
// that are the window or more after them in it.
func (s *search) solve(ctx context.Context, guess *schedule, conflicts int) (acyclic.Answer, error) {
	nodes := s.nodes
	var commits []int32
	if guess != nil {
		commits = s.certain(guess)
		nodes += int32(len(commits))
	}
	p := acyclic.NewProblem(int(nodes))
	for _, first := range s.first {
		p.Var(first)
	}
	for i := range s.edges {
		if e := &s.edges[i]; e.when == always {
			p.Edge(e.from, e.to)
		} else {
			p.When(e.when, e.from, e.to)
		}
	}
	for _, c := range s.clauses {
		p.Clause(c...)
	}
	if guess != nil {
		s.assume(p, guess, commits)
	}
	return p.Solve(ctx, acyclic.Options{Memory: s.o.Memory, Conflicts: conflicts, Seed: s.o.Seed})
}

// certain gives the commits of the transactions that took effect in any case, in
// the order of the guess.
func (s *search) certain(guess *schedule) []int32 {
	var commits []int32
	for t := history.Txn(1); int(t) < s.h.NumTxns(); t++ {
		if s.present[t] && !s.optional[t] {
			commits = append(commits, s.commit(t))
		}
	}
	slices.SortFunc(commits, func(a, b int32) int { return cmp.Compare(guess.places[a], guess.places[b]) })
	return commits
}

// assume adds the heuristic edges of Viper, along one node for each commit.
func (s *search) assume(p *acyclic.Problem, guess *schedule, commits []int32) {
	for i, c := range commits {
		p.Edge(c, s.nodes+int32(i))
		if i > 0 {
			p.Edge(s.nodes+int32(i)-1, s.nodes+int32(i))
		}
	}
	far := 0 // commits that are far before
	begins := slices.Clone(commits)
	for i, c := range commits {
		begins[i] = s.begin(s.txnOf(c))
	}
	slices.SortFunc(begins, func(a, b int32) int { return cmp.Compare(guess.places[a], guess.places[b]) })
	for _, b := range begins {
		for far < len(commits) && guess.places[commits[far]] <= guess.places[b]-s.window {
			far++
		}
		if far > 0 {
			p.Edge(s.nodes+int32(far)-1, b)
		}
	}
}

// took tells whether a transaction takes effect, with values of the variables; all that
// may have do if there are none yet.
func (p *polygraph) took(t history.Txn, values []bool) bool {
	if !p.present[t] {
		return false
	}
	l, ok := p.effect[t]
	return !ok || values == nil || holds(values, l)
}

// complete gives the answer if an order breaks no constraint. Otherwise it opens those
// pairs whose constraints it breaks, which are new if the values are those of a search.
func (s *search) complete(guess *schedule, values []bool) *outcome {
	took, bound := s.effective(guess, values)
	broken := s.broken(guess, took)
	if broken == nil && bound {
		return s.accept(guess, took)
	}
	slices.SortFunc(broken, func(a, b [2]history.Txn) int { return slices.Compare(a[:], b[:]) })
	broken = slices.Compact(broken)
	n := len(s.pairs)
	for _, b := range broken {
		if len(s.pairs)-n == openPerRound {
			break
		}
		if b[0] != history.InitialTxn {
			s.open(b[0], b[1])
		}
	}
	if len(s.pairs) == n && values != nil {
		panic("viper: the search obeys a constraint that its order breaks")
	}
	return nil
}

// effective tells which transactions take effect. The first guess made choices for which
// not all demands were there yet: then they are not bound.
func (s *search) effective(guess *schedule, values []bool) (took []bool, bound bool) {
	took, bound = make([]bool, len(s.present)), true
	for t := range took {
		took[t] = s.present[t] && !(s.optional[t] && values == nil) && s.took(history.Txn(t), values)
	}
	if values == nil {
		for c, i := range guess.sources {
			from := s.choices[c][max(0, i)]
			took[from.txn] = true
			bound = bound && !s.optional[from.txn] && from.value == history.NoValue
		}
	}
	return took, bound
}

// broken gives the pairs whose constraints an order breaks; nil if there are none. The
// first one of a pair is initial, where a read with several sources comes too late.
func (s *search) broken(guess *schedule, took []bool) [][2]history.Txn {
	var out [][2]history.Txn
	at := func(t history.Txn) int32 { return guess.places[s.commit(t)] }
	byKey := make([][]history.Txn, s.h.NumKeys())
	for k := range byKey {
		for _, t := range s.writersOf(history.Key(k)) {
			if took[t] {
				byKey[k] = append(byKey[k], t)
			}
		}
		ws := byKey[k]
		slices.SortFunc(ws, func(a, b history.Txn) int { return cmp.Compare(at(a), at(b)) })
		for i, w := range ws {
			for j := i - 1; !s.d.serial && j >= 0 && at(ws[j]) > guess.places[s.begin(w)]; j-- {
				out = append(out, [2]history.Txn{ws[j], w})
			}
		}
	}
	for i := range s.reads {
		r := &s.reads[i]
		from := r.from.txn
		if r.choice >= 0 {
			from = s.choices[r.choice][max(0, guess.sources[r.choice])].txn
		}
		out = s.between(out, byKey[r.key], guess, r, from)
	}
	return out
}

// between adds the pairs of the source of a read and those who overwrite it before the
// read.
func (s *search) between(out [][2]history.Txn, ws []history.Txn, guess *schedule, r *read, from history.Txn) [][2]history.Txn {
	find := func(place int32) int {
		i, _ := slices.BinarySearchFunc(ws, place, func(w history.Txn, p int32) int { return cmp.Compare(guess.places[s.commit(w)], p) })
		return i
	}
	low, high := 0, find(guess.places[s.begin(r.txn)])
	if from != history.InitialTxn {
		if low = find(guess.places[s.commit(from)]) + 1; low > high {
			return append(out, [2]history.Txn{history.InitialTxn, r.txn}) // it is not there yet
		}
	}
	for i := low; i < high; i++ {
		if i < low+openAtOnce || i >= high-openAtOnce {
			out = append(out, [2]history.Txn{from, ws[i]})
		}
	}
	return out
}

// accept gives the witness: the transactions in the order of their commits, and how many
// of them each has before it begins.
func (s *search) accept(guess *schedule, took []bool) *outcome {
	out := &outcome{verdict: checker.Satisfied}
	for t := history.Txn(1); int(t) < s.h.NumTxns(); t++ {
		if took[t] {
			out.order = append(out.order, t)
		}
	}
	at := func(t history.Txn) int32 { return guess.places[s.commit(t)] }
	slices.SortFunc(out.order, func(a, b history.Txn) int { return cmp.Compare(at(a), at(b)) })
	out.begins = make([]int32, len(out.order))
	for i, t := range out.order {
		n, _ := slices.BinarySearchFunc(out.order, guess.places[s.begin(t)], func(u history.Txn, p int32) int { return cmp.Compare(at(u), p) })
		out.begins[i] = int32(n)
	}
	return out
}
