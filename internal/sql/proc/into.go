package proc

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
)

// IntoOfSet is why a SELECT INTO is not modelled as a statement.
const IntoOfSet = "SELECT INTO from a set-returning function"

// SelectInto takes the first row of q.
func (b *Core) SelectInto(f *expr.Frame, x *query.Place, q *query.Query, pos ir.Pos, to expr.Sink) {
	if len(q.Loops) > 0 {
		b.Unmodelled(IntoOfSet)
	}
	query.SkipRows(b.Draft, q, pos, true)
	list, rest := to.Dests(q.Targets)
	yes, no := ir.C(ir.Bool(true)), ir.C(ir.Bool(false))
	switch {
	case q.Limit != nil && q.AtMost < 0:
		b.Unmodelled("LIMIT of an expression in SELECT INTO")
	case q.AtMost == 0:
		b.SetNull(pos, append(list, rest...))
		b.SetFound(f, pos, no, nil)
		b.Strict(to, pos, no)
		return
	case len(q.Aggs) > 0:
		if len(q.From) == 0 {
			b.Unmodelled("an aggregate without FROM")
		}
		b.AggregatesInto(x, q, pos, list)
		b.SetNull(pos, rest)
		b.SetFound(f, pos, yes, nil)
		return
	case len(q.From) == 0:
		body := func() {
			b.AssignAll(x, pos, list, q.Targets)
			b.SetNull(pos, rest)
			b.SetFound(f, pos, yes, nil)
		}
		if q.Where == nil {
			body()
			return
		}
		b.Emit(&ir.If{At: expr.At(pos), Cond: q.Where, Then: b.Collect(body), Else: b.Collect(func() {
			b.SetNull(pos, append(list, rest...))
			b.SetFound(f, pos, no, nil)
			b.Strict(to, pos, no)
		})})
		return
	}
	b.LockFirst(q, pos, to.Whole)
	s := &ir.Select{At: expr.At(pos), Query: q.IR(), Order: q.Order, Locks: q.Locks, Found: b.FoundLocal(f)}
	if to.Strict && s.Found == "" {
		s.Found = b.Local("was_found", schema.TBool)
	}
	if (to.Strict || to.One) && q.AtMost != 1 && !b.SingleRow(s.Query) {
		if f.Found != "" && b.Caught(expr.TooManyRows) {
			b.EmitWeak(&ir.Assign{At: expr.At(pos), Var: f.Found, Expr: yes})
		}
		query.AtMostOne(b.Draft, s.Query, pos, expr.TooManyRows)
	}
	s.Into, s.Cols = takes(x, q, list)
	b.AtLeastOne(s)
	b.Emit(s)
	b.Weak[s] = true
	b.SetNull(pos, rest)
	if s.Found != "" {
		b.SetCount(f, pos, ir.V(s.Found), nil)
		b.Strict(to, pos, ir.V(s.Found))
	}
}

// takes gives the locals of list, each once, and the columns of q that go to them.
func takes(x *query.Place, q *query.Query, list []expr.Dest) (into []string, cols []ir.Expr) {
	for i, d := range list {
		if d.Local != "" && !slices.Contains(into, d.Local) {
			into, cols = append(into, d.Local), append(cols, x.Assigned(q.Targets[i].Val(), d.T, 0).Expr)
		}
	}
	return into, cols
}

// AggregatesInto computes the aggregates of q, directly into list where a
// column is one whose value is stored as it is.
func (b *Core) AggregatesInto(x *query.Place, q *query.Query, pos ir.Pos, list []expr.Dest) {
	query.LockRows(b.Draft, q, pos)
	s := &ir.Select{At: expr.At(pos), Query: q.IR()}
	direct := map[string]string{} // from the aggregate's local to the destination
	taken := map[string]bool{}
	used := map[string]int{}
	for _, c := range q.Targets {
		ir.WalkExpr(c.Expr, func(e ir.Expr) {
			if v, ok := e.(*ir.Var); ok {
				used[v.Name]++
			}
		})
	}
	own := map[string]bool{}
	for _, a := range q.Aggs {
		own[a.Local] = true
	}
	for i, d := range list {
		v, ok := q.Targets[i].Expr.(*ir.Var)
		if ok && own[v.Name] && d.Local != "" && used[v.Name] == 1 && used[d.Local] == 0 && expr.LocalType(q.Targets[i].Type) == expr.LocalType(d.T) && !taken[d.Local] && x.Assigned(q.Targets[i].Val(), d.T, 0).Expr == ir.Expr(v) {
			direct[v.Name] = d.Local
			taken[d.Local] = true
		}
	}
	for _, a := range q.Aggs {
		into := a.Local
		if d := direct[a.Local]; d != "" {
			into = d
		}
		s.Into = append(s.Into, into)
		s.Aggs = append(s.Aggs, a.Agg)
	}
	b.Emit(s)
	query.ComputeAfter(b.Draft, q)
	var rest []expr.Dest
	var cols []expr.Column
	for i, d := range list {
		if v, ok := q.Targets[i].Expr.(*ir.Var); ok && d.Local != "" && direct[v.Name] == d.Local {
			continue
		}
		rest, cols = append(rest, d), append(cols, q.Targets[i])
	}
	b.AssignAll(x, pos, rest, cols)
}

// LastOnes leaves out of list the locals that come again in it or in rest: they are
// set in this order, and keep the last value.
func LastOnes(list, rest []expr.Dest) []expr.Dest {
	again := map[string]bool{}
	for _, d := range rest {
		again[d.Local] = true
	}
	out := slices.Clone(list)
	for i, d := range slices.Backward(list) {
		if d.Local != "" && again[d.Local] {
			out[i] = expr.Dest{}
		}
		again[d.Local] = true
	}
	return out
}
