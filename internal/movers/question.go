package movers

import (
	"context"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/internal/symbolic"
	"github.com/txrobust/robust/internal/walk"
)

// piece is a part of a walk of the delayed node t0: consecutive elements, and
// whether the walk begins and ends with them.
type piece struct {
	t0          int
	elems       []elem
	first, last bool
}

func (q piece) key() string {
	var b strings.Builder
	b.WriteString(strconv.Itoa(q.t0))
	for _, e := range q.elems {
		b.WriteByte(' ')
		b.WriteString(strconv.Itoa(e.node))
		if e.kind == walk.Issued {
			b.WriteByte('i')
		}
	}
	if q.first {
		b.WriteString(" <")
	}
	if q.last {
		b.WriteString(" >")
	}
	return b.String()
}

// answer is the solver's answer to a piece.
type answer struct {
	res     smt.Result
	reason  string
	terms   int         // that it took, 0 if a solver was not needed
	large   bool        // it has no answer, since it is symbolic.TooLarge
	cut     bool        // the bounds of a quick attempt were reached
	refuted *Refutation // for Unsat
	example []string    // for Sat, as in Walk
}

// ask answers whether the piece can be part of a walk, from memory if it was
// asked before.
func (p *prover) ask(ctx context.Context, q piece) answer {
	key := q.key()
	a, ok := p.memo[key]
	if !ok || a.cut && !p.quick {
		before := p.queries()
		if p.plain != nil {
			a = p.plain.ask(ctx, q)
		}
		if p.plain == nil || a.res != smt.Unsat {
			a = p.solve(ctx, q)
		}
		if p.queries() > before {
			p.left--
			p.effort += a.terms
		}
		p.memo[key] = a
		if !ok {
			p.order = append(p.order, q)
		}
	}
	return a
}

// queries counts the questions that a solver was needed for, with and without
// facts.
func (p *prover) queries() int {
	if p.plain != nil {
		return p.spent + p.plain.spent
	}
	return p.spent
}

// question is the World of one piece.
type question struct {
	p     *prover
	w     *symbolic.World
	s0    *symbolic.State
	r0    *symbolic.Run
	delay *symbolic.Instance
	terms []*smt.Term
	// topics are those of the terms, "" for what the question is.
	topics []string
	insts  []*symbolic.Instance
	// runs gives, per element, its runs in the places where it behaves as in
	// the history; they agree.
	runs [][]*symbolic.Run
}

func (q *question) assert(ts ...*smt.Term) { q.about("", ts...) }

// about asserts terms with a topic.
func (q *question) about(topic string, ts ...*smt.Term) {
	for _, t := range ts {
		q.terms = append(q.terms, t)
		q.topics = append(q.topics, topic)
	}
}

// dead reports whether the terms contradict each other without a solver.
func (q *question) dead() bool { return q.w.B.And(q.terms...).IsFalse() }

// The effort for questions that only guide the search for walks, and the terms
// of those that only save it: whether a transaction need be delayed at all.
const (
	partRefinements = 5
	partInstances   = 6000
	delayTerms      = 60000
)

// limit bounds the effort for a piece.
func (p *prover) limit(w *symbolic.World, pc piece) {
	if w.Thorough = pc.first && pc.last || len(pc.elems) <= 1; !w.Thorough {
		// It will be asked again as part of more. The ends of walks are
		// worth more: all walks have them.
		w.MaxRefinements, w.MaxInstances = partRefinements, partInstances
	}
	if len(pc.elems) == 0 {
		w.MaxTerms = delayTerms
	}
	w.MaxTerms = min(w.MaxTerms, p.maxTerms())
}

// maxTerms bounds the terms of a question when that is done for less than an
// answer is worth: in a quick attempt, and where each delayed node has a share. That
// is rounded, so that answers of earlier runs, with another number of nodes, are of use.
func (p *prover) maxTerms() int {
	switch {
	case p.quick:
		return quickTerms
	case p.share > 0:
		return max(2*quickTerms, 1<<bits.Len(uint(p.share)))
	}
	return math.MaxInt
}

func (p *prover) solve(ctx context.Context, pc piece) answer {
	m := p.remember(pc.t0)
	if m == nil {
		return p.decide(ctx, pc)
	}
	key := p.key(pc)
	a, ok := m.get(key, p.facts != nil)
	if !ok {
		a = p.decide(ctx, pc)
		m.put(key, a)
	} else if a.refuted == nil || !a.refuted.Syntactic {
		p.spent++
	}
	return a
}

// decide answers a question, with the solver if need be.
func (p *prover) decide(ctx context.Context, pc piece) answer {
	defer p.lane.forget()
	if p.opt.Classic && p.code.Acts {
		return answer{reason: "dependencies by actions of foreign keys are not told without the values"}
	}
	q := p.question(pc)
	if stopped := q.w.Within(ctx, p.opt.maxSteps, func() { q.build(pc) }); stopped != "" {
		p.spent++
		large := stopped == symbolic.TooLarge
		return answer{reason: stopped, terms: q.w.B.Size(), large: large, cut: p.quick && large}
	}
	if q.dead() {
		p.stats.Syntactic++
		return answer{res: smt.Unsat, refuted: &Refutation{Syntactic: true, WithFacts: p.facts != nil}}
	}
	w := q.w
	w.Record = p.opt.Scripts
	p.limit(w, pc)
	p.stats.Queries++
	p.spent++
	a := w.Ask(ctx, p.lane.solver(), q.terms...)
	copy(a.Topics, q.topics)
	out := answer{res: a.Result, reason: a.Reason, terms: w.B.Size()}
	out.cut = p.quick && a.Result == smt.Sat && out.terms >= quickTerms
	if a.Result == smt.Unsat {
		out.refuted = p.refutation(ctx, &a, len(p.code.Program.Invariants)-len(p.facts))
	}
	if a.Result == smt.Sat && p.opt.Explain && pc.first && pc.last {
		out.example = q.s0.Example(a.Model)
		for _, in := range append([]*symbolic.Instance{q.delay}, q.insts...) {
			out.example = append(out.example, in.Example(a.Model))
		}
	}
	return out
}

// question makes that of a piece, without its terms.
func (p *prover) question(pc piece) *question {
	w := symbolic.NewWorld(p.code, smt.NewBuilder(), p.opt.Engine)
	w.Eager = p.opt.eager
	if most := p.maxTerms(); most < math.MaxInt {
		w.MaxStated = 2 * most
	}
	return &question{p: p, w: w, runs: make([][]*symbolic.Run, len(pc.elems))}
}

// build makes the terms of the question of a piece. When they contradict each
// other, they are not complete.
func (q *question) build(pc piece) {
	p, w := q.p, q.w
	q.s0 = w.Base("s0")
	q.delay = w.NewInstance(p.nodes[pc.t0].txn, "t0")
	w.Unused(q.s0, q.delay)
	q.r0 = q.delay.Run(q.s0)
	q.r0.Late = true
	q.assert(q.r0.OK, q.r0.Acts())
	if p.opt.naive {
		q.assert(q.r0.Feasible())
	}
	if q.dead() {
		return
	}
	if len(pc.elems) == 0 {
		q.delayed(q.state(0))
	}
	for i, e := range pc.elems {
		q.insts = append(q.insts, w.NewInstance(p.nodes[e.node].txn, "t"+strconv.Itoa(i+1)))
	}
	if pc.first {
		q.first(pc.elems[0])
		if q.dead() {
			return
		}
	}
	for i := 0; i+1 < len(pc.elems); i++ {
		q.edge(pc.elems, i)
		if q.dead() {
			return
		}
	}
	if pc.last {
		q.last(pc.elems, len(pc.elems)-1)
		if q.dead() {
			return
		}
	}
	q.agree()
}

// state makes a state inside the window, in which the elements from i on have
// not run.
func (q *question) state(i int) *symbolic.State {
	s := q.w.Base("s" + strconv.Itoa(i+1))
	q.w.Link(q.r0, q.s0, s, q.p.gran)
	q.w.Unused(s, q.delay)
	for _, in := range q.insts[i:] {
		q.w.Unused(s, in)
	}
	return s
}

// actual records a run that is the element's behaviour in the history.
func (q *question) actual(i int, r *symbolic.Run) { q.runs[i] = append(q.runs[i], r) }

// agree asserts that an element's runs in different places are one behaviour:
// swapping neighbours that commute changes nobody's.
func (q *question) agree() {
	for _, list := range q.runs {
		for k := 1; k < len(list); k++ {
			q.about(TopicAgree, list[0].Agrees(list[k]))
		}
	}
}

// inWindow asserts that an element and the delayed transaction do not exclude
// each other: an atomic one commits inside the delayed one's window, an issued
// one has the delayed one's commit inside its own.
func (q *question) inWindow(e elem, r *symbolic.Run) {
	if e.kind == walk.Atomic {
		q.about(TopicExclusion, q.w.B.Not(q.w.Excludes(q.r0, r, q.p.gran, false)))
	} else {
		q.about(TopicExclusion, q.w.B.Not(q.w.Excludes(r, q.r0, q.p.gran, false)))
	}
}

// can is: the element's run succeeds where it is; an issued one only has to
// get to its end.
func can(e elem, r *symbolic.Run) *smt.Term {
	if e.kind == walk.Atomic {
		return r.Feasible()
	}
	return r.OK
}

// changed is: the instance of run r, moved to state s, cannot do the same. In
// classic mode it only has to succeed, as it does in the paper's model, without
// constraints between rows; that dependencies stay is asked apart.
func (q *question) changed(r *symbolic.Run, s *symbolic.State, e elem) *smt.Term {
	if r.In == s {
		return q.w.B.False()
	}
	moved := r.Inst.Run(s)
	return q.otherwise(can(e, moved), r, moved, false)
}

// otherwise is: the run moved, of the instance of r, does not succeed or, but for
// classic mode, does not do the same (see Differ for later).
func (q *question) otherwise(succeeds *smt.Term, r, moved *symbolic.Run, later bool) *smt.Term {
	if q.p.opt.Classic {
		return q.w.B.Not(succeeds)
	}
	return q.w.B.Or(q.w.B.Not(succeeds), r.Differ(moved, later))
}

// later is: the delayed transaction with its snapshot on a state does not do
// what it does.
func (q *question) later(s *symbolic.State) *smt.Term {
	moved := q.delay.Run(s)
	return q.otherwise(moved.OK, q.r0, moved, true)
}

// first asserts FIRST: the element is stuck at the snapshot of the delayed
// transaction, which would do something else after it.
func (q *question) first(e elem) {
	w := q.w
	w.Unused(q.s0, q.insts[0])
	a := q.insts[0].Run(q.s0)
	q.assert(can(e, a))
	q.inWindow(e, a)
	q.actual(0, a)
	stuck := q.later(a.Post)
	if q.p.opt.Classic {
		stuck = w.B.Or(stuck, w.Affects(a, q.r0))
	}
	q.assert(stuck)
}

// delayed asserts that the delayed transaction commits on a state, and would
// have done something else if it had taken its snapshot there: otherwise it is
// atomic at its commit.
func (q *question) delayed(s *symbolic.State) {
	_, commits := q.r0.Commit(s)
	q.about(TopicCommit, commits)
	if !q.p.opt.Classic && !q.p.opt.naive { // by dependencies, equal values are no reason
		q.assert(q.later(s))
	}
}

// edge asserts that elements i and i+1, neighbours in a state inside the
// window, cannot be swapped.
func (q *question) edge(elems []elem, i int) {
	w, B := q.w, q.w.B
	u, v := elems[i], elems[i+1]
	s := q.state(i)
	a := q.insts[i].Run(s)
	after := s
	if u.kind == walk.Atomic {
		after = a.Post
	}
	b := q.insts[i+1].Run(after)
	q.assert(can(u, a), can(v, b))
	q.inWindow(u, a)
	q.inWindow(v, b)
	q.actual(i, a)
	q.actual(i+1, b)
	if u.kind == walk.Atomic && q.p.sessionOrder(u.node, v.node) {
		return // never swapped
	}
	stuck := B.False()
	classic := q.p.opt.Classic
	switch {
	case u.kind == walk.Atomic && v.kind == walk.Atomic:
		stuck = q.changed(b, s, v)
		if classic {
			stuck = B.Or(stuck, w.Affects(a, b), w.Affects(b, a), w.WritesMeet(a, b, symbolic.ByCell))
		}
		if !stuck.IsTrue() {
			// v first, then u.
			b2 := q.insts[i+1].Run(s)
			stuck = B.Or(stuck, q.changed(a, b2.Post, u))
			if !classic && w.WritesMeet(a, b, symbolic.ByCell) != B.False() {
				a2 := q.insts[i].Run(b2.Post)
				stuck = B.Or(stuck, w.StatesDiffer(b.Post, a2.Post, a, b))
			}
		}
	case u.kind == walk.Atomic: // v issued: u would enter v's window
		stuck = B.Or(q.changed(b, s, v), w.Excludes(b, a, q.p.gran, true))
		if classic {
			stuck = B.Or(stuck, w.Affects(a, b), w.WritesMeet(a, b, symbolic.ByCell))
		}
	case v.kind == walk.Atomic: // u issued: v would leave u's window
		q.about(TopicExclusion, B.Not(w.Excludes(a, b, q.p.gran, false)))
		stuck = q.changed(a, b.Post, u)
		if classic {
			stuck = B.Or(stuck, w.Affects(b, a))
		}
	}
	q.assert(stuck)
}

// last asserts LAST: the element is stuck at the commit of the delayed
// transaction.
func (q *question) last(elems []elem, i int) {
	w, B := q.w, q.w.B
	e := elems[i]
	s := q.state(i)
	z := q.insts[i].Run(s)
	q.assert(can(e, z))
	q.inWindow(e, z)
	q.actual(i, z)
	before := s
	if e.kind == walk.Atomic {
		before = z.Post
	}
	q.delayed(before)
	com, already := q.r0.Commit(s)
	stuck := q.changed(z, com, e)
	if q.p.opt.Classic {
		stuck = B.Or(stuck, w.Affects(q.r0, z))
	}
	if e.kind == walk.Atomic && !q.p.opt.naive {
		// Without z the commit would fail: z freed what it needs.
		stuck = B.Or(stuck, B.Not(already))
	}
	q.assert(stuck)
}
