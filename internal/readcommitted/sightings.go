package readcommitted

import (
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/failure"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
)

// sighting is a command that looks for one row by a key. Where it locks the row, nobody
// changes it any more if it is there; if it is not, nothing keeps another transaction from
// putting it there. Where it does not lock it, both is open.
type sighting struct {
	table *ir.Table
	// equals are values of the row if it was there, key is the one that it was found by.
	equals equals
	key    []int
	locks  ir.LockMode
	stmt   ir.Stmt
	pos    ir.Pos
	what   string
	// condition is what was asked for: statements of one command that ask the same find
	// the same.
	condition string
	// reads are, for a row that is not locked, the columns looked at that may change, each
	// with the values that it had, as far as they are known.
	reads map[int][]ir.Expr
	// values are what it gave, if all that decides is whether the row is there (flow.into); asked is, for a row that is
	// locked, what is true of it, of a row by the name row.
	values map[string]int
	asked  []ir.Expr
	// chosen says that any row may be taken, or none.
	chosen bool
	// matches are the conditions by which it was chosen, names what its key was given to: NULL where no row was taken.
	matches []string
	names   equals
	// hint names who may change what was seen.
	hint string
}

// chance is what may have been: that the row was there, or that it was not. It is harmless if
// it stays so until the commit. On the paths where it was so, the transaction may have acted: it has seen
// or done something else as well.
type chance struct {
	harmless bool
	acted    bool
	// beside are sightings that count as something else, unless they are void (flow.void).
	beside map[*sighting]bool
	facts  facts
}

// open reports whether it may have been so, and not stay so.
func (c *chance) open() bool { return c != nil && !c.harmless }

// prospect is what is known of a sighting at a place.
type prospect struct {
	absent, present *chance
	// skipped is that the path has not come by the sighting. It is nil where all paths have.
	skipped *chance
	// wrote are the own sightings that may have changed the row since, set the columns.
	wrote []*sighting
	set   map[int]bool
	// rechecks are the locks that were taken on the row since.
	rechecks []recheck
}

func (c *chance) clone() *chance {
	if c == nil {
		return nil
	}
	return &chance{c.harmless, c.acted, maps.Clone(c.beside), maps.Clone(c.facts)}
}

func (p *prospect) clone() *prospect {
	return &prospect{p.absent.clone(), p.present.clone(), p.skipped.clone(), slices.Clone(p.wrote), maps.Clone(p.set), slices.Clone(p.rechecks)}
}

// open reports whether the transaction must not commit like this.
func (p *prospect) open() bool { return p.absent.open() || p.present.open() }

// acted reports whether the transaction has seen or done something else where it must not commit like this.
func (p *prospect) acted(void map[*sighting]bool) bool {
	return slices.ContainsFunc([]*chance{p.absent, p.present}, func(c *chance) bool {
		if !c.open() || c.acted {
			return c.open()
		}
		return slices.ContainsFunc(slices.Collect(maps.Keys(c.beside)), func(n *sighting) bool { return !void[n] })
	})
}

// acts notes that it sees or does something else.
func (p *prospect) acts() {
	for _, c := range []*chance{p.absent, p.present} {
		if c != nil {
			c.acted = true
		}
	}
}

// seesToo notes that it sees what another sighting finds.
func (p *prospect) seesToo(n *sighting) {
	for _, c := range []*chance{p.absent, p.present} {
		switch {
		case c == nil:
		case n.values == nil:
			c.acted = true
		default:
			c.beside = maps.Clone(c.beside)
			if c.beside == nil {
				c.beside = map[*sighting]bool{}
			}
			c.beside[n] = true
		}
	}
}

// acts notes that the transaction sees or does something else than the sightings so far.
func (st *state) acts() {
	st.acted = true
	for _, p := range st.sightings {
		p.acts()
	}
}

// notLookedFor is what is known of a sighting on a path that does not come by it.
func notLookedFor(known facts) *prospect {
	return &prospect{skipped: &chance{harmless: true, facts: maps.Clone(known)}}
}

// certain reports whether the row is known to have been looked for and found.
func (p *prospect) certain() bool { return p.absent == nil && p.skipped == nil && p.present != nil }

// either is what is known of a sighting where two paths meet.
func (p *prospect) either(o *prospect) *prospect {
	both := func(x, y *chance) *chance {
		if x == nil {
			return y.clone()
		}
		out := x.clone()
		if y != nil {
			out.harmless, out.acted = x.harmless && y.harmless, x.acted || y.acted
			for n := range y.beside {
				if out.beside == nil {
					out.beside = map[*sighting]bool{}
				}
				out.beside[n] = true
			}
			out.facts = x.facts.both(y.facts)
		}
		return out
	}
	out := &prospect{absent: both(p.absent, o.absent), present: both(p.present, o.present), skipped: both(p.skipped, o.skipped), wrote: slices.Concat(p.wrote, o.wrote), set: map[int]bool{}}
	maps.Copy(out.set, p.set)
	maps.Copy(out.set, o.set)
	for _, r := range p.rechecks { // a path that has not looked for the row has nothing to look for again
		if o.absent == nil && o.present == nil || slices.ContainsFunc(o.rechecks, func(q recheck) bool { return q.by == r.by }) {
			out.rechecks = append(out.rechecks, r)
		}
	}
	if p.absent == nil && p.present == nil {
		out.rechecks = slices.Clone(o.rechecks)
	}
	return out
}

// sees notes a sighting, with what tells that the row is there, or is not. Statements of one
// command that look for the same row by the same condition have the same answer.
func (a *flow) sees(st *state, n *sighting, p *prospect) {
	for o, q := range st.sightings {
		if o.table == n.table && together(o.stmt, n.stmt) && o.stmt.Command() != 0 && o.condition == n.condition && o.locks == n.locks && len(q.wrote) == 0 && q.skipped == nil {
			maps.Copy(q.absent.orNone(), p.absent.orNone())
			maps.Copy(q.present.orNone(), p.present.orNone())
			if a.met = o; n.values == nil {
				o.values = nil
			} else if o.values != nil {
				maps.Copy(o.values, n.values)
			}
			return
		}
	}
	same := false
	for o, q := range st.sightings { // no row for a condition is none for one that asks for more
		if p.absent != nil && o.table == n.table && together(o.stmt, n.stmt) && o.stmt.Command() != 0 && len(q.wrote) == 0 && q.skipped == nil &&
			len(n.asked) > 0 && allIn(ir.AndE(n.asked...), ir.AndE(o.asked...)) {
			maps.Copy(p.absent.facts, q.absent.orNone())
			same = true
		}
	}
	for o, q := range st.sightings {
		if !same {
			q.seesToo(n)
			p.seesToo(o)
		}
	}
	if st.sightings[n] = p; st.acted {
		p.acts()
	}
	a.met = n
}

// orNone are the facts of a chance, or those of none.
func (c *chance) orNone() facts {
	if c == nil {
		return facts{}
	}
	return c.facts
}

// where is the state in which a condition is true, or is not, nil if that cannot be.
func (a *flow) where(cond ir.Expr, yes bool, st *state) *state {
	if st == nil || st.facts.contradicts(cond, yes) {
		return nil
	}
	st = st.clone()
	contrary := func(c *chance) bool { return c != nil && c.facts.contradicts(cond, yes) }
	var there []*sighting
	for n, p := range st.sightings {
		before := p.certain()
		for _, c := range []**chance{&p.absent, &p.present, &p.skipped} {
			if contrary(*c) {
				*c = nil
			}
		}
		if p.absent == nil && p.present == nil && p.skipped == nil {
			return nil
		}
		if p.certain() && !before {
			there = append(there, n)
		}
	}
	for _, n := range there {
		a.isThere(st, n)
	}
	st.settle()
	st.believe(cond, yes)
	if yes {
		st.learn(ir.Conjuncts(cond))
	} else {
		for _, d := range disjuncts(cond) {
			st.unlike(d)
		}
	}
	return st
}

// settle forgets sightings that are harmless by now, whatever they found.
func (st *state) settle() {
	before := len(st.sightings)
	maps.DeleteFunc(st.sightings, func(n *sighting, p *prospect) bool {
		// Later statements may ask for what was chosen.
		if n.chosen || p.open() || p.skipped != nil || p.absent != nil && p.present != nil {
			return false
		}
		st.forgets(n, p)
		st.facts = maps.Clone(st.facts)
		maps.Copy(st.facts, p.absent.orNone())
		maps.Copy(st.facts, p.present.orNone())
		return true
	})
	if len(st.sightings) < before {
		st.acts()
	}
}

// learn notes which values are constants.
func (st *state) learn(conds []ir.Expr) {
	for _, c := range conds {
		b, ok := c.(*ir.Binary)
		if !ok || b.Op != ir.Eq {
			continue
		}
		for _, side := range [][2]ir.Expr{{b.X, b.Y}, {b.Y, b.X}} {
			if k, ok := side[1].(*ir.Const); ok && free(side[0]) {
				st.constants = maps.Clone(st.constants)
				st.constants[text(side[0])] = text(k)
			}
		}
	}
}

// unlike notes what follows where x <> y is not true: they are equal, unless one is NULL.
func (st *state) unlike(cond ir.Expr) {
	b, ok := cond.(*ir.Binary)
	if u, is := cond.(*ir.Unary); is && u.Op == ir.Not {
		b, ok = u.X.(*ir.Binary)
		ok = ok && b.Op == ir.Eq
	} else {
		ok = ok && b.Op == ir.Ne
	}
	if !ok {
		return
	}
	for _, p := range st.sightings {
		if p.certain() && slices.ContainsFunc([]ir.Expr{b.X, b.Y}, func(e ir.Expr) bool {
			v, is := e.(*ir.Var)
			return is && p.present.facts[v.Name].notNull
		}) {
			st.learn([]ir.Expr{ir.Op(ir.Eq, b.X, b.Y)})
			return
		}
	}
}

// isThere is told that a row that was looked for is there. If it is locked, it stays so, and
// what was seen of it before without a lock may be confirmed.
func (a *flow) isThere(st *state, n *sighting) {
	if n.locks < ir.ForKeyShare {
		a.know(st, n.table, n.equals)
		return
	}
	p := st.sightings[n]
	_, inserted := n.stmt.(*ir.Insert)
	if inserted {
		a.isInserted(st, n.table, n.equals)
	}
	a.take(st, &lock{kind: onRow, table: n.table, row: n.locks, sure: true, own: inserted,
		equals: n.equals.without(func(c int) bool { return p.set[c] }), taken: []moment{a.moment(n.stmt)}})
	if n.locks < ir.ForShare {
		return
	}
	a.recheck(st, n)
	for o, q := range st.sightings {
		if o != n && o.locks == ir.NoLock && o.reads != nil && o.table == n.table && q.present != nil && !q.present.harmless && a.confirms(st, n, o, q) {
			q.present.harmless = true
		}
	}
}

// confirms reports whether a row that is locked now is as it was when it was seen without a
// lock: each column that was looked at is asked for again, or cannot change without one that
// is.
func (a *flow) confirms(st *state, n, o *sighting, q *prospect) bool {
	if !a.oneRow(n.table, n.equals, o.equals) {
		return false
	}
	untouched := !slices.ContainsFunc(q.wrote, func(w *sighting) bool { return w != n })
	again := func(c int) bool {
		return slices.ContainsFunc(o.reads[c], func(seen ir.Expr) bool {
			return slices.ContainsFunc(n.equals[c], func(asked ir.Expr) bool {
				return text(seen) == text(asked) || st.constants[text(seen)] == text(asked)
			})
		})
	}
	for c := range o.reads {
		if untouched && again(c) {
			continue
		}
		guarded := false
		for v := range o.reads {
			guarded = guarded || again(v) && a.versions(n.table, n.key, v, c)
		}
		if !guarded {
			return false
		}
	}
	return true
}

// oneRow reports whether rows that were seen at two moments are known to be one, or the second one to have come with the
// key of the first, so that all columns count as ones that change. They share a key that goes from no row to another: where
// primary keys never come again, other keys may.
func (a *flow) oneRow(t *ir.Table, x, y equals) bool {
	return !a.movesKey(t) && slices.ContainsFunc(keys(t), func(k []int) bool {
		again := a.code.Deleted[t] && a.code.Inserted[t] && !a.reborn(t) && !ir.SameColumns(k, t.Key)
		return !again && !prepare.Touches(k, a.code.Updated[t]) && !slices.ContainsFunc(k, func(c int) bool { return !x.shares(y, c) })
	})
}

// isInserted is told that a row with such values was inserted: where it was looked for before,
// and was not there, it was not there until then. Where something was in the way of an insertion before,
// that is gone by now.
func (a *flow) isInserted(st *state, t *ir.Table, row equals) {
	for n, p := range st.sightings {
		_, inWay := n.stmt.(*ir.Insert)
		if p.absent != nil && !inWay && len(n.key) > 0 && n.table == t && !a.frees(t) && !slices.ContainsFunc(n.key, func(c int) bool { return !n.equals.shares(row, c) }) {
			p.absent.harmless = true
		}
	}
}

// frees reports whether the template itself may take away a row of a table, or the key of one.
func (a *flow) frees(t *ir.Table) bool {
	found := false
	ir.Walk(a.txn.Body, func(s ir.Stmt) {
		if ir.Written(s) != t {
			return
		}
		switch s := s.(type) {
		case *ir.Insert:
			found = found || s.Moved != nil || s.Conflict != nil && changesKey(t, setsOf(t, s.Conflict.Sets))
		case *ir.Update:
			found = found || changesKey(t, setsOf(t, s.Sets))
		default:
			found = true
		}
	})
	return found
}

func changesKey(t *ir.Table, sets []bool) bool {
	return slices.ContainsFunc(keys(t), func(k []int) bool {
		return slices.ContainsFunc(k, func(c int) bool { return sets[c] })
	})
}

// void reports whether it does not matter what a read gave: this path writes nothing, and each condition that depends on the read
// is one of which the other branch has the same outcome.
func (a *flow) void(st *state, n *sighting) bool {
	keeps := slices.ContainsFunc(a.txn.Locals, func(l ir.Local) bool { return l.Kept }) // they are an outcome, too
	if n.values == nil || a.plain != nil || keeps || st.mixed || st.usesAnyOf(n) || !a.wroteNothing(st, n) {
		return false
	}
	return !slices.ContainsFunc(st.guards, func(g passed) bool {
		return n.decides(g.cond) && (g.other == nil || failure.MayFail(g.cond) || !a.endsAlike(st, n, g.other))
	})
}

// wroteNothing reports whether a path has written nothing. An insertion of the row that a read has not found does not count: where it
// took place, the row was not there until then.
func (a *flow) wroteNothing(st *state, n *sighting) bool {
	return !slices.ContainsFunc(st.writing, func(w *sighting) bool {
		if w == nil {
			return true
		}
		_, inserts := w.stmt.(*ir.Insert)
		if p := st.sightings[n]; inserts && p != nil && p.present == nil && len(n.key) > 0 && w.table == n.table && !a.frees(n.table) &&
			!slices.ContainsFunc(n.key, func(c int) bool { return !w.equals.shares(n.equals, c) }) {
			return false
		}
		p := st.sightings[w]
		return p == nil || p.present != nil
	})
}

// endsAlike reports whether a path has shown what it would have if a condition had sent it to an ending.
func (a *flow) endsAlike(st *state, n *sighting, e *ending) bool {
	return slices.EqualFunc(st.shown[e.before:], e.shows, func(mine, other []ir.Expr) bool {
		return slices.EqualFunc(mine, other, func(x, y ir.Expr) bool {
			return !n.decides(y) && text(x) == text(y) || a.given(st, n, x, y)
		})
	})
}

// given reports whether a value is that of a column which a read gives, whenever it is read again: the row is there to stay, and
// so is the value.
func (a *flow) given(st *state, n *sighting, is, read ir.Expr) bool {
	v, ok := read.(*ir.Var)
	if !ok {
		return false
	}
	c, mine := n.values[v.Name]
	if t := n.table; !mine || c < 0 || a.code.Deleted[t] || a.code.Updated[t][c] || a.moves(n) || !st.isLasting(t, n.equals) {
		return false
	}
	return slices.ContainsFunc(st.known, func(k lasting) bool {
		return k.table == n.table && !slices.ContainsFunc(n.key, func(c int) bool { return !k.equals.shares(n.equals, c) }) &&
			slices.ContainsFunc(k.equals[c], func(e ir.Expr) bool { return text(e) == text(is) })
	})
}
