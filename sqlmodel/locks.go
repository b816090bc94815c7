package sqlmodel

import (
	"github.com/txrobust/robust/internal/sql/query"
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

const (
	// fetchAhead: some rows at a time, as by FOR r IN query.
	fetchAhead query.Fetching = iota
	// fetchEach: each as its round begins, as from a cursor.
	fetchEach
	// fetchWhole: all before the first round, as by a client.
	fetchWhole
)

// lockAhead leaves in a loop over q the locks that it takes, if it may be left before its
// last row.
func (b *Routine) lockAhead(q *query.Query, loop *ir.Foreach, leaves bool) {
	limited := q.Limit != nil
	if leaves && q.Fetch != fetchWhole || limited {
		b.LooseInner(q)
	}
	b.FetchAll(q)
	switch {
	case !leaves || len(q.Locks) == 0:
	case limited && q.Fetch != fetchEach: // the rounds have the locks
		b.MayLock(q, loop.Pos, "this loop, whose rows are fetched some at a time")
	case q.Fetch == fetchWhole:
		b.LockRows(q, loop.Pos)
		loop.Locks = nil
	default:
		loop.Ahead = q.Fetch == fetchAhead
	}
}
