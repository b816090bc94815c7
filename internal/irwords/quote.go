package irwords

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/txrobust/robust/internal/quote"
)

// Keywords cannot be plain identifiers; Ident quotes them.
var Keywords = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`abort access agg ahead and any array assume begin block bool break by cascade check commit conflict
		continue copy delete desc distinct do domain done dropped else emit end exclude exists fail false for foreach foreign found
		fresh from goto if in insert int invariant is key label level limit local lock no not nothing null num of on
		opaque or order process program read reg regs references return reverse rollback row rowid savepoint
		select set share skip table text then time to true txn unique unmodelled update values var where while`) {
		out[w] = true
	}
	return out
}()

// Ident prints a name as the text form does: quoted where it could be misread.
func Ident(name string) string {
	plain := name != "" && !Keywords[name]
	for i, r := range name {
		if !(r == '_' || unicode.IsLetter(r) || i > 0 && (unicode.IsDigit(r) || r == '\'')) {
			plain = false
		}
	}
	if plain {
		return name
	}
	return inQuotes(name, '"')
}

// inQuotes writes a text between quotes that are doubled in it, or, if it has
// characters that cannot be printed, with a backslash before it and the escapes of
// Go in it.
func inQuotes(s string, q rune) string {
	if quote.Printable(s) {
		return string(q) + strings.ReplaceAll(s, string(q), string(q)+string(q)) + string(q)
	}
	var b strings.Builder
	b.WriteString(`\` + string(q))
	for i, r := range s {
		switch {
		case r == q || r == '\\':
			b.WriteString(`\` + string(r))
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		default:
			if text := string(r); quote.Printable(text) {
				b.WriteRune(r)
			} else {
				b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
			}
		}
	}
	return b.String() + string(q)
}

// Text prints a text as the text form does.
func Text(s string) string { return inQuotes(s, '\'') }
