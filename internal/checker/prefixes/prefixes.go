package prefixes

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/c4"
	"github.com/txrobust/robust/isolation"
)

// Options say what to check.
type Options struct {
	// Levels are among Levels().
	Levels []isolation.Level
	// Tries is how many executions are guessed; defaultTries if 0.
	Tries int
}

const (
	defaultTries = 12
	maxElements  = 4_000_000 // of the lists that are written
)

// Levels are those that the package decides.
func Levels() []isolation.Level { return c4.Levels() }

// Check decides levels. The error is that of the context.
func Check(ctx context.Context, h *history.History, o Options) (*checker.Result, error) {
	p, why := newProblem(h)
	r := &checker.Result{}
	if why != "" || p.apart != "" {
		verdict := checker.Unknown
		if why == "" {
			verdict = checker.Violated
		}
		for _, l := range o.Levels {
			r.Answers = append(r.Answers, checker.Answer{Level: l, Verdict: verdict, Why: cmp.Or(why, p.apart)})
		}
		return r, nil
	}
	answers := map[isolation.Level]checker.Answer{}
	open := slices.DeleteFunc(slices.Clone(o.Levels), func(l isolation.Level) bool {
		if p.forgets != "" && l.Implies(isolation.RA) {
			answers[l] = checker.Answer{Level: l, Verdict: checker.Violated, Why: p.forgets}
		}
		return answers[l].Why != ""
	})
	var last *execution
	for try := range cmp.Or(o.Tries, defaultTries) {
		if len(open) == 0 || try > 0 && p.choices == 0 {
			break
		}
		e, err := p.guess(ctx, try)
		if err != nil {
			return nil, err
		}
		if e == nil {
			continue
		}
		last = e
		if open, err = p.ask(ctx, e, open, answers); err != nil {
			return nil, err
		}
	}
	if p.choices > 0 && last != nil {
		for _, l := range open {
			a, err := last.newMender(ctx, l).run(p.steps())
			if err != nil {
				return nil, err
			}
			if a.Verdict == checker.Satisfied {
				a.Why = fitting
				answers[l] = a
			}
		}
	}
	for _, l := range o.Levels {
		a, known := answers[l]
		if !known {
			a = checker.Answer{Level: l, Why: fmt.Sprintf("In %d places the reads do not say in which order transactions wrote, and no order that was tried fits.", p.choices)}
		}
		r.Answers = append(r.Answers, a)
	}
	return r, nil
}

const fitting = "Each read shows a prefix of those who write its key, in one order that fits."

// ask asks about the order of an execution, and gives the levels that are still open.
func (p *problem) ask(ctx context.Context, e *execution, open []isolation.Level, answers map[isolation.Level]checker.Answer) ([]isolation.Level, error) {
	lists, err := e.lists()
	if err != nil {
		return nil, err
	}
	got, err := c4.Check(ctx, lists, c4.Options{Levels: open, First: true, Limit: 1})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(open, func(l isolation.Level) bool {
		a := got.Answer(l)
		if a.Verdict == checker.Satisfied {
			a.Why = fitting
		} else if p.choices > 0 || a.Verdict == checker.Unknown {
			return false
		} else {
			a.Why = "What was read gives the order of those who write, and no commit order fits it."
		}
		answers[l] = a
		return true
	}), nil
}

// maxSteps is how many times an order is changed at most, and about how many operations are judged for it.
const (
	maxSteps     = 200
	maxStepsWork = 4_000_000
)

func (p *problem) steps() int { return min(maxSteps, maxStepsWork/max(1, p.h.NumOps())) }

// txn is a transaction that committed, or may have.
type txn struct {
	id       history.Txn
	optional bool // its outcome is unknown, and no set shows what it adds
	writes   []write
	needs    []need
	rank     float64 // when it happened, by a guess
}

// write is an add or an increment.
type write struct {
	op     history.Op
	key    history.Key
	amount int64 // of a counter
	after  int   // how many elements of the set come before
}

// need is a read, without the own writes before it: so many elements of a set, or a sum.
type need struct {
	op   history.Op
	key  history.Key
	size int // less than 0 if it does not show the own ones
	sum  int64
	own  []history.Op
}

// problem is a history as the search sees it.
type problem struct {
	h       *history.History
	lanes   [][]*txn
	choices int    // how many times the order of writers is a guess
	apart   string // what no order of writers fits, if there is something
	forgets string // the same, of orders that contain what a session did before
	adder   map[element]history.Op
	after   map[history.Op]int // of adds: see write
	shown   map[history.Op]bool
	read    [][]int64 // the sums of each counter that were read, rising
	// counters tells that there are some, grows that all increments are positive.
	counters, grows bool
}

type element struct {
	key   history.Key
	value history.Value
}

// newProblem reads a history; why says why it is not judged.
func newProblem(h *history.History) (p *problem, why string) {
	p = &problem{h: h, grows: true, adder: map[element]history.Op{}, after: map[history.Op]int{}, shown: map[history.Op]bool{}}
	for o := history.Op(h.NumKeys()); o < history.Op(h.NumOps()); o++ {
		if h.Kind(o) != history.Add || h.Status(h.TxnOf(o)) == history.Aborted {
			continue
		}
		e := element{h.Key(o), h.Value(o)}
		if _, twice := p.adder[e]; twice {
			return p, "An element is added to a set twice."
		}
		p.adder[e] = o
	}
	for s := range history.Session(h.NumSessions()) {
		var lane []*txn
		for id, end := h.Txns(s); id < end; id++ {
			if h.Status(id) != history.Aborted {
				lane = append(lane, p.txn(id))
			}
		}
		for i, t := range lane {
			t.rank = float64(i) / float64(len(lane))
			if h.Order() != history.NoOrder && h.End(t.id) != history.NoEnd {
				t.rank = float64(h.End(t.id))
			}
		}
		p.lanes = append(p.lanes, lane)
	}
	p.states()
	p.parts()
	if p.grows {
		p.bounds()
	}
	elements := 0
	for _, lane := range p.lanes {
		for _, t := range lane {
			for i := range t.writes {
				t.writes[i].after = p.after[t.writes[i].op]
				t.optional = t.optional && !p.shown[t.writes[i].op]
			}
			for _, n := range t.needs {
				elements += n.size
			}
		}
	}
	if elements > maxElements {
		return p, fmt.Sprintf("The reads of sets show %d elements together, and %d are the most that are judged.", elements, maxElements)
	}
	return p, ""
}

// txn says what a transaction reads and writes.
func (p *problem) txn(id history.Txn) *txn {
	h := p.h
	t := &txn{id: id, optional: h.Status(id) == history.Unknown}
	own := map[history.Key][]history.Op{}
	for o, end := h.Ops(id); o < end; o++ {
		k := h.Key(o)
		switch {
		case h.Kind(o).Writes():
			n, _ := h.Amount(h.Value(o))
			if h.Kind(o) == history.Increment {
				p.counters, p.grows = true, p.grows && n > 0
			}
			t.writes = append(t.writes, write{op: o, key: k, amount: n})
			own[k] = append(own[k], o)
		case !h.Known(o):
		default:
			n := need{op: o, key: k, own: slices.Clone(own[k])}
			if h.Kind(o) == history.ReadSet {
				n.size = len(h.List(o)) - len(n.own)
			} else {
				n.sum, _ = h.Amount(h.Value(o))
				for _, w := range n.own {
					by, _ := h.Amount(h.Value(w))
					n.sum -= by
				}
			}
			t.needs = append(t.needs, n)
		}
	}
	return t
}

// states finds the states of sets that were read, and the places of elements among them.
func (p *problem) states() {
	type state struct {
		size     int
		elements []history.Value
		read     history.Op
	}
	all := map[history.Key][]state{}
	p.read = make([][]int64, p.h.NumKeys())
	for _, lane := range p.lanes {
		for _, t := range lane {
			for _, n := range t.needs {
				if p.h.Type(n.key) == history.Counter {
					p.read[n.key] = append(p.read[n.key], n.sum)
				}
				if p.h.Type(n.key) != history.Set || p.h.Status(t.id) == history.Unknown {
					p.choices++ // of unknown outcome: it may say nothing
					continue
				}
				left := slices.Clone(p.h.List(n.op))
				for _, w := range n.own {
					left = slices.DeleteFunc(left, func(v history.Value) bool { return v == p.h.Value(w) })
				}
				slices.Sort(left)
				if len(left) != n.size && p.apart == "" {
					p.apart = fmt.Sprintf("Transaction %d does not see what it added itself to the set %s.", t.id, p.h.KeyName(n.key))
				}
				all[n.key] = append(all[n.key], state{n.size, left, n.op})
			}
		}
	}
	largest := make([]int, p.h.NumKeys())
	for k := range history.Key(p.h.NumKeys()) {
		reads := all[k]
		slices.SortStableFunc(reads, func(a, b state) int { return cmp.Compare(a.size, b.size) })
		var last state
		there := map[history.Value]bool{}
		for _, s := range reads {
			if s.size == last.size && slices.Equal(s.elements, last.elements) {
				continue
			}
			kept := 0
			writers := map[history.Txn]bool{}
			for _, v := range s.elements {
				if there[v] {
					kept++
					continue
				}
				there[v] = true
				if w, some := p.adder[element{k, v}]; some {
					p.after[w], p.shown[w] = last.size, true
					writers[p.h.TxnOf(w)] = true
				}
			}
			if kept < last.size && p.apart == "" {
				p.apart = fmt.Sprintf("Reads of the set %s show states of which none contains the other one, in transactions %d and %d.", p.h.KeyName(k), p.h.TxnOf(last.read), p.h.TxnOf(s.read))
			}
			if len(writers) > 1 {
				p.choices++
			}
			last = s
		}
		largest[k] = last.size
	}
	for k, sums := range p.read {
		slices.Sort(sums)
		p.read[k] = slices.Compact(sums)
	}
	for e, w := range p.adder {
		if !p.shown[w] {
			p.after[w] = largest[e.key]
		}
	}
}

// parts finds transactions of whose elements of a set a read shows some: it shows no state after a transaction.
func (p *problem) parts() {
	for _, lane := range p.lanes {
		for _, t := range lane {
			first := map[history.Key]history.Op{}
			for _, w := range t.writes {
				f, some := first[w.key]
				if !some {
					first[w.key] = w.op
				} else if (p.shown[f] != p.shown[w.op] || p.after[f] != p.after[w.op]) && p.apart == "" {
					p.apart = fmt.Sprintf("A read of the set %s shows a part of what transaction %d added to it.", p.h.KeyName(w.key), t.id)
				}
			}
		}
	}
}

// bounds finds reads of counters, which only grow, that are less than what has to be in them.
func (p *problem) bounds() {
	for _, lane := range p.lanes {
		did := map[history.Key]int64{}
		for _, t := range lane {
			if p.h.Status(t.id) == history.Unknown {
				continue
			}
			for _, n := range t.needs {
				if p.h.Type(n.key) != history.Counter {
					continue
				}
				initial, _ := p.h.Amount(p.h.Value(history.Op(n.key)))
				switch {
				case n.sum < initial && p.apart == "":
					p.apart = fmt.Sprintf("Transaction %d read less of the counter %s than it was initially, with its own increments.", t.id, p.h.KeyName(n.key))
				case n.sum < initial+did[n.key] && p.forgets == "":
					p.forgets = fmt.Sprintf("Transaction %d read less of the counter %s than its session had added to it before.", t.id, p.h.KeyName(n.key))
				}
			}
			for _, w := range t.writes {
				did[w.key] += w.amount
			}
		}
	}
}

// guess guesses an execution; nil if what counters showed does not come up in it.
func (p *problem) guess(ctx context.Context, try int) (*execution, error) {
	e := &execution{problem: p, r: rand.New(rand.NewPCG(1, uint64(try))), try: try,
		order: make([][]history.Op, p.h.NumKeys()), sums: make([]int64, p.h.NumKeys()), ends: make([]map[int64]int, p.h.NumKeys()), lengths: map[history.Op]int{}}
	for k := range e.ends {
		if p.h.Type(history.Key(k)) == history.Counter {
			e.sums[k], _ = p.h.Amount(p.h.Value(history.Op(k)))
		}
		e.ends[k] = map[int64]int{e.sums[k]: 0}
	}
	e.sizes = make([]int, p.h.NumKeys())
	if ok, err := e.find(ctx); !ok || err != nil {
		return nil, err
	}
	for _, order := range e.order {
		slices.SortStableFunc(order, func(a, b history.Op) int { return cmp.Compare(p.after[a], p.after[b]) })
	}
	if !e.explains() {
		return nil, nil
	}
	return e, nil
}

// explains tells whether every read shows what it should. It may show what nobody added, for one.
func (e *execution) explains() bool {
	for o, n := range e.lengths {
		if n < 0 || n > len(e.order[e.h.Key(o)]) || !e.fits(o, n) {
			return false
		}
	}
	return true
}

// fits tells whether a read shows what so many writes leave, with the own ones.
func (e *execution) fits(o history.Op, length int) bool {
	if e.h.Kind(o) != history.ReadSet {
		return true
	}
	shown := map[history.Value]bool{}
	for _, v := range e.h.List(o) {
		shown[v] = true
	}
	missing := func(w history.Op) bool { return !shown[e.h.Value(w)] }
	own := e.own(o)
	return len(shown) == length+len(own) && !slices.ContainsFunc(own, missing) && !slices.ContainsFunc(e.order[e.h.Key(o)][:length], missing)
}

// own are the writes of the transaction of a read, to its key and before it.
func (e *execution) own(o history.Op) (out []history.Op) {
	for w, _ := e.h.Ops(e.h.TxnOf(o)); w < o; w++ {
		if e.h.Kind(w).Writes() && e.h.Key(w) == e.h.Key(o) {
			out = append(out, w)
		}
	}
	return out
}

// lists writes the history with lists.
func (e *execution) lists() (*history.History, error) {
	h, b := e.h, history.NewBuilder()
	for k := range history.Key(h.NumKeys()) {
		b.Key(h.KeyName(k))
	}
	for s := range history.Session(h.NumSessions()) {
		session := b.Session(history.Int(int64(s)))
		for id, end := h.Txns(s); id < end; id++ {
			b.Txn(session, h.Status(id))
			for o, last := h.Ops(id); o < last; o++ {
				k := b.Key(h.KeyName(h.Key(o)))
				length, known := e.lengths[o]
				switch {
				case h.Kind(o).Writes():
					b.Op(history.Append, k, b.IntValue(int64(o)))
				case !known:
					b.Op(history.ReadList, k, history.NoValue)
				default:
					b.List(history.ReadList, k, e.prefix(b, o, length))
				}
			}
		}
	}
	return b.Build()
}

// prefix is what a read shows, as a list: so many writes of its key, and its own.
func (e *execution) prefix(b *history.Builder, o history.Op, length int) (out []history.Value) {
	for _, w := range e.order[e.h.Key(o)][:length] {
		out = append(out, b.IntValue(int64(w)))
	}
	for _, w := range e.own(o) {
		out = append(out, b.IntValue(int64(w)))
	}
	return out
}
