package symbolic

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/internal/smt"
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
	// Empty are the tables without initial rows in the closed world, and RowsOf the
	// numbers of those that have more than Slots.
	Empty  map[*ir.Table]bool
	RowsOf map[*ir.Table]int
	// Restricted is set when the closed world leaves out executions: those
	// in which a loop with ORDER BY meets the rows in another order than that
	// of the slots.
	Restricted bool
	// MaxInstances bounds the instances of universals; more are left out.
	MaxInstances int
	// MaxTerms bounds the terms of the question: when there are more, no more
	// instances are made.
	MaxTerms int
	// MaxStated, if not 0, bounds the terms for executed statements: Within stops
	// with TooLarge when there are more.
	MaxStated int
	// MaxRefinements bounds how often a model is refuted by more instances.
	MaxRefinements int
	// Eager keeps conditions in all questions, whatever these are about.
	Eager bool
	// Thorough uses universals also at members of which the question says
	// nothing, when the others do not refute it.
	Thorough bool
	// Unsupported is set to what cannot be executed symbolically; no answer
	// about this World may be believed then.
	Unsupported string
	// Topic says what the conditions that are made now are about. It is kept
	// with them, so that an answer can tell what it rests on.
	Topic string
	// Record makes answers keep their Rounds.
	Record bool

	index      map[*ir.Table]int
	keyCols    []map[int]bool
	defs       []definition
	universals []*universal
	mentions   map[domain]*mentions
	chains     map[string]*[]string // of states inside a window, by the function of the snapshot
	texts      map[string]*smt.Term
	sizes      map[string]int64 // the bytes of those of texts that are of type text
	// literal are the values of texts, and ofText the functions of one text, by name,
	// that the question mentions and whose values are known.
	literal    map[string]ir.Value
	ofText     map[string]ofText
	plans      map[*ir.Query]*plan
	exists     map[string]*smt.Term
	aggregates map[string][]*aggregate
	effort     *effort // of what is executed now, nil without bound
	stopped    string  // why the terms are not complete
	layers     int
	count      int              // instances of universals made
	makings    []prepare.Making // in this round, if Record is set
	ids        map[any]int
	bases      []*State
	instances  []*Instance
	unused     []unused
	code       *prepare.Code
	octets     bool // lengths of texts occur
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

// scope says which questions a condition says something of. The others may do
// without it: leaving a condition out makes a question weaker.
type scope struct {
	// about, if not nil, is the variable that the condition defines.
	about *smt.Term
	// funcs are functions of base states. Where one of them is in no other
	// condition, its values can be chosen such that this one is true.
	funcs []string
	// chain, if not nil, are functions that such conditions make equal to one of
	// them. Where a single one of them is in another condition, the others can be chosen.
	chain *[]string
}

// universal is a statement about all tuples of members of its domains.
type universal struct {
	scope
	topic string
	doms  []domain
	list  []*smt.Term    // the instances made
	made  map[string]int // their places in list, by the places of the members
	prop  func(tuple []Key) *smt.Term
	// values is there for a statement that says of each two different members
	// that they do not have the same values, where they have any.
	values func(k Key) (has *smt.Term, vals []*smt.Term)
}

// definition is a condition that questions of its scope include.
type definition struct {
	scope
	cond  *smt.Term
	topic string
}

// World makes an empty open world.
func NewWorld(c *prepare.Code, b *smt.Builder, e *engine.Profile) *World {
	p := c.Program
	w := &World{B: b, Program: p, Engine: e, MaxInstances: 60000, MaxTerms: 600000, MaxRefinements: 80, Slots: 2, Rounds: 2, code: c,
		index: map[*ir.Table]int{}, mentions: map[domain]*mentions{}, chains: map[string]*[]string{}, texts: map[string]*smt.Term{}, sizes: map[string]int64{}, literal: map[string]ir.Value{}, ofText: map[string]ofText{}, plans: map[*ir.Query]*plan{},
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
func (w *World) Define(t *smt.Term) { w.define(scope{}, t) }

// define adds a condition with a scope.
func (w *World) define(in scope, t *smt.Term) {
	if w.Eager {
		in.funcs, in.chain = nil, nil
	}
	if !t.IsTrue() {
		w.defs = append(w.defs, definition{in, t, w.Topic})
	}
}

// forall keeps a universal.
func (w *World) forall(in scope, doms []domain, prop func(tuple []Key) *smt.Term) *universal {
	if w.Eager {
		in.funcs, in.chain = nil, nil
	}
	u := &universal{scope: in, topic: w.Topic, doms: doms, made: map[string]int{}, prop: prop}
	w.universals = append(w.universals, u)
	return u
}

// Exists is a truth value that is true exactly when some tuple of members has
// the property.
func (w *World) Exists(doms []domain, prop func(tuple []Key) *smt.Term) *smt.Term {
	return w.existsFrom(doms, func() []Key { return w.skolems(doms) }, occasion{}, prop)
}

// skolems makes a new member of each domain.
func (w *World) skolems(doms []domain) []Key {
	tuple := make([]Key, len(doms))
	for i, d := range doms {
		tuple[i] = w.skolem(d)
	}
	return tuple
}

// samples gives members that nothing is asked of, always the same ones.
func (w *World) samples(doms []domain) []Key {
	tuple := make([]Key, len(doms))
	for i, d := range doms {
		for c, s := range w.mentions[d].sorts {
			tuple[i] = append(tuple[i], w.B.Var("sample "+string(d)+"."+strconv.Itoa(c), s))
		}
	}
	return tuple
}

// existsFrom is Exists with a tuple to stand for the one that has the property:
// if any has it, one of this form has.
func (w *World) existsFrom(doms []domain, sample func() []Key, at occasion, prop func(tuple []Key) *smt.Term) *smt.Term {
	if len(doms) == 0 {
		return prop(nil)
	}
	memo := at.id()
	if memo != "" {
		if t := w.exists[memo]; t != nil {
			return t
		}
	}
	t := w.someTuple(doms, sample, at, prop)
	if memo != "" {
		w.exists[memo] = t
	}
	return t
}

func (w *World) someTuple(doms []domain, sample func() []Key, at occasion, prop func(tuple []Key) *smt.Term) *smt.Term {
	if w.Closed {
		var any []*smt.Term
		w.tuples(doms, func(tuple []Key) { any = append(any, prop(tuple)) })
		return w.B.Or(any...)
	}
	some := prop(sample())
	if some.IsFalse() {
		return some // the property does not depend on the members: it has none
	}
	found := w.made(at, "some", smt.Bool)
	w.define(scope{about: found}, w.B.Implies(found, some))
	w.forall(scope{about: found}, doms, func(tuple []Key) *smt.Term { return w.B.Or(found, w.B.Not(prop(tuple))) })
	return found
}

// Witness is Exists for a place where only its truth matters (a positive
// position of the question): no universal is needed.
func (w *World) Witness(doms []domain, prop func(tuple []Key) *smt.Term) *smt.Term {
	if len(doms) == 0 || w.Closed {
		return w.Exists(doms, prop)
	}
	return prop(w.skolems(doms))
}

// union is a disjunction of Witnesses. They share the Skolem members: some of
// them holds for some members exactly when there are members for which some of
// them holds.
type union struct {
	w       *World
	out     *smt.Term
	members map[string]Key
}

func (w *World) union() *union { return &union{w, w.B.False(), map[string]Key{}} }

func (u *union) add(doms []domain, prop func(tuple []Key) *smt.Term) {
	w := u.w
	if len(doms) == 0 || w.Closed {
		u.out = w.B.Or(u.out, w.Exists(doms, prop))
		return
	}
	tuple := make([]Key, len(doms))
	times := map[domain]int{}
	for i, d := range doms {
		id := string(d) + " " + strconv.Itoa(times[d])
		times[d]++
		if u.members[id] == nil {
			u.members[id] = w.skolem(d)
		}
		tuple[i] = u.members[id]
	}
	u.out = w.B.Or(u.out, prop(tuple))
}

// Never is the negation of Exists for a positive position: no Skolem member is
// needed.
func (w *World) Never(doms []domain, prop func(tuple []Key) *smt.Term) *smt.Term {
	if len(doms) == 0 || w.Closed {
		return w.B.Not(w.Exists(doms, prop))
	}
	none := w.B.Fresh("none", smt.Bool)
	w.forall(scope{about: none}, doms, func(tuple []Key) *smt.Term { return w.B.Implies(none, w.B.Not(prop(tuple))) })
	return none
}

// tuples enumerates the members mentioned now.
func (w *World) tuples(doms []domain, yield func(tuple []Key)) {
	lists := make([][]Key, len(doms))
	for i, d := range doms {
		lists[i] = slices.Clip(w.mentions[d].members())
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
