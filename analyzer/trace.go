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

// Outer is the unit of statements that are sent through what may be a transaction.
const Outer = session.Outer

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
		if t := r.source.traceOf(ctx, f); t != nil {
			out = append(out, t)
		}
	}
	return out, nil
}

// traceOf interprets a function for its trace, nil if it has less than two units.
func (e *extractor) traceOf(ctx context.Context, f *ssa.Function) *Trace {
	t := &Trace{Name: session.FunctionName(f), Pos: e.P.Position(f.Pos())}
	var body []client.Stmt
	in := absint.New(ctx, e.Analysis, f, session.Everything, &body, session.NewFindings())
	in.Trace, in.Tracing, in.Limit, in.St.Phase = t, true, maxTraceSteps, memory.Open
	in.Alone = e.P.Callable(f)
	if in.Attempt() != nil || !t.Several() {
		return nil
	}
	t.Steps = in.Steps
	t.Body = &client.Txn{Pos: t.Pos, Name: t.Name, Vars: in.Vars, Body: body}
	in.RowLoops(t.Body)
	if locksSession(t.Body.Body) || len(in.P.Notes.Held(in.Root.Pos(), ir.Pos{})) > 0 {
		return nil
	}
	simplify.Txn(t.Body, func(base string) string { return in.Temp(base, client.Int, false) })
	return t
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
