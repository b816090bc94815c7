package query

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// innerLocks is a query in FROM that locks its rows by itself.
type innerLocks struct {
	q   *Query
	own []ir.Expr // its conditions
	pos ir.Pos
	// what says what it is. fenced says that no condition of the query around it is
	// tested before rows are locked, as for WITH queries and functions.
	what   string
	fenced bool
}

// checkLocking stops at clauses that PostgreSQL refuses beside a lock.
func (x *Place) checkLocking(s *pg.SelectStmt, pushed ir.LockMode) {
	if len(s.LockingClause) == 0 && pushed == ir.NoLock || x.App.In.MySQL {
		return
	}
	mode, loc := pushed, int32(max(pg.Start(s), 0))
	for _, n := range s.LockingClause {
		mode = max(mode, syntax.LockModes[pg.Inner(n).(*pg.LockingClause).Strength.String()])
	}
	what := ""
	switch {
	case s.Op != pg.SetOpNone && s.Op != 0:
		what = strings.TrimPrefix(s.Op.String(), "SETOP_")
	case len(s.ValuesLists) > 0 && len(s.LockingClause) > 0:
		what = "VALUES"
	case len(s.DistinctClause) > 0:
		what = "DISTINCT"
	case len(s.GroupClause) > 0:
		what = "GROUP BY"
	case s.HavingClause != nil:
		what = "HAVING"
	case syntax.HasAggregates(s.TargetList):
		what = "an aggregate"
	case syntax.HasWindows(s.TargetList):
		what = "a window function"
	default:
		return
	}
	x.Fail(loc, "%s must not stand beside %s, which PostgreSQL refuses: put the lock into a subquery", strings.ToUpper(mode.String()), what)
}

// reached is x without the lock of a query around s, if that does not reach s: through a
// view, it reaches what stands in FROM.
func (x *Place) reached(s *pg.SelectStmt) *Place {
	if len(x.viewing) == 0 || (s.Op == pg.SetOpNone || s.Op == 0) && len(s.ValuesLists) == 0 {
		return x
	}
	y := x.Copy()
	y.pushed = ir.NoLock
	return y
}

// tryLocks translates a WITH query that has locks, for what PostgreSQL refuses in it even
// if nothing refers to it.
func (x *Place) tryLocks(s *pg.SelectStmt) {
	if x.Draft == nil || !x.Draft.RefsOf(s).Locks {
		return
	}
	var doubts []ir.Stmt
	x.Draft.Trial(func() {
		mark := len(x.Draft.Out)
		y := x.Copy()
		y.Deriver, y.held, y.pushed = x.NewDeriver(), true, ir.NoLock
		y.relation(s)
		for _, st := range x.Draft.Out[mark:] {
			if d, ok := st.(*ir.Dropped); ok && d.Kind == ir.ByError {
				doubts = append(doubts, d)
			}
		}
	})
	for _, d := range doubts {
		x.Draft.Emit(d)
	}
}

// checkLocked stops at names in OF that cannot be locked.
func (q *Query) checkLocked(s *pg.SelectStmt) {
	for _, n := range s.LockingClause {
		for _, r := range pg.Inner(n).(*pg.LockingClause).LockedRels {
			rv := pg.Inner(r).(*pg.RangeVar)
			src := q.sourceCalled(rv.Relname)
			switch {
			case src == nil:
				q.Place.Fail(rv.Location, "there is no table %s to lock here", rv.Relname)
			case src.Unlockable != "":
				q.Place.Fail(rv.Location, "OF must name a table, view or subquery, but %s is %s", rv.Relname, src.Unlockable)
			}
		}
	}
}

func (q *Query) sourceCalled(alias string) *expr.RowSource {
	for _, s := range q.Level.Sources {
		if s.Alias == alias {
			return s
		}
	}
	return nil
}

// TakeLocks finds the rows of q that are locked: by its clauses, by pushed, which is that
// of a query around it, and by queries in its FROM list.
func (q *Query) TakeLocks(s *pg.SelectStmt, pushed ir.LockMode) {
	q.checkLocked(s)
	modes := map[string]ir.LockMode{}
	modeOf := syntax.LockModesOf(s, pushed)
	for _, src := range q.Level.Sources {
		mode, skips := modeOf(src.Alias)
		rows := src.Lockable()
		for _, row := range rows {
			modes[row] = max(modes[row], mode)
		}
		q.skip = q.skip || skips && len(rows) > 0
		for _, inner := range src.Apart {
			i := inner.(*innerLocks)
			if mode != ir.NoLock {
				q.inner = append(q.inner, i.locking(func(row string) ir.LockMode {
					if slices.Contains(rows, row) {
						return mode
					}
					return ir.NoLock
				}))
			}
		}
	}
	for _, i := range q.inner {
		for _, src := range i.q.From {
			modes[src.Row] = max(modes[src.Row], i.q.Locks.Of(src.Row))
		}
	}
	q.Locks = LocksOn(q.From, func(row string) ir.LockMode { return modes[row] })
	if q.skip && len(q.Loops) > 0 {
		q.Place.Unmodelled("SKIP LOCKED beside a function in FROM")
	}
}

// locking is i with other locks.
func (i *innerLocks) locking(mode func(row string) ir.LockMode) *innerLocks {
	out, q := *i, *i.q
	q.Locks = LocksOn(q.From, mode)
	out.q = &q
	return &out
}

// locksWithin tells q what sub, which becomes a part of it as the source src, locks:
// by its own clauses, by those of queries in it, and if a clause of q reaches it.
func (q *Query) locksWithin(in *Place, sub *Query, src *expr.RowSource, f *fromQuery, conds []ir.Expr) {
	i := &innerLocks{q: sub, own: conds, pos: in.Pos(f.loc), what: f.what, fenced: f.fenced}
	sub.TakeLocks(f.s, ir.NoLock)
	q.inner = append(q.inner, sub.inner...)
	if len(f.s.LockingClause) > 0 {
		q.inner = append(q.inner, i)
	}
	if f.fenced {
		src.Unlockable = f.what
		return
	}
	if q.Place.App.In.MySQL && len(in.viewing) == 0 {
		return
	}
	for _, s := range sub.Level.Sources {
		src.Reach = append(src.Reach, s.Lockable()...)
		src.Apart = append(src.Apart, s.Apart...)
	}
	if len(f.s.LockingClause) > 0 || len(f.s.SortClause) > 0 || slices.ContainsFunc(sub.Targets, func(c expr.Column) bool { return q.Place.App.Volatile(c.Expr) }) {
		src.Apart = append(src.Apart, i)
	}
}

// LocksOn asks for a lock of the given mode on each source.
func LocksOn(from []ir.Source, mode func(row string) ir.LockMode) ir.Locks {
	var out ir.Locks
	all := true
	for m := ir.ForUpdate; m > ir.NoLock; m-- {
		var rows []string
		for _, src := range from {
			if mode(src.Row) == m {
				rows = append(rows, src.Row)
			}
		}
		if len(rows) > 0 {
			out = append(out, ir.Lock{Mode: m, Of: rows})
			all = len(rows) == len(from)
		}
	}
	if len(out) == 1 && all {
		out[0].Of = nil
	}
	return out
}

// settleInner says of the queries in FROM which rows they may lock beyond those that come
// into the result of q. s is q, and conds are its own conditions.
func (q *Query) settleInner(s *pg.SelectStmt, conds []ir.Expr) {
	alone := !q.Place.App.In.MySQL && len(q.inner) == 1 && len(s.FromClause) == 1 && len(q.From) == len(q.inner[0].q.From) && s.LimitCount == nil && s.LimitOffset == nil
	var open []*innerLocks
	for _, i := range q.inner {
		exact := alone && i.known(conds)
		if !exact {
			MayLock(q.Place.Draft, i.q, i.pos, i.what+", of which rows may be fetched that are not joined")
			continue
		}
		open = append(open, i)
	}
	q.inner = open
}

// known reports whether it is known what the conditions of the query around i do to its
// locks: rows that do not satisfy them are not locked, or (fenced) are.
func (i *innerLocks) known(conds []ir.Expr) bool {
	rows := map[string]bool{}
	for _, src := range i.q.From {
		rows[src.Row] = true
	}
	equal := map[ir.Col]bool{}
	for _, c := range conds {
		switch {
		case slices.Contains(i.own, c):
		case !i.fenced:
			if !expr.RowFree(c, rows) || ir.HasExists(c) || derives(c) || i.q.Place.App.Volatile(c) {
				return false
			}
		default: // what can never be true keeps the query from being run at all
			col, op := comparesConstant(c)
			if col == nil || op == ir.Eq && equal[*col] {
				return false
			}
			equal[*col] = equal[*col] || op == ir.Eq
		}
	}
	return true
}

// comparesConstant gives the column that a condition compares with a constant.
func comparesConstant(c ir.Expr) (col *ir.Col, op ir.BinaryOp) {
	b, ok := c.(*ir.Binary)
	if !ok || b.Op < ir.Eq || b.Op > ir.Ge {
		return nil, 0
	}
	for _, side := range [][2]ir.Expr{{b.X, b.Y}, {b.Y, b.X}} {
		k, isCol := side[0].(*ir.Col)
		v, isConst := side[1].(*ir.Const)
		if isCol && isConst && !v.Value.IsNull() {
			return k, b.Op
		}
	}
	return nil, 0
}

// MayLock says that rows of q may be locked as its locks say, and no others.
func MayLock(b *expr.Draft, q *Query, pos ir.Pos, what string) {
	if len(q.Locks) == 0 {
		return
	}
	rows := map[string]bool{}
	d := &ir.Dropped{At: expr.At(pos), Kind: ir.ByRowLock, What: "the row locks of " + what, Locks: q.Locks}
	for _, src := range q.From {
		rows[src.Row] = true
		if q.Locks.Of(src.Row) != ir.NoLock && !slices.Contains(d.Tables, src.Table) {
			d.Tables = append(d.Tables, src.Table)
		}
	}
	d.Query.From = q.From
	all := true
	for _, c := range ir.Conjuncts(q.Where) { // a condition less lets more rows be locked
		if expr.RowFree(c, rows) && !derives(c) {
			d.Query.Where = ir.AndE(d.Query.Where, c)
		} else {
			all = false
		}
	}
	if q.Limit != nil && all && len(q.inner) == 0 {
		d.Order, d.Limit = q.Order, q.Limit
	}
	b.Emit(d)
}

// derives reports whether an expression has a derivation.
func derives(e ir.Expr) bool {
	found := false
	ir.WalkExpr(e, func(e ir.Expr) {
		c, ok := e.(*ir.Call)
		found = found || ok && c.Def != nil
	})
	return found
}

// LooseLocks says of all locks of q that they may be taken: why says what is not known.
func LooseLocks(b *expr.Draft, q *Query, pos ir.Pos, why string) {
	for _, i := range q.inner {
		MayLock(b, i.q, i.pos, i.what+", "+why)
	}
	own := *q
	own.inner = nil
	MayLock(b, &own, pos, "this query, "+why)
	q.Locks, q.inner = nil, nil
}

// LooseInner says of the queries in FROM that they may lock their rows, since not all of
// the result is fetched.
func LooseInner(b *expr.Draft, q *Query) {
	for _, i := range q.inner {
		MayLock(b, i.q, i.pos, i.what+", whose rows may not all be fetched")
	}
	q.inner = nil
}

// FetchAll locks the rows of queries in FROM whether or not they come into the result,
// which is fetched as a whole.
func FetchAll(b *expr.Draft, q *Query) {
	for _, i := range q.inner {
		if i.fenced {
			b.Emit(&ir.LockRows{At: expr.At(i.pos), Query: ir.Query{From: i.q.From, Where: i.q.Where}, Locks: i.q.Locks})
		}
	}
	q.inner = nil
}

// LockRows locks the rows that q finds, as far as its LIMIT lets them be fetched.
func LockRows(b *expr.Draft, q *Query, pos ir.Pos) {
	FetchAll(b, q)
	if len(q.Locks) > 0 && len(q.From) > 0 {
		s := &ir.LockRows{At: expr.At(pos), Query: q.IR(), Locks: q.Locks}
		if len(q.Aggs) == 0 && q.Limit != nil {
			s.Order, s.Limit = q.Order, q.Limit
		}
		b.Emit(s)
	}
	q.Locks = nil
}

// Fetching says when the rows of a loop are fetched.
type Fetching uint8

// lockSub sees to the locks of q, a subquery used as a value, where it may not run at all:
// then it locks nothing. A lock that is lost excludes nobody, one too many hides
// executions.
func (x *Place) lockSub(q *Query, pos ir.Pos) {
	if x.Conditional || x.PerRow {
		x.lockWhen(q, pos, q.Limit == nil || x.Draft.SingleRow(q.IR()))
	}
}

// lockWhen locks the rows of q, a subquery that may not run, where it is known to run.
// told says that it is known which rows come.
func (x *Place) lockWhen(q *Query, pos ir.Pos, told bool) {
	if sure, ok := x.Sure.(*[]SureLocks); ok && told && len(q.Locks) > 0 && closed(q) {
		own := *q
		*sure = append(*sure, SureLocks{&own, pos})
		q.Locks, q.inner = nil, nil
		return
	}
	if x.PerRow || x.Guard == nil || !told || len(q.Locks) == 0 {
		LooseLocks(x.Draft, q, pos, "which may not run")
		return
	}
	x.Draft.Emit(&ir.If{At: expr.At(pos), Cond: x.Guard, Then: x.Draft.Collect(func() { LockRows(x.Draft, q, pos) })})
}

// SureLocks are the locks of a subquery that runs if a row is written, and perhaps
// otherwise: an index is asked for its value, and a scan comes to it with the first row.
type SureLocks struct {
	Q   *Query
	Pos ir.Pos
}

// Surely runs f for conditions and values of an UPDATE or DELETE.
func (x *Place) Surely(f func()) []SureLocks {
	if x.Conditional || x.App.In.MySQL {
		f()
		return nil
	}
	var out []SureLocks
	x.Sure = &out
	f()
	x.Sure = nil
	return out
}
