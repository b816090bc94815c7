package sqlmodel

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/ir"
)

// risk is an error that a statement may raise without the translation showing
// it. Its SQLSTATE may be anyError or valueError.
type risk struct {
	state string
	why   string
}

const (
	anyError = "any"
	// valueError stands for all errors that depend on nothing but the values that
	// are computed, as far as followed does not have them.
	valueError = "value"

	divisionByZero = "22012"
	notNull        = "23502"
	checkViolation = "23514"
)

// followed are the SQLSTATEs of the errors of the system that are told apart.
var followed = map[string]bool{
	"P0000": true, "P0001": true, noData: true, tooManyRows: true, "P0004": true, "20000": true, divisionByZero: true,
	"23000": true, "23001": true, notNull: true, "23503": true, "23505": true, checkViolation: true, "23P01": true,
	"40000": true, "40001": true, "40002": true, "40003": true, "40P01": true, "55P03": true,
}

// meets reports whether a handler may catch the error.
func (r risk) meets(h plpgsql.Handler) bool {
	return slices.ContainsFunc(h.Conds, func(c plpgsql.Condition) bool {
		switch r.state {
		case anyError:
			return true
		case valueError:
			return c.CatchesBeyond(followed)
		}
		return c.Catches(r.state)
	})
}

// refuse gives up where a handler of c that goes on may catch one of the risks
// of its body.
func (b *builder) refuse(c *catch, list []risk) {
	masked := c.masked
	for _, r := range append(list, c.masked...) {
		for _, h := range c.handlers {
			if !r.meets(h) {
				continue
			}
			if !raises(h.Body, c.src) {
				b.unmodelled("a block that handles %s: %s", conditions(h), r.why)
			}
			masked = append(masked, masks(h)...)
			if r.state != anyError && r.state != valueError {
				break // no other one
			}
		}
	}
	if n := len(b.catches); n > 0 {
		b.catches[n-1].masked = append(b.catches[n-1].masked, masked...)
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
func masks(h plpgsql.Handler) []risk {
	var out []risk
	plpgsql.Walk(h.Body, func(s plpgsql.Stmt) {
		plpgsql.Spans(s, func(plpgsql.Span, plpgsql.SpanKind) {
			why := "a handler inside of it computes values"
			out = append(out, risk{valueError, why}, risk{divisionByZero, why})
		})
		switch s := s.(type) {
		case *plpgsql.Raise:
			switch {
			case !s.Error, s.Again:
			case s.State == "":
				out = append(out, risk{anyError, "a handler inside of it raises an error whose SQLSTATE is told when it is raised"})
			default:
				out = append(out, risk{s.State, "a handler inside of it raises this error in the place of one that is not modelled"})
			}
		case *plpgsql.GetDiagnostics, *plpgsql.Null, *plpgsql.Assign, *plpgsql.If:
		default:
			out = append(out, risk{anyError, "a handler inside of it does more than to raise an error"})
		}
	})
	return out
}

// risks gives the errors that the body of a block may raise and that its
// translation does not show.
func (b *builder) risks(f *frame, c *catch, body []plpgsql.Stmt, list []ir.Stmt) []risk {
	var out []risk
	add := func(why string, states ...string) {
		for _, s := range states {
			out = append(out, risk{s, why})
		}
	}
	waits := func(what string) {
		add("whether "+what+" fails depends on the transactions that run at that moment", "40001", "40P01", "55P03")
	}
	ir.Walk(list, func(s ir.Stmt) {
		if len(ir.Reads(s)) > 0 && b.l.LocksTables {
			waits("a query")
		}
		switch s := s.(type) {
		case *ir.Unmodelled:
			add("a statement in it is not modelled ("+s.Reason+")", anyError)
		case *ir.Insert:
			what := "an INSERT into " + s.Table.Name
			if !unique(s, list) {
				add("the row that is in the way of "+what+" may be one that the snapshot does not show", "23505")
			}
			if len(s.Table.ForeignKeys) > 0 {
				add("it is not modelled whether "+what+" lacks a parent", "23503")
			}
			if len(s.Table.Exclusions) > 0 {
				add("the row that excludes that of "+what+" may be one that the snapshot does not show", "23P01")
			}
			if len(s.Table.ForeignKeys) > 0 || len(s.Table.Exclusions) > 0 || s.Conflict != nil || !unique(s, list) || b.l.LocksTables {
				waits(what)
			}
			b.rowRisks(s, what, add)
		case *ir.Update:
			what := "an UPDATE of " + s.Table.Name
			waits(what)
			add("the row that is in the way of "+what+" may be one that the snapshot does not show", "23505", "23P01")
			add("the parents and children of "+what+" are those of that moment, not of the snapshot", "23503", "23001")
			b.rowRisks(s, what, add)
		case *ir.Delete:
			what := "a DELETE from " + s.Table.Name
			waits(what)
			add("the children of "+what+" are those of that moment, not of the snapshot", "23503", "23001")
		case *ir.LockTable:
			waits("a lock of " + s.Table.Name)
		case *ir.Dropped:
			waits(s.What)
		}
		if locks, _ := ir.LocksOf(s); len(locks) > 0 {
			waits("a lock of rows")
		}
	})
	divides, values := risk{divisionByZero, ""}, risk{valueError, ""}
	if slices.ContainsFunc(c.handlers, func(h plpgsql.Handler) bool { return divides.meets(h) || values.meets(h) }) {
		v := b.valueErrors(f, body)
		v.translated(list)
		for _, h := range c.handlers {
			for _, cond := range h.Conds {
				if !cond.Others && cond.CatchesBeyond(followed) { // it is there for such an error
					v.strange("what it computes")
				}
			}
		}
		if v.divides != "" {
			add(v.divides, divisionByZero)
		}
		if v.odd != "" {
			add(v.odd+" may be an error that is not modelled", valueError)
		}
	}
	return out
}

// rowRisks adds the constraints that a written row itself may break.
func (b *builder) rowRisks(s ir.Stmt, what string, add func(why string, states ...string)) {
	if !b.shown[s] {
		add("it is not modelled whether "+what+" breaks a constraint of the row", notNull, checkViolation)
	}
	t := b.l.TableOfIR(ir.Written(s))
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
		add("an EXCLUDE constraint of "+t.Name+" computes values", valueError)
	}
	for name := range b.l.Calls(calls) {
		if !b.l.Builtin(name).Known || len(b.l.LateFunctions(name)) > 0 {
			add("a constraint of "+t.Name+" calls "+name, anyError)
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

// rowChecks gives the checks of the rows of a table; false if the translation
// does not have all of them.
func (b *builder) rowChecks(t *schema.Table) ([]ir.TableCheck, bool) {
	var out []ir.TableCheck
	if t.Partitioned || slices.ContainsFunc(t.Columns, func(c *schema.Column) bool { return c.Domain != nil }) {
		return nil, false
	}
	for _, k := range t.Checks {
		i := slices.IndexFunc(t.IR.Checks, func(c ir.TableCheck) bool { return c.Pos == k.Pos })
		if i < 0 {
			return nil, false
		}
		out = append(out, t.IR.Checks[i])
	}
	return out, true
}

// checkFirst writes, before an INSERT, the errors of a row that breaks a
// constraint of its own.
func (b *builder) checkFirst(pos ir.Pos, row *rowSource, s *ir.Insert) {
	t := row.table
	checks, all := b.rowChecks(t)
	if !all || !b.caught(notNull, checkViolation) {
		return
	}
	value := inserted(s)
	for i, c := range t.IR.Columns {
		if from := row.col(c.Name); c.NotNull && from != nil && !from.nn {
			b.failsIf(pos, &ir.Unary{Op: ir.IsNull, X: value(i)}, notNull)
		}
	}
	for _, k := range checks {
		b.failsIf(pos, brokenBy(k, t.IR, value), checkViolation)
	}
	b.shown[s] = true
}

// checkUpdated writes, before an UPDATE that leaves rows like row, the errors of those that break
// constraints of their own. Which of several rows is updated first is not known, nor
// which error comes first where there are two kinds.
func (b *builder) checkUpdated(pos ir.Pos, row *rowSource, s *ir.Update) {
	t := row.table
	checks, all := b.rowChecks(t)
	if !all || !b.caught(notNull, checkViolation) {
		return
	}
	set := func(col int) bool { return slices.ContainsFunc(s.Sets, func(s ir.Set) bool { return s.Col == col }) }
	value := updated(s)
	var missing, broken []ir.Expr
	for i, c := range t.IR.Columns {
		if from := row.col(c.Name); c.NotNull && set(i) && (from == nil || !from.nn) {
			missing = append(missing, &ir.Unary{Op: ir.IsNull, X: value(i)})
		}
	}
	for _, k := range checks {
		changed := false
		ir.WalkExpr(k.Expr, func(e ir.Expr) {
			c, is := e.(*ir.Col)
			changed = changed || is && set(t.IR.Column(c.Col))
		})
		if changed {
			broken = append(broken, brokenBy(k, t.IR, value))
		}
	}
	rows := ir.Query{From: []ir.Source{{Table: t.IR, Row: s.Row}}, Where: s.Where}
	if len(missing) > 0 && len(broken) > 0 && !b.singleRow(rows) {
		return
	}
	fails := func(conds []ir.Expr, state string) {
		if len(conds) > 0 {
			b.failsIf(pos, &ir.Exists{Query: ir.Query{From: rows.From, Where: ir.AndE(s.Where, ir.OrE(conds...))}}, state)
		}
	}
	fails(missing, notNull)
	fails(broken, checkViolation)
	b.shown[s] = true
}

// inserted gives the value of a column in the row of an INSERT, but for generated columns that
// it does not set.
func inserted(s *ir.Insert) func(col int) ir.Expr {
	return func(col int) ir.Expr {
		if i := slices.Index(s.Cols, col); i >= 0 {
			return s.Values[i]
		}
		return ir.C(ir.Null)
	}
}

// updated gives the value of a column in a row after an UPDATE, but for generated columns that
// it does not set.
func updated(s *ir.Update) func(col int) ir.Expr {
	return func(col int) ir.Expr {
		if i := slices.IndexFunc(s.Sets, func(s ir.Set) bool { return s.Col == col }); i >= 0 {
			return s.Sets[i].Expr
		}
		return &ir.Col{Row: s.Row, Col: s.Table.Columns[col].Name}
	}
}

// brokenBy is the condition that a row with the given values of the columns breaks a check.
func brokenBy(k ir.TableCheck, t *ir.Table, value func(col int) ir.Expr) ir.Expr {
	return ir.NotE(ir.MapExpr(k.Expr, func(e ir.Expr) ir.Expr {
		if c, ok := e.(*ir.Col); ok {
			return value(t.Column(c.Col))
		}
		return e
	}))
}

// failsIf writes an error where cond is true.
func (b *builder) failsIf(pos ir.Pos, cond ir.Expr, state string) {
	b.emit(&ir.If{At: at(pos), Cond: cond, Then: b.collect(func() { b.fails(pos, state) })})
}
