package sqlmodel

import (
	"cmp"
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/ir"
)

// demand is a condition on the value of a local: an assignment that breaks it ends in an error.
type demand struct {
	cond  ir.Expr
	state string // the SQLSTATE
}

// SQLSTATEs of the assignments that break a demand.
const (
	nullVariable = "22004"
	checkBroken  = "23514"
)

const demandingLoop = "a loop over a variable that is NOT NULL or of a domain"

// demands gives the conditions of a domain on a value of it. What is left out is empty, or
// says what may refuse values besides.
func (l *Application) demands(u *schema.UserType, t schema.Type, e ir.Expr) (out []demand, leftOut string) {
	for _, c := range u.Checks() {
		cond, why := l.rowCondition(&c.Expr, domainValue(t, e))
		if _, looks := l.Looks(c); why != "" || !known(cond) || ir.MayFail(cond) || looks {
			leftOut = u.Refusal()
			continue
		}
		out = append(out, demand{ir.NotE(ir.Op(ir.Is, cond, ir.C(ir.Bool(false)))), checkBroken})
	}
	return out, leftOut
}

// known reports whether it is known what all functions of an expression give.
func known(e ir.Expr) bool {
	all := true
	ir.WalkExpr(e, func(e ir.Expr) {
		c, ok := e.(*ir.Call)
		all = all && (!ok || c.Known())
	})
	return all
}

// demand holds all that is assigned to a local of type t from here on to its domain, nil if it is
// none.
func (b *builder) demand(u *schema.UserType, t schema.Type, local string, pos ir.Pos) {
	if !u.Demanding() {
		return
	}
	list, leftOut := b.l.demands(u, t, ir.V(local))
	b.demands[local] = append(b.demands[local], list...)
	b.mayBreak(u, cmp.Or(leftOut, u.RefusesNull()), pos)
}

// demandParts marks that domains may refuse fields of a row that is assigned. They refuse
// nothing of what is stored in a column of the same type.
func (b *builder) demandParts(fields []field, values []colDef, pos ir.Pos) {
	for i, fd := range fields {
		notNull := slices.ContainsFunc(fd.within, (*schema.UserType).NotNull) // there may be no row
		if i < len(values) && !notNull {
			if c := values[i].of; c != nil && c.Domain == fd.domain && slices.Equal(c.Within, fd.within) {
				continue
			}
		}
		b.mayRefuseAny(fd.within, nil, pos)
	}
}

// mayRefuseAny marks that domains may refuse a value, or parts of it, but for one of them, which may
// be nil.
func (b *Draft) mayRefuseAny(list []*schema.UserType, but *schema.UserType, pos ir.Pos) {
	for _, u := range list {
		if u != but && u.Demanding() {
			b.mayBreak(u, u.Refusal(), pos)
		}
	}
}

// demandOfRecord marks what domains may refuse of a field of type t that is assigned, in a
// variable of type record: it has the type that the query had which filled the record.
func (b *builder) demandOfRecord(t schema.Type, pos ir.Pos) {
	for _, key := range slices.Sorted(maps.Keys(b.l.Declarations.TypesByKey)) {
		if u := b.l.Declarations.TypesByKey[key]; u.Base.Same(t) {
			b.mayRefuseAny([]*schema.UserType{u}, nil, pos)
		}
	}
}

// demandNotNull makes each assignment of NULL to a variable from here on an error.
func (b *builder) demandNotNull(v *variable) {
	for _, d := range v.dests() {
		if v.isRecord {
			b.unmodelled("a record that is NOT NULL")
		}
		b.demands[d.local] = append(b.demands[d.local], demand{isNotNull(ir.V(d.local)), nullVariable})
	}
}

// meet holds what statement s has assigned to the demands on it. A variable keeps its value
// where an assignment fails, which matters to a handler.
func (b *Draft) meet(s ir.Stmt) {
	if len(b.demands) == 0 {
		return
	}
	for _, local := range ir.Assigned(s) {
		for _, d := range b.demands[local] {
			switch s := s.(type) {
			case *ir.Foreach, *ir.ForRange:
				b.unmodelled(demandingLoop)
			case *ir.Assign:
				if c, is := s.Expr.(*ir.Const); is && d.state == nullVariable && !c.Value.IsNull() {
					continue
				}
			}
			if b.caught(d.state) {
				b.unmodelled("a handler of what a variable that is NOT NULL or of a domain refuses")
			}
			b.require(s.Position(), d.cond, d.state)
		}
	}
}

// becomes holds a value to a domain that it is cast to.
func (x *ex) becomes(u *schema.UserType, v val) val {
	switch {
	case x.b == nil || !u.Demanding():
		return v
	case x.perRow || x.conditional || v.record:
		x.b.mayBreak(u, u.Refusal(), x.b.cur)
		return v
	}
	v.e = x.shared(v.e, v.t)
	list, leftOut := x.l.demands(u, v.t, v.e)
	x.b.mayBreak(u, cmp.Or(leftOut, u.RefusesNull()), x.b.cur)
	for _, d := range list {
		x.b.require(x.b.cur, d.cond, d.state)
	}
	return v
}

// mayBreak marks that something that is left out may refuse a value that becomes one of a
// domain, or look at tables then.
func (b *Draft) mayBreak(u *schema.UserType, leftOut string, pos ir.Pos) {
	if leftOut == "" {
		return
	}
	for _, c := range u.Checks() {
		if r, looks := b.l.Looks(c); looks {
			b.giveUp(pos, r, leftOut+", which looks at tables")
		}
	}
	b.mayDepend(pos, leftOut)
}

// forColumn is a value, which n computes, as one of a column. PostgreSQL holds it to the domain
// of the column only where it becomes one of it: a query or a branch that has the type of the
// domain already may give NULL, whatever the domain says (CREATE DOMAIN, notes).
func (x *ex) forColumn(c *schema.Column, v val, n *pg.Node, loc int32) val {
	if c.Domain.NotNull() && !v.nn {
		passes := false
		switch pg.Inner(n).(type) {
		case *pg.ColumnRef:
			passes = v.e != nil && !rowFree(v.e, map[string]bool{})
		case *pg.SubLink, *pg.CaseExpr, *pg.CoalesceExpr, nil:
			passes = true
		}
		if passes {
			x.unmodelled("a value of the domain of column %s that may be NULL", c.Name)
		}
	}
	return val{e: x.convert(v, c.T, loc, "column "+c.Name), t: c.T, nn: v.nn}
}
