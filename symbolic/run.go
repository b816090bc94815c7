package symbolic

import (
	"strconv"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/smt"
)

// Instance is one execution of a template, whose parameters and other choices
// are unknown but the same wherever it runs.
type Instance struct {
	w    *World
	Txn  *ir.Txn
	Name string
	// Params are the parameters' values, in order.
	Params []Val
	// fresh are the FRESH values that it draws, by place.
	fresh []freshValue
}

// freshValue is a FRESH value of an instance, never stored before in a column
// of its class.
type freshValue struct {
	val   Val
	class any
}

// NewInstance makes an instance; its name must be unique in the World.
func (w *World) NewInstance(t *ir.Txn, name string) *Instance {
	in := &Instance{w: w, Txn: t, Name: name}
	w.instances = append(w.instances, in)
	for _, p := range t.Params {
		v := Val{w.B.False(), w.B.Var(name+"."+p.Name, sortOf(p.Type)), p.Type}
		if !p.NotNull && !p.Fresh {
			v.Null = w.B.Var(name+"."+p.Name+"?", smt.Bool)
		}
		if p.Fresh {
			in.draw(v, w.code.localClass(t, p.Name))
		} else {
			w.Define(w.inDomain(v))
		}
		in.Params = append(in.Params, v)
	}
	return in
}

// item is something that a run does, possibly once for every member of some
// domains: at gives the condition that it does it, and the values concerned.
type item struct {
	doms []domain
	at   func(tuple []Key) (guard *smt.Term, vals []Val)
}

// Kind is what a Write does to its row.
type Kind uint8

const (
	Insert Kind = iota
	Update
	Delete
	// Unknown is a write of an unmodelled statement: any of these, or none.
	Unknown
)

// Write is one writing statement of a run: for every member of loops, and if
// scan for every key of the table, at says whether it writes a row, which, and
// what.
type Write struct {
	Stmt  ir.Stmt
	Table int
	Kind  Kind
	// Cols are the columns set; nil for all.
	Cols  []bool
	loops []domain
	scan  bool
	at    func(loop []Key, k Key) write
	// roundOf, if not nil, gives the only members of loops that can write the
	// row with a key.
	roundOf func(k Key) []Key
	// each, if not nil, is the same write as members of the loop around it.
	each *Write
}

// write is what a Write does for one member.
type write struct {
	guard *smt.Term
	key   Key
	// val gives the new value of a column, old the one that was there.
	val, old func(c int) Val
}

// RowLock is a locking statement of a run.
type RowLock struct {
	Table int
	Mode  ir.LockMode
	loops []domain
	scan  bool
	at    func(loop []Key, k Key) (guard *smt.Term, key Key)
	each  *RowLock // as in Write
}

// Use is a use of a table in a lock mode.
type Use struct {
	Table int
	Mode  ir.TableLock
	Guard *smt.Term
}

// Read is the footprint of a query on one table: the rows that match in some
// state, and the columns that count.
type Read struct {
	Table int
	Cols  []bool
	loops []domain
	// match says whether the row with a key takes part, in a state.
	match func(loop []Key, s *State, k Key) *smt.Term
}

// Run is what an instance does on a state.
type Run struct {
	Inst *Instance
	// In is the snapshot, Post the state after the run's writes.
	In, Post *State
	// OK is: the path taken reaches the end, with every assumption and every
	// constraint that one row can break.
	OK *smt.Term
	// Failed is: the error state is reached.
	Failed   *smt.Term
	Writes   []*Write
	Locks    []*RowLock
	Uses     []Use
	PreLocks []Use // taken before the snapshot
	Reads    []*Read

	obs []item
	log []logged
}

// logged is one step of what a run did to the state: a write, or a rollback to
// an earlier step.
type logged struct {
	write *Write // as attempted
	// undone is the condition that the write was rolled back later, and
	// before and after are the own view then.
	undone        *smt.Term
	before, after *State
	// rollback: under the condition undone, the steps from number to on are
	// undone.
	rollback bool
	to       int
}

// written is: the write touches the row with key k; at gives the member that
// does, under that condition.
func (x *Write) written(w *World, k Key) (cond *smt.Term, at write) {
	pick := func(loop []Key) (*smt.Term, write) {
		wr := x.at(loop, k)
		if x.scan {
			return wr.guard, wr
		}
		if wr.guard.IsFalse() {
			return wr.guard, wr
		}
		return w.B.And(wr.guard, w.sameKey(wr.key, k)), wr
	}
	if len(x.loops) == 0 {
		return pick(nil)
	}
	if x.roundOf != nil {
		return pick(x.roundOf(k))
	}
	// Some round of the loop writes the row.
	var last write
	first := true
	cond = w.Exists(x.loops, func(loop []Key) *smt.Term {
		c, wr := pick(loop)
		if first {
			// The Skolem round: under cond it is the one that writes.
			last, first = wr, false
		}
		return c
	})
	return cond, last
}

// apply gives the state after the write.
func (x *Write) apply(w *World, s *State) *State {
	type memo struct {
		cond *smt.Term
		at   write
	}
	seen := map[string]memo{}
	find := func(k Key) memo {
		m, ok := seen[k.id()]
		if !ok {
			m.cond, m.at = x.written(w, k)
			seen[k.id()] = m
		}
		return m
	}
	cols := x.Cols
	var alive *smt.Term
	switch x.Kind {
	case Insert:
		alive = w.B.True()
		if w.Closed {
			w.mention(tableDomain(x.Table), x.at(nil, nil).key)
		}
	case Delete:
		alive, cols = w.B.False(), make([]bool, len(w.Program.Tables[x.Table].Columns))
	case Unknown:
		return x.applyUnknown(w, s)
	}
	if cols == nil {
		cols = allColumns(w.Program.Tables[x.Table])
	}
	return s.overlay(x.Table, func(k Key) *smt.Term { return find(k).cond }, alive, cols,
		func(c int, k Key) Val { return find(k).at.val(c) })
}

// applyUnknown changes alive as well, to an unknown value.
func (x *Write) applyUnknown(w *World, s *State) *State {
	t := w.Program.Tables[x.Table]
	cond := func(k Key) *smt.Term { return x.at(nil, k).guard }
	out := s.overlay(x.Table, cond, nil, allColumns(t), func(c int, k Key) Val { return x.at(nil, k).val(c) })
	if t.Var {
		return out
	}
	ts := *out.tabs[x.Table]
	below := ts.alive
	ts.alive = w.layer(func(k Key) Val {
		return w.ite(cond(k), x.at(nil, k).val(aliveCol), below.at(k))
	})
	return out.with(x.Table, &ts)
}

// aliveCol stands for the existence of a row where an unknown write is asked
// for a column.
const aliveCol = -1

func allColumns(t *ir.Table) []bool {
	out := make([]bool, len(t.Columns))
	for i := range out {
		out[i] = true
	}
	return out
}

// asItem gives a write as something to compare between runs.
func (x *Write) asItem(w *World) item {
	if x.each != nil {
		return x.each.asItem(w)
	}
	doms := append([]domain{}, x.loops...)
	if x.scan {
		doms = append(doms, tableDomain(x.Table))
	}
	n := len(x.loops)
	return item{doms, func(tuple []Key) (*smt.Term, []Val) {
		var k Key
		if x.scan {
			k = tuple[n]
		}
		wr := x.at(tuple[:n], k)
		var vals []Val
		if wr.guard.IsFalse() {
			return wr.guard, nil
		}
		for _, t := range wr.key {
			vals = append(vals, Val{w.B.False(), t, ir.NullType})
		}
		if x.Kind == Unknown && !w.Program.Tables[x.Table].Var {
			vals = append(vals, wr.val(aliveCol))
		}
		if x.Kind != Delete {
			for c := range w.Program.Tables[x.Table].Columns {
				if (x.Cols == nil || x.Cols[c]) && !w.keyCols[x.Table][c] {
					vals = append(vals, wr.val(c))
				}
			}
		}
		return wr.guard, vals
	}}
}

// differ adds: the two items, of one place in two runs of one instance, are not
// the same.
func (u *union) differ(a, b item) {
	w := u.w
	u.add(a.doms, func(tuple []Key) *smt.Term {
		ga, va := a.at(tuple)
		gb, vb := b.at(tuple)
		if ga.IsFalse() && gb.IsFalse() {
			return w.B.False()
		}
		diff := w.B.Not(w.B.Eq(ga, gb))
		if !ga.IsFalse() && !gb.IsFalse() {
			diff = w.B.Or(diff, w.B.And(ga, gb, w.B.Not(w.allSame(va, vb))))
		}
		return diff
	})
}

// Differ is: two runs of one instance differ in what is observed or in what
// they would write. It holds in positive positions only.
func (r *Run) Differ(o *Run) *smt.Term {
	w := r.Inst.w
	if !r.comparable(o) {
		return w.B.True()
	}
	u := w.union()
	for i := range r.obs {
		u.differ(r.obs[i], o.obs[i])
	}
	for i := range r.Writes {
		u.differ(r.Writes[i].asItem(w), o.Writes[i].asItem(w))
	}
	// Locks are no observation, but who may commit depends on them.
	for i := range r.Locks {
		if w.Engine.LockExcludes[r.Locks[i].Mode] != engine.NoWrite || w.Engine.LockWrites {
			u.differ(r.Locks[i].asItem(w), o.Locks[i].asItem(w))
		}
	}
	if w.Engine.TableLocks && w.code.tableLocks {
		for i := range r.Uses {
			u.out = w.B.Or(u.out, w.B.Not(w.B.Eq(r.Uses[i].Guard, o.Uses[i].Guard)))
		}
	}
	return u.out
}

// comparable reports whether the items of two runs correspond. In the closed
// world a loop over rows leaves out those that cannot match, so that the
// rounds of two runs may not be the same rows.
func (r *Run) comparable(o *Run) bool {
	if r.Inst != o.Inst {
		panic("symbolic: runs of different instances compared")
	}
	same := len(r.obs) == len(o.obs) && len(r.Writes) == len(o.Writes) &&
		len(r.Locks) == len(o.Locks) && len(r.Uses) == len(o.Uses)
	if !same && !r.Inst.w.Closed {
		panic("symbolic: two runs of " + r.Inst.Name + " do not correspond")
	}
	return same
}

// asItem gives a lock as something to compare between runs.
func (l *RowLock) asItem(w *World) item {
	if l.each != nil {
		return l.each.asItem(w)
	}
	doms := append([]domain{}, l.loops...)
	if l.scan {
		doms = append(doms, tableDomain(l.Table))
	}
	n := len(l.loops)
	return item{doms, func(tuple []Key) (*smt.Term, []Val) {
		var k Key
		if l.scan {
			k = tuple[n]
		}
		g, key := l.at(tuple[:n], k)
		var vals []Val
		for _, t := range key {
			vals = append(vals, Val{w.B.False(), t, ir.NullType})
		}
		return g, vals
	}}
}

// Acts is: when the run commits matters, and not only what it read. It writes
// some row, or it wrote one before a rollback: that, too, had to pass the
// constraints as they were at that moment.
func (r *Run) Acts() *smt.Term {
	w := r.Inst.w
	u := w.union()
	writes := append([]*Write{}, r.Writes...)
	for _, l := range r.log {
		if !l.rollback && !l.undone.IsFalse() {
			writes = append(writes, l.write)
		}
	}
	for _, x := range writes {
		it := x.asItem(w)
		u.add(it.doms, func(tuple []Key) *smt.Term {
			g, _ := it.at(tuple)
			return g
		})
	}
	return u.out
}

// choose gives a term that belongs to the instance: the same wherever the
// place runs with the same loop rounds.
func (in *Instance) choose(place string, s smt.Sort, loop []Key) *smt.Term {
	w := in.w
	var args []*smt.Term
	var sorts []smt.Sort
	for _, k := range loop {
		for _, t := range k {
			args = append(args, t)
			sorts = append(sorts, t.Sort())
		}
	}
	return w.B.App(w.B.Func(in.Name+"."+place+"/"+strconv.Itoa(len(args)), s, sorts...), args...)
}

// Agrees is: two runs of one instance are the same in what is observed and in
// what they would write. It holds in positive positions only.
func (r *Run) Agrees(o *Run) *smt.Term {
	w := r.Inst.w
	out := w.B.True()
	if !r.comparable(o) {
		return out
	}
	agree := func(a, b item) {
		out = w.B.And(out, w.Never(a.doms, func(tuple []Key) *smt.Term {
			ga, va := a.at(tuple)
			gb, vb := b.at(tuple)
			diff := w.B.Not(w.B.Eq(ga, gb))
			if !ga.IsFalse() && !gb.IsFalse() {
				diff = w.B.Or(diff, w.B.And(ga, gb, w.B.Not(w.allSame(va, vb))))
			}
			return diff
		}))
	}
	for i := range r.obs {
		agree(r.obs[i], o.obs[i])
	}
	for i := range r.Writes {
		agree(r.Writes[i].asItem(w), o.Writes[i].asItem(w))
	}
	return out
}
