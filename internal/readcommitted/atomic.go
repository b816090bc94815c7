package readcommitted

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/failure"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
)

// flow goes through a template along its branches. It finds which locks are held where rows
// are written (collects), or else whether all that the template has seen of rows that others may change
// stays as it is until the commit, on every path that commits.
type flow struct {
	*changes
	txn      *ir.Txn
	collects bool
	// plain, if not nil, are the statements that read from the snapshot, on InnoDB: only locks
	// that are older keep what they read as it is now. All others lock what they look at.
	// snaps are those that may take the snapshot.
	plain, snaps map[ir.Stmt]bool
	// found are the writes, where it collects them.
	found map[written]*write
	fault *Settled
	// around are the loops and blocks, inner ones last.
	around []*around
	// sent is the last command that a client has sent, if that is known.
	sent *ir.Send
	// named counts the values that have got a name; used are the locals that matter.
	named int
	used  map[string]bool
	// met is the sighting of the statement that is looked at, seen what it reads of the columns
	// of its row, and rest is what follows it in its list.
	met  *sighting
	seen map[int]ir.Expr
	// into are the values that it gives, with their columns, or foundRow, or noColumn.
	into map[string]int
	rest []ir.Stmt
}

// state is what is known at a place of the template.
type state struct {
	// values are what the locals hold, over values that do not change. Constants are values
	// that are known, by their text.
	values    map[string]ir.Expr
	constants map[string]string
	// facts are what is known of values whatever was found by the sightings.
	facts facts
	held  []*lock
	// lasting are rows that are there, and that nobody takes away.
	lasting []lasting
	// known are rows of which columns have values for good.
	known []lasting
	// sightings are those of which it matters what they found.
	sightings map[*sighting]*prospect
	// acted says that something else was seen or done than the sightings.
	acted bool
	// snapshot says that the snapshot may have been taken (flow.snaps).
	snapshot bool
	// choices are those of rows by the commands so far.
	choices []rowChoice
	// done is what was written.
	done map[*write]guarded
	beliefs
	outcome
}

// around is a loop or a block, with the states in which it is left or goes on.
type around struct {
	label        string
	loop         bool
	left, rounds []*state
}

func newFlow(c *changes, t *ir.Txn) *flow {
	f := &flow{changes: c, txn: t, used: map[string]bool{}}
	for _, l := range t.Locals {
		f.used[l.Name] = l.Kept
	}
	ir.Walk(t.Body, func(s ir.Stmt) {
		list := ir.Exprs(s)
		if d, ok := s.(*ir.Dropped); ok {
			list = append(list, d.Query.Where, d.Limit)
			list = append(list, d.Number...)
		}
		if c, ok := s.(*ir.Send); ok {
			for _, arg := range c.Args {
				list = append(list, arg.Expr)
			}
		}
		for _, e := range list {
			for _, name := range namesIn(e) {
				f.used[name] = true
			}
		}
	})
	return f
}

func (a *flow) run() {
	end := a.list(a.txn.Body, &state{values: map[string]ir.Expr{}, constants: map[string]string{}, facts: facts{}, sightings: map[*sighting]*prospect{}, done: map[*write]guarded{}, beliefs: (&beliefs{}).clone()})
	a.commit(end)
}

func (a *flow) fail(pos ir.Pos, format string, args ...any) {
	if a.fault == nil && !a.collects {
		a.fault = because(pos, format, args...)
	}
}

// commit looks at a state in which the transaction commits; nil is none.
func (a *flow) commit(st *state) {
	if st == nil {
		return
	}
	st.flush()
	for _, l := range a.txn.Locals {
		if l.Kept {
			st.uses(st.value(ir.V(l.Name)))
		}
	}
	var open []*sighting
	void := map[*sighting]bool{}
	for n := range st.sightings {
		void[n] = a.void(st, n)
	}
	for n, p := range st.sightings {
		// Where it has done nothing else, it has seen one moment.
		if p.open() && !void[n] && (p.acted(void) || n.stmt.Snapshot() < 0 || a.reinserted[n.table] || a.moves(n)) && !a.rechecked(st, n, p) {
			open = append(open, n)
		}
	}
	if len(open) == 0 {
		return
	}
	slices.SortFunc(open, func(x, y *sighting) int { return x.pos.Line - y.pos.Line })
	first := open[0]
	if p := st.sightings[first]; p.present.open() {
		a.fail(first.pos, "it %s without a lock that lasts until it commits%s", first.what, first.hint)
		return
	}
	a.fail(first.pos, "it %s, and may commit where that is not there, although another transaction may put it there meanwhile%s", first.what, first.hint)
}

// moves reports whether the key by which a row was looked for may go from one row to another.
func (c *changes) moves(n *sighting) bool {
	if n.key == nil {
		return c.code.KeyUpdated(n.table)
	}
	return prepare.Touches(n.key, c.code.Updated[n.table])
}

func (st *state) clone() *state {
	out := *st
	out.values = map[string]ir.Expr{}
	for k, v := range st.values {
		out.values[k] = v
	}
	out.held = slices.Clone(st.held)
	out.sightings = map[*sighting]*prospect{}
	for n, p := range st.sightings {
		out.sightings[n] = p.clone()
	}
	out.done = map[*write]guarded{}
	for w, g := range st.done {
		out.done[w] = g
	}
	out.beliefs = st.beliefs.clone()
	return &out
}

// list goes through statements, and gives the state after them, or nil.
func (a *flow) list(body []ir.Stmt, st *state) *state {
	for i, s := range body {
		if st == nil || a.fault != nil {
			return nil
		}
		st = a.stmt(s, body[i+1:], st)
	}
	return st
}

// stmt goes through a statement; rest is what follows it in its list.
func (a *flow) stmt(s ir.Stmt, rest []ir.Stmt, st *state) *state {
	st = st.clone()
	a.met, a.rest = nil, rest
	st.snapshot = st.snapshot || a.snaps[s]
	st.usesOf(s)
	switch s := s.(type) {
	case *ir.LockRows:
		a.lockRows(s, st)
	case *ir.LockTable:
		a.take(st, &lock{kind: onTable, table: s.Table, mode: s.Mode, taken: []moment{a.moment(s)}})
	case *ir.Send:
		a.sent = s
	case *ir.Havoc:
		a.renew(st, s.Var)
	case *ir.Assign:
		a.set(st, s.Var, a.expr(s, s.Expr, st))
	case *ir.Emit:
		var shown []ir.Expr
		for _, e := range s.Exprs {
			shown = append(shown, a.expr(s, e, st))
		}
		st.shows(shown)
	case *ir.Dropped:
		a.dropped(s, st)
	case *ir.Select:
		a.choose(s, st)
	case *ir.EmitRows:
		st.mixed = true
		a.query(s, &s.Query, st, nil)
	case *ir.Update:
		a.update(s, st)
	case *ir.Delete:
		if s.Moved {
			a.fail(s.Pos, "it changes the key of a row")
		}
		a.write(s, s.Table, s.Row, s.Where, ir.ForUpdate, st)
		st.mayWrite(a.met)
		a.wrote(st, s, &write{txn: a.txn, pos: s.Pos, table: s.Table, does: deletes, equals: st.more(s.Table, conditionsOf(s.Table, s.Row, ir.Conjuncts(st.value(s.Where))))})
		st.changed(s.Table, a.met, nil)
	case *ir.Insert:
		a.insert(s, st)
		st.mayWrite(a.met)
	case *ir.Return:
		a.commit(st)
		return nil
	case *ir.Abort:
		return nil
	case *ir.Assume:
		if st.checksChoice(s) {
			return st
		}
		return a.where(a.expr(s, s.Cond, st), true, st)
	case *ir.Break, *ir.Continue:
		a.jump(s, st)
		return nil
	case *ir.If:
		cond := a.expr(s, s.Cond, st)
		then, otherwise := a.branches(s, cond, st)
		return a.joined(a.list(s.Then, a.where(cond, true, then)), a.list(s.Else, a.where(cond, false, otherwise)))
	case *ir.Block:
		return a.block(s.Label, s.Body, st)
	case *ir.While, *ir.ForRange, *ir.Foreach:
		return a.loop(s, st)
	default:
		a.fail(s.Position(), "a statement is not followed")
	}
	return st
}

// dropped looks at what the model leaves out.
func (a *flow) dropped(s *ir.Dropped, st *state) {
	if s.Observes {
		a.fail(s.Pos, "a refusal that is not modelled depends on rows")
	}
	if len(s.Number) == 0 || s.Snapshot() != 0 {
		return
	}
	l := &lock{kind: onNumber, shared: s.Shared, taken: []moment{a.moment(s)}}
	for _, e := range s.Number {
		l.number = append(l.number, st.value(e))
	}
	a.take(st, l)
}

// expr gives the value of an expression at a place. A query inside of it becomes a value that
// is not known.
func (a *flow) expr(s ir.Stmt, e ir.Expr, st *state) ir.Expr {
	if !ir.HasExists(e) {
		return st.value(e)
	}
	if !a.constant(s, ir.Reads(s)) || a.foundByWrite(s, firstQuery(s)) {
		if x, ok := e.(*ir.Exists); ok && len(ir.Exprs(s)) == 1 {
			return a.exists(s, x, st)
		}
		if u, ok := e.(*ir.Unary); ok && u.Op == ir.Not && len(ir.Exprs(s)) == 1 {
			if x, ok := u.X.(*ir.Exists); ok {
				return ir.NotE(a.exists(s, x, st))
			}
		}
		a.stable(s, st, st.looks(s, nil, nil))
	}
	a.named++
	return ir.V(fmt.Sprintf("query#%d", a.named))
}

// exists is whether a query finds something, as a value.
func (a *flow) exists(s ir.Stmt, x *ir.Exists, st *state) ir.Expr {
	a.named++
	found := fmt.Sprintf("exists#%d", a.named)
	a.into = map[string]int{found: foundRow}
	defer func() { a.into = nil }()
	a.query(s, &x.Query, st, func(n *prospect) {
		if n.absent != nil {
			n.absent.facts[found] = is(ir.Bool(false))
		}
		if n.present != nil {
			n.present.facts[found] = is(ir.Bool(true))
		}
	})
	return ir.V(found)
}

// choose looks at a SELECT into locals.
func (a *flow) choose(s *ir.Select, st *state) {
	value := map[string]string{}
	before := st.clone()
	tells := func(p *prospect) {
		note := func(c *chance, name string, f fact) {
			if c != nil {
				c.facts[value[name]] = f
			}
		}
		if s.Found != "" {
			note(p.absent, s.Found, is(ir.Bool(false)))
			note(p.present, s.Found, is(ir.Bool(true)))
		}
		src := s.Query.From[0]
		_, one := conditionsOf(src.Table, src.Row, ir.Conjuncts(st.value(s.Query.Where))).fixed(src.Table)
		one = one && len(s.Query.From) == 1
		for i, name := range s.Into {
			if len(s.Aggs) > 0 {
				if s.Aggs[i].Fn == "count" {
					note(p.absent, name, is(ir.Int(0)))
					if s.Aggs[i].Arg == nil && one {
						note(p.present, name, is(ir.Int(1)))
					} else if s.Aggs[i].Arg == nil {
						note(p.present, name, fact{notNull: true, positive: true})
					}
				}
				continue
			}
			note(p.absent, name, is(ir.Null))
			switch x := s.Cols[i].(type) {
			case *ir.Const:
				note(p.present, name, is(x.Value))
			case *ir.Col:
				if c := src.Table.Column(x.Col); x.Row == src.Row && src.Table.Columns[c].NotNull {
					note(p.present, name, fact{notNull: true})
				}
			default: // it may have any value
			}
		}
	}
	for _, name := range append(slices.Clone(s.Into), s.Found) {
		if name != "" {
			value[name] = a.renew(st, name)
		}
	}
	// The query runs before the locals are set.
	after := st.values
	st.values = before.values
	columns := map[int]ir.Expr{}
	if len(s.Query.From) == 1 && len(s.Aggs) == 0 {
		for i, name := range s.Into {
			if c, ok := s.Cols[i].(*ir.Col); ok && c.Row == s.Query.From[0].Row {
				columns[s.Query.From[0].Table.Column(c.Col)] = ir.V(value[name])
			}
		}
	}
	a.seen, a.into = columns, map[string]int{}
	for local, v := range value {
		a.into[v] = noColumn
		if local == s.Found {
			a.into[v] = foundRow
		}
	}
	for c, e := range columns {
		a.into[e.(*ir.Var).Name] = c
	}
	a.query(s, &s.Query, st, tells)
	a.seen, a.into = nil, nil
	st.values = after
}

// query looks at a statement that reads. tells, if not nil, notes which values tell whether a
// row was found.
func (a *flow) query(s ir.Stmt, q *ir.Query, st *state, tells func(*prospect)) {
	if asked, _ := ir.LocksOf(s); len(asked) == 0 && (a.constant(s, ir.Reads(s)) && !a.foundByWrite(s, q) || a.unseen(s)) {
		a.knowConstant(st, q)
		return
	}
	_, loop := s.(*ir.Foreach)
	inner := slices.ContainsFunc(ir.Conjuncts(q.Where), ir.HasExists)
	locks, own := ir.LocksOf(s)
	if own == q {
		inner = slices.ContainsFunc(ir.Exprs(s), ir.HasExists)
	}
	if own != q {
		locks = nil
	}
	if x, ok := s.(*ir.Select); ok && a.choosesRows(x, st) {
		return
	}
	if len(q.From) != 1 || inner {
		looks := st.looks(s, sourcesOf(s, q), q.Where)
		if tells != nil && !inner && len(locks) == 0 {
			a.whether(s, q, st, tells, looks)
		} else {
			a.stable(s, st, looks)
		}
		return
	}
	src := q.From[0]
	row := conditionsOf(src.Table, src.Row, ir.Conjuncts(st.value(q.Where)))
	if l := st.heldRow(src.Table, row); l != nil && a.after(s, l) && !a.plain[s] {
		a.knows(st, l, src.Table, src.Row, ir.Conjuncts(st.value(q.Where)), locks.Of(src.Row), s, tells)
		return
	}
	conds := ir.Conjuncts(st.value(q.Where))
	if (locks.Of(src.Row) >= ir.ForShare || a.foundByWrite(s, q)) && st.amongChosen(s, src.Table, src.Row, conds) {
		st.acts()
		return
	}
	if n := a.chosen(st, src.Table, src.Row, conds); n != nil && (a.foundByWrite(s, q) || !a.older(s, n, locks.Of(src.Row))) {
		a.again(s, n, st, tells)
		return
	}
	if x, ok := s.(*ir.Select); ok && a.chooses(x, src, st, tells) {
		return
	}
	if a.foundByWrite(s, q) {
		a.meet(s, src.Table, src.Row, q.Where, a.written(s, src, q.Where), st, tells)
		return
	}
	mode := locks.Of(src.Row)
	if a.plain != nil && !a.plain[s] {
		mode = max(mode, ir.ForShare)
	}
	if mode >= ir.ForShare {
		a.meet(s, src.Table, src.Row, q.Where, mode, st, tells)
		return
	}
	looks := st.looks(s, sourcesOf(s, q), q.Where)
	if key, one := row.fixed(src.Table); one && !loop {
		a.glimpse(s, src, row, key, st, tells, looks)
	} else if tells != nil && len(locks) == 0 {
		a.whether(s, q, st, tells, looks)
	} else {
		a.stable(s, st, looks)
	}
}

// sourcesOf are the tables that a statement itself reads for a query, none if it is one in an
// expression.
func sourcesOf(s ir.Stmt, q *ir.Query) []ir.Source {
	if _, own := ir.LocksOf(s); own == q {
		return q.From
	}
	return nil
}

// stable makes sure that what a statement looks at does not change until the commit.
func (a *flow) stable(s ir.Stmt, st *state, looks []look) {
	a.settled(s, st, a.unguarded(st, s, looks))
}

func (a *flow) settled(s ir.Stmt, st *state, m *menace) {
	if st.acts(); m != nil {
		a.fail(s.Position(), "it reads %s without a lock that lasts until it commits: %s", named(ir.Reads(s)), m)
	}
}

func named(sources []ir.Source) string {
	var out []string
	for _, src := range sources {
		if !slices.Contains(out, src.Table.Name) {
			out = append(out, src.Table.Name)
		}
	}
	return strings.Join(out, ", ")
}

// unseen reports whether nobody looks at what a SELECT finds, and what it computes of that does not end the transaction.
func (a *flow) unseen(s ir.Stmt) bool {
	x, ok := s.(*ir.Select)
	if !ok || len(x.Locks) > 0 || slices.ContainsFunc(ir.Exprs(s), failure.MayFail) {
		return false
	}
	return !slices.ContainsFunc(ir.Assigned(x), func(name string) bool { return a.used[name] })
}

// after reports whether a query sees a row that is held as it was when it came to be held:
// within one command it may be of the snapshot, but for what an INSERT returns.
func (a *flow) after(s ir.Stmt, l *lock) bool {
	c := a.sent
	returned := c != nil && c.Command() == s.Command() && c.Table == l.table && c.Verb == ir.Inserts
	if x, ok := s.(*ir.Select); ok && x.Written {
		returned = true
	}
	return returned || l.before(s)
}

// knows is told by a query of a row that is held: more of its columns, and perhaps a stronger lock.
func (a *flow) knows(st *state, l *lock, t *ir.Table, row string, conds []ir.Expr, mode ir.LockMode, s ir.Stmt, tells func(*prospect)) {
	st.acts()
	more := *l
	more.equals = equals{}
	for c, list := range l.equals {
		more.equals[c] = slices.Clone(list)
	}
	if key, one := conditionsOf(t, row, conds).fixed(t); one && l.sure && onlyKey(t, row, key, conds) {
		if tells != nil && !a.frees(t) {
			p := &prospect{present: &chance{facts: maps.Clone(st.facts)}}
			tells(p)
			st.facts = p.present.facts
		}
		for c, e := range a.seen {
			if t.Columns[c].NotNull {
				more.equals.add(c, e)
			}
		}
	}
	st.held = append(slices.Clone(st.held), &more)
	if mode > l.row {
		strong := more
		strong.row, strong.taken = mode, []moment{a.moment(s)}
		strong.early = false
		a.take(st, &strong)
	}
}

// onlyKey reports whether conditions say nothing but the values of a key: a row that they do not
// find is not there.
func onlyKey(t *ir.Table, row string, key []int, conds []ir.Expr) bool {
	return !slices.ContainsFunc(conds, func(c ir.Expr) bool {
		return !slices.ContainsFunc(key, func(k int) bool { return len(conditionsOf(t, row, []ir.Expr{c})[k]) > 0 })
	})
}
