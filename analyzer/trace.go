package analyzer

import (
	"context"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/client/simplify"
	"github.com/txrobust/robust/ir"
)

// Trace is what a function sends to the database in all its transactions, as if
// they were one: it shows how values go from one of them to the next.
type Trace struct {
	Name string
	Pos  ir.Pos
	// Body has the statements. The place of a statement is no place in the source but
	// names one of Sent: its line is the index and one more.
	Body *client.Txn
	Sent []Sent
	// Steps is the number of instructions that were interpreted: a function has more of
	// them than each that it calls.
	Steps int
}

// Sent is a statement of a trace.
type Sent struct {
	Pos ir.Pos
	// Unit tells the transactions of a trace apart. Statements of the unit Outer may
	// be in the transaction of a caller, or not.
	Unit string
	// Alone says that the statement is a transaction by itself.
	Alone bool
	// Func is the function that sends it.
	Func string
}

// Outer is the unit of statements that are sent through what may be a transaction.
const Outer = "outer"

// TraceFile is the file in the places of the statements of traces.
const TraceFile = "trace"

// everything is the site of a trace: all transactions are written.
const everything = "*"

// maxTraceSteps bounds the instructions that are interpreted for one trace.
const maxTraceSteps = 30_000

// Traces interprets the functions of a program that use the database and that
// begin more than one transaction, statements by themselves included. Functions
// that take too many steps are left out, and so are those that others call only
// with a transaction.
func (r *Result) Traces(ctx context.Context) ([]*Trace, error) {
	p := r.prog
	var out []*Trace
	for _, f := range p.funcs {
		if !p.relevant[f] || isHook(f) || p.ways(f) < 2 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if t := p.traceOf(f); t != nil {
			out = append(out, t)
		}
	}
	return out, nil
}

// ways counts the places in a function that may lead to the database. Where there
// is one, what it leads to has a trace of its own, with all that there is to see.
func (p *program) ways(f *ssa.Function) int {
	n := 0
	eachInstr(f, func(instr ssa.Instruction) {
		if c, ok := instr.(ssa.CallInstruction); ok {
			if p.mayUse(c.Common()) {
				n++
			}
		}
		for _, o := range instr.Operands(nil) {
			if g, ok := (*o).(*ssa.Function); ok && p.matters(g) {
				n++
			}
		}
	})
	return n
}

// mayUse reports whether a call uses the database, or is one through an interface of a
// method that may do so.
func (p *program) mayUse(c *ssa.CallCommon) bool {
	return p.uses(c) || c.IsInvoke() && slices.ContainsFunc(p.implementers(c.Method), p.matters)
}

// traceOf interprets a function for its trace, nil if it has less than two units.
func (p *program) traceOf(f *ssa.Function) *Trace {
	t := &Trace{Name: functionName(f), Pos: p.position(f.Pos())}
	var body []client.Stmt
	in := p.newInterp(f, everything, &body, newFindings())
	in.trace, in.limit, in.st.phase = t, maxTraceSteps, open
	in.alone = p.callable(f)
	if in.attempt() != "" || !t.several() {
		return nil
	}
	t.Steps = in.steps
	t.Body = &client.Txn{Pos: t.Pos, Name: t.Name, Vars: in.vars, Body: body}
	in.rowLoops(t.Body)
	if locksSession(t.Body.Body) || len(in.p.notes.Held(in.root.Pos(), ir.Pos{})) > 0 {
		return nil
	}
	simplify.Txn(t.Body, func(base string) string { return in.temp(base, client.Int, false) })
	return t
}

// locksSession reports whether statements take an advisory lock that lasts beyond
// their transaction: it may order all that the function does.
func locksSession(list []client.Stmt) bool {
	found := false
	eachQuery(list, func(s client.Stmt) {
		if q, ok := s.(*client.Query); ok {
			text := strings.ToLower(q.SQL)
			found = found || strings.Contains(text, "advisory_lock") || strings.Contains(text, "get_lock(")
		}
	})
	return found
}

// several reports whether a trace has several units.
func (t *Trace) several() bool {
	return slices.ContainsFunc(t.Sent, func(s Sent) bool { return s.Unit != t.Sent[0].Unit })
}

// callable reports whether nobody calls a function with a transaction, as far as
// is known: what it sends through a handle that may be one is sent by itself then.
func (p *program) callable(f *ssa.Function) bool {
	for c := range p.calls {
		if c.to == f && c.how != plainly {
			return false
		}
	}
	return true
}

// sent takes note of a statement of the trace, and gives what stands for its place.
func (in *interp) sent(h *handle) ir.Pos {
	t := in.trace
	s := Sent{Pos: in.p.position(in.pos), Unit: Outer, Func: functionName(outermost(in.fr.fn))}
	switch {
	case in.amid && h.lost, in.onConn && h.kind == database && isConn(h.t): // of a transaction that is open, perhaps
	case h.kind == database, h.kind == either && h.site == "" && in.alone:
		s.Unit, s.Alone = "statement "+itoa(len(t.Sent)), true
	case h.kind == transaction && h.site != "":
		s.Unit = h.site
	}
	t.Sent = append(t.Sent, s)
	return ir.Pos{File: TraceFile, Line: len(t.Sent), Col: 1}
}

// outermost is the function that a function literal stands in.
func outermost(f *ssa.Function) *ssa.Function {
	for f.Parent() != nil {
		f = f.Parent()
	}
	return f
}

// At gives the statement that a place in a trace names.
func (t *Trace) At(pos ir.Pos) (Sent, bool) {
	if pos.File != TraceFile || pos.Line < 1 || pos.Line > len(t.Sent) {
		return Sent{}, false
	}
	return t.Sent[pos.Line-1], true
}
