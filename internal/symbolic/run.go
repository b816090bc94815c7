package symbolic

import (
	"strconv"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/internal/smt"
)

// Instance is one execution of a template, whose parameters and other choices
// are unknown but the same wherever it runs.
type Instance struct {
	w      *World
	Txn    *ir.Txn
	Name   string
	Params []Val // in order
	// Cut is a statement before which others run and leave After (READ COMMITTED), or nil.
	Cut   ir.Stmt
	After *State
	// fresh are the FRESH values that it draws, by place.
	fresh []freshValue
}

// freshValue is a FRESH value of an instance, never stored before in a column
// of its class, from a sequence or "" (ir.Havoc.Source).
type freshValue struct {
	val    Val
	class  any
	source string
}

// NewInstance makes an instance; its name must be unique in the World.
func (w *World) NewInstance(t *ir.Txn, name string) *Instance {
	in := &Instance{w: w, Txn: t, Name: name}
	w.instances = append(w.instances, in)
	for _, p := range t.Params {
		v := Val{w.B.False(), w.B.Var(name+"."+smt.Word(p.Name), sortOf(p.Type)), p.Type}
		if !p.NotNull && !p.Fresh {
			v.Null = w.B.Var(name+"."+smt.Word(p.Name)+"?", smt.Bool)
		}
		if p.Fresh {
			in.draw(v, w.code.LocalClass(t, p.Name), "")
		} else {
			w.Define(w.inDomain(v))
		}
		in.Params = append(in.Params, v)
	}
	return in
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
	// on, if not nil, gives the write as it is made on another state: the action
	// of a foreign key acts on the rows that are there when it commits. firm says
	// that nobody else takes such rows away from it.
	on   func(s *State) *Write
	firm bool
	// moved marks the columns that change where a row gets another key, by a Delete
	// and an Insert: the old values of the Insert are those of the deleted row.
	// renamed is, for the Delete, that some key of the row becomes another; nil is
	// not known.
	moved   []bool
	renamed *smt.Term
	// locks is how many of the run's locks are taken before the write.
	locks int
}

// made is the write as it is made on a state.
func (x *Write) made(s *State) *Write {
	if x.on == nil {
		return x
	}
	y := x.on(s)
	y.locks = x.locks
	return y
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
	Table  int
	Cols   []bool
	loops  []domain
	parent bool // a foreign key looks for the row that a new one refers to
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
	Failed *smt.Term
	// Late says that the run may commit on another state than its snapshot.
	Late     bool
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
	// undone is the condition that the write was rolled back later, false
	// unless undoable, and before and after are the own view then.
	undoable      bool
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
		return x.applyUnknown(w, s, func(k Key) (*smt.Term, write) { m := find(k); return m.cond, m.at })
	}
	if cols == nil {
		cols = allColumns(w.Program.Tables[x.Table])
	}
	return s.overlay(x.Table, func(k Key) *smt.Term { return find(k).cond }, alive, cols,
		func(c int, k Key) Val { return find(k).at.val(c) })
}

// applyUnknown changes alive as well, to an unknown value.
func (x *Write) applyUnknown(w *World, s *State, find func(Key) (*smt.Term, write)) *State {
	t := w.Program.Tables[x.Table]
	cond := func(k Key) *smt.Term { c, _ := find(k); return c }
	val := func(c int, k Key) Val { _, at := find(k); return at.val(c) }
	out := s.overlay(x.Table, cond, nil, allColumns(t), val)
	if t.Var {
		return out
	}
	ts := *out.tabs[x.Table]
	below := ts.alive
	ts.alive = w.layer(func(k Key) Val {
		return w.ite(cond(k), val(prepare.AliveCol, k), below.at(k))
	})
	return out.with(x.Table, &ts)
}

func allColumns(t *ir.Table) []bool {
	out := make([]bool, len(t.Columns))
	for i := range out {
		out[i] = true
	}
	return out
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
