package query

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// besideNull reports whether the planner may know that an expression is NULL because an operand
// is: then the others are not computed, and no function that they call runs.
func (x *Spot) besideNull(n *pg.Node) bool {
	switch e := pg.Inner(n).(type) {
	case *pg.A_Expr:
		strict := e.Kind == pg.ExprOp || e.Kind == pg.ExprLike || e.Kind == pg.ExprILike || e.Kind == pg.ExprSimilar
		return strict && !x.App.In.MySQL && (x.planned(e.Lexpr) || x.planned(e.Rexpr))
	case *pg.FuncCall:
		return !x.App.In.MySQL && slices.ContainsFunc(e.Args, x.planned) && len(x.Functions(syntax.Qualified(syntax.Names(e.Funcname)))) == 0
	}
	return false
}

// planned reports whether a value may be the constant NULL when a query is planned.
func (x *Spot) planned(n *pg.Node) bool {
	switch e := pg.Inner(n).(type) {
	case *pg.A_Const:
		return e.Isnull
	case *pg.TypeCast:
		return x.planned(e.Arg)
	}
	return n != nil && x.besideNull(n)
}

// isConstant reports whether a query has the value of an expression when it is planned: that of
// constants, casts of them, and operators on them.
func isConstant(n *pg.Node) bool {
	switch e := pg.Inner(n).(type) {
	case *pg.A_Const:
		return true
	case *pg.TypeCast:
		return isConstant(e.Arg)
	case *pg.A_Expr:
		return e.Kind == pg.ExprOp && (e.Lexpr == nil || isConstant(e.Lexpr)) && isConstant(e.Rexpr)
	}
	return false
}

// callsProgram reports whether an expression calls functions of the program.
func (x *Spot) callsProgram(e *pg.A_Expr) bool {
	found := false
	pg.Walk(e, func(n any) bool {
		c, is := n.(*pg.FuncCall)
		found = found || is && len(x.Functions(syntax.Qualified(syntax.Names(c.Funcname)))) > 0
		return !found
	})
	return found
}
