package routine

import (
	"strconv"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/trace"
)

// SQLBody translates a LANGUAGE sql function: the rows of its last statement
// are its result.
func (b *Builder) sqlBody(f *expr.Frame) {
	list, t := f.Func.SQLStatements()
	for i, s := range list {
		b.Numbered(func() {
			if i == len(list)-1 && !f.Func.Void() {
				b.lastStatement(f, t, s)
				return
			}
			b.Guard(s.Pos, b.RefsOf(s.Node), func() { b.Command(f, t, s.Tree, s.Pos, expr.Sink{}) }, func() {})
		})
	}
}

// lastStatement gives the result of an SQL function.
func (b *Builder) lastStatement(f *expr.Frame, t *syntax.Text, s syntax.SQLStatement) {
	if f.Func.SetOf {
		b.Guard(s.Pos, b.RefsOf(s.Node), func() { b.Command(f, t, s.Tree, s.Pos, expr.Sink{Kind: expr.ToClient}) }, func() {})
		return
	}
	if f.Result == nil {
		b.Guard(s.Pos, b.RefsOf(s.Node), func() {
			if sel, ok := s.Tree.(*pg.SelectStmt); ok && syntax.AlwaysOneRow(sel) {
				b.Command(f, t, s.Tree, s.Pos, expr.Sink{Kind: expr.ToClient})
				return
			}
			e := &ir.Emit{At: expr.At(s.Pos)}
			var into []expr.Dest
			b.Command(f, t, s.Tree, s.Pos, expr.Sink{Kind: expr.IntoLocals, Dests: func(cols []expr.Column) (list, rest []expr.Dest) {
				b.checkResult(f, s.Pos, cols)
				if into != nil {
					return into, nil
				}
				for _, c := range cols {
					d := expr.Dest{Local: b.Local(c.Name, c.Type), T: c.Type}
					if c.Type.Name == schema.NUnknown {
						d.T = schema.TText
					}
					into = append(into, d)
					e.Exprs = append(e.Exprs, ir.V(d.Local))
				}
				return into, nil
			}})
			if e.Exprs == nil {
				b.Unmodelled("a last statement that returns nothing")
			}
			b.Emit(e)
		}, func() {})
		return
	}
	var into []expr.Dest
	for _, o := range f.Outs {
		into = append(into, o.Dests()...)
	}
	if len(f.Func.Outputs()) == 0 {
		into = resultDests(f)
	}
	b.Guard(s.Pos, b.RefsOf(s.Node), func() {
		b.Command(f, t, s.Tree, s.Pos, expr.Sink{Kind: expr.IntoLocals, Dests: func(cols []expr.Column) (list, rest []expr.Dest) {
			b.checkResult(f, s.Pos, cols)
			return into, nil
		}})
	}, func() {
		for _, d := range into {
			b.Havoc(s.Pos, d.Local)
		}
	})
}

// ResultTypes gives the types of the columns that a function returns, nil if
// its declaration does not say.
func (b *Builder) ResultTypes(f *expr.Frame) []schema.Type {
	var out []schema.Type
	if len(f.Func.Outputs()) > 0 {
		for _, o := range f.Func.Outputs() {
			out = append(out, b.App.SignatureType(o.T, f.Func.Text))
		}
		return out
	}
	t := b.App.SignatureType(f.Func.Ret, f.Func.Text)
	if fields := b.App.FieldsOf(t.Name); len(fields) > 0 {
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
func (b *Builder) checkResult(f *expr.Frame, pos ir.Pos, cols []expr.Column) {
	if types := b.ResultTypes(f); types != nil && len(types) != len(cols) {
		b.App.Fail(pos, "%s returns %d columns, but this gives %d", f.Func.Name, len(types), len(cols))
	}
}

// Command translates an SQL statement.
func (b *Builder) Command(f *expr.Frame, t *syntax.Text, tree any, pos ir.Pos, to expr.Sink) {
	defer b.follow(tree)
	if _, calls := tree.(*pg.CallStmt); b.TypesOnly && !calls {
		taken(b.Ex(f, t), b.Types(f, t, tree), to)
		return
	}
	if m, ok := tree.(pg.Message); ok {
		b.Tell(trace.Syntax, pos, func() string {
			return pg.Print(m, func(off int) string { p := t.Pos(off); return strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Col) })
		})
	}
	if b.refuses(f, tree, pos) {
		return
	}
	if to.Kind == expr.Discard || to.Kind == expr.ToClient && f.Result != nil {
		b.refuseReturning(tree)
	}
	switch s := tree.(type) {
	case *pg.SelectStmt:
		b.selectStmt(f, t, s, pos, to)
	case *pg.InsertStmt:
		b.Apart(s, s.Relation)
		b.InsertStmt(f, t, s, pos, to)
	case *pg.UpdateStmt:
		b.UpdateStmt(f, t, s, pos, to)
	case *pg.DeleteStmt:
		b.DeleteStmt(f, t, s, pos, to)
	case *pg.MergeStmt:
		b.MergeStmt(f, t, s, pos)
	case *pg.LockStmt:
		b.lockTable(f, t, s, pos)
	case *pg.CallStmt:
		b.callStmt(f, t, s, pos)
	case *pg.VariableSetStmt:
		b.setVariable(s, pos)
	case *pg.VariableShow:
		b.show(f, s, pos, to)
	case *pg.NotifyStmt, *pg.ListenStmt, *pg.CommentStmt, *pg.CheckPointStmt, *pg.VacuumStmt:
		// They touch no rows.
	case *pg.ConstraintsSet:
		// Constraints that it can defer are left out.
	default:
		b.Unmodelled("%s", syntax.CommandName(tree))
	}
}

// taken gives a sink the columns of a statement of which nothing but the types is of interest.
func taken(x *query.Place, cols []expr.Column, to expr.Sink) {
	switch {
	case to.Kind == expr.IntoRows:
		to.Rows.Take(&x.Spot, cols)
	case to.Dests != nil:
		to.Dests(cols)
	}
}

// show is SHOW, which gives a setting, or all of them.
func (b *Builder) show(f *expr.Frame, s *pg.VariableShow, pos ir.Pos, to expr.Sink) {
	if to.Kind == expr.ToClient && f.Result == nil {
		b.Emit(&ir.Emit{At: expr.At(pos), Exprs: []ir.Expr{ir.V(b.SessionLocal("SHOW "+s.Name, schema.TText))}, Setting: true})
	}
}

// refuseReturning refuses RETURNING of what may fail, or do something, where nobody takes the
// values: the server computes them.
func (b *Builder) refuseReturning(tree any) {
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
			b.Unmodelled("RETURNING of an expression of which nobody takes the value")
		}
	}
}

// setVariable is SET: only the isolation level matters, and whether there are checks.
func (b *Builder) setVariable(s *pg.VariableSetStmt, pos ir.Pos) {
	if syntax.DropsChecks(s) {
		b.anything(pos)
	}
	level, sets := syntax.SetsIsolation(s)
	switch {
	case !sets || len(b.Calls) > 0 && b.Calls[0].Program != nil: // of a client program, sqlmodel finds the level
	case b.LoopDepth+b.BranchDepth > 0:
		b.Unmodelled("an isolation level that is not set on all paths")
	default:
		b.Txn.Level = level
	}
}

func (b *Builder) lockTable(f *expr.Frame, t *syntax.Text, s *pg.LockStmt, pos ir.Pos) {
	x := b.Ex(f, t)
	mode := ir.AccessExclusive
	if s.Mode >= 1 && s.Mode <= 8 {
		mode = ir.TableLock(s.Mode - 1)
	}
	for _, n := range s.Relations {
		tab := x.TableOf(pg.Inner(n).(*pg.RangeVar))
		b.Emit(&ir.LockTable{At: expr.At(pos), Table: tab.IR, Mode: mode})
		b.Locks = true
	}
}

// callStmt is CALL of a procedure of the program: it is inlined, and its
// outputs go to the variables in the place of their arguments.
func (b *Builder) callStmt(f *expr.Frame, t *syntax.Text, s *pg.CallStmt, pos ir.Pos) {
	x := b.Ex(f, t)
	name := syntax.Qualified(syntax.Names(s.Funccall.Funcname))
	fns := x.Functions(name)
	if len(fns) == 0 {
		b.Unmodelled("the procedure %s, which is not declared here", name)
	}
	var fn *schema.Function
	for _, g := range fns {
		if len(g.Params) == len(s.Funccall.Args) && g.HasBody() {
			if fn != nil {
				b.Unmodelled("a call of %s, which is declared %d times", name, len(fns))
			}
			fn = g
		}
	}
	if fn == nil {
		b.Unmodelled("CALL of %s with these arguments", name)
	}
	var args []expr.Val
	var outs []*pg.ColumnRef
	for i, p := range fn.Params {
		n := s.Funccall.Args[i]
		if _, isNamed := pg.Inner(n).(*pg.NamedArgExpr); isNamed {
			b.Unmodelled("named arguments in CALL")
		}
		if p.In {
			args = append(args, x.Expr(n))
		}
		if p.Out {
			c, ok := pg.Inner(n).(*pg.ColumnRef)
			if !ok {
				b.Unmodelled("an output of CALL that goes to no variable")
			}
			outs = append(outs, c)
		}
	}
	b.CheckVolatility(fn)
	v := b.Inline(pos, fn, args)
	cols := v.Columns()
	if len(outs) == 0 {
		return
	}
	if len(outs) != len(cols) {
		b.Unmodelled("records as outputs of CALL")
	}
	var list []expr.Dest
	for _, c := range outs {
		w, fd := f.Scope.Find(syntax.Names(c.Fields))
		if w == nil || w.IsRecord && fd == nil {
			b.Unmodelled("an output of CALL that goes to no variable")
		}
		list = append(list, destOf(w, fd))
	}
	b.AssignAll(x, pos, list, cols)
}

// derivedSelect is a SELECT statement that is a derivation.
func (b *Builder) derivedSelect(f *expr.Frame, x *query.Place, s *pg.SelectStmt, pos ir.Pos, to expr.Sink) {
	oneGroup := len(s.GroupClause) == 0 && syntax.HasAggregates(s.TargetList)
	rows := query.FetchedAll
	if to.Kind == expr.IntoLocals && !to.Whole && !to.Strict && !to.One && !oneGroup {
		rows = query.FetchedFirst
	}
	d := x.Whole(s, rows)
	found := func() ir.Expr { return d.Call(ir.WantAny, ir.BoolType) }
	count := func() ir.Expr {
		if f.Rowcount == "" {
			return nil
		}
		return d.Call(ir.WantCount, ir.IntType)
	}
	switch {
	case to.Kind == expr.IntoLocals:
		list, rest := to.Dests(d.Cols)
		b.SetFound(f, pos, found(), nil)
		if (to.Strict || to.One) && !d.Single {
			b.Require(pos, ir.NotE(d.Call(ir.WantMany, ir.BoolType)), expr.TooManyRows)
		}
		if to.Strict {
			b.Strict(to, pos, found())
		}
		first := b.IRLocal("first", ir.OpaqueType)
		b.Emit(&ir.Assign{At: expr.At(pos), Var: first, Expr: d.Call(ir.WantFirst, ir.OpaqueType)})
		b.AssignAll(x, pos, list, d.Fields(ir.V(first)))
		b.SetNull(pos, rest)
	case to.Kind == expr.ToClient && f.Result == nil:
		b.checkResult(f, pos, d.Cols)
		b.Emit(&ir.Emit{At: expr.At(pos), Exprs: []ir.Expr{d.Call(ir.WantRows, ir.ArrayType(ir.KindOpaque))}})
		b.SetFound(f, pos, found(), count())
	default:
		switch {
		case !b.RelMayFail(d.Rel):
		case failsForRows(d.Rel):
			query.RowsLocal(b.Draft, d, ir.WantRows, pos) // for its errors
		default:
			b.Unmodelled(query.UnusedRows)
		}
		b.SetFound(f, pos, found(), count())
	}
}
