package interp

import "github.com/txrobust/robust/ir"

// readNote is what a statement knows of a query that it has just run.
type readNote struct {
	q     *query
	scope *scope    // with the query's row variables
	cols  []ir.Expr // what is returned
	order []ir.Order
	found bool
	// take: one row was taken, pick, or there was none
	take bool
	pick *binding
	// aggregates and their results
	aggs    []ir.Agg
	results []ir.Value
}

// reads turns the note into a Read per source.
func (n readNote) reads(f *frame) []Read {
	db := f.db
	locals := append([]ir.Value(nil), f.locals...)
	outer := append([][]ir.Value(nil), f.rows...)
	var out []Read
	for i, src := range n.q.from {
		t := n.q.src.From[i].Table
		r := Read{Stmt: f.cur, Table: src.table, Keys: map[string]bool{}, OwnOps: len(f.run.Ops), Alone: n.alone(),
			Cols: make([]bool, len(t.Columns)), Tested: make([]bool, len(t.Columns))}
		name := n.q.src.From[i].Row
		mark(r.Tested, t, name, n.q.src.Where)
		for _, e := range append(ir.Conjuncts(n.q.src.Where), orderExprs(n.order)...) {
			if ir.MayFail(e) { // a value that changes may end the reader
				mark(r.Cols, t, name, e)
			}
		}
		for _, e := range n.cols {
			mark(r.Cols, t, name, e)
		}
		for _, o := range n.order {
			mark(r.Tested, t, name, o.Expr)
		}
		within := n.within()
		quiet := *f.m
		quiet.Trace = false
		// Run the query on the state of then, with source i ranging over the
		// given version only. A version of which the condition has no value, because of
		// an error, takes part: the reader would have failed.
		r.matches = func(vals []ir.Value) (takesPart bool) {
			defer func() {
				if fault := recover(); fault != nil {
					if _, is := fault.(stop); !is {
						panic(fault)
					}
					takesPart = true
				}
			}()
			pf := &frame{m: &quiet, inst: f.inst, db: db, locals: locals,
				rows: append([][]ir.Value(nil), outer...), run: &Run{}, ch: &chooser{}} // of rows that LIMIT leaves open, the first ones
			hit := false
			only := []row{{keyOf(t, vals), vals}}
			n.q.level(pf, 0, func(k int) []row {
				if k == i {
					return only
				}
				return db.tabs[n.q.from[k].table].rows
			}, func() bool {
				hit = within(pf)
				return !hit
			})
			return hit
		}
		for _, x := range db.tabs[src.table].rows {
			if r.matches(x.vals) {
				r.Keys[keyOf(t, x.vals)] = true
			}
		}
		out = append(out, r)
	}
	return out
}

// alone reports whether the query has one source, and no other query in its
// condition.
func (n readNote) alone() bool { return len(n.q.from) == 1 && !ir.HasExists(n.q.src.Where) }

func orderExprs(list []ir.Order) []ir.Expr {
	var out []ir.Expr
	for _, o := range list {
		out = append(out, o.Expr)
	}
	return out
}

func mark(cols []bool, t *ir.Table, row string, e ir.Expr) {
	ir.WalkExpr(e, func(e ir.Expr) {
		if c, ok := e.(*ir.Col); ok && c.Row == row {
			cols[t.Column(c.Col)] = true
		}
	})
}

// within gives the test whether a matching combination of rows, bound in the
// frame, lies in the footprint: everything, except for a SELECT that took one
// row, where it is the row taken and all that would have come before it, and
// for MIN and MAX, where it is all that is at least as extreme as the result.
func (n readNote) within() func(pf *frame) bool {
	if n.take && n.pick != nil {
		order, desc := n.scope.order(n.order)
		pick := *n.pick
		base := len(n.scope.rows) - len(n.q.from)
		return func(pf *frame) bool {
			same := true
			for i := range pick.rows {
				same = same && keyOf(n.q.src.From[i].Table, pf.rows[base+i]) == keyOf(n.q.src.From[i].Table, pick.rows[i])
			}
			if same || len(order) == 0 {
				return same
			}
			keys := make([]ir.Value, len(order))
			for i, o := range order {
				keys[i] = o(pf)
			}
			return compareKeys(keys, pick.keys, desc) < 0
		}
	}
	extreme := len(n.aggs) > 0
	for i, a := range n.aggs {
		extreme = extreme && (a.Fn == "min" || a.Fn == "max") && !n.results[i].IsNull()
	}
	if !extreme {
		return func(*frame) bool { return true }
	}
	args := make([]eval, len(n.aggs))
	for i, a := range n.aggs {
		args[i] = n.scope.expr(a.Arg)
	}
	return func(pf *frame) bool {
		for i, a := range n.aggs {
			v := args[i](pf)
			if v.IsNull() {
				continue
			}
			if c := ir.Compare(v, n.results[i]); a.Fn == "min" && c <= 0 || a.Fn == "max" && c >= 0 {
				return true
			}
		}
		return false
	}
}

// noteConflict records that ON CONFLICT saw an existing row.
func (f *frame) noteConflict(st *ir.Insert, t int, old *row) {
	if !f.m.Trace {
		return
	}
	key := old.key
	cols := make([]bool, len(st.Table.Columns))
	for i := range cols {
		cols[i] = true
	}
	f.run.Reads = append(f.run.Reads, Read{Stmt: st, Table: t, Keys: map[string]bool{key: true}, Cols: cols, Tested: cols, OwnOps: len(f.run.Ops), Alone: true,
		matches: func(vals []ir.Value) bool { return keyOf(st.Table, vals) == key }})
}
