package viper

import "github.com/txrobust/robust/history"

// mayBegin tells whether all that a transaction read is there, as far as it still may
// be. Otherwise it waits for a version.
func (s *scheduler) mayBegin(t history.Txn) bool {
	for i := s.p.firstRead[t]; i < s.p.firstRead[t+1]; i++ {
		k, v := s.p.reads[i].key, s.comesFrom[i]
		if v >= 0 && s.current[k] != v && !s.past[v] {
			s.forVersion[v] = append(s.forVersion[v], s.rank[t])
			return false
		}
		if v < 0 && !s.oneIsThere(t, &s.p.reads[i]) {
			return false
		}
	}
	return true
}

// oneIsThere tells whether one of the versions is there that a read may come from, or
// none will be. Otherwise the reader waits for them.
func (s *scheduler) oneIsThere(t history.Txn, r *read) bool {
	var coming []int32
	for _, c := range s.p.choices[r.choice] {
		v := s.p.version(c.txn, r.key)
		if s.current[r.key] == v {
			return true
		}
		if !s.past[v] {
			coming = append(coming, v)
		}
	}
	for _, v := range coming {
		s.forVersion[v] = append(s.forVersion[v], s.rank[t])
	}
	return len(coming) == 0
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
	for _, v := range p.madeBy(t) {
		if k := p.keyOf[v]; s.writing[k] >= 0 && s.writing[k] != t || s.others(t, k) {
			s.forKey[k].push(s.rank[t])
			s.waits[t] = k
			return false
		}
	}
	for _, v := range p.madeBy(t) {
		if n := s.unable(t, v); n >= 0 {
			s.forNode[n] = append(s.forNode[n], s.rank[t])
			return false
		}
	}
	return true
}

// unable gives a node that has to be placed before t may make a version of a key; -1 if
// none is found. Once it is made, who reads that version goes on, who reads the next one,
// if one of them writes it, and so on. What these follow must not need the key in between.
func (s *scheduler) unable(t history.Txn, version int32) int32 {
	if len(s.p.readersOf(version)) == 0 || s.values != nil {
		return -1 // a search has put those in order that clashed
	}
	k := s.p.keyOf[version]
	s.round++
	s.marked[t] = s.round
	s.chain = append(s.chain[:0], t)
	for i := 0; i < len(s.chain) && len(s.chain) < chainLimit; i++ {
		v := s.p.version(s.chain[i], k)
		if v < 0 {
			continue
		}
		for _, j := range s.p.readersOf(v) {
			if r := s.p.reads[j].txn; s.done[r] == 0 && s.marked[r] != s.round {
				s.marked[r] = s.round
				s.chain = append(s.chain, r)
			}
		}
	}
	s.stack = s.stack[:0]
	for _, r := range s.chain[1:] {
		s.stack = append(s.stack, s.p.begin(r))
	}
	for looked := 0; len(s.stack) > 0 && looked < lookLimit; looked++ {
		n := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		for _, m := range s.from[s.firstIn[n]:s.firstIn[n+1]] {
			x := s.p.txnOf(m)
			if s.places[m] >= 0 || s.looked[m] == s.round || x >= 0 && s.marked[x] == s.round {
				continue
			}
			s.looked[m] = s.round
			if x >= 0 {
				if s.needs(x, k) {
					return m
				}
				looked += int(s.p.firstRead[x+1]-s.p.firstRead[x]) / 8
			}
			s.stack = append(s.stack, m)
		}
	}
	return -1
}

const (
	// chainLimit bounds how many transactions unable looks at that have to go on, and
	// lookLimit how many nodes before them; eight reads count as one.
	chainLimit = 100
	lookLimit  = 24
)

// needs tells whether a transaction that is not marked writes a key, or reads a version
// of it that no marked one wrote.
func (s *scheduler) needs(x history.Txn, k history.Key) bool {
	for _, v := range s.p.madeBy(x) {
		if s.p.keyOf[v] == k {
			return true
		}
	}
	for i := s.p.firstRead[x]; i < s.p.firstRead[x+1]; i++ {
		if r := &s.p.reads[i]; r.key == k && r.choice < 0 && s.marked[r.from.txn] != s.round {
			return true
		}
	}
	return false
}

// others tells whether somebody else who has not begun has to read the version of a key
// that is there.
func (s *scheduler) others(t history.Txn, k history.Key) bool {
	left := s.left[s.current[k]]
	if left > 1 || left == 0 || s.done[t] != 0 {
		return left > 0
	}
	for i := s.p.firstRead[t]; i < s.p.firstRead[t+1]; i++ {
		if s.p.reads[i].key == k {
			return s.comesFrom[i] != s.current[k]
		}
	}
	return true
}
