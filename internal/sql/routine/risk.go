package routine

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/failure"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/schema"
)

// refuse gives up where a handler of c that goes on may catch one of the risks
// of its body.
func (b *Builder) refuse(c *expr.Catch, list []expr.Risk) {
	masked := c.Masked
	for _, r := range append(list, c.Masked...) {
		if b.Moment && r.Moment {
			continue
		}
		for _, h := range c.Handlers {
			if !r.Meets(h) {
				continue
			}
			if !plpgsql.Raises(h.Body, c.Src) {
				b.Unmodelled("a block that handles %s: %s", conditions(h), r.Why)
			}
			masked = append(masked, masks(h)...)
			if r.State != expr.AnyError && r.State != expr.ValueError {
				break // no other one
			}
		}
	}
	if n := len(b.Catches); n > 0 {
		b.Catches[n-1].Masked = append(b.Catches[n-1].Masked, masked...)
	}
}

func conditions(h plpgsql.Handler) string {
	var out []string
	for _, c := range h.Conds {
		out = append(out, c.Name)
	}
	return strings.Join(out, " or ")
}

// masks gives the errors that a handler which always ends in one may raise.
func masks(h plpgsql.Handler) []expr.Risk {
	var out []expr.Risk
	plpgsql.Walk(h.Body, func(s plpgsql.Stmt) {
		plpgsql.Spans(s, func(plpgsql.Span, plpgsql.SpanKind) {
			why := "a handler inside of it computes values"
			out = append(out, expr.Risk{State: expr.ValueError, Why: why}, expr.Risk{State: expr.DivisionByZero, Why: why})
		})
		switch s := s.(type) {
		case *plpgsql.Raise:
			switch {
			case !s.Error, s.Again:
			case s.State == "":
				out = append(out, expr.Risk{State: expr.AnyError, Why: "a handler inside of it raises an error whose SQLSTATE is told when it is raised"})
			default:
				out = append(out, expr.Risk{State: s.State, Why: "a handler inside of it raises this error in the place of one that is not modelled"})
			}
		case *plpgsql.GetDiagnostics, *plpgsql.Null, *plpgsql.Assign, *plpgsql.If:
		default:
			out = append(out, expr.Risk{State: expr.AnyError, Why: "a handler inside of it does more than to raise an error"})
		}
	})
	return out
}

// risks gives the errors that the body of a block may raise and that its
// translation does not show.
func (b *Builder) risks(f *expr.Frame, c *expr.Catch, body []plpgsql.Stmt, list []ir.Stmt) []expr.Risk {
	var out []expr.Risk
	add := func(why string, states ...string) {
		for _, s := range states {
			out = append(out, expr.Risk{State: s, Why: why})
		}
	}
	moment := func(why string, states ...string) {
		add(why, states...)
		for i := range states {
			out[len(out)-1-i].Moment = true
		}
	}
	waits := func(what string) {
		moment("whether "+what+" fails depends on the transactions that run at that moment", "40001", "40P01", "55P03")
	}
	ir.Walk(list, func(s ir.Stmt) {
		if len(ir.Reads(s)) > 0 && b.App.LocksTables {
			waits("a query")
		}
		switch s := s.(type) {
		case *ir.Unmodelled:
			add("a statement in it is not modelled ("+s.Reason+")", expr.AnyError)
		case *ir.Insert:
			b.insertRisks(s, list, add, moment, waits)
		case *ir.Update:
			what := "an UPDATE of " + s.Table.Name
			waits(what)
			if keyed, refers := b.touches(s); keyed || refers {
				if keyed {
					add(what+unseenRow, "23505", "23P01")
				}
				if refers {
					add(what+unseenChildren, "23503", "23001")
				}
			}
			b.rowRisks(s, what, add)
		case *ir.Delete:
			what := "a DELETE from " + s.Table.Name
			waits(what)
			if len(b.App.KeysTo(b.App.TableOfIR(s.Table))) > 0 {
				add(what+unseenChildren, "23503", "23001")
			}
		case *ir.LockTable:
			waits("a lock of " + s.Table.Name)
		case *ir.Dropped:
			waits(s.What)
			for i := range out { // an error of a row is none of others
				out[i].Moment = out[i].Moment && s.Kind != ir.ByError
			}
		}
		if locks, _ := ir.LocksOf(s); len(locks) > 0 {
			waits("a lock of rows")
		}
	})
	divides, values := expr.Risk{State: expr.DivisionByZero, Why: ""}, expr.Risk{State: expr.ValueError, Why: ""}
	if slices.ContainsFunc(c.Handlers, func(h plpgsql.Handler) bool { return divides.Meets(h) || values.Meets(h) }) {
		v := b.valueErrors(f, body)
		v.translated(list)
		for _, h := range c.Handlers {
			for _, cond := range h.Conds {
				if !cond.Others && cond.CatchesBeyond(expr.Followed) { // it is there for such an error
					v.strange("what it computes")
				}
			}
		}
		if v.divides != "" {
			add(v.divides, expr.DivisionByZero)
		}
		if v.odd != "" {
			add(v.odd+" may be an error that is not modelled", expr.ValueError)
		}
	}
	return out
}

// Reasons why the rows of the snapshot do not tell whether a statement fails.
const (
	unseenRow      = " may conflict with a row that its snapshot does not see"
	unseenChildren = " may depend on parents or children that its snapshot does not see"
)

// insertRisks adds the errors of an INSERT.
func (b *Builder) insertRisks(s *ir.Insert, list []ir.Stmt, add, moment func(why string, states ...string), waits func(what string)) {
	what := "an INSERT into " + s.Table.Name
	if why := what + unseenRow; b.Tried[s] {
		moment(why, "23505")
	} else if !unique(s, list) {
		add(why, "23505")
	}
	if len(s.Table.ForeignKeys) > 0 {
		add("it is not modelled whether "+what+" lacks a parent", "23503")
	}
	if len(s.Table.Exclusions) > 0 {
		add(what+unseenRow, "23P01")
	}
	if len(s.Table.ForeignKeys) > 0 || len(s.Table.Exclusions) > 0 || s.Conflict != nil || !unique(s, list) || b.App.LocksTables {
		waits(what)
	}
	b.rowRisks(s, what, add)
}

// touches reports whether an UPDATE sets columns of unique keys or exclusions, and whether it
// sets columns of foreign keys or such that these refer to.
func (b *Builder) touches(s *ir.Update) (keyed, refers bool) {
	t := s.Table
	sets := func(col int) bool {
		return slices.ContainsFunc(s.Sets, func(set ir.Set) bool { return set.Col == col })
	}
	looks := func(e ir.Expr) bool {
		found := false
		if e != nil {
			ir.WalkExpr(e, func(e ir.Expr) {
				c, ok := e.(*ir.Col)
				found = found || ok && sets(t.Column(c.Col))
			})
		}
		return found
	}
	for _, u := range t.Uniques {
		keyed = keyed || slices.ContainsFunc(u.Columns, sets) || looks(u.Where)
	}
	for _, x := range t.Exclusions {
		keyed = keyed || slices.ContainsFunc(ir.ExclusionColumns(&x, t), sets)
	}
	own := b.App.TableOfIR(t)
	for _, k := range own.Unseen {
		keyed = keyed || k.Key
	}
	for _, k := range t.ForeignKeys {
		refers = refers || slices.ContainsFunc(k.Columns, sets)
	}
	for _, k := range b.App.KeysTo(own) {
		for _, name := range b.App.RefColumns(k) {
			refers = refers || sets(t.Column(name))
		}
	}
	return keyed, refers
}

// rowRisks adds the constraints that a written row itself may break.
func (b *Builder) rowRisks(s ir.Stmt, what string, add func(why string, states ...string)) {
	if !b.Shown[s] {
		add("it is not modelled whether "+what+" breaks a constraint of the row", expr.NotNull, expr.CheckViolation)
	}
	t := b.App.TableOfIR(ir.Written(s))
	calls := schema.NewRefs()
	for _, k := range t.Checks {
		calls.Add(k.Expr.Node)
	}
	for _, c := range t.Columns {
		for _, k := range c.Domain.Checks() {
			calls.Add(k.Expr.Node)
		}
	}
	if len(t.Exclusions) > 0 {
		add("an EXCLUDE constraint of "+t.Name+" computes values", expr.ValueError)
	}
	for name := range b.App.Calls(calls) {
		if !b.App.Builtin(name).Known || len(b.App.LateFunctions(name)) > 0 {
			add("a constraint of "+t.Name+" calls "+name, expr.AnyError)
		}
	}
}

// unique reports whether no row can be in the way of an INSERT: each key has a
// value that was drawn right before it and serves no other INSERT.
func unique(insert *ir.Insert, list []ir.Stmt) bool {
	drawn := drawnFor(insert, list)
	uses := map[string]int{}
	ir.Walk(list, func(s ir.Stmt) {
		if i, ok := s.(*ir.Insert); ok {
			for _, e := range i.Values {
				ir.WalkExpr(e, func(e ir.Expr) {
					if v, ok := e.(*ir.Var); ok {
						uses[v.Name]++
					}
				})
			}
		}
	})
	fresh := func(cols []int) bool {
		return slices.ContainsFunc(cols, func(c int) bool {
			i := slices.Index(insert.Cols, c)
			if i < 0 {
				return false
			}
			v, ok := insert.Values[i].(*ir.Var)
			return ok && drawn[v.Name] && uses[v.Name] == 1
		})
	}
	return (insert.Table.Rowid || fresh(insert.Table.Key)) &&
		!slices.ContainsFunc(insert.Table.Uniques, func(u ir.Unique) bool { return !fresh(u.Columns) })
}

// drawnFor gives the locals that get a FRESH value in the list in which the INSERT
// stands, before it, and no other value there.
func drawnFor(insert *ir.Insert, list []ir.Stmt) map[string]bool {
	drawn := map[string]bool{}
	for _, s := range list {
		if s == ir.Stmt(insert) {
			return drawn
		}
		h, ok := s.(*ir.Havoc)
		for _, name := range ir.Assigned(s) {
			drawn[name] = ok && h.Fresh
		}
		for _, c := range ir.Children(s) {
			if found := drawnFor(insert, c); found != nil {
				return found
			}
			ir.Walk(c, func(s ir.Stmt) {
				for _, name := range ir.Assigned(s) {
					delete(drawn, name)
				}
			})
		}
	}
	return nil
}

// failsForRows reports whether a relation whose rows are all fetched ends in an error exactly
// where an expression of its last step fails for a row or group: a server computes each of these
// expressions for each row that comes to it, and nothing that may fail comes before.
func failsForRows(r ir.Rel) bool {
	p, ok := r.(*ir.Project)
	if !ok || p.On != nil || p.Limit != nil || p.Offset != nil || oftenTested(p.Where) {
		return false
	}
	own := []ir.Expr{p.Where}
	for _, c := range p.Cols {
		own = append(own, c.Expr)
	}
	for _, o := range p.Order {
		own = append(own, o.Expr)
	}
	from := p.From
	if leaf, is := from.(*ir.Leaf); is {
		if g, grouped := leaf.Rel.(*ir.Group); grouped && !oftenTested(g.Where) {
			own = append(own, g.Where)
			for _, k := range g.Keys {
				own = append(own, k.Expr)
			}
			for _, a := range g.Aggs {
				own = append(own, a.Arg)
			}
			from = g.From
		}
	}
	before := &ir.Project{From: from}
	fails := false
	ir.WalkRel(before, func(e ir.Expr) { fails = fails || failure.MayFail(e) })
	return !fails && !slices.ContainsFunc(own, failsWhenPlanned)
}

// oftenTested reports whether a condition has several parts, which a server tests in an order of
// its own, and one of them may fail.
func oftenTested(where ir.Expr) bool {
	return where != nil && len(ir.Conjuncts(where)) > 1 && failure.MayFail(where)
}

// failsWhenPlanned reports whether a part of an expression may fail and is about no row: a server
// computes it when it plans.
func failsWhenPlanned(e ir.Expr) bool {
	found := false
	if e != nil {
		ir.WalkExpr(e, func(e ir.Expr) { found = found || failure.Of(e) != nil && failure.RowFree(e) })
	}
	return found
}

// Demand holds all that is assigned to a local of type t from here on to its domain, nil if it is
// none.
func (b *Builder) Demand(u *schema.UserType, t schema.Type, local string, pos ir.Pos) {
	if !u.Demanding() {
		return
	}
	list, leftOut := b.App.Demands(u, t, ir.V(local))
	b.Demands[local] = append(b.Demands[local], list...)
	b.MayBreak(u, cmp.Or(leftOut, u.RefusesNull()), pos)
}

// demandParts marks that domains may refuse fields of a row that is assigned. They refuse
// nothing of what is stored in a column of the same type.
func (b *Builder) demandParts(fields []expr.Field, values []expr.Column, pos ir.Pos) {
	for i, fd := range fields {
		notNull := slices.ContainsFunc(fd.Within, (*schema.UserType).NotNull) // there may be no row
		if i < len(values) && !notNull {
			if c := values[i].Of; c != nil && c.Domain == fd.Domain && slices.Equal(c.Within, fd.Within) {
				continue
			}
		}
		b.MayRefuseAny(fd.Within, nil, pos)
	}
}

// demandOfRecord marks what domains may refuse of a field of type t that is assigned, in a
// variable of type record: it has the type that the query had which filled the record.
func (b *Builder) demandOfRecord(t schema.Type, pos ir.Pos) {
	for _, key := range slices.Sorted(maps.Keys(b.App.Declarations.TypesByKey)) {
		if u := b.App.Declarations.TypesByKey[key]; u.Base.Same(t) {
			b.MayRefuseAny([]*schema.UserType{u}, nil, pos)
		}
	}
}

// demandNotNull makes each assignment of NULL to a variable from here on an error.
func (b *Builder) demandNotNull(v *expr.Variable) {
	for _, d := range v.Dests() {
		if v.IsRecord {
			b.Unmodelled("a record that is NOT NULL")
		}
		b.Demands[d.Local] = append(b.Demands[d.Local], expr.Demand{Cond: expr.IsNotNull(ir.V(d.Local)), State: expr.NullVariable})
	}
}
