package symbolic

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/internal/wellformed"
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
	// pins are the columns of the key that conditions give, if not all of
	// them; nil elements for the others.
	pins []ir.Expr
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
	rows := slices.Clone(q.From)
	for b := en.rows; b != nil; b = b.up {
		bound[b.name] = true
		if !slices.ContainsFunc(rows, func(s ir.Source) bool { return s.Row == b.name }) {
			rows = append(rows, ir.Source{Table: b.t, Row: b.name})
		}
	}
	// A whole number that a fraction is compared with is no key: the fraction has none.
	fraction := func(e ir.Expr) bool {
		t, err := wellformed.TypeOf(e, en.txn, rows...)
		return err == nil && t.Kind == ir.KindNum
	}
	for _, src := range q.From {
		delete(bound, src.Row)
	}
	conds := ir.Conjuncts(q.Where)
	left := append([]ir.Source(nil), q.From...)
	for len(left) > 0 {
		pick, key := 0, []ir.Expr(nil)
		pins, _ := keyOf(left[0], conds, bound, fraction)
		for i, src := range left {
			if k, ok := keyOf(src, conds, bound, fraction); ok {
				pick, key, pins = i, k, nil
				break
			}
		}
		src := left[pick]
		left = append(left[:pick:pick], left[pick+1:]...)
		bound[src.Row] = true
		t := w.Table(src.Table)
		p.steps = append(p.steps, step{src, t, key, pins})
		if key == nil {
			p.doms = append(p.doms, tableDomain(t))
		}
	}
	return p
}

// keyOf finds equalities that give columns of the source's primary key from
// what is bound, and whether they give all. fraction says of an expression that it may be
// no whole number.
func keyOf(src ir.Source, conds []ir.Expr, bound map[string]bool, fraction func(ir.Expr) bool) (key []ir.Expr, all bool) {
	key, all = make([]ir.Expr, len(src.Table.Key)), true
	for i, c := range src.Table.Key {
		for _, cond := range conds {
			b, ok := cond.(*ir.Binary)
			if !ok || b.Op != ir.Eq {
				continue
			}
			for _, side := range [][2]ir.Expr{{b.X, b.Y}, {b.Y, b.X}} {
				col, ok := side[0].(*ir.Col)
				if ok && col.Row == src.Row && col.Col == src.Table.Columns[c].Name && free(side[1], bound) &&
					!(src.Table.Columns[c].Type.Kind == ir.KindInt && fraction(side[1])) {
					key[i] = side[1]
				}
			}
		}
		all = all && key[i] != nil
	}
	return key, all
}

// keys makes keys for the sources that have none: columns that conditions give
// are what those say, and other gives the rest. Where a condition is NULL the
// rows do not match.
func (p *plan) keys(en *env, other func(source, column int, s smt.Sort) *smt.Term) []Key {
	w := p.w
	inner := *en
	inner.fail = nil
	en = &inner
	var out []Key
	for _, st := range p.steps {
		exprs := st.key
		if st.key == nil {
			exprs = st.pins
		}
		k := make(Key, len(st.src.Table.Key))
		for i, c := range st.src.Table.Key {
			t := st.src.Table.Columns[c].Type
			if exprs[i] != nil {
				k[i] = w.keyTerm(en.eval(exprs[i]), t)
			} else {
				k[i] = other(len(out), i, sortOf(t))
			}
		}
		if st.key == nil {
			out = append(out, k)
		}
		en = en.bind(st.src.Row, tableRow{en.state, st.table, k})
	}
	return out
}

// sample gives Skolem members for the sources without a key.
func (p *plan) sample(en *env, at occasion) []Key {
	out := p.keys(en, func(source, column int, s smt.Sort) *smt.Term {
		return p.w.made(at, "row"+strconv.Itoa(source)+"."+strconv.Itoa(column), s)
	})
	for i, k := range out {
		p.w.mention(p.doms[i], k)
	}
	return out
}

// exists is: some rows match in the state of en, and satisfy prop, on the
// found is: the query finds a row in a state.
func (p *plan) found(en *env, s *State) *smt.Term {
	return p.exists(en, p.at(en, "exists"), func(t []Key) *smt.Term { g, _ := p.match(en, s, t); return g })
}

// occasion at.
func (p *plan) exists(en *env, at occasion, prop func(tuple []Key) *smt.Term) *smt.Term {
	return p.w.existsFrom(p.doms, func() []Key { return p.sample(en, at) }, at, prop)
}

// occasion is an evaluation of something in a state: what and in which state,
// and the values that it depends on. What is made for it, such as the row that
// a query finds, is a function of these values.
type occasion struct {
	site   string // "": of no other evaluation
	values []*smt.Term
}

func (o occasion) id() string {
	if o.site == "" {
		return ""
	}
	return o.site + Key(o.values).id()
}

// made gives the term that is made for an occasion.
func (w *World) made(at occasion, what string, s smt.Sort) *smt.Term {
	if at.site == "" || w.Closed {
		return w.B.Fresh(what, s)
	}
	name := what + " " + at.site
	sorts := make([]smt.Sort, len(at.values))
	for i, v := range at.values {
		sorts[i] = v.Sort()
		name += " " + strconv.Itoa(int(sorts[i]))
	}
	return w.B.App(w.B.Func(name, s, sorts...), at.values...)
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

// at gives the occasion of the query and all that its rows depend on: the
// tables' versions in the columns it tests, and the values it uses.
func (p *plan) at(en *env, what string, more ...ir.Expr) occasion {
	var out occasion
	var b strings.Builder
	b.WriteString(what)
	b.WriteByte(' ')
	b.WriteString(p.w.id(p.q))
	used := map[ir.Col]bool{} // variables are columns of no row
	tested := map[int][]bool{}
	var note func(q *ir.Query)
	see := func(rows map[string]*ir.Table) func(e ir.Expr) {
		return func(e ir.Expr) {
			switch e := e.(type) {
			case *ir.Var:
				if x := (ir.Col{Col: e.Name}); !used[x] {
					used[x] = true
					v := en.vars.Get(e.Name)
					out.values = append(out.values, v.Null, v.T)
				}
			case *ir.Col:
				if t := rows[e.Row]; t != nil {
					tested[p.w.Table(t)][t.Column(e.Col)] = true
				} else if outer := en.lookup(e.Row); outer != nil && !used[*e] {
					used[*e] = true
					v := outer.row.col(p.w, e.Col)
					out.values = append(out.values, v.Null, v.T)
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
	out.site = b.String()
	return out
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
	at := p.at(en, "agg "+w.id(a), a.Arg)
	memo := at.id()
	some := p.exists(en, at, func(tuple []Key) *smt.Term { g, _ := member(tuple); return g })
	switch {
	case a.Fn == "min", a.Fn == "max":
		return w.extreme(a, p, en, member, some, at)
	case w.Closed && (a.Fn == "count" || a.Fn == "sum"):
		return w.total(a, p.doms, member, some)
	}
	sig := w.id(a) + " at " + place
	for _, old := range w.aggregates[memo] {
		return old.result
	}
	result := Val{B.False(), w.made(at, "agg", sortOf(a.Type)), a.Type}
	switch a.Fn {
	case "count":
		w.define(scope{about: result.T}, B.Le(B.IntConst(0), result.T))
		w.define(scope{about: result.T}, B.Eq(some, B.Not(B.Eq(result.T, B.IntConst(0)))))
		if len(p.doms) == 0 {
			w.define(scope{about: result.T}, B.Le(result.T, B.IntConst(1)))
		}
	case "sum":
		result.Null = B.Not(some)
	case irnames.ArrayAgg, "array_agg":
		w.elements(a, p, member, some, &result)
	default:
		result.Null = w.made(at, "agg?", smt.Bool)
	}
	// Two evaluations with different results have different rows.
	for _, old := range w.aggregates[sig] {
		tuple := p.sample(en, occasion{})
		g1, v1 := old.member(tuple)
		g2, v2 := member(tuple)
		differ := B.Not(B.Eq(g1, g2))
		if both := B.And(g1, g2); !both.IsFalse() {
			differ = B.Or(differ, B.And(both, B.Not(w.same(v1, v2))))
		}
		w.define(scope{about: result.T}, B.Or(w.same(old.result, result), differ))
	}
	agg := &aggregate{p.doms, member, result}
	w.aggregates[sig] = append(w.aggregates[sig], agg)
	w.aggregates[memo] = []*aggregate{agg}
	return result
}

// elements says which elements an array has that an aggregate makes: the values of the rows,
// and, where these are keys of the rows, no other keys. Of no rows ARRAY (…) makes an empty array, and
// array_agg makes NULL.
func (w *World) elements(a *ir.Agg, p *plan, member func([]Key) (*smt.Term, Val), some *smt.Term, result *Val) {
	B := w.B
	if a.Fn == "array_agg" {
		result.Null = B.Not(some)
	}
	array := Val{B.False(), result.T, a.Type}
	in := scope{about: result.T}
	w.define(in, B.Eq(some, B.Not(B.Eq(w.length(result.T), B.IntConst(0)))))
	among := func(v Val) *smt.Term {
		return w.isTrue(w.call(&ir.Call{Name: "= any", Type: ir.BoolType}, []Val{{B.False(), v.T, v.Type}, array}))
	}
	only := false
	if col, ok := a.Arg.(*ir.Col); ok && len(p.steps) == 1 && len(p.doms) == 1 {
		t := p.steps[0].src.Table
		only = len(t.Key) == 1 && col.Row == p.steps[0].src.Row && t.IsKey(t.Column(col.Col))
	}
	w.alwaysIn(in, p.doms, func(tuple []Key) *smt.Term {
		g, v := member(tuple)
		if only {
			return B.Eq(g, among(Val{B.False(), tuple[0][0], v.Type}))
		}
		return B.Implies(g, among(v))
	})
}

// extreme is MIN or MAX: a value that some row has and none goes beyond.
func (w *World) extreme(a *ir.Agg, p *plan, en *env, member func([]Key) (*smt.Term, Val), some *smt.Term, at occasion) Val {
	B, memo := w.B, at.id()
	if list := w.aggregates[memo]; len(list) > 0 {
		return list[0].result
	}
	result := Val{B.Not(some), w.made(at, "agg", sortOf(a.Type)), a.Type}
	attained := func(tuple []Key) *smt.Term {
		g, v := member(tuple)
		if g.IsFalse() {
			return g
		}
		return B.And(g, w.same(Val{B.False(), result.T, a.Type}, v))
	}
	if w.Closed {
		w.define(scope{about: result.T}, B.Implies(some, w.Exists(p.doms, attained)))
	} else {
		w.define(scope{about: result.T}, B.Implies(some, attained(p.sample(en, p.at(en, "extreme "+w.id(a), a.Arg)))))
	}
	op := ir.Lt
	if a.Fn == "max" {
		op = ir.Gt
	}
	w.alwaysIn(scope{about: result.T}, p.doms, func(tuple []Key) *smt.Term {
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
