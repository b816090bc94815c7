package sqlmodel

import (
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// SQLBody translates a LANGUAGE sql function: the rows of its last statement
// are its result.
func (b *builder) sqlBody(f *frame) {
	list, t := f.fn.SQLStatements()
	for i, s := range list {
		b.numbered(func() {
			if i == len(list)-1 && !f.fn.Void() {
				b.lastStatement(f, t, s)
				return
			}
			b.guard(s.Pos, b.refsOf(s.Node), func() { b.command(f, t, s.Tree, s.Pos, sink{}) }, func() {})
		})
	}
}

// lastStatement gives the result of an SQL function.
func (b *builder) lastStatement(f *frame, t *syntax.Text, s syntax.SQLStatement) {
	if f.fn.SetOf {
		b.guard(s.Pos, b.refsOf(s.Node), func() { b.command(f, t, s.Tree, s.Pos, sink{kind: toClient}) }, func() {})
		return
	}
	if f.result == nil {
		b.guard(s.Pos, b.refsOf(s.Node), func() {
			if sel, ok := s.Tree.(*pg.SelectStmt); ok && syntax.AlwaysOneRow(sel) {
				b.command(f, t, s.Tree, s.Pos, sink{kind: toClient})
				return
			}
			e := &ir.Emit{At: at(s.Pos)}
			var into []dest
			b.command(f, t, s.Tree, s.Pos, sink{kind: intoLocals, dests: func(cols []colDef) (list, rest []dest) {
				b.checkResult(f, s.Pos, cols)
				if into != nil {
					return into, nil
				}
				for _, c := range cols {
					d := dest{b.local(c.name, c.t), c.t}
					if c.t.Name == schema.NUnknown {
						d.t = schema.TText
					}
					into = append(into, d)
					e.Exprs = append(e.Exprs, ir.V(d.local))
				}
				return into, nil
			}})
			if e.Exprs == nil {
				b.unmodelled("a last statement that returns nothing")
			}
			b.emit(e)
		}, func() {})
		return
	}
	var into []dest
	for _, o := range f.outs {
		into = append(into, o.dests()...)
	}
	if len(f.fn.Outputs()) == 0 {
		for _, c := range f.result.values {
			into = append(into, dest{c.e.(*ir.Var).Name, c.t})
		}
	}
	b.guard(s.Pos, b.refsOf(s.Node), func() {
		b.command(f, t, s.Tree, s.Pos, sink{kind: intoLocals, dests: func(cols []colDef) (list, rest []dest) {
			b.checkResult(f, s.Pos, cols)
			return into, nil
		}})
	}, func() {
		for _, d := range into {
			b.havoc(s.Pos, d.local)
		}
	})
}

// resultTypes gives the types of the columns that a function returns, nil if
// its declaration does not say.
func (b *builder) resultTypes(f *frame) []schema.Type {
	var out []schema.Type
	if len(f.fn.Outputs()) > 0 {
		for _, o := range f.fn.Outputs() {
			out = append(out, b.l.SignatureType(o.T, f.fn.Text))
		}
		return out
	}
	t := b.l.SignatureType(f.fn.Ret, f.fn.Text)
	if fields := b.l.FieldsOf(t.Name); len(fields) > 0 {
		for _, fd := range fields {
			out = append(out, fd.T)
		}
		return out
	}
	if t.Name == schema.NRecord || t.IR.Kind == ir.KindOpaque && t.Name != schema.NJSON {
		return nil
	}
	return []schema.Type{t}
}

// checkResult checks the number of columns that a function returns.
func (b *builder) checkResult(f *frame, pos ir.Pos, cols []colDef) {
	if types := b.resultTypes(f); types != nil && len(types) != len(cols) {
		b.l.Fail(pos, "%s returns %d columns, but this gives %d", f.fn.Name, len(types), len(cols))
	}
}

// command translates an SQL statement.
func (b *builder) command(f *frame, t *syntax.Text, tree any, pos ir.Pos, to sink) {
	defer b.follow(tree)
	if b.refuses(f, tree, pos) {
		return
	}
	if to.kind == discard || to.kind == toClient && f.result != nil {
		b.refuseReturning(tree)
	}
	switch s := tree.(type) {
	case *pg.SelectStmt:
		b.selectStmt(f, t, s, pos, to)
	case *pg.InsertStmt:
		b.apart(s, s.Relation)
		b.insertStmt(f, t, s, pos, to)
	case *pg.UpdateStmt:
		b.updateStmt(f, t, s, pos, to)
	case *pg.DeleteStmt:
		b.deleteStmt(f, t, s, pos, to)
	case *pg.MergeStmt:
		b.mergeStmt(f, t, s, pos)
	case *pg.LockStmt:
		b.lockTable(f, t, s, pos)
	case *pg.CallStmt:
		b.callStmt(f, t, s, pos)
	case *pg.VariableSetStmt:
		b.setVariable(s)
	case *pg.VariableShow, *pg.NotifyStmt, *pg.ListenStmt, *pg.CommentStmt, *pg.CheckPointStmt, *pg.VacuumStmt:
		// They touch no rows.
	case *pg.ConstraintsSet:
		// Constraints that it can defer are left out.
	default:
		b.unmodelled("%s", syntax.CommandName(tree))
	}
}

// refuseReturning refuses RETURNING of what may fail, or do something, where nobody takes the
// values: the server computes them.
func (b *builder) refuseReturning(tree any) {
	var list []*pg.Node
	switch s := tree.(type) {
	case *pg.InsertStmt:
		list = s.GetReturningClause().GetExprs()
	case *pg.UpdateStmt:
		list = s.GetReturningClause().GetExprs()
	case *pg.DeleteStmt:
		list = s.GetReturningClause().GetExprs()
	}
	for _, n := range list {
		switch pg.Inner(pg.TargetValue(n)).(type) {
		case *pg.ColumnRef, *pg.A_Const, *pg.ParamRef:
		default:
			b.unmodelled("RETURNING of an expression of which nobody takes the value")
		}
	}
}

// setVariable is SET: only the isolation level matters.
func (b *builder) setVariable(s *pg.VariableSetStmt) {
	if s.Kind != pg.SetMulti || s.Name != "TRANSACTION" {
		return
	}
	if level := syntax.Isolation(s.Args); level != "" {
		b.txn.Level = level
	}
}

func (b *builder) lockTable(f *frame, t *syntax.Text, s *pg.LockStmt, pos ir.Pos) {
	x := b.ex(f, t)
	mode := ir.AccessExclusive
	if s.Mode >= 1 && s.Mode <= 8 {
		mode = ir.TableLock(s.Mode - 1)
	}
	for _, n := range s.Relations {
		tab := x.tableOf(pg.Inner(n).(*pg.RangeVar))
		b.emit(&ir.LockTable{At: at(pos), Table: tab.IR, Mode: mode})
		b.locks = true
	}
}

// callStmt is CALL of a procedure of the program: it is inlined, and its
// outputs go to the variables in the place of their arguments.
func (b *builder) callStmt(f *frame, t *syntax.Text, s *pg.CallStmt, pos ir.Pos) {
	x := b.ex(f, t)
	name := syntax.Qualified(syntax.Names(s.Funccall.Funcname))
	fns := x.functions(name)
	if len(fns) == 0 {
		b.unmodelled("the procedure %s, which is not declared here", name)
	}
	var fn *schema.Function
	for _, g := range fns {
		if len(g.Params) == len(s.Funccall.Args) && g.HasBody() {
			if fn != nil {
				b.unmodelled("a call of %s, which is declared %d times", name, len(fns))
			}
			fn = g
		}
	}
	if fn == nil {
		b.unmodelled("CALL of %s with these arguments", name)
	}
	var args []val
	var outs []*pg.ColumnRef
	for i, p := range fn.Params {
		n := s.Funccall.Args[i]
		if _, isNamed := pg.Inner(n).(*pg.NamedArgExpr); isNamed {
			b.unmodelled("named arguments in CALL")
		}
		if p.In {
			args = append(args, x.expr(n))
		}
		if p.Out {
			c, ok := pg.Inner(n).(*pg.ColumnRef)
			if !ok {
				b.unmodelled("an output of CALL that goes to no variable")
			}
			outs = append(outs, c)
		}
	}
	b.checkVolatility(fn)
	v := b.inline(pos, fn, args)
	cols := v.columns()
	if len(outs) == 0 {
		return
	}
	if len(outs) != len(cols) {
		b.unmodelled("records as outputs of CALL")
	}
	var list []dest
	for _, c := range outs {
		w, fd := f.scope.find(syntax.Names(c.Fields))
		switch {
		case w == nil || w.isRecord && fd == nil:
			b.unmodelled("an output of CALL that goes to no variable")
		case fd != nil:
			list = append(list, dest{fd.local, fd.t})
		default:
			list = append(list, dest{w.local, w.t})
		}
	}
	b.assignAll(x, pos, list, cols)
}
