package sqlmodel

import (
	"cmp"
	"slices"
	"strings"

	"github.com/txrobust/robust/client"
	"github.com/txrobust/robust/sqlmodel/internal/pg"
)

// A part of a statement that is not known, where it belongs to the condition on the
// rows, or to what limits and orders them, is taken to be a condition that any row
// may fulfil or not. That is more than it can be, as long as it names no tables and
// no functions with effects, which is taken for granted of each hole.

// holeFunc is a function that is true or not, for each row anew.
const holeFunc = "robust_hole"

// fillHoles puts conditions in the place of the holes of a text; ok is false where
// one of them may be something else.
func fillHoles(text string) (filled string, ok bool) {
	text = strings.ReplaceAll(text, client.Hole, " "+holeWord+" ")
	toks, err := pg.Scan(text)
	if err != nil || len(toks) == 0 {
		return "", false
	}
	toks = slices.DeleteFunc(toks, func(t pg.Token) bool { return t.Kind == pg.Comment })
	f := &filler{tokenReader: tokenReader{toks: toks}, text: text, where: -1, end: len(toks)}
	if !f.word(0, "select", "update", "delete") || !f.clauses() {
		return "", false
	}
	for i, t := range toks {
		if isHole(t) && (t.Text != holeWord || !f.fill(i)) {
			return "", false
		}
	}
	return f.result()
}

// filler replaces the holes of one statement.
type filler struct {
	tokenReader
	text string
	// depth are the parentheses around each token. where is the place of WHERE, -1
	// for none; end that of the first clause behind the condition, and tail that of
	// the clause after which a hole only limits and orders rows, 0 for none.
	depth            []int
	where, end, tail int
	edits            []edit
	// loose says that a hole may end the condition that it stands in, limited that
	// one leaves rows out.
	loose, limited bool
}

// edit is a new text for tokens.
type edit struct {
	from, to int
	text     string
}

// clauses finds the clauses of the statement.
func (f *filler) clauses() bool {
	depth := 0
	for i, t := range f.toks {
		if f.punct(i, ")") {
			depth--
		}
		f.depth = append(f.depth, depth)
		if f.punct(i, "(") {
			depth++
		}
		if depth > 0 || t.Kind != pg.Word {
			if f.punct(i, ";") {
				return false
			}
			continue
		}
		switch t.Text {
		case "union", "intersect", "except", "with", "group", "having", "window", "into":
			return false
		case "where":
			f.where = i
		case "order", "limit", "offset", "fetch", "for":
			f.end, f.tail = min(f.end, i), i
		case "returning":
			f.end = min(f.end, i)
		}
	}
	return depth == 0
}

// fill replaces one hole.
func (f *filler) fill(i int) bool {
	inside := f.punct(i-1, "(") && f.punct(i+1, ")")
	switch {
	case inside && f.word(i-2, "in", "and", "or", "where", "not"), inside && f.punct(i-2, "("):
		f.edits = append(f.edits, edit{i, i + 1, holeFunc + "()"})
	case f.depth[i] > 0:
		return false
	case f.where >= 0 && i > f.where && i < f.end:
		text := holeFunc + "()"
		if !f.word(i-1, "and", "or", "where", "not") {
			text = "AND " + text
		}
		f.edits = append(f.edits, edit{i, i + 1, text})
		f.loose, f.limited = true, true
	case f.tail > 0 && f.word(i-1, "by") && (i+1 == len(f.toks) || f.word(i+1, "limit", "offset", "for", "fetch")):
		f.edits = append(f.edits, edit{i - 2, i + 1, ""})
		f.limited = true
	case f.tail > 0 && f.word(i-1, "limit", "offset") && (i+1 == len(f.toks) || f.word(i+1, "limit", "offset", "for")):
		f.edits = append(f.edits, edit{i - 1, i + 1, ""})
		f.limited = true
	case i+1 == len(f.toks) && f.word(0, "select", "delete") && (f.tail > 0 && !f.word(i-1, "limit", "offset", "for") || f.where < 0 && f.end == len(f.toks) && f.from(i)):
		f.edits = append(f.edits, edit{i, i + 1, ""})
		f.limited = true
	default:
		return false
	}
	return true
}

// from reports whether FROM and the name of a table stand before a token.
func (f *filler) from(i int) bool {
	at := slices.IndexFunc(f.toks, func(t pg.Token) bool { return t.Kind == pg.Word && t.Text == "from" })
	return at >= 0 && at+1 < i
}

// result puts the text together.
func (f *filler) result() (string, bool) {
	if f.limited {
		switch {
		case f.where >= 0 && f.loose:
			f.edits = append(f.edits, edit{f.where, f.where + 1, "WHERE (("}, edit{f.end, f.end, ") OR " + holeFunc + "()) AND " + holeFunc + "() "})
		case f.where >= 0:
			f.edits = append(f.edits, edit{f.where, f.where + 1, "WHERE ("}, edit{f.end, f.end, ") AND " + holeFunc + "() "})
		default:
			f.edits = append(f.edits, edit{f.end, f.end, " WHERE " + holeFunc + "() "})
		}
	}
	slices.SortStableFunc(f.edits, func(a, b edit) int { return cmp.Or(a.from-b.from, a.to-b.to) })
	var out strings.Builder
	at := 0
	for _, e := range f.edits {
		start := f.start(e.from)
		if start < at {
			return "", false
		}
		out.WriteString(f.text[at:start] + " " + e.text + " ")
		at = start
		if e.to > e.from {
			at = f.toks[e.to-1].End
		}
	}
	return out.String() + f.text[at:], true
}

// start is where a token begins in the text, or its end.
func (f *filler) start(i int) int {
	if i == len(f.toks) {
		return len(f.text)
	}
	return f.toks[i].Start
}

// withoutLimit makes of an UPDATE or DELETE with ORDER BY or LIMIT, which MySQL has,
// one that changes any of its rows.
func withoutLimit(text string) (string, bool) {
	toks, err := pg.Scan(text)
	if err != nil || len(toks) == 0 {
		return "", false
	}
	toks = slices.DeleteFunc(toks, func(t pg.Token) bool { return t.Kind == pg.Comment })
	f := &filler{tokenReader: tokenReader{toks: toks}, text: text, where: -1, end: len(toks), limited: true}
	if !f.word(0, "update", "delete") || !f.clauses() || f.tail == 0 {
		return "", false
	}
	f.edits = append(f.edits, edit{f.end, len(toks), ""})
	return f.result()
}

// withoutBackticks writes names as MySQL quotes them as those of PostgreSQL, without
// capitals, since MySQL ignores case.
func withoutBackticks(text string) string {
	var out strings.Builder
	quote := byte(0)
	for i := range len(text) {
		c := text[i]
		switch {
		case c == '`' && (quote == 0 || quote == '`'):
			quote ^= '`'
			c = '"'
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == quote:
			quote = 0
		case quote == '`' && c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		}
		out.WriteByte(c)
	}
	return out.String()
}

// isHoleCall reports whether an expression stands for a part that is not known.
func isHoleCall(n *pg.Node) bool {
	c, ok := pg.Inner(n).(*pg.FuncCall)
	return ok && strings.Join(names(c.Funcname), ".") == holeFunc
}
