package mysql

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/sql/value"
	"github.com/txrobust/robust/ir"
)

// item writes the items of CREATE TABLE, or of ADD in ALTER TABLE.
type item struct {
	s     *Schema
	table string
	// in says that it stands in CREATE TABLE, begun that another item was written
	// there.
	in, begun bool
	columns   []string
	types     []*value.Type
	checks    int
	// after and first say where a new column stands.
	after string
	first bool
	// later is what follows the statement.
	later []placed
}

// put writes an item.
func (t *item) put(at token, what string) {
	switch {
	case !t.in:
		t.s.put(at, "ALTER TABLE %s ADD %s;", identifier(t.table), what)
	case t.begun:
		t.s.put(at, ", %s", what)
	default:
		t.begun = true
		t.s.put(at, "%s", what)
	}
}

// read writes a column or a constraint. It reports whether that is known.
func (t *item) read(c *cursor) bool {
	at := c.peek()
	name := ""
	constraint := c.accept("CONSTRAINT")
	if constraint && !c.peek().is("PRIMARY", "UNIQUE", "FOREIGN", "CHECK") {
		name = c.name("a constraint")
	}
	c.accept("IF", "NOT", "EXISTS")
	switch {
	case c.accept("PRIMARY", "KEY"):
		c.indexName("")
		cols, ok := c.columns()
		c.indexOptions()
		if ok {
			t.put(at, "PRIMARY KEY ("+identifiers(cols)+")")
		}
		return ok
	case c.accept("UNIQUE"):
		_ = c.accept("KEY") || c.accept("INDEX")
		t.unique(at, c.indexName(name), c)
		return true
	case c.accept("FOREIGN", "KEY"):
		return t.foreign(at, c.indexName(name), c)
	case c.accept("CHECK"):
		if check := t.s.check(c); check != "" {
			t.checks++
			if name == "" {
				name = ownChecks + strconv.Itoa(t.checks)
			}
			t.put(at, "CONSTRAINT "+constraintName(name)+" "+check)
		}
		return true
	case constraint:
		return false
	case c.accept("FULLTEXT"), c.accept("SPATIAL"), c.peek().is("KEY", "INDEX"):
		_ = c.accept("KEY") || c.accept("INDEX")
		c.indexName("")
		t.index(at, c)
		c.indexOptions()
		return true
	}
	return t.column(c)
}

// ownChecks is what MariaDB begins the names of checks with that have none of their own.
const ownChecks = "CONSTRAINT_"

// constraintName is the name of a constraint, whose case does not matter.
func constraintName(name string) string {
	if len(name) > len(ownChecks) && strings.EqualFold(name[:len(ownChecks)], ownChecks) {
		return `"` + strings.ReplaceAll(strings.ToUpper(name), `"`, `""`) + `"`
	}
	return identifier(name)
}

func identifiers(names []string) string {
	var out []string
	for _, n := range names {
		out = append(out, identifier(n))
	}
	return strings.Join(out, ", ")
}

// unique writes a unique key, whose columns come next.
func (t *item) unique(at token, name string, c *cursor) {
	start := c.i
	cols, ok := c.columns()
	if name == "" && len(cols) > 0 {
		name = cols[0]
	}
	name = strings.ToLower(name)
	if ok {
		t.s.uniques[t.table][name] = false
		t.put(at, "CONSTRAINT "+identifier(name)+" UNIQUE ("+identifiers(cols)+")")
	} else {
		c.i = start
		s := *t.s
		s.out = nil
		s.uniqueIndex(at, t.table, name, c)
		t.later = append(t.later, placed{at.from, ";"})
		t.later = append(t.later, s.out...)
	}
	c.indexOptions()
}

// index writes an index that is no key after the table; the columns come next.
func (t *item) index(at token, c *cursor) {
	s := *t.s
	s.out = nil
	s.put(at, "CREATE INDEX ON %s (%s)", identifier(t.table), strings.Join(s.keyParts(c), ", "))
	t.later = append(t.later, placed{at.from, ";"})
	t.later = append(append(t.later, s.out...), placed{at.from, ";"})
}

// uniqueIndex writes CREATE UNIQUE INDEX; the columns come next.
func (s *Schema) uniqueIndex(at token, table, name string, c *cursor) {
	parts := s.keyParts(c)
	name = strings.ToLower(name)
	if s.uniques[table] == nil {
		s.own(table)
	}
	s.uniques[table][name] = true
	s.put(at, "CREATE UNIQUE INDEX %s ON %s (%s)", identifier(table+"."+name), identifier(table), strings.Join(parts, ", "))
}

// keyParts gives the columns and expressions of an index, which come next.
func (s *Schema) keyParts(c *cursor) []string {
	if !c.peek().is("(") {
		c.fail("here should be a list of columns, not " + c.shown())
	}
	var parts []string
	for _, part := range commaParts(c.parens()) {
		if n := len(part); n > 1 && part[n-1].is("ASC", "DESC") {
			part = part[:n-1]
		}
		switch {
		case len(part) == 1 && part[0].isName():
			parts = append(parts, identifier(part[0].text))
		case len(part) == 4 && part[0].isName() && part[1].is("(") && part[2].kind == number: // the first characters
			parts = append(parts, "(left("+identifier(part[0].text)+", "+part[2].text+"))")
		case len(part) > 2 && part[0].is("("):
			parts = append(parts, rewritten(s.src.text, part))
		default:
			c.fail("this part of a key is not known")
		}
	}
	return parts
}

// foreign writes a foreign key, whose columns come next.
func (t *item) foreign(at token, name string, c *cursor) bool {
	cols, ok := c.columns()
	if !ok {
		return false
	}
	what := "FOREIGN KEY (" + identifiers(cols) + ") "
	if name == "" {
		t.s.references[t.table]++
		name = t.table + "_ibfk_" + strconv.Itoa(t.s.references[t.table])
	}
	what = "CONSTRAINT " + identifier(name) + " " + what
	ref, ok := t.references(c)
	t.put(at, what+ref)
	return ok
}

// references writes REFERENCES.
func (t *item) references(c *cursor) (string, bool) {
	c.expect("REFERENCES")
	out := "REFERENCES " + identifier(c.tableName())
	if c.peek().is("(") {
		cols, ok := c.columns()
		if !ok {
			return out, false
		}
		out += " (" + identifiers(cols) + ")"
	}
	for {
		switch {
		case c.accept("MATCH"):
			c.i++
		case c.accept("ON", "DELETE"), c.accept("ON", "UPDATE"):
			event := strings.ToUpper(c.st.tokens[c.i-1].text)
			switch {
			case c.accept("CASCADE"):
				out += " ON " + event + " CASCADE"
			case c.accept("SET", "NULL"):
				out += " ON " + event + " SET NULL"
			case c.accept("NO", "ACTION"), c.accept("RESTRICT"), c.accept("SET", "DEFAULT"): // InnoDB refuses the last one
			default:
				return out, false
			}
		default:
			return out, true
		}
	}
}

// declared is what a column is declared as.
type declared struct {
	name, typ string
	// format is the type, nil for one that is not of MySQL alone, collate the collation that is written.
	format  *value.Type
	collate string
	// options are what stands behind the type, def the default.
	options          []string
	def              string
	notNull, auto    bool
	generated, touch bool
	// null says that NULL is written behind it.
	null bool
	// check is the name of the CHECK that comes next.
	check string
}

// readColumn reads the declaration of a column. ok is false where something is not
// known.
func (t *item) readColumn(c *cursor) (d declared, ok bool) {
	d.name = strings.ToLower(c.name("a column"))
	typ := strings.ToUpper(c.name("a type"))
	for !c.before("CHARACTER", "SET") && (c.accept("PRECISION") || c.accept("VARYING") || c.accept("VARCHAR") || c.accept("CHARACTER")) {
	}
	size := c.parens()
	unsigned := typ == "SERIAL"
	for _, n := range c.st.tokens[min(c.i, len(c.st.tokens)):] {
		if n.is(",", ")") {
			break
		}
		unsigned = unsigned || n.is("UNSIGNED", "ZEROFILL")
	}
	if d.typ, d.format, ok = t.s.columnType(typ, size, unsigned); !ok {
		return d, false
	}
	if typ == "SERIAL" {
		d.auto, d.notNull, d.options = true, true, []string{"UNIQUE"}
	}
	for !c.done() && !c.peek().is(",", ")") {
		if !t.option(c, &d) {
			return d, false
		}
	}
	if d.format != nil && d.collate != "" && d.format.Format.Kind == ir.KindText && d.format.Collation == "" {
		d.format.Collation = Collation(d.collate)
	}
	if typ == "TIMESTAMP" && !d.null && d.def == "" && !d.touch {
		t.s.Notes = append(t.s.Notes, ir.Note{Pos: c.st.pos(), Text: fmt.Sprintf("%s.%s: MySQL before 8.0 and MariaDB before 10.10 may set it to the time by themselves, which is left out; write its DEFAULT", t.table, d.name)})
	}
	if d.format != nil && unsigned {
		d.options = append(d.options, "CONSTRAINT "+identifier(t.table+"."+d.name+" unsigned")+" CHECK ("+identifier(d.name)+" >= 0)")
	}
	return d, true
}

// option reads one of the clauses behind the type of a column.
func (t *item) option(c *cursor, d *declared) bool {
	switch {
	case c.accept("NOT", "NULL"):
		d.notNull = true
	case c.accept("NULL"):
		d.null = true
	case c.accept("DEFAULT"):
		def, ok := t.s.defaultOf(c)
		if d.def = def; !ok {
			return false
		}
	case c.accept("ON", "UPDATE"):
		c.i++
		c.parens()
		d.touch = true
	case c.accept("AUTO_INCREMENT"), c.accept("AUTO_RANDOM"):
		c.parens()
		d.auto = true
	case c.accept("PRIMARY", "KEY"), c.accept("KEY"):
		d.options = append(d.options, "PRIMARY KEY")
		_ = c.accept("CLUSTERED") || c.accept("NONCLUSTERED")
	case c.accept("UNIQUE"):
		c.accept("KEY")
		d.options = append(d.options, "CONSTRAINT "+identifier(d.name)+" UNIQUE")
		t.s.uniques[t.table][d.name] = false
	case c.accept("COMMENT"), c.accept("COLUMN_FORMAT"), c.accept("STORAGE"), c.accept("SRID"):
		c.accept("=")
		c.i++
	case c.accept("COLLATE"):
		c.accept("=")
		d.collate = c.next().text
	case c.accept("CHARACTER", "SET"), c.accept("CHARSET"):
		c.accept("=")
		if strings.EqualFold(c.next().text, value.Binary) {
			d.collate = value.Binary
		}
	case c.accept("BINARY"):
		d.collate = "bin"
	case c.accept("UNSIGNED"), c.accept("SIGNED"), c.accept("ZEROFILL"), c.accept("VISIBLE"), c.accept("ASCII"), c.accept("UNICODE"):
	case c.accept("GENERATED", "ALWAYS"), c.peek().is("AS"):
		c.expect("AS")
		if !c.peek().is("(") {
			return false
		}
		d.options = append(d.options, "GENERATED ALWAYS AS ("+rewritten(t.s.src.text, c.parens())+") STORED")
		d.generated = true
		_ = c.accept("VIRTUAL") || c.accept("STORED") || c.accept("PERSISTENT")
	case c.accept("CONSTRAINT"):
		if !c.peek().is("CHECK") {
			d.check = c.next().text
		}
	case c.accept("CHECK"):
		if check := t.s.check(c); check != "" {
			if d.check == "" {
				d.check = t.table + "." + d.name
			}
			d.options = append(d.options, "CONSTRAINT "+identifier(d.check)+" "+check)
			d.check = ""
		}
	case c.peek().is("REFERENCES"):
		t.s.Notes = append(t.s.Notes, ir.Note{Pos: c.pos(), Text: "MySQL ignores REFERENCES in a column, MariaDB has enforced it since 10.5: it is taken to hold"})
		ref, ok := t.references(c)
		d.options = append(d.options, ref)
		return ok
	case c.accept("FIRST"):
		t.first = true
	case c.accept("AFTER"):
		t.after = strings.ToLower(c.name("a column"))
	default:
		return false
	}
	return true
}

// check writes a CHECK, whose condition comes next, "" for one that is not enforced.
func (s *Schema) check(c *cursor) string {
	cond := c.parens()
	if c.accept("NOT", "ENFORCED") || len(cond) == 0 {
		return ""
	}
	_ = c.accept("ENFORCED")
	return "CHECK (" + rewritten(s.src.text, cond) + ")"
}

// defaultOf writes the expression of DEFAULT.
func (s *Schema) defaultOf(c *cursor) (string, bool) {
	from := c.i
	switch {
	case c.peek().is("("):
		c.parens()
	case c.accept("CURRENT_TIMESTAMP"), c.accept("NOW"), c.accept("LOCALTIMESTAMP"), c.accept("LOCALTIME"):
		c.parens()
		return "now()", true
	case c.accept("CURRENT_DATE"), c.accept("CURDATE"):
		c.parens()
		return "current_date", true
	default:
		_ = c.accept("-") || c.accept("+")
		if t := c.next(); t.is("b", "B") && c.peek().kind == text { // bits
			v, _ := unquote(s.src.text[c.peek().from:c.peek().to])
			c.i++
			return map[bool]string{true: "1", false: "0"}[strings.Contains(v, "1")], len(strings.TrimLeft(v, "0")) < 2
		}
		if c.peek().is("(") {
			c.parens()
		}
	}
	return rewritten(s.src.text, c.st.tokens[from:min(c.i, len(c.st.tokens))]), true
}

// column writes a column.
func (t *item) column(c *cursor) bool {
	at := c.peek()
	d, ok := t.readColumn(c)
	if !ok {
		return false
	}
	what := identifier(d.name) + " " + d.typ
	if d.auto {
		what += " GENERATED BY DEFAULT AS IDENTITY"
	}
	if d.notNull {
		what += " NOT NULL"
	}
	if d.def != "" && !d.auto {
		what += " DEFAULT " + d.def
	}
	if len(d.options) > 0 {
		what += " " + strings.Join(d.options, " ")
	}
	if !t.in {
		what = "COLUMN " + what
	}
	t.put(at, what)
	t.columns = append(t.columns, d.name)
	t.types = append(t.types, d.format)
	t.s.touch(t.table, d)
	return true
}

// touch notes whether an UPDATE sets a column by itself.
func (s *Schema) touch(table string, d declared) {
	s.Touched[table] = without(s.Touched[table], d.name)
	if d.touch {
		s.Touched[table] = append(s.Touched[table], d.name)
	}
}

// modify writes MODIFY: all of the column is declared again, but for its keys.
func (s *Schema) modify(c *cursor, at token, table string) bool {
	t := &item{s: s, table: table}
	d, ok := t.readColumn(c)
	if !ok || d.generated {
		return false
	}
	collate([]*value.Type{d.format}, s.collations[table])
	q := "ALTER TABLE " + identifier(table) + " ALTER COLUMN " + identifier(d.name)
	s.put(at, "%s DROP DEFAULT; %s DROP IDENTITY IF EXISTS; %s TYPE %s;", q, q, q, d.typ)
	switch {
	case d.notNull:
		s.put(at, "%s SET NOT NULL;", q)
	case !slices.Contains(d.options, "PRIMARY KEY") && !d.auto:
		s.put(at, "%s DROP NOT NULL;", q)
	}
	if d.auto {
		s.put(at, "%s ADD GENERATED BY DEFAULT AS IDENTITY;", q)
	} else if d.def != "" {
		s.put(at, "%s SET DEFAULT %s;", q, d.def)
	}
	for _, o := range d.options {
		switch {
		case o == "PRIMARY KEY":
			s.put(at, "ALTER TABLE %s ADD PRIMARY KEY (%s);", identifier(table), identifier(d.name))
		case strings.HasSuffix(o, " UNIQUE"):
			s.put(at, "ALTER TABLE %s ADD %s (%s);", identifier(table), o, identifier(d.name))
		case strings.Contains(o, " CHECK ("):
			s.put(at, "ALTER TABLE %s ADD %s;", identifier(table), o)
		default:
			return false
		}
	}
	if t.after != "" || t.first {
		s.place(table, d.name, t.after, t.first)
	}
	s.touch(table, d)
	return true
}
