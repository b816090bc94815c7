package symbolic

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/internal/smt"
)

// openForeach is a FOREACH over any number of rows: an open loop whose rounds
// are the rows.
func (e *exec) openForeach(s *ir.Foreach, p *plan, en *env, cols []ir.Expr) {
	st := e.st
	observe := e.observe
	if observe == nil {
		e.observe = st
	}
	e.noteQuery(en, &s.Query, cols)
	e.observe = observe
	o := &openLoop{e: e, stmt: s, label: s.Label, body: s.Body, doms: p.doms}
	o.begin = func(sub *exec, round []Key) *smt.Term {
		g, in := p.match(en, st, round)
		for k, c := range s.Cols {
			t, _ := e.info.Places.TypeOf(s.Into[k])
			if g.IsFalse() {
				sub.vars.Set(s.Into[k], e.w.null(t))
			} else {
				sub.vars.Set(s.Into[k], e.w.convert(in.eval(c), t))
			}
		}
		return g
	}
	o.run()
}

// openLoop is a WHILE, or a FOR between numbers, with any number of rounds.
// apart is what the function of this name says, if the rounds are apart.
func (e *exec) openLoop(s ir.Stmt, label string, body []ir.Stmt, within func(i *smt.Term) *smt.Term, apart map[*ir.Table]int) {
	d := domain("L" + e.inst.Name + "/" + e.place(s, ""))
	e.w.domain(d, []smt.Sort{smt.Int})
	o := &openLoop{e: e, stmt: s, label: label, body: body, doms: []domain{d}, apart: apart}
	o.begin = func(sub *exec, round []Key) *smt.Term {
		w := e.w
		w.mention(d, round[0])
		i := round[0][0]
		switch s := s.(type) {
		case *ir.ForRange:
			sub.vars.Set(s.Var, Val{w.B.False(), i, ir.IntType})
			return within(i)
		case *ir.While:
			sub.noteExists(s, false)
			return w.B.And(w.B.Le(w.B.IntConst(0), i), sub.truth(s.Cond))
		}
		panic(fmt.Sprintf("symbolic: unknown loop %T", s))
	}
	o.run()
}

// openLoop is a loop with any number of rounds. It is a block: the locals that
// it uses and all rows that it reads are observed, on the state before it;
// beyond that, what a round starts from and which rounds there are is chosen
// by the instance. See doc.go.
type openLoop struct {
	e     *exec
	stmt  ir.Stmt
	label string
	body  []ir.Stmt
	doms  []domain
	// begin sets the loop's variables for a round and gives the condition
	// that there is such a round.
	begin func(sub *exec, round []Key) *smt.Term

	// apart gives the key column that is the round, for each table that is
	// written, if the rounds are apart: then each starts from the state before
	// the loop, and nothing is chosen.
	apart map[*ir.Table]int

	// start is the executor before the loop: rounds may be asked for when it has
	// gone on.
	start exec
	seen  map[string]*Run
	facts prepare.LoopFacts
	round string // the place, in names
}

func (o *openLoop) run() {
	e, w := o.e, o.e.w
	o.facts = prepare.FactsOf(w.Program, o.stmt, o.label, o.body)
	o.start, o.seen = *e, map[string]*Run{}
	o.start.vars = e.vars.Copied()
	o.start.exits = slices.Clone(e.exits) // later blocks take the places of those around
	o.round = e.place(o.stmt, "loop ")

	// The inputs.
	var inputs []Val
	if o.apart == nil || e.observe != nil {
		for _, list := range [][]string{prepare.ParamNames(e.inst.Txn), prepare.LocalNames(e.inst.Txn)} {
			for _, n := range list {
				if o.facts.Used[n] {
					inputs = append(inputs, e.vars.Get(n))
				}
			}
		}
		e.observed(o.start.live, inputs)
	}

	// A sample round gives the shape of what rounds do; each part is lifted to
	// all rounds.
	sample := w.samples(o.doms)
	shape := o.at(sample)
	n := len(o.doms)
	for i := range shape.obs {
		e.run.obs = append(e.run.obs, item{append(append([]domain{}, o.doms...), shape.obs[i].doms...),
			func(tuple []Key) (*smt.Term, []Val) { return o.at(tuple[:n]).obs[i].at(tuple[n:]) }})
	}
	locks := len(e.run.Locks)
	for i, l := range shape.Locks {
		lock := &RowLock{Table: l.Table, Mode: l.Mode, scan: l.scan,
			loops: append(append([]domain{}, o.doms...), l.loops...),
			at:    func(loop []Key, k Key) (*smt.Term, Key) { return o.at(loop[:n]).Locks[i].at(loop[n:], k) }}
		if c, ok := o.apart[w.Program.Tables[l.Table]]; ok {
			lock = &RowLock{Table: l.Table, Mode: l.Mode, scan: true, loops: l.loops, each: lock,
				at: func(loop []Key, k Key) (*smt.Term, Key) {
					g, key := o.at(o.roundOf(k, c)).Locks[i].at(loop, k)
					if l.scan || g.IsFalse() {
						return g, k
					}
					return w.B.And(g, w.sameKey(key, k)), k
				}}
		}
		e.run.Locks = append(e.run.Locks, lock)
	}
	for i, r := range shape.Reads {
		e.run.Reads = append(e.run.Reads, &Read{Table: r.Table, Cols: r.Cols, parent: r.parent,
			loops: append(append([]domain{}, o.doms...), r.loops...),
			match: func(loop []Key, s *State, k Key) *smt.Term { return o.at(loop[:n]).Reads[i].match(loop[n:], s, k) }})
	}
	e.run.OK = w.B.And(e.run.OK, w.B.Not(w.Exists(o.doms, func(round []Key) *smt.Term {
		return w.B.Not(o.at(round).OK)
	})))
	var lifted []*Write
	for i, x := range shape.Writes {
		y := &Write{Stmt: x.Stmt, Table: x.Table, Kind: x.Kind, Cols: x.Cols, moved: x.moved, scan: x.scan,
			loops: append(append([]domain{}, o.doms...), x.loops...),
			at:    func(loop []Key, k Key) write { return o.at(loop[:n]).Writes[i].at(loop[n:], k) }}
		if c, own := o.ownRows(x); own && (x.Kind == Update || x.Kind == Delete) {
			y = &Write{Stmt: x.Stmt, Table: x.Table, Kind: x.Kind, Cols: x.Cols, moved: x.moved, scan: true, loops: x.loops, each: y,
				at: func(loop []Key, k Key) write {
					wr := o.at(o.roundOf(k, c)).Writes[i].at(loop, k)
					if !x.scan && !wr.guard.IsFalse() {
						wr.guard, wr.key = w.B.And(wr.guard, w.sameKey(wr.key, k)), k
					}
					return wr
				}}
		} else if own && len(x.loops) == 0 {
			y.roundOf = func(k Key) []Key { return o.roundOf(k, c) }
		}
		lifted = append(lifted, y)
		e.writeBehind(y, locks+x.locks)
	}
	if o.apart == nil {
		o.mix(lifted)
	}

	// Afterwards.
	after := e.vars.Copied()
	for _, l := range e.inst.Txn.Locals {
		if o.facts.Assigned[l.Name] {
			after.Set(l.Name, o.chosen("after "+smt.Word(l.Name), l.Type, e.rounds, !l.Kept))
		}
	}
	for _, p := range e.inst.Txn.Params {
		if o.facts.Assigned[p.Name] {
			after.Set(p.Name, o.chosen("after "+smt.Word(p.Name), p.Type, e.rounds, true))
		}
	}
	e.vars = after
	for i, s := range o.facts.Outer {
		taken := e.inst.choose(o.round+" leaves "+strconv.Itoa(i), smt.Bool, e.rounds)
		out := leaving{w.B.And(e.live, taken), e.vars.Copied()}
		e.live = w.B.And(e.live, w.B.Not(taken))
		switch s := s.(type) {
		case *ir.Return:
			e.exits[0].broken = append(e.exits[0].broken, out)
		case *ir.Break:
			x := e.target(s.Label, true)
			x.broken = append(x.broken, out)
		case *ir.Continue:
			x := e.target(s.Label, true)
			x.continued = append(x.continued, out)
		}
	}
}

// OwnRows gives the place in the key that is the round in all rows that a
// write concerns, if there is one.
func (o *openLoop) ownRows(x *Write) (int, bool) {
	if c, ok := o.apart[o.e.w.Program.Tables[x.Table]]; ok {
		return c, true
	}
	if s, ok := o.stmt.(*ir.ForRange); ok && x.Kind != Unknown {
		return prepare.OwnRows(s, x.Stmt)
	}
	return 0, false
}

// roundOf gives the only round that can concern a row, if the rounds are apart
// and the row's key has the round in this place.
func (o *openLoop) roundOf(k Key, place int) []Key {
	round := Key{k[place]}
	o.e.w.mention(o.doms[0], round)
	return []Key{round}
}

// chosen is a value that the instance chooses for the loop.
func (o *openLoop) chosen(what string, t ir.Type, round []Key, nullable bool) Val {
	v := Val{o.e.w.B.False(), o.e.inst.choose(o.round+what, sortOf(t), round), t}
	if nullable {
		v.Null = o.e.inst.choose(o.round+what+"?", smt.Bool, round)
	}
	return v
}

// fuzzyState gives the state at the start of a round.
func (o *openLoop) fuzzyState(round []Key) *State {
	w := o.e.w
	if o.apart != nil {
		return o.start.st
	}
	args := append(append([]Key{}, o.e.rounds...), round...)
	out := o.start.st
	for i, t := range w.Program.Tables {
		sites := o.facts.Sites[t]
		if len(sites) == 0 {
			continue
		}
		ts := &tabState{alive: out.tabs[i].alive, cols: append([]*layer(nil), out.tabs[i].cols...)}
		if sites[prepare.AliveCol] > 0 && !t.Var {
			ts.alive = w.layer(func(k Key) Val {
				return w.Truth(o.e.inst.choose(o.round+"start "+smt.Word(t.Name), smt.Bool, append(append([]Key{}, args...), k)))
			})
		}
		for c := range t.Columns {
			if w.keyCols[i][c] || sites[c] == 0 && (sites[prepare.AliveCol] == 0 || t.Var) {
				continue
			}
			col := &t.Columns[c]
			ts.cols[c] = w.layer(func(k Key) Val {
				return o.chosen("start "+smt.Word(t.Name)+"."+smt.Word(col.Name), col.Type, append(append([]Key{}, args...), k), !col.NotNull && w.mayBeNull(t))
			})
		}
		out = out.with(i, ts)
	}
	return out
}

// at executes one round.
func (o *openLoop) at(round []Key) *Run {
	id := tupleID(round)
	if r := o.seen[id]; r != nil {
		return r
	}
	e, w := &o.start, o.e.w
	run := &Run{Inst: e.inst, OK: w.B.True(), Failed: w.B.False()}
	o.seen[id] = run
	sub := &exec{w: w, inst: e.inst, run: run, st: o.fuzzyState(round), entry: e.entry, vars: o.start.vars.Copied(),
		points: map[string]savepoint{}, suffix: e.suffix, snapped: true, info: e.info, observe: e.observe,
		rounds: append(append([]Key{}, e.rounds...), round...), loops: append(append([]domain{}, e.loops...), o.doms...)}
	if sub.observe == nil && o.apart == nil {
		sub.observe = o.start.st
	}
	for _, l := range e.inst.Txn.Locals {
		if o.facts.Assigned[l.Name] {
			sub.vars.Set(l.Name, o.chosen("start "+smt.Word(l.Name), l.Type, sub.rounds, !l.Kept))
		}
	}
	for _, p := range e.inst.Txn.Params {
		if o.facts.Assigned[p.Name] {
			sub.vars.Set(p.Name, o.chosen("start "+smt.Word(p.Name), p.Type, sub.rounds, true))
		}
	}
	sub.live = o.start.live
	// Exits that lead out of the loop: what leaves is chosen as a whole.
	sub.exits = nil
	for _, x := range e.exits {
		sub.exits = append(sub.exits, &exit{label: x.label, loop: x.loop})
	}
	enter := o.begin(sub, round)
	if _, isWhile := o.stmt.(*ir.While); o.facts.Leaves || isWhile {
		enter = w.B.And(enter, e.inst.choose(o.round+"reached", smt.Bool, sub.rounds))
	}
	sub.live = w.B.And(o.start.live, enter)
	sub.round(&exit{label: o.label, loop: true}, o.body)
	// Statements that go through all keys must meet the rows that others find
	// by their key.
	for _, x := range run.Writes {
		if !x.scan && len(x.loops) == 0 {
			w.mention(tableDomain(x.Table), x.at(nil, nil).key)
		}
	}
	return run
}

// mix overrides what several statements of the loop write alike: which of them
// came last is not known.
func (o *openLoop) mix(lifted []*Write) {
	e, w := o.e, o.e.w
	for i, t := range w.Program.Tables {
		several := false
		for _, n := range o.facts.Sites[t] {
			several = several || n > 1
		}
		if !several {
			continue
		}
		rounds := e.rounds
		var mine []*Write
		for _, x := range lifted {
			if x.Table == i {
				mine = append(mine, x)
			}
		}
		st := e.st
		e.write(&Write{Stmt: o.stmt, Table: i, Kind: Unknown, scan: true, at: func(_ []Key, k Key) write {
			any := w.B.False()
			for _, x := range mine {
				c, _ := x.written(w, k)
				any = w.B.Or(any, c)
			}
			args := append(append([]Key{}, rounds...), k)
			return write{guard: any, key: k, old: func(c int) Val { return st.Col(i, c, k) },
				val: func(c int) Val {
					if c == prepare.AliveCol {
						return w.Truth(e.inst.choose(o.round+"end "+smt.Word(t.Name), smt.Bool, args))
					}
					return o.chosen("end "+smt.Word(t.Name)+"."+smt.Word(t.Columns[c].Name), t.Columns[c].Type, args, !t.Columns[c].NotNull)
				}}
		}})
	}
}
