package symbolic

import (
	"fmt"
	"strconv"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/internal/smt"
)

// maxUnroll bounds the rounds of a loop between constants that is unrolled, and
// fewRounds those that are unrolled even if the rounds are apart.
const (
	maxUnroll = 24
	fewRounds = 2
)

func (e *exec) loop(s ir.Stmt) {
	w := e.w
	switch s := s.(type) {
	case *ir.While:
		if !w.Closed {
			e.openLoop(s, s.Label, s.Body, nil, nil)
			return
		}
		x := &exit{label: s.Label, loop: true}
		e.unroll(x, w.Rounds, func(int) *smt.Term {
			e.noteExists(s, false)
			return e.truth(s.Cond)
		}, s.Body)
		// One more test: the bound must have sufficed.
		e.noteExists(s, false)
		e.require(w.B.Not(e.truth(s.Cond)))
		e.join(x.broken)
	case *ir.ForRange:
		e.forRange(s)
	case *ir.Foreach:
		e.foreach(s)
	default:
		panic(fmt.Sprintf("symbolic: unknown loop %T", s))
	}
}

// unroll runs n rounds of a loop, each under the condition that enter gives;
// where it is false, control goes to the loop's end.
func (e *exec) unroll(x *exit, n int, enter func(i int) *smt.Term, body []ir.Stmt) {
	suffix := e.suffix
	for i := 0; i < n; i++ {
		e.suffix = suffix + "_" + strconv.Itoa(i)
		in := enter(i)
		x.broken = append(x.broken, leaving{e.w.B.And(e.live, e.w.B.Not(in)), e.vars.Copied()})
		e.live = e.w.B.And(e.live, in)
		e.round(x, body)
	}
	e.suffix = suffix
}

// round runs a loop's body once.
func (e *exec) round(x *exit, body []ir.Stmt) {
	e.exits = append(e.exits, x)
	e.block(body)
	e.exits = e.exits[:len(e.exits)-1]
	e.join(x.continued)
	x.continued = nil
}

func (e *exec) forRange(s *ir.ForRange) {
	w := e.w
	from, to := e.eval(s.From), e.eval(s.To)
	e.require(w.B.And(w.B.Not(from.Null), w.B.Not(to.Null)))
	within := func(i *smt.Term) *smt.Term {
		if s.Reverse {
			return w.B.And(w.B.Le(i, from.T), w.B.Le(to.T, i))
		}
		return w.B.And(w.B.Le(from.T, i), w.B.Le(i, to.T))
	}
	rounds, constant := prepare.ConstantRounds(s)
	if !w.Closed && !(constant && rounds <= fewRounds) {
		if cols, ok := prepare.Apart(w.Program, e.inst.Txn, s, w.code.References); ok {
			e.openLoop(s, s.Label, s.Body, within, cols)
			return
		}
	}
	x := &exit{label: s.Label, loop: true}
	step := int64(1)
	if s.Reverse {
		step = -1
	}
	if constant && rounds <= maxUnroll {
		suffix := e.suffix
		for i := 0; i < rounds; i++ {
			e.suffix = suffix + "_" + strconv.Itoa(i)
			e.set(s.Var, Val{w.B.False(), w.B.Add(from.T, w.B.IntConst(int64(i)*step)), ir.IntType})
			e.round(x, s.Body)
		}
		e.suffix = suffix
		e.join(x.broken)
		return
	}
	if !w.Closed {
		e.openLoop(s, s.Label, s.Body, within, nil)
		return
	}
	at := func(i int) *smt.Term { return w.B.Add(from.T, w.B.IntConst(int64(i)*step)) }
	e.unroll(x, w.Rounds, func(i int) *smt.Term {
		in := within(at(i))
		e.require(w.B.Or(w.B.Not(in), w.inDomain(Val{w.B.False(), at(i), ir.IntType})))
		e.vars.Set(s.Var, w.ite(w.B.And(e.live, in), Val{w.B.False(), at(i), ir.IntType}, e.vars.Get(s.Var)))
		return in
	}, s.Body)
	e.require(w.B.Not(within(at(w.Rounds))))
	e.join(x.broken)
}

func (e *exec) foreach(s *ir.Foreach) {
	w := e.w
	en := e.env()
	p := w.plan(&s.Query, en)
	e.use(p, ir.AccessShare)
	cols := returned(s.Cols, s.Order)
	st := e.st
	found := p.found(en, st)
	defer func() {
		if s.Found != "" {
			e.set(s.Found, w.Truth(found))
		}
	}()
	if len(p.doms) > 0 && !w.Closed {
		if !prepare.FactsOf(w.Program, s, s.Label, s.Body).Leaves {
			e.lockRows(p, en, s.Locks) // a loop that is left early has not locked the rest
		}
		e.openForeach(s, p, en, cols)
		return
	}
	e.noteQuery(en, &s.Query, cols)
	x := &exit{label: s.Label, loop: true}
	type candidate struct {
		tuple []Key
		match *smt.Term
		in    *env
	}
	var list []candidate
	add := func(tuple []Key) {
		g, in := p.match(en, st, tuple)
		if g.IsFalse() && w.Closed {
			return // in the open world, runs on other states must have the same rounds
		}
		for _, c := range list {
			same := w.B.True()
			for i := range tuple {
				same = w.B.And(same, w.sameKey(tuple[i], c.tuple[i]))
			}
			g = w.B.And(g, w.B.Not(w.B.And(c.match, same)))
			// Rounds run in the order of the list: restrict to states in which
			// that is the order asked for.
			if len(s.Order) > 0 {
				w.Restricted = true
				e.require(w.B.Not(w.B.And(c.match, g, w.before(s.Order, in, c.in))))
			}
		}
		list = append(list, candidate{tuple, g, in})
	}
	if len(p.doms) == 0 {
		add(nil)
	} else {
		w.tuples(p.doms, add)
	}
	if s.Ahead { // the first rows, which are all that there are here
		for _, c := range list {
			e.lockChosen(p, en, st, s.Locks, c.match, c.tuple)
		}
	}
	suffix := e.suffix
	for i, c := range list {
		e.suffix = suffix + "_" + strconv.Itoa(i)
		before, vars := e.live, e.vars.Copied()
		e.live = w.B.And(before, c.match)
		for k, col := range s.Cols {
			e.set(s.Into[k], c.in.eval(col))
		}
		if !s.Ahead {
			e.lockChosen(p, en, st, s.Locks, c.match, c.tuple)
		}
		e.round(x, s.Body)
		// Control that skipped the round meets the rest here.
		e.join([]leaving{{w.B.And(before, w.B.Not(c.match)), vars}})
	}
	e.suffix = suffix
	e.join(x.broken)
}
