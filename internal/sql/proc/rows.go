package proc

import (
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/write"
)

const (
	// fetchAhead: some rows at a time, as by FOR r IN query.
	fetchAhead query.Fetching = iota
	// FetchEach: each as its round begins, as from a cursor.
	FetchEach
	// FetchWhole: all before the first round, as by a client.
	FetchWhole
)

// lockAhead leaves in a loop over q the locks that it takes, if it may be left before its
// last row.
func (b *Core) lockAhead(q *query.Query, loop *ir.Foreach, leaves bool) {
	limited := q.Limit != nil
	if leaves && q.Fetch != FetchWhole || limited {
		query.LooseInner(b.Draft, q)
	}
	query.FetchAll(b.Draft, q)
	switch {
	case !leaves || len(q.Locks) == 0:
	case limited && q.Fetch != FetchEach: // the rounds have the locks
		query.MayLock(b.Draft, q, loop.Pos, "this loop, whose rows are fetched some at a time")
	case q.Fetch == FetchWhole:
		query.LockRows(b.Draft, q, loop.Pos)
		loop.Locks = nil
	default:
		loop.Ahead = q.Fetch == fetchAhead
	}
}

// Over is a loop over the rows of q, which go to list. round gives the body of the loop l; iterated, if
// not "", is the local that becomes true in each round.
func (b *Core) Over(f *expr.Frame, x *query.Place, q *query.Query, round func() []ir.Stmt, l *expr.LoopLabel, iterated string, pos ir.Pos, list []expr.Dest) {
	switch {
	case q.AtMost == 0:
	case OneRow(q):
		b.oneRound(f, x, q, round, l, iterated, pos, list)
	case len(q.Loops) > 0:
		b.overSets(x, q, round, l, iterated, pos, list)
	default:
		b.overRows(x, q, round, l, iterated, pos, list)
	}
}

// OneRow reports whether it is plain that a query gives one row at most.
func OneRow(q *query.Query) bool {
	return len(q.Loops) == 0 && (q.AtMost == 1 || len(q.Aggs) > 0 || len(q.From) == 0)
}

// Mentions reports whether a query reads a local.
func Mentions(q *query.Query, local string) bool {
	found := write.Uses(q.After, map[string]bool{local: true})
	look := func(e ir.Expr) {
		ir.WalkExpr(e, func(e ir.Expr) {
			if v, ok := e.(*ir.Var); ok && v.Name == local {
				found = true
			}
		})
	}
	look(q.Where)
	look(q.Limit)
	for _, c := range q.Targets {
		look(c.Expr)
	}
	for _, o := range q.Order {
		look(o.Expr)
	}
	for _, l := range q.Loops {
		look(l.Array)
		look(l.From)
		look(l.To)
	}
	return found
}

// overRows is a loop over the rows of tables. round translates its body, which
// l labels.
func (b *Core) overRows(x *query.Place, q *query.Query, round func() []ir.Stmt, l *expr.LoopLabel, iterated string, pos ir.Pos, list []expr.Dest) {
	loop := &ir.Foreach{At: expr.At(pos), Query: q.IR(), Order: q.Order, Locks: q.Locks}
	loop.Into, loop.Cols = takes(x, q, list)
	if len(loop.Into) == 0 {
		loop.Into, loop.Cols = []string{b.Local("hit", schema.TBool)}, []ir.Expr{ir.C(ir.Bool(true))}
	}
	var count string
	var lock []ir.Stmt
	if q.Limit != nil {
		lock = b.LockInRound(loop)
		count = b.Local("n", schema.TInt)
		b.Assign(pos, count, ir.C(ir.Int(0)))
	}
	loop.Body = append(lock, b.InRound(iterated, pos, round())...)
	if len(q.Loops) == 0 {
		loop.Label = l.Label
	}
	leaves := mayLeave(loop.Body, loop.Label)
	if count != "" { // the rows beyond the limit do not come
		loop.Body = append(b.Collect(func() {
			for i, local := range loop.Into {
				loop.Into[i] = b.IRLocal(local, b.TypeOfLocal(local))
				b.Fields[loop.Into[i]] = true
				b.EmitWeak(&ir.Assign{At: expr.At(pos), Var: local, Expr: ir.V(loop.Into[i])})
			}
		}), loop.Body...)
		loop.Body = append([]ir.Stmt{
			&ir.If{At: expr.At(pos), Cond: ir.Op(ir.Ge, ir.V(count), q.Limit), Then: []ir.Stmt{&ir.Break{At: expr.At(pos)}}},
			&ir.Assign{At: expr.At(pos), Var: count, Expr: ir.Op(ir.Add, ir.V(count), ir.C(ir.Int(1)))},
		}, loop.Body...)
	}
	if q.Some && leaves {
		b.Unmodelled("SKIP LOCKED in a loop that may end before its last row")
	}
	b.lockAhead(q, loop, leaves)
	b.Emit(loop)
}

// mayLeave reports whether the body of a loop may end it before its last row.
func mayLeave(body []ir.Stmt, label string) bool {
	inside := map[string]bool{}
	ir.Walk(body, func(s ir.Stmt) {
		if b, ok := s.(*ir.Block); ok {
			inside[b.Label] = true
		}
	})
	return anyInside(body, 0, func(s ir.Stmt, depth int) bool {
		switch s := s.(type) {
		case *ir.Return:
			return true
		case *ir.Break:
			return s.Label == "" && depth == 0 || s.Label != "" && !inside[s.Label]
		case *ir.Continue:
			return s.Label != "" && s.Label != label
		}
		return false
	})
}

// oneRound is a loop over a query with one row at most.
func (b *Core) oneRound(f *expr.Frame, x *query.Place, q *query.Query, round func() []ir.Stmt, l *expr.LoopLabel, iterated string, pos ir.Pos, list []expr.Dest) {
	l.Once = true
	l.Label = b.NewLabel("loop")
	found := b.Local("was_found", schema.TBool)
	b.SelectInto(&expr.Frame{Func: f.Func, Found: found}, x, q, pos, expr.Sink{Kind: expr.IntoLocals, Dests: func([]expr.Column) ([]expr.Dest, []expr.Dest) { return list, nil }})
	body := b.InRound(iterated, pos, round())
	b.Emit(&ir.If{At: expr.At(pos), Cond: ir.V(found), Then: Labelled(pos, l.Label, body)})
}

// overSets is a loop over a set-returning function, and perhaps tables.
func (b *Core) overSets(x *query.Place, q *query.Query, round func() []ir.Stmt, l *expr.LoopLabel, iterated string, pos ir.Pos, list []expr.Dest) {
	if q.Limit != nil || len(q.Order) > 0 || len(q.Aggs) > 0 {
		b.Unmodelled("ORDER BY, LIMIT or aggregates over a set-returning function")
	}
	// Several loops of the IR may be one here: EXIT and CONTINUE name theirs.
	l.Label, l.Next = b.NewLabel("loop"), b.NewLabel("round")
	b.Each(q, pos, l.Label, "", func() {
		if len(q.From) > 0 {
			b.overRows(x, q, round, l, iterated, pos, list)
			return
		}
		b.AssignAll(x, pos, list, q.Targets)
		for _, st := range b.InRound(iterated, pos, round()) {
			b.Emit(st)
		}
	})
}

// inRound marks that there was a round.
func (b *Core) InRound(iterated string, pos ir.Pos, body []ir.Stmt) []ir.Stmt {
	if iterated == "" {
		return body
	}
	s := &ir.Assign{At: expr.At(pos), Var: iterated, Expr: ir.C(ir.Bool(true))}
	b.Weak[s] = true
	return append([]ir.Stmt{s}, body...)
}
