package routine

import (
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/proc"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// plBody translates a PL/pgSQL body and what follows when control reaches its
// end.
func (b *Builder) plBody(f *expr.Frame) {
	blk := f.Func.Body.Block
	pos := b.place(f, blk)
	b.stmt(f, blk)
	if proc.EndsInJump(b.Out) {
		return
	}
	switch {
	case f.Func.SetOf, f.Func.Void():
	case len(f.Func.Outputs()) > 0:
		if f.Result == nil {
			b.emitOutputs(f, pos)
		}
	default: // a function must return
		b.Fails(pos, "2F005")
	}
}

// place gives the position of a statement.
func (b *Builder) place(f *expr.Frame, s plpgsql.Stmt) ir.Pos { return f.Text.Pos(s.Place()) }

func (b *Builder) stmts(f *expr.Frame, list []plpgsql.Stmt) {
	for i := 0; i < len(list); i++ {
		loop, name := b.fetchLoop(f, list[i:])
		if loop == nil {
			b.stmt(f, list[i])
			continue
		}
		if why, ok := b.guarded(f, loop, func() { b.forQuery(f, loop, name, b.place(f, loop)) }); !ok {
			b.abandon(f, list[i], why)
			b.stmt(f, list[i+1])
			b.stmt(f, list[i+2])
		}
		i += 2
	}
}

// stmt translates a statement; what cannot be modelled is abandoned.
func (b *Builder) stmt(f *expr.Frame, s plpgsql.Stmt) {
	var sets syntax.PathSet
	if b.App.SetsPath {
		r := schema.NewRefs()
		b.App.PlRefs(f.Func, []plpgsql.Stmt{s}, r)
		sets = b.App.SetBy(r, &b.App.Late)
	}
	loops, branches := flowOf(s)
	b.Tracked(sets, loops, branches, func() bool {
		why, ok := b.guarded(f, s, func() { b.stmt1(f, s) })
		if !ok {
			b.abandon(f, s, why)
		}
		return ok
	})
}

// flowOf reports whether control may come to parts of a statement several times, and whether it may pass by
// some of them.
func flowOf(s plpgsql.Stmt) (loops, branches bool) {
	switch s := s.(type) {
	case *plpgsql.Loop, *plpgsql.ForRange, *plpgsql.ForQuery, *plpgsql.Foreach:
		return true, true
	case *plpgsql.Block:
		return false, len(s.Handlers) > 0 || s.Label != ""
	case *plpgsql.SQL:
		return false, false
	}
	return false, true
}

// guarded translates the statement s by translate.
func (b *Builder) guarded(f *expr.Frame, s plpgsql.Stmt, translate func()) (why string, ok bool) {
	b.Cur = b.place(f, s)
	b.Numbered(func() { why, ok = b.AttemptIn(f, translate) })
	return why, ok
}

func (b *Builder) stmt1(f *expr.Frame, s plpgsql.Stmt) {
	pos := b.place(f, s)
	switch s := s.(type) {
	case *plpgsql.Block:
		b.block(f, s, pos)
	case *plpgsql.Assign:
		b.assignment(f, s, pos)
	case *plpgsql.If:
		b.ifStmt(f, s.Branches, s.Else, pos)
	case *plpgsql.Case:
		b.caseStmt(f, s, pos)
	case *plpgsql.Loop:
		b.loop(f, s, pos)
	case *plpgsql.ForRange:
		b.forRange(f, s, pos)
	case *plpgsql.ForQuery:
		b.forQuery(f, s, "", pos)
	case *plpgsql.Foreach:
		b.foreach(f, s, pos)
	case *plpgsql.Exit:
		b.exit(f, s, pos)
	case *plpgsql.Return:
		b.returnStmt(f, s, pos)
	case *plpgsql.ReturnNext:
		b.returnNext(f, s, pos)
	case *plpgsql.ReturnQuery:
		if s.Dynamic {
			g, tree, t := b.dynamic(f, s.Query, s.Using)
			b.Command(g, t, tree, pos, expr.Sink{Kind: expr.ToClient})
			return
		}
		tree, t := b.parseCommand(f, s.Query)
		b.Command(f, t, tree, pos, expr.Sink{Kind: expr.ToClient})
	case *plpgsql.Raise:
		b.raise(f, s, pos)
	case *plpgsql.Assert:
		b.Require(pos, b.condition(f, s.Cond), "P0004")
	case *plpgsql.SQL:
		b.sqlStmt(f, s, pos)
	case *plpgsql.Execute:
		b.executeStmt(f, s, pos)
	case *plpgsql.GetDiagnostics:
		b.diagnostics(f, s, pos)
	case *plpgsql.Cursor:
		b.Unmodelled("a cursor")
	case *plpgsql.EndTxn:
		b.endTxn(f, s, pos)
	case *plpgsql.Null:
	default:
		panic("routine: unknown PL/pgSQL statement " + syntax.TypeName(s))
	}
}

// endTxn translates COMMIT and ROLLBACK. Behind the last one of a procedure that a client calls, nothing happens
// in the transaction that begins there: it is the end of the template.
func (b *Builder) endTxn(f *expr.Frame, s *plpgsql.EndTxn, pos ir.Pos) {
	switch {
	case b.App.In.Sessions != nil: // what follows is part of the template
	case !s.Last || f.Result != nil || !f.Func.Procedure:
		b.Unmodelled("transaction control inside of a procedure")
	case s.Rollback && len(f.Func.Outputs()) > 0:
		b.Unmodelled("ROLLBACK in a procedure that returns values")
	case s.Rollback:
		b.Emit(&ir.Abort{At: expr.At(pos)})
	}
}

// parseCommand parses an SQL command in a body.
func (b *Builder) parseCommand(f *expr.Frame, span plpgsql.Span) (any, *syntax.Text) {
	t := f.Text.Part("", span)
	stmts, err := t.Parse()
	if err != nil {
		panic(err)
	}
	if len(stmts) != 1 {
		b.App.Fail(t.Pos(0), "expected one SQL command here")
	}
	b.looks(b.RefsOf(stmts[0].Stmt))
	return pg.Inner(stmts[0].Stmt), t
}

// expression parses an expression in a body: what may follow SELECT.
func (b *Builder) expression(f *expr.Frame, span plpgsql.Span) (*pg.SelectStmt, *syntax.Text) {
	t := f.Text.Part("SELECT ", span)
	stmts, err := t.Parse()
	if err != nil {
		panic(err)
	}
	s, ok := pg.Inner(stmts[0].Stmt).(*pg.SelectStmt)
	if len(stmts) != 1 || !ok {
		b.App.Fail(t.Pos(len("SELECT ")), "expected an expression here")
	}
	b.looks(b.RefsOf(s))
	return s, t
}

// value translates an expression of PL/pgSQL.
func (b *Builder) value(f *expr.Frame, span plpgsql.Span) expr.Val {
	s, t := b.expression(f, span)
	b.Apart(s, nil)
	x := b.Ex(f, t)
	if f.Rowcount != "" && len(b.RefsOf(s).Tables) > 0 {
		// A query in an expression changes ROW_COUNT, too.
		b.EmitWeak(&ir.Havoc{At: expr.At(t.Pos(0)), Var: f.Rowcount, NotNull: true})
	}
	if syntax.PlainExpression(s) && len(s.TargetList) == 1 {
		return x.Expr(pg.TargetValue(s.TargetList[0]))
	}
	if syntax.PlainExpression(s) {
		b.App.Fail(t.Pos(len("SELECT ")), "expected one expression here, not %d", len(s.TargetList))
	}
	return x.Scalar(s, t.Pos(len("SELECT ")))
}

// condition translates a condition, of which only the truth matters.
func (b *Builder) condition(f *expr.Frame, span plpgsql.Span) ir.Expr {
	s, t := b.expression(f, span)
	b.Apart(s, nil)
	if syntax.PlainExpression(s) && len(s.TargetList) == 1 {
		if f.Rowcount != "" && len(b.RefsOf(s).Tables) > 0 {
			b.EmitWeak(&ir.Havoc{At: expr.At(t.Pos(0)), Var: f.Rowcount, NotNull: true})
		}
		x, n := b.Ex(f, t), pg.TargetValue(s.TargetList[0])
		if _, variable := pg.Inner(n).(*pg.ColumnRef); variable {
			if v := x.Expr(n); v.Type.Name == schema.NInt && !v.Given {
				return b.oneOrZero(v.Expr, t.Pos(len("SELECT ")))
			}
		}
		return x.Boolean(n, expr.Truth)
	}
	v := b.value(f, span)
	x := b.Ex(f, t)
	return x.Cast(v, schema.TBool, 0).Expr
}

// oneOrZero is a number as a condition: PL/pgSQL reads its text as a boolean, which only 1 and 0 are.
func (b *Builder) oneOrZero(e ir.Expr, pos ir.Pos) ir.Expr {
	one := ir.Op(ir.Eq, e, ir.C(ir.Int(1)))
	b.Require(pos, ir.OrE(&ir.Unary{Op: ir.IsNull, X: e}, one, ir.Op(ir.Eq, e, ir.C(ir.Int(0)))), "22P02")
	return one
}

// conditionOrChoice is a condition that becomes any value when it cannot be
// modelled.
func (b *Builder) conditionOrChoice(f *expr.Frame, span plpgsql.Span) ir.Expr {
	var e ir.Expr
	why, ok := b.Attempt(func() { e = b.condition(f, span) })
	if ok {
		return e
	}
	s, t := b.expression(f, span)
	pos := t.Pos(len("SELECT "))
	b.GiveUp(pos, b.RefsOf(s), why)
	return b.Choice(pos)
}

func (b *Builder) ifStmt(f *expr.Frame, branches []plpgsql.Branch, rest []plpgsql.Stmt, pos ir.Pos) {
	cond := b.conditionOrChoice(f, branches[0].Cond)
	b.If(pos, cond, func() { b.stmts(f, branches[0].Body) }, func() {
		if len(branches) > 1 {
			b.ifStmt(f, branches[1:], rest, f.Text.Pos(branches[1].Cond.Start))
			return
		}
		b.stmts(f, rest)
	})
}

func (b *Builder) caseStmt(f *expr.Frame, s *plpgsql.Case, pos ir.Pos) {
	rest := func() {
		if !s.HasElse { // no branch fits: an error
			b.Fails(pos, "20000")
			return
		}
		b.stmts(f, s.Else)
	}
	var subject *expr.Val
	if !s.Subject.Empty() {
		v := b.value(f, s.Subject)
		x := b.Ex(f, f.Text)
		if v.Record {
			b.Unmodelled("CASE of a row")
		}
		v.Expr = x.Shared(v.Expr, v.Type)
		subject = &v
	}
	var branch func(i int)
	branch = func(i int) {
		if i == len(s.Branches) {
			rest()
			return
		}
		br := s.Branches[i]
		var cond ir.Expr
		if subject == nil {
			cond = b.conditionOrChoice(f, br.Cond)
		} else {
			cond = b.anyOf(f, *subject, br.Cond)
		}
		at_ := pos
		if i > 0 {
			at_ = f.Text.Pos(br.Cond.Start)
		}
		b.If(at_, cond, func() { b.stmts(f, br.Body) }, func() { branch(i + 1) })
	}
	branch(0)
}

// anyOf says that subject equals one of a list of expressions.
func (b *Builder) anyOf(f *expr.Frame, subject expr.Val, span plpgsql.Span) ir.Expr {
	sel, t := b.expression(f, span)
	b.Apart(sel, nil)
	x := b.Ex(f, t)
	var out ir.Expr
	for _, n := range sel.TargetList {
		v := pg.TargetValue(n)
		out = ir.OrE(out, x.Compare("=", subject, x.Expr(v), x.At(v)).Expr)
	}
	return out
}

// block translates BEGIN … END.
func (b *Builder) block(f *expr.Frame, s *plpgsql.Block, pos ir.Pos) {
	outer := f.Scope
	f.Scope = &expr.Scope{Label: s.Label, Vars: map[string]*expr.Variable{}, Parent: outer}
	for _, d := range s.Decls {
		b.declaration(f, d)
	}
	list := func() {
		if len(s.Handlers) > 0 {
			b.orElse(f, pos, func() { b.protected(f, s, pos) }, func(why string) { b.abandon(f, s, why) })
			return
		}
		b.stmts(f, s.Body)
	}
	if s.Label == "" {
		list()
	} else {
		b.Block(f, s.Label, pos, list)
	}
	f.Scope = outer
}

// SQLStatement translates an SQL command or PERFORM.
func (b *Builder) sqlStmt(f *expr.Frame, s *plpgsql.SQL, pos ir.Pos) {
	if s.Perform {
		sel, t := b.expression(f, s.Query)
		if !b.refuses(f, sel, pos) {
			b.selectStmt(f, t, sel, pos, expr.Sink{})
			b.follow(sel)
		}
		return
	}
	tree, t := b.parseCommand(f, s.Query)
	to, store := expr.Sink{}, func() {}
	if s.Into != nil {
		to, store = b.into(f, s.Into, pos)
	} else if _, ok := tree.(*pg.SelectStmt); ok {
		b.App.Fail(pos, "the result of this SELECT goes nowhere; use PERFORM, or INTO")
	}
	b.Command(f, t, tree, pos, to)
	store()
}

func (b *Builder) diagnostics(f *expr.Frame, s *plpgsql.GetDiagnostics, pos ir.Pos) {
	if s.Stacked {
		b.stacked(f, s, pos)
		return
	}
	for _, it := range s.Items {
		v, fd := b.targetOf(f, it.Target)
		d := destOf(v, fd)
		if d.Local == "" {
			b.Unmodelled("GET DIAGNOSTICS into a record")
		}
		if it.Item == "row_count" {
			b.Assign(pos, d.Local, b.Ex(f, f.Text).Cast(expr.Val{Expr: ir.V(f.Rowcount), Type: schema.TInt, NotNull: true}, d.T, 0).Expr)
			continue
		}
		b.Havoc(pos, d.Local)
	}
}
