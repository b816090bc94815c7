package sqlmodel

import (
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/failure"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/load"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/proc"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/value"
)

// psql translates what psql or pgbench does in one transaction.
type psql struct {
	b *builder
	f *expr.Frame
	s *schema.Script
	// vars are the variables that occur, by number.
	vars map[int]*expr.Variable
	// roles say where a variable gets its first value.
	roles map[int]role
	// stored are the variables whose value comes from the database.
	stored map[int]bool
	draws  map[*syntax.Command]bool // the \set that a parameter stands for
	// sent is the command of the statement that is translated.
	sent *ir.Send
}

// role says where a variable gets its first value.
type role uint8

const (
	given   role = iota // by whoever runs the script
	drawn               // at random
	set                 // by \set
	queried             // by \gset: it has none where there was no row
)

// scriptBody translates a transaction of a script.
func (b *builder) scriptBody(f *expr.Frame) {
	c := &psql{b: b, f: f, s: f.Func.Script, vars: map[int]*expr.Variable{}, roles: map[int]role{},
		stored: map[int]bool{}, draws: map[*syntax.Command]bool{}}
	b.Path.Sure = map[int]bool{}
	c.declare()
	if c.s.Lock != "" {
		b.Emit(&ir.Dropped{At: expr.At(f.Func.Pos), Kind: ir.BySessionLock, What: "the advisory lock of " + c.s.Lock + ", which the session still holds"})
	}
	for _, n := range c.s.Before {
		switch {
		case n.Raw == nil && n.Branches == nil:
			c.command(n.Cmd)
		case load.HasStatement(n):
			c.forget(n)
		default:
			c.branches(n, n.Branches)
		}
	}
	c.list(c.s.Nodes)
}

// assignments calls f for the commands in a node that set variables, with the
// number of each of those.
func (c *psql) assignments(n *syntax.Node, f func(cmd *syntax.Command, k int)) {
	for _, b := range n.Branches {
		for _, m := range b.Nodes {
			c.assignments(m, f)
		}
	}
	if n.Branches != nil || n.Cmd == nil {
		return
	}
	switch n.Cmd.Name {
	case "gset", "aset":
		for _, col := range c.resultNames(n) {
			if k := c.number(n.Cmd.Target + col); k > 0 {
				f(n.Cmd, k)
			}
		}
	case "set", "setrandom", "setshell", "prompt", "getenv", "unset":
		if k := c.number(n.Cmd.Target); k > 0 {
			f(n.Cmd, k)
		}
	}
}

// number gives the number of a variable of psql or pgbench, 0 if nothing uses it.
func (c *psql) number(name string) int { return c.s.S.Index[":"+name] }

// forget stands for what earlier transactions of the script did to variables:
// they have any value. Parameters have one: the same in a serial execution.
func (c *psql) forget(n *syntax.Node) {
	c.assignments(n, func(cmd *syntax.Command, k int) {
		switch {
		case c.vars[k] == nil:
		case c.roles[k] == given || c.stored[k]:
			c.changed(k, true)
		default:
			c.anyValue(k, cmd)
		}
	})
}

// anyValue stands for a command that gives a variable a value of which nothing is known.
func (c *psql) anyValue(k int, cmd *syntax.Command) {
	c.b.EmitWeak(&ir.Havoc{At: expr.At(cmd.Pos), Var: c.vars[k].Local, NotNull: true})
	c.changed(k, false)
	c.b.Path.Sure[k] = true
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
	var scan func(n *syntax.Node, conditional bool)
	scan = func(n *syntax.Node, conditional bool) {
		if n.Raw != nil {
			use(load.Parameters(n))
		}
		for _, br := range n.Branches {
			if br.Cond != nil {
				use(textParameters(br.Cond.Expr))
			}
			for _, m := range br.Nodes {
				scan(m, true)
			}
		}
		if n.Branches != nil {
			return
		}
		c.assignments(n, func(cmd *syntax.Command, k int) {
			_, later := c.roles[k]
			switch {
			case cmd.Name == "gset" || cmd.Name == "aset":
				note(k, queried)
			case !conditional && !later && (cmd.Name != "set" || !cmd.Plain && cmd.Expr == nil || c.random(cmd)):
				c.draws[cmd] = true
				note(k, drawn)
			case conditional && c.s.Open[k]:
				note(k, given)
			default:
				note(k, set)
			}
			if cmd.Expr != nil && !c.draws[cmd] {
				list := textParameters(cmd.Expr)
				for _, j := range list {
					note(j, given)
				}
				needs[k] = append(needs[k], list...)
			}
		})
	}
	for _, n := range c.s.Before {
		if load.HasStatement(n) {
			c.assignments(n, func(_ *syntax.Command, k int) { note(k, given) })
			continue
		}
		scan(n, false)
	}
	for _, n := range c.s.Nodes {
		scan(n, false)
	}
	for k := range used {
		c.alsoUsed(k, needs, used)
	}
	c.f.Inputs = make([]*expr.Variable, len(c.s.S.Vars))
	for k := range c.f.Inputs {
		c.f.Inputs[k] = &expr.Variable{Name: c.s.S.Vars[k], Type: schema.TText, Bound: ir.C(ir.Null)}
	}
	nameless := 0
	for _, k := range order {
		if !used[k] {
			continue
		}
		name := c.s.S.Vars[k-1]
		if name == "" {
			nameless++
			name = "p" + strconv.Itoa(nameless)
		}
		c.vars[k] = c.variable(k, name, c.roles[k] == given || c.roles[k] == drawn)
		c.b.Path.Sure[k] = c.roles[k] == drawn
		c.f.Inputs[k-1] = c.vars[k]
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
func (c *psql) variable(k int, name string, parameter bool) *expr.Variable {
	v := &expr.Variable{Name: name, Type: schema.TUnknown}
	if !parameter {
		c.b.declare(v, name, nil)
		return v
	}
	v.NotNull = c.roles[k] == drawn
	c.b.declare(v, name, &ir.Param{NotNull: v.NotNull, Fresh: slices.Contains(c.f.Func.Fresh, name)})
	return v
}

// textParameters gives the numbers of the variables in an expression.
func textParameters(t *syntax.Text) []int {
	stmts, err := t.Parse()
	if err != nil || len(stmts) != 1 {
		return nil
	}
	return load.Parameters(&syntax.Node{Raw: stmts[0]})
}

// random reports whether \set draws a random number whose bounds do not come
// from the database: any value, so, chosen with the parameters.
func (c *psql) random(cmd *syntax.Command) bool {
	if cmd.Expr == nil {
		return false
	}
	n := syntax.ClientExpression(cmd.Expr)
	call, ok := pg.Inner(n).(*pg.FuncCall)
	if !ok || !syntax.ClientFunctions[syntax.Qualified(syntax.Names(call.Funcname))] {
		return false
	}
	for _, k := range textParameters(cmd.Expr) {
		if r := c.roles[k]; r != given && r != drawn {
			return false
		}
	}
	return true
}

func (c *psql) list(nodes []*syntax.Node) {
	for _, n := range nodes {
		switch {
		case n.Raw != nil:
			c.b.Numbered(func() { c.statement(n) })
		case n.Branches != nil:
			c.branches(n, n.Branches)
		default:
			c.command(n.Cmd)
		}
	}
}

// branches translates \if.
func (c *psql) branches(n *syntax.Node, list []syntax.Branch) {
	b := c.b
	if len(list) == 0 {
		return
	}
	if list[0].Cond == nil {
		c.list(list[0].Nodes)
		return
	}
	pos := list[0].Cond.Pos
	b.Cur = pos
	b.If(pos, c.condition(list[0].Cond), func() { c.list(list[0].Nodes) }, func() { c.branches(n, list[1:]) })
}

// ex gives the translator for a text of the script.
func (c *psql) ex(t *syntax.Text) *query.Place { return c.b.Ex(c.f, t) }

// need ends the transaction where a variable has no value: the server refuses
// a statement with its name in it.
func (c *psql) need(pos ir.Pos, list []int) {
	for _, k := range list {
		v := c.vars[k]
		if v == nil || c.b.Path.Sure[k] {
			continue
		}
		if c.roles[k] == set { // some path gives it no value: whoever runs the script may
			c.s.Open[k] = true
		}
		if c.roles[k] != queried {
			continue
		}
		c.b.Emit(&ir.Assume{At: expr.At(pos), Cond: expr.IsNotNull(ir.V(v.Local))})
		c.b.Path.Sure[k] = true
	}
}

// statement translates a statement.
func (c *psql) statement(n *syntax.Node) {
	b := c.b
	if t, ok := pg.Inner(n.Raw.Stmt).(*pg.TransactionStmt); ok {
		c.control(n, t)
		return
	}
	if n.Cmd != nil && n.Cmd.Name == "gdesc" {
		return // the statement is only described
	}
	b.Cur = n.Pos
	c.need(n.Pos, load.Parameters(n))
	tree := pg.Inner(n.Raw.Stmt)
	if b.TypesOnly {
		c.types(n, tree)
		return
	}
	c.send(n)
	b.snapshot(tree)
	fn := &schema.Function{Refs: schema.NewRefs(), Script: &schema.Script{Does: map[*pg.DoStmt]*schema.Function{}}}
	b.App.ScriptRefs(fn, n)
	run := func() { b.Command(c.f, n.Text, tree, n.Pos, expr.Sink{Kind: expr.ToClient}) }
	other := func() {}
	switch {
	case n.Cmd != nil && (n.Cmd.Name == "gset" || n.Cmd.Name == "aset"):
		run = func() { c.gset(n, tree) }
		other = func() { c.lose(n) }
	case strings.HasPrefix(c.s.Result, "execr") || c.s.Result == "batchexec": // sqlc returns how many rows it changed
		c.sent.Result = ir.Counted
		run = func() { c.counted(n, tree) }
	case c.s.Result == "exec":
		run = func() { b.Command(c.f, n.Text, tree, n.Pos, expr.Sink{}) }
	case gives(tree):
		c.sent.Result = ir.Rows
	}
	if do, ok := tree.(*pg.DoStmt); ok {
		run = func() { b.Inline(n.Pos, c.s.Does[do], nil) }
	}
	b.Guard(n.Pos, fn.Refs, run, other)
}

// send writes that the client sends a statement.
func (c *psql) send(n *syntax.Node) {
	c.sent = c.b.statementCommand(n.Text, n.Raw, n.Pos, func(k, off int) ir.SendArg {
		v := c.f.Inputs[k-1]
		a := ir.SendArg{Expr: v.Expr(), Type: v.Type.String()}
		at := n.Text.Offset(off)
		switch in := n.Text.Src.Text; {
		case in[at] != ':':
			a.Number = k
		case at+1 < len(in) && in[at+1] == '\'':
			a.Quoted = true
		}
		return a
	})
	if s, ok := pg.Inner(n.Raw.Stmt).(*pg.VariableSetStmt); ok && len(s.Args) < 2 {
		if _, is := syntax.SetsIsolation(s); is {
			return // whoever sends it begins at the level that is judged
		}
	}
	c.b.send(c.sent)
}

// snapshot takes the snapshot for a statement, unless one before did.
func (b *builder) snapshot(tree any) {
	if !apart(tree) && !b.Path.Snapped {
		b.Path.Snapped = true
		b.snapshotHere()
	}
}

// snapshotHere writes a read by which the transaction takes its snapshot, for
// the case that a LOCK TABLE follows; snapshots finishes it.
func (b *builder) snapshotHere() {
	s := &ir.Select{At: expr.At(b.Txn.Pos), Into: []string{b.Local("snapshot", schema.TBool)}, Cols: []ir.Expr{ir.C(ir.Bool(true))}}
	b.First = append(b.First, s)
	b.Out = append(b.Out, s)
}

// snapshots finishes the reads of snapshotHere where the transaction locks a
// table, and drops them elsewhere.
func (b *builder) snapshots() {
	table := lockedTable(b.Txn.Body)
	// A read that no LOCK TABLE follows serves nothing.
	needed := map[ir.Stmt]bool{}
	for _, s := range b.First {
		if table != nil && locksAfter(b.Txn.Body, s) {
			s.Query = ir.Query{From: []ir.Source{{Table: table, Row: table.Name}}}
			needed[s] = true
		}
	}
	var clean func(list []ir.Stmt) []ir.Stmt
	clean = func(list []ir.Stmt) []ir.Stmt {
		var out []ir.Stmt
		for _, s := range list {
			if r, ok := s.(*ir.Select); ok && slices.Contains(b.First, r) && !needed[s] {
				continue
			}
			ir.EditChildren(s, clean)
			out = append(out, s)
		}
		return out
	}
	b.Txn.Body = clean(b.Txn.Body)
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
func (c *psql) control(n *syntax.Node, t *pg.TransactionStmt) {
	b := c.b
	find := func() int {
		for i := len(b.Path.Points) - 1; i >= 0; i-- {
			if b.Path.Points[i].Name == t.SavepointName {
				return i
			}
		}
		b.App.Fail(n.Pos, "there is no savepoint %s here", t.SavepointName)
		return -1
	}
	switch t.Kind {
	case pg.TransSavepoint, pg.TransRelease, pg.TransBackTo:
		c.send(n)
	}
	switch t.Kind {
	case pg.TransSavepoint:
		b.Points++
		p := proc.Point{Name: t.SavepointName, IR: t.SavepointName}
		if b.Points > 1 {
			p.IR += "_" + strconv.Itoa(b.Points)
		}
		b.Path.Points = append(b.Path.Points, p)
		b.Emit(&ir.Savepoint{At: expr.At(n.Pos), Name: p.IR})
	case pg.TransRelease:
		b.Path.Points = b.Path.Points[:find()]
	case pg.TransBackTo:
		i := find()
		b.Path.Points = b.Path.Points[:i+1]
		b.Emit(&ir.RollbackTo{At: expr.At(n.Pos), Name: b.Path.Points[i].IR})
		b.undone(c.f.Func)
	case pg.TransCommit:
		b.Emit(&ir.Return{At: expr.At(n.Pos)})
	case pg.TransRollback:
		b.Emit(&ir.Abort{At: expr.At(n.Pos)})
	}
}

// counted runs a statement and returns the number of rows that it changed.
func (c *psql) counted(n *syntax.Node, tree any) {
	b, f := c.b, c.f
	f.Rowcount = b.Local("row_count", schema.TInt)
	defer func() { f.Rowcount = "" }()
	b.Command(f, n.Text, tree, n.Pos, expr.Sink{})
	b.Emit(&ir.Emit{At: expr.At(n.Pos), Exprs: []ir.Expr{ir.V(f.Rowcount)}})
}

// changed takes note that a variable has a new value.
func (c *psql) changed(k int, stored bool) {
	delete(c.b.Path.Sure, k)
	c.stored[k] = c.stored[k] || stored
	c.vars[k].NotNull = false
	if c.roles[k] == given || c.roles[k] == drawn { // it may be NULL now, which stands for no value
		c.roles[k] = queried
	}
}

// Command translates a command that stands by itself.
func (c *psql) command(cmd *syntax.Command) {
	b := c.b
	k := c.number(cmd.Target)
	v := c.vars[k]
	switch cmd.Name {
	case "set":
		switch {
		case v == nil || c.draws[cmd]:
		case cmd.Expr != nil:
			b.Cur = cmd.Pos
			c.need(cmd.Pos, textParameters(cmd.Expr))
			stored := c.fromDatabase(cmd)
			c.store(k, c.value(cmd.Expr, syntax.ClientExpression(cmd.Expr)), cmd, stored)
		case cmd.Plain:
			e := expr.Val{Expr: ir.C(ir.Text(cmd.Literal)), Type: schema.TText, NotNull: true}
			if r, ok := value.Rational(cmd.Literal); ok {
				if e = (expr.Val{Expr: ir.C(ir.Num(r)), Type: schema.TNumeric, NotNull: true}); r.IsInt() && r.Num().IsInt64() {
					e = expr.Val{Expr: ir.C(ir.Int(r.Num().Int64())), Type: schema.TInt, NotNull: true}
				}
			}
			c.store(k, e, cmd, false)
		default:
			c.anyValue(k, cmd)
		}
	case "setrandom", "setshell", "prompt", "getenv", "unset":
		if v != nil && !c.draws[cmd] {
			c.anyValue(k, cmd)
		}
	case "q", "quit":
		b.Emit(&ir.Abort{At: expr.At(cmd.Pos)})
	}
}

// fromDatabase reports whether an expression uses what a query gave.
func (c *psql) fromDatabase(cmd *syntax.Command) bool {
	return slices.ContainsFunc(textParameters(cmd.Expr), func(k int) bool { return c.stored[k] })
}

// store assigns a value to a variable.
func (c *psql) store(k int, e expr.Val, cmd *syntax.Command, stored bool) {
	b, v := c.b, c.vars[k]
	out := e.Expr
	x := c.ex(&syntax.Text{Src: c.f.Text.Src})
	switch {
	case e.Type.Name != schema.NUnknown || !b.IsTyped(e.Expr):
		out = x.Cast(e, b.setType(v, e.Type), 0).Expr
	case v.Type.Name != schema.NUnknown: // a copy of a variable has the type of the place where it stands
		out = x.Cast(e, v.Type, 0).Expr
	}
	s := &ir.Assign{At: expr.At(cmd.Pos), Var: v.Local, Expr: out}
	if !failure.MayFail(out) {
		b.Weak[s] = true
	}
	b.Emit(s)
	c.changed(k, stored)
	c.b.Path.Sure[k] = e.NotNull
}
