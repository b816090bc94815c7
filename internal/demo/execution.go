package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/crosscheck"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/internal/wellformed"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/isolation"
	"github.com/txrobust/robust/sqlmodel"
)

// maxExecutions bounds the executions that are interpreted for a scene.
const maxExecutions = 200_000

// cast is a program with the calls of a scene, and the rows that it starts from.
type cast struct {
	program *ir.Program
	level   levels.Level
	rows    [][][]ir.Value
	calls   []*interp.Instance
}

// load reads a program.
func load(name string, files []input.File) (*ir.Program, error) {
	p, err := sqlmodel.Parse(files, sqlmodel.Options{})
	if err != nil {
		return nil, err
	}
	p.Name = name
	wellformed.Structure(p)
	return p, nil
}

// newCast gives the transactions of a program the arguments of the calls.
func newCast(p *ir.Program, level levels.Level, calls []Call) (*cast, error) {
	c := &cast{program: p, level: level}
	for _, t := range p.Tables {
		c.rows = append(c.rows, t.Rows)
	}
	for i, call := range calls {
		in, err := call.instance(p, i)
		if err != nil {
			return nil, err
		}
		c.calls = append(c.calls, in)
	}
	return c, nil
}

// instance gives the arguments of a call to its transaction.
func (c *Call) instance(p *ir.Program, id int) (*interp.Instance, error) {
	t := p.Txn(c.Transaction)
	if t == nil {
		var names []string
		for _, t := range p.Txns {
			names = append(names, t.Name)
		}
		return nil, ir.Errorf(c.Pos, "there is no transaction %s; the .sql files have %s", c.Transaction, strings.Join(names, ", "))
	}
	in := &interp.Instance{Txn: t, ID: id, Params: make([]ir.Value, len(t.Params))}
	var names []string
	for _, p := range t.Params {
		names = append(names, paramName(p.Name))
	}
	for _, a := range c.Args {
		if !slices.Contains(names, a.Name) {
			return nil, ir.Errorf(c.Pos, "the transaction %s has no parameter %s; its parameters are %s", c.Transaction, a.Name, cmp.Or(strings.Join(names, ", "), "none"))
		}
	}
	for i, p := range t.Params {
		k := slices.IndexFunc(c.Args, func(a Arg) bool { return a.Name == names[i] })
		if k < 0 {
			return nil, ir.Errorf(c.Pos, "the parameter %s of the transaction %s has no value", names[i], c.Transaction)
		}
		v := c.Args[k].Value
		number := p.Type.Kind == ir.KindNum && v.Kind == ir.KindInt
		if v.Kind != p.Type.Kind && v.Kind != ir.KindNull && !number {
			return nil, ir.Errorf(c.Pos, "the parameter %s of the transaction %s must be %s, but its value is %s", names[i], c.Transaction, p.Type, v.Kind)
		}
		in.Params[i] = v.Convert(p.Type)
	}
	return in, nil
}

// paramName is the name that a parameter has in the source: one that is that of a table,
// too, has an underscore behind it in the program.
func paramName(name string) string { return strings.TrimRight(name, "_") }

// execution is one that no serial order explains.
type execution struct {
	evidence  witness.Evidence
	witness   *witness.Witness
	judges    []crosscheck.Judgement
	confirmed []string // the checkers of histories that decided
}

// errNone says that there is no such execution.
var errNone = errors.New("every execution of these calls has the outcome of a serial order")

// find looks for an execution that no serial order explains: the first one in the order of
// the calls. tried counts the executions at snapshot isolation.
func (c *cast) find(ctx context.Context) (x *execution, tried int, err error) {
	if c.level == levels.ReadCommitted {
		x, err = c.interrupted(ctx)
		return x, 0, err
	}
	m := interp.NewMachine(c.program, engine.Postgres())
	var sessions []interp.Session
	for _, in := range slices.Backward(c.calls) { // who is tried first commits first, and begins last
		sessions = append(sessions, interp.Session{in})
	}
	r := m.Explore(ctx, sessions, interp.NewDB(c.program, c.rows), interp.Options{AnyOrder: true, MaxExecutions: maxExecutions, Certain: true})
	switch r.Verdict {
	case interp.Anomalous:
		x, err = c.confirmed(ctx, sessions, r.Anomaly)
		return x, r.Executions, err
	case interp.Undecided:
		return nil, r.Executions, fmt.Errorf("the executions could not all be interpreted: %s", r.Reason)
	}
	return nil, r.Executions, errNone
}

// interrupted looks for an execution at READ COMMITTED in which others run between two
// commands of one transaction: few others first.
func (c *cast) interrupted(ctx context.Context) (*execution, error) {
	open := ""
	for n := 1; n < len(c.calls); n++ {
		for i, in := range c.calls {
			rest := slices.Delete(slices.Clone(c.calls), i, i+1)
			for others := range arrangements(rest, n) {
				x, undecided, err := c.cut(ctx, in, others)
				if x != nil || err != nil {
					return x, err
				}
				open = cmp.Or(open, undecided)
			}
		}
	}
	if open != "" {
		return nil, fmt.Errorf("the executions could not all be interpreted: %s", open)
	}
	return nil, errNone
}

// cut interrupts a transaction between each two commands.
func (c *cast) cut(ctx context.Context, in *interp.Instance, others []*interp.Instance) (x *execution, undecided string, err error) {
	m := interp.NewMachine(c.program, engine.Postgres())
	sessions := []interp.Session{{in}}
	for _, o := range others {
		sessions = append(sessions, interp.Session{o})
	}
	start := interp.NewDB(c.program, c.rows)
	for at, more := 1, true; more && x == nil && err == nil; at++ {
		if ctx.Err() != nil {
			return nil, "", ctx.Err()
		}
		var why string
		more, why = m.Interrupt(in, others, start, at, func(found *interp.Execution) bool {
			if len(m.Doubts(found)) > 0 || m.Serialized(sessions, found, true) {
				return true
			}
			x, err = c.confirmed(ctx, sessions, found)
			return false
		})
		undecided = cmp.Or(undecided, why)
	}
	return x, undecided, err
}

// arrangements gives all ordered selections of n of a list.
func arrangements(list []*interp.Instance, n int) func(yield func([]*interp.Instance) bool) {
	return func(yield func([]*interp.Instance) bool) {
		var next func(chosen, rest []*interp.Instance) bool
		next = func(chosen, rest []*interp.Instance) bool {
			if len(chosen) == n {
				return yield(slices.Clone(chosen))
			}
			for i, in := range rest {
				if !next(append(slices.Clone(chosen), in), slices.Delete(slices.Clone(rest), i, i+1)) {
					return false
				}
			}
			return true
		}
		next(nil, list)
	}
}

// confirmed replays an execution, compares it with all serial orders, and shows it to the
// checkers of histories.
func (c *cast) confirmed(ctx context.Context, sessions []interp.Session, x *interp.Execution) (*execution, error) {
	e := witness.Evidence{Program: c.program, Engine: engine.Postgres(), Rows: c.rows, Sessions: sessions, Execution: x, AnyOrder: true}.Simplify()
	w, err := witness.Build(e)
	if err != nil {
		return nil, err
	}
	trace, err := crosscheck.NewTrace(e, w)
	if err != nil {
		return nil, err
	}
	judged, err := crosscheck.Check(ctx, w, trace, crosscheck.Judges())
	if err != nil {
		return nil, err
	}
	return &execution{evidence: e, witness: w, judges: judged, confirmed: deciding(judged)}, nil
}

// deciding names the checkers of histories that decided.
func deciding(judged []crosscheck.Judgement) []string {
	var out []string
	for _, j := range judged {
		if j.Verdict != isolation.Unknown.String() && !slices.Contains(out, j.Checker) {
			out = append(out, j.Checker)
		}
	}
	return out
}

// again runs the calls of a changed scene in the schedule of the execution of the scene:
// the same snapshots, the same order of commits. It says who is refused and why, or
// that all commit.
func (c *cast) again(base *execution) (refused, why string) {
	m := interp.NewMachine(c.program, engine.Postgres())
	x := &interp.Execution{Versions: []*interp.DB{interp.NewDB(c.program, c.rows)}}
	for i, t := range base.evidence.Execution.Txns {
		in := c.calls[base.evidence.Sessions[t.Session][t.Index].ID]
		done := false
		for _, run := range m.Runs(in, x.Versions[t.Snapshot], nil, t.Snapshot == i) {
			if why = m.Extend(x, interp.Committed{Run: run, Session: t.Session, Snapshot: t.Snapshot}); why == "" {
				done = true
				break
			}
		}
		if !done {
			if locksTable(in.Txn) {
				why = "" // it has no snapshot before it has the lock
			}
			return base.labelOf(i), why
		}
	}
	return "", ""
}

// locksTable reports whether a transaction locks a table.
func locksTable(t *ir.Txn) (found bool) {
	ir.Walk(t.Body, func(s ir.Stmt) {
		_, is := s.(*ir.LockTable)
		found = found || is
	})
	return found
}

// labelOf is the label of the transaction that commits in place i.
func (x *execution) labelOf(i int) string {
	for _, t := range x.witness.Transactions {
		if t.Commit == i {
			return t.Label
		}
	}
	panic(fmt.Sprintf("demo: no transaction commits in place %d", i))
}
