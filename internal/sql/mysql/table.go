package mysql

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/value"
	"github.com/txrobust/robust/ir"
)

// isTrigger reports whether a statement makes a trigger.
func (st *statement) isTrigger() bool {
	for _, t := range st.tokens[1:min(len(st.tokens), 12)] {
		if t.is("TRIGGER") {
			return true
		}
		if t.is("TABLE", "VIEW", "INDEX", "(") {
			return false
		}
	}
	return false
}

// createTrigger writes CREATE TRIGGER. Its function is one that nobody declares: the body is not read.
func (s *Schema) createTrigger(c *cursor, at token) bool {
	for !c.accept("TRIGGER") {
		c.i++
	}
	c.accept("IF", "NOT", "EXISTS")
	name := s.tableOf(c)
	timing, event := c.next(), c.next()
	c.expect("ON")
	table := s.tableOf(c)
	if !timing.is("BEFORE", "AFTER") || !event.is("INSERT", "UPDATE", "DELETE") {
		return false
	}
	if !s.owns(c, table) {
		return true
	}
	if s.triggers == nil {
		s.triggers = map[string]string{}
	}
	s.triggers[name] = table
	s.Notes = append(s.Notes, ir.Note{Pos: c.st.pos(), Text: fmt.Sprintf("the body of trigger %s is not read: no %s of %s is modelled", name, strings.ToUpper(event.text), table)})
	s.put(at, "CREATE TRIGGER %s %s %s ON %s FOR EACH ROW EXECUTE FUNCTION %s()", identifier(name), strings.ToUpper(timing.text), strings.ToUpper(event.text), identifier(table), identifier("body of trigger "+name))
	return true
}

// createTable writes CREATE TABLE; the cursor is behind TABLE.
func (s *Schema) createTable(c *cursor, at token, temporary bool) bool {
	maybe := ""
	if c.accept("IF", "NOT", "EXISTS") {
		maybe = "IF NOT EXISTS "
	}
	name := s.tableOf(c)
	if !s.owns(c, name) {
		return true
	}
	if _, known := s.owners[name]; known && maybe != "" {
		return true
	}
	kind := "TABLE"
	if temporary {
		kind = "TEMPORARY TABLE"
	}
	inside := c.accept("(")
	if c.accept("LIKE") {
		s.own(name)
		like := s.tableOf(c)
		s.columns[name], s.collations[name] = slices.Clone(s.columns[like]), s.collations[like]
		maps.Copy(s.uniques[name], s.uniques[like])
		s.put(at, "CREATE %s %s%s (LIKE %s INCLUDING ALL)", kind, maybe, identifier(name), identifier(like))
		return true
	}
	if !inside {
		return false
	}
	s.own(name)
	s.put(at, "CREATE %s %s%s (", kind, maybe, identifier(name))
	t := &item{s: s, table: name, in: true}
	for {
		if !t.read(c) {
			return false
		}
		if c.accept(")") {
			break
		}
		c.expect(",")
	}
	if len(t.columns) == 0 {
		return false
	}
	if !s.tableOptions(c, name) {
		return false
	}
	collate(t.types, s.collations[name])
	s.columns[name] = t.columns
	s.put(at, ")")
	s.out = append(s.out, t.later...)
	return true
}

// tableOptions reads what follows the columns of a table. It reports whether that is known.
func (s *Schema) tableOptions(c *cursor, table string) bool {
	for !c.done() {
		switch {
		case c.accept("ENGINE"):
			c.accept("=")
			if e := c.next(); !strings.EqualFold(e.text, "InnoDB") {
				s.odd(table, "the table "+table+", whose engine "+e.text+" has no snapshots")
			}
		case c.accept("COLLATE"):
			c.accept("=")
			s.collations[table] = c.next().text
		case c.accept("CHARSET"), c.accept("CHARACTER", "SET"):
			c.accept("=")
			if strings.EqualFold(c.next().text, value.Binary) {
				s.collations[table] = value.Binary
			}
		case c.peek().is("SELECT", "AS"):
			return false
		case c.peek().is("("):
			c.parens()
		default:
			c.i++
		}
	}
	return true
}

// odd says why statements on a table are not modelled.
func (s *Schema) odd(table, why string) {
	if s.Odd == nil {
		s.Odd = map[string]string{}
	}
	s.Odd[table] = why
}
