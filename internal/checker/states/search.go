package states

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/txrobust/robust/history"
)

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
	uses      map[content]*uses
}

// content is what a register may hold.
type content struct {
	key  history.Key
	what cell
}

// uses are the transactions that read or leave a content: for each lane their places, rising.
type uses struct{ needed, left [][]int32 }

// lane is a session: its transactions that may matter.
type lane struct {
	txns       []txn
	begin, end []int64
	// earliest has, of each place, the first end of those from there on that committed.
	earliest []int64
}

// newProblem is a history with the moments at which transactions began and ended.
func newProblem(h *history.History, d demands, begin, end func(history.Txn) int64) *problem {
	p := &problem{demands: d, uses: map[content]*uses{}}
	for k := range history.Key(h.NumKeys()) {
		p.initial = append(p.initial, initial(h, k))
		p.commuting = p.commuting || h.Type(k) == history.Set || h.Type(k) == history.Counter
	}
	for i := range history.Session(h.NumSessions()) {
		var l lane
		for id, last := h.Txns(i); id < last; id++ {
			if h.Status(id) == history.Aborted {
				continue
			}
			t := compile(h, id, d.serial, d.exclusive)
			if t.optional && (t.never || len(t.effects) == 0) {
				continue
			}
			p.never = p.never || t.never
			p.use(int(i), int32(len(l.txns)), h, &t)
			l.txns, l.begin, l.end = append(l.txns, t), append(l.begin, begin(id)), append(l.end, end(id))
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

// use notes what registers a transaction reads and leaves.
func (p *problem) use(lane int, place int32, h *history.History, t *txn) {
	add := func(k history.Key, what cell, of func(u *uses) *[][]int32) {
		if h.Type(k) != history.Register {
			return
		}
		c := content{k, what}
		if p.uses[c] == nil {
			p.uses[c] = &uses{make([][]int32, h.NumSessions()), make([][]int32, h.NumSessions())}
		}
		places := *of(p.uses[c])
		places[lane] = append(places[lane], place)
	}
	for _, d := range t.needs {
		add(d.key, d.want, func(u *uses) *[][]int32 { return &u.needed })
	}
	for _, e := range t.effects {
		add(e.key, e.amount, func(u *uses) *[][]int32 { return &u.left })
	}
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

// search is a search by one guess.
type search struct {
	*problem
	ctx   context.Context
	steps int // that are left
	nodes []node
	at    [][]candidate // by half steps
	last  int           // the last half step of which there are candidates
	goal  int32
	marks []mark
	width int // how many states are kept after so many half steps, where all goes well
	// cut: states were left out, first after so many half steps.
	cut   bool
	first int
}

// mark is where a search may go on again, with more room.
type mark struct {
	done int
	at   [][]candidate // from there on
}

const (
	minWidth   = 32
	timedWidth = 4  // in real time few orders are left
	markEvery  = 64 // half steps
)

// run tells whether some execution reaches the end. Where none goes on, the search goes back and
// leaves less out: the further and the less the more often it comes to the same place.
func (s *search) run() bool {
	s.at, s.goal = make([][]candidate, s.total+1), -1
	start := &state{at: make([]int32, len(s.lanes)), cells: slices.Clone(s.initial)}
	s.readers(start, nil)
	s.add(candidate{node: node{before: -1}, from: start, there: true}, start.done)
	s.mark(0)
	back, width, wide := markEvery, s.width, -1 // the width is more than usual up to wide
	for from := 0; !s.forward(from, width, wide); {
		if !s.cut || s.steps <= 0 || s.ctx.Err() != nil {
			return false
		}
		if s.last > wide {
			back, width = markEvery, s.width
		}
		back, width, wide = 2*back, 4*width, max(wide, s.last+markEvery)
		from = s.back(s.last - back)
	}
	return true
}

// mark notes the candidates from some half step on.
func (s *search) mark(done int) {
	m := mark{done: done}
	for _, c := range s.at[done : s.last+1] {
		m.at = append(m.at, slices.Clone(c))
	}
	s.marks = append(s.marks, m)
}

// back goes back to the last mark that is not after a half step, and gives its place.
func (s *search) back(to int) int {
	for len(s.marks) > 1 && s.marks[len(s.marks)-1].done > to {
		s.marks = s.marks[:len(s.marks)-1]
	}
	m := s.marks[len(s.marks)-1]
	for i, c := range m.at {
		s.at[m.done+i] = slices.Clone(c)
	}
	s.last = m.done + len(m.at) - 1
	s.cut = s.cut && m.done > 0
	return m.done
}

// add adds a candidate after so many half steps.
func (s *search) add(c candidate, done int) {
	s.at[done] = append(s.at[done], c)
	s.last = max(s.last, done)
}

// forward goes on after so many half steps, until the end is reached or nothing goes on.
func (s *search) forward(from, width, wide int) bool {
	for done := from; done <= s.last; done++ {
		if done > wide {
			width = s.width
		}
		if done >= s.marks[len(s.marks)-1].done+markEvery {
			s.mark(done)
		}
		kept := s.keep(done, width)
		s.at[done] = nil
		for _, c := range kept {
			st := c.from
			if !c.there {
				st = s.after(c.from, c.step)
				st.score = c.score
				if s.readers(st, nil); st.done > done { // others may be as far
					c.from, c.there, c.hash, c.score = st, true, st.hash, st.score
					s.add(c, st.done)
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
func (s *search) keep(done, width int) []candidate {
	all := s.at[done]
	seen := make(map[hash]bool, len(all))
	all = slices.DeleteFunc(all, func(c candidate) bool {
		twice := seen[c.hash]
		seen[c.hash] = true
		return twice
	})
	if len(all) <= width {
		return all
	}
	if !s.cut {
		s.cut, s.first = true, done
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.hash[0], b.hash[0]))
	})
	return all[:width]
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

// push adds the state after a step to the candidates, unless nothing can come of it.
func (s *search) push(n int32, st *state, m step) {
	t := &s.lanes[m.lane].txns[st.at[m.lane]/2]
	loss := int64(0)
	if m.action == happens || m.action == commits {
		var ok bool
		if loss, ok = s.loss(st, m, t); !ok {
			return
		}
	}
	s.add(candidate{node: node{n, m}, from: st, hash: s.hashAfter(st, m), score: st.score + m.cost(t) + loss}, st.done+m.half())
}

// loss is what it costs that a transaction overwrites what is still to be read, by the guess: how far
// the other lanes get ahead while one waits. It is not ok if nobody writes that again.
func (s *search) loss(st *state, m step, t *txn) (cost int64, ok bool) {
	for _, e := range t.effects {
		old := st.cells[e.key]
		u := s.uses[content{e.key, old}]
		if u == nil || old == e.amount {
			continue
		}
		next := int64(-1)
		for i, places := range u.left {
			from := st.at[i] / 2
			if int32(i) == m.lane {
				from++
			}
			if p, ok := firstFrom(places, from); ok {
				if r := s.lanes[i].txns[p].rank; next < 0 || r < next {
					next = r
				}
			}
		}
		for i, places := range u.needed {
			from := (st.at[i] + 1) / 2
			if int32(i) == m.lane {
				from = st.at[i]/2 + 1
			}
			p, ok := firstFrom(places, from)
			if !ok {
				continue
			}
			reader := &s.lanes[i].txns[p]
			switch late := next - reader.rank; {
			case next < 0 && !reader.optional:
				return 0, false
			case late > 0:
				cost += late * late / int64(len(s.lanes))
			}
		}
	}
	return cost, true
}

// firstFrom is the first of some rising places that is not before another one.
func firstFrom(places []int32, from int32) (int32, bool) {
	i, _ := slices.BinarySearch(places, from)
	if i == len(places) {
		return 0, false
	}
	return places[i], true
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
func (s *search) why() string {
	return fmt.Sprintf("What was read does not tell who wrote it, and no execution was found: after %d of %d transactions the database may have been in more than %d states, of which those nearest to a guess were followed.",
		s.first/2, s.total/2, s.width)
}
