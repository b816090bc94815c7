package quote

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shown reports whether a character may reach a terminal as it is.
func shown(r rune) bool { return r != utf8.RuneError && unicode.IsPrint(r) }

// Printable reports whether a text may reach a terminal as it is.
func Printable(s string) bool { return escaped(s, shown) == s }

// escaped replaces what keep does not allow.
func escaped(s string, keep func(r rune) bool) string {
	if strings.IndexFunc(s, func(r rune) bool { return !keep(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case keep(r):
			b.WriteRune(r)
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == utf8.RuneError:
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

// Line shows a text in one line: for a terminal, a log, or a comment that ends
// with the line. A line that a CI system would take for a command, since it begins
// with :: or ##[, begins with an escape.
func Line(s string) string {
	s = escaped(s, shown)
	for _, command := range []string{"::", "##["} {
		if rest := strings.TrimLeft(s, " "); strings.HasPrefix(rest, command) {
			return s[:len(s)-len(rest)] + fmt.Sprintf(`\x%02x`, rest[0]) + rest[1:]
		}
	}
	return s
}

// JSON escapes, in the text of JSON values, what Line escapes. In JSON such
// characters stand only inside of strings.
func JSON(text []byte) []byte {
	hidden := func(r rune) bool { return r != '\n' && !shown(r) && r != utf8.RuneError }
	if bytes.IndexFunc(text, hidden) < 0 {
		return text
	}
	var out []byte
	for i, r := range string(text) {
		switch {
		case !hidden(r):
			_, n := utf8.DecodeRune(text[i:])
			out = append(out, text[i:i+n]...)
		case r > 0xffff:
			a, b := (r-0x10000)>>10+0xd800, (r-0x10000)&0x3ff+0xdc00
			out = fmt.Appendf(out, `\u%04x\u%04x`, a, b)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

// EncodeJSON writes a value as JSON that ends with a line; indent, if not "", stands
// at the beginning of lines.
func EncodeJSON(v any, indent string) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	err := enc.Encode(v)
	return JSON(out.Bytes()), err
}

// DOT is a string of Graphviz; ends of lines stay such in a label.
func DOT(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		// An ampersand begins an entity of HTML.
		lines[i] = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;").Replace(Line(l))
	}
	return `"` + strings.Join(lines, `\n`) + `"`
}

// reserved are PostgreSQL's reserved words (manual, appendix C), and those that
// may be no name of a function or type.
var reserved = strings.Fields(`all analyse analyze and any array as asc asymmetric authorization between bigint binary bit
	boolean both case cast char character check coalesce collate collation column concurrently constraint create cross
	current_catalog current_date current_role current_schema current_time current_timestamp current_user dec decimal
	default deferrable desc distinct do else end except exists extract false fetch float for foreign freeze from full
	grant greatest group grouping having ilike in initially inner inout int integer intersect interval into is isnull
	join json json_array json_arrayagg json_exists json_object json_objectagg json_query json_scalar json_serialize
	json_table json_value lateral leading least left like limit localtime localtimestamp merge_action national natural
	nchar none normalize not notnull null nullif numeric offset on only or order out outer overlaps overlay placing
	position precision primary real references returning right row select session_user setof similar smallint some
	substring symmetric system_user table tablesample then time timestamp to trailing treat trim true union unique user
	using values varchar variadic verbose when where window with xmlattributes xmlconcat xmlelement xmlexists xmlforest
	xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable`)

func plainIdent(name string) bool {
	for i := 0; i < len(name); i++ {
		if c := name[i]; !(c >= 'a' && c <= 'z' || c == '_' || i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return name != "" && !slices.Contains(reserved, name)
}

// Ident is a name in SQL of PostgreSQL, in one line and without characters that
// cannot be printed. The name is one part: a dot is a character of it.
func Ident(name string) string {
	switch {
	case plainIdent(name):
		return name
	case Printable(name):
		return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
	}
	return `U&"` + unicodeEscaped(name, '"') + `"`
}

// Literal is a text in SQL of PostgreSQL, whatever the setting
// standard_conforming_strings is, in one line and without characters that cannot
// be printed. psql puts no variables into it.
func Literal(s string) string {
	if !strings.Contains(s, `\`) && Printable(s) {
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	var b strings.Builder
	b.WriteString("E'")
	for _, r := range s {
		switch {
		case r == '\'':
			b.WriteString("''")
		case r == '\\':
			b.WriteString(`\\`)
		case shown(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String() + "'"
}

// unicodeEscaped is what stands between the quotes of U&"…".
func unicodeEscaped(s string, q rune) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == q:
			b.WriteRune(q)
			b.WriteRune(q)
		case r == '\\':
			b.WriteString(`\\`)
		case shown(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\+%06x`, r)
		default:
			fmt.Fprintf(&b, `\%04x`, r)
		}
	}
	return b.String()
}

// Shell is a word of a POSIX shell, in one line; characters that cannot be
// printed stand in $'…', which bash, ksh and zsh read, too.
func Shell(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./,:@%+=", r)
	}
	switch {
	case word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0:
		return word
	case Printable(word):
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	var b strings.Builder
	for i := 0; i < len(word); i++ {
		switch c := word[i]; {
		case c == '\'' || c == '\\':
			b.WriteString(`\` + string(c))
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return "$'" + b.String() + "'"
}

var notInFileNames = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// maxFileName bounds the bytes of a name of a file.
const maxFileName = 60

// FileName is a name of a file or folder that is made of a text: it has letters,
// digits, _, - and dots only, does not begin with a dot or a dash, and is not
// long. Different texts may give the same name.
func FileName(s string) string {
	name := notInFileNames.ReplaceAllString(s, "_")
	if len(name) > maxFileName {
		name = name[:maxFileName]
	}
	if name == "" || name[0] == '.' || name[0] == '-' {
		name = "_" + strings.TrimLeft(name, ".-")
	}
	return name
}

// Qualified puts a name of several parts together, such as a schema and a table.
// A part with a dot or a quote in it is quoted, so that different parts give
// different names.
func Qualified(parts ...string) string {
	out := make([]string, len(parts))
	for i, p := range parts {
		if out[i] = p; strings.ContainsAny(p, `."`) {
			out[i] = `"` + strings.ReplaceAll(p, `"`, `""`) + `"`
		}
	}
	return strings.Join(out, ".")
}

// Parts undoes Qualified.
func Parts(name string) []string {
	var out []string
	for {
		part := name
		if strings.HasPrefix(name, `"`) {
			var b strings.Builder
			i := 1
			for ; i < len(name); i++ {
				if name[i] == '"' {
					if i+1 == len(name) || name[i+1] != '"' {
						break
					}
					i++
				}
				b.WriteByte(name[i])
			}
			out = append(out, b.String())
			part = name[:min(i+1, len(name))]
		} else {
			if i := strings.IndexByte(name, '.'); i >= 0 {
				part = name[:i]
			}
			out = append(out, part)
		}
		rest, more := strings.CutPrefix(name[len(part):], ".")
		if !more {
			return out
		}
		name = rest
	}
}

// Name is Ident for a name that Qualified gave.
func Name(name string) string {
	parts := Parts(name)
	for i, p := range parts {
		parts[i] = Ident(p)
	}
	return strings.Join(parts, ".")
}
