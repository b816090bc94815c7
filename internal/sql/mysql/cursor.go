package mysql

import (
	"github.com/txrobust/robust/internal/ir"
)

// cursor reads the tokens of a statement.
type Cursor struct {
	St *Statement
	I  int
}

func (c *Cursor) Peek() Token {
	if c.I < len(c.St.Tokens) {
		return c.St.Tokens[c.I]
	}
	end := c.St.Tokens[len(c.St.Tokens)-1].To
	return Token{Kind: Punct, From: end, To: end}
}

func (c *Cursor) Next() Token {
	t := c.Peek()
	c.I++
	return t
}

func (c *Cursor) Done() bool       { return c.I >= len(c.St.Tokens) }
func (c *Cursor) pos() ir.Pos      { return c.St.Src.Pos(c.Peek().From) }
func (c *Cursor) Fail(what string) { panic(ir.Errorf(c.pos(), "%s", what)) }

// before reports whether the words come next.
func (c *Cursor) Before(words ...string) bool {
	for i, w := range words {
		if c.I+i >= len(c.St.Tokens) || !c.St.Tokens[c.I+i].Is(w) {
			return false
		}
	}
	return true
}

// accept reads the words if they come next.
func (c *Cursor) Accept(words ...string) bool {
	if !c.Before(words...) {
		return false
	}
	c.I += len(words)
	return true
}

func (c *Cursor) Expect(w string) {
	if !c.Accept(w) {
		c.Fail("here should be " + w + ", not " + c.Shown())
	}
}

func (c *Cursor) Shown() string {
	if c.Done() {
		return "the end of the statement"
	}
	t := c.Peek()
	return c.St.Src.Text[t.From:t.To]
}

func (c *Cursor) Name(what string) string {
	t := c.Peek()
	if !t.IsName() {
		c.Fail("here should be the name of " + what + ", not " + c.Shown())
	}
	c.I++
	return t.Text
}

// tableName reads a name that may have a database before it.
func (c *Cursor) TableName() string {
	n := c.Name("a table")
	for c.Accept(".") {
		n = c.Name("a table")
	}
	return n
}

// parens reads what stands between parentheses, if they come next.
func (c *Cursor) Parens() []Token {
	if !c.Accept("(") {
		return nil
	}
	from, depth := c.I, 1
	for ; !c.Done(); c.I++ {
		switch t := c.Peek(); {
		case t.Is("("):
			depth++
		case t.Is(")"):
			if depth--; depth == 0 {
				c.I++
				return c.St.Tokens[from : c.I-1]
			}
		}
	}
	c.Fail("a parenthesis is not closed")
	return nil
}

// columns reads a list of column names; ok is false where it has prefixes of
// columns or expressions.
func (c *Cursor) columns() (names []string, ok bool) {
	if !c.Peek().Is("(") {
		c.Fail("here should be a list of columns, not " + c.Shown())
	}
	ok = true
	start := true
	for _, t := range c.Parens() {
		switch {
		case t.Is(","):
			start = true
		case t.Is("ASC", "DESC") && !start:
		case t.IsName() && start:
			names, start = append(names, t.Text), false
		default:
			ok = false
		}
	}
	return names, ok && len(names) > 0
}

func (c *Cursor) indexType() {
	if c.Accept("USING") {
		c.I++
	}
}

func (c *Cursor) indexName(name string) string {
	if c.Peek().IsName() && !c.Peek().Is("USING") {
		name = c.Next().Text
	}
	c.indexType()
	return name
}

// indexOptions passes over what follows the columns of a key.
func (c *Cursor) indexOptions() {
	for !c.Done() && !c.Peek().Is(",", ")") {
		c.I++
	}
}

// commaParts splits a list at the commas that stand in no parentheses. A comma at
// the end opens no part.
func CommaParts(list []Token) [][]Token {
	var parts [][]Token
	for len(list) > 0 {
		n, depth := 0, 0
		for ; n < len(list) && !(list[n].Is(",") && depth == 0); n++ {
			switch {
			case list[n].Is("("):
				depth++
			case list[n].Is(")"):
				depth--
			}
		}
		parts = append(parts, list[:n])
		list = list[min(n+1, len(list)):]
	}
	return parts
}
