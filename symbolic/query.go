package symbolic

import (
	"fmt"
	"strings"

	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/smt"
)

// plan is how the rows of a query are found: some sources by their primary
// key, which conditions give, the others by going through all keys.
type plan struct {
	w     *World
	q     *ir.Query
	steps []step
	doms  []domain // of the steps without a key, in order
}

type step struct {
	src   ir.Source
	table int
	key   []ir.Expr // nil: every key
}

// plan chooses an order of the sources in which as many as possible have a
// key. Row variables of en count as bound; they are the same whenever the query
// is evaluated.
func (w *World) plan(q *ir.Query, en *env) *plan {
	if p := w.plans[q]; p != nil {
		return p
	}
	p := &plan{w: w, q: q}
	w.plans[q] = p
	bound := map[string]bool{}
	for b := en.rows; b != nil; b = b.up {
		bound[b.name] = true
	}
	for _, src := range q.From {
		delete(bound, src.Row)
	}
	conds := ir.Conjuncts(q.Where)
	left := append([]ir.Source(nil), q.From...)
	for len(left) > 0 {
		pick, key := 0, []ir.Expr(nil)
		for i, src := range left {
			if k, ok := keyOf(src, conds, bound); ok {
				pick, key = i, k
				break
			}
		}
		src := left[pick]
		left = append(left[:pick:pick], left[pick+1:]...)
		bound[src.Row] = true
		t := w.Table(src.Table)
		p.steps = append(p.steps, step{src, t, key})
		if key == nil {
			p.doms = append(p.doms, tableDomain(t))
		}
	}
	return p
}

// keyOf finds equalities that give every column of the source's primary key
// from what is bound.
func keyOf(src ir.Source, conds []ir.Expr, bound map[string]bool) ([]ir.Expr, bool) {
	key := make([]ir.Expr, len(src.Table.Key))
	for i, c := range src.Table.Key {
		for _, cond := range conds {
			b, ok := cond.(*ir.Binary)
			if !ok || b.Op != ir.Eq {
				continue
			}
			for _, side := range [][2]ir.Expr{{b.X, b.Y}, {b.Y, b.X}} {
				col, ok := side[0].(*ir.Col)
				if ok && col.Row == src.Row && col.Col == src.Table.Columns[c].Name && free(side[1], bound) {
					key[i] = side[1]
				}
			}
		}
		if key[i] == nil {
			return nil, false
		}
	}
	return key, true
}

// free reports whether an expression uses bound row variables only.
func free(e ir.Expr, bound map[string]bool) bool {
	ok := true
	ir.WalkExpr(e, func(e ir.Expr) {
		switch e := e.(type) {
		case *ir.Col:
			ok = ok && bound[e.Row]
		case *ir.Exists:
			ok = false
		}
	})
	return ok
}

// match binds the query's rows in state s, the members of tuple standing for
// the sources without a key, and gives the condition that they are there and
// satisfy Where.
func (p *plan) match(en *env, s *State, tuple []Key) (*smt.Term, *env) {
	w := p.w
	guard := w.B.True()
	inner := *en
	inner.state = s
	inner.fail = nil // reported once, when the statement is executed
	en = &inner
	for _, st := range p.steps {
		var k Key
		if st.key == nil {
			k, tuple = tuple[0], tuple[1:]
		} else {
			k = Key{}
			for i, e := range st.key {
				v := en.eval(e)
				guard = w.B.And(guard, w.B.Not(v.Null))
				k = append(k, w.keyTerm(v, st.src.Table.Columns[st.src.Table.Key[i]].Type))
			}
		}
		if !guard.IsFalse() {
			guard = w.B.And(guard, s.Alive(st.table, k))
		}
		en = en.bind(st.src.Row, tableRow{s, st.table, k})
	}
	if p.q.Where != nil && !guard.IsFalse() {
		guard = w.B.And(guard, w.isTrue(w.convert(en.eval(p.q.Where), ir.BoolType)))
	}
	return guard, en
}

// memo identifies the query together with all that its rows depend on: the
// tables' versions in the columns it tests, and the values it uses.
func (p *plan) memo(en *env, what string, more ...ir.Expr) string {
	var b strings.Builder
	b.WriteString(what)
	b.WriteByte(' ')
	b.WriteString(p.w.id(p.q))
	used := map[string]bool{}
	tested := map[int][]bool{}
	var note func(q *ir.Query)
	see := func(rows map[string]*ir.Table) func(e ir.Expr) {
		return func(e ir.Expr) {
			switch e := e.(type) {
			case *ir.Var:
				if !used[e.Name] {
					used[e.Name] = true
					v := en.vars[e.Name]
					fmt.Fprintf(&b, " %s=%d,%d", e.Name, v.Null.ID(), v.T.ID())
				}
			case *ir.Col:
				if t := rows[e.Row]; t != nil {
					tested[p.w.Table(t)][t.Column(e.Col)] = true
				} else if outer := en.lookup(e.Row); outer != nil && !used[e.Row+"."+e.Col] {
					used[e.Row+"."+e.Col] = true
					v := outer.row.col(p.w, e.Col)
					fmt.Fprintf(&b, " %s.%s=%d,%d", e.Row, e.Col, v.Null.ID(), v.T.ID())
				}
			case *ir.Exists:
				note(&e.Query)
			}
		}
	}
	rows := map[string]*ir.Table{}
	note = func(q *ir.Query) {
		for _, src := range q.From {
			rows[src.Row] = src.Table
			t := p.w.Table(src.Table)
			if tested[t] == nil {
				tested[t] = make([]bool, len(src.Table.Columns))
			}
		}
		ir.WalkExpr(q.Where, see(rows))
	}
	note(p.q)
	for _, e := range more {
		ir.WalkExpr(e, see(rows))
	}
	for t := range p.w.Program.Tables {
		if cols := tested[t]; cols != nil {
			fmt.Fprintf(&b, " T%d:%s", t, en.state.version(t, cols))
		}
	}
	return b.String()
}

// aggregate is one evaluation of an aggregate, to be compared with others.
type aggregate struct {
	doms   []domain
	member func(tuple []Key) (*smt.Term, Val)
	result Val
}

// fold computes an aggregate over the rows of a plan. Of COUNT, SUM and opaque
// aggregates it is known that different results come from different rows, for
// evaluations of one statement at one place, in different states.
func (w *World) fold(a *ir.Agg, p *plan, en *env, place string) Val {
	B := w.B
	member := func(tuple []Key) (*smt.Term, Val) {
		g, in := p.match(en, en.state, tuple)
		arg := w.Truth(B.True())
		if a.Arg != nil && !g.IsFalse() {
			arg = in.eval(a.Arg)
			g = B.And(g, B.Not(arg.Null))
		}
		return g, arg
	}
	memo := p.memo(en, "agg "+w.id(a), a.Arg)
	some := w.Exists(p.doms, memo, func(tuple []Key) *smt.Term { g, _ := member(tuple); return g })
	switch {
	case a.Fn == "min", a.Fn == "max":
		return w.extreme(a, p, member, some, memo)
	case w.Closed && (a.Fn == "count" || a.Fn == "sum"):
		return w.total(a, p.doms, member, some)
	}
	sig := w.id(a) + " at " + place
	for _, old := range w.aggregates[memo] {
		return old.result
	}
	result := Val{B.False(), B.Fresh("agg", sortOf(a.Type)), a.Type}
	switch a.Fn {
	case "count":
		w.define(result.T, B.Le(B.IntConst(0), result.T))
		w.define(result.T, B.Eq(some, B.Not(B.Eq(result.T, B.IntConst(0)))))
		if len(p.doms) == 0 {
			w.define(result.T, B.Le(result.T, B.IntConst(1)))
		}
	case "sum":
		result.Null = B.Not(some)
	default:
		result.Null = B.Fresh("agg?", smt.Bool)
	}
	// Two evaluations with different results have different rows.
	for _, old := range w.aggregates[sig] {
		tuple := make([]Key, len(p.doms))
		for i, d := range p.doms {
			tuple[i] = w.skolem(d)
		}
		g1, v1 := old.member(tuple)
		g2, v2 := member(tuple)
		differ := B.Not(B.Eq(g1, g2))
		if both := B.And(g1, g2); !both.IsFalse() {
			differ = B.Or(differ, B.And(both, B.Not(w.same(v1, v2))))
		}
		w.define(result.T, B.Or(w.same(old.result, result), differ))
	}
	agg := &aggregate{p.doms, member, result}
	w.aggregates[sig] = append(w.aggregates[sig], agg)
	w.aggregates[memo] = []*aggregate{agg}
	return result
}

// extreme is MIN or MAX: a value that some row has and none goes beyond.
func (w *World) extreme(a *ir.Agg, p *plan, member func([]Key) (*smt.Term, Val), some *smt.Term, memo string) Val {
	B := w.B
	if list := w.aggregates[memo]; len(list) > 0 {
		return list[0].result
	}
	result := Val{B.Not(some), B.Fresh("agg", sortOf(a.Type)), a.Type}
	w.define(result.T, B.Implies(some, w.Witness(p.doms, func(tuple []Key) *smt.Term {
		g, v := member(tuple)
		if g.IsFalse() {
			return g
		}
		return B.And(g, w.same(Val{B.False(), result.T, a.Type}, v))
	})))
	op := ir.Lt
	if a.Fn == "max" {
		op = ir.Gt
	}
	w.alwaysAbout(result.T, p.doms, func(tuple []Key) *smt.Term {
		g, v := member(tuple)
		if g.IsFalse() {
			return B.True()
		}
		beyond, _ := w.binary(op, v, Val{B.False(), result.T, a.Type}, ir.BoolType)
		return B.Not(B.And(g, beyond.T))
	})
	w.aggregates[memo] = []*aggregate{{p.doms, member, result}}
	return result
}

// total is COUNT or SUM in the closed world, written out.
func (w *World) total(a *ir.Agg, doms []domain, member func([]Key) (*smt.Term, Val), some *smt.Term) Val {
	B := w.B
	type item struct {
		tuple []Key
		g     *smt.Term
		v     Val
	}
	var items []item
	add := func(tuple []Key) {
		g, v := member(tuple)
		if !g.IsFalse() {
			items = append(items, item{tuple, g, v})
		}
	}
	if len(doms) == 0 {
		add(nil)
	} else {
		w.tuples(doms, add)
	}
	sum := w.zero(sortOf(a.Type))
	one := w.convert(w.Constant(ir.Int(1), ir.IntType), a.Type).T
	for i, x := range items {
		counts := x.g
		for _, y := range items[:i] {
			equal := B.True()
			if a.Distinct {
				equal = w.same(x.v, y.v)
			} else {
				for k := range x.tuple {
					equal = B.And(equal, w.sameKey(x.tuple[k], y.tuple[k]))
				}
			}
			counts = B.And(counts, B.Not(B.And(y.g, equal)))
		}
		term := one
		if a.Fn == "sum" {
			term = w.convert(x.v, a.Type).T
		}
		sum = B.Add(sum, B.Ite(counts, term, w.zero(sortOf(a.Type))))
	}
	out := Val{B.False(), sum, a.Type}
	if a.Fn == "sum" {
		out.Null = B.Not(some)
	}
	return out
}
