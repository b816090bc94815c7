package symbolic

import (
	"context"
	"fmt"
	"sort"

	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/smt"
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
	// contradict each other.
	Asserts []*smt.Term
}

// maxTerms bounds the terms that instances of universals may make.
const maxTerms = 600000

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
	in := content{}
	assert := func(ts ...*smt.Term) {
		d.Assert(ts...)
		ans.Asserts = append(ans.Asserts, ts...)
		for _, t := range ts {
			in.add(t)
		}
	}
	var waiting []definition
	defined := 0
	// define asserts the definitions of what the question contains now.
	define := func() (added []*smt.Term) {
		waiting = append(waiting, w.defs[defined:]...)
		defined = len(w.defs)
		for more := true; more; {
			more = false
			rest := waiting[:0]
			for _, x := range waiting {
				if x.about == nil || in[x.about] {
					assert(x.cond)
					added = append(added, x.cond)
					more = true
				} else {
					rest = append(rest, x)
				}
			}
			waiting = rest
		}
		return added
	}
	assert(terms...)
	define()
	assert(w.textFacts()...)
	for round := 0; ; round++ {
		ans.Result, ans.Model, ans.Reason = d.Check(ctx)
		if w.Unsupported != "" {
			return Answer{Result: smt.Unknown, Reason: w.Unsupported}
		}
		if ans.Result != smt.Sat || w.Closed {
			return ans
		}
		if round == w.MaxRefinements {
			ans.Reason = "facts about all rows were left out of a question"
			return ans
		}
		violated := w.violated(ans.Model, in)
		if len(violated) == 0 && w.Thorough {
			in[nil] = true
			violated = w.violated(ans.Model, in)
		}
		assert(violated...)
		done := len(violated) == 0
		for _, t := range define() {
			done = done && ans.Model.IsTrue(t)
		}
		if done {
			if w.full() {
				ans.Reason = "facts about all rows were left out of a question"
			}
			return ans
		}
		assert(w.textFacts()...)
	}
}

// violated gives instances of universals at mentioned members that are false
// in the model. Universals about variables that are not in the question are
// left out.
//
// Members that are equal in the model satisfy the same universals there, so
// that one of each class is enough. Making instances mentions more members;
// those are looked at in turn, until something is violated.
func (w *World) violated(m *smt.Model, in content) []*smt.Term {
	var out []*smt.Term
	for members := -1; len(out) == 0 && members != w.members(); {
		members = w.members()
		classes := map[domain][]int{}
		// Those about few members first: the others have many instances, and
		// may not be needed.
		for n, more := 0, true; more && len(out) == 0; n++ {
			more = false
			for i := 0; i < len(w.universals); i++ {
				u := w.universals[i]
				more = more || len(u.doms) > n
				if len(u.doms) != n || u.about != nil && !in[u.about] {
					continue
				}
				lists := make([][]int, len(u.doms))
				for k, d := range u.doms {
					if classes[d] == nil {
						classes[d] = w.classes(d, m, in)
					}
					lists[k] = classes[d]
				}
				for _, t := range w.instancesAt(u, lists) {
					if !m.IsTrue(t) {
						out = append(out, t)
					}
				}
			}
		}
	}
	return out
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
func (w *World) full() bool { return w.count >= w.MaxInstances || w.B.Size() >= maxTerms }

// instancesAt gives the instances of a universal for the members with these
// places. When the bounds are reached, it gives all that there are: which of
// them are about these members takes long to find out, and all are true.
func (w *World) instancesAt(u *universal, lists [][]int) []*smt.Term {
	var out []*smt.Term
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
		id := fmt.Sprint(place)
		n, ok := u.made[id]
		if !ok {
			if w.full() {
				return false
			}
			w.count++
			tuple := make([]Key, len(place))
			for i, k := range place {
				tuple[i] = w.mentions[u.doms[i]].list[k]
			}
			n = len(u.list)
			u.list = append(u.list, u.prop(tuple))
			u.made[id] = n
		}
		out = append(out, u.list[n])
		return true
	}
	if !rec(0) {
		return u.list
	}
	return out
}

// content is the set of the terms that a question is made of.
type content map[*smt.Term]bool

func (c content) add(t *smt.Term) {
	if !c[t] {
		c[t] = true
		for _, a := range t.Args() {
			c.add(a)
		}
	}
}

// has reports whether the question says something of all parts of a key. The
// content with nil in it has everything.
func (c content) has(k Key) bool {
	if c[nil] {
		return true
	}
	for _, t := range k {
		if _, constant := t.Const(); !constant && !c[t] {
			return false
		}
	}
	return true
}

// classes gives the place in its list of the first of the members of a domain
// that are equal in the model, for each such class. Members of which the
// question says nothing are left out.
func (w *World) classes(d domain, m *smt.Model, in content) []int {
	ms := w.mentions[d]
	if len(ms.sorts) == 0 && len(ms.list) == 0 {
		ms.list = []Key{{}}
	}
	var out []int
	seen := map[string]bool{}
	for i, k := range ms.list {
		if !in.has(k) {
			continue
		}
		id := ""
		for _, t := range k {
			v := m.Value(t)
			if v == nil {
				id = fmt.Sprint("#", i) // not a rational number
				break
			}
			id += v.RatString() + " "
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
