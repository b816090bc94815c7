package sqlgen

import (
	"fmt"
	"math/rand/v2"
	"strconv"
)

// Options direct the generator. The zero value makes applications over integers,
// texts and truth values that call no built-in functions.
type Options struct {
	// Dialect is that of the SQL.
	Dialect Dialect
	// Types are the groups of types besides Basic.
	Types Group
	// Functions says that expressions call functions and operators of Catalog.
	Functions bool
	// Catalog has them.
	Catalog *Catalog
	// Txns is how many transactions an application has, 8 if it is 0.
	Txns int
	// Statements bounds how many statements a block has, 5 if it is 0, and Depth how
	// deep they are nested, 3 if it is 0.
	Statements, Depth int
	// Tables bounds how many tables there are, 4 if it is 0.
	Tables int
	// Idioms is the weight of idioms among the statements of PL/pgSQL, which is 84 for
	// all others together, 16 if it is 0.
	Idioms int
	// Without has productions that are not generated.
	Without map[string]bool
	// Kinds are the kinds of transactions; nil is Functions.
	Kinds []Kind
	// Deterministic leaves out what gives another result at each call, and results
	// whose order or choice the server is free in.
	Deterministic bool
}

// Dialect is a dialect of SQL.
type Dialect uint8

const (
	// PostgreSQL is the dialect of PostgreSQL, MySQL that of MySQL and MariaDB, in which
	// all transactions are scripts, with parameters :p1, :p2, ….
	PostgreSQL Dialect = iota
	MySQL
)

// Kind is a way to write a transaction.
type Kind uint8

const (
	// PLpgSQL is a function in PL/pgSQL, SQLFunction one in SQL, Procedure a
	// procedure in PL/pgSQL.
	PLpgSQL Kind = iota
	SQLFunction
	Procedure
	// Script is BEGIN … COMMIT with parameters $1, $2, ….
	Script
)

// App is an application: a schema, transactions, and rows to begin with.
type App struct {
	Seed    uint64
	Dialect Dialect
	// Decls are the statements that declare everything but Txns, in order.
	Decls  *Node
	Tables []*Table
	Txns   []*Txn
}

// Table is a table of an application.
type Table struct {
	Name    string
	Columns []*Column
	// Key has the columns of the primary key, nil if there is none.
	Key []*Column
	// Uniques are the other keys on columns alone.
	Uniques [][]*Column
	// View says that it is a view, Lockable that its rows are those of one table.
	View, Lockable bool
	node           *Node
}

// Column is a column of a table.
type Column struct {
	Name    string
	Type    *Type
	NotNull bool
	// Auto columns get values of a sequence, Generated ones of an expression.
	// Always says that nothing else may be given.
	Auto, Always, Generated bool
	// Ref is the column that a foreign key refers to, nil if there is none.
	Ref *Column
}

// Txn is a transaction.
type Txn struct {
	Name    string
	Dialect Dialect
	Kind    Kind
	Params  []Param
	// Void says that it returns nothing; Set that it returns any number of rows.
	Void, Set bool
	// Result is the type of its only value, nil if it gives none or several.
	Result *Type
	// Node is its declaration, or for a script a list of statements.
	Node *Node
	// ParamNode is the list of parameters in it, nil for a script.
	ParamNode *Node
}

// Param is a parameter.
type Param struct {
	Name string
	Type *Type
}

// gen is the state of the generator.
type gen struct {
	rng    *rand.Rand
	opt    Options
	app    *App
	types  []*Type
	serial int
	checks bool // checked(int) is declared
}

// name makes a name that is new.
func (g *gen) name(base string) string {
	g.serial++
	return base + strconv.Itoa(g.serial)
}

// on reports whether a production is allowed.
func (g *gen) on(prod string) bool { return !g.opt.Without[prod] }

func (g *gen) decl(n *Node) {
	g.app.Decls.Kids = append(g.app.Decls.Kids, seq("", n, ";\n"))
}

// Rows makes the rows of a state, as a list of INSERT statements, of which some
// may fail.
func (a *App) Rows(rng *rand.Rand) *Node {
	g := &gen{rng: rng, app: a}
	rows := list("", 0)
	overriding := "OVERRIDING SYSTEM VALUE "
	if a.Dialect == MySQL {
		overriding = ""
	}
	for _, t := range a.Tables {
		if t.View {
			continue
		}
		for n := g.rng.IntN(5); n > 0; n-- {
			cols, vals := list(", ", 0), list(", ", 0)
			for _, c := range t.Columns {
				if c.Generated || !c.NotNull && g.chance(5) && !c.Auto {
					continue
				}
				v := g.value(c)
				if c.Type.Sums && (c.Auto || isKey(t, c)) {
					v = strconv.Itoa(g.rng.IntN(4))
				}
				cols.Kids, vals.Kids = append(cols.Kids, text(c.Name)), append(vals.Kids, text(v))
			}
			if len(cols.Kids) == 0 {
				continue
			}
			rows.Kids = append(rows.Kids, text(fmt.Sprintf("INSERT INTO %s (%s) %sVALUES (%s);\n", t.Name, cols, overriding, vals)))
		}
	}
	return rows
}

func isKey(t *Table, c *Column) bool {
	for _, k := range t.Key {
		if k == c {
			return true
		}
	}
	return false
}

// value draws a value of a column, as a literal.
func (g *gen) value(c *Column) string {
	if !c.NotNull && g.chance(20) {
		return "NULL"
	}
	if c.Ref != nil && c.Type.Sums {
		return strconv.Itoa(g.rng.IntN(4))
	}
	return c.Type.Literal(pick(g, c.Type.Values))
}

// Args draws arguments of a transaction: contents of literals, nil for NULL.
func (t *Txn) Args(rng *rand.Rand) []*string {
	g := &gen{rng: rng}
	var out []*string
	for _, p := range t.Params {
		if g.chance(8) && !p.Type.NotNull { // a function that does not use it takes it all the same
			out = append(out, nil)
			continue
		}
		v := pick(g, p.Type.Values)
		out = append(out, &v)
	}
	return out
}
