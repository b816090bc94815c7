package symbolic

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/internal/smt"
)

// Answer is the answer to a question.
type Answer struct {
	Result smt.Result
	// Model is there for Sat, until the solver is asked again.
	Model *smt.Model
	// Reason says why the result is Unknown, or is Sat although the bounds were
	// reached.
	Reason string
	// Asserts are the terms that were asserted. When the result is Unsat they
	// contradict each other. Topics has the topic of each, "" for the terms
	// of the question.
	Asserts []*smt.Term
	Topics  []string
	// Rounds are the instances of universals that were made, if the World's
	// Record is set.
	Rounds []prepare.Round
}

// Ask asks the solver whether the terms can all be true in this World.
//
// Universals are asserted at mentioned members only where a model violates
// them: most are never needed. When the bounds are reached, the remaining ones
// are left out, so that Sat may be too optimistic and Unsat is certain.
//
// The result is Unknown when ctx ends, and for a World that Within has stopped.
func (w *World) Ask(ctx context.Context, s *smt.Solver, terms ...*smt.Term) (ans Answer) {
	if w.stopped == "" {
		w.Within(ctx, 0, func() { ans = w.ask(ctx, s, terms) })
	}
	if w.stopped != "" {
		return Answer{Result: smt.Unknown, Reason: w.stopped}
	}
	return ans
}

func (w *World) ask(ctx context.Context, s *smt.Solver, terms []*smt.Term) Answer {
	if w.B.And(terms...).IsFalse() {
		return Answer{Result: smt.Unsat, Asserts: terms, Topics: make([]string, len(terms))}
	}
	w.freshFacts()
	if w.Unsupported != "" {
		return Answer{Result: smt.Unknown, Reason: w.Unsupported}
	}
	d := s.Begin()
	defer d.End()
	q := &inquiry{w: w, tell: func(t *smt.Term) { d.Assert(t) }, in: newContent()}
	q.begin(terms)
	ans := &q.ans
	for round := 0; ; round++ {
		ans.Result, ans.Model, ans.Reason = d.Check(ctx)
		if w.Unsupported != "" {
			return Answer{Result: smt.Unknown, Reason: w.Unsupported}
		}
		if ans.Result != smt.Sat || w.Closed {
			return *ans
		}
		if round == w.MaxRefinements {
			ans.Reason = "facts about all rows were left out of a question"
			return *ans
		}
		w.makings = nil
		violated := w.violated(ctx, ans.Model, q.in)
		if len(violated) == 0 && w.Thorough {
			q.in.everything = true
			violated = w.violated(ctx, ans.Model, q.in)
		}
		if err := ctx.Err(); err != nil {
			return Answer{Result: smt.Unknown, Reason: err.Error()}
		}
		if w.Record {
			ans.Rounds = append(ans.Rounds, prepare.Round{Made: w.makings, Asserted: violated})
		}
		done := len(violated) == 0
		for _, t := range q.refine(violated) {
			done = done && ans.Model.IsTrue(t)
		}
		if done {
			if w.full() {
				ans.Reason = "facts about all rows were left out of a question"
			}
			return *ans
		}
		q.assert("", w.textFacts()...)
	}
}

// inquiry is a question while it is asked.
type inquiry struct {
	w       *World
	ans     Answer
	tell    func(*smt.Term) // tells the solver
	in      *content
	waiting []definition
	defined int // how many definitions were looked at
}

func (q *inquiry) assert(topic string, ts ...*smt.Term) {
	for _, t := range ts {
		q.tell(t)
		q.ans.Asserts = append(q.ans.Asserts, t)
		q.ans.Topics = append(q.ans.Topics, topic)
		q.in.add(t)
	}
}

// begin asserts the terms of the question.
func (q *inquiry) begin(terms []*smt.Term) {
	q.assert("", terms...)
	q.define()
	q.assert("", q.w.textFacts()...)
}

// refine asserts instances of universals, and the definitions that these need,
// which it returns.
func (q *inquiry) refine(list []prepare.Instantiation) []*smt.Term {
	for _, i := range list {
		u := q.w.universals[i.Universal]
		q.assert(u.topic, u.list[i.Number])
	}
	return q.define()
}

// define asserts the definitions of what the question contains now.
func (q *inquiry) define() (added []*smt.Term) {
	q.waiting = append(q.waiting, q.w.defs[q.defined:]...)
	q.defined = len(q.w.defs)
	for more := true; more; {
		more = false
		rest := q.waiting[:0]
		for _, x := range q.waiting {
			if q.in.concerns(x.scope) {
				q.assert(x.topic, x.cond)
				added = append(added, x.cond)
				more = true
			} else {
				rest = append(rest, x)
			}
		}
		q.waiting = rest
	}
	return added
}

// violated gives instances of universals at mentioned members that are false
// in the model. Universals about variables that are not in the question are
// left out.
//
// Members that are equal in the model satisfy the same universals there, so
// that one of each class is enough. Making instances mentions more members;
// those are looked at in turn, until something is violated, or the context ends.
func (w *World) violated(ctx context.Context, m *smt.Model, in *content) []prepare.Instantiation {
	var out []prepare.Instantiation
	for members := -1; len(out) == 0 && members != w.members() && ctx.Err() == nil; {
		members = w.members()
		classes := map[domain][]int{}
		// Those about few members first: the others have many instances, and
		// may not be needed.
		for n, more := 0, true; more && len(out) == 0; n++ {
			more = false
			for i := 0; i < len(w.universals); i++ {
				u := w.universals[i]
				more = more || len(u.doms) > n
				if len(u.doms) != n || !in.concerns(u.scope) {
					continue
				}
				lists := make([][]int, len(u.doms))
				for k, d := range u.doms {
					if classes[d] == nil {
						classes[d] = w.classes(d, m, in)
					}
					lists[k] = classes[d]
				}
				if u.values != nil && !w.full() {
					out = append(out, w.equals(ctx, i, lists[0], m)...)
					continue
				}
				for _, n := range w.instancesAt(ctx, i, lists) {
					if !m.IsTrue(u.list[n]) {
						out = append(out, prepare.Instantiation{Universal: i, Number: n})
					}
				}
			}
		}
	}
	return out
}

// equals is violated for a universal about the values of members: only those
// that have the same ones in the model violate it.
func (w *World) equals(ctx context.Context, number int, places []int, m *smt.Model) (out []prepare.Instantiation) {
	u := w.universals[number]
	groups := map[string][]int{}
	for _, k := range places {
		has, vals := u.values(w.mentions[u.doms[0]].list[k])
		if !m.IsTrue(has) {
			continue
		}
		id := valuesID(m, vals)
		for _, other := range groups[id] {
			// When the bounds are reached, these are all that there are.
			for _, n := range w.instancesAt(ctx, number, [][]int{{other}, {k}}) {
				if x := (prepare.Instantiation{Universal: number, Number: n}); !m.IsTrue(u.list[n]) && !slices.Contains(out, x) {
					out = append(out, x)
				}
			}
		}
		groups[id] = append(groups[id], k)
	}
	return out
}

// valuesID tells lists of values in a model apart, unless some are not rational.
func valuesID(m *smt.Model, terms []*smt.Term) string {
	id := ""
	for _, t := range terms {
		v := m.Value(t)
		if v == nil {
			return "?"
		}
		id += v.RatString() + " "
	}
	return id
}

// members counts the members of all domains.
func (w *World) members() int {
	n := 0
	for _, m := range w.mentions {
		n += len(m.list)
	}
	return n
}

// full reports whether no more instances of universals may be made.
func (w *World) full() bool { return w.count >= w.MaxInstances || w.B.Size() >= w.MaxTerms }

// instancesAt gives the numbers of the instances of a universal for the members
// with these places. When the bounds are reached, it gives all that there are:
// which of them are about these members takes long to find out, and all are
// true.
func (w *World) instancesAt(ctx context.Context, number int, lists [][]int) []int {
	u := w.universals[number]
	var out []int
	place := make([]int, len(u.doms))
	var rec func(i int) bool
	rec = func(i int) bool {
		if i < len(u.doms) {
			for _, k := range lists[i] {
				place[i] = k
				if !rec(i + 1) {
					return false
				}
			}
			return true
		}
		n, ok := u.made[placeID(place)]
		if !ok {
			if w.full() || ctx.Err() != nil {
				return false
			}
			n = w.instantiate(number, place)
		}
		out = append(out, n)
		return true
	}
	if !rec(0) {
		out = out[:0]
		for n := range u.list {
			out = append(out, n)
		}
	}
	return out
}

// instantiate makes a new instance of a universal, and gives its number.
func (w *World) instantiate(number int, place []int) int {
	u := w.universals[number]
	w.count++
	tuple := make([]Key, len(place))
	for i, k := range place {
		tuple[i] = w.mentions[u.doms[i]].list[k]
	}
	n := len(u.list)
	u.list = append(u.list, u.prop(tuple))
	u.made[placeID(place)] = n
	if w.Record {
		w.makings = append(w.makings, prepare.Making{Universal: number, Places: slices.Clone(place)})
	}
	return n
}

func placeID(place []int) string {
	var b []byte
	for _, k := range place {
		b = strconv.AppendInt(b, int64(k), 36)
		b = append(b, ' ')
	}
	return string(b)
}

// content is what a question is made of.
type content struct {
	terms map[*smt.Term]bool
	funcs map[string]bool // the functions of base states, see scope
	// everything makes it have all keys.
	everything bool
}

func newContent() *content { return &content{terms: map[*smt.Term]bool{}, funcs: map[string]bool{}} }

func (c *content) add(t *smt.Term) {
	if !c.terms[t] {
		c.terms[t] = true
		if f := t.Symbol(); f != "" {
			c.funcs[strings.TrimSuffix(f, nullSuffix)] = true
		}
		for _, a := range t.Args() {
			c.add(a)
		}
	}
}

// concerns reports whether a condition with this scope says something of what
// the question is made of.
func (c *content) concerns(s scope) bool {
	if s.about != nil && !c.terms[s.about] {
		return false
	}
	for _, f := range s.funcs {
		if !c.funcs[f] {
			return false
		}
	}
	tied := 0
	if s.chain != nil {
		for _, f := range *s.chain {
			if c.funcs[f] {
				tied++
			}
		}
	}
	return s.chain == nil || tied >= 2
}

// has reports whether the question says something of all parts of a key.
func (c *content) has(k Key) bool {
	if c.everything {
		return true
	}
	for _, t := range k {
		if _, constant := t.Const(); !constant && !c.terms[t] {
			return false
		}
	}
	return true
}

// classes gives the place in its list of the first of the members of a domain
// that are equal in the model, for each such class. Members of which the
// question says nothing are left out.
func (w *World) classes(d domain, m *smt.Model, in *content) []int {
	var out []int
	seen := map[string]bool{}
	for i, k := range w.mentions[d].members() {
		if !in.has(k) {
			continue
		}
		id := valuesID(m, k)
		if id == "?" {
			id = fmt.Sprint("#", i)
		}
		if !seen[id] {
			seen[id] = true
			out = append(out, i)
		}
	}
	return out
}

// textConst is the term for a literal whose sort is not a number's.
func (w *World) textConst(v ir.Value) *smt.Term {
	name := v.String()
	t := w.texts[name]
	if t == nil {
		t = w.B.Var("lit "+name, smt.Int)
		w.texts[name] = t
		w.literal[name] = v
		if v.Kind == ir.KindText {
			w.sizes[name] = int64(len(v.S))
		}
	}
	return t
}

// functionFacts says what functions of one text give for the literals.
func (w *World) functionFacts() []*smt.Term {
	var out []*smt.Term
	if len(w.ofText)*len(w.literal) > maxFunctionFacts {
		return nil
	}
	literals := slices.Sorted(maps.Keys(w.literal))
	for _, name := range slices.Sorted(maps.Keys(w.ofText)) {
		call := w.ofText[name].call
		for _, l := range literals {
			v := w.literal[l]
			if v.Kind != w.ofText[name].kind || strings.IndexFunc(v.S, func(c rune) bool { return c > unicode.MaxASCII }) >= 0 {
				continue // letters of other alphabets depend on the locale
			}
			is, err := call.Function().Eval([]ir.Value{v}, call.Type)
			if err != nil || is.IsNull() {
				continue
			}
			arg := Val{Null: w.B.False(), T: w.texts[l], Type: ir.Type{Kind: v.Kind}}
			out = append(out, w.B.Eq(w.call(call, []Val{arg}).T, w.Constant(is, call.Type).T))
		}
	}
	return out
}

// ofText is a function of one text with the kind of its argument.
type ofText struct {
	call *ir.Call
	kind ir.Kind
}

// maxFunctionFacts bounds what is said of functions of literals.
const maxFunctionFacts = 400

// textFacts says what functions of literals are, that different literals are
// different, and in the closed world that they are ordered by their bytes; and how many
// bytes they have, where the question is about that.
func (w *World) textFacts() []*smt.Term {
	out := w.functionFacts()
	names := slices.Sorted(maps.Keys(w.texts))
	for i, n := range names {
		if size, ok := w.sizes[n]; ok && w.octets {
			out = append(out, w.B.Eq(w.octetsOf(w.texts[n]), w.B.IntConst(size)))
		}
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
