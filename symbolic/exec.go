package symbolic

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/smt"
)

// exec executes a transaction. All control paths are followed; live is the
// condition that control is here.
type exec struct {
	w     *World
	inst  *Instance
	run   *Run
	st    *State
	entry *State // the snapshot
	vars  map[string]Val
	live  *smt.Term
	exits []*exit
	// points are the savepoints set so far.
	savepoints int
	points     map[string]savepoint
	// suffix distinguishes the rounds of unrolled loops in the names of what
	// the instance chooses; rounds are those of the enclosing open loops.
	suffix string
	rounds []Key
	loops  []domain
	// observe makes every query an observation (in open loops), on this state.
	observe *State
	snapped bool // a query has been executed
	info    *txnInfo
}

// exit collects the control that leaves a loop, block or transaction.
type exit struct {
	label     string
	loop      bool
	broken    []leaving
	continued []leaving
}

type leaving struct {
	cond *smt.Term
	vars map[string]Val
}

type savepoint struct {
	st                 *State
	writes, locks, log int
	depth              int
	set                int       // when it was set: a rollback to it ends those set later
	live               *smt.Term // whether it was set
	again              bool      // the name had been used before
}

// Run executes the instance on a state.
func (in *Instance) Run(s *State) *Run {
	w := in.w
	run := &Run{Inst: in, In: s, OK: w.B.True(), Failed: w.B.False()}
	e := &exec{w: w, inst: in, run: run, st: s, entry: s, live: w.B.True(), vars: map[string]Val{},
		points: map[string]savepoint{}, info: w.code.info[in.Txn]}
	for i, p := range in.Txn.Params {
		e.vars[p.Name] = in.Params[i]
	}
	for _, l := range in.Txn.Locals {
		if l.Kept {
			v := Val{w.B.False(), in.choose("reg "+l.Name, sortOf(l.Type), nil), l.Type}
			w.Define(w.inDomain(v))
			e.vars[l.Name] = v
		} else {
			e.vars[l.Name] = w.null(l.Type)
		}
	}
	end := &exit{}
	e.exits = []*exit{end}
	e.block(in.Txn.Body)
	e.join(end.broken)
	var kept []Val
	for _, l := range in.Txn.Locals {
		if l.Kept && e.info.assigned[l.Name] {
			kept = append(kept, e.vars[l.Name])
		}
	}
	if len(kept) > 0 {
		e.observed(w.B.True(), kept)
	}
	// What is rolled back must pass the constraints on the snapshot or at the
	// commit (Commit): on which of them is part of what the run does.
	for _, l := range run.log {
		if !l.rollback && !l.undone.IsFalse() {
			e.observed(l.undone, []Val{w.Truth(l.write.breaks(w, l.before, l.after))})
		}
	}
	run.Post = e.st
	return run
}

func (e *exec) require(ok *smt.Term) {
	e.run.OK = e.w.B.And(e.run.OK, e.w.B.Implies(e.live, ok))
}

// observed adds a plain observation.
func (e *exec) observed(guard *smt.Term, vals []Val) {
	e.run.obs = append(e.run.obs, item{nil, func([]Key) (*smt.Term, []Val) { return guard, vals }})
}

func (e *exec) env() *env {
	en := e.w.rowEnv(e.st)
	en.txn = e.inst.Txn
	en.vars = copyVars(e.vars) // closures over the environment outlive this moment
	en.fail = func(ok *smt.Term) { e.require(ok) }
	return en
}

func (e *exec) eval(x ir.Expr) Val { return e.env().eval(x) }

// truth evaluates a condition to: it is true.
func (e *exec) truth(x ir.Expr) *smt.Term {
	return e.w.isTrue(e.w.convert(e.eval(x), ir.BoolType))
}

func (e *exec) set(name string, v Val) {
	t, ok := e.inst.Txn.LocalType(name)
	if !ok {
		panic("symbolic: local " + name + " is not declared")
	}
	v = e.w.convert(v, t)
	e.require(e.w.inDomain(v))
	e.vars[name] = v
}

// place names a statement for what the instance chooses there.
func (e *exec) place(s ir.Stmt, what string) string {
	return what + strconv.Itoa(e.info.number[s]) + e.suffix
}

// choose gives a value of type t that the instance chooses at a statement.
func (e *exec) choose(s ir.Stmt, what string, t ir.Type, nullable bool) Val {
	v := Val{e.w.B.False(), e.inst.choose(e.place(s, what), sortOf(t), e.rounds), t}
	if nullable {
		v.Null = e.inst.choose(e.place(s, what+"?"), smt.Bool, e.rounds)
	}
	return v
}

func (e *exec) block(list []ir.Stmt) {
	for _, s := range list {
		if e.live.IsFalse() {
			// Dead code keeps its place among the observations and writes, so
			// that two runs can be compared item by item.
			if !e.info.effects[s] {
				continue
			}
		}
		e.stmt(s)
	}
}

func copyVars(m map[string]Val) map[string]Val {
	out := make(map[string]Val, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

// names lists locals in a fixed order, so that terms are made in a fixed order
// and the solver's models do not change from run to run.
func names(m map[string]Val) []string { return slices.Sorted(maps.Keys(m)) }

// join merges control that left earlier into here.
func (e *exec) join(list []leaving) {
	for _, l := range list {
		if l.cond.IsFalse() {
			continue
		}
		for _, name := range names(l.vars) {
			v := l.vars[name]
			if old, ok := e.vars[name]; ok && old != v {
				e.vars[name] = e.w.ite(l.cond, v, old)
			}
		}
		e.live = e.w.B.Or(e.live, l.cond)
	}
}

// leave moves the control that is here to an exit.
func (e *exec) leave(list *[]leaving) {
	*list = append(*list, leaving{e.live, copyVars(e.vars)})
	e.live = e.w.B.False()
}

func (e *exec) target(label string, loop bool) *exit {
	for i := len(e.exits) - 1; i > 0; i-- {
		x := e.exits[i]
		if label == "" && x.loop || label != "" && x.label == label {
			return x
		}
	}
	panic("symbolic: no loop or block " + label)
}

func (e *exec) stmt(s ir.Stmt) {
	w := e.w
	switch s.(type) {
	case *ir.While: // with every round
	case *ir.Select, *ir.EmitRows, *ir.Insert, *ir.Update, *ir.Delete, *ir.Foreach:
		e.noteExists(s, true)
	default:
		e.noteExists(s, false)
	}
	switch s := s.(type) {
	case *ir.Assign:
		e.set(s.Var, e.eval(s.Expr))
	case *ir.Havoc:
		e.havoc(s)
	case *ir.Select:
		e.snapped = true
		if len(s.Aggs) > 0 {
			en := e.env()
			p := w.plan(&s.Query, en)
			e.use(p, ir.AccessShare)
			var cols []ir.Expr
			for i := range s.Aggs {
				if a := &s.Aggs[i]; a.Arg != nil {
					cols = append(cols, a.Arg)
				}
			}
			e.noteQuery(en, &s.Query, cols)
			vals := make([]Val, len(s.Aggs))
			for i := range s.Aggs {
				vals[i] = w.fold(&s.Aggs[i], p, en, e.inst.Name+e.suffix+tupleID(e.rounds))
			}
			for i, v := range vals {
				e.set(s.Into[i], v)
			}
			return
		}
		e.selectRow(s)
	case *ir.Emit:
		vals := make([]Val, len(s.Exprs))
		for i, x := range s.Exprs {
			vals[i] = e.eval(x)
		}
		e.observed(e.live, vals)
	case *ir.EmitRows:
		e.snapped = true
		en := e.env()
		p := w.plan(&s.Query, en)
		e.use(p, ir.AccessShare)
		e.noteQuery(en, &s.Query, s.Cols)
		e.observed(e.live, nil) // an empty result is not the same as none
		e.observeRows(p, en, e.st, s.Cols)
		if s.Limit != nil {
			e.observed(e.live, []Val{e.eval(s.Limit)})
			return // which rows it locks is not told: locks left out exclude nobody
		}
		e.lockRows(p, en, s.Lock)
	case *ir.Insert:
		e.snapped = true
		e.insert(s)
	case *ir.Update:
		e.snapped = true
		e.update(s)
	case *ir.Delete:
		e.snapped = true
		e.delete(s)
	case *ir.LockTable:
		u := Use{w.Table(s.Table), s.Mode, e.live}
		e.run.Uses = append(e.run.Uses, u)
		if !e.snapped {
			e.run.PreLocks = append(e.run.PreLocks, u)
		}
	case *ir.If:
		e.branch(e.truth(s.Cond), s.Then, s.Else)
	case *ir.Block:
		x := &exit{label: s.Label}
		e.exits = append(e.exits, x)
		e.block(s.Body)
		e.exits = e.exits[:len(e.exits)-1]
		e.join(x.broken)
	case *ir.While, *ir.ForRange, *ir.Foreach:
		e.loop(s)
	case *ir.Break:
		e.leave(&e.target(s.Label, true).broken)
	case *ir.Continue:
		e.leave(&e.target(s.Label, true).continued)
	case *ir.Return:
		e.leave(&e.exits[0].broken)
	case *ir.Assume:
		e.require(e.truth(s.Cond))
	case *ir.Abort:
		e.require(w.B.False())
	case *ir.Savepoint:
		e.savepoints++
		_, again := e.points[s.Name]
		e.points[s.Name] = savepoint{e.st, len(e.run.Writes), len(e.run.Locks), len(e.run.log), len(e.loops), e.savepoints, e.live, again}
	case *ir.RollbackTo:
		e.rollback(s)
	case *ir.Unmodelled:
		e.snapped = true
		e.unmodelled(s)
	case *ir.CopyTable:
		dst, src := w.Table(s.Dst), w.Table(s.Src)
		from := e.st
		live := e.live
		st := e.st.overlay(dst, func(Key) *smt.Term { return live }, nil, allColumns(s.Dst),
			func(c int, k Key) Val { return from.Col(src, c, k) })
		ts := *st.tabs[dst]
		below := ts.alive
		ts.alive = w.layer(func(k Key) Val {
			return w.ite(live, w.Truth(from.Alive(src, k)), below.at(k))
		})
		e.st = st.with(dst, &ts)
		if w.Closed {
			for _, k := range w.mentions[tableDomain(src)].list {
				w.mention(tableDomain(dst), k)
			}
		}
	case *ir.Fail:
		e.run.Failed = w.B.Or(e.run.Failed, e.live)
		e.leave(&e.exits[0].broken)
	default:
		panic(fmt.Sprintf("symbolic: unknown statement %T", s))
	}
}

func (e *exec) branch(cond *smt.Term, then, els []ir.Stmt) {
	before, vars := e.live, e.vars
	e.live = e.w.B.And(before, cond)
	e.vars = copyVars(vars)
	e.block(then)
	thenLive, thenVars := e.live, e.vars
	e.live = e.w.B.And(before, e.w.B.Not(cond))
	e.vars = copyVars(vars)
	e.block(els)
	for _, name := range names(thenVars) {
		v := thenVars[name]
		if old := e.vars[name]; old != v {
			e.vars[name] = e.w.ite(cond, v, old)
		}
	}
	e.live = e.w.B.Or(thenLive, e.live)
}

func (e *exec) havoc(s *ir.Havoc) {
	t, _ := e.inst.Txn.LocalType(s.Var)
	v := e.choose(s, "havoc ", t, !s.NotNull && !s.Fresh)
	if s.Fresh {
		e.draw(v, e.w.code.localClass(e.inst.Txn, s.Var))
		e.vars[s.Var] = v
		return
	}
	e.w.Define(e.w.inDomain(v))
	e.set(s.Var, v)
}

// draw records a FRESH value. In an open loop nothing is known of it: terms
// for different rounds may stand for one round.
func (e *exec) draw(v Val, class any) {
	if len(e.rounds) == 0 {
		e.inst.draw(v, class)
	}
}

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

// selectRow is SELECT … INTO: one row, which the instance chooses among those
// that come first.
func (e *exec) selectRow(s *ir.Select) {
	w := e.w
	en := e.env()
	p := w.plan(&s.Query, en)
	e.use(p, ir.AccessShare)
	cols := append([]ir.Expr{}, s.Cols...)
	for _, o := range s.Order {
		cols = append(cols, o.Expr)
	}
	e.noteQuery(en, &s.Query, cols)
	tuple := e.chooseRows(s, p, en)
	st := e.st
	found := p.exists(en, p.at(en, "exists"), func(t []Key) *smt.Term { g, _ := p.match(en, st, t); return g })
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
	e.lockChosen(p, en, st, s.Lock, found, tuple)
	vals := make([]Val, len(s.Cols))
	for i, c := range s.Cols {
		t, _ := e.inst.Txn.LocalType(s.Into[i])
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

// locks gives the tables of a plan that a lock clause names.
func lockSteps(p *plan, l ir.Lock) []step {
	var out []step
	if l.Mode == ir.NoLock {
		return nil
	}
	for _, st := range p.steps {
		wanted := len(l.Of) == 0
		for _, name := range l.Of {
			wanted = wanted || name == st.src.Row
		}
		if wanted {
			out = append(out, st)
		}
	}
	return out
}

// lockChosen locks the rows that a SELECT took from a state.
func (e *exec) lockChosen(p *plan, en *env, st *State, l ir.Lock, found *smt.Term, tuple []Key) {
	_, in := p.match(en, st, tuple)
	guard := e.w.B.And(e.live, found)
	for _, target := range lockSteps(p, l) {
		key := in.key(target.src.Row)
		e.run.Locks = append(e.run.Locks, &RowLock{Table: target.table, Mode: l.Mode,
			at: func([]Key, Key) (*smt.Term, Key) { return guard, key }})
		e.run.Uses = append(e.run.Uses, Use{target.table, ir.RowShare, e.live})
	}
}

// lockRows locks all rows that a query finds.
func (e *exec) lockRows(p *plan, en *env, l ir.Lock) {
	st := e.st
	live := e.live
	for _, target := range lockSteps(p, l) {
		if len(p.doms) > 1 || len(p.doms) == 1 && target.key != nil {
			continue // a lock that is not modelled excludes nothing
		}
		e.run.Locks = append(e.run.Locks, &RowLock{Table: target.table, Mode: l.Mode, scan: target.key == nil,
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

// rollback undoes the writes and locks since a savepoint, under the condition
// that control is here.
func (e *exec) rollback(s *ir.RollbackTo) {
	w := e.w
	p, ok := e.points[s.Name]
	if !ok || p.depth != len(e.loops) {
		w.Unsupported = "a savepoint is rolled back that another rollback may have ended, or across the rounds of a loop"
		return
	}
	if p.again && p.live != e.live && !p.live.IsTrue() {
		w.Unsupported = "which of two savepoints of one name is rolled back depends on the path"
		return
	}
	e.require(p.live)
	for name, later := range e.points {
		if later.set > p.set {
			delete(e.points, name)
		}
	}
	if len(e.loops) > 0 && len(e.run.log) > p.log {
		w.Unsupported = "writes are rolled back in a round of a loop"
		return
	}
	undone := e.live
	for i := p.log; i < len(e.run.log); i++ {
		l := &e.run.log[i]
		if !l.rollback {
			l.undone = w.B.Or(l.undone, undone)
		}
	}
	e.run.log = append(e.run.log, logged{rollback: true, to: p.log, undone: undone})
	e.st = p.st
	for i := p.writes; i < len(e.run.Writes); i++ {
		x := e.run.Writes[i].when(w, func(write) *smt.Term { return w.B.Not(undone) })
		e.run.Writes[i] = x
		e.st = x.apply(w, e.st)
	}
	for i := p.locks; i < len(e.run.Locks); i++ {
		e.run.Locks[i] = e.run.Locks[i].when(w, func(Key) *smt.Term { return w.B.Not(undone) })
	}
}

// unmodelled reads everything in its tables, and may change any row of them.
func (e *exec) unmodelled(s *ir.Unmodelled) {
	w := e.w
	live := e.live
	tables := s.Tables
	if tables == nil {
		tables = w.Program.Tables
	}
	var inputs []Val
	for _, p := range e.inst.Txn.Params {
		inputs = append(inputs, e.vars[p.Name])
	}
	for _, l := range e.inst.Txn.Locals {
		inputs = append(inputs, e.vars[l.Name])
	}
	e.observed(live, inputs)
	st := e.st
	for _, t := range tables {
		i := w.Table(t)
		e.observeTable(i, st)
		e.run.Reads = append(e.run.Reads, &Read{Table: i, Cols: allColumns(t),
			match: func(_ []Key, s *State, k Key) *smt.Term { return w.B.And(live, s.Alive(i, k)) }})
	}
	if !s.ReadOnly {
		for _, t := range tables {
			i := w.Table(t)
			rounds := e.rounds
			place := e.place(s, "unmodelled "+t.Name+" ")
			e.write(&Write{Stmt: s, Table: i, Kind: Unknown, scan: true, at: func(_ []Key, k Key) write {
				args := append(append([]Key{}, rounds...), k)
				return write{
					guard: w.B.And(live, e.inst.choose(place+" writes", smt.Bool, args)),
					key:   k,
					val: func(c int) Val {
						if c == aliveCol {
							return w.Truth(e.inst.choose(place+" alive", smt.Bool, args))
						}
						col := &t.Columns[c]
						v := Val{w.B.False(), e.inst.choose(place+" "+col.Name, sortOf(col.Type), args), col.Type}
						if !col.NotNull {
							v.Null = e.inst.choose(place+" "+col.Name+"?", smt.Bool, args)
						}
						return v
					},
					old: func(c int) Val { return st.Col(i, c, k) },
				}
			}})
		}
	}
	e.require(e.inst.choose(e.place(s, "unmodelled ok "), smt.Bool, e.rounds))
}
