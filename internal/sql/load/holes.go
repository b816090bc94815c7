package load

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
)

// FillHoles puts conditions in the place of the holes of a text, and * in that of
// the whole list of columns, which star says; ok is false where one of them may be
// something else.
func FillHoles(text string) (filled string, star, ok bool) {
	text = strings.ReplaceAll(text, client.Hole, " "+holeWord+" ")
	toks, err := pg.Scan(text)
	if err != nil || len(toks) == 0 {
		return "", false, false
	}
	toks = slices.DeleteFunc(toks, func(t pg.Token) bool { return t.Kind == pg.Comment })
	f := &filler{tokenReader: tokenReader{toks: toks}, text: text, where: -1, end: len(toks)}
	if !f.word(0, "select", "update", "delete") || !f.clauses() {
		return "", false, false
	}
	for i, t := range toks {
		if isHole(t) && (t.Text != holeWord || !f.fill(i)) {
			return "", false, false
		}
	}
	return f.result(), f.star, true
}

// filler replaces the holes of one statement.
type filler struct {
	tokenReader
	text string
	// depth are the parentheses around each token. where is the place of WHERE, -1
	// for none, and end that of the first clause behind the condition.
	depth      []int
	where, end int
	edits      []edit
	// loose says that nothing is known of the condition, star that the columns are
	// not known.
	loose, star bool
}

// edit is a new text for the tokens from from to before to.
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
		case "order", "limit", "offset", "fetch", "for", "returning":
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
		f.edits = append(f.edits, edit{i, i + 1, schema.HoleFunc + "()"})
	case i == 1 && f.word(0, "select") && f.word(2, "from"):
		f.star = true
		f.edits = append(f.edits, edit{i, i + 1, "*"})
	case f.depth[i] == 0 && f.where >= 0 && i > f.where && i < f.end && i+1 < len(f.toks):
		f.loose = true // it may have an OR, so that nothing of the condition need hold
	default:
		return false
	}
	return true
}

// result puts the text together.
func (f *filler) result() string {
	if f.loose {
		f.edits = slices.DeleteFunc(f.edits, func(e edit) bool { return e.from > f.where && e.from < f.end })
		f.edits = append(f.edits, edit{f.where, f.end, "WHERE " + schema.HoleFunc + "()"})
	}
	slices.SortStableFunc(f.edits, func(a, b edit) int { return a.from - b.from })
	var out strings.Builder
	at := 0
	for _, e := range f.edits {
		out.WriteString(f.text[at:f.toks[e.from].Start] + " " + e.text + " ")
		at = f.toks[e.to-1].End
	}
	return out.String() + f.text[at:]
}

// WithoutBackticks writes names as MySQL quotes them as those of PostgreSQL, without
// capitals, since MySQL ignores case.
func WithoutBackticks(text string) string {
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
