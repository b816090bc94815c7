package judge

import (
	"slices"

	"github.com/txrobust/robust/isolation"
)

// This file defines the levels once more, for tiny histories: literally, and apart from package
// history and all checkers, so that a mistake in what they share shows.

// litOp is an operation: r reads; w writes a register, p a string, a appends to a list or string, s adds
// to a set, i increments a counter.
type litOp struct {
	f   byte
	key int
	v   int // what is written; 0 is nil
	// got is what is read: the value of a register, the sum of a counter, the elements of a
	// list, the parts of a string, and the elements of a set in order. It says nothing if the result is open.
	got  []int
	open bool
}

type litOutcome string

const (
	litOK   litOutcome = "ok"
	litFail litOutcome = "fail"
	litInfo litOutcome = "info"
)

type litTxn struct {
	session    int
	outcome    litOutcome
	begin, end int // an info has no end
	ops        []litOp
	// f is txn, or what Knossos calls the operation: read, write, cas, acquire, release.
	f string
	// silent: the info was not recorded; told: it says what it read.
	silent, told bool
}

func (t *litTxn) writes(key int) bool {
	return slices.ContainsFunc(t.ops, func(o litOp) bool { return o.f != 'r' && o.key == key })
}

func (t *litTxn) precedes(u *litTxn) bool { return t.outcome != litInfo && t.end < u.begin }

func (t *litTxn) before(u *litTxn) bool { return t.session == u.session && t.begin < u.begin }

// litHistory has the types of its keys: w, p, a, s or i.
type litHistory struct {
	types []byte
	txns  []*litTxn
}

func (h *litHistory) start() [][]int {
	out := make([][]int, len(h.types))
	for k, t := range h.types {
		if t == 'w' || t == 'i' {
			out[k] = []int{0}
		}
	}
	return out
}

// put gives the state of a key after a write.
func put(state []int, o litOp) []int {
	switch o.f {
	case 'w':
		return []int{o.v}
	case 'p':
		if o.v == 0 {
			return nil
		}
		return []int{o.v}
	case 'i':
		return []int{state[0] + o.v}
	case 's':
		if slices.Contains(state, o.v) {
			return state
		}
		out := append(slices.Clone(state), o.v)
		slices.Sort(out)
		return out
	}
	return append(slices.Clone(state), o.v)
}

// after gives the state of a key after the writes of a transaction up to some operation.
func (t *litTxn) after(state []int, key, ops int) []int {
	for _, o := range t.ops[:ops] {
		if o.f != 'r' && o.key == key {
			state = put(state, o)
		}
	}
	return state
}

// reads tells whether the i-th operation, a read, returns what it did in a state of its key.
func (t *litTxn) reads(i int, state []int) bool {
	o := t.ops[i]
	return o.open || slices.Equal(t.after(state, o.key, i), o.got)
}

// own tells whether the i-th operation reads a register that the transaction wrote before.
func (h *litHistory) own(t *litTxn, i int) bool {
	return h.types[t.ops[i].key] == 'w' && slices.ContainsFunc(t.ops[:i], func(o litOp) bool { return o.f == 'w' && o.key == t.ops[i].key })
}

// satisfies tells whether a history satisfies a level: for one choice of what the open
// transactions did.
func (h *litHistory) satisfies(l isolation.Level) bool {
	var sure, open []*litTxn
	for _, t := range h.txns {
		switch t.outcome {
		case litOK:
			sure = append(sure, t)
		case litInfo:
			open = append(open, t)
		}
	}
	for set := range 1 << len(open) {
		txns := slices.Clone(sure)
		for i, t := range open {
			if set>>i&1 == 1 {
				txns = append(txns, t)
			}
		}
		if h.holds(l, txns) {
			return true
		}
	}
	return false
}

// defined tells whether a level is defined here. PL-1 of lists is not, for their reads show versions, and
// weak levels of strings are not, for an append to a string is a read and a write.
func (h *litHistory) defined(l isolation.Level) bool {
	if h.types[0] == 'p' {
		return l.Implies(isolation.PLSI)
	}
	return l != isolation.PL2L && (l != isolation.PL1 || !slices.Contains(h.types, 'a'))
}

func (h *litHistory) holds(l isolation.Level, txns []*litTxn) bool {
	switch l {
	case isolation.PL1: // reads show nothing, so that one order fits all keys
		return true
	case isolation.RC, isolation.RA, isolation.CC:
		return h.commitOrder(l, txns)
	case isolation.PL2, isolation.PL2Plus, isolation.PL299:
		return h.graph(l, txns)
	}
	s := litSnapshots{h: h, txns: txns}
	s.serial = l == isolation.PL3 || l == isolation.SER || l == isolation.SSER
	s.exclusive = l != isolation.PC
	s.sessions = l.NeedsSessions()
	s.realTime = l.NeedsRealTime()
	s.recent = l == isolation.StrongSI
	return s.extend(nil, [][][]int{h.start()})
}

// litSnapshots is a search for an order of commits in which each transaction reads from a prefix.
type litSnapshots struct {
	h                                             *litHistory
	txns                                          []*litTxn
	serial, exclusive, sessions, realTime, recent bool
}

func (s *litSnapshots) extend(order []*litTxn, states [][][]int) bool {
	if len(order) == len(s.txns) {
		return true
	}
	for _, t := range s.txns {
		if slices.Contains(order, t) || slices.ContainsFunc(s.txns, func(u *litTxn) bool {
			return !slices.Contains(order, u) && u != t && (s.sessions && u.before(t) || s.realTime && u.precedes(t))
		}) {
			continue
		}
		for n := range states {
			if !s.snapshot(t, order[n:], states[n]) {
				continue
			}
			next := slices.Clone(states[len(order)])
			for k := range next {
				next[k] = t.after(next[k], k, len(t.ops))
			}
			if s.extend(append(slices.Clip(order), t), append(slices.Clip(states), next)) {
				return true
			}
			break
		}
	}
	return false
}

// snapshot tells whether a transaction may read a state that misses some transactions.
func (s *litSnapshots) snapshot(t *litTxn, missed []*litTxn, state [][]int) bool {
	for _, u := range missed {
		if s.serial || s.sessions && u.before(t) || s.recent && u.precedes(t) {
			return false
		}
		for k := range s.h.types {
			if s.exclusive && u.writes(k) && t.writes(k) {
				return false
			}
		}
	}
	for i, o := range t.ops {
		if o.f == 'r' && !t.reads(i, state[o.key]) {
			return false
		}
	}
	return true
}

// litRead is a read, and the transaction that it reads from, nil for the initial one.
type litRead struct {
	reader, source *litTxn
	op, key        int
}

// choices gives the reads of transactions that do not read own registers, and the writers
// each may read from, given an order of the writers of every key. It fails if some
// read has none.
func (h *litHistory) choices(txns []*litTxn, order func(key int) []*litTxn) (reads []litRead, from [][]*litTxn, ok bool) {
	for _, t := range txns {
		for i, o := range t.ops {
			if o.f != 'r' || o.open {
				continue
			}
			state := h.start()[o.key]
			if h.own(t, i) {
				if !t.reads(i, state) {
					return nil, nil, false
				}
				continue
			}
			var may []*litTxn
			if t.reads(i, state) {
				may = append(may, nil)
			}
			for _, u := range order(o.key) {
				state = u.after(state, o.key, len(u.ops))
				if u != t && u.writes(o.key) && t.reads(i, state) {
					may = append(may, u)
				}
			}
			if may == nil {
				return nil, nil, false
			}
			reads, from = append(reads, litRead{reader: t, op: i, key: o.key}), append(from, may)
		}
	}
	return reads, from, true
}

// choose tries all sources of reads.
func choose(reads []litRead, from [][]*litTxn, i int, f func() bool) bool {
	if i == len(reads) {
		return f()
	}
	for _, u := range from[i] {
		if reads[i].source = u; choose(reads, from, i+1, f) {
			return true
		}
	}
	return false
}

// permuted tries all orders.
func permuted(first, rest []*litTxn, f func([]*litTxn) bool) bool {
	if len(rest) == 0 {
		return f(first)
	}
	for i, t := range rest {
		if permuted(append(slices.Clip(first), t), slices.Concat(rest[:i], rest[i+1:]), f) {
			return true
		}
	}
	return false
}

// commitOrder is the axiom of RC, RA or CC (Biswas and Enea): if t reads x from u, and v is
// visible to the read and writes x, then v commits before u.
func (h *litHistory) commitOrder(l isolation.Level, txns []*litTxn) bool {
	return permuted(nil, txns, func(order []*litTxn) bool {
		at := func(t *litTxn) int { return slices.Index(order, t) } // -1 for the initial one
		for i, t := range order {
			if slices.ContainsFunc(order[i:], func(u *litTxn) bool { return u.before(t) }) {
				return false
			}
		}
		reads, from, ok := h.choices(txns, func(int) []*litTxn { return order })
		return ok && choose(reads, from, 0, func() bool {
			for _, r := range reads {
				if at(r.source) >= at(r.reader) {
					return false
				}
				for _, v := range visible(l, txns, reads, r) {
					if v != r.source && v.writes(r.key) && at(v) > at(r.source) {
						return false
					}
				}
			}
			return true
		})
	})
}

// visible gives the transactions that a level makes visible to a read.
func visible(l isolation.Level, txns []*litTxn, reads []litRead, r litRead) []*litTxn {
	var out []*litTxn
	direct := func(t *litTxn, last int) {
		for _, q := range reads {
			if q.reader == t && q.op < last && q.source != nil && !slices.Contains(out, q.source) {
				out = append(out, q.source)
			}
		}
		for _, u := range txns {
			if l != isolation.RC && u.before(t) && !slices.Contains(out, u) {
				out = append(out, u)
			}
		}
	}
	if l == isolation.RC {
		direct(r.reader, r.op)
		return out
	}
	direct(r.reader, len(r.reader.ops))
	for i := 0; l == isolation.CC && i < len(out); i++ {
		direct(out[i], len(out[i].ops))
	}
	return out
}

// graph tells whether there are orders of the versions whose direct serialization graph has
// no cycle that Adya's level excludes.
func (h *litHistory) graph(l isolation.Level, txns []*litTxn) bool {
	versions := make([][]*litTxn, len(h.types))
	var order func(k int) bool
	order = func(k int) bool {
		if k == len(h.types) {
			reads, from, ok := h.choices(txns, func(key int) []*litTxn { return versions[key] })
			return ok && choose(reads, from, 0, func() bool { return acyclicGraph(l, txns, versions, reads) })
		}
		writers := slices.DeleteFunc(slices.Clone(txns), func(t *litTxn) bool { return !t.writes(k) })
		return permuted(nil, writers, func(o []*litTxn) bool { versions[k] = o; return order(k + 1) })
	}
	return order(0)
}

func acyclicGraph(l isolation.Level, txns []*litTxn, versions [][]*litTxn, reads []litRead) bool {
	at := func(t *litTxn) int { return slices.Index(txns, t) }
	type edges [8][8]bool
	var dep, all edges
	closed := func(e edges) edges {
		for via := range txns {
			for i := range txns {
				for j := range txns {
					e[i][j] = e[i][j] || e[i][via] && e[via][j]
				}
			}
		}
		return e
	}
	for _, v := range versions {
		for i := 1; i < len(v); i++ {
			dep[at(v[i-1])][at(v[i])] = true
		}
	}
	var anti [][2]int
	for _, r := range reads {
		next := 0
		if r.source != nil {
			dep[at(r.source)][at(r.reader)] = true
			next = slices.Index(versions[r.key], r.source) + 1
		}
		if v := versions[r.key]; next < len(v) && v[next] != r.reader {
			anti = append(anti, [2]int{at(r.reader), at(v[next])})
		}
	}
	all = dep
	for _, a := range anti {
		all[a[0]][a[1]] = true
	}
	dep, all = closed(dep), closed(all)
	for i := range txns {
		if dep[i][i] {
			return false
		}
	}
	for _, a := range anti {
		if l == isolation.PL2Plus && dep[a[1]][a[0]] || l == isolation.PL299 && all[a[1]][a[0]] {
			return false
		}
	}
	return true
}
