package mysql

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/value"
)

// Schema writes files of DDL in the dialect of PostgreSQL, in the order in which
// they are applied. Each statement keeps its line. What is not read stands as words
// that are no statement, so that a reader knows what it names; statements that
// declare nothing are left out.
//
// USE tells databases apart: of a table that several of them have, the first one
// counts. What a key over a part of a text or an expression is becomes a unique
// index over an expression.
type Schema struct {
	// Touched are, by table, the columns with ON UPDATE CURRENT_TIMESTAMP, and Order
	// all columns of tables with one that was put between others. Names are in lower
	// case.
	Touched, Order map[string][]string
	// Odd says, by table, why no statement on it is modelled.
	Odd   map[string]string
	Notes []ir.Note

	database string
	// owners are the databases that the tables belong to, uniques the unique keys of
	// tables, and whether each is an index by itself.
	owners  map[string]string
	uniques map[string]map[string]bool
	columns map[string][]string
	doubled map[string]bool
	// types are those of columns, collations the ones of tables.
	types      *[]*value.Type
	collations map[string]string
	// autos are the columns with AUTO_INCREMENT, by table.
	autos map[string]string
	// primary are the columns of primary keys, by table.
	primary map[string][]string
	// inKeys are the columns of keys, with their tables before them.
	inKeys map[string]bool
	// triggers are the tables of triggers, firing what fires one; references counts the foreign keys of tables without a name.
	triggers   map[string]string
	firing     map[string]bool
	references map[string]int
	src        *source
	// fault is why the last statement could not be read, nil if no place of it says so.
	Fault *ir.Error
	out   []Placed
}

// placed is text that stands for what begins at an offset of the file.
type Placed struct {
	At  int
	Out string
}

// File writes the next file.
func (s *Schema) File(f File) File {
	var all []Placed
	src := NewSource(f)
	for _, st := range Cut(f) {
		if s.Passes(st) {
			continue
		}
		list, ok := s.Translated(st)
		if !ok {
			list = unread(st)
		}
		if len(list) > 0 {
			list[len(list)-1].Out += ";"
		}
		all = append(all, list...)
	}
	return File{Name: f.Name, Text: Laid(src, all)}
}

// laid puts texts into the lines in which they stood, and the columns if there is
// room.
func Laid(src *source, list []Placed) string {
	var b strings.Builder
	line, col := 1, 1
	for _, p := range list {
		if p.Out == "" {
			continue
		}
		pos := src.Pos(p.At)
		switch {
		case line < pos.Line:
			b.WriteString(strings.Repeat("\n", pos.Line-line))
			line, col = pos.Line, 1
		case col > 1:
			b.WriteByte(' ')
			col++
		}
		if line == pos.Line && col < pos.Col {
			b.WriteString(strings.Repeat(" ", pos.Col-col))
			col = pos.Col
		}
		b.WriteString(p.Out)
		line += strings.Count(p.Out, "\n")
		col += len(p.Out) - strings.LastIndexByte(p.Out, '\n') - 1
	}
	return b.String()
}

// unread are the names of a statement that is not read.
func unread(st *Statement) []Placed {
	out := []Placed{{st.Tokens[0].From, "a_statement_of_MySQL_that_is_not_read"}}
	for _, t := range st.Tokens {
		if t.IsName() && t.Kind != Number {
			out = append(out, Placed{t.From, strings.Map(func(r rune) rune {
				if strings.ContainsRune("'\"\\;-/*$", r) {
					return '_'
				}
				return r
			}, t.Text)})
		}
	}
	return out
}

// declares are the words that statements begin with which declare something.
var declares = []string{"CREATE", "ALTER", "DROP", "RENAME"}

// passes reports whether a statement declares nothing that matters, and takes over
// which database is used.
func (s *Schema) Passes(st *Statement) bool {
	if st.First("USE") && len(st.Tokens) > 1 {
		s.database = strings.ToLower(st.Tokens[1].Text)
	}
	if !st.Tokens[0].Is(declares...) {
		return true
	}
	for _, t := range st.Tokens[1:min(len(st.Tokens), 12)] {
		if t.Is("DATABASE", "SCHEMA", "USER", "ROLE", "PROCEDURE", "FUNCTION", "EVENT", "SERVER", "TABLESPACE", "RESOURCE", "LOGFILE", "INSTANCE") {
			return true
		}
		if t.Is("TABLE", "TRIGGER", "VIEW", "INDEX", "(") {
			return false
		}
	}
	return false
}

// translated writes a statement; ok is false where that is not known.
func (s *Schema) Translated(st *Statement) (list []Placed, ok bool) {
	s.src, s.out, s.Fault = st.Src, nil, nil
	defer func() {
		if r := recover(); r != nil {
			fault, is := r.(*ir.Error)
			if !is {
				panic(r)
			}
			s.Fault = fault
			list, ok = nil, false
		}
	}()
	c := &Cursor{St: st}
	if !s.statement(c) {
		s.Fault = ir.Errorf(c.pos(), "%s is not read in this declaration", c.Shown())
		return nil, false
	}
	return s.out, true
}

func (s *Schema) put(at Token, format string, args ...any) {
	s.out = append(s.out, Placed{at.From, fmt.Sprintf(format, args...)})
}

// statement writes a statement that declares something.
func (s *Schema) statement(c *Cursor) bool {
	at := c.Next()
	switch {
	case at.Is("CREATE"):
		return s.create(c, at)
	case at.Is("ALTER"):
		_ = c.Accept("ONLINE") || c.Accept("IGNORE")
		if !c.Accept("TABLE") {
			return false
		}
		c.Accept("IF", "EXISTS")
		return s.alter(c, at)
	case at.Is("RENAME"):
		c.Expect("TABLE")
		for {
			old := s.tableOf(c)
			c.Expect("TO")
			s.rename(at, old, strings.ToLower(c.TableName()))
			if !c.Accept(",") {
				return c.Done()
			}
		}
	}
	c.Accept("TEMPORARY")
	switch {
	case c.Accept("TABLE"):
		_ = c.Accept("IF", "EXISTS")
		for {
			if name := s.tableOf(c); s.owns(c, name) {
				s.put(at, "DROP TABLE IF EXISTS %s;", identifier(name))
				delete(s.owners, name)
			}
			if !c.Accept(",") {
				return true
			}
		}
	case c.Accept("INDEX"):
		_ = c.Accept("IF", "EXISTS")
		name := c.Name("an index")
		c.Expect("ON")
		s.dropKey(at, s.tableOf(c), name)
		return true
	case c.Accept("VIEW"):
		return true // what uses it finds no table
	case c.Accept("TRIGGER"):
		_ = c.Accept("IF", "EXISTS")
		name := s.tableOf(c)
		if table, known := s.triggers[name]; known {
			s.put(at, "DROP TRIGGER %s ON %s;", identifier(name), identifier(table))
		}
		return true
	}
	return false
}

// tableOf reads the name of a table, in lower case.
func (s *Schema) tableOf(c *Cursor) string {
	first := strings.ToLower(c.Name("a table"))
	if !c.Accept(".") {
		return first
	}
	s.database = first
	return strings.ToLower(c.Name("a table"))
}

// owns reports whether a table is that of the database that is used; where another
// one has it, the statement is about a table that does not count.
func (s *Schema) owns(c *Cursor, name string) bool {
	owner, known := s.owners[name]
	if known && owner != s.database {
		if key := owner + " " + s.database; !s.doubled[key] {
			if s.doubled == nil {
				s.doubled = map[string]bool{}
			}
			s.doubled[key] = true
			s.Notes = append(s.Notes, ir.Note{Pos: c.St.Pos(), Text: fmt.Sprintf("the databases %s and %s have tables of the same names: the program is taken to use those of %s", owner, s.database, owner)})
		}
		return false
	}
	return true
}

// create writes CREATE.
func (s *Schema) create(c *Cursor, at Token) bool {
	replace := c.Accept("OR", "REPLACE")
	if c.St.isTrigger() {
		return s.createTrigger(c, at)
	}
	if replace && !c.Peek().Is("VIEW", "ALGORITHM", "DEFINER", "SQL") {
		return false
	}
	temporary := c.Accept("TEMPORARY")
	switch {
	case c.Accept("TABLE"):
		return s.createTable(c, at, temporary)
	case c.Peek().Is("VIEW", "ALGORITHM", "DEFINER", "SQL"):
		return s.createView(c, at)
	}
	unique := c.Accept("UNIQUE")
	_ = unique || c.Accept("FULLTEXT") || c.Accept("SPATIAL")
	if !c.Accept("INDEX") {
		return false
	}
	c.Accept("IF", "NOT", "EXISTS")
	name := c.indexName("")
	c.Expect("ON")
	table := s.tableOf(c)
	switch {
	case !s.owns(c, table):
	case unique:
		s.uniqueIndex(at, table, name, c)
	default:
		s.put(at, "CREATE INDEX ON %s (%s);", identifier(table), strings.Join(s.keyParts(c), ", "))
	}
	return true
}

// createView writes CREATE VIEW.
func (s *Schema) createView(c *Cursor, at Token) bool {
	for !c.Done() && !c.Peek().Is("VIEW") {
		c.I++
	}
	c.Expect("VIEW")
	c.Accept("IF", "NOT", "EXISTS")
	name := s.tableOf(c)
	if !s.owns(c, name) {
		return true
	}
	cols := ""
	if c.Peek().Is("(") {
		cols = " (" + Rewritten(s.src.Text, c.Parens()) + ")"
	}
	c.Expect("AS")
	body := c.St.Tokens[c.I:]
	for i, t := range body {
		if i+1 < len(body) && t.Is("WITH") && body[i+1].Is("CHECK", "CASCADED", "LOCAL") {
			body = body[:i]
			break
		}
	}
	if len(body) == 0 {
		return false
	}
	s.own(name)
	s.put(at, "CREATE OR REPLACE VIEW %s%s AS %s", identifier(name), cols, Rewritten(s.src.Text, body))
	return true
}

// own says that a table belongs to the database that is used.
func (s *Schema) own(name string) {
	if s.owners == nil {
		s.owners, s.uniques, s.columns = map[string]string{}, map[string]map[string]bool{}, map[string][]string{}
		s.inKeys = map[string]bool{}
		s.Touched, s.Order, s.collations, s.references = map[string][]string{}, map[string][]string{}, map[string]string{}, map[string]int{}
	}
	s.owners[name] = s.database
	delete(s.primary, name)
	if s.uniques[name] == nil {
		s.uniques[name] = map[string]bool{}
	}
}

// alter writes ALTER TABLE; the cursor is before the name.
func (s *Schema) alter(c *Cursor, at Token) bool {
	name := s.tableOf(c)
	if !s.owns(c, name) {
		return true
	}
	if _, known := s.owners[name]; !known {
		s.own(name) // the statement says that there is none
	}
	for !c.Done() {
		if !s.action(c, name) {
			return false
		}
		if !c.Done() && !c.Accept(",") {
			return false
		}
	}
	return true
}

// quiet are the actions of ALTER TABLE that change no column or key, with how many
// words follow.
var quiet = map[string]bool{"ENGINE": true, "AUTO_INCREMENT": true, "COMMENT": true, "ROW_FORMAT": true, "CHARSET": true, "COLLATE": true, "DEFAULT": true,
	"CONVERT": true, "CHARACTER": true, "ALGORITHM": true, "LOCK": true, "ENABLE": true, "DISABLE": true, "FORCE": true, "ORDER": true, "KEY_BLOCK_SIZE": true,
	"PARTITION": true, "REMOVE": true, "REORGANIZE": true, "TRUNCATE": false, "STATS_PERSISTENT": true, "COMPRESSION": true, "ENCRYPTION": true, "TTL": true, "SHARD_ROW_ID_BITS": true}

// skip passes over an action.
func (c *Cursor) skip() {
	for !c.Done() && !c.Peek().Is(",") {
		if c.Peek().Is("(") {
			c.Parens()
			continue
		}
		c.I++
	}
}

// action writes one action of ALTER TABLE.
func (s *Schema) action(c *Cursor, table string) bool {
	at := c.Next()
	q := identifier(table)
	switch {
	case at.Is("ADD"):
		if c.Accept("PARTITION") {
			c.skip()
			return true
		}
		return s.add(c, table)
	case at.Is("DROP"):
		return s.dropAction(c, at, table)
	case at.Is("MODIFY"), at.Is("CHANGE"):
		c.Accept("COLUMN")
		c.Accept("IF", "EXISTS")
		old := c.Peek()
		// A check in the declaration of the column goes in MariaDB, and stays in MySQL.
		s.put(at, "ALTER TABLE %s DROP CONSTRAINT IF EXISTS %s;", q, identifier(table+"."+old.Text))
		if at.Is("CHANGE") {
			c.Name("a column")
			if !strings.EqualFold(old.Text, c.Peek().Text) {
				s.put(at, "ALTER TABLE %s RENAME COLUMN %s TO %s;", q, identifier(old.Text), identifier(c.Peek().Text))
				s.renameColumn(table, old.Text, c.Peek().Text)
			}
		}
		return s.modify(c, at, table)
	case at.Is("RENAME"):
		return s.renameAction(c, at, table)
	case at.Is("ALTER"):
		if c.Accept("CHECK") || c.Accept("CONSTRAINT") {
			if name := c.Name("a check"); c.Accept("NOT", "ENFORCED") {
				s.put(at, "ALTER TABLE %s DROP CONSTRAINT %s;", q, constraintName(name))
				return true
			}
			return c.Accept("ENFORCED")
		}
		if c.Accept("INDEX") {
			c.skip()
			return true
		}
		c.Accept("COLUMN")
		col := c.Name("a column")
		if c.Accept("DROP", "DEFAULT") {
			s.put(at, "ALTER TABLE %s ALTER COLUMN %s DROP DEFAULT;", q, identifier(col))
			return true
		}
		if !c.Accept("SET", "DEFAULT") {
			return false
		}
		def, _ := s.defaultOf(c)
		s.put(at, "ALTER TABLE %s ALTER COLUMN %s SET DEFAULT %s;", q, identifier(col), def)
		return true
	case quiet[strings.ToUpper(at.Text)]:
		c.skip()
		return true
	}
	return false
}

// add writes ADD of ALTER TABLE.
func (s *Schema) add(c *Cursor, table string) bool {
	c.Accept("COLUMN")
	c.Accept("IF", "NOT", "EXISTS")
	if !c.Accept("(") {
		return s.addItem(c, table)
	}
	for {
		if !s.addItem(c, table) {
			return false
		}
		if c.Accept(")") {
			return true
		}
		c.Expect(",")
	}
}

func (s *Schema) addItem(c *Cursor, table string) bool {
	t := &item{s: s, table: table}
	if !t.read(c) {
		return false
	}
	for _, col := range t.columns {
		s.place(table, col, t.after, t.first)
	}
	collate(t.types, s.collations[table])
	s.out = append(s.out, t.later...)
	return true
}

// place notes where a new column stands.
func (s *Schema) place(table, col, after string, first bool) {
	list := without(s.columns[table], col)
	i := len(list)
	if after != "" {
		i = slices.Index(list, after) + 1
	} else if first {
		i = 0
	}
	list = slices.Insert(list, i, col)
	s.columns[table] = list
	if i < len(list)-1 || s.Order[table] != nil {
		s.Order[table] = list
	}
}

func without(list []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == name })
}

// renameColumn gives a column another name.
func (s *Schema) renameColumn(table, old, name string) {
	for _, list := range []map[string][]string{s.columns, s.Touched, s.Order} {
		out := slices.Clone(list[table])
		for i := range out {
			if strings.EqualFold(out[i], old) {
				out[i] = strings.ToLower(name)
			}
		}
		if out != nil {
			list[table] = out
		}
	}
}

// rename gives a table another name.
func (s *Schema) rename(at Token, old, name string) {
	if _, known := s.owners[old]; !known {
		s.own(old)
	}
	s.own(name)
	s.put(at, "ALTER TABLE %s RENAME TO %s;", identifier(old), identifier(name))
	s.uniques[name], s.columns[name] = s.uniques[old], s.columns[old]
	s.collations[name] = s.collations[old]
	for _, list := range []map[string][]string{s.Touched, s.Order} {
		if list[old] != nil {
			list[name] = list[old]
			delete(list, old)
		}
	}
	delete(s.owners, old)
}

// renameAction writes RENAME of ALTER TABLE.
func (s *Schema) renameAction(c *Cursor, at Token, table string) bool {
	switch {
	case c.Accept("COLUMN"):
		old := c.Name("a column")
		c.Expect("TO")
		name := c.Name("a column")
		s.put(at, "ALTER TABLE %s RENAME COLUMN %s TO %s;", identifier(table), identifier(old), identifier(name))
		s.renameColumn(table, old, name)
	case c.Accept("INDEX"), c.Accept("KEY"):
		old := strings.ToLower(c.Name("an index"))
		c.Expect("TO")
		name := strings.ToLower(c.Name("an index"))
		if index, ok := s.uniques[table][old]; ok {
			if index {
				return false
			}
			delete(s.uniques[table], old)
			s.uniques[table][name] = false
			s.put(at, "ALTER TABLE %s RENAME CONSTRAINT %s TO %s;", identifier(table), identifier(old), identifier(name))
		}
	default:
		_ = c.Accept("TO") || c.Accept("AS")
		s.rename(at, table, strings.ToLower(c.TableName()))
	}
	return true
}

// dropAction writes DROP of ALTER TABLE.
func (s *Schema) dropAction(c *Cursor, at Token, table string) bool {
	q := identifier(table)
	switch {
	case c.Accept("PRIMARY", "KEY"):
		delete(s.primary, table)
		s.put(at, "ALTER TABLE %s DROP CONSTRAINT %s;", q, identifier(table+"_pkey"))
	case c.Accept("INDEX"), c.Accept("KEY"):
		c.Accept("IF", "EXISTS")
		s.dropKey(at, table, c.Name("an index"))
	case c.Accept("FOREIGN", "KEY"):
		c.Accept("IF", "EXISTS")
		s.put(at, "ALTER TABLE %s DROP CONSTRAINT %s;", q, identifier(c.Name("a key")))
	case c.Accept("CONSTRAINT"), c.Accept("CHECK"):
		maybe := ""
		if c.Accept("IF", "EXISTS") {
			maybe = "IF EXISTS "
		}
		name := c.Name("a constraint")
		if _, unique := s.uniques[table][strings.ToLower(name)]; unique {
			s.dropKey(at, table, name)
			break
		}
		s.put(at, "ALTER TABLE %s DROP CONSTRAINT %s%s;", q, maybe, constraintName(name))
	case c.Accept("PARTITION"):
		return false // its rows go
	default:
		c.Accept("COLUMN")
		c.Accept("IF", "EXISTS")
		col := strings.ToLower(c.Name("a column"))
		_ = c.Accept("RESTRICT") || c.Accept("CASCADE")
		s.put(at, "ALTER TABLE %s DROP COLUMN %s;", q, identifier(col))
		s.columns[table], s.Touched[table] = without(s.columns[table], col), without(s.Touched[table], col)
		if s.Order[table] != nil {
			s.Order[table] = without(s.Order[table], col)
		}
	}
	return true
}

// dropKey writes what drops a key; one that is not unique was not written.
func (s *Schema) dropKey(at Token, table, name string) {
	name = strings.ToLower(name)
	index, unique := s.uniques[table][name]
	switch {
	case !unique:
		return
	case index:
		s.put(at, "DROP INDEX %s;", identifier(table+"."+name))
	default:
		s.put(at, "ALTER TABLE %s DROP CONSTRAINT %s;", identifier(table), identifier(name))
	}
	delete(s.uniques[table], name)
}
