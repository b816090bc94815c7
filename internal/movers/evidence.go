package movers

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/internal/proof"
	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/internal/symbolic"
	"github.com/txrobust/robust/internal/walk"
)

// Evidence is what a verdict rests on: the vertices of the graph, what was asked
// about walks through it, and for a proof why each refuted piece is impossible.
type Evidence struct {
	Vertices []Vertex
	// Steady are the vertices that need no question, since they read only what
	// they write, or what nobody writes.
	Steady []int
	// Asked are the pieces of walks, in the order in which they were asked
	// about.
	Asked []Asked
	// Facts are the program's own invariants and then the guessed ones that
	// every template keeps.
	Facts []Fact
	// Kept says why every template keeps every fact that is needed.
	Kept []Kept
}

// Vertex is a template, or a transaction of a process.
type Vertex struct {
	proof.Vertex
	Txn *ir.Txn
}

// Asked is a question with its answer.
type Asked struct {
	proof.Question
	Result smt.Result
	// Reason says why the answer is Unknown, or Sat although the bounds were
	// reached.
	Reason string
	// Refuted is there for Unsat. Needed says that a proof rests on it.
	Refuted *Refutation
	Needed  bool
}

// Fact is a statement about all reachable rows.
type Fact struct {
	*ir.Invariant
	// Stated: by the program.
	Stated bool
	// Needed: some refutation uses it.
	Needed bool
}

// Kept says that a template, run alone, keeps a fact.
type Kept struct {
	Txn     *ir.Txn
	Fact    int
	Refuted *Refutation
}

// Refutation says why a question has the answer no.
type Refutation struct {
	// Syntactic: its terms contradict each other as they are built, without a
	// solver.
	Syntactic bool
	// WithFacts: the guessed facts were there to be used.
	WithFacts bool
	// Uses are the facts of which instances were used.
	Uses []int
	// Topics are those of what the contradiction needs (symbolic.World.Topic
	// and those of this package), if Options.Explain or Options.Scripts is
	// set; Dropped are those that it does not need.
	Topics, Dropped []string
	// Script is the question in SMT-LIB, and Steps are the instances of
	// universals that it has (prepare.RoundsText), if Options.Scripts is set.
	Script, Steps string
}

// Topics of the terms of a question, besides those of package symbolic.
const (
	// TopicExclusion: the delayed transaction and an element do not exclude
	// each other.
	TopicExclusion = "exclusion"
	// TopicAgree: an element does the same in all places.
	TopicAgree = "agree"
	// TopicCommit: the delayed transaction can commit.
	TopicCommit = "commit"
)

// refutation makes the record of an answer Unsat, with as few groups of
// assertions as is found out quickly.
func (p *prover) refutation(ctx context.Context, ans *symbolic.Answer, stated int) *Refutation {
	return refutation(ctx, p.lane.solver(), p.opt, ans, stated, p.facts != nil)
}

func refutation(ctx context.Context, solver *smt.Solver, opt Options, ans *symbolic.Answer, stated int, withFacts bool) *Refutation {
	r := &Refutation{WithFacts: withFacts}
	var topics []string
	for _, t := range ans.Topics {
		if t != "" && !slices.Contains(topics, t) {
			topics = append(topics, t)
		}
	}
	slices.SortStableFunc(topics, func(a, b string) int { return weight(b) - weight(a) })
	for _, t := range topics {
		k, fact := invariant(t)
		if !opt.Explain && !opt.Scripts && !(fact && k >= stated) {
			r.Topics = append(r.Topics, t)
			continue
		}
		rest := without(ans, append(slices.Clone(r.Dropped), t))
		if res, _, _ := solver.Check(ctx, rest); res == smt.Unsat {
			r.Dropped = append(r.Dropped, t)
		} else {
			r.Topics = append(r.Topics, t)
		}
	}
	slices.Sort(r.Topics)
	slices.Sort(r.Dropped)
	r.Uses = uses(r.Topics)
	if opt.Scripts {
		r.Script, r.Steps = smt.Script(without(ans, r.Dropped)), prepare.RoundsText(ans.Rounds)
	}
	return r
}

// weight orders topics: those of which a proof should have few come first when
// some are dropped.
func weight(topic string) int {
	if _, fact := invariant(topic); fact {
		return 2
	}
	if strings.HasPrefix(topic, symbolic.TopicTable) {
		return 1
	}
	return 0
}

// invariant gives the number of the invariant that a topic is about.
func invariant(topic string) (int, bool) {
	rest, ok := strings.CutPrefix(topic, symbolic.TopicInvariant)
	if !ok {
		return 0, false
	}
	k, err := strconv.Atoi(rest)
	return k, err == nil
}

// uses gives the numbers of the facts among topics, in order.
func uses(topics []string) []int {
	var out []int
	for _, t := range topics {
		if k, ok := invariant(t); ok {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

// without gives the assertions that are not about the topics.
func without(ans *symbolic.Answer, dropped []string) []*smt.Term {
	var out []*smt.Term
	for i, t := range ans.Asserts {
		if !slices.Contains(dropped, ans.Topics[i]) {
			out = append(out, t)
		}
	}
	return out
}

// evidence collects what was asked.
func (a *attempt) evidence() *Evidence {
	e := &Evidence{Vertices: vertices(a.nodes)}
	for _, p := range a.provers {
		if p == nil {
			continue
		}
		e.Steady = append(e.Steady, p.steady...)
		for _, q := range p.order {
			x := p.memo[q.key()]
			e.Asked = append(e.Asked, Asked{q.question(), x.res, x.reason, x.refuted, false})
		}
	}
	return e
}

func vertices(list []*node) []Vertex {
	var out []Vertex
	for _, n := range list {
		v := Vertex{proof.Vertex{Name: n.txn.Name, Index: n.index, Once: n.single(), Reads: n.reads, Writes: n.writes}, n.txn}
		if n.process != nil {
			v.Process = n.process.Name
		}
		out = append(out, v)
	}
	return out
}

func proofKind(k walk.Kind) proof.Kind {
	if k == walk.Issued {
		return proof.Issued
	}
	return proof.Atomic
}

func (q piece) question() proof.Question {
	out := proof.Question{Delayed: q.t0, Elements: []proof.Element{}, First: q.first, Last: q.last}
	for _, e := range q.elems {
		out.Elements = append(out.Elements, proof.Element{Vertex: e.node, Kind: proofKind(e.kind)})
	}
	return out
}

// Graph gives the vertices as those of a proof.
func (e *Evidence) Graph() []proof.Vertex {
	var out []proof.Vertex
	for _, v := range e.Vertices {
		out = append(out, v.Vertex)
	}
	return out
}

// Writes reports whether the text of a vertex has a statement that may write.
func (e *Evidence) Writes(v int) bool { return writes(e.Vertices[v].Txn) }

// conclude makes sure, apart from the search, that the refuted pieces leave no
// walk, and marks those that are needed. It returns a vertex that has one, or -1.
func (e *Evidence) conclude() int {
	graph := proof.NewGraph(e.Graph())
	mine := map[int][]int{} // by delayed vertex
	for i, a := range e.Asked {
		if a.Result == smt.Unsat {
			mine[a.Delayed] = append(mine[a.Delayed], i)
		}
	}
	for v := range e.Vertices {
		if slices.Contains(e.Steady, v) {
			continue
		}
		// Those that cost nothing to believe come first.
		slices.SortStableFunc(mine[v], func(i, j int) int { return e.Asked[i].Refuted.price() - e.Asked[j].Refuted.price() })
		var refuted []proof.Question
		for _, i := range mine[v] {
			refuted = append(refuted, e.Asked[i].Question)
		}
		if graph.Walk(v, refuted) != nil {
			return v
		}
		needed := map[string]bool{}
		for _, q := range graph.Prune(v, refuted) {
			needed[q.String()] = true
		}
		for _, i := range mine[v] {
			e.Asked[i].Needed = needed[e.Asked[i].String()]
		}
	}
	return -1
}

// price orders refutations: by syntax, by the solver, by the solver with facts.
func (r *Refutation) price() int {
	switch {
	case r.Syntactic:
		return 0
	case len(r.Uses) == 0:
		return 1
	}
	return 2
}

// need marks the facts that the refutations of a proof use, and those that keeping these
// needs, and keeps the reasons for them only.
func (e *Evidence) need(stated, guessed []*ir.Invariant, kept []Kept) {
	for i, inv := range slices.Concat(stated, guessed) {
		e.Facts = append(e.Facts, Fact{Invariant: inv, Stated: i < len(stated)})
	}
	var todo []int
	for _, a := range e.Asked {
		if a.Needed {
			todo = append(todo, a.Refuted.Uses...)
		}
	}
	for len(todo) > 0 {
		f := todo[0]
		todo = todo[1:]
		if e.Facts[f].Needed {
			continue
		}
		e.Facts[f].Needed = true
		for _, k := range kept {
			if k.Fact == f {
				e.Kept = append(e.Kept, k)
				todo = append(todo, k.Refuted.Uses...)
			}
		}
	}
	slices.SortStableFunc(e.Kept, func(a, b Kept) int { return a.Fact - b.Fact })
}
