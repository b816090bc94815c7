package irtext

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/txrobust/robust/internal/ir"
)

type tokenKind uint8

const (
	tokEOF tokenKind = iota
	tokIdent
	tokQuoted // a "quoted" identifier
	tokInt
	tokNum
	tokText
	tokPunct
)

type token struct {
	kind tokenKind
	text string
	pos  ir.Pos
}

// unescaped reads what inQuotes writes with escapes, and gives the text and the
// length of the source.
func unescaped(s string) (text string, n int, ok bool) {
	q := s[1]
	var b []byte
	for rest := s[2:]; rest != ""; {
		if rest[0] == q {
			return string(b), len(s) - len(rest) + 1, true
		}
		r, multibyte, tail, err := strconv.UnquoteChar(rest, q)
		if err != nil {
			return "", 0, false
		}
		if multibyte || r < utf8.RuneSelf {
			b = utf8.AppendRune(b, r)
		} else {
			b = append(b, byte(r))
		}
		rest = tail
	}
	return "", 0, false
}

type lexer struct {
	file      string
	src       string
	off       int
	line, col int
}

func (l *lexer) pos() ir.Pos { return ir.Pos{File: l.file, Line: l.line, Col: l.col} }

func (l *lexer) advance(n int) {
	for _, r := range l.src[l.off : l.off+n] {
		if r == '\n' {
			l.line++
			l.col = 1
		} else {
			l.col++
		}
	}
	l.off += n
}

func (l *lexer) skipSpace() {
	for l.off < len(l.src) {
		rest := l.src[l.off:]
		switch {
		case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "--"):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			l.advance(n)
		case unicode.IsSpace(rune(rest[0])):
			l.advance(1)
		default:
			return
		}
	}
}

// scan gives all tokens, the last one tokEOF.
func scan(file, src string) ([]token, error) {
	l := &lexer{file: file, src: src, line: 1, col: 1}
	var out []token
	for {
		l.skipSpace()
		pos := l.pos()
		if l.off == len(src) {
			return append(out, token{tokEOF, "", pos}), nil
		}
		rest := src[l.off:]
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case r == utf8.RuneError && size == 1:
			return nil, ir.Errorf(pos, "the file is not UTF-8 text here")
		case r == '_' || unicode.IsLetter(r):
			n := strings.IndexFunc(rest, func(r rune) bool {
				return !(r == '_' || r == '\'' || unicode.IsLetter(r) || unicode.IsDigit(r))
			})
			if n < 0 {
				n = len(rest)
			}
			out = append(out, token{tokIdent, rest[:n], pos})
			l.advance(n)
		case r >= '0' && r <= '9':
			n, kind := 0, tokInt
			for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
				n++
			}
			if n+1 < len(rest) && rest[n] == '.' && rest[n+1] >= '0' && rest[n+1] <= '9' {
				kind = tokNum
				for n++; n < len(rest) && rest[n] >= '0' && rest[n] <= '9'; n++ {
				}
			}
			out = append(out, token{kind, rest[:n], pos})
			l.advance(n)
		case r == '\'' || r == '"' || strings.HasPrefix(rest, `\'`) || strings.HasPrefix(rest, `\"`):
			t, n, err := quotedToken(rest, pos)
			if err != nil {
				return nil, err
			}
			out = append(out, t)
			l.advance(n)
		default:
			n := 1
			for _, p := range []string{":=", "==", "!=", "<>", "<=", ">=", ".."} {
				if strings.HasPrefix(rest, p) {
					n = 2
				}
			}
			if !strings.Contains("(){}[],;:=<>+-*/%.", rest[:1]) && n == 1 {
				return nil, ir.Errorf(pos, "unexpected character %q", r)
			}
			out = append(out, token{tokPunct, rest[:n], pos})
			l.advance(n)
		}
	}
}

// quotedToken reads the name or text that s begins with, and gives its length.
func quotedToken(s string, pos ir.Pos) (t token, n int, err error) {
	read, opens := quoted, s[:1]
	if s[0] == '\\' {
		read, opens = unescaped, s[:2]
	}
	text, n, ok := read(s)
	if !ok {
		return t, 0, ir.Errorf(pos, "the %s that opens here is never closed", opens)
	}
	if strings.HasSuffix(opens, `"`) {
		return token{tokQuoted, text, pos}, n, nil
	}
	return token{tokText, text, pos}, n, nil
}

// quoted reads a string in which a doubled quote stands for one; it gives the text
// and the length of the source.
func quoted(s string) (text string, n int, ok bool) {
	q := s[0]
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		if s[i] != q {
			b.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == q {
			b.WriteByte(q)
			i++
			continue
		}
		return b.String(), i + 1, true
	}
	return "", 0, false
}
