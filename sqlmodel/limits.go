package sqlmodel

import (
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/ir"
)

// What SQL may have at most, so that no input can exhaust stack or memory. The
// parser, and all that goes through its trees, calls itself for what is nested;
// so texts are looked at before they are parsed.
const (
	// maxFile is the bytes of a file, and maxSQL those of all files together
	// without space and the rows of COPY.
	maxFile = 1 << 30
	maxSQL  = 6 << 20
	// maxNesting is the nesting of parentheses and CASE.
	maxNesting = 500
	// maxChain is the operators, or parts of one UNION, JOIN or CASE, that follow
	// one another.
	maxChain = 5000
	// maxList is the values of an IN that are compared one by one.
	maxList = 2000
)

// smaller says what helps where a file has more than maxFile bytes.
const smaller = "leave out the rows, and name the schema and the functions"

// chained are the words that make trees deeper, one after another. Punctuation
// is taken to do so, besides.
var chained = map[string]bool{"and": true, "or": true, "not": true, "is": true, "isnull": true, "notnull": true, "in": true,
	"like": true, "ilike": true, "similar": true, "between": true, "escape": true, "at": true, "collate": true,
	"union": true, "except": true, "intersect": true, "join": true, "when": true, "operator": true, "overlaps": true}

// checkDepth refuses a text that is nested too deep.
func (t *text) checkDepth() error {
	if len(t.s) < maxNesting {
		return nil
	}
	toks, err := pg.Scan(t.s)
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
		case opens && len(stack) > maxNesting:
			return ir.Errorf(t.pos(tok.Start), "parentheses and CASE are nested more than %d deep", maxNesting)
		case opens:
			stack = append(stack, level{isCase: tok.Text == "case"})
		case closes && len(stack) > 1:
			stack = stack[:len(stack)-1]
		case top.chain > maxChain:
			return ir.Errorf(t.pos(tok.Start), "more than %d operators follow one another; split the expression", maxChain)
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

// clipped shortens a message that repeats the input.
func clipped(msg string) string {
	const most = 200
	if len(msg) <= most {
		return msg
	}
	return strings.ToValidUTF8(msg[:most], "") + "…"
}
