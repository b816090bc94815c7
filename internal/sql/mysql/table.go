package mysql

import (
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/value"
)

// createTable writes CREATE TABLE; the cursor is behind TABLE.
func (s *Schema) createTable(c *Cursor, at Token, temporary bool) bool {
	maybe := ""
	if c.Accept("IF", "NOT", "EXISTS") {
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
	inside := c.Accept("(")
	if c.Accept("LIKE") {
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
		if c.Accept(")") {
			break
		}
		c.Expect(",")
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
func (s *Schema) tableOptions(c *Cursor, table string) bool {
	for !c.Done() {
		switch {
		case c.Accept("ENGINE"):
			c.Accept("=")
			if e := c.Next(); !strings.EqualFold(e.Text, "InnoDB") {
				s.odd(table, "the table "+table+", whose engine "+e.Text+" has no snapshots")
			}
		case c.Accept("COLLATE"):
			c.Accept("=")
			s.collations[table] = c.Next().Text
		case c.Accept("CHARSET"), c.Accept("CHARACTER", "SET"):
			c.Accept("=")
			if strings.EqualFold(c.Next().Text, value.Binary) {
				s.collations[table] = value.Binary
			}
		case c.Peek().Is("SELECT", "AS"):
			return false
		case c.Peek().Is("("):
			c.Parens()
		default:
			c.I++
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
