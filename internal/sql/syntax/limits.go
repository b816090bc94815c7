package syntax

import (
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/pg"
)

const (
	// MaxFile is the bytes of a file, and MaxSQL those of all files together
	// without space and the rows of COPY.
	MaxFile = 1 << 30
	MaxSQL  = 6 << 20
	// MaxNesting is the nesting of parentheses and CASE.
	MaxNesting = 500
	// maxChain is the operators, or parts of one UNION, JOIN or CASE, that follow
	// one another.
	maxChain = 5000
	// MaxList is the values of an IN that are compared one by one.
	MaxList = 2000
)

// Smaller says what helps where a file has more than MaxFile bytes.
const Smaller = "leave out the rows, and name the schema and the functions"

// chained are the words that make trees deeper, one after another. Punctuation
// is taken to do so, besides.
var chained = map[string]bool{"and": true, "or": true, "not": true, "is": true, "isnull": true, "notnull": true, "in": true,
	"like": true, "ilike": true, "similar": true, "between": true, "escape": true, "at": true, "collate": true,
	"union": true, "except": true, "intersect": true, "join": true, "when": true, "operator": true, "overlaps": true}

// checkDepth refuses a text that is nested too deep.
func (t *Text) checkDepth() error {
	if len(t.SQL) < MaxNesting {
		return nil
	}
	toks, err := pg.Scan(t.SQL)
	if err != nil {
		return nil // the parser says it better
	}
	type level struct {
		isCase bool
		chain  int
	}
	stack := []level{{}}
	for _, tok := range toks {
		top := &stack[len(stack)-1]
		opens, closes := false, false
		switch tok.Kind {
		case pg.Punct:
			switch tok.Text {
			case "(":
				opens = true
			case "[":
				opens = true
				top.chain++
			case ")", "]":
				closes = !top.isCase
			case ",", ";":
				top.chain = 0
			case ".":
			default:
				top.chain++
			}
		case pg.Word:
			switch {
			case tok.Text == "case":
				opens = true
			case tok.Text == "end":
				closes = top.isCase
			case chained[tok.Text]:
				top.chain++
			}
		}
		switch {
		case opens && len(stack) > MaxNesting:
			return ir.Errorf(t.Pos(tok.Start), "parentheses and CASE are nested more than %d deep", MaxNesting)
		case opens:
			stack = append(stack, level{isCase: tok.Text == "case"})
		case closes && len(stack) > 1:
			stack = stack[:len(stack)-1]
		case top.chain > maxChain:
			return ir.Errorf(t.Pos(tok.Start), "more than %d operators follow one another; split the expression", maxChain)
		}
	}
	return nil
}

// size counts the bytes of a text that are no space.
func size(text string) int {
	n := len(text)
	for _, space := range []string{" ", "\n", "\t", "\r"} {
		n -= strings.Count(text, space)
	}
	return n
}

// Clipped shortens a message that repeats the input.
func Clipped(msg string) string {
	const most = 200
	if len(msg) <= most {
		return msg
	}
	return strings.ToValidUTF8(msg[:most], "") + "…"
}
