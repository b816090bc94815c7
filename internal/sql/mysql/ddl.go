package mysql

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/ir"
)

// table is a table while DDL is read.
type table struct {
	name    string
	pos     ir.Pos
	columns []*column
	primary []string
	uniques []uniqueKey
	checked []check
	// indexed are the columns of other indexes; anyIndexed says that one is over
	// expressions or parts of columns.
	indexed    []string
	anyIndexed bool
	foreign    []foreignKey
	// bad says why statements about the table are not modelled, and badWrite why
	// writes are not.
	bad, badWrite string
	coll          string
	ir            *ir.Table
	rows          []*statement
	// children are foreign keys that refer to the table.
	children []*foreignKey
}

type column struct {
	name        string
	t           typ
	format      *format // nil where every value of the kind fits
	collate     string
	notNull     bool
	auto        bool // AUTO_INCREMENT
	def         []token
	now         bool // DEFAULT CURRENT_TIMESTAMP
	touch       bool // ON UPDATE CURRENT_TIMESTAMP
	index       int  // in the IR
	key         int  // of the hidden column that it is compared by, or -1
	writtenNull bool
}

type uniqueKey struct {
	name string
	cols []string
	pos  ir.Pos
}

type foreignKey struct {
	name      string
	pos       ir.Pos
	child     *table
	cols      []string
	ref       string
	refCols   []string
	cascading bool // ON DELETE does something to the children
	unclear   bool // it is not in the IR: what is written against it is not modelled
}

func (t *table) column(name string) *column {
	for _, c := range t.columns {
		if strings.EqualFold(c.name, name) {
			return c
		}
	}
	return nil
}

// cursor reads the tokens of a statement.
type cursor struct {
	st *statement
	i  int
}

func (c *cursor) peek() token {
	if c.i < len(c.st.tokens) {
		return c.st.tokens[c.i]
	}
	end := c.st.tokens[len(c.st.tokens)-1].to
	return token{kind: punct, from: end, to: end}
}

func (c *cursor) next() token {
	t := c.peek()
	c.i++
	return t
}

func (c *cursor) done() bool       { return c.i >= len(c.st.tokens) }
func (c *cursor) pos() ir.Pos      { return c.st.src.pos(c.peek().from) }
func (c *cursor) fail(what string) { panic(ir.Errorf(c.pos(), "%s", what)) }

// accept reads the words if they come next.
func (c *cursor) accept(words ...string) bool {
	for i, w := range words {
		if c.i+i >= len(c.st.tokens) || !c.st.tokens[c.i+i].is(w) {
			return false
		}
	}
	c.i += len(words)
	return true
}

func (c *cursor) expect(w string) {
	if !c.accept(w) {
		c.fail("here should be " + w + ", not " + c.shown())
	}
}

func (c *cursor) shown() string {
	if c.done() {
		return "the end of the statement"
	}
	t := c.peek()
	return c.st.src.text[t.from:t.to]
}

func (c *cursor) name(what string) string {
	t := c.peek()
	if !t.isName() {
		c.fail("here should be the name of " + what + ", not " + c.shown())
	}
	c.i++
	return t.text
}

// tableName reads a name that may have a database before it.
func (c *cursor) tableName() string {
	n := c.name("a table")
	for c.accept(".") {
		n = c.name("a table")
	}
	return n
}

// parens reads what stands between parentheses, if they come next.
func (c *cursor) parens() []token {
	if !c.accept("(") {
		return nil
	}
	from, depth := c.i, 1
	for ; !c.done(); c.i++ {
		switch t := c.peek(); {
		case t.is("("):
			depth++
		case t.is(")"):
			if depth--; depth == 0 {
				c.i++
				return c.st.tokens[from : c.i-1]
			}
		}
	}
	c.fail("a parenthesis is not closed")
	return nil
}

// columns reads a list of column names; ok is false where it has prefixes of
// columns or expressions.
func (c *cursor) columns() (names []string, ok bool) {
	if !c.peek().is("(") {
		c.fail("here should be a list of columns, not " + c.shown())
	}
	ok = true
	start := true
	for _, t := range c.parens() {
		switch {
		case t.is(","):
			start = true
		case t.is("ASC", "DESC") && !start:
		case t.isName() && start:
			names, start = append(names, t.text), false
		default:
			ok = false
		}
	}
	return names, ok && len(names) > 0
}

// createTable reads CREATE TABLE; the cursor is behind TABLE.
func (l *loader) createTable(c *cursor, temporary bool) {
	maybe := c.accept("IF", "NOT", "EXISTS")
	t := &table{pos: c.pos()}
	t.name = c.tableName()
	if old := l.table(t.name); old != nil {
		if maybe {
			return
		}
		panic(ir.Errorf(t.pos, "table %s is declared at %s already", t.name, old.pos))
	}
	if !c.accept("(") || c.peek().is("LIKE") {
		c.fail("a table made from another one is not read; write its columns in parentheses")
	}
	if temporary {
		t.bad = "the table " + t.name + ", which is temporary"
	}
	for {
		l.tableItem(t, c)
		if c.accept(")") {
			break
		}
		c.expect(",")
	}
	l.tableOptions(t, c)
	l.tables = append(l.tables, t)
}

func (l *loader) tableOptions(t *table, c *cursor) {
	for !c.done() {
		switch {
		case c.accept("ENGINE"):
			c.accept("=")
			if e := c.next(); !strings.EqualFold(e.text, "InnoDB") {
				t.bad = "the table " + t.name + ", whose engine " + e.text + " has no snapshots"
			}
		case c.accept("COLLATE"):
			c.accept("=")
			t.coll = c.next().text
		case c.accept("CHARSET"), c.accept("CHARACTER", "SET"):
			c.accept("=")
			if strings.EqualFold(c.next().text, binary) {
				t.coll = binary
			}
		case c.accept("SELECT"), c.accept("AS"):
			c.fail("rows from a query are not read here; write them as INSERT … VALUES")
		case c.peek().is("("):
			c.parens()
		default:
			c.i++
		}
	}
}

// tableItem reads a column or a constraint.
func (l *loader) tableItem(t *table, c *cursor) {
	pos := c.pos()
	name := ""
	if c.accept("CONSTRAINT") {
		if !c.peek().is("PRIMARY", "UNIQUE", "FOREIGN", "CHECK") {
			name = c.name("a constraint")
		}
	}
	switch {
	case c.accept("PRIMARY", "KEY"):
		c.indexType()
		cols, ok := c.columns()
		if !ok {
			t.bad = "the table " + t.name + ", whose key is over parts of columns"
		}
		t.primary = cols
		c.indexOptions()
	case c.accept("UNIQUE"):
		_ = c.accept("KEY") || c.accept("INDEX")
		name = c.indexName(name)
		t.unique(name, pos, c)
	case c.accept("FOREIGN", "KEY"):
		name = c.indexName(name)
		cols, ok := c.columns()
		if !ok {
			c.fail("a foreign key needs a list of columns")
		}
		l.references(t, c, name, pos, cols)
	case c.accept("CHECK"):
		t.check(c, name, "")
	case name == "" && (c.accept("FULLTEXT") || c.accept("SPATIAL") || c.peek().is("KEY", "INDEX")):
		_ = c.accept("KEY") || c.accept("INDEX")
		c.indexName("")
		t.index(c)
	case name != "":
		c.fail("this constraint is not known")
	default:
		l.column(t, c)
	}
}

// index notes an index that is no key; its columns come next.
func (t *table) index(c *cursor) {
	cols, ok := c.columns()
	t.indexed = append(t.indexed, cols...)
	t.anyIndexed = t.anyIndexed || !ok
	c.indexOptions()
}

func (t *table) unique(name string, pos ir.Pos, c *cursor) {
	cols, ok := c.columns()
	if !ok {
		t.badWrite = "the unique key " + name + " of " + t.name + ", which is over expressions or parts of columns"
	} else {
		t.uniques = append(t.uniques, uniqueKey{name, cols, pos})
	}
	c.indexOptions()
}

// check reads the condition of a CHECK; of is the column behind which it stands.
func (t *table) check(c *cursor, name, of string) {
	k := check{name: name, pos: c.pos(), st: c.st, cond: c.parens(), of: of}
	if c.accept("NOT", "ENFORCED") {
		return
	}
	_ = c.accept("ENFORCED")
	t.checked = append(t.checked, k)
}

func (c *cursor) indexType() {
	if c.accept("USING") {
		c.i++
	}
}

func (c *cursor) indexName(name string) string {
	if c.peek().isName() && !c.peek().is("USING") {
		name = c.next().text
	}
	c.indexType()
	return name
}

// indexOptions passes over what follows the columns of a key.
func (c *cursor) indexOptions() {
	for !c.done() && !c.peek().is(",", ")") {
		c.i++
	}
}

// references reads REFERENCES of a foreign key.
func (l *loader) references(t *table, c *cursor, name string, pos ir.Pos, cols []string) {
	c.expect("REFERENCES")
	f := foreignKey{name: name, pos: pos, child: t, cols: cols, ref: c.tableName()}
	if c.peek().is("(") {
		f.refCols, f.unclear = c.columns()
		f.unclear = !f.unclear
	} else {
		f.unclear = true
	}
	for {
		switch {
		case c.accept("MATCH"):
			c.i++
		case c.accept("ON", "DELETE"), c.accept("ON", "UPDATE"):
			onDelete := c.st.tokens[c.i-1].is("DELETE")
			if !(c.accept("NO", "ACTION") || c.accept("RESTRICT")) {
				if !(c.accept("CASCADE") || c.accept("SET", "NULL") || c.accept("SET", "DEFAULT")) {
					c.fail("this action of a foreign key is not known")
				}
				f.cascading = f.cascading || onDelete
			}
		default:
			t.foreign = append(t.foreign, f)
			return
		}
	}
}

// finish makes the IR of a table but for its foreign keys.
func (l *loader) finish(t *table) {
	out := &ir.Table{Pos: t.pos, Name: t.name}
	t.ir = out
	inKey := func(name string) bool {
		if slices.ContainsFunc(t.primary, func(p string) bool { return strings.EqualFold(p, name) }) {
			return true
		}
		for _, u := range t.uniques {
			if slices.ContainsFunc(u.cols, func(p string) bool { return strings.EqualFold(p, name) }) {
				return true
			}
		}
		return false
	}
	rowid := len(t.primary) == 0
	for _, p := range t.primary {
		c := t.column(p)
		if c == nil {
			panic(ir.Errorf(t.pos, "the primary key of %s names %s, which is no column of it", t.name, p))
		}
		c.notNull = true
		if c.t.kind == str {
			if c.collate == "" {
				c.collate = t.coll
			}
			rowid = rowid || collation(c.collate) != binary
		}
		if c.t.kind == other {
			t.bad = "the table " + t.name + ", whose key has the type " + c.t.name
		}
	}
	if rowid {
		out.Rowid, out.Key = true, []int{0}
		out.Columns = append(out.Columns, ir.Column{Name: "rowid", Type: ir.IntType, NotNull: true})
		if t.column("rowid") != nil {
			panic(ir.Errorf(t.pos, "%s has a column rowid, which is the name of its hidden key here; give it a primary key of numbers", t.name))
		}
	}
	for _, c := range t.columns {
		if c.t.kind == str {
			if c.collate == "" {
				c.collate = t.coll
			}
			c.t.coll = collation(c.collate)
		}
		if c.t.kind == other && inKey(c.name) && t.bad == "" {
			t.bad = "the table " + t.name + ", which has a key of the type " + c.t.name
		}
		c.index = len(out.Columns)
		out.Columns = append(out.Columns, ir.Column{Name: c.name, Type: c.t.ir(), NotNull: c.notNull})
	}
	for _, c := range t.columns {
		if c.t.kind != str || c.t.coll == binary {
			continue
		}
		name := c.name + " collated"
		base := &ir.Col{Row: t.name, Col: c.name}
		c.key = len(out.Columns)
		out.Columns = append(out.Columns, ir.Column{Name: name, Type: ir.TextType, NotNull: c.notNull, Hidden: true,
			Generated: strict(base, c.notNull, collated(base, c.t.coll))})
	}
	if len(t.primary) > 0 {
		cols := t.keyColumns(t.primary, t.pos)
		if rowid {
			out.Uniques = append(out.Uniques, ir.Unique{Pos: t.pos, Name: "PRIMARY", Columns: cols})
		} else {
			out.Key = cols
		}
	}
	for i, u := range t.uniques {
		if u.name == "" {
			u.name = u.cols[0]
		}
		cols := t.keyColumns(u.cols, u.pos)
		if slices.ContainsFunc(t.uniques[:i], func(v uniqueKey) bool { return slices.Equal(v.cols, u.cols) }) || ir.SameColumns(cols, out.Key) {
			continue
		}
		out.Uniques = append(out.Uniques, ir.Unique{Pos: u.pos, Name: u.name, Columns: cols})
	}
	for i := range out.Columns {
		name := out.Columns[i].Name
		out.Columns[i].Indexed = t.anyIndexed || slices.ContainsFunc(t.indexed, func(c string) bool { return strings.EqualFold(c, name) })
	}
	l.prog.Tables = append(l.prog.Tables, out)
	l.checks(t)
}

// keyColumns gives the columns of the IR that a key is over.
func (t *table) keyColumns(names []string, pos ir.Pos) []int {
	var out []int
	for _, n := range names {
		c := t.column(n)
		if c == nil {
			panic(ir.Errorf(pos, "%s has no column %s", t.name, n))
		}
		i := c.index
		if c.key >= 0 {
			i = c.key
		}
		if slices.Contains(out, i) {
			panic(ir.Errorf(pos, "column %s is named twice", n))
		}
		out = append(out, i)
	}
	return out
}

// link makes the foreign keys, when all tables are there.
func (l *loader) link(t *table) {
	for i := range t.foreign {
		f := &t.foreign[i]
		ref := l.table(f.ref)
		if ref == nil {
			panic(ir.Errorf(f.pos, "there is no table %s, to which a foreign key of %s refers", f.ref, t.name))
		}
		ref.children = append(ref.children, f)
		cols := t.keyColumns(f.cols, f.pos)
		if f.unclear || len(f.refCols) != len(cols) {
			f.unclear = true
			continue
		}
		to := ref.keyColumns(f.refCols, f.pos)
		f.unclear = !ir.SameColumns(to, ref.ir.Key) && !slices.ContainsFunc(ref.ir.Uniques, func(u ir.Unique) bool { return ir.SameColumns(u.Columns, to) })
		for k, n := range f.cols {
			f.unclear = f.unclear || t.column(n).t != ref.column(f.refCols[k]).t
		}
		if !f.unclear {
			t.ir.ForeignKeys = append(t.ir.ForeignKeys, ir.ForeignKey{Pos: f.pos, Name: f.name, Columns: cols, Ref: ref.ir, RefColumns: to})
		}
	}
}
