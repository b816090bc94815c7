package query

import (
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// Query is a translated SELECT.
type Query struct {
	Place *Place // for expressions over its rows
	Level *expr.Level
	From  []ir.Source
	Where ir.Expr
	// Loops are the set-returning functions of the FROM list, outermost first.
	Loops []SetLoop
	// Body are the statements that each round of the loops begins with.
	Body []ir.Stmt
	// Targets are the output columns. With aggs they are expressions over the
	// locals of those.
	Targets []expr.Column
	Aggs    []aggCall
	// After are the statements that compute the output columns of aggregates.
	After []ir.Stmt
	Order []ir.Order
	Limit ir.Expr
	// AtMost is the limit if it is a constant, or -1.
	AtMost int64
	// Locks are those on the rows that come into the result, inner the queries in FROM
	// that may lock more (locks.go).
	Locks ir.Locks
	inner []*innerLocks
	Fetch Fetching // if its rows are gone through one by one
	// lockOf gives the lock on an item of the FROM list of a derivation, and nested the
	// queries there that lock rows.
	lockOf func(alias string) (mode ir.LockMode, skips bool)
	Nested []*nestedLocks
	// skip says that rows may be skipped which others have locked; SkipRows
	// makes it conditions. some says that it chose several rows.
	skip, Some bool
	// Whole, if not nil, is the derivation whose rows the only loop goes through.
	Whole *Derived
	// Writer says that a function in FROM writes.
	Writer bool
	// Target is the row that an UPDATE or DELETE writes, if this is its FROM or
	// USING; again are the sources there that skip rows, each time they are read.
	Target *expr.RowSource
	again  []ir.Source
	// tid says that an output column may be the ctid of a row.
	tid bool
}

// IR is the query as one of the IR.
func (q *Query) IR() ir.Query {
	if q.skip {
		q.Place.Unmodelled("SKIP LOCKED in this place")
	}
	return ir.Query{From: q.From, Where: q.Where}
}

// Name adds a source, with the column names of its alias.
func (q *Query) Name(s *expr.RowSource, a *pg.Alias, loc int32) {
	for _, o := range q.Level.Sources {
		if o.Alias == s.Alias {
			q.Place.Fail(loc, "the name %s is given to two tables; use aliases", s.Alias)
		}
	}
	for i, c := range syntax.Names(a.GetColnames()) {
		if i < len(s.Cols) {
			s.Cols[i].Name = c
		}
	}
	q.Level.Sources = append(q.Level.Sources, s)
}
