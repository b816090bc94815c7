package load

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// guesser finds the tables that statements of a client program name and that no
// file declares, with the columns that the statements name. A type is found as
// values go: columns, variables and parameters that are compared or put into each
// other have one type, and constants, functions and variables of known kinds say
// which. What is only guessed wrong makes statements that do not fit, which are
// not modelled; so nothing is concluded from it that would not hold. Which table
// a column belongs to is never guessed.
type guesser struct {
	l *Loader
	// tables are those that are not declared, by all their names, in order.
	tables map[string]*guessed
	order  []*guessed
	// The statement that is looked at: its text, and the transaction with it.
	s   *schema.Sent
	st  *schema.SentStmt
	fn  *schema.Function
	why string
	// vars are the cells of variables, by transaction and name.
	vars map[*schema.Function]map[string]*cell
	// grown says that a column was found.
	grown bool
	// unclearNames are names without a schema that may mean several guessed tables.
	unclearNames []string
}

// guessed is a table that is not declared.
type guessed struct {
	pos     ir.Pos
	name    string
	cols    map[string]*cell
	order   []string
	uniques [][]string
}

// cell stands for values of one type.
type cell struct {
	up *cell
	// hints are the types that places say.
	hints []schema.Type
}

func (c *cell) root() *cell {
	for c.up != nil {
		c = c.up
	}
	return c
}

// same makes two cells one; nil is a cell of which nothing is known.
func same(a, b *cell) *cell {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	a, b = a.root(), b.root()
	if a != b {
		a.hints = append(a.hints, b.hints...)
		b.up, b.hints = a, nil
	}
	return a
}

func hinted(t schema.Type) *cell {
	if t.Name == schema.NUnknown || t.Name == schema.NAny || t.Name == schema.NVoid || t.Name == schema.NRecord || t.Name == "" {
		return nil
	}
	return &cell{hints: []schema.Type{t}}
}

// hint says the type of a cell.
func hint(c *cell, t schema.Type) { same(c, hinted(t)) }

// TypeOf is the type that the hints tell, text if there are none.
func (c *cell) typeOf() schema.Type {
	if h := c.root().hints; len(h) > 0 {
		return CommonType(h, false)
	}
	return schema.TText
}

// maxGuesses bounds how often the statements are looked at: what one says of a
// column may tell which table another one means.
const maxGuesses = 4

// guess declares the tables that the statements of the program name and no file
// declares.
func (l *Loader) guess() {
	g := &guesser{l: l, tables: map[string]*guessed{}, vars: map[*schema.Function]map[string]*cell{}}
	g.names()
	if len(g.order) == 0 {
		return
	}
	for range maxGuesses {
		g.grown = false
		for _, f := range l.Programs {
			g.program(f)
		}
		if !g.grown {
			break
		}
	}
	for _, t := range g.order {
		g.declare(t)
	}
	for _, name := range g.unclearNames {
		l.anyOf(name, l.OfName(name))
	}
}

// declare makes a table.
func (g *guesser) declare(t *guessed) {
	tab := &schema.Table{Pos: t.pos}
	what := "has no keys"
	for _, name := range t.order {
		if name == "rowid" {
			continue // that of the hidden key
		}
		tab.Columns = append(tab.Columns, &schema.Column{Pos: t.pos, Name: name, T: t.cols[name].typeOf()})
	}
	for i, cols := range t.uniques {
		tab.Uniques = append(tab.Uniques, &schema.UniqueKey{Pos: t.pos, Name: t.name + "_conflict_" + strconv.Itoa(i+1), Columns: cols})
		what = "has no other keys than those of ON CONFLICT"
	}
	schema, own := syntax.SplitName(t.name)
	if schema == "" {
		schema = syntax.NameOr(g.l.NewIn(g.l.FirstPath()), syntax.PublicSchema)
	}
	g.l.AddTable(tab, schema, own)
	for _, name := range slices.Sorted(maps.Keys(g.tables)) {
		if g.tables[name] == t && g.l.Late.Relation(name) != tab.Rel {
			g.l.Declarations.Aliases[name] = tab.Rel
		}
	}
	if at, unread := g.l.Unread.Words[strings.ToLower(own)]; unread {
		tab.Obscure()
		g.l.Note(t.pos, "no statement on %s is modelled: what %s says of it was not read", t.name, at)
		return
	}
	g.l.DeclaredByUse(tab)
	g.l.Note(t.pos, "table %s is not in the schema: that it %s, no constraints and no triggers is taken for granted; its columns are those that statements name", t.name, what)
}

// SortedNames gives the names in a set, sorted.
func SortedNames(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

// SystemTable reports whether a name is one of the system's tables.
func SystemTable(name string) bool {
	schema, own := syntax.SplitName(name)
	return schema == syntax.InfoSchema || schema == syntax.SystemSchema || schema == "" && strings.HasPrefix(own, "pg_")
}

// names finds the tables that are not declared. A name with a schema and one
// without may mean the same table.
func (g *guesser) names() {
	l := g.l
	made := map[string]schema.Making{}
	for _, f := range slices.Concat(l.Funcs, l.Programs) {
		maps.Copy(made, f.Refs.Made)
	}
	missing := map[string]ir.Pos{}
	var order []string
	add := func(pos ir.Pos, name string) {
		name = guessKey(name)
		if _, seen := missing[name]; seen || name == "" || SystemTable(name) || made[name] > 0 || l.Late.Relation(name) != nil || strings.Contains(name, holeWord) {
			return
		}
		missing[name] = pos
		order = append(order, name)
	}
	for _, f := range l.Programs {
		client.Walk(f.Program.Txn.Body, func(s client.Stmt) {
			if q := client.QueryOf(s); q != nil {
				for _, name := range SortedNames(f.Program.Sent[q].Refs.Tables) {
					add(q.Pos, name)
				}
			}
			if s, unknown := s.(*client.Unknown); unknown {
				if len(l.Files) > 0 { // else there is no schema that could have them
					return
				}
				for _, name := range SortedNames(UnknownRefs(s).Tables) {
					add(s.Pos, name)
				}
			}
		})
	}
	l.reachable(add)
	for _, name := range order {
		if all := l.OfName(name); len(all) > 1 { // no search path tells which one
			l.anyOf(name, all)
		} else {
			g.add(name, missing[name])
		}
	}
	// A guessed table without a schema is the one with it; of several it may be any.
	for _, t := range slices.Clone(g.order) {
		named, own := syntax.SplitName(t.name)
		if named != "" {
			continue
		}
		var fits []*guessed
		for _, o := range g.order {
			if o != t && syntax.LastPart(o.name) == own {
				fits = append(fits, o)
			}
		}
		if len(fits) == 0 {
			continue
		}
		g.order = schema.Without(g.order, func(o *guessed) bool { return o == t })
		delete(g.tables, t.name)
		if len(fits) == 1 {
			g.tables[t.name] = fits[0]
		} else {
			g.unclearNames = append(g.unclearNames, t.name)
		}
	}
}

// anyOf says that a name may mean any of some relations.
func (l *Loader) anyOf(name string, all []*schema.Relation) {
	var shown []string
	for _, o := range all {
		shown = append(shown, o.Full())
	}
	slices.Sort(shown)
	v := &schema.View{What: "a table that may be any of " + strings.Join(shown, ", "), Of: all}
	v.Rel = &schema.Relation{View: v}
	l.Declarations.Aliases[name] = v.Rel
}

// guessKey is the name of a table that is not declared: one in public is one without a schema.
func guessKey(name string) string {
	if schema, own := syntax.SplitName(name); schema == syntax.PublicSchema {
		return syntax.Qualified([]string{own})
	}
	return name
}

func (g *guesser) add(name string, pos ir.Pos) {
	t := &guessed{pos: pos, name: name, cols: map[string]*cell{}}
	g.tables[name] = t
	g.order = append(g.order, t)
}

// program looks at the statements of a transaction.
func (g *guesser) program(f *schema.Function) {
	g.fn = f
	if g.vars[f] == nil {
		g.vars[f] = map[string]*cell{}
		for _, v := range f.Program.Txn.Vars {
			if g.vars[f][v.Name] = hinted(KindType(v.Kind)); g.vars[f][v.Name] == nil {
				g.vars[f][v.Name] = &cell{}
			}
		}
	}
	client.Walk(f.Program.Txn.Body, func(s client.Stmt) {
		if a, ok := s.(*client.Assign); ok {
			same(g.variable(a.Var), g.value(a.Expr))
		}
	})
	client.EachQuery(f.Program.Txn.Body, func(q *client.Query) {
		s := f.Program.Sent[q]
		for i := range s.List {
			g.s, g.st, g.why = s, &s.List[i], ""
			g.st.Star = false
			cols := g.statement(g.st.Tree, nil)
			if i == len(s.List)-1 {
				g.results(q, cols)
			}
			g.st.Why = g.why
		}
	})
}

// unclear says that a statement cannot be read for what is not declared.
func (g *guesser) unclear(why string) {
	if g.why == "" {
		g.why = why
	}
}

// results gives the variables that take a row the types of its columns.
func (g *guesser) results(q *client.Query, cols *guessSource) {
	if cols == nil {
		return
	}
	for i, name := range q.Into {
		if i < len(cols.cells) && !cols.open && name != "" {
			same(cols.cells[i], g.variable(name))
		}
	}
	for _, a := range q.ByName {
		if c := cols.get(a.Name); c != nil {
			same(c, g.variable(schema.ResultName(a)))
		} else if cols.star != nil {
			same(g.column(cols.star, a.Name), g.variable(schema.ResultName(a)))
		}
	}
}

// variable gives the cell of a variable. Variables of a known kind have nothing in
// common but that.
func (g *guesser) variable(name string) *cell {
	c := g.vars[g.fn][name]
	if c == nil {
		return nil
	}
	for _, v := range g.fn.Program.Txn.Vars {
		if v.Name == name && KindType(v.Kind).Name != schema.NUnknown {
			return hinted(KindType(v.Kind))
		}
	}
	return c
}

// value gives the cell of an expression of the program.
func (g *guesser) value(e client.Expr) *cell {
	switch e := e.(type) {
	case *client.VarExpr:
		return g.variable(e.Name)
	case *client.Const:
		switch e.Value.Kind {
		case ir.KindInt:
			return hinted(schema.TInt)
		case ir.KindNum:
			return hinted(schema.TFloat)
		case ir.KindBool:
			return hinted(schema.TBool)
		case ir.KindTime:
			return hinted(schema.TStamp)
		}
	case *client.Op:
		switch e.Op {
		case "+", "-", "*", "/", "%":
			for _, a := range e.Args {
				if c := g.value(a); c != nil {
					return c
				}
			}
		default:
			return hinted(schema.TBool)
		}
	case *client.Call:
		return hinted(KindType(e.Kind))
	}
	return nil
}

// column gives the cell of a column of a guessed table, which has it from now on.
func (g *guesser) column(t *guessed, name string) *cell {
	c := t.cols[name]
	if c == nil {
		c = &cell{}
		t.cols[name] = c
		t.order = append(t.order, name)
		g.grown = true
	}
	return c
}

// guessSource is an item of a FROM list, or the columns of a query.
type guessSource struct {
	alias string
	full  string // the name of the table with its schema
	// Exactly one of these: a guessed table, a declared one, or columns, of which
	// there may be others if open.
	guessed *guessed
	known   *schema.Table
	cols    []string
	cells   []*cell
	open    bool
	// star, of the columns of a query, is the guessed table of which it gives all.
	star *guessed
}

// get finds a column that the source is known to have.
func (s *guessSource) get(name string) *cell {
	switch {
	case s.guessed != nil:
		return s.guessed.cols[name]
	case s.known != nil:
		if c := s.known.Column(name); c != nil {
			return orCell(hinted(c.T))
		}
	default:
		for i, c := range s.cols {
			if c == name {
				return orCell(s.cells[i])
			}
		}
	}
	return nil
}

func orCell(c *cell) *cell {
	if c == nil {
		return &cell{}
	}
	return c
}

func (s *guessSource) add(name string, c *cell) {
	s.cols, s.cells = append(s.cols, name), append(s.cells, c)
}

// guessScope is what names mean in a query.
type guessScope struct {
	sources []*guessSource
	up      *guessScope
	ctes    map[string]*guessSource
}

func (n *guessScope) cte(name string) *guessSource {
	for ; n != nil; n = n.up {
		if c := n.ctes[name]; c != nil {
			return c
		}
	}
	return nil
}

// reference finds what a name of a column means.
func (g *guesser) reference(parts []string, n *guessScope) *cell {
	name := parts[len(parts)-1]
	if len(parts) > 1 {
		table := parts[:len(parts)-1]
		for s := n; s != nil; s = s.up {
			for _, src := range s.sources {
				if len(table) == 1 && src.alias != table[0] || len(table) > 1 && src.full != syntax.Qualified(table) {
					continue
				}
				if src.guessed != nil {
					return g.column(src.guessed, name)
				}
				return src.get(name)
			}
		}
		return nil
	}
	for s := n; s != nil; s = s.up {
		var open, guessed []*guessSource
		for _, src := range s.sources {
			if c := src.get(name); c != nil {
				return c
			}
			switch {
			case src.guessed != nil:
				guessed = append(guessed, src)
			case src.open:
				open = append(open, src)
			}
		}
		for _, src := range s.sources {
			if src.alias == name && src.guessed != nil {
				g.unclear("a whole row of " + src.guessed.name + ", which is not in the schema")
				return nil
			}
		}
		switch {
		case len(guessed) == 0 && len(open) == 0:
			continue
		case len(guessed) == 0:
			return nil
		case len(guessed) == 1 && len(open) == 0 && !s.hasAbove(name):
			return g.column(guessed[0].guessed, name)
		}
		g.unclear("the column " + name + ", which may be of several tables that are not in the schema")
		return nil
	}
	return nil
}

// hasAbove reports whether a query around n may have the column.
func (n *guessScope) hasAbove(name string) bool {
	for u := n.up; u != nil; u = u.up {
		for _, src := range u.sources {
			if src.open || src.guessed != nil || src.get(name) != nil {
				return true
			}
		}
	}
	return false
}

// from adds an item of a FROM list.
func (g *guesser) from(node *pg.Node, n *guessScope) {
	switch f := pg.Inner(node).(type) {
	case *pg.RangeVar:
		n.sources = append(n.sources, g.table(f, n))
	case *pg.JoinExpr:
		from := len(n.sources)
		g.from(f.Larg, n)
		middle := len(n.sources)
		g.from(f.Rarg, n)
		for _, name := range syntax.Names(f.UsingClause) {
			var all *cell
			for i, src := range n.sources[from:] {
				c := src.get(name)
				one := i < middle-from && middle-from == 1 || i >= middle-from && len(n.sources)-middle == 1
				if c == nil && src.guessed != nil && one {
					c = g.column(src.guessed, name)
				}
				all = same(all, c)
			}
		}
		if f.IsNatural {
			for _, src := range n.sources[from:] {
				if src.guessed != nil {
					g.unclear("NATURAL JOIN with " + src.guessed.name + ", which is not in the schema")
				}
			}
		}
		if f.Alias != nil {
			n.sources = append(n.sources[:from:from], &guessSource{alias: f.Alias.Aliasname, open: true})
		}
		g.condition(f.Quals, n)
	case *pg.RangeSubselect:
		up := n.up
		if f.Lateral {
			up = n
		}
		src := g.statement(pg.Inner(f.Subquery), &guessScope{up: up, ctes: n.ctes})
		if src == nil {
			src = &guessSource{open: true}
		}
		out := *src
		out.alias = f.Alias.GetAliasname()
		guessNames(&out, f.Alias)
		g.inner(src)
		n.sources = append(n.sources, &out)
	case *pg.RangeFunction:
		for _, item := range f.Functions {
			for _, x := range pg.Inner(item).(*pg.List).Items {
				if x != nil && pg.Inner(x) != nil {
					g.expr(x, n)
				}
			}
		}
		n.sources = append(n.sources, &guessSource{alias: f.Alias.GetAliasname(), open: true})
	default:
		g.unclear("this kind of FROM item")
	}
}

// inner refuses all columns of a table that is not declared in a subquery.
func (g *guesser) inner(src *guessSource) {
	if src != nil && src.star != nil {
		g.unclear("all columns of " + src.star.name + ", which is not in the schema")
	}
}

// guessNames gives columns the names of an alias.
func guessNames(src *guessSource, a *pg.Alias) {
	list := syntax.Names(a.GetColnames())
	if len(list) == 0 {
		return
	}
	src.cols = slices.Clone(src.cols)
	for i, name := range list {
		if i < len(src.cols) {
			src.cols[i] = name
		} else {
			src.open = true
		}
	}
}

// table is the source of a table, or of a WITH query.
func (g *guesser) table(r *pg.RangeVar, n *guessScope) *guessSource {
	name := syntax.RangeName(r)
	src := &guessSource{alias: syntax.AliasOf(r), full: name}
	if r.Schemaname == "" {
		if c := n.cte(r.Relname); c != nil {
			src.cols, src.cells, src.open = c.cols, c.cells, c.open
			guessNames(src, r.Alias)
			return src
		}
	}
	src.guessed = g.tables[guessKey(name)]
	if src.guessed == nil {
		src.known = g.l.Late.Table(name)
		src.open = src.known == nil
	}
	if len(r.Alias.GetColnames()) > 0 {
		if src.guessed != nil {
			g.unclear("other names for columns of " + name + ", which is not in the schema")
		}
		src.known, src.open = nil, true
	}
	return src
}
