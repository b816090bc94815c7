package symbolic

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/internal/vars"
)

// exec executes a transaction. All control paths are followed; live is the
// condition that control is here.
type exec struct {
	w     *World
	inst  *Instance
	run   *Run
	st    *State
	entry *State // the snapshot
	vars  vars.Vars[Val]
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
	moving  *moving
	info    *prepare.TxnInfo
}

// moving is the row that a Delete with Moved takes away.
type moving struct {
	st    *State
	guard *smt.Term
	key   Key
	write *Write
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
	vars vars.Vars[Val]
}

type savepoint struct {
	st                 *State
	writes, locks, log int
	uses, preLocks     int
	depth              int
	set                int       // when it was set: a rollback to it ends those set later
	live               *smt.Term // whether it was set
	again              bool      // the name had been used before
}

// Run executes the instance on a state.
func (in *Instance) Run(s *State) *Run {
	w := in.w
	run := &Run{Inst: in, In: s, OK: w.B.True(), Failed: w.B.False()}
	e := &exec{w: w, inst: in, run: run, st: s, entry: s, live: w.B.True(),
		points: map[string]savepoint{}, info: w.code.InfoOf(in.Txn)}
	e.vars = vars.New[Val](e.info.Places)
	for i, p := range in.Txn.Params {
		e.vars.Set(p.Name, in.Params[i])
	}
	for _, l := range in.Txn.Locals {
		if l.Kept {
			v := Val{w.B.False(), in.choose("reg "+smt.Word(l.Name), sortOf(l.Type), nil), l.Type}
			w.Define(w.inDomain(v))
			e.vars.Set(l.Name, v)
		} else {
			e.vars.Set(l.Name, w.null(l.Type))
		}
	}
	end := &exit{}
	e.exits = []*exit{end}
	e.block(in.Txn.Body)
	e.join(end.broken)
	var kept []Val
	for _, l := range in.Txn.Locals {
		if l.Kept && e.info.Assigned[l.Name] {
			kept = append(kept, e.vars.Get(l.Name))
		}
	}
	if len(kept) > 0 {
		e.observed(w.B.True(), kept)
	}
	// What is rolled back must pass the constraints on the snapshot or at the
	// commit (Commit): on which of them is part of what the run does.
	for _, l := range run.log {
		if l.undoable {
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
	en.vars = e.vars.Copied() // closures over the environment outlive this moment
	en.fail = func(ok *smt.Term) { e.require(ok) }
	return en
}

func (e *exec) eval(x ir.Expr) Val { return e.env().eval(x) }

// truth evaluates a condition to: it is true.
func (e *exec) truth(x ir.Expr) *smt.Term {
	return e.w.isTrue(e.w.convert(e.eval(x), ir.BoolType))
}

func (e *exec) set(name string, v Val) {
	t, ok := e.info.Places.TypeOf(name)
	if !ok {
		panic("symbolic: local " + name + " is not declared")
	}
	v = e.w.convert(v, t)
	e.require(e.w.inDomain(v))
	e.vars.Set(name, v)
}

// place names a statement for what the instance chooses there.
func (e *exec) place(s ir.Stmt, what string) string {
	return what + strconv.Itoa(e.info.Number[s]) + e.suffix
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
			if !e.info.Effects[s] {
				continue
			}
		}
		if s == e.inst.Cut {
			e.run.OK = e.w.B.And(e.run.OK, e.live)
			e.st, _ = e.run.Commit(e.inst.After)
		}
		e.stmt(s)
	}
}

// join merges control that left earlier into here.
func (e *exec) join(list []leaving) {
	for _, l := range list {
		if l.cond.IsFalse() {
			continue
		}
		e.vars.Merge(&l.vars, func(left, here Val) Val { return e.w.ite(l.cond, left, here) })
		e.live = e.w.B.Or(e.live, l.cond)
	}
}

// leave moves the control that is here to an exit.
func (e *exec) leave(list *[]leaving) {
	*list = append(*list, leaving{e.live, e.vars.Copied()})
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
	if _, told := s.(*ir.Send); told {
		return
	}
	w := e.w
	w.step()
	e.snapped = e.snapped || ir.TakesSnapshot(s)
	switch s.(type) {
	case *ir.While: // with every round
	case *ir.Select, *ir.LockRows, *ir.EmitRows, *ir.Insert, *ir.Update, *ir.Delete, *ir.Cascade, *ir.Foreach:
		e.noteExists(s, true)
	default:
		e.noteExists(s, false)
	}
	e.mayFail(s)
	switch s := s.(type) {
	case *ir.Assign:
		e.set(s.Var, e.eval(s.Expr))
	case *ir.Havoc:
		e.havoc(s)
	case *ir.Select:
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
		e.lockRows(p, en, s.Locks)
	case *ir.Insert:
		e.insert(s)
	case *ir.Update:
		e.update(s)
	case *ir.Delete:
		e.delete(s)
	case *ir.Cascade:
		e.cascade(s)
	case *ir.LockTable:
		u := Use{w.Table(s.Table), s.Mode, e.live}
		e.run.Uses = append(e.run.Uses, u)
		if !e.snapped {
			e.run.PreLocks = append(e.run.PreLocks, u)
		}
	case *ir.Dropped:
		if s.Observes && !w.Closed {
			e.observeTables(s.Tables)
		}
	case *ir.LockRows:
		en := e.env()
		p := w.plan(&s.Query, en)
		e.use(p, ir.AccessShare)
		e.noteQuery(en, &s.Query, returned(nil, s.Order))
		if s.Limit == nil { // else it is not told which ones: locks left out exclude nobody
			e.lockRows(p, en, s.Locks)
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
		e.points[s.Name] = savepoint{e.st, len(e.run.Writes), len(e.run.Locks), len(e.run.log), len(e.run.Uses), len(e.run.PreLocks), len(e.loops), e.savepoints, e.live, again}
	case *ir.RollbackTo:
		e.rollback(s)
	case *ir.Unmodelled:
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

// mayFail observes whether there are rows for which the statement may end in an error. If
// two runs find the same, the server does the same: fail, or not come to them. In the
// closed world the interpreter finds out.
func (e *exec) mayFail(s ir.Stmt) {
	list := e.info.Failures[s]
	if e.w.Closed || len(list) == 0 {
		return
	}
	if _, again := s.(*ir.While); again {
		e.w.Unsupported = "the condition of a loop may end in an error for some rows"
		return
	}
	for _, x := range list {
		e.noteQuery(e.env(), &x.Query, nil)
		e.observed(e.live, []Val{e.eval(x)})
	}
}

func (e *exec) branch(cond *smt.Term, then, els []ir.Stmt) {
	before, vars := e.live, e.vars.Copied()
	e.live = e.w.B.And(before, cond)
	e.block(then)
	thenLive, thenVars := e.live, e.vars
	e.live = e.w.B.And(before, e.w.B.Not(cond))
	e.vars = vars
	e.block(els)
	e.vars.Merge(&thenVars, func(then, here Val) Val { return e.w.ite(cond, then, here) })
	e.live = e.w.B.Or(thenLive, e.live)
}

func (e *exec) havoc(s *ir.Havoc) {
	t, _ := e.info.Places.TypeOf(s.Var)
	v := e.choose(s, "havoc ", t, !s.NotNull && !s.Fresh)
	if s.Fresh {
		e.draw(v, e.w.code.LocalClass(e.inst.Txn, s.Var), s.Source())
		e.vars.Set(s.Var, v)
		return
	}
	e.w.Define(e.w.inDomain(v))
	e.set(s.Var, v)
}

// draw records a FRESH value. In an open loop nothing is known of it: terms
// for different rounds may stand for one round.
func (e *exec) draw(v Val, class any, source string) {
	if len(e.rounds) == 0 {
		e.inst.draw(v, class, source)
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
			l.undoable, l.undone = true, w.B.Or(l.undone, undone)
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
	for _, list := range [][]Use{e.run.Uses[p.uses:], e.run.PreLocks[p.preLocks:]} {
		for i := range list { // the locks of tables are given back, too
			list[i].Guard = w.B.And(list[i].Guard, w.B.Not(undone))
		}
	}
}

// observeTables reads and observes all rows of tables, in a loop those before it: what a round starts from is chosen.
func (e *exec) observeTables(tables []*ir.Table) {
	w, live := e.w, e.live
	for _, t := range tables {
		i := w.Table(t)
		e.observeTable(i, cmp.Or(e.observe, e.st))
		e.run.Reads = append(e.run.Reads, &Read{Table: i, Cols: allColumns(t),
			match: func(_ []Key, s *State, k Key) *smt.Term { return w.B.And(live, s.Alive(i, k)) }})
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
		inputs = append(inputs, e.vars.Get(p.Name))
	}
	for _, l := range e.inst.Txn.Locals {
		inputs = append(inputs, e.vars.Get(l.Name))
	}
	e.observed(live, inputs)
	st := e.st
	e.observeTables(tables)
	if !s.ReadOnly {
		for _, t := range tables {
			i := w.Table(t)
			rounds := e.rounds
			place := e.place(s, "unmodelled "+smt.Word(t.Name)+" ")
			e.write(&Write{Stmt: s, Table: i, Kind: Unknown, scan: true, at: func(_ []Key, k Key) write {
				args := append(append([]Key{}, rounds...), k)
				return write{
					guard: w.B.And(live, e.inst.choose(place+" writes", smt.Bool, args)),
					key:   k,
					val: func(c int) Val {
						if c == prepare.AliveCol {
							return w.Truth(e.inst.choose(place+" alive", smt.Bool, args))
						}
						col := &t.Columns[c]
						v := Val{w.B.False(), e.inst.choose(place+" "+smt.Word(col.Name), sortOf(col.Type), args), col.Type}
						if !col.NotNull {
							v.Null = e.inst.choose(place+" "+smt.Word(col.Name)+"?", smt.Bool, args)
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
