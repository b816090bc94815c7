package viper

import (
	"context"
	"fmt"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker/acyclic"
)

// schedule is an order of the nodes of a polygraph.
type schedule struct {
	places []int32 // of nodes
	// sources are, of reads with several, the places in choices of those that were read.
	sources []int32
}

// scheduler executes the transactions of a history one event after the other: begins
// and commits. The edges of the polygraph bind it. Within them it prefers what fits: a
// transaction begins when what it read is there, and commits when nobody who has not
// begun has to read what it overwrites. Where nothing fits, the transaction that is first
// by rank goes on.
type scheduler struct {
	p      *polygraph
	values []bool // of variables; nil if nothing is decided
	rank   []int32
	byRank []history.Txn

	first, to     []int32 // successors of nodes
	firstIn, from []int32 // and predecessors
	missing       []int32 // predecessors of nodes that are not placed
	schedule
	next int32

	comesFrom []int32 // of reads: the version, -1 if that is not decided

	current []int32 // of keys: the version that is there
	past    []bool  // of versions: it was overwritten
	left    []int32 // of versions: the readers that have not begun
	writing []history.Txn
	done    []uint8

	ready, early, enabled heap
	forVersion            [][]int32         // who waits for a version, by rank
	forNode               map[int32][]int32 // and for a node
	forKey                []heap            // who waits to overwrite a key
	waits                 []history.Key

	// Of the last search for who is unable to begin.
	marked []int32
	round  int32
	chain  []history.Txn
	looked []int32 // of nodes
	stack  []int32
}

const (
	begun uint8 = 1 + iota
	committed
	absent // it does not take effect: its nodes have places, and nothing else
)

// arrange gives an order that all edges follow, with those of the variables that are
// true or false. The edges must have no cycle. Ranks say who comes first where there is
// a choice.
func (p *polygraph) arrange(ctx context.Context, values []bool, rank []int32) (*schedule, error) {
	s := newScheduler(p, values, rank)
	s.links()
	s.choose()
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	for i := range p.edges {
		if e := &p.edges[i]; holds(values, e.when) && s.places[e.from] >= s.places[e.to] {
			panic(fmt.Sprintf("viper: the order of nodes %d and %d is not that of their edge", e.from, e.to))
		}
	}
	return &s.schedule, nil
}

func newScheduler(p *polygraph, values []bool, rank []int32) *scheduler {
	n, v := p.h.NumTxns(), p.numVersions()
	s := &scheduler{
		p: p, values: values, rank: rank, byRank: make([]history.Txn, n), missing: make([]int32, p.nodes), current: make([]int32, p.h.NumKeys()),
		past: make([]bool, v), left: make([]int32, v), writing: make([]history.Txn, p.h.NumKeys()), done: make([]uint8, n),
		forVersion: make([][]int32, v), forNode: map[int32][]int32{}, forKey: make([]heap, p.h.NumKeys()), waits: make([]history.Key, n),
		marked: make([]int32, n), looked: make([]int32, p.nodes),
	}
	s.places, s.sources = make([]int32, p.nodes), make([]int32, len(p.choices))
	for n := range s.places {
		s.places[n] = -1
	}
	for t, r := range rank {
		s.byRank[r] = history.Txn(t)
	}
	for k := range s.current {
		s.current[k], s.writing[k] = p.version(history.InitialTxn, history.Key(k)), -1
	}
	for t := range s.waits {
		if s.waits[t] = -1; !p.took(history.Txn(t), values) {
			s.done[t] = absent
		}
	}
	return s
}

// links sorts the edges that are there.
func (s *scheduler) links() {
	p := s.p
	var there []edge
	for _, e := range p.edges {
		if holds(s.values, e.when) {
			there = append(there, e)
			s.missing[e.to]++
		}
	}
	s.first, s.to = sorted(p.nodes, there, func(e *edge) (at, value int32) { return e.from, e.to })
	s.firstIn, s.from = sorted(p.nodes, there, func(e *edge) (at, value int32) { return e.to, e.from })
}

// sorted gives a value of each edge, those at node n from first[n] on.
func sorted(nodes int32, edges []edge, ends func(e *edge) (at, value int32)) (first, values []int32) {
	first, values = make([]int32, nodes+1), make([]int32, len(edges))
	for i := range edges {
		n, _ := ends(&edges[i])
		first[n+1]++
	}
	for n := range nodes {
		first[n+1] += first[n]
	}
	next := slices.Clone(first)
	for i := range edges {
		n, v := ends(&edges[i])
		values[next[n]] = v
		next[n]++
	}
	return first, values
}

// holds tells whether a literal is true. Nothing but always is, where nothing is
// decided.
func holds(values []bool, l acyclic.Lit) bool {
	return l == always || values != nil && values[l.Var()] == (l == l.Var().True())
}

// choose takes what is decided about the sources of reads, and counts readers.
func (s *scheduler) choose() {
	p := s.p
	for c, lits := range p.chosen {
		s.sources[c] = int32(slices.IndexFunc(lits, func(l acyclic.Lit) bool { return holds(s.values, l) }))
	}
	s.comesFrom = p.comesFrom
	if len(p.choices) > 0 {
		s.comesFrom = slices.Clone(p.comesFrom)
	}
	for i := range p.reads {
		r := &p.reads[i]
		if r.choice >= 0 && s.sources[r.choice] >= 0 {
			s.comesFrom[i] = p.version(p.choices[r.choice][s.sources[r.choice]].txn, r.key)
		}
		if v := s.comesFrom[i]; v >= 0 {
			s.left[v]++
		}
	}
}

func (s *scheduler) run(ctx context.Context) error {
	var free []int32
	for n, missing := range s.missing {
		if missing == 0 {
			free = append(free, int32(n))
		}
	}
	for _, n := range free {
		s.enable(n)
	}
	for steps := 0; ; steps++ {
		if steps&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if r := s.ready.pop(); r >= 0 {
			s.try(s.byRank[r])
		} else if r := s.early.pop(); r >= 0 {
			s.beginEarly(s.byRank[r])
		} else if r := s.enabled.pop(); r >= 0 {
			s.force(s.byRank[r])
		} else {
			return nil
		}
	}
}

// enable says that all that a node follows is placed.
func (s *scheduler) enable(n int32) {
	t := s.p.txnOf(n)
	if t < 0 {
		s.put(n)
		return
	}
	if t == history.InitialTxn || !s.p.present[t] {
		return
	}
	if s.done[t] == absent {
		s.put(n)
		return
	}
	s.ready.push(s.rank[t])
	s.enabled.push(s.rank[t])
}

// put places a node.
func (s *scheduler) put(n int32) {
	s.places[n] = s.next
	s.next++
	if waiting := s.forNode[n]; waiting != nil {
		for _, r := range waiting {
			s.ready.push(r)
		}
		delete(s.forNode, n)
	}
	for _, m := range s.to[s.first[n]:s.first[n+1]] {
		s.missing[m]--
		switch t := s.p.txnOf(m); {
		case s.missing[m] == 0:
			s.enable(m)
		case t >= 0 && s.missing[m] == 1 && s.done[t] == 0:
			s.ready.push(s.rank[t]) // its begin may be all that is missing for its commit
		}
	}
}

// try lets a transaction go on if it fits.
func (s *scheduler) try(t history.Txn) {
	p := s.p
	woken := s.waits[t]
	s.waits[t] = -1
	switch {
	case s.done[t] >= committed || s.done[t] == 0 && s.missing[p.begin(t)] > 0:
	case s.done[t] == begun:
		if s.mayCommit(t) {
			s.commit(t)
		}
	case !s.mayBegin(t):
	case s.mayCommit(t):
		s.begin(t)
		s.commit(t)
	case !p.d.serial && p.firstRead[t] < p.firstRead[t+1]:
		s.early.push(s.rank[t])
	}
	if woken >= 0 && s.waits[t] != woken {
		s.wake(woken) // somebody else may overwrite it
	}
}

func (s *scheduler) begin(t history.Txn) {
	s.done[t] = begun
	for i := s.p.firstRead[t]; i < s.p.firstRead[t+1]; i++ {
		r, v := &s.p.reads[i], s.comesFrom[i]
		if v < 0 {
			s.settle(r)
			continue
		}
		if s.left[v]--; s.left[v] <= 1 {
			s.wake(r.key)
		}
	}
	if !s.p.d.serial {
		s.put(s.p.begin(t))
	}
}

// settle decides which source a read comes from: the one that is there, or else one
// that was.
func (s *scheduler) settle(r *read) {
	for i, c := range s.p.choices[r.choice] {
		v := s.p.version(c.txn, r.key)
		if s.current[r.key] == v {
			s.sources[r.choice] = int32(i)
			return
		}
		if s.past[v] || s.sources[r.choice] < 0 {
			s.sources[r.choice] = int32(i)
		}
	}
}

func (s *scheduler) commit(t history.Txn) {
	p := s.p
	s.done[t] = committed
	for _, v := range p.madeBy(t) {
		k := p.keyOf[v]
		s.past[s.current[k]] = true
		s.current[k] = v
		if s.writing[k] == t {
			s.writing[k] = -1
		}
		for _, r := range s.forVersion[v] {
			s.ready.push(r)
		}
		s.forVersion[v] = nil
	}
	s.put(p.commit(t))
	for _, v := range p.madeBy(t) {
		s.wake(p.keyOf[v])
	}
}

// wake lets the next one of those try who wait to overwrite a key, and the one who has
// to read it before.
func (s *scheduler) wake(k history.Key) {
	v := s.current[k]
	if s.left[v] > 1 || s.writing[k] >= 0 {
		return
	}
	if s.left[v] == 1 {
		for _, i := range s.p.readersOf(v) {
			if t := s.p.reads[i].txn; s.done[t] == 0 {
				s.ready.push(s.rank[t])
			}
		}
		return
	}
	for {
		r := s.forKey[k].pop()
		if r < 0 {
			return
		}
		if t := s.byRank[r]; s.done[t] < committed && s.waits[t] == k {
			s.ready.push(r)
			return
		}
	}
}

// beginEarly lets a transaction begin that cannot commit yet.
func (s *scheduler) beginEarly(t history.Txn) {
	if s.done[t] != 0 || !s.mayBegin(t) {
		return
	}
	s.hold(t)
	s.begin(t)
	s.ready.push(s.rank[t])
}

// hold keeps others from overwriting what a transaction that begins will write.
func (s *scheduler) hold(t history.Txn) {
	for _, v := range s.p.madeBy(t) {
		if k := s.p.keyOf[v]; s.writing[k] < 0 {
			s.writing[k] = t
		}
	}
}

// force lets a transaction go on although it does not fit.
func (s *scheduler) force(t history.Txn) {
	p := s.p
	if s.done[t] == 0 {
		if s.missing[p.begin(t)] > 0 {
			return // it is enabled again
		}
		if !p.d.serial {
			s.hold(t)
			s.begin(t)
			s.ready.push(s.rank[t])
			return
		}
		s.begin(t)
	}
	if s.done[t] == begun && s.missing[p.commit(t)] == 0 {
		s.commit(t)
	}
}
