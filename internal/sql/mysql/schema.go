package mysql

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/value"
	"github.com/txrobust/robust/ir"
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
	// triggers are the tables of triggers; references counts the foreign keys of tables without a name.
	triggers   map[string]string
	references map[string]int
	src        *source
	// fault is why the last statement could not be read, nil if no place of it says so.
	fault *ir.Error
	out   []placed
}

// placed is text that stands for what begins at an offset of the file.
type placed struct {
	at  int
	out string
}

// File writes the next file.
func (s *Schema) File(f File) File {
	var all []placed
	src := newSource(f)
	for _, st := range cut(f) {
		if s.passes(st) {
			continue
		}
		list, ok := s.translated(st)
		if !ok {
			list = unread(st)
		}
		if len(list) > 0 {
			list[len(list)-1].out += ";"
		}
		all = append(all, list...)
	}
	return File{Name: f.Name, Text: laid(src, all)}
}

// laid puts texts into the lines in which they stood, and the columns if there is
// room.
func laid(src *source, list []placed) string {
	var b strings.Builder
	line, col := 1, 1
	for _, p := range list {
		if p.out == "" {
			continue
		}
		pos := src.pos(p.at)
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
		b.WriteString(p.out)
		line += strings.Count(p.out, "\n")
		col += len(p.out) - strings.LastIndexByte(p.out, '\n') - 1
	}
	return b.String()
}

// unread are the names of a statement that is not read.
func unread(st *statement) []placed {
	out := []placed{{st.tokens[0].from, "a_statement_of_MySQL_that_is_not_read"}}
	for _, t := range st.tokens {
		if t.isName() && t.kind != number {
			out = append(out, placed{t.from, strings.Map(func(r rune) rune {
				if strings.ContainsRune("'\"\\;-/*$", r) {
					return '_'
				}
				return r
			}, t.text)})
		}
	}
	return out
}

// declares are the words that statements begin with which declare something.
var declares = []string{"CREATE", "ALTER", "DROP", "RENAME"}

// passes reports whether a statement declares nothing that matters, and takes over
// which database is used.
func (s *Schema) passes(st *statement) bool {
	if st.first("USE") && len(st.tokens) > 1 {
		s.database = strings.ToLower(st.tokens[1].text)
	}
	if !st.tokens[0].is(declares...) {
		return true
	}
	for _, t := range st.tokens[1:min(len(st.tokens), 12)] {
		if t.is("DATABASE", "SCHEMA", "USER", "ROLE", "PROCEDURE", "FUNCTION", "EVENT", "SERVER", "TABLESPACE", "RESOURCE", "LOGFILE", "INSTANCE") {
			return true
		}
		if t.is("TABLE", "TRIGGER", "VIEW", "INDEX", "(") {
			return false
		}
	}
	return false
}

// translated writes a statement; ok is false where that is not known.
func (s *Schema) translated(st *statement) (list []placed, ok bool) {
	s.src, s.out, s.fault = st.src, nil, nil
	defer func() {
		if r := recover(); r != nil {
			fault, is := r.(*ir.Error)
			if !is {
				panic(r)
			}
			s.fault = fault
			list, ok = nil, false
		}
	}()
	c := &cursor{st: st}
	if !s.statement(c) {
		s.fault = ir.Errorf(c.pos(), "%s is not read in this declaration", c.shown())
		return nil, false
	}
	return s.out, true
}

func (s *Schema) put(at token, format string, args ...any) {
	s.out = append(s.out, placed{at.from, fmt.Sprintf(format, args...)})
}

// statement writes a statement that declares something.
func (s *Schema) statement(c *cursor) bool {
	at := c.next()
	switch {
	case at.is("CREATE"):
		return s.create(c, at)
	case at.is("ALTER"):
		_ = c.accept("ONLINE") || c.accept("IGNORE")
		if !c.accept("TABLE") {
			return false
		}
		c.accept("IF", "EXISTS")
		return s.alter(c, at)
	case at.is("RENAME"):
		c.expect("TABLE")
		for {
			old := s.tableOf(c)
			c.expect("TO")
			s.rename(at, old, strings.ToLower(c.tableName()))
			if !c.accept(",") {
				return c.done()
			}
		}
	}
	c.accept("TEMPORARY")
	switch {
	case c.accept("TABLE"):
		_ = c.accept("IF", "EXISTS")
		for {
			if name := s.tableOf(c); s.owns(c, name) {
				s.put(at, "DROP TABLE IF EXISTS %s;", identifier(name))
				delete(s.owners, name)
			}
			if !c.accept(",") {
				return true
			}
		}
	case c.accept("INDEX"):
		_ = c.accept("IF", "EXISTS")
		name := c.name("an index")
		c.expect("ON")
		s.dropKey(at, s.tableOf(c), name)
		return true
	case c.accept("VIEW"):
		return true // what uses it finds no table
	case c.accept("TRIGGER"):
		_ = c.accept("IF", "EXISTS")
		name := s.tableOf(c)
		if table, known := s.triggers[name]; known {
			s.put(at, "DROP TRIGGER %s ON %s;", identifier(name), identifier(table))
		}
		return true
	}
	return false
}

// tableOf reads the name of a table, in lower case.
func (s *Schema) tableOf(c *cursor) string {
	first := strings.ToLower(c.name("a table"))
	if !c.accept(".") {
		return first
	}
	s.database = first
	return strings.ToLower(c.name("a table"))
}

// owns reports whether a table is that of the database that is used; where another
// one has it, the statement is about a table that does not count.
func (s *Schema) owns(c *cursor, name string) bool {
	owner, known := s.owners[name]
	if known && owner != s.database {
		if key := owner + " " + s.database; !s.doubled[key] {
			if s.doubled == nil {
				s.doubled = map[string]bool{}
			}
			s.doubled[key] = true
			s.Notes = append(s.Notes, ir.Note{Pos: c.st.pos(), Text: fmt.Sprintf("the databases %s and %s have tables of the same names: the program is taken to use those of %s", owner, s.database, owner)})
		}
		return false
	}
	return true
}

// create writes CREATE.
func (s *Schema) create(c *cursor, at token) bool {
	replace := c.accept("OR", "REPLACE")
	if c.st.isTrigger() {
		return s.createTrigger(c, at)
	}
	if replace && !c.peek().is("VIEW", "ALGORITHM", "DEFINER", "SQL") {
		return false
	}
	temporary := c.accept("TEMPORARY")
	switch {
	case c.accept("TABLE"):
		return s.createTable(c, at, temporary)
	case c.peek().is("VIEW", "ALGORITHM", "DEFINER", "SQL"):
		return s.createView(c, at)
	}
	unique := c.accept("UNIQUE")
	_ = unique || c.accept("FULLTEXT") || c.accept("SPATIAL")
	if !c.accept("INDEX") {
		return false
	}
	c.accept("IF", "NOT", "EXISTS")
	name := c.indexName("")
	c.expect("ON")
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
func (s *Schema) createView(c *cursor, at token) bool {
	for !c.done() && !c.peek().is("VIEW") {
		c.i++
	}
	c.expect("VIEW")
	c.accept("IF", "NOT", "EXISTS")
	name := s.tableOf(c)
	if !s.owns(c, name) {
		return true
	}
	cols := ""
	if c.peek().is("(") {
		cols = " (" + rewritten(s.src.text, c.parens()) + ")"
	}
	c.expect("AS")
	body := c.st.tokens[c.i:]
	for i, t := range body {
		if i+1 < len(body) && t.is("WITH") && body[i+1].is("CHECK", "CASCADED", "LOCAL") {
			body = body[:i]
			break
		}
	}
	if len(body) == 0 {
		return false
	}
	s.own(name)
	s.put(at, "CREATE OR REPLACE VIEW %s%s AS %s", identifier(name), cols, rewritten(s.src.text, body))
	return true
}

// own says that a table belongs to the database that is used.
func (s *Schema) own(name string) {
	if s.owners == nil {
		s.owners, s.uniques, s.columns = map[string]string{}, map[string]map[string]bool{}, map[string][]string{}
		s.Touched, s.Order, s.collations, s.references = map[string][]string{}, map[string][]string{}, map[string]string{}, map[string]int{}
	}
	s.owners[name] = s.database
	if s.uniques[name] == nil {
		s.uniques[name] = map[string]bool{}
	}
}

// alter writes ALTER TABLE; the cursor is before the name.
func (s *Schema) alter(c *cursor, at token) bool {
	name := s.tableOf(c)
	if !s.owns(c, name) {
		return true
	}
	if _, known := s.owners[name]; !known {
		s.own(name) // the statement says that there is none
	}
	for !c.done() {
		if !s.action(c, name) {
			return false
		}
		if !c.done() && !c.accept(",") {
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
func (c *cursor) skip() {
	for !c.done() && !c.peek().is(",") {
		if c.peek().is("(") {
			c.parens()
			continue
		}
		c.i++
	}
}

// action writes one action of ALTER TABLE.
func (s *Schema) action(c *cursor, table string) bool {
	at := c.next()
	q := identifier(table)
	switch {
	case at.is("ADD"):
		if c.accept("PARTITION") {
			c.skip()
			return true
		}
		return s.add(c, table)
	case at.is("DROP"):
		return s.dropAction(c, at, table)
	case at.is("MODIFY"), at.is("CHANGE"):
		c.accept("COLUMN")
		c.accept("IF", "EXISTS")
		old := c.peek()
		// A check in the declaration of the column goes in MariaDB, and stays in MySQL.
		s.put(at, "ALTER TABLE %s DROP CONSTRAINT IF EXISTS %s;", q, identifier(table+"."+old.text))
		if at.is("CHANGE") {
			c.name("a column")
			if !strings.EqualFold(old.text, c.peek().text) {
				s.put(at, "ALTER TABLE %s RENAME COLUMN %s TO %s;", q, identifier(old.text), identifier(c.peek().text))
				s.renameColumn(table, old.text, c.peek().text)
			}
		}
		return s.modify(c, at, table)
	case at.is("RENAME"):
		return s.renameAction(c, at, table)
	case at.is("ALTER"):
		if c.accept("CHECK") || c.accept("CONSTRAINT") {
			if name := c.name("a check"); c.accept("NOT", "ENFORCED") {
				s.put(at, "ALTER TABLE %s DROP CONSTRAINT %s;", q, constraintName(name))
				return true
			}
			return c.accept("ENFORCED")
		}
		if c.accept("INDEX") {
			c.skip()
			return true
		}
		c.accept("COLUMN")
		col := c.name("a column")
		if c.accept("DROP", "DEFAULT") {
			s.put(at, "ALTER TABLE %s ALTER COLUMN %s DROP DEFAULT;", q, identifier(col))
			return true
		}
		if !c.accept("SET", "DEFAULT") {
			return false
		}
		def, _ := s.defaultOf(c)
		s.put(at, "ALTER TABLE %s ALTER COLUMN %s SET DEFAULT %s;", q, identifier(col), def)
		return true
	case quiet[strings.ToUpper(at.text)]:
		c.skip()
		return true
	}
	return false
}

// add writes ADD of ALTER TABLE.
func (s *Schema) add(c *cursor, table string) bool {
	c.accept("COLUMN")
	c.accept("IF", "NOT", "EXISTS")
	if !c.accept("(") {
		return s.addItem(c, table)
	}
	for {
		if !s.addItem(c, table) {
			return false
		}
		if c.accept(")") {
			return true
		}
		c.expect(",")
	}
}

func (s *Schema) addItem(c *cursor, table string) bool {
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
func (s *Schema) rename(at token, old, name string) {
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
func (s *Schema) renameAction(c *cursor, at token, table string) bool {
	switch {
	case c.accept("COLUMN"):
		old := c.name("a column")
		c.expect("TO")
		name := c.name("a column")
		s.put(at, "ALTER TABLE %s RENAME COLUMN %s TO %s;", identifier(table), identifier(old), identifier(name))
		s.renameColumn(table, old, name)
	case c.accept("INDEX"), c.accept("KEY"):
		old := strings.ToLower(c.name("an index"))
		c.expect("TO")
		name := strings.ToLower(c.name("an index"))
		if index, ok := s.uniques[table][old]; ok {
			if index {
				return false
			}
			delete(s.uniques[table], old)
			s.uniques[table][name] = false
			s.put(at, "ALTER TABLE %s RENAME CONSTRAINT %s TO %s;", identifier(table), identifier(old), identifier(name))
		}
	default:
		_ = c.accept("TO") || c.accept("AS")
		s.rename(at, table, strings.ToLower(c.tableName()))
	}
	return true
}

// dropAction writes DROP of ALTER TABLE.
func (s *Schema) dropAction(c *cursor, at token, table string) bool {
	q := identifier(table)
	switch {
	case c.accept("PRIMARY", "KEY"):
		s.put(at, "ALTER TABLE %s DROP CONSTRAINT %s;", q, identifier(table+"_pkey"))
	case c.accept("INDEX"), c.accept("KEY"):
		c.accept("IF", "EXISTS")
		s.dropKey(at, table, c.name("an index"))
	case c.accept("FOREIGN", "KEY"):
		c.accept("IF", "EXISTS")
		s.put(at, "ALTER TABLE %s DROP CONSTRAINT %s;", q, identifier(c.name("a key")))
	case c.accept("CONSTRAINT"), c.accept("CHECK"):
		maybe := ""
		if c.accept("IF", "EXISTS") {
			maybe = "IF EXISTS "
		}
		name := c.name("a constraint")
		if _, unique := s.uniques[table][strings.ToLower(name)]; unique {
			s.dropKey(at, table, name)
			break
		}
		s.put(at, "ALTER TABLE %s DROP CONSTRAINT %s%s;", q, maybe, constraintName(name))
	case c.accept("PARTITION"):
		return false // its rows go
	default:
		c.accept("COLUMN")
		c.accept("IF", "EXISTS")
		col := strings.ToLower(c.name("a column"))
		_ = c.accept("RESTRICT") || c.accept("CASCADE")
		s.put(at, "ALTER TABLE %s DROP COLUMN %s;", q, identifier(col))
		s.columns[table], s.Touched[table] = without(s.columns[table], col), without(s.Touched[table], col)
		if s.Order[table] != nil {
			s.Order[table] = without(s.Order[table], col)
		}
	}
	return true
}

// dropKey writes what drops a key; one that is not unique was not written.
func (s *Schema) dropKey(at token, table, name string) {
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
