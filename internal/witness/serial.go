package witness

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
)

// serial lists the serial orders with what each would have done instead, up to
// maxOrders of them, and counts them all.
func (b *builder) serial() ([]SerialOrder, int) {
	s := b.newSerial()
	s.plays = true
	s.next()
	return s.out, orders(b.x, b.e.AnyOrder)
}

func (b *builder) newSerial() *serial {
	s := &serial{b: b, m: b.e.Machine(), regs: make([]map[string]ir.Value, len(b.e.Sessions))}
	s.m.Trace = true
	s.db = []*interp.DB{b.x.Versions[0]}
	s.used = make([]bool, len(b.x.Txns))
	s.places = map[string]int{}
	return s
}

// serialRun is a serial order with what each transaction does. It ends with one that
// does not commit, or with the last.
type serialRun struct {
	order []int // places in the execution
	runs  []*interp.Run
	// stops says why the last one does not commit, or is "".
	stops string
	// last is the state at the end, nil where one does not commit.
	last *interp.DB
}

// orders counts the serial orders of an execution.
func orders(x *interp.Execution, anyOrder bool) int {
	n := 1
	length := map[int]int{}
	for i := range x.Txns {
		n *= i + 1
		if !anyOrder {
			// Of the orders within a session only one counts.
			length[x.Txns[i].Session]++
			n /= length[x.Txns[i].Session]
		}
	}
	return n
}

// maxOrders bounds the orders that are spelled out: those of five transactions.
const maxOrders = 120

// serial goes through all serial orders of the transactions of a builder.
type serial struct {
	b     *builder
	m     *interp.Machine
	used  []bool
	order []int // places in the execution
	runs  []*interp.Run
	db    []*interp.DB
	regs  []map[string]ir.Value
	out   []SerialOrder
	// places finds an order in out.
	places map[string]int
	// visit, if not nil, is told all orders.
	visit func(serialRun)
	// plays keeps what happens in each order.
	plays bool
}

// next extends the order by each transaction that may come next, by label.
func (s *serial) next() {
	if len(s.out) == maxOrders {
		return
	}
	if len(s.order) == len(s.used) {
		s.record(s.differs(), nil)
		s.visited(nil, "")
		return
	}
	for _, i := range s.b.start {
		if s.used[i] || !s.b.e.AnyOrder && s.waits(i) {
			continue
		}
		s.used[i] = true
		s.order = append(s.order, i)
		s.step(i)
		s.order = s.order[:len(s.order)-1]
		s.used[i] = false
	}
}

// waits reports whether an earlier transaction of the same session is missing.
func (s *serial) waits(i int) bool {
	t := &s.b.x.Txns[i]
	for k := range s.b.x.Txns {
		if o := &s.b.x.Txns[k]; o.Session == t.Session && o.Index < t.Index && !s.used[k] {
			return true
		}
	}
	return false
}

func (s *serial) step(i int) {
	t := &s.b.x.Txns[i]
	why := ""
	done := false
	var failed *interp.Run
	old := s.regs[t.Session]
	for _, run := range s.m.Runs(t.Run.Inst, s.db[len(s.db)-1], old, true) {
		db, reason := s.m.Commit(run, s.db[len(s.db)-1], nil)
		if reason != "" {
			why, failed = blocked(run, reason), run
			if run.Blocked != interp.NotAssumed { // else it is none, unless there is no other
				s.visited(run, reason)
			}
			continue
		}
		done = true
		s.db, s.runs = append(s.db, db), append(s.runs, run)
		s.regs[t.Session] = run.Keep(old)
		s.next()
		s.regs[t.Session] = old
		s.db, s.runs = s.db[:len(s.db)-1], s.runs[:len(s.runs)-1]
	}
	if !done {
		if failed != nil && failed.Blocked == interp.NotAssumed {
			s.visited(failed, interp.NotAssumed)
		}
		s.record([]string{s.b.who(i) + why}, failed)
	}
}

// visited tells of an order, which ends with a run that does not commit, if run is not
// nil.
func (s *serial) visited(run *interp.Run, why string) {
	if s.visit == nil {
		return
	}
	r := serialRun{order: slices.Clone(s.order), runs: slices.Clone(s.runs), stops: why}
	if run != nil {
		r.runs = append(r.runs, run)
	} else {
		r.last = s.db[len(s.db)-1]
	}
	s.visit(r)
}

// blocked says why a run does not commit, and where it ended.
func blocked(run *interp.Run, reason string) string {
	if n := len(run.Steps); n > 0 {
		at := run.Steps[n-1].Stmt
		if _, ok := at.(*ir.Abort); ok {
			return " would roll back at " + short(at)
		}
		if run.Blocked != "" {
			return " would fail at " + short(at) + ": " + reason
		}
	}
	return " would fail: " + reason
}

// record keeps an order, or, when the choices of its runs make it come up
// again, the outcome that is nearest to the execution. It may end with a run that
// does not commit.
func (s *serial) record(differs []string, failed *interp.Run) {
	o := SerialOrder{Differs: differs}
	if s.plays && len(s.out) < MaxSerial {
		o.Play = s.play(failed)
	}
	for _, i := range s.order {
		o.Order = append(o.Order, s.b.labels[i])
	}
	key := strings.Join(o.Order, " ")
	if n, again := s.places[key]; again {
		if len(differs) < len(s.out[n].Differs) {
			s.out[n] = o
		}
		return
	}
	if len(s.out) < maxOrders {
		s.places[key] = len(s.out)
		s.out = append(s.out, o)
	}
}

// short is the place of a statement without folders.
func short(s ir.Stmt) string {
	p := position(s.Position())
	p.File = filepath.Base(p.File)
	return p.String()
}
