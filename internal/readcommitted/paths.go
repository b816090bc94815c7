package readcommitted

import (
	"fmt"
	"maps"
	"slices"
	"sort"

	"github.com/txrobust/robust/internal/ir"
)

// branches gives the states in which the branches of an If begin. Where one of them ends the transaction, the condition decides
// no more than that. In a loop it has several values.
func (a *flow) branches(s *ir.If, cond ir.Expr, st *state) (then, otherwise *state) {
	if ir.HasExists(s.Cond) {
		st.uses(st.value(s.Cond))
	}
	looped := slices.ContainsFunc(a.around, func(x *around) bool { return x.loop })
	if !looped && (ends(s.Then) || ends(s.Else)) {
		return st.passing(cond, true, s.Else), st.passing(cond, false, s.Then)
	}
	st.uses(cond)
	return st, st
}

// passing is the state in which a condition has come to what is said, beside another branch.
func (st *state) passing(cond ir.Expr, yes bool, other []ir.Stmt) *state {
	out := st.clone()
	out.guards = append(slices.Clip(out.guards), passed{cond, yes, st.ending(other)})
	return out
}

// joined is what holds in both of two states; nil is a place that is never reached.
func (a *flow) joined(x, y *state) *state {
	if x == nil {
		return y
	}
	if y == nil {
		return x
	}
	out := x.clone()
	out.acted = x.acted || y.acted
	out.snapshot = x.snapshot || y.snapshot
	out.held = nil
	for _, l := range x.held {
		for _, o := range y.held {
			if l == o || l.same(o) {
				out.held = append(out.held, l.either(o))
				break
			}
		}
	}
	out.lasting = slices.DeleteFunc(slices.Clone(x.lasting), func(l lasting) bool { return !y.isLasting(l.table, l.equals) })
	out.known = bothKnown(x.known, y.known)
	out.constants = maps.Clone(x.constants)
	maps.DeleteFunc(out.constants, func(k, v string) bool { return y.constants[k] != v })
	out.facts = x.facts.both(y.facts)
	for w, g := range y.done {
		mine, both := out.done[w]
		if !both {
			out.done[w] = g
			continue
		}
		merged := guarded{mine.equals.both(g.equals), maps.Clone(mine.guards)}
		maps.DeleteFunc(merged.guards, func(k guard, _ bool) bool { return !g.guards[k] })
		out.done[w] = merged
	}
	px, py := x.prospects(y), y.prospects(x)
	for n := range px {
		out.sightings[n] = px[n].either(py[n])
	}
	out.beliefs = x.beliefs.joined(&y.beliefs)
	out.outcome = x.outcome.joined(y.outcome)
	out.choices = slices.DeleteFunc(slices.Clone(x.choices), func(c rowChoice) bool { return !slices.Contains(y.choices, c) })
	a.meetValues(out, x, y, px, py)
	return out
}

// prospects are those of a path for all sightings that it or another one has come by.
func (st *state) prospects(other *state) map[*sighting]*prospect {
	out := maps.Clone(st.sightings)
	for n := range other.sightings {
		if out[n] == nil {
			out[n] = notLookedFor(st.facts)
		}
	}
	return out
}

// meetValues gives the locals their values where two paths meet. One that is not the same on
// both gets a name, of which is known what each chance tells on its path.
func (a *flow) meetValues(out, x, y *state, px, py map[*sighting]*prospect) {
	var names []string
	for name := range x.values {
		names = append(names, name)
	}
	for name := range y.values {
		if x.values[name] == nil {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	of := func(st *state, name string) ir.Expr {
		if v := st.values[name]; v != nil {
			return v
		}
		return ir.V(name)
	}
	for _, name := range names {
		vx, vy := of(x, name), of(y, name)
		if text(vx) == text(vy) {
			continue
		}
		out.uses(vx)
		out.uses(vy)
		merged := a.renew(out, name)
		for n, p := range out.sightings {
			tell := func(to, cx, cy *chance) {
				if to == nil {
					return
				}
				f, known := fact{}, false
				if cx != nil {
					f, known = valueOf(vx, cx.facts)
				}
				if cy != nil {
					g, is := valueOf(vy, cy.facts)
					if known = is && (cx == nil || known && f == g); known {
						f = g
					}
				}
				if known {
					to.facts[merged] = f
				}
			}
			tell(p.absent, px[n].absent, py[n].absent)
			tell(p.present, px[n].present, py[n].present)
			tell(p.skipped, px[n].skipped, py[n].skipped)
		}
	}
}

// block goes through the body of a block.
func (a *flow) block(label string, body []ir.Stmt, st *state) *state {
	b := &around{label: label}
	a.around = append(a.around, b)
	out := a.list(body, st)
	a.around = a.around[:len(a.around)-1]
	for _, left := range b.left {
		out = a.joined(out, left)
	}
	return out
}

// loop goes through one round of a loop that stands for all: a sighting is not carried
// from one into the next.
func (a *flow) loop(s ir.Stmt, st *state) *state {
	if t := a.attemptsOf(s); t != nil {
		if out, ok := a.rounds(s, st.clone(), t); ok {
			return out
		}
		a.fault = nil
	}
	out, _ := a.rounds(s, st, nil)
	return out
}

// rounds goes through a round of a loop. With attempts it is the last one, and ok says that those before it leave nothing.
func (a *flow) rounds(s ir.Stmt, st *state, t *attempts) (out *state, ok bool) {
	body := ir.Children(s)[0]
	rows, overRows := s.(*ir.Foreach)
	if overRows {
		a.query(s, &rows.Query, st, nil)
	}
	changed := ir.Assigned(s)
	ir.Walk(body, func(s ir.Stmt) {
		changed = append(changed, ir.Assigned(s)...)
		if t == nil && (len(ir.Reads(s)) > 0 || ir.Written(s) != nil) {
			st.acts()
		}
		st.snapshot = st.snapshot || a.snaps[s]
	})
	if t == nil {
		st.repeats(body)
	}
	slices.Sort(changed)
	for _, name := range slices.Compact(changed) {
		st.uses(st.value(ir.V(name)))
		a.renew(st, name)
	}
	// What was written in the body by a round before, and is known of its rows, is of that round.
	before := st.clone()
	first, after := st, st
	if w, ok := s.(*ir.While); ok {
		cond := st.value(w.Cond)
		if ir.HasExists(cond) {
			if !a.constant(s, ir.Reads(s)) {
				a.stable(s, st, st.looks(s, nil, nil))
			}
			cond = ir.V("again#")
		}
		first, after = a.where(cond, true, st), a.where(cond, false, st)
		if k, ok := w.Cond.(*ir.Const); ok && k.Value.IsTrue() {
			after = nil
		}
	} else if !overRows && !a.constant(s, ir.Reads(s)) {
		a.stable(s, st, st.looks(s, nil, nil))
	}
	if overRows && rows.Query.From != nil {
		first = a.holdsChosen(rows, first.clone())
	}
	l := &around{label: labelOf(s), loop: true}
	a.around = append(a.around, l)
	end := a.list(body, first.clone())
	a.around = a.around[:len(a.around)-1]
	for _, r := range l.rounds {
		end = a.joined(end, r)
	}
	out = after
	if end != nil {
		if t != nil && !t.failed(end) {
			return nil, false
		}
		for n, p := range end.sightings {
			if _, was := before.sightings[n]; !was && p.open() && t == nil {
				a.fail(n.pos, "in a loop, it %s, and goes on where that may not stay so%s", n.what, n.hint)
			}
		}
		end.flush()
		maps.DeleteFunc(end.done, func(w *write, _ guarded) bool { _, was := before.done[w]; return !was })
		if out = a.joined(after, end); after == nil {
			out = nil
		}
	}
	for _, left := range l.left {
		out = a.joined(out, left)
	}
	return out, true
}

func labelOf(s ir.Stmt) string {
	switch s := s.(type) {
	case *ir.While:
		return s.Label
	case *ir.ForRange:
		return s.Label
	case *ir.Foreach:
		return s.Label
	default:
		panic(fmt.Sprintf("readcommitted: %T is no loop", s))
	}
}

// jump leaves a loop or block, or begins its next round.
func (a *flow) jump(s ir.Stmt, st *state) {
	label := ""
	if b, ok := s.(*ir.Break); ok {
		label = b.Label
	}
	c, next := s.(*ir.Continue)
	if next {
		label = c.Label
	}
	for i, to := range slices.Backward(a.around) {
		if label == "" && !to.loop || label != "" && to.label != label {
			continue
		}
		if slices.ContainsFunc(a.around[i:], func(x *around) bool { return x.loop }) {
			st.flush()
		}
		if next {
			to.rounds = append(to.rounds, st)
		} else {
			to.left = append(to.left, st)
		}
		return
	}
	a.fail(s.Position(), "it leaves what it is not in")
}
