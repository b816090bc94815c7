package sqlmodel

import (
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// dest is a local that takes a value.
type dest struct {
	local string
	t     schema.Type
}

// sink says where the rows of a statement go.
type sink struct {
	kind sinkKind
	// dests gives the locals for the columns of a row, one per column; a
	// column whose local is "" is dropped. rest are set to NULL. It may be called several
	// times, and gives the same locals then.
	dests func(cols []colDef) (list []dest, rest []dest)
	// strict says that there must be a row, whole that all rows are fetched where one is
	// taken: a client gets all that the server sends.
	strict, whole bool
	// rows takes the rows of intoRows.
	rows *rowSink
}

type sinkKind uint8

const (
	// discard drops the rows.
	discard sinkKind = iota
	// intoLocals takes one row, or NULLs.
	intoLocals
	// toClient returns all rows.
	toClient
	// intoRows puts all rows in one value.
	intoRows
)

func (b *builder) ex(f *frame, t *syntax.Text) *ex {
	return &ex{l: b.l, b: b.Draft, f: f, text: t, ctes: f.ctes}
}

// selectStmt translates a SELECT that is a statement.
func (b *builder) selectStmt(f *frame, t *syntax.Text, s *pg.SelectStmt, pos ir.Pos, to sink) {
	b.apart(s, nil)
	x := b.ex(f, t)
	x.withWrites(s.WithClause, s)
	x.either(func() {
		b.afterParts(x.parts, func() {
			if len(s.ValuesLists) > 0 {
				b.values(f, t, s, pos, to)
				return
			}
			q := x.locking(s, false)
			switch to.kind {
			case intoLocals:
				b.selectInto(f, x, q, pos, to)
			case toClient:
				b.selectRows(f, x, q, pos)
			default:
				b.perform(f, x, q, pos)
			}
		})
	}, func() { b.afterParts(x.parts, func() { b.derivedSelect(f, x, s, pos, to) }) })
}

// setFound sets FOUND and ROW_COUNT where the function uses them. count may
// be nil: one row if found, none otherwise.
func (b *builder) setFound(f *frame, pos ir.Pos, found ir.Expr, count ir.Expr) {
	if f.found != "" {
		b.emitWeak(&ir.Assign{At: at(pos), Var: f.found, Expr: found})
	}
	b.setCount(f, pos, found, count)
}

func (b *builder) setCount(f *frame, pos ir.Pos, found, count ir.Expr) {
	if f.rowcount == "" {
		return
	}
	if count == nil {
		count = &ir.Cond{If: found, Then: ir.C(ir.Int(1)), Else: ir.C(ir.Int(0))}
		if c, ok := found.(*ir.Const); ok {
			count = ir.C(ir.Int(c.Value.I))
		}
	}
	b.emitWeak(&ir.Assign{At: at(pos), Var: f.rowcount, Expr: count})
}

// foundLocal gives a local for whether there was a row, "" if nobody asks.
func (b *builder) foundLocal(f *frame) string {
	switch {
	case f.found != "":
		return f.found
	case f.rowcount != "":
		return b.local("was_found", schema.TBool)
	}
	return ""
}

// assignAll sets several locals at once.
func (b *builder) assignAll(x *ex, pos ir.Pos, list []dest, cols []colDef) {
	exprs := make([]ir.Expr, len(list))
	for i, d := range list {
		if d.local != "" {
			exprs[i] = x.assigned(cols[i].val(), d.t, 0).e
		}
	}
	set := map[string]bool{}
	clash := false
	for i, d := range list {
		if d.local != "" {
			ir.WalkExpr(exprs[i], func(e ir.Expr) {
				if v, ok := e.(*ir.Var); ok {
					clash = clash || set[v.Name]
				}
			})
			set[d.local] = true
		}
	}
	if clash {
		for i, d := range list {
			if d.local != "" {
				tmp := b.local("tmp", d.t)
				b.emit(&ir.Assign{At: at(pos), Var: tmp, Expr: exprs[i]})
				exprs[i] = ir.V(tmp)
			}
		}
	}
	for i, d := range list {
		if d.local != "" {
			b.assign(pos, d.local, exprs[i])
		}
	}
}

func (b *builder) setNull(pos ir.Pos, list []dest) {
	for _, d := range list {
		if d.local != "" {
			b.assign(pos, d.local, ir.C(ir.Null))
		}
	}
}

// selectInto takes the first row of q.
func (b *builder) selectInto(f *frame, x *ex, q *query, pos ir.Pos, to sink) {
	if len(q.loops) > 0 {
		b.unmodelled("SELECT INTO from a set-returning function")
	}
	b.skipRows(q, pos, true)
	list, rest := to.dests(q.targets)
	yes, no := ir.C(ir.Bool(true)), ir.C(ir.Bool(false))
	switch {
	case q.limit != nil && q.atMost < 0:
		b.unmodelled("LIMIT of an expression in SELECT INTO")
	case q.atMost == 0:
		b.setNull(pos, append(list, rest...))
		b.setFound(f, pos, no, nil)
		b.strict(to, pos, no)
		return
	case len(q.aggs) > 0:
		if len(q.from) == 0 {
			b.unmodelled("an aggregate without FROM")
		}
		b.aggregatesInto(x, q, pos, list)
		b.setNull(pos, rest)
		b.setFound(f, pos, yes, nil)
		return
	case len(q.from) == 0:
		body := func() {
			b.assignAll(x, pos, list, q.targets)
			b.setNull(pos, rest)
			b.setFound(f, pos, yes, nil)
		}
		if q.where == nil {
			body()
			return
		}
		b.emit(&ir.If{At: at(pos), Cond: q.where, Then: b.collect(body), Else: b.collect(func() {
			b.setNull(pos, append(list, rest...))
			b.setFound(f, pos, no, nil)
			b.strict(to, pos, no)
		})})
		return
	}
	b.lockFirst(q, pos, to.whole)
	s := &ir.Select{At: at(pos), Query: q.ir(), Order: q.order, Locks: q.locks, Found: b.foundLocal(f)}
	if to.strict && s.Found == "" {
		s.Found = b.local("was_found", schema.TBool)
	}
	if to.strict && q.atMost != 1 && !b.singleRow(s.Query) {
		if f.found != "" && b.caught(tooManyRows) {
			b.emitWeak(&ir.Assign{At: at(pos), Var: f.found, Expr: yes})
		}
		b.atMostOne(s.Query, pos, tooManyRows)
	}
	seen := map[string]bool{}
	for i, d := range list {
		if d.local == "" || seen[d.local] {
			continue
		}
		seen[d.local] = true
		s.Into = append(s.Into, d.local)
		s.Cols = append(s.Cols, x.assigned(q.targets[i].val(), d.t, 0).e)
	}
	b.atLeastOne(s)
	b.emit(s)
	b.weak[s] = true
	b.setNull(pos, rest)
	if s.Found != "" {
		b.setCount(f, pos, ir.V(s.Found), nil)
		b.strict(to, pos, ir.V(s.Found))
	}
}

// strict is STRICT: without a row the transaction does not go on.
func (b *builder) strict(to sink, pos ir.Pos, found ir.Expr) {
	if to.strict {
		b.require(pos, found, noData)
	}
}

// SQLSTATEs of STRICT, and of a subquery that is used as a value.
const (
	noData      = "P0002"
	tooManyRows = "P0003"
	cardinality = "21000"
)

// atMostOne makes it an error that q has several rows.
func (b *Draft) atMostOne(q ir.Query, pos ir.Pos, state string) {
	n := b.local("count", schema.TInt)
	b.emit(&ir.Select{At: at(pos), Into: []string{n}, Aggs: []ir.Agg{{Fn: "count", Type: ir.IntType}}, Query: q})
	b.require(pos, ir.Op(ir.Le, ir.V(n), ir.C(ir.Int(1))), state)
}

// atLeastOne gives a Select a column, which its text form needs.
func (b *builder) atLeastOne(s *ir.Select) {
	if len(s.Into) == 0 {
		s.Into = []string{b.local("hit", schema.TBool)}
		s.Cols = []ir.Expr{ir.C(ir.Bool(true))}
	}
}

// aggregatesInto computes the aggregates of q, directly into list where a
// column is one whose value is stored as it is.
func (b *builder) aggregatesInto(x *ex, q *query, pos ir.Pos, list []dest) {
	b.lockRows(q, pos)
	s := &ir.Select{At: at(pos), Query: q.ir()}
	direct := map[string]string{} // from the aggregate's local to the destination
	taken := map[string]bool{}
	used := map[string]int{}
	for _, c := range q.targets {
		ir.WalkExpr(c.e, func(e ir.Expr) {
			if v, ok := e.(*ir.Var); ok {
				used[v.Name]++
			}
		})
	}
	own := map[string]bool{}
	for _, a := range q.aggs {
		own[a.local] = true
	}
	for i, d := range list {
		v, ok := q.targets[i].e.(*ir.Var)
		if ok && own[v.Name] && d.local != "" && used[v.Name] == 1 && used[d.local] == 0 && localType(q.targets[i].t) == localType(d.t) && !taken[d.local] && x.assigned(q.targets[i].val(), d.t, 0).e == ir.Expr(v) {
			direct[v.Name] = d.local
			taken[d.local] = true
		}
	}
	for _, a := range q.aggs {
		into := a.local
		if d := direct[a.local]; d != "" {
			into = d
		}
		s.Into = append(s.Into, into)
		s.Aggs = append(s.Aggs, a.agg)
	}
	b.emit(s)
	b.computeAfter(q)
	var rest []dest
	var cols []colDef
	for i, d := range list {
		if v, ok := q.targets[i].e.(*ir.Var); ok && d.local != "" && direct[v.Name] == d.local {
			continue
		}
		rest, cols = append(rest, d), append(cols, q.targets[i])
	}
	b.assignAll(x, pos, rest, cols)
}

// perform runs q for its locks and FOUND alone.
func (b *builder) perform(f *frame, x *ex, q *query, pos ir.Pos) {
	if len(q.loops) > 0 {
		b.unmodelled("PERFORM over a set-returning function")
	}
	b.skipRows(q, pos, false)
	yes := ir.C(ir.Bool(true))
	fails := anyMayFail(q.targets)
	if q.limit != nil && q.atMost < 1 {
		b.unmodelled("LIMIT 0 or of an expression in PERFORM")
	}
	if len(q.from) == 0 {
		b.performOnce(f, q, pos)
		return
	}
	if f.rowcount != "" && len(q.aggs) == 0 {
		b.countRows(f, q.ir(), pos)
		if q.atMost > 0 {
			c := ir.V(f.rowcount)
			limit := ir.C(ir.Int(q.atMost))
			b.emitWeak(&ir.Assign{At: at(pos), Var: f.rowcount, Expr: &ir.Cond{If: ir.Op(ir.Gt, c, limit), Then: limit, Else: c}})
		}
	}
	if len(q.aggs) > 0 {
		b.aggregatesInto(x, q, pos, make([]dest, len(q.targets)))
		b.compute(pos, q.targets)
		b.setFound(f, pos, yes, nil)
		return
	}
	single := q.atMost == 1 || b.singleRow(q.ir())
	if len(q.locks) > 0 && !single { // of all rows, not only the first
		b.lockRows(q, pos)
		if !fails && f.found == "" {
			return
		}
	}
	if fails && !single {
		if q.atMost > 1 {
			b.unmodelled("LIMIT with what may fail in PERFORM")
		}
		// All rows are computed, not only the first.
		loop := &ir.Foreach{At: at(pos), Query: q.ir(), Order: q.order, Found: f.found}
		loop.Into, loop.Cols = []string{b.local("hit", schema.TBool)}, []ir.Expr{yes}
		b.mayFail(q, &loop.Into, &loop.Cols)
		b.weak[loop] = true
		b.emit(loop)
		return
	}
	b.lockFirst(q, pos, false)
	s := &ir.Select{At: at(pos), Query: q.ir(), Order: q.order, Locks: q.locks, Found: f.found}
	b.mayFail(q, &s.Into, &s.Cols)
	b.atLeastOne(s)
	b.weak[s] = true
	b.emit(s)
}

// performOnce is perform of a query without tables.
func (b *builder) performOnce(f *frame, q *query, pos ir.Pos) {
	if len(q.aggs) > 0 {
		b.unmodelled("an aggregate without FROM")
	}
	found := ir.Expr(ir.C(ir.Bool(true)))
	if q.where != nil {
		found = ir.Op(ir.Is, q.where, found)
	}
	computed := b.collect(func() { b.compute(pos, q.targets) })
	switch {
	case q.where == nil:
		b.out = append(b.out, computed...)
	case len(computed) > 0 || ir.MayFail(q.where):
		hit := b.local("hit", schema.TBool)
		b.emit(&ir.Assign{At: at(pos), Var: hit, Expr: found})
		found = ir.V(hit)
		if len(computed) > 0 {
			b.emit(&ir.If{At: at(pos), Cond: found, Then: computed})
		}
	}
	b.setFound(f, pos, found, nil)
}

// compute evaluates the values that may fail, which nobody looks at.
func (b *builder) compute(pos ir.Pos, cols []colDef) {
	for _, c := range cols {
		if c.e != nil && ir.MayFail(c.e) {
			b.emit(&ir.Assign{At: at(pos), Var: b.local("tmp", c.t), Expr: c.e})
		}
	}
}

// mayFail reads the columns of q that may fail, which nobody looks at.
func (b *builder) mayFail(q *query, into *[]string, cols *[]ir.Expr) {
	for _, c := range q.targets {
		if ir.MayFail(c.e) {
			*into, *cols = append(*into, b.local("tmp", c.t)), append(*cols, c.e)
		}
	}
}

// countRows sets ROW_COUNT to the number of rows of a query.
func (b *builder) countRows(f *frame, q ir.Query, pos ir.Pos) {
	b.emitWeak(&ir.Select{At: at(pos), Into: []string{f.rowcount}, Aggs: []ir.Agg{{Fn: "count", Type: ir.IntType}}, Query: q})
}

// singleRow reports whether a query over one table fixes a whole key.
func (b *Draft) singleRow(q ir.Query) bool {
	return len(q.From) == 1 && fixesKey(q.From[0].Table, q.From[0].Row, q.Where, nil)
}

// fixesKey reports whether where says that the columns of the primary key, or
// of a total unique key, equal values that depend on no row but those of others.
func fixesKey(t *ir.Table, row string, where ir.Expr, others map[string]bool) bool {
	fixed := fixedColumns(row, where, others)
	all := func(cols []int) bool {
		for _, c := range cols {
			if !fixed[t.Columns[c].Name] {
				return false
			}
		}
		return len(cols) > 0
	}
	if all(t.Key) {
		return true
	}
	for _, u := range t.Uniques {
		if u.Where == nil && all(u.Columns) {
			return true
		}
	}
	return false
}

// fixedColumns are the columns of a row that where says to equal values which
// depend on no row but those of others.
func fixedColumns(row string, where ir.Expr, others map[string]bool) map[string]bool {
	out := map[string]bool{}
	for _, c := range ir.Conjuncts(where) {
		eq, ok := c.(*ir.Binary)
		if !ok || eq.Op != ir.Eq {
			continue
		}
		for _, side := range [][2]ir.Expr{{eq.X, eq.Y}, {eq.Y, eq.X}} {
			if col, ok := side[0].(*ir.Col); ok && col.Row == row && rowFree(side[1], others) {
				out[col.Col] = true
			}
		}
	}
	return out
}

// selectRows returns the rows of q to the client, or drops them in a function
// that was called for its effects.
func (b *builder) selectRows(f *frame, x *ex, q *query, pos ir.Pos) {
	if f.result != nil {
		b.perform(f, x, q, pos)
		return
	}
	b.checkResult(f, pos, q.targets)
	b.skipRows(q, pos, false)
	yes := ir.C(ir.Bool(true))
	cols := make([]ir.Expr, len(q.targets))
	for i, c := range q.targets {
		cols[i] = c.e
	}
	if len(cols) == 0 { // the number of rows is still seen
		cols = []ir.Expr{yes}
	}
	switch {
	case len(q.loops) > 0:
		b.loopRows(f, q, pos, cols)
	case len(q.aggs) > 0:
		if q.atMost == 0 {
			b.setFound(f, pos, ir.C(ir.Bool(false)), nil)
			return
		}
		x.emitAggregates(q, pos)
		b.emit(&ir.Emit{At: at(pos), Exprs: cols})
		b.setFound(f, pos, yes, nil)
	case len(q.from) == 0:
		if q.limit != nil && q.atMost < 1 {
			b.unmodelled("LIMIT 0 or of an expression without FROM")
		}
		if q.where == nil {
			b.emit(&ir.Emit{At: at(pos), Exprs: cols})
			b.setFound(f, pos, yes, nil)
			return
		}
		b.emit(&ir.If{At: at(pos), Cond: q.where, Then: b.collect(func() {
			b.emit(&ir.Emit{At: at(pos), Exprs: cols})
			b.setFound(f, pos, yes, nil)
		}), Else: b.collect(func() { b.setFound(f, pos, ir.C(ir.Bool(false)), nil) })})
	default:
		if f.found != "" || f.rowcount != "" {
			if q.limit != nil {
				b.unmodelled("FOUND after RETURN QUERY with LIMIT")
			}
			if f.rowcount != "" {
				b.countRows(f, q.ir(), pos)
			}
			if f.found != "" {
				b.emitWeak(&ir.Assign{At: at(pos), Var: f.found, Expr: &ir.Exists{Query: q.ir()}})
			}
		}
		if q.limit != nil { // it is for LockRows to tell which rows come
			b.looseInner(q)
			b.lockRows(q, pos)
		}
		b.fetchAll(q)
		b.emit(&ir.EmitRows{At: at(pos), Cols: cols, Query: q.ir(), Order: q.order, Limit: q.limit, Locks: q.locks})
	}
}

// loopRows returns the rows of a set-returning function one by one.
func (b *builder) loopRows(f *frame, q *query, pos ir.Pos, cols []ir.Expr) {
	if q.limit != nil || len(q.order) > 0 || len(q.aggs) > 0 {
		b.unmodelled("ORDER BY, LIMIT or aggregates over a set-returning function")
	}
	b.setFound(f, pos, ir.C(ir.Bool(false)), ir.C(ir.Int(0)))
	b.each(q, pos, "", "", func() {
		if len(q.from) == 0 {
			b.emit(&ir.Emit{At: at(pos), Exprs: cols})
			b.countOne(f, pos)
			return
		}
		if f.rowcount != "" || f.found != "" {
			b.unmodelled("FOUND after RETURN QUERY from a set-returning function and a table")
		}
		b.emit(&ir.EmitRows{At: at(pos), Cols: cols, Query: q.ir(), Locks: q.locks})
	})
}

// countOne sets FOUND and adds one to ROW_COUNT.
func (b *builder) countOne(f *frame, pos ir.Pos) {
	if f.found != "" {
		b.emitWeak(&ir.Assign{At: at(pos), Var: f.found, Expr: ir.C(ir.Bool(true))})
	}
	if f.rowcount != "" {
		b.emitWeak(&ir.Assign{At: at(pos), Var: f.rowcount, Expr: ir.Op(ir.Add, ir.V(f.rowcount), ir.C(ir.Int(1)))})
	}
}

// values is VALUES (…), (…) as a statement.
func (b *builder) values(f *frame, t *syntax.Text, s *pg.SelectStmt, pos ir.Pos, to sink) {
	if s.LimitCount != nil || s.LimitOffset != nil || len(s.SortClause) > 0 || s.WithClause != nil {
		b.unmodelled("VALUES with ORDER BY or LIMIT")
	}
	for i, row := range s.ValuesLists {
		x := b.ex(f, t)
		q := &query{in: x, atMost: -1}
		for _, n := range pg.Inner(row).(*pg.List).Items {
			v := x.defaultType(x.one(n))
			q.targets = append(q.targets, colDef{name: "column", e: v.e, t: v.t, nn: v.nn})
		}
		switch to.kind {
		case intoLocals:
			b.selectInto(f, x, q, pos, to)
			return
		case toClient:
			b.selectRows(f, x, q, pos)
			if i > 0 {
				b.setCount(f, pos, nil, ir.C(ir.Int(int64(i+1))))
			}
		}
	}
}
