package expr

import (
	"cmp"

	"github.com/txrobust/robust/internal/failure"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
)

// Demand is a condition on the value of a local: an assignment that breaks it ends in an error.
type Demand struct {
	Cond  ir.Expr
	State string // the SQLSTATE
}

const (
	NullVariable = "22004"
	checkBroken  = "23514"
)

// DemandingLoop says why a loop is not modelled.
const DemandingLoop = "a loop over a variable that is NOT NULL or of a domain"

// Demands gives the conditions of a domain on a value of it. What is left out is empty, or
// says what may refuse values besides.
func (l *Application) Demands(u *schema.UserType, t schema.Type, e ir.Expr) (out []Demand, leftOut string) {
	for _, c := range u.Checks() {
		cond, why := l.RowCondition(&c.Expr, DomainValue(t, e))
		if _, looks := l.Looks(c); why != "" || !Known(cond) || failure.MayFail(cond) || looks {
			leftOut = u.Refusal()
			continue
		}
		out = append(out, Demand{ir.NotE(ir.Op(ir.Is, cond, ir.C(ir.Bool(false)))), checkBroken})
	}
	return out, leftOut
}

// Known reports whether it is known what all functions of an expression give.
func Known(e ir.Expr) bool {
	all := true
	ir.WalkExpr(e, func(e ir.Expr) {
		c, ok := e.(*ir.Call)
		all = all && (!ok || c.Known())
	})
	return all
}

// MayRefuseAny marks that domains may refuse a value, or parts of it, but for one of them, which may
// be nil.
func (b *Draft) MayRefuseAny(list []*schema.UserType, but *schema.UserType, pos ir.Pos) {
	for _, u := range list {
		if u != but && u.Demanding() {
			b.MayBreak(u, u.Refusal(), pos)
		}
	}
}

// Becomes holds a value to a domain that it is cast to.
func (x *Spot) Becomes(u *schema.UserType, v Val) Val {
	switch {
	case x.Draft == nil || !u.Demanding():
		return v
	case x.PerRow || x.Conditional || v.Record:
		x.Draft.MayBreak(u, u.Refusal(), x.Draft.Cur)
		return v
	}
	v.Expr = x.Shared(v.Expr, v.Type)
	list, leftOut := x.App.Demands(u, v.Type, v.Expr)
	x.Draft.MayBreak(u, cmp.Or(leftOut, u.RefusesNull()), x.Draft.Cur)
	for _, d := range list {
		x.Draft.Require(x.Draft.Cur, d.Cond, d.State)
	}
	return v
}

// MayBreak marks that something that is left out may refuse a value that becomes one of a
// domain, or look at tables then.
func (b *Draft) MayBreak(u *schema.UserType, leftOut string, pos ir.Pos) {
	if leftOut == "" {
		return
	}
	for _, c := range u.Checks() {
		if r, looks := b.App.Looks(c); looks {
			b.GiveUp(pos, r, leftOut+", which looks at tables")
		}
	}
	b.MayDepend(pos, leftOut)
}

// ForColumn is a value, which n computes, as one of a column. PostgreSQL holds it to the domain
// of the column only where it becomes one of it: a query or a branch that has the type of the
// domain already may give NULL, whatever the domain says (CREATE DOMAIN, notes).
func (x *Spot) ForColumn(c *schema.Column, v Val, n *pg.Node, loc int32) Val {
	if c.Domain.NotNull() && !v.NotNull {
		passes := false
		switch pg.Inner(n).(type) {
		case *pg.ColumnRef:
			passes = v.Expr != nil && !RowFree(v.Expr, map[string]bool{})
		case *pg.SubLink, *pg.CaseExpr, *pg.CoalesceExpr, nil:
			passes = true
		}
		if passes {
			x.Unmodelled("a value of the domain of column %s that may be NULL", c.Name)
		}
	}
	return Val{Expr: x.Convert(v, c.T, loc, "column "+c.Name), Type: c.T, NotNull: v.NotNull}
}
