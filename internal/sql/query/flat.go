package query

import (
	"github.com/txrobust/robust/internal/sql/expr"
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
func (q *Query) flat(in *Place, f *fromQuery) (conds []ir.Expr, ok bool) {
	s := f.s
	if s.Op != pg.SetOpNone && s.Op != 0 || s.WithClause != nil || len(s.ValuesLists) > 0 || len(s.GroupClause) > 0 ||
		s.HavingClause != nil || len(s.WindowClause) > 0 || len(s.DistinctClause) > 0 || s.IntoClause != nil ||
		(s.LimitCount != nil || s.LimitOffset != nil) && f.picked == nil || len(s.FromClause) == 0 || syntax.HasAggregates(s.TargetList) {
		return nil, false
	}
	y := in.Copy()
	if y.Depth++; y.Depth > maxQueryDepth {
		return nil, false
	}
	// The rows of the query around it cannot be named, nor may their names be
	// taken.
	hidden := &expr.Level{}
	for _, lv := range q.Place.Levels {
		hidden.Sources = append(hidden.Sources, hiddenSources(lv)...)
	}
	y.Levels = append(append([]*expr.Level{}, y.Levels...), hidden, &expr.Level{})
	y.PerRow, y.agg, y.win, y.Tid, y.pushed = true, nil, nil, false, ir.NoLock
	sub := &Query{Place: y, Level: y.Levels[len(y.Levels)-1], AtMost: -1, tid: true}
	for _, n := range s.FromClause {
		conds = append(conds, sub.AddFrom(n)...)
	}
	if len(sub.Loops) > 0 || sub.Writer {
		return nil, false
	}
	if s.WhereClause != nil {
		for _, c := range syntax.Conjuncts(s.WhereClause) {
			conds = append(conds, y.Boolean(c, expr.Truth))
		}
	}
	if f.picked != nil {
		conds = append(conds, f.picked(sub.From))
	}
	for _, n := range s.TargetList {
		sub.AddTarget(pg.Inner(n).(*pg.ResTarget))
	}
	sub.Where = ir.AndE(conds...)
	src := &expr.RowSource{Alias: f.alias}
	for i, c := range sub.Targets {
		if i < len(f.cols) {
			c.Name = f.cols[i]
		}
		if f.rename != nil {
			c.Name = f.rename(c.Name)
		}
		v := y.DefaultType(c.Val())
		src.Cols = append(src.Cols, expr.Column{Name: c.Name, Expr: v.Expr, Type: v.Type, NotNull: v.NotNull})
	}
	if in.Draft != nil {
		q.locksWithin(in, sub, src, f, conds)
	}
	q.Level.Sources = append(q.Level.Sources, hiddenSources(sub.Level)...)
	q.Name(src, f.as, f.loc)
	q.From = append(q.From, sub.From...)
	return conds, true
}

// hiddenSources gives the sources of a query without their names and columns.
func hiddenSources(lv *expr.Level) []*expr.RowSource {
	var out []*expr.RowSource
	for _, s := range lv.Sources {
		if s.Row != "" {
			out = append(out, &expr.RowSource{Alias: expr.HiddenAlias + s.Row, Row: s.Row, Table: s.Table})
		}
	}
	return out
}
