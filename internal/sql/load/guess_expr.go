package load

import (
	"strconv"

	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// statement looks at a statement, and gives the columns of its rows, nil for
// none.
func (g *guesser) statement(tree any, n *guessScope) *guessSource {
	if n == nil {
		n = &guessScope{}
	}
	switch s := tree.(type) {
	case *pg.SelectStmt:
		return g.query(s, n)
	case *pg.InsertStmt:
		return g.insert(s, n)
	case *pg.UpdateStmt:
		n = g.with(s.WithClause, n)
		t := g.table(s.Relation, &guessScope{})
		n = &guessScope{sources: []*guessSource{t}, up: n}
		for _, f := range s.FromClause {
			g.from(f, n)
		}
		g.sets(s.TargetList, t, n)
		g.condition(s.WhereClause, n)
		return g.returning(s.ReturningClause, n)
	case *pg.DeleteStmt:
		n = g.with(s.WithClause, n)
		n = &guessScope{sources: []*guessSource{g.table(s.Relation, &guessScope{})}, up: n}
		for _, f := range s.UsingClause {
			g.from(f, n)
		}
		g.condition(s.WhereClause, n)
		return g.returning(s.ReturningClause, n)
	case *pg.LockStmt, *pg.TransactionStmt, *pg.VariableSetStmt, *pg.VariableShow, *pg.ConstraintsSet, *pg.NotifyStmt, *pg.ListenStmt:
		return nil
	case pg.Message:
		// What else there is, such as MERGE, is modelled for declared tables only.
		for name := range g.l.RefsIn(s).Tables {
			if g.tables[guessKey(name)] != nil {
				g.unclear(syntax.CommandName(tree) + " of " + name + ", which is not in the schema")
			}
		}
	}
	return nil
}

// with reads the queries of WITH.
func (g *guesser) with(w *pg.WithClause, n *guessScope) *guessScope {
	out := &guessScope{up: n, ctes: map[string]*guessSource{}}
	for _, node := range w.GetCtes() {
		c := pg.Inner(node).(*pg.CommonTableExpr)
		if w.Recursive {
			out.ctes[c.Ctename] = &guessSource{open: true}
		}
		src := g.statement(pg.Inner(c.Ctequery), &guessScope{up: out})
		g.inner(src)
		if src == nil {
			src = &guessSource{open: true}
		}
		cols := *src
		for i, name := range syntax.Names(c.Aliascolnames) {
			if i == 0 {
				cols.cols = append([]string{}, cols.cols...)
			}
			if i < len(cols.cols) {
				cols.cols[i] = name
			}
		}
		out.ctes[c.Ctename] = &cols
	}
	return out
}

func (g *guesser) query(s *pg.SelectStmt, n *guessScope) *guessSource {
	n = g.with(s.WithClause, n)
	if s.Larg != nil && s.Rarg != nil {
		l, r := g.query(s.Larg, n), g.query(s.Rarg, n)
		g.inner(l)
		g.inner(r)
		for i := range l.cells {
			if i < len(r.cells) {
				l.cells[i] = same(l.cells[i], r.cells[i])
			}
		}
		return l
	}
	if len(s.ValuesLists) > 0 {
		out := &guessSource{}
		for k, row := range s.ValuesLists {
			for i, item := range pg.Inner(row).(*pg.List).Items {
				c := g.expr(item, n)
				if k == 0 {
					out.add("column"+strconv.Itoa(i+1), c)
				} else if i < len(out.cells) {
					out.cells[i] = same(out.cells[i], c)
				}
			}
		}
		return out
	}
	n = &guessScope{up: n}
	for _, f := range s.FromClause {
		g.from(f, n)
	}
	g.condition(s.WhereClause, n)
	out := g.targets(s.TargetList, n)
	for _, list := range [][]*pg.Node{s.GroupClause, s.SortClause, s.DistinctClause} {
		for _, x := range list {
			if o, ok := pg.Inner(x).(*pg.SortBy); ok {
				x = o.Node
			}
			if c, ok := pg.Inner(x).(*pg.ColumnRef); ok && len(c.Fields) == 1 && out.get(syntax.Names(c.Fields)[0]) != nil {
				continue // an output column
			}
			if x != nil && pg.Inner(x) != nil {
				g.expr(x, n)
			}
		}
	}
	g.condition(s.HavingClause, n)
	for _, x := range []*pg.Node{s.LimitCount, s.LimitOffset} {
		if x != nil {
			hint(g.expr(x, n), schema.TInt)
		}
	}
	for _, w := range s.WindowClause {
		g.inside(w, n)
	}
	return out
}

// targets reads output columns.
func (g *guesser) targets(list []*pg.Node, n *guessScope) *guessSource {
	out := &guessSource{}
	for _, node := range list {
		t := pg.Inner(node).(*pg.ResTarget)
		c, ok := pg.Inner(t.Val).(*pg.ColumnRef)
		if !ok || !syntax.IsStar(c.Fields[len(c.Fields)-1]) {
			out.add(syntax.TargetName(t), g.expr(t.Val, n))
			continue
		}
		alias := syntax.Names(c.Fields)
		for _, src := range n.sources {
			if len(alias) > 0 && src.alias != alias[len(alias)-1] {
				continue
			}
			switch {
			case src.guessed != nil:
				if out.star != nil && out.star != src.guessed {
					g.unclear("all columns of several tables that are not in the schema")
				}
				out.star, out.open = src.guessed, true
				g.st.Star = true
			case src.known != nil:
				for _, col := range src.known.Columns {
					out.add(col.Name, hinted(col.T))
				}
			default:
				for i, name := range src.cols {
					out.add(name, src.cells[i])
				}
				out.open = out.open || src.open
			}
		}
	}
	return out
}

func (g *guesser) returning(r *pg.ReturningClause, n *guessScope) *guessSource {
	if r == nil {
		return nil
	}
	return g.targets(r.Exprs, n)
}

// sets reads SET.
func (g *guesser) sets(list []*pg.Node, t *guessSource, n *guessScope) {
	for _, node := range list {
		r := pg.Inner(node).(*pg.ResTarget)
		c := t.get(r.Name)
		if c == nil && t.guessed != nil {
			c = g.column(t.guessed, r.Name)
		}
		if m, ok := pg.Inner(r.Val).(*pg.MultiAssignRef); ok {
			if m.Colno == 1 {
				g.expr(m.Source, n)
			}
			continue
		}
		v := g.expr(r.Val, n)
		if len(r.Indirection) == 0 {
			same(c, v)
		}
	}
}

func (g *guesser) insert(s *pg.InsertStmt, n *guessScope) *guessSource {
	n = g.with(s.WithClause, n)
	t := g.table(s.Relation, &guessScope{})
	var cols []*cell
	for _, node := range s.Cols {
		r := pg.Inner(node).(*pg.ResTarget)
		c := t.get(r.Name)
		if c == nil && t.guessed != nil {
			c = g.column(t.guessed, r.Name)
		}
		cols = append(cols, c)
	}
	if sel, ok := pg.Inner(s.SelectStmt).(*pg.SelectStmt); ok {
		if len(cols) == 0 && t.guessed != nil {
			g.unclear("an INSERT without a list of columns into " + t.guessed.name + ", which is not in the schema")
		}
		if len(cols) == 0 && t.known != nil {
			for _, c := range t.known.Columns {
				cols = append(cols, hinted(c.T))
			}
		}
		src := g.query(sel, n)
		g.inner(src)
		for i, c := range src.cells {
			if i < len(cols) && !src.open {
				same(cols[i], c)
			}
		}
	}
	row := &guessScope{sources: []*guessSource{t}}
	if c := s.OnConflictClause; c != nil {
		g.conflict(c, t, n, row)
	}
	return g.returning(s.ReturningClause, row)
}

// conflict reads ON CONFLICT, which says what is a key.
func (g *guesser) conflict(c *pg.OnConflictClause, t *guessSource, n, row *guessScope) {
	if t.guessed != nil && c.Infer != nil {
		var key []string
		plain := c.Infer.WhereClause == nil && c.Infer.Conname == ""
		for _, node := range c.Infer.IndexElems {
			e := pg.Inner(node).(*pg.IndexElem)
			if plain = plain && e.Name != ""; plain {
				g.column(t.guessed, e.Name)
				key = append(key, e.Name)
			}
		}
		switch {
		case !plain:
			g.unclear("a key of " + t.guessed.name + ", which is not in the schema")
		case len(key) > 0 && !hasKey(t.guessed.uniques, key):
			t.guessed.uniques = append(t.guessed.uniques, key)
			g.grown = true
		}
	} else if t.guessed != nil {
		g.unclear("ON CONFLICT of any kind with " + t.guessed.name + ", which is not in the schema")
	}
	excluded := *t
	excluded.alias, excluded.full = "excluded", "excluded"
	both := &guessScope{sources: []*guessSource{t}, up: &guessScope{sources: []*guessSource{&excluded}, up: n}}
	g.sets(c.TargetList, t, both)
	g.condition(c.WhereClause, both)
}

func hasKey(keys [][]string, key []string) bool {
	for _, k := range keys {
		set := map[string]bool{}
		for _, c := range k {
			set[c] = true
		}
		n := 0
		for _, c := range key {
			if set[c] {
				n++
			}
		}
		if n == len(k) && n == len(key) {
			return true
		}
	}
	return false
}

// condition looks at a condition; nil is none.
func (g *guesser) condition(x *pg.Node, n *guessScope) {
	if x != nil && pg.Inner(x) != nil {
		hint(g.expr(x, n), schema.TBool)
	}
}

// inside looks at all expressions in a tree of another kind.
func (g *guesser) inside(root pg.Message, n *guessScope) {
	pg.Walk(root, func(tree any) bool {
		switch x := tree.(type) {
		case *pg.ColumnRef:
			g.columnRef(x, n)
		case *pg.SubLink:
			g.subLink(x, n)
			return false
		}
		return true
	})
}

func (g *guesser) columnRef(c *pg.ColumnRef, n *guessScope) *cell {
	if parts := syntax.Names(c.Fields); len(parts) == len(c.Fields) {
		return g.reference(parts, n)
	}
	for s := n; s != nil; s = s.up {
		for _, src := range s.sources {
			if src.guessed != nil {
				g.unclear("a whole row of " + src.guessed.name + ", which is not in the schema")
			}
		}
	}
	return nil
}

// expr looks at an expression, and gives its cell.
func (g *guesser) expr(node *pg.Node, n *guessScope) *cell {
	all := func(list []*pg.Node) (out *cell) {
		for _, x := range list {
			out = same(out, g.expr(x, n))
		}
		return out
	}
	switch e := pg.Inner(node).(type) {
	case nil, *pg.SetToDefault:
		return nil
	case *pg.ColumnRef:
		return g.columnRef(e, n)
	case *pg.ParamRef:
		if i := int(e.Number) - 1; i >= 0 && i < len(g.s.Params) && g.s.Params[i] != nil {
			return g.value(g.s.Params[i])
		}
		return nil
	case *pg.A_Const:
		switch {
		case e.GetIval() != nil:
			return hinted(schema.TInt)
		case e.GetFval() != nil:
			return hinted(schema.TNumeric)
		case e.GetBoolval() != nil:
			return hinted(schema.TBool)
		}
		return nil
	case *pg.A_Expr:
		return g.operator(e, n)
	case *pg.BoolExpr:
		for _, a := range e.Args {
			g.condition(a, n)
		}
		return hinted(schema.TBool)
	case *pg.SubLink:
		return g.subLink(e, n)
	case *pg.NullTest:
		g.expr(e.Arg, n)
		return hinted(schema.TBool)
	case *pg.BooleanTest:
		g.condition(e.Arg, n)
		return hinted(schema.TBool)
	case *pg.FuncCall:
		return g.call(e, n)
	case *pg.TypeCast:
		g.expr(e.Arg, n)
		return hinted(g.l.TypeOf(e.TypeName, g.s.Text))
	case *pg.CaseExpr:
		var subject, out *cell
		if e.Arg != nil {
			subject = g.expr(e.Arg, n)
		}
		for _, a := range e.Args {
			w := pg.Inner(a).(*pg.CaseWhen)
			if e.Arg != nil {
				subject = same(subject, g.expr(w.Expr, n))
			} else {
				g.condition(w.Expr, n)
			}
			out = same(out, g.expr(w.Result, n))
		}
		return same(out, g.expr(e.Defresult, n))
	case *pg.CoalesceExpr:
		return all(e.Args)
	case *pg.MinMaxExpr:
		return all(e.Args)
	case *pg.SQLValueFunction:
		switch e.Op {
		case pg.ValueCurrentDate:
			return hinted(schema.TDate)
		case pg.ValueTimestamp, pg.ValueTimestampN, pg.ValueLocalStamp, pg.ValueLocalStampN:
			return hinted(schema.TStamp)
		}
		return nil
	case *pg.RowExpr:
		for _, a := range e.Args {
			g.expr(a, n)
		}
		return nil
	case *pg.A_ArrayExpr:
		all(e.Elements)
		return nil
	case *pg.List:
		all(e.Items)
		return nil
	case pg.Message:
		g.inside(e, n)
	}
	return nil
}

// subLink looks at a subquery.
func (g *guesser) subLink(e *pg.SubLink, n *guessScope) *cell {
	star := g.st.Star
	src := g.statement(pg.Inner(e.Subselect), &guessScope{up: n})
	g.st.Star = star
	if e.SubLinkType == pg.SubExists {
		return hinted(schema.TBool)
	}
	g.inner(src)
	var first *cell
	if src != nil && len(src.cells) == 1 {
		first = src.cells[0]
	}
	switch e.SubLinkType {
	case pg.SubAny, pg.SubAll:
		same(g.expr(e.Testexpr, n), first)
		return hinted(schema.TBool)
	case pg.SubExpr:
		return first
	}
	return nil
}

func (g *guesser) operator(e *pg.A_Expr, n *guessScope) *cell {
	ops := syntax.Names(e.Name)
	op := ""
	if len(ops) > 0 {
		op = ops[len(ops)-1]
	}
	operand := func(x *pg.Node) *cell {
		if x == nil {
			return nil
		}
		return g.expr(x, n)
	}
	switch e.Kind {
	case pg.ExprIn, pg.ExprBetween, pg.ExprNotBetween, pg.ExprBetweenSym, pg.ExprNotBetwSym:
		c := operand(e.Lexpr)
		if list, ok := pg.Inner(e.Rexpr).(*pg.List); ok {
			for _, x := range list.Items {
				c = same(c, g.expr(x, n))
			}
		}
		return hinted(schema.TBool)
	case pg.ExprOpAny, pg.ExprOpAll:
		operand(e.Lexpr)
		operand(e.Rexpr)
		return hinted(schema.TBool)
	case pg.ExprLike, pg.ExprILike, pg.ExprSimilar:
		hint(operand(e.Lexpr), schema.TText)
		operand(e.Rexpr)
		return hinted(schema.TBool)
	case pg.ExprDistinct, pg.ExprSame:
		same(operand(e.Lexpr), operand(e.Rexpr))
		return hinted(schema.TBool)
	case pg.ExprNullIf:
		return same(operand(e.Lexpr), operand(e.Rexpr))
	}
	l, r := operand(e.Lexpr), operand(e.Rexpr)
	if _, compares := syntax.Comparisons[op]; compares {
		same(l, r)
		return hinted(schema.TBool)
	}
	switch op {
	case "+", "-", "*", "/", "%":
		for _, c := range []*cell{l, r} {
			if c != nil && len(c.root().hints) > 0 {
				if t := c.typeOf(); t.Temporal() || t.Name == schema.NInterval {
					return nil // what a time and an interval give is not the type of both
				}
			}
		}
		return same(l, r)
	case "||":
		return hinted(schema.TText)
	}
	if t := catalog.OperatorResult(op); t != "" {
		return hinted(schema.ValuesOf(t))
	}
	return nil
}

// call looks at the call of a function.
func (g *guesser) call(e *pg.FuncCall, n *guessScope) *cell {
	var args []*cell
	for _, a := range e.Args {
		if named, ok := pg.Inner(a).(*pg.NamedArgExpr); ok {
			a = named.Arg
		}
		args = append(args, g.expr(a, n))
	}
	if e.AggFilter != nil {
		g.condition(e.AggFilter, n)
	}
	for _, o := range e.AggOrder {
		if s, ok := pg.Inner(o).(*pg.SortBy); ok {
			g.expr(s.Node, n)
		}
	}
	if e.Over != nil {
		g.inside(e.Over, n)
	}
	name := syntax.Qualified(syntax.Names(e.Funcname))
	if fns := g.l.LateFunctions(name); len(fns) > 0 {
		if len(fns) == 1 && fns[0].Ret != nil && !fns[0].SetOf {
			for i, p := range fns[0].Inputs() {
				if i < len(args) {
					hint(args[i], g.l.TypeOf(p.T, fns[0].Text))
				}
			}
			return hinted(g.l.TypeOf(fns[0].Ret, fns[0].Text))
		}
		return nil
	}
	name = g.l.SystemName(name)
	switch name {
	case "lower", "upper", "length", "btrim":
		for _, a := range args {
			hint(a, schema.TText)
		}
	case "abs", "sum", "min", "max", "round", "ceil", "floor", "trunc":
		if len(args) > 0 {
			return args[0]
		}
	}
	if t := g.l.CommonResult(name, nil); t.SQL != nil {
		return hinted(t)
	}
	return nil
}
