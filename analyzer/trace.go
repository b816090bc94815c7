package analyzer

import (
	"context"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/absint"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/client/simplify"
	"github.com/txrobust/robust/ir"
)

// Trace is what a function sends to the database in all its transactions, as if they
// were one; Sent is a statement of it.
type (
	Trace = session.Trace
	Sent  = session.Sent
)

// maxTraceSteps bounds the instructions that are interpreted for one trace.
const maxTraceSteps = 60_000

// Traces interprets the functions of a program that use the database and that
// begin more than one transaction, statements by themselves included. Functions
// that take too many steps are left out, and so are those that others call only
// with a transaction.
func (r *Result) Traces(ctx context.Context) ([]*Trace, error) {
	p := r.source.P
	var out []*Trace
	for _, f := range p.Funcs {
		if !p.Relevant[f] || p.Know.Calls(f) || p.Ways(f) < 2 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out = append(out, r.source.tracesOf(ctx, f)...)
	}
	return out, nil
}

// tracesOf interprets a function for its trace. If the function may call itself after an error, there is a
// second trace, of an attempt that fails. There are more where calls through interfaces may be of several methods.
// A narrow trace takes the place of a wide one that has too many steps.
func (e *extractor) tracesOf(ctx context.Context, f *ssa.Function) (list []*Trace) {
	for _, fails := range []bool{false, true} {
		if fails && !e.P.CallsItself(f) {
			break
		}
		for method, methods := 0, 1; method < methods; method++ {
			way := way{wide: true, fails: fails, method: method}
			t, how := e.traceOf(ctx, f, way)
			if !how.whole {
				way.wide = false
				t, how = e.traceOf(ctx, f, way)
			}
			if t != nil && (!fails || how.again) {
				list = append(list, t)
			}
			methods = how.methods
		}
	}
	return list
}

// way is how a trace is made. A wide one follows more calls (session.Session.Wide). In a trace that fails, errors
// happen, after which the function may call itself. Where a call through an interface may be of several methods, method
// says which it is.
type way struct {
	wide, fails bool
	method      int
}

// traced says of the interpretation for a trace whether it came to its end, whether the function calls itself, and
// of how many methods some call through an interface may be.
type traced struct {
	whole, again bool
	methods      int
}

// traceOf interprets a function for its trace, which is nil if it cannot have two transactions.
func (e *extractor) traceOf(ctx context.Context, f *ssa.Function, way way) (trace *Trace, how traced) {
	t := &Trace{Name: session.FunctionName(f), Pos: e.P.Position(f.Pos())}
	var body []client.Stmt
	in := absint.New(ctx, e.Analysis, f, session.Everything, &body, session.NewFindings())
	in.Trace, in.Tracing, in.Limit, in.St.Phase = t, true, maxTraceSteps, memory.Open
	in.Alone, in.Wide, in.Failing, in.Taken = e.P.Callable(f), way.wide, way.fails, way.method
	how.whole = in.Attempt() == nil
	how.again, how.methods = in.Again, in.Methods
	if !how.whole || !t.Several() {
		return nil, how
	}
	t.Steps = in.Steps
	t.Body = &client.Txn{Pos: t.Pos, Name: t.Name, Vars: in.Vars, Body: body}
	in.RowLoops(t.Body)
	if locksSession(t.Body.Body) || len(in.P.Notes.Held(in.Root.Pos(), ir.Pos{})) > 0 {
		return nil, how
	}
	simplify.Reduce(t.Body)
	return t, how
}

// locksSession reports whether statements take an advisory lock that lasts beyond
// their transaction: it may order all that the function does.
func locksSession(list []client.Stmt) bool {
	found := false
	session.EachQuery(list, func(s client.Stmt) {
		if q, ok := s.(*client.Query); ok {
			text := strings.ToLower(q.SQL)
			found = found || strings.Contains(text, "advisory_lock") || strings.Contains(text, "get_lock(")
		}
	})
	return found
}
