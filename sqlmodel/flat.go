package sqlmodel

import (
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/sqlmodel/internal/pg"
)

// flat adds a query of the FROM list, or a view, that only selects rows of
// tables: its tables and conditions become those of the query around it. It
// gives the conditions; ok is false where the query does more. cols are names for its first columns, and
// rename, if not nil, changes those of all. picked, if not nil, stands for SKIP LOCKED and LIMIT.
func (q *query) flat(in *ex, s *pg.SelectStmt, alias string, a *pg.Alias, cols []string, rename func(string) string, loc int32, picked picked) (conds []ir.Expr, ok bool) {
	if s.Op != pg.SetOpNone && s.Op != 0 || s.WithClause != nil || len(s.ValuesLists) > 0 || len(s.GroupClause) > 0 ||
		s.HavingClause != nil || len(s.WindowClause) > 0 || len(s.DistinctClause) > 0 || s.IntoClause != nil ||
		(s.LimitCount != nil || s.LimitOffset != nil || len(s.LockingClause) > 0) && picked == nil || len(s.FromClause) == 0 || hasAggregates(s.TargetList) {
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
	y.perRow, y.agg, y.win, y.tid = true, nil, nil, false
	sub := &query{in: &y, level: y.levels[len(y.levels)-1], atMost: -1, tid: true}
	for _, n := range s.FromClause {
		conds = append(conds, sub.addFrom(n)...)
	}
	if len(sub.loops) > 0 || sub.writer {
		return nil, false
	}
	if s.WhereClause != nil {
		for _, c := range conjuncts(s.WhereClause) {
			conds = append(conds, y.boolean(c, truth))
		}
	}
	if picked != nil {
		conds = append(conds, picked(sub.from))
	}
	for _, n := range s.TargetList {
		sub.addTarget(pg.Inner(n).(*pg.ResTarget))
	}
	src := &rowSource{alias: alias}
	for i, c := range sub.targets {
		if i < len(cols) {
			c.name = cols[i]
		}
		if rename != nil {
			c.name = rename(c.name)
		}
		v := y.defaultType(c.val())
		src.cols = append(src.cols, colDef{c.name, v.e, v.t, v.nn})
	}
	q.level.sources = append(q.level.sources, hiddenSources(sub.level)...)
	q.name(src, a, loc)
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
