package quote

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Count writes a number of things: "1 row", "2 rows".
func Count(n int, what string) string { return fmt.Sprintf("%d %s", n, what+Verb(n, "", "s")) }

// Verb gives the form of a word for a number of things.
func Verb(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// And joins the parts of an enumeration: "a, b and c".
func And(list []string) string {
	if n := len(list); n > 1 {
		return strings.Join(list[:n-1], ", ") + " and " + list[n-1]
	}
	return strings.Join(list, "")
}

// Wrap breaks a text into lines of at most n runes, between words where it can.
func Wrap(s string, n int) []string {
	var out []string
	line := ""
	for _, word := range strings.Fields(s) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= n:
			line += " " + word
		default:
			out = append(out, line)
			line = word
		}
		for utf8.RuneCountInString(line) > n {
			r := []rune(line)
			cut := n
			// Rather at punctuation than anywhere.
			for i := n - 1; i > n/3; i-- {
				if r[i] == '.' || r[i-1] == ',' || r[i-1] == '(' {
					cut = i
					break
				}
			}
			out = append(out, string(r[:cut]))
			line = string(r[cut:])
		}
	}
	if line != "" || out == nil {
		out = append(out, line)
	}
	return out
}
