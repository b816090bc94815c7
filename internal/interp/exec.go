package interp

import (
	"fmt"
	"slices"

	"github.com/txrobust/robust/internal/batch"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/pieces"
	"github.com/txrobust/robust/internal/rowstore"
	"github.com/txrobust/robust/internal/rowvalues"
)

// control is how a statement ended: it went on, or leaves loops and blocks.
type control struct {
	kind  controlKind
	label string
}

type controlKind uint8

const (
	goOn controlKind = iota
	doBreak
	doContinue
	doReturn
)

type exec func(f *frame) control

// code is a compiled transaction.
type code struct {
	body    exec
	nlocals int
	slots   int
}

type compiler struct {
	m     *Machine
	txn   *ir.Txn
	slots int
	// kinds are those of the commands, and reading says which of them read (piece).
	kinds   map[int]pieces.Kind
	reading map[int]bool
}

func (c *compiler) tableIndex(t *ir.Table) int {
	i, ok := c.m.index[t]
	if !ok {
		panic("interp: table " + t.Name + " is not in the program")
	}
	return i
}

func (m *Machine) compiled(t *ir.Txn) *code {
	if c := m.code[t]; c != nil {
		return c
	}
	if t.Labelled != nil {
		panic("interp: transaction " + t.Name + " is labelled: run wellformed.Structure first")
	}
	c := &compiler{m: m, txn: t}
	s := &scope{c: c, locals: map[string]int{}}
	for i, p := range t.Params {
		s.locals[p.Name] = i
	}
	for i, l := range t.Locals {
		s.locals[l.Name] = len(t.Params) + i
	}
	out := &code{body: s.block(t.Body), nlocals: len(s.locals)}
	out.slots = c.slots
	m.code[t] = out
	return out
}

func (s *scope) block(list []ir.Stmt) exec {
	steps := make([]exec, len(list))
	for i, st := range list {
		s.rest = list[i+1:]
		steps[i] = s.traced(st)
	}
	return func(f *frame) control {
		for _, step := range steps {
			if c := step(f); c.kind != goOn {
				return c
			}
		}
		return control{}
	}
}

// traced wraps a statement with the step bound and the trace.
func (s *scope) traced(st ir.Stmt) exec {
	run := s.stmt(st)
	_, compound := st.(*ir.Block)
	compound = compound || len(ir.Children(st)) > 0
	takesSnapshot := ir.TakesSnapshot(st)
	_, command := st.(*ir.LockTable) // or else
	command = command || len(ir.Reads(st)) > 0 || ir.Written(st) != nil
	if d, is := st.(*ir.Dropped); is {
		command = d.Number != nil
	}
	set := ir.Assigned(st)
	run = s.late(st, s.pieced(st, run))
	return func(f *frame) control {
		if f.steps++; f.steps > f.budget {
			panic(stop{reason: TooLong})
		}
		if takesSnapshot {
			f.snapshot = true
		}
		if f.cut != nil && command {
			f.cut.before(f, st)
		}
		f.cur = st
		f.statement = f.steps
		if !f.m.Trace || compound {
			return run(f)
		}
		at := len(f.run.Steps)
		f.run.Steps = append(f.run.Steps, Step{Stmt: st, OpsFrom: len(f.run.Ops), ReadsFrom: len(f.run.Reads)})
		defer func() {
			step := &f.run.Steps[at]
			step.OpsTo, step.ReadsTo = len(f.run.Ops), len(f.run.Reads)
			for _, name := range set {
				step.Locals = append(step.Locals, Binding{name, f.locals[s.locals[name]]})
			}
		}()
		return run(f)
	}
}

func (f *frame) set(i int, v ir.Value, t ir.Type) {
	v = v.Convert(t)
	if d := f.m.Program.Domain; d != nil && v.Kind == ir.KindInt && (v.I < d.Lo || v.I > d.Hi) && v.I < ir.FirstFresh {
		panic(stop{reason: "a value leaves the domain"})
	}
	f.locals[i] = v
}

// setter gives a function that assigns the named local.
func (s *scope) setter(name string) func(f *frame, v ir.Value) {
	i := s.locals[name]
	t, _ := s.c.txn.LocalType(name)
	d := s.c.txn.LocalDomain(name)
	if d == nil {
		return func(f *frame, v ir.Value) { f.set(i, v, t) }
	}
	return func(f *frame, v ir.Value) {
		if v = v.Convert(t); !fits(d, v) {
			panic(stop{reason: "a value does not fit " + name})
		}
		f.set(i, v, t)
	}
}

func (s *scope) stmt(st ir.Stmt) exec {
	switch st := st.(type) {
	case *ir.Assign:
		set, e := s.setter(st.Var), s.expr(st.Expr)
		return func(f *frame) control { set(f, e(f)); return control{} }
	case *ir.Havoc:
		return s.havoc(st)
	case *ir.Select:
		if len(st.Aggs) > 0 {
			return s.aggregate(st)
		}
		return s.selectRow(st)
	case *ir.Emit:
		es := s.exprs(st.Exprs)
		rows := len(st.Exprs) == 1 && givesRows(st.Exprs[0])
		return func(f *frame) control {
			if rows {
				f.emit(rowvalues.In(es[0](f)))
				return control{}
			}
			vals := make([]ir.Value, len(es))
			for i, e := range es {
				vals[i] = e(f)
			}
			f.emit([][]ir.Value{vals})
			return control{}
		}
	case *ir.EmitRows:
		return s.emitRows(st)
	case *ir.Insert:
		return s.insert(st)
	case *ir.Update:
		return s.update(st)
	case *ir.Delete:
		return s.delete(st)
	case *ir.Cascade:
		return s.cascade(st)
	case *ir.Send:
		return s.send(st)
	case *ir.LockTable:
		t := s.c.tableIndex(st.Table)
		return func(f *frame) control {
			use := tableUse{t, st.Mode}
			f.run.uses = append(f.run.uses, use)
			if !f.snapshot {
				f.run.preLocks = append(f.run.preLocks, use)
			}
			return control{}
		}
	case *ir.LockRows:
		return s.lockRows(st)
	case *ir.Dropped:
		return s.dropped(st)
	case *ir.If:
		cond, yes, no := s.head(st, st.Cond), s.block(st.Then), s.block(st.Else)
		return func(f *frame) control {
			if cond(f).IsTrue() {
				return yes(f)
			}
			return no(f)
		}
	case *ir.Block:
		body := s.block(st.Body)
		return func(f *frame) control {
			c := body(f)
			if c.kind == doBreak && c.label == st.Label {
				return control{}
			}
			return c
		}
	case *ir.While:
		cond, body := s.head(st, st.Cond), s.block(st.Body)
		return func(f *frame) control {
			for cond(f).IsTrue() {
				if f.steps++; f.steps > f.budget {
					panic(stop{reason: TooLong})
				}
				if c, leave := loop(body(f), st.Label); leave {
					return c
				}
			}
			return control{}
		}
	case *ir.ForRange:
		return s.forRange(st)
	case *ir.Foreach:
		return s.foreach(st)
	case *ir.Break:
		return func(*frame) control { return control{doBreak, st.Label} }
	case *ir.Continue:
		return func(*frame) control { return control{doContinue, st.Label} }
	case *ir.Return:
		return func(*frame) control { return control{kind: doReturn} }
	case *ir.Assume:
		cond := s.expr(st.Cond)
		return func(f *frame) control {
			if !cond(f).IsTrue() {
				panic(stop{reason: NotAssumed})
			}
			return control{}
		}
	case *ir.Abort:
		return func(*frame) control { panic(stop{reason: "the transaction rolls back"}) }
	case *ir.Savepoint:
		return func(f *frame) control {
			if f.points == nil {
				f.points = map[string]point{}
			}
			f.npoints++
			f.points[st.Name] = point{f.db, len(f.run.Ops), len(f.run.Locks), len(f.run.Dropped), len(f.run.uses), len(f.run.preLocks), f.npoints}
			return control{}
		}
	case *ir.RollbackTo:
		return func(f *frame) control {
			if f.cut != nil {
				panic(stop{reason: NotExact})
			}
			p, ok := f.points[st.Name]
			if !ok {
				panic(stop{reason: "there is no savepoint " + st.Name})
			}
			for name, later := range f.points {
				if later.set > p.set {
					delete(f.points, name)
				}
			}
			f.rollBack(p)
			return control{}
		}
	case *ir.Unmodelled:
		return func(f *frame) control {
			f.run.Unmodelled = st
			panic(stop{reason: "a statement is not modelled: " + st.Reason})
		}
	case *ir.CopyTable:
		dst, src := s.c.tableIndex(st.Dst), s.c.tableIndex(st.Src)
		return func(f *frame) control {
			f.copyTable(dst, src)
			return control{}
		}
	case *ir.Fail:
		return func(f *frame) control {
			f.run.Failed = true
			return control{kind: doReturn}
		}
	}
	panic(fmt.Sprintf("interp: unknown statement %T", st))
}

// rollBack goes back to a savepoint, and releases the locks taken since (manual, 13.3).
func (f *frame) rollBack(p point) {
	r := f.run
	u := undone{after: p.ops, locks: p.locks, ops: slices.Clone(r.Ops[p.ops:]), held: slices.Clone(r.Locks[p.locks:]), broken: map[int]bool{}, end: f.cur}
	f.m.replay(p.db, slices.Clone(u.ops), nil, func(statement int, why string) bool { u.broken[statement] = true; return true })
	for i := range r.undone { // a savepoint inside of this one
		before := &r.undone[i]
		before.after, before.locks = min(before.after, p.ops), min(before.locks, p.locks)
	}
	r.undone = append(r.undone, u)
	r.Ops = r.Ops[:p.ops:p.ops]
	r.Locks = r.Locks[:p.locks:p.locks]
	r.uses, r.preLocks = r.uses[:p.uses:p.uses], r.preLocks[:p.preLocks:p.preLocks]
	r.unlock(p.dropped)
	f.db = p.db
}

// send records what a command is sent with. What cannot be computed is not known.
func (s *scope) send(st *ir.Send) exec {
	args := make([]eval, len(st.Args))
	for i, a := range st.Args {
		if a.Expr != nil {
			args[i] = s.expr(a.Expr)
		}
	}
	return func(f *frame) control {
		if !f.m.Trace {
			return control{}
		}
		sent := make([]*ir.Value, len(args))
		for i, arg := range args {
			if arg != nil {
				sent[i] = f.known(arg)
			}
		}
		f.run.Steps[len(f.run.Steps)-1].Sent = sent
		return control{}
	}
}

// known gives the value of an expression, or nil where computing it ends in an error.
func (f *frame) known(e eval) (v *ir.Value) {
	before := f.unordered
	defer func() {
		if r := recover(); r != nil {
			f.unordered = before
			if _, is := r.(stop); !is {
				panic(r)
			}
			v = nil
		}
	}()
	x := e(f)
	return &x
}

// loop interprets how a loop's body ended.
func loop(c control, label string) (control, bool) {
	mine := c.label == "" || c.label == label
	switch {
	case c.kind == doBreak && mine:
		return control{}, true
	case c.kind == goOn, c.kind == doContinue && mine:
		return control{}, false
	}
	return c, true
}

func (s *scope) exprs(es []ir.Expr) []eval {
	out := make([]eval, len(es))
	for i, e := range es {
		out[i] = s.expr(e)
	}
	return out
}

func (s *scope) havoc(st *ir.Havoc) exec {
	set := s.setter(st.Var)
	t, _ := s.c.txn.LocalType(st.Var)
	d := s.c.txn.LocalDomain(st.Var)
	arrays := s.arrays(st, t)
	return func(f *frame) control {
		if st.Fresh {
			set(f, f.freshValue(t, d))
			return control{}
		}
		if f.havocs == nil {
			f.havocs = map[*ir.Havoc]int{}
		}
		n := f.havocs[st]
		f.havocs[st]++
		if f.inst.Havoc != nil {
			if v, ok := f.inst.Havoc(st, n); ok {
				if arrays != nil && f.serial { // the database may choose others there
					list := slices.DeleteFunc(arrays(f), func(o ir.Value) bool { return o == v })
					v = append([]ir.Value{v}, list...)[f.pick(len(list)+1)]
				}
				f.chose(st, v)
				set(f, v)
				return control{}
			}
		}
		all := f.m.Program.Domain
		var values []ir.Value
		switch {
		case arrays != nil:
			values = arrays(f)
		case t.Kind == ir.KindBool:
			values = []ir.Value{ir.Bool(false), ir.Bool(true)}
		case t.Kind == ir.KindInt && all != nil:
			for i := all.Lo; i <= all.Hi; i++ {
				values = append(values, ir.Int(i))
			}
		default:
			panic(stop{reason: NotFinite})
		}
		if !st.NotNull {
			values = append(values, ir.Null)
		}
		set(f, values[f.pick(len(values))])
		return control{}
	}
}

// arrays computes which arrays a havoc may choose of the rows of a batch, or is nil.
func (s *scope) arrays(st *ir.Havoc, t ir.Type) func(f *frame) []ir.Value {
	c := (*batch.Choice)(nil)
	if t.Kind == ir.KindArray {
		c = batch.Of(st, s.rest)
	}
	if c == nil {
		return nil
	}
	q, in := s.query(&c.Query), s.open(c.Query.From)
	key, base := in.expr(c.Key), len(s.rows)
	order, desc := in.order(c.Order)
	return func(f *frame) []ir.Value {
		list := q.bindings(f, base, order, desc)
		ordered := len(order) > 0
		var keys []ir.Value
		for i, b := range list {
			ordered = ordered && tied(list, i, desc) == i+1
			f.bind(base, b)
			keys = append(keys, key(f))
		}
		out, ok := batch.Arrays(keys, ordered)
		if !ok {
			panic(stop{reason: TooMany})
		}
		return out
	}
}

// chose records a value that the database chooses.
func (f *frame) chose(st *ir.Havoc, v ir.Value) {
	if !f.m.Trace || st.Of == "" || v.IsNull() || v.Kind == ir.KindBool {
		return
	}
	if f.run.chosen == nil {
		f.run.chosen = map[ir.Value]string{}
	}
	f.run.chosen[v] = st.Of
}

// NotFinite is Run.Blocked of a run that needs a value from an infinite set.
const NotFinite = "a havocked value has no finite domain"

func (f *frame) emit(rows [][]ir.Value) {
	f.out = append(f.out, 'e')
	for _, r := range rows {
		for _, v := range r {
			f.out = rowstore.AppendValue(f.out, v)
		}
		f.out = append(f.out, 0xfe)
	}
	f.out = append(f.out, 0xff)
	if f.m.Trace {
		f.run.Steps[len(f.run.Steps)-1].Emitted = rows
	}
}

func (s *scope) forRange(st *ir.ForRange) exec {
	from, to, body, set := s.head(st, st.From), s.head(st, st.To), s.block(st.Body), s.setter(st.Var)
	return func(f *frame) control {
		a, b := from(f), to(f)
		if a.IsNull() || b.IsNull() {
			panic(stop{reason: "a bound of a loop is null"})
		}
		step := int64(1)
		if st.Reverse {
			step = -1
		}
		for i := a.I; i*step <= b.I*step; i += step {
			set(f, ir.Int(i))
			if c, leave := loop(body(f), st.Label); leave {
				return c
			}
		}
		return control{}
	}
}

// cascade compiles the action of a foreign key.
func (s *scope) cascade(st *ir.Cascade) exec {
	t, fk := s.c.tableIndex(st.Table), st.ForeignKey()
	ref := s.c.tableIndex(fk.Ref)
	cols := st.Table.Mask(fk.Columns)
	values := s.exprs(st.Values)
	check := s.checkRow(st.Table)
	return func(f *frame) control {
		db := f.db
		parent := make([]ir.Value, len(fk.Columns)) // the new one, or NULLs
		for i, v := range values {
			parent[i] = v(f).Convert(st.Table.Columns[fk.Columns[i]].Type)
		}
		for _, r := range f.db.Tabs[t].Rows {
			if !orphan(db, ref, fk, r.Vals) || f.gone[&r.Vals[0]] {
				continue
			}
			op := Op{Kind: OpDelete, Table: t, Key: r.Key, Old: r.Vals, Action: fk}
			if !st.Deletes() {
				op.Kind, op.New, op.Cols = OpUpdate, withParent(fk, r.Vals, parent), cols
				check(f, op.New)
				f.db = f.db.Put(t, row{Key: r.Key, Vals: op.New})
			} else {
				f.db = f.db.Remove(t, r.Key)
			}
			f.log(op)
		}
		if f.m.Trace {
			f.run.Reads = append(f.run.Reads, Read{Stmt: st, Table: t, Keys: map[string]bool{}, Cols: cols, Tested: cols, Current: true,
				matches: func(vals []ir.Value) bool { return orphan(db, ref, fk, vals) }})
		}
		return control{}
	}
}

// orphan is whether a row names a parent that is not there.
func orphan(db *DB, ref int, fk *ir.ForeignKey, vals []ir.Value) bool {
	parent, ok := parentRow(db, ref, fk, vals)
	return ok && parent == nil
}

// withParent is a row with other values in the columns of a foreign key.
func withParent(fk *ir.ForeignKey, vals, parent []ir.Value) []ir.Value {
	out := slices.Clone(vals)
	for i, c := range fk.Columns {
		out[c] = parent[i]
	}
	return out
}

// parentLost says why a row cannot get a parent by an action: the lock on the
// parent cannot be had.
func (m *Machine) parentLost(db *DB, fk *ir.ForeignKey, vals []ir.Value, since []*Run) string {
	ref := m.index[fk.Ref]
	parent, _ := parentRow(db, ref, fk, vals)
	if parent == nil {
		return ""
	}
	key, class := KeyOf(fk.Ref, parent), m.Engine.LockExcludes[m.Engine.ParentLock]
	if m.taken(ref, key, class, since) {
		return "locked row of " + fk.Ref.Name + " was written concurrently"
	}
	return ""
}
