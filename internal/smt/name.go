package smt

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Escape keeps the characters of a name that keep allows, and writes others,
// the escape character ^ among them, as ^hex^ with their code. Bytes that are no
// UTF-8 are ^-hex^. Different names stay different.
func Escape(name string, keep func(r rune) bool) string {
	plain := func(r rune) bool { return r != '^' && r != utf8.RuneError && keep(r) }
	if strings.IndexFunc(name, func(r rune) bool { return !plain(r) }) < 0 {
		return name
	}
	var b strings.Builder
	for i, r := range name {
		switch {
		case plain(r):
			b.WriteRune(r)
		case r == utf8.RuneError && !strings.HasPrefix(name[i:], string(utf8.RuneError)):
			fmt.Fprintf(&b, "^-%x^", name[i])
		default:
			fmt.Fprintf(&b, "^%x^", r)
		}
	}
	return b.String()
}

// symbol is the name of a symbol for Z3, which takes names from C: printable
// characters of ASCII that need no escape between the bars of |name|.
func symbol(name string) string {
	return Escape(name, func(r rune) bool { return r >= ' ' && r <= '~' && r != '|' && r != '\\' })
}
