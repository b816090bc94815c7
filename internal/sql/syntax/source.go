package syntax

import (
	"regexp"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
)

// Source is an input file.
type Source struct {
	Name  string
	Text  string
	lines []int // offset of each line
	Toks  []pg.Token
	// Claimed are the comments that belong to a transaction of a script.
	Claimed map[int]bool
	// at is the place that pos gave last, so that a long line is not counted
	// from its beginning for each place in it.
	at struct{ off, line, col int }
	// All, if it is valid, is the place of everything in the text, which stands in
	// a program in another language.
	All ir.Pos
}

// NewSource makes the source with a text.
func NewSource(name, text string) *Source {
	s := &Source{Name: name, Text: text, lines: []int{0}}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	return s
}

// Pos gives the line and the column, counted in characters, of an offset.
func (s *Source) Pos(off int) ir.Pos {
	if s.All != (ir.Pos{}) {
		return s.All
	}
	off = min(max(off, 0), len(s.Text))
	line := sort.SearchInts(s.lines, off+1) - 1
	from, col := s.lines[line], 0
	if s.at.line == line && s.at.off <= off {
		from, col = max(s.at.off, from), s.at.col
	}
	col += utf8.RuneCountInString(s.Text[from:off])
	s.at.off, s.at.line, s.at.col = off, line, col
	return ir.Pos{File: s.Name, Line: line + 1, Col: col + 1}
}

var (
	copyData   = regexp.MustCompile(`(?i)^copy\s.*\sfrom\s+stdin\b[^;]*;\s*$`)
	restricted = regexp.MustCompile(`^\\(un)?restrict\b`)
)

// WithoutData blanks what pg_dump writes for psql alone: the rows after COPY …
// FROM stdin, and the \restrict commands. Everything else keeps its place.
func WithoutData(text string) string {
	if !strings.Contains(text, "\n\\") && !strings.HasPrefix(text, "\\") {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	data := false
	for i, line := range lines {
		blank := data || restricted.MatchString(line)
		if data {
			data = strings.TrimRight(line, "\r\n") != `\.`
		} else {
			data = copyData.MatchString(line)
		}
		if blank {
			end := len(line) - len(strings.TrimRight(line, "\r\n"))
			lines[i] = strings.Repeat(" ", len(line)-end) + line[len(line)-end:]
		}
	}
	return strings.Join(lines, "")
}

// CheckText refuses what cannot be SQL text.
func (s *Source) CheckText() error {
	for i, r := range s.Text {
		if r == 0 {
			return ir.Errorf(s.Pos(i), "this is no SQL text but a binary file: there is a zero byte here")
		}
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s.Text[i:]); size == 1 {
				return ir.Errorf(s.Pos(i), "this is no UTF-8 text; convert the file, or leave it out")
			}
		}
	}
	return nil
}

// Text is SQL that the parser reads: a file, a function body, or a part of
// one after a prefix that makes it a statement. It maps offsets back.
type Text struct {
	Src *Source
	// Scope, if not nil, says what the names in it mean: it is part of a declaration. Here it is
	// carried along only.
	Scope  any
	SQL    string
	Prefix int
	// Byte i after the prefix stands at base+i of the file, or at offs[i] if
	// offs is given.
	base int
	Offs []int
}

// Whole is all of the source.
func (s *Source) Whole() *Text { return &Text{Src: s, SQL: s.Text} }

// Pos gives the place of an offset in t.s.
func (t *Text) Pos(off int) ir.Pos { return t.Src.Pos(t.Offset(off)) }

// Offset gives the offset in the source of one in t.SQL.
func (t *Text) Offset(off int) int {
	off = max(off-t.Prefix, 0)
	if t.Offs != nil {
		return t.Offs[min(off, len(t.Offs)-1)]
	}
	return t.base + off
}

// Part gives a span of t, which has no prefix itself, after a prefix.
func (t *Text) Part(prefix string, span plpgsql.Span) *Text {
	out := &Text{Src: t.Src, Scope: t.Scope, SQL: prefix + span.Text(t.SQL), Prefix: len(prefix), base: t.base + span.Start}
	if t.Offs != nil {
		out.Offs = t.Offs[span.Start:]
	}
	return out
}

// Slice gives the bytes from start to end of t, which has no prefix, after a
// prefix.
func (t *Text) Slice(prefix string, start, end int) *Text {
	return t.Part(prefix, plpgsql.Span{Start: start, End: end})
}

// mysqlOnly matches the parser's errors at words and signs that MySQL has there and PostgreSQL has
// not.
var mysqlOnly = regexp.MustCompile("(?i)at or near \"(`|auto_increment|engine|unsigned|zerofill|fulltext|duplicate|low_priority|delimiter)\"")

// mysqlWidth matches what stands before the width of a type of integers, which PostgreSQL has not.
var mysqlWidth = regexp.MustCompile(`(?i)\b(tiny|small|medium|big)?int\s*$`)

// mysqlGoesOn matches what begins at an error where MySQL has a clause or a statement, mysqlVariable what stands before a variable
// that a SELECT of MySQL sets.
var (
	mysqlGoesOn   = regexp.MustCompile(`(?i)^(lock\s+in\s+share\s+mode|replace\s+(into\s+)?\w+\s*(\(|values?\b|select\b|set\b)|ignore\s+(into\s+)?\w+)\b`)
	mysqlVariable = regexp.MustCompile(`(?i)\binto\s*$`)
)

// ofMySQL reports whether a fault that the parser found is the dialect of MySQL.
func (t *Text) ofMySQL(e *pg.Error) bool {
	at := min(max(e.Offset, 0), len(t.SQL))
	before, after := t.SQL[:at], t.SQL[at:]
	return mysqlOnly.MatchString(e.Msg) || strings.Contains(e.Msg, `near "("`) && mysqlWidth.MatchString(before) ||
		strings.Contains(e.Msg, "LIMIT #,# syntax") || mysqlGoesOn.MatchString(after) || mysqlVariable.MatchString(before) && strings.HasPrefix(after, "$")
}

// Parse gives the statements of the text.
func (t *Text) Parse() ([]*pg.RawStmt, error) {
	if err := t.checkDepth(); err != nil {
		return nil, err
	}
	stmts, err := pg.Parse(t.SQL)
	if err != nil {
		e := err.(*pg.Error)
		msg := Clipped(strings.TrimSpace(strings.ReplaceAll(e.Msg, "\n", " ")))
		if t.ofMySQL(e) {
			msg += ": this is the dialect of MySQL; give -dialect mysql"
		}
		return nil, ir.Errorf(t.Pos(e.Offset), "%s", msg)
	}
	return stmts, nil
}

// Literal gives the contents of the string constant tok as a text whose
// positions map into the file.
func (s *Source) Literal(tok pg.Token) *Text {
	raw := s.Text[tok.Start:tok.End]
	if raw[0] == '$' {
		open := strings.IndexByte(raw[1:], '$') + 2
		return &Text{Src: s, SQL: raw[open : len(raw)-open], base: tok.Start + open}
	}
	i := strings.IndexByte(raw, '\'') + 1
	escapes := raw[0] == 'e' || raw[0] == 'E'
	t := &Text{Src: s}
	var b strings.Builder
	for i < len(raw)-1 {
		t.Offs = append(t.Offs, tok.Start+i)
		c := raw[i]
		switch {
		case c == '\'': // doubled
			i++
		case c == '\\' && escapes && i+1 < len(raw):
			i++
			c = raw[i]
			switch c {
			case 'n':
				c = '\n'
			case 't':
				c = '\t'
			case 'r':
				c = '\r'
			}
		}
		b.WriteByte(c)
		i++
	}
	t.Offs = append(t.Offs, tok.End-1)
	t.SQL = b.String()
	return t
}

// comment is the text of a comment line after "--", or "".
func (s *Source) comment(tok pg.Token) string {
	line, ok := strings.CutPrefix(s.Text[tok.Start:tok.End], "--")
	if !ok {
		return ""
	}
	return line
}

// Directive splits a comment "-- key: rest" and gives the offset of rest.
func (s *Source) Directive(tok pg.Token, key string) (rest string, at int, ok bool) {
	line := s.comment(tok)
	body := strings.TrimLeft(line, " \t")
	body, ok = strings.CutPrefix(body, key+":")
	if !ok {
		return "", 0, false
	}
	rest = strings.TrimLeft(body, " \t")
	at = tok.End - len(rest)
	return strings.TrimRight(rest, " \t\r"), at, true
}

// FirstToken gives the index of the first token at or after off that is no
// comment.
func (s *Source) FirstToken(off int) int {
	i := sort.Search(len(s.Toks), func(i int) bool { return s.Toks[i].Start >= off })
	for i < len(s.Toks) && s.Toks[i].Kind == pg.Comment {
		i++
	}
	return i
}
