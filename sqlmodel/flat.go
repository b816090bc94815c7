package sqlmodel

import (
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// fromQuery is a query of a FROM list: a subquery, a view or a WITH query.
type fromQuery struct {
	s     *pg.SelectStmt
	alias string
	as    *pg.Alias
	// cols are names for its first columns; rename, if not nil, changes those of all.
	cols   []string
	rename func(string) string
	loc    int32
	// picked, if not nil, stands for SKIP LOCKED and LIMIT.
	picked picked
	// what says what it is. fenced says that it is computed by itself, whatever is
	// asked of its rows: a WITH query.
	what   string
	fenced bool
}

// flat adds a query of the FROM list, or a view, that only selects rows of
// tables: its tables and conditions become those of the query around it. It
// gives the conditions; ok is false where the query does more.
func (q *query) flat(in *ex, f *fromQuery) (conds []ir.Expr, ok bool) {
	s := f.s
	if s.Op != pg.SetOpNone && s.Op != 0 || s.WithClause != nil || len(s.ValuesLists) > 0 || len(s.GroupClause) > 0 ||
		s.HavingClause != nil || len(s.WindowClause) > 0 || len(s.DistinctClause) > 0 || s.IntoClause != nil ||
		(s.LimitCount != nil || s.LimitOffset != nil) && f.picked == nil || len(s.FromClause) == 0 || syntax.HasAggregates(s.TargetList) {
		return nil, false
	}
	y := *in
	if y.queries++; y.queries > maxQueryDepth {
		return nil, false
	}
	// The rows of the query around it cannot be named, nor may their names be
	// taken.
	hidden := &level{}
	for _, lv := range q.in.levels {
		hidden.sources = append(hidden.sources, hiddenSources(lv)...)
	}
	y.levels = append(append([]*level{}, y.levels...), hidden, &level{})
	y.perRow, y.agg, y.win, y.tid, y.pushed = true, nil, nil, false, ir.NoLock
	sub := &query{in: &y, level: y.levels[len(y.levels)-1], atMost: -1, tid: true}
	for _, n := range s.FromClause {
		conds = append(conds, sub.addFrom(n)...)
	}
	if len(sub.loops) > 0 || sub.writer {
		return nil, false
	}
	if s.WhereClause != nil {
		for _, c := range syntax.Conjuncts(s.WhereClause) {
			conds = append(conds, y.boolean(c, truth))
		}
	}
	if f.picked != nil {
		conds = append(conds, f.picked(sub.from))
	}
	for _, n := range s.TargetList {
		sub.addTarget(pg.Inner(n).(*pg.ResTarget))
	}
	sub.where = ir.AndE(conds...)
	src := &rowSource{alias: f.alias}
	for i, c := range sub.targets {
		if i < len(f.cols) {
			c.name = f.cols[i]
		}
		if f.rename != nil {
			c.name = f.rename(c.name)
		}
		v := y.defaultType(c.val())
		src.cols = append(src.cols, colDef{name: c.name, e: v.e, t: v.t, nn: v.nn})
	}
	if in.b != nil {
		q.locksWithin(in, sub, src, f, conds)
	}
	q.level.sources = append(q.level.sources, hiddenSources(sub.level)...)
	q.name(src, f.as, f.loc)
	q.from = append(q.from, sub.from...)
	return conds, true
}

// hiddenSources gives the sources of a query without their names and columns.
func hiddenSources(lv *level) []*rowSource {
	var out []*rowSource
	for _, s := range lv.sources {
		if s.row != "" {
			out = append(out, &rowSource{alias: hiddenAlias + s.row, row: s.row, table: s.table})
		}
	}
	return out
}

// hiddenAlias begins names that no SQL can spell.
const hiddenAlias = "\x00"
