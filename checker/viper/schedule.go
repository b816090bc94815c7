package viper

import (
	"context"
	"fmt"
	"slices"

	"github.com/txrobust/robust/checker/internal/acyclic"
	"github.com/txrobust/robust/history"
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

	first, to []int32 // successors of nodes
	missing   []int32 // predecessors of nodes that are not placed
	schedule
	next int32

	current []int32 // of keys: the version that is there
	past    []bool  // of versions: it was overwritten
	left    []int32 // of versions: the readers that have not begun
	writing []history.Txn
	done    []uint8

	ready, early, enabled heap
	forVersion            [][]int32 // who waits for a version, by rank
	forKey                []heap    // who waits to overwrite a key
	waits                 []history.Key
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
	n, v := p.h.NumTxns(), p.numVersions()
	s := &scheduler{
		p: p, values: values, rank: rank, byRank: make([]history.Txn, n), missing: make([]int32, p.nodes), current: make([]int32, p.h.NumKeys()),
		past: make([]bool, v), left: make([]int32, v), writing: make([]history.Txn, p.h.NumKeys()), done: make([]uint8, n),
		forVersion: make([][]int32, v), forKey: make([]heap, p.h.NumKeys()), waits: make([]history.Key, n),
	}
	s.places, s.sources = make([]int32, p.nodes), make([]int32, len(p.choices))
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

// links sorts the edges that are there.
func (s *scheduler) links() {
	p := s.p
	s.first = make([]int32, p.nodes+1)
	there := func(e *edge) bool { return holds(s.values, e.when) }
	for i := range p.edges {
		if e := &p.edges[i]; there(e) {
			s.first[e.from+1]++
			s.missing[e.to]++
		}
	}
	for n := range p.nodes {
		s.first[n+1] += s.first[n]
	}
	s.to = make([]int32, s.first[p.nodes])
	at := slices.Clone(s.first)
	for i := range p.edges {
		if e := &p.edges[i]; there(e) {
			s.to[at[e.from]] = e.to
			at[e.from]++
		}
	}
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
	for i := range p.reads {
		r := &p.reads[i]
		if v := s.version(r); v >= 0 {
			s.left[v]++
		}
	}
}

// version is the version that a read comes from, -1 if that is not decided.
func (s *scheduler) version(r *read) int32 {
	if r.choice < 0 {
		return s.p.version(r.from.txn, r.key)
	}
	if i := s.sources[r.choice]; i >= 0 {
		return s.p.version(s.p.choices[r.choice][i].txn, r.key)
	}
	return -1
}

func (s *scheduler) readsOf(t history.Txn) []read {
	return s.p.reads[s.p.firstRead[t]:s.p.firstRead[t+1]]
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
	case !p.d.serial:
		s.early.push(s.rank[t])
	}
	if woken >= 0 && s.waits[t] != woken {
		s.wake(woken) // somebody else may overwrite it
	}
}

// mayBegin tells whether all that a transaction read is there, as far as it still may
// be. Otherwise it waits for one version.
func (s *scheduler) mayBegin(t history.Txn) bool {
	for i := range s.readsOf(t) {
		r := &s.readsOf(t)[i]
		wait := int32(-1)
		if v := s.version(r); v >= 0 {
			if s.current[r.key] == v || s.past[v] {
				continue
			}
			wait = v
		} else {
			for _, c := range s.p.choices[r.choice] {
				v := s.p.version(c.txn, r.key)
				if s.current[r.key] == v {
					wait = -1
					break
				}
				if !s.past[v] {
					wait = v
					s.forVersion[v] = append(s.forVersion[v], s.rank[t])
				}
			}
		}
		if wait >= 0 {
			if r.choice < 0 || s.sources[r.choice] >= 0 {
				s.forVersion[wait] = append(s.forVersion[wait], s.rank[t])
			}
			return false
		}
	}
	return true
}

// mayCommit tells whether a transaction may overwrite what it writes. Otherwise it waits
// for one key, or for a node.
func (s *scheduler) mayCommit(t history.Txn) bool {
	p := s.p
	missing := s.missing[p.commit(t)]
	if !p.d.serial && s.done[t] == 0 {
		missing-- // its own begin
	}
	if missing > 0 {
		return false
	}
	blocked := history.Key(-1)
	p.writes(t, func(k history.Key) {
		if blocked < 0 && (s.writing[k] >= 0 && s.writing[k] != t || s.others(t, k)) {
			blocked = k
		}
	})
	if blocked < 0 {
		return true
	}
	s.forKey[blocked].push(s.rank[t])
	s.waits[t] = blocked
	return false
}

// others tells whether somebody else who has not begun has to read the version of a key
// that is there.
func (s *scheduler) others(t history.Txn, k history.Key) bool {
	left := s.left[s.current[k]]
	if left > 1 || left == 0 || s.done[t] != 0 {
		return left > 0
	}
	for i := range s.readsOf(t) {
		if r := &s.readsOf(t)[i]; r.key == k {
			return s.version(r) != s.current[k]
		}
	}
	return true
}

func (s *scheduler) begin(t history.Txn) {
	s.done[t] = begun
	for i := range s.readsOf(t) {
		r := &s.readsOf(t)[i]
		v := s.version(r)
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
	p.writes(t, func(k history.Key) {
		s.past[s.current[k]] = true
		s.current[k] = p.version(t, k)
		if s.writing[k] == t {
			s.writing[k] = -1
		}
		for _, r := range s.forVersion[s.current[k]] {
			s.ready.push(r)
		}
		s.forVersion[s.current[k]] = nil
	})
	s.put(p.commit(t))
	p.writes(t, s.wake)
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
	s.p.writes(t, func(k history.Key) {
		if s.writing[k] < 0 {
			s.writing[k] = t
		}
	})
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

// heap is numbers, of which the least one is taken first.
type heap []int32

func (h *heap) push(x int32) {
	*h = append(*h, x)
	a := *h
	i := len(a) - 1
	for i > 0 {
		up := (i - 1) / 2
		if a[up] <= x {
			break
		}
		a[i] = a[up]
		i = up
	}
	a[i] = x
}

// pop gives the least number, -1 if there is none.
func (h *heap) pop() int32 {
	a := *h
	if len(a) == 0 {
		return -1
	}
	least, x := a[0], a[len(a)-1]
	a = a[:len(a)-1]
	*h = a
	i := 0
	for {
		down := 2*i + 1
		if down >= len(a) {
			break
		}
		if down+1 < len(a) && a[down+1] < a[down] {
			down++
		}
		if a[down] >= x {
			break
		}
		a[i] = a[down]
		i = down
	}
	if len(a) > 0 {
		a[i] = x
	}
	return least
}
