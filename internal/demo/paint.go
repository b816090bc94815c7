package demo

import (
	"strings"
	"unicode/utf8"

	"github.com/txrobust/robust/internal/quote"
)

// width is that of a terminal.
const width = 80

// wrap breaks a text into lines of at most n runes, between words where it can.
func wrap(s string, n int) []string {
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
			for i := n - 1; i > n/3; i-- { // rather at punctuation than anywhere
				if r[i] == '.' || r[i-1] == ',' || r[i-1] == '(' {
					cut = i
					break
				}
			}
			out, line = append(out, string(r[:cut])), string(r[cut:])
		}
	}
	if line != "" || out == nil {
		out = append(out, line)
	}
	return out
}

// pad fills a text up to n runes.
func pad(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-utf8.RuneCountInString(s)))
}

// clean is a text of a file without what a terminal would not print.
func clean(s string) string { return quote.Line(strings.ReplaceAll(s, "\t", "    ")) }
