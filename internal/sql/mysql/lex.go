package mysql

import (
	"strings"
	"unicode/utf8"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/input"
)

// File is an input file: Name appears in positions.
type File = input.File

// tokenKind is what a token is.
type tokenKind uint8

const (
	Word   tokenKind = iota // a keyword or name as written
	quoted                  // a name between backquotes
	Text                    // a text constant, with its quotes
	Number
	Mark  // ? : a parameter by its place
	Named // :v or @v, with the sigil
	Punct
)

// token is a token of a file.
type Token struct {
	Kind tokenKind
	// text is the token as written; a quoted name stands without its quotes.
	Text     string
	From, To int // offsets in the file, in bytes
}

// is reports whether the token is one of the keywords, which are upper case.
func (t Token) Is(words ...string) bool {
	if t.Kind != Word && t.Kind != Punct {
		return false
	}
	for _, w := range words {
		if strings.EqualFold(t.Text, w) {
			return true
		}
	}
	return false
}

func (t Token) IsName() bool { return t.Kind == Word || t.Kind == quoted }

// source is a file with what positions in it need.
type source struct {
	name, Text string
	lines      []int // where they begin
	// at is the last place that was asked for: counting goes on from there, since a
	// file may be one line.
	at struct{ off, line, col int }
}

func NewSource(f File) *source {
	s := &source{name: f.Name, Text: f.Text, lines: []int{0}}
	for i := 0; i < len(f.Text); i++ {
		if f.Text[i] == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	return s
}

// pos gives the place of an offset: columns count characters.
func (s *source) Pos(off int) ir.Pos {
	lo, hi := 0, len(s.lines)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; s.lines[mid] <= off {
			lo = mid
		} else {
			hi = mid
		}
	}
	from, col := s.lines[lo], 0
	if s.at.line == lo && s.at.off <= off {
		from, col = max(s.at.off, from), s.at.col
	}
	col += utf8.RuneCountInString(s.Text[from:off])
	s.at.off, s.at.line, s.at.col = off, lo, col
	return ir.Pos{File: s.name, Line: lo + 1, Col: col + 1}
}

// statement is a statement as it stands in a file.
type Statement struct {
	Src    *source
	Tokens []Token
	// comments are those since the statement before, without their marks.
	Comments []Comment
}

type Comment struct {
	Text string
	Pos  ir.Pos
}

func (st *Statement) Pos() ir.Pos { return st.Src.Pos(st.Tokens[0].From) }

// first reports whether the statement begins with the words.
func (st *Statement) First(words ...string) bool {
	if len(st.Tokens) < len(words) {
		return false
	}
	for i, w := range words {
		if !st.Tokens[i].Is(w) {
			return false
		}
	}
	return true
}

func (st *Statement) Has(words ...string) bool {
	for _, t := range st.Tokens {
		if t.Is(words...) {
			return true
		}
	}
	return false
}

func Letter(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// noVersion begins what is for a version that no server has: the first line of a dump of MariaDB is for its client.
const noVersion = "/*M!999999"

// cut splits a file into statements. The bodies of /*! … */ are part of them,
// as for the server; DELIMITER is honoured. What ends the file without a
// delimiter is a statement too.
func Cut(f File) []*Statement {
	s := NewSource(f)
	src := f.Text
	delimiter := ";"
	var out []*Statement
	cur := &Statement{Src: s}
	end := func() {
		if len(cur.Tokens) > 0 {
			out = append(out, cur)
			cur = &Statement{Src: s}
		}
	}
	remark := func(from, to int) {
		if len(cur.Tokens) == 0 {
			cur.Comments = append(cur.Comments, Comment{strings.TrimSpace(src[from:to]), s.Pos(from)})
		}
	}
	special := 0 // the depth of /*! … */
	for i := 0; i < len(src); {
		c := src[i]
		rest := src[i:]
		add := func(k tokenKind, text string, n int) {
			cur.Tokens = append(cur.Tokens, Token{k, text, i, i + n})
			i += n
		}
		line := func() int {
			if n := strings.IndexByte(rest, '\n'); n >= 0 {
				return n
			}
			return len(rest)
		}
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v':
			i++
		case strings.HasPrefix(rest, "--") && (len(rest) == 2 || rest[2] <= ' '):
			n := line()
			remark(i+2, i+n)
			i += n
		case c == '#':
			n := line()
			remark(i+1, i+n)
			i += n
		case (strings.HasPrefix(rest, "/*!") || strings.HasPrefix(rest, "/*M!")) && !strings.HasPrefix(rest, noVersion):
			special++
			i += strings.IndexByte(rest, '!') + 1
			for i < len(src) && digit(src[i]) {
				i++
			}
		case special > 0 && strings.HasPrefix(rest, "*/"):
			special--
			i += 2
		case strings.HasPrefix(rest, "/*"):
			i += remarkLength(rest)
		case len(cur.Tokens) == 0 && len(rest) > 9 && strings.EqualFold(rest[:9], "delimiter") && (rest[9] == ' ' || rest[9] == '\t'):
			n := line()
			if d := strings.TrimSpace(rest[9:n]); d != "" {
				delimiter = d
			}
			i += n
		case strings.HasPrefix(rest, delimiter):
			if delimiter == ";" && cur.inBody() { // without DELIMITER, as a client sends it that does not split files
				add(Punct, ";", 1)
				break
			}
			end()
			i += len(delimiter)
		case c == '\'' || c == '"':
			add(Text, "", quotedLength(rest, true))
			t := &cur.Tokens[len(cur.Tokens)-1]
			t.Text = src[t.From:t.To]
		case c == '`':
			n := quotedLength(rest, false)
			name := strings.TrimSuffix(rest[1:n], "`")
			add(quoted, strings.ReplaceAll(name, "``", "`"), n)
		case c == '?':
			add(Mark, "?", 1)
		case (c == ':' || c == '@') && len(rest) > 1 && Letter(rest[1]):
			n := 1
			for n < len(rest) && Letter(rest[n]) {
				n++
			}
			add(Named, rest[:n], n)
		case digit(c) || c == '.' && len(rest) > 1 && digit(rest[1]) && !afterName(cur.Tokens, i):
			n := 1
			for n < len(rest) && (Letter(rest[n]) || rest[n] == '.' || (rest[n] == '-' || rest[n] == '+') && rest[n-1]|0x20 == 'e' && plainNumber(rest[:n-1])) {
				n++
			}
			k := Number
			if !strings.Contains(rest[:n], ".") && !plainNumber(rest[:n]) && !strings.ContainsAny(rest[:n], "xXeEbB") {
				k = Word // names may begin with digits
			}
			add(k, rest[:n], n)
		case Letter(c):
			n := 1
			for n < len(rest) && Letter(rest[n]) && !strings.HasPrefix(rest[n:], delimiter) {
				n++
			}
			add(Word, rest[:n], n)
		default:
			add(Punct, rest[:1], 1)
		}
	}
	end()
	return out
}

// remarkLength is the length of the comment /* … */ at the beginning of a text.
func remarkLength(s string) int {
	if e := strings.Index(s[2:], "*/"); e >= 0 {
		return e + 4
	}
	return len(s)
}

// inBody reports whether the statement is a routine whose body has not come to its end.
func (st *Statement) inBody() bool {
	if st.RoutineWord() == "" {
		return false
	}
	depth := 0
	for i, t := range st.Tokens {
		switch {
		case t.Is("BEGIN", "CASE") && !st.at(i-1, "END"):
			depth++
		case t.Is("END") && !st.at(i+1, "IF", "LOOP", "WHILE", "REPEAT", "FOR"):
			depth--
		}
	}
	return depth > 0
}

// afterName reports whether the last token is a name that ends at offset i: a
// dot after it is no number.
func afterName(ts []Token, i int) bool {
	return len(ts) > 0 && ts[len(ts)-1].To == i && ts[len(ts)-1].IsName()
}

func plainNumber(s string) bool {
	for i := 0; i < len(s); i++ {
		if !digit(s[i]) && s[i] != '.' {
			return false
		}
	}
	return s != ""
}

// quotedLength is the length of what a quote begins, or of all that is left.
func quotedLength(s string, backslash bool) int {
	q := s[0]
	for i := 1; i < len(s); i++ {
		switch {
		case backslash && s[i] == '\\':
			i++
		case s[i] == q:
			if i+1 < len(s) && s[i+1] == q {
				i++
				continue
			}
			return i + 1
		}
	}
	return len(s)
}

// unquote gives the value of a text constant as written. ok is false where the
// quotes do not end.
func Unquote(s string) (string, bool) {
	if len(s) < 2 || s[len(s)-1] != s[0] || quotedLength(s, true) != len(s) {
		return "", false
	}
	q := s[0]
	var b strings.Builder
	for i := 1; i < len(s)-1; i++ {
		c := s[i]
		switch {
		case c == '\\':
			i++
			switch c = s[i]; c {
			case 'n':
				c = '\n'
			case 't':
				c = '\t'
			case 'r':
				c = '\r'
			case '0':
				c = 0
			case 'b':
				c = '\b'
			case 'Z':
				c = 26
			case '%', '_': // they keep the backslash
				b.WriteByte('\\')
			}
		case c == q:
			i++
		}
		b.WriteByte(c)
	}
	return b.String(), true
}
