package schedules

import (
	"context"
	"fmt"
	"time"

	"github.com/txrobust/robust/internal/choices"
	"github.com/txrobust/robust/internal/clock"
	"github.com/txrobust/robust/internal/commits"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/internal/smt"
)

// search is one run of Find.
type search struct {
	ctx     context.Context
	q       Query
	opt     Options
	program *ir.Program // with the invariants
	machine *interp.Machine
	valid   *validity
	values  *values
	code    *prepare.Code
	twin    map[*ir.Txn]*ir.Txn // the transactions of code
	solver  *smt.Solver
	stats   Stats

	calls        []*Call // without values
	builders     int     // how many of the calls only build rows
	parentsFirst []int
	havocs       map[*ir.Txn][]*ir.Havoc
	types        map[*ir.Havoc]valueType // of what they set
	empty        map[*ir.Table]bool      // see untouched
	hints        hints
	crowds       map[*ir.Table][]int // see crowdsOf
	sums         map[*ir.Table][]summed
	newKeys      map[argument]bool // see keysOf
	spare        []ir.Value        // see spareFor
	// rowsOf is how many rows of a table the calls may need to meet, where that is more
	// than usualRows (meetings).
	rowsOf map[*ir.Table]int
	// writers is how many transactions of an anomaly write: at snapshot isolation
	// two, since those that only read come where their snapshots are.
	writers int
	mends   bool // random rows that do not fit are left out
	waits   bool // cuts are snapshots in which a call waits
	// followed counts the runs that were needed to look for a serial order (agreeing).
	followed int
}

// found is an anomaly that was confirmed.
type found struct {
	sit *situation
	o   Order
	by  string
}

// maxSteps bounds a run in the interpreter.
const maxSteps = 2000

// Find searches an execution of the query's sessions, or of some of their
// transactions, that no serial order is equivalent to. It gives nil when there
// is none within the bounds; Stats.Bounded then says what ran out, if
// anything did. The error is that of the context, or a fault of the query.
func Find(ctx context.Context, q Query) (*Anomaly, Stats, error) {
	s, err := newSearch(ctx, q)
	if err != nil {
		return nil, Stats{}, err
	}
	defer s.close()
	if s.hopeless() {
		return nil, s.stats, ctx.Err()
	}
	start := time.Now()
	f := s.both()
	if f == nil && s.opt.Init != AnyRows && len(q.Program.Processes) == 0 && s.opt.Builders > 0 {
		f = s.built()
	}
	s.stats.Search = time.Since(start)
	if s.solver != nil {
		s.stats.Solver = s.solver.Stats
	}
	if f == nil {
		return nil, s.stats, ctx.Err()
	}
	s.stats.Found, s.stats.Bounded = f.by, ""
	start = time.Now()
	if !s.opt.KeepLarge {
		s.shrink(f)
	}
	a := s.anomaly(f)
	s.stats.Shrink = time.Since(start)
	return a, s.stats, nil
}

// close frees the solver.
func (s *search) close() {
	if s.solver != nil {
		s.solver.Close()
	}
}

// hopeless reports whether too few of the calls can commit for an anomaly.
func (s *search) hopeless() bool {
	all, writing := 0, 0
	for _, c := range s.calls {
		switch how := commits.Of(c.Txn); {
		case how.Writing:
			writing++
			all++
		case how.Reading:
			all++
		}
	}
	return all < 2 || writing < s.writers
}

// both runs the two searches.
func (s *search) both() *found {
	f := s.random()
	if f == nil && !s.stats.Exhausted {
		f = s.symbolic()
	}
	return f
}

// maxBuilt bounds the sequences of builders that are tried.
const maxBuilt = 120

// built lets transactions run before the others that build the rows they need:
// few ones first.
func (s *search) built() *found {
	var templates []*ir.Txn
	for _, t := range s.program.Txns {
		writes := false
		ir.Walk(t.Body, func(st ir.Stmt) { writes = writes || ir.Written(st) != nil })
		if writes {
			templates = append(templates, t)
		}
	}
	if len(templates) == 0 {
		return nil
	}
	calls, tried := s.calls, 0
	defer func() { s.calls = calls }()
	for n := 1; n <= s.opt.Builders; n++ {
		pick := make([]int, n)
		for script, more := (&choices.Script{}), true; more; more = script.Next() {
			for i := range pick {
				pick[i] = script.Choose(len(templates))
			}
			if s.ctx.Err() != nil {
				return nil
			}
			if tried++; tried > maxBuilt {
				s.stats.bounded("ways to build the rows were left out")
				return nil
			}
			s.builders, s.calls = n, nil
			for i, t := range pick {
				s.calls = append(s.calls, &Call{Txn: templates[t], Session: -1 - i})
			}
			s.calls = append(s.calls, calls...)
			if f := s.both(); f != nil {
				return f
			}
		}
	}
	return nil
}

// newSearch prepares the search for a query.
func newSearch(ctx context.Context, q Query) (*search, error) {
	s, err := build(ctx, q)
	if err != nil {
		return nil, err
	}
	var calls []*Call
	for i, list := range q.Sessions {
		for _, t := range list {
			calls = append(calls, &Call{Txn: t, Session: i})
		}
	}
	s.take(calls)
	for _, x := range q.Expected {
		if len(x.Commits) != len(calls) || len(x.Snapshots) != len(calls) {
			return nil, fmt.Errorf("schedules: an expected order has %d transactions, the query has %d", len(x.Commits), len(calls))
		}
	}
	if len(calls) < 2 {
		return nil, fmt.Errorf("schedules: an anomaly needs two transactions, the query has %d", len(calls))
	}
	for _, c := range calls {
		if u := unmodelled(c.Txn); u != nil {
			s.stats.bounded(fmt.Sprintf("%s: executions through a statement that is not modelled (%s) are left out", u.Pos, u.Reason))
		}
	}
	return s, nil
}

// build makes what a search in the program of a query needs, whichever calls it
// is about. The error says that a transaction of the program is labelled.
func build(ctx context.Context, q Query) (*search, error) {
	for _, t := range q.Program.Txns {
		if t.Labelled != nil {
			return nil, fmt.Errorf("schedules: transaction %s is labelled: run wellformed.Structure first", t.Name)
		}
	}
	opt := q.Options.withDefaults()
	p := *q.Program
	p.Invariants = append(append([]*ir.Invariant{}, p.Invariants...), opt.Invariants...)
	s := &search{ctx: clock.Yielding(ctx), q: q, opt: opt, program: &p, writers: 2, parentsFirst: parentsFirst(&p), havocs: map[*ir.Txn][]*ir.Havoc{}, types: map[*ir.Havoc]valueType{}}
	for _, t := range p.Txns {
		ir.Walk(t.Body, func(st ir.Stmt) {
			if h, ok := st.(*ir.Havoc); ok && !h.Fresh {
				s.havocs[t] = append(s.havocs[t], h)
				typ, _ := t.LocalType(h.Var)
				s.types[h] = valueType{typ, t.LocalDomain(h.Var)}
			}
		})
	}
	modelled, twin := executable(&p, !opt.Doubtful)
	s.code, s.twin = prepare.Of(modelled), twin
	s.machine = interp.NewMachine(&p, q.Engine)
	s.machine.MaxSteps, s.machine.Levels = maxSteps, opt.Levels
	s.valid = s.newValidity()
	s.values = newValues(&p)
	return s, nil
}

// templates are the transactions of calls.
func templates(calls []*Call) (out []*ir.Txn) {
	for _, c := range calls {
		out = append(out, c.Txn)
	}
	return out
}

// take makes the search one about these calls.
func (s *search) take(calls []*Call) {
	s.calls = calls
	s.hints = s.hintsOf(calls)
	if s.opt.Init == AnyRows {
		s.crowds, s.sums, s.newKeys = s.crowdsOf(calls), s.sumsOf(calls), keysOf(calls)
		s.empty = s.untouched()
	}
}

// anomaly replays what was found once more, with a trace, and packs it.
func (s *search) anomaly(f *found) *Anomaly {
	s.ctx = context.WithoutCancel(s.ctx) // it is confirmed already
	s.machine.Trace = true
	defer func() { s.machine.Trace = false }()
	j := s.judge(f.sit)
	v, x, _ := j.decide(f.o)
	if v != anomalous || !s.possible(f.sit) {
		panic("schedules: a confirmed anomaly is none when it is replayed")
	}
	a := &Anomaly{Execution: x, Doubts: s.machine.Doubts(x), Sessions: bySession(f.sit.calls, j.instances)}
	for i := range s.program.Tables {
		a.Rows = append(a.Rows, x.Versions[0].Rows(i))
	}
	a.Opaque = prepare.Opaque(templates(f.sit.calls))
	count := map[int]int{}
	number := map[int]int{}
	for _, c := range f.sit.calls {
		if _, ok := number[c.Session]; !ok {
			number[c.Session] = len(number)
		}
	}
	for i, c := range f.o.Commits {
		call := f.sit.calls[c]
		t := &x.Txns[i]
		t.Session, t.Index = number[call.Session], count[call.Session]
		count[call.Session]++
		a.Calls = append(a.Calls, call)
	}
	return a
}
