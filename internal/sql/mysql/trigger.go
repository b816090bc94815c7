package mysql

import (
	"fmt"
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

// isTrigger reports whether a statement makes a trigger.
func (st *Statement) isTrigger() bool {
	return st.RoutineWord() == "TRIGGER"
}

// createTrigger writes CREATE TRIGGER, with a function for its body. A body that is not read stays a function that is not declared, so that nobody
// knows what the writes that fire it do.
func (s *Schema) createTrigger(c *Cursor, at Token) bool {
	for !c.Accept("TRIGGER") {
		c.I++
	}
	c.Accept("IF", "NOT", "EXISTS")
	name := s.tableOf(c)
	timing, event := c.Next(), c.Next()
	c.Expect("ON")
	table := s.tableOf(c)
	if !timing.Is("BEFORE", "AFTER") || !event.Is("INSERT", "UPDATE", "DELETE") {
		return false
	}
	if !s.owns(c, table) {
		return true
	}
	if s.triggers == nil {
		s.triggers, s.firing = map[string]string{}, map[string]bool{}
	}
	s.triggers[name] = table
	fires := timing.Text + " " + event.Text + " " + table
	c.Accept("FOR", "EACH", "ROW")
	function := identifier("body of trigger " + name)
	b := &triggerBody{Cursor: c, s: s, table: table, before: timing.Is("BEFORE"), event: strings.ToUpper(event.Text)}
	if s.firing[strings.ToUpper(fires)] || c.Peek().Is("FOLLOWS", "PRECEDES") {
		b.why = "the order of triggers"
	} else {
		b.statement()
	}
	s.firing[strings.ToUpper(fires)] = true
	end := c.St.Tokens[len(c.St.Tokens)-1]
	if c.Accept(";"); b.why == "" && !c.Done() {
		b.why = "what follows the body"
	}
	if b.why == "" {
		given := map[bool]string{true: "OLD", false: "NEW"}[event.Is("DELETE")]
		s.put(at, "CREATE FUNCTION %s() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN", function)
		s.out = append(s.out, b.out...)
		s.put(end, "RETURN %s; END $body$;", given)
	} else {
		s.Notes = append(s.Notes, ir.Note{Pos: c.St.Pos(), Text: fmt.Sprintf("the body of trigger %s is not read (%s): no %s of %s is modelled", name, b.why, b.event, table)})
	}
	s.put(end, "CREATE TRIGGER %s %s %s ON %s FOR EACH ROW EXECUTE FUNCTION %s()", identifier(name), strings.ToUpper(timing.Text), b.event, identifier(table), function)
	return true
}

// triggerBody writes the body of a trigger in PL/pgSQL: writes of rows, SET of columns of the new row, IF and SIGNAL, of values of the two rows. Queries
// are not read: whether they lock what they see is not known.
type triggerBody struct {
	*Cursor
	s      *Schema
	table  string
	before bool
	event  string
	out    []Placed
	// why says what is not read, "" if all is.
	why string
}

// put writes a part of the body in the place of a token.
func (b *triggerBody) put(at Token, format string, args ...any) {
	b.out = append(b.out, Placed{at.From, fmt.Sprintf(format, args...)})
}

// lose says what is not read.
func (b *triggerBody) lose(why string) {
	if b.why == "" {
		b.why = why
	}
}

// list reads statements up to one of the words.
func (b *triggerBody) list(until ...string) {
	for b.why == "" && !b.Peek().Is(until...) {
		if b.Done() {
			b.lose("its end")
			return
		}
		b.statement()
		b.Accept(";")
	}
}

// statement reads a statement.
func (b *triggerBody) statement() {
	at := b.Peek()
	switch {
	case b.Accept("BEGIN"):
		b.list("END")
		b.Accept("END")
	case b.Accept("IF"):
		b.put(at, "IF %s", b.condition())
		b.list("ELSEIF", "ELSE", "END")
		for at = b.Peek(); b.Accept("ELSEIF"); at = b.Peek() {
			b.put(at, "ELSIF %s", b.condition())
			b.list("ELSEIF", "ELSE", "END")
		}
		if b.Accept("ELSE") {
			b.put(at, "ELSE")
			b.list("END")
		}
		if at = b.Peek(); !b.Accept("END", "IF") {
			b.lose("its end")
		}
		b.put(at, "END IF;")
	case b.Accept("SIGNAL"):
		b.upTo(";")
		b.put(at, "RAISE EXCEPTION 'signal';")
	case b.Accept("SET"):
		b.assignments(at)
	case b.Peek().Is("INSERT", "UPDATE", "DELETE"):
		if part := b.upTo(";"); len(part) > 0 {
			b.put(at, "%s;", b.rewritten(part))
		}
	default:
		b.lose(strings.ToUpper(at.Text))
	}
}

// condition reads a condition up to THEN.
func (b *triggerBody) condition() string {
	part := b.upTo("THEN")
	b.Accept("THEN")
	return "(CASE WHEN " + b.rewritten(part) + " THEN 1 ELSE 0 END) = 1 THEN"
}

// assignments reads SET NEW.a = x, NEW.b = y.
func (b *triggerBody) assignments(at Token) {
	for _, part := range CommaParts(b.upTo(";")) {
		if len(part) < 5 || !b.before || !part[0].Is("NEW") || !part[1].Is(".") || !part[3].Is("=") {
			b.lose("SET of something else than a column of the new row")
			return
		}
		b.put(at, "NEW.%s := %s;", identifier(part[2].Text), b.rewritten(part[4:]))
	}
}

// rewritten writes an expression or statement.
func (b *triggerBody) rewritten(part []Token) string {
	for i, t := range part {
		switch {
		case t.Is("SELECT", "LAST_INSERT_ID", "ROW_COUNT"), t.Kind == Named, t.Is("FROM") && !(i == 1 && part[0].Is("DELETE")):
			b.lose(strings.ToUpper(t.Text))
		case t.Is("NEW") && b.before && b.event == "INSERT" && i+2 < len(part) && strings.EqualFold(part[i+2].Text, b.s.autos[b.table]):
			b.lose("a key that AUTO_INCREMENT has not given yet")
		}
	}
	if len(part) == 0 {
		b.lose("a part that is missing")
		return ""
	}
	return Rewritten(b.s.src.Text, part)
}

// upTo reads the tokens before a word that stands in no parentheses and no CASE.
func (b *triggerBody) upTo(word string) []Token {
	from, depth := b.I, 0
	for ; !b.Done(); b.I++ {
		switch t := b.Peek(); {
		case depth == 0 && t.Is(word):
			return b.St.Tokens[from:b.I]
		case t.Is("(", "CASE"):
			depth++
		case t.Is(")", "END") && depth > 0:
			depth--
		}
	}
	return b.St.Tokens[from:b.I]
}
