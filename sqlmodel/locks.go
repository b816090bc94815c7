package sqlmodel

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// FOR UPDATE and the like lock the rows that are fetched from the joins and conditions of
// the query that has the clause, below its LIMIT. So which rows are locked depends on who
// fetches, and how many. Here a query knows the rows that are locked if they come into its
// result: no row is missing there only because nobody knew (query.locks). Where more may
// be locked, an ir.Dropped has all rows of which that can be said.
//
// A clause reaches the tables of views and subqueries in FROM, of any depth, but no WITH
// query, function or VALUES. A subquery with a clause of its own, an ORDER BY or a LIMIT
// is not merged into the query around it: it locks its rows before they are joined
// (PostgreSQL 15: transformLockingClause, markQueryForLocking, is_simple_subquery).
//
// In MySQL a clause reaches the tables of its own query, and of views that are merged into
// it. It may stand beside GROUP BY and the like, and locks at least the rows that are read
// for the result (MariaDB 10.11).

// innerLocks is a query in FROM that locks its rows by itself.
type innerLocks struct {
	q   *query
	own []ir.Expr // its conditions
	pos ir.Pos
	// what says what it is. fenced says that no condition of the query around it is
	// tested before rows are locked, as for WITH queries and functions.
	what   string
	fenced bool
}

// checkLocking stops at clauses that PostgreSQL refuses beside a lock.
func (x *ex) checkLocking(s *pg.SelectStmt, pushed ir.LockMode) {
	if len(s.LockingClause) == 0 && pushed == ir.NoLock || x.l.In.MySQL {
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
	x.fail(loc, "%s must not stand beside %s, which PostgreSQL refuses: put the lock into a subquery", strings.ToUpper(mode.String()), what)
}

// reached is x without the lock of a query around s, if that does not reach s: through a
// view, it reaches what stands in FROM.
func (x *ex) reached(s *pg.SelectStmt) *ex {
	if len(x.viewing) == 0 || (s.Op == pg.SetOpNone || s.Op == 0) && len(s.ValuesLists) == 0 {
		return x
	}
	y := *x
	y.pushed = ir.NoLock
	return &y
}

// tryLocks translates a WITH query that has locks, for what PostgreSQL refuses in it even
// if nothing refers to it.
func (x *ex) tryLocks(s *pg.SelectStmt) {
	if x.b == nil || !x.b.refsOf(s).Locks {
		return
	}
	var doubts []ir.Stmt
	x.b.attempt(func() {
		mark := len(x.b.out)
		y := *x
		y.d, y.held, y.pushed = x.newDeriver(), true, ir.NoLock
		y.relation(s)
		for _, st := range x.b.out[mark:] {
			if d, ok := st.(*ir.Dropped); ok && d.Kind == ir.ByError {
				doubts = append(doubts, d)
			}
		}
		panic(schema.Unmodelled{}) // nothing else of it stays
	})
	for _, d := range doubts {
		x.b.emit(d)
	}
}

// lockable gives the row variables that a clause about a source reaches.
func (s *rowSource) lockable() []string {
	switch {
	case strings.HasPrefix(s.alias, hiddenAlias): // reached through another one
		return nil
	case s.table != nil && s.row != "":
		return []string{s.row}
	}
	return s.reach
}

// checkLocked stops at names in OF that cannot be locked.
func (q *query) checkLocked(s *pg.SelectStmt) {
	for _, n := range s.LockingClause {
		for _, r := range pg.Inner(n).(*pg.LockingClause).LockedRels {
			rv := pg.Inner(r).(*pg.RangeVar)
			src := q.sourceCalled(rv.Relname)
			switch {
			case src == nil:
				q.in.fail(rv.Location, "there is no table %s to lock here", rv.Relname)
			case src.unlockable != "":
				q.in.fail(rv.Location, "OF must name a table, view or subquery, but %s is %s", rv.Relname, src.unlockable)
			}
		}
	}
}

func (q *query) sourceCalled(alias string) *rowSource {
	for _, s := range q.level.sources {
		if s.alias == alias {
			return s
		}
	}
	return nil
}

// takeLocks finds the rows of q that are locked: by its clauses, by pushed, which is that
// of a query around it, and by queries in its FROM list.
func (q *query) takeLocks(s *pg.SelectStmt, pushed ir.LockMode) {
	q.checkLocked(s)
	modes := map[string]ir.LockMode{}
	modeOf := syntax.LockModesOf(s, pushed)
	for _, src := range q.level.sources {
		mode, skips := modeOf(src.alias)
		rows := src.lockable()
		for _, row := range rows {
			modes[row] = max(modes[row], mode)
		}
		q.skip = q.skip || skips && len(rows) > 0
		for _, i := range src.apart {
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
		for _, src := range i.q.from {
			modes[src.Row] = max(modes[src.Row], i.q.locks.Of(src.Row))
		}
	}
	q.locks = locksOn(q.from, func(row string) ir.LockMode { return modes[row] })
	if q.skip && len(q.loops) > 0 {
		q.in.unmodelled("SKIP LOCKED beside a function in FROM")
	}
}

// locking is i with other locks.
func (i *innerLocks) locking(mode func(row string) ir.LockMode) *innerLocks {
	out, q := *i, *i.q
	q.locks = locksOn(q.from, mode)
	out.q = &q
	return &out
}

// locksWithin tells q what sub, which becomes a part of it as the source src, locks:
// by its own clauses, by those of queries in it, and if a clause of q reaches it.
func (q *query) locksWithin(in *ex, sub *query, src *rowSource, f *fromQuery, conds []ir.Expr) {
	i := &innerLocks{q: sub, own: conds, pos: in.pos(f.loc), what: f.what, fenced: f.fenced}
	sub.takeLocks(f.s, ir.NoLock)
	q.inner = append(q.inner, sub.inner...)
	if len(f.s.LockingClause) > 0 {
		q.inner = append(q.inner, i)
	}
	if f.fenced {
		src.unlockable = f.what
		return
	}
	if q.in.l.In.MySQL && len(in.viewing) == 0 {
		return
	}
	for _, s := range sub.level.sources {
		src.reach = append(src.reach, s.lockable()...)
		src.apart = append(src.apart, s.apart...)
	}
	if len(f.s.LockingClause) > 0 || len(f.s.SortClause) > 0 || slices.ContainsFunc(sub.targets, func(c colDef) bool { return q.in.l.Volatile(c.e) }) {
		src.apart = append(src.apart, i)
	}
}

// locksOn asks for a lock of the given mode on each source.
func locksOn(from []ir.Source, mode func(row string) ir.LockMode) ir.Locks {
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
func (q *query) settleInner(s *pg.SelectStmt, conds []ir.Expr) {
	alone := !q.in.l.In.MySQL && len(q.inner) == 1 && len(s.FromClause) == 1 && len(q.from) == len(q.inner[0].q.from) && s.LimitCount == nil && s.LimitOffset == nil
	var open []*innerLocks
	for _, i := range q.inner {
		exact := alone && i.known(conds)
		if !exact {
			q.in.b.mayLock(i.q, i.pos, i.what+", of which rows may be fetched that are not joined")
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
	for _, src := range i.q.from {
		rows[src.Row] = true
	}
	equal := map[ir.Col]bool{}
	for _, c := range conds {
		switch {
		case slices.Contains(i.own, c):
		case !i.fenced:
			if !rowFree(c, rows) || ir.HasExists(c) || derives(c) || i.q.in.l.Volatile(c) {
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

// mayLock says that rows of q may be locked as its locks say, and no others.
func (b *Draft) mayLock(q *query, pos ir.Pos, what string) {
	if len(q.locks) == 0 {
		return
	}
	rows := map[string]bool{}
	d := &ir.Dropped{At: at(pos), Kind: ir.ByRowLock, What: "the row locks of " + what, Locks: q.locks}
	for _, src := range q.from {
		rows[src.Row] = true
		if q.locks.Of(src.Row) != ir.NoLock && !slices.Contains(d.Tables, src.Table) {
			d.Tables = append(d.Tables, src.Table)
		}
	}
	d.Query.From = q.from
	all := true
	for _, c := range ir.Conjuncts(q.where) { // a condition less lets more rows be locked
		if rowFree(c, rows) && !derives(c) {
			d.Query.Where = ir.AndE(d.Query.Where, c)
		} else {
			all = false
		}
	}
	if q.limit != nil && all && len(q.inner) == 0 {
		d.Order, d.Limit = q.order, q.limit
	}
	b.emit(d)
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

// looseLocks says of all locks of q that they may be taken: why says what is not known.
func (b *Draft) looseLocks(q *query, pos ir.Pos, why string) {
	for _, i := range q.inner {
		b.mayLock(i.q, i.pos, i.what+", "+why)
	}
	own := *q
	own.inner = nil
	b.mayLock(&own, pos, "this query, "+why)
	q.locks, q.inner = nil, nil
}

// looseInner says of the queries in FROM that they may lock their rows, since not all of
// the result is fetched.
func (b *Draft) looseInner(q *query) {
	for _, i := range q.inner {
		b.mayLock(i.q, i.pos, i.what+", whose rows may not all be fetched")
	}
	q.inner = nil
}

// fetchAll locks the rows of queries in FROM whether or not they come into the result,
// which is fetched as a whole.
func (b *Draft) fetchAll(q *query) {
	for _, i := range q.inner {
		if i.fenced {
			b.emit(&ir.LockRows{At: at(i.pos), Query: ir.Query{From: i.q.from, Where: i.q.where}, Locks: i.q.locks})
		}
	}
	q.inner = nil
}

// lockFirst leaves in q the locks for a statement that takes its first row, where whole
// says that all rows are fetched.
func (b *builder) lockFirst(q *query, pos ir.Pos, whole bool) {
	switch {
	case b.singleRow(q.ir()) && q.limit == nil:
		b.fetchAll(q)
	case whole && q.atMost != 1:
		b.lockRows(q, pos)
	default:
		b.looseInner(q)
	}
}

// lockRows locks the rows that q finds, as far as its LIMIT lets them be fetched.
func (b *Draft) lockRows(q *query, pos ir.Pos) {
	b.fetchAll(q)
	if len(q.locks) > 0 && len(q.from) > 0 {
		s := &ir.LockRows{At: at(pos), Query: q.ir(), Locks: q.locks}
		if len(q.aggs) == 0 && q.limit != nil {
			s.Order, s.Limit = q.order, q.limit
		}
		b.emit(s)
	}
	q.locks = nil
}

// lockInRound takes the locks of a loop away and gives statements for its rounds that
// take them: for rows beyond a LIMIT there is no round.
func (b *builder) lockInRound(loop *ir.Foreach) []ir.Stmt {
	locks := loop.Locks
	loop.Locks = nil
	var out []ir.Stmt
	for _, src := range loop.Query.From {
		mode := locks.Of(src.Row)
		if mode == ir.NoLock {
			continue
		}
		var same ir.Expr
		for _, k := range src.Table.Key {
			c := src.Table.Columns[k]
			local := b.irLocal("locked", c.Type)
			col := &ir.Col{Row: src.Row, Col: c.Name}
			loop.Into, loop.Cols = append(loop.Into, local), append(loop.Cols, col)
			same = ir.AndE(same, ir.Op(ir.Eq, col, ir.V(local)))
		}
		out = append(out, &ir.LockRows{At: loop.At, Query: ir.Query{From: []ir.Source{src}, Where: same}, Locks: ir.Locks{{Mode: mode}}})
	}
	return out
}

// fetching says when the rows of a loop are fetched.
type fetching uint8

const (
	// fetchAhead: some rows at a time, as by FOR r IN query.
	fetchAhead fetching = iota
	// fetchEach: each as its round begins, as from a cursor.
	fetchEach
	// fetchWhole: all before the first round, as by a client.
	fetchWhole
)

// lockAhead leaves in a loop over q the locks that it takes, if it may be left before its
// last row.
func (b *builder) lockAhead(q *query, loop *ir.Foreach, leaves bool) {
	limited := q.limit != nil
	if leaves && q.fetch != fetchWhole || limited {
		b.looseInner(q)
	}
	b.fetchAll(q)
	switch {
	case !leaves || len(q.locks) == 0:
	case limited && q.fetch != fetchEach: // the rounds have the locks
		b.mayLock(q, loop.Pos, "this loop, whose rows are fetched some at a time")
	case q.fetch == fetchWhole:
		b.lockRows(q, loop.Pos)
		loop.Locks = nil
	default:
		loop.Ahead = q.fetch == fetchAhead
	}
}
