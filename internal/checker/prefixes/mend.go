package prefixes

import (
	"context"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/c4"
	"github.com/txrobust/robust/isolation"
)

// turn is a transaction that writes a key, where it comes among those.
type turn struct {
	txn    history.Txn
	ops    []history.Op
	after  int   // of sets: see write
	amount int64 // of counters: of all its increments
	shown  bool
}

// mender improves an order of writers: two change places that are on a cycle, if that leaves
// no more violations.
type mender struct {
	*execution
	ctx   context.Context
	level isolation.Level
	turns [][]turn
	at    []map[history.Txn]int
}

// newMender starts with the order of an execution.
func (e *execution) newMender(ctx context.Context, l isolation.Level) *mender {
	m := &mender{execution: e, ctx: ctx, level: l, turns: make([][]turn, len(e.order)), at: make([]map[history.Txn]int, len(e.order))}
	for k, order := range e.order {
		m.at[k] = map[history.Txn]int{}
		for _, o := range order {
			t := e.h.TxnOf(o)
			i, some := m.at[k][t]
			if !some {
				i = len(m.turns[k])
				m.at[k][t], m.turns[k] = i, append(m.turns[k], turn{txn: t, after: e.after[o], shown: e.shown[o]})
			}
			n, _ := e.h.Amount(e.h.Value(o))
			w := &m.turns[k][i]
			w.ops, w.amount = append(w.ops, o), w.amount+n
		}
	}
	return m
}

// judge asks about the order that there is. It is unknown if a read shows something else in it.
func (m *mender) judge() (answer checker.Answer, count int, some []checker.Violation, err error) {
	for k, turns := range m.turns {
		m.order[k] = m.order[k][:0]
		for _, w := range turns {
			m.order[k] = append(m.order[k], w.ops...)
		}
	}
	if !m.explains() {
		return answer, 0, nil, nil
	}
	lists, err := m.lists()
	if err != nil {
		return answer, 0, nil, err
	}
	r, err := c4.Check(m.ctx, lists, c4.Options{Levels: []isolation.Level{m.level}, Limit: 4, Workers: 1})
	if err != nil {
		return answer, 0, nil, err
	}
	for _, n := range r.Counts {
		count += n
	}
	return r.Answer(m.level), count, r.Violations, nil
}

// swap lets two writers of a key change places.
func (m *mender) swap(k history.Key, i, j int) {
	turns := m.turns[k]
	turns[i], turns[j] = turns[j], turns[i]
	m.at[k][turns[i].txn], m.at[k][turns[j].txn] = i, j
}

// partner chooses a writer of a key that may change places with another one, or -1: what each read of
// the key shows stays the same.
func (m *mender) partner(k history.Key, i int) int {
	var fit []int
	turns := m.turns[k]
	for j := max(0, i-near); j < min(len(turns), i+near); j++ {
		a, b := turns[i], turns[j]
		same := a.shown == b.shown && a.after == b.after
		if m.h.Type(k) == history.Counter {
			same = a.amount == b.amount && len(a.ops) == len(b.ops)
		}
		if i != j && same {
			fit = append(fit, j)
		}
	}
	if len(fit) == 0 {
		return -1
	}
	return fit[m.r.IntN(len(fit))]
}

// run looks for an order with so many steps at most; Unknown if none was found.
func (m *mender) run(steps int) (checker.Answer, error) {
	answer, count, some, err := m.judge()
	for ; err == nil && steps > 0 && answer.Verdict == checker.Violated && len(some) > 0; steps-- {
		k, i := m.choose(some[m.r.IntN(len(some))])
		j := -1
		if i >= 0 {
			j = m.partner(k, i)
		}
		if j < 0 {
			continue
		}
		m.swap(k, i, j)
		a, n, v, e := m.judge()
		if err = e; e == nil && n <= count && a.Verdict != checker.Unknown {
			answer, count, some = a, n, v
		} else {
			m.swap(k, i, j)
		}
	}
	if answer.Verdict != checker.Satisfied {
		answer = checker.Answer{Level: m.level}
	}
	return answer, err
}

// choose chooses a writer that a violation has to do with, and the key.
func (m *mender) choose(v checker.Violation) (history.Key, int) {
	type place struct {
		k history.Key
		i int
	}
	var all []place
	add := func(k history.Key, t history.Txn) {
		if k < 0 || int(k) >= len(m.at) {
			return
		}
		if i, some := m.at[k][t]; some {
			all = append(all, place{k, i})
		}
	}
	var edges func(some []checker.Edge)
	edges = func(some []checker.Edge) {
		for _, e := range some {
			if e.Dependency != isolation.SO {
				add(e.Key, e.From)
				add(e.Key, e.To)
			}
			edges(e.Because)
		}
	}
	edges(v.Cycle)
	if len(all) == 0 {
		return 0, -1
	}
	p := all[m.r.IntN(len(all))]
	return p.k, p.i
}
