package sqlmodel

import (
	"regexp"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/failure"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/load"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/write"
)

// markInner marks what queries in a statement that is no SELECT read.
func markInner(list []ir.Stmt) {
	ir.Walk(list, func(s ir.Stmt) {
		if q, is := s.(*ir.Select); is {
			q.Inner = true
		}
		if loop, is := s.(*ir.Foreach); is {
			loop.Inner = true
		}
	})
}

// ownClock translates a statement by f. In the dialect of MySQL the time is that of each statement.
func (p *caller) ownClock(f func()) {
	b := p.b
	before, known := b.Session["now"]
	if !b.App.In.MySQL {
		f()
		return
	}
	delete(b.Session, "now")
	pre, out := len(b.Pre), len(b.Out)
	f()
	if now := b.Session["now"]; now != "" && b.LoopDepth > 0 { // a new one in each round
		i := pre + slices.IndexFunc(b.Pre[pre:], func(s ir.Stmt) bool { return slices.Contains(ir.Assigned(s), now) })
		b.Out = slices.Insert(b.Out, out, b.Pre[i])
		b.Pre = slices.Delete(b.Pre, i, i+1)
	}
	delete(b.Session, "now")
	if known {
		b.Session["now"] = before
	}
}

// query translates a statement of SQL, which rest follows.
func (p *caller) query(q *client.Query, rest []client.Stmt) {
	s := p.body.Sent[q]
	if p.b.TypesOnly {
		p.types(q)
		return
	}
	if s.Why != "" {
		p.unknownLevel(q, s.Q.Pos)
		p.b.Path.Snapped = true
		p.lost(s, s.Refs, s.Why, false)
		p.forget(q)
		return
	}
	p.raises(s)
	if p.b.App.In.MySQL && len(s.List) > 1 && q.Count != "" {
		p.lost(s, s.Refs, "the number of rows of a statement that writes several tables", false)
		p.forget(q)
		return
	}
	p.send(s)
	for i, st := range s.List {
		if t, ok := st.Tree.(*pg.TransactionStmt); ok {
			p.control(s, t)
			continue
		}
		p.b.snapshot(st.Tree)
		if i == len(s.List)-1 {
			from := len(p.b.Out)
			p.guard(s, st, func() { p.results(s, st, rest) }, func() { p.forget(q) })
			if _, isSelect := st.Tree.(*pg.SelectStmt); p.b.App.In.MySQL && (!isSelect || q.Inner) {
				markInner(p.b.Out[from:])
			}
			return
		}
		p.guard(s, st, func() { p.command(p.frame(s), st, s, expr.Sink{}) }, func() {})
	}
	if len(s.List) == 0 || q.Found != "" || q.Count != "" {
		p.forget(q)
	}
}

// send writes that the program sends a text.
func (p *caller) send(s *schema.Sent) {
	c := &ir.Send{At: expr.At(s.Q.Pos), Apart: true, Reads: true}
	p.sent = c
	if len(s.List) == 1 {
		if t, ok := s.List[0].Tree.(*pg.TransactionStmt); ok && (t.Kind == pg.TransBegin || t.Kind == pg.TransStart || t.Kind == pg.TransCommit || t.Kind == pg.TransRollback) {
			return // the transaction itself
		}
		*c = *p.b.statementCommand(s.Text, &pg.RawStmt{Stmt: s.List[0].Node}, s.Q.Pos, func(k, _ int) ir.SendArg {
			a := ir.SendArg{Number: k}
			if e := s.Params[k-1]; e != nil {
				v := p.expr(e)
				a.Expr, a.Type = v.Expr, v.Type.String()
			}
			return a
		})
	} else {
		c.Text = []string{s.Text.SQL}
		for _, st := range s.List {
			c.Apart, c.Reads = c.Apart && apart(st.Tree), c.Reads && p.b.onlyReads(st.Tree, &pg.RawStmt{Stmt: st.Node})
		}
	}
	if p.b.App.In.MySQL && s.Q.Standard { // libraries take the key from what the server says of an INSERT
		n := len(c.Text) - 1
		c.Text[n], _, _ = strings.Cut(c.Text[n], " RETURNING ")
	}
	if p.b.App.In.MySQL { // the server counts the rows that change, not those that are found
		c.Table, c.Verb = nil, ir.NoVerb
	}
	switch {
	case s.Q.Command != nil:
		c.Text, c.Args = s.Q.Command.Text, nil
		for _, e := range s.Q.Command.Args {
			v := p.expr(e)
			c.Args = append(c.Args, ir.SendArg{Expr: v.Expr})
		}
	case p.b.App.In.MySQL:
		c.Unknown = "the text of the statement is that of MySQL"
	case strings.Contains(s.Q.SQL, client.Hole) || s.Filled:
		c.Unknown = "a part of the statement is not known"
	}
	p.b.send(c)
}

// guard translates a statement by f. Where that cannot be modelled, or does not
// fit the schema, an ir.Unmodelled and other take its place.
func (p *caller) guard(s *schema.Sent, st schema.SentStmt, f, other func()) {
	why, ok := st.Why, false
	if why == "" {
		why, ok = p.attempt(f)
	}
	if !ok {
		p.lost(s, st.Refs, why, true)
		other()
	}
}

// attempt runs f; where it cannot go on, nothing stays of what it wrote.
func (p *caller) attempt(f func()) (why string, ok bool) {
	level := p.depth
	why, ok = p.b.AttemptIn(p.f, func() {
		if err := load.FaultIn(f); err != nil {
			if p.b.App.In.Scripts && namesNothing(err, p.sent) {
				panic(err)
			}
			panic(schema.Unmodelled{Reason: faulty + err.Msg + ")"})
		}
	})
	if !ok {
		p.depth = level
	}
	return why, ok
}

// namesNothing reports whether a fault is a name that nothing has, whatever the dialect.
func namesNothing(err *ir.Error, sent *ir.Send) bool {
	if strings.HasPrefix(err.Msg, schema.NoTable) || strings.Contains(err.Msg, " has no column ") {
		return true
	}
	name, is := strings.CutPrefix(err.Msg, "there is no column or variable ")
	text := strings.ToLower(strings.Join(sent.Text, " "))
	return is && len(regexp.MustCompile(`\b`+regexp.QuoteMeta(name)+`\b`).FindAllString(text, 2)) == 1 // else it may be an alias
}

// faulty begins the reason for a statement that does not fit the schema.
const faulty = "a statement that does not fit the schema ("

// inserts is a statement that may draw a value of AUTO_INCREMENT.
var inserts = regexp.MustCompile(`(?i)^\s*(INSERT|REPLACE|CALL)\b`)

// selects is a SELECT, intoVariables one whose rows stay in the server.
var selects, intoVariables = regexp.MustCompile(`(?i)^\s*SELECT\b`), regexp.MustCompile(`(?i)\bINTO\b`)

// rowsCome reports whether the rows of a command that is sent in the place of a query come back.
func rowsCome(q *client.Query) bool {
	text := strings.Join(q.Command.Text, "?")
	return !q.Inner && selects.MatchString(text) && !intoVariables.MatchString(text)
}

// insertID is what a statement before has given.
var insertID = regexp.MustCompile(`(?i)\bLAST_INSERT_ID\b`)

// lost stands for a statement that is not modelled. One that touches no table is
// nothing but what it gives, which is any value if it is computed of arguments. sent says that its
// command is written already.
func (p *caller) lost(s *schema.Sent, r *schema.Refs, why string, sent bool) {
	if p.b.App.In.MySQL && inserts.MatchString(s.Q.SQL) {
		p.b.NoInsertID = "an INSERT that is not modelled"
	}
	pos, e := s.Q.Pos, p.b.App.EffectOf(r)
	if onlySystem(r) && !e.All && len(e.Tables) == 0 {
		p.b.App.Note(pos, "what this statement reads of the system (%s) is left out", systemTables(r))
		return
	}
	tables, shown := p.b.onlyRows(r, e)
	if shown = shown && !p.b.App.In.Scripts && !s.MaySetLevel && !p.passesOn(s); shown { // a file in SQL has its statement at hand
		_, shown = p.attempt(func() {
			if !sent {
				p.send(s)
				p.sent.Apart, p.sent.Result = false, ir.Rows
			}
			p.b.showRows(pos, tables, why)
		})
	}
	switch {
	case strings.Contains(s.Q.SQL, client.Hole) && !e.All:
		p.b.App.Note(pos, "a part of this statement is not known: it is taken to name no other tables and functions")
	case shown:
		p.b.App.Note(pos, "this statement is taken to show all rows of the tables that it reads: %s", why)
	case s.Why != "" || strings.HasPrefix(why, faulty):
		p.b.App.Note(pos, "%s is not modelled", why)
	}
	switch {
	case shown:
	case e.All || len(e.Tables) > 0:
		p.b.Anything(pos, e, why)
	case p.passesOn(s):
		p.b.Anything(pos, &schema.Effect{All: true}, why)
	}
}

// passesOn reports whether a statement gives something that it computes of what was set before: what that shows of rows must not be lost.
func (p *caller) passesOn(s *schema.Sent) bool {
	gives := s.Q.Returned || len(p.sets(s.Q)) > 0
	return gives && p.b.App.In.MySQL && insertID.MatchString(s.Q.SQL) || gives && slices.ContainsFunc(s.Params, func(e client.Expr) bool {
		switch e := e.(type) {
		case nil, *client.Const:
			return false
		case *client.VarExpr:
			return p.setters[e.Name] > 0
		default:
			return true
		}
	})
}

// forget gives the variables that a statement sets any value.
func (p *caller) forget(q *client.Query) {
	for _, name := range p.sets(q) {
		v := p.vars[name]
		v.never = false
		p.b.EmitWeak(&ir.Havoc{At: expr.At(q.Pos), Var: v.Local, NotNull: v.NotNull})
	}
}

// sets gives the variables that a statement sets, each once.
func (p *caller) sets(q *client.Query) []string {
	var out []string
	add := func(name string) {
		if p.vars[name] != nil && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, name := range q.Into {
		add(name)
	}
	for _, a := range q.ByName {
		add(schema.ResultName(a))
	}
	add(q.Found)
	add(q.Null)
	add(q.Count)
	return out
}

// frame is the frame for a statement, with its parameters.
func (p *caller) frame(s *schema.Sent) *expr.Frame {
	b, g := p.b, *p.f
	g.Text, g.Inputs = s.Text, nil
	for i, e := range s.Params {
		if e == nil { // nothing is known of it
			g.Inputs = append(g.Inputs, p.anyValue(s, i))
			continue
		}
		v := p.expr(e)
		if v.Type.Name != schema.NUnknown && (failure.MayFail(v.Expr) || expr.ExprSize(v.Expr, expr.Shareable+1) > expr.Shareable) {
			local := b.Local("arg", v.Type)
			b.Emit(&ir.Assign{At: expr.At(s.Q.Pos), Var: local, Expr: v.Expr})
			v.Expr = ir.V(local)
		}
		g.Inputs = append(g.Inputs, &expr.Variable{Bound: v.Expr, Type: v.Type, NotNull: v.NotNull, Given: true})
	}
	return &g
}

// unknownArg names a parameter of which nothing is known.
type unknownArg struct {
	of    *schema.Sent
	index int
}

// anyValue makes a parameter of which nothing is known.
func (p *caller) anyValue(s *schema.Sent, i int) *expr.Variable {
	b := p.b
	v := &expr.Variable{Local: b.IRLocal("arg", ir.NullType), Type: schema.TUnknown, Given: true}
	for k := range p.sent.Args {
		if p.sent.Args[k].Number == i+1 {
			p.sent.Args[k].Set = v.Local
		}
	}
	if b.findType(v, unknownArg{s, i}) != ir.NullType {
		b.RetypeLocal(v.Local, v.Type)
	}
	b.Emit(&ir.Havoc{At: expr.At(s.Q.Pos), Var: v.Local})
	return v
}

// Command runs a statement in a frame.
func (p *caller) command(g *expr.Frame, st schema.SentStmt, s *schema.Sent, to expr.Sink) {
	if p.declaration(st.Tree, s.Q.Pos) {
		return
	}
	if do, ok := st.Tree.(*pg.DoStmt); ok {
		p.b.Inline(s.Q.Pos, st.Does[do], nil)
		return
	}
	p.b.Command(g, s.Text, st.Tree, s.Q.Pos, to)
}

// gives reports whether a statement gives rows.
func gives(tree any) bool {
	switch s := tree.(type) {
	case *pg.SelectStmt, *pg.CallStmt:
		return true
	case *pg.InsertStmt:
		return s.ReturningClause != nil
	case *pg.UpdateStmt:
		return s.ReturningClause != nil
	case *pg.DeleteStmt:
		return s.ReturningClause != nil
	case *pg.MergeStmt:
		return len(s.ReturningClause.GetExprs()) > 0
	}
	return false
}

// results translates a statement, and what the program takes from it.
func (p *caller) results(s *schema.Sent, st schema.SentStmt, rest []client.Stmt) {
	if s.AnyColumns {
		p.anyColumns(s, st, rest)
		return
	}
	b, q := p.b, s.Q
	pos := q.Pos
	if q.Every {
		p.everyRow(s, st, rest)
		return
	}
	o := &rowTaker{p: p, q: q, pos: pos, temps: map[int]expr.Dest{}}
	wantsRow := len(q.Into) > 0 || len(q.ByName) > 0
	_, isSelect := st.Tree.(*pg.SelectStmt)
	wants := wantsRow || q.Found != "" || q.Null != "" || q.Count != ""
	if q.Returned && gives(st.Tree) {
		p.sent.Result = ir.Rows
	}
	e := b.App.EffectOf(st.Refs)
	p.refuseStar(st, q)
	if isSelect && wantsRow && (q.Returned || q.Count != "") && (e.Writes || e.All) {
		b.Unmodelled("a query that writes, of which more is looked at than its row")
	}
	if q.Returned && (isSelect || !wants) {
		p.command(p.frame(s), st, s, expr.Sink{Kind: expr.ToClient})
		if !wants {
			return
		}
	}
	if isSelect && wantsRow && q.Count != "" { // the row alone does not tell the number
		g := p.frame(s)
		g.Rowcount = p.flag(q.Count, s)
		p.command(g, st, s, expr.Sink{})
		p.setFlag(q.Count, g.Rowcount, pos)
	}
	g := p.frame(s)
	if q.Count != "" && !(isSelect && wantsRow) {
		g.Rowcount = p.flag(q.Count, s)
	}
	to := expr.Sink{}
	if wantsRow || q.Returned && !isSelect {
		to = expr.Sink{Kind: expr.IntoLocals, Dests: o.dests, Whole: true, One: q.OneRow}
		o.all = q.Returned && !isSelect
		o.direct = q.Clears || p.onlyWithRow(q, rest)
	}
	if q.Found != "" {
		g.Found = p.flag(q.Found, s)
	} else if to.Kind == expr.IntoLocals {
		g.Found = b.Local("was_found", schema.TBool)
	}
	body := b.Collect(func() { p.command(g, st, s, to) })
	b.Out = append(b.Out, body...)
	if q.Command == nil || rowsCome(q) { // else the server keeps the variables
		p.sent.Into, p.sent.Found, p.sent.Count = locals(o.list), g.Found, g.Rowcount
	}
	for _, flag := range write.NonEmptyList(g.Found, g.Rowcount) {
		if !sets(body, flag) && (flag != g.Found || q.Found != "" || o.called) {
			b.Unmodelled("the number of rows of this statement")
		}
	}
	if to.Kind == expr.IntoLocals && !o.called {
		if gives(st.Tree) {
			b.Unmodelled("the row of this statement")
		}
		if q.Found != "" { // there never is one
			b.EmitWeak(&ir.Assign{At: expr.At(pos), Var: g.Found, Expr: ir.C(ir.Bool(false))})
		}
	} else if q.Found != "" && !gives(st.Tree) {
		b.EmitWeak(&ir.Assign{At: expr.At(pos), Var: g.Found, Expr: ir.C(ir.Bool(false))})
	}
	if o.all && !oneRowWritten(body) {
		b.Unmodelled("the rows that this statement returns")
	}
	o.found = g.Found
	if alwaysTrue(body, g.Found) {
		o.found = ""
	}
	if o.called {
		o.store()
	} else if q.Null != "" {
		p.setNull(q, ir.C(ir.Bool(false)))
	}
	p.setFlag(q.Found, g.Found, pos)
	if g.Rowcount != "" {
		p.setFlag(q.Count, g.Rowcount, pos)
	}
}

// AnyColumns is results for a statement that gives columns which are not known, or
// what is computed from all rows. It depends on the rows, all of which is shown; the
// variables have any value.
func (p *caller) anyColumns(s *schema.Sent, st schema.SentStmt, rest []client.Stmt) {
	p.showAll(s, st, rest)
	p.forget(s.Q)
}

// showAll translates a statement all rows of which are shown, and nothing else is taken from.
func (p *caller) showAll(s *schema.Sent, st schema.SentStmt, rest []client.Stmt) {
	all, q := *s, *s.Q
	q.Into, q.ByName, q.Found, q.Null, q.Every, q.Count, q.Returned = nil, nil, "", "", false, "", true
	all.Q, all.AnyColumns = &q, false
	p.results(&all, st, rest)
}

// everyRow translates a statement of which the program takes no row, but ends at one
// with a NULL that does not fit. Where there may be one, all rows are shown, and then
// it is any.
func (p *caller) everyRow(s *schema.Sent, st schema.SentStmt, rest []client.Stmt) {
	b := p.b
	plain := *s.Q
	plain.Into, plain.ByName, plain.Null, plain.Every = nil, nil, "", false
	o := &rowTaker{p: p, q: s.Q, pos: s.Q.Pos, temps: map[int]expr.Dest{}}
	known := false
	b.Collect(func() {
		_, known = p.attempt(func() { p.command(p.frame(s), st, s, expr.Sink{Kind: expr.IntoLocals, Dests: o.dests, Whole: true}) })
	})
	null := !known || !o.called && gives(st.Tree) || !o.fits()
	plain.Returned = plain.Returned || null
	one := *s
	one.Q = &plain
	p.results(&one, st, rest)
	v := p.vars[s.Q.Null]
	switch {
	case v == nil:
	case null:
		b.EmitWeak(&ir.Havoc{At: expr.At(s.Q.Pos), Var: v.Local, NotNull: true})
	default:
		p.setNull(s.Q, ir.C(ir.Bool(false)))
	}
}

// refuseStar refuses all columns of a table that is not declared, where the
// program may look at others than those that it names.
func (p *caller) refuseStar(st schema.SentStmt, q *client.Query) {
	if st.Star && (len(q.Into) > 0 || q.Returned) {
		p.b.Unmodelled("all columns of a table that is not in the schema")
	}
}

// sets reports whether statements set a local.
func sets(list []ir.Stmt, local string) bool {
	found := false
	ir.Walk(list, func(s ir.Stmt) { found = found || slices.Contains(ir.Assigned(s), local) })
	return found
}

// alwaysTrue reports whether statements set a local to true, and to nothing
// else.
func alwaysTrue(list []ir.Stmt, local string) bool {
	times, yes := 0, false
	ir.Walk(list, func(s ir.Stmt) {
		if slices.Contains(ir.Assigned(s), local) {
			times++
		}
	})
	for _, s := range list {
		if a, ok := s.(*ir.Assign); ok && a.Var == local {
			c, ok := a.Expr.(*ir.Const)
			yes = ok && c.Value.IsTrue()
		}
	}
	return yes && times == 1
}

// flag gives the local for Found or Count: that of the variable, unless the
// statement looks at it.
func (p *caller) flag(name string, s *schema.Sent) string {
	v, t := p.vars[name], schema.TInt
	if s.Q.Found == name {
		t = schema.TBool
	}
	looks := slices.Contains(s.Q.Into, name) || slices.ContainsFunc(s.Q.ByName, func(a client.Arg) bool { return schema.ResultName(a) == name })
	for _, e := range s.Params {
		client.WalkExpr(e, func(e client.Expr) {
			x, ok := e.(*client.VarExpr)
			looks = looks || ok && x.Name == name
		})
	}
	if v == nil || looks || v.Type.Name != t.Name {
		if t.Name == schema.NBool {
			return p.b.Local("was_found", t)
		}
		return p.b.Local("row_count", t)
	}
	return v.Local
}

// setFlag sets the variable Found or Count from the local of flag.
func (p *caller) setFlag(name, local string, pos ir.Pos) {
	v := p.vars[name]
	if v == nil || v.Local == local {
		return
	}
	t := schema.TInt
	if p.b.TypeOfLocal(local) == ir.BoolType {
		t = schema.TBool
	}
	p.b.EmitWeak(&ir.Assign{At: expr.At(pos), Var: v.Local, Expr: p.into(v, expr.Val{Expr: ir.V(local), Type: t, NotNull: true})})
}

// onlyNull reports whether nothing sets a variable but one query, for which it is Null.
func (p *caller) onlyNull(name string) bool {
	return p.setters[name] == 1 && !p.vars[name].Input
}

// SetNull sets the variable that says whether a NULL did not fit.
func (p *caller) setNull(q *client.Query, null ir.Expr) {
	if v := p.vars[q.Null]; v != nil {
		p.b.EmitWeak(&ir.Assign{At: expr.At(q.Pos), Var: v.Local, Expr: p.into(v, expr.Val{Expr: null, Type: schema.TBool, NotNull: true})})
	}
}
