package readcommitted

import (
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/ir"
)

// atomicity goes through a template along its branches, and looks whether all that it has
// seen of rows that others may change stays as it is until the commit, on every path that
// commits.
type atomicity struct {
	*changes
	txn   *ir.Txn
	fault *Settled
	// around are the loops and blocks, inner ones last.
	around []*around
	// sent is the last command that a client has sent, if that is known.
	sent *ir.Send
	// gained are the commands by which rows came to be held.
	gained map[rowKey]int
	// met is the sighting of the statement that is looked at, with what it tells.
	met  *sighting
	told facts
}

// sighting is a command that looks for one row by its key, and locks it if it is there.
// Where it is not, nothing keeps another transaction from putting it there.
type sighting struct {
	key  rowKey
	pos  ir.Pos
	what string
	// The statements of one command that look for the row by one condition find the same.
	command, snapshot int
	condition         string
	// locals are those in the key; it is stale when one of them has changed since.
	locals map[string]bool
	stale  bool
}

// facts are locals with the values that they have if a sighting has found no row.
type facts map[string]ir.Value

// rowKey names a row: a table, and its key as expressions over locals.
type rowKey struct {
	table *ir.Table
	key   string
}

// state is what is known at a place of the template.
type state struct {
	// held are the rows that nobody else can change, take away or put there until the
	// commit, with the locals in their keys.
	held map[rowKey]map[string]bool
	// open are the sightings of which it is not known that the row was there.
	open map[*sighting]facts
	// acted says that something else was seen or done than the open sightings.
	acted bool
}

// around is a loop or a block, with the states in which it is left or goes on.
type around struct {
	label        string
	loop         bool
	left, rounds []*state
}

func (a *atomicity) run() {
	end := a.list(a.txn.Body, &state{held: map[rowKey]map[string]bool{}, open: map[*sighting]facts{}})
	a.commit(end)
}

func (a *atomicity) fail(pos ir.Pos, format string, args ...any) {
	if a.fault == nil {
		a.fault = because(pos, format, args...)
	}
}

// commit looks at a state in which the transaction commits; nil is none.
func (a *atomicity) commit(st *state) {
	if st == nil || len(st.open) == 0 {
		return
	}
	open := slices.SortedFunc(maps.Keys(st.open), func(x, y *sighting) int { return x.pos.Line - y.pos.Line })
	first := open[0]
	if len(open) == 1 && !st.acted && !a.reinserted[first.key.table] {
		return // it either has the row until the end, or it has only seen that there is none
	}
	a.fail(first.pos, "it %s, and may commit where that is not there, although another transaction may put it there meanwhile", first.what)
}

func (st *state) clone() *state {
	out := &state{held: maps.Clone(st.held), open: map[*sighting]facts{}, acted: st.acted}
	for x, f := range st.open {
		out.open[x] = maps.Clone(f)
	}
	return out
}

// joined is what holds in both of two states; nil is a place that is never reached.
func joined(x, y *state) *state {
	if x == nil {
		return y
	}
	if y == nil {
		return x
	}
	out := x.clone()
	maps.DeleteFunc(out.held, func(k rowKey, _ map[string]bool) bool { _, is := y.held[k]; return !is })
	for x, f := range y.open {
		if mine, both := out.open[x]; both {
			maps.DeleteFunc(mine, func(name string, v ir.Value) bool { w, is := f[name]; return !is || w != v })
			continue
		}
		out.open[x] = maps.Clone(f)
	}
	out.acted = x.acted || y.acted
	return out
}

// list goes through statements, and gives the state after them, or nil.
func (a *atomicity) list(body []ir.Stmt, st *state) *state {
	for i, s := range body {
		if st == nil || a.fault != nil {
			return nil
		}
		st = a.stmt(s, body[i+1:], st)
	}
	return st
}

// stmt goes through a statement; rest is what follows it in its list.
func (a *atomicity) stmt(s ir.Stmt, rest []ir.Stmt, st *state) *state {
	st = st.clone()
	a.met, a.told = nil, nil
	switch s := s.(type) {
	case *ir.LockRows, *ir.LockTable:
		// They show nothing, and only keep others away.
	case *ir.Send:
		a.sent = s
	case *ir.Assign, *ir.Havoc, *ir.Emit:
		a.queries(s, ir.Reads(s))
	case *ir.Dropped:
		if s.Observes {
			a.fail(s.Pos, "a refusal that is not modelled depends on rows")
		}
	case *ir.Select:
		a.query(s, &s.Query, rest, st)
	case *ir.EmitRows:
		a.query(s, &s.Query, rest, st)
	case *ir.Update:
		a.write(s, s.Table, s.Row, s.Where, st)
	case *ir.Delete:
		if s.Moved {
			a.fail(s.Pos, "it changes the key of a row")
		}
		a.write(s, s.Table, s.Row, s.Where, st)
	case *ir.Insert:
		a.insert(s, st)
	case *ir.Return:
		a.commit(st)
		return nil
	case *ir.Abort:
		return nil
	case *ir.Assume:
		a.queries(s, ir.Reads(s))
		return where(s.Cond, true, st)
	case *ir.Break, *ir.Continue:
		a.jump(s, st)
		return nil
	case *ir.If:
		a.queries(s, ir.Reads(s))
		return joined(a.list(s.Then, where(s.Cond, true, st)), a.list(s.Else, where(s.Cond, false, st)))
	case *ir.Block:
		return a.block(s.Label, s.Body, st)
	case *ir.While, *ir.ForRange, *ir.Foreach:
		return a.loop(s, st)
	default:
		a.fail(s.Position(), "a statement is not followed")
	}
	a.assign(s, st)
	return st
}

// queries makes sure that the queries in the expressions of a statement give the same
// whenever it runs.
func (a *atomicity) queries(s ir.Stmt, sources []ir.Source) {
	if !a.constant(s, sources) {
		a.fail(s.Position(), "it reads %s without a lock, and more than that", named(sources))
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

// query looks at a statement that reads.
func (a *atomicity) query(s ir.Stmt, q *ir.Query, rest []ir.Stmt, st *state) {
	if a.constant(s, ir.Reads(s)) {
		return
	}
	if len(q.From) != 1 || slices.ContainsFunc(ir.Exprs(s), ir.HasExists) {
		a.queries(s, ir.Reads(s))
		return
	}
	src := q.From[0]
	key, _, one := keyOf(src.Table, src.Row, q.Where)
	if _, is := st.held[rowKey{src.Table, key}]; one && is && a.after(s, rowKey{src.Table, key}) {
		return
	}
	if a.returns(s, src.Table) && written(s, src, q.Where, rest) {
		a.meet(s, src.Table, src.Row, q.Where, st)
		return
	}
	locks, _ := ir.LocksOf(s)
	if locks.Of(src.Row) < ir.ForShare {
		a.queries(s, ir.Reads(s))
		return
	}
	if !one {
		a.fail(s.Position(), "it locks rows of %s that it finds by more than their key", src.Table.Name)
		return
	}
	a.meet(s, src.Table, src.Row, q.Where, st)
}

// after reports whether a query sees a row that is held as it was when it came to be held:
// within one command it may be of the snapshot, but for what an INSERT returns.
func (a *atomicity) after(s ir.Stmt, k rowKey) bool {
	c := a.sent
	inserts := c != nil && c.Command() == s.Command() && c.Table == k.table && c.Verb == ir.Inserts
	return inserts || s.Command() == 0 || a.gained[k] != s.Command()
}

// together reports whether two statements are of one command, and see one snapshot.
func together(x, y ir.Stmt) bool {
	return x.Command() == y.Command() && x.Snapshot() == y.Snapshot() && x.Snapshot() >= 0
}

// returns reports whether a query gives what the UPDATE or DELETE that is sent returns, or
// how many rows it has. A subquery of it does not: after a wait it is not computed again.
func (a *atomicity) returns(s ir.Stmt, t *ir.Table) bool {
	c := a.sent
	if c == nil || !together(c, s) || c.Table != t || c.Verb != ir.Updates && c.Verb != ir.Deletes {
		return false
	}
	for _, name := range ir.Assigned(s) {
		if name != c.Found && name != c.Count && !slices.Contains(c.Into, name) {
			return false
		}
	}
	return true
}

// written reports whether an UPDATE or DELETE that follows a query in its command has the
// same rows: what it returns, and how many rows there are, is computed before.
func written(s ir.Stmt, src ir.Source, where ir.Expr, rest []ir.Stmt) bool {
	used := localsIn(where)
	changed := func(s ir.Stmt) bool {
		return slices.ContainsFunc(ir.Assigned(s), func(n string) bool { return used[n] })
	}
	same := func(next ir.Stmt, table *ir.Table, row string, cond ir.Expr) bool {
		return together(next, s) && table == src.Table && row == src.Row && text(cond) == text(where)
	}
	if s.Command() == 0 || changed(s) {
		return false
	}
	for _, next := range rest {
		switch w := next.(type) {
		case *ir.Update:
			return same(w, w.Table, w.Row, w.Where)
		case *ir.Delete:
			return same(w, w.Table, w.Row, w.Where)
		case *ir.Assign, *ir.Havoc, *ir.Dropped:
			if len(ir.Reads(next)) > 0 {
				return false
			}
		case *ir.Select, *ir.EmitRows:
			_, q := ir.LocksOf(next)
			if len(q.From) != 1 || !same(next, q.From[0].Table, q.From[0].Row, q.Where) {
				return false
			}
		default:
			return false
		}
		if changed(next) {
			return false
		}
	}
	return false
}

func text(e ir.Expr) string {
	if e == nil {
		return ""
	}
	return ir.ExprString(e)
}

// write looks at an UPDATE or DELETE.
func (a *atomicity) write(s ir.Stmt, t *ir.Table, row string, where ir.Expr, st *state) {
	if slices.ContainsFunc(ir.Exprs(s), ir.HasExists) {
		a.fail(s.Position(), "it changes rows of %s by what a query in the same command reads", t.Name)
		return
	}
	a.meet(s, t, row, where, st)
}

// meet looks at a statement that finds rows of a table and has them locked when its
// command ends.
func (a *atomicity) meet(s ir.Stmt, t *ir.Table, row string, where ir.Expr, st *state) {
	key, locals, one := keyOf(t, row, where)
	k := rowKey{t, key}
	if _, is := st.held[k]; one && is {
		return
	}
	if !a.code.Inserted[t] && a.lasting(t, row, where) {
		// Whoever matches has matched since before, and the others never will.
		if st.acted = true; one && onlyKey(t, row, where) {
			st.held[k], a.gained[k] = locals, s.Command()
		}
		return
	}
	if !one {
		a.fail(s.Position(), "it changes rows of %s that it finds by more than their key, while others insert some or change what it looks at", t.Name)
		return
	}
	a.sight(&sighting{key: k, pos: s.Position(), what: "looks for a row of " + t.Name + " by its key and locks it",
		command: s.Command(), snapshot: s.Snapshot(), condition: text(where), locals: locals}, missing(s), st)
}

// lasting reports whether the rows that match a condition match it for good: no template
// changes a column that it names.
func (a *atomicity) lasting(t *ir.Table, row string, where ir.Expr) bool {
	ok := true
	ir.WalkExpr(where, func(e ir.Expr) {
		if c, is := e.(*ir.Col); is && c.Row == row {
			ok = ok && !a.code.Updated[t][t.Column(c.Col)]
		}
	})
	return ok
}

// missing gives the locals that tell whether a statement has found its one row, with
// their values where it has not.
func missing(s ir.Stmt) facts {
	out := facts{}
	x, ok := s.(*ir.Select)
	if !ok {
		return out
	}
	if x.Found != "" {
		out[x.Found] = ir.Bool(false)
	}
	for i, name := range x.Into {
		switch {
		case len(x.Aggs) == 0:
			out[name] = ir.Null
		case x.Aggs[i].Fn == "count":
			out[name] = ir.Int(0)
		}
	}
	return out
}

// sight notes that a command looks for a row. Statements of one command that look for the
// same one by the same condition have the same answer.
func (a *atomicity) sight(n *sighting, told facts, st *state) {
	a.told = told
	for x := range st.open {
		if x.key == n.key && x.command != 0 && x.command == n.command && x.snapshot == n.snapshot && n.snapshot >= 0 && x.condition == n.condition && !x.stale {
			a.met = x
			return
		}
	}
	if len(st.open) > 0 {
		st.acted = true
	}
	st.open[n] = facts{}
	a.met = n
}

// insert looks at an INSERT. What it has inserted nobody else can insert, and what it has
// found in the way of an ON CONFLICT DO UPDATE it has locked.
func (a *atomicity) insert(s *ir.Insert, st *state) {
	if s.Moved != nil || len(s.Table.Late) > 0 {
		a.fail(s.Pos, "it changes the key of a row, or a constraint is checked at the commit")
		return
	}
	if slices.ContainsFunc(ir.Exprs(s), ir.HasExists) {
		a.fail(s.Pos, "it inserts into %s what a query in the same command reads", s.Table.Name)
		return
	}
	if len(st.open) > 0 {
		st.acted = true
	}
	key, locals, keyed := keyOfInsert(s)
	if s.Conflict == nil || len(s.Conflict.Sets) > 0 {
		st.acted = true
		if k := (rowKey{s.Table, key}); keyed && byKey(s) {
			st.held[k], a.gained[k] = locals, s.Command()
		}
		return
	}
	if !a.code.Deleted[s.Table] && !keyUpdated(a.code, s.Table) && len(s.Table.Exclusions) == 0 && len(partial(s.Table)) == 0 {
		st.acted = true // what is in the way stays there
		return
	}
	told := facts{}
	if s.Done != "" {
		told[s.Done] = ir.Bool(false)
	}
	a.sight(&sighting{key: rowKey{table: s.Table}, pos: s.Pos, what: "inserts into " + s.Table.Name + " unless something is in the way", stale: true}, told, st)
}

// byKey reports whether a row that an INSERT has written, or has found in its way, has
// the primary key that the INSERT names.
func byKey(s *ir.Insert) bool {
	return s.Conflict == nil || s.Conflict.Target != nil && ir.SameColumns(s.Conflict.Target, s.Table.Key)
}

// partial gives the unique keys of a table that are about some of its rows only.
func partial(t *ir.Table) []ir.Unique {
	return slices.DeleteFunc(slices.Clone(t.Uniques), func(u ir.Unique) bool { return u.Where == nil })
}

// keyOf gives the key by which a condition finds one row at the most, as text over
// locals. one is false if it may find more.
func keyOf(t *ir.Table, row string, where ir.Expr) (key string, locals map[string]bool, one bool) {
	if t.Var {
		return "", nil, true
	}
	if len(t.Key) == 0 {
		return "", nil, false
	}
	locals = map[string]bool{}
	var parts []string
	for _, k := range t.Key {
		found := ""
		for _, c := range ir.Conjuncts(where) {
			if e := equalTo(c, row, t.Columns[k].Name); e != nil {
				found = text(e)
				maps.Copy(locals, localsIn(e))
				break
			}
		}
		if found == "" {
			return "", nil, false
		}
		parts = append(parts, found)
	}
	return strings.Join(parts, "\x00"), locals, true
}

// onlyKey reports whether a condition of which keyOf gives the key says nothing else: a row
// that it does not find is not there.
func onlyKey(t *ir.Table, row string, where ir.Expr) bool {
	for _, c := range ir.Conjuncts(where) {
		if !slices.ContainsFunc(t.Key, func(k int) bool { return equalTo(c, row, t.Columns[k].Name) != nil }) {
			return false
		}
	}
	return true
}

// equalTo gives what a condition says that a column is equal to: something that is the same
// for all rows. It is nil if the condition is another one.
func equalTo(c ir.Expr, row, col string) ir.Expr {
	b, ok := c.(*ir.Binary)
	if !ok || b.Op != ir.Eq && b.Op != ir.Is {
		return nil
	}
	is := func(e ir.Expr) bool { x, ok := e.(*ir.Col); return ok && x.Row == row && x.Col == col }
	free := func(e ir.Expr) bool {
		ok := true
		ir.WalkExpr(e, func(e ir.Expr) {
			_, column := e.(*ir.Col)
			_, query := e.(*ir.Exists)
			ok = ok && !column && !query
		})
		return ok
	}
	switch {
	case is(b.X) && free(b.Y):
		return b.Y
	case is(b.Y) && free(b.X):
		return b.X
	}
	return nil
}

// keyOfInsert gives the primary key of the row that an INSERT proposes.
func keyOfInsert(s *ir.Insert) (key string, locals map[string]bool, named bool) {
	locals = map[string]bool{}
	var parts []string
	for _, k := range s.Table.Key {
		i := slices.Index(s.Cols, k)
		if i < 0 {
			return "", nil, false
		}
		parts = append(parts, text(s.Values[i]))
		maps.Copy(locals, localsIn(s.Values[i]))
	}
	return strings.Join(parts, "\x00"), locals, len(parts) > 0
}

// localsIn gives the locals that an expression names.
func localsIn(e ir.Expr) map[string]bool {
	out := map[string]bool{}
	ir.WalkExpr(e, func(e ir.Expr) {
		if v, ok := e.(*ir.Var); ok {
			out[v.Name] = true
		}
	})
	return out
}
