package states

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/txrobust/robust/history"
)

const minWidth = 32

// problem is a history as the search sees it.
type problem struct {
	demands
	lanes   []lane
	initial []cell
	total   int // half steps of all transactions
	// never: a committed transaction read what no state explains.
	never bool
	// commuting: there are sets or counters.
	commuting bool
}

// lane is a session: its transactions that may matter.
type lane struct {
	txns       []txn
	begin, end []int64
	// earliest has, of each place, the first end of those from there on that committed.
	earliest []int64
}

func newProblem(h *history.History, d demands) *problem {
	p := &problem{demands: d}
	for k := range history.Key(h.NumKeys()) {
		p.initial = append(p.initial, initial(h, k))
		p.commuting = p.commuting || h.Type(k) == history.Set || h.Type(k) == history.Counter
	}
	for i := range history.Session(h.NumSessions()) {
		var l lane
		for id, end := h.Txns(i); id < end; id++ {
			if h.Status(id) == history.Aborted {
				continue
			}
			t := compile(h, id, d.serial, d.exclusive)
			if t.optional && (t.never || len(t.effects) == 0) {
				continue
			}
			p.never = p.never || t.never
			l.txns, l.begin, l.end = append(l.txns, t), append(l.begin, h.Begin(id)), append(l.end, h.End(id))
		}
		l.earliest = make([]int64, len(l.txns)+1)
		l.earliest[len(l.txns)] = history.NoEnd
		for j, t := range slices.Backward(l.txns) {
			l.earliest[j] = l.earliest[j+1]
			if !t.optional {
				l.earliest[j] = min(l.earliest[j], l.end[j])
			}
		}
		p.total += 2 * len(l.txns)
		p.lanes = append(p.lanes, l)
	}
	return p
}

// rank ranks the transactions by a guess: those of one rank are about as early.
func (p *problem) rank(guess func(history.Txn) int64) {
	var all []*txn
	for i := range p.lanes {
		for j := range p.lanes[i].txns {
			all = append(all, &p.lanes[i].txns[j])
		}
	}
	slices.SortStableFunc(all, func(a, b *txn) int { return cmp.Compare(guess(a.id), guess(b.id)) })
	for i, t := range all {
		t.rank = int64(i)
	}
}

// state is what there is after some steps.
type state struct {
	// at is twice the number of transactions of each lane that happened, and 1 more if the next one has begun.
	at    []int32
	cells []cell
	hash  hash
	done  int   // half steps
	score int64 // the sum of the ranks of what happened: the less the nearer to the guess
}

// hash stands for a state: 128 bits, so that no two are the same.
type hash [2]uint64

// toggle adds something to a state, or takes it away.
func (h *hash) toggle(where int, what uint64) {
	n := mixed(uint64(where)*0x9e3779b97f4a7c15 ^ mixed(what))
	h[0] ^= n
	h[1] ^= mixed(^n)
}

// action is a kind of step.
type action uint8

const (
	happens action = iota // it reads and commits
	begins                // it reads
	commits
	fails // of unknown outcome: it never happens
)

// step is what the next transaction of a lane does.
type step struct {
	lane int32
	action
}

// node is a state on a way from the start.
type node struct {
	before int32
	step   step
}

// candidate is a state that may be kept: one step after a node.
type candidate struct {
	node
	from  *state // of the node before; or the state itself, if it is there
	there bool
	hash  hash
	score int64
}

// search is a search of one width.
type search struct {
	*problem
	ctx   context.Context
	width int
	steps int // that are left
	nodes []node
	at    [][]candidate // by half steps
	goal  int32
	// cut: states were left out, first after so many half steps.
	cut   bool
	first int
}

// run tells whether some execution reaches the end.
func (s *search) run() bool {
	s.at, s.goal = make([][]candidate, s.total+1), -1
	start := &state{at: make([]int32, len(s.lanes)), cells: slices.Clone(s.initial)}
	s.readers(start, nil)
	s.at[start.done] = []candidate{{node: node{before: -1}, from: start, there: true}}
	for done := 0; done <= s.total; done++ {
		kept := s.keep(done)
		s.at[done] = nil
		for _, c := range kept {
			st := c.from
			if !c.there {
				st = s.after(c.from, c.step)
				if s.readers(st, nil); st.done > done { // others may be as far
					c.from, c.there, c.hash, c.score = st, true, st.hash, st.score
					s.at[st.done] = append(s.at[st.done], c)
					continue
				}
			}
			s.nodes = append(s.nodes, c.node)
			if n := int32(len(s.nodes) - 1); done == s.total {
				s.goal = n
				return true
			} else if s.expand(n, st); s.steps <= 0 {
				return false
			}
		}
		if s.ctx.Err() != nil {
			return false
		}
	}
	return false
}

// keep gives the candidates after so many half steps, each state once, and the best ones if there are too many.
func (s *search) keep(done int) []candidate {
	all := s.at[done]
	seen := make(map[hash]bool, len(all))
	all = slices.DeleteFunc(all, func(c candidate) bool {
		twice := seen[c.hash]
		seen[c.hash] = true
		return twice
	})
	if len(all) <= s.width {
		return all
	}
	if !s.cut {
		s.cut, s.first = true, done
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.hash[0], b.hash[0]))
	})
	return all[:s.width]
}

// bound is the first end of all that did not happen: who begins later must wait.
func (s *search) bound(st *state) int64 {
	out := history.NoEnd
	if s.realTime {
		for i := range s.lanes {
			out = min(out, s.lanes[i].earliest[st.at[i]/2])
		}
	}
	return out
}

// fits tells whether a transaction finds now what it read. It is clean if that decides nothing about
// what was there initially.
func (st *state) fits(t *txn) (ok, clean bool) {
	clean = true
	for _, d := range t.needs {
		switch st.cells[d.key] {
		case d.want:
		case open:
			clean = false
		default:
			return false, false
		}
	}
	return !t.never, clean
}

// blocked tells whether somebody who writes the same key has begun and not committed.
func (s *search) blocked(st *state, t *txn) bool {
	if !s.exclusive || s.serial {
		return false
	}
	for i := range s.lanes {
		if st.at[i]&1 == 0 {
			continue
		}
		u := &s.lanes[i].txns[st.at[i]/2]
		if slices.ContainsFunc(t.effects, func(e effect) bool { return u.own(e.key) != nil }) {
			return true
		}
	}
	return false
}

// readers lets all transactions happen that only read and fit, and tells which.
func (s *search) readers(st *state, tell func(history.Txn)) {
	for again := true; again; {
		again = false
		bound := s.bound(st)
		for i := range s.lanes {
			l := &s.lanes[i]
			for st.at[i]&1 == 0 && int(st.at[i]/2) < len(l.txns) {
				n := st.at[i] / 2
				t := &l.txns[n]
				if len(t.effects) > 0 || s.realTime && l.begin[n] > bound {
					break
				}
				if _, clean := st.fits(t); !clean {
					break
				}
				if tell != nil {
					tell(t.id)
				}
				s.apply(st, step{int32(i), happens})
				again = s.realTime
			}
		}
	}
}

// expand adds what may come after a state.
func (s *search) expand(n int32, st *state) {
	bound := s.bound(st)
	for i := range s.lanes {
		l := &s.lanes[i]
		if int(st.at[i]/2) == len(l.txns) {
			continue
		}
		s.steps--
		t, late := &l.txns[st.at[i]/2], l.begin[st.at[i]/2] > bound
		if st.at[i]&1 == 1 {
			if !late {
				s.push(n, st, step{int32(i), commits})
			}
			continue
		}
		if t.optional {
			s.push(n, st, step{int32(i), fails})
		}
		if ok, _ := st.fits(t); !ok || s.blocked(st, t) {
			continue
		}
		switch whole := t.blind || len(t.effects) == 0; {
		case whole && !late:
			s.push(n, st, step{int32(i), happens})
		case whole && len(t.effects) == 0 && !s.serial && !s.recent: // it commits when those are done that ended before
			s.push(n, st, step{int32(i), begins})
		case !whole && !(late && s.recent):
			s.push(n, st, step{int32(i), begins})
		}
	}
}

// push adds the state after a step to the candidates.
func (s *search) push(n int32, st *state, m step) {
	t := &s.lanes[m.lane].txns[st.at[m.lane]/2]
	c := candidate{node: node{n, m}, from: st, hash: s.hashAfter(st, m), score: st.score + m.cost(t)}
	s.at[st.done+m.half()] = append(s.at[st.done+m.half()], c)
}

// half is how many half steps a step is.
func (m step) half() int {
	if m.action == begins || m.action == commits {
		return 1
	}
	return 2
}

// cost is what a step adds to the score.
func (m step) cost(t *txn) int64 { return t.rank * int64(m.half()) }

// hashAfter is the hash of the state after a step.
func (s *search) hashAfter(st *state, m step) hash {
	out := st.hash
	at := st.at[m.lane]
	out.toggle(int(m.lane), uint64(at))
	out.toggle(int(m.lane), uint64(at)+uint64(m.half()))
	t := &s.lanes[m.lane].txns[at/2]
	cells := len(s.lanes)
	set := func(k history.Key, before, after cell) {
		if before != after {
			out.toggle(cells+int(k), uint64(before))
			out.toggle(cells+int(k), uint64(after))
		}
	}
	reads, writes := m.action == happens || m.action == begins, m.action == happens || m.action == commits
	if reads {
		for _, d := range t.needs {
			if st.cells[d.key] == open && !(writes && t.own(d.key) != nil) {
				set(d.key, open, d.want)
			}
		}
	}
	if writes {
		for _, e := range t.effects {
			set(e.key, st.cells[e.key], e.apply(st.cells[e.key]))
		}
	}
	return out
}

// after gives the state after a step.
func (s *search) after(st *state, m step) *state {
	out := &state{at: slices.Clone(st.at), cells: slices.Clone(st.cells), hash: st.hash, done: st.done, score: st.score}
	s.apply(out, m)
	return out
}

// apply does a step.
func (s *search) apply(st *state, m step) {
	t := &s.lanes[m.lane].txns[st.at[m.lane]/2]
	st.hash = s.hashAfter(st, m)
	st.score += m.cost(t)
	if m.action == happens || m.action == begins {
		for _, d := range t.needs {
			if st.cells[d.key] == open {
				st.cells[d.key] = d.want
			}
		}
	}
	if m.action == happens || m.action == commits {
		for _, e := range t.effects {
			st.cells[e.key] = e.apply(st.cells[e.key])
		}
	}
	st.at[m.lane] += int32(m.half())
	st.done += m.half()
}

// witness gives the order of commits that reaches the end, and the snapshots.
func (s *search) witness() (order []history.Txn, snapshots []int32) {
	var way []step
	for n := s.goal; s.nodes[n].before >= 0; n = s.nodes[n].before {
		way = append(way, s.nodes[n].step)
	}
	st := &state{at: make([]int32, len(s.lanes)), cells: slices.Clone(s.initial)}
	begun := make([]int32, len(s.lanes))
	whole := func(t history.Txn) { order, snapshots = append(order, t), append(snapshots, int32(len(order))) }
	s.readers(st, whole)
	for _, m := range slices.Backward(way) {
		t := &s.lanes[m.lane].txns[st.at[m.lane]/2]
		switch m.action {
		case happens:
			whole(t.id)
		case begins:
			begun[m.lane] = int32(len(order))
		case commits:
			order, snapshots = append(order, t.id), append(snapshots, begun[m.lane])
		}
		s.apply(st, m)
		s.readers(st, whole)
	}
	return order, snapshots
}

// why says what was left out.
func (s *search) why(h *history.History) string {
	return fmt.Sprintf("What was read does not tell who wrote it, and no execution was found: after %d of %d transactions the database may have been in more than %d states, of which those nearest to an even progress of the sessions were followed.",
		s.first/2, s.total/2, s.width)
}
