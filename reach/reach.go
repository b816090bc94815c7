package reach

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/rowstore"
	"github.com/txrobust/robust/internal/wellformed"
)

// Verdict is the answer of Explore.
type Verdict uint8

const (
	// Unreachable: every reachable state was visited and none is the error
	// state. This is a decision.
	Unreachable Verdict = iota
	// Reached: Result.Trace leads to the error state.
	Reached
	// BoundHit: no error state was found before a bound that Result.Reason
	// names.
	BoundHit
)

func (v Verdict) String() string { return [...]string{"unreachable", "reached", "bound hit"}[v] }

// Options bound Explore. Zero values are no bounds.
type Options struct {
	// MaxTxns bounds the transactions of a trace.
	MaxTxns int
	// MaxStates bounds the states.
	MaxStates int
	// Values, if not nil, gives the values to try for a parameter whose type
	// has no finite domain. That they were not all is a bound.
	Values func(t ir.Type) []ir.Value
	// Accept, if not nil, judges a trace to the error state. When it returns
	// false the search goes on. This is how claims that are not certain are
	// confirmed.
	Accept func(trace []Step) bool
}

// Step is one transaction of a trace.
type Step struct {
	// Process is the process that ran it, or nil in a program without
	// processes. Session numbers the sessions of the trace in the order of
	// their first transactions.
	Process *ir.Process
	Session int
	// Index is the transaction's place in its session.
	Index int
	// Run is the transaction, with its reads and steps traced. Run.Inst is
	// its instance.
	Run *interp.Run
	// Before and After are the states around it.
	Before, After *interp.DB
}

// String is the transaction with its parameters and session.
func (s Step) String() string {
	if s.Process == nil {
		return s.Run.Inst.String()
	}
	return fmt.Sprintf("%s:%s", s.Process.Name, s.Run.Inst)
}

// Result is what Explore found.
type Result struct {
	Verdict Verdict
	// Trace leads to the error state: its last transaction fails.
	Trace []Step
	// Reason says which bound was hit.
	Reason string
	// States counts the states visited, Runs the transactions executed, and
	// Rejected the traces that Options.Accept did not accept.
	States, Runs, Rejected int
}

// Explore searches the executions of p under serializability, breadth first:
// transactions run one after another, each to its end. Processes run their
// sequences, as many copies as they have; without processes any number of
// sessions run one transaction each. Parameters and havocked values range over
// the program's domain. The transactions must be structured.
//
// States are equal when the database, the positions of the unfinished sessions
// and their registers are; a session that has ended leaves nothing behind.
// That makes the search finite, and its answer a decision, whenever the
// reachable databases are finitely many and sessions of unbounded number have
// one transaction.
func Explore(ctx context.Context, p *ir.Program, opt Options) Result {
	wellformed.Structure(p)
	e := &explorer{ctx: ctx, p: p, opt: opt, m: interp.NewMachine(p, engine.SI()), seen: map[string]bool{}}
	e.prepare()
	e.search()
	if e.sampled != "" {
		e.bound(e.sampled)
	}
	switch {
	case e.result.Trace != nil:
		e.result.Verdict, e.result.Reason = Reached, ""
	case e.result.Reason != "":
		e.result.Verdict = BoundHit
	}
	return e.result
}

// seq is a sequence of transactions that sessions run.
type seq struct {
	process *ir.Process
	txns    []*ir.Txn
	copies  int // ir.Any: unbounded
}

type explorer struct {
	ctx    context.Context
	p      *ir.Program
	opt    Options
	m      *interp.Machine
	seqs   []seq
	params map[*ir.Txn][][]ir.Value
	fresh  bool // the program draws FRESH values
	// sampled is the bound that Options.Values sets; others are named first.
	sampled string
	seen    map[string]bool
	result  Result
}

// live is a session that has begun and not ended.
type live struct {
	seq, pos int
	regs     map[string]ir.Value
	session  int // its number in the trace; no part of the state
}

// node is a state with the way it was reached.
type node struct {
	db      *interp.DB
	started []int // sessions begun, by sequence
	live    []live
	depth   int
	parent  *node
	// how the last transaction went
	inst    *interp.Instance
	choice  int // its index among the runs
	regs    map[string]ir.Value
	seq     int
	pos     int
	session int
}

func (e *explorer) prepare() {
	for _, pr := range e.p.Processes {
		e.seqs = append(e.seqs, seq{pr, pr.Txns, pr.Copies})
	}
	if len(e.p.Processes) == 0 {
		for _, t := range e.p.Txns {
			e.seqs = append(e.seqs, seq{nil, []*ir.Txn{t}, ir.Any})
		}
	}
	e.params = map[*ir.Txn][][]ir.Value{}
	for _, t := range e.p.Txns {
		e.params[t] = e.arguments(t)
		for _, q := range t.Params {
			e.fresh = e.fresh || q.Fresh
		}
		ir.Walk(t.Body, func(s ir.Stmt) {
			switch s := s.(type) {
			case *ir.Havoc:
				e.fresh = e.fresh || s.Fresh
			case *ir.Insert:
				e.fresh = e.fresh || s.Table.Rowid
			}
		})
	}
}

// bound notes the first bound that was hit.
func (e *explorer) bound(why string) {
	if e.result.Reason == "" {
		e.result.Reason = why
	}
}

// arguments enumerates the parameters of a transaction. A Fresh one is NULL
// here and filled in later.
func (e *explorer) arguments(t *ir.Txn) [][]ir.Value {
	out := [][]ir.Value{nil}
	for _, q := range t.Params {
		var vals []ir.Value
		switch {
		case q.Fresh:
			vals = []ir.Value{ir.Null}
		case q.Type.Kind == ir.KindBool:
			vals = []ir.Value{ir.Bool(false), ir.Bool(true)}
		case q.Type.Kind == ir.KindInt && e.p.Domain != nil:
			for i := e.p.Domain.Lo; i <= e.p.Domain.Hi; i++ {
				vals = append(vals, ir.Int(i))
			}
		case e.opt.Values != nil:
			vals = e.opt.Values(q.Type)
			if e.sampled == "" {
				e.sampled = fmt.Sprintf("only some values of parameter %s of %s were tried", q.Name, t.Name)
			}
		default:
			e.bound(fmt.Sprintf("parameter %s of %s has no finite domain", q.Name, t.Name))
		}
		if !q.NotNull && !q.Fresh && len(vals) > 0 && e.opt.Values == nil {
			vals = append(vals, ir.Null)
		}
		var next [][]ir.Value
		for _, prefix := range out {
			for _, v := range vals {
				next = append(next, append(append([]ir.Value(nil), prefix...), v))
			}
		}
		out = next
	}
	return out
}

var errStop = errors.New("stop")

func (e *explorer) search() {
	first := &node{db: interp.InitialDB(e.p), started: make([]int, len(e.seqs))}
	e.seen[e.key(first)] = true
	e.result.States = 1
	queue := []*node{first}
	for len(queue) > 0 {
		n := queue[0]
		queue[0] = nil
		queue = queue[1:]
		if e.opt.MaxTxns > 0 && n.depth == e.opt.MaxTxns {
			if e.canMove(n) {
				e.bound(fmt.Sprintf("executions of more than %d transactions", e.opt.MaxTxns))
			}
			continue
		}
		next, err := e.successors(n)
		if err != nil {
			return
		}
		queue = append(queue, next...)
	}
}

// canMove reports whether any session can go on or begin.
func (e *explorer) canMove(n *node) bool {
	if len(n.live) > 0 {
		return true
	}
	for i, s := range e.seqs {
		if len(s.txns) > 0 && (s.copies == ir.Any || n.started[i] < s.copies) {
			return true
		}
	}
	return false
}

// successors executes every next transaction of every session. It fails when
// the search is over.
func (e *explorer) successors(n *node) ([]*node, error) {
	var out []*node
	step := func(l live, fresh bool) error {
		t := e.seqs[l.seq].txns[l.pos]
		for _, params := range e.params[t] {
			in := &interp.Instance{Txn: t, Params: e.fill(t, params, n.depth), ID: n.depth}
			more, err := e.execute(n, l, fresh, in)
			if err != nil {
				return err
			}
			out = append(out, more...)
		}
		return nil
	}
	tried := map[string]bool{}
	for _, l := range n.live {
		if k := l.key(); !tried[k] {
			tried[k] = true
			if err := step(l, false); err != nil {
				return nil, err
			}
		}
	}
	for i, s := range e.seqs {
		if len(s.txns) > 0 && (s.copies == ir.Any || n.started[i] < s.copies) {
			if err := step(live{seq: i, session: e.sessions(n)}, true); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// sessions counts the sessions on the way to a node.
func (e *explorer) sessions(n *node) int {
	count := 0
	for ; n.parent != nil; n = n.parent {
		if n.session >= count {
			count = n.session + 1
		}
	}
	return count
}

// fill makes the Fresh parameters.
func (e *explorer) fill(t *ir.Txn, params []ir.Value, id int) []ir.Value {
	out := append([]ir.Value(nil), params...)
	for i, q := range t.Params {
		if q.Fresh {
			out[i] = rowstore.Fresh(q.Type, q.Domain, id, 500+i)
		}
	}
	return out
}

func (e *explorer) execute(n *node, l live, begins bool, in *interp.Instance) ([]*node, error) {
	var out []*node
	for choice, run := range e.m.Runs(in, n.db, l.regs, true) {
		e.result.Runs++
		if e.result.Runs%64 == 0 && e.ctx.Err() != nil {
			e.bound(e.ctx.Err().Error())
			return nil, errStop
		}
		if why := run.Undecided(); why != "" {
			e.bound(why)
		}
		db, why := e.m.Commit(run, n.db, nil)
		if why != "" {
			continue
		}
		next := &node{db: db, started: n.started, depth: n.depth + 1, parent: n,
			inst: in, choice: choice, regs: l.regs, seq: l.seq, pos: l.pos, session: l.session}
		if run.Failed {
			trace := e.trace(next)
			if e.opt.Accept == nil || e.opt.Accept(trace) {
				e.result.Trace = trace
				return nil, errStop
			}
			e.result.Rejected++
			continue
		}
		if begins {
			next.started = append([]int(nil), n.started...)
			next.started[l.seq]++
		}
		left := begins
		for _, x := range n.live {
			if !left && x.session == l.session {
				left = true
				continue
			}
			next.live = append(next.live, x)
		}
		if l.pos+1 < len(e.seqs[l.seq].txns) {
			next.live = append(next.live, live{l.seq, l.pos + 1, run.Keep(l.regs), l.session})
		}
		k := e.key(next)
		if e.seen[k] {
			continue
		}
		if e.opt.MaxStates > 0 && e.result.States >= e.opt.MaxStates {
			e.bound(fmt.Sprintf("more than %d states", e.opt.MaxStates))
			return nil, errStop
		}
		e.seen[k] = true
		e.result.States++
		out = append(out, next)
	}
	return out, nil
}

// trace runs the transactions on the way to a node again, with all details.
func (e *explorer) trace(n *node) []Step {
	var path []*node
	for ; n.parent != nil; n = n.parent {
		path = append([]*node{n}, path...)
	}
	e.m.Trace = true
	defer func() { e.m.Trace = false }()
	var out []Step
	for _, n := range path {
		run := e.m.Runs(n.inst, n.parent.db, n.regs, true)[n.choice]
		out = append(out, Step{Process: e.seqs[n.seq].process, Session: n.session, Index: n.pos,
			Run: run, Before: n.parent.db, After: n.db})
	}
	return out
}

func (l live) key() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d.%d", l.seq, l.pos)
	for _, k := range slices.Sorted(maps.Keys(l.regs)) {
		b.WriteString(" " + strconv.Quote(k) + "=" + l.regs[k].String())
	}
	return b.String()
}

// key is a canonical form of a state.
func (e *explorer) key(n *node) string {
	var parts []string
	for _, l := range n.live {
		parts = append(parts, l.key())
	}
	slices.Sort(parts)
	for i, s := range e.seqs {
		if s.copies != ir.Any {
			parts = append(parts, strconv.Itoa(n.started[i]))
		}
	}
	if e.fresh {
		// FRESH values are named after the depth.
		parts = append(parts, "depth "+strconv.Itoa(n.depth))
	}
	return strings.Join(parts, "\n") + "\xff" + n.db.String()
}
