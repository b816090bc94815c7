package mysql

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/value"
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
	later []Placed
}

// put writes an item.
func (t *item) put(at Token, what string) {
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
func (t *item) read(c *Cursor) bool {
	at := c.Peek()
	name := ""
	constraint := c.Accept("CONSTRAINT")
	if constraint && !c.Peek().Is("PRIMARY", "UNIQUE", "FOREIGN", "CHECK") {
		name = c.Name("a constraint")
	}
	c.Accept("IF", "NOT", "EXISTS")
	switch {
	case c.Accept("PRIMARY", "KEY"):
		c.indexName("")
		cols, ok := c.columns()
		c.indexOptions()
		if ok {
			t.s.keyed(t.table, cols)
			t.put(at, "PRIMARY KEY ("+identifiers(cols)+")")
		}
		return ok
	case c.Accept("UNIQUE"):
		_ = c.Accept("KEY") || c.Accept("INDEX")
		t.unique(at, c.indexName(name), c)
		return true
	case c.Accept("FOREIGN", "KEY"):
		return t.foreign(at, c.indexName(name), c)
	case c.Accept("CHECK"):
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
	case c.Accept("FULLTEXT"), c.Accept("SPATIAL"), c.Peek().Is("KEY", "INDEX"):
		_ = c.Accept("KEY") || c.Accept("INDEX")
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
func (t *item) unique(at Token, name string, c *Cursor) {
	start := c.I
	cols, ok := c.columns()
	t.s.inKey(t.table, cols...)
	if name == "" && len(cols) > 0 {
		name = cols[0]
	}
	name = strings.ToLower(name)
	if ok {
		t.s.uniques[t.table][name] = false
		t.put(at, "CONSTRAINT "+identifier(name)+" UNIQUE ("+identifiers(cols)+")")
	} else {
		c.I = start
		s := *t.s
		s.out = nil
		s.uniqueIndex(at, t.table, name, c)
		t.later = append(t.later, Placed{at.From, ";"})
		t.later = append(t.later, s.out...)
	}
	c.indexOptions()
}

// index writes an index that is no key after the table; the columns come next.
func (t *item) index(at Token, c *Cursor) {
	s := *t.s
	s.out = nil
	s.put(at, "CREATE INDEX ON %s (%s)", identifier(t.table), strings.Join(s.keyParts(c), ", "))
	t.later = append(t.later, Placed{at.From, ";"})
	t.later = append(append(t.later, s.out...), Placed{at.From, ";"})
}

// uniqueIndex writes CREATE UNIQUE INDEX; the columns come next.
func (s *Schema) uniqueIndex(at Token, table, name string, c *Cursor) {
	from := c.I
	parts := s.keyParts(c)
	for _, word := range c.St.Tokens[from:c.I] {
		s.inKey(table, word.Text)
	}
	name = strings.ToLower(name)
	if s.uniques[table] == nil {
		s.own(table)
	}
	s.uniques[table][name] = true
	s.put(at, "CREATE UNIQUE INDEX %s ON %s (%s)", identifier(table+"."+name), identifier(table), strings.Join(parts, ", "))
}

// keyParts gives the columns and expressions of an index, which come next.
func (s *Schema) keyParts(c *Cursor) []string {
	if !c.Peek().Is("(") {
		c.Fail("here should be a list of columns, not " + c.Shown())
	}
	var parts []string
	for _, part := range CommaParts(c.Parens()) {
		if n := len(part); n > 1 && part[n-1].Is("ASC", "DESC") {
			part = part[:n-1]
		}
		switch {
		case len(part) == 1 && part[0].IsName():
			parts = append(parts, identifier(part[0].Text))
		case len(part) == 4 && part[0].IsName() && part[1].Is("(") && part[2].Kind == Number: // the first characters
			parts = append(parts, "(left("+identifier(part[0].Text)+", "+part[2].Text+"))")
		case len(part) > 2 && part[0].Is("("):
			parts = append(parts, Rewritten(s.src.Text, part))
		default:
			c.Fail("this part of a key is not known")
		}
	}
	return parts
}

// foreign writes a foreign key, whose columns come next.
func (t *item) foreign(at Token, name string, c *Cursor) bool {
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
func (t *item) references(c *Cursor) (string, bool) {
	c.Expect("REFERENCES")
	out := "REFERENCES " + identifier(c.TableName())
	if c.Peek().Is("(") {
		cols, ok := c.columns()
		if !ok {
			return out, false
		}
		out += " (" + identifiers(cols) + ")"
	}
	for {
		switch {
		case c.Accept("MATCH"):
			c.I++
		case c.Accept("ON", "DELETE"), c.Accept("ON", "UPDATE"):
			event := strings.ToUpper(c.St.Tokens[c.I-1].Text)
			switch {
			case c.Accept("CASCADE"):
				out += " ON " + event + " CASCADE"
			case c.Accept("SET", "NULL"):
				out += " ON " + event + " SET NULL"
			case c.Accept("NO", "ACTION"), c.Accept("RESTRICT"), c.Accept("SET", "DEFAULT"): // InnoDB refuses the last one
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
func (t *item) readColumn(c *Cursor) (d declared, ok bool) {
	d.name = strings.ToLower(c.Name("a column"))
	typ := strings.ToUpper(c.Name("a type"))
	for !c.Before("CHARACTER", "SET") && (c.Accept("PRECISION") || c.Accept("VARYING") || c.Accept("VARCHAR") || c.Accept("CHARACTER")) {
	}
	size := c.Parens()
	unsigned := typ == "SERIAL"
	for _, n := range c.St.Tokens[min(c.I, len(c.St.Tokens)):] {
		if n.Is(",", ")") {
			break
		}
		unsigned = unsigned || n.Is("UNSIGNED", "ZEROFILL")
	}
	if d.typ, d.format, ok = t.s.columnType(typ, size, unsigned); !ok {
		return d, false
	}
	if typ == "SERIAL" {
		d.auto, d.notNull, d.options = true, true, []string{"UNIQUE"}
	}
	for !c.Done() && !c.Peek().Is(",", ")") {
		if !t.option(c, &d) {
			return d, false
		}
	}
	if d.format != nil && d.collate != "" && d.format.Format.Kind == ir.KindText && d.format.Collation == "" {
		d.format.Collation = Collation(d.collate)
	}
	if typ == "TIMESTAMP" && !d.null && d.def == "" && !d.touch {
		t.s.Notes = append(t.s.Notes, ir.Note{Pos: c.St.Pos(), Text: fmt.Sprintf("%s.%s: MySQL before 8.0 and MariaDB before 10.10 may set it to the time by themselves, which is left out; write its DEFAULT", t.table, d.name)})
	}
	if d.format != nil && unsigned {
		d.options = append(d.options, "CONSTRAINT "+identifier(t.table+"."+d.name+" unsigned")+" CHECK ("+identifier(d.name)+" >= 0)")
	}
	return d, true
}

// option reads one of the clauses behind the type of a column.
func (t *item) option(c *Cursor, d *declared) bool {
	switch {
	case c.Accept("NOT", "NULL"):
		d.notNull = true
	case c.Accept("NULL"):
		d.null = true
	case c.Accept("DEFAULT"):
		def, ok := t.s.defaultOf(c)
		if d.def = def; !ok {
			return false
		}
	case c.Accept("ON", "UPDATE"):
		c.I++
		c.Parens()
		d.touch = true
	case c.Accept("AUTO_INCREMENT"), c.Accept("AUTO_RANDOM"):
		c.Parens()
		d.auto = true
	case c.Accept("PRIMARY", "KEY"), c.Accept("KEY"):
		d.options = append(d.options, "PRIMARY KEY")
		t.s.keyed(t.table, []string{d.name})
		_ = c.Accept("CLUSTERED") || c.Accept("NONCLUSTERED")
	case c.Accept("UNIQUE"):
		c.Accept("KEY")
		d.options = append(d.options, "CONSTRAINT "+identifier(d.name)+" UNIQUE")
		t.s.uniques[t.table][d.name] = false
		t.s.inKey(t.table, d.name)
	case c.Accept("COMMENT"), c.Accept("COLUMN_FORMAT"), c.Accept("STORAGE"), c.Accept("SRID"):
		c.Accept("=")
		c.I++
	case c.Accept("COLLATE"):
		c.Accept("=")
		d.collate = c.Next().Text
	case c.Accept("CHARACTER", "SET"), c.Accept("CHARSET"):
		c.Accept("=")
		if strings.EqualFold(c.Next().Text, value.Binary) {
			d.collate = value.Binary
		}
	case c.Accept("BINARY"):
		d.collate = "bin"
	case c.Accept("UNSIGNED"), c.Accept("SIGNED"), c.Accept("ZEROFILL"), c.Accept("VISIBLE"), c.Accept("ASCII"), c.Accept("UNICODE"):
	case c.Accept("GENERATED", "ALWAYS"), c.Peek().Is("AS"):
		c.Expect("AS")
		if !c.Peek().Is("(") {
			return false
		}
		d.options = append(d.options, "GENERATED ALWAYS AS ("+Rewritten(t.s.src.Text, c.Parens())+") STORED")
		d.generated = true
		_ = c.Accept("VIRTUAL") || c.Accept("STORED") || c.Accept("PERSISTENT")
	case c.Accept("CONSTRAINT"):
		if !c.Peek().Is("CHECK") {
			d.check = c.Next().Text
		}
	case c.Accept("CHECK"):
		if check := t.s.check(c); check != "" {
			if d.check == "" {
				d.check = t.table + "." + d.name
			}
			d.options = append(d.options, "CONSTRAINT "+identifier(d.check)+" "+check)
			d.check = ""
		}
	case c.Peek().Is("REFERENCES"):
		t.s.Notes = append(t.s.Notes, ir.Note{Pos: c.pos(), Text: "MySQL ignores REFERENCES in a column, MariaDB has enforced it since 10.5: it is taken to hold"})
		ref, ok := t.references(c)
		d.options = append(d.options, ref)
		return ok
	case c.Accept("FIRST"):
		t.first = true
	case c.Accept("AFTER"):
		t.after = strings.ToLower(c.Name("a column"))
	default:
		return false
	}
	return true
}

// check writes a CHECK, whose condition comes next, "" for one that is not enforced.
func (s *Schema) check(c *Cursor) string {
	cond := c.Parens()
	if c.Accept("NOT", "ENFORCED") || len(cond) == 0 {
		return ""
	}
	_ = c.Accept("ENFORCED")
	return "CHECK (" + Rewritten(s.src.Text, cond) + ")"
}

// defaultOf writes the expression of DEFAULT.
func (s *Schema) defaultOf(c *Cursor) (string, bool) {
	from := c.I
	switch {
	case c.Peek().Is("("):
		c.Parens()
	case c.Accept("CURRENT_TIMESTAMP"), c.Accept("NOW"), c.Accept("LOCALTIMESTAMP"), c.Accept("LOCALTIME"):
		c.Parens()
		return "now()", true
	case c.Accept("CURRENT_DATE"), c.Accept("CURDATE"):
		c.Parens()
		return "current_date", true
	default:
		_ = c.Accept("-") || c.Accept("+")
		if t := c.Next(); t.Is("b", "B") && c.Peek().Kind == Text { // bits
			v, _ := Unquote(s.src.Text[c.Peek().From:c.Peek().To])
			c.I++
			return map[bool]string{true: "1", false: "0"}[strings.Contains(v, "1")], len(strings.TrimLeft(v, "0")) < 2
		}
		if c.Peek().Is("(") {
			c.Parens()
		}
	}
	return Rewritten(s.src.Text, c.St.Tokens[from:min(c.I, len(c.St.Tokens))]), true
}

// column writes a column.
func (t *item) column(c *Cursor) bool {
	at := c.Peek()
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
	if d.auto {
		if s.autos == nil {
			s.autos = map[string]string{}
		}
		s.autos[table] = d.name
	}
	s.Touched[table] = without(s.Touched[table], d.name)
	if d.touch {
		s.Touched[table] = append(s.Touched[table], d.name)
	}
}

// modify writes MODIFY: all of the column is declared again, but for its keys.
func (s *Schema) modify(c *Cursor, at Token, table string) bool {
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
