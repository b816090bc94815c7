package commute

import (
	"cmp"
	"context"
	"slices"

	"github.com/txrobust/robust/history"
)

// lane is a session: its transactions that may have happened, without those that changed and
// showed nothing.
type lane struct {
	txns []history.Txn
	// at is the first one that has not happened. begun: it has read, and is to commit.
	at    int
	begun bool
	// earliest has, of each place, the first end of those from there on.
	earliest []int64
}

// search looks for an order.
type search struct {
	ctx    context.Context
	h      *history.History
	serial bool
	steps  int // that are left
	lanes  []lane
	left   int // committed transactions that have not happened

	// What is there: counters, and elements of sets with how many there are.
	sum  []int64
	size []int
	has  map[element]int
	busy []bool // of keys: somebody who writes it has begun

	hash state
	dead map[state]bool // from where no order was found
	// Of the transaction that is looked at:
	own    map[element]bool
	added  map[history.Key]int
	amount map[history.Key]int64
}

type element struct {
	k history.Key
	v history.Value
}

// state is a hash of what has happened: 128 bits, so that no two are the same.
type state [2]uint64

// toggle adds a move to a state, or takes it away.
func (s *state) toggle(t history.Txn, a action) {
	n := uint64(t)*4 + uint64(a)
	s[0] ^= mixed(n)
	s[1] ^= mixed(^n)
}

// mixed is the finalizer of SplitMix64.
func mixed(n uint64) uint64 {
	n += 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}

// action is what may come next in a lane.
type action uint8

const (
	happens action = iota // it reads and commits
	begins                // it reads
	commits
	fails // of unknown outcome: it never happens
)

// move is an action of the next transaction of a lane.
type move struct {
	lane int
	action
	end int64
}

func newSearch(ctx context.Context, h *history.History, serial bool, steps int) *search {
	s := &search{ctx: ctx, h: h, serial: serial, steps: steps, sum: make([]int64, h.NumKeys()), size: make([]int, h.NumKeys()), has: map[element]int{},
		busy: make([]bool, h.NumKeys()), dead: map[state]bool{}, own: map[element]bool{}, added: map[history.Key]int{}, amount: map[history.Key]int64{}}
	for k := range s.sum {
		s.sum[k], _ = h.Amount(h.Value(history.Op(k)))
	}
	for i := range h.NumSessions() {
		var l lane
		for t, end := h.Txns(history.Session(i)); t < end; t++ {
			switch {
			case h.Status(t) == history.Committed:
				s.left++
				l.txns = append(l.txns, t)
			case h.Status(t) == history.Unknown && s.writes(t):
				l.txns = append(l.txns, t)
			}
		}
		l.earliest = make([]int64, len(l.txns)+1)
		l.earliest[len(l.txns)] = history.NoEnd
		for j := len(l.txns) - 1; j >= 0; j-- {
			l.earliest[j] = min(l.earliest[j+1], h.End(l.txns[j]))
		}
		s.lanes = append(s.lanes, l)
	}
	return s
}

// writes tells whether a transaction changes anything.
func (s *search) writes(t history.Txn) bool {
	for o, end := s.h.Ops(t); o < end; o++ {
		if s.h.Kind(o).Writes() {
			return true
		}
	}
	return false
}

// run tells whether what is left can happen in some order.
func (s *search) run() bool {
	done := s.readers()
	if s.left == 0 {
		return true
	}
	if s.steps--; s.steps >= 0 && (s.steps%1024 != 0 || s.ctx.Err() == nil) && !s.dead[s.hash] {
		for _, m := range s.moves() {
			s.do(m)
			if s.run() {
				return true
			}
			s.undo(m)
		}
		s.dead[s.hash] = true
	}
	for _, m := range slices.Backward(done) {
		s.undo(m)
	}
	return false
}

// readers lets all transactions happen that only read and fit, and gives the moves.
func (s *search) readers() (done []move) {
	for again := true; again; {
		again = false
		bound := s.bound()
		for i := range s.lanes {
			t, ok := s.next(i)
			if ok && s.h.Begin(t) <= bound && !s.writes(t) && s.fits(t) {
				m := move{i, happens, 0}
				s.do(m)
				done, again = append(done, m), true
				bound = s.bound()
			}
		}
	}
	return done
}

// next is the next transaction of a lane that has not begun.
func (s *search) next(i int) (history.Txn, bool) {
	l := &s.lanes[i]
	if l.begun || l.at == len(l.txns) {
		return 0, false
	}
	return l.txns[l.at], true
}

// bound is the first end of all that has not happened: who begins later must wait.
func (s *search) bound() int64 {
	out := history.NoEnd
	for i := range s.lanes {
		out = min(out, s.lanes[i].earliest[s.lanes[i].at])
	}
	return out
}

// moves gives what may come next, the best first.
func (s *search) moves() []move {
	var out []move
	bound := s.bound()
	for i := range s.lanes {
		l := &s.lanes[i]
		if l.begun {
			out = append(out, move{i, commits, s.h.End(l.txns[l.at])})
			continue
		}
		t, ok := s.next(i)
		if !ok {
			continue
		}
		if s.h.Begin(t) <= bound && s.writes(t) && s.fits(t) {
			if s.serial {
				out = append(out, move{i, happens, s.h.End(t)})
			} else if !s.blocked(t) {
				out = append(out, move{i, begins, s.h.End(t)})
			}
		}
		if s.h.Status(t) == history.Unknown {
			out = append(out, move{i, fails, history.NoEnd})
		}
	}
	slices.SortStableFunc(out, func(a, b move) int {
		return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.action, b.action))
	})
	return out
}

// blocked tells whether somebody who writes the same has begun and not committed.
func (s *search) blocked(t history.Txn) bool {
	for o, end := s.h.Ops(t); o < end; o++ {
		if s.h.Kind(o).Writes() && s.busy[s.h.Key(o)] {
			return true
		}
	}
	return false
}

func (s *search) do(m move)   { s.apply(m, 1) }
func (s *search) undo(m move) { s.apply(m, -1) }

// apply does a move, or undoes it if sign is -1.
func (s *search) apply(m move, sign int) {
	l := &s.lanes[m.lane]
	if sign < 0 && m.action != begins {
		l.at--
	}
	t := l.txns[l.at]
	s.hash.toggle(t, m.action)
	switch m.action {
	case begins:
		l.begun = sign > 0
		s.hold(t, l.begun)
		return
	case commits:
		l.begun = sign < 0
		s.hold(t, l.begun)
		s.write(t, sign)
	case happens:
		s.write(t, sign)
	case fails:
	}
	if sign > 0 {
		l.at++
	}
	if s.h.Status(t) == history.Committed {
		s.left -= sign
	}
}

// hold says whether the keys that a transaction writes are busy.
func (s *search) hold(t history.Txn, busy bool) {
	for o, end := s.h.Ops(t); o < end; o++ {
		if s.h.Kind(o).Writes() {
			s.busy[s.h.Key(o)] = busy
		}
	}
}

// write makes what a transaction changes be there, or not.
func (s *search) write(t history.Txn, sign int) {
	h := s.h
	for o, end := h.Ops(t); o < end; o++ {
		k := h.Key(o)
		switch h.Kind(o) {
		case history.Increment:
			n, _ := h.Amount(h.Value(o))
			s.sum[k] += int64(sign) * n
		case history.Add:
			e := element{k, h.Value(o)}
			before := s.has[e] > 0
			s.has[e] += sign
			if after := s.has[e] > 0; after != before {
				s.size[k] += sign
			}
		}
	}
}

// fits tells whether a transaction that reads now reads what it did.
func (s *search) fits(t history.Txn) bool {
	clear(s.own)
	clear(s.added)
	clear(s.amount)
	h := s.h
	for o, end := h.Ops(t); o < end; o++ {
		k := h.Key(o)
		switch kind := h.Kind(o); {
		case kind == history.Increment:
			n, _ := h.Amount(h.Value(o))
			s.amount[k] += n
		case kind == history.Add:
			if e := (element{k, h.Value(o)}); s.has[e] == 0 && !s.own[e] {
				s.own[e] = true
				s.added[k]++
			}
		case !h.Known(o):
		case kind == history.ReadCounter:
			if n, ok := h.Amount(h.Value(o)); !ok || n != s.sum[k]+s.amount[k] {
				return false
			}
		case !s.shows(k, h.List(o)):
			return false
		}
	}
	return true
}

// shows tells whether a set has these elements and no others.
func (s *search) shows(k history.Key, list []history.Value) bool {
	if len(list) != s.size[k]+s.added[k] {
		return false
	}
	return !slices.ContainsFunc(list, func(v history.Value) bool { e := element{k, v}; return s.has[e] == 0 && !s.own[e] })
}
