package query

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/trace"
)

// A query is translated plainly, as a query of the IR, or as a derivation. Which of them it
// is, is a property of its tree and of what its names mean; Form finds it.

// Form says how a query is translated.
type Form struct {
	// Why is "" for a query that is translated plainly. Otherwise it says what makes it a
	// derivation.
	Why string
	// Loops says that a function in FROM gives rows, which a loop goes through.
	Loops bool
	// at is where the query begins, if it is one.
	at ir.Pos
}

// Form finds the form of a query.
func (x *Place) Form(s *pg.SelectStmt, use syntax.Use) Form {
	if x.Deriver != nil || x.Draft == nil {
		return Form{}
	}
	f := former{use: use, Form: Form{Why: syntax.Shape(s, use), at: x.start(s)}}
	if f.Why != "" {
		return f.Form
	}
	y := x.naming(s.WithClause)
	if f.items(y, s.FromClause); f.Why == "" && syntax.Computes(s, use) && syntax.HasWindows(slices.Concat(s.TargetList, syntax.SortKeys(s))) {
		f.Why = noWindow
	}
	if f.Why == "" && use.Once && x.correlated(s) {
		f.Why = isCorrelated
	}
	return f.Form
}

// correlated reports whether the condition or the output columns of a query certainly have a column
// of the queries around it. Without the name of its table only the translation finds what a column is.
func (x *Place) correlated(s *pg.SelectStmt) bool {
	own := map[string]bool{} // the names in its FROM
	for _, n := range s.FromClause {
		pg.Walk(n, func(tree any) bool {
			switch t := tree.(type) {
			case *pg.SelectStmt:
				return false
			case *pg.RangeVar:
				own[syntax.AliasOf(t)] = true
			case *pg.Alias:
				own[t.Aliasname] = true
			}
			return true
		})
	}
	inside := []*pg.Node{s.WhereClause}
	if !syntax.HasAggregates(s.TargetList) { // what is made of aggregates is computed behind the query
		inside = append(inside, s.TargetList...)
	}
	found := false
	for _, n := range inside {
		pg.Walk(n, func(tree any) bool {
			if c, ok := tree.(*pg.ColumnRef); ok {
				if parts := syntax.Names(c.Fields); len(parts) == 2 && len(c.Fields) == 2 && !own[parts[0]] {
					src := x.SourceNamed(parts[:1])
					found = found || src != nil && src.Col(parts[1]) != nil
				}
			}
			_, nested := tree.(*pg.SelectStmt)
			return !nested
		})
	}
	return found
}

// FormOfWrite finds the form of FROM or USING of a statement that writes.
func (x *Place) FormOfWrite(list []*pg.Node) Form {
	f := former{writes: true}
	if f.items(x, list); f.Why == "" && f.Loops {
		f.Why = FunctionJoined
	}
	return f.Form
}

// FunctionJoined is why FROM or USING with a function is a derivation.
const FunctionJoined = "a function in FROM or USING"

const (
	noWindow  = "a window function together with grouping or in this place"
	noSet     = "a set-returning function in a subquery"
	noLateral = "LATERAL"

	isCorrelated = "a correlated subquery as a value"

	lateralFunction = "this form of a function in FROM"
)

// naming is x with the queries of WITH in scope, as far as the form of what names them depends
// on these.
func (x *Place) naming(w *pg.WithClause) *Place {
	if w == nil {
		return x
	}
	y := x.Copy()
	for _, n := range w.Ctes {
		c := pg.Inner(n).(*pg.CommonTableExpr)
		if s, ok := pg.Inner(c.Ctequery).(*pg.SelectStmt); ok && !y.Ctes.holds(c.Ctename, s) {
			y.Ctes = &ctes{name: c.Ctename, up: y.Ctes, query: s, levels: y.Levels}
		}
	}
	return y
}

// former looks for what keeps a FROM list from being plain.
type former struct {
	Form
	use syntax.Use
	// writes says that the items are those of a statement that writes.
	writes bool
}

func (f *former) items(x *Place, list []*pg.Node) {
	for _, n := range list {
		if f.Why == "" {
			f.item(x, n)
		}
	}
}

func (f *former) item(x *Place, n *pg.Node) {
	switch i := pg.Inner(n).(type) {
	case *pg.RangeVar:
		f.named(x, i)
	case *pg.JoinExpr:
		if i.Jointype != pg.JoinInner {
			f.Why = outerJoin(i)
			return
		}
		f.items(x, []*pg.Node{i.Larg, i.Rarg})
	case *pg.RangeFunction:
		f.function(x, i)
	case *pg.RangeSubselect:
		s, ok := pg.Inner(i.Subquery).(*pg.SelectStmt)
		if i.Lateral || !ok || i.Alias == nil {
			f.Why = noLateral
			return
		}
		f.inner(x, s, f.writes && (syntax.SkipsLocked(s) || syntax.IsLimited(s)), "a subquery in FROM")
	}
}

// named is a table, a view or a WITH query.
func (f *former) named(x *Place, r *pg.RangeVar) {
	if c := x.Ctes.find(r.Relname); c != nil && r.Schemaname == "" {
		switch {
		case c.row != nil:
		case c.query == nil:
			f.Why = "rows of RETURNING"
		default:
			in := x.Copy()
			in.Ctes, in.Levels = c.up, c.levels
			f.inner(in, c.query, c.picked != nil || x.writes && syntax.IsLimited(c.query), "WITH")
		}
		return
	}
	if v := x.viewOf(r); v != nil {
		f.inner(x.InView(v), v.Query, false, viewOfMore(r))
	}
}

// inner is a query whose tables become those of the query around it.
func (f *former) inner(x *Place, s *pg.SelectStmt, picked bool, why string) {
	y := x.Copy()
	if y.Depth++; y.Depth > maxQueryDepth || !syntax.IsFlat(s, picked) {
		f.Why = why
		return
	}
	g := former{use: syntax.Use{Nested: true}}
	if g.items(y, s.FromClause); g.Why == "" && syntax.HasWindows(s.TargetList) {
		g.Why = noWindow
	}
	f.Why = g.Why
}

// function is a function of FROM, of which the set-returning ones of PostgreSQL are loops.
func (f *former) function(x *Place, r *pg.RangeFunction) {
	if r.Lateral {
		f.Why = lateralFunction
		return
	}
	_, name, _ := x.calledInFrom(r)
	if len(x.Functions(name)) > 0 || !x.App.Builtin(x.App.SystemName(name)).Set {
		return
	}
	if f.use.Nested {
		f.Why = noSet
		return
	}
	f.Loops = true
}

// Choose translates a query in the form that it has. A query that seems to be plain may turn out
// not to be, by properties that only its translation finds: that it may give several rows, or
// reads what a part of its statement writes. Then it is a derivation, too.
func (x *Place) Choose(f Form, plain, derived func()) {
	switch {
	case x.Deriver != nil:
		derived()
		return
	case f.Why != "":
		derived()
		f.tell(x.Draft, "derivation, because of "+f.Why)
		return
	case x.Draft == nil:
		plain()
		return
	}
	why, ok := x.Draft.Attempt(plain)
	if ok {
		f.tell(x.Draft, "plain")
		return
	}
	if other, ok := x.Draft.Attempt(derived); !ok {
		if other == UnusedRows { // the form alone could be modelled
			why = other
		}
		x.Unmodelled("%s", why)
	}
	f.tell(x.Draft, "derivation, as its translation found out: "+why)
}

// tell tells which form was chosen.
func (f Form) tell(b *expr.Draft, form string) {
	at := f.at
	if !at.IsValid() {
		at = b.Cur
	}
	b.Tell(trace.Bind, at, func() string { return "form: " + form })
}

// start is where a query begins.
func (x *Place) start(s *pg.SelectStmt) ir.Pos { return x.Pos(int32(max(pg.Start(s), 0))) }

// tell tells of a query that is bound.
func (q *Query) tell(s *pg.SelectStmt, where, limit ir.Expr) {
	x := q.Place
	if x.Draft == nil {
		return
	}
	x.Draft.Tell(trace.Bind, x.start(s), func() string {
		out := []string{"query"}
		columns := func(what string, list []expr.Column) {
			for _, c := range list {
				line := what + c.Name + " " + c.Type.String()
				if c.NotNull {
					line += " NOT NULL"
				}
				if c.Expr != nil {
					line += " = " + c.Expr.String()
				}
				out = append(out, line)
			}
		}
		for _, src := range q.Level.Sources {
			if !strings.HasPrefix(src.Alias, expr.HiddenAlias) {
				out = append(out, "  source "+src.Alias)
				columns("    ", src.Cols)
			}
		}
		if where != nil {
			out = append(out, "  where "+where.String())
		}
		columns("  column ", q.Targets)
		for _, o := range q.Order {
			out = append(out, "  order "+o.Expr.String()+map[bool]string{true: " desc"}[o.Desc])
		}
		if limit != nil {
			out = append(out, "  limit "+limit.String())
		}
		return strings.Join(out, "\n")
	})
}
