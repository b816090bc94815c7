package quote

import (
	"fmt"
	"html"
	"strings"
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

// Wrap breaks a text into lines of at most n columns, between words where it can.
func Wrap(s string, n int) []string {
	var out []string
	line := ""
	for _, word := range strings.Fields(s) {
		switch {
		case line == "":
			line = word
		case Columns(line)+1+Columns(word) <= n:
			line += " " + word
		default:
			out = append(out, line)
			line = word
		}
		for Columns(line) > n {
			r := []rune(line)
			cut := fitting(r, n)
			// Rather at punctuation than anywhere.
			for i := cut - 1; i > cut/3; i-- {
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

// Distance counts the letters that have to be put in, left out or replaced to make one text of the
// other.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// Markdown is a text in one line that Markdown does not read anything into.
func Markdown(s string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "[", `\[`, "#", `\#`, "~", `\~`).Replace(Line(s))
}

// Fence gives lines as a block of code of Markdown. A fence is longer than what looks like one
// in the text.
func Fence(language, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}

// HTML is a text in one line within an element of HTML.
func HTML(s string) string { return html.EscapeString(Line(s)) }
