package sqlmodel

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/value"
	"github.com/txrobust/robust/ir"
)

// psql translates what psql or pgbench does in one transaction.
type psql struct {
	b *builder
	f *frame
	s *script
	// vars are the variables that occur, by number.
	vars map[int]*variable
	// roles say where a variable gets its first value.
	roles map[int]role
	// sure are the variables that are known to have a value here, stored those
	// whose value comes from the database.
	sure, stored map[int]bool
	// points are the savepoints that are set, with their names in the IR.
	points []point
	// snapped says that a statement before took the snapshot.
	snapped bool
	draws   map[*command]bool // the \set that a parameter stands for
	// sent is the command of the statement that is translated.
	sent *ir.Send
}

type point struct{ name, ir string }

// role says where a variable gets its first value.
type role uint8

const (
	given   role = iota // by whoever runs the script
	drawn               // at random
	set                 // by \set
	queried             // by \gset: it has none where there was no row
)

// scriptBody translates a transaction of a script.
func (b *builder) scriptBody(f *frame) {
	c := &psql{b: b, f: f, s: f.fn.script, vars: map[int]*variable{}, roles: map[int]role{}, sure: map[int]bool{},
		stored: map[int]bool{}, draws: map[*command]bool{}}
	c.declare()
	if c.s.lock != "" {
		b.emit(&ir.Dropped{At: at(f.fn.pos), Kind: ir.BySessionLock, What: "the advisory lock of " + c.s.lock + ", which the session still holds"})
	}
	for _, n := range c.s.before {
		switch {
		case n.raw == nil && n.branches == nil:
			c.command(n.cmd)
		case hasStatement(n):
			c.forget(n)
		default:
			c.branches(n, n.branches)
		}
	}
	c.list(c.s.nodes)
}

// assignments calls f for the commands in a node that set variables, with the
// number of each of those.
func (c *psql) assignments(n *node, f func(cmd *command, k int)) {
	for _, b := range n.branches {
		for _, m := range b.nodes {
			c.assignments(m, f)
		}
	}
	if n.branches != nil || n.cmd == nil {
		return
	}
	switch n.cmd.name {
	case "gset", "aset":
		for _, col := range c.resultNames(n) {
			if k := c.number(n.cmd.target + col); k > 0 {
				f(n.cmd, k)
			}
		}
	case "set", "setrandom", "setshell", "prompt", "getenv", "unset":
		if k := c.number(n.cmd.target); k > 0 {
			f(n.cmd, k)
		}
	}
}

// number gives the number of a variable of psql or pgbench, 0 if nothing uses it.
func (c *psql) number(name string) int { return c.s.s.index[":"+name] }

// forget stands for what earlier transactions of the script did to variables:
// they have any value.
func (c *psql) forget(n *node) {
	c.assignments(n, func(cmd *command, k int) {
		if v := c.vars[k]; v != nil {
			c.b.emitWeak(&ir.Havoc{At: at(cmd.pos), Var: v.local, NotNull: true})
			c.changed(k, false)
			c.sure[k] = true
		}
	})
}

// declare finds out which variables there are, and makes the parameters and the
// locals.
func (c *psql) declare() {
	var order []int
	used := map[int]bool{}
	needs := map[int][]int{} // what the values of a variable are computed from
	note := func(k int, r role) {
		if _, known := c.roles[k]; !known {
			c.roles[k] = r
			order = append(order, k)
		}
	}
	use := func(list []int) {
		for _, k := range list {
			note(k, given)
			used[k] = true
		}
	}
	var scan func(n *node, conditional bool)
	scan = func(n *node, conditional bool) {
		if n.raw != nil {
			use(parameters(n))
		}
		for _, br := range n.branches {
			if br.cond != nil {
				use(textParameters(br.cond.expr))
			}
			for _, m := range br.nodes {
				scan(m, true)
			}
		}
		if n.branches != nil {
			return
		}
		c.assignments(n, func(cmd *command, k int) {
			_, later := c.roles[k]
			switch {
			case cmd.name == "gset" || cmd.name == "aset":
				note(k, queried)
			case !conditional && !later && (cmd.name != "set" || !cmd.plain && cmd.expr == nil || c.random(cmd)):
				c.draws[cmd] = true
				note(k, drawn)
			case conditional && c.s.open[k]:
				note(k, given)
			default:
				note(k, set)
			}
			if cmd.expr != nil && !c.draws[cmd] {
				list := textParameters(cmd.expr)
				for _, j := range list {
					note(j, given)
				}
				needs[k] = append(needs[k], list...)
			}
		})
	}
	for _, n := range c.s.before {
		if hasStatement(n) {
			c.assignments(n, func(_ *command, k int) { note(k, given) })
			continue
		}
		scan(n, false)
	}
	for _, n := range c.s.nodes {
		scan(n, false)
	}
	for k := range used {
		c.alsoUsed(k, needs, used)
	}
	c.f.inputs = make([]*variable, len(c.s.s.vars))
	for k := range c.f.inputs {
		c.f.inputs[k] = &variable{name: c.s.s.vars[k], t: tText, bound: ir.C(ir.Null)}
	}
	nameless := 0
	for _, k := range order {
		if !used[k] {
			continue
		}
		name := c.s.s.vars[k-1]
		if name == "" {
			nameless++
			name = "p" + itoa(nameless)
		}
		c.vars[k] = c.variable(k, name, c.roles[k] == given || c.roles[k] == drawn)
		c.sure[k] = c.roles[k] == drawn
		c.f.inputs[k-1] = c.vars[k]
	}
}

// alsoUsed marks what k is computed from.
func (c *psql) alsoUsed(k int, needs map[int][]int, used map[int]bool) {
	for _, j := range needs[k] {
		if !used[j] {
			used[j] = true
			c.alsoUsed(j, needs, used)
		}
	}
}

// variable makes the parameter or local of a variable.
func (c *psql) variable(k int, name string, parameter bool) *variable {
	b := c.b
	v := &variable{name: name, local: name}
	for taken := true; taken; {
		_, taken = b.txn.LocalType(v.local)
		if taken = taken || b.l.prog.Table(v.local) != nil; taken {
			v.local += "_"
		}
	}
	b.typings[v.local] = &typing{}
	it := ir.NullType
	v.t = tUnknown
	if t, known := c.s.types[v.local]; known {
		v.t, it = t, localType(t)
	}
	if !parameter {
		b.txn.Locals = append(b.txn.Locals, ir.Local{Name: v.local, Type: it, Domain: v.t.domain()})
		return v
	}
	v.nn = c.roles[k] == drawn
	b.txn.Params = append(b.txn.Params, ir.Param{Name: v.local, Type: it, NotNull: v.nn, Fresh: slices.Contains(c.f.fn.fresh, name), Domain: v.t.domain()})
	return v
}

// textParameters gives the numbers of the variables in an expression.
func textParameters(t *text) []int {
	stmts, err := t.parse()
	if err != nil || len(stmts) != 1 {
		return nil
	}
	return parameters(&node{raw: stmts[0]})
}

// random reports whether \set draws a random number whose bounds do not come
// from the database: any value, so, chosen with the parameters.
func (c *psql) random(cmd *command) bool {
	if cmd.expr == nil {
		return false
	}
	n := clientExpression(cmd.expr)
	call, ok := pg.Inner(n).(*pg.FuncCall)
	if !ok || !clientFunctions[qualified(names(call.Funcname))] {
		return false
	}
	for _, k := range textParameters(cmd.expr) {
		if r := c.roles[k]; r != given && r != drawn {
			return false
		}
	}
	return true
}

func (c *psql) list(nodes []*node) {
	for _, n := range nodes {
		switch {
		case n.raw != nil:
			c.b.numbered(func() { c.statement(n) })
		case n.branches != nil:
			c.branches(n, n.branches)
		default:
			c.command(n.cmd)
		}
	}
}

// branches translates \if.
func (c *psql) branches(n *node, list []branch) {
	b := c.b
	if len(list) == 0 {
		return
	}
	if list[0].cond == nil {
		c.list(list[0].nodes)
		return
	}
	pos := list[0].cond.pos
	b.cur = pos
	s := &ir.If{At: at(pos), Cond: c.condition(list[0].cond)}
	sure, points, snapped, late := cloneSet(c.sure), slices.Clone(c.points), c.snapped, b.l.late
	s.Then = b.collect(func() { c.list(list[0].nodes) })
	sureThen, pointsThen, snappedThen, lateThen := c.sure, c.points, c.snapped, b.l.late
	c.sure, c.points, c.snapped, b.l.late = sure, points, snapped, late
	s.Else = b.collect(func() { c.branches(n, list[1:]) })
	b.l.late = *b.l.late.with(lateThen.run.or(b.l.late.run))
	for k := range c.sure {
		if !sureThen[k] {
			delete(c.sure, k)
		}
	}
	c.snapped = c.snapped && snappedThen
	same := 0
	for same < len(c.points) && same < len(pointsThen) && c.points[same] == pointsThen[same] {
		same++
	}
	c.points = c.points[:same]
	b.emit(s)
}

func cloneSet(s map[int]bool) map[int]bool {
	out := map[int]bool{}
	for k, v := range s {
		if v {
			out[k] = true
		}
	}
	return out
}

// ex gives the translator for a text of the script.
func (c *psql) ex(t *text) *ex { return c.b.ex(c.f, t) }

// need ends the transaction where a variable has no value: the server refuses
// a statement with its name in it.
func (c *psql) need(pos ir.Pos, list []int) {
	for _, k := range list {
		v := c.vars[k]
		if v == nil || c.sure[k] {
			continue
		}
		if c.roles[k] == set { // some path gives it no value: whoever runs the script may
			c.s.open[k] = true
		}
		if c.roles[k] != queried {
			continue
		}
		c.b.emit(&ir.Assume{At: at(pos), Cond: isNotNull(ir.V(v.local))})
		c.sure[k] = true
	}
}

// statement translates a statement.
func (c *psql) statement(n *node) {
	b := c.b
	if t, ok := pg.Inner(n.raw.Stmt).(*pg.TransactionStmt); ok {
		c.control(n, t)
		return
	}
	if n.cmd != nil && n.cmd.name == "gdesc" {
		return // the statement is only described
	}
	b.cur = n.pos
	c.need(n.pos, parameters(n))
	tree := pg.Inner(n.raw.Stmt)
	c.send(n)
	if !apart(tree) && !c.snapped {
		c.snapped = true
		b.snapshotHere()
	}
	fn := &function{refs: newRefs(), script: &script{does: map[*pg.DoStmt]*function{}}}
	b.l.scriptRefs(fn, n)
	run := func() { b.command(c.f, n.text, tree, n.pos, sink{kind: toClient}) }
	other := func() {}
	switch {
	case n.cmd != nil && (n.cmd.name == "gset" || n.cmd.name == "aset"):
		run = func() { c.gset(n, tree) }
		other = func() { c.lose(n) }
	case strings.HasPrefix(c.s.result, "execr") || c.s.result == "batchexec": // sqlc returns how many rows it changed
		c.sent.Result = ir.Counted
		run = func() { c.counted(n, tree) }
	case c.s.result == "exec":
		run = func() { b.command(c.f, n.text, tree, n.pos, sink{}) }
	case gives(tree):
		c.sent.Result = ir.Rows
	}
	if do, ok := tree.(*pg.DoStmt); ok {
		run = func() { b.inline(n.pos, c.s.does[do], nil) }
	}
	b.guard(n.pos, fn.refs, run, other)
}

// send writes that the client sends a statement.
func (c *psql) send(n *node) {
	c.sent = c.b.statementCommand(n.text, n.raw, n.pos, func(k, off int) ir.SendArg {
		v := c.f.inputs[k-1]
		a := ir.SendArg{Expr: v.expr(), Type: v.t.String()}
		at := n.text.offset(off)
		switch in := n.text.src.text; {
		case in[at] != ':':
			a.Number = k
		case at+1 < len(in) && in[at+1] == '\'':
			a.Quoted = true
		}
		return a
	})
	c.b.send(c.sent)
}

// snapshotHere writes a read by which the transaction takes its snapshot, for
// the case that a LOCK TABLE follows; snapshots finishes it.
func (b *builder) snapshotHere() {
	s := &ir.Select{At: at(b.txn.Pos), Into: []string{b.local("snapshot", tBool)}, Cols: []ir.Expr{ir.C(ir.Bool(true))}}
	b.first = append(b.first, s)
	b.out = append(b.out, s)
}

// snapshots finishes the reads of snapshotHere where the transaction locks a
// table, and drops them elsewhere.
func (b *builder) snapshots() {
	var table *ir.Table
	ir.Walk(b.txn.Body, func(s ir.Stmt) {
		if k, ok := s.(*ir.LockTable); ok && table == nil {
			table = k.Table
		}
	})
	// A read that no LOCK TABLE follows serves nothing.
	needed := map[ir.Stmt]bool{}
	for _, s := range b.first {
		if table != nil && locksAfter(b.txn.Body, s) {
			s.Query = ir.Query{From: []ir.Source{{Table: table, Row: table.Name}}}
			needed[s] = true
		}
	}
	var clean func(list []ir.Stmt) []ir.Stmt
	clean = func(list []ir.Stmt) []ir.Stmt {
		var out []ir.Stmt
		for _, s := range list {
			if r, ok := s.(*ir.Select); ok && slices.Contains(b.first, r) && !needed[s] {
				continue
			}
			ir.EditChildren(s, clean)
			out = append(out, s)
		}
		return out
	}
	b.txn.Body = clean(b.txn.Body)
}

// locksAfter reports whether a LOCK TABLE stands behind s in the text.
func locksAfter(list []ir.Stmt, s ir.Stmt) bool {
	seen, after := false, false
	ir.Walk(list, func(t ir.Stmt) {
		_, locks := t.(*ir.LockTable)
		after = after || seen && locks
		seen = seen || t == s
	})
	return after
}

// control is a savepoint, or the end of the transaction in a branch.
func (c *psql) control(n *node, t *pg.TransactionStmt) {
	b := c.b
	find := func() int {
		for i := len(c.points) - 1; i >= 0; i-- {
			if c.points[i].name == t.SavepointName {
				return i
			}
		}
		b.l.fail(n.pos, "there is no savepoint %s here", t.SavepointName)
		return -1
	}
	switch t.Kind {
	case pg.TransSavepoint, pg.TransRelease, pg.TransBackTo:
		c.send(n)
	}
	switch t.Kind {
	case pg.TransSavepoint:
		b.points++
		p := point{t.SavepointName, t.SavepointName}
		if b.points > 1 {
			p.ir += "_" + itoa(b.points)
		}
		c.points = append(c.points, p)
		b.emit(&ir.Savepoint{At: at(n.pos), Name: p.ir})
	case pg.TransRelease:
		c.points = c.points[:find()]
	case pg.TransBackTo:
		i := find()
		c.points = c.points[:i+1]
		b.emit(&ir.RollbackTo{At: at(n.pos), Name: c.points[i].ir})
		b.undone(c.f.fn)
	case pg.TransCommit:
		b.emit(&ir.Return{At: at(n.pos)})
	case pg.TransRollback:
		b.emit(&ir.Abort{At: at(n.pos)})
	}
}

// counted runs a statement and returns the number of rows that it changed.
func (c *psql) counted(n *node, tree any) {
	b, f := c.b, c.f
	f.rowcount = b.local("row_count", tInt)
	defer func() { f.rowcount = "" }()
	b.command(f, n.text, tree, n.pos, sink{})
	b.emit(&ir.Emit{At: at(n.pos), Exprs: []ir.Expr{ir.V(f.rowcount)}})
}

// changed takes note that a variable has a new value.
func (c *psql) changed(k int, stored bool) {
	delete(c.sure, k)
	c.stored[k] = c.stored[k] || stored
	c.vars[k].nn = false
	if c.roles[k] == given || c.roles[k] == drawn { // it may be NULL now, which stands for no value
		c.roles[k] = queried
	}
}

// command translates a command that stands by itself.
func (c *psql) command(cmd *command) {
	b := c.b
	k := c.number(cmd.target)
	v := c.vars[k]
	switch cmd.name {
	case "set":
		switch {
		case v == nil || c.draws[cmd]:
		case cmd.expr != nil:
			b.cur = cmd.pos
			c.need(cmd.pos, textParameters(cmd.expr))
			stored := c.fromDatabase(cmd)
			c.store(k, c.value(cmd.expr, clientExpression(cmd.expr)), cmd, stored)
		case cmd.plain:
			e := val{e: ir.C(ir.Text(cmd.literal)), t: tText, nn: true}
			if r, ok := value.Rational(cmd.literal); ok {
				if e = (val{e: ir.C(ir.Num(r)), t: tNumeric, nn: true}); r.IsInt() && r.Num().IsInt64() {
					e = val{e: ir.C(ir.Int(r.Num().Int64())), t: tInt, nn: true}
				}
			}
			c.store(k, e, cmd, false)
		default:
			b.emitWeak(&ir.Havoc{At: at(cmd.pos), Var: v.local, NotNull: true})
			c.changed(k, false)
			c.sure[k] = true
		}
	case "setrandom", "setshell", "prompt", "getenv", "unset":
		if v != nil && !c.draws[cmd] {
			b.emitWeak(&ir.Havoc{At: at(cmd.pos), Var: v.local, NotNull: true})
			c.changed(k, false)
			c.sure[k] = true
		}
	case "q", "quit":
		b.emit(&ir.Abort{At: at(cmd.pos)})
	}
}

// fromDatabase reports whether an expression uses what a query gave.
func (c *psql) fromDatabase(cmd *command) bool {
	return slices.ContainsFunc(textParameters(cmd.expr), func(k int) bool { return c.stored[k] })
}

// store assigns a value to a variable.
func (c *psql) store(k int, e val, cmd *command, stored bool) {
	b, v := c.b, c.vars[k]
	out := e.e
	x := c.ex(&text{src: c.f.text.src})
	switch {
	case e.t.name != nUnknown || !b.isTyped(e.e):
		out = x.cast(e, b.setType(v, e.t), 0).e
	case v.t.name != nUnknown: // a copy of a variable has the type of the place where it stands
		out = x.cast(e, v.t, 0).e
	}
	s := &ir.Assign{At: at(cmd.pos), Var: v.local, Expr: out}
	if !ir.MayFail(out) {
		b.weak[s] = true
	}
	b.emit(s)
	c.changed(k, stored)
	c.sure[k] = e.nn
}
