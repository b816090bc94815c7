package sqlgen

import (
	"strconv"
	"strings"
)

// mysqlTypes are the types of applications in the dialect of MySQL, with values at the ends
// of what they hold.
var mysqlTypes = []*Type{
	mysqlInt,
	mysqlNumber("BIGINT", "0|1|2|3|-2|10"),
	mysqlNumber("TINYINT", "0|1|2|-1|127|-128"),
	mysqlNumber("INT UNSIGNED", "0|1|2|3|5"),
	mysqlNumber("TINYINT UNSIGNED", "0|1|2|3|255"),
	mysqlNumber("BIGINT UNSIGNED", "0|1|2|3"),
	mysqlNumber("BOOLEAN", "0|1"),
	{Name: "DECIMAL(5,2)", Base: "decimal", Values: words("0|1.50|2.25|-3.14|999.99"), Bare: true, Plain: true, Sums: true},
	{Name: "DECIMAL(6,1) UNSIGNED", Base: "decimal", Values: words("0|1.5|2.2|10.0"), Bare: true, Plain: true, Sums: true},
	mysqlText,
	{Name: "VARCHAR(3)", Base: "text", Values: words("|a|A|ab|abc"), Text: true, Plain: true},
	{Name: "CHAR(3)", Base: "text", Values: words("|a|A|b|abc"), Text: true, Plain: true},
	{Name: "TEXT", Base: "text", Values: words("|a|A|b|a b|it's"), Text: true, Plain: true},
	{Name: "VARCHAR(8) CHARACTER SET latin1 COLLATE latin1_bin", Base: "bin", Values: words("|a|A|b|ab"), Text: true, Plain: true},
	{Name: "VARBINARY(4)", Base: "bytes", Values: words("|a|A|b|ab"), Text: true, Plain: true},
	{Name: "ENUM('a','b','C')", Base: "enum", Values: words("a|b|C"), Text: true, Plain: true},
	mysqlTime,
	{Name: "DATE", Base: "time", Values: words("2024-01-01|2024-02-29|2023-12-31"), Time: true, Plain: true},
	{Name: "DATETIME(3)", Base: "time", Values: words("2024-01-01 00:00:00.000|2024-01-01 12:30:00.500"), Time: true, Plain: true},
	{Name: "DOUBLE", Base: "float", Values: words("0|1.5|2"), Bare: true, Plain: true},
	{Name: "TIME", Base: "clock", Values: words("00:00:00|12:30:00"), Plain: true},
}

var (
	mysqlInt  = mysqlNumber("INT", "0|1|2|3|-1|7")
	mysqlText = &Type{Name: "VARCHAR(20)", Base: "text", Values: words("|a|A|b|B|ab|a b|it's"), Text: true, Plain: true}
	mysqlTime = &Type{Name: "DATETIME", Base: "time", Values: words("2024-01-01 00:00:00|2024-01-01 12:30:00|2024-02-29 00:00:00"), Time: true, Plain: true}
)

func mysqlNumber(name, values string) *Type {
	return &Type{Name: name, Base: "int", Values: words(values), Bare: true, Plain: true, Sums: true}
}

// mysqlGen makes applications in the dialect of MySQL.
type mysqlGen struct{ *gen }

// mysqlApp makes an application in the dialect of MySQL.
func (g *mysqlGen) mysqlApp() {
	for i := range 2 + g.rng.IntN(3) {
		g.mysqlTable("t" + strconv.Itoa(i+1))
	}
	for i := range g.opt.Txns {
		g.app.Txns = append(g.app.Txns, g.mysqlTxn("f"+strconv.Itoa(i+1)))
	}
}

// mysqlType draws a type, mostly of whole numbers.
func (g *mysqlGen) mysqlType() *Type {
	switch n := g.rng.IntN(100); {
	case n < 35:
		return mysqlInt
	case n < 50:
		return mysqlText
	case n < 96:
		return mysqlTypes[g.rng.IntN(len(mysqlTypes)-2)]
	}
	return pick(g.gen, mysqlTypes)
}

// mysqlTable declares a table.
func (g *mysqlGen) mysqlTable(name string) {
	t := &Table{Name: name}
	items := list(",\n  ", 1)
	key := func(c *Column, decl *Node) {
		t.Columns, t.Key = append(t.Columns, c), append(t.Key, c)
		items.Kids = append(items.Kids, decl)
	}
	prod := "table"
	switch n := g.rng.IntN(100); {
	case n < 52:
		key(&Column{Name: "id", Type: mysqlInt, NotNull: true}, seq("primary key", "id INT PRIMARY KEY"))
	case n < 68 && g.on("auto_increment"):
		ty := pick(g.gen, []*Type{mysqlTypes[0], mysqlTypes[1], mysqlTypes[3]})
		key(&Column{Name: "id", Type: ty, NotNull: true, Auto: true}, seq("auto_increment", "id "+ty.Name+" AUTO_INCREMENT PRIMARY KEY"))
	case n < 84:
		for _, c := range []string{"k", "j"} {
			col := &Column{Name: c, Type: mysqlInt, NotNull: true}
			if len(g.app.Tables) > 0 && c == "k" && g.chance(50) {
				if p := pick(g.gen, g.app.Tables); len(p.Key) == 1 && !p.Key[0].Auto {
					col.Type, col.Ref = p.Key[0].Type, p.Key[0]
				}
			}
			key(col, text(c+" "+col.Type.Name))
			if col.Ref != nil {
				g.mysqlReference(t, items, col, true)
			}
		}
		items.Kids = append(items.Kids, seq("primary key of several columns", "PRIMARY KEY (k, j)"))
	case n < 93 && g.on("primary key of text"):
		key(&Column{Name: "id", Type: mysqlText, NotNull: true}, seq("primary key of text", "id "+mysqlText.Name+" PRIMARY KEY"))
	default:
		prod = "table without key"
	}
	names := columnNames[g.rng.IntN(3):]
	for i := range 1 + g.rng.IntN(4) {
		g.mysqlColumn(t, items, names[i])
	}
	g.mysqlConstraints(t, items)
	g.app.Tables = append(g.app.Tables, t)
	t.node = seq(prod, "CREATE TABLE "+name+" (\n  ", items, ")")
	g.decl(t.node)
}

// mysqlReference declares a foreign key of a column.
func (g *mysqlGen) mysqlReference(t *Table, items *Node, c *Column, notNull bool) {
	for _, p := range g.app.Tables {
		if len(p.Key) == 1 && p.Key[0] == c.Ref {
			items.Kids = append(items.Kids, opt(seq("foreign key", "FOREIGN KEY ("+c.Name+") REFERENCES "+p.Name+" ("+c.Ref.Name+")"+g.actions(notNull))))
		}
	}
}

// mysqlColumn declares a column that is no key.
func (g *mysqlGen) mysqlColumn(t *Table, items *Node, name string) {
	c := &Column{Name: name, Type: g.mysqlType(), NotNull: g.chance(55)}
	if len(g.app.Tables) > 0 && g.chance(15) && g.on("foreign key") {
		if p := pick(g.gen, g.app.Tables); len(p.Key) == 1 {
			c.Type, c.Ref = p.Key[0].Type, p.Key[0]
		}
	}
	t.Columns = append(t.Columns, c)
	decl := seq("column "+c.Type.Name, name+" "+c.Type.Name)
	if c.NotNull {
		decl.Kids = append(decl.Kids, opt(seq("not null", " NOT NULL")))
	}
	switch n := g.rng.IntN(100); {
	case n < 22:
		decl.Kids = append(decl.Kids, opt(seq("default", " DEFAULT "+c.Type.Literal(pick(g.gen, c.Type.Values)))))
	case n < 30 && c.Type == mysqlTime:
		decl.Kids = append(decl.Kids, opt(seq("default now", " DEFAULT CURRENT_TIMESTAMP"+g.maybe(40, " ON UPDATE CURRENT_TIMESTAMP"))))
	case n < 36 && c.Type.Name != "TEXT":
		t.Uniques = append(t.Uniques, []*Column{c})
		decl.Kids = append(decl.Kids, opt(seq("unique", " UNIQUE")))
	case n < 44 && g.on("check"):
		e := &env{plain: true, pure: true}
		e.addTable(&Table{Columns: []*Column{c}}, "")
		decl.Kids = append(decl.Kids, opt(seq("check of a column", " CHECK (", g.mysqlCond(e, 1), ")")))
	case n < 46 && c.Type == mysqlInt && g.on("generated"):
		c.Generated, c.NotNull = true, false
		decl = seq("generated", name+" INT AS (1 + 1)")
	}
	items.Kids = append(items.Kids, decl)
	if c.Ref != nil {
		g.mysqlReference(t, items, c, c.NotNull)
	}
}

// mysqlConstraints declares those of a whole table, and indexes.
func (g *mysqlGen) mysqlConstraints(t *Table, items *Node) {
	if g.chance(20) && g.on("check") {
		e := &env{pure: true, plain: true}
		for _, c := range t.Columns {
			if !c.Auto { // those of AUTO_INCREMENT cannot be checked
				e.addTable(&Table{Columns: []*Column{c}}, "")
			}
		}
		items.Kids = append(items.Kids, opt(seq("check", "CHECK (", g.mysqlCond(e, 2), ")")))
	}
	c := pick(g.gen, t.Columns)
	if c.Type.Name == "TEXT" || c.Generated {
		return
	}
	switch n := g.rng.IntN(100); {
	case n < 8 && g.on("index"):
		items.Kids = append(items.Kids, opt(seq("index", "KEY ("+c.Name+")")))
	case n < 14:
		if d := pick(g.gen, t.Columns); d != c && d.Type.Name != "TEXT" && !d.Generated {
			t.Uniques = append(t.Uniques, []*Column{c, d})
			items.Kids = append(items.Kids, opt(seq("unique of several columns", "UNIQUE KEY ("+c.Name+", "+d.Name+")")))
		}
	case n < 17 && len(t.Key) == 1 && t.Key[0].Type == mysqlInt && !t.Key[0].Auto:
		up := &Column{Name: "up", Type: mysqlInt, Ref: t.Key[0]}
		t.Columns = append(t.Columns, up)
		items.Kids = append(items.Kids, seq("reference to itself", "up INT, FOREIGN KEY (up) REFERENCES "+t.Name+" (id)"+g.actions(false)))
	}
}

// family is the set of types whose values can be compared without a conversion.
func (t *Type) family() string {
	switch {
	case t.Sums:
		return "number"
	case t.Text:
		return "text"
	case t.Time:
		return "time"
	}
	return t.Base
}

// mysqlLeaf is a literal or a name.
func (g *mysqlGen) mysqlLeaf(e *env, t *Type) *Node {
	if g.chance(2) && g.on("mixed types") {
		t = pick(g.gen, mysqlTypes)
	}
	simple := t.Literal(t.Values[0])
	var found []binding
	for _, list := range [][]binding{e.own, e.rows, e.vars} {
		for _, b := range list {
			if b.t.family() == t.family() && (b.t.Base == t.Base || g.chance(35)) {
				found = append(found, b)
			}
		}
	}
	if len(found) > 0 && g.chance(75) {
		n := seq("", pick(g.gen, found).ref).of(t.family(), simple)
		n.Kids[0].Prod = "name"
		return n
	}
	if g.chance(4) {
		return seq("null", "NULL").of(t.family(), simple)
	}
	return seq("literal", t.Literal(pick(g.gen, t.Values))).of(t.family(), simple)
}

// mysqlExpr makes an expression of a type.
func (g *mysqlGen) mysqlExpr(e *env, t *Type, depth int) *Node {
	if depth <= 0 || g.chance(45) {
		return g.mysqlLeaf(e, t)
	}
	sub := func() *Node { return g.mysqlExpr(e, t, depth-1) }
	n := g.one(
		alt{2, func() *Node {
			return seq("case", "CASE WHEN ", g.mysqlCond(e, depth-1), " THEN ", sub(), " ELSE ", sub(), " END")
		}},
		alt{2, func() *Node { return seq("if", "IF(", g.mysqlCond(e, depth-1), ", ", sub(), ", ", sub(), ")") }},
		alt{2, func() *Node {
			return seq("coalesce", pick(g.gen, []string{"COALESCE(", "IFNULL("}), sub(), ", ", sub(), ")")
		}},
		alt{1, func() *Node { return seq("nullif", "NULLIF(", sub(), ", ", sub(), ")") }},
		alt{2, func() *Node { return g.mysqlScalar(e, t, depth-1) }},
		alt{14, func() *Node {
			switch t.family() {
			case "number":
				return g.mysqlArithmetic(e, t, depth)
			case "text":
				return g.mysqlTextual(e, t, depth)
			case "time":
				if e.pure {
					return nil
				}
				return seq("now", pick(g.gen, []string{"NOW()", "CURRENT_TIMESTAMP", "CURDATE()"}))
			}
			return nil
		}},
		alt{1, func() *Node { return g.mysqlLeaf(e, t) }},
	)
	return n.of(t.family(), t.Literal(t.Values[0]))
}

func (g *mysqlGen) mysqlArithmetic(e *env, t *Type, depth int) *Node {
	sub := func() *Node { return g.mysqlExpr(e, t, depth-1) }
	word := func() *Node { return g.mysqlExpr(e, mysqlText, depth-1) }
	return g.one(
		alt{20, func() *Node {
			return seq("arithmetic", "(", sub(), pick(g.gen, []string{" + ", " + ", " - ", " - ", " * "}), sub(), ")")
		}},
		alt{2, func() *Node {
			if !g.on("division") {
				return nil
			}
			return seq("division", "(", sub(), pick(g.gen, []string{" / ", " DIV ", " % "}), sub(), ")")
		}},
		alt{2, func() *Node { return seq("minus", "-", text("("), sub(), ")") }},
		alt{3, func() *Node { return seq("condition as value", "(", g.mysqlCond(e, depth-1), ")") }},
		alt{1, func() *Node { return seq("length", pick(g.gen, []string{"LENGTH(", "CHAR_LENGTH("}), word(), ")") }},
		alt{1, func() *Node { return seq("abs", pick(g.gen, []string{"ABS(", "FLOOR(", "ROUND("}), sub(), ")") }},
		alt{1, func() *Node {
			return seq("greatest", pick(g.gen, []string{"GREATEST(", "LEAST("}), sub(), ", ", sub(), ")")
		}},
	)
}

func (g *mysqlGen) mysqlTextual(e *env, t *Type, depth int) *Node {
	sub := func() *Node { return g.mysqlExpr(e, t, depth-1) }
	return g.one(
		alt{4, func() *Node { return seq("concat", "CONCAT(", sub(), ", ", sub(), ")") }},
		alt{3, func() *Node {
			return seq("case of text", pick(g.gen, []string{"LOWER(", "UPPER(", "TRIM(", "REVERSE("}), sub(), ")")
		}},
		alt{1, func() *Node { return seq("left", "LEFT(", sub(), ", 2)") }},
		alt{1, func() *Node { return seq("replace", "REPLACE(", sub(), ", 'a', 'b')") }},
	)
}

// mysqlScalar is a subquery that gives a value.
func (g *mysqlGen) mysqlScalar(e *env, t *Type, depth int) *Node {
	if e.plain || !g.on("subquery") {
		return nil
	}
	table := pick(g.gen, g.app.Tables)
	in := *e
	if g.chance(60) || !g.on("correlated value") {
		in.rows, in.own = nil, nil
	}
	a := g.name("s")
	in.addTable(table, a)
	in.plain = true
	from := " FROM " + table.Name + " " + a
	if t.Sums && g.chance(70) {
		if g.chance(40) {
			return seq("subquery count", "(SELECT COUNT(*)"+from+" WHERE ", g.mysqlCond(&in, depth), ")")
		}
		return seq("subquery aggregate", "(SELECT "+pick(g.gen, []string{"SUM(", "MIN(", "MAX("}), g.mysqlExpr(&in, t, 0), ")"+from+" WHERE ", g.mysqlCond(&in, depth), ")")
	}
	where := g.mysqlKey(&in, table, a)
	if where == nil {
		return nil
	}
	return seq("subquery", "(SELECT ", g.mysqlExpr(&in, t, depth), from+" WHERE ", where, ")")
}

// mysqlKey is a condition that fixes the key of a row, nil where there is none.
func (g *mysqlGen) mysqlKey(e *env, t *Table, as string) *Node {
	if len(t.Key) == 0 {
		return nil
	}
	outer := *e
	outer.rows, outer.own, outer.plain = nil, nil, true
	n := seq("")
	for i, k := range t.Key {
		if i > 0 {
			n.Kids = append(n.Kids, text(" AND "))
		}
		n.Kids = append(n.Kids, text(as+"."+k.Name+" = "), g.mysqlLeaf(&outer, k.Type))
	}
	return n.of("condition", "")
}

// mysqlCond makes a condition.
func (g *mysqlGen) mysqlCond(e *env, depth int) *Node {
	t := mysqlInt
	if len(e.rows) > 0 && g.chance(85) {
		t = pick(g.gen, e.rows).t
	}
	x := func() *Node { return g.mysqlExpr(e, t, depth-1) }
	sub := func() *Node { return g.mysqlCond(e, depth-1) }
	n := g.one(
		alt{30, func() *Node {
			ops := []string{" = ", " = ", " <> ", " < ", " >= ", " > ", " <= ", " <=> "}
			return seq("comparison", x(), pick(g.gen, ops), x())
		}},
		alt{6, func() *Node { return seq("is null", x(), pick(g.gen, []string{" IS NULL", " IS NOT NULL"})) }},
		alt{4, func() *Node {
			return seq("between", x(), pick(g.gen, []string{" BETWEEN ", " NOT BETWEEN "}), x(), " AND ", x())
		}},
		alt{4, func() *Node {
			return seq("in list", x(), pick(g.gen, []string{" IN (", " NOT IN ("}), list(", ", 1, x(), x()), ")")
		}},
		alt{2, func() *Node {
			return seq("like", g.mysqlExpr(e, mysqlText, 0), pick(g.gen, []string{" LIKE ", " NOT LIKE "}), pick(g.gen, []string{"'a%'", "'_b'", "'%'"}))
		}},
		alt{2, func() *Node { return seq("number as condition", g.mysqlExpr(e, mysqlInt, depth-1)) }},
		alt{1, func() *Node { return seq("is true", "(", sub(), pick(g.gen, []string{") IS TRUE", ") IS NOT FALSE"})) }},
		alt{3 * max(depth, 0), func() *Node { return seq("not", "NOT (", sub(), ")") }},
		alt{8 * max(depth, 0), func() *Node {
			return seq("and", "(", sub(), pick(g.gen, []string{" AND ", " AND ", " OR "}), sub(), ")")
		}},
		alt{3 * max(depth, 0), func() *Node { return g.mysqlIn(e, t, depth-1) }},
		alt{3 * max(depth, 0), func() *Node { return g.mysqlExists(e, depth-1) }},
	)
	return n.of("condition", "TRUE")
}

func (g *mysqlGen) mysqlIn(e *env, t *Type, depth int) *Node {
	if e.plain || !g.on("subquery") {
		return nil
	}
	table, a := pick(g.gen, g.app.Tables), g.name("s")
	in := *e
	in.addTable(table, a)
	own := *e
	own.rows, own.own = nil, nil
	own.addTable(table, a)
	own.plain, in.plain = true, true
	return seq("in query", g.mysqlExpr(e, t, 0), pick(g.gen, []string{" IN (", " NOT IN ("}), "SELECT ", g.mysqlExpr(&own, t, 0), " FROM "+table.Name+" "+a, opt(seq("", " WHERE ", g.mysqlCond(&in, depth))), ")")
}

func (g *mysqlGen) mysqlExists(e *env, depth int) *Node {
	if e.plain || !g.on("subquery") {
		return nil
	}
	table, a := pick(g.gen, g.app.Tables), g.name("s")
	in := *e
	in.addTable(table, a)
	in.plain = true
	return seq("exists", pick(g.gen, []string{"EXISTS (", "NOT EXISTS ("}), "SELECT 1 FROM "+table.Name+" "+a+" WHERE ", g.mysqlCond(&in, depth), ")")
}

// mysqlNames writes a list of names.
func mysqlNames(list []string) string { return strings.Join(list, ", ") }
