package movers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"

	"github.com/txrobust/robust/internal/commits"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/proof"
	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/internal/walk"
)

// SurveyOptions direct Result.Survey.
type SurveyOptions struct {
	// Known has the transactions of each anomaly that was found before.
	Known [][]*ir.Txn
	// Suspect is given each walk that is left and that no set covers, with the facts that
	// were used. It gives the transactions of an anomaly along it, or nil.
	// It may be called by several goroutines at once, and its answer must not depend on
	// their order.
	Suspect func(ctx context.Context, w *walk.Walk, facts []*ir.Invariant) []*ir.Txn
	// Scout is Suspect for walks of which only short pieces were asked about: it should
	// take less than to ask about the others. It may be nil.
	Scout func(ctx context.Context, w *walk.Walk, facts []*ir.Invariant) []*ir.Txn
	// Effort bounds the questions about all delayed transactions together, by the terms
	// that they have. Each gets the same share.
	Effort int
	// NoFacts leaves out what was refuted by facts about the data.
	NoFacts bool
	// Progress, if not nil, is told what is being done, by one goroutine at a time.
	Progress func(done, total int, what string)
}

// Survey is what is left of the walks of a program that was not proved. A set of
// transactions covers a walk of one of them whose elements have the others
// (docs/soundness.md, 10).
type Survey struct {
	// Anomalies are the sets of the known anomalies, and of those that were found.
	Anomalies [][]*ir.Txn
	// Open are walks that no refuted piece excludes, that no set covers, and that are no
	// execution as far as was searched. Their transactions are sets that cover others.
	Open []*walk.Walk
	// Uncovered has templates that may be on walks which no set covers: not all was asked
	// about those of a delayed transaction.
	Uncovered map[*ir.Txn]*ir.Txn
	// Like has the template that was asked about in place of one, where these are two. What
	// is said of it is said of both.
	Like map[*ir.Txn]*ir.Txn
	// Facts are those that all this needs, beyond the program's own invariants.
	Facts []*ir.Invariant
	// Unprovable says why none of this is so, or is "".
	Unprovable string
	Stats      Stats
}

const (
	// surveyQuestions bounds the questions about each delayed transaction, surveySettled those
	// where all that is on its walks is in anomalies already, surveyTries the walks that are
	// tried as executions in vain, and surveyPlaces a search for a walk.
	surveyQuestions = 400
	surveySettled   = 80
	surveyTries     = 4
	surveyPlaces    = 50_000
	// surveyWindow bounds the elements of a piece that is asked about, but for whole walks,
	// and surveyLength those of a walk that is asked about.
	surveyWindow = 3
	surveyLength = 12
	// scoutWindow bounds the elements of the pieces that are asked about before a walk is
	// tried as an execution.
	scoutWindow = 2
)

// surveyor makes a Survey.
type surveyor struct {
	a      *attempt
	opt    SurveyOptions
	graphs []*proof.Graph // by delayed node, since they are not shared
	sets   [][]string     // that cover walks
	tries  []int          // in vain, by delayed node
	// scouted are the walks that were tried before all was asked about them, by delayed node.
	scouted []map[string]bool
	out     *Survey
}

// Survey looks at all walks that an attempt to prove has left. It is nil where the
// program was proved without the graph.
func (r *Result) Survey(ctx context.Context, opt SurveyOptions) *Survey {
	if r.attempt == nil {
		return nil
	}
	a := *r.attempt
	if a.plain != nil {
		plain := *a.plain
		a.plain = &plain
	}
	a.opt.Explain, a.opt.Scripts, a.opt.Progress, a.quick = false, false, opt.Progress, false
	a.opt.Suspect, a.opt.Scout = nil, nil
	s := &surveyor{a: &a, opt: opt, out: &Survey{Uncovered: map[*ir.Txn]*ir.Txn{}, Like: map[*ir.Txn]*ir.Txn{}, Unprovable: unprovable(a.prog)},
		tries: make([]int, len(a.nodes)), scouted: make([]map[string]bool, len(a.nodes))}
	defer func() {
		for _, l := range a.lanes {
			l.close()
		}
	}()
	before := a.asked()
	for _, p := range a.provers {
		for q := p; q != nil; q = q.plain {
			q.left, q.effort, q.quick = surveyQuestions, 0, false
		}
	}
	for _, set := range opt.Known {
		s.anomaly(set)
	}
	for range a.nodes {
		s.graphs = append(s.graphs, proof.NewGraph((&Evidence{Vertices: vertices(a.nodes)}).Graph()))
	}
	if todo := len(a.open()) + s.anomalous(); todo > 0 {
		a.share = max(opt.Effort/todo, quickEffort)
		if a.plain != nil {
			a.plain.share = a.share
		}
	}
	if s.out.Unprovable == "" {
		s.cover(ctx)
	}
	s.conclude(r.kept)
	after := a.asked()
	s.out.Stats = Stats{Queries: after.Queries - before.Queries, Syntactic: after.Syntactic - before.Syntactic, Solver: solved(a.lanes)}
	return s.out
}

// anomalous counts the delayed nodes around which an anomaly was found.
func (s *surveyor) anomalous() (n int) {
	for _, p := range s.a.provers {
		if p != nil && !p.proved && p.anomaly != nil {
			n++
		}
	}
	return n
}

// anomaly adds the set of an anomaly.
func (s *surveyor) anomaly(set []*ir.Txn) {
	s.out.Anomalies = append(s.out.Anomalies, set)
	s.add(set)
}

// add adds a set.
func (s *surveyor) add(set []*ir.Txn) {
	var names []string
	for _, t := range set {
		names = append(names, s.a.representative(t).Name)
	}
	slices.Sort(names)
	s.sets = append(s.sets, slices.Compact(names))
}

// covering gives what the elements of walks of a delayed node have if a set covers them:
// the others of each set, and of a set of one the same again.
func (s *surveyor) covering(t0 int) (out [][]string) {
	own := s.a.nodes[t0].txn.Name
	for _, set := range s.sets {
		if i := slices.Index(set, own); len(set) == 1 && i == 0 {
			out = append(out, set)
		} else if i >= 0 {
			out = append(out, slices.Delete(slices.Clone(set), i, i+1))
		}
	}
	return out
}

// representative is the template that is asked about in place of one.
func (a *attempt) representative(t *ir.Txn) *ir.Txn {
	if commits.Of(t).Writing || slices.ContainsFunc(a.nodes, func(n *node) bool { return n.txn == t }) {
		return t
	}
	like := likeness(t)
	for _, n := range a.nodes {
		if !commits.Of(n.txn).Writing && likeness(n.txn) == like {
			return n.txn
		}
	}
	return t
}

// left gives the walks of a delayed node that are left.
func (s *surveyor) left(t0 int, counts func(*Refutation) bool) *proof.Left {
	var refuted []proof.Question
	if p := s.a.provers[t0]; p != nil {
		if len(p.steady) > 0 {
			refuted = append(refuted, proof.Question{Delayed: t0})
		}
		for _, q := range p.order {
			if x := p.memo[q.key()]; x.res == smt.Unsat && counts(x.refuted) {
				refuted = append(refuted, q.question())
			}
		}
	}
	return s.graphs[t0].Left(t0, refuted)
}

// counted reports whether a refutation counts.
func (s *surveyor) counted(r *Refutation) bool { return !s.opt.NoFacts || len(r.Uses) == 0 }

// event is what a turn of a delayed node ends with: a walk, and the transactions of an
// anomaly along it, nil if none was found.
type event struct {
	anomaly []*ir.Txn
	walk    *walk.Walk
	facts   []*ir.Invariant
	// likely says that not all was asked about the walk, and tried that it was tried.
	likely, tried bool
}

// cover goes through the walks that are left, short ones first, until sets cover them. In
// each round every delayed node finds at most one, so that the outcome does not depend on
// their order.
func (s *surveyor) cover(ctx context.Context) {
	done := make([]bool, len(s.a.nodes))
	for slices.Contains(done, false) && ctx.Err() == nil {
		events := make([]*event, len(done))
		parallel(ctx, len(done), s.a.lanes, func(ctx context.Context, t0 int, l *lane) {
			if !done[t0] {
				events[t0] = s.turn(ctx, t0, l)
				done[t0] = events[t0] == nil
			}
		})
		s.execute(ctx, events)
		for t0, e := range events {
			switch {
			case e == nil || !e.tried || e.likely && e.anomaly == nil:
				continue
			case e.anomaly != nil:
				s.anomaly(e.anomaly)
			case ctx.Err() == nil:
				s.tries[t0]++
				s.out.Open = append(s.out.Open, e.walk)
			}
			if on := e.walk.Templates(); e.anomaly == nil || slices.ContainsFunc(e.anomaly, func(t *ir.Txn) bool { return !slices.Contains(on, t) }) ||
				!slices.Contains(e.anomaly, e.walk.Delayed) {
				s.add(on) // so that the walk does not come again
			}
		}
	}
}

// execute tries the walks of a round as executions. Of walks of the same templates the
// others are left when all of these are in an anomaly along one: it covers them.
func (s *surveyor) execute(ctx context.Context, events []*event) {
	var groups [][]*event
	index := map[string]int{}
	for _, e := range events {
		if e == nil {
			continue
		}
		key := templateSet(e.walk.Templates())
		i, ok := index[key]
		if !ok {
			i = len(groups)
			index[key] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], e)
	}
	parallel(ctx, len(groups), s.a.lanes, func(ctx context.Context, i int, _ *lane) {
		for _, e := range groups[i] {
			try := s.opt.Suspect
			if e.likely {
				try = s.opt.Scout
			}
			if ctx.Err() != nil {
				return
			}
			e.anomaly = try(ctx, e.walk, e.facts)
			e.tried = e.anomaly != nil || ctx.Err() == nil
			if e.anomaly != nil && templateSet(e.anomaly) == templateSet(e.walk.Templates()) {
				return
			}
		}
	})
}

// templateSet names the members of a list of templates.
func templateSet(list []*ir.Txn) string {
	var names []string
	for _, t := range list {
		names = append(names, t.Name)
	}
	slices.Sort(names)
	return fmt.Sprintf("%q", slices.Compact(names))
}

// turn asks about the walks of a delayed node until one is possible, or likely.
func (s *surveyor) turn(ctx context.Context, t0 int, l *lane) *event {
	p := s.a.moved(t0, l)
	defer p.save()
	for {
		if s.stopped(ctx, p, t0) {
			return nil
		}
		chain := s.find(t0, s.counted)
		if chain == nil {
			return nil
		}
		w := p.walk(t0, chain, answer{})
		p.progress(t0, w.String())
		scouts := s.opt.Scout != nil && len(chain) > scoutWindow && !s.scouted[t0][w.String()] && !repeats(t0, chain)
		list := chunks(t0, chain)
		if scouts {
			list = slices.DeleteFunc(list, func(q piece) bool { return len(q.elems) > scoutWindow })
		}
		whole, refuted := s.refutes(ctx, p, list, len(chain))
		switch {
		case ctx.Err() != nil:
			return nil
		case refuted:
		case scouts:
			if s.scouted[t0] == nil {
				s.scouted[t0] = map[string]bool{}
			}
			s.scouted[t0][w.String()] = true
			return &event{walk: w, facts: p.facts, likely: true}
		default:
			return &event{walk: p.walk(t0, chain, whole), facts: p.facts}
		}
	}
}

// repeats reports whether a walk has a node twice.
func repeats(t0 int, chain []elem) bool {
	seen := map[int]bool{t0: true}
	for _, e := range chain {
		if seen[e.node] {
			return true
		}
		seen[e.node] = true
	}
	return false
}

// stopped reports whether no more is asked about a delayed node.
func (s *surveyor) stopped(ctx context.Context, p *prover, t0 int) bool {
	return p.exhausted() || s.tries[t0] >= surveyTries || ctx.Err() != nil || p.left <= surveyQuestions-surveySettled && s.settled(t0)
}

// settled reports whether all that is on the walks of a delayed node which are left is in
// anomalies that are known: what is found there says nothing new of any transaction.
func (s *surveyor) settled(t0 int) bool {
	in := map[string]bool{}
	for _, set := range s.out.Anomalies {
		for _, t := range set {
			in[s.a.representative(t).Name] = true
		}
	}
	for v, on := range s.left(t0, s.counted).Through() {
		if on && !in[s.a.nodes[v].txn.Name] {
			return false
		}
	}
	return true
}

// find gives a walk of a delayed node that is left and that no set covers, nil if there is
// none, or none that is to be asked about.
func (s *surveyor) find(t0 int, counts func(*Refutation) bool) (chain []elem) {
	list, bounded := s.left(t0, counts).Find(proof.Wanted{Without: s.covering(t0), Places: surveyPlaces})
	if bounded || len(list) > surveyLength {
		return nil
	}
	for _, e := range list {
		kind := walk.Atomic
		if e.Kind == proof.Issued {
			kind = walk.Issued
		}
		chain = append(chain, elem{e.Vertex, kind})
	}
	return chain
}

// covered reports whether sets cover all walks of a delayed node that are left.
func (s *surveyor) covered(t0 int, counts func(*Refutation) bool) bool {
	list, bounded := s.left(t0, counts).Find(proof.Wanted{Without: s.covering(t0), Places: surveyPlaces})
	return list == nil && !bounded
}

// refutes asks about pieces of a walk of n elements, short ones first, until one is impossible.
// Otherwise it gives the answer to the last. Pieces that are presumed to be possible are not
// asked about, but for the whole.
func (s *surveyor) refutes(ctx context.Context, p *prover, list []piece, n int) (last answer, refuted bool) {
	for _, q := range list {
		if len(q.elems) < n && p.presumed(q) {
			continue
		}
		if last = p.ask(ctx, q); last.res == smt.Unsat && s.counted(last.refuted) {
			p.shorten(ctx, q, s.counted)
			return last, true
		}
		p.learn(q, last)
	}
	return last, false
}

// chunks gives the pieces of a walk that are asked about, the whole last.
func chunks(t0 int, chain []elem) []piece {
	n := len(chain)
	out := []piece{{t0: t0}}
	for size := 1; size < n && size <= surveyWindow; size++ {
		for i := 0; i+size <= n; i++ {
			elems := chain[i : i+size]
			if size > 1 {
				out = append(out, piece{t0, elems, false, false})
			}
			if i == 0 {
				out = append(out, piece{t0, elems, true, false})
			}
			if i+size == n {
				out = append(out, piece{t0, elems, false, true})
			}
		}
	}
	return append(out, piece{t0, chain, true, true})
}

// shorten looks for the shortest beginning of a piece that is impossible, and for the shortest
// end of that: more walks have it.
func (p *prover) shorten(ctx context.Context, q piece, counts func(*Refutation) bool) {
	refuted := func(q piece) bool {
		a := p.ask(ctx, q)
		return a.res == smt.Unsat && counts(a.refuted)
	}
	least := func(end bool) int { // elements without an end of the walk say nothing alone
		if end {
			return 1
		}
		return 2
	}
	n := len(q.elems)
	part := func(k int) piece { return piece{q.t0, q.elems[:k], q.first, false} }
	if short := least(q.first); n > short {
		if k := short + sort.Search(n-short, func(i int) bool { return refuted(part(short + i)) }); k < n {
			q, n = part(k), k
		}
	}
	rest := func(k int) piece { return piece{q.t0, q.elems[k:], false, q.last} }
	for k := 1; n-k >= least(q.last) && refuted(rest(k)); k *= 2 { // what is refuted is kept
	}
}

// moved is the prover of a delayed node on a lane.
func (a *attempt) moved(t0 int, l *lane) *prover {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.provers[t0]
	if p == nil {
		p = a.ready(t0, l)
		p.left = surveyQuestions
	}
	p.move(a, l)
	if p.plain != nil {
		p.plain.move(a.plain, l)
	}
	return p
}

// move goes on with another attempt, on a lane. What was kept for later runs is of the
// attempt before.
func (p *prover) move(a *attempt, l *lane) {
	p.memory.save()
	p.memory, p.recalled = nil, false
	p.attempt, p.lane, p.code = a, l, l.code(a.prog)
}

// save keeps the answers for later runs.
func (p *prover) save() {
	for q := p; q != nil; q = q.plain {
		q.memory.save()
	}
}

// conclude finds the templates that may be on walks which no set covers, and the facts
// without which there would be more.
func (s *surveyor) conclude(kept []Kept) {
	a := s.a
	uses := map[int][]int{} // by fact, the covered nodes with refutations that use it
	names := map[string]*ir.Txn{}
	for t0, p := range a.provers {
		if s.out.Unprovable != "" || !s.covered(t0, s.counted) {
			for v, on := range s.left(t0, s.counted).Through() {
				if name := a.nodes[v].txn.Name; on && names[name] == nil {
					names[name] = a.nodes[t0].txn
				}
			}
			continue
		}
		if p == nil {
			continue
		}
		for _, q := range p.order {
			if x := p.memo[q.key()]; x.res == smt.Unsat && s.counted(x.refuted) {
				for _, f := range x.refuted.Uses {
					if !slices.Contains(uses[f], t0) {
						uses[f] = append(uses[f], t0)
					}
				}
			}
		}
	}
	for _, t := range a.prog.Txns {
		like := a.representative(t)
		if like != t {
			s.out.Like[t] = like
		}
		if d := names[like.Name]; d != nil {
			s.out.Uncovered[t] = d
		} else if s.out.Unprovable != "" {
			s.out.Uncovered[t] = t
		}
	}
	var dropped, facts []int
	for _, f := range slices.Sorted(maps.Keys(uses)) {
		without := append(slices.Clone(dropped), f)
		counts := func(r *Refutation) bool {
			return s.counted(r) && !slices.ContainsFunc(r.Uses, func(u int) bool { return slices.Contains(without, u) })
		}
		if slices.ContainsFunc(uses[f], func(t0 int) bool { return !s.covered(t0, counts) }) {
			facts = append(facts, f)
		} else {
			dropped = without
		}
	}
	s.out.Facts = a.needed(facts, kept)
}

// needed gives the guessed facts among some, and those that keeping them needs.
func (a *attempt) needed(todo []int, kept []Kept) []*ir.Invariant {
	stated := len(a.prog.Invariants) - len(a.facts)
	need := map[int]bool{}
	for len(todo) > 0 {
		f := todo[0]
		todo = todo[1:]
		if need[f] {
			continue
		}
		need[f] = true
		for _, k := range kept {
			if k.Fact == f {
				todo = append(todo, k.Refuted.Uses...)
			}
		}
	}
	var out []*ir.Invariant
	for i, f := range a.prog.Invariants {
		if i >= stated && need[i] {
			out = append(out, f)
		}
	}
	return out
}

// Connected gives, for each template that a chain of templates leads to from one of some
// others, such a one: neighbours in the chain touch something in common. Those others are
// connected with themselves.
func Connected(p *ir.Program, opt Options, others []*ir.Txn) map[*ir.Txn]*ir.Txn {
	list := nodes(p, false)
	footprints(p, list, opt)
	near := newNeighbours(list)
	out := map[*ir.Txn]*ir.Txn{}
	var queue []int
	for i, n := range list {
		if slices.Contains(others, n.txn) {
			out[n.txn] = n.txn
			queue = append(queue, i)
		}
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, v := range near.meeting[at] {
			if t := list[v].txn; out[t] == nil {
				out[t] = out[list[at].txn]
				for i, n := range list {
					if n.txn == t {
						queue = append(queue, i)
					}
				}
			}
		}
	}
	return out
}
