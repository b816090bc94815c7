package sqlmodel

import (
	"regexp"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/ir"
)

// source is an input file.
type source struct {
	name  string
	text  string
	lines []int // offset of each line
	toks  []pg.Token
	// claimed are the comments that belong to a transaction of a script.
	claimed map[int]bool
	// at is the place that pos gave last, so that a long line is not counted
	// from its beginning for each place in it.
	at struct{ off, line, col int }
	// all, if it is valid, is the place of everything in the text, which stands in
	// a program in another language.
	all ir.Pos
}

func newSource(name, text string) *source {
	s := &source{name: name, text: text, lines: []int{0}}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	return s
}

// pos gives the line and the column, counted in characters, of an offset.
func (s *source) pos(off int) ir.Pos {
	if s.all != (ir.Pos{}) {
		return s.all
	}
	off = min(max(off, 0), len(s.text))
	line := sort.SearchInts(s.lines, off+1) - 1
	from, col := s.lines[line], 0
	if s.at.line == line && s.at.off <= off {
		from, col = max(s.at.off, from), s.at.col
	}
	col += utf8.RuneCountInString(s.text[from:off])
	s.at.off, s.at.line, s.at.col = off, line, col
	return ir.Pos{File: s.name, Line: line + 1, Col: col + 1}
}

var (
	copyData   = regexp.MustCompile(`(?i)^copy\s.*\sfrom\s+stdin\b[^;]*;\s*$`)
	restricted = regexp.MustCompile(`^\\(un)?restrict\b`)
)

// withoutData blanks what pg_dump writes for psql alone: the rows after COPY …
// FROM stdin, and the \restrict commands. Everything else keeps its place.
func withoutData(text string) string {
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

// checkText refuses what cannot be SQL text.
func (s *source) checkText() error {
	for i, r := range s.text {
		if r == 0 {
			return ir.Errorf(s.pos(i), "this is no SQL text but a binary file: there is a zero byte here")
		}
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s.text[i:]); size == 1 {
				return ir.Errorf(s.pos(i), "this is no UTF-8 text; convert the file, or leave it out")
			}
		}
	}
	return nil
}

// text is SQL that the parser reads: a file, a function body, or a part of
// one after a prefix that makes it a statement. It maps offsets back.
type text struct {
	src *source
	// names, if not nil, says what the names in it mean: it is part of a declaration.
	names  *resolver
	s      string
	prefix int
	// Byte i after the prefix stands at base+i of the file, or at offs[i] if
	// offs is given.
	base int
	offs []int
}

func (s *source) whole() *text { return &text{src: s, s: s.text} }

// pos gives the place of an offset in t.s.
func (t *text) pos(off int) ir.Pos { return t.src.pos(t.offset(off)) }

func (t *text) offset(off int) int {
	off = max(off-t.prefix, 0)
	if t.offs != nil {
		return t.offs[min(off, len(t.offs)-1)]
	}
	return t.base + off
}

// part gives a span of t, which has no prefix itself, after a prefix.
func (t *text) part(prefix string, span plpgsql.Span) *text {
	out := &text{src: t.src, names: t.names, s: prefix + span.Text(t.s), prefix: len(prefix), base: t.base + span.Start}
	if t.offs != nil {
		out.offs = t.offs[span.Start:]
	}
	return out
}

// slice gives the bytes from start to end of t, which has no prefix, after a
// prefix.
func (t *text) slice(prefix string, start, end int) *text {
	return t.part(prefix, plpgsql.Span{Start: start, End: end})
}

// mysqlOnly matches the parser's errors at words and signs that MySQL has there and PostgreSQL has
// not.
var mysqlOnly = regexp.MustCompile("(?i)at or near \"(`|auto_increment|engine|unsigned|zerofill|fulltext|duplicate|low_priority)\"")

// mysqlWidth matches what stands before the width of a type of integers, which PostgreSQL has not.
var mysqlWidth = regexp.MustCompile(`(?i)\b(tiny|small|medium|big)?int\s*$`)

// parse gives the statements of the text.
func (t *text) parse() ([]*pg.RawStmt, error) {
	if err := t.checkDepth(); err != nil {
		return nil, err
	}
	stmts, err := pg.Parse(t.s)
	if err != nil {
		e := err.(*pg.Error)
		msg := clipped(strings.TrimSpace(strings.ReplaceAll(e.Msg, "\n", " ")))
		if mysqlOnly.MatchString(e.Msg) || strings.Contains(e.Msg, `near "("`) && mysqlWidth.MatchString(t.s[:min(max(e.Offset, 0), len(t.s))]) {
			msg += ": this is the dialect of MySQL; give -dialect mysql"
		}
		return nil, ir.Errorf(t.pos(e.Offset), "%s", msg)
	}
	return stmts, nil
}

// literal gives the contents of the string constant tok as a text whose
// positions map into the file.
func (s *source) literal(tok pg.Token) *text {
	raw := s.text[tok.Start:tok.End]
	if raw[0] == '$' {
		open := strings.IndexByte(raw[1:], '$') + 2
		return &text{src: s, s: raw[open : len(raw)-open], base: tok.Start + open}
	}
	i := strings.IndexByte(raw, '\'') + 1
	escapes := raw[0] == 'e' || raw[0] == 'E'
	t := &text{src: s}
	var b strings.Builder
	for i < len(raw)-1 {
		t.offs = append(t.offs, tok.Start+i)
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
	t.offs = append(t.offs, tok.End-1)
	t.s = b.String()
	return t
}

// comment is the text of a comment line after "--", or "".
func (s *source) comment(tok pg.Token) string {
	line, ok := strings.CutPrefix(s.text[tok.Start:tok.End], "--")
	if !ok {
		return ""
	}
	return line
}

// directive splits a comment "-- key: rest" and gives the offset of rest.
func (s *source) directive(tok pg.Token, key string) (rest string, at int, ok bool) {
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

// firstToken gives the index of the first token at or after off that is no
// comment.
func (s *source) firstToken(off int) int {
	i := sort.Search(len(s.toks), func(i int) bool { return s.toks[i].Start >= off })
	for i < len(s.toks) && s.toks[i].Kind == pg.Comment {
		i++
	}
	return i
}
