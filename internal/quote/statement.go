package quote

import (
	"strings"
	"unicode/utf8"
)

// Statement is a statement of PostgreSQL's SQL that means the same and has no
// characters that cannot be printed, but for ends of lines and tabs: names and texts
// have escapes instead, comments with such characters are left out. It must be lexically
// correct (manual, 4.1).
func Statement(sql string) string {
	clean := func(s string) bool {
		return utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return r != '\n' && r != '\t' && !shown(r) }) < 0
	}
	if clean(sql) {
		return sql
	}
	var b strings.Builder
	for sql != "" {
		t := token(sql)
		sql = sql[len(t):]
		switch {
		case clean(t):
			b.WriteString(t)
		case strings.HasPrefix(t, "--"), strings.HasPrefix(t, "/*"):
			b.WriteString(" ")
		case t[0] == '"':
			b.WriteString(spaced(&b) + Ident(strings.ReplaceAll(t[1:len(t)-1], `""`, `"`)))
		case t[0] == '\'':
			b.WriteString(spaced(&b) + Literal(strings.ReplaceAll(t[1:len(t)-1], `''`, `'`)))
		case t[0] == '$':
			n := strings.IndexByte(t[1:], '$') + 2
			b.WriteString(spaced(&b) + Literal(t[n:len(t)-n]))
		default: // other quotes have escapes for them, white space has blanks
			b.WriteString(escapedOrBlank(t))
		}
	}
	return b.String()
}

// spaced is a blank where a constant of another form would join the word before it.
func spaced(b *strings.Builder) string {
	s := b.String()
	if s == "" || strings.ContainsAny(s[len(s)-1:], " \n\t(,=") {
		return ""
	}
	return " "
}

// escapedOrBlank writes what cannot be printed in E'…' and U&"…" with the escapes that
// these have, and as blanks elsewhere.
func escapedOrBlank(t string) string {
	if len(t) < 2 || !strings.ContainsAny(t[:2], `'&`) {
		return strings.Map(func(r rune) rune {
			if r == '\n' || shown(r) {
				return r
			}
			return ' '
		}, t)
	}
	var b strings.Builder
	for _, r := range t {
		switch {
		case r == '\n', shown(r):
			b.WriteRune(r)
		case t[1] == '&':
			b.WriteString(unicodeEscaped(string(r), '"'))
		default:
			e := Literal(string(r))
			b.WriteString(strings.TrimSuffix(strings.TrimPrefix(e, "E'"), "'"))
		}
	}
	return b.String()
}

// token gives the first token of SQL that may hold any characters, a comment, or the
// text up to the next one of these.
func token(sql string) string {
	upTo := func(open int, end string) string {
		if i := strings.Index(sql[open:], end); i >= 0 {
			return sql[:open+i+len(end)]
		}
		return sql
	}
	switch {
	case strings.HasPrefix(sql, "--"):
		return upTo(2, "\n")
	case strings.HasPrefix(sql, "/*"):
		return comment(sql)
	case sql[0] == '"', sql[0] == '\'':
		return quoted(sql, 0, false)
	case len(sql) > 1 && (sql[0] == 'e' || sql[0] == 'E') && sql[1] == '\'':
		return quoted(sql, 1, true)
	case len(sql) > 2 && (sql[0] == 'u' || sql[0] == 'U') && sql[1] == '&' && (sql[2] == '"' || sql[2] == '\''):
		return quoted(sql, 2, false)
	case sql[0] == '$':
		if tag := upTo(1, "$"); tag != sql && !strings.ContainsAny(tag, " \n\t'\"();,") && (len(tag) == 2 || tag[1] < '0' || tag[1] > '9') {
			return upTo(len(tag), tag)
		}
		return sql[:1]
	case word(sql[0]):
		i := 1
		for i < len(sql) && (word(sql[i]) || sql[i] == '$') {
			i++
		}
		return sql[:i]
	}
	_, n := utf8.DecodeRuneInString(sql)
	return sql[:n]
}

func word(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
}

// quoted gives the token whose quote is at open. With escapes, a backslash takes the
// next character away.
func quoted(sql string, open int, escapes bool) string {
	q := sql[open]
	for i := open + 1; i < len(sql); i++ {
		switch {
		case escapes && sql[i] == '\\':
			i++
		case sql[i] == q && i+1 < len(sql) && sql[i+1] == q:
			i++
		case sql[i] == q:
			return sql[:i+1]
		}
	}
	return sql
}

// comment gives a comment of C, which may have others in it.
func comment(sql string) string {
	depth := 0
	for i := 0; i+1 < len(sql); i++ {
		switch sql[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			if i++; depth == 0 {
				return sql[:i+1]
			}
		}
	}
	return sql
}
