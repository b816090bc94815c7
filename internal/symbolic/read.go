package symbolic

import (
	"slices"
	"strconv"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/smt"
)

// use records that the tables of a plan are used in a lock mode.
func (e *exec) use(p *plan, mode ir.TableLock) {
	for _, st := range p.steps {
		e.run.Uses = append(e.run.Uses, Use{st.table, mode, e.live})
	}
}

// noteQuery records the footprint of a query, and makes it an observation
// where the surroundings ask for that. cols are what is returned. Queries
// nested in its expressions count as reads of all rows.
func (e *exec) noteQuery(en *env, q *ir.Query, cols []ir.Expr) {
	w := e.w
	p := w.plan(q, en)
	for _, st := range p.steps {
		for _, k := range st.key {
			if len(p.steps) == 1 {
				en.eval(k) // for what may fail in it
			}
		}
	}
	all := append(append([]ir.Expr{}, cols...), q.Where)
	if e.observe != nil {
		e.observeRows(p, en, e.observe, append(append([]ir.Expr{}, cols...), tested(q)...))
	}
	for _, st := range p.steps {
		e.footprint(st, all, ownConditions(q, st.src.Row, en), en)
	}
}

// noteExists records the footprints of the EXISTS in a statement's own
// expressions, whether or not they are evaluated: two runs of one instance
// must record the same list. inRows says that the expressions are about rows
// of the statement's query; then all rows of the tables count.
func (e *exec) noteExists(s ir.Stmt, inRows bool) {
	inner := map[ir.Expr]bool{}
	for _, x := range ir.Exprs(s) {
		ir.WalkExpr(x, func(x ir.Expr) {
			sub, ok := x.(*ir.Exists)
			if !ok {
				return
			}
			if !inRows && !inner[sub] {
				ir.WalkExpr(sub.Query.Where, func(x ir.Expr) { inner[x] = true })
				e.noteQuery(e.env(), &sub.Query, nil)
				return
			}
			for _, src := range sub.Query.From {
				t := e.w.Table(src.Table)
				e.footprint(step{src: src, table: t}, tested(&sub.Query), nil, e.env())
				if e.observe != nil {
					e.observeTable(t, e.observe)
				}
			}
		})
	}
}

// footprint records a Read of the rows of one source: those that satisfy the
// conditions, with the columns that occur in exprs.
func (e *exec) footprint(st step, exprs []ir.Expr, cond ir.Expr, en *env) {
	w := e.w
	used := make([]bool, len(st.src.Table.Columns))
	for _, x := range exprs {
		ir.WalkExpr(x, func(x ir.Expr) {
			if c, ok := x.(*ir.Col); ok && c.Row == st.src.Row {
				used[st.src.Table.Column(c.Col)] = true
			}
		})
	}
	live := e.live
	e.run.Reads = append(e.run.Reads, &Read{Table: st.table, Cols: used,
		match: func(_ []Key, s *State, k Key) *smt.Term {
			g := w.B.And(live, s.Alive(st.table, k))
			if cond == nil || g.IsFalse() {
				return g
			}
			return w.B.And(g, w.isTrue(w.convert(en.bind(st.src.Row, tableRow{s, st.table, k}).eval(cond), ir.BoolType)))
		}})
}

// ownConditions gives the conditions of a query on one of its sources alone.
func ownConditions(q *ir.Query, row string, en *env) ir.Expr {
	var own ir.Expr
	for _, c := range ir.Conjuncts(q.Where) {
		ok := true
		ir.WalkExpr(c, func(x ir.Expr) {
			switch x := x.(type) {
			case *ir.Col:
				ok = ok && (x.Row == row || en.lookup(x.Row) != nil)
			case *ir.Exists:
				ok = false
			}
		})
		if ok {
			own = ir.AndE(own, c)
		}
	}
	return own
}

// observeTable makes all rows of a table an observation.
func (e *exec) observeTable(t int, s *State) {
	live := e.live
	e.run.obs = append(e.run.obs, item{[]domain{tableDomain(t)}, func(tuple []Key) (*smt.Term, []Val) {
		return e.w.B.And(live, s.Alive(t, tuple[0])), s.rowVals(t, tuple[0])
	}})
}

// tested gives the columns in a query's condition, as expressions.
func tested(q *ir.Query) []ir.Expr {
	rows := map[string]bool{}
	for _, s := range q.From {
		rows[s.Row] = true
	}
	var out []ir.Expr
	ir.WalkExpr(q.Where, func(x ir.Expr) {
		if c, ok := x.(*ir.Col); ok && rows[c.Row] {
			out = append(out, c)
		}
	})
	return out
}

// observeRows makes the result of a query on a state an observation.
func (e *exec) observeRows(p *plan, en *env, s *State, cols []ir.Expr) {
	live := e.live
	e.run.obs = append(e.run.obs, item{p.doms, func(tuple []Key) (*smt.Term, []Val) {
		g, in := p.match(en, s, tuple)
		g = e.w.B.And(live, g)
		if g.IsFalse() {
			return g, nil
		}
		vals := make([]Val, len(cols))
		for i, c := range cols {
			vals[i] = in.eval(c)
		}
		return g, vals
	}})
}

// returned gives what counts of the rows of a query: its columns, and what they
// are ordered by.
func returned(cols []ir.Expr, order []ir.Order) []ir.Expr {
	out := slices.Clone(cols)
	for _, o := range order {
		out = append(out, o.Expr)
	}
	return out
}

// selectRow is SELECT … INTO: one row, which the instance chooses among those
// that come first.
func (e *exec) selectRow(s *ir.Select) {
	w := e.w
	en := e.env()
	p := w.plan(&s.Query, en)
	e.use(p, ir.AccessShare)
	cols := returned(s.Cols, s.Order)
	e.noteQuery(en, &s.Query, cols)
	tuple := e.chooseRows(s, p, en)
	st := e.st
	found := p.found(en, st)
	g, in := p.match(en, st, tuple)
	if len(p.doms) > 0 {
		e.require(w.B.Implies(found, g))
		if len(s.Order) > 0 && !found.IsFalse() {
			var order []ir.Expr
			for _, o := range s.Order {
				order = append(order, o.Expr)
			}
			at := p.at(en, "first "+w.id(s), order...)
			for _, k := range tuple {
				at.values = append(at.values, k...)
			}
			e.require(w.B.Not(w.B.And(found, p.exists(en, at, func(t []Key) *smt.Term {
				og, oin := p.match(en, st, t)
				if og.IsFalse() {
					return og
				}
				return w.B.And(og, w.before(s.Order, oin, in))
			}))))
		}
	}
	e.lockChosen(p, en, st, s.Locks, found, tuple)
	vals := make([]Val, len(s.Cols))
	for i, c := range s.Cols {
		t, _ := e.info.Places.TypeOf(s.Into[i])
		vals[i] = w.ite(found, w.convert(in.eval(c), t), w.null(t))
	}
	for i, v := range vals {
		e.set(s.Into[i], v)
	}
	if s.Found != "" {
		e.set(s.Found, w.Truth(found))
	}
}

func tupleID(tuple []Key) string {
	id := ""
	for _, k := range tuple {
		id += k.id() + "/"
	}
	return id
}

// chooseRows gives the keys of the rows that the instance takes.
func (e *exec) chooseRows(s ir.Stmt, p *plan, en *env) []Key {
	return p.keys(en, func(source, column int, sort smt.Sort) *smt.Term {
		return e.inst.choose(e.place(s, "row")+"."+strconv.Itoa(source)+"."+strconv.Itoa(column), sort, e.rounds)
	})
}

// before is: the row bound in a comes strictly before the one in b.
func (w *World) before(order []ir.Order, a, b *env) *smt.Term {
	out := w.B.False()
	for i := len(order) - 1; i >= 0; i-- {
		o := order[i]
		x, y := a.eval(o.Expr), b.eval(o.Expr)
		lt, _ := w.binary(ir.Lt, x, y, ir.BoolType)
		// NULLs are larger than all values.
		less := w.B.Or(w.isTrue(lt), w.B.And(w.B.Not(x.Null), y.Null))
		if o.Desc {
			gt, _ := w.binary(ir.Gt, x, y, ir.BoolType)
			less = w.B.Or(w.isTrue(gt), w.B.And(x.Null, w.B.Not(y.Null)))
		}
		out = w.B.Or(less, w.B.And(w.same(x, y), out))
	}
	return out
}

// locked is a source of a plan whose rows are locked.
type locked struct {
	step
	mode ir.LockMode
}

// lockSteps gives the sources of a plan whose rows are locked.
func lockSteps(p *plan, locks ir.Locks) []locked {
	var out []locked
	for _, st := range p.steps {
		if m := locks.Of(st.src.Row); m != ir.NoLock {
			out = append(out, locked{st, m})
		}
	}
	return out
}

// lockChosen locks the rows that a SELECT took from a state.
func (e *exec) lockChosen(p *plan, en *env, st *State, locks ir.Locks, found *smt.Term, tuple []Key) {
	_, in := p.match(en, st, tuple)
	guard := e.w.B.And(e.live, found)
	for _, target := range lockSteps(p, locks) {
		key := in.key(target.src.Row)
		e.run.Locks = append(e.run.Locks, &RowLock{Table: target.table, Mode: target.mode,
			at: func([]Key, Key) (*smt.Term, Key) { return guard, key }})
		e.run.Uses = append(e.run.Uses, Use{target.table, ir.RowShare, e.live})
	}
}

// lockRows locks all rows that a query finds.
func (e *exec) lockRows(p *plan, en *env, locks ir.Locks) {
	st := e.st
	live := e.live
	for _, target := range lockSteps(p, locks) {
		if len(p.doms) > 1 || len(p.doms) == 1 && target.key != nil {
			continue // a lock that is not modelled excludes nothing
		}
		e.run.Locks = append(e.run.Locks, &RowLock{Table: target.table, Mode: target.mode, scan: target.key == nil,
			at: func(_ []Key, k Key) (*smt.Term, Key) {
				var tuple []Key
				if target.key == nil {
					tuple = []Key{k}
				}
				g, in := p.match(en, st, tuple)
				return e.w.B.And(live, g), in.key(target.src.Row)
			}})
		e.run.Uses = append(e.run.Uses, Use{target.table, ir.RowShare, e.live})
	}
}
