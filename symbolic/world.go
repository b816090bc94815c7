package symbolic

import (
	"context"
	"fmt"
	"sort"
	"strconv"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/smt"
)

// World is where one question is built: the terms, the definitions that they
// rest on, and the keys that they mention. It is not safe for concurrent use.
type World struct {
	B       *smt.Builder
	Program *ir.Program
	Engine  *engine.Profile
	// Closed selects the closed world.
	Closed bool
	// Slots is the number of initial rows per table, and Rounds the number of
	// rounds of a loop, in the closed world.
	Slots, Rounds int
	// MaxInstances bounds the instances of universals; more are left out.
	MaxInstances int
	// Unsupported is set to what cannot be executed symbolically; no answer
	// about this World may be believed then.
	Unsupported string

	index      map[*ir.Table]int
	keyCols    []map[int]bool
	defs       []*smt.Term
	universals []*universal
	mentions   map[domain]*mentions
	texts      map[string]*smt.Term
	plans      map[*ir.Query]*plan
	exists     map[string]*smt.Term
	aggregates map[string][]*aggregate
	layers     int
	count      int // instances of universals made
	ids        map[any]int
	bases      []*State
	instances  []*Instance
	unused     []unused
	code       *Code
}

// unused says that an instance has not run before a base state, so that its
// FRESH values do not occur there.
type unused struct {
	base *State
	inst *Instance
	done int // how many of its fresh values are dealt with
}

// domain names a set that universals range over: the keys of a table, or the
// rounds of a loop.
type domain string

func tableDomain(t int) domain { return domain("T" + strconv.Itoa(t)) }

// mentions are the members of a domain that the question mentions.
type mentions struct {
	sorts []smt.Sort
	list  []Key
	seen  map[string]bool
}

// Key is a primary key: a term per key column. A shared variable has the empty
// key.
type Key []*smt.Term

func (k Key) id() string {
	var b []byte
	for _, t := range k {
		b = strconv.AppendInt(b, int64(t.ID()), 36)
		b = append(b, '.')
	}
	return string(b)
}

// universal is a statement about all tuples of members of its domains.
type universal struct {
	doms []domain
	done []int       // the members of each domain for which there are instances
	made []*smt.Term // the instances that say something
	prop func(tuple []Key) *smt.Term
}

// World makes an empty open world.
func (c *Code) World(b *smt.Builder, e *engine.Profile) *World {
	p := c.Program
	w := &World{B: b, Program: p, Engine: e, MaxInstances: 1200, Slots: 2, Rounds: 2, code: c,
		index: map[*ir.Table]int{}, mentions: map[domain]*mentions{}, texts: map[string]*smt.Term{}, plans: map[*ir.Query]*plan{},
		exists: map[string]*smt.Term{}, aggregates: map[string][]*aggregate{}, ids: map[any]int{}}
	for i, t := range p.Tables {
		w.index[t] = i
		w.keyCols = append(w.keyCols, map[int]bool{})
		for _, c := range t.Key {
			w.keyCols[i][c] = true
		}
		w.domain(tableDomain(i), w.keySorts(t))
	}
	return w
}

// id numbers objects for memo keys.
func (w *World) id(x any) string {
	n, ok := w.ids[x]
	if !ok {
		n = len(w.ids)
		w.ids[x] = n
	}
	return strconv.Itoa(n)
}

// Table gives the number of a table.
func (w *World) Table(t *ir.Table) int {
	i, ok := w.index[t]
	if !ok {
		panic("symbolic: table " + t.Name + " is not in the program")
	}
	return i
}

func (w *World) keySorts(t *ir.Table) []smt.Sort {
	out := make([]smt.Sort, len(t.Key))
	for i, c := range t.Key {
		out[i] = sortOf(t.Columns[c].Type)
	}
	return out
}

func (w *World) domain(d domain, sorts []smt.Sort) {
	if w.mentions[d] == nil {
		w.mentions[d] = &mentions{sorts: sorts, seen: map[string]bool{}}
	}
}

// mention records a member of a domain; universals will hold there.
func (w *World) mention(d domain, k Key) {
	m := w.mentions[d]
	if id := k.id(); !m.seen[id] {
		m.seen[id] = true
		m.list = append(m.list, k)
	}
}

// skolem makes a new member of a domain.
func (w *World) skolem(d domain) Key {
	m := w.mentions[d]
	k := make(Key, len(m.sorts))
	for i, s := range m.sorts {
		k[i] = w.B.Fresh("k", s)
	}
	w.mention(d, k)
	return k
}

// Define adds a condition that every question of this World includes.
func (w *World) Define(t *smt.Term) {
	if !t.IsTrue() {
		w.defs = append(w.defs, t)
	}
}

// forall keeps a universal for the open world; the closed one writes it out.
func (w *World) forall(doms []domain, prop func(tuple []Key) *smt.Term) {
	w.universals = append(w.universals, &universal{doms: doms, done: make([]int, len(doms)), prop: prop})
}

// Exists is a truth value that is true exactly when some tuple of members has
// the property. memo identifies the property, or is "".
func (w *World) Exists(doms []domain, memo string, prop func(tuple []Key) *smt.Term) *smt.Term {
	if len(doms) == 0 {
		return prop(nil)
	}
	if memo != "" {
		if t := w.exists[memo]; t != nil {
			return t
		}
	}
	t := w.someTuple(doms, prop)
	if memo != "" {
		w.exists[memo] = t
	}
	return t
}

func (w *World) someTuple(doms []domain, prop func(tuple []Key) *smt.Term) *smt.Term {
	if w.Closed {
		var any []*smt.Term
		w.tuples(doms, func(tuple []Key) { any = append(any, prop(tuple)) })
		return w.B.Or(any...)
	}
	tuple := make([]Key, len(doms))
	for i, d := range doms {
		tuple[i] = w.skolem(d)
	}
	some := prop(tuple)
	if some.IsFalse() {
		return some // the property does not depend on the members: it has none
	}
	found := w.B.Fresh("some", smt.Bool)
	w.Define(w.B.Implies(found, some))
	w.forall(doms, func(tuple []Key) *smt.Term { return w.B.Or(found, w.B.Not(prop(tuple))) })
	return found
}

// Witness is Exists for a place where only its truth matters (a positive
// position of the question): no universal is needed.
func (w *World) Witness(doms []domain, prop func(tuple []Key) *smt.Term) *smt.Term {
	if len(doms) == 0 || w.Closed {
		return w.Exists(doms, "", prop)
	}
	tuple := make([]Key, len(doms))
	for i, d := range doms {
		tuple[i] = w.skolem(d)
	}
	return prop(tuple)
}

// Never is the negation of Exists for a positive position: no Skolem member is
// needed.
func (w *World) Never(doms []domain, prop func(tuple []Key) *smt.Term) *smt.Term {
	if len(doms) == 0 || w.Closed {
		return w.B.Not(w.Exists(doms, "", prop))
	}
	none := w.B.Fresh("none", smt.Bool)
	w.forall(doms, func(tuple []Key) *smt.Term { return w.B.Implies(none, w.B.Not(prop(tuple))) })
	return none
}

// tuples enumerates the members mentioned now.
func (w *World) tuples(doms []domain, yield func(tuple []Key)) {
	lists := make([][]Key, len(doms))
	for i, d := range doms {
		m := w.mentions[d]
		if len(m.sorts) == 0 && len(m.list) == 0 {
			m.list = []Key{{}}
		}
		lists[i] = m.list[:len(m.list):len(m.list)]
	}
	tuple := make([]Key, len(doms))
	var rec func(i int)
	rec = func(i int) {
		if i == len(doms) {
			yield(append([]Key(nil), tuple...))
			return
		}
		for _, k := range lists[i] {
			tuple[i] = k
			rec(i + 1)
		}
	}
	rec(0)
}

// Answer is the answer to a question.
type Answer struct {
	Result smt.Result
	// Model is there for Sat, until the solver is asked again.
	Model *smt.Model
	// Reason says why the result is Unknown.
	Reason string
	// Asserts are the terms that were asserted. When the result is Unsat they
	// contradict each other.
	Asserts []*smt.Term
}

// maxTerms bounds the terms that instances of universals may make, and
// maxRefinements how often a model is refuted by instances.
const (
	maxTerms       = 150000
	maxRefinements = 25
)

// Ask asks the solver whether the terms can all be true in this World.
//
// Universals are asserted at mentioned members only where a model violates
// them: most are never needed. When the bounds are reached, the remaining ones
// are left out, so that Sat may be too optimistic and Unsat is certain.
func (w *World) Ask(ctx context.Context, s *smt.Solver, terms ...*smt.Term) Answer {
	ans := Answer{}
	if w.B.And(terms...).IsFalse() {
		return Answer{Result: smt.Unsat, Asserts: terms}
	}
	w.freshFacts()
	if w.Unsupported != "" {
		return Answer{Result: smt.Unknown, Reason: w.Unsupported}
	}
	d := s.Begin()
	defer d.End()
	assert := func(ts ...*smt.Term) {
		d.Assert(ts...)
		ans.Asserts = append(ans.Asserts, ts...)
	}
	assert(terms...)
	defined := 0
	for round := 0; ; round++ {
		assert(w.defs[defined:]...)
		defined = len(w.defs)
		if round == 0 {
			assert(w.textFacts()...)
		}
		ans.Result, ans.Model, ans.Reason = d.Check(ctx)
		if w.Unsupported != "" {
			return Answer{Result: smt.Unknown, Reason: w.Unsupported}
		}
		if ans.Result != smt.Sat || w.Closed || round == maxRefinements {
			return ans
		}
		violated := w.violated(ans.Model)
		for _, t := range w.defs[defined:] {
			if !ans.Model.IsTrue(t) {
				violated = append(violated, t)
			}
		}
		if len(violated) == 0 {
			return ans
		}
		assert(violated...)
		assert(w.textFacts()...)
	}
}

// violated gives instances of universals at mentioned members that are false
// in the model.
func (w *World) violated(m *smt.Model) []*smt.Term {
	var out []*smt.Term
	for i := 0; i < len(w.universals); i++ {
		u := w.universals[i]
		w.spell(u, func(t *smt.Term) {
			if !m.IsTrue(t) {
				out = append(out, t)
			}
		})
	}
	return out
}

// spell makes the instances of a universal at the members mentioned now,
// as far as the bounds allow, and gives all of them.
func (w *World) spell(u *universal, yield func(t *smt.Term)) {
	size := make([]int, len(u.doms))
	fresh := false
	for i, d := range u.doms {
		m := w.mentions[d]
		if len(m.sorts) == 0 && len(m.list) == 0 {
			m.list = []Key{{}}
		}
		size[i] = len(m.list)
		fresh = fresh || u.done[i] < size[i]
	}
	if fresh {
		tuple := make([]Key, len(u.doms))
		var rec func(i int, isNew bool)
		rec = func(i int, isNew bool) {
			if i == len(u.doms) {
				if isNew && w.count < w.MaxInstances && w.B.Size() < maxTerms {
					w.count++
					if t := u.prop(append([]Key(nil), tuple...)); !t.IsTrue() {
						u.made = append(u.made, t)
					}
				}
				return
			}
			list := w.mentions[u.doms[i]].list
			for k := 0; k < size[i]; k++ {
				tuple[i] = list[k]
				rec(i+1, isNew || k >= u.done[i])
			}
		}
		if w.count < w.MaxInstances {
			rec(0, false)
		}
		copy(u.done, size)
	}
	for _, t := range u.made {
		yield(t)
	}
}

// textConst is the term for a literal whose sort is not a number's.
func (w *World) textConst(v ir.Value) *smt.Term {
	name := v.String()
	t := w.texts[name]
	if t == nil {
		t = w.B.Var("lit "+name, smt.Int)
		w.texts[name] = t
	}
	return t
}

// textFacts says that different literals are different, and in the closed
// world that they are ordered by their bytes.
func (w *World) textFacts() []*smt.Term {
	var names []string
	for n := range w.texts {
		names = append(names, n)
	}
	sort.Strings(names)
	var out []*smt.Term
	for i, n := range names {
		for _, m := range names[:i] {
			if w.Closed {
				out = append(out, w.B.Lt(w.texts[m], w.texts[n]))
			} else {
				out = append(out, w.B.Not(w.B.Eq(w.texts[m], w.texts[n])))
			}
		}
	}
	return out
}

// Literals gives the literals that the question mentions, with their terms.
func (w *World) Literals() map[string]*smt.Term { return w.texts }

func sortOf(t ir.Type) smt.Sort {
	switch t.Kind {
	case ir.KindBool:
		return smt.Bool
	case ir.KindNum:
		return smt.Real
	case ir.KindInt, ir.KindText, ir.KindTime, ir.KindArray, ir.KindOpaque, ir.KindNull:
		return smt.Int
	}
	panic(fmt.Sprintf("symbolic: no sort for type %s", t))
}
