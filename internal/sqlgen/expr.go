package sqlgen

import (
	"strconv"
	"strings"
)

// binding is something that an expression can name.
type binding struct {
	ref  string
	name string // of a column, without what qualifies it
	t    *Type
	null bool // it may be NULL
	// auto says that its values are those of a sequence: nothing is computed from them.
	auto bool
	// bare is how a parameter is written where its type is told by its place.
	bare string
}

// env is what expressions at some place may use.
type env struct {
	// vars are variables and parameters, rows the columns of the queries around.
	vars, rows []binding
	// own are the columns of the innermost query, which are in rows, too.
	own []binding
	// agg, if not nil, is what arguments of aggregates may use here.
	agg *env
	// pure leaves out what is not a function of the row and the database; plain
	// leaves out subqueries; steady leaves out variables that change.
	pure, plain, steady bool
	// ctes are the names of WITH.
	ctes []*Table
	// rowVars are the names of whole rows, with their tables.
	rowVars []rowVar
	// nullable says that an outer join may leave out the first table of FROM.
	nullable bool
}

type rowVar struct {
	name  string
	table *Table
}

// inner is a copy for a query inside.
func (e *env) inner() *env {
	c := *e
	c.agg, c.own = nil, nil
	c.rows = append([]binding(nil), e.rows...)
	c.ctes = append([]*Table(nil), e.ctes...)
	c.rowVars = append([]rowVar(nil), e.rowVars...)
	return &c
}

// rowEnv is what expressions over one row of a table use.
func (g *gen) rowEnv(t *Table, as string) *env {
	e := &env{}
	e.addTable(t, as)
	return e
}

// addTable makes the columns of a table visible, qualified unless as is "".
func (e *env) addTable(t *Table, as string) {
	for _, c := range t.Columns {
		b := binding{ref: c.Name, name: c.Name, t: c.Type, null: !c.NotNull, auto: c.Auto || c.Ref != nil && c.Ref.Auto}
		if as != "" {
			b.ref = as + "." + c.Name
		}
		e.rows, e.own = append(e.rows, b), append(e.own, b)
	}
}

// bindings gives what has a type, columns of the own query twice.
func (e *env) bindings(t *Type) []binding {
	var out []binding
	for _, list := range [][]binding{e.own, e.rows, e.vars} {
		for _, b := range list {
			if b.t == t && !b.auto {
				out = append(out, b)
			}
		}
	}
	return out
}

// leaf is a literal or a name.
func (g *gen) leaf(e *env, t *Type) *Node {
	lit := func(prod, s string) *Node { return seq(prod, s).of(t.sort(), g.simple(t)) }
	if list := e.bindings(t); len(list) > 0 && g.chance(75) {
		b := pick(g, list)
		n := seq("", b.ref).of(t.sort(), g.simple(t))
		n.Kids[0].Prod = "name"
		return n
	}
	if g.chance(5) {
		return lit("null", "NULL::"+t.Name)
	}
	return lit("literal", t.Literal(pick(g, t.Values)))
}

func (g *gen) simple(t *Type) string { return t.Literal(t.Values[0]) }

// put makes an expression for a place that tells its type.
func (g *gen) put(e *env, t *Type, depth int) *Node {
	for _, b := range e.bindings(t) {
		if b.bare != "" && g.chance(35) {
			return seq("parameter", b.bare).of(t.sort(), g.simple(t))
		}
	}
	return g.expr(e, t, depth)
}

// expr makes an expression of a type.
func (g *gen) expr(e *env, t *Type, depth int) *Node {
	if depth <= 0 {
		return g.leaf(e, t)
	}
	sub := func() *Node { return g.expr(e, t, depth-1) }
	n := g.one(
		alt{12, func() *Node { return g.leaf(e, t) }},
		alt{6, func() *Node {
			if !t.Sums || t.Base == "float4" || t.Base == "float8" {
				return nil
			}
			return seq("arithmetic", "(", sub(), pick(g, []string{" + ", " - ", " * "}), sub(), ")")
		}},
		alt{1, func() *Node {
			if !t.Sums || t.Group != Basic {
				return nil
			}
			if g.on("division by zero") && g.chance(50) {
				return seq("division", "(", sub(), pick(g, []string{" / ", " % "}), sub(), ")")
			}
			return seq("division", "(", sub(), pick(g, []string{" / 2", " % 3", " / (-3)"}), ")")
		}},
		alt{4, func() *Node {
			if t != Text || !g.on("concatenation") {
				return nil
			}
			return seq("concatenation", "(", sub(), " || ", sub(), ")")
		}},
		alt{2, func() *Node {
			if t != Text || !g.on("text functions") {
				return nil
			}
			return seq("text function", pick(g, []string{"lower", "upper"}), "(", sub(), ")")
		}},
		alt{1, func() *Node {
			if t != Int || !g.on("text functions") {
				return nil
			}
			return seq("length", "length(", g.expr(e, Text, depth-1), ")")
		}},
		alt{2, func() *Node {
			if t != Int || e.pure || !g.checks {
				return nil
			}
			return seq("checked value", "checked(", sub(), ")")
		}},
		alt{2, func() *Node {
			n := seq("case", "CASE WHEN ", g.cond(e, depth-1), " THEN ", sub())
			for range g.rng.IntN(2) {
				n.Kids = append(n.Kids, opt(seq("", " WHEN ", g.cond(e, depth-1), " THEN ", sub())))
			}
			if g.chance(70) {
				n.Kids = append(n.Kids, opt(seq("case else", " ELSE ", sub())))
			}
			return seq("", n, " END")
		}},
		alt{1, func() *Node {
			of := g.comparableType()
			return seq("simple case", "CASE ", g.expr(e, of, depth-1), " WHEN ", g.leaf(e, of), " THEN ", sub(), " ELSE ", sub(), " END")
		}},
		alt{3, func() *Node { return seq("coalesce", "COALESCE(", sub(), ", ", sub(), ")") }},
		alt{1, func() *Node {
			if !t.comparable() {
				return nil
			}
			return seq("nullif", "NULLIF(", sub(), ", ", sub(), ")")
		}},
		alt{1, func() *Node {
			if !t.comparable() || t == Bool || t.Text {
				return nil
			}
			return seq("greatest", pick(g, []string{"GREATEST", "LEAST"}), "(", list(", ", 1, sub(), sub()), ")")
		}},
		alt{3, func() *Node {
			if t != Bool {
				return nil
			}
			return g.cond(e, depth)
		}},
		alt{2, func() *Node { return g.scalar(e, t, depth) }},
		alt{8, func() *Node { return g.aggregate(e, t, depth) }},
		alt{1, func() *Node { return g.cast(e, t, depth) }},
		alt{5, func() *Node { return g.routine(e, t, depth) }},
	)
	return n.of(t.sort(), g.simple(t))
}

// cast converts between types of numbers and texts.
func (g *gen) cast(e *env, t *Type, depth int) *Node {
	var from *Type
	switch t {
	case Int:
		from = Bigint
	case Bigint:
		from = Int
	case Text:
		from = pick(g, []*Type{Int, Bool})
	default:
		return nil
	}
	if g.chance(50) {
		return seq("cast", "CAST(", g.expr(e, from, depth-1), " AS "+t.Name+")")
	}
	return seq("cast", "(", g.expr(e, from, depth-1), ")::"+t.Name)
}

// scalar is a subquery that gives one value.
func (g *gen) scalar(e *env, t *Type, depth int) *Node {
	if e.plain || len(g.app.Tables) == 0 || !g.on("scalar subquery") {
		return nil
	}
	q := g.query(e, queryWish{types: []*Type{t}, depth: depth - 1, one: !g.on("several rows") || g.chance(85)})
	return seq("scalar subquery", "(", q.node, ")")
}

// aggregate is a call of an aggregate, where those may stand.
func (g *gen) aggregate(e *env, t *Type, depth int) *Node {
	if e.agg == nil {
		return nil
	}
	// An aggregate over columns of the queries around alone would be one of theirs.
	in := e.agg.inner()
	in.rows, in.own = e.agg.own, e.agg.own
	filter := func() any {
		if !g.chance(12) || !g.on("filter") {
			return nil
		}
		return opt(seq("filter", " FILTER (WHERE ", g.cond(in, 1), ")"))
	}
	arg := func(of *Type) *Node { return g.expr(in, of, min(depth-1, 1)) }
	distinct := g.maybe(20, "DISTINCT ")
	switch {
	case t == Bigint:
		return g.one(
			alt{3, func() *Node { return seq("count(*)", "count(*)", filter()) }},
			alt{2, func() *Node {
				of := g.comparableType()
				return seq("count", "count("+distinct, arg(of), ")", filter())
			}},
			alt{3, func() *Node { return seq("sum", "sum("+distinct, arg(Int), ")", filter()) }},
			alt{1, func() *Node { return seq("max", pick(g, []string{"max", "min"}), "(", arg(Bigint), ")", filter()) }},
		)
	case t == Bool:
		return seq("bool_and", pick(g, []string{"bool_and", "bool_or", "every"}), "(", arg(Bool), ")", filter())
	case t == Text && g.chance(40) && g.on("string_agg"):
		return seq("string_agg", "string_agg(", arg(Text), ", ',' ORDER BY ", arg(Text), ")", filter())
	case t.Sums || t.Group == Times && t.Base != "interval" || t == Text && g.on("max of text"):
		return seq("max", pick(g, []string{"max", "min"}), "("+distinct, arg(t), ")", filter())
	}
	return nil
}

// routine calls a function or an operator of the catalog.
func (g *gen) routine(e *env, t *Type, depth int) *Node {
	if !g.opt.Functions || g.opt.Catalog == nil {
		return nil
	}
	r, ok := g.opt.Catalog.pick(g, t)
	if !ok {
		return nil
	}
	return r.call(g, e, depth-1)
}

// comparableType draws a type whose values can be compared.
func (g *gen) comparableType() *Type {
	if g.chance(50) {
		return Int
	}
	for {
		if t := pick(g, g.types); t.comparable() {
			return t
		}
	}
}

// subject draws something to compare: mostly a column.
func (g *gen) subject(e *env, depth int) (*Node, *Type) {
	if list := e.own; len(list) > 0 && g.chance(70) {
		for range 3 {
			if b := pick(g, list); b.t.comparable() {
				return seq("name", b.ref).of(b.t.sort(), g.simple(b.t)), b.t
			}
		}
	}
	t := g.comparableType()
	return g.expr(e, t, depth-1), t
}

var comparisons = []string{" = ", " = ", " = ", " <> ", " < ", " <= ", " > ", " >= "}

// ordered reports whether < on the type is generated.
func (g *gen) ordered(t *Type) bool { return !t.Text || g.on("order of texts") }

func (g *gen) comparison(t *Type) string {
	if !g.ordered(t) || t == Bool {
		return pick(g, []string{" = ", " <> "})
	}
	return pick(g, comparisons)
}

// other is what a value is compared with.
func (g *gen) other(e *env, t *Type, depth int) *Node {
	if g.chance(25) && !t.Bare && !t.Text {
		return seq("unknown literal", quote(pick(g, t.Values))).of(t.sort(), g.simple(t))
	}
	return g.put(e, t, depth-1)
}

// cond makes a condition.
func (g *gen) cond(e *env, depth int) *Node {
	n := g.one(
		alt{20, func() *Node {
			x, t := g.subject(e, depth)
			return seq("comparison", x, g.comparison(t), g.other(e, t, depth))
		}},
		alt{4, func() *Node {
			x, _ := g.subject(e, depth)
			return seq("is null", x, pick(g, []string{" IS NULL", " IS NOT NULL"}))
		}},
		alt{2, func() *Node {
			x, t := g.subject(e, depth)
			return seq("is distinct from", x, pick(g, []string{" IS DISTINCT FROM ", " IS NOT DISTINCT FROM "}), g.other(e, t, depth))
		}},
		alt{2, func() *Node {
			x, t := g.subject(e, depth)
			if t == Bool || !g.ordered(t) {
				return nil
			}
			op := pick(g, []string{" BETWEEN ", " BETWEEN ", " NOT BETWEEN ", " BETWEEN SYMMETRIC "})
			return seq("between", x, op, g.leaf(e, t), " AND ", g.leaf(e, t))
		}},
		alt{3, func() *Node {
			x, t := g.subject(e, depth)
			elems := list(", ", 1)
			for range 1 + g.rng.IntN(3) {
				elems.Kids = append(elems.Kids, g.leaf(e, t))
			}
			return seq("in list", x, pick(g, []string{" IN (", " IN (", " NOT IN ("}), elems, ")")
		}},
		alt{6, func() *Node {
			if depth <= 0 {
				return nil
			}
			return seq("and or", list(pick(g, []string{" AND ", " AND ", " OR "}), 1, g.cond(e, depth-1), g.cond(e, depth-1)))
		}},
		alt{2, func() *Node {
			if depth <= 0 {
				return nil
			}
			return seq("not", "NOT ", g.cond(e, depth-1))
		}},
		alt{1, func() *Node {
			if depth <= 0 {
				return nil
			}
			return seq("is true", g.cond(e, depth-1), pick(g, []string{" IS TRUE", " IS NOT TRUE", " IS FALSE", " IS UNKNOWN", " IS NOT UNKNOWN"}))
		}},
		alt{2, func() *Node {
			for _, b := range e.bindings(Bool) {
				return seq("name", b.ref)
			}
			return nil
		}},
		alt{2, func() *Node { return g.like(e, depth) }},
		alt{2, func() *Node { return g.rowCompare(e, depth) }},
		alt{8, func() *Node { return g.subqueryCond(e, depth) }},
		alt{1, func() *Node {
			return seq("any array", g.expr(e, Int, depth-1), " = ANY ('{"+pick(g, []string{"", "1", "1,2", "0,3,2"})+"}'::int[])")
		}},
	)
	return seq("", "(", n, ")").of(Bool.sort(), "true")
}

func (g *gen) like(e *env, depth int) *Node {
	if !g.on("like") {
		return nil
	}
	op := pick(g, []string{" LIKE ", " ILIKE ", " NOT LIKE "})
	return seq("like", g.expr(e, Text, depth-1), op+quote(pick(g, []string{"a%", "%b", "_", "%", "ab", "A_"})))
}

func (g *gen) rowCompare(e *env, depth int) *Node {
	x, t := g.subject(e, depth)
	y, u := g.subject(e, depth)
	op := pick(g, []string{" = ", " <> ", " < ", " >= ", " IS DISTINCT FROM "})
	if !g.ordered(t) || !g.ordered(u) {
		op = " = "
	}
	if g.chance(30) {
		return seq("row in list", "(", x, ", ", y, ") IN ((", g.leaf(e, t), ", ", g.leaf(e, u), "), (", g.leaf(e, t), ", ", g.leaf(e, u), "))")
	}
	return seq("row comparison", "(", x, ", ", y, ")", op, "(", g.leaf(e, t), ", ", g.leaf(e, u), ")")
}

// subqueryCond is a condition on the rows of a query.
func (g *gen) subqueryCond(e *env, depth int) *Node {
	if depth <= 0 || e.plain || len(g.app.Tables) == 0 {
		return nil
	}
	return g.one(
		alt{6, func() *Node {
			q := g.query(e, queryWish{depth: depth - 1, exists: true})
			return seq("exists", pick(g, []string{"EXISTS (", "NOT EXISTS ("}), q.node, ")")
		}},
		alt{4, func() *Node {
			x, t := g.subject(e, depth)
			q := g.query(e, queryWish{depth: depth - 1, types: []*Type{t}})
			return seq("in subquery", x, pick(g, []string{" IN (", " IN (", " NOT IN ("}), q.node, ")")
		}},
		alt{2, func() *Node {
			x, t := g.subject(e, depth)
			q := g.query(e, queryWish{depth: depth - 1, types: []*Type{t}})
			return seq("any subquery", x, g.comparison(t), pick(g, []string{"ANY (", "ALL ("}), q.node, ")")
		}},
		alt{1, func() *Node {
			x, t := g.subject(e, depth)
			y, u := g.subject(e, depth)
			q := g.query(e, queryWish{depth: depth - 1, types: []*Type{t, u}})
			return seq("row in subquery", "(", x, ", ", y, ") IN (", q.node, ")")
		}},
	)
}

// integer is a small number of rounds or rows.
func (g *gen) integer(max int) string { return strconv.Itoa(g.rng.IntN(max + 1)) }

func join(names []string) string { return strings.Join(names, ", ") }
