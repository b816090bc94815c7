package mysql

import (
	"github.com/txrobust/robust/ir"
)

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

// before reports whether the words come next.
func (c *cursor) before(words ...string) bool {
	for i, w := range words {
		if c.i+i >= len(c.st.tokens) || !c.st.tokens[c.i+i].is(w) {
			return false
		}
	}
	return true
}

// accept reads the words if they come next.
func (c *cursor) accept(words ...string) bool {
	if !c.before(words...) {
		return false
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

// commaParts splits a list at the commas that stand in no parentheses. A comma at
// the end opens no part.
func commaParts(list []token) [][]token {
	var parts [][]token
	for len(list) > 0 {
		n, depth := 0, 0
		for ; n < len(list) && !(list[n].is(",") && depth == 0); n++ {
			switch {
			case list[n].is("("):
				depth++
			case list[n].is(")"):
				depth--
			}
		}
		parts = append(parts, list[:n])
		list = list[min(n+1, len(list)):]
	}
	return parts
}
