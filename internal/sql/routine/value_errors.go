package routine

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/failure"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// divisions puts, before each statement that divides, a jump to the handler of
// division by zero, as far as it always divides.
func (b *Builder) divisions(list []ir.Stmt) []ir.Stmt {
	if !b.Caught(expr.DivisionByZero) {
		return list
	}
	var out []ir.Stmt
	for _, s := range list {
		var exprs []ir.Expr
		switch s := s.(type) {
		case *ir.Assign, *ir.Emit:
			exprs = ir.Exprs(s)
		case *ir.If:
			exprs = []ir.Expr{s.Cond}
		}
		ir.EditChildren(s, b.divisions)
		var zero []ir.Expr
		always := !b.Shown[s]
		for _, e := range exprs {
			always = always && byZero(e, &zero)
		}
		if always && len(zero) > 0 {
			b.Shown[s] = true
			for _, cond := range zero {
				test := b.Collect(func() { b.FailsIf(s.Position(), cond, expr.DivisionByZero) })
				b.Shown[test[0]] = true
				out = append(out, test...)
			}
		}
		out = append(out, s)
	}
	return out
}

// byZero collects when the divisions of an expression are by zero, inner ones
// first; false if it need not come to some of them. NULL divided by zero is NULL.
func byZero(e ir.Expr, zero *[]ir.Expr) bool {
	division := func(x, y ir.Expr) {
		*zero = append(*zero, ir.AndE(expr.IsNotNull(x), ir.Op(ir.Eq, y, ir.C(ir.Int(0)))))
	}
	switch e := e.(type) {
	case *ir.Unary:
		return byZero(e.X, zero)
	case *ir.Binary:
		ok := byZero(e.X, zero)
		if e.Op == ir.And || e.Op == ir.Or {
			return ok && !divides(e.Y)
		}
		ok = ok && byZero(e.Y, zero)
		if (e.Op == ir.Div || e.Op == ir.Mod) && failure.MayFail(&ir.Binary{Op: e.Op, X: ir.C(ir.Null), Y: e.Y}) {
			division(e.X, e.Y)
		}
		return ok
	case *ir.Cond:
		return byZero(e.If, zero) && !divides(e.Then) && !divides(e.Else)
	case *ir.Call:
		ok := true
		for _, a := range e.Args {
			ok = ok && byZero(a, zero)
		}
		if numericDivision(e) {
			division(e.Args[0], e.Args[1])
			return ok
		}
		return ok && (ir.Functions[e.Name] != nil || !divides(e))
	}
	return !divides(e)
}

// numericDivision reports whether e divides numerics: a function that the IR does
// not know otherwise.
func numericDivision(e *ir.Call) bool {
	return strings.HasPrefix(e.Name, "numeric_div(") || strings.HasPrefix(e.Name, "numeric_mod(")
}

// dividesByName reports whether a function divides.
func dividesByName(name string) bool {
	name, _, _ = strings.Cut(name, "(")
	return strings.HasSuffix(name, "div") || strings.HasSuffix(name, "mod") || strings.HasSuffix(name, "div_trunc") || strings.HasSuffix(name, " /") || strings.HasSuffix(name, " %")
}

// divides reports whether computing e may divide by zero.
func divides(e ir.Expr) bool {
	found := failure.MayFail(e)
	ir.WalkExpr(e, func(e ir.Expr) {
		if c, ok := e.(*ir.Call); ok {
			found = found || c.Name == irnames.SucceedsFn || dividesByName(c.Name)
		}
	})
	return found
}

// valueErrors is what is found out of the errors that depend on values.
type valueErrors struct {
	b *Builder
	// divides says why a division by zero is not modelled, odd what may be another
	// error of that kind: "" if nothing.
	divides, odd string
}

func (v *valueErrors) strange(what string) {
	if v.odd == "" {
		v.odd = what
	}
}

func (v *valueErrors) division() {
	v.divides = "what may fail in it is not always computed, or for each row of a query"
}

// translated looks at the translation.
func (v *valueErrors) translated(list []ir.Stmt) {
	ir.Walk(list, func(s ir.Stmt) {
		if r, ok := s.(*ir.ForRange); ok {
			for _, e := range []ir.Expr{r.From, r.To} {
				if _, constant := e.(*ir.Const); !constant {
					v.strange("a bound of a loop that is NULL")
				}
			}
		}
		for _, e := range ir.Exprs(s) {
			if divides(e) && !v.b.Shown[s] {
				v.division()
			}
			ir.WalkExpr(e, func(e ir.Expr) {
				switch c, ok := e.(*ir.Call); {
				case !ok, ir.Functions[c.Name] != nil, c.Name == expr.CastName(schema.TText):
				case c.Def != nil:
					v.strange("what a query does")
				default:
					v.strange("what " + c.Name + " does")
				}
			})
		}
		if q, ok := s.(*ir.Select); ok {
			for _, a := range q.Aggs {
				if a.Fn != "count" && a.Fn != "min" && a.Fn != "max" {
					v.strange("what " + a.Fn + " does")
				}
			}
		}
	})
}

// valueErrors looks at all that statements may run: what the translation drops
// may be an error, too.
func (b *Builder) valueErrors(f *expr.Frame, body []plpgsql.Stmt) *valueErrors {
	v := &valueErrors{b: b}
	tr := b.App.Tracer()
	r := schema.NewRefs()
	b.App.PlRefs(f.Func, body, r)
	tr.Add(r)
	v.statements(f.Func, body)
	for _, fn := range inOrder(tr.Called, func(fn *schema.Function) (string, ir.Pos) { return fn.Name, fn.Pos }) {
		v.types(fn)
		for _, p := range fn.Params {
			if p.Def != nil {
				v.tree(p.Def, false)
			}
		}
		for _, raw := range fn.SQL {
			v.tree(raw, false)
		}
		for _, n := range fn.Atomic {
			v.tree(n, false)
		}
		if fn.Body != nil {
			v.statements(fn, []plpgsql.Stmt{fn.Body.Block})
		}
	}
	v.types(f.Func)
	for _, t := range inOrder(tr.Wrote, func(t *schema.Table) (string, ir.Pos) { return t.Name, t.Pos }) {
		for _, k := range t.Checks {
			v.tree(k.Expr.Node, false)
		}
		for _, c := range append(slices.Clone(t.Columns), t.Indexed...) {
			for _, e := range []*schema.SQLExpr{c.Def, c.Generated} {
				if e != nil {
					v.tree(e.Node, false)
				}
			}
			if c.Domain != nil || c.T.SQL != nil && (c.T.SQL.Length > 0 || expr.Rounds(c.T.SQL)) {
				v.strange("a value of " + t.Name + "." + c.Name)
			}
		}
	}
	return v
}

// inOrder gives what is in a set, ordered by name and place: the first reason that is found counts.
func inOrder[T comparable, V any](set map[T]V, of func(T) (string, ir.Pos)) []T {
	return slices.SortedFunc(maps.Keys(set), func(a, b T) int {
		x, at := of(a)
		y, and := of(b)
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(at.File, and.File), cmp.Compare(at.Line, and.Line), cmp.Compare(at.Col, and.Col))
	})
}

// types looks for variables into which not every value fits that is assigned to
// them without a cast.
func (v *valueErrors) types(fn *schema.Function) {
	l := v.b.App
	odd := func(name string) bool {
		name = strings.ToLower(name)
		return strings.ContainsAny(name, "(") || strings.Contains(name, "uuid") || strings.Contains(name, "smallint") || l.Sees(fn.BodyText).Typ(name) != nil ||
			strings.Contains(name, "%") && (len(l.Declarations.TypesByKey) > 0 || l.Mentions("uuid"))
	}
	if fn.Ret != nil && odd(syntax.TypeSpelling(fn.Ret)) {
		v.strange("a text as the result of " + fn.Name)
	}
	for _, p := range fn.Params {
		if p.Out && odd(syntax.TypeSpelling(p.T)) || l.Sees(fn.Text).Typ(syntax.Qualified(syntax.Names(p.T.GetNames()))) != nil {
			v.strange("a value of " + p.Name)
		}
	}
	if fn.Body == nil {
		return
	}
	plpgsql.Walk([]plpgsql.Stmt{fn.Body.Block}, func(s plpgsql.Stmt) {
		if blk, ok := s.(*plpgsql.Block); ok {
			for _, d := range blk.Decls {
				if d.NotNull || odd(d.Type.Text(fn.BodyText.SQL)) {
					v.strange("a value of " + d.Name)
				}
			}
		}
	})
}

// statements looks at statements of a function.
func (v *valueErrors) statements(fn *schema.Function, list []plpgsql.Stmt) {
	plpgsql.Walk(list, func(s plpgsql.Stmt) {
		plain := false // each expression stays in the translation
		dynamic := false
		switch s := s.(type) {
		case *plpgsql.Assign, *plpgsql.If, *plpgsql.Exit:
			plain = true
		case *plpgsql.Return:
			plain = !fn.Void()
		case *plpgsql.Assert:
			if !s.Message.Empty() {
				v.strange("the message of ASSERT")
				v.division()
			}
		case *plpgsql.Execute, *plpgsql.Cursor, *plpgsql.EndTxn:
			dynamic = true
		case *plpgsql.ForQuery:
			dynamic = s.Kind != plpgsql.Static
		case *plpgsql.ReturnQuery:
			dynamic = s.Dynamic
		}
		if dynamic {
			v.strange("what EXECUTE runs")
			v.division()
		}
		plpgsql.Spans(s, func(x plpgsql.Span, kind plpgsql.SpanKind) {
			for _, raw := range v.b.App.ParseSpan(fn.BodyText, x, kind) {
				v.tree(raw, plain)
			}
		})
	})
}

// harmless are the functions that are no error for any argument.
var harmless = map[string]bool{"count": true, "min": true, "max": true, "lower": true, "upper": true, "length": true,
	"char_length": true, "now": true, "nextval": true, "gen_random_uuid": true, "bool_and": true, "bool_or": true, "every": true}

// tree looks at a piece of SQL. With plain it is an expression that stays in the
// translation.
func (v *valueErrors) tree(root pg.Message, plain bool) {
	inside := plain
	pg.Walk(root, func(tree any) bool {
		switch tree.(type) {
		case *pg.RangeVar, *pg.SubLink:
			inside = false
		}
		return true
	})
	insert := false
	pg.Walk(root, func(tree any) bool {
		switch x := tree.(type) {
		case *pg.A_Expr:
			ops := syntax.Names(x.Name)
			op := ops[len(ops)-1]
			_, comparison := syntax.Comparisons[op]
			switch {
			case op == "/" || op == "%":
				v.strange("the result of " + op)
				if !inside {
					v.division()
				}
			case op == "||" && (plain || insert):
			case !comparison && op != "BETWEEN" && op != "NOT BETWEEN" || len(ops) > 1:
				v.strange("the result of " + op)
			}
		case *pg.FuncCall:
			name := syntax.PlainName(syntax.Qualified(syntax.Names(x.Funcname)))
			switch {
			case name == "mod" || name == "div" || name == "log":
				v.strange("the result of " + name)
				v.division()
			case len(v.b.App.LateFunctions(name)) == 0 && !harmless[name]:
				v.strange("what " + name + " does")
			}
		case *pg.SubLink:
			if x.SubLinkType != pg.SubExists && x.SubLinkType != pg.SubAny && x.SubLinkType != pg.SubAll {
				v.strange("a subquery with several rows")
			}
		case *pg.TypeCast:
			if _, constant := pg.Inner(x.Arg).(*pg.A_Const); !constant {
				v.strange("the result of a cast")
			}
		case *pg.RangeVar:
			if v.b.App.Late.Table(syntax.RangeName(x)) == nil {
				v.strange("what " + syntax.RangeName(x) + " gives")
				v.division()
			}
		case *pg.InsertStmt:
			insert = true
		case *pg.SelectStmt:
			for _, n := range []*pg.Node{x.LimitCount, x.LimitOffset} {
				if _, constant := pg.Inner(n).(*pg.A_Const); n != nil && !constant {
					v.strange("the number after LIMIT or OFFSET")
				}
			}
		case *pg.RawStmt, *pg.UpdateStmt, *pg.DeleteStmt, *pg.Alias, *pg.ColumnRef, *pg.String, *pg.A_Star, *pg.ResTarget,
			*pg.A_Const, *pg.Integer, *pg.Float, *pg.Boolean, *pg.ParamRef, *pg.BoolExpr, *pg.NullTest, *pg.BooleanTest, *pg.CaseExpr,
			*pg.CaseWhen, *pg.CoalesceExpr, *pg.MinMaxExpr, *pg.JoinExpr, *pg.SortBy, *pg.List, *pg.TypeName, *pg.SetToDefault,
			*pg.SQLValueFunction, *pg.RowExpr, *pg.RangeSubselect:
		default:
			v.strange("what " + strings.TrimPrefix(syntax.TypeName(tree), "*ast.") + " does")
		}
		return true
	})
}
